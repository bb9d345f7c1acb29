"""The page that decodes ids: their text, the tokens with their bytes, both clients of a stream, and the exports."""

from __future__ import annotations

import csv
import html
import io
import re
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.site import Page
from webapp.vocabularies import shipped_tokenizer

DRAGON = "a 🐉!"
IDS = shipped_tokenizer("bpe-bytes").ids(DRAGON)


def shown(client: FlaskClient, **query: str) -> str:
    answer = client.get("/decode", query_string={"lang": "en", **query})
    assert answer.status_code == 200
    return answer.text


def text_of(page: str) -> str:
    return html.unescape(" ".join(re.sub(r"<[^>]+>", " ", page).split()))


def rows_of(page: str) -> list[list[str]]:
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    rows = re.findall(r"(?s)<tr.*?</tr>", body)
    return [[text_of(cell) for cell in re.findall(r"(?s)<td.*?</td>", row)] for row in rows]


@pytest.mark.parametrize(
    "ids", [" ".join(map(str, IDS)), str(IDS), f'{{"input_ids": [{IDS}]}}', " ".join(map(hex, IDS))]
)
def test_ids_in_any_shape_become_text(client: FlaskClient, ids: str) -> None:
    page = shown(client, ids=ids)
    assert re.search(r'class="sheet decoded pre"[^>]*>a 🐉!</div>', page)
    assert f"<b>{len(IDS)}</b> tokens" in page
    assert ids in html.unescape(page)


def test_the_tokens_of_a_character_are_marked_with_their_bytes(client: FlaskClient) -> None:
    tokens = Page(shown(client, ids=str(IDS))).tokens
    parts = [(text, attributes["data-b"]) for text, classes, attributes in tokens if "b" in classes]
    assert parts == [("🐉", "F0"), ("", "9F"), ("", "90"), ("", "89")]
    assert [attributes["data-u"] for _text, _classes, attributes in tokens] == list(map(str, IDS))


def test_apart_shows_each_token_by_itself(client: FlaskClient) -> None:
    tokens = Page(shown(client, ids=str(IDS), view="apart")).tokens
    tokenizer = shipped_tokenizer("bpe-bytes")
    assert [text for text, _classes, _attributes in tokens] == [tokenizer.decode([id]) for id in IDS]


def test_the_table_says_what_each_token_needs_and_which_completes_it(client: FlaskClient) -> None:
    rows = rows_of(shown(client, ids=str(IDS)))
    assert [row[1] for row in rows] == [str(id) for id in IDS]
    first = next(index for index, row in enumerate(rows) if row[5] == "F0")
    assert rows[first][3:] == [
        "�",
        "…",
        "F0",
        f"F0 needs 3 more bytes (90–BF 80–BF 80–BF). Token {first + 4} completes it.",
    ]
    assert rows[first + 2][6] == f"F0 9F 90 needs 1 more byte (80–BF). Token {first + 4} completes it."
    assert rows[first + 3][3:] == ["�", "🐉", "89", ""]


def test_both_clients_of_a_stream_are_compared(client: FlaskClient) -> None:
    page = shown(client, ids=str(IDS))
    stream = page[page.index('id="stream"') : page.index('id="by-token"')]
    assert "Why does � appear in a stream?" in stream
    assert "3 tokens end inside a character" in stream
    alone, waiting = re.findall(r'(?s)printed-text"[^>]*>(.*?)</div>', stream)
    assert alone.count('<b class="lost">�</b>') == 4
    assert waiting == DRAGON
    assert "DecodeStream" in stream


def test_ids_that_end_or_break_inside_a_character(client: FlaskClient) -> None:
    at = IDS.index(next(id for id in IDS if shipped_tokenizer("bpe-bytes").model.pieces[id] == b"\xf0"))
    cut = shown(client, ids=str(IDS[: at + 2]))
    assert "The ids end inside a character: the bytes F0 9F are pending." in cut
    assert rows_of(cut)[-1][6] == "F0 9F needs 2 more bytes (80–BF 80–BF). No token completes it."
    broken = rows_of(shown(client, ids=str([*IDS[: at + 2], IDS[0]])))
    assert broken[-2][6].endswith(f"Token {at + 3} does not continue it.")
    assert broken[-1][4:] == ["� a", "61", "F0 9F is not valid UTF-8."]


def test_where_nothing_is_split_both_clients_agree_or_lose_spaces(client: FlaskClient) -> None:
    assert "both clients print the same text" in shown(client, ids="97 98")
    words = str(shipped_tokenizer("wordpiece").ids("unaffable words"))
    page = shown(client, ids=words, vocabulary="wordpiece")
    assert "adds or removes spaces and marks" in page
    assert "differs from the text" in page


def test_special_tokens_are_outlined_or_left_out(client: FlaskClient) -> None:
    tokenizer = shipped_tokenizer("wordpiece")
    ids = str(tokenizer.ids("[CLS] low [SEP]", special=True))
    page = shown(client, ids=ids, vocabulary="wordpiece")
    special = [text.strip() for text, classes, _attributes in Page(page).tokens if "x" in classes]
    assert special == ["[CLS]", "[SEP]"]
    without = shown(client, ids=ids, vocabulary="wordpiece", skip="1")
    assert [text for text, _classes, _attributes in Page(without).tokens] == ["low"]
    assert rows_of(without)[0][6] == "Special, left out."
    assert re.search(r'class="sheet decoded pre"[^>]*>low</div>', without)


def test_the_examples_and_the_first_visit_explain_themselves(client: FlaskClient) -> None:
    first = shown(client)
    assert "Why does � appear in a stream?" in first
    examples = re.findall(r'<a href="(/decode\?[^"]+)">', first)
    assert len(examples) == 4
    for address in examples:
        assert client.get(html.unescape(address)).status_code == 200
    assert "Paste ids to see their text" in shown(client, ids="")


def test_a_short_form_becomes_an_address_and_a_long_one_a_page(client: FlaskClient) -> None:
    answer = client.post("/decode", data={"ids": "[97, 98]", "vocabulary": "bpe-bytes", "skip": "1", "view": "apart"})
    assert answer.status_code == 303
    query = parse_qs(urlsplit(answer.headers["Location"]).query)
    assert query == {"ids": ["[97, 98]"], "skip": ["1"], "view": ["apart"]}
    long = client.post("/decode", data={"ids": "97 " * 1000, "vocabulary": "bpe-bytes", "lang": "en", "page": "3"})
    assert long.status_code == 200
    assert [row[0] for row in rows_of(long.text)] == [str(number) for number in range(201, 301)]
    assert "Page 3 of 10" in text_of(long.text)
    assert 'id="playground-form"' not in long.text  # 1,000 characters fit into an address
    longer = client.post("/decode", data={"ids": "97 " * 4000, "vocabulary": "bpe-bytes"}).text
    form = longer[longer.index('id="playground-form"') :]
    assert "a" * 4000 in form[: form.index("</form>")]


@pytest.mark.parametrize(
    ("form", "status", "field", "message"),
    [
        ({"ids": "1 2\n3 x"}, 422, "ids", "Line 2, column 3: “x” is not an id."),
        ({"ids": "[1, ..., 2]"}, 422, "ids", "Line 1, column 5: the list is shortened with “...”"),
        ({"ids": "5 -1\n 99999 7"}, 422, "ids", "2 ids are not in this vocabulary, whose ids go from 0 to"),
        ({"ids": "5 -1\n 99999 7"}, 422, "ids", "-1 (line 1, column 3), 99999 (line 2, column 2)"),
        ({"ids": "99999 " * 30}, 422, "ids", "10 more are not listed."),
        ({"ids": "9" * 5000}, 422, "ids", "One id is not in this vocabulary"),
        ({"ids": "1 " * 100_001}, 413, "ids", "there are more than 100,000 ids"),
        ({"ids": "1" * 1_100_000}, 413, "ids", "1,048,576"),
        ({"ids": "1", "vocabulary": "nope"}, 404, "vocabulary", "There is no vocabulary “nope”"),
        ({"ids": "1", "vocabulary": "learned-bytes"}, 404, "vocabulary", "There is no vocabulary"),
        ({"ids": "1", "vocabulary": "llama-3"}, 503, "vocabulary", "could not be fetched"),
    ],
)
def test_a_problem_stands_beside_its_field_and_the_ids_stay(
    client: FlaskClient, form: dict[str, str], status: int, field: str, message: str
) -> None:
    answer = client.post("/decode", data={"lang": "en", **form})
    assert answer.status_code == status
    page = Page(answer.text)
    assert field in page.invalid
    assert any(message in problem for problem in page.problems)
    assert form["ids"] in answer.text
    told = client.post("/decode.json", data={"lang": "en", **form})
    assert (told.status_code, told.mimetype) == (status, "application/problem+json")
    assert message in told.get_json()["detail"]


@pytest.mark.parametrize("page", ["0", "x", "9", "٣", "1" * 30])
def test_a_page_that_does_not_exist_is_not_found(client: FlaskClient, page: str) -> None:
    assert client.get("/decode", query_string={"ids": "1 2", "page": page}).status_code == 404


def test_the_exports_have_every_token(client: FlaskClient) -> None:
    told = client.get("/decode.json", query_string={"ids": str(IDS)})
    assert told.headers["Content-Disposition"] == "attachment; filename=decoded.json"
    answer = told.get_json()
    assert (answer["vocabulary"], answer["text"]) == ("bpe-bytes", DRAGON)
    assert [token["id"] for token in answer["tokens"]] == IDS
    assert "".join(token["streamed"] for token in answer["tokens"]) == DRAGON
    assert bytes.fromhex("".join(token["bytes"] for token in answer["tokens"])).decode() == DRAGON
    table = client.get("/decode.csv", query_string={"ids": str(IDS)})
    rows = list(csv.DictReader(io.StringIO(table.text.removeprefix("\ufeff"))))
    assert [int(row["id"]) for row in rows] == IDS


def test_a_result_leads_to_its_ids_and_back(client: FlaskClient) -> None:
    result = client.get("/", query_string={"algorithm": "bpe", "text": DRAGON, "lang": "en"}).text
    (address,) = re.findall(r'<a class="btn bare" href="(/decode\?[^"]+)">', result)
    page = client.get(html.unescape(address)).text
    assert f"<b>{len(IDS)}</b> tokens" in page
    (back,) = re.findall(r'<a class="btn" href="(/\?[^"]+)">', page)
    assert Page(client.get(html.unescape(back)).text).ids == IDS


def test_each_id_leads_to_the_page_of_its_token(client: FlaskClient) -> None:
    page = shown(client, ids="97 31999")
    for id in ("97", "31999"):
        assert f'<a href="/vocabularies/bpe-bytes/tokens/{id}">{id}</a>' in page
        assert client.get(f"/vocabularies/bpe-bytes/tokens/{id}").status_code == 200


def test_a_long_result_sends_its_text(client: FlaskClient) -> None:
    text = DRAGON * 500
    result = client.post("/", data={"algorithm": "bpe", "text": text, "lang": "en"}).text
    assert 'formaction="/decode" class="btn bare"' in result
    answer = client.post("/decode", data={"algorithm": "bpe", "vocabulary": "bpe-bytes", "text": text, "lang": "en"})
    assert answer.status_code == 200
    assert f"<b>{len(shipped_tokenizer('bpe-bytes').ids(text)):,}</b> tokens" in answer.text
    much = client.post("/decode", data={"algorithm": "bpe", "text": "~ " * 100_000, "lang": "en"})
    assert much.status_code == 413
    assert "the limit here is 100,000 ids" in much.text
    wrong = client.post("/decode", data={"algorithm": "nothing", "text": "a"})
    assert wrong.status_code == 404


@pytest.mark.parametrize(
    "choices",
    [
        {"vocabulary": "learned-bytes"},
        {"algorithm": "fmm", "edits": "研究生命 5"},
        {"vocabulary": "unigram", "algorithm": "unigram", "added": "研究"},
    ],
)
def test_a_result_of_the_visitors_own_words_has_no_link(client: FlaskClient, choices: dict[str, str]) -> None:
    query = {"algorithm": "bpe", "text": "研究生命", **choices}
    assert 'href="/decode?' not in client.get("/", query_string=query).text
    assert client.post("/decode", data=query).status_code == 422


def test_a_hundred_thousand_ids_take_a_moment(client: FlaskClient) -> None:
    ids = " ".join(map(str, (IDS * 20_000)[:100_000]))
    began = time.process_time()
    answer = client.post("/decode", data={"ids": ids})
    assert answer.status_code == 200
    assert time.process_time() - began < 8  # about 1.2 s
