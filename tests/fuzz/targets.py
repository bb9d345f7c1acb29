"""What an input is given to, and what must hold for it: no exception but a refusal, the same ids twice, and in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import thread_time

from tests.core.mutations import read_or_refused
from tests.core.small_files import MODELS, OTHERS, small
from tests.fuzz.seeds import APART, PATTERNS, TEXTS, files
from webapp.core.formats.checked_patterns import check_source, checked_pattern
from webapp.core.formats.fields import FormatError
from webapp.core.formats.oniguruma import translated
from webapp.core.formats.recognize import recognize
from webapp.core.text.split_patterns import SplitPattern, TextError
from webapp.core.tokenizer import Tokenizer, as_well_formed

SECONDS = 3.0
"""The CPU time that a case may take: that of the largest upload."""


class SlowCaseError(AssertionError):
    """A case that takes too long."""


def read(content: bytes) -> None:
    """Read one file, or two with `APART` between them, and use what was read."""
    parts = content.split(APART, 1)
    with _in_time():
        read_or_refused(*parts)


def split(content: bytes) -> None:
    """Check a pattern, the first line, and split the rest with it."""
    source, _, text = content.decode(errors="replace").partition("\n")
    with _in_time():
        for each in {source, _translated(source)}:
            try:
                spans = SplitPattern(checked_pattern(each)).spans(text)
            except (FormatError, TextError):
                continue
            assert all(0 <= start <= end <= len(text) for start, end in spans)
            if "(?" not in each or "r" not in each:  # a flag makes `regex` search from the end
                assert spans == sorted(spans)


def encode(content: bytes) -> None:
    """Encode a text with a tokenizer of every kind; decoding its ids gives a text."""
    text = content.decode("utf-8", "surrogatepass" if b"\xed" in content else "replace") if _valid(content) else ""
    well_formed = as_well_formed(text)
    for tokenizer in tokenizers():
        with _in_time():
            ids = tokenizer.ids(text, special=True)
            encoding = tokenizer.encode(text, special=True)
            assert list(encoding.ids) == ids == tokenizer.ids(well_formed, special=True)
            assert all(
                0 <= start <= end <= len(text) for start, end in zip(encoding.starts, encoding.ends, strict=True)
            )
            assert isinstance(tokenizer.decode(ids), str)


@cache
def tokenizers() -> tuple[Tokenizer, ...]:
    """A tokenizer of each small file."""
    return tuple(recognize(*small(name)).tokenizer for name in (*OTHERS, *MODELS))


TARGETS: dict[str, tuple[Callable[[bytes], None], Callable[[], list[bytes]]]] = {
    "files": (read, lambda: [APART.join(parts) for parts in files()]),
    "patterns": (split, lambda: [f"{source}\naxxb 12{'a' * 99}".encode() for source in PATTERNS]),
    "texts": (encode, lambda: [text.encode("utf-8", "surrogatepass") for text in TEXTS]),
}
"""By name: what is fuzzed, and the inputs to start from."""


@contextmanager
def _in_time() -> Iterator[None]:
    started = thread_time()
    yield
    if (seconds := thread_time() - started) > SECONDS:
        raise SlowCaseError(f"{seconds:.1f} s")


def _translated(source: str) -> str:
    try:
        check_source(source)
    except FormatError:
        return "x"
    return translated(source)


def _valid(content: bytes) -> bool:
    try:
        content.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return b"\xed" not in content
    return True
