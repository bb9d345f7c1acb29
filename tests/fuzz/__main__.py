"""``python -m tests.fuzz files|patterns|texts [atheris' options]``: see the package."""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

LONGEST = 20_000  # bytes of an input; longer ones would only be parsed over and over


def main(name: str, options: list[str]) -> None:
    """Fuzz a target, starting from its seeds and what is in the folders among the options."""
    atheris = importlib.import_module("atheris")  # not needed by the tests
    with atheris.instrument_imports(include=["webapp.core"]):
        from tests.fuzz.targets import TARGETS
    run, seeds = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds()):
            (Path(folder) / f"{number:03d}").write_bytes(seed)
        atheris.Setup([sys.argv[0], f"-max_len={LONGEST}", "-timeout=60", *options, folder], run)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
