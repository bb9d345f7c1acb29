"""Signed records: read back unchanged, refused when anything in them was changed."""

import json
from dataclasses import replace

import pytest
from flask import Flask

from webapp.tools.homework import records
from webapp.tools.homework.records import (
    MOST_KEPT,
    MOST_TRIES,
    ForgedError,
    Record,
    Try,
    UnreadableError,
    Work,
    handed_in,
    new_record,
    opened,
    signed,
)


@pytest.fixture
def record(app: Flask) -> Record:
    with app.app_context():
        work = Work("cs336-bpe-example", "bpe_example")
        for outcome in ("wrong", "right"):
            work = handed_in(work, "s t\ne st\n</script>词\ud800", Try("", outcome, "right", "merge", 1))
        return new_record().having(work).report("  Ada   Lovelace ")


def test_a_record_is_read_back_from_its_document_however_it_is_laid_out(app: Flask, record: Record) -> None:
    with app.app_context():
        document = signed(record)
        assert opened(document) == opened(signed(record, indent=2).replace("\n", "\r\n")) == record
        assert (record.student, record.works[0].outcome, record.works[0].count) == ("Ada Lovelace", "right", 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.update(student="Grace"),
        lambda report: report["works"][0].update(count=1),
        lambda report: report["works"][0]["tries"].pop(0),
        lambda report: report["works"][0]["tries"][0].update(outcome="right"),
        lambda report: report["works"][0]["tries"][0].update(time="2020-01-01T00:00:00+00:00"),
        lambda report: report.update(works=[]),
        lambda report: report.pop("student"),
        lambda report: report.update(more=1),
    ],
)
def test_any_change_of_the_content_is_noticed(app: Flask, record: Record, change: object) -> None:
    with app.app_context():
        document = json.loads(signed(record))
        assert callable(change)
        change(document["report"])
        with pytest.raises(ForgedError):
            opened(json.dumps(document))


def test_a_signature_of_another_site_or_record_is_refused(
    app: Flask, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    with app.app_context():
        other = json.loads(signed(replace(record, student="Grace")))["signature"]
        for signature in ("", "é", "AAAA", other):
            with pytest.raises(ForgedError):
                opened(json.dumps(json.loads(signed(record)) | {"signature": signature}))
        document = signed(record)
        monkeypatch.setattr(records.jobs().corpora, "secret", lambda: b"another key" * 3)
        with pytest.raises(ForgedError, match="Ada Lovelace"):
            opened(document)


@pytest.mark.parametrize(
    "document",
    [
        *("", "{}", "[]", "null", "report", '{"report": 1}', '{"report": {}, "signature": 5}', "[" * 100_000),
        *("9" * 5_000, f'{{"report": {"[" * 3_000}{"]" * 3_000}, "signature": ""}}', "\x80\x04pickle", "x" * 800_001),
        '{"report": {"student": "\\ud800"}, "signature": ""}',
    ],
    ids=range(13),
)
def test_what_is_no_record_is_said_to_be_none_by_a_name_that_a_page_can_show(app: Flask, document: str) -> None:
    with app.app_context(), pytest.raises((UnreadableError, ForgedError)) as raised:
        opened(document)
    str(raised.value).encode()


def test_a_record_stays_small(app: Flask) -> None:
    work = Work("a", "a")
    for _number in range(MOST_TRIES + 5):
        work = handed_in(work, "x" * 100_000, Try("", "wrong"))
    assert (work.count, len(work.tries), len(work.answer), work.characters) == (25, MOST_TRIES, MOST_KEPT, 100_000)
    with app.app_context():
        full = new_record()
        for number in range(150):
            full = full.having(replace(work, exercise=f"exercise-{number}", answer="词" * MOST_KEPT))
        assert len(full.works) == records.MOST_EXERCISES
        assert opened(signed(full)) == full
