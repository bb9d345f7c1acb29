"""Special tokens that a text contains as plain text, for a hint that they can be recognized."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass, replace

from webapp.core.encoding import Encoding
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.encoding import ids_of
from webapp.tokenization.state import State
from webapp.tokenization.token_messages import is_of_a_chat, special_purpose

LONGEST = 100_000  # characters of a text that is searched
MOST = 3  # hints

# What special tokens look like: `<|im_start|>`, `<s>`, `</s>`, `<bos>`, `[CLS]`, `<｜begin▁of▁sentence｜>`. The bound
# keeps the search linear.
_SHAPE = re.compile(r"<[^\s<>]{1,60}>|\[[A-Za-z_0-9]{2,30}\]")
_CONTROL = re.compile(r"<[|｜][^\s|｜]+[|｜]>")


@dataclass(frozen=True)
class SpecialTokenHint:
    """A special token, or what looks like one, that was read as plain text.

    `known` says whether it is a special token of the vocabulary. `tokens` is the number of tokens that its first
    occurrence is part of; as a special token it would be one. `total` and `total_special` count the tokens of the whole
    text as it is and with special tokens recognized; they are equal if the token is not known. `purpose` says what
    models use a token of this name for, empty if that is not known; `of_a_chat`, whether chat templates write it.
    """

    token: str
    times: int
    known: bool
    tokens: int
    total: int
    total_special: int
    purpose: str
    of_a_chat: bool


def special_hints(state: State, encoding: Encoding, tokenizer: Tokenizer) -> list[SpecialTokenHint]:
    """The special tokens of a vocabulary in a text that was read without them, in order, and others with `<|…|>`.

    Empty if special tokens were recognized, if the vocabulary has none, and for long texts. It takes no longer than
    encoding the text once more.
    """
    text = encoding.text
    if state.special or len(text) > LONGEST or not ("<" in text or "[" in text):
        return []
    names = tokenizer.special_tokens
    if not names or not replace(state, special=True).relevant().special:
        return []
    found = Counter(match[0] for match in _SHAPE.finditer(text))
    shown = [token for token in found if token in names or _CONTROL.fullmatch(token)][:MOST]
    total = len(encoding)
    recognized = len(ids_of(tokenizer, text, special=True, template=state.puts_around)) if shown else total
    return [
        SpecialTokenHint(
            token=token,
            times=found[token],
            known=token in names,
            tokens=_tokens_of(encoding, text.index(token), len(token)),
            total=total,
            total_special=recognized if token in names else total,
            purpose=special_purpose(token),
            of_a_chat=is_of_a_chat(token),
        )
        for token in shown
    ]


def _tokens_of(encoding: Encoding, start: int, length: int) -> int:
    """The number of tokens with characters of a span."""
    return bisect_left(encoding.starts, start + length) - bisect_right(encoding.ends, start)
