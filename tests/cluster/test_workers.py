"""A cluster is used as this machine's workers are, or refused with a sentence."""

import json
import logging
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from tests.cluster.generated import text
from webapp.cluster import workers
from webapp.cluster.errors import ClusterError
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


def refused(address: str) -> str:
    """Return why a cluster is refused."""
    with pytest.raises(ClusterError) as raised, workers.of_cluster(address):
        pass
    return str(raised.value)


def test_workers_with_another_release_are_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "__version__", "99.9")
    said = refused(client.scheduler.address)
    assert said.startswith("Tokenscope 99.9 must be installed on all workers: tcp://127.0.0.1:")


def test_a_cluster_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SECONDS_TO_CONNECT", 1)
    with LocalCluster(n_workers=0, dashboard_address=workers.ANY_PORT, silence_logs=logging.CRITICAL) as cluster:
        said = refused(cluster.scheduler_address)
        assert said == f"the scheduler at {cluster.scheduler_address} has no workers"


def test_a_scheduler_that_does_not_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SECONDS_TO_CONNECT", 1)
    assert refused("tcp://127.0.0.1:9").startswith("there is no Dask scheduler at tcp://127.0.0.1:9: ")


def test_a_size_of_memory_that_is_none_is_refused() -> None:
    message = "much is not a size; write 1GiB or 1500MB"
    with pytest.raises(ClusterError, match=message), workers.of_this_machine(1, "much"):
        pass
