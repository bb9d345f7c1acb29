"""Settings that cannot be used: the site does not start, and says which one it is."""

import re

import pytest

from webapp import create_app
from webapp.settings import CONSTANTS, DEFAULTS


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("MAX_TEXT_BYTES", "true", "must be a whole number above 0, not True"),
        ("MAX_TEXT_BYTES", "1.5", "must be a whole number above 0, not 1.5"),
        ("PROXIES", "true", "must be a whole number, not True"),
        ("WORKER", "maybe", "must be true or false, not 'maybe'"),
        ("PRELOAD", "2", "must be true or false, not 2"),
        (
            "KEEP_DAYS",
            "uploads",
            "must be like “snapshots 365, uploads 30” (snapshots, uploads, trainings, reports, "
            "fetched, surveys), not 'uploads'",
        ),
        ("KEEP_UPLOADS_DAYS", "soon", "must be a whole number, not 'soon'"),
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


def test_an_address_of_redis_that_is_none_is_named_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "host:6379/secret")
    with pytest.raises(ValueError, match=r"^REDIS_URL is not understood: it should look like redis://host:6379/0$"):
        create_app()


def test_what_is_no_longer_a_setting_is_named_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in {"MAX_GOLD_BYTES": "1", "MAX_QUEUE_SECONDS": "soon", "LOG_ADDRESSES": "1"}.items():
        monkeypatch.setenv(f"TOKENSCOPE_{name}", value)
    config = create_app().config
    assert (config["MAX_GOLD_BYTES"], config["MAX_QUEUE_SECONDS"]) == (CONSTANTS["MAX_GOLD_BYTES"], 10)
    assert caplog.messages == [
        "No longer read, see .github/OPERATING.md: TOKENSCOPE_MAX_GOLD_BYTES, TOKENSCOPE_MAX_QUEUE_SECONDS, "
        "TOKENSCOPE_LOG_ADDRESSES"
    ]


def test_the_operator_chooses_from_25_settings_and_some_say_several_things(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(DEFAULTS) <= 25
    monkeypatch.setenv("TOKENSCOPE_KEEP_DAYS", "snapshots 365, uploads 30")
    monkeypatch.setenv("TOKENSCOPE_MAX_STORED_BYTES", "1000")
    config = create_app().config
    assert [config[f"KEEP_{kind}_DAYS"] for kind in ("SNAPSHOTS", "UPLOADS", "REPORTS")] == [365, 30, 0]
    assert [config[f"MAX_{kind}_BYTES"] for kind in ("SNAPSHOTS", "UPLOADS", "CORPORA")] == [1000, 1000, 2000]
    monkeypatch.setenv("TOKENSCOPE_KEEP_UPLOADS_DAYS", "7")  # the earlier settings of one kind still hold
    monkeypatch.setenv("TOKENSCOPE_MAX_CORPORA_BYTES", "500")
    config = create_app().config
    assert [config["KEEP_SNAPSHOTS_DAYS"], config["KEEP_UPLOADS_DAYS"]] == [365, 7]
    assert [config["MAX_SNAPSHOTS_BYTES"], config["MAX_CORPORA_BYTES"]] == [1000, 500]
    for value, is_on in {"true": True, "1": True, "False": False, "no": False, "": False}.items():
        monkeypatch.setenv("TOKENSCOPE_WORKER", value)
        assert create_app().config["WORKER"] is is_on
