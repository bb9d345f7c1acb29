r"""ARPA files of n-gram models: logarithms to base 10 of probabilities and of backoff weights, as text.

    \data\
    ngram 1=5
    ngram 2=6

    \1-grams:
    -0.8      人生      -0.3
    …
    \end\

SRILM and KenLM read and write them (Stolcke 2002, "SRILM"; Heafield 2011, "KenLM"). Interpolated models can be written
exactly: a listed n-gram has its probability, and the backoff weight is what its context leaves to the shorter one. What
else this site knows of a model is in comments before `\data\`, which other programs skip.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import inf, isfinite, log

from webapp.core.formats.fields import FormatError
from webapp.core.formats.limits import lines_of, read_json
from webapp.core.formats.ngram_counts import MOST_NGRAMS, spelled, word_of
from webapp.core.models.character_model import CharacterModel
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, HIGHEST_ORDER, MARKS, START, UNKNOWN, NGramCounts, check_words
from webapp.core.models.ngram_probabilities import NEVER, BackoffProbabilities
from webapp.core.models.smoothing import AddK
from webapp.core.recipes import NGRAM
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase, VocabularyError, shown

_LN10 = log(10)
_NEVER10 = -99
_COMMENT = "# characters: "
_SECTION = re.compile(r"\\([0-9]+)-grams:")
_SIZE = re.compile(r"ngram ([0-9]{1,3})\s*=\s*([0-9]{1,12})")


def is_arpa(content: bytes) -> bool:
    r"""Whether a file has the line `\data\` among its first lines.

    >>> is_arpa(b"\n\\data\\\nngram 1=3\n"), is_arpa(b"data 3\n")
    (True, False)
    """
    return re.search(rb"^\\data\\[ \t]*\r?$", content[: 1 << 20], re.MULTILINE) is not None


def check(tokenizer: Tokenizer) -> NGram:
    """The n-gram model of a tokenizer; raises FormatError for one that an ARPA file cannot hold exactly."""
    model = tokenizer.model
    if not isinstance(model, NGram):
        raise FormatError("only an n-gram model can be written as an ARPA file")
    if model.is_counted and isinstance(model.smoothing, AddK) and model.order > 2:
        raise FormatError("an ARPA file backs off to the bigram, which add-one smoothing of trigrams does not")
    return model


def write(tokenizer: Tokenizer) -> str:
    """Return an n-gram model as an ARPA file; raises FormatError like `check`."""
    model = check(tokenizer)
    sections: list[list[str]] = [[] for _ in range(model.order)]
    for length in range(1, model.order + 1):
        sections[length - 1] = list(_lines(model, length))
    head = ["\\data\\", *(f"ngram {length}={len(lines)}" for length, lines in enumerate(sections, 1)), ""]
    if model.characters is not None:
        known = model.characters
        head.insert(0, _COMMENT + json.dumps([dict(known.counts), known.longer, known.floor], ensure_ascii=False))
    for length, lines in enumerate(sections, 1):
        head += [f"\\{length}-grams:", *lines, ""]
    return "\n".join([*head, "\\end\\", ""])


def _lines(model: NGram, length: int) -> Iterator[str]:
    highest = length == model.order
    for ngram, score in _scores(model, length):
        line = f"{max(score / _LN10, _NEVER10)!r}\t{' '.join(map(spelled, ngram))}"
        left = 0.0 if highest or ngram[-1] is END else _left(model, ngram)
        yield line if highest else f"{line}\t{left / _LN10!r}"


def _scores(model: NGram, length: int) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the n-grams of a length and the natural logarithms of their probabilities."""
    counts = model.counts
    if length == 1:
        # Unseen bigrams of add-one smoothing have the same part of what is left.
        even = model.is_counted and isinstance(model.smoothing, AddK) and model.order > 1
        lowest = model.tables.lowest
        for number, word in enumerate((*counts.words, *MARKS)):
            score = -log(model.vocabulary_size) if even else lowest[number]
            yield (word,), -inf if word is START else score
    elif model.fixed is not None:
        for context, (_, words) in model.fixed.following.items():
            if len(context) == length - 1:
                for number, score in words.items():
                    yield tuple(map(counts.word, (*context, number))), score
    else:
        begins = counts.levels[length - 1].begins
        for numbers, node in counts.numbered(length - 1):
            if begins[node] < begins[node + 1]:
                for number, score in (model.probabilities.scores(numbers)[1] or {}).items():
                    yield tuple(map(counts.word, (*numbers, number))), score


def _left(model: NGram, context: tuple[str, ...]) -> float:
    """The natural logarithm of the backoff weight of a context."""
    numbers = tuple(map(model.counts.number, context))
    if isinstance(model.probabilities, BackoffProbabilities):
        return model.probabilities.following.get(numbers, (0.0, {}))[0]
    begins = model.counts.levels[len(numbers)].begins
    if len(numbers) == 1 and begins[numbers[0]] == begins[numbers[0] + 1]:
        return 0.0
    left = model.probabilities.shares(numbers)[1]
    return log(left) if left > 0 else NEVER


def read(content: str) -> Tokenizer:
    """Return the tokenizer of an ARPA file; raises FormatError with the number of the line that is wrong."""
    return _Reader(content).read()


class _Reader:
    def __init__(self, content: str) -> None:
        self._lines = lines_of(content)
        self._at = 0  # the number of the line that was read last
        self._again: str | None = None  # a line that was read too early
        self._sizes: list[int] = []
        self._characters: CharacterModel | None = None
        self._words: list[str] = []
        self._numbers: dict[str, int] = {}
        self._scores: list[tuple[float, float]] = []
        self._marks: dict[str, tuple[float, float]] = {}
        self._following: dict[tuple[int, ...], tuple[float, dict[int, float]]] = {}

    def read(self) -> Tokenizer:
        self._head()
        for length in range(1, len(self._sizes) + 1):
            self._section(length)
        if self._next() != "\\end\\":
            raise self._error(Phrase("\\end\\ is expected after the last n-gram"))
        try:
            check_words(self._words)
        except VocabularyError as error:
            raise FormatError.of(error) from None
        order = len(self._sizes)
        counts = NGramCounts.without_counts(self._words, order)
        unknown = self._marks.get(UNKNOWN, (NEVER, 0.0))
        edges = [self._marks.get(END, (NEVER, 0.0))[0], NEVER, unknown[0]]
        first = [*(score for score, _ in self._scores), *edges]
        model = NGram(
            counts,
            characters=self._characters,
            probabilities=BackoffProbabilities(counts, order, first, self._following),
        )
        return NGRAM.tokenizer(model)

    def _next(self) -> str:
        """The next line that is not empty."""
        if self._again is not None:
            line, self._again = self._again, None
            self._at += 1
            return line
        for line in self._lines:
            self._at += 1
            if line := line.strip():
                return line
        raise FormatError("the file ends without \\end\\: it is incomplete")

    def _error(self, wrong: Phrase) -> FormatError:
        return FormatError("line %(line)s: %(wrong)s", line=self._at, wrong=wrong)

    def _head(self) -> None:
        line = self._next()
        while line != "\\data\\":
            if line.startswith(_COMMENT):
                self._characters = _characters(line.removeprefix(_COMMENT))
            line = self._next()
        line = self._next()
        while size := _SIZE.fullmatch(line):
            if int(size[1]) != len(self._sizes) + 1:
                raise self._error(Phrase("the orders should follow each other: ngram 1=…, ngram 2=…"))
            self._sizes.append(int(size[2]))
            line = self._next()
        self._again = line
        self._at -= 1
        if not 1 <= len(self._sizes) <= HIGHEST_ORDER:
            raise self._error(
                Phrase("an order from 1 to %(most)s is expected, not %(order)s", most=3, order=len(self._sizes))
            )
        if sum(self._sizes) > MOST_NGRAMS:
            raise self._error(Phrase("more than %(most)s n-grams; remove the rare ones", most=f"{MOST_NGRAMS:,}"))

    def _section(self, length: int) -> None:
        section = _SECTION.fullmatch(self._next())
        if section is None or section[1] != str(length):
            raise self._error(Phrase("\\%(length)s-grams: is expected", length=length))
        for _ in range(self._sizes[length - 1]):
            fields = self._next().split()
            if len(fields) not in (length + 1, length + 2):
                raise self._error(
                    Phrase("a logarithm, %(count)s words and perhaps a backoff weight are expected", count=length)
                )
            score = self._number(fields[0], 0.0)
            left = self._number(fields[-1], 1e6) if len(fields) == length + 2 else 0.0
            words = tuple(map(word_of, fields[1 : length + 1]))
            if length == 1:
                self._word(words[0], score, left)
            else:
                self._ngram(words, score, left)

    def _number(self, text: str, most: float) -> float:
        try:
            value = float(text)
        except ValueError:
            value = inf
        if value == -inf:
            return NEVER
        if not isfinite(value) or value > most:
            raise self._error(Phrase("%(text)s is not the logarithm of a probability", text=shown(text[:40])))
        return max(value * _LN10, NEVER)

    def _word(self, word: str, score: float, left: float) -> None:
        if word in (START, END, UNKNOWN):
            known = self._marks
            if word in known:
                raise self._error(Phrase("the word occurs a second time"))
            known[word] = score, left
            return
        if word in self._numbers:
            raise self._error(Phrase("the word occurs a second time"))
        self._numbers[word] = len(self._words)
        self._words.append(word)
        self._scores.append((score, left))

    def _ngram(self, words: tuple[str, ...], score: float, left: float) -> None:
        if END in words[:-1] or START in words[1:]:
            raise self._error(Phrase("<s> stands only at the beginning of an n-gram and </s> only at its end"))
        numbers = []
        edges = {END: len(self._words), START: len(self._words) + 1, UNKNOWN: len(self._words) + 2}
        for word in words:
            number = edges[word] if word in edges else self._numbers.get(word)
            if number is None:
                raise self._error(Phrase("%(word)s is not among the 1-grams", word=shown(word)))
            numbers.append(number)
        context = tuple(numbers[:-1])
        self._in_context(context)[1][numbers[-1]] = score
        if left:
            self._following[tuple(numbers)] = left, self._in_context(tuple(numbers))[1]

    def _in_context(self, context: tuple[int, ...]) -> tuple[float, dict[int, float]]:
        found = self._following.get(context)
        if found is None:
            left = 0.0
            if len(context) == 1:
                number = context[0] - len(self._words)
                left = self._scores[context[0]][1] if number < 0 else self._marks.get(MARKS[number], (0.0, 0.0))[1]
            found = self._following[context] = left, {}
        return found


def _characters(text: str) -> CharacterModel | None:
    """The spelling of unknown words, as a comment has it; None for a comment of another program."""
    try:
        counts, longer, floor = read_json(text)
        known = {
            str(each): int(count) for each, count in counts.items() if len(each) == 1 and 0 <= int(count) < 1 << 48
        }
        return CharacterModel(known, float(longer), float(floor))
    except (FormatError, ValueError, TypeError, AttributeError, OverflowError):
        return None
