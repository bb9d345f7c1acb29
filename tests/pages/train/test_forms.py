"""The plan of a form, and the kind of a file."""

import gzip
import io
import json
from typing import Any

import pytest
import zstandard
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import MultiDict

from tests.properties import EXPENSIVE
from webapp.core.trainers.ties import TIE_RULES
from webapp.core.training.plan import TIED, TRAINERS, TrainingPlan
from webapp.pages.train.corpora import format_of
from webapp.pages.train.plan import DEFAULTS, PlanRequest, plan_from, request_of


def read(app: Flask, **values: str) -> PlanRequest:
    with app.test_request_context("/train"):
        return plan_from(MultiDict(values))


@pytest.mark.parametrize(
    "document",
    [
        {"trainer": "unigram", "size": 500, "split": "own", "pattern": r"\p{L}+|\s", "normalization": "nfkc"}
        | {"special_tokens": ["<a>", "<b c>"], "minimum_count": 3, "coverage": 0.999, "keep": 0.5, "seeds": "bpe"}
        | {"longest_piece": 20, "longest_word": 300},
        *({"trainer": trainer, "ties": ties} for trainer in TIED for ties in TIE_RULES),
    ],
)
def test_a_plan_survives_its_address(app: Flask, document: dict[str, Any]) -> None:
    plan = TrainingPlan.from_json(document)
    assert read(app, **dict(request_of(plan).changed())).plan == plan


def test_choices_of_another_algorithm_are_dropped(app: Flask) -> None:
    for found in (read(app), read(app, trainer="bpe-bytes", keep="0.5", seeds="nonsense")):
        assert (found.plan, found.problems) == (TrainingPlan(), {})


@EXPENSIVE
@given(values=st.dictionaries(st.sampled_from([*DEFAULTS]), st.text(max_size=30) | st.sampled_from([*TRAINERS, "own"])))
def test_any_form_gives_a_plan_or_problems(app: Flask, values: dict[str, Any]) -> None:
    found = read(app, **values)
    assert TrainingPlan.from_json(json.loads(json.dumps(found.plan.as_json()))) == found.plan
    assert set(found.problems) <= set(DEFAULTS)


LINES = b'{"text": "low"}\n{"text": "lower"}\n'


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.txt", b"low lower", "text"),
        ("a", b"", "text"),
        ("a.jsonl", b"", "jsonl"),
        ("A.NDJSON", LINES, "jsonl"),
        ("a.txt", LINES, "jsonl"),
        ("a.txt", b"\xef\xbb\xbf" + LINES, "jsonl"),
        ("a.json", b"{\n", "text"),
        ("a.gz", gzip.compress(LINES, mtime=0), "jsonl"),
        ("a.gz", gzip.compress(b"low", mtime=0), "text"),
        ("a.zst", zstandard.compress(LINES), "jsonl"),
        ("a.jsonl.zst", zstandard.compress(b""), "jsonl"),
        ("a.gz", b"\x1f\x8bdamaged", "text"),
        ("a.zst", b"\x28\xb5\x2f\xfddamaged", "text"),
    ],
)
def test_the_format_is_recognized(name: str, content: bytes, format: str) -> None:
    stream = io.BytesIO(content)
    assert format_of(name, stream) == format
    assert stream.read() == content
