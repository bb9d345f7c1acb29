import gzip
import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard

from webapp.core.training.corpus import CorpusError, CorpusFile, check_size
from webapp.core.training.counting import count_words
from webapp.core.training.plan import SUBWORD_TRAINERS, TrainingPlan
from webapp.core.training.survey import CorpusFacts, survey
from webapp.core.training.train import TrainingError, train

PLAN = TrainingPlan()
ENGLISH = "".join(f"It was line {n} of many words, and no word{n} came twice.\n" for n in range(20_000))
CHINESE = "研究生命起源是什么。\n" * 20_000


def written(folder: Path, **texts: str) -> list[CorpusFile]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [CorpusFile(str(folder / name), name) for name in texts]


def test_a_small_corpus_is_read_whole(tmp_path: Path) -> None:
    facts = survey(written(tmp_path, a=ENGLISH[:10_000], b=CHINESE[:5_000]), PLAN)
    assert not facts.sampled
    assert (facts.bytes, facts.characters) == (10_000 + len(CHINESE[:5_000].encode()), 15_000)
    assert [name for name, _ in facts.scripts] == ["Latin", "Han"]
    assert sum(share for _, share in facts.scripts) == pytest.approx(1)
    assert CorpusFacts.from_json(json.loads(json.dumps(facts.as_json()))) == facts


@pytest.mark.parametrize("format", ["text", "jsonl"])
def test_a_large_corpus_is_sampled(tmp_path: Path, format: str) -> None:
    files = written(tmp_path, a=ENGLISH, b=CHINESE)
    whole = survey(files, PLAN)
    if format == "jsonl":
        for name, text in {"a": ENGLISH, "b": CHINESE}.items():
            lines = (json.dumps({"text": line}, ensure_ascii=False) for line in text.splitlines())
            (tmp_path / name).write_text("\n".join(lines) + "\n")
        files = [CorpusFile(file.path, file.name, format="jsonl") for file in files]
    facts = survey(files, PLAN, sample_bytes=100_000)
    assert facts.sampled
    for name in ("bytes", "characters", "words"):
        assert getattr(facts, name) == pytest.approx(getattr(whole, name), rel=0.05)
    assert facts.distinct_words == pytest.approx(whole.distinct_words, rel=0.2)
    assert dict(facts.scripts)["Han"] == pytest.approx(dict(whole.scripts)["Han"], abs=0.03)


def test_of_a_compressed_file_the_beginning_is_read(tmp_path: Path) -> None:
    random = Random(3)
    text = "".join(f"{random.random()} and {random.random()}\n" for _ in range(200_000))
    (tmp_path / "a").write_bytes(gzip.compress(text.encode(), 1))
    facts = survey([CorpusFile(str(tmp_path / "a"), "a", compression="gzip")], PLAN, sample_bytes=100_000)
    assert facts.sampled
    assert facts.bytes == pytest.approx(len(text), rel=0.3)


def test_of_a_file_that_is_read_at_once_only_the_share_is_decompressed(tmp_path: Path) -> None:
    """zstd reads 131,075 bytes at once: a whole file, whatever it becomes."""
    line = b"low lower lowest\n" * 60_000
    packer = zstandard.ZstdCompressor().compressobj()
    packed = b"".join([*(packer.compress(line) for _ in range(600)), packer.flush()])
    assert len(packed) < 131_075
    (tmp_path / "a").write_bytes(packed)
    files = [CorpusFile(str(tmp_path / "a"), "a", compression="zstd")] * 4
    began = time.process_time()
    facts = survey(files, PLAN)
    assert facts.sampled
    assert facts.bytes < 50_000_000  # what was read, of 2.4 GB
    with pytest.raises(CorpusError) as error:
        check_size(files, 200_000_000)
    assert (error.value.code, error.value.details) == ("too_large", {"limit": 200_000_000})
    assert time.process_time() - began < 5


@pytest.mark.parametrize("member", [b"", b"a"])
def test_members_of_next_to_nothing_are_refused(tmp_path: Path, member: bytes) -> None:
    (tmp_path / "a").write_bytes(gzip.compress(member, mtime=0) * 500_000)
    files = [CorpusFile(str(tmp_path / "a"), "a", compression="gzip")]
    for look in (lambda: survey(files, PLAN), lambda: check_size(files, 200_000_000)):
        began = time.process_time()
        with pytest.raises(CorpusError) as error:
            look()
        assert error.value.code == "damaged"
        assert time.process_time() - began < 1.5


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
def test_so_many_pieces_are_possible(tmp_path: Path, trainer: Any) -> None:
    plan = TrainingPlan(trainer=trainer, size=20_000, coverage=1.0)
    files = written(tmp_path, a=ENGLISH[:30_000])
    counted = count_words(files, plan, lambda _: None)
    with pytest.raises(TrainingError) as error:
        train(plan, counted, lambda _: None)
    possible = error.value.details["possible"]
    assert isinstance(possible, int)
    # The survey sees what training holds out, too.
    assert survey(files, plan).possible_pieces == pytest.approx(possible, rel=0.1)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for content, code in ((b"", "empty"), (b"\xff", "not_utf8"), (b"a" * 500_000 + b"\xff" * 500_000, "not_utf8")):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(CorpusError) as error:
            survey([CorpusFile(str(tmp_path / "a"), "a")], PLAN, sample_bytes=100_000)
        assert error.value.code == code
    with pytest.raises(CorpusError) as error:
        survey([CorpusFile(str(tmp_path / "none"), "none")], PLAN)
    assert error.value.code == "unreadable"
