"""Templates use no variable that their context does not provide: undefined ones are errors, on every page."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from jinja2.exceptions import UndefinedError

from tests.site import HTMX
from webapp.web.templates import ErrorMessage


def test_an_undefined_variable_is_an_error(app: Flask) -> None:
    with app.test_request_context("/"), pytest.raises(UndefinedError, match="mesage"):
        app.jinja_env.from_string("{{ mesage }}").render(**ErrorMessage(message="no").variables())


TEXT = quote("研究生命 the newest <b>&lt;")
LONG = "x" * 300
ROWS = ["bpe:bpe-bytes", "fmm:jieba"]


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


@pytest.mark.exhaustive
def test_every_page_is_rendered_with_nothing_undefined(app: Flask) -> None:
    client, headers = app.test_client(), {"Accept-Language": "zh"}
    for lesson in re.findall(r'href="(/learn/\w+)"', client.get("/learn").text):
        page = client.get(lesson, headers=headers)
        assert page.status_code == 200
        if key := re.search(r'id="edit-([\w-]+)"', page.text):
            target = {"HX-Target": f"div#{key[1]}"}
            assert client.get(lesson, headers=headers | HTMX | target).status_code == 200
    for address in addresses():
        assert client.get(address, headers=headers).status_code != 500, address
    for address, form in FORMS:
        for part in ({}, HTMX):
            assert client.post(address, data=form, headers=headers | part).status_code != 500, address
