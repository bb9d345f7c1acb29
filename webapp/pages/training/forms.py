"""What an address asks to learn: a corpus, how far to go, and the choices that each way of training has."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

from flask import Request, url_for
from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, IntegerField, StringField, TextAreaField
from wtforms.validators import NumberRange, Optional, ValidationError

from webapp.pages.training import packed_links
from webapp.tokenization.forms import InputProblem, TranslatedForm, as_typed
from webapp.web.localization import number

MOST = 2_000
"""The longest corpus, in characters."""
MOST_TEXT = 200
"""The longest text that is read with what was learned, in characters."""
MOST_MERGES = 200
MOST_PIECES = 1_000
ALGORITHMS = ("bpe", "wordpiece", "unigram", "bigrams")


@dataclass(frozen=True)
class TrainingRequest:
    """A training, and which of its steps. What is None is the trainer's choice."""

    algorithm: str
    symbols: str = ""  # BPE: "bytes", or else characters
    corpus: str = ""
    size: int | None = None  # merges; for Unigram the pieces that are left, single characters among them
    text: str = ""  # what is read with the pieces learned so far
    apart: bool = False  # BPE over characters: the end of a word is a symbol of its own
    minimum: int = 2  # WordPiece: how often a pair has to occur to take part
    longer: int = 60  # Unigram: the longer pieces to begin with, at most
    plain: bool = False  # Unigram: words as they are, without a mark for the space before them
    every: bool = False  # Unigram: begin with all parts of words that occur twice, and no whole word
    step: int | None = None

    @property
    def kind(self) -> str:
        """`bpe`, `bpe-bytes`, `wordpiece`, `unigram` or `bigrams`."""
        return "bpe-bytes" if self.algorithm == "bpe" and self.symbols == "bytes" else self.algorithm

    @property
    def wanted(self) -> int:
        """`size`, or how many merges are usual."""
        return 20 if self.size is None else self.size

    def relevant(self) -> TrainingRequest:
        """The same without what its kind does not use."""
        kind, usual = self.kind, TrainingRequest(self.algorithm)
        unigram = kind == "unigram"
        return replace(
            self,
            size=None if kind == "bigrams" else self.size,
            apart=self.apart and kind == "bpe",
            symbols=self.symbols if kind == "bpe-bytes" else "",
            minimum=self.minimum if kind == "wordpiece" else usual.minimum,
            longer=self.longer if unigram else usual.longer,
            plain=self.plain and unigram,
            every=self.every and unigram,
        )

    def address(self, step: int | None = None) -> str:
        """The address of a step, or of the first."""
        asked = self.relevant()
        pairs = [("corpus", "")] if not self.corpus else [packed_links.parameters(self.corpus)]
        for field in fields(asked):
            value = getattr(asked, field.name)
            if field.name not in ("algorithm", "corpus", "step") and value != field.default:
                pairs.append((field.name, str(int(value)) if isinstance(value, bool) else str(value)))
        if step is not None:
            pairs.append(("step", str(step)))
        query = urlencode(pairs, errors="replace")
        return f"{url_for('training.page', algorithm=self.algorithm)}?{query}"

    def with_corpus(self, corpus: str) -> TrainingRequest:
        """The same for another corpus, from its first step."""
        return replace(self, corpus=corpus, step=None)


class TrainingForm(TranslatedForm):
    """The fields of the page, and what may stand in them."""

    symbols = StringField()
    corpus = TextAreaField(filters=[as_typed])
    size = IntegerField(validators=[Optional()])
    text = StringField()
    apart = BooleanField(false_values=("0", ""))
    minimum = IntegerField(validators=[Optional(), NumberRange(1, MOST)])
    longer = IntegerField(validators=[Optional(), NumberRange(0, MOST_PIECES)])
    plain = BooleanField(false_values=("0", ""))
    every = BooleanField(false_values=("0", ""))
    step = IntegerField(validators=[Optional()])

    def validate_corpus(self, field: TextAreaField) -> None:
        """A small training has a small corpus."""
        count = len(field.data or "")
        if count > MOST:
            raise ValidationError(
                _(
                    "The corpus has %(count)s characters; training is shown on up to %(most)s.",
                    count=number(count),
                    most=number(MOST),
                )
            )
        if len(packed_links.parameters(field.data or "")[1]) > packed_links.LONGEST:
            raise ValidationError(_("The corpus does not fit into an address. Shorten it and try again."))

    def validate_text(self, field: StringField) -> None:
        """A text to read has a limit too."""
        count = len(field.data or "")
        if count > MOST_TEXT:
            raise ValidationError(
                _(
                    "The text to read has %(count)s characters; the limit is %(most)s.",
                    count=number(count),
                    most=number(MOST_TEXT),
                )
            )

    def validate_step(self, field: IntegerField) -> None:
        """Steps are counted from 0."""
        if field.data is not None and field.data < 0:
            raise ValidationError(_("Steps are counted from 0."))


def read(request: Request, algorithm: str) -> tuple[TrainingRequest, list[InputProblem]]:
    """What a request asks for, and what is wrong with it; what is wrong has given way to the usual."""
    values = MultiDict(request.form if request.method == "POST" else request.args)
    problems = []
    if "packed" in values and "corpus" not in values:
        text = packed_links.unpacked(values["packed"])
        if text is None:
            problems.append(InputProblem(_("The corpus in this address cannot be read: a part of it is missing."), 422))
        values["corpus"] = text or ""
    form = TrainingForm(values)
    if not form.validate():
        problems += [_problem(form, name) for name in form.errors]
    wrong = set(form.errors)

    def of(name: str, usual: Any) -> Any:
        return usual if name in wrong or form[name].data is None else form[name].data

    asked = TrainingRequest(
        algorithm,
        symbols="bytes" if algorithm == "bpe" and form.symbols.data == "bytes" else "",
        corpus=form.corpus.data or "",
        size=of("size", None),
        text=form.text.data or "",
        apart=form.apart.data,
        minimum=of("minimum", 2),
        longer=of("longer", 60),
        plain=form.plain.data,
        every=form.every.data,
        step=of("step", None),
    )
    least, most = bounds(asked)
    if not problems and asked.size is not None and not least <= asked.size <= most:
        problems.append(InputProblem(_size_problem(asked, least, most), 422, "size"))
    return asked, problems


def bounds(asked: TrainingRequest) -> tuple[int, int]:
    """The least and the most that may stand for `size`; a corpus of Unigram says the least itself."""
    return (1, MOST_PIECES) if asked.kind == "unigram" else (0, MOST_MERGES)


def _size_problem(asked: TrainingRequest, least: int, most: int) -> str:
    ends = {"least": number(least), "most": number(most)}
    if asked.kind == "unigram":
        return _("Choose a number of pieces from %(least)s to %(most)s.", **ends)
    return _("Choose a number of merges from %(least)s to %(most)s.", **ends)


def _problem(form: TrainingForm, name: str) -> InputProblem:
    field = form[name]
    message = str(field.errors[0])
    if field.process_errors:  # WTForms' own words do not say of what
        message = _("“%(value)s” is not a whole number.", value=str((field.raw_data or [""])[0])[:40])
    elif name in ("minimum", "longer"):
        titles = {
            "minimum": _("A pair takes part from so many occurrences"),
            "longer": _("Longer pieces to begin with"),
        }
        message = f"{titles[name]}: {message}"
    return InputProblem(message, 413 if name in ("corpus", "text") else 422, name)


def opening_of(corpus: str) -> str:
    """As much of a corpus that is too long as training can be shown on, to the end of a word."""
    if len(corpus) <= MOST and len(packed_links.parameters(corpus)[1]) <= packed_links.LONGEST:
        return corpus
    kept = corpus[: MOST if len(corpus) > MOST else len(corpus) // 2]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    return kept[:space] if space > len(kept) // 2 else kept
