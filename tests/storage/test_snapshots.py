"""Snapshots: the same state has the same link, each author has a separate claim, and deleted snapshots are gone."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from tests.storage.conftest import snapshot, totals
from webapp.storage import (
    RemovedSnapshotError,
    ShareReceipt,
    Snapshot,
    Storage,
    StorageFullError,
    snapshots,
)
from webapp.storage.engine import Database, url_of
from webapp.storage.packing import NOTHING, pack, unpack

TOMORROW = datetime.now(UTC) + timedelta(days=1)
NEXT_WEEK = datetime.now(UTC) + timedelta(days=7)


@pytest.fixture
def travel(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """`travel(timedelta(days=2))` moves the store's clock forward."""

    def travel(distance: timedelta) -> None:
        monkeypatch.setattr(snapshots, "_now", lambda: datetime.now(UTC) + distance)

    return travel


def share(storage: Storage, shown: Snapshot | None = None, expires: datetime | None = None) -> ShareReceipt:
    return storage.snapshots.share(shown or snapshot(), expires=expires)


def condition(storage: Storage, id: str) -> str:
    stored = storage.snapshots.get(id)
    assert stored is not None
    assert (stored.snapshot == NOTHING) == (stored.condition != "kept")
    return stored.condition


def test_a_shared_snapshot_is_shown_unchanged(storage: Storage) -> None:
    shared = share(storage, expires=TOMORROW)
    stored = storage.snapshots.get(shared.id)
    assert stored is not None
    assert stored.snapshot == snapshot()
    assert (stored.id, stored.expires, stored.condition) == (shared.id, TOMORROW, "kept")
    assert abs(datetime.now(UTC) - stored.created) < timedelta(minutes=1)
    assert storage.snapshots.get("never23ab") is None
    assert storage.snapshots.head(shared.id) == replace(stored, snapshot=NOTHING)
    assert storage.snapshots.head("never23ab") is None
    state = dict(reversed(snapshot().state.items()))
    again = share(storage, replace(snapshot(), state=state))
    assert (again.id, again.new, again.secret != shared.secret) == (shared.id, False, True)


@given(
    st.builds(
        Snapshot,
        text=st.text(),
        state=st.dictionaries(st.text(), st.text() | st.integers() | st.booleans() | st.none(), max_size=5),
        ids=st.lists(st.integers(0, 1 << 40)).map(tuple),
        starts=st.just(()),
        ends=st.just(()),
        pieces=st.dictionaries(st.integers(0, 1 << 40), st.text() | st.binary()),
        unknown=st.just((1, 2)),
        decoded=st.text() | st.just("\ud800"),
    ),
    st.lists(st.tuples(st.integers(0, 1_000), st.integers(0, 1_000))),
)
def test_every_snapshot_is_stored_and_read_back(shown: Snapshot, offsets: list[tuple[int, int]]) -> None:
    shown = replace(shown, starts=tuple(start for start, _ in offsets), ends=tuple(end for _, end in offsets))
    assert unpack(pack(shown)) == shown


def test_an_id_is_random_and_not_given_again(storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Storage(Database(url_of("", tmp_path / "elsewhere.sqlite"), seconds=1))
    ids = [share(each, snapshot("a text that one can guess")).id for each in (storage, elsewhere)]
    assert ids[0] != ids[1]
    assert all(len(id) == 14 and set(id) <= set("23456789abcdefghjkmnpqrstuvwxyz") for id in ids)
    elsewhere.database.close()
    choices = iter("2" * 14 + "2" * 14 + "3" * 14)
    monkeypatch.setattr(snapshots.secrets, "choice", lambda _: next(choices))
    assert [share(storage, snapshot(each)).id for each in ("one", "two")] == ["2" * 14, "3" * 14]


def test_a_secret_ends_one_claim_and_the_last_claim_deletes_the_snapshot(storage: Storage) -> None:
    first, second = share(storage), share(storage)
    id = first.id
    assert not storage.snapshots.delete(id, "wrong")
    assert not storage.snapshots.delete("never23ab", first.secret)
    assert storage.snapshots.delete(id, first.secret)
    assert condition(storage, id) == "kept"
    assert not storage.snapshots.delete(id, first.secret)
    assert storage.snapshots.delete(id, second.secret)
    assert condition(storage, id) == "deleted"
    again = share(storage)
    assert (again.id, again.new) == (id, True)
    assert condition(storage, id) == "kept"
    assert not storage.snapshots.delete(id, second.secret)


def test_a_secret_is_long_and_not_stored(database: Database, storage: Storage) -> None:
    secrets = {share(storage).secret for _ in range(10)}
    assert len(secrets) == 10
    assert all(len(secret) >= 22 for secret in secrets)
    with database.read() as connection:
        kept = connection.execute(text("SELECT secret_hash FROM claims")).scalars().all()
    assert set(kept) == {sha256(secret.encode()).hexdigest() for secret in secrets}


def test_it_is_stored_until_the_last_claim_ends(storage: Storage, travel: Callable[[timedelta], None]) -> None:
    id = share(storage, expires=TOMORROW).id
    longest = share(storage, expires=NEXT_WEEK)
    share(storage, expires=TOMORROW)
    travel(timedelta(days=2))
    assert condition(storage, id) == "kept"
    forever = share(storage, expires=None)
    travel(timedelta(days=20))
    assert condition(storage, id) == "kept"
    assert storage.snapshots.delete(id, longest.secret)
    assert condition(storage, id) == "kept"
    assert storage.snapshots.delete(id, forever.secret)  # all other claims have expired
    assert condition(storage, id) == "deleted"
    forever, until = share(storage), share(storage, expires=datetime.now(UTC) + timedelta(days=21))
    assert storage.snapshots.delete(forever.id, forever.secret)
    assert condition(storage, id) == "kept"
    travel(timedelta(days=22))
    assert condition(storage, until.id) == "expired"


@pytest.mark.parametrize("sweep", ["when it is opened", "when something is shared"])
def test_an_expired_snapshot_is_deleted_and_can_be_shared_again(
    database: Database,
    storage: Storage,
    travel: Callable[[timedelta], None],
    monkeypatch: pytest.MonkeyPatch,
    sweep: str,
) -> None:
    first = share(storage, expires=TOMORROW)
    travel(timedelta(days=2))
    if sweep == "when it is opened":
        assert condition(storage, first.id) == "expired"
    else:
        monkeypatch.setattr(storage.snapshots, "_next_sweep", 0.0)
    share(storage, snapshot("other"), expires=NEXT_WEEK)
    with database.read() as connection:
        assert connection.execute(text("SELECT content FROM snapshots WHERE condition = 'expired'")).all() == [(None,)]
        assert connection.scalar(text("SELECT count(*) FROM claims")) == 1
    again = share(storage, expires=None)
    assert (again.id, again.new) == (first.id, True)
    assert totals(storage)["snapshots"][0] == 2
    assert not storage.snapshots.delete(first.id, first.secret)
    assert condition(storage, first.id) == "kept"


def test_a_snapshot_removed_by_the_operator_stays_removed(storage: Storage) -> None:
    first = share(storage)
    storage.snapshots.report(first.id, "spam")
    assert storage.snapshots.remove(first.id)
    with pytest.raises(RemovedSnapshotError):
        share(storage)
    assert not storage.snapshots.delete(first.id, first.secret)
    assert condition(storage, first.id) == "removed"
    assert storage.snapshots.reports() == []


def test_beyond_the_limit_nothing_is_stored_and_the_operator_learns_what_to_do(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    limited = Storage(database, most_snapshot_bytes=300)
    kept = share(limited, snapshot("short"))
    with pytest.raises(StorageFullError):
        share(limited, snapshot("".join(map(chr, range(1000, 2000)))))
    assert "TOKENSCOPE_MAX_STORED_BYTES" in caplog.text
    assert totals(limited)["snapshots"][0] == 1
    assert share(limited, snapshot("short")).id == kept.id  # nothing more to store
    limited.snapshots.remove(kept.id)
    share(limited, snapshot("other"))  # there is room again


def test_the_limit_holds_for_concurrent_shares(database: Database, storage: Storage) -> None:
    share(storage, snapshot("text 99"))
    limit = 6 * totals(storage)["snapshots"][1]
    limited = Storage(database, most_snapshot_bytes=limit)

    def is_shared(number: int) -> bool:
        try:
            share(limited, snapshot(f"text {number:02}"))
        except StorageFullError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(is_shared, range(24))) == {True, False}
    assert limit * 0.75 < totals(storage)["snapshots"][1] <= limit


def test_deleted_texts_are_overwritten_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "tokenscope.sqlite"
    database = Database(url_of("", file), seconds=2)
    storage = Storage(database)
    shown = snapshot("a secret 研究 " + sha256(b"noise").hexdigest())
    shared = share(storage, shown)
    database.close()
    content = pack(shown)
    assert content[-60:] in file.read_bytes()
    storage.snapshots.delete(shared.id, shared.secret)
    database.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert content[-60:] not in file.read_bytes()


def test_a_link_from_an_earlier_release_is_found_and_given_again(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(snapshots, "_new_id", lambda: "9a2222222")
        share(storage)
    assert condition(storage, "9a2222222") == "kept"
    assert share(storage).id == "9a2222222"
