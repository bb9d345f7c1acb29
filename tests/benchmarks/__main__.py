"""``python -m tests.benchmarks``: every benchmark, one after another, each in its own process.

Names of benchmarks as arguments select some of them. Those that missed a goal or failed are listed at the end.
"""

import subprocess
import sys

NAMES = ("encoding", "training", "hostile", "page", "first_use")

if __name__ == "__main__":
    failed = []
    for name in sys.argv[1:] or NAMES:
        print(f"\n== {name}\n", flush=True)
        if subprocess.run([sys.executable, "-m", f"tests.benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    print(f"\nsee above: {', '.join(failed)}" if failed else "\nall goals are reached")
    sys.exit(bool(failed))
