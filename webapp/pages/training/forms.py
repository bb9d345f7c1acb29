"""Reads the request for a training from an address or a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from flask import Request
from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.training import packed_links
from webapp.pages.training.corpus import MOST_COUNT, CountProblem
from webapp.pages.training.request import MOST, MOST_TEXT, TrainingRequest
from webapp.pages.training.trainings import LONGER, MINIMUM, ORDER, SMOOTHING, TRAININGS, Training, TrainingOption
from webapp.pages.walkthrough.cells import quotable
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.web.localization import number

LONGEST_VALUE = 40  # characters of a wrong value in a message
Value = TypeVar("Value")


def read(request: Request, algorithm: str) -> tuple[TrainingRequest, list[InputProblem]]:
    """The request and its problems; a field with a problem has its default, but texts stay as they are."""
    values = request.form if request.method == "POST" else request.args
    problems: list[InputProblem] = []

    def of(name: str, parse: Callable[[str], Value], default: Value) -> Value:
        """A field's value, or its default if it is missing, empty or wrong."""
        written = values.get(name, "")
        try:
            return parse(written) if written.strip() else default
        except InputProblem as problem:
            problems.append(replace(problem, field=name))
            return default

    kind = TrainingRequest(algorithm, symbols=values.get("symbols", ""))
    asked = kind if kind.kind in TRAININGS else TrainingRequest(algorithm)
    training = TRAININGS[asked.kind]
    corpus, text = as_typed(values.get("corpus", "")), values.get("text", "")
    if "packed" in values and "corpus" not in values:
        unpacked = packed_links.unpacked(values["packed"])
        if unpacked is None:
            problems.append(InputProblem(_("The corpus in this address cannot be read: a part of it is missing.")))
        corpus = as_typed(unpacked or "")
    problems += _corpus_problems(corpus)
    size = of("size", _whole, None)
    if len(text) > MOST_TEXT:
        message = _(
            "The text to tokenize has %(count)s characters; the limit is %(most)s.",
            count=number(len(text)),
            most=number(MOST_TEXT),
        )
        problems.append(InputProblem(message, 413, "text"))
    example = of("example", _whole, None)
    options = {
        **{name: values.get(name, "0") not in ("0", "") for name in ("apart", "plain", "every")},
        **{
            one.name: of(one.name, one_of(one), getattr(asked, one.name)) for one in (MINIMUM, LONGER, ORDER, SMOOTHING)
        },
    }
    asked = replace(
        asked,
        corpus=corpus,
        size=size if training.size else None,
        text=text,
        as_text=values.get("as_text", "0") not in ("0", ""),
        step=of("step", _step, None),
        **{option.name: options[option.name] for option in training.options},
    )
    if request.method == "POST":
        asked = _without_text_of_another_corpus(asked, training, example)
    if not problems and asked.counted:
        problems += _count_problems(asked.counted.problems)
    if not problems and training.size and asked.size is not None and not training.size.allows(asked.size):
        problems.append(InputProblem(training.size.range_problem(), 422, "size"))
    return asked, problems


def one_of(option: TrainingOption) -> Callable[[str], int | str]:
    """What reads the value of an option; it raises InputProblem for one that the option does not have."""

    def parse(written: str) -> int | str:
        if option.choices and written in dict(option.choices):
            return int(written) if written.isdecimal() else written
        problem = _("There is no such choice. Choose one from the list.")
        if not option.choices or option is ORDER:
            value = _whole(written)
            if option.allows(value):
                return value
            problem = problem if option.choices else option.range_problem()
        raise InputProblem(f"{option.label}: {problem}")

    return parse


def _whole(written: str) -> int:
    try:
        return int(written[: LONGEST_VALUE + 1])
    except ValueError:
        message = _("“%(value)s” is not a whole number.", value=written[:LONGEST_VALUE])
        raise InputProblem(message) from None


def _step(written: str) -> int:
    if (step := _whole(written)) < 0:
        raise InputProblem(_("Steps are counted from 0."))
    return step


def _corpus_problems(corpus: str) -> list[InputProblem]:
    """A corpus may be no longer than `MOST` and than an address can hold."""
    if len(corpus) > MOST:
        message = _(
            "The corpus has %(count)s characters; training is shown on up to %(most)s.",
            count=number(len(corpus)),
            most=number(MOST),
        )
    elif len(packed_links.parameters(corpus)[1]) > packed_links.LONGEST:
        message = _("The corpus does not fit into an address. Shorten it and try again.")
    else:
        return []
    return [InputProblem(message, 413, "corpus")]


def _without_text_of_another_corpus(asked: TrainingRequest, training: Training, example: int | None) -> TrainingRequest:
    """The request without the text of an example if the visitor has changed the example's corpus but not its text."""
    if example is None or not 0 <= example < len(training.presets):
        return asked
    preset = training.presets[example][1]
    changed = asked.corpus.split() != preset.corpus.split()
    return replace(asked, text="") if changed and asked.text == preset.text else asked


MOST_LINES = 5  # problems with lines of the corpus that are shown


def _count_problems(problems: Sequence[CountProblem]) -> list[InputProblem]:
    """A sentence for each of the first lines that have no count, or an invalid one."""
    sentences = [_count_problem(one) for one in problems[:MOST_LINES]]
    if (more := len(problems) - MOST_LINES) > 0:
        sentences.append(ngettext("One more entry has a problem.", "%(num)s more entries have problems.", more))
    return [InputProblem(sentence, 422, "counts") for sentence in sentences]


def _count_problem(one: CountProblem) -> str:
    word = quotable(one.word)
    if one.count is None:
        return _(
            "Line %(line)s: “%(word)s” has no count. Write, for example, “%(word)s 3”.",
            line=number(one.line),
            word=word,
        )
    return _(
        "Line %(line)s: “%(count)s” is not a count for “%(word)s”. Write a whole number from 1 to %(most)s.",
        line=number(one.line),
        count=one.count[:40],
        word=word,
        most=number(MOST_COUNT),
    )


def opening_of(corpus: str) -> str:
    """The beginning of a corpus that is too long, cut to the limits at the end of a word."""
    if len(corpus) <= MOST and len(packed_links.parameters(corpus)[1]) <= packed_links.LONGEST:
        return corpus
    kept = corpus[: MOST if len(corpus) > MOST else len(corpus) // 2]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    return kept[:space] if space > len(kept) // 2 else kept
