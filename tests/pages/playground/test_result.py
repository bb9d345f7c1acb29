"""The result of the playground: messages, views, details, the choice of its vocabulary, and what decoding changes."""

import re
from html import unescape
from itertools import pairwise

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from tests.pages.playground.test_uploads import query_of
from tests.site import HTMX, Page
from webapp.core.analysis.frequencies import ranked, thinned
from webapp.vocabularies.fetching import Fetcher, FetchError
from webapp.vocabularies.wellknown import WellKnown

# --- messages beside fields

TRAINED = {"algorithm": "bpe", "vocabulary": "learned-bytes"}
OWN = {"algorithm": "fmm", "vocabulary": "own-dictionary"}
DROPOUT = {"text": "low", "inference": "dropout"}
PROBABLE = {"text": "low", "algorithm": "max-probability"}
WRONG = [
    ("text", {"text": "x" * 1_048_577}, "The text has 1,048,577 bytes; the limit is 1,048,576."),
    ("size", {**TRAINED, "text": "low", "size": "501"}, "Choose a number from 0 to 500."),
    ("size", {**TRAINED, "text": "low", "size": "some"}, "“some” is not a whole number."),
    ("corpus", {**TRAINED, "text": "low", "corpus": "x" * 204_801}, "The training text has 204,801 bytes"),
    ("dictionary", {**OWN, "text": "low", "dictionary": "a 1 n more"}, "Line 1 of the dictionary: 4 fields"),
    ("model", {"text": "low", "model": "gpt4o"}, "There is no model “gpt4o” in the list. Similar: gpt-4o"),
    ("model", {"text": "low", "model": "claude-opus-5"}, "The tokenizer of Claude Opus 5 is not public, so its tokens"),
    ("added", {"text": "low", "added": "a\n" + "é" * 65}, "Line 2 has 65 characters; a token may have 64."),
    ("added", {"text": "low", "added": "\n".join(map(str, range(101)))}, "101 tokens; at most 100 can be added."),
    ("inference", {**DROPOUT, "inference": "best"}, "There is no inference “best”"),
    ("dropout", {**DROPOUT, "dropout": "nan"}, "Choose a number from 0 to 1."),
    ("alpha", {**DROPOUT, "alpha": "0"}, "Choose a number from 0.01 to 10."),
    ("seed", {**DROPOUT, "seed": "-1"}, "Choose a number from 0 to 2147483648."),
    ("mode", {**PROBABLE, "mode": "fast"}, "“fast” is not a value of “Words listed”. Use one of these: "),
]
NUMBERS = ("size", "dropout", "alpha", "seed")


@pytest.mark.parametrize(("field", "form", "message"), WRONG, ids=[f"{field}-{text[:20]}" for field, _, text in WRONG])
def test_a_message_stands_once_in_the_result_and_describes_its_field(
    client: FlaskClient, field: str, form: dict[str, str], message: str
) -> None:
    answer = client.post("/", data=form, follow_redirects=True)
    html, page = answer.text, Page(answer.text)
    assert answer.status_code == (413 if field in ("text", "corpus") else 422)
    assert page.errors == {}
    assert page.invalid in ([field], [""])  # by its id, which fields in a row do not have
    assert len(page.problems) == 1
    assert message in page.problems[0]
    assert html.count(f'id="{field}-error" data-field="{field}"') == html.count(f'describedby="{field}-error"') == 1
    assert page.figures is None
    assert page.box is None or page.box.strip() == form["text"]
    if field in NUMBERS:
        wrong = f'value="{form[field]}" aria-invalid="true" aria-describedby="{field}-error"'
        assert wrong in html.replace("\n", " "), "it stays in its field"
    part = client.post("/", data=form, headers=HTMX)
    assert part.headers["HX-Retarget"] == "#trouble", "the last result stays"
    assert Page(part.text).problems == page.problems


# --- what stands under the tokens


@pytest.mark.parametrize(
    ("text", "view", "chosen", "first"),
    [
        ("x " * 200, "", "tokens", None),
        ("السلام عليكم", "", "tokens", None),
        ("h", "nonsense", "ids", "104"),
        ("h", "bytes", "bytes", "68"),
        ("h", "tokens", "tokens", None),
    ],
)
def test_what_stands_under_the_tokens(
    client: FlaskClient, text: str, view: str, chosen: str, first: str | None
) -> None:
    given = {"algorithm": "bpe", "vocabulary": "learned-bytes", "size": "0", "text": text, "view": view}
    html = client.get("/", query_string=given).text
    pressed = re.findall(r'name="view" value="(\w+)" aria-pressed="true"', html)
    assert (pressed, Page(html).tokens[0][2].get("data-u")) == ([chosen], first)


# --- the details of a token


ROW = re.compile(r"<(?:a|div)([^>]*)><span>([^<]+)</span>(.*?)<b>(\d+)</b>")
MODELS = ["GPT-4o", "GPT-4", "GPT-2", "Mistral 7B v0.1"]
ENGLISH = [*MODELS, "BERT, cased", "T5, Flan-T5"]
CHINESE_SUBWORDS = [*MODELS, "BERT, Chinese", "Unigram"]
WORDS = ["FMM", "BMM", "Bidirectional", "Max probability", "N-gram", "Tagger"]
CHINESE = "研究生命科学的人研究生命的起源"


def others(client: FlaskClient, **query: str) -> dict[str, tuple[int, str, str]]:
    """Return the tokens, the attributes and the bar of each row of the panel, by its name."""
    html = client.get("/", query_string={"lang": "en", **query}).text
    panel = html[html.index('<div class="bars others">') :]
    return {name: (int(count), row, bar) for row, name, bar, count in ROW.findall(panel)}


@pytest.mark.parametrize(
    ("query", "names", "unknown"),
    [
        (
            {"text": "hello ᚠᚢᚦᚨᚱᚲᛖᛋᛏ", "view": "bytes", "special": "1"},
            ["Demo: byte-level BPE, 32k", *ENGLISH],
            ENGLISH[4:],
        ),
        ({"text": f"GPT {CHINESE}", "algorithm": "ngram"}, CHINESE_SUBWORDS + WORDS, ["BERT, Chinese"]),
        (
            {"text": CHINESE, "algorithm": "bpe", "inference": "fewest"},
            ["Fewest tokens", *CHINESE_SUBWORDS, *WORDS],
            [],
        ),
    ],
)
def test_a_text_stands_beside_tokenizers_of_its_kind(
    client: FlaskClient, query: dict[str, str], names: list[str], unknown: list[str]
) -> None:
    rows = others(client, **query)
    assert list(rows) == names
    assert sum("aria-current=true" in row for _count, row, _bar in rows.values()) == 1
    for name, (count, row, bar) in rows.items():
        assert ("% unknown" in bar) == ("class=faint" in row) == (name in unknown)
        if address := re.search('href="([^"]+)"', row):
            assert Page(client.get(unescape(address[1])).text).figures == count, name


def test_the_row_comes_with_a_request_of_its_own_while_typing(client: FlaskClient) -> None:
    form = {"text": CHINESE, "algorithm": "fmm"}
    part = client.post("/", data=form, headers=HTMX).text
    assert 'hx-post="/others"' in part
    assert "bars others" not in part
    row = client.post("/others", data=form, headers=HTMX)
    assert row.text.strip() in client.get("/", query_string=form).text
    assert "HX-Replace-Url" not in row.headers
    assert "bars others" in client.get("/others", query_string=form, follow_redirects=True).text
    assert "bars others" in client.post("/others", data=form, follow_redirects=True).text
    refused = client.post("/others", data={**form, "vocabulary": "nothing"}, headers=HTMX)
    assert refused.status_code == 404


def test_a_visitors_dictionary_and_its_changes_apply_to_every_method(client: FlaskClient) -> None:
    own = {"text": "南京市长江大桥", "vocabulary": "own-dictionary", "dictionary": "南京市\n长江大桥"}
    rows = others(client, algorithm="fmm", **own)
    assert {name: rows[name][0] for name in WORDS[:4]} == dict.fromkeys(WORDS[:4], 2)
    changed = others(client, algorithm="fmm", edits="南京市长江大桥", text="南京市长江大桥")
    assert {name: changed[name][0] for name in WORDS[:3]} == dict.fromkeys(WORDS[:3], 1)


# --- a vocabulary that is not there

ELSEWHERE = {"text": "kept text", "algorithm": "wordpiece", "vocabulary": "bert-base-uncased"}


def fail(fetcher: Fetcher, known: WellKnown, seconds: float = 0.0) -> None:
    raise FetchError("offline", host="example.org", name=known.name)


def test_a_vocabulary_that_cannot_be_fetched_is_told_once_with_what_to_do(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Fetcher, "start", lambda fetcher, known, again=False: None)
    monkeypatch.setattr(Fetcher, "result", fail)
    answer = client.get("/", query_string={**ELSEWHERE, "lang": "en"})
    page = Page(answer.text)
    assert answer.status_code == 503
    assert page.box == "\nkept text"
    assert answer.text.count("there is no connection to example.org") == 1
    assert 'name="pick" value="o200k_base"' in answer.text


@pytest.mark.parametrize("path", ["/", "/token"])
@pytest.mark.parametrize("is_late", [True, False])
def test_for_htmx_the_last_result_stays(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, path: str, is_late: bool
) -> None:
    monkeypatch.setattr(Fetcher, "start", lambda fetcher, known, again=False: None)
    monkeypatch.setattr(Fetcher, "result", (lambda fetcher, known, seconds=0.0: None) if is_late else fail)
    answer = client.post(path, data=ELSEWHERE, headers=HTMX)
    assert (answer.headers["HX-Retarget"], answer.headers["HX-Reselect"]) == ("#trouble", "#trouble > *")
    assert answer.text.count("from its publisher" if is_late else "could not be fetched") == 1
    assert '<div id="trouble"></div>' in client.post("/", data={"text": "low"}, headers=HTMX).text
    assert "HX-Retarget" not in client.post("/", data={"text": "low"}, headers=HTMX).headers


def test_trying_again_fetches_at_once(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[bool] = []
    monkeypatch.setattr(Fetcher, "start", lambda fetcher, known, again=False: tried.append(again))
    monkeypatch.setattr(Fetcher, "result", fail)
    client.post("/", data=ELSEWHERE, headers=HTMX)
    client.post("/", data={**ELSEWHERE, "retry": "1"}, headers=HTMX)
    assert tried == [False, True, False]
    client.post("/", data={"text": "low", "retry": "1"}, headers=HTMX)
    assert tried == [False, True, False]


# --- the picker of vocabularies


@pytest.mark.parametrize("name", ["upload-0000000000000000", "upload-../../etc/passwd", "upload-", "cl100k_base\0"])
def test_an_unknown_upload_is_404(client: FlaskClient, name: str) -> None:
    answer = client.get("/", query_string={"text": "hello", "vocabulary": name})
    assert answer.status_code == 404
    assert "There is no vocabulary" in Page(answer.text).problems[0]


def test_picking_a_vocabulary_selects_its_algorithm(client: FlaskClient) -> None:
    form = {"text": "hello", "algorithm": "bpe", "vocabulary": ["jieba", "bpe-bytes", "wordpiece"], "pick": "unigram"}
    assert query_of(client.post("/", data=form))["algorithm"] == "unigram"
    form["pick"] = "jieba"
    assert query_of(client.post("/", data=form | {"algorithm": "bmm"}))["algorithm"] == "bmm"


def test_searching_without_javascript(client: FlaskClient) -> None:
    for find, found in (("GPT 4", True), ("zzzz", False)):
        answer = client.post("/", data={"text": "hello", "find": find, "search": "1"})
        page = client.get(answer.location).text
        assert '<div id="finder" class="panel" role="dialog"' in page, "it is open"
        for html in (page, client.get(f"/choices?find={find}").text):
            assert ('name="pick" value="cl100k_base"' in html) == found
            assert 'name="pick" value="bert-base-uncased"' not in html


# --- what decoding changes

BERT = {"algorithm": "wordpiece", "lowercase": "1", "lang": "en"}


def rows_of(page: str) -> list[str]:
    found = page[page.index('id="round-trip"') :]
    rows = found[: found.index("</ul>")].split("<li>\n      <div>")[1:]
    return [" ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]


def test_where_bert_loses_accents_is_answered_by_a_link(client: FlaskClient) -> None:
    page = client.get("/", query_string={**BERT, "text": "café café"}).text
    assert rows_of(page) == [
        "é → e U+00E9 LATIN SMALL LETTER E WITH ACUTE → U+0065 LATIN SMALL LETTER E "
        "Normalizer BertNormalizer strip_accents accents are removed × 2 offset 3 · 8"
    ]


def test_a_long_text_is_traced_at_its_beginning(client: FlaskClient) -> None:
    page = client.post("/", data={**BERT, "text": "É a " * 9_000}).text
    assert "These are the changes of the first 9,999 characters." in page
    assert "× 2,500" in page


TEXT = "the cat and the dog and the bird"
BPE = {"algorithm": "bpe", "text": TEXT}


@given(st.lists(st.integers(0, 2_000), min_size=1, max_size=4_000), st.integers(2, 60))
def test_ranks_count_every_token_and_thinning_keeps_first_and_last(ids: list[int], most: int) -> None:
    tokens = ranked(ids)
    assert sum(token.count for token in tokens) == len(ids)
    assert [token.rank for token in tokens] == list(range(1, len(set(ids)) + 1))
    assert all(before.count >= after.count for before, after in pairwise(tokens))
    kept = thinned(tokens, most)
    assert len(kept) <= most
    assert (kept[0], kept[-1]) == (tokens[0], tokens[-1])


def test_the_panel_has_an_address_a_table_and_a_json_twin(client: FlaskClient) -> None:
    assert 'id="frequencies"' not in client.get("/", query_string={"text": TEXT}).text
    assert ">·the</bdi>" in client.get("/frequencies", query_string=BPE, follow_redirects=True).text
    answer = client.get("/frequencies", query_string={**BPE, "format": "json"}).get_json()
    assert (answer["tokens"], answer["different"], answer["ranked"][0]["count"]) == (8, 6, 2)
    assert client.get("/frequencies.json", query_string=BPE).get_json() == answer
    moved = client.post("/frequencies", data=BPE)
    assert (moved.status_code, moved.location) == (307, "/?frequencies=1#frequencies")
    long = client.post("/", data={**BPE, "text": TEXT * 200, "frequencies": "1"}).text
    assert 'formaction="/frequencies?format=csv"' in long
    for path in ("/frequencies.svg?text=", "/frequencies.nope?text=a", "/frequencies?algorithm=nothing&text=a"):
        assert client.get(path, follow_redirects=True).status_code == 404


def test_a_short_text_shows_the_chart_of_books_and_words_are_called_words(client: FlaskClient) -> None:
    query = {"text": "研究生命的起源", "algorithm": "fmm", "vocabulary": "jieba", "frequencies": "1"}
    panel = client.get("/", query_string=query).text.partition('id="frequencies"')[2].partition("</table>")[0]
    assert "too short for a chart of its own" in panel
    assert "the slope is −1.05, fitted to the words" in panel
    assert ("Words by rank" in panel, ">Id<" in panel, " tokens" in panel) == (True, False, False)
    assert ">Id<" in client.get("/", query_string={**BPE, "frequencies": "1"}).text.partition('id="frequencies"')[2]


def test_chart_and_table_are_exported(client: FlaskClient) -> None:
    svg = client.get("/frequencies", query_string={**BPE, "format": "svg"})
    assert (svg.mimetype, svg.text.count("<circle")) == ("image/svg+xml", 6)
    assert client.get("/frequencies.png", query_string=BPE).data.startswith(b"\x89PNG")
    lines = client.get("/frequencies", query_string={**BPE, "format": "csv"}).text.splitlines()
    assert lines[0].endswith("rank,token,id,count,share")
    assert len(lines) == 1 + 6
    assert client.post("/frequencies?format=csv", data={**BPE, "text": TEXT * 200}).mimetype == "text/csv"
