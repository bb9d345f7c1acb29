"""The load test runs."""

import re

import pytest

from tests.load import main


@pytest.mark.exhaustive
def test_the_load_test_measures_a_site_that_it_starts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seconds", "3", "--scenario", "idle"]) == 0
    (requests,) = re.findall(r"idle: (\d+) requests of the visitor.*\n    others: none", capsys.readouterr().out)
    assert 29 <= int(requests) <= 32
