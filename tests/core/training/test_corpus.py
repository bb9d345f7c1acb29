import gzip
import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.training import corpus
from webapp.core.training.corpus import Compression, CorpusError, CorpusFile, blocks, blocks_of_part

TEXT = "One line.\nAnother line, 研究生命起源。\n\n    indented\n" * 40


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(corpus, "CHUNK", 64)
    return 64


def stored(folder: Path, content: bytes, **choices: str) -> CorpusFile:
    path = folder / "file"
    path.write_bytes(content)
    return CorpusFile(str(path), "notes.txt", **choices)  # type: ignore[arg-type]


def refused(file: CorpusFile, **limits: int) -> CorpusError:
    with pytest.raises(CorpusError) as error:
        list(blocks([file], **limits))  # type: ignore[arg-type]
    return error.value


def compressed(content: bytes, compression: Compression) -> bytes:
    compress = {"": bytes, "gzip": gzip.compress, "zstd": zstandard.compress}[compression]
    half = len(content) // 2
    return compress(content[:half]) + compress(content[half:])  # several members or frames


@pytest.mark.parametrize("compression", ["", "gzip", "zstd"])
def test_blocks_are_the_text(tmp_path: Path, small_chunks: int, compression: Compression) -> None:
    file = stored(tmp_path, compressed(b"\xef\xbb\xbf" + TEXT.encode(), compression), compression=compression)
    found = list(blocks([file, file]))
    assert "".join(block.text for block in found) == TEXT + TEXT
    assert [block.number for block in found if block.file_number == 1] == list(range(len(found) // 2))
    assert all(len(block.text) <= 2 * small_chunks for block in found)
    assert found[-1].bytes_read == 2 * Path(file.path).stat().st_size


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
@pytest.mark.parametrize("lost", [1, 3, 8, 40])
def test_a_truncated_file_is_damaged(tmp_path: Path, compression: Compression, lost: int) -> None:
    content = compressed(TEXT.encode() * 50, compression)
    error = refused(stored(tmp_path, content[:-lost], compression=compression))
    assert (error.code, error.details) == ("damaged", {"file": "notes.txt"})


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a_file_that_is_not_compressed_is_damaged(tmp_path: Path, compression: Compression) -> None:
    assert refused(stored(tmp_path, b"plain text", compression=compression)).code == "damaged"


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_decompression_is_bounded(tmp_path: Path, compression: Compression) -> None:
    file = stored(tmp_path, compressed(bytes(50_000_000), compression), compression=compression)
    error = refused(file, most_bytes=5_000_000)
    assert (error.code, error.details) == ("too_large", {"limit": 5_000_000})


@pytest.mark.parametrize("before", [0, 5, 61, 62, 63, 64, 65, 127, 128, 200])
def test_the_offset_of_what_is_not_utf8(tmp_path: Path, small_chunks: int, before: int) -> None:
    error = refused(stored(tmp_path, b"a" * before + b"\xff\n" + TEXT.encode()))
    assert (error.code, error.details) == ("not_utf8", {"file": "notes.txt", "offset": before})


def test_an_incomplete_character_at_the_end(tmp_path: Path) -> None:
    assert refused(stored(tmp_path, "研".encode()[:-1])).details["offset"] == 0


def test_json_lines(tmp_path: Path, small_chunks: int) -> None:
    texts = ["short", "a longer text " * 30, "two\nlines\n", "研究", "lone \ud800 surrogate"]
    content = "\n\n".join(json.dumps({"id": 1, "body": text}) for text in texts)
    found = list(blocks([stored(tmp_path, content.encode(), format="jsonl", field="body")]))
    assert (
        "".join(block.text for block in found)
        == "short\n" + "a longer text " * 30 + "\ntwo\nlines\n研究\nlone ? surrogate\n"
    )


@pytest.mark.parametrize(
    ("line", "code", "details"),
    [
        ("{", "bad_json", {}),
        ("[" * 100_000, "bad_json", {}),
        ('{"other": "text"}', "no_field", {"field": "text"}),
        ('{"text": 5}', "no_field", {"field": "text"}),
        ('["text"]', "no_field", {"field": "text"}),
    ],
)
def test_lines_that_are_refused(tmp_path: Path, line: str, code: str, details: dict[str, str]) -> None:
    error = refused(stored(tmp_path, ('{"text": "fine"}\n' * 2 + line).encode(), format="jsonl"))
    assert (error.code, error.details) == (code, {"file": "notes.txt", "line": 3, **details})


def test_a_line_of_json_that_is_too_long(tmp_path: Path) -> None:
    content = b'{"text": "fine"}\n{"text": "' + b"a" * (corpus.LONGEST_LINE + corpus.CHUNK)
    error = refused(stored(tmp_path, content, format="jsonl"))
    assert (error.code, error.details["line"]) == ("long_line", 2)


@given(
    st.lists(st.text(st.sampled_from("ab1 研é.!\n\r\t"), max_size=40), max_size=12),
    st.sampled_from(["text", "jsonl"]),
)
def test_any_part_of_a_file_has_the_same_blocks(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], format: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "CHUNK", 16)
        content = "".join(texts) if format == "text" else "\n".join(json.dumps({"text": text}) for text in texts)
        file = stored(tmp_path_factory.mktemp("corpus"), content.encode(), format=format)
        whole = [(block.number, block.text) for block in blocks([file])]
        number = len(content.encode()) // 16 + 1
        for size in (1, 3):
            parts = [range(first, first + size) for first in range(0, number, size)]
            found = [(b.number, b.text) for part in parts for b in blocks_of_part(file, part.start, part.stop)]
            assert found == whole


def test_a_part_of_a_compressed_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="compressed"):
        list(blocks_of_part(stored(tmp_path, b"", compression="gzip"), 0, 1))
