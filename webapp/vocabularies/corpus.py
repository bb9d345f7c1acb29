"""The corpus of the built-in vocabularies: English, Chinese in both scripts, and code, as documents.

A book has its own names, and a package its own boilerplate. They are frequent there and nowhere else, so a vocabulary
of 32,000 pieces would spend places on them. Therefore every text is divided into documents, and `Support` says whether
a piece occurs in several of them.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, AnyStr, Generic, Literal

from webapp.core.recipes import BYTE_BPE

THIRD = 2_800_000  # bytes of each of English, simplified Chinese and code; traditional Chinese is half as much
NO_CODE = {"site-packages", "test", "tests", "idle_test", "encodings", "pydoc_data", "__pycache__"}
DOCUMENT = 44_000  # characters: none of the Sherlock Holmes stories is in three documents
CHINESE_DOCUMENT = 20_000
LEAST_DOCUMENTS = 3  # that a piece of two or more characters occurs in
Script = Literal["", "traditional"]

# A gloss in the Lu Xun file repeats its word: 土谷祠土谷祠：即土地庙。 or “行状”“行状”：指…; the first one stays.
_DOUBLED = re.compile(r"([^\n：，。！？；]{2,40})\1(?=：|（[^\n（）]{1,40}）：)")
_QUOTES = str.maketrans("“”‘’", "「」『』")  # as texts in traditional characters have them


@dataclass(frozen=True)
class Source:
    """A part of a file to train on: `size` bytes from `begin` on, in whole lines.

    `novel`: all of it has the same names, so it is one document.
    """

    kind: str
    name: str
    begin: int
    size: int
    script: Script = ""
    novel: bool = False


SOURCES = (
    Source("English", "en_holmes_and_others.txt", 0, THIRD),
    Source("Chinese, modern", "zh_luxun.txt", 0, THIRD // 2),
    Source("Chinese, classical", "zh_honglou.txt", 0, THIRD // 4, novel=True),
    Source("Chinese, classical", "zh_shuihu.txt", 0, THIRD // 4, novel=True),
    Source("Chinese, modern, traditional", "zh_luxun.txt", THIRD // 4, THIRD // 4, "traditional"),
    Source("Chinese, classical, traditional", "zh_honglou.txt", THIRD // 4, THIRD // 8, "traditional", novel=True),
    Source("Chinese, classical, traditional", "zh_shuihu.txt", THIRD // 4, THIRD // 8, "traditional", novel=True),
)


@dataclass(frozen=True)
class CorpusPart:
    """A file of the corpus, and the part of it to train on, divided into documents by their names."""

    kind: str
    name: str
    content: bytes  # the whole file
    read: int  # bytes of it
    text: str
    documents: dict[str, str]


def read_corpus(folder: Path) -> list[CorpusPart]:
    """Return the whole corpus: the books in a folder, and the standard library of the running Python."""
    return [*books(folder), *standard_library()]


def books(folder: Path) -> Iterator[CorpusPart]:
    """Yield the English and Chinese parts of the corpus."""
    for source in SOURCES:
        content = (folder / source.name).read_bytes()
        lines = content.decode()
        before = beginning_of(lines, source.begin)
        read = beginning_of(lines[len(before) :], source.size)
        text = without_doubled_glosses(read) if source.name == "zh_luxun.txt" else read
        if source.script == "traditional":
            text = traditional(text)
        yield CorpusPart(source.kind, source.name, content, len(read.encode()), text, _documents(source, text))


def _documents(source: Source, text: str) -> dict[str, str]:
    if source.novel:
        return {source.name: text}
    length = CHINESE_DOCUMENT if source.kind.startswith("Chinese") else DOCUMENT
    return {
        f"{source.name} {source.script} {number}": text[begin : begin + length]
        for number, begin in enumerate(range(0, len(text), length))
    }


def standard_library() -> Iterator[CorpusPart]:
    """Yield the beginnings of the source files of the running Python's standard library, together about THIRD bytes.

    The long ones are cut at the same length. A document is a package, or a module that belongs to none.
    """
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path.relative_to(root) for path in root.rglob("*.py"))
    contents = {path: (root / path).read_bytes() for path in files if NO_CODE.isdisjoint(path.parts)}
    cut = _cut([len(content) for content in contents.values()], THIRD)
    for path, content in contents.items():
        text = beginning_of(content.decode(), cut)
        if text:
            yield CorpusPart("code", path.as_posix(), content, len(text.encode()), text, {path.parts[0]: text})


def _cut(sizes: Iterable[int], total: int) -> int:
    """Return the highest size with which the sizes, cut to it, add up to a total at most.

    >>> _cut([1, 5, 9], 10)
    4
    """
    left, share = total, total
    ranked = sorted(sizes)
    for number, size in enumerate(ranked):
        share = left // (len(ranked) - number)
        if size > share:
            return share
        left -= size
    return share


def beginning_of(text: str, budget: int) -> str:
    """Return the first complete lines of a text that fit in `budget` bytes of UTF-8.

    >>> beginning_of("a line\\nanother\\n", 10)
    'a line\\n'
    """
    lines = text.splitlines(keepends=True)
    fitting = sum(1 for end in accumulate(len(line.encode()) for line in lines) if end <= budget)
    return "".join(lines[:fitting])


def without_doubled_glosses(text: str) -> str:
    """Return a text in which the word before its gloss is written once.

    >>> without_doubled_glosses("住在未庄的土谷祠土谷祠：即土地庙。里")
    '住在未庄的土谷祠：即土地庙。里'
    >>> without_doubled_glosses("阿尔志跋绥夫阿尔志跋绥夫（1878—1927）：俄国小说家。")
    '阿尔志跋绥夫（1878—1927）：俄国小说家。'
    """
    return _DOUBLED.sub(r"\1", text)


def traditional(text: str) -> str:
    """Return a simplified Chinese text in traditional characters, converted by OpenCC, with their quotation marks."""
    from opencc import OpenCC  # the extra `corpora`: only training the built-in vocabularies needs it

    converted: str = OpenCC("s2t").convert(text)
    return converted.translate(_QUOTES)


def interleaved(corpus: Sequence[CorpusPart]) -> list[str]:
    """Return the documents of the corpus in an order that mixes them: by the SHA-256 of their text."""
    texts = [text for part in corpus for text in part.documents.values()]
    return sorted(texts, key=lambda text: sha256(text.encode()).digest())


class Support:
    """Whether a text occurs in enough documents, in one or more pre-tokens of byte-level BPE.

    >>> part = CorpusPart("code", "a.py", b"", 0, "", {"a": "if spam", "b": "if ham", "c": "if x", "d": "elif"})
    >>> support = Support([part])
    >>> support("if"), support(" ham")
    (True, False)
    """

    def __init__(self, corpus: Iterable[CorpusPart], least: int = LEAST_DOCUMENTS) -> None:
        documents: dict[str, dict[str, int]] = {}
        for part in corpus:
            for name, text in part.documents.items():
                documents.setdefault(name, {}).update(BYTE_BPE.count(text))
        texts = ["\n".join(words) for words in documents.values()]
        self._least = least
        self._texts = _Occurrences(texts)
        self._bytes = _Occurrences([text.encode() for text in texts])

    def __call__(self, text: str) -> bool:
        """Whether the text occurs in enough documents."""
        return len(self._texts.of(text)) >= self._least

    def of_bytes(self, piece: bytes) -> bool:
        """Whether a piece of bytes, which may begin or end within a character, occurs in enough documents."""
        return len(self._bytes.of(piece)) >= self._least


class _Occurrences(Generic[AnyStr]):
    """Which documents contain a piece: of those with the piece one shorter, which are found first."""

    def __init__(self, documents: list[AnyStr]) -> None:
        self._documents: list[AnyStr] = documents
        self._found: dict[AnyStr, list[AnyStr]] = {}

    def of(self, piece: AnyStr) -> list[AnyStr]:
        if len(piece) < 2:
            return self._documents
        found = self._found.get(piece)
        if found is None:
            found = self._found[piece] = [document for document in self.of(piece[:-1]) if piece in document]
        return found


def shares(corpus: Sequence[CorpusPart]) -> dict[str, dict[str, int]]:
    """Return the bytes and characters of the corpus by kind of text."""
    totals: dict[str, dict[str, int]] = {}
    for part in corpus:
        share = totals.setdefault(part.kind, {"bytes": 0, "characters": 0})
        share["bytes"] += len(part.text.encode())
        share["characters"] += len(part.text)
    return totals


def corpus_record(corpus: Iterable[CorpusPart]) -> Iterator[dict[str, Any]]:
    """Yield the record of each file: its checksum, and how many bytes of it were read."""
    for part in corpus:
        yield {
            "kind": part.kind,
            "file": part.name,
            "bytes": len(part.content),
            "sha256": sha256(part.content).hexdigest(),
            "bytes read": part.read,
        }
