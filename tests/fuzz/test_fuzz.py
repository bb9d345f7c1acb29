"""A bounded share of the fuzzing: every seed as it is, then damaged; for longer with `atheris` if it is installed."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.mutations import mutated_bytes
from tests.fuzz.targets import TARGETS, SlowCaseError, _in_time

RANDOM = st.integers(0, 1 << 32).map(Random)


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> tuple[Callable[[bytes], None], list[bytes]]:
    run, seeds = TARGETS[request.param]
    return run, seeds()


def test_the_seeds_themselves(target: tuple[Callable[[bytes], None], list[bytes]]) -> None:
    run, seeds = target
    for seed in seeds:
        run(seed)


@given(random=RANDOM)
def test_damaged_seeds(target: tuple[Callable[[bytes], None], list[bytes]], random: Random) -> None:
    run, seeds = target
    run(mutated_bytes(random.choice(seeds), random))


@pytest.mark.exhaustive
@pytest.mark.skipif(find_spec("atheris") is None, reason="pip install atheris")
@pytest.mark.parametrize("name", TARGETS)
def test_a_minute_of_atheris(name: str) -> None:
    command = [sys.executable, "-m", "tests.fuzz", name, "-max_total_time=60", "-rss_limit_mb=4096"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, env={**os.environ})
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_slow_case_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.targets.SECONDS", 0.0)
    with pytest.raises(SlowCaseError), _in_time():
        sum(range(10_000))
