"""The result of the playground: messages beside fields, what stands under the tokens, the details of a token."""

from __future__ import annotations

import io
import re

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, Page, Read

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


def test_the_other_tokenizers_lead_to_their_results(client: FlaskClient) -> None:
    html = client.get("/?text=hello+world&view=bytes&lang=en").text
    bars = re.findall(r'<a href="([^"]+)" data-algorithm="([\w-]+)"[^>]*><span>([^<]+)</span>.*?<b>(\d+)</b>', html)
    assert [name for _, _, name, _ in bars] == [
        "FMM",
        "BMM",
        "Bidirectional",
        "Max probability",
        "N-gram",
        "BPE",
        "WordPiece",
        "Unigram",
    ]
    for address, algorithm, _name, count in bars:
        page = Page(client.get(address.replace("&amp;", "&")).text)
        assert page.figures == int(count), algorithm
        assert f"algorithm={algorithm}" in address
        assert "view=bytes" in address
    assert re.search(r'data-algorithm="bpe"[^>]* aria-current=true', html)


def test_a_vocabulary_without_a_bar_has_its_own(client: FlaskClient) -> None:
    html = client.get("/?text=hello+world&algorithm=bpe&vocabulary=bpe-characters&lang=en").text
    first = re.search(r'<div class="bars">\s*<div aria-current=true><span>([^<]+)</span>', html)
    assert first is not None
    assert html.count("aria-current=true><span>") == 1
