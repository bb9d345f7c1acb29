"""``python -m tests.benchmarks``: every benchmark, one after the other, each in a process of its own."""

import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Run every module beside this one that can be run; return 0 when all of them came to their end."""
    beside = sorted(path for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("_"))
    names = [path.stem for path in beside if '__name__ == "__main__"' in path.read_text(encoding="utf-8")]
    failed = []
    for name in names:
        print(f"\n== {name}\n", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"]).returncode:
            failed.append(name)
    if failed:
        print(f"\nnot finished: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
