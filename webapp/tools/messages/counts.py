"""Counts the tokens of a rendered prompt by message: those of its content, and those that the template adds.

A token belongs to the span that its first character lies in. A token that reaches into the next span, for example a
line end of the template with the first letter of the content, is reported.

A vocabulary is often published without the special tokens of the chat models that use it: cl100k_base has no
`<|im_start|>`. Read as plain text, such a marker would be six tokens; in a chat model it is one, and here too.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.chat.messages import Conversation
from webapp.chat.render import Prompt
from webapp.chat.spans import Span
from webapp.chat.templates import ChatTemplate
from webapp.core.added_tokens import AddedToken
from webapp.core.encoding import Encoding, Placement
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.result import encode

MOST_LISTED = 20
"""The most injected markers that are listed; all are counted."""

MOST_MARKERS = 64
"""The most different markers that a prompt may add to a vocabulary."""

# `<|im_start|>` and `<｜User｜>`: the bound keeps the search linear.
CONTROL = re.compile(r"<([|｜])[^\s<>|｜]{1,60}\1>")
# Markers of published formats that have another shape.
_NAMED = re.compile(r"<start_of_turn>|<end_of_turn>|\[gMASK\]|<sop>")
# What looks like a marker, so that a message which contains what the template writes is noticed: `<|im_end|>`,
# `<<SYS>>`, `[/INST]`. The bounds keep the search linear.
_SHAPE = re.compile(r"<<?[^\s<>]{1,60}>>?|\[/?[A-Z_]{2,40}\]|\[gMASK\]")


@dataclass(frozen=True)
class MessageCount:
    """The tokens of one message: of its content, and of what the template puts around it."""

    content: int
    template: int

    @property
    def total(self) -> int:
        """All tokens of the message."""
        return self.content + self.template


@dataclass(frozen=True)
class Injected:
    """A marker of the template, or a special token, that the content of a message contains.

    `message` counts from 0, `offset` is in characters of the prompt. With `special`, the tokenizer reads it as a
    special token; without, the template writes the same text.
    """

    message: int
    offset: int
    text: str
    special: bool


@dataclass(frozen=True)
class CountedPrompt:
    """A rendered prompt with its tokens, counted by message.

    `reply` are the tokens of the reply prompt, `other` those of no message (begin, tools); `crossing` tokens begin in
    one span and end in another. `missing` are the markers of the template that the vocabulary has no token for; with
    `single`, each of them counts as one token, whose id the vocabulary does not have.
    """

    prompt: Prompt
    encoding: Encoding
    messages: Sequence[MessageCount]
    reply: int
    other: int
    crossing: int
    injected: Sequence[Injected]  # the first of them
    injected_count: int
    missing: Sequence[str]
    single: bool

    @property
    def content(self) -> int:
        """The tokens of the messages' contents."""
        return sum(one.content for one in self.messages)

    @property
    def template(self) -> int:
        """The tokens that the template adds, with the reply prompt."""
        return sum(one.template for one in self.messages) + self.reply + self.other

    @property
    def total(self) -> int:
        """All tokens of the prompt."""
        return self.content + self.template


def count_prompt(
    prompt: Prompt, conversation: Conversation, template: ChatTemplate, tokenizer: Tokenizer, *, single: bool = True
) -> CountedPrompt:
    """Tokenize a prompt with special tokens recognized, and count its tokens by message.

    With `single`, markers of the template that the vocabulary lacks are one token each, else plain text. Raises
    TextError for a text that the vocabulary's pipeline cannot process.
    """
    controls = dict.fromkeys(text for text, is_control in prompt.segments if is_control)
    missing = missing_markers(controls or markers_of(prompt, template), tokenizer)
    if single or controls:
        tokenizer = with_markers(tokenizer, missing)
    encoding = encode_segments(tokenizer, prompt) if controls else encode(tokenizer, prompt.text, special=True)
    return counted_prompt(prompt, encoding, len(conversation.messages), missing, single)


def encode_segments(tokenizer: Tokenizer, prompt: Prompt) -> Encoding:
    """Tokenize each segment of a prompt by itself, control tokens as their ids and texts as plain text."""
    ids: list[int] = []
    places: list[tuple[int, int]] = []
    special: set[int] = set()
    at = 0
    for text, is_control in prompt.segments:
        if is_control:
            special.add(len(ids))
            ids.append(tokenizer.special_tokens[text])
            places.append((at, at + len(text)))
        else:
            encoding = encode(tokenizer, text)
            ids += encoding.ids
            places += [(at + start, at + end) for start, end in zip(encoding.starts, encoding.ends, strict=True)]
        at += len(text)
    starts, ends = zip(*places, strict=True)
    return Encoding(
        prompt.text,
        ids,
        pieces=tokenizer.model.pieces,
        unknown_id=tokenizer.model.unknown_id,
        place=lambda: Placement(starts, ends, frozenset(special)),
        added={token.id: token for token in tokenizer.added_tokens},
    )


def counted_prompt(
    prompt: Prompt, encoding: Encoding, number_of_messages: int, missing: Sequence[str], single: bool
) -> CountedPrompt:
    """Count the tokens of a tokenized prompt."""
    spans = prompt.spans
    begins = [span.start for span in spans]
    content = [0] * number_of_messages
    template = [0] * number_of_messages
    reply = other = crossing = 0
    for start, end in zip(encoding.starts, encoding.ends, strict=True):
        span = spans[_span_at(begins, spans, start)]
        if span.message is None:
            reply += span.kind == "reply"
            other += span.kind != "reply"
        elif span.kind == "content":
            content[span.message] += 1
        else:
            template[span.message] += 1
        crossing += end > span.end
    injected, number = ([], 0) if prompt.segments else _injected(prompt, encoding)
    messages = [MessageCount(*pair) for pair in zip(content, template, strict=True)]
    return CountedPrompt(prompt, encoding, messages, reply, other, crossing, injected, number, missing, single)


def _span_at(begins: Sequence[int], spans: Sequence[Span], offset: int) -> int:
    """The index of the span with a character; empty spans have none."""
    index = max(0, bisect_right(begins, offset) - 1)
    while spans[index].end <= offset and index + 1 < len(spans):
        index += 1
    return index


def _injected(prompt: Prompt, encoding: Encoding) -> tuple[list[Injected], int]:
    """The first markers and special tokens in the contents of messages, and how many there are."""
    text, special = prompt.text, {encoding.starts[index]: encoding.ends[index] for index in encoding.special}
    contents = [span for span in prompt.spans if span.kind == "content" and span.message is not None]
    written = {
        match[0]
        for span in prompt.spans
        if span.kind != "content"
        for match in _SHAPE.finditer(text, span.start, span.end)
    }
    begins = [span.start for span in contents]
    places: dict[int, tuple[int, int]] = {}  # offset in the prompt → end, message
    for start, end in special.items():
        at = bisect_right(begins, start) - 1
        if at >= 0 and start < contents[at].end:
            places[start] = end, contents[at].message or 0
    for span in contents if written else ():
        for match in _SHAPE.finditer(text, span.start, span.end):
            if match[0] in written:
                places.setdefault(match.start(), (match.end(), span.message or 0))
    first = sorted(places)[:MOST_LISTED]
    return [Injected(places[at][1], at, text[at : places[at][0]], at in special) for at in first], len(places)


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
    added = [AddedToken(one, first + at) for at, one in enumerate(markers)]
    return tokenizer.changed(added_tokens=[*tokenizer.added_tokens, *added])


def _is_marker(value: object) -> bool:
    return isinstance(value, str) and 2 < len(value) <= 64 and value[0] + value[-1] in ("<>", "[]")
