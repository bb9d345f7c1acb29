"""Training and what a survey foretells of it, and the vocabularies of the original libraries."""

from __future__ import annotations

import gzip
import json
import time
from io import BytesIO
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest
import sentencepiece
import tokenizers
import zstandard
from tokenizers import decoders, models, pre_tokenizers, trainers

from webapp.core.formats.recognize import load, save
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.corpus import CorpusError, CorpusFile, check_size
from webapp.core.training.counting import CountedCorpus, count_words
from webapp.core.training.plan import SUBWORD_TRAINERS, Progress, TrainingPlan
from webapp.core.training.survey import CorpusFacts, survey
from webapp.core.training.train import TrainedTokenizer, TrainingError, train

SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in ("a", "e", "i", "o", "u", "en", "ar")]


def text_of(words: int) -> str:
    """Return lines of invented words, few of them frequent and many rare, with numbers, marks and Chinese."""
    random = Random(7)
    known = ["".join(random.choices(SYLLABLES, k=random.randrange(1, 5))) for _ in range(2_000)]
    marks = ["", ",", ".\n", "研究生命", *map(str, range(10, 99))]
    return "".join(f"{known[int(2_000 * random.random() ** 3)]}{random.choice(marks)} " for _ in range(words))


TEXT = text_of(5_000)


def counted(text: str, plan: TrainingPlan, folder: Path) -> CountedCorpus:
    """Count a text."""
    (folder / "0").write_text(text)
    return count_words([CorpusFile(str(folder / "0"), "0")], plan, lambda progress: None)


def trained(plan: TrainingPlan, folder: Path, text: str = TEXT) -> tuple[TrainedTokenizer, list[Progress]]:
    seen: list[Progress] = []
    return train(plan, counted(text, plan, folder), seen.append), seen


PLANS = {
    **{trainer: TrainingPlan(trainer=trainer, size=600) for trainer in SUBWORD_TRAINERS},
    "wordpiece": TrainingPlan(trainer="wordpiece", size=600),
    "unigram from bpe": TrainingPlan(trainer="unigram", seeds="bpe", size=600),
    "superbpe": TrainingPlan(variant="superbpe", size=600),
    "unigram, o200k, lower case": TrainingPlan(
        trainer="unigram", split="o200k", normalization="nfkc-lowercase", size=600
    ),
    "wordpiece, lower case": TrainingPlan(trainer="wordpiece", split="whitespace", normalization="lowercase", size=600),
    "own pattern": TrainingPlan(trainer="bpe-bytes", split="own", pattern=r" ?\p{L}+|\d|[^\p{L}\d]", size=600),
}


def test_the_longest_piece_of_bpe_may_have_a_mark_beside_it(tmp_path: Path) -> None:
    plan = TrainingPlan(
        trainer="bpe-sentencepiece", split="none", coverage=1, longest_piece=2, minimum_count=2, size=600
    )
    text = "他说，我们是好学生。\n她说，我们也是好学生。\n" * 30
    longer = {piece for piece in trained(plan, tmp_path, text)[0].tokenizer.model.pieces if 2 < len(piece) < 5}
    assert "学生。" in longer
    assert all(len(piece) == 3 and sum(map(str.isalnum, piece)) <= 2 for piece in longer)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_every_training(plan: TrainingPlan, tmp_path: Path) -> None:
    result, seen = trained(plan, tmp_path)
    assert result.pieces == plan.size
    assert result.characters_per_token is not None
    text = counted(TEXT, plan, tmp_path).held_out
    assert result.characters_per_token == len(text) / len(result.tokenizer.ids(text))

    assert [progress.stage for progress in seen] == ["train"] * len(seen)
    assert seen[-1].curve == result.curve
    sizes = [size for size, _ in result.curve]
    assert sizes == sorted(set(sizes))
    assert plan.size in sizes
    final = dict(result.curve)[plan.size]
    # Measured with fewer means than the tokenizer has, yet it is the same figure.
    assert final == pytest.approx(result.characters_per_token, rel=0.02)

    stored = load(save(result.tokenizer))
    line = TEXT[:80] + "  unseen ♥ text"
    assert stored.ids(line) == result.tokenizer.ids(line)
    again, _ = trained(plan, tmp_path)
    assert save(again.tokenizer) == save(result.tokenizer)


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
def test_special_tokens(trainer: Any, tmp_path: Path) -> None:
    plan = TrainingPlan(trainer=trainer, size=450, special_tokens=("<|user|>", "[MASK]"))
    result, _ = trained(plan, tmp_path)
    assert result.pieces == 450
    ids = result.tokenizer.special_tokens
    assert set(plan.special_tokens) <= ids.keys()
    encoded = result.tokenizer.ids("da <|user|>[MASK]", special=True)
    assert encoded[-2:] == [ids["<|user|>"], ids["[MASK]"]]
    assert ids["<|user|>"] not in result.tokenizer.ids("da <|user|>[MASK]")


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
def test_a_corpus_that_is_too_small(trainer: Any, tmp_path: Path) -> None:
    plan = TrainingPlan(trainer=trainer, size=3_000)
    with pytest.raises(TrainingError) as error:
        trained(plan, tmp_path, TEXT[:6_000])
    assert error.value.code == "too_small"
    possible = error.value.details["possible"]
    assert isinstance(possible, int)
    smaller, _ = trained(TrainingPlan(trainer=trainer, size=max(possible, 300)), tmp_path, TEXT[:6_000])
    assert smaller.pieces == possible


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
def test_an_alphabet_that_is_too_large(trainer: Any, tmp_path: Path) -> None:
    special_tokens = tuple(f"<{n}>" for n in range(60))
    characters = "".join(map(chr, range(0x4E00, 0x4E00 + 400)))
    plan = TrainingPlan(trainer=trainer, size=300, special_tokens=special_tokens, coverage=1.0)
    with pytest.raises(TrainingError) as error:
        trained(plan, tmp_path, f"{characters}\n" * 30)
    assert error.value.code == "alphabet"
    needed = error.value.details["needed"]
    assert isinstance(needed, int)
    enough, _ = trained(TrainingPlan(**{**vars(plan), "size": needed}), tmp_path, f"{characters}\n" * 30)
    assert enough.pieces == needed


def test_superbpe_crosses_spaces_from_the_transition_on(tmp_path: Path) -> None:
    text = "It was one of the best, and one of the worst. " * 500 + TEXT

    def across(transition: float) -> list[int]:
        plan = TrainingPlan(size=330, variant="superbpe", transition=transition)
        pieces = trained(plan, tmp_path, text)[0].tokenizer.model.pieces
        return [id for id, piece in enumerate(pieces) if b" " in bytes(piece)[1:]]  # type: ignore[arg-type]

    assert across(1.0) == []
    assert min(across(0.9)) >= 297


def test_a_minimum_count_of_ones_own_may_end_training_early(tmp_path: Path) -> None:
    often, _ = trained(TrainingPlan(size=3_000, minimum_count=200), tmp_path)
    assert 256 < often.pieces < 3_000


@pytest.mark.parametrize("trainer", ["unigram", "bpe-sentencepiece"])
def test_text_without_spaces_begins_with_a_known_mark(trainer: Any, tmp_path: Path) -> None:
    text = "研究生命起源。生命的起源是什么？\n" * 300
    result, _ = trained(TrainingPlan(trainer=trainer, size=300, minimum_count=2), tmp_path, text)
    tokenizer = result.tokenizer
    assert tokenizer.model.unknown_id not in tokenizer.ids("研究 生命")
    assert tokenizer.decode(tokenizer.ids("研究 生命")) == "研究 生命"


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
@pytest.mark.parametrize("text", ["a" * 1_000_000, "研究生命起源是什么" * 40_000], ids=["one letter", "no spaces"])
def test_text_without_spaces_takes_seconds(trainer: Any, text: str, tmp_path: Path) -> None:
    began = process_time()
    trained(TrainingPlan(trainer=trainer, size=300, minimum_count=2), tmp_path, text)
    assert process_time() - began < 10


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


SIZE = 4_000


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> CorpusFile:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text((shared / "corpora/en_holmes_and_others.txt").read_text()[:600_000])
    return CorpusFile(str(path), "corpus.txt")


@pytest.fixture(scope="module")
def unseen(shared: Path) -> str:
    return (shared / "texts/en_pride_and_prejudice.txt").read_text()[:200_000]


def trained_against_originals(corpus: CorpusFile, plan: TrainingPlan) -> Tokenizer:
    return train(plan, count_words([corpus], plan, lambda _: None), lambda _: None).tokenizer


def test_byte_bpe(corpus: CorpusFile, unseen: str) -> None:
    theirs = tokenizers.Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)
    theirs.train_from_iterator([Path(corpus.path).read_text()], trainer)
    ours = trained_against_originals(corpus, TrainingPlan(trainer="bpe-bytes", size=SIZE))
    assert len(ours.ids(unseen)) == pytest.approx(len(theirs.encode(unseen).ids), rel=0.005)


@pytest.mark.parametrize(("algorithm", "more"), [("bpe", 1.01), ("unigram", 1.05)])
def test_sentencepiece(algorithm: str, more: float, corpus: CorpusFile, unseen: str) -> None:
    model = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(Path(corpus.path).read_text().splitlines()),
        model_writer=model,
        model_type=algorithm,
        vocab_size=SIZE,
        byte_fallback=algorithm == "bpe",
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    trainer = "bpe-sentencepiece" if algorithm == "bpe" else "unigram"
    tokenizer = trained_against_originals(corpus, TrainingPlan(trainer=trainer, size=SIZE))  # type: ignore[arg-type]
    ours = sentencepiece.SentencePieceProcessor(model_proto=save(tokenizer))
    lines = unseen.splitlines()
    assert [tokenizer.ids(line) for line in lines] == ours.encode(lines)
    assert sum(map(len, ours.encode(lines))) <= sum(map(len, theirs.encode(lines))) * more


def test_wordpiece_by_score_is_as_good_as_by_count(corpus: CorpusFile, unseen: str) -> None:
    """`tokenizers` merges the most frequent pair for WordPiece, too."""
    theirs = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=SIZE, special_tokens=["[UNK]"], show_progress=False)
    theirs.train_from_iterator([Path(corpus.path).read_text()], trainer)
    expected = len(theirs.encode(unseen).ids)
    ours = trained_against_originals(corpus, TrainingPlan(trainer="wordpiece", size=SIZE))
    assert len(ours.ids(unseen)) <= expected * 1.03
