"""The added tokens and the post-processor of a `tokenizer.json`."""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import chain
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
    trims: tuple[Trim, ...] = ()
    stretches = _TEXT
    for step in _steps(part):
        kind = field(step, "type", str)
        if kind in ("ByteLevel", "RobertaProcessing"):
            trims += _trims(step)
        if kind == "TemplateProcessing":
            stretches = _filled(step, stretches)
        elif kind in ("BertProcessing", "RobertaProcessing"):
            stretches = _around(step, stretches)
        elif kind != "ByteLevel":
            raise FormatError(f"the post-processor {shown(kind)} is not supported")
        if sum(map(len, stretches)) > _MOST_AROUND or sum(each.count(None) for each in stretches) > _MOST_TEXTS:
            raise FormatError("the template puts too much around a text")
    return PostProcessor(trims, None if stretches is _TEXT else Template(tuple(chain(*stretches))))


def check_template(postprocessor: PostProcessor, added: Container[int], size: int) -> None:
    """Raises FormatError for an id in the template that no token has."""
    for id in postprocessor.template.parts if postprocessor.template else ():
        if id is not None and id >= size and id not in added:
            raise FormatError(f"the post-processor puts the id {id} around a text, and no token has it")


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


# --- what stands around a text ----------------------------------------------------------------------------------------
# Each post-processor of a sequence gets the stretches that the one before made: a template makes one of every token and
# of every text, and what comes behind takes two of them for a pair of texts, as in `tokenizers`.

_Stretches = list[list[int | None]]

_TEXT: _Stretches = [[None]]
_MOST_AROUND, _MOST_TEXTS, _MOST_STEPS = 1_000, 10, 100


def _steps(part: Json | None) -> list[Json]:
    """The parts of a sequence, and of the sequences in it, in their order."""
    steps: list[Json] = []
    waiting = [] if part is None else [part]
    while waiting:
        step = waiting.pop()
        if field(step, "type", str) != "Sequence":
            steps.append(step)
            continue
        inner = field(step, "processors", list)
        if len(inner) + len(waiting) + len(steps) > _MOST_STEPS:
            raise FormatError(f"the post-processor has more than {_MOST_STEPS} parts")
        waiting += [as_object(each, "post-processor") for each in reversed(inner)]
    return steps


def _trims(part: Json) -> tuple[Trim, ...]:
    trim = Trim(field(part, "add_prefix_space", bool, True))
    return (trim,) if field(part, "trim_offsets", bool, True) else ()


def _around(part: Json, stretches: _Stretches) -> _Stretches:
    """BERT's two tokens around the first stretch; the second behind the others, and RoBERTa's in front of them too."""
    first, last = _token(part, "cls"), _token(part, "sep")
    before = [last] if part["type"] == "RobertaProcessing" else []
    return [[first, *each, last] if at == 0 else [*before, *each, last] for at, each in enumerate(stretches)]


def _token(part: Json, name: str) -> int:
    match field(part, name, list):
        case [str(), int(id)] if type(id) is int and 0 <= id < 1 << 32:
            return id
    raise FormatError(f'"{name}" should be a token and its id')


def _filled(part: Json, stretches: _Stretches) -> _Stretches:
    tokens = field(part, "special_tokens", dict)
    single, pair = (_pieces(field(part, name, list), tokens) for name in ("single", "pair"))
    if not 1 <= len(stretches) <= 2:
        raise FormatError(f"a template is for one text or two, and the post-processor before it makes {len(stretches)}")
    filled: _Stretches = []
    for piece in single if len(stretches) == 1 else pair:
        if isinstance(piece, list):
            filled.append(list(piece))
        elif piece < len(stretches):
            filled.append(stretches[piece])
        else:
            raise FormatError("the template for a single text has a place for a second one")
    return filled


def _pieces(template: list[Any], tokens: dict[str, Any]) -> list[list[int] | int]:
    """What stands in a template: the ids of a token, or 0 for the first text and 1 for the second."""
    pieces: list[list[int] | int] = []
    if len(template) > _MOST_AROUND:
        raise FormatError(f"the template has {len(template):,} parts; {_MOST_AROUND:,} are allowed")
    for piece in template:
        match piece:
            case {"Sequence": {"id": "A" | "B" as name}}:
                pieces.append("AB".index(name))
            case {"SpecialToken": {"id": str(name)}}:
                pieces.append(_ids_of(tokens, name))
            case _:
                raise FormatError(f"the template holds {shown(piece)}, which is neither a token nor the text")
    return pieces


def _ids_of(tokens: dict[str, Any], name: str) -> list[int]:
    match tokens.get(name):
        case {"ids": [*ids]} if all(type(id) is int and 0 <= id < 1 << 32 for id in ids):
            return ids
    raise FormatError(f"the template names {shown(name)}, which is not among its tokens")
