"""Train a tokenizer on a text, with an algorithm's trainer and its pipeline from `recipes`.

Each function imports its trainer, which needs NumPy: the rest of the core does not.
"""

from collections.abc import Sequence

from webapp.core import recipes
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.ties import FIRST_SEEN, TieRule


def train_bpe(
    text: str,
    size: int | None = None,
    *,
    merges: int | None = None,
    byte_level: bool = True,
    special_tokens: Sequence[str] = (),
    ties: TieRule = FIRST_SEEN,
) -> Tokenizer:
    """Return a BPE tokenizer trained on `text`, with `size` pieces in all or with `merges` merges.

    It works over bytes as in GPT-2, or with `byte_level=False` over characters with `</w>` at the end of a word, as in
    Sennrich et al. Without `size` and `merges`, training continues until no pair is left. `ties` is the rule for pairs
    that occur equally often, see `webapp.core.trainers.ties`.

    >>> tokenizer = train_bpe("low low low lower lowest", merges=3, byte_level=False)
    >>> [token.piece for token in tokenizer.encode("low lowest")]
    ['low</w>', 'low', 'e', 's', 't</w>']

    Raises ValueError for a size that cannot hold the alphabet and the special tokens.
    """
    from webapp.core.trainers import bpe

    if byte_level:
        counts = recipes.BYTE_BPE.count(text)
        trained = bpe.train_bytes(counts, size, special_tokens, merges_at_most=merges, ties=ties)
        return recipes.BYTE_BPE.tokenizer(trained.model, trained.special_tokens)
    counts = recipes.CHARACTER_BPE.count(text)
    letters = bpe.train_characters(counts, size, merges_at_most=merges, special_tokens=special_tokens, ties=ties)
    return recipes.CHARACTER_BPE.tokenizer(letters.model, letters.special_tokens)


def train_wordpiece(
    text: str,
    size: int | None = None,
    *,
    merges: int | None = None,
    lowercase: bool = False,
    minimum_pair_frequency: int = 2,
    special_tokens: Sequence[str] = ("[UNK]",),
) -> Tokenizer:
    """Return a WordPiece tokenizer trained on `text`, with `size` pieces in all or with `merges` merges.

    Only pairs that occur at least `minimum_pair_frequency` times are merged: with 1, a pair of two rare symbols wins
    every round. `special_tokens` must name `[UNK]`.

    >>> tokenizer = train_wordpiece("hug hugs hug pug pun bun", merges=3)
    >>> [token.piece for token in tokenizer.encode("hugs pug")]
    ['hug', '##s', 'pu', '##g']

    Raises ValueError for a size that cannot hold the alphabet and the special tokens.
    """
    recipe = recipes.wordpiece(lowercase)
    from webapp.core.trainers import wordpiece

    trained = wordpiece.train(
        recipe.count(text),
        size,
        merges_at_most=merges,
        special_tokens=special_tokens,
        minimum_pair_frequency=minimum_pair_frequency,
    )
    return recipe.tokenizer(trained.model, trained.special_tokens)


def train_unigram(text: str, size: int, *, special_tokens: Sequence[str] = ("<unk>",)) -> Tokenizer:
    """Return a Unigram tokenizer trained on `text`, with `size` pieces in all.

    `special_tokens` must name `<unk>`.

    >>> tokenizer = train_unigram("hug hugs hug pug pun bun", 16)
    >>> [token.piece for token in tokenizer.encode("hugs pug")]
    ['▁hug', 's', '▁pu', 'g']

    Raises ValueError for a size that cannot hold the alphabet and the special tokens.
    """
    from webapp.core.trainers import unigram

    trained = unigram.train(recipes.UNIGRAM.count(text), size, special_tokens=special_tokens, compact=True)
    return recipes.UNIGRAM.tokenizer(trained.model, trained.special_tokens)
