"""The quality of trainings beside those of `tokenizers` and `sentencepiece`, on text that neither has seen."""

from io import BytesIO
from pathlib import Path

import pytest
import sentencepiece
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from webapp.core.formats.recognize import save
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.train import train

SIZE = 4_000


@pytest.fixture(scope="module")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> CorpusFile:
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text((shared / "corpora/en_holmes_and_others.txt").read_text()[:600_000])
    return CorpusFile(str(path), "corpus.txt")


@pytest.fixture(scope="module")
def unseen(shared: Path) -> str:
    return (shared / "texts/en_pride_and_prejudice.txt").read_text()[:200_000]


def trained(corpus: CorpusFile, plan: TrainingPlan) -> Tokenizer:
    return train(plan, count_words([corpus], plan, lambda _: None), lambda _: None).tokenizer


def test_byte_bpe(corpus: CorpusFile, unseen: str) -> None:
    theirs = tokenizers.Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    theirs.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=SIZE, initial_alphabet=alphabet, show_progress=False)
    theirs.train_from_iterator([Path(corpus.path).read_text()], trainer)
    ours = trained(corpus, TrainingPlan(trainer="bpe-bytes", size=SIZE))
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
    tokenizer = trained(corpus, TrainingPlan(trainer=trainer, size=SIZE))  # type: ignore[arg-type]
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
    ours = trained(corpus, TrainingPlan(trainer="wordpiece", size=SIZE))
    assert len(ours.ids(unseen)) <= expected * 1.03
