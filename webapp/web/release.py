"""Which release of the site runs: its version, and the commit it was built from."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@cache
def commit(setting: str = "", checkout: Path = CHECKOUT) -> str:
    """The commit: the setting `COMMIT`, which an image has from its build; else what git says of a checkout.

    `unknown` if there is neither.
    """
    if setting:
        return setting
    if not (checkout / ".git").exists():
        return "unknown"
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return told if _COMMIT.fullmatch(told) else "unknown"
