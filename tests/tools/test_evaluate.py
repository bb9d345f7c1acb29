"""`/evaluate`: figures, errors in context, links and downloads."""

import io
import os
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import pytest
from babel.dates import format_date
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.site import Page, words
from webapp.core.evaluation.report import MethodReport, score_segmentation
from webapp.jobs import Jobs, jobs
from webapp.jobs.corpora import NoRoomError
from webapp.processes import locked
from webapp.storage import UnavailableStorageError
from webapp.tools import evaluate as routes
from webapp.tools.evaluate import inputs
from webapp.tools.evaluate import scoring as run

GOLD = "研究 生命 的 起源\n结婚 的 和 尚未 结婚 的\n"
FMM = ["fmm:jieba"]


def get(client: FlaskClient, **query: object) -> TestResponse:
    return client.get("/evaluate", query_string=urlencode({"lang": "en", **query}, doseq=True))


def post(client: FlaskClient, **fields: object) -> TestResponse:
    files = {name: value for name, value in fields.items() if isinstance(value, tuple | list)}
    return client.post("/evaluate?lang=en", data={"with": FMM, **fields, **files}, content_type="multipart/form-data")


def figures(answer: TestResponse) -> list[list[str]]:
    """The rows of the table of figures: the method, then the figures as printed."""
    table = answer.text.partition('class="figures-table"')[2].partition("</table>")[0].partition("<tbody>")[2]
    return [
        [
            unescape(re.sub("<[^>]*>", "", cell)).split(" best")[0]
            for cell in re.findall(r"<t[hd](?! class=.axis)[^>]*>(.*?)</t[hd]>", row, re.S)
        ][:6]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)
    ]


def heads(answer: TestResponse) -> list[str]:
    """The errors as their heads say them."""
    found = re.findall(r'<p class="error-head">(.*?)</p>', answer.text, re.S)
    return [" ".join(unescape(re.sub("<a .*|<[^>]*>", "", head)).split()) for head in found]


def test_the_figures_are_those_of_the_official_script(client: FlaskClient, shared: Path) -> None:
    folder = shared / "sighan"

    def upload(name: str) -> tuple[io.BytesIO, str]:
        return io.BytesIO((folder / name).read_bytes()), name

    answer = post(
        client,
        **{"with": ""},
        gold_file=upload("pku_test_gold.utf8"),
        training_file=upload("pku_training_words.utf8"),
        outputs=[upload("pku_fmm.utf8"), upload("pku_bmm.utf8")],
    )
    assert answer.status_code == 200
    parts = re.findall(r'<section [^>]*label="(errors of [^"]*)', answer.text)
    assert parts == ["errors of pku_fmm.utf8", "errors of pku_bmm.utf8"]
    expected = []
    for name in ("fmm", "bmm"):
        *_counts, recall, precision, f1, _rate, oov, iv = (folder / f"pku_{name}.score").read_text().split()[-13:]
        expected.append([f"pku_{name}.utf8", precision, recall, f1, oov, iv])
    assert figures(answer) == expected
    assert "This result has no address" in words(answer.text)


def test_errors_in_context_by_kind_and_page(client: FlaskClient) -> None:
    answer = get(client, gold=GOLD, **{"with": ["fmm:jieba", "bmm:jieba"]})
    assert heads(answer) == [
        "研究 | 生命 → became 研究生 | 命 Overlap line 1",
        "和 | 尚未 | 结婚 → became 和尚 | 未结 | 婚 Overlap line 2",
    ]
    other = get(client, gold=GOLD, method=2, **{"with": ["fmm:jieba", "bmm:jieba"]})
    assert heads(other) == []
    second = get(client, page=2, **{"with": FMM})
    assert heads(second) != heads(get(client, **{"with": FMM}))
    assert get(client, page=999, **{"with": FMM}).status_code == 404
    unknown = get(client, gold=GOLD, **{"with": ["fmm:jieba", "bpe:<b>"]})
    assert "There is no vocabulary “bpe:<b>”." in words(unknown.text)
    assert figures(unknown)[0][0].startswith("FMM")
    pasted = {"output": "研究生 命 的 起源\n结婚 的 和 尚未 结婚 的", "training": "研究\n生命"}
    answer = get(client, gold=GOLD, **pasted, **{"with": ""})
    assert figures(answer) == [["Pasted segmentation", "0.800", "0.800", "0.800", "1.000", "0.000"]]


def test_simplified_words_on_a_traditional_text_are_warned_of(client: FlaskClient) -> None:
    warned = "The gold text is in traditional characters. The words of FMM"
    own = {"with": "fmm:own-dictionary", "training": "香港"}
    assert warned in words(get(client, gold="香港 特別 行政區 政府", **{"with": FMM}).text)
    assert warned not in words(get(client, gold="香港 特別 行政區 政府", **own).text)
    assert warned not in words(get(client, gold="香港 特别 行政区 政府", **{"with": FMM}).text)
    playground = {"algorithm": "ngram", "vocabulary": "ngram", "lang": "en"}
    for text, expected in (("香港特別行政區", True), ("香港特别行政区", False)):
        page = client.get("/", query_string={**playground, "text": text}).text
        assert ("of which this vocabulary has few words" in page) is expected


def test_an_error_as_long_as_its_line_is_drawn_in_part(client: FlaskClient) -> None:
    gold = "a " * 20_000
    page = post(client, gold=gold, output="a" * 20_000)
    assert page.status_code == 200
    drawn = words(page.text).partition("Below:")[2]
    assert "a a a …" in drawn
    assert "a" * 400 + "…" in drawn
    assert len(page.text) < 2 * len(gold) + len(get(client).text)


def test_training_words_as_the_dictionary_and_a_file_in_a_chinese_encoding(client: FlaskClient) -> None:
    (row,) = figures(get(client, gold="甲乙 丙", training="甲乙\n丙", **{"with": "fmm:own-dictionary"}))
    assert row[1:4] == ["1.000", "1.000", "1.000"]
    file = post(client, gold_file=(io.BytesIO((GOLD * 40).encode("gb18030")), "gold.txt"))
    assert "研究 | 生命 → became 研究生 | 命 Overlap line 1" in heads(file)


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ({"gold": "研究生命的起源"}, "gold", "No line has a space"),
        ({"gold": GOLD, "output": "研究 生物"}, "output", "Line 1 differs from line 1 of the gold text at character 4"),
        ({"gold": GOLD, "with": [f"fmm:x{number}" for number in range(7)]}, "with", "These are 7 methods"),
        ({"gold": GOLD, "with": ""}, "with", "Choose at least one method"),
    ],
)
def test_wrong_input_gets_a_message_beside_its_field(
    client: FlaskClient, query: dict[str, object], field: str, message: str
) -> None:
    answer = get(client, **{"with": FMM, **query})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert [message in problem for problem in page.problems] == [True]
    assert field == "with" or page.invalid == [field]
    assert str(query["gold"]) in answer.text
    assert message in get(client, **{"with": FMM, **query, "format": "json"}).json["detail"]


def test_texts_that_are_too_long(client: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "MAX_GOLD_BYTES", 50)
    for fields, message in (
        ({"gold": "研究 生命\n" * 10}, "The gold text has 140 bytes; the limit is 50."),
        ({"outputs": [(io.BytesIO(b"a " * 60), "long.txt")]}, "“long.txt” has 120 bytes; the limit is 100."),
    ):
        answer = post(client, **{"gold": "研究", **fields})
        assert answer.status_code == 413
        assert message in Page(answer.text).problems[0]


@pytest.mark.parametrize(
    ("name", "field", "content"),
    [("gold_file", "gold", b""), ("training_file", "training", b""), ("outputs", "outputs", b" \n")],
)
def test_an_empty_file_is_refused_beside_its_field(client: FlaskClient, name: str, field: str, content: bytes) -> None:
    answer = post(client, output="a", **{name: [(io.BytesIO(content), "nothing.txt")]})
    assert answer.status_code == 422
    message = "The file “nothing.txt” is empty. Choose another one."
    assert re.search(rf'id="{field}-error">{message}', answer.text)
    assert re.search(rf'name="{field}"[^>]* aria-invalid="true"', answer.text)


def test_a_long_evaluation_is_stored_if_the_visitor_says_so(client: FlaskClient, app: Flask) -> None:
    long = GOLD * 40
    assert "Location" not in post(client, gold=long).headers
    answer = post(client, gold=long, keep="30")
    assert answer.status_code == 201
    address = answer.headers["Location"]
    assert re.fullmatch(r"/evaluate/[2-9a-z]{9,}", address)
    shown = client.get(f"{address}?lang=en&page=2&kind=overlap")
    assert shown.status_code == 200
    assert len(heads(shown)) == 20
    assert figures(shown) == figures(answer)
    assert shown.headers["X-Robots-Tag"] == "noindex"
    assert client.get(f"{address}?format=json").json["methods"][0]["error_count"] == 80
    id = address.rpartition("/")[2]
    for other in (f"/s/{id}", f"/s/{id}/embed", f"/s/{id}.png", f"/s/{id}/tokens.txt", f"/s/{id}.json"):
        assert client.get(other).headers["Location"].startswith(address)
    assert client.get(f"/api/v1/snapshots/{id}").status_code == 404
    delete = re.search(rf'/s/{id}/delete/[^"]+', answer.text)
    assert delete
    assert client.post(delete[0]).status_code == 200
    assert client.get(f"{address}?lang=en").status_code == 410
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    assert client.post("/evaluate", data={"gold": GOLD}, headers=foreign).status_code == 403


def test_a_stored_evaluation_names_its_methods_in_the_readers_language(client: FlaskClient) -> None:
    fields = {"gold": GOLD * 40, "output": GOLD * 40, "with": "fmm:jieba", "keep": "30"}
    address = post(client, **fields).headers["Location"]
    for language, names in (
        ("zh", ["FMM · jieba 词典", "粘贴的分词结果"]),
        ("en", ["FMM · jieba's", "Pasted segmentation"]),
    ):
        rows = figures(client.get(f"{address}?lang={language}"))
        assert [row[0].startswith(name) for row, name in zip(rows, names, strict=True)] == [True, True], rows


def test_what_the_site_keeps_limits_a_link(client: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (post(client, gold=GOLD * 41, keep="forever") for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    assert "it does not expire" in words(first.text)
    monkeypatch.setitem(app.config, "KEEP_SNAPSHOTS_DAYS", 90)
    answer = post(client, gold=GOLD * 43, keep="forever")
    end = str(format_date((datetime.now(UTC) + timedelta(days=90)).date(), "long", locale="en"))
    assert f"see the result until {end}" in words(answer.text)
    assert f"it is kept until {end}" in words(client.get(answer.headers["Location"] + "?lang=en").text)


def test_without_storage_the_result_is_still_shown(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise UnavailableStorageError("locked", "test")

    monkeypatch.setattr(routes, "share_evaluation", fail)
    answer = post(client, gold=GOLD * 42, keep="365")
    assert answer.status_code == 200
    assert "The result could not be stored" in words(answer.text)
    assert figures(answer)


def test_a_method_for_which_there_is_no_time_says_so(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([0.0, *[100.0] * 100])
    monkeypatch.setattr(run.time, "monotonic", lambda: next(moments))
    with app.test_request_context("/?lang=en"):
        report, _gold = run.score_all(run.EvaluationInput(gold=GOLD, output=GOLD))
    assert "There was no time left to score it." in report.methods[0].problem


def test_a_long_evaluation_is_a_run_that_its_page_carries_on(
    client: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "LONG_CHARACTERS", 1_000)
    long = "\ufeff" + GOLD * 50
    refused = post(client, gold=long, output="研究 生物")
    assert refused.status_code == 422
    begun = post(client, gold=long, output=long, keep="30")
    assert begun.status_code == 303
    address = begun.headers["Location"].removesuffix("#figures")  # on a phone, the form is above the progress
    waiting = client.get(f"{address}?lang=en")
    assert f'hx-get="{address}?work=1"' in waiting.text
    assert f'content="1; url={address}?work=1#figures"' in waiting.text
    assert "0% of all lines are done" in words(waiting.text)
    assert "Line 1: It begins with a byte order mark (BOM)" in words(waiting.text)
    assert figures(waiting)[1][0] == "Pasted segmentation waiting"

    def stopped(*arguments: Any, **options: Any) -> MethodReport:
        return score_segmentation(*arguments, **{**options, "deadline": 0})

    with monkeypatch.context() as stopping:
        stopping.setattr(run, "score_segmentation", stopped)
        partial = client.get(f"{address}?lang=en&work=1")
    assert "64% of all lines are done" in words(partial.text)
    assert figures(partial)[1][:3] == ["Pasted segmentation line 64 of 100", "1.000", "1.000"]
    with app.app_context():
        lock = locked(jobs().corpora.work(address.rpartition("/")[2]) / "evaluation")
    assert lock is not None
    assert "64% of all lines are done" in words(client.get(f"{address}?lang=en&work=1").text)  # a second tab
    os.close(lock)
    ended = client.get(f"{address}?work=1", headers={"HX-Request": "true", "HX-Request-Type": "full"})
    assert (ended.status_code, ended.headers["HX-Refresh"]) == (204, "true")
    done = client.get(f"{address}?lang=en")
    assert "work=1" not in done.text
    monkeypatch.setattr(inputs, "LONG_CHARACTERS", 1_000_000)
    assert figures(done) == figures(post(client, gold=long, output=long))
    assert client.get(f"{address}/figures.csv").text.count("\n") == 3
    stored = re.search(r"http://localhost(/evaluate/[2-9a-z]{9,})<", done.text)
    assert stored
    assert stored[1] in client.get(address).text
    assert figures(client.get(f"{stored[1]}?lang=en")) == figures(done)
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    assert client.post(f"{address}/delete", headers=foreign).status_code == 403
    assert f'action="{address}/delete"' in waiting.text
    assert client.post(f"{address}/delete").headers["Location"] == "/evaluate"
    assert client.get(address).status_code == client.post(f"{address}/delete").status_code == 404
    gone = client.get(f"{address}?work=1", headers={"HX-Request": "true", "HX-Request-Type": "partial"})
    assert (gone.status_code, gone.headers["HX-Refresh"]) == (204, "true")
    assert client.get(stored[1]).status_code == 200
    for wrong in (
        "/evaluate/runs/x",
        "/evaluate/runs/" + "x" * 22,
        "/evaluate/runs/..",
        "/evaluate/runs/x/figures.csv",
    ):
        assert client.get(wrong).status_code == 404


def test_runs_leave_the_corpora_of_trainings_alone(
    client: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "LONG_CHARACTERS", 1_000)
    upload = client.post("/train/corpus", data={"text": GOLD}).headers["Location"]
    addresses = [post(client, gold=GOLD * 50).headers["Location"] for _ in range(5)]
    assert [client.get(address).status_code for address in addresses] == [404, 200, 200, 200, 200]
    assert client.get(upload).status_code == 200


def test_an_error_links_to_the_steps_of_its_sentence(client: FlaskClient) -> None:
    far = "好 。 " * 100
    gold = f"{far}研究 生命 的 起源 。 {far}\n{'长' * 200} 研究 生命"
    methods = ("fmm:jieba", "tagger:tagger", "fmm:own-dictionary")
    fields = {"gold": f"{gold}\n研究 生 命 的 起源 。", "training": "研究生", "with": methods}
    page = get(client, **fields).text  # without an address, which lists the errors of each method
    parts = page.split('aria-label="errors of ')[1:]
    found = [{unescape(link) for link in re.findall(r'href="(/steps/[^"]+)"', part)} for part in parts]
    sentence = urlencode({"text": "研究生命的起源。"})
    assert f"/steps/fmm?{sentence}" in found[0]
    assert all(link.startswith("/steps/fmm?text=") and "长" not in unquote(link) for link in found[0])
    assert found[1] == {f"/steps/tagger?{sentence}&step=3"}  # a step for each character: it begins at the error
    assert found[2] == set()  # the words of the training are not in the address of steps
    assert "研究生" in client.get(f"/steps/fmm?{sentence}&format=json").text


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (UnavailableStorageError("locked", "test"), 503, "storage cannot be reached"),
        (NoRoomError(), 507, "has no room"),
    ],
)
def test_a_run_that_cannot_be_stored_keeps_the_text(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, message: str
) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(inputs, "LONG_CHARACTERS", 1_000)
    monkeypatch.setattr(Jobs, "new_corpus", fail)
    answer = post(client, gold=GOLD * 50)
    assert answer.status_code == status
    assert message in Page(answer.text).problems[0]
    assert GOLD in answer.text


def test_downloads(client: FlaskClient) -> None:
    query = urlencode({"with": "fmm:jieba", "gold": GOLD})
    expected = {
        "figures.csv": "0.500000",
        "errors.csv": "1,overlap,研究 生命,研究生 命",
        "confusions.csv": "和 尚未 结婚,和尚 未结 婚,overlap,1",
        "score.txt": "=== F MEASURE:\t0.500",
        "report.json": '"words"',
    }
    for name, part in expected.items():
        answer = client.get(f"/evaluate/files/{name}?{query}")
        assert answer.headers["Content-Disposition"] == f"attachment; filename={name}"
        assert part in answer.text


def test_the_api_scores_methods_and_outputs(client: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "研究 生命 的 起源\n"
    body = {
        "gold": line,
        "methods": [{"algorithm": "fmm"}, {"algorithm": "bmm", "vocabulary": "nothing"}],
        "outputs": [{"name": "mine", "text": line}, {"text": "研究生 命 的 起源"}],
        "training_words": "研究\n生命\n的",
        "max_errors": 0,
    }
    found = client.post("/api/v1/evaluate", json=body).json or {}
    assert (found["lines"], found["words"], found["training_words"]) == (1, 4, 3)
    fmm, bmm, mine, other = found["methods"]
    assert fmm["figures"]["f1"] == other["figures"]["f1"] == 0.5
    assert (fmm["errors"], fmm["error_count"]) == ([], 1)
    assert fmm["confusions"] == [{"gold": ["研究", "生命"], "output": ["研究生", "命"], "kind": "overlap", "count": 1}]
    assert "There is no vocabulary" in bmm["problem"]
    assert (mine["name"], mine["figures"]["oov_recall"], mine["known_from"]) == ("mine", 1.0, "training_words")
    monkeypatch.setitem(app.config, "MAX_GOLD_BYTES", 30)
    for more in ({"gold": line * 2}, {"training_words": "词" * 20}, {"outputs": [{"text": "词" * 30}]}):
        assert client.post("/api/v1/evaluate", json={"gold": line, "methods": [{}], **more}).status_code == 413
