"""`/split`: split a long text into parts of at most N tokens, to read, copy and download."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import islice
from typing import Annotated, Any, ClassVar
from zipfile import ZIP_DEFLATED, ZipFile

from flask_babel import gettext as _
from pydantic import Field

from webapp.core.analysis import chunking
from webapp.core.analysis.chunking import BOUNDARIES, Boundary, ChunkPart, PartTooSmallError
from webapp.tokenization.forms import InputProblem
from webapp.tools.inputs import WHOLE, Answer, BodyField, FromForm, Text
from webapp.tools.kernel import ApiEntry, Tool
from webapp.tools.picker import DEFAULT_VOCABULARY, TokenizerInput, VocabularyName
from webapp.web.json_responses import well_formed
from webapp.web.localization import number

EXAMPLE = (
    "A long text is split into parts before a model reads it. A part ends with a sentence. Parts may overlap: the next "
    "one then repeats the end of the last.\n长文本要先切成几段，再交给模型。每一段都在句末结束。相邻两段可以重叠。"
)
MOST_PARTS = 20_000  # rows of a table, or files of an archive


def _boundary(values: Sequence[str]) -> str:
    if values[0] not in BOUNDARIES:
        raise InputProblem(_("A part must end with a sentence, a line or a token."))
    return values[0]


class SplitInput(TokenizerInput):
    """A text to split."""

    vocabulary: VocabularyName = DEFAULT_VOCABULARY
    text: Text = ""
    tokens: Annotated[
        int,
        BodyField("max_tokens", default=...),
        Field(
            ge=1,
            le=1_000_000,
            description="The most tokens that a part may have when it is encoded alone.",
            examples=[512],
        ),
        WHOLE,
    ] = 512
    overlap: Annotated[
        int,
        Field(
            ge=0,
            le=500_000,
            description="The most tokens at the end of a part that the next one repeats; at most half of `max_tokens`.",
        ),
        WHOLE,
    ] = 0
    boundary: Annotated[
        Boundary,
        FromForm(choose=_boundary),
        Field(
            description="Where parts end. A part without a sentence ends with a line, one without a line with a "
            "sentence, and one without either after a token."
        ),
    ] = "sentence"
    example: ClassVar[Mapping[str, Any]] = {"text": EXAMPLE, "tokens": 20}


class PartAnswer(Answer):
    """One part of a text."""

    text: str
    start: Annotated[int, Field(description="The start of the part, in code points of the whole text.")]
    end: Annotated[int, Field(description="The end of the part (exclusive).")]
    tokens: Annotated[int, Field(description="The number of its tokens when it is encoded alone.")]


class SplitAnswer(Answer):
    """The parts, in the order of the text."""

    parts: Sequence[PartAnswer]


@dataclass(frozen=True)
class SplitText:
    """A text and its parts."""

    text: str
    parts: Sequence[ChunkPart]

    def text_of(self, part: ChunkPart) -> str:
        """The text of a part."""
        return self.text[part.start : part.end]


def split_text(given: SplitInput) -> SplitText:
    """Split a text into parts of at most `max_tokens` tokens.

    Each part has at most `max_tokens` tokens when it is encoded alone. Without an overlap, the concatenated parts are
    the text. A sentence ends after . ! ? … and any closing quotes or brackets, if white space and then no lower-case
    letter follows; after the full-width equivalents, with or without white space; and at an empty line.
    """
    most = given.tokens // 2
    if given.overlap > most:
        raise InputProblem(_("It can be at most half of a part: %(most)s tokens.", most=most), 409, "overlap")
    if not given.text:
        given.state()  # checks the choice
        return SplitText("", ())
    state, tokenizer = given.tokenizer(given.text)
    found = chunking.split(
        given.text,
        tokenizer,
        most=given.tokens,
        overlap=given.overlap,
        boundary=given.boundary,
        special=state.special,
        template=state.puts_around,
    )
    try:
        parts = list(islice(found, MOST_PARTS + 1))
    except PartTooSmallError as error:
        values = {"character": error.character, "tokens": error.tokens}
        message = _("The character “%(character)s” alone has %(tokens)s tokens. Choose larger parts.", **values)
        raise InputProblem(message, 409, "tokens") from None
    if len(parts) > MOST_PARTS:
        message = _("The text has more than %(most)s parts. Choose larger parts.", most=number(MOST_PARTS))
        raise InputProblem(message, 409, "tokens")
    return SplitText(given.text, parts)


def answer(found: SplitText) -> SplitAnswer:
    """The parts with their texts."""
    return SplitAnswer(
        [PartAnswer(well_formed(found.text_of(part)), part.start, part.end, part.tokens) for part in found.parts]
    )


def archive(found: SplitText) -> Iterator[bytes]:
    """A ZIP archive with a text file for each part."""
    content = BytesIO()
    width = len(str(len(found.parts)))
    with ZipFile(content, "w", ZIP_DEFLATED) as file:
        for index, part in enumerate(found.parts, 1):
            file.writestr(f"part-{index:0{width}}.txt", found.text_of(part))
    yield content.getvalue()


def json_lines(found: SplitText) -> Iterator[str]:
    """A line of JSON for each part."""
    return (json.dumps(asdict(part), ensure_ascii=False) + "\n" for part in answer(found).parts)


TOOL = Tool(
    name="split",
    address="/split",
    input=SplitInput,
    run=split_text,
    answer=answer,
    files={"zip": ("application/zip", archive), "jsonl": ("application/jsonl", json_lines)},
    file_name="parts",
    api=ApiEntry(
        "/split",
        "SplitBody",
        SplitAnswer,
        {"text": "It rains. Take an umbrella! 下雨了。带伞吧！", "max_tokens": 8, "boundary": "sentence"},
    ),
)
