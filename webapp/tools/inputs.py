"""What a tool takes, as one typed model: addresses, forms, JSON bodies and commands are all read into it.

>>> class SquareInput(Input):
...     side: Annotated[int, Field(ge=1, le=9)] = 3
...     number: Annotated[int, OnPage()] = 1
>>> SquareInput(side=4).query(number=2), SquareInput().query()
('side=4&number=2', '')
>>> sorted(body_model(SquareInput, "SquareBody").model_fields)
['side']
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field as DataclassField
from dataclasses import dataclass, replace
from typing import (
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from werkzeug.datastructures import CombinedMultiDict

from webapp.tokenization.forms import InputProblem, as_typed, text_of, within
from webapp.tokenization.messages import noted
from webapp.web.localization import join_list

AnyInput = TypeVar("AnyInput", bound="Input")

SHOWN = 40  # characters of a wrong value in a message


@dataclass(frozen=True)
class OnPage:
    """Marks a field that addresses and forms have, but no JSON body."""


@dataclass(frozen=True)
class InBody:
    """Marks a field that JSON bodies have, but no address or form."""


_SAME = object()


@dataclass(frozen=True)
class BodyField:
    """How a field of JSON bodies differs: in its name, and in its default, which is `...` for a required one."""

    name: str = ""
    default: Any = _SAME


@dataclass(frozen=True)
class FromForm:
    """How a field is found in a form: under other names, which come first, and by a function of all its values.

    The function may raise InputProblem. `button`: the field has buttons only, so the page has no place at it for
    what is wrong with it.
    """

    names: Sequence[str] = ()
    choose: Callable[[Sequence[str]], str] = lambda values: values[0]
    button: bool = False


class Input(BaseModel):
    """Base of all inputs: frozen, with strict types and no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    example: ClassVar[Mapping[str, Any]] = {}
    """The fields that the page starts with if its address has none."""

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The input in the address or the form of a request, and its problems."""
        given, problems = read(cls, request)
        is_start = request.method == "GET" and not request.args.keys() - {"lang"}
        return given.model_copy(update=cls.example if is_start else {}), problems

    @classmethod
    def page_fields(cls) -> dict[str, FieldInfo]:
        """The fields of addresses and forms."""
        return {name: field for name, field in cls.model_fields.items() if _mark(field, InBody) is None}

    def query(self, **changes: Any) -> str:
        """The query string of the address with this input, without fields at their defaults; `text` is always there."""
        changed = self.model_copy(update=changes)
        pairs = []
        for name, field in self.page_fields().items():
            value = getattr(changed, name)
            if name == "text" or value != field.default:
                name = field.serialization_alias or name
                values = (value or ("",)) if isinstance(value, tuple) else (value,)
                pairs += [(name, _written(each)) for each in values]
        return urlencode(pairs, errors="replace")

    @property
    def fits_address(self) -> bool:
        """Whether its query string is short enough for an address."""
        limit: int = current_app.config["MAX_LINK_CHARACTERS"]
        return len(self.query()) <= limit


class AnswerModel(BaseModel):
    """Base of answers that the site makes as dictionaries, of which some keys may be absent: for the schema alone."""

    model_config = ConfigDict(extra="forbid")


@dataclass_transform(frozen_default=True)
class Answer:
    """Base of what programs get: its fields are the JSON object, and its types the schema in the OpenAPI document.

    Every subclass is a frozen dataclass.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")
    __dataclass_fields__: ClassVar[dict[str, DataclassField[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


def body_model(kind: type[Input], name: str) -> type[Input]:
    """The model of a JSON body with the fields of `kind`; the text is required unless its `BodyField` differs."""
    types = get_type_hints(kind, include_extras=True)
    fields: dict[str, Any] = {}
    for each, field in kind.model_fields.items():
        if _mark(field, OnPage) is None:
            body = _mark(field, BodyField) or BodyField()
            own = ... if each == "text" else field.default
            default = own if body.default is _SAME else body.default
            named = Annotated[types[each], Field(alias=body.name)] if body.name else types[each]
            fields[each] = (named, default)
    return create_model(name, __base__=Input, __doc__=kind.__doc__, **fields)


def read(kind: type[AnyInput], request: Request) -> tuple[AnyInput, list[InputProblem]]:
    """Read the address or the form of a request; values that are no input are problems, and defaults replace them.

    A text that is rejected stays in the input, so that the page can show it again. A form may have further fields in
    its address, as for a button.
    """
    values = CombinedMultiDict([request.form, request.args] if request.method == "POST" else [request.args])
    given: dict[str, Any] = {}
    unknown = []
    for name, field in kind.page_fields().items():
        found = _mark(field, FromForm) or FromForm()
        all_values = next(
            (values.getlist(each) for each in (*found.names, field.serialization_alias or name) if each in values), []
        )
        kinds = (field.annotation, *get_args(field.annotation))
        if all_values and any(get_origin(each) is tuple for each in kinds):
            given[name] = tuple(dict.fromkeys(filter(None, all_values)))
        elif all_values:
            try:
                value = _typed(found.choose(all_values), field)
            except InputProblem as wrong:
                unknown.append(replace(wrong, field=name))
                continue
            if value is not None:
                given[name] = value
    valid, problems = _validated(kind, given)
    problems += unknown
    if "text" in kind.model_fields:
        upload = request.files.get("file")
        if request.method == "POST" and "text" not in request.form and not upload:
            missing = _("The form arrived without its text. Go back and send it again.")
            problems.append(InputProblem(missing, 400, "text"))
        if upload and upload.filename:
            with noted(problems):
                valid = valid.model_copy(update={"text": text_of(upload)})
    return valid, problems


def _validated(kind: type[AnyInput], given: dict[str, Any]) -> tuple[AnyInput, list[InputProblem]]:
    try:
        return kind.model_validate(given), []
    except ValidationError as error:
        # A default that depends on a wrong field is not computed; it is, once that field has its own default.
        errors = [each for each in error.errors(include_url=False) if each["type"] != "default_factory_not_called"]
        problems = {str(each["loc"][0]): _problem(kind, each) for each in reversed(errors)}
    valid = kind.model_validate({name: value for name, value in given.items() if name not in problems})
    texts = {name: given[name] for name in given.keys() & problems if kind.model_fields[name].annotation is str}
    return valid.model_copy(update=texts), list(reversed(problems.values()))


def _written(value: Any) -> Any:
    """A value in an address."""
    return int(value) if isinstance(value, bool) else "" if value is None else value


def _typed(value: str, field: FieldInfo) -> Any:
    """A value of a form as its field's type; None for an empty one that is no text, which means the default."""
    kinds = {field.annotation, *get_args(field.annotation)}
    if str in kinds:
        return as_typed(value)
    if bool in kinds:
        return value not in ("0", "")
    if not value:
        return None
    is_number = int in kinds and value.isascii() and value.isdecimal() and len(value) < 10
    return int(value) if is_number else value


def _problem(kind: type[Input], details: ErrorDetails) -> InputProblem:
    """The problem for one of pydantic's errors, in the visitor's language."""
    name = str(details["loc"][0])
    field = kind.model_fields[name]
    context, value = details.get("ctx", {}), str(details["input"])[:SHOWN]
    if isinstance(problem := context.get("error"), InputProblem):
        message, status = problem.message, problem.status
    elif details["type"] in ("greater_than_equal", "less_than_equal"):
        limits = {key: getattr(each, key) for each in field.metadata for key in ("ge", "le") if hasattr(each, key)}
        message, status = _("Choose a number from %(least)s to %(most)s.", least=limits["ge"], most=limits["le"]), 422
    elif details["type"] == "literal_error":
        message, status = (
            _(
                "“%(value)s” is not a value of “%(name)s”. Use one of these: %(values)s.",
                value=value,
                name=name,
                values=join_list(literals(field)),
            ),
            422,
        )
    elif details["type"] in ("too_short", "too_long"):
        message, status = sentence_of(details), 422
    else:
        message, status = _("“%(value)s” is not a whole number.", value=value), 422
    is_page_number = status == 404 and _mark(field, OnPage) is not None
    form = _mark(field, FromForm)
    has_place = not (is_page_number or (form is not None and form.button))
    return InputProblem(message, status, (field.serialization_alias or name) if has_place else "", value)


def sentence_of(details: ErrorDetails) -> str:
    """What one of pydantic's errors says; of lists, without the names of Python's types."""
    if details["type"] == "too_short":
        return _("The list is empty. Choose at least one.")
    if details["type"] == "too_long":
        limits = details["ctx"]
        return _(
            "The list has %(count)s entries; the limit is %(most)s.",
            count=limits["actual_length"],
            most=limits["max_length"],
        )
    return details["msg"].removeprefix("Value error, ")


def literals(field: FieldInfo) -> tuple[str, ...]:
    """The values of a field that has few."""
    return tuple(
        value
        for kind in (field.annotation, *get_args(field.annotation))
        for value in get_args(kind)
        if isinstance(value, str)
    )


def _mark(field: FieldInfo, kind: type[Any]) -> Any:
    return next((each for each in field.metadata if isinstance(each, kind)), None)


def at_most(limit: int | str, subject: Callable[[], str], times: int = 1) -> AfterValidator:
    """A limit of a text in bytes of UTF-8: a number, or a setting some times; `subject` names the text in messages."""

    def check(text: str) -> str:
        within(text, times * current_app.config[limit] if isinstance(limit, str) else limit, subject())
        return text

    return AfterValidator(check)


def whole(value: Any) -> Any:
    """A JSON number without a fraction as an integer: `5.0` → `5` (JSON Schema 2020-12, 6.1.1)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _page_number(value: Any) -> int:
    if isinstance(value, int) and value > 0:
        return value
    raise InputProblem(_("“%(value)s” is not the number of a page.", value=str(value)[:SHOWN]), 404)


def require_page(page: int, last: int) -> None:
    """Raise InputProblem if there is no such page of a list."""
    if page > last:
        raise InputProblem(_("There is no page %(number)s; the last one is %(last)s.", number=page, last=last), 404)


WHOLE = BeforeValidator(whole)
Text = Annotated[str, at_most("MAX_TEXT_BYTES", lambda: _("The text")), Field(description="The text.")]
PageNumber = Annotated[int, OnPage(), BeforeValidator(_page_number)]
