"""Corpora are found and opened wherever fsspec can."""

import json
import os
from pathlib import Path

import fsspec
import pyarrow
import pyarrow.parquet
import pytest

from webapp.cluster.sources import SourceError, find, fingerprint, open_source
from webapp.core.training.corpus import CorpusError
from webapp.core.training.plan import TrainingPlan


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
