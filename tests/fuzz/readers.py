"""``python -m tests.fuzz.readers FOLDER [atheris' options]``: real files, broken without end, by `atheris`.

Run by hand, with `pip install atheris`; the files that it begins with come from the folder, which may be empty. Any
exception but a FormatError stops it and leaves the file beside: see `tests.core.mutations.read_or_refused`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

SMALL = 100_000  # bytes; what is larger is only parsed again and again


def main() -> None:
    """Begin with the small files of the folder."""
    atheris = importlib.import_module("atheris")  # the tests do without it
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
