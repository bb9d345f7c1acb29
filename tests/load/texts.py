"""Texts for the load test: sentences of this repository, English and Chinese, in an order of their own each time."""

import random
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("README.md", "CONTRIBUTING.md", ".github/*.md", "templates/learn/**/*.html", "webapp/tokenization/*.toml")


class Texts:
    """Texts of any size, each another one, the same in every run."""

    def __init__(self, seed: int = 16) -> None:
        self.random = random.Random(seed)
        self._sentences = _sentences()

    def of(self, size: int) -> str:
        """Return a text of at most `size` bytes of UTF-8, and hardly less."""
        parts: list[str] = []
        length = 0
        while length < size:
            parts.append(f"{self.random.choice(self._sentences)} {self.random.randrange(100_000)}\n")
            length += len(parts[-1].encode())
        return "".join(parts).encode()[:size].decode(errors="ignore")


def _sentences() -> list[str]:
    files = [file for pattern in SOURCES for file in sorted(ROOT.glob(pattern))]
    lines = (line.strip() for file in files for line in file.read_text("utf-8").splitlines())
    prose = (re.sub(r"<[^>]*>|\{[{%].*?[%}]\}", "", line).strip() for line in lines)
    return sorted({line[:200] for line in prose if len(line) > 20})
