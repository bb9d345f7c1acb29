"""``python -m tests.benchmarks``: every benchmark, one after another, each in its own process.

Names of benchmarks as arguments select some of them. Missed goals are listed at the end.
"""

import subprocess
import sys
from pathlib import Path

from tests.benchmarks.harness import BELOW


def main(chosen: list[str]) -> int:
    """Run every runnable module in this folder; return 0 when all finished and reached their goals."""
    beside = sorted(path for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("_"))
    names = [path.stem for path in beside if '__name__ == "__main__"' in path.read_text(encoding="utf-8")]
    failed, missed = [], []
    for name in chosen or names:
        print(f"\n== {name}\n", flush=True)
        command = [sys.executable, "-m", f"tests.benchmarks.{name}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
            assert process.stdout is not None
            below = False
            for line in process.stdout:
                print(line, end="", flush=True)
                if line.startswith(BELOW):
                    missed.append(f"{name}: {line.removeprefix(BELOW).strip()}")
                    below = True
        if process.returncode and not below:
            failed.append(name)
    print(f"\n{BELOW}{'; '.join(missed)}" if missed else "\nall goals are reached")
    if failed:
        print(f"not finished: {', '.join(failed)}")
    return 1 if failed or missed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
