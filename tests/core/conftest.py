"""Vocabularies trained by `tokenizers`, loaded only for the tests that compare with it, and the worked examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.core import PIPELINES

if TYPE_CHECKING:
    from tests.core.pairs import Pair


def _pair(name: str) -> Pair:
    from tests.core.pairs import pair_of

    return pair_of(name)


@pytest.fixture(scope="session", params=PIPELINES)
def pair(request: pytest.FixtureRequest) -> Pair:
    """One vocabulary, read by us and by `tokenizers`."""
    return _pair(request.param)


@pytest.fixture(scope="session")
def byte_pair() -> Pair:
    """A byte-level BPE."""
    return _pair("byte_bpe")


@pytest.fixture(scope="session")
def wordpiece_pair() -> Pair:
    """A WordPiece vocabulary with BERT's special tokens."""
    return _pair("wordpiece")


@pytest.fixture(scope="session")
def worked_examples(shared: Path) -> dict[str, Any]:
    """Results that the algorithms must reproduce."""
    path = shared / "examples" / "worked_examples.json"
    examples: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return examples
