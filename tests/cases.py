"""Tables of cases, of which README's tests run some and `.ci/run` all."""

from collections.abc import Container, Iterable
from typing import Any

import pytest


def quick(cases: Iterable[Any], some: Container[Any]) -> list[Any]:
    """Mark all cases exhaustive but those in `some`."""
    return [case if case in some else pytest.param(case, marks=pytest.mark.exhaustive) for case in cases]
