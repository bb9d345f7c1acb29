"""Reads and validates `well_known.toml`, the catalogue of well-known vocabularies.

OpenAI's encodings and `packed_files.FILES` ship with the site, which fetches the other sources. Every start validates
the whole file, so that an incomplete or inconsistent entry fails before a visitor chooses it.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, StringConstraints, ValidationError
from pydantic.dataclasses import dataclass

from webapp.core.algorithms import ALGORITHMS
from webapp.core.formats import packed_files, packed_ranks, tiktoken
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import Format, Recognized, recognize
from webapp.core.tokenizer import Tokenizer

FILE = Path(__file__).with_name("well_known.toml")

T = TypeVar("T")

STRICT = ConfigDict(strict=True, extra="forbid")
SomeText = Annotated[str, StringConstraints(min_length=1)]
Several = Annotated[tuple[T, ...], Field(strict=False)]
"""A list in a file."""
_Path = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]([A-Za-z0-9_/-]|\.[A-Za-z0-9_-])*$")]
Repository = Annotated[str, StringConstraints(pattern=r"^([A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*)?$")]
_Checksum = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


@dataclass(frozen=True, config=STRICT)
class VocabularySource:
    """The source of a vocabulary's files.

    `files` are names of files in `repository` of the Hugging Face hub, at `revision`. `sha256` has one checksum per
    file, or is empty if the publisher gives none; the hub's entity tag then serves as the checksum. For OpenAI's
    encodings, which ship with the site, `files` are paths on its host, and `repository` is empty.
    """

    files: Several[_Path]
    repository: Repository = ""
    revision: str = ""
    sha256: Several[_Checksum] = ()

    @property
    def shown(self) -> str:
        """The source for display: `google-t5/t5-base: tokenizer.json`."""
        return f"{self.repository or 'OpenAI'}: {', '.join(self.files)}"


@dataclass(frozen=True, config=STRICT)
class WellKnown:
    """One well-known vocabulary.

    `name` appears in URLs. `title` and `family` are proper names. `size` is the highest id plus one, special tokens
    included. `format` is the result of `recognize` for the file. `encoding` names what a `.tiktoken` file does not
    contain. `chat` is the repository on the hub that has the chat template of the vocabulary's models, empty if
    none is known. `licence` is an SPDX identifier, or the name of the licence. `also` are checksums of files that
    are this vocabulary, though they are not required of the publisher's file. `download_size` is that of the files
    in bytes, 0 if it is not known.
    """

    name: str
    title: SomeText
    family: SomeText
    algorithm: SomeText
    size: Annotated[int, Field(gt=0, le=1_000_000)]
    format: Format
    licence: SomeText
    source: VocabularySource
    note: str = ""
    also: Several[_Checksum] = ()
    download_size: int = 0
    encoding: str = ""
    chat: Repository = ""

    @property
    def ships(self) -> bool:
        """Whether the vocabulary ships with the site."""
        return not self.source.repository or self.name in packed_files.FILES

    def tokenizer(self, contents: Sequence[bytes], read: Callable[..., Recognized] = recognize) -> Tokenizer:
        """The tokenizer from the content of the source's files; raises FormatError for files of another format."""
        if self.format == "tiktoken":
            return tiktoken.read(contents[0], self.encoding)
        found = read(*contents)
        if found.format != self.format:
            raise FormatError(
                "%(source)s should be of the format %(wanted)s, and is %(found)s",
                source=self.source.shown,
                wanted=self.format,
                found=found.format,
            )
        return found.tokenizer

    @property
    def address(self) -> str:
        """A web page about the source."""
        if not self.source.repository:
            return "https://github.com/openai/tiktoken"
        return f"https://huggingface.co/{self.source.repository}"


def read(text: str) -> dict[str, WellKnown]:
    """The entries of a catalogue file, one per table, by name and in the file's order.

    >>> catalogue = read('''
    ... [gpt2]
    ... title = "GPT-2"
    ... family = "OpenAI"
    ... algorithm = "bpe"
    ... size = 50257
    ... format = "huggingface"
    ... licence = "MIT"
    ... repository = "openai-community/gpt2"
    ... files = ["tokenizer.json"]
    ... ''')
    >>> catalogue["gpt2"].source.revision, catalogue["gpt2"].source.shown
    ('main', 'openai-community/gpt2: tokenizer.json')

    Raises ValueError if the text is not TOML, or an entry is incomplete, inconsistent or has unknown keys.
    """
    return read_tables(text, _entry)


def read_tables(text: str, read_table: Callable[[str, dict[str, Any]], T]) -> dict[str, T]:
    """What a function reads from each table of a TOML file; raises ValueError that names the table and the key."""
    found = {}
    for name, table in tomllib.loads(text, parse_float=Decimal).items():
        try:
            require(isinstance(table, dict), "should be a table")
            found[name] = read_table(name, table)
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"[{name}] {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        except ValueError as error:
            raise ValueError(f"[{name}] {error}") from None
    return found


def require(holds: bool, sentence: str) -> None:
    """Raise ValueError with the sentence unless a condition holds."""
    if not holds:
        raise ValueError(sentence)


def _entry(name: str, table: dict[str, Any]) -> WellKnown:
    given = dict(table)
    origin = {key: given.pop(key) for key in ("files", "repository", "revision", "sha256") if key in given}
    if "repository" in origin:
        origin.setdefault("revision", "main")
    source = VocabularySource(**origin)
    known = WellKnown(name=name, source=source, **given)
    algorithms = [
        id
        for id, algorithm in ALGORITHMS.items()
        if algorithm.models and algorithm.family not in ("dictionary", "lookup")
    ]
    wanted = 2 if known.format == "vocab.json" else 1
    ours = known.encoding in packed_ranks.FILES and bool(source.sha256)
    require(name.replace("_", "").replace("-", "").isalnum() and name == name.lower(), "should be in lower case")
    require(known.algorithm in algorithms, f"has an algorithm that is none of {', '.join(algorithms)}")
    require(len(source.files) == wanted, f"should have {wanted} file(s)")
    require(len(source.sha256) in (0, wanted), "should have a checksum for each file")
    require(bool(source.repository) or ours, "has no repository, and does not ship with the site")
    require(not known.ships or bool(source.sha256), "ships with the site, and has no checksum")
    require(not known.encoding or known.encoding in tiktoken.ENCODINGS, "has an unknown encoding")
    is_tiktoken = known.format == "tiktoken"
    require(is_tiktoken == bool(known.encoding), "should have an encoding only if it is a .tiktoken file")
    return known


WELL_KNOWN: Mapping[str, WellKnown] = MappingProxyType(read(FILE.read_text(encoding="utf-8")))

SHORT = 16  # digits of a checksum in the name of an upload


def _checksums() -> Mapping[str, WellKnown]:
    """The vocabularies of one file by the beginning of its checksum; of two with the same file, the first."""
    found: dict[str, WellKnown] = {}
    for known in WELL_KNOWN.values():
        for checksum in (*known.source.sha256, *known.also) if len(known.source.files) == 1 else ():
            found.setdefault(checksum[:SHORT], known)
    return MappingProxyType(found)


CHECKSUMS = _checksums()
