"""Settings that cannot be used: the site does not start, and says which one it is."""

from __future__ import annotations

import re

import pytest

from webapp import create_app
from webapp.settings import CONSTANTS


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("MAX_TEXT_BYTES", "true", "must be a whole number above 0, not True"),
        ("MAX_TEXT_BYTES", "1.5", "must be a whole number above 0, not 1.5"),
        ("PROXIES", "true", "must be a whole number, not True"),
        ("TRAIN_GENTLY", "gently", "must be true or false, not 'gently'"),
        ("WORKER", "maybe", "must be true or false, not 'maybe'"),
        ("PRELOAD", "2", "must be true or false, not 2"),
        ("LOG_ADDRESSES", "often", "must be true or false, not 'often'"),
        ("RATE_READING", "often", "must be a rate such as “20 per minute, 200 per hour”, or empty, not 'often'"),
        ("RATE_WORK", "5", "must be a rate such as “20 per minute, 200 per hour”, or empty, not 5"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(
    name: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"TOKENSCOPE_{name}", value)
    with pytest.raises(ValueError, match=f"^{re.escape(f'TOKENSCOPE_{name} {why}')}$"):
        create_app()


def test_the_environment_does_not_change_a_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENSCOPE_MAX_GOLD_BYTES", "1")
    assert create_app().config["MAX_GOLD_BYTES"] == CONSTANTS["MAX_GOLD_BYTES"]


SWITCHES = [("true", True), ("1", True), ("False", False), ("no", False), ("", False)]


@pytest.mark.parametrize(("value", "is_on"), SWITCHES)
def test_a_switch_may_be_written_in_several_ways(value: str, is_on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENSCOPE_TRAIN_GENTLY", value)
    assert create_app().config["TRAIN_GENTLY"] is is_on


def test_an_address_of_redis_that_is_none_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "host:6379/secret")
    with pytest.raises(ValueError, match=r"^REDIS_URL is not understood: it should look like redis://host:6379/0$"):
        create_app()
