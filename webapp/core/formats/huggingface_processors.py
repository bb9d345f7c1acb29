"""The added tokens and the post-processor of a `tokenizer.json`."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from webapp.core.added_tokens import AddedToken
from webapp.core.formats.fields import FormatError, field
from webapp.core.formats.huggingface_fields import POSTPROCESSOR, Json, as_object
from webapp.core.postprocessors import PostProcessor, Template, Trim
from webapp.core.vocabulary_error import shown

_FLAGS = ("special", "normalized", "single_word", "lstrip", "rstrip")


def read_added_tokens(document: Json) -> list[AddedToken]:
    """The added tokens in the order of the file, with their declared ids; raises FormatError for a malformed one."""
    tokens: list[AddedToken] = []
    for part in field(document, "added_tokens", list, []):
        if not isinstance(part, dict):
            raise FormatError('"added_tokens" should be a list of objects')
        content, id = field(part, "content", str), field(part, "id", int)
        if not content:
            raise FormatError("an added token is empty")
        if not 0 <= id < 1 << 32:
            raise FormatError("the added token %(content)s has the id %(id)s", content=shown(content), id=shown(id))
        # What is not special is normalized, unless the file says otherwise.
        special = field(part, "special", bool, False)
        flags = {name: field(part, name, bool, name == "normalized" and not special) for name in _FLAGS}
        tokens.append(AddedToken(content, id, **{**flags, "special": special}))
    return tokens


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


def numbered(tokens: Iterable[AddedToken], ids: Mapping[str, int], size: int) -> list[AddedToken]:
    """The tokens with the ids that `tokenizers` gives them, whatever ids the file declares.

    A token has its id in the model's vocabulary, `ids`; new ones count on from the vocabulary's size, in the order of
    the file. Of two tokens with the same text, the later one replaces the earlier one.

    >>> tokens = [AddedToken("<pad>", 1), AddedToken("<unk>", 0), AddedToken("<mask>", 9)]
    >>> [(token.id, token.declared_id) for token in numbered(tokens, {"<unk>": 0}, 8)]
    [(8, 1), (0, None), (9, None)]
    """
    found: dict[str, AddedToken] = {}
    following = size
    for token in tokens:
        id = ids.get(token.content)
        if id is None and token.content in found:
            id = found[token.content].id
        if id is None:
            id = following
            following += 1
        found[token.content] = replace(token, id=id, declared_id=None if token.id == id else token.id)
    return list(found.values())


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
            raise FormatError("the post-processor %(kind)s is not supported", kind=shown(kind))
        if sum(map(len, stretches)) > _MOST_AROUND or sum(each.count(None) for each in stretches) > _MOST_TEXTS:
            raise FormatError("the template puts too much around a text")
    return PostProcessor(trims, None if stretches is _TEXT else Template(tuple(chain(*stretches))))


def check_template(postprocessor: PostProcessor, added: Container[int], size: int) -> None:
    """Raises FormatError for an id in the template that no token has."""
    for id in postprocessor.template.parts if postprocessor.template else ():
        if id is not None and id >= size and id not in added:
            raise FormatError("the post-processor puts the id %(id)s around a text, and no token has it", id=id)


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
            raise FormatError("the template names the id %(id)s, which is no special token", id=id)
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
            raise FormatError("the post-processor has more than %(most)s parts", most=_MOST_STEPS)
        waiting += [as_object(each, POSTPROCESSOR) for each in reversed(inner)]
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
    raise FormatError('"%(name)s" should be a token and its id', name=name)


def _filled(part: Json, stretches: _Stretches) -> _Stretches:
    tokens = field(part, "special_tokens", dict)
    single, pair = (_pieces(field(part, name, list), tokens) for name in ("single", "pair"))
    if not 1 <= len(stretches) <= 2:
        raise FormatError(
            "a template is for one text or two, and the post-processor before it makes %(count)s", count=len(stretches)
        )
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
        raise FormatError(
            "the template has %(count)s parts; %(most)s are allowed",
            count=f"{len(template):,}",
            most=f"{_MOST_AROUND:,}",
        )
    for piece in template:
        match piece:
            case {"Sequence": {"id": "A" | "B" as name}}:
                pieces.append("AB".index(name))
            case {"SpecialToken": {"id": str(name)}}:
                pieces.append(_ids_of(tokens, name))
            case _:
                raise FormatError(
                    "the template holds %(piece)s, which is neither a token nor the text", piece=shown(piece)
                )
    return pieces


def _ids_of(tokens: dict[str, Any], name: str) -> list[int]:
    match tokens.get(name):
        case {"ids": [*ids]} if all(type(id) is int and 0 <= id < 1 << 32 for id in ids):
            return ids
    raise FormatError("the template names %(name)s, which is not among its tokens", name=shown(name))
