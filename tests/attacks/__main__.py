"""`python -m tests.attacks [ATTACK …]`: attack sites that the tests start, one after the other, without other tests.

Everything stays on this machine's loopback interface and is bounded in time, memory and number. It needs Linux, whose
`/proc` shows what the processes of a site do, and a machine that does nothing else.
"""

import sys
from pathlib import Path

import pytest

ATTACKS = ("static_files", "slow_clients", "long_requests", "memory", "rates")

if __name__ == "__main__":
    files = [str(Path(__file__).with_name(f"{name}.py")) for name in sys.argv[1:] or ATTACKS]
    sys.exit(pytest.main(["-v", *files]))
