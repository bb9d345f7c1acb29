"""subword-nmt's codes: each line holds the two parts of a merge, best first; `</w>` marks the end of a word.

In version 0.2, which the first line declares, `</w>` is attached to a word's last character from the start; in version
0.1 it is a symbol of its own, which merges like any other.
"""

import re

from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError
from webapp.core.models.bpe import SubwordBPE
from webapp.core.text import decoders
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

END = "</w>"
UNKNOWN = "<unk>"


def read(text: str) -> Tokenizer:
    """Return the tokenizer of a file of codes; spaces and line ends separate its words.

    The file has no ids. This reader gives `<unk>` the id 0, then numbers the characters that occur in the merges,
    within a word and at its end, then the results of the merges in order. A character that no merge contains, which
    subword-nmt leaves unchanged, is an unknown token of its own.

    >>> tokenizer = read("#version: 0.2\\ne s\\nes t</w>\\n")
    >>> [token.piece for token in tokenizer.encode("test est")]
    ['t', 'est</w>', 'est</w>']

    For a merge that occurs twice, the first line counts, as in subword-nmt. Raises FormatError for a line that does not
    have two parts, or an unknown version.
    """
    version, first, lines = _lines(text)
    merges: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, start=first):
        parts = line.strip("\r ").split(" ")
        if len(parts) != 2 or not all(parts):
            raise FormatError(
                "line %(number)s should be the two parts of a merge separated by a space, not %(line)s",
                number=number,
                line=shown(line),
            )
        left, right = parts
        if version == "0.2" and END in parts:
            continue  # in version 0.2 the mark is never a symbol of its own, so this merge never applies
        if left + right == END:
            raise FormatError(
                "line %(number)s builds %(mark)s from characters, which cannot be told apart from the end-of-word mark",
                number=number,
                mark=END,
            )
        merges.setdefault((left, right), number)
    if not merges:
        raise FormatError("the file contains no merges")
    pieces = _pieces(merges, version)
    ids = {piece: id for id, piece in enumerate(pieces)}
    model = SubwordBPE(
        pieces,
        [(ids[left], ids[right]) for left, right in merges],
        byte_level=False,
        end_of_word_suffix=END,
        unknown=UNKNOWN,
    )
    return Tokenizer(model, pretokenizer=Split(r"[^ \r\n]+", "removed", invert=True), decoder=decoders.BPEDecoder(END))


def _lines(text: str) -> tuple[str, int, list[str]]:
    """Return the version, the number of the first line with a merge, and the lines from there on."""
    if text.removesuffix("\n").count("\n") >= LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s merges, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    lines = text.removesuffix("\n").split("\n")
    if not lines[0].startswith("#version:"):
        return "0.1", 1, lines
    found = re.fullmatch(r"#version:\s*(\d{1,3})\.(\d{1,3})(?:\.0+)*\s*", lines[0])
    version = f"{int(found[1])}.{int(found[2])}" if found else ""
    if version not in ("0.1", "0.2"):
        raise FormatError(
            "line 1: %(line)s is not a known version of subword-nmt's codes (0.1, 0.2)", line=shown(lines[0])
        )
    return version, 2, lines[1:]


def _pieces(merges: dict[tuple[str, str], int], version: str) -> list[str]:
    characters: dict[str, None] = {}
    for parts in merges:
        for part in parts:
            characters.update(dict.fromkeys(part.removesuffix(END)))
    # Both forms of each character, since it may end a word or not; the mark alone is a symbol in version 0.1 only.
    at_the_end = [END] if version == "0.1" else [character + END for character in characters]
    pieces = dict.fromkeys([UNKNOWN, *characters, *at_the_end])
    for left, right in merges:
        pieces[left] = pieces[right] = pieces[left + right] = None
        if len(pieces) > LARGEST_VOCABULARY:
            raise FormatError("more than %(most)s pieces, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    return list(pieces)
