"""Whatever an address or a form contains, a page responds with a message: never with an error of its own."""

from collections.abc import Iterable
from itertools import chain
from urllib.parse import urlencode

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import EXPENSIVE
from tests.site import HTMX
from webapp.pages.learn.lessons import LESSONS
from webapp.tools import TOOLS
from webapp.vocabularies import CATALOGUE, offered_algorithms

STATE = ["algorithm", "vocabulary", "pick", "text", "corpus", "dictionary", "edits", "size", "token"]
STATE += ["runs", "lowercase", "special", "template", "show"]
STATE += ["inference", "dropout", "alpha", "seed", "model", "prefix", "suffix", "added"]
COMPARE = [*STATE, "with", "with", "layout", "add", "remove", "up", "down", "preset", "search", "find"]
STEPS = [*STATE, "step", "n", "temperature", "seed"]
TRAINING = ["corpus", "packed", "symbols", "size", "text", "apart", "minimum", "longer", "plain", "every", "step"]
TRAINING += ["mark", "before", "ties"]
EXPANSION = ["base", "source", "addition", "tokens", "tokens", "text", "bridge"]
# The parameters that each page reads.
READ = {"/compare": COMPARE, "/compare/choices": COMPARE, "/frequencies": STATE}
READ |= {f"/steps/{algorithm}": STEPS for algorithm in (*offered_algorithms(), "words", "nothing")}
READ |= {f"/steps/training/{algorithm}": TRAINING for algorithm in ("bpe", "wordpiece", "unigram", "nothing")}
READ |= {f"/learn/{lesson.slug}": list(lesson.by_key) for lesson in LESSONS}
TRAIN = ["corpus", "trainer", "size", "split", "pattern", "normalization", "special_tokens", "keep", "coverage"]
READ |= {"/train": TRAIN, "/train/nothing": []}
READ["/"] = [*STATE, "edit", "edit_word", "edit_frequency", "undo", "add_word", "remove_word"]
READ["/dictionary.txt"] = STATE
READ |= {"/steps": [], "/steps/training": [], "/learn": []}
EVALUATE = ["with", "with", "gold", "training", "output", "runs", "method", "kind", "page", "keep"]
READ |= {"/evaluate": EVALUATE, "/evaluate/nothing": EVALUATE, "/evaluate/files/errors.csv": EVALUATE}
MESSAGES = ["messages", "role", "content", "extra", "tools", "json", "paste", "add", "up", "down", "remove", "template"]
MESSAGES += ["source", "vocabulary", "reply", "markers", "model", "model_before", "vocabulary_before", "context"]
MESSAGES += ["price", "price_before", "entered", "view", "show"]
MORE = {"measures": [*STATE, "gold", "gold"], "messages": MESSAGES, "decode": STATE, "expansion": EXPANSION}
for tool in TOOLS:
    fields = [field.serialization_alias or name for name, field in tool.input.page_fields().items()]
    fields += [*MORE.get(tool.name, []), "show", "list", "by", "with", "with"]
    READ |= {f"{tool.address}{ending}": fields for ending in ("", ".json", *(f".{each}" for each in tool.files))}
    READ |= {f"{tool.address}.csv": fields} if tool.table else {}
READ |= {"/bytes": ["vocabulary"]}
READ |= {f"/vocabularies/{name}/tokens/300": ["others"] for name in ("wordpiece", "bpe-bytes")}
READ |= {f"/vocabularies/{name}/unreachable": ["reason", "page"] for name in ("wordpiece", "jieba")}
ONLY_READ = ("/compare/choices", "/evaluate/", "/train", "/messages.csv", "/messages.txt", "/measures.csv", "/models")
ONLY_READ += (
    "/bytes",
    "/vocabularies/diff",
    *(f"/vocabularies/{name}" for name in ("wordpiece", "bpe-bytes", "jieba")),
)
WRITTEN = [path for path in READ if not path.startswith(ONLY_READ) and path not in ("/steps", "/learn")]

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


# Files of pages, which draw `format=json` themselves, and what takes seconds.
LONG = (
    ".",
    "/learn/",
    "bpe-bytes",
    "/unreachable",
    "/vocabularies/diff",
    "/languages",
    "/steps/ngram",
    "/compare/choices",
)


def chosen(paths: Iterable[str]) -> list[object]:
    """Leave what takes long to exhaustive runs."""
    exhaustive = pytest.mark.exhaustive
    return [pytest.param(path, marks=exhaustive) if any(part in path for part in LONG) else path for path in paths]


@pytest.mark.parametrize("path", chosen(READ))
@EXPENSIVE
@given(data=st.data(), headers=headers)
def test_no_address_breaks_a_page(app: Flask, path: str, data: st.DataObject, headers: dict[str, str]) -> None:
    query = data.draw(queries(path))
    answer = app.test_client().get(f"{path}?{query}", headers=headers)
    # 503: a vocabulary that cannot be fetched here.
    assert answer.status_code < 500 or answer.status_code == 503, query
    assert answer.mimetype != "text/html" or " style=" not in answer.text


@pytest.mark.parametrize("path", chosen(WRITTEN))
@EXPENSIVE
@given(data=st.data(), headers=headers)
def test_no_form_breaks_a_page(app: Flask, path: str, data: st.DataObject, headers: dict[str, str]) -> None:
    form = data.draw(queries(path))
    answer = app.test_client().post(path, data=form, headers=headers, content_type="application/x-www-form-urlencoded")
    assert answer.status_code < 500 or answer.status_code == 503, form
