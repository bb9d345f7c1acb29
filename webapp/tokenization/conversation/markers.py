"""The markers of a chat template that a vocabulary has no token for, and a tokenizer that has one for each.

A vocabulary is often published without the special tokens of the chat models that use it: cl100k_base has no
`<|im_start|>`. Read as plain text, such a marker would be six tokens; in a chat model it is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from webapp.chat.render import Prompt
from webapp.chat.templates import ChatTemplate
from webapp.core.added_tokens import AddedToken
from webapp.core.tokenizer import Tokenizer

MOST_MARKERS = 64
"""The most different markers that a prompt may add to a vocabulary."""

# `<|im_start|>` and `<｜User｜>`: the bound keeps the search linear.
CONTROL = re.compile(r"<([|｜])[^\s<>|｜]{1,60}\1>")
# Markers of published formats that have another shape.
_NAMED = re.compile(r"<start_of_turn>|<end_of_turn>|\[gMASK\]|<sop>")


def markers_of(prompt: Prompt, template: ChatTemplate) -> list[str]:
    """The markers that the template wrote into a prompt, in order: `<|…|>`, the values of its variables, and others."""
    variables = sorted({value for value in template.variables.values() if _is_marker(value)}, key=len, reverse=True)
    shapes = [CONTROL, _NAMED, *([re.compile("|".join(map(re.escape, variables)))] if variables else [])]
    found: dict[str, int] = {}
    for span in prompt.spans:
        if span.kind == "content":
            continue
        part = prompt.text[span.start : span.end]
        for shape in shapes:
            for match in shape.finditer(part):
                found.setdefault(match[0], span.start + match.start())
    return sorted(found, key=found.__getitem__)


def missing_markers(markers: Iterable[str], tokenizer: Tokenizer) -> list[str]:
    """Those of some markers that are no tokens of their own for a tokenizer; at most `MOST_MARKERS`.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> missing_markers(["[SEP]", "<|im_end|>"], WORDPIECE.tokenizer(WordPiece(["[UNK]", "[SEP]"]), {"[SEP]": 1}))
    ['<|im_end|>']
    """
    added = {token.content for token in tokenizer.added_tokens}
    known = (marker for marker in markers if marker not in added)
    return [marker for marker in known if len(tokenizer.ids(marker, special=True)) != 1][:MOST_MARKERS]


def with_markers(tokenizer: Tokenizer, markers: Sequence[str]) -> Tokenizer:
    """A tokenizer with special tokens for some markers; their ids follow those of the vocabulary.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(["[UNK]", "a"]))
    >>> with_markers(tokenizer, ["<|im_end|>"]).ids("a<|im_end|>", special=True)
    [1, 2]
    """
    if not markers:
        return tokenizer
    first = max([len(tokenizer.model.pieces), *(token.id + 1 for token in tokenizer.added_tokens)])
    return Tokenizer(
        tokenizer.model,
        normalizer=tokenizer.normalizer,
        pretokenizer=tokenizer.pretokenizer,
        decoder=tokenizer.decoder,
        added_tokens=[*tokenizer.added_tokens, *(AddedToken(one, first + at) for at, one in enumerate(markers))],
        postprocessor=tokenizer.postprocessor,
    )


def _is_marker(value: object) -> bool:
    return isinstance(value, str) and 2 < len(value) <= 64 and value[0] + value[-1] in ("<>", "[]")
