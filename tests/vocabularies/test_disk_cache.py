"""The compact forms of large files: whatever happens to one, the ids are right."""

import errno
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask import Flask

from tests.core import gguf_files
from tests.vocabularies.conftest import RANKS
from webapp import create_app
from webapp.core.formats import compact_bpe, huggingface
from webapp.core.formats.recognize import Recognized, recognize
from webapp.core.models.bpe import BPE
from webapp.core.models.mapped_bpe import MappedBPE
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.retention import expire
from webapp.storage import storage_of
from webapp.vocabularies import disk_cache, library, tokenizer_of
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.uploads import hash_of

BYTES = [bytes([byte]) for byte in range(256)]
IDS = [257, 101, 114]  # of "lower"


def file_with(piece: bytes) -> bytes:
    model = BPE([*BYTES, b"lo", b"low", piece], [(108, 111), (256, 119), (piece[0], piece[1])], byte_level=True)
    return huggingface.write(Tokenizer(model)).encode()


FILE, OTHER = file_with(b"ab"), file_with(b"cd")


@pytest.fixture(autouse=True)
def _small_files_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_bpe, "LEAST_PIECES", 1)
    monkeypatch.setattr(disk_cache, "LARGE", 0)


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "vocabularies")


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the files that are read whole."""
    found: list[bytes] = []

    def read(content: bytes, companion: bytes | None = None) -> Recognized:
        found.append(content)
        time.sleep(0.05)
        return recognize(content, companion)

    monkeypatch.setattr(disk_cache, "recognize", read)
    return found


@pytest.fixture
def site(tmp_path: Path) -> Callable[[], Flask]:
    folders = {"DATABASE_FILE": str(tmp_path / "a.sqlite"), "VOCABULARY_FOLDER": str(tmp_path / "vocabularies")}
    return lambda: create_app({"HUB": "http://127.0.0.1:9", **folders})


def table(cache: DiskCache, content: bytes = FILE) -> Path:
    return cache.folder / f"{hash_of(content)}.compact"


def ids(cache: DiskCache, content: bytes = FILE) -> list[int]:
    return cache.recognized(content).tokenizer.ids("lower")


def in_place(path: Path, content: bytes) -> None:
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


HARM: dict[str, Callable[[Path], object]] = {
    "deleted": lambda path: path.unlink(),
    "shorter": lambda path: in_place(path, path.read_bytes()[:-9]),
    "empty": lambda path: in_place(path, b""),
    "overwritten": lambda path: in_place(path, path.read_bytes()[:-9] + bytes(9)),
    "an older version": lambda path: path.write_bytes(path.read_bytes().replace(b"compact-bpe-", b"compact-bpe-0", 1)),
    "another layout": lambda path: path.write_bytes(compact_bpe._first_line(b"{}\n") + b"{}\n"),
    "of another file": lambda path: path.write_bytes(b"compact"),
    "replaced": lambda path: os.replace(path, path.with_name("away")),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_harmed_table_is_made_again_also_while_it_is_in_use(cache: DiskCache, harm: str) -> None:
    tokenizer = cache.recognized(FILE).tokenizer
    assert isinstance(tokenizer.model, MappedBPE)
    assert ids(cache) == IDS  # using a table does not change it
    assert (tokenizer.ids("lower"), tokenizer.model.is_current()) == (IDS, True)
    whole = table(cache).read_bytes()
    time.sleep(0.01)  # the clock of files is slower than that of processors
    HARM[harm](table(cache))
    assert not tokenizer.model.is_current()
    assert ids(cache) == IDS
    assert table(cache).read_bytes() == whole


def test_without_room_or_a_folder_or_a_table_the_file_is_read_whole(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "full")

    assert cache.recognized(RANKS).format == "tiktoken"
    monkeypatch.setattr(os, "fsync", full)
    assert ids(cache) == ids(cache) == IDS
    assert list(cache.folder.iterdir()) == []
    assert ids(DiskCache(Path("/proc/nowhere"))) == IDS


def test_a_process_that_is_killed_while_it_writes_leaves_the_lock_and_nothing_else_for_long(cache: DiskCache) -> None:
    if not (child := os.fork()):
        os.fsync = lambda _file: os.kill(os.getpid(), signal.SIGKILL)
        ids(cache)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    (left,) = cache.folder.iterdir()
    assert ids(cache) == IDS
    assert {*cache.folder.iterdir()} == {left, table(cache)}  # another process may still be writing
    os.utime(left, (0, 0))
    ids(cache, OTHER)
    assert {*cache.folder.iterdir()} == {table(cache), table(cache, OTHER)}


def test_one_process_reads_a_large_file_and_hinders_nobody_for_long(
    cache: DiskCache, reads: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Folders are locked for each opening of them, in threads as in processes.
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: ids(DiskCache(cache.folder)), range(4))) == [IDS] * 4
    assert reads == [FILE]
    monkeypatch.setattr(disk_cache, "LONGEST_WAIT", 0.1)
    with cache._alone():
        assert ids(cache, OTHER) == IDS


def test_tables_that_were_used_longest_ago_make_room(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [file_with(bytes([letter, letter])) for letter in b"xyz"]
    for file in files[:2]:
        ids(cache, file)
    for path in cache.folder.iterdir():
        os.utime(path, (1, path.stat().st_mtime))
    ids(cache, files[0])
    monkeypatch.setattr(disk_cache, "MOST_COMPACT", 2 * table(cache, files[0]).stat().st_size + 100)
    ids(cache, files[2])
    assert {*cache.folder.iterdir()} == {table(cache, files[0]), table(cache, files[2])}


def test_tables_that_cannot_be_deleted_stay(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path, *, missing_ok: bool = False) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    monkeypatch.setattr(disk_cache, "MOST_COMPACT", 0)
    assert ids(cache) == IDS
    cache.delete_compact(lambda _checksum: False)
    assert table(cache).exists()


def test_the_metadata_of_a_gguf_file_have_a_table(site: Callable[[], Flask], reads: list[bytes]) -> None:
    metadata = gguf_files.written(gguf_files.byte_level(), tensors=1)
    for _ in range(2):
        with site().app_context():
            entry = library().store(metadata + bytes(10_000))
            assert (entry.name, entry.title) == (f"upload-{hash_of(metadata)[:16]}", "gguf")
            assert isinstance(tokenizer_of(entry.name).model, MappedBPE)
            assert tokenizer_of(entry.name).ids("abc a") == [257, 258]
    assert reads == [metadata]


def test_workers_share_the_table_of_an_upload_until_it_is_deleted(
    site: Callable[[], Flask], reads: list[bytes]
) -> None:
    name, first = f"upload-{hash_of(FILE)[:16]}", site()
    with first.app_context():
        assert library().store(FILE).name == name
        cache = library().fetcher.disk_cache
        tokenizer = tokenizer_of(name)
        assert tokenizer_of(name) is tokenizer
        in_place(table(cache), table(cache).read_bytes()[:-9] + bytes(9))
        assert tokenizer_of(name) is not tokenizer
        assert tokenizer_of(name).ids("lower") == IDS
    assert reads == [FILE, FILE]
    with site().app_context():
        assert isinstance(tokenizer_of(name).model, MappedBPE)
        assert library().stored(hash_of(FILE), name).ids("lower") == IDS
        assert library().store(FILE).name == name
        content = library().file(name).content
    assert (reads, content) == ([FILE, FILE], FILE)
    expire(first)
    assert table(cache).exists()
    with first.app_context():
        library().store(OTHER)
    first.test_cli_runner().invoke(args=["uploads", "remove", f"upload-{hash_of(OTHER)[:16]}"])
    assert [*cache.folder.iterdir()] == [table(cache)]
    storage_of(first).inventory.remove_upload(hash_of(FILE))
    with site().app_context(), pytest.raises(KeyError):
        tokenizer_of(name)
    expire(first)
    assert not table(cache).exists()
