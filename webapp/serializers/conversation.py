"""A counted conversation as JSON and as rows of a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal, get_args

from flask import Response

from webapp.rendering.delimited import as_csv
from webapp.serializers.json import well_formed
from webapp.tokenization.conversation.counts import CountedPrompt

ConversationWant = Literal["prompt", "spans", "ids"]
CONVERSATION_WANTS: tuple[ConversationWant, ...] = get_args(ConversationWant)


def conversation_json(
    counted: CountedPrompt, roles: Sequence[str], want: Collection[ConversationWant] = CONVERSATION_WANTS
) -> dict[str, Any]:
    """The counts of a prompt by message, and the parts that `want` names; offsets are in characters of the prompt."""
    counts, prompt = counted.counts, counted.prompt
    found: dict[str, Any] = {
        "tokens": counts.total,
        "content": counts.content,
        "added": counts.template,
        "reply": counts.reply,
        "other": counts.other,
        "messages": [
            {"role": well_formed(role), "tokens": one.total, "content": one.content, "added": one.template}
            for role, one in zip(roles, counts.messages, strict=True)
        ],
        "missing": list(counted.missing),
        "crossing": counts.crossing_count,
        "injected": [
            {"message": one.message, "offset": one.offset, "text": well_formed(one.text), "special": one.special}
            for one in counts.injected
        ],
    }
    if "prompt" in want:
        found["prompt"] = well_formed(prompt.text)
    if "spans" in want:
        found["spans"] = [
            {"start": span.start, "end": span.end, "message": span.message, "kind": span.kind} for span in prompt.spans
        ]
    if "ids" in want:
        found["ids"] = list(counted.encoding.ids)
    return found


def conversation_rows(counted: CountedPrompt, roles: Sequence[str]) -> Iterator[list[object]]:
    """The header, a row for each message, and rows for what belongs to none and for the sum."""
    counts = counted.counts
    yield ["message", "role", "tokens", "content", "added"]
    for index, (role, one) in enumerate(zip(roles, counts.messages, strict=True), 1):
        yield [index, role, one.total, one.content, one.template]
    yield ["", "reply prompt", counts.reply, 0, counts.reply]
    yield ["", "begin and tools", counts.other, 0, counts.other]
    yield ["", "total", counts.total, counts.content, counts.template]


def _as_json(counted: CountedPrompt, roles: Sequence[str]) -> str:
    return json.dumps(conversation_json(counted, roles), ensure_ascii=False, indent=1) + "\n"


def _as_csv(counted: CountedPrompt, roles: Sequence[str]) -> str:
    return as_csv(conversation_rows(counted, roles))


def _as_text(counted: CountedPrompt, _roles: Sequence[str]) -> str:
    return counted.prompt.text


WRITERS: dict[str, tuple[str, Callable[[CountedPrompt, Sequence[str]], str]]] = {
    "json": ("application/json", _as_json),
    "csv": ("text/csv", _as_csv),
    "txt": ("text/plain", _as_text),
}
"""The media type and the writer of each kind of file: the counts, and the prompt as it was rendered."""


def conversation_file(counted: CountedPrompt, roles: Sequence[str], kind: str) -> Response:
    """A counted conversation as a download of a `kind` from `WRITERS`; raises KeyError for any other."""
    mimetype, write = WRITERS[kind]
    response = Response(write(counted, roles).encode("utf-8", "replace"), mimetype=mimetype)
    # The file name is fixed: no input of the visitor goes into a header.
    response.headers["Content-Disposition"] = f"attachment; filename={'prompt' if kind == 'txt' else 'messages'}.{kind}"
    return response
