"""What every tool has by being one: a page in both languages, messages beside fields, files, an operation."""

import html
import re
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, Page, rows_of
from webapp.core.formats import patterns
from webapp.core.text import pattern_matching
from webapp.tools import TOOLS
from webapp.tools.kernel import Tool

HOSTILE = "<script>alert(1)</script>\x00\u202e"
TWO = ["wordpiece:wordpiece", "bpe:bpe-bytes"]
each_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


@each_tool
def test_the_page_is_in_both_languages_and_without_styles(client: FlaskClient, tool: Tool[Any, Any]) -> None:
    for language, lang in (("en", "en"), ("zh", "zh-Hans")):
        answer = client.get(tool.address, query_string={"lang": language})
        assert answer.status_code == 200
        assert f'<html lang="{lang}"' in answer.text
        assert " style=" not in answer.text


@each_tool
def test_hostile_input_is_text_on_the_page_and_in_its_part(client: FlaskClient, tool: Tool[Any, Any]) -> None:
    query = dict.fromkeys(tool.input.model_fields, HOSTILE)
    texts = {
        name: HOSTILE for name in tool.input.model_fields if name in ("text", "own", "gold", "q", "query", "tokens")
    }
    for fields in (query, texts):
        for headers in ({}, HTMX):
            answer = client.get(tool.address, query_string=fields, headers=headers)
            assert answer.status_code in (200, 404, 413, 422)
            assert "<script>alert" not in answer.text
            assert ("<html" in answer.text) == (not headers)


LONG = "x" * 1_100_000
PATTERN = "pattern"
WITH_TEXT = ("split", "ambiguity", "pretokens", "measures", "expansion", "difference")
WRONG: list[tuple[str, dict[str, Any], int, str, str]] = [
    ("split", {"tokens": "many"}, 422, "tokens", "“many” is not a whole number."),
    ("split", {"tokens": "12", "overlap": "7"}, 409, "overlap", "at most half of a part: 6"),
    ("split", {"boundary": "page"}, 422, "boundary", "a sentence, a line or a token"),
    ("split", {"vocabulary": "nope"}, 404, "vocabulary", "no vocabulary “nope”"),
    ("split", {"text": "🜁", "tokens": "1"}, 409, "tokens", "“🜁” alone has 4 tokens"),
    ("split", {"text": LONG}, 413, "text", "1,048,576"),
    ("split", {"vocabulary": "llama-3"}, 503, "vocabulary", "could not be fetched"),
    ("decode", {"ids": "1 2\n3 x"}, 422, "ids", "Line 2, column 3: “x” is not an id."),
    ("decode", {"ids": "[1, ..., 2]"}, 422, "ids", "Line 1, column 5: the list is shortened with “...”"),
    ("decode", {"ids": "5 -1\n 99999 7"}, 422, "ids", "-1 (line 1, column 3), 99999 (line 2, column 2)"),
    ("decode", {"ids": "99999 " * 30}, 422, "ids", "10 more are not listed."),
    ("decode", {"ids": "9" * 5000}, 422, "ids", "One id is of no token of this vocabulary"),
    ("decode", {"ids": "1 " * 100_001}, 413, "ids", "there are more than 100,000 ids"),
    ("decode", {"ids": "1" * 1_100_000}, 413, "ids", "1,048,576"),
    ("decode", {"ids": "1", "vocabulary": "learned-bytes"}, 404, "vocabulary", "There is no vocabulary"),
    *(("decode", {"ids": "1 2", "page": page}, 404, "", "page") for page in ("0", "x", "٣", "1" * 30)),
    ("ambiguity", {"vocabulary": "own-dictionary", "dictionary": "a b c d e"}, 422, "dictionary", "Line 1 of the"),
    ("ambiguity", {"edits": "词 x"}, 422, "edits", "Line 1 of the changes"),
    ("ambiguity", {"page": "0"}, 404, "", "“0” is not"),
    ("pretokens", {PATTERN: r"\p{L}+|("}, 422, PATTERN, r"at character 9: missing ). There: \p{L}+|( ▸ ∎"),
    ("pretokens", {PATTERN: "(a+)+$"}, 422, PATTERN, "times out on a run of"),
    ("pretokens", {PATTERN: "a" * 1_001}, 422, PATTERN, "at most 1,000 are allowed"),
    ("pretokens", {"text": ("x" * 40 + "!") * 100 + "y", PATTERN: "(?:x|xx)+[yz]$"}, 422, PATTERN, "takes too long"),
    ("measures", {"with": []}, 422, "with", "Choose at least one tokenizer."),
    ("measures", {"with": [f"bpe:{name}" for name in "abcdefg"]}, 422, "with", "choose at most 6"),
    ("measures", {"with": TWO, "gold": "没有空格的金标准"}, 422, "gold", "No line has a space"),
    ("measures", {"with": TWO, "text": LONG}, 413, "text", "The text has 1,100,000 bytes"),
    ("measures", {"with": TWO, "gold": "a b " * 300_000}, 413, "gold", "The gold segmentation has"),
    ("languages", {"with": ["nothing", "unigram"]}, 404, "", "There is no vocabulary “nothing”"),
    ("languages", {"with": [f"upload-{n:016x}" for n in range(2_000)]}, 422, "", "choose at most 6"),
    ("languages", {"own": "长" * 2_001}, 413, "", "2,001"),
    ("difference", {"a": "nothing<b>", "b": "unigram"}, 422, "a", "There is no vocabulary “nothing<b>”. Choose one"),
    ("difference", {"a": "unigram", "b": "learned-bytes"}, 422, "b", "There is no vocabulary “learned-bytes”"),
    ("difference", {"a": "unigram", "b": "unigram", "query": "x" * 101}, 422, "", "at most 100 characters;"),
    ("expansion", {"base": "jieba", "tokens": "a"}, 404, "base", "“jieba” cannot be expanded."),
    ("expansion", {"addition": "upload-0123456789abcdef"}, 404, "addition", "There is no vocabulary “upload-01234567"),
    ("expansion", {"base": "unigram", "addition": "unigram"}, 422, "addition", "This is the base itself."),
    ("expansion", {"source": "tokens", "tokens": " \n"}, 422, "tokens", "Enter at least one token"),
    ("expansion", {"source": "tokens", "tokens": "图" * 400_000}, 413, "tokens", "The list has 1,200,000 bytes"),
]
ADDRESSES = {tool.name: tool.address for tool in TOOLS}


@pytest.mark.parametrize(("name", "form", "status", "field", "message"), WRONG)
def test_what_is_wrong_stands_beside_its_field_and_what_was_typed_stays(
    client: FlaskClient,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    form: dict[str, Any],
    status: int,
    field: str,
    message: str,
) -> None:
    if message.startswith(("takes too long", "times out")):
        monkeypatch.setattr(pattern_matching, "SECONDS", 0.2)
        monkeypatch.setattr(patterns, "_SECONDS", 0.2)
    form = {"lang": "en", **({"text": "Take an umbrella!"} if name in WITH_TEXT else {}), **form}
    began = time.process_time()
    answer = client.post(ADDRESSES[name], data=form)
    assert answer.status_code == status
    page = answer.text.replace("&#39;", "&#x27;").replace("&#34;", "&quot;")
    beside = re.search(rf'id="{field}-error">([^<]*)<', page) if field else None
    assert html.escape(message) in (beside[1] if beside else " ".join(map(html.escape, Page(answer.text).problems)))
    assert field in ("", "boundary", "with") or field in Page(answer.text).invalid
    for typed in (form.get("text", ""), form.get(field, form.get("own", ""))):
        assert isinstance(typed, list) or html.escape(typed[:500]) in page
    part = client.post(ADDRESSES[name], data=form, headers=HTMX)
    assert part.status_code == status
    # The part of a difference is its list of pieces, below the fields.
    assert name == "difference" or html.escape(message).replace("&#x27;", "&#39;") in part.text
    details = client.post(f"{ADDRESSES[name]}.json", data=form)
    assert (details.status_code, details.mimetype) == (status, "application/problem+json")
    assert message in details.get_json()["detail"]
    assert time.process_time() - began < 30  # 2 s on a free machine


@pytest.mark.parametrize(
    ("name", "field", "form"),
    [
        ("split", "text", {"tokens": "12", "overlap": "3"}),
        ("ambiguity", "text", {"edits": "研究生命 5"}),
        ("pretokens", "text", {"pattern": " ?a", "under": "tokens"}),
        ("measures", "text", {"with": TWO, "gold": "un break able"}),
        ("decode", "ids", {"skip": "1", "view": "apart"}),
    ],
)
def test_a_short_form_has_an_address_and_a_long_one_is_shown(
    client: FlaskClient, name: str, field: str, form: dict[str, Any]
) -> None:
    answer = client.post(f"/{name}", data={**form, field: "97 98"})
    assert answer.status_code == 303
    query = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert query == {key: value if isinstance(value, list) else [value] for key, value in form.items()} | {
        field: ["97 98"]
    }
    assert client.get(answer.headers["Location"]).status_code == 200
    long = client.post(f"/{name}", data={**form, field: "97 " * 2_000})
    assert (long.status_code, "Location" in long.headers) == (200, False)
    assert f'formaction="/{name}.' in long.text


@each_tool
def test_json_and_csv_have_the_example_or_its_problem(client: FlaskClient, tool: Tool[Any, Any]) -> None:
    answer = client.get(tool.address, query_string={"format": "json"})
    assert answer.status_code in (200, 422)
    assert answer.mimetype == ("application/json" if answer.status_code == 200 else "application/problem+json")
    if tool.table:
        table = client.get(f"{tool.address}.csv")
        assert table.status_code == 200
        rows = rows_of(table)
        assert len({len(row) for row in rows}) == 1
        assert f"{tool.file_name or tool.name}.csv" in table.headers["Content-Disposition"]


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.api], ids=lambda tool: tool.name)
def test_the_operation_answers_its_example_and_refuses_unknown_fields(
    client: FlaskClient, tool: Tool[Any, Any]
) -> None:
    assert tool.api
    address, body = f"/api/v1{tool.api.path}", dict(tool.api.example)
    assert client.post(address, json=body).status_code == 200
    refused = client.post(address, json={**body, "colour": "red"})
    assert (refused.status_code, refused.mimetype) == (422, "application/problem+json")
    assert refused.get_json()["errors"][0]["pointer"] == "#/colour"
