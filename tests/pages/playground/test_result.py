"""The result of the playground: messages beside fields, what stands under the tokens, the details of a token."""

from __future__ import annotations

import io
import re

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, Page, Read
from webapp.vocabularies.fetching import Fetcher, FetchError
from webapp.vocabularies.wellknown import WellKnown

# --- messages beside fields

TRAINED = {"algorithm": "bpe", "vocabulary": "learned-bytes"}
OWN = {"algorithm": "fmm", "vocabulary": "own-dictionary"}
WRONG = [
    ("text", {"text": "x" * 1_048_577}, "The text has 1,048,577 bytes"),
    ("size", {**TRAINED, "text": "low", "size": "501"}, "Choose a number from 0 to 500."),
    ("size", {**TRAINED, "text": "low", "size": "some"}, "“some” is not a whole number."),
    ("corpus", {**TRAINED, "text": "low", "corpus": "x" * 204_801}, "The training text has 204,801 bytes"),
    ("dictionary", {**OWN, "text": "low", "dictionary": "a 1 n more"}, "Line 1 of the dictionary: 4 fields"),
]


@pytest.mark.parametrize(("field", "form", "message"), WRONG, ids=[f"{field}-{text[:20]}" for field, _, text in WRONG])
def test_a_message_stands_in_the_result_and_beside_its_field(
    client: FlaskClient, field: str, form: dict[str, str], message: str
) -> None:
    page = Page(client.post("/", data=form, follow_redirects=True).text)
    assert list(page.errors) == page.invalid == [field]
    assert message in page.errors[field]
    assert page.problems == [page.errors[field]]
    assert page.figures is None


@pytest.mark.parametrize(("field", "form", "message"), WRONG, ids=[f"{field}-{text[:20]}" for field, _, text in WRONG])
def test_for_htmx_a_message_names_its_field(
    client: FlaskClient, field: str, form: dict[str, str], message: str
) -> None:
    part = client.post("/", data=form, headers=HTMX).text
    assert f'role="alert" data-field="{field}"' in part
    assert message in Page(part).problems[0]


def test_a_wrong_vocabulary_has_its_message_beside_the_list(show: Read) -> None:
    page = show("low", vocabulary="klingon", status=404)
    assert "There is no vocabulary “klingon”" in page.errors["vocabulary"]


def test_a_wrong_number_stays_in_its_field(client: FlaskClient) -> None:
    for size in ("501", "-3", "some"):
        assert f'value="{size}" aria-invalid="true" aria-describedby="size-error"' in client.get(
            "/", query_string={**TRAINED, "text": "low", "size": size, "lang": "en"}
        ).text.replace("\n", " ")


def test_a_wrong_file_has_its_message_beside_the_text(client: FlaskClient) -> None:
    page = Page(client.post("/", data={"text": "kept", "file": (io.BytesIO(b"\xff\xfe"), "latin.txt")}).text)
    assert page.invalid == ["text"]
    assert "“latin.txt”" in page.errors["text"]
    assert page.box == "\nkept"


def test_a_good_form_has_no_messages(show: Read) -> None:
    page = show("low", size=5, **TRAINED)
    assert (page.errors, page.invalid, page.problems) == ({}, [], [])


# --- what stands under the tokens


def under(page: Page) -> list[str | None]:
    return [attributes.get("data-u") for _text, _classes, attributes in page.tokens]


def view_of(html: str) -> str | None:
    """Return the pressed button; None if there are no buttons."""
    found = re.search(r'name="view" value="(\w+)" aria-pressed="true"', html)
    return found and found[1]


def test_a_short_text_shows_ids_under_its_tokens(client: FlaskClient) -> None:
    html = client.get("/?text=hello+world").text
    page = Page(html)
    assert under(page) == list(map(str, page.ids))
    assert view_of(html) == "ids"


@pytest.mark.parametrize("text", ["x " * 200, "السلام عليكم", "नमस्ते"], ids=["long", "Arabic", "Devanagari"])
def test_a_longer_text_or_joined_letters_show_tokens_alone(client: FlaskClient, text: str) -> None:
    html = client.get("/", query_string={"text": text}).text
    assert set(under(Page(html))) == {None}
    assert view_of(html) == "tokens"
    chosen = client.get("/", query_string={"text": text, "view": "ids"}).text
    assert under(Page(chosen)) == list(map(str, Page(chosen).ids))


def test_the_address_chooses_the_view(client: FlaskClient) -> None:
    html = client.get("/?text=h%C3%A9llo&view=bytes").text
    page = Page(html)
    assert bytes.fromhex(" ".join(filter(None, under(page)))) == "héllo".encode()
    assert view_of(html) == "bytes"
    html = client.get("/?text=hello&view=tokens").text
    assert (set(under(Page(html))), view_of(html)) == ({None}, "tokens")
    assert view_of(client.get("/?text=hello&view=nonsense").text) == "ids"


def test_a_result_of_many_tokens_has_no_views(client: FlaskClient) -> None:
    html = client.get("/", query_string={"text": "a b " * 300, "view": "bytes"}).text
    assert set(under(Page(html))) == {None}
    assert view_of(html) is None
    assert "The ids are below the tokens." in html


def test_without_scripts_a_view_has_an_address(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": "hello", "view": "bytes"})
    assert (answer.status_code, answer.location) == (303, "/?algorithm=bpe&view=bytes&text=hello")
    # The button stands before the hidden field with the current view.
    html = client.get(answer.location).text
    assert html.index('name="view" value="tokens"') < html.index('<input type="hidden" id="view"')
    assert 'id="view" name="view" form="playground" value="bytes">' in html
    assert (
        client.post("/", data={"text": "hello", "view": ["tokens", "bytes"]}).location
        == "/?algorithm=bpe&view=tokens&text=hello"
    )
    assert "view" not in client.post("/", data={"text": "hello", "view": ""}).location


def test_the_view_is_kept_while_typing_and_in_the_addresses_of_tokens(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": "hello", "view": "bytes"}, headers=HTMX)
    assert answer.headers["HX-Replace-Url"] == "/?algorithm=bpe&view=bytes&text=hello"
    assert view_of(answer.text) == "bytes"
    assert "view=bytes&amp;text=hello&amp;token=0#result" in answer.text
    # A problem has no views, but its page keeps the choice for the next result.
    page = client.get("/", query_string={"text": "low", "view": "bytes", "size": "501", **TRAINED})
    assert 'id="view" name="view" form="playground" value="bytes">' in page.text


@pytest.mark.parametrize("view", ["tokens", "ids", "bytes"])
def test_a_view_changes_neither_tokens_nor_ids(client: FlaskClient, view: str) -> None:
    text = "Unbelievable 研究生\n\nnaïve 👍🏽  é"
    page = Page(client.get("/", query_string={"text": text, "view": view}).text)
    plain = Page(client.get("/", query_string={"text": text, "view": "tokens"}).text)
    assert page.ids == plain.ids
    assert len(page.tokens) == len(plain.tokens)
    assert "".join(page.pieces).replace("↵", "") == text.replace("\n", "") or view == "tokens"


# --- the details of a token


def buttons(html: str) -> dict[str, tuple[str, bool]]:
    """Return the token that each button of the details leads to, and whether it is disabled, by its name."""
    found = re.findall(r'name="token" value="(-?\d*)" class="[^"]*" aria-label="([^"]+)"[^>]*?( disabled)?>', html)
    return {name: (token, bool(disabled)) for token, name, disabled in found}


def test_the_details_lead_to_the_neighbours_and_close(client: FlaskClient) -> None:
    one, last = "Previous token", "Next token"
    for index, expected in enumerate([(True, False), (False, False), (False, True)]):
        html = client.get(f"/?text=low+lower+now&token={index}&lang=en").text
        assert f"Token {index + 1} of 3" in html
        shown = buttons(html)
        assert (shown[one], shown[last]) == ((str(index - 1), expected[0]), (str(index + 1), expected[1]))
        assert shown["Close"] == ("", False)


def test_without_scripts_the_buttons_of_the_details_lead_to_addresses(client: FlaskClient) -> None:
    # The button that is pressed stands before the field with the current token's number.
    html = client.get("/?text=hello+world&token=0").text
    assert html.index('aria-label="Next token"') < html.index('id="token"')
    form = {"text": "hello world", "view": ""}
    assert (
        client.post("/token", data={**form, "token": ["1", "0"]}).location == "/?algorithm=bpe&token=1&text=hello+world"
    )
    closed = client.post("/token", data={**form, "token": ["", "0"]})
    assert closed.status_code == 303
    assert "token" not in closed.location


def test_without_a_token_the_details_compare_the_algorithms(client: FlaskClient) -> None:
    for data in ({"token": ""}, {}):
        part = client.post("/token", data={"text": "hello world", **data}, headers=HTMX)
        assert part.status_code == 200
        assert "The same text, other tokenizers" in part.text
        assert not buttons(part.text)
        assert not Page(part.text).problems
        assert "token" not in part.headers["HX-Replace-Url"]


ROW = re.compile(r"<(?:a|div)([^>]*)><span>([^<]+)</span>(.*?)<b>(\d+)</b>")
SUBWORDS = ["GPT-4o", "GPT-4", "GPT-2", "WordPiece", "Unigram"]
WORDS = ["FMM", "BMM", "Bidirectional", "Max probability", "N-gram"]
CHINESE = "研究生命科学的人研究生命的起源"


def others(client: FlaskClient, **query: str) -> dict[str, tuple[int, str, str]]:
    """Return the tokens, the attributes and the bar of each row of the panel, by its name."""
    html = client.get("/", query_string={"lang": "en", **query}).text
    panel = html[html.index('<div class="bars others">') :]
    return {name: (int(count), row, bar) for row, name, bar, count in ROW.findall(panel)}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"text": "hello world", "vocabulary": "o200k_base"}, SUBWORDS),
        ({"text": "hello world", "algorithm": "wordpiece"}, SUBWORDS),
        ({"text": "hello world", "vocabulary": "bpe-characters"}, ["Demo: BPE with &lt;/w&gt;, 32k", *SUBWORDS]),
        ({"text": "hello world", "algorithm": "fmm"}, ["FMM", *SUBWORDS]),
        ({"text": "hello 世界", "vocabulary": "o200k_base"}, SUBWORDS),
        ({"text": CHINESE, "vocabulary": "o200k_base"}, SUBWORDS + WORDS),
        ({"text": f"GPT {CHINESE}", "algorithm": "ngram"}, SUBWORDS + WORDS),
        ({"text": CHINESE, "algorithm": "bpe", "inference": "fewest"}, ["Fewest tokens", *SUBWORDS, *WORDS]),
    ],
)
def test_a_text_stands_beside_tokenizers_of_its_kind(
    client: FlaskClient, query: dict[str, str], names: list[str]
) -> None:
    rows = others(client, **query)
    assert list(rows) == names
    assert sum("aria-current=true" in row for _count, row, _bar in rows.values()) == 1


@pytest.mark.parametrize(
    "query",
    [
        {"text": "hello world", "view": "bytes", "special": "1"},
        {"text": CHINESE, "algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "研究生\n生命科学\n起源"},
        {"text": CHINESE, "algorithm": "bmm", "edits": "-研究生"},
    ],
)
def test_the_rows_have_the_counts_of_the_results_they_lead_to(client: FlaskClient, query: dict[str, str]) -> None:
    rows = others(client, **query)
    for name, (count, row, _bar) in rows.items():
        address = re.search('href="([^"]+)"', row)
        if address is None:  # the result itself, of another vocabulary
            continue
        page = Page(client.get(address[1].replace("&amp;", "&")).text)
        assert page.figures == count, name
        assert not page.problems


def test_a_visitors_dictionary_and_its_changes_apply_to_every_method(client: FlaskClient) -> None:
    own = {"text": "南京市长江大桥", "vocabulary": "own-dictionary", "dictionary": "南京市\n长江大桥"}
    rows = others(client, algorithm="fmm", **own)
    assert {name: rows[name][0] for name in WORDS[:4]} == dict.fromkeys(WORDS[:4], 2)
    changed = others(client, algorithm="fmm", edits="南京市长江大桥", text="南京市长江大桥")
    assert {name: changed[name][0] for name in WORDS[:3]} == dict.fromkeys(WORDS[:3], 1)
    html = client.get("/", query_string={"algorithm": "fmm", "lang": "en", **own}).text
    assert "the dictionary methods use your dictionary." in html
    assert "the dictionary methods use jieba’s dictionary." in client.get(f"/?text={CHINESE}&lang=en").text


def test_a_row_says_that_most_of_the_text_is_unknown_to_it(client: FlaskClient) -> None:
    for text, unknown in (("ᚠᚢᚦᚨᚱᚲ ᛖᛋᛏ", {"WordPiece", "Unigram"}), ("hello ᚠ", set())):
        rows = others(client, text=text)
        assert {name for name, (_count, _row, bar) in rows.items() if "mostly unknown" in bar} == unknown
        assert {name for name, (_count, row, _bar) in rows.items() if "class=faint" in row} == unknown
        assert all("<svg" in bar for name, (_count, _row, bar) in rows.items() if name not in unknown)


# --- a vocabulary that is not there

ELSEWHERE = {"text": "kept text", "algorithm": "wordpiece", "vocabulary": "bert-base-cased"}


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
    assert (page.invalid, page.errors) == ([], {})
    actions = re.findall(r'<button[^>]* class="btn[^"]*"[^>]*>([^<]+)</button>', answer.text.partition('"trouble"')[2])
    assert actions[:3] == ["Try again", "Upload", "Use GPT-4o’s"]
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
