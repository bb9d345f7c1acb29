"""A counted conversation as JSON and as rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Literal, get_args

from flask import Response

from webapp.rendering.delimited import as_csv
from webapp.serializers.json import json_parts, well_formed
from webapp.tokenization.conversation.counts import CountedPrompt
from webapp.web.long_responses import long_response

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
        "crossing": counts.crossing,
        "injected": list(counts.injected),
    }
    if "prompt" in want:
        found["prompt"] = well_formed(prompt.text)
    if "spans" in want:
        found["spans"] = list(prompt.spans)
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


WRITERS: dict[str, tuple[str, Callable[[CountedPrompt, Sequence[str]], str | bytes]]] = {
    "json": ("application/json", lambda counted, roles: b"".join(json_parts(conversation_json(counted, roles)))),
    "csv": ("text/csv", lambda counted, roles: as_csv(conversation_rows(counted, roles))),
    "txt": ("text/plain", lambda counted, _roles: counted.prompt.text),
}
"""The media type and the writer of each kind of file: the counts, and the prompt as it was rendered."""


def conversation_file(counted: CountedPrompt, roles: Sequence[str], kind: str) -> Response:
    """A counted conversation as a download of a `kind` from `WRITERS`; raises KeyError for any other."""
    mimetype, write = WRITERS[kind]
    response = long_response([write(counted, roles)], mimetype=mimetype)
    # The file name is fixed: no input of the visitor goes into a header.
    response.headers["Content-Disposition"] = f"attachment; filename={'prompt' if kind == 'txt' else 'messages'}.{kind}"
    return response
