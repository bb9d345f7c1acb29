"""The fast trainer of parity-aware BPE produces the same merges as the reference."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference import parity_bpe as reference
from webapp.core.trainers import bpe, parity_bpe

counts = st.dictionaries(st.text("abcé", max_size=10), st.integers(1, 5), max_size=6)
languages = st.dictionaries(st.sampled_from(["en", "de", "zh"]), st.tuples(counts, counts), min_size=1)


@given(languages, st.booleans(), st.integers(0, 20))
def test_training_equals_the_reference(
    texts: dict[str, tuple[dict[str, int], dict[str, int]]], has_dev: bool, number: int
) -> None:
    corpora = {language: corpus for language, (corpus, _) in texts.items()}
    dev = {language: text for language, (_, text) in texts.items()} if has_dev else None
    found = [(language, merge.left, merge.right) for language, merge in parity_bpe.merges(corpora, dev)]
    assert found == reference.train(corpora, dev, 10_000)
    trained = parity_bpe.train_bytes(corpora, 256 + number, dev=dev)
    assert len(trained.model.pieces) <= 256 + number
    found = found[: len(trained.merges)]
    assert found == [
        (language, merge.left, merge.right) for language, merge in zip(trained.languages, trained.merges, strict=True)
    ]


def test_training_on_long_words_equals_the_reference() -> None:
    random = Random(5)

    def words(letters: str) -> dict[str, int]:
        return {"".join(random.choices(letters, k=random.randrange(1, 30))): random.randrange(1, 9) for _ in range(40)}

    corpora = {"en": words("abcdef"), "ru": words("абвгд")}
    dev = {language: dict(list(words.items())[:10]) for language, words in corpora.items()}
    found = [(language, merge.left, merge.right) for language, merge in parity_bpe.merges(corpora, dev)]
    assert found[:200] == reference.train(corpora, dev, 200)


@given(counts)
def test_with_one_language_it_is_plain_bpe(words: dict[str, int]) -> None:
    found = [merge for _, merge in parity_bpe.merges({"en": words})]
    assert found == list(bpe.merges(words, form="bytes"))


def test_a_language_with_little_text_is_compressed_as_well_as_the_others() -> None:
    english = {"the": 900, "than": 500, "there": 400, "other": 300}
    russian = {"что": 9, "чтобы": 5, "этот": 4, "этого": 3}
    corpora = {"en": english, "ru": russian}
    dev = {language: dict.fromkeys(words, 1) for language, words in corpora.items()}

    def tokens(trained: bpe.TrainedBPE[bytes], language: str) -> int:
        return sum(len(trained.model.ids(word)) for word in corpora[language])

    fair = parity_bpe.train_bytes(corpora, 270, dev=dev)
    plain = bpe.train_bytes(english | russian, 270)
    assert abs(tokens(fair, "en") - tokens(fair, "ru")) <= 2
    assert tokens(plain, "ru") >= 3 * tokens(plain, "en")


def test_impossible_choices_are_refused() -> None:
    with pytest.raises(ValueError, match="256 bytes"):
        parity_bpe.train_bytes({"en": {"ab": 1}}, 256, ["<s>"])
    with pytest.raises(ValueError, match="other languages"):
        parity_bpe.train_bytes({"en": {"ab": 1}}, 300, dev={"de": {"ab": 1}})
