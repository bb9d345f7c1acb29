"""Train n-grams: count how often words follow each other in segmented sentences.

Jurafsky and Martin, "Speech and Language Processing", third edition, section 3.1. One START stands before each sentence
and one END after it, as in ARPA files: the first word's context is START alone, also of trigrams.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from webapp.core.models.ngram_counts import MARKS, Level, NGramCounts, check_words, levels_of
from webapp.core.models.smoothing import estimates_of
from webapp.core.text.sentences import ends_sentence

_SEPARATOR = re.compile(r"[\s/]+")
_TAGGED = re.compile(r"(?<=[^\s/])/[A-Za-z]{1,4}(?=\s|$)")
_TAGGED_COMPOUND = re.compile(r"\[(?=\S)|\](?:/?[A-Za-z]{1,4})?(?=\s|$)")


def train(sentences: Iterable[Sequence[str]], order: int = 2, minimum_counts: Sequence[int] = ()) -> NGramCounts:
    """Return the counts of n-grams up to an order, 1 to 3.

    Words are numbered in order of first occurrence. `minimum_counts` has, for the orders from 1 on, the lowest count
    that is kept: a rarer word is counted as UNKNOWN, a rarer bigram or trigram is removed after the counts of counts
    were taken. Raises VocabularyError for an impossible word.

    >>> from webapp.core.models.ngram_counts import END, START
    >>> counts = train([["人生", "如", "梦境"], ["人生", "如", "戏"]])
    >>> counts.words, counts.count("人生", "如"), counts.count("戏", END), counts.count(START, "人生")
    (('人生', '如', '梦境', '戏'), 2, 1, 2)
    >>> train([["a", "b"], ["a"]], minimum_counts=(2,)).words
    ('a',)
    """
    numbers: dict[str, int] = {}
    texts: list[list[int]] = [[numbers.setdefault(word, len(numbers)) for word in sentence] for sentence in sentences]
    words = list(numbers)
    check_words(words)
    least = minimum_counts[0] if minimum_counts else 1
    if least > 1:
        found = Counter(number for text in texts for number in text)
        kept = [word for word, number in numbers.items() if found[number] >= least]
        renumbered = {numbers[word]: at for at, word in enumerate(kept)}
        unknown = len(kept) + 2
        texts = [[renumbered.get(number, unknown) for number in text] for text in texts]
        words = kept
    counted = count_numbers(words, texts, order)
    return pruned(counted, minimum_counts[1:]) if any(count > 1 for count in minimum_counts[1:]) else counted


def count_numbers(words: Sequence[str], texts: Iterable[Sequence[int]], order: int) -> NGramCounts:
    """Return the counts of sentences given as the numbers of their words; UNKNOWN has the number of words + 2.

    >>> count_numbers(["a", "b"], [[0, 1], [0]], 2).count("a", "b")
    1
    """
    end, start = len(words), len(words) + 1
    numbers = len(words) + len(MARKS)
    by_order: list[Counter[int]] = [Counter() for _ in range(order)]
    # All sentences in one row: the n-grams that reach from one END into the next sentence are left out.
    row: list[int] = []
    for text in texts:
        row += (start, *text, end)
    by_order[0].update(row)
    keys = row
    for length in range(2, order + 1):
        following = row[length - 1 :]
        keys = [key * numbers + word for key, word in zip(keys, following, strict=False)]
        by_order[length - 1].update(keys)
    for length in range(2, order + 1):
        whole = numbers ** (length - 1)
        counted = by_order[length - 1]
        for key in [key for key in counted if _crosses(key, whole, numbers, end)]:
            del counted[key]
    return NGramCounts(words, levels_of(by_order, numbers))


def _crosses(key: int, whole: int, numbers: int, end: int) -> bool:
    """Whether END is not the last word of an n-gram."""
    while whole > 1:
        word, key = divmod(key, whole)
        if word == end:
            return True
        whole //= numbers
    return False


def pruned(counts: NGramCounts, minimum_counts: Sequence[int]) -> NGramCounts:
    """Return the counts without bigrams (and trigrams) that occur less often than these numbers.

    An n-gram also goes with the one it begins with. Continuation counts and estimates remain those of all n-grams.

    >>> from webapp.core.models.ngram_counts import END, START
    >>> counts = pruned(train([["a", "b"], ["a", "b"], ["a"]]), [2])
    >>> counts.count("a", "b"), counts.count("a", END), counts.context_count("a")
    (2, 0, 3)
    >>> counts.levels[0].continuations[counts.end]
    2
    """
    estimates = estimates_of(counts)
    levels = [counts.levels[0]]
    kept_contexts: Sequence[int] = range(len(levels[0].words))
    for level, least in zip(counts.levels[1:], [*minimum_counts, *[1] * counts.order], strict=False):
        begins, kept = array("I", (0,)), array("I")
        for context in kept_contexts:
            kept.extend(node for node in level.children(context) if level.counts[node] >= least)
            begins.append(len(kept))
        words = array("I", map(level.words.__getitem__, kept))
        kept_counts = array("Q", map(level.counts.__getitem__, kept))
        continuations = array("I", map(level.continuations.__getitem__, kept))
        levels.append(Level(words, kept_counts, begins, continuations))
        kept_contexts = kept
    return NGramCounts(counts.words, levels, pruned=True, estimates=estimates, ids=counts.ids)


def segmented(text: str) -> Iterator[list[str]]:
    """Yield the sentences of a segmented text: words between white space or `/`.

    A line is a sentence, and so is what ends with 。, ！ or ？ (and closing quotation marks). Part-of-speech tags of
    one to four Latin letters after a `/` are removed where most words of a line have one, as in the corpora of Peking
    University, and with them the brackets around compounds.

    >>> list(segmented("人生 如 梦境 。 人生/如/戏"))
    [['人生', '如', '梦境', '。'], ['人生', '如', '戏']]
    >>> list(segmented("迈向/v  充满/v  希望/n  的/u  新/a  世纪/n"))
    [['迈向', '充满', '希望', '的', '新', '世纪']]
    """
    for line in text.splitlines():
        tags = len(_TAGGED.findall(line))
        if tags and 2 * tags > len(line.split()):
            line = _TAGGED.sub("", _TAGGED_COMPOUND.sub("", line))
        yield from sentences_of([word for word in _SEPARATOR.split(line) if word])


def sentences_of(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the sentences of a line's words.

    >>> list(sentences_of(["他", "说", "：", "“", "好", "。", "”", "她", "走", "了"]))
    [['他', '说', '：', '“', '好', '。', '”'], ['她', '走', '了']]
    """
    sentence: list[str] = []
    ended = False
    for word in words:
        state = ends_sentence(word, ended)
        if ended and not state:
            yield sentence
            sentence = []
        sentence.append(word)
        ended = state
    if sentence:
        yield sentence
