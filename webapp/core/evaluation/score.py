"""Precision, recall and F1 of a segmentation, with the figures for unknown words, as the bakeoffs define them.

A word is right if the other segmentation has a word with the same beginning and end. The official script, `score` by
Richard Sproat and Tom Emerson (SIGHAN 2003, 2005), asks the program `diff` instead, which now and then aligns a word
with an equal one elsewhere in its line: on the published segmentations of the PKU corpus the figures are the same to
the three digits that it prints. Its word counts are the same, too: white space before a line that begins with U+3000 is
an empty word.

The errors of a segmentation: where its words differ from the gold words, and of what kind each error is.

An error is a span of text whose words differ although both segmentations have a boundary at its ends and none in
common between. Its shape says how it differs, its kind why a student would look at it. The first that applies counts:

    number    a word of digits, Chinese numerals or Latin letters is in it, with a unit of time perhaps
    name      a name of a person, a place or an organization is in it (`NameFinder`)
    unknown   a gold word is not among the known words, so a dictionary could not find it
    overlap   boundaries cross: 研究生|命 in place of 研究|生命
    merged    several gold words are one word: 将来 in place of 将|来
    split     a gold word is several words: 起|源 in place of 起源
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

BOM = "\ufeff"
_ASCII_SPACE = " \t\n\r\f\v"
_SPACES = re.compile("[ \t\r\f\v\u3000]+")


@dataclass
class Score:
    """The counts of a segmentation, and the figures that follow from them; figures are None without their words."""

    gold_words: int = 0
    output_words: int = 0
    missed: int = 0  # gold words that the output does not have
    wrong: int = 0  # words of the output that the gold text does not have
    known: int = 0  # gold words in the training words
    known_missed: int = 0
    unknown: int = 0  # gold words outside of the training words
    unknown_missed: int = 0
    has_known: bool = True  # whether there are training words

    @property
    def recall(self) -> float | None:
        """The share of the gold words that the output has."""
        return (self.gold_words - self.missed) / self.gold_words if self.gold_words else None

    @property
    def precision(self) -> float | None:
        """The share of the output's words that the gold text has."""
        return (self.output_words - self.wrong) / self.output_words if self.output_words else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; 0 if both are."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    @property
    def oov_rate(self) -> float | None:
        """The share of the gold words that are not in the training words (out of vocabulary)."""
        return self.unknown / self.gold_words if self.has_known and self.gold_words else None

    @property
    def oov_recall(self) -> float | None:
        """The share of the unknown words that the output has."""
        return 1 - self.unknown_missed / self.unknown if self.has_known and self.unknown else None

    @property
    def iv_recall(self) -> float | None:
        """The share of the known words that the output has."""
        return 1 - self.known_missed / self.known if self.has_known and self.known else None

    def summary(self, name: str = "output") -> str:
        """The figures as the official script prints them, with `--` for what there is not."""
        rows: list[tuple[str, object]] = [
            ("=== TOTAL TRUE WORD COUNT", self.gold_words),
            ("=== TOTAL TEST WORD COUNT", self.output_words),
            ("=== TOTAL TRUE WORDS RECALL", three_digits(self.recall)),
            ("=== TOTAL TEST WORDS PRECISION", three_digits(self.precision)),
            ("=== F MEASURE", three_digits(self.f1)),
            ("=== OOV Rate", three_digits(self.oov_rate)),
            ("=== OOV Recall Rate", three_digits(self.oov_recall)),
            ("=== IV Recall Rate", three_digits(self.iv_recall)),
        ]
        lines = ["=== SUMMARY:", *(f"{title}:\t{value}" for title, value in rows)]
        return "\n".join([*lines, "\t".join(["###", name, *(str(value) for _title, value in rows)]), ""])


def three_digits(value: float | None) -> str:
    """A figure as the script prints it."""
    return "--" if value is None else f"{value:.3f}"


def words_of(line: str) -> list[str]:
    """The words of a line, as the script splits it.

    >>> words_of("  共同  创造\u3000世纪 \\r\\n"), words_of("\u3000新年 贺词"), words_of(" ")
    (['共同', '创造', '世纪'], ['', '新年', '贺词'], [])
    """
    words = _SPACES.split(line.strip(_ASCII_SPACE))
    while words and not words[-1]:  # Perl's split drops empty fields at the end
        words.pop()
    return words


def training_words(text: str) -> set[str]:
    """The words of a word list, one a line.

    >>> sorted(training_words("生命\\n 研究 \\r\\n\\n"))
    ['生命', '研究']
    """
    return {word for line in text.removeprefix(BOM).split("\n") if (word := line.strip(_ASCII_SPACE))}


def score_lines(gold: Iterable[Sequence[str]], output: Iterable[Sequence[str]], known: Container[str] | None) -> Score:
    """Score the words of each line of `output` against those of `gold`; `known` are the training words.

    Lines without gold words do not count; the shorter of the two ends the scoring.

    >>> lines = [["研究", "生命", "的", "起源"]]
    >>> score = score_lines(lines, [["研究生", "命", "的", "起源"]], {"研究", "生命", "的"})
    >>> score.precision, score.recall, score.oov_rate, score.oov_recall
    (0.5, 0.5, 0.25, 1.0)
    """
    score = Score(has_known=known is not None)
    for gold_words, output_words in zip(gold, output, strict=False):
        if gold_words:
            add_line(score, gold_words, output_words, known)
    return score


def add_line(score: Score, gold: Sequence[str], output: Sequence[str], known: Container[str] | None) -> None:
    """Add a line that has gold words to the counts of `score`."""
    score.gold_words += len(gold)
    score.output_words += len(output)
    if known is not None:
        words = gold if gold[0] else gold[1:]  # an indented line begins with an empty word
        present = sum(map(known.__contains__, words))
        score.known += present
        score.unknown += len(words) - present
    if gold == output:
        return
    gold_spans, output_spans = _spans(gold), _spans(output)
    common = set(gold_spans).intersection(output_spans)
    missed = [word for start, word in gold_spans if word and (start, word) not in common]
    score.missed += len(missed)
    score.wrong += sum(1 for span in output_spans if span[1] and span not in common)
    if known is not None:
        present = sum(word in known for word in missed)
        score.known_missed += present
        score.unknown_missed += len(missed) - present


def _spans(words: Sequence[str]) -> list[tuple[int, str]]:
    return list(zip(accumulate(map(len, words), initial=first_position(words)), words, strict=False))


def first_position(words: Sequence[str]) -> int:
    """Where the words of a line start: before the text if they begin with a byte order mark, which is not in it.

    The official script takes the mark for a character of the first word, so that this word differs from one without.
    """
    return -1 if words and words[0].startswith(BOM) else 0


Kind = Literal["overlap", "merged", "split", "unknown", "number", "name"]
Shape = Literal["overlap", "merged", "split"]

KINDS: tuple[Kind, ...] = ("overlap", "merged", "split", "unknown", "number", "name")

_NUMERALS = "0-9０-９○〇零一二三四五六七八九十百千万亿两廿卅"
_NUMBER = re.compile(
    rf"(?:第|初|公元前?|约|近)?(?=.*[{_NUMERALS}])[{_NUMERALS}.．:：%％／/点分之余多几来]+"
    r"(?:世纪|年代|年|月份|月|日|号|时|点|分钟|分|秒)?"
)
_LATIN = re.compile(r"(?=.*[A-Za-zＡ-Ｚａ-ｚÀ-ɏ])[A-Za-zＡ-Ｚａ-ｚÀ-ɏ0-9０-９.．'’&＆+\-－_@/／]+")
_NAME_TAGS = re.compile(r"PROPN|NR|N[HST]|nr[a-z0-9]*|nrt|nrfg|ns[a-z0-9]*|nt[a-z0-9]*|PER|LOC|ORG")

# The most frequent surnames of one character, and those of two.
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金"
    "石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤鲁闰柴花"
)
DOUBLE_SURNAMES = ("欧阳", "司马", "诸葛", "上官", "司徒", "东方", "夏侯", "皇甫", "尉迟", "公孙", "慕容", "令狐")


class SegmentationError(NamedTuple):
    """An error: the gold words `start` to `end` of a line, and the words in their place, separated by spaces."""

    line: int  # the index of the line
    start: int
    end: int
    output: str
    kind: Kind


class Difference(NamedTuple):
    """The words `start` to `end` of one segmentation, in place of `output_start` to `output_end` of the other."""

    start: int
    end: int
    output_start: int
    output_end: int

    @property
    def shape(self) -> Shape:
        """Whether boundaries cross, or words are only merged or split."""
        if self.end - self.start > 1 and self.output_end - self.output_start > 1:
            return "overlap"
        return "merged" if self.output_end - self.output_start == 1 else "split"


@dataclass(frozen=True)
class NameFinder:
    """Recognizes names, as well as it can without understanding the text.

    If the gold text has parts of speech, they alone decide. Else a word of two characters or more is a name if a tagged
    dictionary says so (`names`), or if it is unknown, has two or three characters and begins with a frequent surname.
    So ordinary words that are also names count as names, and names without a surname (a nickname, a foreign name) that
    no dictionary has do not.
    """

    names: Container[str] = frozenset()
    known: Container[str] | None = None

    def any_of(self, words: Sequence[str], tags: Sequence[str] | None, output: Sequence[str]) -> bool:
        """Whether one of the gold words is a name, or the single word in their place, which merges them."""
        if tags is not None and any(tags):
            return any(_NAME_TAGS.fullmatch(tag) for tag in tags)
        merged = output if len(output) == 1 else ()  # other words of the output are no evidence: 和尚 in 和|尚未
        if any(len(word) > 1 and word in self.names for word in (*words, *merged)):
            return True
        return any(map(self._looks_like_a_name, words))

    def _looks_like_a_name(self, word: str) -> bool:
        if self.known is None or word in self.known:
            return False
        if len(word) in (2, 3) and word[0] in SURNAMES:
            return all("\u4e00" <= character <= "\u9fff" for character in word)
        return len(word) in (3, 4) and word.startswith(DOUBLE_SURNAMES)


def differences(gold: Sequence[str], output: Sequence[str]) -> list[Difference]:
    """Where two segmentations of the same text differ, in reading order.

    >>> differences("结婚 的 和 尚未 结婚 的".split(), "结婚 的 和尚 未 结婚的".split())
    [Difference(start=2, end=4, output_start=2, output_end=4), Difference(start=4, end=6, output_start=4, output_end=5)]
    """
    found = []
    at = output_at = start = output_start = 0
    end, output_end = first_position(gold), first_position(output)
    total = len(gold)
    while at < total:
        end += len(gold[at])
        at += 1
        while output_end < end and output_at < len(output):
            output_end += len(output[output_at])
            output_at += 1
        if output_end == end:
            if at - start != 1 or output_at - output_start != 1:
                found.append(Difference(start, at, output_start, output_at))
            start, output_start = at, output_at
    return found


def errors_of(
    line: int,
    gold: Sequence[str],
    output: Sequence[str],
    *,
    tags: Sequence[str] | None = None,
    known: Container[str] | None = None,
    names: NameFinder | None = None,
) -> Iterator[SegmentationError]:
    """The errors of a line whose words spell the same text as the gold words.

    >>> gold, output = "他 研究 生命 二十 年".split(), "他 研究生 命 二 十年".split()
    >>> [(error.output, error.kind) for error in errors_of(0, gold, output, known={"研究", "生命"})]
    [('研究生 命', 'overlap'), ('二 十年', 'number')]
    """
    if gold and not gold[0]:  # the empty word of an indented line
        gold, output = gold[1:], output[1:] if output and not output[0] else output
        tags = None if tags is None else tags[1:]
        shift = 1
    else:
        shift = 0
    names = names or NameFinder(known=known)
    for difference in differences(gold, output):
        words = gold[difference.start : difference.end]
        others = output[difference.output_start : difference.output_end]
        if any(map(is_number, words)):
            kind: Kind = "number"
        elif names.any_of(words, tags[difference.start : difference.end] if tags else None, others):
            kind = "name"
        elif known is not None and not all(word in known for word in words):
            kind = "unknown"
        else:
            kind = difference.shape
        yield SegmentationError(line, difference.start + shift, difference.end + shift, " ".join(others), kind)


def is_number(word: str) -> bool:
    """Whether a word is a number, a date or a time, or a word of Latin letters.

    >>> [is_number(word) for word in ("二○○一年", "３０％", "第一", "WTO", "A4", "一些", "多", "点")]
    [True, True, True, True, True, False, False, False]
    """
    return _NUMBER.fullmatch(word) is not None or _LATIN.fullmatch(word) is not None


def confusions_of(errors: Counter[tuple[str, str, Kind]], most: int) -> list[tuple[str, str, Kind, int]]:
    """The most frequent pairs of gold words and words in their place, each with its kind and its count."""
    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    return [(gold, output, kind, count) for (gold, output, kind), count in ordered[:most]]
