"""What a visitor of the playground sees, without a browser: addresses, forms and htmx responses."""

import io
import re
import time

import pytest
import tokenizers
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage
from werkzeug.test import stream_encode_multipart

from tests.pages.playground.test_uploads import query_of
from tests.site import HTMX, Page, Read
from webapp.core.algorithms import ALGORITHMS
from webapp.core.formats.recognize import recognize
from webapp.pages.playground.form import WELCOME
from webapp.vocabularies import CATALOGUE, offered_algorithms, shipped_tokenizer
from webapp.vocabularies.shipped_vocabularies import shipped_encoding

FORM = "application/x-www-form-urlencoded"
LONG = "It was the best of times, it was the worst of times. " * 60


@pytest.mark.parametrize(("language", "start", "example"), [("en", "Tokenizers", "English"), ("zh", "不同", "中文")])
def test_the_first_response_contains_a_result(client: FlaskClient, language: str, start: str, example: str) -> None:
    html, text = client.get(f"/?lang={language}").text, WELCOME[language]
    page = Page(html)
    assert text.startswith(start)
    assert re.search('class="example" [^>]+>(.+?)</a>', html)[1] == example  # type: ignore[index]
    assert page.box == "\n" + text
    assert page.ids == shipped_encoding("o200k_base").ids(text)
    assert page.figures == len(page.tokens) == len(page.ids)
    assert "".join(page.pieces) == text.replace("\n", "↵"), "a full stop and a line end are one token"


@pytest.mark.parametrize(
    ("query", "vocabulary"),
    [
        ("", "o200k_base"),
        ("pick=wordpiece", "wordpiece"),
        ("text=low", "bpe-bytes"),  # links from before o200k_base shipped
        ("algorithm=bpe&text=low", "bpe-bytes"),
        ("algorithm=bpe&vocabulary=o200k_base&text=low", "o200k_base"),
        ("model=gpt-4", "cl100k_base"),
    ],
)
def test_only_an_address_without_a_choice_opens_with_gpt_4o(client: FlaskClient, query: str, vocabulary: str) -> None:
    assert client.get(f"/?format=json&{query}").get_json()["vocabulary"] == vocabulary


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_vocabulary_has_an_address(show: Read, name: str) -> None:
    entry = CATALOGUE[name]
    state = {"algorithm": entry.algorithms[0], "vocabulary": name, "dictionary": "low\nlower"}
    page = show("low lower lowest 低 low lower", **state)
    assert page.figures == len(page.tokens) > 0
    assert not page.problems


OWN = {"vocabulary": "own-dictionary", "dictionary": "研究\n研究生\n生命\n科学"}
MAXIMUM = {"algorithm": "max-probability"}


@pytest.mark.parametrize(
    ("text", "state", "pieces"),
    [
        ("研究生命科学", {"algorithm": "bmm", **OWN}, ["研究", "生命", "科学"]),
        ("用iPhone15拍", {"algorithm": "fmm", "runs": "0"}, ["用", *"iPhone15", "拍"]),
        ("a<|endoftext|>b", {"algorithm": "bpe", "special": "1"}, ["a", "<|endoftext|>", "b"]),
        ("他来到了网易杭研大厦", {**MAXIMUM, "hmm": "0"}, ["他", "来到", "了", "网易", "杭", "研", "大厦"]),
    ],
)
def test_the_choices_of_the_form_count(show: Read, text: str, state: dict[str, str], pieces: list[str]) -> None:
    assert show(text, **state).pieces == pieces


@pytest.mark.parametrize(
    ("text", "state", "sentences"),
    [
        ("naïve 龘", {"algorithm": "wordpiece", "lowercase": "1"}, ["not in the vocabulary", "accents are removed"]),
        ("a 🦜 b\x00", {"algorithm": "bpe"}, ["Identical to the input", "NUL characters are tokenized", "⟨0000⟩"]),
        ("low low lower lowest", {"algorithm": "bpe", "vocabulary": "learned-bytes", "token": 0}, ["Merge rank"]),
        ("a b c", {"algorithm": "bpe", "vocabulary": "learned-characters"}, ["No pair is left to merge."]),
        ("low lower", {"algorithm": "wordpiece", "vocabulary": "learned-wordpiece", "token": 0}, ["Merge score"]),
        ("low lower", {"algorithm": "unigram", "vocabulary": "learned-unigram", "token": 0}, ["Log-probability"]),
        ("<|im_start|>user", {"algorithm": "bpe"}, ["It begins a message of a chat (ChatML)", "Chat templates write"]),
        ("研究", {**MAXIMUM, **OWN}, ["The dictionary has no frequencies: each word counts once"]),
    ],
)
def test_the_page_explains_a_result(show: Read, text: str, state: dict[str, object], sentences: list[str]) -> None:
    page = show(text, **state)
    assert [sentence for sentence in sentences if sentence not in page.text] == []
    told = {sentence in page.text for sentence in ("Identical to the input", "What decoding changes")}
    assert told == ({False} if state["algorithm"] == "max-probability" else {True, False}), "nobody decodes words"


def test_a_form_redirects_to_its_address(client: FlaskClient) -> None:
    form = {"algorithm": "wordpiece", "text": "two\r\nlines", "runs": "0", "vocabulary": ["jieba", "wordpiece"]}
    answer = client.post("/", data=form)
    assert answer.status_code == 303
    assert query_of(answer) == {"algorithm": "wordpiece", "text": "two\nlines"}
    assert Page(client.get(answer.location).text).box == "\ntwo\nlines"


@pytest.mark.parametrize(("algorithm", "kept"), [("fmm", ""), ("max-probability", "&hmm=0&mode=full")])
def test_equal_results_have_one_address(client: FlaskClient, algorithm: str, kept: str) -> None:
    answer = client.get(f"/?algorithm={algorithm}&hmm=0&mode=full&text=a", headers=HTMX)
    assert answer.headers["HX-Replace-Url"] == f"/?algorithm={algorithm}{kept}&text=a"


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


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "part"])
def test_a_long_result_has_every_token(client: FlaskClient, headers: dict[str, str]) -> None:
    text = (LONG + "\n") * 30
    page = Page(client.post("/", data={"text": text}, headers=headers).text)
    assert page.ids == shipped_tokenizer("bpe-bytes").ids(text)
    assert page.figures == len(page.tokens)
    assert "".join(page.pieces) == text
    assert "too long for the page's address" in page.text
    assert page.box == (None if headers else "\n" + text)


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"text": "hello world", "algorithm": "bpe", "token": 1}, "20 77 6F 72 6C 64"),
        ({"text": "研究生", "algorithm": "fmm", "token": 0}, "CJK UNIFIED IDEOGRAPH-7814"),
        ({"text": LONG, "token": 7}, "Bytes"),
    ],
)
def test_the_details_of_a_token(client: FlaskClient, form: dict[str, object], sentence: str) -> None:
    part = client.post("/token", data=form, headers=HTMX)
    whole = Page(client.post("/token", data=form, follow_redirects=True).text)
    assert sentence in whole.text
    assert sentence in Page(part.text).text
    assert (whole.selected, Page(part.text).figures) == ([form["token"]], None)
    assert (f"token={form['token']}" in part.headers["HX-Replace-Url"]) == (len(str(form["text"])) < 100)


def test_the_language_is_the_browsers_until_the_link_is_clicked(client: FlaskClient) -> None:
    chinese = {"Accept-Language": "zh-TW,zh;q=0.9,en;q=0.8"}
    assert '<html lang="en"' in client.get("/").text
    assert '<html lang="zh-Hans"' in client.get("/", headers=chinese).text
    assert '<html lang="en"' in client.get("/?lang=en&text=a", headers=chinese).text
    assert '<html lang="en"' in client.get("/", headers=chinese).text, "the choice is remembered"


# ── Bad input ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("state", "status", "message"),
    [
        ({"algorithm": "lzw"}, 404, "There is no such algorithm."),
        ({"vocabulary": "klingon"}, 404, "There is no vocabulary “klingon”."),
        ({"token": "99"}, 404, "There is no token 99: the text has 2, counted from 0."),
        ({"token": "-1"}, 422, "Tokens are counted from 0."),
        ({"prefix": " ".join(["a"] * 21)}, 422, "Name at most 20 tokens of at most 100 characters"),
        ({"suffix": "x" * 101}, 422, "Name at most 20 tokens of at most 100 characters"),
        ({"algorithm": "fmm", "edits": "研究\n生命 often"}, 422, "Line 2 of the changes: the frequency 'often' is not"),
        ({"algorithm": "fmm", **OWN, "dictionary": "好 x\n研究 often\n人"}, 422, "2 of its 3 lines are not entries."),
        ({"algorithm": "fmm", **OWN, "dictionary": f"好 {'9' * 5000}"}, 422, "Line 1 of the dictionary: the frequency"),
        ({"algorithm": "fmm", **OWN, "dictionary": f"\n\n{'长' * 65}"}, 422, "65 characters; at most 64 are allowed."),
    ],
)
def test_an_invalid_choice_has_a_message_and_the_text_stays(
    show: Read, state: dict[str, str], status: int, message: str
) -> None:
    page = show("precious", status=status, **state)
    assert any(message in problem for problem in page.problems), page.problems
    assert page.box == "\nprecious"


def test_a_body_far_over_the_limit_is_not_read(client: FlaskClient) -> None:
    answer = client.post("/", data={"text": "x" * 10_000_000})
    assert answer.status_code == 413
    assert "1,048,576 bytes" in answer.text


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        ("\ufeff新的".encode(), 303, ""),
        (b"fine so far \xff\xfe", 422, "“latin<1>.txt” is not UTF-8: the byte at offset 12 (0xFF) does not fit."),
        (b"x" * 1_048_577, 413, "“latin<1>.txt” has 1,048,577 bytes"),
    ],
)
def test_an_uploaded_file_becomes_the_text_or_is_refused(
    client: FlaskClient, content: bytes, status: int, message: str
) -> None:
    form = {"text": "kept", "file": FileStorage(io.BytesIO(content), "latin<1>.txt")}
    body, _length, boundary = stream_encode_multipart(form, use_tempfile=False)
    answer = client.post("/", data=body.read(), content_type=f"multipart/form-data; boundary={boundary}")
    assert answer.status_code == status
    if message:
        assert message in Page(answer.text).problems[0]
        assert Page(answer.text).box == "\nkept"
    else:
        assert query_of(answer)["text"] == content.decode()


@pytest.mark.parametrize("algorithm", offered_algorithms())
def test_odd_characters_have_a_correct_result(show: Read, algorithm: str) -> None:
    for text in ("\x00", "\ufeff", "\u202edlrow", "e\u0301\u0302" * 40, "שלום עולם", "\r", "\u2028", " ", "\U000e0041"):
        page = show(text, algorithm=algorithm)
        assert page.figures == len(page.tokens)
        assert "\x00" not in "".join(page.pieces)
        assert "\u202e" not in "".join(page.pieces)
    page = show("", algorithm=algorithm)
    assert page.figures == 0
    assert "Type or paste text to see its tokens." in page.text


def test_bytes_that_are_not_utf_8_stay_percent_encoded(client: FlaskClient) -> None:
    """A browser sends U+FFFD for a lone surrogate, but a hand-written address may contain any bytes."""
    assert Page(client.get("/?text=%ED%A0%80a%FF").text).box == "\n%ED%A0%80a%FF"
    assert Page(client.post("/", data=b"text=%EF%BF%BD" + b"x" * 2000, content_type=FORM).text).tokens


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
def test_markup_stays_text(client: FlaskClient, algorithm: str) -> None:
    state = {"algorithm": algorithm, "corpus": MARKUP, "dictionary": MARKUP, "show": "1", "token": "0"}
    answer = client.get("/", query_string={"text": MARKUP, **state})
    assert not any(tag in answer.text for tag in ("<script>alert", "<img", "<hx-partial"))
    assert Page(answer.text).box == "\n" + MARKUP


def test_every_response_has_the_security_headers(client: FlaskClient) -> None:
    details = client.get("/?algorithm=fmm&text=和尚&token=0")
    for answer in (client.get("/"), client.get("/nope"), client.get("/healthz"), details):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert not any(inline in answer.text for inline in (" style=", "<style", " onclick", "<script>"))


def test_the_training_record_is_published(client: FlaskClient) -> None:
    assert client.get("/vocabularies/RECORD.json").json["outputs"]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, entry in CATALOGUE.items()
        if entry.origin == "learned" and ALGORITHMS[entry.algorithms[0]].family != "word model"
    ],
)
def test_a_trained_vocabulary_can_be_downloaded(client: FlaskClient, show: Read, name: str) -> None:
    text = "low low lower lowest newer wider, newest"
    state = {"algorithm": CATALOGUE[name].algorithms[0], "vocabulary": name, "size": "30", "text": text}
    answer = client.post("/tokenizer.json", data=state)
    assert answer.headers["Content-Disposition"] == "attachment; filename=tokenizer.json"
    assert tokenizers.Tokenizer.from_str(answer.text).encode(text, add_special_tokens=False).ids == show(**state).ids


def test_a_word_model_can_be_downloaded_as_counts(client: FlaskClient, show: Read) -> None:
    state = {"algorithm": "ngram", "vocabulary": "learned-ngram", "corpus": "人生 如 戏\n梦境 如 人生"}
    state["text"] = "人生如梦境"
    assert "Download as ngrams.json" in client.get("/", query_string={**state, "lang": "en"}).text
    answer = client.post("/ngrams.json", data=state)
    assert answer.headers["Content-Disposition"] == "attachment; filename=ngrams.json"
    tokenizer = recognize(answer.data).tokenizer
    assert [tokenizer.decode([id]) for id in tokenizer.ids("人生如梦境")] == show(**state).pieces
    assert client.post("/tokenizer.json", data=state).status_code == 404
    shipped = client.get("/tokenizer.json?text=low")
    assert shipped.status_code == 404
    assert "Only a vocabulary that was trained here" in Page(shipped.text).problems[0]
