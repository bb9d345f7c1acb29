"""Read and write the added tokens and the post-processor of a `tokenizer.json`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from webapp.core.added_tokens import AddedToken, PostProcessor, Template, Trim
from webapp.core.formats.huggingface_parts import POSTPROCESSOR, Json, as_object
from webapp.core.formats.reading import FormatError, field
from webapp.core.vocabulary_error import shown

_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def read_added_tokens(document: Json) -> list[AddedToken]:
    """Return the added tokens in file order, with their declared ids; raises FormatError if one is malformed."""
    tokens: list[AddedToken] = []
    for part in field(document, "added_tokens", list, []):
        if not isinstance(part, dict):
            raise FormatError('"added_tokens" should be a list of objects')
        content, id = field(part, "content", str), field(part, "id", int)
        if not content:
            raise FormatError("an added token is empty")
        if not 0 <= id < 1 << 32:
            raise FormatError(
                "the added token %(content)s has the id %(id)s, which is out of range",
                content=shown(content),
                id=shown(id),
            )
        # A token that is not special is normalized, unless the file says otherwise.
        special = field(part, "special", bool, False)
        flags = {name: field(part, name, bool, name == "normalized" and not special) for name in _FLAGS}
        tokens.append(AddedToken(content, id, **{**flags, "special": special}))
    return tokens


def write_added_token(token: AddedToken) -> Json:
    """Return the entry of an added token."""
    return {"id": token.id, "content": token.content, **{name: getattr(token, name) for name in _FLAGS}}


def numbered(tokens: Iterable[AddedToken], ids: Mapping[str, int], size: int) -> list[AddedToken]:
    """Return the tokens with the ids that `tokenizers` assigns, whatever ids the file declares.

    A token in the model's vocabulary, `ids`, has its id there; the others are numbered from the size of the vocabulary,
    in file order. Of two tokens with the same text, the later one replaces the earlier one.

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
    """Return the post-processor that a part describes; raises FormatError for an unsupported type."""
    trims: tuple[Trim, ...] = ()
    segments = _TEXT
    steps = [] if part is None else list(islice(_steps(part), _MOST_STEPS + 1))
    if len(steps) > _MOST_STEPS:
        raise FormatError("the post-processor has more than %(most)s parts", most=_MOST_STEPS)
    for step in steps:
        kind = field(step, "type", str)
        if kind in ("ByteLevel", "RobertaProcessing"):
            trims += _trims(step)
        if kind == "TemplateProcessing":
            segments = _filled(step, segments)
        elif kind in ("BertProcessing", "RobertaProcessing"):
            segments = _around(step, segments)
        elif kind != "ByteLevel":
            raise FormatError("the post-processor %(kind)s is not supported", kind=shown(kind))
        if sum(map(len, segments)) > _MOST_AROUND or sum(each.count(None) for each in segments) > _MOST_TEXTS:
            raise FormatError("the template adds too many tokens around a text")
    return PostProcessor(trims, None if segments is _TEXT else Template(tuple(chain(*segments))))


def write_postprocessor(postprocessor: PostProcessor, names: Mapping[int, str]) -> Json | None:
    """Return the part that describes a post-processor; `names` maps ids to special tokens."""
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
            raise FormatError("the template refers to the id %(id)s, which is not a special token", id=id)
    tokens = {
        names[id]: {"id": names[id], "ids": [id], "tokens": [names[id]]} for id in template.parts if id is not None
    }
    pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens}


# --- tokens around a text ---------------------------------------------------------------------------------------------
# Each post-processor of a sequence receives the segments that the previous one produced: a template produces one for
# every token and every text, and the next post-processor treats two segments as a pair of texts, as in `tokenizers`.
# In a segment, None stands for the tokens of the text.

_Segments = list[list[int | None]]

_TEXT: _Segments = [[None]]
_MOST_AROUND, _MOST_TEXTS, _MOST_STEPS = 1_000, 10, 100


def _steps(part: Json) -> Iterator[Json]:
    """Yield the parts of a sequence in order, with nested sequences flattened."""
    if field(part, "type", str) != "Sequence":
        yield part
        return
    for inner in field(part, "processors", list):
        yield from _steps(as_object(inner, POSTPROCESSOR))


def _trims(part: Json) -> tuple[Trim, ...]:
    trim = Trim(field(part, "add_prefix_space", bool, True))
    return (trim,) if field(part, "trim_offsets", bool, True) else ()


def _around(part: Json, segments: _Segments) -> _Segments:
    """Put BERT's two tokens around the first segment and the second token after the others.

    RoBERTa puts the second token before the others too.
    """
    first, last = _token(part, "cls"), _token(part, "sep")
    before = [last] if part["type"] == "RobertaProcessing" else []
    return [[first, *each, last] if at == 0 else [*before, *each, last] for at, each in enumerate(segments)]


def _token(part: Json, name: str) -> int:
    match field(part, name, list):
        case [str(), int(id)] if type(id) is int and 0 <= id < 1 << 32:
            return id
    raise FormatError('"%(name)s" should be a token and its id', name=name)


def _filled(part: Json, segments: _Segments) -> _Segments:
    tokens = field(part, "special_tokens", dict)
    single, pair = (_pieces(field(part, name, list), tokens) for name in ("single", "pair"))
    if not 1 <= len(segments) <= 2:
        raise FormatError(
            "a template takes one or two texts, but the post-processor before it produces %(count)s",
            count=len(segments),
        )
    filled: _Segments = []
    for piece in single if len(segments) == 1 else pair:
        if isinstance(piece, list):
            filled.append(list(piece))
        elif piece < len(segments):
            filled.append(segments[piece])
        else:
            raise FormatError("the template for a single text refers to a second one")
    return filled


def _pieces(template: list[Any], tokens: dict[str, Any]) -> list[list[int] | int]:
    """Return the items of a template: the ids of a token, or 0 for the first text and 1 for the second."""
    pieces: list[list[int] | int] = []
    if len(template) > _MOST_AROUND:
        raise FormatError(
            "the template has %(count)s parts; at most %(most)s are allowed",
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
                    "the template contains %(piece)s, which is neither a token nor the text", piece=shown(piece)
                )
    return pieces


def _ids_of(tokens: dict[str, Any], name: str) -> list[int]:
    match tokens.get(name):
        case {"ids": list(ids)} if len(ids) > _MOST_AROUND:
            raise FormatError("the template adds too many tokens around a text")
        case {"ids": [*ids]} if all(type(id) is int and 0 <= id < 1 << 32 for id in ids):
            return ids
    raise FormatError("the template refers to %(name)s, which is not among its tokens", name=shown(name))
