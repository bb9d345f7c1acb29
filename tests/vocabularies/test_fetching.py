"""Fetching from publishers of every kind, all of them on this machine."""

import errno
import hashlib
import json
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.vocabularies.conftest import PIECES_PATH, RANKS, RANKS_PATH, TOKENIZER, Make
from tests.vocabularies.publisher import Answer, Manner, Publisher, git_name
from webapp.vocabularies import fetching
from webapp.vocabularies.fetching import Fetcher, FetchError, FetchProgress
from webapp.vocabularies.https_download import Endpoint, headers_for
from webapp.vocabularies.wellknown import WellKnown


def refused(fetcher: Fetcher, known: WellKnown) -> FetchError:
    """Return the error that fetching ends with; no file may be stored."""
    with pytest.raises(FetchError) as caught:
        fetcher.fetch(known)
    assert not fetcher.disk_cache.has(known)
    assert fetcher.disk_cache.get(known) is None
    assert caught.value.name == known.name
    return caught.value


def test_a_file_is_fetched_verified_and_stored(make: Make, publisher: Publisher, ranks: WellKnown) -> None:
    publisher.answers[RANKS_PATH] = Answer(RANKS)
    fetcher = make()
    assert fetcher.disk_cache.get(ranks) is None
    assert fetcher.fetch(ranks) == [RANKS]
    assert fetcher.fetch(ranks) == [RANKS] == fetcher.disk_cache.get(ranks)
    assert len(publisher.requests) == 1
    record = json.loads((fetcher.disk_cache.folder / "small-ranks.json").read_text())
    assert record["source"] == "somebody/ranks@main: small.tiktoken"
    assert record["files"][0]["sha256"] == hashlib.sha256(RANKS).hexdigest()
    assert ranks.tokenizer([RANKS]).ids("abc<|endoftext|>", special=True) == [256, 99, 50256]
    publisher.answers[RANKS_PATH] = Answer(RANKS.replace(b"256", b"257"))
    assert refused(make(fetcher.disk_cache.folder / "another"), ranks).reason == "checksum"


@pytest.mark.parametrize("quotes", ['"{}"', 'W/"{}"', "{}"])
@pytest.mark.parametrize("name", [git_name, lambda content: hashlib.sha256(content).hexdigest()])
def test_a_file_from_the_hub_is_verified_with_its_entity_tag(
    make: Make, publisher: Publisher, pieces: WellKnown, name: Callable[[bytes], str], quotes: str
) -> None:
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER, headers={"ETag": quotes.format(name(TOKENIZER))})
    assert make().fetch(pieces) == [TOKENIZER]
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER + b" ", headers={"ETag": quotes.format(name(TOKENIZER))})
    assert refused(make(make().disk_cache.folder / "another"), pieces).reason == "checksum"


def test_redirects_within_the_hub_are_followed(make: Make, publisher: Publisher, pieces: WellKnown) -> None:
    headers = {
        "Location": "/storage/1",
        "X-Linked-ETag": f'"{hashlib.sha256(TOKENIZER).hexdigest()}"',
        "X-Linked-Size": str(len(TOKENIZER)),
    }
    publisher.answers[PIECES_PATH] = Answer(b"Found", 302, headers)
    publisher.answers["/storage/1"] = Answer(TOKENIZER)
    assert make().fetch(pieces) == [TOKENIZER]
    publisher.answers["/storage/1"] = Answer(TOKENIZER.replace(b"low", b"row"))
    assert refused(make(make().disk_cache.folder / "another"), pieces).reason == "checksum"


@pytest.mark.parametrize(
    ("target", "requests"),
    [("http://127.0.0.1:9/x", 1), ("http://[bad", 1), ("ftp://hf.co/x", 1), (PIECES_PATH, 6)],
)
def test_redirects_to_other_sites_and_in_a_loop_are_refused(
    make: Make, publisher: Publisher, pieces: WellKnown, target: str, requests: int
) -> None:
    publisher.answers[PIECES_PATH] = Answer(b"", 302, {"Location": target})
    error = refused(make(), pieces)
    assert (error.reason, error.host) == ("redirected", "127.0.0.1")
    assert len(publisher.requests) == requests


@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ("https://huggingface.co/x", True),
        ("https://cas-bridge.xethub.hf.co/x", True),
        ("https://cdn-lfs.huggingface.co:443/x", True),
        ("https://mirror.example:8443/x", True),
        ("https://mirror.example/x", False),
        ("http://mirror.example:8443/x", False),
        ("http://huggingface.co/x", False),
        ("https://huggingface.co:8443/x", False),
        ("https://huggingface.co@example.invalid/x", False),
        ("https://somebody@huggingface.co/x", False),
        ("https://evilhuggingface.co/x", False),
        ("https://huggingface.co.example.invalid/x", False),
    ],
)
def test_only_the_publishers_domains_are_trusted(target: str, allowed: bool) -> None:
    assert Endpoint.checked("https://mirror.example:8443").allows(httpx2.URL(target)) is allowed


@pytest.mark.parametrize("address", ["http://example.org", "ftp://127.0.0.1", "", "https://a:b@example.org"])
def test_an_address_must_use_tls(make: Make, address: str) -> None:
    with pytest.raises(ValueError, match="should be"):
        make(hub=address or "https:")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=404), "missing"),
        (Answer(status=401, headers={"X-Error-Code": "RepoNotFound"}), "missing"),
        (Answer(status=401, headers={"X-Error-Code": "GatedRepo"}), "refused"),
        (Answer(status=401), "refused"),
        (Answer(status=429), "failing"),
        (Answer(status=500), "failing"),
        (Answer(status=503, manner="endless"), "failing"),
        (Answer(status=204), "failing"),
        (Answer(TOKENIZER, headers={"Content-Encoding": "gzip"}), "failing"),
        (Answer(TOKENIZER, manner="cut off"), "cut off"),
        (Answer(TOKENIZER, manner="unbounded"), "cut off"),
        (Answer(TOKENIZER, headers={"X-Linked-Size": "7"}), "cut off"),
        (Answer(TOKENIZER, headers={"Content-Length": "2000000"}), "too large"),
        (Answer(TOKENIZER, headers={"X-Linked-Size": "2000000"}, manner="endless"), "too large"),
        (Answer(manner="endless"), "too large"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.status} {value.manner}",
)
def test_a_bad_response_has_a_reason(
    make: Make, publisher: Publisher, pieces: WellKnown, answer: Answer, reason: str
) -> None:
    publisher.answers[PIECES_PATH] = answer
    error = refused(make(), pieces)
    assert error.reason == reason, error
    assert error.host.startswith("127.0.0.1")
    assert error.detail


@pytest.mark.parametrize("manner", ["trickle", "half", "silent headers", "slow headers"])
def test_a_slow_response_times_out(
    make: Make, publisher: Publisher, pieces: WellKnown, manner: Manner, monkeypatch: pytest.MonkeyPatch
) -> None:
    if manner == "slow headers":  # only the client's time limit ends these
        monkeypatch.setattr(fetching, "GRACE", 0.1)
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER, manner=manner)
    error = refused(make(seconds=0.3), pieces)
    assert error.reason == "slow"
    assert (error.detail == "timed out") is (manner == "slow headers")


def test_without_a_network_the_error_is_immediate(make: Make, pieces: WellKnown) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, but not listening
        port = closed.getsockname()[1]
        error = refused(make(hub=f"http://127.0.0.1:{port}"), pieces)
    assert (error.reason, error.host) == ("offline", f"127.0.0.1:{port}")


@pytest.mark.parametrize("again", [True, False])
def test_a_failure_is_remembered_for_a_while_unless_a_visitor_tries_again(
    make: Make, publisher: Publisher, pieces: WellKnown, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    fetcher = make()
    refused(fetcher, pieces)
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER)
    assert refused(fetcher, pieces).reason == "missing"
    with pytest.raises(FetchError):
        fetcher.result(pieces)
    fetcher.start(pieces)
    assert len(publisher.requests) == 1
    if again:
        fetcher.start(pieces, again=True)
    else:
        monkeypatch.setattr(fetching, "REMEMBERED", 0)
    assert fetcher.fetch(pieces) == [TOKENIZER]


def test_a_page_can_poll_the_progress(make: Make, publisher: Publisher, pieces: WellKnown) -> None:
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER, manner="half")
    fetcher, half = make(), len(TOKENIZER) // 2
    assert fetcher.progress(pieces.name) is fetcher.result(pieces) is None
    fetcher.start(pieces)
    deadline = time.monotonic() + 20
    while fetcher.progress(pieces.name) != FetchProgress(half, len(TOKENIZER)) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert fetcher.progress(pieces.name) == (half, len(TOKENIZER))
    assert fetcher.result(pieces) is None
    publisher.gate.set()
    assert fetcher.fetch(pieces) == [TOKENIZER] == fetcher.result(pieces)
    assert fetcher.progress(pieces.name) is None
    assert len(publisher.requests) == 1


def test_many_threads_fetch_a_file_once_and_processes_share_a_folder(
    make: Make, publisher: Publisher, pieces: WellKnown
) -> None:
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER, manner="half")
    fetcher = make()
    # Fetchers share no state, just like processes.
    with ThreadPoolExecutor(8) as pool:
        fetched = [pool.submit(fetcher.fetch, pieces) for _ in range(4)]
        assert publisher.asked.wait(20)
        others = [pool.submit(make().fetch, pieces) for _ in range(2)]
        publisher.gate.set()
        assert [future.result(20) for future in (*fetched, *others)] == [[TOKENIZER]] * 6
    assert len(publisher.requests) == 1
    names = sorted(path.name for path in fetcher.disk_cache.folder.iterdir())
    assert names == [f"small-pieces-{hashlib.sha256(TOKENIZER).hexdigest()}", "small-pieces.json"]


def test_another_process_shows_the_progress(make: Make, publisher: Publisher, pieces: WellKnown) -> None:
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER, manner="half")
    first, second = make(), make()
    first.start(pieces)
    assert publisher.asked.wait(20)
    second.start(pieces)
    half, deadline = FetchProgress(len(TOKENIZER) // 2, len(TOKENIZER)), time.monotonic() + 20
    while second.progress(pieces.name) != half and time.monotonic() < deadline:
        time.sleep(0.005)
    assert second.progress(pieces.name) == first.progress(pieces.name) == half
    publisher.gate.set()
    assert second.fetch(pieces) == [TOKENIZER]
    assert len(publisher.requests) == 1


def test_a_process_that_was_killed_hinders_nobody(make: Make, publisher: Publisher, pieces: WellKnown) -> None:
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER)
    fetcher = make()
    fetcher.disk_cache.prepare()
    (fetcher.disk_cache.folder / ".small-pieces.fetching").write_text("12 100")
    assert fetcher.fetch(pieces) == [TOKENIZER]
    assert not [*fetcher.disk_cache.folder.glob(".*")]


def test_a_process_that_hangs_is_waited_for_as_long_as_a_fetch_may_take(
    make: Make, publisher: Publisher, pieces: WellKnown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.vocabularies.fetching.GRACE", 0.0)
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER)
    fetcher = make(seconds=0.5)
    fetcher.disk_cache.prepare()
    with fetcher.disk_cache.fetch_alone(pieces.name, 9, lambda _read, _total: None):
        assert fetcher.fetch(pieces) == [TOKENIZER]


HARM: dict[str, Callable[[Path, Path], object]] = {
    "content": lambda content, _record: content.write_bytes(TOKENIZER.replace(b"low", b"row")),
    "shorter": lambda content, _record: content.write_bytes(TOKENIZER[:-1]),
    "gone": lambda content, _record: content.unlink(),
    "a path": lambda _content, record: record.write_text(
        '{"source": "somebody/small@main: tokenizer.json", "files": [{"sha256": "../../etc"}]}'
    ),
    "no JSON": lambda _content, record: record.write_text("["),
    "another source": lambda _content, record: record.write_text(record.read_text().replace("somebody", "anybody")),
}


@pytest.mark.parametrize("harm", HARM)
def test_damaged_files_are_fetched_again(make: Make, publisher: Publisher, pieces: WellKnown, harm: str) -> None:
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER)
    fetcher = make()
    fetcher.fetch(pieces)
    (content,) = fetcher.disk_cache.folder.glob("small-pieces-*")
    HARM[harm](content, fetcher.disk_cache.folder / "small-pieces.json")
    assert fetcher.disk_cache.get(pieces) is None
    assert fetcher.disk_cache.has(pieces) is (harm == "content")  # the size alone does not reveal it
    assert fetcher.fetch(pieces) == [TOKENIZER]
    assert len(publisher.requests) == 2


def test_a_file_is_fetched_again_when_its_checksum_in_the_catalogue_changes(
    make: Make, publisher: Publisher, ranks: WellKnown
) -> None:
    publisher.answers[RANKS_PATH] = Answer(RANKS)
    fetcher = make()
    fetcher.fetch(ranks)
    record = fetcher.disk_cache.folder / "small-ranks.json"
    other = hashlib.sha256(TOKENIZER).hexdigest()
    record.write_text(record.read_text().replace(hashlib.sha256(RANKS).hexdigest(), other))
    (fetcher.disk_cache.folder / f"small-ranks-{other}").write_bytes(TOKENIZER)
    assert fetcher.disk_cache.get(ranks) is None
    assert fetcher.fetch(ranks) == [RANKS]


def test_an_unusable_folder_and_a_full_disk_are_storage_errors(
    make: Make, publisher: Publisher, pieces: WellKnown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER)
    (tmp_path / "file").write_text("in the way")
    assert refused(make(tmp_path / "file" / "vocabularies"), pieces).reason == "storage"
    assert publisher.requests == []

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    fetcher = make()
    assert refused(fetcher, pieces).reason == "storage"
    assert list(fetcher.disk_cache.folder.iterdir()) == []


def test_the_token_is_sent_to_the_hub_and_not_to_its_storage(
    make: Make, publisher: Publisher, pieces: WellKnown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    publisher.answers[PIECES_PATH] = Answer(TOKENIZER)
    make().fetch(pieces)
    assert publisher.requests[0][1]["Authorization"] == "Bearer hf_secret"
    hub = Endpoint.checked("https://huggingface.co")
    assert "Authorization" in headers_for(hub, httpx2.URL("https://huggingface.co/api/resolve-cache/x"))
    assert "Authorization" not in headers_for(hub, httpx2.URL("https://cas-bridge.xethub.hf.co/x"))
    for unsendable in ("", " ", "two\nlines", "ключ"):
        monkeypatch.setenv("HF_TOKEN", unsendable)
        assert "Authorization" not in headers_for(hub, httpx2.URL("https://huggingface.co/x"))
