"""Counting with Dask gives what one process gives, whatever happens on the way."""

import gzip
import json
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from distributed import Client

from tests.cluster.generated import text
from webapp.cluster import counting, workers
from webapp.cluster.runs import Rare
from webapp.cluster.sources import ClusterError, Source, divide, find, open_source
from webapp.command_line import main
from webapp.core.training.corpus import CorpusError
from webapp.core.training.counting import CountedCorpus, TrainingError, count_words
from webapp.core.training.plan import Progress, TrainingPlan

PLAN = TrainingPlan()

pytestmark = pytest.mark.usefixtures("small_parts")


def ignore(progress: Progress) -> None:
    """Report nothing."""


def by_one_process(sources: Sequence[Source], plan: TrainingPlan = PLAN) -> CountedCorpus:
    """Count with the core, without Dask."""
    files = {source.file.path: source for source in sources}
    return count_words(
        [source.file for source in sources],
        plan,
        ignore,
        opened=lambda path: open_source(files[path]),
        sizes=[source.size for source in sources],
    )


def assert_same(counted: tuple[CountedCorpus, Rare], expected: CountedCorpus) -> None:
    assert list(counted[0].counts.items()) == list(expected.counts.items()), "other counts, or another order"
    assert (replace(counted[0], counts=expected.counts), counted[1]) == (expected, Rare(0, 0))


@pytest.fixture
def every_kind(tmp_path: Path, book: Path) -> str:
    """Return a pattern of text, JSON Lines, a table, and compressed files."""
    (tmp_path / "book.txt").write_bytes(book.read_bytes())
    documents = text(2_200_000, seed=2).split("\n")
    lines = "".join(json.dumps({"id": number, "text": line}) + "\n" for number, line in enumerate(documents))
    (tmp_path / "lines.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines[: lines.rindex("\n", 0, 300_000) + 1].encode()))
    (tmp_path / "z.txt.zst").write_bytes(zstandard.compress(text(300_000, seed=3).encode()))
    table = pyarrow.table({"id": range(len(documents[:900])), "text": [*documents[:899], None]})
    pyarrow.parquet.write_table(table, tmp_path / "table.parquet")
    return f"{tmp_path}/*"


def test_counts_are_those_of_one_process(
    client: Client, every_kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    sources = find([every_kind])
    assert len(divide(sources)) > 6
    reported: list[Progress] = []
    folder = tmp_path_factory.mktemp("counting")
    counted = counting.count_words(client, sources, PLAN, reported.append, folder=folder)
    assert_same(counted, by_one_process(sources))
    done = [progress.done for progress in reported]
    assert done == sorted(done)
    assert reported[-1].done == reported[-1].total == sum(source.size for source in sources)


@pytest.mark.parametrize(
    "plan",
    [
        TrainingPlan(trainer="unigram"),
        TrainingPlan(trainer="wordpiece", normalization="lowercase"),
        TrainingPlan(split="none"),
        TrainingPlan(split="own", pattern=r"\w+|\W"),
        TrainingPlan(trainer="bpe-sentencepiece", split="marked"),
    ],
    ids=lambda plan: f"{plan.trainer}, {plan.split}",
)
@pytest.mark.exhaustive
def test_counts_of_every_plan_are_those_of_one_process(
    client: Client, book: Path, tmp_path: Path, plan: TrainingPlan
) -> None:
    sources = find([str(book)])
    counted = counting.count_words(client, sources, plan, ignore, folder=tmp_path)
    assert_same(counted, by_one_process(sources, plan))


def kill_once(client: Client) -> Callable[[Progress], None]:
    """Kill a worker as soon as a part is counted."""
    waiting = list(client.run(os.getpid).values())

    def report(progress: Progress) -> None:
        if progress.done and waiting:
            os.kill(waiting.pop(), signal.SIGKILL)
            waiting.clear()

    return report


@pytest.mark.exhaustive
def test_a_worker_killed_in_the_middle_changes_nothing(client: Client, tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text(text(12_000_000, seed=4), encoding="utf-8")
    sources = find([str(tmp_path / "long.txt")])
    before = set(client.run(os.getpid).values())
    counted = counting.count_words(client, sources, PLAN, kill_once(client), folder=tmp_path / "counting")
    assert_same(counted, by_one_process(sources))
    client.wait_for_workers(2, timeout=30)
    assert set(client.run(os.getpid).values()) != before


def test_what_is_counted_is_not_counted_again_and_rare_words_are_left_out(
    client: Client, book: Path, tmp_path: Path
) -> None:
    sources = find([str(book)])
    counts = dict(counting.count_words(client, sources, PLAN, ignore, folder=tmp_path)[0].counts.items())
    reported: list[Progress] = []
    frequent, rare = counting.count_words(client, sources, PLAN, reported.append, folder=tmp_path, drop_rarer_than=3)
    assert reported == []
    assert dict(frequent.counts.items()) == {word: count for word, count in counts.items() if count >= 3}
    left_out = [count for count in counts.values() if count < 3]
    assert rare == Rare(len(left_out), sum(left_out))


@pytest.mark.parametrize(
    ("name", "content", "code", "details"),
    [
        ("a.txt", b"fine words\n" * 150_000 + b"na\xefve", "not_utf8", {"offset": 1_650_002}),
        (
            "a.jsonl",
            b'{"text": "x"}\n' * 120_000 + b"{}\n",
            "no_field",
            {"field": "text", "line": "45102 after byte 1,048,576"},
        ),
        ("a.txt.gz", gzip.compress(b"fine words\n")[:-9], "damaged", {}),
        ("a.parquet", b"PAR1 and no more", "damaged", {}),
        ("a.txt", b"", "empty", {}),
    ],
    ids=["not UTF-8", "no field", "damaged gzip", "damaged table", "empty"],
)
def test_errors_say_what_one_process_says(
    client: Client, tmp_path: Path, name: str, content: bytes, code: str, details: dict[str, object]
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(CorpusError) as raised:
        counting.count_words(client, find([str(file)]), PLAN, ignore, folder=tmp_path / "counting")
    assert raised.value.code == code
    place = {} if code == "empty" else {"file": str(file)}
    assert raised.value.details == {**place, **details}


@pytest.mark.exhaustive
def test_a_pattern_that_takes_too_long_is_an_error(client: Client, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 3_000 + "!" + "\nwords" * 50, encoding="utf-8")
    plan = TrainingPlan(split="own", pattern="(a+)+$")
    with pytest.raises(TrainingError, match="slow_pattern"):
        counting.count_words(client, find([f"{tmp_path}/a.txt"]), plan, ignore, folder=tmp_path / "counting")


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
