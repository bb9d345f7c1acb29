"""The variables of a template that a visitor gives: `enable_thinking`, `reasoning_effort`, `documents` and others.

A field of the form takes JSON, or a text that is none: `false` is a boolean, `low` a text.
"""

import json
from collections.abc import Mapping
from typing import Any

from werkzeug.datastructures import MultiDict

from webapp.chat.inspection import MOST_VARIABLES, inspected
from webapp.chat.messages import ConversationError, parsed_json
from webapp.chat.mistral import VARIABLE
from webapp.chat.templates import BUILT_IN, ChatTemplate
from webapp.core.vocabulary_error import Phrase, shown

PREFIX = "given-"
"""How the names of a form's fields begin; an address has all variables as JSON in `chat_template_kwargs`."""
MOST_BYTES = 100_000
RESERVED = ("messages", "tools", "add_generation_prompt")


def variables_in(values: MultiDict[str, str]) -> dict[str, Any]:
    """The variables of an address or a form; raises ConversationError.

    >>> variables_in(MultiDict({"given-enable_thinking": "false", "given-effort": "low", "given-documents": ""}))
    {'enable_thinking': False, 'effort': 'low'}
    """
    text = values.get("chat_template_kwargs", "").strip()
    found = parsed_json(text) if text else {}
    given = {name.removeprefix(PREFIX): value.strip() for name, value in values.items() if name.startswith(PREFIX)}
    return checked(found) | checked({name: _value(value) for name, value in given.items() if value})


def _value(text: str) -> Any:
    try:
        return parsed_json(text)
    except ConversationError as error:
        if "not JSON" in str(error):
            return text
        raise


def checked(found: Any) -> dict[str, Any]:
    """The variables themselves; raises ConversationError if they are no object, too long, or names the site gives."""
    if not isinstance(found, Mapping):
        raise ConversationError(Phrase("the variables should be an object, not %(value)s", value=shown(found)))
    for name in found:
        if name in RESERVED or not name.isidentifier() or len(name) > MOST_VARIABLES:
            raise ConversationError(Phrase("%(name)s cannot be a variable of the template", name=shown(name)))
    if len(found) > MOST_VARIABLES or len(json.dumps(found)) > MOST_BYTES:
        raise ConversationError(Phrase("the variables have more than the allowed %(most)s bytes", most=MOST_BYTES))
    parsed_json(json.dumps(found))
    return dict(found)


def fields_of(template: ChatTemplate | None, given: Mapping[str, Any], *, tools: bool) -> list[tuple[str, str]]:
    """The name and the text of each field: for what the template reads, and what is given besides."""
    reads = inspected(template.source_for(tools=tools)).reads if template else ()
    if template is BUILT_IN["mistral"]:
        reads = (VARIABLE,)
    return [(name, _text(given[name]) if name in given else "") for name in dict.fromkeys([*reads, *given])]


def _text(value: Any) -> str:
    if isinstance(value, str) and value.strip() == value and _value(value or '""') == value:
        return value
    return json.dumps(value, ensure_ascii=False)
