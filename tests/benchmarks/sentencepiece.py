"""How fast we encode with SentencePiece's models, beside `sentencepiece`: ``python -m tests.benchmarks.sentencepiece``.

Both read the same file, and the ids are compared before anything is timed. Cold is a fresh tokenizer with empty caches,
warm the second text and all after it; normalization is part of both. Ratios are of CPU time, both on one thread; above
1 we are faster. The second table is text without a space, fresh each time, which should grow like n log n.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import sentencepiece

from tests.benchmarks.timing import Contender, medians
from webapp.core.formats import sentencepiece as format

SHARED = Path(__file__).resolve().parents[3] / "shared"
MODELS = SHARED / "vocabularies" / "sentencepiece"
TEXTS = {"English": "en_pride_and_prejudice.txt", "Japanese": "ja_wagahai.txt"}
GOALS = {("llama2", "English"): 4.0, ("nai-t5", "English"): 1.0}
SIZES = (250_000, 500_000, 1_000_000)  # bytes
LONGEST = 5.0  # seconds


class Row(NamedTuple):
    """One line of the first table, in seconds."""

    model: str
    text: str
    rival: float
    cold: float
    warm: float

    @property
    def goal(self) -> float | None:
        """How many times the rival's speed ours should be, warm."""
        return GOALS.get((self.model, self.text))


def measured(name: str, title: str, text: str) -> Row:
    """Both on one text, the ids asserted equal."""
    content = (MODELS / f"{name}.model").read_bytes()
    rival = sentencepiece.SentencePieceProcessor(model_proto=content)
    warm = format.read(content)
    expected = rival.encode(text)
    assert warm.ids(text) == warm.ids(text) == expected, f"{name}: the ids differ"
    assert warm.decode(expected) == rival.decode(expected), f"{name}: the decoded text differs"
    times = medians(
        [
            Contender("sentencepiece", lambda _: rival.encode(text)),
            Contender("cold", lambda fresh: fresh.ids(text), lambda: format.read(content)),
            Contender("warm", lambda _: warm.ids(text)),
        ]
    )
    return Row(name, title, *times)


def letters(size: int) -> str:
    """One letter."""
    return "a" * size


def chinese(size: int) -> str:
    """Chinese characters at random, three bytes each."""
    return "".join(map(chr, random.Random(1).choices(range(0x4E00, 0xA000), k=size // 3)))


def emoji(size: int) -> str:
    """Emoji with joiners between them, seven bytes a pair."""
    return "\u200d".join(random.Random(1).choices("👩👧🎉👍😀", k=size // 7))


def unbroken(name: str, make: Callable[[int], str]) -> list[float]:
    """The seconds that a fresh tokenizer takes for a text without a space in each size."""
    content = (MODELS / f"{name}.model").read_bytes()
    rival = sentencepiece.SentencePieceProcessor(model_proto=content)
    taken = []
    for size in SIZES:
        text, ours = make(size), format.read(content)
        started = time.process_time()
        ids = ours.ids(text)
        taken.append(time.process_time() - started)
        assert ids == rival.encode(text), f"{name}, {make.__name__}: the ids differ"
    return taken


def main() -> None:
    """Print both tables, and after them each goal that was missed."""
    if not SHARED.is_dir():
        raise SystemExit(f"there is no {SHARED}: the texts are not at hand")
    missed = []
    print(
        "{:<15}{:<10}{:>10}{:>9}{:>9}{:>8}{:>8}{:>7}".format(
            "", "", "rival s", "cold s", "warm s", "cold", "warm", "goal"
        )
    )
    for name in ("llama2", "nai-t5", "test_ja_model"):
        for title, file in TEXTS.items():
            row = measured(name, title, (SHARED / "texts" / file).read_text(encoding="utf-8"))
            cold, warm = row.rival / row.cold, row.rival / row.warm
            goal = "" if row.goal is None else f"{row.goal:g}"
            print(
                f"{name:<15}{title:<10}{row.rival:>10.3f}{row.cold:>9.3f}{row.warm:>9.3f}"
                f"{cold:>7.2f}x{warm:>7.2f}x{goal:>7}",
                flush=True,
            )
            if row.goal is not None and warm < row.goal:
                missed.append(f"{name}, {title}")
    print("\n{:<15}{:<10}{:>9}{:>9}{:>9}".format("", "seconds", *(f"{size // 1000} KB" for size in SIZES)))
    for name in ("llama2", "nai-t5", "test_ja_model"):
        for make in (letters, chinese, emoji):
            taken = unbroken(name, make)
            print(f"{name:<15}{make.__name__:<10}" + "".join(f"{seconds:>9.2f}" for seconds in taken), flush=True)
            if taken[-1] > LONGEST:
                missed.append(f"{name}, {make.__name__}")
    for name in missed:
        print(f"below its goal: {name}")


if __name__ == "__main__":
    main()
