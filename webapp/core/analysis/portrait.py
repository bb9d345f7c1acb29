"""Portraits: the lengths and scripts of a vocabulary's tokens, the longest ones; n-grams and neighbours of a word."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from heapq import nlargest, nsmallest

import regex

from webapp.core.analysis.frequencies import RankedToken, ranked, thinned
from webapp.core.analysis.token_list import TokenList, bare
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import NGramCounts
from webapp.core.text.unicode_tables import SCRIPTS, script_of

# Kinds of tokens other than text in one script; those have Unicode's name of the script.
SEVERAL_SCRIPTS = "several scripts"
DIGITS = "digits"
PUNCTUATION = "punctuation and symbols"
WHITE_SPACE = "white space"
PART = "part of a character"
SPECIAL = "special tokens"
OTHER = "other characters"
NO_SCRIPTS = (SEVERAL_SCRIPTS, DIGITS, PUNCTUATION, WHITE_SPACE, PART, SPECIAL, OTHER)

LONGEST = 20  # tokens


@dataclass(frozen=True)
class Portrait:
    """Statistics of a vocabulary of `size` tokens.

    `lengths` maps each length in characters to the number of tokens, shortest first. It excludes tokens that are part
    of a character or stand for no text, which `kinds` counts as `PART` and `SPECIAL`. `kinds` maps each script and each
    of `NO_SCRIPTS` to the number of tokens, most first; it counts each token once. `longest` and `longest_words` hold
    ids, longest first, with one id, the lowest, for each text with or without its space; a word consists of letters and
    their marks.
    """

    size: int
    lengths: Mapping[int, int]
    kinds: Mapping[str, int]
    longest: tuple[int, ...]
    longest_words: tuple[int, ...]

    @property
    def mean_length(self) -> float:
        """Characters per token, over the tokens that `lengths` counts; 0 if there are none."""
        counted = sum(self.lengths.values())
        return sum(length * count for length, count in self.lengths.items()) / counted if counted else 0.0


def portrait_of(tokens: TokenList) -> Portrait:
    """Compute the portrait of a vocabulary.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> pieces = ["[UNK]", "un", "##aff", "研究", "для", "Aд", "3.14", "…"]
    >>> portrait = portrait_of(TokenList(WORDPIECE.tokenizer(WordPiece(pieces))))
    >>> portrait.lengths
    {1: 1, 2: 3, 3: 2, 4: 1}
    >>> portrait.kinds
    {'Latin': 2, 'special tokens': 1, 'Han': 1, 'Cyrillic': 1, 'several scripts': 1, 'digits': 1,
     'punctuation and symbols': 1}
    >>> portrait.longest[:2]
    (6, 2)
    """
    return portrait_of_texts(tokens.ids, tokens.texts, tokens.apart)


def portrait_of_texts(ids: Iterable[int], token_texts: Iterable[str | None], apart: Set[int] = frozenset()) -> Portrait:
    """Compute the portrait of some tokens: their ids, their texts (None for part of a character), those without a text.

    >>> portrait_of_texts([5, 7], ["un", "研究"]).kinds
    {'Latin': 1, 'Han': 1}
    """
    class_of = _Classes()
    kind_of = _Kinds()
    lengths: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    texts: dict[str, int] = {}
    words: dict[str, int] = {}
    for id, text in zip(ids, token_texts, strict=True):
        if id in apart:
            kinds[SPECIAL] += 1
        elif text is None:
            kinds[PART] += 1
        else:
            text = bare(text)
            length = len(text)
            lengths[length] += 1
            kind, is_word = kind_of[text.translate(class_of)]
            kinds[kind] += 1
            texts.setdefault(text, id)
            if is_word:
                words.setdefault(text, id)
    return Portrait(
        size=kinds.total(),
        lengths=dict(sorted(lengths.items())),
        kinds=dict(kinds.most_common()),
        longest=_longest(texts),
        longest_words=_longest(words),
    )


def kind_of_text(text: str | None) -> str:
    """Return the script of a token's text, or its kind if it is not text in one script, as `Portrait.kinds` counts it.

    >>> kind_of_text("un"), kind_of_text("3.14"), kind_of_text(None)
    ('Latin', 'digits', 'part of a character')
    """
    return PART if text is None else _kind_of[bare(text).translate(_class_of)][0]


def _longest(ids: Mapping[str, int]) -> tuple[int, ...]:
    """The ids of the longest texts."""
    return tuple(id for _, id in nsmallest(LONGEST, ((-len(text), id) for text, id in ids.items())))


# Letters and marks are classified by script, all other characters by general category. A letter or mark that several
# scripts share, such as ー or a combining accent, has no script.
_SHARED, _DIGIT, _SIGN, _SPACE, _REST = "abcde"
_SHARED_SCRIPTS = ("Common", "Inherited")
_FIRST = 0x1000  # the n-th script is represented by the character with this code plus n
_category = regex.compile(
    rf"(?P<{_SIGN}>[\p{{P}}\p{{S}}])|(?P<{_DIGIT}>\p{{N}})|(?P<{_SPACE}>\s)|(?P<letter>[\p{{L}}\p{{M}}])"
)


class _Classes(dict[int, str]):
    """Maps a code point to a character that represents its class; computed on first access."""

    def __missing__(self, code: int) -> str:
        found = _category.match(chr(code))
        name = (found.lastgroup if found else None) or _REST
        if name == "letter":
            script = script_of(chr(code))
            name = chr(_FIRST + SCRIPTS.index(script)) if script and script not in _SHARED_SCRIPTS else _SHARED
        self[code] = name
        return name


class _Kinds(dict[str, tuple[str, bool]]):
    """Maps the classes of a token's characters to its kind, and whether it is a word.

    Letters determine the kind; without letters, digits; then punctuation and symbols; then white space.
    """

    def __missing__(self, classes: str) -> tuple[str, bool]:
        found = set(classes)
        scripts = [name for name in found if ord(name) >= _FIRST]
        if scripts:
            one = SCRIPTS[ord(scripts[0]) - _FIRST]
            kind = one if len(scripts) == 1 else SEVERAL_SCRIPTS
        elif _DIGIT in found:
            kind = DIGITS
        elif _SIGN in found:
            kind = PUNCTUATION
        else:
            kind = WHITE_SPACE if found == {_SPACE} else OTHER
        result = self[classes] = kind, bool(scripts) and found.isdisjoint((_DIGIT, _SIGN, _SPACE, _REST))
        return result


_class_of, _kind_of = _Classes(), _Kinds()
KINDS = frozenset(SCRIPTS).difference(_SHARED_SCRIPTS).union(NO_SCRIPTS)
"""All kinds: scripts by their names in Unicode, and the others."""


CountedNGram = tuple[tuple[str, ...], int]


@dataclass(frozen=True)
class NGramPortrait:
    """`sizes` has the number of different n-grams of each order from 1, `frequent` the most frequent of each.

    `tokens` is the number of words that were counted, the ends of the `sentences` included. `ranks` has words by rank,
    `thinned` for a chart.
    """

    sizes: tuple[int, ...]
    frequent: tuple[Sequence[CountedNGram], ...]
    sentences: int
    tokens: int
    ranks: Sequence[RankedToken]


def ngram_portrait_of(model: NGram, most: int = 20) -> NGramPortrait:
    """Compute the portrait of a model, with the `most` frequent n-grams of each order.

    >>> from webapp.core.trainers.ngram import train
    >>> portrait = ngram_portrait_of(NGram(train([["a", "b"], ["a", "b"], ["a"]])), 1)
    >>> portrait.sizes, portrait.tokens, portrait.frequent[1][0][1]
    ((3, 4), 8, 3)
    """
    counts = model.counts
    return NGramPortrait(
        tuple(_size(counts, length) for length in range(1, counts.order + 1)),
        tuple(most_frequent(counts, length, most) for length in range(1, counts.order + 1)),
        counts.sentences,
        counts.context_count(),
        thinned(ranked_words(model)),
    )


def ranked_words(model: NGram) -> list[RankedToken]:
    """The words that a model has counted, most frequent first; ends of sentences and unknown words are none.

    >>> from webapp.core.trainers.ngram import train
    >>> ranked_words(NGram(train([["a", "b"], ["b"]])))
    [RankedToken(rank=1, id=1, count=2), RankedToken(rank=2, id=0, count=1)]
    """
    words, counts = range(len(model.counts.words)), model.counts.levels[0].counts
    return ranked({word: counts[word] for word in words if counts[word]})


def most_frequent(counts: NGramCounts, length: int, most: int) -> list[CountedNGram]:
    """The most frequent n-grams of a length with their counts; the beginning of a sentence is no word.

    >>> from webapp.core.trainers.ngram import train
    >>> counts = train([["a", "b"], ["a"]])
    >>> [(tuple(map(str, words)), count) for words, count in most_frequent(counts, 2, 2)]
    [(('<s>', 'a'), 2), (('a', 'b'), 1)]
    """
    level = counts.levels[length - 1]
    places = (at for at in range(len(level.words)) if length > 1 or at != counts.start)
    best = nlargest(most, places, key=lambda at: (level.counts[at], -at))
    return [(_words_at(counts, length, at), level.counts[at]) for at in best if level.counts[at]]


def following(counts: NGramCounts, word: str, most: int) -> tuple[list[tuple[str, int]], int]:
    """The words that most often follow a word, with their counts, and how many different ones there are.

    >>> from webapp.core.trainers.ngram import train
    >>> following(train([["a", "b"], ["a", "b"], ["a", "c"]]), "a", 1)
    ([('b', 2)], 2)
    """
    found = counts.followers(word) if counts.order > 1 else []
    return nlargest(most, found, key=lambda one: one[1]), len(found)


def preceding(counts: NGramCounts, word: str, most: int) -> tuple[list[tuple[str, int]], int]:
    """The words that most often precede a word, with their counts, and how many different ones there are.

    >>> from webapp.core.trainers.ngram import train
    >>> preceding(train([["a", "b"], ["a", "b"], ["c", "b"]]), "b", 1)
    ([('a', 2)], 2)
    """
    if counts.order < 2:
        return [], 0
    level, number = counts.levels[1], counts.number(word)
    if word not in counts.ids:
        return [], 0
    places = [at for at, last in enumerate(level.words) if last == number]
    best = nlargest(most, places, key=lambda at: (level.counts[at], -at))
    return [(_words_at(counts, 2, at)[0], level.counts[at]) for at in best], len(places)


def _size(counts: NGramCounts, length: int) -> int:
    return counts.types_after() if length == 1 else len(counts.levels[length - 1].words)


def _words_at(counts: NGramCounts, length: int, at: int) -> tuple[str, ...]:
    """The words of the n-gram at a place of its level: its context is where its place falls among the beginnings."""
    words: list[str] = []
    for order in range(length, 0, -1):
        level = counts.levels[order - 1]
        words.append(counts.word(level.words[at]))
        at = bisect_right(level.begins, at) - 1
    return tuple(reversed(words))
