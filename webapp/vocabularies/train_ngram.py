"""Trains the built-in n-gram model: words that maximum probability finds in the Chinese books, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram_counts import HIGHEST_ORDER, LONGEST_WORD, NGramCounts
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.text.sentences import sentence_spans
from webapp.core.trainers.ngram import count_numbers, pruned
from webapp.vocabularies.corpus import THIRD, beginning_of, without_doubled_glosses
from webapp.vocabularies.shipped_ngram import written

MODERN = "zh_luxun.txt"
NOVELS = ("zh_honglou.txt", "zh_shuihu.txt")
MINIMUM_WORD = 3  # occurrences of a word that the dictionary does not have
MINIMUM_NGRAM = 2
NOTES = (
    "Sentences are segmented by maximum probability with jieba's dictionary and HMM. A sentence ends after 。, ！ or "
    "？, and at the end of a line; white space is no word.",
    "The modern book is read up to where the other vocabularies stop, so that its rest remains a held-out text; both "
    "novels are read as a whole. Simplified characters only.",
    f"The words are those of jieba's dictionary, and others that occur at least {MINIMUM_WORD} times; the rest is one "
    "unknown word, whose characters are counted where they are no words themselves.",
    f"Bigrams and trigrams that occur less than {MINIMUM_NGRAM} times are removed after discounts and weights were "
    "estimated from all of them. What is left for unseen words follows from jieba's frequencies (order 0).",
)

Segment = Callable[[str], Sequence[str]]


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each book."""
    modern = (folder / MODERN).read_text(encoding="utf-8")
    yield MODERN, without_doubled_glosses(beginning_of(modern, THIRD // 2))
    for name in NOVELS:
        yield name, (folder / name).read_text(encoding="utf-8")


def segmented(text: str, segment: Segment) -> Iterator[list[str]]:
    """Yield the words of each sentence of a text, without white space."""
    for start, end in sentence_spans(text):
        words = [word for word in segment(text[start:end]) if not word.isspace()]
        if words:
            yield words


def count(
    sentences: Sequence[Sequence[str]], dictionary: Dictionary, minimum_ngrams: Sequence[int]
) -> tuple[NGramCounts, CharacterModel]:
    """Return the counts of sentences over the words of a dictionary and frequent others, and the unknown characters."""
    found = Counter(word for sentence in sentences for word in sentence)
    others = [
        word
        for word, count in found.items()
        if word not in dictionary and count >= MINIMUM_WORD and len(word) <= LONGEST_WORD
    ]
    words = [*dictionary.words, *others]
    numbers = {word: number for number, word in enumerate(words)}
    unknown = len(words) + 2
    counts = count_numbers(words, ([numbers.get(word, unknown) for word in each] for each in sentences), HIGHEST_ORDER)
    characters = Counter(
        character
        for word, number in found.items()
        if word not in numbers
        for character in word
        if character not in numbers
        for _ in range(number)
    )
    return pruned(counts, minimum_ngrams), CharacterModel(dict(sorted(characters.items())))


def train(folder: Path, dictionary: Dictionary, segment: Segment) -> tuple[bytes, dict[str, Any]]:
    """Return the file of the built-in model and its record, without checksum and size."""
    began = process_time()
    sentences = [words for _, text in texts(folder) for words in segmented(text, segment)]
    segmented_at = process_time()
    counts, characters = count(sentences, dictionary, (MINIMUM_NGRAM, MINIMUM_NGRAM))
    content = written(counts, dictionary, characters)
    return content, {
        "pieces": len(counts.words),
        "parameters": {
            "order": HIGHEST_ORDER,
            "minimum count of a word outside the dictionary": MINIMUM_WORD,
            "minimum count of a bigram or trigram": MINIMUM_NGRAM,
        },
        "notes": NOTES,
        "books": {name: len(text.encode()) for name, text in texts(folder)},
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "n-grams": [counts.size(length) for length in range(1, HIGHEST_ORDER + 1)],
        "seconds to count": round(segmented_at - began, 1),
        "seconds to train": round(process_time() - segmented_at, 1),
    }
