"""The comparison page: choosing, moving and failing rows; figures; its JSON; its limits."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, Page
from webapp.storage import UnavailableStorageError
from webapp.vocabularies.library import Library
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

TEXT = "Unbelievably low\n研究生命科学"
SAME = ["bpe:bpe-bytes", "bpe:bpe-characters", "wordpiece:wordpiece", "unigram:unigram"]
TWO = ["bpe:bpe-bytes", "unigram:unigram"]


def rows(address: str) -> list[str]:
    """Return the tokenizers named in an address."""
    return [value for name, value in parse_qsl(urlsplit(address).query) if name == "with"]


def drawing_of(html: str) -> str:
    """Return the HTML of the drawing alone."""
    start = html.index('id="aligned"')
    return html[start : html.index('id="summary"', start)]


def test_the_figures_equal_the_output_of_the_tokenizers(client: FlaskClient) -> None:
    twin = client.get("/compare", query_string={"text": TEXT, "with": SAME, "format": "json"}).get_json()
    assert twin["text"] == TEXT
    for row, written in zip(twin["rows"], SAME, strict=True):
        encoding = shipped_tokenizer(row["vocabulary"]).encode(TEXT)
        assert f"{row['algorithm']}:{row['vocabulary']}" == written
        assert row["ids"] == list(encoding.ids)
    each = [set(row["boundaries"]) for row in twin["rows"]]
    assert set(twin["agreed"]) == set.intersection(*each)
    assert set(twin["disputed"]) == set.union(*each) - set.intersection(*each)
    assert twin["shared_boundaries"] == [[len(one & other) for other in each] for one in each]


@pytest.mark.parametrize(
    ("kind", "mimetype", "begins"),
    [("svg", "image/svg+xml", b"<svg"), ("png", "image/png", b"\x89PNG"), ("txt", "text/plain", b"1 BPE")],
)
def test_a_comparison_is_exported_as_a_file(client: FlaskClient, kind: str, mimetype: str, begins: bytes) -> None:
    form = {"text": TEXT, "with": SAME}
    for answer in (
        client.get(f"/compare/tokens.{kind}", query_string=form),
        client.post(f"/compare/tokens.{kind}?colours=dark", data=form),
    ):
        assert (answer.status_code, answer.mimetype) == (200, mimetype)
        assert answer.data.startswith(begins)
        assert answer.headers["Content-Disposition"] == f"attachment; filename=comparison.{kind}"


def test_the_export_of_a_text_too_long_for_an_address_is_a_button(client: FlaskClient) -> None:
    page = client.post("/compare", data={"text": "low " * 3_000, "with": TWO}).text
    assert 'formaction="/compare/tokens.png?colours=dark" data-whole-page' in page
    assert client.get("/compare/tokens.json", query_string={"text": TEXT, "with": TWO}).get_json()["text"] == TEXT
    assert client.get("/compare/tokens.exe", query_string={"text": TEXT, "with": TWO}).status_code == 404
    for path in ("/compare", "/compare/tokens.svg"):  # no row can be shown
        assert client.get(path, query_string={"text": TEXT, "with": ["bpe:no", "bpe:nope"]}).status_code == 404


@pytest.mark.parametrize(
    ("pressed", "expected"),
    [
        ({"up": "3"}, [SAME[0], SAME[2], SAME[1], SAME[3]]),
        ({"down": "1"}, [SAME[1], SAME[0], SAME[2], SAME[3]]),
        ({"down": "4"}, SAME),
        ({"remove": "2"}, [SAME[0], SAME[2], SAME[3]]),
        ({"remove": "x"}, SAME),
        ({"add": "fmm:jieba"}, [*SAME, "fmm:jieba"]),
        ({"preset": "directions"}, ["fmm:jieba", "bmm:jieba", "bidirectional:jieba", "max-probability:jieba"]),
    ],
)
def test_buttons_change_the_rows_in_the_address(
    client: FlaskClient, pressed: dict[str, str], expected: list[str]
) -> None:
    answer = client.post("/compare", data={"text": TEXT, "with": SAME, **pressed})
    assert answer.status_code == 303
    assert rows(answer.location) == expected
    partial = client.post("/compare", data={"text": TEXT, "with": SAME, **pressed}, headers=HTMX)
    assert rows(partial.headers["HX-Replace-Url"]) == expected
    assert "<html" not in partial.text


@pytest.mark.parametrize(
    ("chosen", "pressed", "message"),
    [
        (TWO, {"remove": "1"}, "at least two tokenizers"),
        (SAME + TWO, {"add": "fmm:jieba"}, "at most six tokenizers"),
        (TWO[:1], {}, "Choose at least two"),
    ],
)
def test_fewer_than_two_or_more_than_six_rows_are_refused(
    client: FlaskClient, chosen: list[str], pressed: dict[str, str], message: str
) -> None:
    answer = client.post("/compare", data={"text": TEXT, "with": chosen, **pressed})
    assert answer.status_code == 422
    assert message in answer.text
    assert "Figures" in answer.text  # valid rows are still shown
    assert Page(answer.text).box == "\n" + TEXT


@pytest.mark.parametrize(
    ("row", "fields", "message"),
    [
        ("bpe:nope", {}, "There is no vocabulary “bpe:nope”"),
        ("zzz", {}, "There is no vocabulary “zzz”"),
        ("bpe:phi-4", {}, "could not be fetched"),
        ("fmm:own-dictionary", {"dictionary": "a b c d e"}, "Line 1 of the dictionary"),
        ("unigram:learned-unigram", {"size": "3"}, "Choose a number from"),
    ],
)
def test_one_row_fails_and_the_others_are_shown(
    client: FlaskClient, row: str, fields: dict[str, str], message: str
) -> None:
    chosen = [TWO[0], row, TWO[1]]
    answer = client.get("/compare", query_string={"text": TEXT, "with": chosen, **fields})
    assert answer.status_code == 200
    assert message in " ".join(Page(answer.text).problems)
    assert set(re.findall('<span class="no">(.)</span>', drawing_of(answer.text))) == {"1", "3"}
    assert f'value="{row}" selected' in answer.text  # nothing is lost
    twin = client.get("/compare", query_string={"text": TEXT, "with": chosen, "format": "json", **fields}).get_json()
    assert message in twin["rows"][1]["error"]["detail"]
    assert "ids" in twin["rows"][0]
    assert len(twin["shared_boundaries"]) == 2


def test_an_unreachable_database_affects_only_its_own_rows(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Library.find

    def find(self: Library, name: str) -> object:
        if name.startswith("upload-"):
            raise UnavailableStorageError("locked", "away")
        return known(self, name)

    monkeypatch.setattr(Library, "find", find)
    page = client.get("/compare", query_string={"text": TEXT, "with": [*TWO, "bpe:upload-0123456789abcdef"]}).text
    assert "storage cannot be reached" in page
    assert "Figures" in page


def test_the_page_waits_for_a_vocabulary_being_fetched(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.vocabularies.fetching.Fetcher.result", lambda self, known, seconds: None)
    monkeypatch.setattr("webapp.vocabularies.fetching.Fetcher.start", lambda self, known: None)
    chosen = {"text": TEXT, "with": ["bpe:phi-4", "bpe:llama-3", "unigram:unigram"]}
    answer = client.get("/compare", query_string=chosen)
    assert answer.status_code == 200
    assert answer.text.count("is being downloaded from its publisher") == 2
    assert 'hx-trigger="load delay:1s"' in answer.text
    assert client.get("/compare", query_string={**chosen, "with": chosen["with"][:2]}).status_code == 202
    twin = client.get("/compare", query_string={**chosen, "format": "json"})
    assert (twin.status_code, twin.mimetype) == (503, "application/problem+json")
    assert twin.headers["Retry-After"]


def test_a_long_text_is_drawn_in_part_and_counted_in_full(client: FlaskClient) -> None:
    text = "however little known " * 5_000
    answer = client.post("/compare", data={"text": text, "with": TWO})
    assert answer.status_code == 200
    assert len(drawing_of(answer.text)) < 1_000_000
    assert "The first 11,9" in answer.text
    assert "too long for the page" in answer.text
    assert f"{len(shipped_tokenizer('bpe-bytes').ids(text)):,}" in answer.text


def test_options_apply_to_the_rows_that_use_them(client: FlaskClient) -> None:
    fields = {"text": "LOW a1b2", "with": ["wordpiece:wordpiece", "fmm:jieba"], "lowercase": "1", "runs": "0"}
    twin = client.get("/compare", query_string={**fields, "format": "json"}).get_json()
    assert twin["options"] == {"runs": False, "lowercase": True}
    assert twin["rows"][0]["ids"] == list(shipped_tokenizer("wordpiece", lowercase=True).ids("LOW a1b2"))
    assert len(twin["rows"][1]["ids"]) == 8
    moved = client.post("/compare", data={**fields, "down": "1"}).location
    assert "lowercase=1" in moved
    assert "runs=0" in moved
    own = {"text": "研究生命", "with": ["fmm:own-dictionary", "bmm:own-dictionary"], "dictionary": "研究生\n生命\n研究"}
    twin = client.get("/compare", query_string={**own, "format": "json"}).get_json()
    assert [row["pieces"] for row in twin["rows"]] == [["研究生", "命"], ["研究", "生命"]]


def test_the_playground_links_to_a_comparison_of_its_text(client: FlaskClient) -> None:
    page = client.get("/", query_string={"text": TEXT, "algorithm": "fmm"}).text
    link = re.search(r'class="btn" href="(/compare\?[^"]+)"', page)
    assert link is not None
    answer = client.get(link[1].replace("&amp;", "&"))
    assert answer.status_code == 302
    assert rows(answer.location)[:2] == ["fmm:jieba", "bmm:jieba"]
    assert dict(parse_qsl(answer.location))["text"] == TEXT
    long = {"text": "low " * 2_000, "algorithm": "unigram", "vocabulary": ["jieba", "unigram"]}
    assert 'formaction="/compare"' in client.post("/", data=long).text
    assert 'value="unigram:unigram" selected' in client.post("/compare", data=long).text


@pytest.mark.parametrize("text", ["<script>alert(1)</script>a\x00b\u202ec مرحبا", "\ud800"])
def test_any_text_is_shown_as_text(client: FlaskClient, text: str) -> None:
    data = {"text": text.encode("utf-8", "surrogatepass"), "with": [*SAME, "fmm:jieba"]}
    page = client.post("/compare", data=data, headers=HTMX)
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "\x00" not in page.text
    assert "\u202e" not in drawing_of(page.text)


def test_a_long_text_is_not_measured_while_typing(client: FlaskClient) -> None:
    short = client.get("/compare", query_string={"with": TWO, "text": TEXT, "lang": "en"}).text
    assert 'href="/measures#fertility"' in short[short.index("measures-block") :]
    long = client.post("/compare?lang=en", data={"with": TWO, "text": "low " * 30_000}).text
    assert "too long to be measured as you type" in long


def test_texts_have_the_limits_of_the_playground(client: FlaskClient) -> None:
    text = "low " * 300_000
    answer = client.post("/compare", data={"text": text, "with": TWO})
    assert answer.status_code == 413
    assert "1,048,576" in answer.text
    assert "low low" in (Page(answer.text).box or "")


def test_words_are_not_called_tokens(client: FlaskClient) -> None:
    def counted(*rows: str) -> str:
        page = client.get("/compare", query_string={"lang": "en", "text": "李小福研究生命", "with": rows}).text
        return re.search(r'<p class="count"><b>[^<]+</b> ([^<]+)</p>', page)[1]  # type: ignore[index]

    assert counted("fmm:jieba", "bmm:jieba") == "words"
    assert counted("fmm:jieba", "bpe:o200k_base") == "words or tokens"
    assert counted("bpe:cl100k_base", "bpe:o200k_base") == "tokens"
    page = client.get("/compare", query_string={"text": "李小福", "with": ["bpe:o200k_base", "fmm:jieba"]}).text
    assert 'class="gloss w2"' in page


def test_unknown_text_is_not_the_fewest(client: FlaskClient) -> None:
    rows = ["wordpiece:wordpiece", "bpe:o200k_base", "bpe:bpe-bytes"]
    page = client.get("/compare", query_string={"text": "ꙮꙮꙮ 👩‍🚀👩‍🚀👩‍🚀", "with": rows}).text
    counts = [(int(count), bool(best)) for best, count in re.findall(r"<b( class=best)?>(\d+)</b>", page)][:3]
    assert counts[0][0] < min(count for count, _ in counts[1:])  # WordPiece: unknown tokens
    assert [best for _, best in counts].count(True) == 1
    assert not counts[0][1]
