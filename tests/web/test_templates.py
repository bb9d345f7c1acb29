"""Templates use no variable that their context does not provide: undefined ones are errors, on every page."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from jinja2.exceptions import UndefinedError

from tests.site import HTMX
from webapp import create_app
from webapp.storage import storage_of
from webapp.vocabularies import CatalogueEntry, StillFetchingError, UnavailableVocabularyError, find
from webapp.vocabularies.fetching import FetchError
from webapp.web.templates import ErrorMessage


def test_an_undefined_variable_is_an_error(app: Flask) -> None:
    with app.test_request_context("/"), pytest.raises(UndefinedError, match="mesage"):
        app.jinja_env.from_string("{{ mesage }}").render(**ErrorMessage(message="no").variables())


TEXT = quote("研究生命 the newest <b>&lt;")
LONG = "x" * 300
ROWS = ["bpe:bpe-bytes", "fmm:jieba"]
PUBLISHED = "clip"  # never available in tests: there is no network


ADDRESSES = f"""
/steps/training/bpe/rounds?corpus= /steps/training/bpe?corpus=low+5%0Alower+2
/steps/training/bpe?corpus=low+5%0Alower%0Alow+2 / /?text= /?algorithm=nope /?vocabulary=nope&text=a /choices?find=gpt
/choices?find=zzz /compare /compare/choices?find=bert /compare?text={TEXT} /compare?with=bpe /compare?with=nope
/compare?text={TEXT}&with=bpe:bpe-bytes&with=fmm:jieba&layout=columns
/compare?with=fmm:own-dictionary&with=bpe:learned /?frequencies=1&text={TEXT}
/languages /languages?measure=nope /languages?measure=bytes&own=a /api /steps
/learn /evaluate?with=fmm:jieba /evaluate?with=fmm:jieba&page=999 /evaluate?gold=x /evaluate/nothing /measures
/measures?text= /measures?gold=x /measures?gold=un+able&with=bpe:nope&with=fmm:jieba /split
/split?text={TEXT}&tokens=3 /split?text=a&tokens=-1 /decode /decode?ids= /decode?ids=1+-5 /decode?ids=1&page=9
/decode?ids=240+1&view=apart&skip=1 /ambiguity /ambiguity?text= /ambiguity?text=a&page=9 /ambiguity?text=a&edits=a+b
/pretokens /pretokens?text= /pretokens?text={TEXT}&pattern=%5Cw%7C%28 /pretokens?vocabulary=nope
/pretokens?vocabulary=wordpiece&text={TEXT}++x&pattern=%5Cw%7C%5Cs%2B&under=tokens
/pretokens?vocabulary=unigram&text=a+b&pattern=.
/?algorithm=wordpiece&lowercase=1&text=%C3%89+{TEXT}++%F0%A0%AE%B7+%21&template=1 /messages /messages?messages=[]
/messages?messages=x&json=x&paste=1 /messages?template=nope /messages?template=own&source=x&context=10&price=x /models
/models?q=qwen /models?q=zzz /models?q={LONG} /vocabularies/jieba/row /vocabularies/expand
/vocabularies/expand?base=nope&tokens=a
/vocabularies/expand?base=wordpiece&tokens=zzq%0Athe%0A%E5%88%86%E8%AF%8D&text=a /vocabularies /vocabularies?find=zzz
/vocabularies?find={LONG} /vocabularies/nope /vocabularies/diff /vocabularies/diff?a=nope&b=unigram
/vocabularies/diff?a=unigram&b=unigram /vocabularies/unigram/vocab.txt /vocabularies/jieba?page=9999
/vocabularies/jieba?query=zzz /vocabularies/ngram?after=%E4%BA%BA /vocabularies/ngram?after={LONG[:99]}
/vocabularies/ngram?after=zzz /train /train?corpus=gone /train/nope
/vocabularies/wordpiece/tokens/300?others=all /vocabularies/wordpiece/unreachable /nope
/s/unknown00 /s/unknown00/embed /download/tokens.svg?vocabulary=nope&text=a
"""  # each renders a template, or a part of one, that the others do not


def addresses() -> Iterator[str]:
    """Addresses that render every template."""
    yield from ADDRESSES.split()
    for algorithm in ("fmm", "bmm", "bpe", "wordpiece", "unigram", "ngram"):
        yield f"/?algorithm={algorithm}&text={TEXT}&token=0"
        yield f"/?algorithm={algorithm}&text={TEXT}&vocabulary=learned&size=5"
        yield f"/steps/{algorithm}"
        yield f"/steps/{algorithm}?text={TEXT}&token=999"
        yield f"/steps/{algorithm}?text={TEXT}&format=table"
        for step in (0, 1, 2, 5):
            yield f"/steps/{algorithm}?text={TEXT}&step={step}"
    for step in (0, 1, 2, 3, 4):
        for kind in ("bpe", "wordpiece", "unigram", "ngram"):
            yield f"/steps/training/{kind}?step={step}"
    for kind in ("bpe", "wordpiece", "unigram", "ngram"):
        yield f"/steps/training/{kind}?step=999"
        yield f"/steps/training/{kind}?corpus=a+b+a+b&text=ab&size=3"
        yield f"/steps/training/{kind}/rounds"
    for name in ("bpe-bytes", "jieba", "unigram", "wordpiece"):
        yield f"/vocabularies/{name}"
    yield from (
        f"/vocabularies/diff?a=bpe-bytes&b=unigram&show={group}&page=2" for group in ("a", "b", "moved", "same")
    )
    for id in (0, 228, 270, 9_999_999):
        yield from (f"/vocabularies/{name}/tokens/{id}" for name in ("bpe-bytes", "wordpiece", "jieba"))


FORMS: list[tuple[str, dict[str, Any]]] = [
    ("/", {"text": "word " * 3000}),
    ("/token", {"text": "abc def", "token": "1"}),
    ("/compare", {"text": "x" * 30_000, "with": ROWS}),
    ("/", {"text": "q " * 10_000, "frequencies": "1"}),
    ("/evaluate", {"with": "fmm:jieba", "gold": "研究 生命 " * 500}),
    ("/evaluate", {"with": "fmm:jieba", "gold": "研究 生命 " * 500, "keep": "30"}),
    ("/decode", {"ids": "97 " * 4_000, "view": "apart"}),
    ("/split", {"text": "y" * 30_000, "tokens": "2000"}),
    ("/pretokens", {"text": "y" * 30_000, "pattern": "y{1,3}", "show": "tokens"}),
    ("/", {"text": "É 𠮷 " * 9_000, "algorithm": "wordpiece", "lowercase": "1"}),
    ("/split.zip", {"text": "a", "tokens": "-1"}),
    ("/vocabularies/expand", {"base": "wordpiece", "source": "tokens", "tokens": "the\n" * 1000}),
    ("/vocabularies/expand/store", {"base": "wordpiece", "source": "tokens", "tokens": ""}),
    ("/steps/bpe", {"text": "z" * 100_000}),
    ("/steps/training/bpe", {"corpus": "abab", "size": "x"}),
    ("/upload", {"text": "abc"}),
    ("/share", {"text": "abc", "title": "t" * 500}),
    ("/share", {"text": "abc", "vocabulary": "nope"}),
    ("/nope", {"text": "a"}),
]


TALK = {"messages": '[{"role": "tool", "content": "<b>", "name": "a"}]', "title": "Three"}


class Asking:
    """Requests pages in a language: whole ones, or parts as htmx does."""

    def __init__(self, app: Flask, language: str, *, partial: bool) -> None:
        self.client = app.test_client()
        self.headers = {"Accept-Language": language, **(HTMX if partial else {})}

    def get(self, address: str) -> str:
        answer = self.client.get(address, headers=self.headers)
        assert answer.status_code != 500, address
        return answer.text

    def post(self, address: str, form: dict[str, Any]) -> Any:
        answer = self.client.post(address, data=form, headers=self.headers)
        assert answer.status_code != 500, address
        return answer


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The site without a network."""
    folder = tmp_path_factory.mktemp("templates")
    nowhere = {"HUB": "http://127.0.0.1:9"}
    folders = {"VOCABULARY_FOLDER": str(folder), "CORPUS_FOLDER": str(folder / "corpora")}
    app = create_app({**folders, "DATABASE_FILE": str(folder / "site.sqlite"), **nowhere})
    yield app
    storage_of(app).database.close()


def walk(asked: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    for lesson in re.findall(r'href="(/learn/\w+)"', asked.get("/learn")):
        asked.get(lesson)
        key = re.search(r'id="edit-([\w-]+)"', asked.get(lesson))
        if key:
            target = {"HX-Target": f"div#{key.group(1)}"}
            assert asked.client.get(lesson, headers={**asked.headers, **target}).status_code == 200
    for address in addresses():
        asked.get(address)
    for address, form in FORMS:
        asked.post(address, form)
    train(asked)
    for form in ({"text": "abc def", "title": "One"}, {"text": "abc", "with": ROWS, "note": "Two"}, TALK):
        answer = asked.post("/share", form)
        page = answer.headers["Location"]
        deletion = re.search(r"/s/\w+/delete/[\w-]+", answer.text)
        assert deletion is not None
        for rest in ("", "?token=1", "?token=99", "/embed", "/report"):
            asked.get(page + rest)
        asked.get("/oembed?url=" + quote(f"http://localhost{page}"))
        asked.post(f"{page}/report", {"reason": ""})
        asked.post(f"{page}/report", {"reason": "bad"})
        asked.post(f"{page}/delete/nope", {})
        asked.get(deletion.group())
        asked.post(deletion.group(), {})
        asked.get(page)
        asked.get(f"{page}/embed")
    entry = published(asked.client.application)
    waiting = [f"/vocabularies/{PUBLISHED}", f"/?text=a&vocabulary={PUBLISHED}", "/steps/bpe?text=a"]
    waiting.append(f"/vocabularies/diff?a={PUBLISHED}&b=unigram")
    for address in (*waiting, "/compare?text=a", "/messages"):
        fails_with(StillFetchingError(entry, 5, 10), asked, address, monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr("webapp.storage.snapshots.SnapshotStore.get", lambda *_: 1 / 0)
        asked.client.get("/s/zzzzzzzzz/embed", headers=asked.headers)
    why = FetchError("slow", "no end in sight", "example.org", PUBLISHED)
    fails_with(UnavailableVocabularyError(entry, why), asked, f"/vocabularies/{PUBLISHED}", monkeypatch)


def train(asked: Asking) -> None:
    """Start a training, and cancel it."""
    text = " ".join(f"{word}{number}" for word in ("alpha", "beta", "gamma") for number in range(300))
    choices = asked.post("/train/corpus", {"text": text}).headers["Location"]
    for rest in ("", "&size=1", "&trainer=unigram&keep=0.5"):
        asked.get(choices + rest)
    form = {"corpus": choices.partition("corpus=")[2], "size": "300"}
    asked.post("/train", {**form, "size": "99999"})
    page = asked.post("/train", form).headers["Location"]
    asked.get(page)
    asked.post(f"{page}/cancel", {})
    asked.get(page)


def fails_with(error: Exception, asked: Asking, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Request a page while the vocabularies cannot be loaded."""

    def fail(name: str) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("webapp.tokenization.result.tokenizer_of", fail)
        patch.setattr("webapp.pages.vocabularies.found.tokenizer_of", fail)
        patch.setattr("webapp.tools.difference.tokenizer_of", fail)
        patch.setattr("webapp.tokenization.conversation.count.tokenizer_of", fail)
        asked.get(address)


def published(app: Flask) -> CatalogueEntry:
    with app.app_context():
        entry = find(PUBLISHED)
    assert entry is not None
    return entry


@pytest.mark.exhaustive
def test_every_page_is_rendered_with_nothing_undefined(site: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    walk(Asking(site, "en", partial=False), monkeypatch)
    walk(Asking(site, "zh", partial=True), monkeypatch)
