"""Which characters of a prompt are a message's content, which the template's, and for which message.

The prompt is rendered a second time with private characters around each content; where the prompt without them is
the same, they show where the contents are, however the template orders them. Where one message ends and the next
begins is seen in prompts of the first messages alone: what follows the last content there ends that message. Where
marks change the prompt, the contents are searched for in the prompts of the first messages.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Literal

from webapp.chat.messages import Conversation, Message
from webapp.core.text.alignment import equal_beginning

Part = Literal["content", "template", "reply"]
Piece = tuple[int, int | None, Part]  # of a prompt: its length, message and kind


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
    def messages(self) -> list[int | None]:
        """The message of each content."""
        return [span.message for span in self.contents]

    @property
    def tail(self) -> str:
        """What follows the last content."""
        return self.text[self.contents[-1].end :] if self.contents else self.text

    def gaps(self) -> list[str]:
        """The text before, between and after the contents."""
        edges = [0, *(at for span in self.contents for at in (span.start, span.end)), len(self.text)]
        return [self.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def unmarked(marked: str, base: int, contents: Sequence[tuple[int, str]]) -> Marked:
    """A marked prompt read: where a template cuts a content, one mark is gone, and the other shows where it was.

    `contents` has the number of the message of each text, of which one with parts has several.

    >>> unmarked("<" + chr(0xF0000) + "Hi" + chr(0xF0001) + ">", 0xF0000, [(0, "Hi")])
    Marked(text='<Hi>', contents=(Span(start=1, end=3, message=0, kind='content'),))
    """
    pieces: list[str] = []
    marks: list[tuple[int, int, bool]] = []  # place, number of the text, whether it is an end
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
    for at, (where, number, is_end) in enumerate(marks):
        message, content = contents[number]
        next_mark = marks[at + 1] if at + 1 < len(marks) else None
        if is_end:  # without its beginning, or that is followed by something else
            start, end = where - len(content[len(content) - _common_end(content, text[place:where]) :].lstrip()), where
        elif next_mark and next_mark[1:] == (number, True) and text[where : next_mark[0]] in content:
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


# The most prompts of first messages that are rendered to see where messages end.
MOST_ENDS = 40
_SYSTEM = ("system", "developer")


def renderings(conversation: Conversation, *, reply: bool) -> dict[str | int, dict[str, Any]]:
    """What to render with marks besides the prompt, by name, for `spans_of`.

    `whole`: without a reply. `toolless`: without tools. `three` and `two`: a message of the first role that is not the
    system's, another one, and the first again. A number: the messages up to it, as an example of where such messages
    end.
    """
    messages = conversation.messages
    plan: dict[str | int, dict[str, Any]] = {}
    if reply:
        plan["whole"] = {"tools": False, "reply": False}
    if conversation.tools:
        plan["toolless"] = {"tools": False, "reply": reply}
    role = _role(messages)
    other = "user" if role == "assistant" else "assistant"
    three = [{"role": name, "content": "x"} for name in (role, other, role)]
    plan["three"] = {"items": three, "tools": False, "reply": False}
    plan["two"] = {"items": three[:2], "tools": False, "reply": False}
    ends = {_end_of(messages, at): at for at in reversed(range(len(messages) - 1))}
    for at in sorted(ends.values())[:MOST_ENDS]:
        plan[at] = {"upto": at + 1, "tools": False, "reply": False}
    return plan


def _role(messages: Sequence[Message]) -> str:
    return next((message.role for message in messages if message.role not in _SYSTEM), "user")


def _header(three: Marked | None, two: Marked | None) -> str:
    """What begins the third of three messages, whose first two are also rendered alone; empty if that is not seen."""
    if three is None or two is None or len(three.contents) != 3 or len(two.contents) != 2:
        return ""
    gap = three.gaps()[2]
    return gap[common(two.tail, gap) :]


def _end_of(messages: Sequence[Message], at: int) -> tuple[object, ...]:
    """What messages have in common that end alike."""
    message = messages[at]
    if message.extra.keys() - {"name"} or not message.content.strip():
        return (at,)
    return message.role, messages[at + 1].role, at == 0


def spans_of(
    text: str, conversation: Conversation, lines: Sequence[Mapping[str, Any]], *, reply: bool, base: int
) -> tuple[tuple[Span, ...], bool]:
    """The spans of a prompt, and whether they are exact, from the further lines of a sandbox's answer.

    The spans cover the text without gaps. Lines that are missing or hold errors make them less exact only.
    """
    texts = [line["text"] if isinstance(line.get("text"), str) else None for line in lines]
    contents = [message.content for message in conversation.messages]
    pieces = [(at, text) for at, message in enumerate(conversation.messages) for text in message.texts]
    marks = lines[0].get("marks") if lines else ""
    if not marks or texts[0] is None:
        return _searched(text, contents, texts[1:], reply=reply), False
    found = {
        name: unmarked(marked, base, pieces if "items" not in render else [(at, "x") for at in range(3)])
        for (name, render), marked in zip(renderings(conversation, reply=reply).items(), texts[1:], strict=False)
        if marked is not None
    }
    whole = unmarked(texts[0], base, pieces)
    if whole.text != text:
        return _searched(text, contents, [], reply=reply), False
    return tuple(_Attribution(whole, conversation.messages, found, reply).spans()), True


class _Attribution:
    """Tells for the text between contents which message it belongs to."""

    def __init__(
        self, whole: Marked, messages: Sequence[Message], found: Mapping[str | int, Marked], reply: bool
    ) -> None:
        self.whole = whole
        self.messages = messages
        self.found = found
        self.reply = reply
        self.ends = {
            _end_of(messages, at): tail.tail
            for at, tail in found.items()
            if isinstance(at, int) and (not tail.contents or tail.contents[-1].message in self._before(at))
        }
        self.has_content = set(whole.messages)
        self.header = _header(found.get("three"), found.get("two"))

    def spans(self) -> list[Span]:
        gaps, contents = self.whole.gaps(), self.whole.contents
        blocks = self._tool_blocks(gaps)
        pieces: list[Piece] = []
        for number, gap in enumerate(gaps):
            before = contents[number - 1].message if number else None
            after = contents[number].message if number < len(contents) else None
            start, end = blocks.get(number, (len(gap), len(gap)))
            around = self._split(gap[:start] + gap[end:], before, after)
            pieces += [*_part(around, 0, start), (end - start, None, "template"), *_part(around, start, len(gap))]
            pieces += [(span.end - span.start, span.message, span.kind) for span in contents[number : number + 1]]
        ends = list(accumulate(length for length, _message, _kind in pieces))
        places = zip([0, *ends], ends, pieces, strict=False)
        return _merged([Span(start, end, message, kind) for start, end, (_, message, kind) in places])

    def _split(self, gap: str, before: int | None, after: int | None) -> list[Piece]:
        if after is None:
            return self._rest(gap, before)
        pieces: list[Piece] = []
        at = 0
        if before is None:
            at = self._beginning(gap)
            pieces.append((at, None, "template"))
        for message in self._ending_in(before, after):
            tail = self.ends.get(_end_of(self.messages, message))
            if tail is None and not (message == before and self._begins_with_role(after)):
                continue
            if tail is not None and before is None and len(tail) <= at:
                continue
            end = len(gap.removesuffix(self.header)) if tail is None else max(at, common(tail, gap))
            pieces.append((end - at, message, "template"))
            at = end
        pieces.append((len(gap) - at, after, "template"))
        return pieces

    def _rest(self, gap: str, before: int | None) -> list[Piece]:
        """What follows the last content, which may end with what asks for a reply."""
        last = len(self.messages) - 1
        end = len(gap)
        without = self.found.get("whole")
        if self.reply and without is not None:
            end = common(without.tail, gap) if without.messages == self.whole.messages else len(gap)
        pieces: list[Piece] = []
        at = 0
        for message in self._ending_in(before, last):
            tail = self.ends.get(_end_of(self.messages, message))
            if tail is not None:
                to = min(end, max(at, common(tail, gap)))
                pieces.append((to - at, message, "template"))
                at = to
        owner = last if last not in self.has_content else before
        return [*pieces, (end - at, owner, "template"), (len(gap) - end, None, "reply")]

    def _ending_in(self, before: int | None, after: int) -> list[int]:
        """The messages that end between two contents: the one before, and those that show no content after it."""
        first = -1 if before is None else before
        found = [] if before is None else [before]
        for message in range(first + 1, after if after > first else first + 1):
            if message in self.has_content:
                break
            found.append(message)
        return [message for message in found if message < len(self.messages) - 1]

    def _before(self, at: int) -> range:
        """The messages whose content may be the last one in a prompt up to a message: it, or those before without."""
        first = at
        while first > 0 and not self.messages[first].content.strip():
            first -= 1
        return range(first, at + 1)

    def _begins_with_role(self, message: int) -> bool:
        """Whether a message has the role whose beginning is `header`."""
        return bool(self.header) and self.messages[message].role == _role(self.messages)

    def _beginning(self, lead: str) -> int:
        """How much of what stands before the first content is of no message."""
        first = self.found["three"].gaps()[0] if self.header else ""
        begin = first.removesuffix(self.header)
        return len(begin) if begin != first and lead.startswith(begin) else 0

    def _tool_blocks(self, gaps: Sequence[str]) -> dict[int, tuple[int, int]]:
        """Where gaps have what they lack without tools, by the gap's number."""
        without = self.found.get("toolless")
        if without is None or without.messages != self.whole.messages:
            return {}
        blocks = {}
        for number, (gap, plain) in enumerate(zip(gaps, without.gaps(), strict=True)):
            if len(gap) > len(plain):
                start = common(plain, gap)
                length = len(gap) - len(plain)
                if gap.endswith(plain[start:]):
                    start = _token_start(gap, start, length)
                    blocks[number] = start, start + length
        return blocks


def _part(pieces: Sequence[Piece], first: int, last: int) -> Iterator[Piece]:
    """The part of some pieces from one place to another."""
    at = 0
    for length, message, kind in pieces:
        yield max(0, min(at + length, last) - max(at, first)), message, kind
        at += length


def _token_start(text: str, start: int, length: int) -> int:
    """Where an inserted piece of a text may begin instead, for it to begin with a token such as `<|system|>`.

    >>> _token_start("<s><a>1<a>2", 6, 4)
    3
    """
    first = start
    while first > 0 and text[first - 1] == text[first - 1 + length]:
        first -= 1
    return next((at for at in range(first, start) if text[at] in "<["), start)


def _searched(text: str, contents: Sequence[str], shorter: Sequence[str | None], *, reply: bool) -> tuple[Span, ...]:
    """The spans where marks are of no use: by the prompts of the first messages, and the contents' order."""
    ends: list[int | None] = [None] * len(contents)
    reached = 0
    for at, prompt in enumerate(shorter[: len(contents) - 1]):
        if prompt is not None and len(prompt) >= reached and text.startswith(prompt):
            ends[at] = reached = len(prompt)
    spans: list[Span] = []
    at = 0
    for message, content in enumerate(contents):
        until = next((end for end in ends[message:] if end is not None), len(text))
        for form in (content, content.strip()):
            place = text.find(form, at, until) if form else -1
            if place >= 0:
                spans += [
                    Span(at, place, message, "template"),
                    Span(place, place + len(form), message, "content"),
                ]
                at = place + len(form)
                break
        end = ends[message]
        if end is not None and end > at:
            spans.append(Span(at, end, message, "template"))
            at = end
    spans.append(Span(at, len(text), None if reply else len(contents) - 1, "template"))
    return tuple(_merged(spans))


def _merged(spans: Sequence[Span]) -> list[Span]:
    """The spans without empty ones, with neighbours of the same kind and message as one."""
    merged: list[Span] = []
    for span in spans:
        if span.start == span.end:
            continue
        last = merged[-1] if merged else None
        if last and (last.message, last.kind) == (span.message, span.kind) and span.kind != "content":
            merged[-1] = Span(last.start, span.end, span.message, span.kind)
        else:
            merged.append(span)
    assert all(one.end == other.start for one, other in pairwise(merged))
    return merged
