"""Reads and validates `well_known.toml`, the catalogue of well-known vocabularies.

The site fetches only the sources in this file; an entry without a repository ships with it. Every start validates the
whole file, so that an incomplete or inconsistent entry fails before a visitor chooses it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, get_args

from webapp.core.algorithms import ALGORITHMS
from webapp.core.formats import packed_ranks, tiktoken
from webapp.core.formats.fields import FormatError
from webapp.core.formats.recognize import Format, recognize
from webapp.core.tokenizer import Tokenizer

FILE = Path(__file__).with_name("well_known.toml")


@dataclass(frozen=True)
class VocabularySource:
    """The source of a vocabulary's files.

    `files` are names of files in `repository` of the Hugging Face hub, at `revision`. `sha256` has one checksum per
    file, or is empty if the publisher gives none; the hub's entity tag then serves as the checksum. For OpenAI's
    encodings, which ship with the site, `files` are paths on its host, and `repository` is empty.
    """

    files: tuple[str, ...]
    repository: str = ""
    revision: str = ""
    sha256: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The source for display: `google-t5/t5-base: tokenizer.json`."""
        return f"{self.repository or 'OpenAI'}: {', '.join(self.files)}"


@dataclass(frozen=True)
class WellKnown:
    """One well-known vocabulary.

    `name` appears in URLs. `title` and `family` are proper names. `size` is the highest id plus one, special tokens
    included. `format` is the result of `recognize` for the file. `encoding`, or `pattern` and `special_tokens`, add
    what a `.tiktoken` file does not contain. `chat` is the repository on the hub that has the chat template of the
    vocabulary's models, empty if none is known. `licence` is an SPDX identifier, or the name of the licence. `also` are
    checksums of files that are this vocabulary, though they are not required of the publisher's file. `download_size`
    is that of the files in bytes, 0 if it is not known.
    """

    name: str
    title: str
    family: str
    algorithm: str
    size: int
    format: Format
    licence: str
    source: VocabularySource
    note: str = ""
    also: tuple[str, ...] = ()
    download_size: int = 0
    encoding: str = ""
    pattern: str = ""
    chat: str = ""
    special_tokens: Mapping[str, int] = field(default_factory=dict)

    @property
    def ships(self) -> bool:
        """Whether the vocabulary ships with the site."""
        return not self.source.repository

    def tokenizer(self, contents: Sequence[bytes]) -> Tokenizer:
        """The tokenizer from the content of the source's files; raises FormatError for files of another format."""
        if self.format == "tiktoken":
            return tiktoken.read(
                contents[0],
                self.encoding or None,
                pattern=self.pattern or None,
                special_tokens=self.special_tokens or None,
            )
        found = recognize(*contents)
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
        if self.ships:
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
    return {name: _entry(name, table) for name, table in tomllib.loads(text).items()}


def _entry(name: str, table: Any) -> WellKnown:
    if not isinstance(table, dict):
        raise ValueError(f"{name} should be a table")
    wrong = _wrong(name, table)
    if wrong:
        raise ValueError(f"[{name}] {wrong}")
    hub = "repository" in table
    source = VocabularySource(
        files=tuple(table["files"]),
        repository=table.get("repository", ""),
        revision=table.get("revision", "main") if hub else "",
        sha256=tuple(table.get("sha256", ())),
    )
    known = {key: value for key, value in table.items() if key not in _SOURCE}
    known["also"] = tuple(table.get("also", ()))
    known["special_tokens"] = MappingProxyType(_special_tokens(table))
    return WellKnown(name=name, source=source, **known)


def _special_tokens(table: Mapping[str, Any]) -> dict[str, int]:
    """The ids of the special tokens, with numbered reserved tokens for the ids between them."""
    named: dict[str, int] = table.get("special_tokens", {})
    if "reserved_tokens" not in table:
        return named
    free = sorted(set(range(min(named.values()), table["size"])) - set(named.values()))
    return named | {table["reserved_tokens"].replace("{id}", str(id)): id for id in free}


KINDS: Mapping[type, str] = {
    str: "a text", int: "a whole number", Decimal: "a number", date: "a date", bool: "true or false",
    list: "a list", dict: "a table",
}  # fmt: skip
"""The kinds of values in a file, as errors name them."""


def wrong_keys(table: Mapping[str, Any], needed: Mapping[str, type | UnionType], allowed: Mapping[str, Any]) -> str:
    """The first key of an entry that is of another kind, lacking or unknown, in a sentence; empty if there is none.

    >>> wrong_keys({"size": "5"}, {"size": int}, {}), wrong_keys({}, {"size": int}, {})
    ('size should be a whole number', 'has no size')
    """
    for key, kind in {**needed, **allowed}.items():
        kinds = get_args(kind) or (kind,)
        if key in table and type(table[key]) not in kinds:
            return f"{key} should be {' or '.join(KINDS[each] for each in kinds)}"
    lacking, strange = needed.keys() - table.keys(), table.keys() - needed.keys() - allowed.keys()
    if lacking:
        return f"has no {', '.join(sorted(lacking))}"
    return f"has unknown keys: {', '.join(sorted(strange))}" if strange else ""


def _wrong(name: str, table: Mapping[str, Any]) -> str:
    """The first error in an entry, or an empty string."""
    if wrong := wrong_keys(table, _NEEDED, _ALLOWED):
        return wrong
    if not _NAME.fullmatch(name):
        return "is not a name in lower case with - or _ between its parts"
    files, checksums, format = table["files"], table.get("sha256", []), table["format"]
    wanted = 2 if format == "vocab.json" else 1
    *others, last = (id for id, algorithm in ALGORITHMS.items() if algorithm.trainer is not None)
    checks = {
        "has an empty text": all(value != "" for value in table.values()),
        f"should be {', '.join(others)} or {last}": table["algorithm"] in (*others, last),
        "has an unknown format": format in get_args(Format),
        "has an impossible size": 0 < table["size"] <= 1_000_000,
        f"should have {wanted} file(s)": len(files) == wanted and all(map(_is_path, files)),
        "should have a checksum for each file": not checksums or len(checksums) == len(files),
        "has an invalid sha256": all(
            isinstance(sum, str) and _SHA256.fullmatch(sum) for sum in [*checksums, *table.get("also", [])]
        ),
        "has no repository, and does not ship with the site": (
            "repository" in table or (table.get("encoding") in packed_ranks.FILES and bool(checksums))
        ),
        "has an invalid repository": _REPOSITORY.fullmatch(table.get("repository", "a/b")) is not None,
        "has an invalid repository for chat": _REPOSITORY.fullmatch(table.get("chat", "a/b")) is not None,
        "has special tokens without an id": all(type(id) is int for id in table.get("special_tokens", {}).values()),
        "has reserved tokens but no special tokens": "special_tokens" in table or "reserved_tokens" not in table,
        "has an unknown encoding": table.get("encoding", "r50k_base") in tiktoken.ENCODINGS,
        "should have an encoding, or a pattern and special tokens, only if it is a .tiktoken file": (
            format == "tiktoken"
        )
        == ("encoding" in table or {"pattern", "special_tokens"} <= table.keys()),
    }
    return next((sentence for sentence, holds in checks.items() if not holds), "")


def _is_path(path: object) -> bool:
    return isinstance(path, str) and _PATH.fullmatch(path) is not None and ".." not in path


_NEEDED: dict[str, type] = {
    "title": str, "family": str, "algorithm": str, "size": int, "format": str, "licence": str, "files": list,
}  # fmt: skip
_ALLOWED: dict[str, type] = {
    "repository": str, "revision": str, "sha256": list, "also": list, "download_size": int, "note": str,
    "encoding": str, "pattern": str, "chat": str, "special_tokens": dict, "reserved_tokens": str,
}  # fmt: skip
_SOURCE = ("files", "repository", "revision", "sha256", "reserved_tokens")
_NAME = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
_REPOSITORY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")

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
