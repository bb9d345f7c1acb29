"""Judges segmented texts: the first sentence that differs, and why."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import Any

from webapp.core.evaluation.gold import GoldError, GoldLine, GoldText, read_output
from webapp.core.evaluation.score import Difference, differences, is_number, score_lines
from webapp.core.formats.dictionary import DictionaryError, read_dictionary
from webapp.core.homework.verdicts import AnswerError, Figures, Link, Note, Row, Side, Verdict
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.reference import ngram
from webapp.core.text.alignment import equal_beginning
from webapp.core.text.sentences import sentence_spans
from webapp.core.trainers.ngram import segmented
from webapp.core.vocabulary_error import Phrase, shown

Values = Mapping[str, Any]
Texts = Mapping[str, str]
MOST_CHARACTERS = 700_000  # of a text to segment
MOST_SENTENCES = 50_000  # however short they are: 1 s
LONGEST_SENTENCE = 10_000
MOST_WORDS = 200_000  # of a dictionary
LONGEST_CORPUS = 2_000  # characters of sentences to count that a walkthrough shows
LONGEST_LINK = 200  # characters of a sentence that a walkthrough shows
MOST_COMPARED = 50  # words whose product is compared with another
STEPS_COUNTING = 12  # that the walkthrough has at most before the probabilities
WORDS_BEFORE = 3  # the first that differs, of a sentence that is longer
WORDS_AROUND = 8  # a word of a sentence in a table
ALGORITHM = {
    "forward": "fmm",
    "backward": "bmm",
    "bidirectional": "bidirectional",
    "max-probability": "max-probability",
}
WINDOWS = range(1, 9)  # characters: the longest words that programs often look up


@dataclass(frozen=True)
class Segmenting:
    """What to segment, and how: the parameters of an exercise.

    `method`: `forward`, `backward`, `bidirectional`, `max-probability` (words with frequencies) or `bigram` (add-one
    smoothing of the sentences in `training`). `runs`: Latin letters and digits in a row are one word.
    """

    sentences: tuple[str, ...]
    dictionary: Dictionary
    method: str
    runs: bool = False
    training: str = ""
    is_part: bool = False
    """Whether the text has more sentences than are checked: the first ones, up to `MOST_CHARACTERS`."""

    @classmethod
    def of(cls, values: Values, texts: Texts) -> "Segmenting":
        """The segmentation of an exercise; text and dictionary may be files that the student gives."""
        training = texts.get("training") or values.get("training", "")
        if "dictionary" in texts or "dictionary" in values:
            dictionary = dictionary_of(texts.get("dictionary") or values["dictionary"], "dictionary")
        else:
            counts = Counter(word for line in segmented_lines(training) for word in line)
            dictionary = Dictionary(list(counts), list(counts.values()))
        text = texts.get("text") or values.get("text", "") or "\n".join(map("".join, segmented_lines(training)))
        sentences = tuple(line for line in text.split("\n") if line.strip())
        if max(map(len, sentences), default=0) > LONGEST_SENTENCE:
            message = Phrase("A line of the text has more than %(longest)s characters.", longest=LONGEST_SENTENCE)
            raise AnswerError(message, "text")
        checked = min(sum(end <= MOST_CHARACTERS for end in accumulate(map(len, sentences))), MOST_SENTENCES)
        return cls(
            sentences[:checked],
            dictionary,
            values.get("method", "forward"),
            bool(values.get("runs")),
            training,
            checked < len(sentences),
        )

    @cached_property
    def segment(self) -> Callable[[str], list[str]]:
        """The function that segments a sentence without white space."""
        if self.method == "bigram":
            counts = ngram.train(segmented_lines(self.training))
            return lambda text: ngram.segment(text, counts)
        if self.method == "max-probability":
            model: Any = MaximumProbability(self.dictionary, hmm=False)
        else:
            model = Matching(self.dictionary, "both" if self.method == "bidirectional" else self.method, self.runs)  # type: ignore[arg-type]

        def segment(text: str) -> list[str]:
            return [text[start:end] for _id, start, end in model.segment(text)]

        return segment

    def words(self, sentence: str) -> list[str]:
        """The words of a sentence; white space separates words and is in none of them.

        The number of a line, with which the lines of the laboratory begin, is a word of its own.
        """
        number = LINE_ID.match(sentence)
        first, rest = ([number[0]], sentence[number.end() :]) if number else ([], sentence)
        return [*first, *(word for part in rest.split() for word in self.segment(part))]

    @cached_property
    def right(self) -> list[list[str]]:
        """The words of each sentence."""
        return list(map(self.words, self.sentences))

    def gives(self, lines: Sequence[Sequence[str]]) -> bool:
        """Whether it segments every sentence so; it ends at the first that differs."""
        return all(self.words(sentence) == line for sentence, line in zip(self.sentences, lines, strict=True))

    @cached_property
    def _total(self) -> int:
        return sum(self.dictionary.frequencies or ()) or 1

    def likelihood(self, words: Sequence[str]) -> Fraction:
        """The product of the words' frequencies / total, exactly; 0 for a longer word that the dictionary lacks."""
        counts, ids = self.dictionary.frequencies or [], self.dictionary.ids
        occurring = ((counts[ids[word]] or 1) if word in ids else int(len(word) == 1) for word in words)
        return prod((Fraction(count, self._total) for count in occurring), start=Fraction(1))

    def others(self) -> Iterator[tuple[str, "Segmenting"]]:
        """The same with one thing changed, which students often do otherwise, by the code of that rule."""
        matching = ("forward", "backward", "bidirectional")
        if self.method in ("max-probability", *matching):
            for method in ("forward", "backward"):
                if method != self.method:
                    yield method, replace(self, method=method)
        if self.method in matching:
            yield "runs" if not self.runs else "no-runs", replace(self, runs=not self.runs)
            for longest in WINDOWS:
                if longest < self.dictionary.longest:
                    kept = [word for word in self.dictionary.words if len(word) <= longest]
                    yield f"window-{longest}", replace(self, dictionary=Dictionary(kept))
            words = self.dictionary.words
            punctuated = [word for word in words if len(word) == 1 or not any(map(_is_punctuation, word))]
            if len(punctuated) < len(words):
                yield "no-punctuation", replace(self, dictionary=Dictionary(punctuated))
        if self.method == "bigram":
            yield "max-probability", replace(self, method="max-probability")


def dictionary_of(text: str, field: str) -> Dictionary:
    """The dictionary in a text, a word a line; raises AnswerError with the name of its field.

    Tags after the words are no part of them, but of an answer, which should have none.
    """
    if field == "dictionary" and len(_TAGGED.findall(text)) * 2 > text.count("\n"):
        text = _TAGGED.sub("", text)
    try:
        dictionary = read_dictionary(text)
    except DictionaryError as error:
        lines = [line.split() for line in text.split("\n") if line.strip()]
        if not all(len(fields) == 3 and fields[2].isdecimal() for fields in lines):
            message = Phrase("Line %(line)s of the dictionary: %(why)s.", line=error.line_number, why=error.message)
            raise AnswerError(message, field) from None
        counts = {word: int(count[:18]) for word, _tag, count in lines}  # as some programs write it
        dictionary = Dictionary(list(counts), list(counts.values()))
    if (count := len(dictionary)) > MOST_WORDS:
        message = Phrase("The dictionary has %(count)s words; the limit is %(most)s.", count=count, most=MOST_WORDS)
        raise AnswerError(message, field)
    return dictionary


LINE_ID = re.compile(r"\d{8}-\d\d-\d{3}-\d{3}")
"""The number that begins each line of the People's Daily corpus."""
_TAGGED = re.compile(r"/[A-Za-z]{1,5}(?:\d{0,2})(?:\][A-Za-z]{0,4}\d?)?$", re.MULTILINE)


def segmented_lines(text: str) -> list[list[str]]:
    """The words of each line that has any, between spaces or slashes, without tags and brackets of compounds.

    >>> segmented_lines("[中央/n 电台/n]nt 播/v 。/w\\n\\n研究/ 生命/ 的/ \\n和/尚未\\n//w 1/2/m")
    [['中央', '电台', '播', '。'], ['研究', '生命', '的'], ['和', '尚未'], ['/', '1/2']]
    """
    return [words for line in text.split("\n") if (words := words_of_line(line))]


def words_of_line(line: str) -> list[str]:
    """The words of a line, as `segmented_lines` reads them."""
    fields = line.split()
    tagged = sum(_TAGGED.search(field) is not None for field in fields)
    if tagged * 2 > len(fields):
        found = (_TAGGED.sub("", field) for field in fields)
        return [word.removeprefix("[") or word for word in found if word]
    words = []
    for field in fields:
        if "/" in field.strip("/"):
            words += [part for part in field.split("/") if part]
        elif field != "/":  # a separator between spaces
            words.append(field.removesuffix("/") or "/")
    return words


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def leaks(gold: Sequence[Sequence[str]], dictionary: Dictionary) -> bool:
    """Whether a dictionary has every longer word of a gold text: it was made from it, so a score says nothing."""
    longer = {word for line in gold for word in line if len(word) > 1}
    return len(longer) > 1 and all(word in dictionary for word in longer)


def _read(text: str, wanted: Segmenting) -> list[list[str]]:
    """The student's words for each sentence; raises AnswerError where they spell another text."""
    lines = []
    for number, (sentence, words) in enumerate(zip(wanted.sentences, wanted.right, strict=True), 1):
        lines.append(GoldLine(number, words, "".join(sentence.split())))
    written: Iterable[list[str]] = map(words_of_line, text.split("\n"))
    if wanted.is_part:
        ends = accumulate((sum(map(len, words)) for words in map(words_of_line, text.split("\n"))), initial=0)
        needed = sum(len(line.text) for line in lines)
        written = (words for words, begin in zip(written, ends, strict=False) if begin < needed)
    spaced = "\n".join(map("  ".join, written))
    try:
        return read_output(spaced, GoldText("words", lines))
    except GoldError:
        raise AnswerError(_other_text(spaced, lines)) from None


def _other_text(spaced: str, lines: Sequence[GoldLine]) -> Phrase:
    """Where a student's text first differs from the exercise's, or a word goes on into the next sentence."""
    mine, text = "".join(spaced.split()), "".join(line.text for line in lines)
    at = equal_beginning(mine, text)
    if at == len(mine) == len(text):
        return Phrase("A word of your answer goes beyond the end of its sentence. Write one sentence a line.")
    before = 0
    for line in lines:
        if at < before + len(line.text):
            break
        before += len(line.text)
    if at == len(mine):
        return Phrase("Your answer ends too early: the text goes on in sentence %(number)s.", number=line.number)
    return Phrase(
        "Sentence %(number)s, character %(place)s: your text has %(yours)s where the exercise has %(right)s. Both must "
        "have the same characters.",
        number=line.number,
        place=at - before + 1,
        yours=shown(mine[at : at + 8]),
        right=shown(text[at : at + 8]),
    )


def judge(values: Values, texts: Texts, text: str, _find: object) -> Verdict:
    """The verdict on a segmented text, with its figures if the exercise has a gold text."""
    wanted = Segmenting.of(values, texts)
    mine, right = _read(text, wanted), wanted.right
    gold = segmented_lines(texts.get("gold") or values.get("gold", ""))
    notes = [Note("first-sentences", {"count": len(right)})] if wanted.is_part else []
    figures = None
    if gold and sum(map(len, map("".join, gold))) == sum(map(len, map("".join, right))):
        figures = Figures.of(score_lines(gold, mine, None))
        if leaks(gold, wanted.dictionary):
            notes.append(Note("leakage"))
    agreeing = sum(one == other for one, other in zip(mine, right, strict=True))
    place = next((at for at, (one, other) in enumerate(zip(mine, right, strict=True)) if one != other), None)
    if place is None:
        same = [name for name, other in wanted.others() if name in ALGORITHM and other.gives(right)]
        notes += [Note("same-by-rule", {"rule": name}) for name in same]
        return Verdict("right", "sentence", agreeing, len(right), own_rule=wanted.method, notes=notes, figures=figures)
    first = differences(right[place], mine[place])[0]
    why, rule = _reason(wanted, mine, place, first)
    rows = []
    for at in range(max(place - 1, 0), min(place + 3, len(right))):
        yours, its = (first.output_start, first.start) if at == place else (0, 0)
        rows.append(Row(at + 1, _excerpt(mine[at], yours), _excerpt(right[at], its), mine[at] == right[at]))
    return Verdict(
        "other-rule" if rule else "wrong",
        "sentence",
        agreeing,
        len(right),
        place=place + 1,
        why=why,
        rule=rule,
        own_rule=wanted.method,
        yours=Side(" / ".join(mine[place][first.output_start : first.output_end])),
        right=Side(" / ".join(right[place][first.start : first.end])),
        rows=rows,
        notes=notes,
        link=segmentation_link(wanted, place, first.start),
        figures=figures,
    )


def _excerpt(words: list[str], at: int) -> str:
    """The words around one.

    >>> _excerpt(["研究", "生命"], 0), _excerpt(list("一二三四五六七八九十"), 9)
    ('研究 / 生命', '… / 二 / 三 / 四 / 五 / 六 / 七 / 八 / 九 / 十')
    """
    begin, end = max(at - WORDS_AROUND, 0), at + WORDS_AROUND + 1
    return " / ".join(["…"][:begin] + words[begin:end] + ["…"][: len(words) > end])


def _reason(wanted: Segmenting, mine: list[list[str]], place: int, first: Difference) -> tuple[str, str]:
    """The code of why a sentence differs, and the rule by which all are right, if there is one."""
    sentence = wanted.sentences[place]
    if wanted.method == "max-probability" and _equally_probable(wanted, mine):
        return "", "equal-probability"
    fitting = [(name, other) for name, other in wanted.others() if other.words(sentence) == mine[place]]
    for name, other in fitting:
        if other.gives(mine):
            return "", name
    if fitting:
        return fitting[0][0], ""
    yours = mine[place][first.output_start : first.output_end]
    its = wanted.right[place][first.start : first.end]
    if any(map(is_number, (*yours, *its))):
        return ("line-number" if LINE_ID.match(its[0]) else "numbers"), ""
    if any(_is_punctuation(one) for word in (*yours, *its) if len(word) > 1 for one in word):
        return "punctuation", ""
    if any(len(word) > 1 and word not in wanted.dictionary for word in yours):
        return "not-in-dictionary", ""
    if wanted.method in ("forward", "backward"):
        lost = {word for word in wanted.right[place] if len(word) > 1}.difference(mine[place])
        kept = Dictionary([word for word in wanted.dictionary.words if word not in lost])
        if replace(wanted, dictionary=kept).words(sentence) == mine[place]:
            return "word-missing", ""
    return ("less-probable" if wanted.method in ("max-probability", "bigram") else ""), ""


def _equally_probable(wanted: Segmenting, mine: list[list[str]]) -> bool:
    """Whether all that differs is as probable as what is right."""
    for yours, right in zip(mine, wanted.right, strict=True):
        for each in differences(right, yours) if yours != right else ():
            if each.end - each.start > MOST_COMPARED:
                return False
            likelihood = wanted.likelihood(right[each.start : each.end])
            if not likelihood or likelihood != wanted.likelihood(yours[each.output_start : each.output_end]):
                return False
    return True


def segmentation_link(wanted: Segmenting, place: int, token: int) -> Link | None:
    """What the walkthrough of the method needs to show a sentence at a token.

    Of a long sentence it shows the words from a little before that token: between two of its boundaries every method
    but the bidirectional one segments a text as in the whole. The number of a line is left out.
    """
    sentence = wanted.sentences[place]
    if wanted.method == "bigram":
        return bigram_link(wanted.training, sentence, len("".join(wanted.right[place][: token + 1])))
    words, begin = wanted.right[place], int(LINE_ID.match(sentence) is not None)
    is_long = len(sentence) > LONGEST_LINK
    if wanted.method not in ALGORITHM or (is_long and wanted.method == "bidirectional"):
        return None
    if begin or is_long:
        if token < begin or len(sentence.split()) > 1:
            return None
        begin = max(begin, token - WORDS_BEFORE) if is_long else begin
        ends = [end for end in accumulate(map(len, words[begin:])) if end <= LONGEST_LINK]
        sentence, token = "".join(words[begin : begin + len(ends)]), token - begin
        if token >= len(ends):
            return None
    used = [word for word in wanted.dictionary.words if word in sentence]
    counts, ids = wanted.dictionary.frequencies, wanted.dictionary.ids
    lines = [word if counts is None else f"{word} {counts[ids[word]] or 1}" for word in used]
    if counts is not None and len(used) < len(counts):  # another word stands for all others, so that the total is right
        other = next(word for word in wanted.dictionary.words if word not in sentence)
        lines.append(f"{other} {sum(counts) - sum(counts[ids[word]] for word in used) or 1}")
    values = {"algorithm": ALGORITHM[wanted.method], "text": sentence, "dictionary": "\n".join(lines)}
    values["vocabulary"] = "own-dictionary"
    options = {"hmm": 0} if wanted.method == "max-probability" else {"runs": int(wanted.runs)}
    return Link("steps", {**values, **options, "token": token})


def bigram_link(sentences: str, text: str, position: int = 0, smoothing: str = "add-one") -> Link | None:
    """What the walkthrough of word n-grams needs to show the counts of some sentences, or a position of a text.

    Positions are counted from 1, and each sentence of a text has one more for its end.
    """
    if len(sentences) > LONGEST_CORPUS or len(text) > LONGEST_LINK:
        return None
    values = {"algorithm": "ngram", "corpus": sentences.strip(), "text": text.replace(" ", ""), "smoothing": smoothing}
    counted = min(sum(1 for _sentence in segmented(sentences)), STEPS_COUNTING)
    ends = sum(1 for _start, end in sentence_spans(values["text"]) if end < position)
    return Link("training", {**values, "order": 2, "step": counted + position + ends})


def written(values: Values, texts: Texts, _find: object) -> str:
    """The right segmentation in the form of the laboratory: a slash and a space after each word."""
    return "\n".join("".join(f"{word}/ " for word in words) for words in Segmenting.of(values, texts).right) + "\n"
