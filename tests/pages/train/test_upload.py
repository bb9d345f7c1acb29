"""The form for a corpus: what is stored, and each refusal."""

import gzip
import io
import json
import re

import pytest
import zstandard
from flask import Flask
from flask.testing import FlaskClient

from tests.pages.train.conftest import TEXT, send
from tests.site import HTMX, Page
from webapp.jobs import jobs_of
from webapp.pages.train.corpora import EXAMPLES

LINES = "".join(json.dumps({"id": n, "content": line}) + "\n" for n, line in enumerate(TEXT.splitlines()))


def corpora_of(app: Flask) -> int:
    """Return the number of corpora on disk."""
    return sum(path.is_dir() for path in jobs_of(app).corpora.folder.glob("*"))


def test_pasted_text_becomes_a_corpus(client: FlaskClient) -> None:
    answer = send(client, text=TEXT)
    assert answer.status_code == 303
    page = client.get(answer.headers["Location"])
    assert page.status_code == 200
    assert re.search(rf"<b>{len(TEXT):,}</b> characters", page.text)
    assert "pasted text" in page.text
    chinese = client.get(answer.headers["Location"] + "&lang=zh").text
    assert ("粘贴的文本" in chinese, "pasted text" in chinese) == (True, False)
    client.get(answer.headers["Location"] + "&lang=en")
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert page.headers["Cache-Control"] == "private, no-cache"
    script = client.post("/train/corpus", data={"text": TEXT}, headers=HTMX)
    assert (script.status_code, script.data) == (201, b"")
    assert script.headers["Location"].startswith("/train?corpus=")


@pytest.mark.parametrize(("language", "start"), [("en", "Execution model"), ("zh", "我冒了严寒，回到")])
def test_the_page_has_a_text_to_start_with(client: FlaskClient, language: str, start: str) -> None:
    box = Page(client.get(f"/train?lang={language}").text).box
    assert box.startswith("\n" + start)
    plan = client.get(send(client, text=box).headers["Location"]).text
    size = int(re.search(r'id="size" value="(\d+)"', plan)[1])  # type: ignore[index]
    assert size > 500, "pieces enough to watch"


def test_several_files_are_one_corpus(client: FlaskClient) -> None:
    answer = send(
        client,
        (TEXT.encode(), "../../etc/words.txt"),
        (gzip.compress(TEXT.encode(), mtime=0), "words.txt.gz"),
        (zstandard.compress(LINES.encode()), "lines.jsonl.zst"),
        field="content",
    )
    page = client.get(answer.headers["Location"])
    assert all(name in page.text for name in ("words.txt", "words.txt.gz", "lines.jsonl.zst"))
    assert "JSON Lines, field “content”" in page.text
    assert "etc/" not in page.text


@pytest.mark.parametrize("key", [example.key for example in EXAMPLES])
def test_an_example_is_a_corpus(client: FlaskClient, key: str) -> None:
    answer = send(client, example=key, text="what stood in the box")
    page = client.get(answer.headers["Location"])
    characters = re.search(r"<b>([\d,]+)</b> characters", page.text)
    assert characters is not None
    assert int(characters[1].replace(",", "")) > 80_000


def test_the_choices_come_along(client: FlaskClient) -> None:
    page = client.get("/train?trainer=unigram&size=900&special_tokens=%3Ca%3E%0A%3Cb%3E")
    assert '<input type="hidden" name="size" value="900">' in page.text
    answer = send(client, text=TEXT, trainer="unigram", size="900", special_tokens="<a>\r\n<b>")
    assert "trainer=unigram&size=900&special_tokens=%3Ca%3E%0A%3Cb%3E" in answer.headers["Location"]


@pytest.mark.parametrize(
    ("content", "name", "field", "blamed", "message"),
    [
        (b"", "empty.txt", "text", "files", "The corpus has no text."),
        (b"low\xff", "bad.txt", "text", "files", "“bad.txt” is not valid UTF-8 at byte 3."),
        (b"%PDF-1.7", "paper.pdf", "text", "files", "“paper.pdf” is a file of the kind PDF."),
        (b"\x1f\x8b\x08damaged", "a.gz", "text", "files", "“a.gz” cannot be decompressed"),
        (b"{]\n", "a.jsonl", "text", "files", "Line 1 of “a.jsonl” is not JSON."),
        (LINES.encode(), "a.jsonl", "text", "field", "Line 1 of “a.jsonl” has no text in the field “text”."),
    ],
)
def test_a_wrong_file_is_refused_and_deleted(
    client: FlaskClient, storing_app: Flask, content: bytes, name: str, field: str, blamed: str, message: str
) -> None:
    answer = send(client, (content, name), field=field)
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.invalid == [blamed]
    assert message in answer.text
    assert corpora_of(storing_app) == 0


def test_a_corpus_that_is_too_large_is_refused(
    client: FlaskClient, storing_app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Paste a text, choose files" in send(client, text=" \n").text
    many = send(client, *[(b"low", f"{n}.txt") for n in range(101)])
    assert many.status_code == 422
    assert "You chose 101 files; the limit is 100." in many.text
    with monkeypatch.context() as patch:
        patch.setitem(client.application.config, "MAX_TRAINING_BYTES", 100_000)
        patch.setattr(jobs_of(client.application).corpora, "most_bytes", 100_000)
        # Of the second one, beyond the form's own room, the body is not read.
        for times, message in (
            (30_000, "The corpus is larger than 98 KB."),
            (300_000, "is too large: the limit is 98 KB"),
        ):
            answer = send(client, (b"low " * times, "words.txt"))
            assert answer.status_code == 413
            assert message in answer.text
    monkeypatch.setattr(jobs_of(client.application).corpora, "most_bytes", 3_000_000)
    packed = zstandard.compress(b"low lower\n" * 200_000)
    assert send(client, (packed, "a.zst")).status_code == 303
    answer = send(client, (packed, "a.zst"), (packed, "b.zst"), text="stays")
    assert answer.status_code == 413
    assert "Decompressed, the corpus is larger than 3 MB. Upload a part of it." in answer.text
    assert "stays" in answer.text
    assert corpora_of(storing_app) == 1


def test_a_site_without_room_says_so(client: FlaskClient, storing_app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_of(storing_app).corpora, "_most_together", 10_000)
    assert send(client, (TEXT.encode(), "words.txt")).status_code == 303
    for answer in (send(client, (TEXT.encode(), "words.txt")), send(client, text=TEXT)):
        assert answer.status_code == 507
        assert "This site has no room for a corpus of this size now." in answer.text
    assert TEXT[:20] in answer.text  # what was pasted


def test_other_pages_take_no_large_bodies(client: FlaskClient) -> None:
    data = {"files": (io.BytesIO(b"x" * 12_000_000), "words.txt")}
    assert client.post("/train", data=data).status_code == 413


def test_another_site_cannot_upload(client: FlaskClient) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    for path in ("/train/corpus", "/train", "/train/x/cancel"):
        assert client.post(path, data={"text": TEXT}, headers=headers).status_code == 403
