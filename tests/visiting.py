"""A visitor of a running site over HTTP: shares, uploads, trains, and looks again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2

TEXT = "研究生命科学 and the lowest 👍🏽\n  tab\there"
DICTIONARY = b"low\nlower\nlowest\n\xe7\xa0\x94\xe7\xa9\xb6\n\xe7\x94\x9f\xe5\x91\xbd\n"
PLAN = {"trainer": "bpe-bytes", "size": "300", "minimum_count": "1"}
_DELETION = re.compile(r'id="deletion" readonly value="([^"]+)"')
_CORPUS = re.compile(r"corpus=([\w-]+)")
_VOCABULARY = re.compile(r"/vocabularies/(upload-[0-9a-f]{16})")


class UnexpectedStatusError(AssertionError):
    """The site gave another response than a visitor should get; `status` is its status."""

    def __init__(self, answer: httpx2.Response) -> None:
        super().__init__(f"{answer.request.method} {answer.request.url}: {answer.status_code}\n{answer.text[:5_000]}")
        self.status = answer.status_code


class Visitor:
    """A client of the site at `address`; with `source`, from that address according to `X-Forwarded-For`.

    `deletions` has the path of the deletion link of every shared result by the path of its link. All methods raise
    `UnexpectedStatusError`, and `httpx2.HTTPError` if there is no response.
    """

    def __init__(self, address: str, *, source: str = "", patience: float = 60) -> None:
        headers = {"X-Forwarded-For": source} if source else {}
        # Without certificates, which take 20 ms to load: the site speaks plain HTTP here.
        self.http = httpx2.Client(base_url=address, headers=headers, timeout=patience, verify=False)
        self.deletions: dict[str, str] = {}

    def __enter__(self) -> Visitor:
        return self

    def __exit__(self, *_error: object) -> None:
        self.http.close()

    def share(self, path: str = "/share", **fields: Any) -> str:
        """Share a result with a form and return the path of its link."""
        answer = self.http.post(path, data=fields)
        _expect(answer, 201)
        link = urlsplit(answer.headers["Location"]).path
        if found := _DELETION.search(answer.text):
            self.deletions[link] = urlsplit(found[1]).path
        return link

    def upload(self, content: bytes = DICTIONARY) -> str:
        """Upload a vocabulary and return its name."""
        answer = self.http.post("/api/v1/vocabularies", files={"file": ("words.txt", content)})
        _expect(answer, 201)
        name: str = answer.json()["name"]
        return name

    def train(self, text: str, **plan: str) -> str:
        """Upload a corpus, start a training and return the path of its page."""
        answer = self.http.post("/train/corpus", files={"files": ("corpus.txt", text.encode())})
        _expect(answer, 303)
        corpus = _CORPUS.search(answer.headers["Location"])
        assert corpus, answer.headers["Location"]
        answer = self.http.post("/train", data={"corpus": corpus[1], **PLAN, **plan})
        _expect(answer, 303)
        path: str = urlsplit(answer.headers["Location"]).path
        return path

    def delete(self, link: str) -> None:
        """Delete a shared result with its deletion link; its page then says so."""
        _expect(self.http.get(self.deletions[link]), 200)
        _expect(self.http.post(self.deletions[link]), 200)
        self.open(link, status=410)

    def open(self, path: str, status: int = 200) -> str:
        """Open a page and return it without the site's own address."""
        answer = self.http.get(path, follow_redirects=True)
        _expect(answer, status)
        return answer.text.replace(str(self.http.base_url).rstrip("/"), "")

    def has_finished(self, training: str) -> bool:
        """Whether a training is done: it has a record."""
        answer = self.http.get(f"{training}/record.json")
        if answer.status_code != 404:
            _expect(answer, 200)
        return answer.status_code == 200

    def trained(self, training: str) -> str:
        """Return the name of the vocabulary of a finished training."""
        found = _VOCABULARY.search(self.open(training))
        assert found, self.open(training)[:3_000]
        return found[1]

    def wait(self, training: str, seconds: float = 60) -> str:
        """Wait until a training is done, and return the name of its vocabulary."""
        until(lambda: self.has_finished(training), seconds, lambda: self.open(training)[-6_000:])
        return self.trained(training)


def share_everything(visitor: Visitor, vocabularies: Mapping[str, str]) -> list[str]:
    """Share a result of every kind, also with vocabularies by their algorithms; return the paths of the links."""
    shipped = [{"algorithm": name} for name in ("bpe", "wordpiece", "unigram", "max-probability")]
    own = [
        {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "研究\n研究生\n生命", "edits": "+科学 3"},
        {"algorithm": "bpe", "vocabulary": "learned-bytes", "size": "20"},
        {"algorithm": "unigram", "vocabulary": "learned-unigram"},
    ]
    uploaded = [{"algorithm": algorithm, "vocabulary": name} for algorithm, name in vocabularies.items()]
    links = [visitor.share(text=TEXT, title="A title", **state) for state in (*shipped, *own, *uploaded)]
    rows = ["bpe:bpe-bytes", "unigram:unigram", *(f"{algorithm}:{name}" for algorithm, name in vocabularies.items())]
    talk = {"role": ["system", "user"], "content": ["Be brief.", TEXT], "extra": ["", ""], "tools": ""}
    return [
        *links,
        visitor.share(**{"text": TEXT, "with": rows}),
        visitor.share(template="chatml", vocabulary="bpe-bytes", context="8192", **talk),
        visitor.share("/evaluate", **{"gold": "研究 生命 的 起源\n" * 300, "with": "fmm:jieba", "keep": "30"}),
    ]


def _expect(answer: httpx2.Response, status: int) -> None:
    if answer.status_code != status:
        raise UnexpectedStatusError(answer)


def until(condition: Callable[[], bool], seconds: float, otherwise: Callable[[], object] = lambda: None) -> None:
    """Wait until the condition holds; the test fails with what `otherwise` returns after so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, otherwise()
        time.sleep(0.05)
