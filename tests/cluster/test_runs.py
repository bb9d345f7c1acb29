"""Sorted runs hold and add up counts as dictionaries do."""

from collections import Counter
from io import BytesIO
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cluster.generated import text
from webapp.cluster import counting, runs
from webapp.cluster.sources import MOST_PARTS, PARTS, Source, divide, expected_bytes, find
from webapp.core.training.corpus import CHUNK, CorpusFile
from webapp.core.training.counting import HoldOut
from webapp.core.training.plan import TrainingPlan

COUNTS = st.dictionaries(st.text(max_size=3), st.integers(1, 2**40), max_size=30)


@given(st.lists(COUNTS, max_size=5), st.integers(1, 4), st.integers(1, 8))
def test_merged_runs_add_up(several: list[dict[str, int]], partitions: int, chunk: int) -> None:
    expected = sum(map(Counter, several), Counter())
    found: dict[str, int] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "CHUNK", chunk)
        written = [[runs.as_bytes(part) for part in runs.partitioned(counts, partitions)] for counts in several]
        for partition in range(partitions):
            merged = list(runs.merge(runs.read(BytesIO(part[partition])) for part in written))
            words = [word for chunk, _ in merged for word in chunk]
            assert words == sorted(set(words))
            assert {crc32(word) % partitions for word in words} <= {partition}
            found.update(runs.frequent(merged, 1, runs.Rare()))
    assert found == expected


def test_rare_words_are_counted() -> None:
    rare = runs.Rare()
    chunks = [([b"a", b"b"], [1, 5]), ([b"c"], [2])]
    assert list(runs.frequent(chunks, 3, rare)) == [("b", 5)]
    assert rare == runs.Rare(words=2, occurrences=3)


def test_a_damaged_run_is_refused() -> None:
    run = runs.as_bytes([([b"low"], [1])])
    for broken in (run[:5], run[:-3], run[:8] + b"\0" * (len(run) - 8)):
        with pytest.raises(ValueError, match="damaged"):
            list(runs.read(BytesIO(broken)))


def test_a_part_with_more_words_than_memory_holds_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text(text(1_500_000, seed=5), encoding="utf-8")
    [part] = divide(find([f"{tmp_path}/a.txt"]))

    def counted() -> tuple[list[dict[str, int]], counting.PartFacts]:
        *found, facts = counting.count_part(part, TrainingPlan(), HoldOut.of(1_500_000), 3)
        return [dict(runs.frequent(runs.read(BytesIO(run)), 1, runs.Rare())) for run in found], facts

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
