"""The sentences of `/vocabularies/expand`, in the visitor's language."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.core.expansion import BaseKind, Reason


def rule_of(kind: BaseKind) -> str:
    """How new pieces stand among those of a base."""
    return {
        "merges": _(
            "The base merges by a list of merges: each new piece gets a merge after all others, of the two parts that "
            "the base and earlier new pieces leave of it."
        ),
        "ranks": _(
            "The base merges by rank: new pieces rank after all others, so the base’s own merges always come first."
        ),
        "scores": _(
            "The base merges by score: new pieces get scores below the base’s lowest, in their order, so the base’s "
            "own merges always come first."
        ),
        "wordpiece": _(
            "The base takes the longest piece: new pieces are added as they are, with ## where they continue a word, "
            "and single characters with ## where a known word would become unknown."
        ),
        "unigram": _(
            "The base takes the most probable pieces: log probabilities of the addition are shifted by the median "
            "difference of the pieces that both have, and each new piece is at least twice as probable as the best "
            "segmentation of its text so far."
        ),
    }[kind]


def reason_names() -> dict[Reason, str]:
    """Why candidates were refused."""
    return {
        "split": _("The base’s pre-tokenizer always cuts them, so no text would be encoded to them."),
        "normalized": _("The base’s normalizer changes them, so no text would be encoded to them."),
        "unreachable": _("The base’s merges leave them in more than two parts."),
        "part": _("They are parts of characters, and the base has whole characters."),
        "space": _("The base has no pieces for white space."),
        "invalid": _("They contain characters that a vocabulary file cannot hold."),
        "long": _("They are longer than 100 characters."),
        "limit": _("The expansion already has as many new pieces as this page adds."),
    }


def passage_names() -> dict[str, str]:
    """The name of each measured text."""
    return {
        "own": _("Your text"),
        "simplified": _("Chinese, simplified"),
        "traditional": _("Chinese, traditional"),
        "english": _("English"),
        "code": _("Code"),
    }


def file_notes() -> dict[str, str]:
    """Which library reads a file."""
    return {
        "tokenizer.json": _("For the tokenizers library and transformers."),
        "tokenizer.model": _("For the sentencepiece library: the base’s model with the new pieces appended."),
        "ranks.tiktoken": _("For tiktoken, which is given the split pattern and the special tokens in code."),
        "tokens_and_scores.json": _("Tokens and scores in the format of the base."),
        "old_ids.json": _("For each new piece in order, the ids that the base has for it: to initialize embeddings."),
    }
