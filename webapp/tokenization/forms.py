"""Read the playground's form from an address, from a plain form, or from htmx, with the same result."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import partial
from typing import Any, TypeVar

from flask import Request, current_app
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage, MultiDict

from webapp.core.affixes import MOST_AROUND
from webapp.core.algorithms import CHOICES, DEFAULT, Choice
from webapp.core.inference import INFERENCES, PARAMETERS, Parameter
from webapp.tokenization.algorithms import choice_of_names, choice_title
from webapp.tokenization.meter import model_problem
from webapp.tokenization.state import State, view_of
from webapp.vocabularies import GPT_4O, LIMITS, default_for, find, offered_algorithms
from webapp.vocabularies.language_models import model_of
from webapp.web.localization import current_key, join_list

Row = TypeVar("Row")

MAX_EDITS_BYTES = 100_000
MOST_ADDED, LONGEST_ADDED = 100, 64
LONGEST_NAME = 100
LONGEST_FIELD = 20_000  # characters
TEXTS = ("text", "corpus", "dictionary", "edits", "prefix", "suffix", "added")  # kept even if they are wrong


def as_typed(text: str | None) -> str:
    r"""Return a form's text with line ends as typed: forms send every line end as `\r\n`."""
    return (text or "").replace("\r\n", "\n")


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


def require_within(value: float, least: float, most: float, field: str = "") -> None:
    """Raise InputProblem for a number outside of its limits; nan is."""
    if not least <= value <= most:
        limits = {"least": f"{least:.12g}", "most": f"{most:.12g}"}
        raise InputProblem(_("Choose a number from %(least)s to %(most)s.", **limits), 422, field)


def require_size(vocabulary: str, size: int | None) -> None:
    """Raise InputProblem for a size that a vocabulary trained on the visitor's text cannot have."""
    if size is not None and (limits := LIMITS.get(vocabulary)):
        require_within(size, limits.least, limits.most, "size")


def within(text: str, limit: int, subject: str, field: str = "") -> None:
    """Raise InputProblem, with both figures, if `text` has more than `limit` bytes of UTF-8."""
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > limit:
        values = {"subject": subject, "size": f"{size:,}", "limit": f"{limit:,}"}
        message = _("%(subject)s has %(size)s bytes; the limit is %(limit)s. Shorten it and try again.", **values)
        raise InputProblem(message, 413, field)


def read(request: Request, algorithm: str | None = None) -> tuple[State, list[InputProblem]]:
    """Return the requested state and its problems; `algorithm` is given if the path contains it.

    In spite of any problem, the state contains the visitor's own texts, so that the page can show them again; the
    default replaces a choice that does not exist.
    """
    values = MultiDict(request.form if request.method == "POST" else request.args)
    if algorithm is None and opens_with_gpt_4o(values):
        values["vocabulary"] = GPT_4O
    values["algorithm"] = algorithm or values.get("algorithm", DEFAULT)
    _pick(values)
    if algorithm is not None:  # a choice of a vocabulary never leads away from the page
        values["algorithm"] = algorithm
    values["vocabulary"] = _own_vocabulary(values.getlist("vocabulary"), values["algorithm"])
    chosen: dict[str, Any] = {}
    problems = []
    for field in fields(State):
        name = field.name
        if name not in values:
            continue
        value: Any = None
        try:
            value = _typed(field, values[name])
            if value is not None and name in _CHECKS:
                _CHECKS[name](value, values)
        except ValueError as error:
            typed = values[name][:40] if field.type in NUMBERS else ""
            problems.append(InputProblem(str(error), _STATUSES.get(name, 422), name, typed))
            value = value if name in TEXTS else None
        if value not in (None, ""):
            chosen[name] = value
    if not fits(chosen.get("vocabulary"), chosen.get("algorithm", DEFAULT)):
        chosen["vocabulary"] = default_for(chosen.get("algorithm", DEFAULT))
    state = State(**chosen)
    if request.method == "POST" and "text" not in request.form:
        missing = _("The form arrived without its text. Go back and send it again.")
        problems.append(InputProblem(missing, 400, "text"))
    upload = request.files.get("file")
    if upload and upload.filename:
        try:
            state = replace(state, text=text_of(upload), token=None)
        except InputProblem as problem:
            hint = _("To upload a vocabulary, use “Choose a vocabulary”.") if problem.status == 422 else ""
            space = " " if current_key() == "en" and hint else ""
            problems.append(replace(problem, message=f"{problem.message}{space}{hint}", field="file"))
    return state, problems


NUMBERS: Mapping[object, tuple[Callable[[str], float], Callable[[str], str]]] = {
    **dict.fromkeys(("int", "int | None"), (int, lambda value: _("“%(value)s” is not a whole number.", value=value))),
    "float": (float, lambda value: _("“%(value)s” is not a number.", value=value)),
}
"""How a field of each type of numbers is read, and the message for what is no such number."""


def _typed(field: Field[Any], text: str) -> Any:
    """A value of a form as the field's type; None for an empty number or choice, which means the default."""
    if isinstance(field.default, bool):
        return text not in ("0", "")
    if field.type not in NUMBERS:
        return view_of(text) if field.name == "view" else as_typed(text)
    if not text.strip():
        return None
    convert, message = NUMBERS[field.type]
    try:
        return convert(text)
    except ValueError:
        raise ValueError(message(text[:40])) from None


# What each field accepts: functions of its value and of all values, which raise ValueError.


def _is_algorithm(name: str, values: Mapping[str, str]) -> None:
    """Require an algorithm that the site has a vocabulary for, or that the chosen vocabulary is for."""
    if name not in offered_algorithms() and not fits(values["vocabulary"], name):
        raise ValueError(_("There is no such algorithm. Choose %(names)s.", names=choice_of_names()))


def _is_vocabulary(name: str, _values: Mapping[str, str]) -> None:
    """Require a known name; `read` replaces a vocabulary of another algorithm with the default."""
    if name and find(name) is None:
        name = name if len(name) <= 40 else f"{name[:40]}…"
        raise ValueError(_("There is no vocabulary “%(name)s”. Choose one from the list.", name=name))


def _is_token(number: int, _values: Mapping[str, str]) -> None:
    if number < 0:
        raise ValueError(_("Tokens are counted from 0."))


def _is_inference(name: str, _values: Mapping[str, str]) -> None:
    """Require a known inference; a state drops one that its algorithm does not have."""
    if name and name not in INFERENCES:
        values = {"name": name[:40], "names": join_list(INFERENCES)}
        raise ValueError(_("There is no inference “%(name)s”. Use one of these: %(names)s.", **values))


def _is_model(name: str, _values: Mapping[str, str]) -> None:
    """Require a model of the list whose tokenizer is public."""
    if name and (problem := model_problem(name)):
        raise ValueError(problem)


def _is_value(choice: Choice, value: str, _values: Mapping[str, str]) -> None:
    if value not in choice.values:
        values = {"value": value[:40], "name": choice_title(choice), "values": join_list(choice.values)}
        raise ValueError(_("“%(value)s” is not a value of “%(name)s”. Use one of these: %(values)s.", **values))


def _is_parameter(parameter: Parameter, value: float, _values: Mapping[str, str]) -> None:
    require_within(value, parameter.least, parameter.most)


def _at_most(limit: str | int, subject: Callable[[], str], text: str, _values: Mapping[str, str]) -> None:
    """Limit a text in bytes, by a setting or a number."""
    within(text, current_app.config[limit] if isinstance(limit, str) else limit, subject())


def _few_names(text: str, _values: Mapping[str, str]) -> None:
    """Limit the names of tokens around the text."""
    names = text.split() if len(text) <= LONGEST_FIELD else [text]
    if len(names) > MOST_AROUND or any(len(name) > LONGEST_NAME for name in names):
        limits = {"most": MOST_AROUND, "longest": LONGEST_NAME}
        raise ValueError(
            _("Name at most %(most)s tokens of at most %(longest)s characters, separated by spaces.", **limits)
        )


def _few_added(text: str, _values: Mapping[str, str]) -> None:
    """Limit the tokens that a visitor adds."""
    lines = text.split("\n") if len(text) <= LONGEST_FIELD else [text]
    count = sum(1 for line in lines if line.strip())
    if count > MOST_ADDED:
        raise ValueError(_("%(count)s tokens; at most %(most)s can be added.", count=f"{count:,}", most=MOST_ADDED))
    for number, line in enumerate(lines if count > 1 else [text], 1):
        if len(line) > LONGEST_ADDED:
            values = {"number": number, "length": f"{len(line):,}", "most": LONGEST_ADDED}
            raise ValueError(_("Line %(number)s has %(length)s characters; a token may have %(most)s.", **values))


_CHECKS: Mapping[str, Callable[[Any, Mapping[str, str]], None]] = {
    "algorithm": _is_algorithm,
    "vocabulary": _is_vocabulary,
    "text": partial(_at_most, "MAX_TEXT_BYTES", lambda: _("The text")),
    "corpus": partial(_at_most, "MAX_CORPUS_BYTES", lambda: _("The training text")),
    "dictionary": partial(_at_most, "MAX_TEXT_BYTES", lambda: _("The dictionary")),
    "edits": partial(_at_most, MAX_EDITS_BYTES, lambda: _("The list of changes")),
    "size": lambda size, values: require_size(values["vocabulary"], size),
    "token": _is_token,
    **{choice.name: partial(_is_value, choice) for choice in CHOICES},
    "inference": _is_inference,
    **{one.name: partial(_is_parameter, one) for one in PARAMETERS},
    "model": _is_model,
    "prefix": _few_names,
    "suffix": _few_names,
    "added": _few_added,
}
_STATUSES = {**dict.fromkeys(("algorithm", "vocabulary"), 404), **dict.fromkeys(TEXTS[:4], 413)}


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


def _own_vocabulary(chosen: list[str], algorithm: str) -> str:
    """The vocabulary for `algorithm`, or an unknown name; the page sends the choices of all algorithms."""
    fitting = (name for name in chosen if fits(name, algorithm))
    return next(fitting, None) or next((name for name in chosen if name and find(name) is None), "")


def _pick(values: MultiDict[str, str]) -> None:
    """Apply the buttons for special tokens, the button of a vocabulary, the switches of tokens, and the model.

    A vocabulary that is picked, or that of the model if there is no other, also chooses its algorithm.
    """
    if values.get("recognize") in ("special", "plain"):
        values["special"] = str(int(values["recognize"] == "special"))
    for name in ("prefix", "suffix"):
        if len(values.getlist(name)) > 1:
            values[name] = " ".join(values.getlist(name)[: 2 * MOST_AROUND])
    entry = find(values.get("pick", ""))
    if entry is None and not any(values.getlist("vocabulary")) and not values.get("pick"):
        model = model_of(values.get("model", "")[:LONGEST_NAME])
        entry = find(model.vocabulary) if model and model.vocabulary else None
    if entry is not None:
        values["vocabulary"] = entry.name
        if values["algorithm"] not in entry.algorithms:
            values["algorithm"] = entry.algorithms[0]


def fits(name: str | None, algorithm: str) -> bool:
    """Whether a vocabulary of this name exists and the algorithm can use it."""
    entry = find(name) if name else None
    return entry is not None and algorithm in entry.algorithms


def moved(values: Mapping[str, str], rows: Sequence[Row]) -> list[Row]:
    """Rows after a button `up`, `down` or `remove` with the number of a row from 1.

    >>> moved({"down": "1"}, "abc"), moved({"remove": "3"}, "abc"), moved({"up": "x"}, "abc")
    (['b', 'a', 'c'], ['a', 'b'], ['a', 'b', 'c'])
    """
    found = list(rows)
    for name, step in (("up", -1), ("down", 1), ("remove", 0)):
        value = values.get(name, "")
        if value.isascii() and value.isdecimal() and len(value) < 5 and 1 <= int(value) <= len(found):
            row = found.pop(int(value) - 1)
            if step:
                found.insert(max(0, int(value) - 1 + step), row)
    return found


# Buttons of the details of a token, and of the list of changes.
BUTTONS = ("edit", "undo", "add_word", "remove_word")


def pressed(values: Mapping[str, str], *, plain: bool) -> bool:
    """Whether a form was sent to change the dictionary.

    Without scripts (`plain`), the enter key in the field of the word sends the form with another button.
    """
    return any(values.get(name) for name in BUTTONS) or bool(plain and values.get("edit_word", "").strip())


def text_of(upload: FileStorage) -> str:
    """The text of an uploaded file; raises InputProblem if it is not UTF-8 or exceeds the limit."""
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
        raise InputProblem(message, 422, "text") from None
    within(text, current_app.config["MAX_TEXT_BYTES"], f"“{upload.filename}”", "text")
    return as_typed(text)
