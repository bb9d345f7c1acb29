"""Count the built-in n-gram model again, in the site's Chinese books with the words that maximum probability finds.

    python -m webapp.vocabularies.count_books CORPORA > webapp/vocabularies/shipped/ngram.json.gz

A new jieba needs a new file. It takes about a minute.
"""

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram_counts import HIGHEST_ORDER, LONGEST_WORD, Level, NGramCounts
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.trainers.ngram import count_numbers, pruned
from webapp.core.training.ngrams import sentences
from webapp.core.training.plan import TrainingPlan
from webapp.vocabularies.shipped_ngram import fingerprint, steps

BOOKS = ("zh_luxun.txt", "zh_honglou.txt", "zh_shuihu.txt")
FIRST_BYTES = 1_400_000  # of the first book, in whole lines; its rest is the held-out text of SIZES.json
LEAST_WORDS, LEAST_NGRAMS = 3, 2  # occurrences of a word that jieba does not have, and of a bigram or trigram
# A gloss in the first book repeats its word: 土谷祠土谷祠：即土地庙。 or “行状”“行状”：指…; the first one stays.
_DOUBLED = re.compile(r"([^\n：，。！？；]{2,40})\1(?=：|（[^\n（）]{1,40}）：)")


def count_books(folder: Path) -> bytes:
    """Return the file of the n-grams of the Chinese books in a folder."""
    return count(sentences_of_books(folder), jieba_dictionary())


def sentences_of_books(folder: Path) -> list[list[str]]:
    """Return the words of each sentence of the Chinese books in a folder."""
    texts = [(folder / name).read_text(encoding="utf-8") for name in BOOKS]
    texts[0] = _DOUBLED.sub(r"\1", beginning_of(texts[0], FIRST_BYTES))
    plan = TrainingPlan(trainer="ngram", segmentation="max-probability")
    return [words for text in texts for words in sentences(text, plan)]


def beginning_of(text: str, budget: int) -> str:
    """Return the first complete lines of a text that fit in `budget` bytes of UTF-8.

    >>> beginning_of("a line\\nanother\\n", 10)
    'a line\\n'
    """
    lines = text.splitlines(keepends=True)
    return "".join(lines[: sum(end <= budget for end in accumulate(len(line.encode()) for line in lines))])


def count(found: Sequence[Sequence[str]], dictionary: Dictionary) -> bytes:
    """Return the file of the n-grams of sentences over a dictionary and frequent other words."""
    times = Counter(word for sentence in found for word in sentence)
    others = (word for word, count in times.items() if count >= LEAST_WORDS and len(word) <= LONGEST_WORD)
    words = [*dictionary.words, *(word for word in others if word not in dictionary)]
    numbers = {word: number for number, word in enumerate(words)}
    texts = ([numbers.get(word, len(words) + 2) for word in sentence] for sentence in found)
    counts = pruned(count_numbers(words, texts, HIGHEST_ORDER), (LEAST_NGRAMS, LEAST_NGRAMS))
    letters: Counter[str] = Counter()
    for word in times.keys() - numbers.keys():
        letters.update({letter: word.count(letter) * times[word] for letter in set(word) if letter not in numbers})
    return _written(counts, dictionary, CharacterModel(dict(sorted(letters.items()))))


def _written(counts: NGramCounts, dictionary: Dictionary, characters: CharacterModel) -> bytes:
    """Return the compressed file of counts whose first words are those of `dictionary`."""
    estimates = counts.given_estimates
    assert estimates is not None
    first = counts.levels[0]
    used = [number for number, count in enumerate(first.counts) if count]
    document = {
        "dictionary": fingerprint(dictionary),
        "words": counts.words[len(dictionary) :],
        "estimates": [estimates.once_and_twice, estimates.continuations, estimates.weights],
        "characters": [dict(characters.counts), characters.longer, characters.floor],
        "first": [steps(used), *([column[at] for at in used] for column in (first.counts, first.continuations))],
        "levels": [_columns(level, len(level.begins) - 1) for level in counts.levels[1:]],
    }
    return gzip.compress(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(), 9, mtime=0)


def _columns(level: Level, contexts: int) -> list[list[int]]:
    """The columns of a level: the contexts that have n-grams, how many each, last words, counts, continuations."""
    sizes = [level.begins[at + 1] - level.begins[at] for at in range(contexts)]
    used = [at for at, size in enumerate(sizes) if size]
    words = [number for at in used for number in steps(level.words[level.begins[at] : level.begins[at + 1]])]
    return [steps(used), [sizes[at] for at in used], words, list(level.counts), list(level.continuations)]


if __name__ == "__main__":
    sys.stdout.buffer.write(count_books(Path(sys.argv[1])))
