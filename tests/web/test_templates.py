"""Templates use no variable that their context does not provide: undefined ones are errors, on every page."""

import re
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
/homework /homework?exercise=hf-unhug&answer=x /homework?exercise=hit-fmm&answer=a /homework?exercise=hf-pair-counts
/homework?exercise=nope /homework?sheet=nope /homework/sheet?task=hf-unhug /homework/report?sheet=nope /homework/reports
/s/unknown00 /s/unknown00/embed /download/tokens.svg?vocabulary=nope&text=a
"""  # each renders a template, or a part of one, that the others do not


@pytest.mark.exhaustive
def test_every_page_is_rendered_with_nothing_undefined(app: Flask) -> None:
    client, headers = app.test_client(), {"Accept-Language": "zh"}
    for lesson in re.findall(r'href="(/learn/\w+)"', client.get("/learn").text):
        page = client.get(lesson, headers=headers)
        assert page.status_code == 200
        if key := re.search(r'id="edit-([\w-]+)"', page.text):
            target = {"HX-Target": f"div#{key[1]}"}
            assert client.get(lesson, headers=headers | HTMX | target).status_code == 200
    for address in ADDRESSES.split():
        assert client.get(address, headers=headers).status_code != 500, address
