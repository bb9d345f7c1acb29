"""Character classes of BERT's normalizer and pre-tokenizer: control, accent, punctuation and Chinese characters.

Each constant is the inside of a character class for the standard `re`. The classes are those of Hugging Face's
`tokenizers`, whose tables are of Unicode 8; characters that later versions added to a category are listed here and
excluded, so that both split every text identically.
"""

from __future__ import annotations

import regex


def _class(properties: str, later: str = "") -> str:
    """Return the ranges of the characters with `properties`, except those in `later`."""
    # Skipping surrogates and planes 4 to 13, where no character is assigned, halves the time.
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x40000), *range(0xE0000, 0x110000))))
    found = set(map(ord, regex.findall(f"[{properties}]", every)))
    for first, _, last in (part.partition("-") for part in later.split()):
        found.difference_update(range(int(first, 16), int(last or first, 16) + 1))
    ends = [number for number in sorted(found) if number + 1 not in found]
    starts = [number for number in sorted(found) if number - 1 not in found]
    return "".join(f"\\U{start:08x}-\\U{end:08x}" for start, end in zip(starts, ends, strict=True))


def escaped(ranges: str) -> str:
    """Return ranges of hexadecimal code points as the inside of a character class.

    >>> escaped("61D 9FD-9FE")
    '\\\\U0000061d\\\\U000009fd-\\\\U000009fe'
    """
    return "".join("-".join(f"\\U{int(end, 16):08x}" for end in part.split("-")) for part in ranges.split())


_LATER_CONTROL = "890-891 8E2 110CD 13430-1343F"

_LATER_PUNCTUATION = """
61D 9FD A76 C77 C84 1B4E-1B4F 1B7D-1B7F 2E43-2E4F 2E52-2E5D 2E60-2E63 10D6E 10EAD 10ED0 10F55-10F59
10F86-10F89 113D4-113D5 113D7-113D8 1144B-1144F 1145A-1145B 1145D 11660-1166C 116B9 1183B 11944-11946
119E2 11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11B00-11B09 11BE1 11C41-11C45 11C70-11C71 11EF7-11EF8
11F43-11F4F 11FFF 12FF1-12FF2 16D6D-16D6F 16E97-16E9A 16FE2 1E5FF 1E95E-1E95F
"""

_LATER_ACCENTS = """
5C8-5C9 7FD 897-89F 8CA-8E1 9FE AFA-AFF B53-B55 C04 C3C D00 D3B-D3C D81 EBA ECE 180F 1885-1886 1ABF-1AF0
1DF6-1DFB A82C A8C5 A8FF A9BD 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50
10F82-10F85 11070 11073-11074 110C2 111C9 111CF 1123E 11241 1133B 113BB-113C0 113CE 113D0 113D2
113E1-113E2 11438-1143F 11442-11444 11446 1145E 1182F-11837 11839-1183A 1193B-1193C 1193E 11943
119D4-119D7 119DA-119DB 119E0 11A01-11A0A 11A33-11A38 11A3B-11A3E 11A47 11A51-11A56 11A59-11A5B
11A8A-11A96 11A98-11A99 11B60 11B62-11B64 11B66 11C30-11C36 11C38-11C3D 11C3F 11C92-11CA7 11CAA-11CB0
11CB2-11CB3 11CB5-11CB6 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91 11D95 11D97 11DF0
11EF3-11EF4 11F00-11F01 11F36-11F3A 11F40 11F42 11F5A 13440 13447-13455 1611E-16129 1612D-1612F 16F4F
16FE4 1CF00-1CF2D 1CF30-1CF46 1D127-1D128 1D25B-1D25C 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024
1E026-1E02A 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5
1E944-1E94A
"""

_LATER_MARKS = """
5C8-5C9 7FD 897-89F 8CA-8D3 9FE AFA-AFF B53-B55 C04 C3C CF3 D00 D3B-D3C D81 EBA ECE 1715 180F 1ABF-1AF0 1CF7
1DF6-1DFA A82C A8FF 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50 10F82-10F85 11070
11073-11074 110C2 11145-11146 111C9 111CE-111CF 11241 1133B 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 113D2
113E1-113E2 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 119D1-119D7 119DA-119E0 119E4
11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11B60-11B67 11D31-11D36 11D3A 11D3C-11D3D
11D3F-11D45 11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11DF0 11EF3-11EF6 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42
11F5A 13440 13447-13455 1611E-1612F 16F4F 16F7F-16F87 16FE4 16FF0-16FF1 1CF00-1CF2D 1CF30-1CF46 1D127-1D128
1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6
1E6EE-1E6EF 1E6F5
"""

CONTROL = _class(r"\p{Cc}\p{Cf}\p{Co}\ufffd", _LATER_CONTROL + " 9 A D")
"""Characters removed from the text: control, format and private-use characters except tab and line ends; U+FFFD."""

PUNCTUATION = _class(r"!-/:-@\[-`{-~\p{P}\u166d\U000111c9", _LATER_PUNCTUATION)
"""Unicode's category P and the symbols of ASCII."""

ACCENT = _class(r"\p{Mn}\u1734\U0001171e", _LATER_ACCENTS)
"""Nonspacing marks (category Mn)."""

CHINESE = (
    "\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
)
"""Chinese characters, each a token of its own. (`tokenizers` begins one block at U+2B920, BERT's code at U+2B820.)"""

COMBINING = _class(r"\p{M}\u1cf2\u1cf3", _LATER_MARKS)
"""Combining marks of all kinds (category M)."""
