"""``python -m tests.fuzz.readers FOLDER [atheris' options]``: real files, mutated endlessly by `atheris`.

Run by hand, after `pip install atheris`; the folder holds the files to start from, and may be empty. Any exception
except FormatError stops it and saves the file: see `tests.core.mutations.read_or_refused`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

SMALL = 100_000  # bytes; larger files would only be parsed over and over


def main() -> None:
    """Start from the small files of the folder."""
    atheris = importlib.import_module("atheris")  # not needed by the tests
    with atheris.instrument_imports(include=["webapp.core"]):
        from tests.core.mutations import read_or_refused
    folder = Path(sys.argv[1])
    for path in folder.iterdir():
        if path.is_file() and path.stat().st_size < SMALL:
            read_or_refused(path.read_bytes())
    atheris.Setup([sys.argv[0], str(folder), f"-max_len={SMALL}", *sys.argv[2:]], read_or_refused)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
