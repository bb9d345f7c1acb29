"""Measures characters per token by algorithm and vocabulary size, on text that no vocabulary was trained on.

    python -m webapp.vocabularies.sizes --corpora DIR --texts DIR --out webapp/vocabularies/shipped/SIZES.json

trains the four built-in vocabularies again, on the same corpus and with the same parameters, but to several sizes, and
measures each on held-out text: a novel outside the corpus, and the part of the modern Chinese file that `train` does
not read. At 32,000 pieces they equal the built-in vocabularies.

Each series starts with the smallest possible vocabulary, which has only the alphabet: the 256 bytes, or the characters
of the corpus.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from webapp.core import recipes
from webapp.core.recipes import Recipe
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, wordpiece
from webapp.core.trainers.word_counts import WordCounts, alphabet, characters, merged
from webapp.vocabularies.corpus import SOURCES, CorpusPart, Support, beginning_of, interleaved, read_corpus
from webapp.vocabularies.train import COVERAGE, SIZE, train_bytes, train_characters, train_unigram, train_wordpiece

SIZES = (500, 1_000, 2_000, 4_000, 6_000, 8_000, 11_000, 16_000, 23_000, SIZE)
NOVEL = "en_pride_and_prejudice.txt"
BEGINS, ENDS = "*** START OF THE PROJECT GUTENBERG EBOOK", "*** END OF THE PROJECT GUTENBERG EBOOK"
CHINESE = "zh_luxun.txt"
NOTES = (
    "Trained like the shipped vocabularies, on the same corpus with the same parameters (RECORD.json).",
    "Held-out English is Pride and Prejudice without the publisher's notices; held-out Chinese is the part of "
    f"{CHINESE} after the part that was used for training.",
    "Each algorithm's first size is that of its alphabet with the special tokens: no smaller vocabulary exists.",
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HeldOut:
    """A held-out text, its language and the name of its file."""

    language: str
    name: str
    text: str


@dataclass(frozen=True)
class SizedVocabulary:
    """A tokenizer and the size of its vocabulary, special tokens included."""

    pieces: int
    tokenizer: Tokenizer


def main(arguments: Sequence[str] | None = None) -> None:
    """Train all vocabularies to all sizes, measure them and write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpora", type=Path, required=True, help="folder of the texts to train on")
    parser.add_argument("--texts", type=Path, required=True, help="folder of the held-out novel")
    parser.add_argument("--out", type=Path, required=True, help="file to write to")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    corpus = read_corpus(options.corpora)
    unseen = held_out(options.corpora, options.texts)
    lines = {}
    for recipe, found in vocabularies(corpus):
        lines[recipe.name] = [measured(sized, unseen) for sized in found]
        log.info("%s: %s", recipe.name, lines[recipe.name])
    record = {
        "command": "python -m webapp.vocabularies.sizes --corpora DIR --texts DIR "
        "--out webapp/vocabularies/shipped/SIZES.json",
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "notes": NOTES,
        "texts": {
            text.language: {
                "file": text.name,
                "characters": len(text.text),
                "sha256": sha256(text.text.encode()).hexdigest(),
            }
            for text in unseen
        },
        "vocabularies": lines,
    }
    options.out.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def vocabularies(corpus: Sequence[CorpusPart]) -> Iterator[tuple[Recipe, Iterator[SizedVocabulary]]]:
    """The four recipes in the order of `TRAINERS`, each with its vocabularies from the smallest to the largest."""
    support = Support(corpus)
    documents = interleaved(corpus)

    def counts(recipe: Recipe) -> WordCounts:
        return merged(*map(recipe.count, documents))

    yield recipes.BYTE_BPE, merging(recipes.BYTE_BPE, train_bytes(counts(recipes.BYTE_BPE), support))
    yield (
        recipes.CHARACTER_BPE,
        merging(recipes.CHARACTER_BPE, train_characters(counts(recipes.CHARACTER_BPE), support)),
    )
    yield recipes.WORDPIECE, covering(counts(recipes.WORDPIECE), support)
    yield recipes.UNIGRAM, pruning(counts(recipes.UNIGRAM), support)


def held_out(corpora: Path, others: Path) -> list[HeldOut]:
    """The held-out texts, on which no vocabulary was trained."""
    novel = (others / NOVEL).read_text(encoding="utf-8")
    novel = novel[novel.index("\n", novel.index(BEGINS)) + 1 : novel.index(ENDS)]
    budget = max(source.begin + source.size for source in SOURCES if source.name == CHINESE)
    chinese = (corpora / CHINESE).read_text(encoding="utf-8")
    return [
        HeldOut("English", NOVEL, novel.strip()),
        HeldOut("Chinese", CHINESE, chinese.removeprefix(beginning_of(chinese, budget))),
    ]


def merging(
    recipe: Recipe, trained: bpe.TrainedBPE[bytes] | bpe.TrainedBPE[str] | wordpiece.TrainedWordPiece
) -> Iterator[SizedVocabulary]:
    """The vocabularies of a merge-based algorithm: without any merge, and at each of `SIZES`."""
    model = trained.first(0)
    pieces: set[str | bytes] = {*model.pieces, *trained.special_names}
    yield SizedVocabulary(len(pieces), recipe.tokenizer(model))
    wanted = [size for size in SIZES if size > len(pieces)]
    merges: Sequence[Any] = trained.merges  # of pieces of text or of bytes
    for number, merge in enumerate(merges, start=1):
        pieces.add(merge.piece if isinstance(merge, wordpiece.ScoredMerge) else merge.left + merge.right)
        if wanted and len(pieces) == wanted[0]:
            yield SizedVocabulary(wanted.pop(0), recipe.tokenizer(trained.first(number)))


def covering(counts: WordCounts, support: Support) -> Iterator[SizedVocabulary]:
    """The vocabularies of WordPiece trained from the top down: with the alphabet alone, and at each of `SIZES`."""
    trained = train_wordpiece(counts, support)
    least = len({*trained.special_names, *trained.alphabet})
    for size in (least, *(size for size in SIZES if size > least)):
        sized = trained if size == SIZE else train_wordpiece(counts, support, size)
        yield SizedVocabulary(size, recipes.WORDPIECE.tokenizer(sized.model))


def pruning(counts: WordCounts, support: Support) -> Iterator[SizedVocabulary]:
    """The vocabularies of Unigram: with the alphabet alone, and at each of `SIZES`."""
    least = len(alphabet(characters(counts), COVERAGE)) + 1  # and the unknown piece
    for size in (least, *(size for size in SIZES if size > least)):
        yield SizedVocabulary(size, recipes.UNIGRAM.tokenizer(train_unigram(counts, support, size).model))


def measured(sized: SizedVocabulary, unseen: Sequence[HeldOut]) -> dict[str, Any]:
    """The size of a vocabulary, and for each text the number of its tokens and of the unknown ones among them."""
    tokens, unknown = {}, {}
    tokenizer = sized.tokenizer
    for text in unseen:
        ids = tokenizer.ids(text.text)
        tokens[text.language] = len(ids)
        unknown[text.language] = 0 if tokenizer.model.unknown_id is None else ids.count(tokenizer.model.unknown_id)
    return {"pieces": sized.pieces, "tokens": tokens, "unknown": unknown}


if __name__ == "__main__":
    main()
