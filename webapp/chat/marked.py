"""Prompts with marks around contents: what the marks show, and where texts are alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.core.text.equal_beginning import equal_beginning

Part = Literal["content", "template", "reply"]


@dataclass(frozen=True)
class Span:
    """Characters of a prompt from `start` to `end`; `message` counts from 0, None is for what is of no message.

    `kind` is `content`, `template` for what the template adds, or `reply` for what asks for the next message.
    """

    start: int
    end: int
    message: int | None
    kind: Part


@dataclass(frozen=True)
class Marked:
    """A prompt that was rendered with marks: the text without them, and the contents in it in their order."""

    text: str
    contents: tuple[Span, ...]

    @property
    def tail(self) -> str:
        """What follows the last content."""
        return self.text[self.contents[-1].end :] if self.contents else self.text

    def gaps(self) -> list[str]:
        """The text before, between and after the contents."""
        edges = [0, *(at for span in self.contents for at in (span.start, span.end)), len(self.text)]
        return [self.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def unmarked(marked: str, base: int, contents: Sequence[str]) -> Marked:
    """A marked prompt read: where a template cuts a content, one mark is gone, and the other shows where it was.

    >>> unmarked("<" + chr(0xF0000) + "Hi" + chr(0xF0001) + ">", 0xF0000, ["Hi"])
    Marked(text='<Hi>', contents=(Span(start=1, end=3, message=0, kind='content'),))
    """
    pieces: list[str] = []
    marks: list[tuple[int, int, bool]] = []  # place, message, whether it is an end
    length, since = 0, 0
    for found in re.finditer(f"[{chr(base)}-{chr(base + 2 * len(contents) - 1)}]", marked):
        number = ord(found[0]) - base
        pieces.append(marked[since : found.start()])
        length += found.start() - since
        since = found.end()
        marks.append((length, number // 2, number % 2 == 1))
    pieces.append(marked[since:])
    text = "".join(pieces)
    spans: list[Span] = []
    place = 0  # the end of the last content
    for at, (where, message, is_end) in enumerate(marks):
        content = contents[message]
        next_mark = marks[at + 1] if at + 1 < len(marks) else None
        if is_end:  # without its beginning, or that is followed by something else
            start, end = where - len(content[len(content) - _common_end(content, text[place:where]) :].lstrip()), where
        elif next_mark and next_mark[1:] == (message, True) and text[where : next_mark[0]] in content:
            start, end = where, next_mark[0]
        else:
            most = next_mark[0] if next_mark else len(text)
            start, end = where, where + len(content[: equal_beginning(content, text[where:most])].rstrip())
        if start >= place and end > start:
            spans.append(Span(start, end, message, "content"))
            place = end
    return Marked(text, tuple(spans))


def common(one: str, other: str) -> int:
    """The length of the common beginning, without the beginning of a token such as `<|im_end|>` that is in one only.

    >>> common("<|end|><|user|>", "<|end|><|assistant|>"), common("</s>", "</s><s>")
    (7, 4)
    """
    length = equal_beginning(one, other)
    if length < min(len(one), len(other)):
        for opening, closing in ("<>", "[]"):
            opened = one.rfind(opening, 0, length)
            if opened > one.rfind(closing, 0, length):
                length = opened
    return length


def _common_end(one: str, other: str) -> int:
    return equal_beginning(one[::-1], other[::-1])
