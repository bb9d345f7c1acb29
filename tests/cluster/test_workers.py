"""A cluster is used as this machine's workers are, or refused with a sentence."""

import json
from pathlib import Path

import pytest
from distributed import Client

from tests.cluster.generated import text
from webapp.cluster import workers
from webapp.cluster.sources import ClusterError
from webapp.command_line import main


def test_a_cluster_trains_what_this_machine_trains(client: Client, tmp_path: Path) -> None:
    (tmp_path / "small.txt").write_text(text(100_000, seed=8), encoding="utf-8")
    arguments = ["train", str(tmp_path / "small.txt"), "--size", "400", "--drop-rarer-than", "2", "--quiet"]
    assert main.main([*arguments, "-o", str(tmp_path / "here.json")]) == 0
    there = ["-o", str(tmp_path / "there.json"), "--scheduler", client.scheduler.address]
    assert main.main([*arguments, *there]) == 0
    assert (tmp_path / "here.json").read_bytes() == (tmp_path / "there.json").read_bytes()
    left_out = [json.loads((tmp_path / f"{name}.record.json").read_bytes())["left_out"] for name in ("here", "there")]
    assert left_out[0] == left_out[1]
    assert left_out[0]["words"] == left_out[0]["occurrences"] > 0


def test_a_cluster_that_cannot_be_used_is_refused_with_a_sentence(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(address: str) -> str:
        with pytest.raises(ClusterError) as raised, workers.of_cluster(address):
            pass
        return str(raised.value)

    monkeypatch.setattr(workers, "SECONDS_TO_CONNECT", 0.3)
    assert refused("tcp://127.0.0.1:9").startswith("there is no Dask scheduler at tcp://127.0.0.1:9: ")
    monkeypatch.setattr(Client, "wait_for_workers", lambda *_args, **_options: _raise(TimeoutError()))
    assert refused(client.scheduler.address) == f"the scheduler at {client.scheduler.address} has no workers"
    monkeypatch.setattr(Client, "wait_for_workers", lambda *_args, **_options: None)
    monkeypatch.setattr(workers, "__version__", "99.9")
    said = refused(client.scheduler.address)
    assert said.startswith("Tokenscope 99.9 must be installed on all workers: tcp://127.0.0.1:")
    message = "much is not a size; write 1GiB or 1500MB"
    with pytest.raises(ClusterError, match=message), workers.of_this_machine(1, "much"):
        pass


def _raise(error: Exception) -> None:
    raise error
