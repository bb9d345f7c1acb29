"""Two small vocabularies trained on the page's own translations: with plain BPE, and for parity between languages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from flask_babel import lazy_gettext as _l

from webapp.core import recipes
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, parity_bpe
from webapp.core.trainers.word_counts import merged
from webapp.tokenization.algorithms import Text
from webapp.tokenization.parallel_article import passages

SIZE = 750  # pieces
TITLES: Mapping[str, Text] = {
    "passages-bpe": _l("BPE trained on these translations"),
    "passages-parity": _l("Parity-aware BPE trained on these translations"),
}
"""The names of both, in addresses, and their titles."""


@cache
def tokenizers() -> Mapping[str, Tokenizer]:
    """Both tokenizers, trained in a quarter of a second when they are first needed.

    The translations are the training texts and, because they say the same, also the development texts.
    """
    counts = {passage.key: recipes.BYTE_BPE.count(passage.text) for passage in passages() if passage.comparable}
    plain = bpe.train_bytes(merged(*counts.values()), SIZE)
    fair = parity_bpe.train_bytes(counts, SIZE, dev=counts)
    names = iter(TITLES)
    return {next(names): recipes.BYTE_BPE.tokenizer(trained.model) for trained in (plain, fair)}
