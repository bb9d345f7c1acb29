"""What a visitor of the playground sees, without a browser: addresses, forms and htmx responses."""

from __future__ import annotations

import io
import re
import time
from urllib.parse import parse_qs, urlsplit

import pytest
import tokenizers
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage
from werkzeug.test import stream_encode_multipart

from tests.site import HTMX, Page, Read
from webapp.core.formats.recognize import recognize
from webapp.pages.playground.form import EXAMPLES, WELCOME
from webapp.vocabularies import CATALOGUE, offered_algorithms, shipped_tokenizer
from webapp.vocabularies.shipped_vocabularies import shipped_encoding

FORM = "application/x-www-form-urlencoded"
LONG = "It was the best of times, it was the worst of times. " * 60


def test_the_first_response_contains_a_result(client: FlaskClient) -> None:
    page = Page(client.get("/").text)
    assert page.box == "\n" + WELCOME
    assert page.ids == shipped_encoding("o200k_base").ids(WELCOME)
    assert page.figures == len(page.tokens) == len(page.ids)
    assert "".join(page.pieces) == WELCOME.replace("\n", "↵"), "a full stop and a line end are one token"


@pytest.mark.parametrize(
    ("query", "vocabulary"),
    [
        ("", "o200k_base"),
        ("lang=zh", "o200k_base"),
        ("pick=wordpiece", "wordpiece"),
        ("text=low", "bpe-bytes"),  # links from before o200k_base shipped
        ("text=", "bpe-bytes"),
        ("view=ids", "bpe-bytes"),
        ("algorithm=bpe", "bpe-bytes"),
        ("algorithm=bpe&text=low", "bpe-bytes"),
        ("algorithm=unigram", "unigram"),
        ("vocabulary=bpe-characters", "bpe-characters"),
        ("algorithm=bpe&vocabulary=o200k_base&text=low", "o200k_base"),
        ("model=gpt-4", "cl100k_base"),
    ],
)
def test_only_an_address_without_a_choice_opens_with_gpt_4o(client: FlaskClient, query: str, vocabulary: str) -> None:
    assert client.get(f"/?format=json&{query}").get_json()["vocabulary"] == vocabulary


def test_the_links_of_the_first_page_name_its_vocabulary(client: FlaskClient) -> None:
    answer = client.post("/", data={"algorithm": "bpe", "vocabulary": "o200k_base", "text": "low"})
    assert answer.location == "/?algorithm=bpe&vocabulary=o200k_base&text=low"


@pytest.mark.parametrize("algorithm", offered_algorithms())
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.title))
def test_each_algorithm_shows_each_example(show: Read, algorithm: str, example: object) -> None:
    page = show(example.text, algorithm=algorithm)
    assert page.figures == len(page.ids) == len(page.tokens) > 0
    assert page.box == "\n" + example.text


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_vocabulary_has_an_address(show: Read, name: str) -> None:
    entry = CATALOGUE[name]
    page = show(
        "low lower lowest 低 low lower", algorithm=entry.algorithms[0], vocabulary=name, dictionary="low\nlower"
    )
    assert page.figures == len(page.ids) > 0
    assert not page.problems


def test_a_vocabulary_of_another_algorithm_is_replaced_by_the_default(show: Read) -> None:
    assert show("hello", algorithm="unigram", vocabulary="jieba").ids == show("hello", algorithm="unigram").ids


def test_dictionary_matching_marks_out_of_vocabulary_tokens(show: Read) -> None:
    page = show("研究生命科学", algorithm="fmm", vocabulary="own-dictionary", dictionary="研究\n研究生\n生命\n科学")
    assert page.pieces == ["研究生", "命", "科学"]
    assert page.ids == [1, 4, 3]
    assert [bool(classes & {"u"}) for _text, classes, _attributes in page.tokens] == [False, True, False]
    page = show("研究生命科学", algorithm="bmm", vocabulary="own-dictionary", dictionary="研究\n研究生\n生命\n科学")
    assert page.pieces == ["研究", "生命", "科学"]
    assert "BMM" in page.text


def ambiguities(client: FlaskClient, text: str, *words: str) -> str:
    """Return the part of FMM's page about ambiguities, with its text alone and one space between its elements."""
    query = {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "\n".join(words), "text": text}
    part = client.get("/", query_string={**query, "lang": "en"}).text
    part = part.partition('<section class="disagreements"')[2].partition("</section>")[0].partition(">")[2]
    return " ".join(re.sub("<[^>]+>", " ", part).split())


def test_disagreements_of_the_directions_are_listed_with_their_kind_and_the_verdict(client: FlaskClient) -> None:
    shown = ambiguities(client, "结婚的和尚未结婚的", "结婚", "的", "和", "和尚", "尚未")
    assert "disagree at one place Overlapping ambiguity (交集型) · offset 3 FMM 和尚 未 BMM 和 尚未" in shown
    assert "Bidirectional matching chooses BMM: the numbers of words and of single characters are equal" in shown


def test_a_word_that_consists_of_words_is_an_ambiguity_that_both_directions_hide(client: FlaskClient) -> None:
    shown = ambiguities(client, "他将来上海", "他", "将", "来", "将来", "上海")
    assert shown.startswith("FMM and BMM split this text at the same positions.")
    assert "One of the chosen words consists of other words, and both methods keep it whole." in shown
    assert shown.endswith("将来 = 将 + 来")
    assert "组合型" not in ambiguities(client, "他将来上海", "他", "将来", "上海")


def test_latin_runs_stay_whole_by_default(show: Read) -> None:
    assert show("用iPhone15拍", algorithm="fmm").pieces == ["用", "iPhone15", "拍"]
    assert show("用iPhone15拍", algorithm="fmm", runs="0").pieces == ["用", *"iPhone15", "拍"]


def test_special_tokens_are_plain_text_unless_enabled(show: Read) -> None:
    plain = show("a<|endoftext|>b", algorithm="bpe")
    assert len(plain.tokens) > 3
    honoured = show("a<|endoftext|>b", algorithm="bpe", special="1")
    assert honoured.pieces == ["a", "<|endoftext|>", "b"]
    assert "x" in honoured.tokens[1][1]


def test_lower_casing_is_an_option(show: Read) -> None:
    page = show("The SAME", algorithm="wordpiece", lowercase="1")
    assert page.ids == show("the same", algorithm="wordpiece").ids


LOSSES = ("All unknown tokens", "was lower-cased", "replaced or removed characters", "does not keep white space")
WORDPIECE = {"algorithm": "wordpiece", "vocabulary": "learned-wordpiece"}
CHARACTERS = {"algorithm": "bpe", "vocabulary": "learned-characters"}
UNIGRAM = {"algorithm": "unigram", "vocabulary": "learned-unigram"}


@pytest.mark.parametrize(
    ("text", "state", "sentences"),
    [
        ("The SAME", {"algorithm": "wordpiece", "lowercase": "1"}, ["The text was lower-cased."]),
        ("Unbelievably naïve 龘😀 test", {"algorithm": "wordpiece", "lowercase": "1"}, LOSSES),
        ("a 🦜 b", {"algorithm": "wordpiece"}, ["All unknown tokens decode to the same mark."]),
        ("a 🦜 b", {"algorithm": "bpe"}, ["Identical to the input"]),
        ("one  two", {"algorithm": "bpe", "vocabulary": "bpe-characters"}, ["does not keep white space"]),
        ("low low lower lowest", WORDPIECE, ["No other pair occurs at least twice."]),
        ("hello world", WORDPIECE, ["No other pair occurs at least twice."]),
        ("a b c", CHARACTERS, ["No pair is left to merge."]),
        ("low low", {**CHARACTERS, "size": 0}, ["Move the slider."]),
        ("low low lower lowest", {**WORDPIECE, "token": 0}, ["Merge score", "Merged from"]),
        ("low low lower lowest", {**CHARACTERS, "size": 3, "token": 0}, ["Merge rank"]),
        ("low lower", {**UNIGRAM, "token": 0}, ["Log-probability"]),
        ("🦜", {"algorithm": "wordpiece", "token": 0}, ["[UNK]"]),
        ("abcdefghijklmnopqrstuvwxyz", {**UNIGRAM, "size": 20}, ["Single characters are never dropped"]),
    ],
)
def test_the_page_explains_a_result(show: Read, text: str, state: dict[str, object], sentences: list[str]) -> None:
    page = show(text, **state)
    assert [sentence for sentence in sentences if sentence not in page.text] == []
    assert ("Identical to the input" in page.text) != any(loss in page.text for loss in LOSSES)


def test_lost_white_space_stays_between_the_tokens(show: Read) -> None:
    assert show("one  two", algorithm="bpe", vocabulary="bpe-characters").between == ["  "]


def test_the_same_slider_position_gives_the_same_vocabulary(show: Read) -> None:
    state = {"algorithm": "bpe", "vocabulary": "learned-characters"}
    none, some = (show("low low lower lowest", size=size, **state) for size in (0, 3))
    assert len(none.tokens) > len(some.tokens)
    assert show("low low lower lowest", size=3, **state).ids == some.ids
    assert "3 merges, in training order" in some.text


def test_the_training_corpus_may_differ_from_the_text(show: Read) -> None:
    own = show("newest lowest", algorithm="bpe", vocabulary="learned-bytes", size=4, corpus="est est est est")
    assert own.pieces == ["n", "e", "w", "est", " l", "o", "w", "est"] or "est" in own.pieces


def test_a_form_redirects_to_its_address(client: FlaskClient) -> None:
    form = {"algorithm": "wordpiece", "text": "two\r\nlines", "runs": "0", "vocabulary": ["jieba", "wordpiece"]}
    answer = client.post("/", data=form)
    assert answer.status_code == 303
    address = urlsplit(answer.location)
    assert parse_qs(address.query) == {"algorithm": ["wordpiece"], "text": ["two\nlines"]}
    assert Page(client.get(answer.location).text).box == "\ntwo\nlines"


def test_a_text_too_long_for_an_address_is_shown_in_place(client: FlaskClient) -> None:
    answer = client.post("/", data={"algorithm": "unigram", "text": LONG})
    assert answer.status_code == 200
    page = Page(answer.text)
    assert page.box == "\n" + LONG
    assert page.figures == len(page.tokens) == len(page.ids)
    assert "too long for the page's address" in page.text


def test_htmx_gets_the_result_alone_and_the_address_to_show(client: FlaskClient) -> None:
    answer = client.post("/", data={"algorithm": "bpe", "text": "hello"}, headers=HTMX)
    assert answer.status_code == 200
    assert answer.headers["HX-Replace-Url"] == "/?algorithm=bpe&text=hello"
    page, whole = Page(answer.text), Page(client.get("/?algorithm=bpe&text=hello").text)
    assert page.box is None
    assert (page.ids, page.pieces) == (whole.ids, whole.pieces)
    assert "HX-Request-Type" in answer.headers["Vary"]


def test_a_history_restore_gets_a_whole_page(client: FlaskClient) -> None:
    headers = {"HX-Request": "true", "HX-Request-Type": "full", "HX-History-Restore-Request": "true"}
    assert "<html" in client.get("/?text=a", headers=headers).text


def test_a_long_result_is_streamed_in_parts_that_add_up_to_the_whole(client: FlaskClient) -> None:
    text = (LONG + "\n") * 30
    answer = client.post("/", data={"text": text}, headers={**HTMX, "Accept-Encoding": "identity"})
    assert answer.mimetype == "text/event-stream"
    events = answer.text.split("\n\n")
    assert events.pop() == ""
    whole = ["\n".join(line.removeprefix("data: ") for line in event.split("\n")) for event in events]
    assert len(whole) > 2
    assert 'id="figures"' in whole[0]
    page = Page("".join(whole))
    assert page.ids == shipped_tokenizer("bpe-bytes").ids(text)
    assert page.figures == len(page.tokens)
    assert "".join(page.pieces) == text


def test_a_long_result_without_htmx_is_not_streamed(client: FlaskClient) -> None:
    text = LONG * 12
    page = Page(client.post("/", data={"text": text}).text)
    assert page.figures == len(page.tokens) == len(page.ids)
    assert page.box == "\n" + text


def test_a_stream_is_compressed_event_by_event(client: FlaskClient) -> None:
    import brotli

    answer = client.post("/", data={"text": LONG * 12}, headers={**HTMX, "Accept-Encoding": "br"}, buffered=False)
    decompressor = brotli.Decompressor()
    first = decompressor.process(next(iter(answer.response)))
    while more := decompressor.process(b""):
        first += more
    assert b'id="figures"' in first
    assert first.endswith(b"\n\n"), "the first event is complete before the second begins"


def test_details_of_a_token_have_an_address(show: Read) -> None:
    page = show("hello world", algorithm="bpe", token=1)
    assert "Merged from" in page.text
    assert "20 77 6F 72 6C 64" in page.text
    assert "LATIN SMALL LETTER W" in page.text
    assert page.selected == [1]


def test_htmx_gets_the_details_alone(client: FlaskClient) -> None:
    answer = client.post("/token", data={"text": "研究生", "algorithm": "fmm", "token": "0"}, headers=HTMX)
    page = Page(answer.text)
    assert page.figures is None
    assert "CJK UNIFIED IDEOGRAPH-7814" in page.text
    assert "E7 A0 94" in page.text
    assert "token=0" in answer.headers["HX-Replace-Url"]


def test_details_without_javascript_use_a_form(client: FlaskClient) -> None:
    answer = client.post("/token", data={"text": "hello world", "token": "1"})
    assert answer.status_code == 303
    assert "Merged from" in client.get(answer.location).text
    assert "Piece" in client.post("/token", data={"text": LONG, "token": "7"}).text


def test_details_stay_open_while_the_edited_text_has_that_token(client: FlaskClient) -> None:
    assert "token=1" in client.post("/", data={"text": "hello world", "token": "1"}).location
    assert "token" not in client.post("/", data={"text": "hello", "token": "1"}).location


def test_a_wrong_token_number_stays_in_its_field(client: FlaskClient) -> None:
    for number in ("-1", "1.5", "99"):
        answer = client.post("/token", data={"text": "hello", "token": number}, headers=HTMX)
        assert answer.status_code in (404, 422)
        assert Page(answer.text).problems
        assert 'id="token"' in answer.text


def test_getting_the_token_form_address_redirects_to_the_page(client: FlaskClient) -> None:
    assert client.get("/token?text=a&token=0").location == "/?text=a&token=0"


def test_a_form_without_a_text_is_refused(client: FlaskClient) -> None:
    for answer in (
        client.post("/", json={"text": "a"}),
        client.post("/", data=b"x", content_type="multipart/form-data"),
    ):
        assert answer.status_code == 400
        assert "The form arrived without its text." in answer.text


def test_switching_language_keeps_a_text_too_long_for_an_address(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": LONG})
    assert '<button type="submit" form="playground" name="lang" value="zh"' in answer.text
    answer = client.post("/", data={"text": LONG, "lang": "zh"})
    page = Page(answer.text)
    assert (page.lang, page.box) == ("zh-Hans", "\n" + LONG)
    assert client.post("/", data={"text": "short", "lang": "en"}).status_code == 303
    assert Page(client.get("/").text).lang == "en"


def test_short_texts_link_every_token_to_its_details(show: Read) -> None:
    page = show("hello world")
    addresses = [attributes["href"] for _text, _classes, attributes in page.tokens]
    assert addresses[1] == "/?algorithm=bpe&text=hello+world&token=1#result"


def test_the_language_is_the_browsers_until_the_link_is_clicked(client: FlaskClient) -> None:
    chinese = {"Accept-Language": "zh-TW,zh;q=0.9,en;q=0.8"}
    assert Page(client.get("/").text).lang == "en"
    assert Page(client.get("/", headers=chinese).text).lang == "zh-Hans"
    assert Page(client.get("/?lang=en&text=a", headers=chinese).text).lang == "en"
    assert Page(client.get("/", headers=chinese).text).lang == "en", "the choice is remembered"


def test_the_link_to_the_other_language_keeps_the_state(client: FlaskClient) -> None:
    html = client.get("/?algorithm=fmm&text=a%26b").text
    assert 'href="/?algorithm=fmm&amp;text=a%26b&amp;lang=zh"' in html


# ── Bad input ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("state", "status", "message"),
    [
        ({"algorithm": "lzw"}, 404, "There is no such algorithm."),
        ({"vocabulary": "klingon"}, 404, "There is no vocabulary “klingon”."),
        ({"token": "99"}, 404, "There is no token 99: the text has 2, counted from 0."),
        ({"token": "-1"}, 422, "Tokens are counted from 0."),
        ({"algorithm": "bpe", "vocabulary": "learned-bytes", "size": "some"}, 422, "“some” is not a whole number."),
        ({"algorithm": "bpe", "vocabulary": "learned-bytes", "size": "501"}, 422, "Choose a number from 0 to 500."),
        (
            {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "好 x\n研究 often\n人"},
            422,
            "2 of its 3 lines are not entries. Line 1, for example: the frequency 'x' is not a whole number",
        ),
        (
            {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": f"好 {'9' * 5000}"},
            422,
            "Line 1 of the dictionary: the frequency",
        ),
        (
            {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": f"\n\n{'长' * 65}"},
            422,
            "Line 3 of the dictionary: the word has 65 characters; at most 64 are allowed.",
        ),
        (
            {"algorithm": "bmm", "vocabulary": "own-dictionary", "dictionary": "a 1 n more"},
            422,
            "Line 1 of the dictionary: 4 fields; an entry has at most three",
        ),
    ],
)
def test_an_invalid_choice_has_a_message_and_the_text_stays(
    show: Read, state: dict[str, str], status: int, message: str
) -> None:
    page = show("precious", status=status, **state)
    assert any(message in problem for problem in page.problems), page.problems
    assert page.box == "\nprecious"


def test_an_invalid_choice_has_a_message_in_chinese(show: Read) -> None:
    page = show("好", status=404, lang="zh", vocabulary="klingon")
    assert page.problems == ["没有词表“klingon”。请从列表中选择。"]
    assert show("好", status=422, lang="zh", algorithm="bpe", vocabulary="learned-bytes", size="many").problems


def test_a_text_over_the_limit_stays_in_the_form_and_the_limit_is_named(client: FlaskClient) -> None:
    text = "x" * 1_048_577
    for headers in ({}, HTMX):
        answer = client.post("/", data={"text": text}, headers=headers)
        assert answer.status_code == 413
        page = Page(answer.text)
        assert page.problems == ["The text has 1,048,577 bytes; the limit is 1,048,576. Shorten it and try again."]
        assert page.box == (None if headers else "\n" + text)


def test_a_body_far_over_the_limit_is_not_read(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": "x" * 10_000_000})
    assert answer.status_code == 413
    assert "1,048,576 bytes" in answer.text


def test_an_uploaded_file_becomes_the_text(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": "old", "file": (io.BytesIO("\ufeff新的".encode()), "new.txt")})
    assert parse_qs(urlsplit(answer.location).query)["text"] == ["\ufeff新的"]


def test_a_file_that_is_not_utf_8_is_refused_with_the_position_of_the_byte(client: FlaskClient) -> None:
    file = (io.BytesIO(b"fine so far \xff\xfe"), "latin<1>.txt")
    answer = client.post("/", data={"text": "kept", "file": file})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert "byte at offset 12 (0xFF)" in page.problems[0]
    assert "“latin<1>.txt”" in page.problems[0]
    assert page.box == "\nkept"


def test_a_file_over_the_limit_is_refused(client: FlaskClient) -> None:
    form = {"text": "kept", "file": FileStorage(io.BytesIO(b"x" * 1_048_577), "big.txt")}
    body, _length, boundary = stream_encode_multipart(form, use_tempfile=False)
    answer = client.post("/", data=body.read(), content_type=f"multipart/form-data; boundary={boundary}")
    assert answer.status_code == 413
    assert Page(answer.text).box == "\nkept"


@pytest.mark.parametrize("algorithm", offered_algorithms())
@pytest.mark.parametrize(
    "text",
    ["\x00", "\ufeff", "\u202edlrow", "e\u0301\u0302" * 40, "שלום עולם", "\r", "\u2028", " ", "\n\n", "\U000e0041"],
    ids=ascii,
)
def test_odd_characters_have_a_correct_result(show: Read, algorithm: str, text: str) -> None:
    page = show(text, algorithm=algorithm)
    assert page.figures == len(page.ids) == len(page.tokens)
    assert "\x00" not in "".join(page.pieces)
    assert "\u202e" not in "".join(page.pieces)


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_empty_text_has_its_own_message(show: Read, name: str) -> None:
    for algorithm in CATALOGUE[name].algorithms:
        page = show("", algorithm=algorithm, vocabulary=name)
        assert page.figures == 0
        assert "Type or paste text to see its tokens." in page.text


def test_bytes_that_are_not_utf_8_stay_percent_encoded(client: FlaskClient) -> None:
    """A browser sends U+FFFD for a lone surrogate, but a hand-written address may contain any bytes."""
    assert Page(client.get("/?text=%ED%A0%80a%FF").text).box == "\n%ED%A0%80a%FF"
    assert Page(client.post("/", data=b"text=%EF%BF%BD" + b"x" * 2000, content_type=FORM).text).tokens


def test_nul_is_shown_with_a_warning(show: Read) -> None:
    page = show("a\x00b")
    assert "⟨0000⟩" in "".join(page.pieces)
    assert "NUL characters are tokenized" in page.text


@pytest.mark.exhaustive
@pytest.mark.parametrize("algorithm", offered_algorithms())
def test_one_word_of_a_megabyte_has_a_result(client: FlaskClient, algorithm: str) -> None:
    began = time.monotonic()
    answer = client.post("/", data={"algorithm": algorithm, "text": "a" * 1_000_000}, headers=HTMX)
    assert answer.status_code == 200
    assert b'id="figures"' in answer.data
    assert time.monotonic() - began < 60


MARKUP = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&amp;</textarea></i><hx-partial hx-target="body">'


@pytest.mark.parametrize("algorithm", offered_algorithms())
def test_markup_stays_text(client: FlaskClient, show: Read, algorithm: str) -> None:
    state = {"algorithm": algorithm, "corpus": MARKUP, "dictionary": MARKUP, "show": "1", "token": "0"}
    answer = client.get("/", query_string={"text": MARKUP, **state})
    assert "<script>alert" not in answer.text
    assert "<img" not in answer.text
    assert "<hx-partial" not in answer.text
    assert Page(answer.text).box == "\n" + MARKUP


def test_every_response_has_the_security_headers(client: FlaskClient) -> None:
    for answer in (client.get("/"), client.get("/nope"), client.get("/healthz"), client.post("/", data={"text": "a"})):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"


def test_no_page_has_inline_script_or_style(client: FlaskClient) -> None:
    for path in ("/", "/vocabularies", "/nope", "/?algorithm=fmm&text=和尚&token=0"):
        html = client.get(path).text
        assert " style=" not in html
        assert "<style" not in html
        assert " onclick" not in html
        assert "<script>" not in html


def test_errors_have_a_page_and_no_traceback(client: FlaskClient) -> None:
    missing = client.get("/nope")
    assert missing.status_code == 404
    assert "There is no page at this address." in missing.text
    assert client.put("/").status_code == 405
    part = client.get("/nope", headers=HTMX)
    assert "<html" not in part.text


def test_internal_errors_are_reported_without_details(app: object, client: FlaskClient, monkeypatch: object) -> None:
    def fail(*_arguments: object, **_more: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("webapp.tokenization.attempts.tokenize", fail)
    answer = client.get("/?text=a")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "Something went wrong on our side." in answer.text


def test_static_files_are_cached_as_immutable(client: FlaskClient) -> None:
    html = client.get("/").text
    address = html.split('rel="stylesheet" href="')[1].split('"')[0]
    answer = client.get(address)
    answer.close()
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_vocabularies_page_shows_the_training_record(client: FlaskClient) -> None:
    answer = client.get("/vocabularies")
    assert answer.status_code == 200
    assert "32,000" in answer.text
    assert client.get("/vocabularies/RECORD.json").json["outputs"]


@pytest.mark.parametrize(
    "name", [name for name, entry in CATALOGUE.items() if entry.origin == "learned" and name != "learned-ngram"]
)
def test_a_trained_vocabulary_can_be_downloaded(client: FlaskClient, show: Read, name: str) -> None:
    text = "low low lower lowest newer wider, newest"
    state = {"algorithm": CATALOGUE[name].algorithms[0], "vocabulary": name, "size": "30", "text": text}
    answer = client.post("/tokenizer.json", data=state)
    assert answer.headers["Content-Disposition"] == "attachment; filename=tokenizer.json"
    assert tokenizers.Tokenizer.from_str(answer.text).encode(text, add_special_tokens=False).ids == show(**state).ids


def test_a_word_model_can_be_downloaded_as_counts(client: FlaskClient, show: Read) -> None:
    state = {
        "algorithm": "ngram",
        "vocabulary": "learned-ngram",
        "corpus": "人生 如 戏\n梦境 如 人生",
        "text": "人生如梦境",
    }
    assert "Download as ngrams.json" in client.get("/", query_string={**state, "lang": "en"}).text
    answer = client.post("/ngrams.json", data=state)
    assert answer.headers["Content-Disposition"] == "attachment; filename=ngrams.json"
    assert recognize(answer.data).tokenizer.ids("人生如梦境") == show(**state).ids
    assert client.post("/tokenizer.json", data=state).status_code == 404


def test_only_a_trained_vocabulary_can_be_downloaded(client: FlaskClient) -> None:
    answer = client.get("/tokenizer.json?text=low")
    assert answer.status_code == 404
    assert "Only a vocabulary that was trained here" in Page(answer.text).problems[0]
    assert Page(answer.text).box == "\nlow"
