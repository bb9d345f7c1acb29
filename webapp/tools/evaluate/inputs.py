"""What `/evaluate` is given: a gold text, methods and segmentations to score, and which errors to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, get_args

from flask import Request, current_app, request
from flask_babel import gettext as _
from pydantic import Field
from werkzeug.datastructures import FileStorage

from webapp.core.algorithms import finds_words
from webapp.core.evaluation.score import Kind
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.comparison.views import TokenizerOption, tokenizer_options
from webapp.tokenization.forms import InputProblem, as_typed, within
from webapp.tools.inputs import FromForm, InBody, Input, at_most
from webapp.vocabularies import CATALOGUE, default_for, offered_algorithms, well_known
from webapp.vocabularies.upload_cookie import uploads_of, with_chosen

MOST_METHODS = 6
PASTED = "own-dictionary"
"""The vocabulary that consists of the training words."""
LONGEST_NAME = 60  # characters of an uploaded file's name
SHOWN_AGAIN = 100_000
"""The most characters of a file that the form shows; what was typed or pasted it always shows."""
LONG_CHARACTERS = 500_000
"""The characters that a request segments and scores, of all methods together: in two seconds, a tenth for any text."""
FIRST_ERRORS = {"method": 1, "kind": None, "page": 1}


@dataclass(frozen=True)
class UploadedOutput:
    """A segmentation that a visitor made elsewhere: its name and its text."""

    name: str
    text: str


def _counted(values: Sequence[str]) -> str:
    """A number from 1; anything else means the first."""
    number = values[0]
    return number if number.isascii() and number.isdecimal() and len(number) < 10 and int(number) else ""


class EvaluationInput(Input):
    """A gold text (empty: the sample), the methods to score, and the training words that decide what is unknown.

    Of the errors, those of the method with the number `method`, of a `kind` or of all, on a page of their list.
    """

    chosen: Annotated[tuple[str, ...] | None, Field(serialization_alias="with")] = None
    runs: bool = True
    gold: Annotated[str, at_most("MAX_GOLD_BYTES", lambda: _("The gold text"))] = ""
    output: Annotated[str, at_most("MAX_GOLD_BYTES", lambda: _("The segmentation"), 2)] = ""  # pasted
    training: Annotated[str, at_most("MAX_GOLD_BYTES", lambda: _("The list of training words"))] = ""
    files: Annotated[tuple[UploadedOutput, ...], InBody()] = ()
    method: Annotated[int, FromForm(choose=_counted)] = 1
    kind: Annotated[Kind | None, FromForm(choose=lambda sent: sent[0] if sent[0] in get_args(Kind) else "")] = None
    page: Annotated[int, FromForm(choose=_counted)] = 1
    most: ClassVar[int] = MOST_METHODS

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The evaluation of a request, with the texts as typed or uploaded, and what is wrong with them."""
        given, problems = super().read(request)
        limit = current_app.config["MAX_GOLD_BYTES"]
        texts: dict[str, Any] = {}
        files = []
        fields = {"gold_file": ("gold", limit), "training_file": ("training", limit), "outputs": ("outputs", 2 * limit)}
        for name, (field, most) in fields.items():
            for upload in filter(None, request.files.getlist(name)):
                try:
                    text = _content(upload, most, field)
                except InputProblem as problem:
                    problems.append(problem)
                    continue
                if name == "outputs":
                    files.append(UploadedOutput((upload.filename or "")[:LONGEST_NAME], text))
                else:
                    texts[field] = text
        given = given.model_copy(update={**texts, "files": tuple(files)})
        if given.count > MOST_METHODS:
            message = _(
                "These are %(count)s methods and segmentations; choose at most %(most)s.",
                count=given.count,
                most=MOST_METHODS,
            )
            problems.append(InputProblem(message, 422, "with"))
        elif not given.count:
            problems.append(InputProblem(_("Choose at least one method, or enter a segmentation."), 422, "with"))
        return given, problems

    @property
    def choices(self) -> tuple[TokenizerChoice, ...]:
        """The methods."""
        if self.chosen is None:
            return () if self.output else default_choices()
        return tuple(map(TokenizerChoice.parse, self.chosen))

    @property
    def count(self) -> int:
        """How many segmentations are scored."""
        return len(self.choices) + len(self.files) + bool(self.output.strip())

    @property
    def is_sample(self) -> bool:
        """Whether the gold text is the site's sample."""
        return not self.gold.strip()

    @property
    def characters(self) -> int:
        """The length of the texts."""
        return sum(map(len, (self.gold, self.training, self.output, *(file.text for file in self.files))))

    @property
    def is_long(self) -> bool:
        """Whether it takes more than a few seconds: it becomes a run."""
        return len(self.gold) * len(self.choices) + self.characters // 10 > LONG_CHARACTERS

    def query(self, **changes: Any) -> str:
        """The query string, with the methods only if they are not those that are chosen at first."""
        return super().query(**({"chosen": None} if self.choices == default_choices() else {}), **changes)

    @property
    def fits_address(self) -> bool:
        """Whether the address can hold it: its texts are short, and no file would be missing."""
        return not self.files and self.characters <= current_app.config["MAX_LINK_CHARACTERS"] and super().fits_address

    @property
    def hidden(self) -> list[str]:
        """The fields whose file is too long to be shown in the form."""
        names = ("gold", "training")
        return [name for name in names if request.files.get(f"{name}_file") and len(getattr(self, name)) > SHOWN_AGAIN]

    @property
    def groups(self) -> list[tuple[str, list[TokenizerOption]]]:
        """The methods to choose from under their headings."""
        yours = with_chosen(uploads_of(request), [choice.vocabulary for choice in self.choices])
        own = [*(entry for entry in CATALOGUE.values() if entry.origin not in ("learned", "pasted")), *yours]
        pasted = [CATALOGUE[PASTED]] if PASTED in CATALOGUE else []
        groups = [
            (_("Methods that find words"), tokenizer_options(own, finds_words)),
            (
                _("The same, with your training words as the dictionary"),
                tokenizer_options(pasted, finds_words, lambda entry: _("your training words")),
            ),
            (_("Methods that find pieces of words"), tokenizer_options(own, _finds_pieces)),
            (_("The same, with well-known vocabularies"), tokenizer_options(well_known(), _finds_pieces)),
        ]
        return [(title, options) for title, options in groups if options]


def _content(upload: FileStorage, limit: int, field: str) -> str:
    """The text of a file: UTF-8, or one of the Chinese encodings that GB 18030 includes; raises InputProblem."""
    content, name = upload.stream.read(), (upload.filename or "")[:LONGEST_NAME]
    upload.close()
    try:
        text = as_typed(content.decode())
    except UnicodeDecodeError:
        text = as_typed(content.decode("gb18030", "replace"))
    if not text.strip():
        raise InputProblem(_("The file “%(name)s” is empty. Choose another one.", name=name), 422, field)
    within(text, limit, f"“{name}”", field)
    return text


def default_choices() -> tuple[TokenizerChoice, ...]:
    """Each method that segments into words, with its default vocabulary."""
    ids = [id for id in offered_algorithms() if finds_words(id)]
    return tuple(TokenizerChoice(id, default_for(id)) for id in ids[:MOST_METHODS])


def _finds_pieces(id: str) -> bool:
    return not finds_words(id)
