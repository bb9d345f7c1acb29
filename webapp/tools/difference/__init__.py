"""`/vocabularies/diff`: where two tokenizers differ, stage by stage, on texts that show it, and in their pieces."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from flask_babel import gettext as _
from pydantic import Field

from webapp.core.added_tokens import AddedToken
from webapp.core.analysis.pipeline_difference import FLAGS, MergeDifference
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import visible
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import unavailable_problem
from webapp.tools.difference.shown import DifferenceInput, ShownDifference
from webapp.tools.inputs import Answer, require_page
from webapp.tools.kernel import ApiEntry, Tool
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, tokenizer_of
from webapp.web.json_responses import json_piece, well_formed

LONGEST_LINE = 160  # characters of a pipeline's part, a text or its ids on a line


def difference(given: DifferenceInput) -> ShownDifference | None:
    """Find where two tokenizers differ: stage by stage, in their ids of texts, and in their pieces.

    Normalizer, pre-tokenizer, model with its pieces and merges or scores, added tokens with their flags, post-processor
    and decoder are compared. Then both encode texts that separate pipelines, and the given one, with special tokens and
    those around the text; `stages` of a text are those that change its ids.
    """
    if not (given.a and given.b):
        return None
    tokenizers: list[Tokenizer] = []
    waiting = None
    for field in ("a", "b"):
        try:
            tokenizers.append(tokenizer_of(getattr(given, field)))
        except UnavailableVocabularyError as error:
            problem = unavailable_problem(error)
            raise InputProblem(problem.message, problem.status, field) from error
        except StillFetchingError as error:
            waiting = waiting or error  # both are fetched at the same time
    if waiting is not None:
        raise waiting
    shown = ShownDifference(given, *tokenizers)
    require_page(given.page, shown.last_page)
    return shown


class StageAnswer(Answer):
    """A stage of both pipelines, as a part of a `tokenizer.json` in JSON; null where that cannot express it."""

    stage: str
    same: bool
    texts: Annotated[int, Field(description="The number of texts whose ids it changes.")]
    a: str | None
    b: str | None


class AddedTokenAnswer(Answer):
    """An added token that differs: its id and flags in both vocabularies, null where it is missing."""

    token: str
    a: dict[str, int | bool] | None
    b: dict[str, int | bool] | None


class ComparedTextAnswer(Answer):
    """The ids of a text, and the stages that change them: none for the same ids."""

    kind: str
    text: str
    stages: Sequence[str]
    a: Sequence[int]
    b: Sequence[int]


class DifferenceAnswer(Answer):
    """The stages that differ, the texts that show it, the counts of pieces, and at most 1,000 of those requested."""

    a: str
    b: str
    stages: Sequence[StageAnswer]
    different_merges: Annotated[
        int | None, Field(description="Ranks with another merge; null unless both have a list of merges.")
    ]
    first_merge: Annotated[Sequence[Any], Field(description="The lowest such rank, and what both merge there.")]
    scores: Annotated[Sequence[Any], Field(description="Pieces with different scores: piece, score in a, score in b.")]
    added_tokens: Sequence[AddedTokenAnswer]
    texts: Annotated[Sequence[ComparedTextAnswer], Field(description="Those with different ids first; yours is `own`.")]
    only_a: int
    only_b: int
    different_ids: int
    same_ids: int
    scripts: dict[str, dict[str, int]]
    lengths: dict[str, dict[str, int]]
    show: str
    script: str
    query: str
    found: int
    page: int
    last_page: int
    pieces: Sequence[Any]


def answer(shown: ShownDifference | None) -> DifferenceAnswer:
    """The differences, and at most 1,000 pieces of the requested group."""
    if shown is None:
        raise InputProblem(_("Name two vocabularies, in the parameters a and b."))
    given, counts, found = shown.given, shown.counts, shown.pipeline
    portraits = dict(zip(("only_a", "only_b", "both"), shown.portraits, strict=True))
    return DifferenceAnswer(
        a=given.a,
        b=given.b,
        stages=[
            StageAnswer(each.stage, each.same, found.changed_by(each.stage), *each.written) for each in found.stages
        ],
        different_merges=shown.different_merges,
        first_merge=_json_merge(found.merges) if found.merges else (),
        scores=found.scores,
        added_tokens=[AddedTokenAnswer(well_formed(each.content), *map(_flags, each.tokens)) for each in found.tokens],
        texts=[
            ComparedTextAnswer(each.kind, well_formed(each.text), each.stages, *each.ids)
            for each in (*filter(None, (shown.own,)), *found.texts)
        ],
        only_a=counts["a"],
        only_b=counts["b"],
        different_ids=counts["moved"],
        same_ids=counts["same"],
        scripts={name: dict(portrait.kinds) for name, portrait in portraits.items()},
        lengths={
            name: {str(each): count for each, count in portrait.lengths.items()} for name, portrait in portraits.items()
        },
        show=given.show,
        script=given.script,
        query=well_formed(given.search),
        found=len(shown.found),
        page=given.page,
        last_page=shown.last_page,
        pieces=[
            {name: {"id": one[0], "piece": json_piece(one[1])} for name, one in zip("ab", pair, strict=True) if one}
            for pair in shown.pieces
        ],
    )


def _text(shown: ShownDifference | None) -> Iterator[str]:
    """The stages, the counts of pieces and the first texts with different ids, as lines for a terminal."""
    assert shown is not None
    given, counts, found = shown.given, shown.counts, shown.pipeline
    names = [f"{name:<{max(map(len, (given.a, given.b)))}}" for name in (given.a, given.b)]
    yield f"{len(found.different)} of {len(found.texts)} texts have different ids\n\n"
    for stage in found.stages:
        changed = f"differs, changes {found.changed_by(stage.stage)} texts"
        yield f"{stage.stage:<14} {'same' if stage.same else changed}\n"
        for name, written in zip(names, stage.written if any(stage.written) and not stage.same else (), strict=False):
            yield f"  {name}  {_cut(written or '-')}\n"
        if stage.stage == "model" and (merges := found.merges):
            where = "ranks have another merge" if merges.pairs else "pieces of both are merged in another order"
            yield f"  {merges.ranks:,} {where}, from rank {merges.first:,} on\n"
    yield f"\npieces         {counts['same']:,} with the same id, {counts['moved']:,} with different ids\n"
    yield from (f"  {name}  {only:,} only here\n" for name, only in zip(names, (counts["a"], counts["b"]), strict=True))
    for text in [*filter(None, (shown.own,)), *(group[0] for group in shown.text_groups)]:
        yield f"\n{json.dumps(_cut(text.text), ensure_ascii=False)}  {', '.join(text.stages) or 'the same ids'}\n"
        for name, ids in zip(names, text.ids if text.stages else (), strict=False):
            yield f"  {name}  {_cut(' '.join(map(str, ids)))}\n"


def _cut(text: str) -> str:
    """The beginning of a text, with control characters as codes: a file could send them to the terminal."""
    return visible(text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}…")


def _flags(token: AddedToken | None) -> dict[str, int | bool] | None:
    return None if token is None else {name: getattr(token, name) for name in ("id", *FLAGS)}


def _json_merge(merges: MergeDifference) -> list[Any]:
    items = (item if isinstance(item, tuple) else (item,) for item in merges.items)
    return [merges.first, *([json_piece(piece) for piece in item if piece is not None] for item in items)]


TOOL = Tool(
    name="difference",
    address="/vocabularies/diff",
    input=DifferenceInput,
    run=difference,
    answer=answer,
    text=_text,
    exported={"rows": 1_000},
    api=ApiEntry(
        "/difference",
        "DifferenceBody",
        DifferenceAnswer,
        {"a": "gpt2", "b": "cl100k_base", "text": "We'll see 12345 tokens."},
    ),
)
