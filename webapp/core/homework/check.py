"""Checks an answer: reads it, computes the right one, and returns the verdict.

>>> from webapp.core.homework.exercises import EXERCISES
>>> verdict = check(EXERCISES["cs336-bpe-example"], Answer("e s, es t, l o, lo w, n e, ne w"))
>>> verdict.outcome, verdict.rule, verdict.place, verdict.why, verdict.yours.count, verdict.right.text
('other-rule', 'first-seen', 1, 'tie', 9, 's t')
>>> check(EXERCISES["cs336-bpe-example"], Answer(solution(EXERCISES["cs336-bpe-example"]))).outcome
'right'
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from webapp.core.homework import cells, dictionaries, files, merges, segmentations, sequences
from webapp.core.homework.exercises import Exercise, Need
from webapp.core.homework.readers import LONGEST_TYPED, checked
from webapp.core.homework.training import Training
from webapp.core.homework.verdicts import OPEN_RULES, AnswerError, Verdict
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase

FindTokenizer = Callable[[str], Tokenizer]
"""Finds a published vocabulary by its name; the core has none. Raises what its caller explains."""


LONGEST = {"segmentation": 6_000_000, "dictionary": 2_500_000}
"""The most characters of answers that are files by nature."""


@dataclass(frozen=True)
class Answer:
    """What a student hands in: a text that is typed or pasted, and files by their names.

    A file whose name is that of one of the exercise's `needs` is not the answer, but what it is computed from. `given`
    has such files by their roles.
    """

    text: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    given: Mapping[str, bytes] = field(default_factory=dict)


def _no_vocabulary(name: str) -> Tokenizer:
    raise AnswerError(Phrase("The vocabulary %(name)s cannot be had here.", name=name))


def check(exercise: Exercise, answer: Answer, find_tokenizer: FindTokenizer = _no_vocabulary) -> Verdict:
    """Return the verdict on an answer.

    Takes at most two seconds: sizes are bounded. Raises AnswerError for an answer that cannot be read, and for a file
    that is needed and missing.
    """
    verdict = _judged(exercise, answer, find_tokenizer)
    return replace(verdict, outcome="right") if verdict.rule in OPEN_RULES else verdict


def _judged(exercise: Exercise, answer: Answer, find_tokenizer: FindTokenizer) -> Verdict:
    own, given = _sorted(exercise, answer)
    values, texts = exercise.parameters, _texts(exercise, given)
    if exercise.kind in ("merges", "vocabulary", "longest"):
        typed = "" if exercise.kind == "longest" else answer.text
        handed = files.handed_in(typed, own, merges=exercise.kind == "merges")
        if exercise.kind == "longest":
            return sequences.judge_longest(values, handed, answer.text)
        training = Training.of(values, texts)
        return (merges.judge if exercise.kind == "merges" else merges.judge_vocabulary)(training, handed)
    parts = [*(files.text_of(content, name) for name, content in own.items()), answer.text]
    text = checked("\n".join(parts).strip("\n"), LONGEST.get(exercise.kind, LONGEST_TYPED))
    return KINDS[exercise.kind][0](values, texts, text, find_tokenizer)


def solution(
    exercise: Exercise, given: Mapping[str, bytes] | None = None, find_tokenizer: FindTokenizer = _no_vocabulary
) -> str:
    """Return the right answer as a text that `check` reads; raises AnswerError if a needed file is missing."""
    texts = _texts(exercise, given or {})
    if exercise.kind in KINDS:
        return KINDS[exercise.kind][1](exercise.parameters, texts, find_tokenizer)
    if exercise.kind == "longest":  # only the student's own vocabulary knows it
        return ""
    training = Training.of(exercise.parameters, texts)
    return (merges.written if exercise.kind == "merges" else merges.written_vocabulary)(training)


Judge = Callable[[Mapping[str, Any], Mapping[str, str], str, FindTokenizer], Verdict]
Write = Callable[[Mapping[str, Any], Mapping[str, str], FindTokenizer], str]
KINDS: Mapping[str, tuple[Judge, Write]] = {
    "tokens": (sequences.judge_tokens, sequences.written_tokens),
    "ids": (sequences.judge_ids, sequences.written_ids),
    "text": (sequences.judge_text, sequences.written_text),
    "tags": (sequences.judge_tags, sequences.written_tags),
    "bytes": (sequences.judge_bytes, sequences.written_bytes),
    "segmentation": (segmentations.judge, segmentations.written),
    "dictionary": (dictionaries.judge, dictionaries.written),
    "cells": (cells.judge, cells.written),
    "score": (cells.judge_score, cells.written_score),
    "times": (cells.judge_times, lambda _values, _texts, _find: ""),
}
"""What judges an answer of a kind, and what writes the right one; kinds of merges are apart."""


def _sorted(exercise: Exercise, answer: Answer) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files that are the answer, and those by roles that it is computed from."""
    roles = {need.file: need.role for need in exercise.needs}
    own = {name: content for name, content in answer.files.items() if name.rpartition("/")[2] not in roles}
    given = {roles[name.rpartition("/")[2]]: content for name, content in answer.files.items() if name not in own}
    return own, {**given, **answer.given}


def _texts(exercise: Exercise, given: Mapping[str, bytes]) -> dict[str, str]:
    texts = {}
    for need in exercise.needs:
        content = given.get(need.role, b"")
        if content:
            texts[need.role] = _text(need, content)
        elif not need.optional or (given and exercise.kind == "score"):  # segmentations are scored with their own gold
            message = Phrase("This exercise needs your file %(file)s. Choose it next to your answer.", file=need.file)
            raise AnswerError(message, need.role)
    return texts


def _text(need: Need, content: bytes) -> str:
    try:
        text = files.text_of(content, need.file)
    except AnswerError as error:
        raise AnswerError(error.message, need.role) from None
    unified = text.replace("\r\n", "\n")
    if need.sha256 and hashlib.sha256(unified.encode()).hexdigest() != need.sha256:
        message = Phrase(
            "This is not the %(file)s of the course: its content differs. Take the file from %(source)s.",
            file=need.file,
            source=need.source,
        )
        raise AnswerError(message, need.role)
    return unified
