"""The reader of word lists as it was when it refused a list for one bad line: the oracle for lists that it accepted."""

from __future__ import annotations

from webapp.core.formats.dictionary import comma_rows
from webapp.core.models.dictionary import Dictionary


def read_strictly(text: str) -> Dictionary | None:
    """Return the dictionary of a word list, None if any line is no entry."""
    words: dict[str, tuple[int, str]] = {}
    most_fields = 1
    lines = text.removeprefix("\ufeff").split("\n")
    for fields in comma_rows(lines) or map(_fields, lines):
        if not fields:
            continue
        word, *rest = fields
        if len(fields) > 3 or not word or len(word) > 64:
            return None
        if rest and not (rest[0].isascii() and rest[0].isdigit() and len(rest[0]) <= 18):
            return None
        words.setdefault(word, (int(rest[0]) if rest else 0, rest[1] if len(rest) > 1 else ""))
        most_fields = max(most_fields, len(fields))
    frequencies, tags = zip(*words.values(), strict=True) if words else ((), ())
    return Dictionary(list(words), frequencies if most_fields > 1 else None, tags if most_fields > 2 else None)


def _fields(line: str) -> list[str]:
    if "\t" not in line:
        return line.split()
    fields = [field.strip() for field in line.split("\t")]
    while fields and not fields[-1]:
        fields.pop()
    return fields
