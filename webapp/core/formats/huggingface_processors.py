"""The added tokens and the post-processor of a `tokenizer.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.core.added_tokens import AddedToken
from webapp.core.formats.fields import FormatError, field
from webapp.core.formats.huggingface_fields import Json, as_object
from webapp.core.formats.limits import shown
from webapp.core.postprocessors import PostProcessor, Template, Trim

_FLAGS = ("special", "normalized", "single_word", "lstrip", "rstrip")


def read_added_tokens(document: Json) -> list[AddedToken]:
    """The added tokens in the order of the file; raises FormatError where one is malformed or an id stands twice."""
    tokens: dict[int, AddedToken] = {}
    for part in field(document, "added_tokens", list, []):
        part = as_object(part, "list of added_tokens consists of objects: each")
        content, id = field(part, "content", str), field(part, "id", int)
        if not content:
            raise FormatError("an added token is empty")
        if not 0 <= id < 1 << 32:
            raise FormatError(f"the added token {shown(content)} has the id {shown(id)}")
        if id in tokens and tokens[id].content != content:
            raise FormatError(f"the id {id} stands for {shown(tokens[id].content)} and for {shown(content)}")
        # What is not special is normalized, unless the file says otherwise.
        special = field(part, "special", bool, False)
        flags = {name: field(part, name, bool, name == "normalized" and not special) for name in _FLAGS}
        tokens[id] = AddedToken(content, id, **{**flags, "special": special})
    return list(tokens.values())


def write_added_token(token: AddedToken) -> Json:
    """The entry of an added token."""
    return {
        "id": token.id,
        "content": token.content,
        "single_word": token.single_word,
        "lstrip": token.lstrip,
        "rstrip": token.rstrip,
        "normalized": token.normalized,
        "special": token.special,
    }


def check_ids(tokens: list[AddedToken], ids: Mapping[str, int], size: int) -> None:
    """Raises FormatError when an added token has another id than the vocabulary, or none that follows the others.

    `tokenizers` counts the ids of new ones on from the vocabulary's size, whatever the file says.
    """
    beyond = size
    for token in tokens:
        expected = ids.get(token.content)
        if expected is None:
            expected = beyond
            beyond += 1
        if token.id != expected:
            raise FormatError(
                f"the added token {shown(token.content)} has the id {token.id}, where {expected} should follow"
            )


def read_postprocessor(part: Json | None) -> PostProcessor:
    """The post-processor that a part describes; raises FormatError for one that is not known."""
    if part is None:
        return PostProcessor()
    kind = field(part, "type", str)
    if kind == "Sequence":
        return _joined(
            [read_postprocessor(as_object(inner, "post-processor")) for inner in field(part, "processors", list)]
        )
    if kind == "ByteLevel":
        return PostProcessor(_trims(part))
    if kind == "TemplateProcessing":
        return PostProcessor(template=_template(part))
    if kind == "BertProcessing":
        return PostProcessor(template=_around(part))
    if kind == "RobertaProcessing":
        return PostProcessor(_trims(part), _around(part))
    raise FormatError(f"the post-processor {shown(kind)} is not supported")


def write_postprocessor(postprocessor: PostProcessor, names: Mapping[int, str]) -> Json | None:
    """The part that describes a post-processor; `names` are the special tokens by id."""
    parts: list[Json] = [
        {"type": "ByteLevel", "add_prefix_space": trim.add_prefix_space, "trim_offsets": True, "use_regex": True}
        for trim in postprocessor.trims
    ]
    if postprocessor.template is not None:
        parts.append(_written_template(postprocessor.template, names))
    if len(parts) > 1:
        return {"type": "Sequence", "processors": parts}
    return parts[0] if parts else None


def _written_template(template: Template, names: Mapping[int, str]) -> Json:
    single: list[Json] = []
    for id in template.parts:
        if id is None:
            single.append({"Sequence": {"id": "A", "type_id": 0}})
        elif id in names:
            single.append({"SpecialToken": {"id": names[id], "type_id": 0}})
        else:
            raise FormatError(f"the template names the id {id}, which is no special token")
    tokens = {
        names[id]: {"id": names[id], "ids": [id], "tokens": [names[id]]} for id in template.parts if id is not None
    }
    pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens}


def _joined(found: list[PostProcessor]) -> PostProcessor:
    templates = [inner.template for inner in found if inner.template is not None]
    if len(templates) > 1:
        raise FormatError("a post-processor with two templates is not supported")
    return PostProcessor(tuple(trim for inner in found for trim in inner.trims), templates[0] if templates else None)


def _trims(part: Json) -> tuple[Trim, ...]:
    trim = Trim(field(part, "add_prefix_space", bool, True))
    return (trim,) if field(part, "trim_offsets", bool, True) else ()


def _around(part: Json) -> Template:
    return Template((_token(part, "cls"), None, _token(part, "sep")))


def _token(part: Json, name: str) -> int:
    match field(part, name, list):
        case [str(), int(id)]:
            return id
    raise FormatError(f'"{name}" should be a token and its id')


def _template(part: Json) -> Template:
    tokens = field(part, "special_tokens", dict)
    ids: list[int | None] = []
    for piece in field(part, "single", list):
        match piece:
            case {"Sequence": {"id": "A"}}:
                ids.append(None)
            case {"SpecialToken": {"id": str(name)}}:
                ids += _ids_of(tokens, name)
            case _:
                raise FormatError(f"the template holds {shown(piece)}, which is neither a token nor the text")
    return Template(tuple(ids))


def _ids_of(tokens: dict[str, Any], name: str) -> list[int]:
    match tokens.get(name):
        case {"ids": [*ids]} if all(type(id) is int and 0 <= id < 1 << 32 for id in ids):
            return ids
    raise FormatError(f"the template names {shown(name)}, which is not among its tokens")
