"""Merges a word in the terminal, a line for each merge: `python -m webapp.core.reference unbelievable`.

The merges are trained on the docstrings of these files, or read from a file of ranks: `… WORD cl100k_base.tiktoken`.
"""

import sys
from base64 import b64decode
from pathlib import Path

from webapp.core.reference.whole_trip import PATTERN, steps, train

MERGES = 100
COLOURS = (46, 44, 43, 45, 42, 41)  # of the terminal: backgrounds


def main(word: str = "unbelievably", ranks_file: str = "") -> None:
    """Print the pieces of a word after each merge, and their ids."""
    if ranks_file:
        lines = (line.split() for line in Path(ranks_file).read_bytes().splitlines() if line)
        ranks = {b64decode(piece): int(rank) for piece, rank in lines}
    else:
        ranks = train("".join(file.read_text() for file in sorted(Path(__file__).parent.glob("*.py"))), MERGES)
    for pretoken in PATTERN.findall(word):
        pieces: list[bytes] = []
        for pieces in steps(pretoken, ranks):
            shown = (piece.decode(errors="backslashreplace") for piece in pieces)
            line = "".join(f"\x1b[{COLOURS[at % 6]};30m{text}\x1b[0m" for at, text in enumerate(shown))
            sys.stdout.write(f"{line}\n")
        sys.stdout.write(f"{[ranks[piece] for piece in pieces]}\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
