"""Whatever an address or a form contains, a page responds with a message: never with an error of its own."""

from itertools import chain
from urllib.parse import urlencode

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import EXPENSIVE
from tests.site import HTMX
from webapp.pages.learn.lessons import LESSONS
from webapp.vocabularies import CATALOGUE, offered_algorithms

STATE = ["algorithm", "vocabulary", "pick", "text", "corpus", "dictionary", "edits", "size", "token"]
STATE += ["runs", "lowercase", "special", "template", "show"]
STATE += ["inference", "dropout", "alpha", "seed", "model", "prefix", "suffix", "added"]
COMPARE = [*STATE, "with", "with", "layout", "add", "remove", "up", "down", "preset", "search", "find"]
STEPS = [*STATE, "step", "longest", "pieces", "n", "temperature", "seed"]
TRAINING = ["corpus", "packed", "symbols", "size", "text", "apart", "minimum", "longer", "plain", "every", "step"]
EXPANSION = ["base", "source", "addition", "tokens", "tokens", "text", "bridge"]
LANGUAGES = ["with", "with", "measure", "sort", "order", "own", "own_english"]
# The parameters that each page reads.
READ = {"/compare": COMPARE, "/compare/choices": COMPARE, "/frequencies": STATE, "/languages": LANGUAGES}
READ |= {f"/steps/{algorithm}": STEPS for algorithm in (*offered_algorithms(), "words", "nothing")}
READ |= {f"/steps/training/{algorithm}": TRAINING for algorithm in ("bpe", "wordpiece", "unigram", "nothing")}
READ |= {f"/learn/{lesson.slug}": list(lesson.by_key) for lesson in LESSONS}
TRAIN = ["corpus", "trainer", "size", "split", "pattern", "normalization", "special_tokens", "keep", "coverage"]
READ |= {"/train": TRAIN, "/train/nothing": []}
READ |= {"/vocabularies/expand": EXPANSION}
READ |= {path: [*STATE, "kind", "list", "page"] for path in ("/ambiguity", "/ambiguity.csv", "/ambiguity.json")}
READ |= {
    "/": [*STATE, "edit", "edit_word", "edit_frequency", "undo", "add_word", "remove_word"],
    "/dictionary.txt": STATE,
}
DECODE = ["ids", "ids", "vocabulary", "skip", "view", "page", "text", "algorithm", "special", "template"]
READ |= dict.fromkeys(("/decode", "/decode.json", "/decode.csv"), DECODE)
READ |= {"/steps": [], "/steps/training": [], "/learn": []}
READ |= {"/vocabularies/diff": ["a", "b", "show", "query", "page"]}
PRETOKENS = ["vocabulary", "text", "pattern", "under", "show", "special"]
READ |= dict.fromkeys(("/pretokens", "/pretokens.json"), PRETOKENS)
EVALUATE = ["with", "with", "gold", "training", "output", "runs", "method", "kind", "page", "keep"]
READ |= {"/evaluate": EVALUATE, "/evaluate/nothing": EVALUATE, "/evaluate/files/errors.csv": EVALUATE}
MESSAGES = ["messages", "role", "content", "extra", "tools", "json", "paste", "add", "up", "down", "remove", "template"]
MESSAGES += [
    "source",
    "vocabulary",
    "reply",
    "markers",
    "model",
    "model_before",
    "vocabulary_before",
    "context",
    "price",
]
MESSAGES += ["price_before", "entered", "view", "show"]
READ |= dict.fromkeys(("/messages", "/messages.json", "/messages.csv", "/messages.txt"), MESSAGES)
MEASURES = [*STATE, "with", "with", "gold", "gold"]
READ |= dict.fromkeys(("/measures", "/measures.json", "/measures.csv"), MEASURES)
READ |= {"/models": ["q"], "/models.json": ["q"], "/bytes": ["vocabulary"]}
READ |= {f"/vocabularies/{name}/tokens/300": ["others"] for name in ("wordpiece", "bpe-bytes")}
READ |= {f"/vocabularies/{name}/unreachable": ["reason", "page"] for name in ("wordpiece", "jieba")}
WRITTEN = [
    "/",
    "/dictionary.txt",
    "/ambiguity",
    "/evaluate",
    "/ambiguity.csv",
    "/ambiguity.json",
    "/compare",
    "/decode",
    "/decode.json",
    "/decode.csv",
    "/frequencies",
    "/languages",
    "/measures",
    "/measures.json",
    "/pretokens",
    "/pretokens.json",
    "/messages",
    "/messages.json",
    "/vocabularies/expand",
]
WRITTEN += [path for path in READ if path.startswith(("/steps/", "/learn/"))]

# fmt: off
NUMBERS = ["0", "1", "-1", "2", "3", "7", "200", "1e9", "1" * 30, "9" * 5000, "٣", "²", " 1 ", "1_0", "nan", "-0.0"]
NAMES = [*CATALOGUE, *offered_algorithms()]
NAMES += ["fmm:jieba", "bpe:", ":", "bpe:learned-bytes", "gpt2", "bpe:gpt2", "x" * 300]
NAMES += ["upload-" + "0" * 12, "json", "columns", "bytes", "relative", "down", "add", "remove", "overlapping"]
NAMES += ["name", "script", "same", "apart", "longest", "fewest", "dropout", "sample", "qwen", "gpt-4o", "all", "ngram"]
TEXTS = ["", "low lower lowest", "研究生命科学", "\0", "\r\n\t ", "e\u0301\u200d👩‍👩‍👧 שלום", "<|endoftext|>[CLS]"]
TEXTS += ["(a+)+$", "(", "\\p{L}+|(?i)b|[", "a{99999}", "(?R)", "a|b|\\d", "|"]
TEXTS += ['[{"role": "user", "content": "a"}]', '{"messages": [{"role": "\\ud800"}]}', "{% for a in", "own", "text"]
TEXTS += ["\ufffe", "a" * 250, "词 1 n\n词 x", "a\t9999999999999999999", "%00", "' onload=\"<script>"]
TEXTS += ["[1, 2, 0x3]", '{"ids": [4, "5"]}', "[" * 300, "240 159 x -5", "240 159 2"]
# fmt: on

values = st.sampled_from(NUMBERS) | st.sampled_from(NAMES) | st.sampled_from(TEXTS) | st.text(max_size=40)
headers = st.sampled_from([{}, HTMX, HTMX | {"HX-Target": "div#numbers"}, {"HX-Target": "x" * 50}])


def queries(path: str) -> st.SearchStrategy[str]:
    """Draw parameters that a page reads, with any values."""
    pairs = st.lists(st.tuples(st.sampled_from([*READ[path], "lang"]), values), max_size=8)
    twin = st.sampled_from([[], [("format", "json")]])
    return st.builds(lambda *parts: urlencode([*chain(*parts)]), pairs, twin)


@pytest.mark.parametrize("path", READ)
@EXPENSIVE
@given(data=st.data(), headers=headers)
def test_no_address_breaks_a_page(app: Flask, path: str, data: st.DataObject, headers: dict[str, str]) -> None:
    query = data.draw(queries(path))
    answer = app.test_client().get(f"{path}?{query}", headers=headers)
    # 503: a vocabulary that cannot be fetched here.
    assert answer.status_code < 500 or answer.status_code == 503, query
    assert " style=" not in answer.text or answer.mimetype != "text/html"


@pytest.mark.parametrize("path", WRITTEN)
@EXPENSIVE
@given(data=st.data(), headers=headers)
def test_no_form_breaks_a_page(app: Flask, path: str, data: st.DataObject, headers: dict[str, str]) -> None:
    form = data.draw(queries(path))
    answer = app.test_client().post(path, data=form, headers=headers, content_type="application/x-www-form-urlencoded")
    assert answer.status_code < 500 or answer.status_code == 503, form
