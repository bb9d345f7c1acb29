"""Renders a conversation with a template in a sandbox, and says what of the prompt is whose.

"The prompt as rendered": equal to `apply_chat_template(tokenize=False)` of transformers, whose environment it builds.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

from webapp.chat.inspection import inspected
from webapp.chat.messages import Conversation
from webapp.chat.sandbox import RENDERER
from webapp.chat.spans import Span, renderings, spans_of
from webapp.chat.templates import ChatTemplate, TemplateSourceError, check_source
from webapp.core.vocabulary_error import Phrase

Kind = Literal["syntax", "runtime", "raised", "time", "memory", "output", "forbidden"]


class TemplateError(Exception):
    """A template that could not be rendered: the line to blame if it is known, what is wrong, and its kind."""

    def __init__(self, line: int | None, message: Phrase, kind: Kind) -> None:
        """Create an error from its sentence."""
        super().__init__(f"line {line}: {message}" if line else str(message))
        self.line = line
        self.message = message
        self.kind: Kind = kind


@dataclass(frozen=True)
class Prompt:
    """A prompt as rendered.

    `spans` cover the text without gaps. `exact` says that the contents were found by marks that the template passed
    on; otherwise they were searched for. `dated` says that the template asked for the date, which was `date`.
    `segments` are the texts and the control tokens, which are marked, of prompts that are tokenized piecewise.
    """

    text: str
    spans: tuple[Span, ...]
    exact: bool
    dated: bool
    date: date
    segments: tuple[tuple[str, bool], ...] = ()


def render(
    template: ChatTemplate,
    conversation: Conversation,
    *,
    reply: bool,
    variables: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    join: bool = True,
) -> Prompt:
    """The prompt that a template makes of a conversation; with `reply`, it ends where the model is to go on.

    `variables` are given to the template besides its special tokens, which they may replace. The variable `date`
    (2026-11-22) is what the template takes for today, as `now` is. With `join`, a template that does not go through
    the parts of a content gets them as one text, as in vLLM; transformers gives it the list. Raises TemplateError.
    """
    given = dict(variables or {})
    today = _today(given.pop("date", None), now)
    given = {**template.variables, **given}
    try:
        json.dumps(given, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError):
        raise TemplateError(None, Phrase("a variable of the template cannot be written as JSON"), "runtime") from None
    source = template.source_for(tools=bool(conversation.tools))
    try:
        check_source(source)
    except TemplateSourceError as error:
        raise TemplateError(None, error.message, "syntax") from None
    if join and any(message.parts is not None for message in conversation.messages):
        conversation = conversation if inspected(source).takes_parts else conversation.joined()
    texts = sum(len(message.texts) for message in conversation.messages)
    request = {
        "source": source,
        "messages": [message.for_template(parse_arguments=False) for message in conversation.messages],
        "tools": [dict(tool) for tool in conversation.tools] or None,
        "reply": reply,
        "variables": given,
        "now": today.isoformat(),
        "base": (base := _base(source, conversation, given, 2 * texts + 20)),
        "marks": 2 * texts + 20,
        "extra": list(renderings(conversation, reply=reply).values()),
    }
    first, *others = RENDERER.answer(request)
    if "text" not in first and first.get("kind") == "runtime":
        # Chat APIs have the arguments of a call as a text, and some templates fail unless they are an object.
        parsed = [message.for_template(parse_arguments=True) for message in conversation.messages]
        if parsed != request["messages"]:
            again = RENDERER.answer({**request, "messages": parsed})
            first, *others = again if "text" in again[0] else (first, *others)
    text = first.get("text")
    if not isinstance(text, str):
        raise _error(first)
    spans, exact = spans_of(text, conversation, others, reply=reply, base=base)
    return Prompt(text, spans, exact, first.get("dated") is True, today.date())


def _today(given: Any, now: datetime | None) -> datetime:
    if given is None:
        return now or datetime.now(UTC).replace(tzinfo=None, microsecond=0)
    try:
        return datetime.fromisoformat(str(given))
    except ValueError:
        raise TemplateError(None, Phrase("the date should be written as 2026-11-22"), "runtime") from None


def _error(line: Mapping[str, Any]) -> TemplateError:
    """The error that the sandbox wrote."""
    message, number = str(line.get("message", "")), line.get("line")
    failures: dict[object, tuple[Kind, Phrase]] = {
        "syntax": ("syntax", Phrase("not Jinja: %(message)s", message=message)),
        "raised": ("raised", Phrase("the template says: %(message)s", message=message)),
        "time": ("time", Phrase("the template takes more than the allowed second")),
        "memory": ("memory", Phrase("the template takes more than the allowed memory")),
        "output": ("output", Phrase("the prompt is longer than the allowed 4 MB")),
        "forbidden": ("forbidden", Phrase("not allowed in a template: %(message)s", message=message)),
        "depth": ("runtime", Phrase("the template is nested too deeply, or calls itself")),
        "surrogate": ("runtime", Phrase("the prompt would have half of a surrogate pair")),
    }
    kind, sentence = failures.get(
        line.get("kind"), ("runtime", Phrase("the template fails: %(message)s", message=message))
    )
    return TemplateError(number if isinstance(number, int) else None, sentence, kind)


def _base(source: str, conversation: Conversation, variables: Mapping[str, Any], count: int) -> int:
    """The first of the characters that mark contents: private ones that occur nowhere in what is rendered."""
    return free_range(count, [source, json.dumps([conversation.as_json(), dict(variables)], ensure_ascii=False)])


def free_range(count: int, texts: Iterable[str]) -> int:
    """The first of `count` successive private-use characters (plane 15) that the texts do not contain.

    >>> hex(free_range(4, ["ab"])), hex(free_range(4, ["a" + chr(0xF0002)]))
    ('0xf0000', '0xf0003')
    """
    used = sorted({ord(mark) for text in texts if not text.isascii() for mark in text if mark >= "\U000f0000"})
    first = 0xF0000
    for mark in used:
        if mark - first >= count:
            break
        first = max(first, mark + 1)
    return first if first + count <= 0x10FFFE else 0xF0000
