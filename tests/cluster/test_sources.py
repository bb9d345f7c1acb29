"""Corpora are found and opened wherever fsspec can, and divided; sorted runs add up counts as dictionaries do."""

import json
import os
from collections import Counter
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import fsspec
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cluster.generated import text
from webapp.cluster import counting, runs
from webapp.cluster.sources import (
    MOST_PARTS,
    PARTS,
    Source,
    SourceError,
    divide,
    expected_bytes,
    find,
    fingerprint,
    open_source,
)
from webapp.cluster.stored_counts import StoredCounts
from webapp.core.formats.recognize import save
from webapp.core.training.corpus import CHUNK, CorpusError, CorpusFile
from webapp.core.training.counted_corpus import canonical
from webapp.core.training.counting import HoldOut, count_words
from webapp.core.training.plan import TRAINERS, TrainingPlan
from webapp.core.training.train import train

COUNTS = st.dictionaries(st.text(max_size=3), st.one_of(st.integers(1, 70), st.integers(1, 2**40)), max_size=30)


@given(st.lists(COUNTS, max_size=5), st.integers(1, 4), st.integers(1, 8))
def test_merged_runs_add_up_and_are_stored_in_canonical_order(
    several: list[dict[str, int]], partitions: int, chunk: int
) -> None:
    expected = sum(map(Counter, several), Counter())
    found: list[runs.Pair] = []
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "CHUNK", chunk)
        written = [[runs.as_bytes(part) for part in runs.partitioned(counts, partitions)] for counts in several]
        for partition in range(partitions):
            merged = list(runs.merge(runs.read(BytesIO(part[partition])) for part in written))
            words = [word for word, _ in merged]
            assert words == sorted(set(words))
            assert {crc32(word) % partitions for word in words} <= {partition}
            found += runs.frequent(merged, 1, runs.Rare())
        counts = StoredCounts(sorted(found), Path(folder))
        wanted = canonical(expected)
        assert list(counts.items()) == list(wanted.items())
        assert (list(counts), list(counts.values()), len(counts)) == ([*wanted], [*wanted.values()], len(wanted))


@pytest.mark.parametrize("choices", [*({"trainer": trainer} for trainer in TRAINERS), {"variant": "superbpe"}])
def test_stored_counts_train_what_those_in_memory_train(choices: dict[str, str], tmp_path: Path) -> None:
    plan = TrainingPlan.from_json({"size": 400, **choices})
    path = tmp_path / "corpus.txt"
    path.write_text(text(3_000, seed=1), encoding="utf-8")
    counted = count_words([CorpusFile(str(path), "corpus.txt")], plan, lambda _: None)
    pairs = sorted((word.encode(), count) for word, count in counted.counts.items())
    stored = replace(counted, counts=StoredCounts(pairs, tmp_path))
    assert save(train(plan, stored, lambda _: None).tokenizer) == save(train(plan, counted, lambda _: None).tokenizer)


def test_rare_words_are_counted() -> None:
    rare = runs.Rare()
    assert list(runs.frequent([(b"a", 1), (b"b", 5), (b"c", 2)], 3, rare)) == [(b"b", 5)]
    assert rare == runs.Rare(words=2, occurrences=3)


def test_a_damaged_run_is_refused() -> None:
    run = runs.as_bytes([(b"low", 1)])
    for broken in (run[:5], run[:-3], run[:8] + b"\0" * (len(run) - 8)):
        with pytest.raises(ValueError, match="damaged"):
            list(runs.read(BytesIO(broken)))


def test_a_part_with_more_words_than_memory_holds_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text(text(1_500_000, seed=5), encoding="utf-8")
    [part] = divide(find([f"{tmp_path}/a.txt"]))

    def counted() -> tuple[list[list[runs.Pair]], counting.PartFacts]:
        *found, facts = counting.count_part(part, TrainingPlan(), HoldOut.of(1_500_000), 3)
        return [list(runs.read(BytesIO(run))) for run in found], facts

    in_memory = counted()
    monkeypatch.setattr(counting, "MOST_WORDS", 1_000)
    monkeypatch.setattr(counting, "FAN_IN", 2)
    monkeypatch.setattr(counting, "BLOCKS_BETWEEN_CHECKS", 1)
    assert counted() == in_memory


def source(size: int, *, compressed: bool = False) -> Source:
    return Source(CorpusFile("a", "a", compression="gzip" if compressed else ""), size)


def test_parts_cover_every_file_once_and_have_about_the_same_size() -> None:
    files = [
        source(10**9),
        source(0),
        source(5, compressed=True),
        *[source(100_000)] * 500,
        source(10**8, compressed=True),
    ]
    divided = divide(files)
    slices = [slice for part in divided for slice in part]
    for number, file in enumerate(files):
        own = [slice for slice in slices if slice.file_number == number]
        assert sum(slice.bytes for slice in own) == file.size
        assert [slice.first for slice in own[1:]] == [slice.last for slice in own[:-1]]
        assert own[0].first == 0
        assert own[-1].last * CHUNK >= file.size
    largest = sum(map(expected_bytes, files)) // PARTS
    for part in divided:
        assert len(part) == 1 or sum(expected_bytes(slice.source) for slice in part if slice.first == 0) <= 2 * largest
    assert PARTS // 2 <= len(divided) <= 2 * PARTS
    assert divide(files) == divided


def test_parts_have_256_megabytes_until_there_would_be_too_many() -> None:
    assert len(divide([source(10**12)])) == 10**12 // (256 << 20) + 1
    assert MOST_PARTS < len(divide([source(10**14)])) < MOST_PARTS + 10


def test_formats_and_compression_follow_the_names() -> None:
    files = fsspec.filesystem("memory")
    for name in ("a.txt", "b.JSONL.gz", "c.ndjson.zst", "d.parquet", "e"):
        files.pipe(f"/corpus/{name}", b"content")
    found = find(["memory://corpus/*"], field="body")
    assert [(each.file.name, each.file.format, each.file.compression, each.table) for each in found] == [
        ("memory:///corpus/a.txt", "text", "", False),
        ("memory:///corpus/b.JSONL.gz", "jsonl", "gzip", False),
        ("memory:///corpus/c.ndjson.zst", "jsonl", "zstd", False),
        ("memory:///corpus/d.parquet", "jsonl", "", True),
        ("memory:///corpus/e", "text", "", False),
    ]
    assert {each.size for each in found} == {7}
    assert {each.file.field for each in found} == {"body"}
    with open_source(found[0]) as stream:
        assert stream.read() == b"content"
    [forced] = find(["memory://corpus/e"], format="jsonl")
    assert forced.file.format == "jsonl"


def test_files_are_named_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "[c].txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    found = find([f"{tmp_path}/b.txt", f"{tmp_path}/*.txt", f"{tmp_path}/[c].txt"])
    assert [Path(each.file.path).name for each in found] == ["b.txt", "[c].txt", "a.txt"]


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("{}/*.txt", "there is no such file, and none matches"),
        ("{}/none.txt", "there is no such file, and none matches"),
        ("{}", "is a folder: name its files, such as {}/*"),
        ("nowhere://bucket/*", "Protocol not known: nowhere"),
        ("{}/a.parquet.gz", "a table cannot be compressed as a whole"),
    ],
)
def test_what_cannot_be_found_is_named(tmp_path: Path, pattern: str, said: str) -> None:
    (tmp_path / "a.parquet.gz").write_bytes(b"")
    with pytest.raises(SourceError) as raised:
        find([pattern.format(tmp_path)])
    assert str(raised.value).startswith(pattern.format(tmp_path))
    assert said.format(tmp_path) in str(raised.value)


def test_a_table_is_read_as_json_lines(tmp_path: Path) -> None:
    texts = ["x" * 3_000_000, "one", None, "two\nlines", "研究 🎉", *["short"] * 295]
    pyarrow.parquet.write_table(pyarrow.table({"body": texts, "other": [1] * 300}), tmp_path / "a.parquet")
    [source] = find([str(tmp_path / "a.parquet")], field="body")
    with open_source(source) as stream:
        assert [json.loads(line)["body"] for line in stream] == [text for text in texts if text is not None]
    [wrong] = find([str(tmp_path / "a.parquet")], field="text")
    with pytest.raises(CorpusError, match="no_field"):
        open_source(wrong)


def test_counts_belong_to_the_files_as_they_are_and_to_a_split(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one two", encoding="utf-8")
    first = fingerprint(find([str(file)]), TrainingPlan())
    assert fingerprint(find([str(file)]), TrainingPlan(size=500)) == first
    assert fingerprint(find([str(file)]), TrainingPlan(split="none")) != first
    file.write_text("six ten", encoding="utf-8")
    os.utime(file, ns=(1, 1))
    assert fingerprint(find([str(file)]), TrainingPlan()) != first
