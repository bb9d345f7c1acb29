"""Corpora: reading and counting them."""

import gzip
import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.training import corpus, counting
from webapp.core.training.corpus import Compression, CorpusError, CorpusFile, blocks, blocks_of_part
from webapp.core.training.counted_corpus import read_checkpoint
from webapp.core.training.counting import (
    HELD_OUT,
    HoldOut,
    TrainingError,
    canonical,
    count_block,
    count_words,
    hold_out,
)
from webapp.core.training.plan import SUBWORD_TRAINERS, Progress, TrainingPlan
from webapp.core.training.recipe import recipe_of

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
def test_damaged_files_and_large_ones_are_refused(tmp_path: Path, compression: Compression) -> None:
    content = compressed(TEXT.encode() * 50, compression)
    for damaged in (b"plain text", *(content[:-lost] for lost in (1, 3, 8, 40))):
        error = refused(stored(tmp_path, damaged, compression=compression))
        assert (error.code, error.details) == ("damaged", {"file": "notes.txt"})
    file = stored(tmp_path, compressed(bytes(50_000_000), compression), compression=compression)
    error = refused(file, most_bytes=5_000_000)
    assert (error.code, error.details) == ("too_large", {"limit": 5_000_000})


@pytest.mark.parametrize("before", [0, 5, 61, 62, 63, 64, 65, 127, 128, 200])
def test_the_offset_of_what_is_not_utf8(tmp_path: Path, small_chunks: int, before: int) -> None:
    error = refused(stored(tmp_path, b"a" * before + b"\xff\n" + TEXT.encode()))
    assert (error.code, error.details) == ("not_utf8", {"file": "notes.txt", "offset": before})
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
        ('{"text": "' + "a" * (corpus.LONGEST_LINE + corpus.CHUNK), "long_line", None),
    ],
    ids=["bad", "nested", "other", "number", "list", "long"],
)
def test_lines_that_are_refused(tmp_path: Path, line: str, code: str, details: dict[str, str] | None) -> None:
    error = refused(stored(tmp_path, ('{"text": "fine"}\n' * 2 + line).encode(), format="jsonl"))
    assert (error.code, error.details["line"]) == (code, 3)
    assert details is None or error.details == {"file": "notes.txt", "line": 3, **details}


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


PLAN = TrainingPlan()
TEXT_COUNTING = "".join(f"Line {n} of the text, in which word{n % 97} occurs.\n" for n in range(3_000))


def silent(progress: Progress) -> None:
    pass


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[CorpusFile]:
    monkeypatch.setattr(corpus, "CHUNK", 10_000)
    monkeypatch.setattr(counting, "CHUNK", 10_000)
    (tmp_path / "a").write_text(TEXT_COUNTING)
    (tmp_path / "b").write_text("研究生命起源。\n" * 2_000)
    return [CorpusFile(str(tmp_path / name), name) for name in "ab"]


def test_the_whole_text_is_counted_or_held_out(files: list[CorpusFile]) -> None:
    counted = count_words(files, PLAN, silent)
    whole = sum(len(block.text) for block in blocks(files))
    assert sum(len(word) * count for word, count in counted.counts.items()) + len(counted.held_out) == whole
    assert counted.characters == whole
    assert counted.bytes == sum(Path(file.path).stat().st_size for file in files)
    assert 0 < len(counted.held_out) <= min(HELD_OUT, whole // 20)
    assert all(line in TEXT_COUNTING or line == "研究生命起源。" for line in counted.held_out.splitlines())
    assert list(counted.counts) == list(canonical(counted.counts))
    digests = (sha256(block.text.encode()).digest() for block in blocks(files))
    assert counted.sha256 == sha256(b"".join(digests)).hexdigest()


def test_two_processes_and_a_checkpoint_count_the_same(files: list[CorpusFile]) -> None:
    alone = count_words(files, PLAN, silent)
    together = count_words(files, PLAN, silent, processes=2)
    assert together == alone
    assert list(together.counts.items()) == list(alone.counts.items())

    content = Path(files[0].path + ".counts")
    assert count_words(files, PLAN, silent, checkpoint=content) == alone
    seen: list[Progress] = []
    again = count_words(files, PLAN, seen.append, checkpoint=content)
    assert (list(again.counts.items()), seen) == (list(alone.counts.items()), [])
    assert not list(content.parent.glob("*partial*"))
    assert read_checkpoint(content, files, replace(PLAN, size=500)) == alone
    assert read_checkpoint(content, files, replace(PLAN, split="cl100k")) is None
    assert read_checkpoint(content, files[:1], PLAN) is None
    whole = content.read_bytes()
    for damaged in (b"", b"no zstandard", b"{}", *(whole[:-lost] for lost in (1, 10, 100, 1_000))):
        content.write_bytes(damaged)
        assert read_checkpoint(content, files, PLAN) is None
    assert count_words(files, PLAN, silent, checkpoint=content) == alone
    assert read_checkpoint(content, files, PLAN) == alone


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
@pytest.mark.parametrize("split", ["default", "gpt2", "cl100k", "o200k", "whitespace", "marked"])
@given(text=st.text(st.sampled_from("ab1é研 .,'!\n\r\t▁"), max_size=120))
def test_blocks_add_up_to_the_text(trainer: str, split: str, text: str) -> None:
    """Wherever `first_boundary` ends a block, all split patterns split."""
    plan = TrainingPlan(trainer=trainer, split=split)  # type: ignore[arg-type]
    whole = Counter(recipe_of(plan).count(text))
    for start in range(len(text)):
        end = corpus.first_boundary(text[start:])
        if any(corpus._boundaries(text[start:])):
            parts = Counter(count_block(text[: start + end], plan)) + Counter(count_block(text[start + end :], plan))
            assert parts == whole, (text[: start + end], text[start + end :])


def test_long_words_are_cut_and_without_a_split_pattern_lines_are_counted() -> None:
    plan = TrainingPlan(longest_word=100)
    assert count_block("a" * 1_050, plan) == {"a" * 100: 10, "a" * 50: 1}
    assert count_block("研" * 250, replace(plan, trainer="unigram")) == {"研" * 100: 2, "研" * 50: 1}
    assert count_block("two words\ntwo words\nanother", TrainingPlan(split="none")) == {"two words\n": 2, "another": 1}


def test_a_slow_pattern_an_empty_corpus_and_a_report_end_counting(tmp_path: Path) -> None:
    def cancel(progress: Progress) -> None:
        raise KeyboardInterrupt

    slow = TrainingPlan(split="own", pattern=r"(?:a|b|ab)+$|(?:ab|a|b)*d|\w")
    for text, plan, code in (
        ("aab " * 20 + ("ab" * 40 + "c\n") * 2_000, slow, "slow_pattern"),
        ("", PLAN, "empty"),
        ("\ufeff", PLAN, "empty"),
    ):
        with pytest.raises((TrainingError, CorpusError)) as error:
            count_words([stored(tmp_path, text.encode())], plan, silent)
        assert error.value.code == code
    with pytest.raises(KeyboardInterrupt):
        count_words([stored(tmp_path, b"text")], PLAN, cancel)


@given(st.text("ab \n。", max_size=400), st.integers(1, 50), st.integers(0, 10**14))
def test_what_is_held_out_is_little_but_enough(text: str, most: int, expected: int) -> None:
    kept, held_out = hold_out(text, most)
    assert kept + held_out == text
    assert len(held_out) <= min(most, len(text) // 20)
    rule = HoldOut.of(expected)
    assert (expected // corpus.CHUNK + 1) // rule.every * rule.most <= HELD_OUT * 1.01
    assert rule.most >= 100 or expected < 10**9
