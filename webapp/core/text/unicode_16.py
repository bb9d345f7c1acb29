"""Makes `regex` see a text as in Unicode 16, the version of `tiktoken` and `tokenizers`, although it knows a later one.

To the tables of `tiktoken` and `tokenizers`, a letter of Unicode 17 or 18 is an unassigned code point and splits a text
differently. So each such character is replaced with one that has its properties in Unicode 16. The length of the text
stays the same, so offsets remain valid.
"""

from __future__ import annotations

import re

# Assigned after Unicode 16 (Unicode Character Database, DerivedAge.txt of versions 17 and 18).
_NEWER = (
    "558 58b-58c 5c8-5c9 88f b53-b54 c5c cdc 1acf-1af0 208f 209d-209f 20c1-20c4 2b96 2e60-2e63 a7ce-a7cf a7d2 a7d4 "
    "a7dd a7e2 a7f1 ab6c-ab6d fbc3-fbd2 fd90-fd91 fdc8-fdce 107bb-107bf 10940-10959 10ec5-10ec7 10ec9-10eee "
    "10ef0-10efb 11b0a 11b60-11b67 11db0-11ddb 11de0-11de9 11df0-11df1 1246f 12475-1247f 12550-12686 16ea0-16eb8 "
    "16ebb-16ed3 16ff2-16ff6 187f8-187ff 18cd6-18cda 18d09-18d20 18d80-18df2 18e00-19191 191a0-191d2 1b123-1b128 "
    "1b168 1ccfa-1ccfc 1ceba-1ced0 1ced2-1ced4 1cedd-1cefd 1d127-1d128 1d1eb-1d1ff 1d250-1d281 1d6a6 1db00-1db1c "
    "1df1f-1df24 1df2b-1df81 1df90-1df96 1dfcd-1dfff 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 1f1ae 1f6d8-1f6d9 "
    "1f777-1f77a 1f7da-1f7db 1f7f1-1f7ff 1f8d0-1f8d8 1fa54-1fa57 1fa8a-1fa8e 1fac8 1facc-1facd 1fadd 1faea-1faeb "
    "1faef 1faf9-1fafa 1fbfa 2b73a-2b73f 2b81e 2cea2-2cead 323b0-33479 3d000-3fc3f"
)
_UNASSIGNED = "\u0378"
# A small letter in Unicode 16, a letter without case since.
_FORMER = {"\u0295": "\u0250"}


def as_unicode_16(text: str) -> str:
    """Return the text with a substitute for every character that had other properties in Unicode 16.

    >>> as_unicode_16("naïve"), as_unicode_16("a\\U000323b0b") == "a\\u0378b"
    ('naïve', True)
    """
    if text.isascii():
        return text
    return _CHANGED.sub(lambda found: _FORMER.get(found[0], _UNASSIGNED), text)


def _pattern() -> re.Pattern[str]:
    ends = (run.partition("-") for run in _NEWER.split())
    ranges = (rf"\U{int(first, 16):08x}-\U{int(last or first, 16):08x}" for first, _, last in ends)
    return re.compile(f"[{''.join(_FORMER)}{''.join(ranges)}]")


_CHANGED = _pattern()
