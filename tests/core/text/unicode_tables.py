"""Write `webapp/core/text/unicode_tables.txt`: ``python -m tests.core.text.unicode_tables``.

Asks `tokenizers` and `tiktoken`, whose tables are of several versions of Unicode, how they treat each character. Run it
when `regex`, Python, `tokenizers` or `tiktoken` has moved on and `test_unicode_tables.py` fails.
"""

import unicodedata
from collections.abc import Callable, Iterable

import regex
from tiktoken import Encoding
from tokenizers import normalizers, pre_tokenizers

from webapp.core.text.unicode_tables import PATH, TABLES

EVERY = [chr(code) for code in (*range(0xD800), *range(0xE000, 0x110000))]


def tables() -> dict[str, str]:
    """The content of the file: for each name, the ranges of characters in hexadecimal; the scripts by name."""
    bert = {
        name: normalizers.BertNormalizer(
            clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False
        )
        for name in ("control", "accent")
    }
    bert["control"].clean_text = True
    bert["accent"].strip_accents = True
    nfd, nfkd, strip = normalizers.NFD(), normalizers.NFKD(), normalizers.StripAccents()
    split, script = pre_tokenizers.BertPreTokenizer(), pre_tokenizers.UnicodeScripts()
    decomposed = regex.compile(r"\P{Decomposition_Type=None}").match
    combining = regex.compile(r"\P{CCC=0}").match
    known_script = regex.compile(r"\P{Script=Unknown}").match
    latin = regex.compile(r"\p{Script=Latin}").match
    assigned = regex.compile(r"\P{Cn}").match
    encoding = Encoding(
        "bytes", pat_str=r"\P{Cn}", mergeable_ranks={bytes([at]): at for at in range(256)}, special_tokens={}
    )
    of_tiktoken = frozenset(encoding.decode(encoding.encode_ordinary("".join(EVERY))))
    lower = normalizers.Lowercase().normalize_str

    def is_moved(character: str) -> bool:
        """Whether a mark changes places with another one, above or below it."""
        texts = f"e{character}\u0334", f"e\u0345{character}"
        return any(nfd.normalize_str(text) != text for text in texts)

    def has_no_script(character: str) -> bool:
        pieces = script.pre_tokenize_str(("я" if latin(character) else "a") + character)
        return len(pieces) == 1

    tests: dict[str, Callable[[str], object]] = {
        "control": lambda one: not bert["control"].normalize_str(one),
        "punctuation": lambda one: len(split.pre_tokenize_str("a" + one)) == 2,
        "accent": lambda one: not bert["accent"].normalize_str(one),
        "combining": lambda one: not strip.normalize_str(one),
        "not decomposed": lambda one: decomposed(one) and nfkd.normalize_str(one) == one,
        "not reordered": lambda one: (combining(one) or unicodedata.combining(one)) and not is_moved(one),
        "without script": lambda one: known_script(one) and has_no_script(one),
        "after Unicode 16": lambda one: assigned(one) and one not in of_tiktoken,
    }
    found = {name: ranges(filter(test, EVERY)) for name, test in tests.items()}
    capitals = [(one, lower(one)) for one in EVERY if lower(one) != one.replace("Σ", "σ").lower()]
    found["lower case"] = " ".join(f"{ord(one):X}-{ord(small):X}" for one, small in capitals)
    return {**found, "scripts": TABLES["scripts"]}


def ranges(characters: Iterable[str]) -> str:
    """The characters as ranges in hexadecimal.

    >>> ranges("abcx")
    '61-63 78'
    """
    found: list[list[int]] = []
    for code in map(ord, characters):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return " ".join(f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in found)


if __name__ == "__main__":
    PATH.write_text("".join(f"{name}: {table}\n" for name, table in tables().items()), encoding="utf-8")
