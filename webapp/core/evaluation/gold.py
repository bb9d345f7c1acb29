"""Reads gold segmentations, and segmentations to score against them.

A gold text has a sentence or paragraph on each line, with its words separated by white space (one space, two as in the
bakeoffs of SIGHAN, or U+3000); or it is CoNLL-U, a word on each line. What cannot be read is left out and reported with
its line number; only a text without any words between spaces is refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from webapp.core.evaluation.score import BOM, words_of
from webapp.core.text.alignment import equal_beginning
from webapp.core.vocabulary_error import Phrase, shown

Format = Literal["words", "conllu"]

UNSEGMENTED = 60
"""A line of one word with so many characters is probably not segmented."""
MOST_PROBLEMS = 100
"""The most problems that are listed; the others are only counted."""

_TOKEN_LINE = re.compile(r"[0-9]+(?:[-.][0-9]+)?\t")


class GoldError(ValueError):
    """A text that is no gold segmentation, or a segmentation of another text; `message` is a translatable phrase."""

    def __init__(self, message: Phrase) -> None:
        super().__init__(str(message))
        self.message = message


@dataclass(slots=True)
class GoldLine:
    """The words of a line; `text` is what a tokenizer gets, `tags` has the part of speech of each word, if known."""

    number: int  # of the line in the file, from 1
    words: list[str]
    text: str
    tags: list[str] | None = None


@dataclass(frozen=True)
class LineProblem:
    """Something in a line that was left out or looks wrong."""

    number: int
    message: Phrase


@dataclass
class GoldText:
    """The lines that have words, and what was wrong with others."""

    format: Format
    lines: list[GoldLine] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    problem_count: int = 0

    @property
    def words(self) -> int:
        """The number of words."""
        return sum(len(line.words) for line in self.lines)

    @property
    def characters(self) -> int:
        """The number of characters of all words."""
        return sum(len(word) for line in self.lines for word in line.words)

    @property
    def tagged(self) -> bool:
        """Whether words have parts of speech."""
        return any(line.tags is not None and any(line.tags) for line in self.lines)

    def report(self, number: int, message: Phrase) -> None:
        """Add a problem."""
        self.problem_count += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(LineProblem(number, message))


def read_gold(text: str) -> GoldText:
    """Read a gold segmentation in either format.

    >>> gold = read_gold("研究  生命\u3000的  起源\\n\\n结婚 的\\n")
    >>> [(line.number, line.words, line.text) for line in gold.lines]
    [(1, ['研究', '生命', '的', '起源'], '研究生命的起源'), (3, ['结婚', '的'], '结婚的')]
    >>> gold = read_gold("# text = 我们走\\n1\\t我们\\t_\\tPRON\\n2\\t走\\t_\\tVERB\\n")
    >>> gold.format, gold.lines[0].words, gold.lines[0].tags
    ('conllu', ['我们', '走'], ['PRON', 'VERB'])

    Raises GoldError if there are no words, or no spaces between them.
    """
    lines = text.split("\n")
    gold = _read_conllu(lines) if _is_conllu(lines) else _read_words(lines)
    if not gold.lines:
        raise GoldError(Phrase("There are no words in it. Write one sentence a line, with spaces between the words."))
    longest = max(len(line.words) for line in gold.lines)
    if gold.format == "words" and longest == 1 and any(len(line.text) > 4 for line in gold.lines):
        raise GoldError(
            Phrase("No line has a space, so there are no words to compare. Separate the words with spaces.")
        )
    return gold


def read_output(text: str, gold: GoldText) -> list[list[str]]:
    """Read a segmentation of the gold text, and return its words for each of the gold lines.

    Lines may break elsewhere than in the gold text, but not inside of a word.

    >>> gold = read_gold("研究 生命\\n的 起源")
    >>> read_output("研究生 命\\n\\n的起 源\\n", gold)
    [['研究生', '命'], ['的起', '源']]
    >>> read_output("研究 生物\\n的 起源\\n", gold)
    Traceback (most recent call last):
    webapp.core.evaluation.gold.GoldError: Line 1 differs from line 1 of the gold text at character 4: '物' in place of
    '命'. Both must have the same characters.

    Raises GoldError, with the line and the character, where it has other characters than the gold text.
    """
    words = _numbered_words(text)
    found: list[list[str]] = []
    for line in gold.lines:
        spelled = "".join(line.words).removeprefix(BOM)
        mine: list[str] = []
        at = 0
        while at < len(spelled):
            try:
                number, word = next(words)
            except StopIteration:
                raise GoldError(
                    Phrase(
                        "The segmentation ends before line %(gold)s of the gold text. Both must have the same "
                        "characters.",
                        gold=line.number,
                    )
                ) from None
            mine.append(word)
            word = word if at else word.removeprefix(BOM)
            if not spelled.startswith(word, at):
                _refuse_difference(word, number, spelled, at, line.number)
            at += len(word)
        found.append(mine)
    left = next(words, None)
    if left is not None:
        raise GoldError(
            Phrase(
                "Line %(line)s comes after the end of the gold text: %(word)s. Both must have the same characters.",
                line=left[0],
                word=shown(left[1]),
            )
        )
    return found


def _refuse_difference(word: str, number: int, spelled: str, at: int, gold_number: int) -> None:
    same = equal_beginning(word, spelled[at:])
    if at + same == len(spelled):
        raise GoldError(
            Phrase(
                "The word %(word)s in line %(line)s goes beyond the end of line %(gold)s of the gold text. End a word "
                "where the line ends.",
                word=shown(word),
                line=number,
                gold=gold_number,
            )
        )
    raise GoldError(
        Phrase(
            "Line %(line)s differs from line %(gold)s of the gold text at character %(at)s: %(output)s in place of "
            "%(expected)s. Both must have the same characters.",
            line=number,
            gold=gold_number,
            at=at + same + 1,
            output=shown(word[same : same + 1]),
            expected=shown(spelled[at + same]),
        )
    )


def _numbered_words(text: str) -> Iterator[tuple[int, str]]:
    lines = text.split("\n")
    if _is_conllu(lines):
        for line in _read_conllu(lines).lines:
            yield from ((line.number, word) for word in line.words)
        return
    for number, line_text in enumerate(lines, 1):
        yield from ((number, word) for word in words_of(line_text))


def _is_conllu(lines: Sequence[str]) -> bool:
    for line in (lines[0].removeprefix(BOM), *lines[1:]):
        if line.strip() and not line.startswith("#"):
            return _TOKEN_LINE.match(line) is not None
    return False


def _read_words(lines: Sequence[str]) -> GoldText:
    gold = GoldText("words")
    same: dict[str, str] = {}  # one string for each word, however often it occurs
    for number, line in enumerate(lines, 1):
        words = words_of(line)
        if not any(words):
            continue
        if len(words) == 1 and len(words[0]) >= UNSEGMENTED:
            gold.report(number, Phrase("One word of %(count)s characters. Is the line segmented?", count=len(words[0])))
        if words[0].startswith(BOM):
            gold.report(
                number,
                Phrase("It begins with a byte order mark (BOM), which is part of its first word, as in the script."),
            )
        words = list(map(same.setdefault, words, words))
        gold.lines.append(GoldLine(number, words, "".join(words).removeprefix(BOM)))
    return gold


def _read_conllu(lines: Sequence[str]) -> GoldText:
    gold = GoldText("conllu")
    sentence = GoldLine(0, [], "", [])
    covered = 0  # the last word that a multiword token covers
    for number, line in enumerate([lines[0].removeprefix(BOM), *lines[1:], ""], 1):
        line = line.rstrip("\r")
        if not line.strip():
            if sentence.words:
                sentence.text = sentence.text.rstrip(" ")
                gold.lines.append(sentence)
            sentence, covered = GoldLine(0, [], "", []), 0
            continue
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        form = "".join(columns[1].split()) if len(columns) > 1 else ""
        if not _TOKEN_LINE.match(line) or not form:
            gold.report(number, Phrase("Not CoNLL-U: a line has an ID, a tab and a FORM. The line is left out."))
            continue
        first, dash, last = columns[0].partition("-")
        if "." in first or (not dash and int(first[:9]) <= covered):
            continue  # an empty node, or a word inside of a multiword token
        if dash:
            covered = int(last[:9])
        if not sentence.words:
            sentence.number = number
        tags = [tag for tag in columns[3:5] if tag not in ("", "_")]
        no_space = len(columns) > 9 and "SpaceAfter=No" in columns[9].split("|")
        assert sentence.tags is not None
        sentence.words.append(form)
        sentence.tags.append(tags[0] if tags else "")
        sentence.text += form if no_space or len(columns) <= 9 else f"{form} "
    return gold
