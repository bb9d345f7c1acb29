"""Lattice, Viterbi table, n best segmentations: against the models, and against all paths."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence

import pytest
import sentencepiece
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.sentencepieces import made, trained
from tests.core.texts import CORPUS, any_text
from tests.properties import EXPENSIVE
from webapp.core.formats import sentencepiece as sentencepiece_format
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import SentencePieceUnigram, single
from webapp.core.models.unigram import Unigram
from webapp.core.traces.lattice import (
    Arc,
    Lattice,
    LatticeModel,
    best_path,
    fill,
    lattice_of,
    n_best,
    path_back,
    tokens_of,
)

ALPHABET = "abcé研"
words = st.text(ALPHABET, max_size=12)
pieces = st.lists(st.text(ALPHABET, min_size=1, max_size=4), unique=True, max_size=14)
# Few different scores make ties frequent; some have no short binary fraction, so that rounding creates differences
# between equal sums, and the last few push a sum past the point where SentencePiece rebases it to 0.
SCORES = [-0.5, -1.0, -1.5, -2.0, -3.0, -0.1, -0.2, -0.3, -7.3, 0.0]
STEEP = [-99_999.95, -60_000.7, -250_000.3]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


@st.composite
def unigrams(draw: st.DrawFn) -> Unigram:
    every = ["<unk>", *draw(pieces), *(BYTES if (falls_back := draw(st.booleans())) else [])]
    scores = [draw(st.sampled_from(SCORES)) for _ in every[:15]] + [-5.0] * len(every[15:])
    return Unigram(
        every,
        scores[: len(every)],
        unknown_id=draw(st.sampled_from([0, 0, 0, len(every[:15]) - 1])),
        byte_fallback=falls_back,
    )


@st.composite
def sentencepieces(draw: st.DrawFn) -> SentencePieceUnigram:
    names, falls_back = draw(pieces), draw(st.booleans())
    usual = [PieceKind.NORMAL] * 4 + [PieceKind.USER_DEFINED, PieceKind.UNUSED, PieceKind.CONTROL]
    kinds = [PieceKind.UNKNOWN, *(draw(st.sampled_from(usual)) for _ in names)]
    scores = [0.0, *(draw(st.sampled_from(SCORES + draw(st.sampled_from([[], STEEP])))) for _ in names)]
    more = 256 if falls_back else 0
    return SentencePieceUnigram(
        ScoredPieces(
            ["<unk>", *names, *BYTES[:more]],
            scores + [0.0] * more,
            kinds + [PieceKind.BYTE] * more,
            byte_ids=range(len(kinds), len(kinds) + 256) if falls_back else None,
        )
    )


models = st.one_of(unigrams(), sentencepieces())


def all_paths(lattice: Lattice, start: int = 0) -> Iterator[tuple[Arc, ...]]:
    if start == len(lattice.text):
        yield ()
    for arc in lattice.by_start()[start]:
        for path in all_paths(lattice, arc.end):
            yield (arc, *path)


def log_weight(path: Sequence[Arc]) -> float:
    return math.fsum(arc.score for arc in path)


def shares(lattice: Lattice) -> dict[tuple[Arc, ...], float]:
    """Return the exact distribution over all paths."""
    weights = {path: log_weight(path) for path in all_paths(lattice)}
    greatest = max(weights.values())
    total = math.fsum(math.exp(weight - greatest) for weight in weights.values())
    return {path: math.exp(weight - greatest) / total for path, weight in weights.items()}


# --- the table


def check_table(model: LatticeModel, text: str) -> None:
    lattice = lattice_of(model, text)
    columns = list(fill(lattice))
    assert [column.end for column in columns] == list(range(1, len(text) + 1))
    for column in columns:
        starts = [candidate.arc.start for candidate in column.candidates]
        assert starts == sorted(set(starts)), "one arc from each position, the longest first"
        assert all(candidate.arc.end == column.end for candidate in column.candidates)
    path = best_path(lattice)
    assert "".join(arc.text for arc in path) == text
    assert path_back(columns) == list(reversed(path))
    assert list(tokens_of(model, text, path)) == list(model.segment(text))


@given(model=models, text=words)
@example(model=Unigram(["<unk>", "a", "aa"], [0, -1, -2], unknown_id=0), text="aaaa")
@example(model=Unigram(["a", "<unk>"], [-1, -2], unknown_id=0), text="abab")
def test_the_table_ends_in_the_pieces_of_the_model(model: LatticeModel, text: str) -> None:
    check_table(model, text)


VARIANTS = [
    {},
    {"byte_fallback": True, "vocab_size": 600},
    {"user_defined_symbols": "<sep>,wife,人说,ing the,▁of,é"},
    {"split_by_whitespace": False},
]


@given(at=st.sampled_from(range(len(VARIANTS))), text=any_text)
@example(at=0, text=CORPUS[:1500])
def test_the_table_of_models_trained_by_sentencepiece(at: int, text: str) -> None:
    content = trained(model_type="unigram", **VARIANTS[at])
    tokenizer = sentencepiece_format.read(content)
    assert isinstance(tokenizer.model, SentencePieceUnigram)
    normalized = tokenizer.normalizer.normalize(text) if tokenizer.normalizer else text
    check_table(tokenizer.model, normalized)
    path = best_path(lattice_of(tokenizer.model, normalized))
    rival = sentencepiece.SentencePieceProcessor(model_proto=content)
    assert [id for id, _, _ in tokens_of(tokenizer.model, normalized, path)] == rival.encode(text)


@EXPENSIVE
@given(text=st.text("abcd", min_size=1, max_size=14), n=st.integers(1, 20), seed=st.integers(0, 50))
def test_the_n_best_equal_sentencepiece(text: str, n: int, seed: int) -> None:
    """Use scores of few bits, so that no sum is rounded: the order is the same wherever sums differ."""
    names = [*"abcd", "ab", "bc", "cd", "da", "abc", "bcd", "aa", "bb", "abcd", "ca"]
    chosen = random.Random(seed)
    scores = [-1 - chosen.getrandbits(12) / 4096 for _ in names]
    content = made(
        [("<unk>", 0.0, 2), *((name, score, 1) for name, score in zip(names, scores, strict=True))],
        model_type=1, add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False,
    )  # fmt: skip
    tokenizer = sentencepiece_format.read(content)
    assert isinstance(tokenizer.model, SentencePieceUnigram)
    found = n_best([lattice_of(tokenizer.model, text)], n + 1)
    totals = [one.score for one in found]
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content).nbest_encode(text, nbest_size=n)
    score_of = [0.0, *map(single, scores)]
    assert [math.fsum(score_of[id] for id in ids) for ids in theirs] == totals[:n]
    for one, ids in zip(found, theirs, strict=False):
        if totals.count(one.score) == 1:  # of equals, either may come first
            assert [arc.id for arc in one.paths[0]] == ids


def test_an_empty_text() -> None:
    lattice = lattice_of(Unigram(["<unk>"], [0.0], unknown_id=0), "")
    assert list(fill(lattice)) == path_back([]) == []
    assert [found.probability for found in n_best([lattice], 3)] == [1.0]
    assert [found.probability for found in n_best([], 3)] == [1.0]


# --- the n best


@given(model=models, texts=st.lists(st.text(ALPHABET, max_size=5), min_size=1, max_size=2), n=st.integers(1, 20))
def test_the_n_best_are_the_best_of_all_paths(model: LatticeModel, texts: list[str], n: int) -> None:
    """Each text is a pre-token; a tie may be broken either way, and single precision rounds to 24 bits."""
    lattices = [lattice_of(model, text) for text in texts]
    every = [shares(lattice) for lattice in lattices]
    exact = {paths: math.prod(map(dict.__getitem__, every, paths)) for paths in itertools.product(*every)}
    found = n_best(lattices, n)
    assert found[0].paths == tuple(map(best_path, lattices))
    assert len({one.paths for one in found}) == len(found) == min(n, len(exact))
    best = sorted((sum(map(log_weight, paths)) for paths in exact), reverse=True)[:n]
    assert [one.score for one in found] == pytest.approx(best, rel=1e-5, abs=1e-4)
    for one in found:
        assert one.probability == pytest.approx(exact[one.paths], rel=1e-9, abs=1e-12)


def test_the_n_best_of_a_long_text_are_quick_and_distinct() -> None:
    model = Unigram(["<unk>", "a", "aa", "aaa", "aaaa"], [0, -1, -2, -3, -4], unknown_id=0)
    found = n_best([lattice_of(model, "a" * 200)], 20)
    assert len({one.paths for one in found}) == 20
    assert all(0 < one.probability < 1e-40 for one in found)
