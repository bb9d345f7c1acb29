"""How fast we encode with the vocabularies of others, beside `tokenizers`: ``python -m tests.benchmarks.huggingface``.

Each row is one `tokenizer.json` read by both, whose ids are compared before anything is timed. Cold is a fresh
tokenizer with empty caches, warm one that has seen the text, with another ending so that it is not known as a whole.
Ratios are of CPU time, both on one thread; above 1 we are faster.
"""

import os
import sysconfig
from itertools import count
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import tokenizers

from tests.benchmarks.timing import Contender, medians
from webapp.core.formats import huggingface

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
TEXTS = {"English": "en_pride_and_prejudice.txt", "Japanese": "ja_wagahai.txt"}
GOALS = {"English": 4, "Japanese": 2, "code": 2}
ROW = "{:<20}{:<10}{:>10}{:>10}{:>10}{:>8}{:>8}{:>6}"


def texts() -> dict[str, str]:
    """The texts by name; the code is a megabyte of the standard library."""
    read = {name: (SHARED / "texts" / file).read_text(encoding="utf-8") for name, file in TEXTS.items()}
    sources = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    read["code"] = "".join(path.read_text(encoding="utf-8") for path in sources)[:1_000_000]
    return read


def main() -> None:
    """Print the table."""
    if not SHARED.is_dir():
        raise SystemExit(f"there is no {SHARED}: the texts are not at hand")
    print(ROW.format("", "", "rival s", "cold s", "warm s", "cold", "warm", "goal"))
    for path in sorted((SHARED / "vocabularies" / "tokenizers").glob("*.json")):
        file = path.read_text(encoding="utf-8")
        ours, rival = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
        rival.encode_special_tokens = True
        for name, text in texts().items():
            assert ours.ids(text) == rival.encode(text, add_special_tokens=False).ids, (
                f"{path.name}, {name}: ids differ"
            )
            show(path.stem, name, text, file, ours.ids, rival)


def show(vocabulary: str, name: str, text: str, file: str, warm: object, rival: tokenizers.Tokenizer) -> None:
    """Time one text and print its line."""
    assert callable(warm)
    numbers = count()
    theirs, cold, again = medians(
        [
            Contender("tokenizers", lambda _: rival.encode(text, add_special_tokens=False).ids),
            Contender("cold", lambda fresh: fresh.ids(text), lambda: huggingface.read(file)),
            Contender("warm", lambda varied: warm(varied), lambda: f"{text} {next(numbers)}"),
        ],
        runs=3,
    )
    seconds = (f"{value:.3f}" for value in (theirs, cold, again))
    print(ROW.format(vocabulary, name, *seconds, f"{theirs / cold:.1f}x", f"{theirs / again:.1f}x", GOALS[name]))


if __name__ == "__main__":
    main()
