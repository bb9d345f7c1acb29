"""Hand-ins and their record, hints and answers, reports, and the sheets that teachers set, without JavaScript."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.site import HTMX, words
from webapp.core.homework.exercises import EXERCISES
from webapp.core.homework.verdicts import Note
from webapp.jobs import jobs_of
from webapp.tools.homework.page import SHOWN_AFTER, WORDS, solution_text
from webapp.tools.homework.sentences import note

EXERCISE = "/homework?exercise=cs336-bpe-example"
RIGHT = "s t\ne st\no w\nl ow\nw est\nn e"
OTHER_TIE = "e s\nes t\nl o\nlo w\nn e\nne w"
WRONG = "s t\ne st\nl ow\no w\nw est\nn e"


def record_of(answer: TestResponse) -> str:
    """Return the record in the form of a page, as a browser would send it."""
    found = re.search(r'name="record"(?: form="handin")? value="([^"]*)"', answer.text)
    assert found
    return found[1].replace("&#34;", '"').replace("&amp;", "&").replace("&#39;", "'").replace("&lt;", "<")


def hand_in(client: FlaskClient, address: str = EXERCISE, record: str = "", **form: Any) -> TestResponse:
    return client.post(address, data={"record": record, "lang": "en"} | form)


def check(client: FlaskClient, answer: str, address: str = EXERCISE, record: str = "", **form: Any) -> TestResponse:
    return client.post(f"{address}&lang=en", data={"record": record, "answer": answer, **form})


@pytest.mark.parametrize(
    ("answer", "state", "says"),
    [
        (RIGHT, "right", "6 of 6 merges agree"),
        (WRONG, "wrong", "3 is the first of 6 merges that differs Yours is “l ow”, the right one is “o w”."),
        (OTHER_TIE, "other-rule", "The exercise sets its own rule, so this does not count as right yet."),
    ],
)
def test_a_hand_in_gets_its_verdict_and_counts_as_a_try(
    client: FlaskClient, answer: str, state: str, says: str
) -> None:
    page = check(client, answer, predicted="right")
    assert page.status_code == 200
    assert says in words(page)
    assert f'class="stage alone verdict {state}"' in page.text
    assert "1 try so far" in words(page)
    (work,) = json.loads(record_of(page))["report"]["works"]
    assert (work["exercise"], work["count"], work["answer"]) == ("cs336-bpe-example", 1, answer)
    assert work["tries"][0]["predicted"] == "right"
    again = check(client, RIGHT, record=record_of(page))
    assert "2 tries so far" in words(again)
    assert '<span class="st right">' in again.text


@pytest.mark.parametrize(
    ("exercise", "answer", "says"),
    [
        ("hf-unhug", "un hug", "right 2 of 2 tokens agree"),
        ("cs336-bpe-vocabulary", '{"s": 0}', "not right 1 of 263 pieces agree The vocabulary lacks “<|endoftext|>”."),
        (
            "slp-viterbi",
            ".32 .02 .0384 .1 .1 .1",
            "not right 3 of 6 cells agree The cell v2(C) is the first that differs.",
        ),
        (
            "hf-pair-counts",
            "2 3 2 2 1 1",
            "0 of 6 cells agree The cell hu is the first that differs. You counted every word once.",
        ),
        ("hit-speed", "12.5 s, 13 s", "not right The second time is not shorter than the first."),
        (
            "hit-dictionary",
            "研究",
            "2 is the first of 12 words that differs Yours is missing; the right one is “生命”.",
        ),
        (
            "cs336-bpe-example",
            "e s\nes t\no w\nl ow\nw est\nn e",
            "not right 4 of 6 merges agree Each merge is a most frequent",
        ),
        ("cs336-bpe-example", RIGHT + "\nw i", "not right 6 of 6 merges agree Merge 7 is the first that differs."),
    ],
)
def test_a_headline_says_what_it_counts(client: FlaskClient, exercise: str, answer: str, says: str) -> None:
    assert says in words(check(client, answer, f"/homework?exercise={exercise}"))


def test_a_prediction_is_for_one_try(client: FlaskClient) -> None:
    kept = [" checked" in check(client, answer, predicted="right").text for answer in ("est", WRONG)]
    assert kept == [True, False]


def test_ids_that_the_walkthrough_numbers_in_another_way_are_announced(client: FlaskClient) -> None:
    said = []
    for exercise in ("cs336-bpe-encoding", "minbpe-basic-ids"):
        address, record = f"/homework?exercise={exercise}", ""
        for _try in range(SHOWN_AFTER):
            page = check(client, "1 2", address, record)
            record = record_of(page)
        assert "Show this step" in words(page)
        said.append("so its ids are others than in this exercise" in words(page))
    assert said == [True, False]


def test_the_address_of_a_verdict_shows_it_and_counts_nothing(client: FlaskClient) -> None:
    part = client.post(EXERCISE, data={"answer": WRONG, "record": ""}, headers=HTMX)
    assert "<html" not in part.text
    address = part.headers["HX-Replace-Url"]
    assert parse_qs(urlsplit(address).query) == {"exercise": ["cs336-bpe-example"], "answer": [WRONG]}
    page = client.get(f"{address}&lang=en")
    assert "3 is the first of 6 merges that differs" in words(page)
    assert "so far" not in words(page)


@pytest.mark.parametrize("answer", ["", " \n", "est", "<script>alert(1)</script>\x00\u202e", "a b\n" * 30_000])
def test_what_cannot_be_read_is_said_beside_the_answer_and_is_no_try(client: FlaskClient, answer: str) -> None:
    page = check(client, answer)
    assert page.status_code == 422
    assert re.search(r'id="answer-error">[^<]+<', page.text)
    assert "<script>alert" not in page.text
    assert record_of(page) == ""


def test_hints_open_one_by_one_and_the_answer_after_some_tries(client: FlaskClient) -> None:
    hints = [hint["en"] for hint in EXERCISES["cs336-bpe-example"].hints]
    page = check(client, WRONG)
    assert not any(hint in page.text for hint in hints)
    jumped = hand_in(client, record=record_of(page), hint="3", answer=WRONG)
    assert [hint in jumped.text for hint in hints] == [True, False, False]
    assert "3 is the first of 6 merges that differs" in words(jumped)
    early = hand_in(client, record=record_of(jumped), solve="1")
    assert "w est\nn e" not in early.text
    for _number in range(SHOWN_AFTER - 1):
        assert "Show the answer" not in page.text
        page = check(client, WRONG, record=record_of(page))
    assert "Show the answer" in page.text
    solved = hand_in(client, record=record_of(page), solve="1")
    assert f'<pre class="solution sheet" tabindex="0">{RIGHT}' in solved.text
    (work,) = json.loads(record_of(solved))["report"]["works"]
    assert (work["count"], work["solved"]) == (SHOWN_AFTER, True)


def test_an_answer_that_nobody_knows_is_not_promised(client: FlaskClient) -> None:
    assert "The answer, after" not in words(client.get("/homework?exercise=hit-speed&lang=en"))
    assert "The answer, after 5 tries" in words(client.get("/homework?exercise=hit-fmm&lang=en"))


def test_a_wrong_single_value_does_not_give_the_answer_away(client: FlaskClient) -> None:
    page = check(client, "h ug", "/homework?exercise=hf-next-merge")
    assert page.status_code == 200
    assert "hug s" not in page.text
    assert "p un" not in page.text
    assert 'class="stage alone verdict wrong"' in page.text
    for number in (1, 2, 3):
        page = hand_in(client, "/homework?exercise=hf-next-merge", record_of(page), answer="h ug", hint=str(number))
    assert "What is right there has 3 characters." in words(page)


def test_another_exercise_takes_the_record_along(client: FlaskClient) -> None:
    page = check(client, RIGHT)
    assert 'formaction="/homework?exercise=hf-unhug&amp;open=1"' in page.text
    other = hand_in(client, "/homework?exercise=hf-unhug&open=1", record_of(page), answer=RIGHT)
    assert other.status_code == 200
    assert "so far" not in words(other)
    assert "cs336-bpe-example" in record_of(other)


@pytest.mark.parametrize("record", ["x", '{"report": {"id": "1"}, "signature": "AAAA"}', "[" * 9_000])
def test_a_forged_record_is_refused_and_a_new_one_begins(client: FlaskClient, record: str) -> None:
    page = check(client, RIGHT, record=record)
    assert page.status_code == 200
    assert "Your earlier progress was not written by this site" in words(page)
    assert json.loads(record_of(page))["report"]["works"][0]["count"] == 1


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/homework?exercise=nothing", 404),
        ("/homework?sheet=nothing&exercise=own-1", 404),
        ("/homework?sheet=<b>", 404),
    ],
)
def test_an_unknown_exercise_or_sheet_is_said_to_be_unknown(client: FlaskClient, address: str, status: int) -> None:
    for answer in (client.get(address), client.post(address, data={"answer": "a"}), client.get(address, headers=HTMX)):
        assert answer.status_code == status
        assert 'role="alert"' in answer.text


def report_file(client: FlaskClient, record: str, student: str, sheet: str = "") -> str:
    answer = client.post("/homework/report", data={"record": record, "student": student, "sheet": sheet, "download": 1})
    assert answer.headers["Content-Disposition"] == "attachment; filename=report.json"
    return answer.text


def test_a_report_is_downloaded_with_a_name_and_checked(client: FlaskClient) -> None:
    record = record_of(check(client, WRONG, record=record_of(check(client, OTHER_TIE))))
    shown = client.post("/homework/report", data={"record": record, "lang": "en"})
    assert "0 of 1 right" in words(shown)
    assert "right by another rule" in words(shown)
    nameless = client.post("/homework/report", data={"record": record, "download": "1", "lang": "en"})
    assert nameless.status_code == 422
    assert "Write your name" in words(nameless)
    assert client.post("/homework/report", data={"student": "Ada", "download": "1"}).status_code == 409
    ada, bob = (report_file(client, record, name) for name in ("Ada", "Bob <b>"))
    forged = ada.replace('"wrong"', '"right"').replace("Ada", "Eve")
    files = [(io.BytesIO(text.encode()), f"{at}.json") for at, text in enumerate((ada, bob, forged, "{}"))]
    checked = client.post("/homework/reports", data={"files": files, "lang": "en"})
    assert "2 of 4 signatures are valid" in words(checked)
    assert checked.text.count("edited after signing") == checked.text.count("not a report of this site") == 1
    assert "<b>Bob" not in checked.text
    assert "the same work as Bob <b>" in words(checked)
    table = client.post("/homework/reports", data={"report": [ada, forged], "csv": "1"})
    rows = list(csv.reader(io.StringIO(table.text.lstrip("\ufeff"))))
    assert rows[0] == ["student", "written", "signature", "bpe_example"]
    assert [rows[1][0], *rows[1][2:]] == ["Ada", "valid", "other-rule @3 (2)"]
    assert rows[2] == ["Eve", "", "edited", ""]


def test_too_many_reports_are_refused(client: FlaskClient) -> None:
    answer = client.post("/homework/reports", data={"report": [f"{number}" for number in range(201)], "lang": "en"})
    assert answer.status_code == 413
    assert "At most 200 reports" in words(answer)


OWN = {
    "own_kind": "bpe:merges",
    "own_text": "low low lower newest newest",
    "own_merges": "3",
    "own_ties": "greater",
    "own_hints": "Count the pairs.\n\nCount them again.",
}


def sheet_of(client: FlaskClient, *tasks: str, **form: str) -> str:
    answer = client.post("/homework/sheet/link", data={"task": list(tasks), "shown_after": "1", **form})
    assert answer.status_code == 201
    return str(answer.headers["Location"]).rpartition("sheet=")[2]


def tasks_in(answer: TestResponse) -> list[str]:
    found = re.findall(r'name="task" value="([^"]*)"', answer.text)
    return [value.replace("&#34;", '"').replace("&amp;", "&").replace("&lt;", "<") for value in found]


def test_a_sheet_is_put_together_stored_and_handed_in(client: FlaskClient) -> None:
    page = client.post("/homework/sheet", data={"add": ["hf-unhug", "cs336-bpe-example"], "lang": "en"})
    page = client.post("/homework/sheet", data={"task": tasks_in(page), "up": "2"})
    assert tasks_in(page) == ["cs336-bpe-example", "hf-unhug"]
    page = client.post("/homework/sheet", data={"task": tasks_in(page), "own": "1", **OWN})
    assert len(tasks_in(page)) == 3
    assert "e r" in page.text  # the computed answer
    page = client.post("/homework/sheet", data={"task": tasks_in(page), "remove": "2"})
    id = sheet_of(client, *tasks_in(page), title="Week 3 <b>", note="Until Friday")
    sheet = client.get(f"/homework?sheet={id}&lang=en")
    assert "Week 3 &lt;b&gt;" in sheet.text
    assert "Until Friday" in sheet.text
    assert f'href="/homework?sheet={id}&amp;exercise=own-2"' in sheet.text
    task = f"/homework?sheet={id}&exercise=own-2"
    assert "first 3 merges in order" in words(client.get(f"{task}&lang=en"))
    assert "The answer, after 1 try" in words(client.get(f"{task}&lang=en"))
    made = client.post("/homework/report", data={"record": record_of(check(client, RIGHT)), "sheet": id, "lang": "en"})
    assert "1 of 2 right" in words(made)
    assert client.get(f"{task}&answer=l+o&format=json").json["right"]["text"] == "w e"
    tried = check(client, "l o\nlo w\nn e", task)
    assert "is the first that differs" in words(tried)
    assert "Show the answer" in tried.text
    report = report_file(client, record_of(tried), "Ada", id)
    assert [work["exercise"] for work in json.loads(report)["report"]["works"]] == [f"{id}/own-2"]
    table = client.post(f"/homework/reports?sheet={id}", data={"report": [report]})
    assert "bpe_example" in table.text
    assert "not made for this sheet" not in table.text
    other = report_file(client, record_of(tried), "Bob")
    table = client.post(f"/homework/reports?sheet={id}&lang=en", data={"report": [report, other]})
    assert words(table).count("not made for this sheet") == 1
    rows = client.post(f"/homework/reports?sheet={id}", data={"report": [report, other], "csv": "1"}).text
    assert [row.split(",")[2] for row in rows.splitlines()] == ["signature", "valid", "other-sheet"]


def test_a_changed_copy_leaves_the_sheet_and_its_answers_alone(client: FlaskClient) -> None:
    own = {"algorithm": "bpe", "asked": "merges", "text": "low low lower newest newest", "merges": 3, "ties": "greater"}
    id = sheet_of(client, json.dumps(own), "hf-unhug", title="Week <3>", note="Until\nFriday", shown_after="3")
    assert f'href="/homework/sheet?copy={id}"' in client.get(f"/homework?sheet={id}").text
    form = client.get(f"/homework/sheet?copy={id}&lang=en")
    assert [json.loads(tasks_in(form)[0]), tasks_in(form)[1]] == [own, "hf-unhug"]
    for filled in ('value="Week &lt;3&gt;"', "Until\nFriday</textarea>", '<option value="3" selected>'):
        assert filled in form.text
    answers = re.compile(r'<pre class="solution">([^<]+)</pre>')
    assert not answers.search(form.text)
    page = client.post("/homework/sheet", data={"task": tasks_in(form), "copy": id, "change": "1", "title": "Week 4"})
    assert tasks_in(page) == ["hf-unhug"]
    fields = {"own_kind": "bpe:merges", "own_text": own["text"], "own_merges": "3", "own_ties": "greater"}
    assert f">\n{own['text']}</textarea>" in page.text
    assert page.text.count('<option value="bpe:merges" selected>') == 1
    assert 'value="Week 4"' in page.text
    same = client.post("/homework/sheet", data={"task": tasks_in(page), "copy": id, "own": "1", **fields})
    assert not answers.search(same.text)
    assert 'name="own_place" form="sheet" value="1"' in page.text
    fields |= {"own_merges": "2", "own_place": "1"}
    changed = client.post("/homework/sheet", data={"task": tasks_in(page), "copy": id, "own": "1", **fields})
    assert answers.findall(changed.text) == ["w e\nl o\n"]
    assert tasks_in(changed)[1] == "hf-unhug"  # it is where it was
    early = client.post("/homework/sheet/link", data={"task": "hf-unhug", "shown_after": "1", "lang": "en", **fields})
    assert early.status_code == 422
    assert "This exercise is not on the sheet yet." in words(early)
    other = sheet_of(client, *tasks_in(changed), copy=id, title="Week 4")
    assert "Week 4" in client.get(f"/homework?sheet={other}").text
    assert "Week &lt;3&gt;" in client.get(f"/homework?sheet={id}").text
    gone = client.get("/homework/sheet?copy=nothing&lang=en")
    assert (gone.status_code, tasks_in(gone)) == (404, [])
    assert "There is no sheet at this address" in words(gone)


@pytest.mark.parametrize("number", ["1", "0", "2", "-1", "x"])
def test_an_exercise_that_leaves_out_what_is_usual_can_be_changed(client: FlaskClient, number: str) -> None:
    task = '{"algorithm": "fmm", "text": "研究", "dictionary": "研究"}'
    page = client.post("/homework/sheet", data={"task": task, "change": number})
    assert len(tasks_in(page)) == (number != "1")
    assert ('<option value="fmm:segmentation" selected>' in page.text) == (number == "1")


def test_programs_check_the_tasks_of_a_sheet_and_are_told_no_more_than_its_page(client: FlaskClient) -> None:
    own = {"algorithm": "bpe", "asked": "merges", "text": "low low lower newest newest", "merges": 3, "ties": "greater"}
    id = sheet_of(client, json.dumps(own), "hf-unhug", "hf-pair-counts")
    for body, told in (
        ({"exercise": "own-1", "answer": "w e\no w\nl o"}, ["w e", "l o", "…"]),
        ({"exercise": "own-1", "answer": "w e\nl o\nlo w"}, ["w e", "l o", "we s"]),
        ({"exercise": "hf-pair-counts", "answer": "hu 0"}, ["…"] * 6),
    ):
        verdict = client.post("/api/v1/check", json={"sheet": id, **body}).json
        assert [row["right"] for row in verdict["rows"]] == told
        assert (verdict["right"] is None) == (told[0] == "…")
    file = client.post(
        "/homework/sheet/link", data={"task": [json.dumps(own), "hf-unhug"], "shown_after": "1", "file": 1}
    )
    assert file.headers["Content-Disposition"] == "attachment; filename=sheet.json"
    verdict = client.post(
        "/api/v1/check", json={"sheet": file.text, "exercise": "own-1", "answer": "w e\no w\nl o"}
    ).json
    assert [row["right"] for row in verdict["rows"]] == ["w e", "l o", "we s"]
    for sheet in ("{", "{}", '{"tasks": 5}', '{"tasks": ["nothing"]}', '{"tasks": [{"algorithm": 5}]}'):
        refused = client.post("/api/v1/check", json={"sheet": sheet, "exercise": "own-1", "answer": "x"})
        assert refused.json["errors"][0]["pointer"] == "#/sheet"
    assert client.post("/api/v1/check", json={"sheet": id, "exercise": "own-2", "answer": "x"}).status_code == 404
    assert client.post("/api/v1/check", json={"sheet": "x", "exercise": "own-1", "answer": "x"}).status_code == 404


def test_without_its_key_the_site_says_that_its_storage_is_away(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(jobs_of(client.application).corpora, "folder", tmp_path / "file" / "corpora")
    page = check(client, RIGHT)
    assert page.status_code == 503
    assert "storage cannot be reached" in words(page)


def test_a_sheet_has_the_deletion_and_the_rules_of_all_shared_things(client: FlaskClient) -> None:
    answer = client.post("/homework/sheet/link", data={"task": ["hf-unhug"], "shown_after": "0", "lang": "en"})
    id = str(answer.headers["Location"]).rpartition("sheet=")[2]
    assert client.get(f"/s/{id}").headers["Location"] == f"/homework?sheet={id}"
    assert client.get(f"/s/{id}/embed").status_code == 302
    assert client.get("/oembed", query_string={"url": f"http://localhost/s/{id}"}).status_code == 404
    assert client.get(f"/api/v1/snapshots/{id}").status_code == 404
    never = check(client, "un hug", f"/homework?sheet={id}&exercise=hf-unhug")
    assert "Show the answer" not in never.text
    assert "The answer, after" not in words(never)
    found = re.search(r"/s/[^/]+/delete/[^\"]+", answer.text)
    assert found
    assert client.post(found[0]).status_code == 200
    assert client.get(f"/homework?sheet={id}").status_code == 410


@pytest.mark.parametrize(
    ("form", "status", "field"),
    [
        ({"own": "1", **OWN, "own_merges": "x"}, 422, "own_merges"),
        ({"own": "1", **OWN, "own_merges": "9999"}, 422, "own_merges"),
        ({"own": "1", **OWN, "own_text": " "}, 422, "own_text"),
        ({"own": "1", **OWN, "own_text": "x" * 20_001}, 422, "own_text"),
        ({"own": "1", **OWN, "own_kind": "fmm:words", "own_dictionary": "a"}, 422, "own_asked"),
        ({"own": "1", **OWN, "own_kind": "fmm:tags"}, 422, "own_dictionary"),
        ({"task": ["nothing"]}, 404, ""),
        ({"task": ["[" * 5_000]}, 404, ""),
        ({"task": ['{"algorithm": "bpe", "text": "lo\\ud800", "merges": 1}']}, 404, ""),
        ({"task": ['{"algorithm": "bpe", "text": "a b", "merges": 1, "more": 1e999}']}, 404, ""),
        ({"task": ['{"algorithm": "bpe", "text": 5}']}, 422, "own_text"),
        ({"task": ['{"algorithm": ["bpe"], "text": "a b"}']}, 422, "own_algorithm"),
        ({"task": ["nothing"] * 60_000, "add": [f"{number}" for number in range(60_000)]}, 404, ""),
        ({"task": ["hf-unhug"] * 21}, 422, "add"),
        ({"task": [json.dumps({"algorithm": "bpe", "text": "x" * 15_000})] * 5}, 413, "add"),
    ],
    ids=range(15),
)
def test_what_is_wrong_with_a_sheet_stands_beside_its_field(
    client: FlaskClient, form: dict[str, Any], status: int, field: str
) -> None:
    for address in ("/homework/sheet", "/homework/sheet/link"):
        if address.endswith("link") and "own" in form:
            continue
        page = client.post(address, data={"shown_after": "5", **form})
        assert page.status_code == status
        assert re.search(rf'id="{field}-error">[^<]+<', page.text) or field in ("", "own_asked", "own_algorithm")
        assert 'role="alert"' in page.text


def test_a_sheet_without_tasks_or_from_another_site_is_not_stored(client: FlaskClient) -> None:
    assert client.post("/homework/sheet/link", data={"shown_after": "5"}).status_code == 422
    assert client.post("/homework/sheet/link", data={"task": ["hf-unhug"], "shown_after": "x"}).status_code == 422
    foreign = client.post("/homework/sheet/link", data={"task": ["hf-unhug"]}, headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403


@pytest.mark.parametrize("path", ["", "/sheet", "/report", "/reports"])
def test_each_page_is_in_both_languages(client: FlaskClient, path: str) -> None:
    for language, lang in (("en", "en"), ("zh", "zh-Hans")):
        answer = client.get(f"/homework{path}?lang={language}")
        assert answer.status_code == 200
        assert f'<html lang="{lang}"' in answer.text
        assert " style=" not in answer.text


@pytest.mark.parametrize("id", EXERCISES)
def test_each_exercise_has_its_page_and_takes_its_own_answer(client: FlaskClient, id: str) -> None:
    address = f"/homework?exercise={id}"
    assert client.get(f"{address}&lang=zh").status_code == 200
    assert check(client, "x", address).status_code in (200, 422)
    with client.application.test_request_context():
        answer = solution_text(EXERCISES[id])
    page = check(client, answer, address)
    if answer and not any(not need.optional for need in EXERCISES[id].needs):
        assert 'class="stage alone verdict right"' in page.text
    else:  # what it takes is not on the site
        assert page.status_code == 422


@pytest.mark.parametrize("kind", WORDS["kinds"])
def test_each_kind_of_an_exercise_of_ones_own_says_what_to_do_and_is_checked(client: FlaskClient, kind: str) -> None:
    trains = kind.startswith(("bpe", "wordpiece"))
    text, dictionary = ("low low lower newest", "") if trains else ("研究生命", "研究 5\n研究生 2\n生命 4\n命 1")
    form = {**OWN, "own_kind": kind, "own_text": text, "own_dictionary": dictionary, "own_word": "lowest"}
    page = client.post("/homework/sheet", data={"own": "1", **form})
    assert page.status_code == 200
    answer = re.search(r'<pre class="solution">([^<]+)</pre>', page.text)
    assert answer
    task = f"/homework?sheet={sheet_of(client, *tasks_in(page))}&exercise=own-1"
    shown = client.get(f"{task}&lang=en")
    assert text in shown.text
    assert re.search(r'<p class="task">(Train .+ on|Segment) the text below[^%<]+</p>', shown.text)
    assert 'class="stage alone verdict right"' in check(client, answer[1], task).text


def test_numbers_of_remarks_are_written_as_numbers(app: Flask) -> None:
    with app.test_request_context("/?lang=en"):
        said = [note(Note("first-sentences", {"count": 5995})), note(Note("speed-up", {"factor": 1.5}))]
    assert said == [
        "The text is long: only its first 5,995 sentences were checked.",
        "That is 1.5 times as fast.",
    ]
