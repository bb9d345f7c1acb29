"""subword-nmt's codes: on each line the two parts of a merge, best first; `</w>` ends a word.

In version 0.2 (which says so on its first line) `</w>` is glued to a word's last character from the start; in version
0.1 it is a symbol of its own, which merges like any other.
"""

from __future__ import annotations

import re

from webapp.core.formats.fields import FormatError
from webapp.core.formats.limits import LARGEST_VOCABULARY
from webapp.core.models.subword_nmt import SubwordBPE
from webapp.core.text import decoders
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

END = "</w>"
UNKNOWN = "<unk>"


def read(text: str) -> Tokenizer:
    """The tokenizer of a file of codes: words are what stands between spaces and line ends.

    The file gives no ids. Here `<unk>` is 0, then come the characters that the merges begin with, inside a word and at
    its end, then what the merges make, in their order. A character that no merge names, which subword-nmt leaves as it
    is, is unknown, a token each.

    >>> tokenizer = read("#version: 0.2\\ne s\\nes t</w>\\n")
    >>> [token.piece for token in tokenizer.encode("test est")]
    ['t', 'est</w>', 'est</w>']

    Of a merge that stands twice the first line counts, as in subword-nmt. Raises FormatError for a line that is not two
    parts, or a version that is not known.
    """
    version, first, lines = _lines(text)
    merges: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, start=first):
        parts = line.strip("\r ").split(" ")
        if len(parts) != 2 or not all(parts):
            raise FormatError(
                "line %(number)s should be two parts of a merge with a space between, not %(line)s",
                number=number,
                line=shown(line),
            )
        left, right = parts
        if version == "0.2" and END in parts:
            continue  # nothing there is ever merged with the mark alone
        if left + right == END:
            raise FormatError(
                "line %(number)s makes %(mark)s out of characters, which could not be told from the mark",
                number=number,
                mark=END,
            )
        merges.setdefault((left, right), number)
    if not merges:
        raise FormatError("no merge stands in the file")
    pieces = _pieces(merges, version)
    ids = {piece: id for id, piece in enumerate(pieces)}
    model = SubwordBPE(
        pieces,
        [(ids[left], ids[right]) for left, right in merges],
        byte_level=False,
        end_of_word_suffix=END,
        unknown=UNKNOWN,
    )
    return Tokenizer(
        model,
        pretokenizer=Split(r"[^ \r\n]+", "removed", invert=True),
        decoder=decoders.BPEDecoder(END),
    )


def _lines(text: str) -> tuple[str, int, list[str]]:
    """The version, the number of the first line with a merge, and the lines from there on."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) > LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s merges, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    if not lines[0].startswith("#version:"):
        return "0.1", 1, lines
    found = re.fullmatch(r"#version:\s*(\d{1,3})\.(\d{1,3})(?:\.0+)*\s*", lines[0])
    version = f"{int(found[1])}.{int(found[2])}" if found else ""
    if version not in ("0.1", "0.2"):
        raise FormatError(
            "line 1: %(line)s names no version of subword-nmt's codes that is known (0.1, 0.2)", line=shown(lines[0])
        )
    return version, 2, lines[1:]


def _pieces(merges: dict[tuple[str, str], int], version: str) -> list[str]:
    characters: dict[str, None] = {}
    for parts in merges:
        for part in parts:
            characters |= dict.fromkeys(part.removesuffix(END))
    # Both forms of each, since a word may end in it or not; the mark alone is a symbol in version 0.1 only.
    at_the_end = [END] if version == "0.1" else [character + END for character in characters]
    named = [part for merge in merges for part in (*merge, "".join(merge))]
    return list(dict.fromkeys([UNKNOWN, *characters, *at_the_end, *named]))
