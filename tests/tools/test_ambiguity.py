"""The page of ambiguities: every one in its context, what the methods chose, and the exports."""

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, rows_of, words
from webapp import create_app
from webapp.command_line import tool_command
from webapp.command_line.main import main
from webapp.tools import ambiguity

OWN = {"vocabulary": "own-dictionary", "dictionary": "结婚\n的\n和\n和尚\n尚未\n未", "lang": "en"}
TEXT = "结婚的和尚未结婚的"


def test_each_place_has_what_each_method_chose(client: FlaskClient) -> None:
    page = client.get("/ambiguity", query_string={**OWN, "text": TEXT}).text
    shown = words(page[page.index('<ol class="places"') : page.index("</ol>")])
    assert "offset 3 结婚的 和尚未 结婚的 和尚 × 尚未 · chain length 1 · shared: 尚 FMM" in shown
    assert re.search("FMM[^和]* 和尚 未 BMM, Bidirectional[^和]* 和 尚未", shown)
    assert "One overlapping ambiguity (交集型)." in page


def test_changes_of_the_dictionary_change_the_ambiguities(client: FlaskClient) -> None:
    single = {"edits": "结\n婚", "singles": "1"}
    for more, expected in (({}, (1, 0)), ({"edits": "-尚未"}, (0, 0)), ({"edits": "结\n婚"}, (1, 0)), (single, (1, 2))):
        state = {**OWN, "text": TEXT, "format": "json", **more}
        found = client.get("/ambiguity", query_string=state).get_json()
        assert (found["overlapping"], found["combinational"]) == expected


def test_long_lists_have_pages(client: FlaskClient) -> None:
    form = {**OWN, "text": TEXT * 120}
    first = client.post("/ambiguity", data=form, headers=HTMX)
    assert "Page 1 of 3" in words(first.text)
    assert first.text.count("<mark>") == 50
    last = client.post("/ambiguity", data={**form, "page": "3"}, headers=HTMX)
    assert last.text.count("<mark>") == 20
    assert client.post("/ambiguity", data={**form, "page": "4"}, headers=HTMX).status_code == 404


def test_the_exports_have_every_place_with_offsets(client: FlaskClient) -> None:
    form = {**OWN, "text": TEXT * 60, "edits": "结\n婚", "singles": "1"}
    header, *rows = rows_of(client.post("/ambiguity.csv", data=form))
    assert header[:6] == ["kind", "start", "end", "text", "chain_length", "words"]
    assert len(rows) == 60 + 120
    assert rows[0][:9] == ["overlapping", "3", "6", "和尚未", "1", "和尚 / 尚未", "和尚 / 未", "和 / 尚未", "和 / 尚未"]
    document = client.post("/ambiguity.json", data=form).get_json()
    assert len(document["places"]) == 180
    for place in document["places"]:
        assert form["text"][place["start"] : place["end"]] == place["text"]
        for spans in (place["words"], *place["chosen"].values()):
            assert all(form["text"][word["start"] : word["end"]] == word["text"] for word in spans)
    body = {"text": TEXT * 3, "vocabulary": "own-dictionary", "dictionary": OWN["dictionary"] + "\n坏 x"}
    answer = client.post("/api/v1/ambiguities", json={**body, "offset": 1, "limit": 1}).get_json()
    assert [place["start"] for place in answer["places"]] == [12]
    assert answer["skipped_lines"]["first"][0]["line"] == 7


def test_the_methods_segment_the_first_part_of_a_long_text(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ambiguity, "MOST_SEGMENTED", 2_000)
    form = {**OWN, "text": f"{TEXT}。" * 400}  # 4,000 characters, and a sentence that ends at the limit
    found = client.post("/ambiguity.json", data=form).get_json()
    assert (found["overlapping"], found["segmented_characters"]) == (400, 2_000)
    assert [bool(place["chosen"]) for place in found["places"]] == [True] * 200 + [False] * 200
    last = client.post("/ambiguity", data={**form, "page": "8"})
    assert "The list is that of the whole text; the methods segmented its first 2,000 characters." in last.text
    assert last.text.count("<mark>") == 50
    assert '<dl class="chosen">' not in last.text
    assert rows_of(client.post("/ambiguity.csv", data=form))[-1][-1] == ""


def test_files_count_towards_the_rate_like_pages() -> None:
    client = create_app({"TESTING": True, "RATE_READING": "2 per minute"}).test_client()
    statuses = [client.get(f"/ambiguity{ending}").status_code for ending in (".csv", "", ".csv", ".json")]
    assert statuses == [200, 200, 429, 429]


def test_the_command_says_what_is_wrong_with_a_long_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_command, "MOST_BYTES", 1_000)
    (long := tmp_path / "long.txt").write_text("x" * 1_001)
    with pytest.raises(SystemExit) as ended:
        main(["ambiguity", str(long)])
    assert ended.value.code == 2
    assert "The text has 1,001 bytes; the limit is 1,000." in capsys.readouterr().err


def test_every_page_lists_the_same_candidates(client: FlaskClient) -> None:
    text = "研究生命科学"
    found = client.get("/ambiguity", query_string={"text": text, "format": "json"}).get_json()
    assert (found["overlapping"], found["combinational"]) == (1, 1)
    for algorithm in ("fmm", "bmm", "bidirectional"):
        page = words(client.get("/", query_string={"text": text, "algorithm": algorithm, "lang": "en"}).text)
        assert "One word of the text consists of other words." in page
        assert "生命科学 = 生命 + 科学" in page
