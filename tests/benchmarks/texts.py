"""Texts to encode: a novel in English, one in Japanese, the standard library's source, and text without spaces.

Not a benchmark itself.
"""

import sysconfig
from functools import cache
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
VOCABULARIES = SHARED / "vocabularies"
SHIPPED = ROOT / "webapp" / "vocabularies" / "shipped"

MEGABYTE = 1_000_000
NOVELS = {"English": "en_pride_and_prejudice.txt", "Japanese": "ja_wagahai.txt"}


@cache
def text(name: str) -> str:
    """Return a text by name: `English`, `Japanese`, or `code` (5 MB)."""
    if name == "code":
        return source_code()
    return (SHARED / "texts" / NOVELS[name]).read_text(encoding="utf-8")


def source_code(size: int = 5 * MEGABYTE) -> str:
    """Return the first megabytes of the standard library."""
    texts: list[str] = []
    folder = Path(sysconfig.get_path("stdlib"))
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" not in path.parts and sum(map(len, texts)) < size:
            texts.append(path.read_bytes().decode("utf-8", errors="ignore"))
    return "".join(texts)[:size]


def hostile(size: int) -> dict[str, str]:
    """Return texts of `size` bytes without spaces."""
    random = Random(7)
    ideographs = [chr(code) for code in range(0x4E00, 0x9FA6)]
    return {
        "one letter": "a" * size,
        "random ideographs": "".join(random.choices(ideographs, k=size // 3)),
        "emoji and joiners": "\u200d".join(random.choices("👩👨👧👦🏽🎉❤🌍", k=size // 7)),
        "random letters": "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=size)),
    }


def require_shared() -> None:
    """Raise SystemExit if there are no texts."""
    if not SHARED.is_dir():
        raise SystemExit(f"there is no {SHARED}: the texts are missing")
