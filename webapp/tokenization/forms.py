"""Read the playground's form from an address, from a plain form, or from htmx, with the same result."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, fields, replace
from typing import Any

from flask import Request, current_app
from flask_babel import get_locale
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage, MultiDict
from wtforms import BooleanField, Field, FileField, FloatField, Form, IntegerField, StringField, TextAreaField
from wtforms.validators import Optional, ValidationError

from webapp.core.algorithms import CHOICES, DEFAULT, MODE, OPTIONS, ORDER, SMOOTHING, Choice
from webapp.core.inference.records import ALPHA, DROPOUT, INFERENCES, OWN, SEED, Parameter
from webapp.tokenization.affix_fields import few_added, few_names, pick_by_model, usable_model
from webapp.tokenization.algorithms import choice_of_names, choice_title
from webapp.tokenization.state import State, view_of
from webapp.vocabularies import GPT_4O, LIMITS, default_for, find, offered_algorithms
from webapp.web.localization import current_key, join_list

MAX_EDITS_BYTES = 100_000
INFERENCE_FIELDS = ("inference", "dropout", "alpha", "seed")
TYPED_NUMBERS = ("size", "token", "dropout", "alpha", "seed")

# Defaults for parameters that an address omits. A form sends a hidden field after each checkbox, so an unchecked box
# differs from a missing parameter.
ABSENT = {
    "algorithm": DEFAULT,
    **{option.name: str(int(option.default)) for option in OPTIONS},
    **{choice.name: choice.default for choice in CHOICES},
    "show": "0",
}


def as_typed(text: str | None) -> str:
    r"""Return a form's text with line ends as typed: forms send every line end as `\r\n`."""
    return (text or "").replace("\r\n", "\n")


class TranslatedForm(Form):
    """A form with WTForms' built-in messages in the reader's language."""

    class Meta:
        """WTForms' settings."""

        @property
        def locales(self) -> list[str]:
            """The reader's language, then English."""
            return [str(get_locale()), "en"]


class PlaygroundForm(TranslatedForm):
    """The fields of the page and their validation."""

    algorithm = StringField()
    vocabulary = StringField()
    text = TextAreaField(filters=[as_typed])
    corpus = TextAreaField(filters=[as_typed])
    dictionary = TextAreaField(filters=[as_typed])
    edits = TextAreaField(filters=[as_typed])
    size = IntegerField(validators=[Optional()])
    token = IntegerField(validators=[Optional()])
    runs = BooleanField(false_values=("0", ""))
    lowercase = BooleanField(false_values=("0", ""))
    special = BooleanField(false_values=("0", ""))
    template = BooleanField(false_values=("0", ""))
    hmm = BooleanField(false_values=("0", ""))
    mode = StringField()
    order = StringField()
    smoothing = StringField()
    show = BooleanField(false_values=("0", ""))
    view = StringField()
    file = FileField()
    inference = StringField()
    dropout = FloatField(validators=[Optional()])
    alpha = FloatField(validators=[Optional()])
    seed = IntegerField(validators=[Optional()])
    model = StringField(validators=[usable_model])
    prefix = StringField(validators=[few_names])
    suffix = StringField(validators=[few_names])
    added = TextAreaField(filters=[as_typed], validators=[few_added])

    def validate_algorithm(self, field: StringField) -> None:
        """Require an algorithm that the site has a vocabulary for, or that the chosen vocabulary is for."""
        if field.data not in offered_algorithms() and not fits(self.vocabulary.data, field.data or ""):
            raise ValidationError(_("There is no such algorithm. Choose %(names)s.", names=choice_of_names()))

    def validate_token(self, field: IntegerField) -> None:
        """Reject negative token numbers."""
        if field.data is not None and field.data < 0:
            raise ValidationError(_("Tokens are counted from 0."))

    def validate_vocabulary(self, field: StringField) -> None:
        """Require a known name; `read` replaces a vocabulary of another algorithm with the default."""
        if field.data and find(field.data) is None:
            name = field.data if len(field.data) <= 40 else f"{field.data[:40]}…"
            raise ValidationError(_("There is no vocabulary “%(name)s”. Choose one from the list.", name=name))

    def validate_mode(self, field: StringField) -> None:
        """Require a known mode."""
        _require_value(MODE, field.data)

    def validate_order(self, field: StringField) -> None:
        """Require an order that n-gram models have."""
        _require_value(ORDER, field.data)

    def validate_smoothing(self, field: StringField) -> None:
        """Require a known smoothing."""
        _require_value(SMOOTHING, field.data)

    def validate_text(self, field: TextAreaField) -> None:
        """Limit the text, in bytes."""
        within(field.data or "", current_app.config["MAX_TEXT_BYTES"], _("The text"))

    def validate_corpus(self, field: TextAreaField) -> None:
        """Limit the training text, in bytes."""
        within(field.data or "", current_app.config["MAX_CORPUS_BYTES"], _("The training text"))

    def validate_dictionary(self, field: TextAreaField) -> None:
        """Limit a pasted dictionary, in bytes."""
        within(field.data or "", current_app.config["MAX_TEXT_BYTES"], _("The dictionary"))

    def validate_edits(self, field: TextAreaField) -> None:
        """Limit the changes to a dictionary, in bytes; what is wrong with a line is found when they are made."""
        within(field.data or "", MAX_EDITS_BYTES, _("The list of changes"))

    def validate_inference(self, field: StringField) -> None:
        """Require a known inference; a state drops one that its algorithm does not have."""
        if field.data and field.data not in INFERENCES:
            raise ValidationError(
                _(
                    "There is no inference “%(name)s”. Use one of these: %(names)s.",
                    name=field.data[:40],
                    names=join_list(INFERENCES),
                )
            )

    def validate_dropout(self, field: FloatField) -> None:
        """Require a probability."""
        _require_within(DROPOUT, field.data)

    def validate_alpha(self, field: FloatField) -> None:
        """Require an exponent within its limits."""
        _require_within(ALPHA, field.data)

    def validate_seed(self, field: IntegerField) -> None:
        """Require a seed within its limits."""
        _require_within(SEED, field.data)

    def validate_size(self, field: IntegerField) -> None:
        """Require a size within the slider's range, which depends on the vocabulary."""
        problem = size_problem(self.vocabulary.data or "", field.data)
        if problem:
            raise ValidationError(problem.message)


@dataclass(eq=False)
class InputProblem(ValueError):  # noqa: N818 (a visitor's problem; most are listed, some are raised)
    """A problem with the input: a sentence for the visitor, the HTTP status, the form field and what it contains.

    `field` is a path for values in lists, as in `prefix/0`. `value` is the rejected value of a field whose state cannot
    hold it, such as letters in place of a number; the form shows it again.
    """

    message: str
    status: int = 422
    field: str = ""
    value: str = ""

    def __str__(self) -> str:
        return self.message


def size_problem(vocabulary: str, size: int | None) -> InputProblem | None:
    """The problem with the size of a vocabulary that is trained on the visitor's text, or None."""
    limits = LIMITS.get(vocabulary)
    if limits is None or size is None or limits.least <= size <= limits.most:
        return None
    return InputProblem(
        _("Choose a number from %(least)s to %(most)s.", least=limits.least, most=limits.most), 422, "size"
    )


def _require_value(choice: Choice, value: str | None) -> None:
    """Raise ValidationError, with the values that exist, if `value` is none of them."""
    if value not in choice.values:
        raise ValidationError(
            _(
                "“%(value)s” is not a value of “%(name)s”. Use one of these: %(values)s.",
                value=(value or "")[:40],
                name=choice_title(choice),
                values=join_list(choice.values),
            )
        )


def _require_within(parameter: Parameter, value: float | None) -> None:
    """Raise ValidationError if a value is outside the limits of a parameter; nan is."""
    if value is not None and not parameter.least <= value <= parameter.most:
        raise ValidationError(
            _(
                "Choose a number from %(least)s to %(most)s.",
                least=f"{parameter.least:g}",
                most=f"{parameter.most:.12g}",
            )
        )


class TooLongError(ValidationError):
    """A text that exceeds its limit."""


def within(text: str, limit: int, subject: str) -> None:
    """Raise TooLongError, with both figures, if `text` has more than `limit` bytes of UTF-8."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise TooLongError(
            _(
                "%(subject)s has %(size)s bytes; the limit is %(limit)s. Shorten it and try again.",
                subject=subject,
                size=f"{size:,}",
                limit=f"{limit:,}",
            )
        )


def read(request: Request, algorithm: str | None = None) -> tuple[State, list[InputProblem]]:
    """Return the requested state and its problems; `algorithm` is given if the path contains it.

    In spite of any problem, the state contains the visitor's own texts, so that the page can show them again; the
    default replaces a choice that does not exist.
    """
    values = MultiDict(request.form if request.method == "POST" else request.args)
    if algorithm is not None:
        values["algorithm"] = algorithm
    if algorithm is None and opens_with_gpt_4o(values):
        values["vocabulary"] = GPT_4O
    for name, value in ABSENT.items():
        values.setdefault(name, value)
    _pick(values)
    pick_by_model(values)
    if algorithm is not None:  # a choice of a vocabulary never leads away from the page
        values["algorithm"] = algorithm
    algorithm = values["algorithm"]
    values["vocabulary"] = _own_vocabulary(values.getlist("vocabulary"), algorithm)
    form = PlaygroundForm(values)
    problems = [] if form.validate() else _problems(form)
    wrong = set(form.errors)
    algorithm = DEFAULT if "algorithm" in wrong else algorithm
    vocabulary = form.vocabulary.data or ""
    if not fits(vocabulary, algorithm):
        vocabulary = default_for(algorithm)
    chosen: dict[str, Any] = {
        choice.name: choice.default if choice.name in wrong else form[choice.name].data for choice in CHOICES
    }
    state = State(
        algorithm=algorithm,
        vocabulary=vocabulary,
        text=form.text.data or "",
        size=None if "size" in wrong else form.size.data,
        corpus=form.corpus.data or "",
        dictionary=form.dictionary.data or "",
        edits=form.edits.data or "",
        runs=form.runs.data,
        lowercase=form.lowercase.data,
        special=form.special.data,
        template=form.template.data,
        hmm=form.hmm.data,
        **chosen,
        show=form.show.data,
        view=view_of(form.view.data),
        token=None if "token" in wrong else form.token.data,
        inference=OWN if "inference" in wrong else form.inference.data or OWN,
        **{each.name: _number(form[each.name].data, each, wrong) for each in (DROPOUT, ALPHA, SEED)},
        model="" if "model" in wrong else form.model.data or "",
        prefix=form.prefix.data or "",
        suffix=form.suffix.data or "",
        added=form.added.data or "",
    )
    if request.method == "POST" and "text" not in request.form:
        missing = _("The form arrived without its text. Go back and send it again.")
        problems = [*problems, InputProblem(missing, 400, "text")]
    upload = request.files.get("file")
    if upload and upload.filename:
        state, problem = _with_file(state, upload)
        problems = [*problems, problem] if problem else problems
    return state, problems


def opens_with_gpt_4o(named: Container[str]) -> bool:
    """Whether an address that has these parameters opens with GPT-4o's vocabulary: if it names no choice at all.

    Every other address keeps the meaning that it had before this vocabulary shipped, so that links stay valid: one that
    names a text or an option but neither algorithm nor vocabulary means `DEFAULT` with its default vocabulary, and one
    that names an algorithm alone means the default vocabulary of that. `State.query` always writes the algorithm, and
    every vocabulary that is not its default; so a link to a result of GPT-4o's vocabulary names it.

    >>> opens_with_gpt_4o({}), opens_with_gpt_4o({"lang": "zh", "format": "json"})
    (True, True)
    >>> opens_with_gpt_4o({"text": "low"}), opens_with_gpt_4o({"algorithm": "bpe"}), opens_with_gpt_4o({"view": "ids"})
    (False, False, False)
    """
    return not any(field.name in named for field in fields(State))


def _number(value: Any, parameter: Parameter, wrong: set[str]) -> Any:
    """The value of a parameter; the default if it is missing or wrong."""
    return parameter.default if parameter.name in wrong or value is None else value


def _own_vocabulary(chosen: list[str], algorithm: str) -> str:
    """The vocabulary for `algorithm`, or an unknown name; the page sends the choices of all algorithms."""
    fitting = (name for name in chosen if fits(name, algorithm))
    return next(fitting, None) or next((name for name in chosen if name and find(name) is None), "")


def _pick(values: MultiDict[str, str]) -> None:
    """Apply the buttons that recognize special tokens or not, and that of a vocabulary, which chooses its algorithm."""
    if values.get("recognize") in ("special", "plain"):
        values["special"] = str(int(values["recognize"] == "special"))
    entry = find(values.get("pick", ""))
    if entry is not None:
        values["vocabulary"] = entry.name
        if values["algorithm"] not in entry.algorithms:
            values["algorithm"] = entry.algorithms[0]


def fits(name: str | None, algorithm: str) -> bool:
    """Whether a vocabulary of this name exists and the algorithm can use it."""
    entry = find(name) if name else None
    return entry is not None and algorithm in entry.algorithms


def _problems(form: PlaygroundForm) -> list[InputProblem]:
    problems = []
    for name, messages in form.errors.items():
        if form[name].process_errors:  # WTForms' own message does not show the value
            messages = [_not_a_number(form[name])]
        typed = str((form[name].raw_data or [""])[0])[:40] if name in TYPED_NUMBERS else ""
        problems += [InputProblem(str(message), _status(name), name, typed) for message in messages]
    return problems


def _not_a_number(field: Field) -> str:
    value = str((field.raw_data or [""])[0])[:40]
    if isinstance(field, FloatField):
        return _("“%(value)s” is not a number.", value=value)
    return _("“%(value)s” is not a whole number.", value=value)


def _status(name: str) -> int:
    """404 for a choice that does not exist, 413 for a text that is too long, else 422."""
    if name in ("algorithm", "vocabulary"):
        return 404
    return 413 if name in ("text", "corpus", "dictionary", "edits") else 422


def _with_file(state: State, upload: FileStorage) -> tuple[State, InputProblem | None]:
    """The state with the uploaded file as its text; unchanged if the file is not valid."""
    text, problem = text_of(upload)
    if problem is None:
        return replace(state, text=text, token=None), None
    if problem.status == 422:
        space = " " if current_key() == "en" else ""
        hint = _("To upload a vocabulary, use “Choose a vocabulary”.")
        problem = replace(problem, message=f"{problem.message}{space}{hint}")
    return state, replace(problem, field="file")


def text_of(upload: FileStorage) -> tuple[str, InputProblem | None]:
    """The text of an uploaded file, which must be UTF-8 and within the limit; or an empty text and the problem."""
    content = upload.stream.read()
    upload.close()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = _(
            "“%(name)s” is not UTF-8: the byte at offset %(offset)s (0x%(byte)s) does not fit. "
            "Save it as UTF-8 and try again; your text is unchanged.",
            name=upload.filename,
            offset=f"{error.start:,}",
            byte=f"{content[error.start]:02X}",
        )
        return "", InputProblem(message, 422, "text")
    try:
        within(text, current_app.config["MAX_TEXT_BYTES"], f"“{upload.filename}”")
    except TooLongError as error:
        return "", InputProblem(str(error), 413, "text")
    return as_typed(text), None
