"""The corpora of the training benchmark: English, and English, Chinese and code in equal parts.

Not a benchmark of its own: run as one, it prints nothing.
"""

import sysconfig
from collections.abc import Iterator
from itertools import chain, cycle
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "corpora"
ENGLISH = FOLDER / "en_holmes_and_others.txt"
CHINESE = ("zh_luxun.txt", "zh_honglou.txt", "zh_shuihu.txt")
NAMES = ("English 0.7 MB", "English 2.8 MB", "mixed 1 MB", "mixed 5 MB", "mixed 20 MB")


def corpus(name: str) -> str:
    """Return the corpus of a name like those in `NAMES`; of 10 MB and more, the rest beyond the books is code."""
    kind, size = name.split()[:2]
    budget = int(float(size) * 1_000_000)
    if kind == "English":
        return _beginning([ENGLISH], budget)
    books = [ENGLISH, *(FOLDER / file for file in CHINESE)]
    english = _beginning(books[:1], budget // 3)
    chinese = _beginning(books[1:], budget // 3)
    left = budget - len(english.encode()) - len(chinese.encode())
    return english + chinese + _beginning(_code(), left)


def _code() -> Iterator[Path]:
    """Yield the source files of the standard library, again and again if they are not enough."""
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in root.rglob("*.py") if "site-packages" not in path.parts)
    return chain.from_iterable(cycle([files]))


def _beginning(paths: Iterator[Path] | list[Path], budget: int) -> str:
    read = bytearray()
    for path in paths:
        read += path.read_bytes()
        if len(read) >= budget:
            break
    return bytes(read[:budget]).decode(errors="ignore")
