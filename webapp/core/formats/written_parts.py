"""Comparing a tokenizer's special tokens with those that a file without flags would give it.

The split pattern of a byte-level tokenizer, for formats that hold one pattern.
"""

from collections.abc import Mapping
from dataclasses import replace

from webapp.core.added_tokens import AddedToken
from webapp.core.formats.reading import FormatError
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, PreTokenizerSequence, Split
from webapp.core.text.split_patterns import GPT2, SplitPattern
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown


def check_special_tokens(tokenizer: Tokenizer, read_back: Mapping[str, int]) -> None:
    """Raise FormatError unless the added tokens of a tokenizer are the special tokens `read_back`, without flags.

    `read_back` maps the special tokens that a reader of the written file finds to their ids.
    """
    for token in tokenizer.added_tokens:
        if read_back.get(token.content) != token.id:
            raise FormatError("the file cannot hold the added token %(token)s", token=shown(token.content))
        # Without a normalizer it makes no difference whether a token is matched before or after it.
        normalized = token.normalized and tokenizer.normalizer is None
        if replace(token, declared_id=None) != AddedToken(token.content, token.id, normalized=normalized):
            raise FormatError("the file cannot hold the flags of the added token %(token)s", token=shown(token.content))
    known = {token.content for token in tokenizer.added_tokens}
    for content in read_back:
        if content not in known:
            raise FormatError("the piece %(piece)s would be read as a special token", piece=shown(content))


def compiled_map(rules: CharacterMap) -> bytes:
    """Return a character map as its file had it: the size of the trie, the trie, the replacements; empty for no rules.

    Raises FormatError for one that no file had.
    """
    if rules.units:
        units = rules.units.tobytes()
        return len(units).to_bytes(4, "little") + units + rules.texts
    if rules.rules:
        raise FormatError("the character map has no compiled form")
    return b""


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
