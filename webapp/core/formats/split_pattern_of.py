"""The split pattern of a byte-level tokenizer, for formats that hold one pattern."""

from __future__ import annotations

from webapp.core.formats.fields import FormatError
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, PreTokenizerSequence, Split
from webapp.core.text.split_patterns import GPT2, SplitPattern
from webapp.core.tokenizer import Tokenizer

WHOLE = r"[\s\S]+"
"""Matches a whole text: the pattern of a tokenizer without pre-tokenizer."""


def split_pattern_of(tokenizer: Tokenizer) -> str | None:
    """Return the pattern whose matches are the pre-tokens of a tokenizer; None if it does not split.

    >>> from webapp.core.models.bpe import BPE
    >>> model = BPE([bytes([byte]) for byte in range(256)], [], byte_level=True)
    >>> split_pattern_of(Tokenizer(model, pretokenizer=ByteLevel())) == GPT2, split_pattern_of(Tokenizer(model))
    (True, None)

    Raises FormatError for a pre-tokenizer that one pattern cannot express.
    """
    return _pattern(tokenizer.pretokenizer)


def _pattern(pretokenizer: PreTokenizer | None) -> str | None:
    match pretokenizer:
        case None | ByteLevel(add_prefix_space=False, use_regex=False):
            return None
        case ByteLevel(add_prefix_space=False):
            return GPT2
        case Split(behavior="removed", invert=True):
            return pretokenizer.pattern
        case Split(behavior="isolated"):
            pattern = pretokenizer.pattern
            if SplitPattern(pattern).covers:
                return pattern
            # The text between matches is a pre-token, too.
            return rf"{pattern}|(?:(?!{pattern})[\s\S])+"
        case (
            PreTokenizerSequence(pretokenizers=(one,))
            | PreTokenizerSequence(pretokenizers=(one, ByteLevel(add_prefix_space=False, use_regex=False)))
        ):
            return _pattern(one)
    raise FormatError("one split pattern cannot express the pre-tokenizer of this vocabulary")
