"""The page that decodes ids: their text, the tokens with their bytes, both clients of a stream, and the exports."""

import html
import re
import time

import pytest
from flask.testing import FlaskClient

from tests.site import Page, rows_of, words
from webapp.vocabularies import shipped_tokenizer

DRAGON = "a 🐉!"
IDS = shipped_tokenizer("bpe-bytes").ids(DRAGON)


def shown(client: FlaskClient, **query: str) -> str:
    answer = client.get("/decode", query_string={"lang": "en", **query})
    assert answer.status_code == 200
    return answer.text


def table_of(page: str) -> list[list[str]]:
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    rows = re.findall(r"(?s)<tr.*?</tr>", body)
    return [[words(cell) for cell in re.findall(r"(?s)<td.*?</td>", row)] for row in rows]


def test_the_tokens_of_a_character_have_their_bytes_and_both_clients_of_a_stream(client: FlaskClient) -> None:
    for ids in (" ".join(map(str, IDS)), f'{{"input_ids": [{IDS}]}}', " ".join(map(hex, IDS))):
        assert re.search(r'class="sheet decoded pre"[^>]*>a 🐉!</div>', shown(client, ids=ids))
    page = shown(client, ids=str(IDS))
    parts = [(text, attributes["data-b"]) for text, classes, attributes in Page(page).tokens if "b" in classes]
    assert parts == [("🐉", "F0"), ("", "9F"), ("", "90"), ("", "89")]
    rows = table_of(page)
    assert [row[1] for row in rows] == [str(id) for id in IDS]
    first = next(index for index, row in enumerate(rows) if row[5] == "F0")
    needed = f"F0 needs 3 more bytes (90–BF 80–BF 80–BF). Token {first + 4} completes it."
    assert rows[first][3:] == ["�", "…", "F0", needed]
    assert rows[first + 3][3:] == ["�", "🐉", "89", ""]
    stream = page[page.index('id="stream"') : page.index('id="by-token"')]
    alone, waiting = re.findall(r'(?s)printed-text"[^>]*>(.*?)</div>', stream)
    assert alone.count('<b class="lost">�</b>') == 4
    assert waiting == DRAGON


def test_ids_that_end_or_break_inside_a_character(client: FlaskClient) -> None:
    at = IDS.index(next(id for id in IDS if shipped_tokenizer("bpe-bytes").model.pieces[id] == b"\xf0"))
    cut = shown(client, ids=str(IDS[: at + 2]))
    assert "The ids end inside a character: the bytes F0 9F are pending." in cut
    assert table_of(cut)[-1][6] == "F0 9F needs 2 more bytes (80–BF 80–BF). No token completes it."
    broken = table_of(shown(client, ids=str([*IDS[: at + 2], IDS[0]])))
    assert broken[-2][6].endswith(f"Token {at + 3} does not continue it.")
    assert broken[-1][4:] == ["� a", "61", "F0 9F is not valid UTF-8."]


def test_many_ids_have_pages_and_their_text_is_sent_to_the_playground(client: FlaskClient) -> None:
    long = client.post("/decode", data={"ids": "97 " * 1000, "vocabulary": "bpe-bytes", "lang": "en", "page": "3"})
    assert [row[0] for row in table_of(long.text)] == [str(number) for number in range(201, 301)]
    assert 'id="playground-form"' not in long.text  # 1,000 characters fit into an address
    longer = client.post("/decode", data={"ids": "97 " * 4000, "vocabulary": "bpe-bytes"}).text
    form = longer[longer.index('id="playground-form"') :]
    assert "a" * 4000 in form[: form.index("</form>")]


def test_the_exports_have_every_token(client: FlaskClient) -> None:
    answer = client.get("/decode.json", query_string={"ids": str(IDS)}).get_json()
    assert [token["id"] for token in answer["tokens"]] == IDS
    assert answer["text"] == DRAGON == "".join(token["streamed"] for token in answer["tokens"])
    assert bytes.fromhex("".join(token["bytes"] for token in answer["tokens"])).decode() == DRAGON
    table = client.get("/decode.csv", query_string={"ids": str(IDS)})
    assert [row[1] for row in rows_of(table)] == ["id", *map(str, IDS)]


def test_a_result_leads_to_its_ids_and_back(client: FlaskClient) -> None:
    result = client.get("/", query_string={"algorithm": "bpe", "text": DRAGON, "lang": "en"}).text
    (address,) = re.findall(r'<a class="btn bare" href="(/decode\?[^"]+)">', result)
    page = client.get(html.unescape(address)).text
    assert f"<b>{len(IDS)}</b> tokens" in page
    (back,) = re.findall(r'<a class="btn" href="(/\?[^"]+)">', page)
    assert Page(client.get(html.unescape(back)).text).ids == IDS


def test_a_long_result_sends_its_text(client: FlaskClient) -> None:
    text = DRAGON * 500
    result = client.post("/", data={"algorithm": "bpe", "text": text, "lang": "en"}).text
    assert 'formaction="/decode" class="btn bare"' in result
    answer = client.post("/decode", data={"algorithm": "bpe", "vocabulary": "bpe-bytes", "text": text, "lang": "en"})
    assert f"<b>{len(shipped_tokenizer('bpe-bytes').ids(text)):,}</b> tokens" in answer.text
    much = client.post("/decode", data={"algorithm": "bpe", "text": "~ " * 100_000, "lang": "en"})
    assert much.status_code == 413
    assert "the limit here is 100,000 ids" in much.text
    assert client.post("/decode", data={"algorithm": "nothing", "text": "a"}).status_code == 404


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
    assert client.post("/decode", data={"ids": ids}).status_code == 200
    assert time.process_time() - began < 8  # about 1.2 s
