"""As JSON: results, what decoding changes, the lines that a word list skipped, vocabularies and their tokens."""

import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import ConfigDict, Field

from webapp.core.analysis.pipeline_summary import PipelineStep, pipeline_summary
from webapp.core.analysis.reachability import PARTS, Reach, Survey
from webapp.core.analysis.round_trip import Change, RoundTripReport
from webapp.core.analysis.token_list import TokenList
from webapp.core.encoding import Encoding
from webapp.core.models.dictionary import Dictionary, Reason
from webapp.core.models.maximum_probability import MaximumProbability, Mode
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.pictures.tables import pieces_written
from webapp.tokenization.result import Result
from webapp.vocabularies import CatalogueEntry, library, title_of
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.token_facts import TokenFacts
from webapp.web.json_responses import JSONPiece, json_piece, named, well_formed


@dataclass(frozen=True)
class SkippedLineAnswer:
    """A line of a word list that is no entry."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    line: Annotated[int, Field(description="Its number, from 1.")]
    reason: Reason
    detail: str


@dataclass(frozen=True)
class SkippedLinesAnswer:
    """The lines of a word list that were skipped because they are no entries."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    count: int
    first: Annotated[Sequence[SkippedLineAnswer], Field(description="The first of them.")]


Skipped = Annotated[
    SkippedLinesAnswer | None,
    Field(description="The lines of the dictionary that were skipped. Absent if there are none."),
]


def skipped_lines(dictionary: object) -> SkippedLinesAnswer | None:
    """What was skipped when a dictionary was read; None if nothing was, or if there is no dictionary."""
    if not isinstance(dictionary, Dictionary) or not dictionary.skipped:
        return None
    skipped = dictionary.skipped
    first = [SkippedLineAnswer(line.number, line.reason, str(line.message)) for line in skipped.first]
    return SkippedLinesAnswer(skipped.count, first)


def skipped_json(tokenizer: Tokenizer) -> dict[str, Any]:
    """The key `skipped_lines` for the dictionary of a tokenizer, or nothing if no line was skipped.

    >>> from webapp.core import load
    >>> skipped_json(load("研究\\n研究生\\n生命 often".encode()))["skipped_lines"].first[0].line
    3
    """
    found = skipped_lines(getattr(tokenizer.model, "dictionary", None))
    return {"skipped_lines": found} if found else {}


Want = Literal["ids", "pieces", "offsets", "counts"]
WANTS: tuple[Want, ...] = get_args(Want)


def tokenization_json(encoding: Encoding, want: Collection[Want]) -> dict[str, Any]:
    """The given keys of an encoding.

    >>> from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer
    >>> answer = tokenization_json(shipped_tokenizer("bpe-bytes").encode("low 乸"), WANTS)
    >>> answer["ids"], answer["pieces"]
    ((1133, 32, 303, 184), ['low', ' ', {'bytes': 'e4 b9'}, {'bytes': 'b8'}])
    >>> answer["offsets"], answer["counts"]
    ([(0, 3), (3, 4), (4, 5), (4, 5)], {'tokens': 4, 'characters': 5, 'bytes': 7, 'unknown': 0})
    """
    return {
        key: list(value) if isinstance(value, Iterator) else value
        for key, value in tokenization_stream(encoding, want).items()
    }


def tokenization_stream(encoding: Encoding, want: Collection[Want]) -> dict[str, Any]:
    """The same with an iterator in place of each long list, for `json_response`.

    Raises TextError here, not when the iterators are read.
    """
    return {key: _MAKERS[key](encoding) for key in WANTS if key in want}


def _pieces(encoding: Encoding) -> Iterator[JSONPiece]:
    """The piece of each token; for an unknown token, the text that it covers."""
    return pieces_written(encoding, json_piece)


def words_json(tokenizer: Tokenizer, mode: str, text: str) -> dict[str, Any]:
    """The words of a mode of maximum probability, with start and end; empty for the precise one and other models."""
    model = tokenizer.model
    if mode == "precise" or not isinstance(model, MaximumProbability):
        return {}
    spans = model.spans(text, cast(Mode, mode))
    return {"words": [{"word": well_formed(text[start:end]), "start": start, "end": end} for start, end in spans]}


def counts_json(text: str, tokens: int) -> dict[str, int]:
    """The length of a text in tokens, characters (code points) and bytes of UTF-8."""
    return {"tokens": tokens, "characters": len(text), "bytes": len(text.encode("utf-8", "replace"))}


def _counts(encoding: Encoding) -> dict[str, int]:
    return {**counts_json(encoding.text, len(encoding)), "unknown": len(encoding.unknown)}


_MAKERS: Mapping[Want, Callable[[Encoding], Any]] = {
    "ids": lambda encoding: encoding.ids,
    "pieces": _pieces,
    "offsets": lambda encoding: zip(encoding.starts, encoding.ends, strict=True),
    "counts": _counts,
}


def result_json(result: Result) -> dict[str, Any]:
    """The JSON version of a page with a result: the request, all data about the tokens and the decoded text."""
    state = asdict(result.state.relevant())
    for name in ("token", "show", "inference", "dropout", "alpha", "seed"):
        del state[name]
    state["text"] = well_formed(state["text"])
    return {
        **state,
        **result.state.inference_options,
        **tokenization_stream(result.encoding, WANTS),
        **words_json(result.tokenizer, state["mode"], result.encoding.text),
        "unknown": sorted(result.encoding.unknown),
        "special_tokens": sorted(result.encoding.special),
        "decoded": well_formed(result.comparison.decoded),
        "decodes_to_text": result.comparison.equal,
    }


MOST_CHANGES = 1_000


def round_trip_json(report: RoundTripReport) -> dict[str, Any]:
    """The decoded text, how many changes there are, and the first of them."""
    return {
        "decoded": well_formed(report.decoded),
        "equal": report.equal,
        "number_of_changes": len(report.changes),
        "changes": [_change(change) for change in report.changes[:MOST_CHANGES]],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        **named(change, "start", "end", "decoded_start", "decoded_end", "before", "after"),
        **named(change.stage, *_STAGE),
        "steps": [{**named(stage, *_STAGE), "after": well_formed(after)} for stage, after in change.steps],
    }


_STAGE = ("stage", "component", "rule")


def entry_json(entry: CatalogueEntry) -> dict[str, Any]:
    """The entry of a vocabulary in the list; `size` is null if it depends on the text."""
    return {
        "name": entry.name,
        "title": title_of(entry),
        **named(entry, "algorithms", "origin", "size", "family", "licence", "source"),
    }


def vocabulary_json(entry: CatalogueEntry, tokenizer: Tokenizer) -> dict[str, Any]:
    """The statistics and the pipeline of a vocabulary, the same as on its page."""
    description = description_of(tokenizer)
    portrait = description.portrait
    pipeline = pipeline_summary(tokenizer)
    return {
        **entry_json(entry),
        **skipped_json(tokenizer),
        "size": portrait.size,
        "mean_length": round(portrait.mean_length, 4),
        "lengths": portrait.lengths,
        "kinds": portrait.kinds,
        "longest": [token_json(description.tokens, id) for id in portrait.longest],
        "longest_words": [token_json(description.tokens, id) for id in portrait.longest_words],
        "unknown_id": tokenizer.model.unknown_id,
        "added_tokens": [
            named(token, "id", "content", "special")
            for token in sorted(tokenizer.added_tokens, key=lambda token: token.id)
        ],
        "pipeline": {
            "normalizer": _names(pipeline.normalizer),
            "pretokenizer": _names(pipeline.pretokenizer),
            "pattern_guessed": library().guesses_pattern(entry, tokenizer),
            "model": pipeline.model.name,
            "decoder": _names(pipeline.decoder),
        },
    }


def token_json(tokens: TokenList, id: int) -> dict[str, Any]:
    """One token: its piece in the vocabulary, and its text, which is null for a part of a character."""
    at = tokens.index(id)
    text = tokens.texts[at]
    return {
        "id": id,
        "piece": json_piece(tokens.pieces[at]),
        "text": None if text is None else well_formed(text),
        "special": id in tokens.special,
    }


def _names(steps: Sequence[PipelineStep]) -> list[str]:
    return [step.name for step in steps]


MOST_CHARACTERS = 64
MOST_BYTES = 256


def token_page_json(entry: CatalogueEntry, tokenizer: Tokenizer, facts: TokenFacts) -> dict[str, Any]:
    """A token, as on its page."""
    tokens = description_of(tokenizer).tokens
    text = facts.text or ""
    return {
        "vocabulary": entry.name,
        **token_json(tokens, facts.id),
        "spelling": well_formed(facts.spelling),
        "bytes": facts.data[:MOST_BYTES].hex(" "),
        "length_bytes": len(facts.data),
        "characters": [
            {"code_point": f"U+{ord(character):04X}", "name": unicodedata.name(character, "")}
            for character in text[:MOST_CHARACTERS]
        ],
        "added": facts.added is not None,
        "unknown": facts.is_unknown,
        "marks": [named(mark, "kind", "spelling", "byte") for mark in facts.marks],
        "rank": facts.merge.rank if facts.merge else None,
        "merged_from": [facts.merge.left, facts.merge.right] if facts.merge else None,
        "score": facts.score[0] if facts.score else None,
        "score_place": facts.score[1] + 1 if facts.score else None,
        "frequency": facts.frequency,
        "tag": facts.tag or None,
        "reach": reach_json(facts.reach),
        "forms": [{"text": well_formed(form), "id": id} for form, id in facts.forms],
        "contained_in": list(facts.within),
        "contained_in_total": facts.within_total,
        "neighbours": [*facts.before, *facts.after],
    }


def reach_json(reach: Reach) -> dict[str, Any]:
    """Whether a text gives a token: the text that does, or the token's own, and its tokens."""
    return {
        **named(reach, "state", "reason"),
        "proved": reach.certain,
        **named(reach, "text", "ids", "same_as", "part_of"),
    }


def survey_json(survey: Survey) -> dict[str, Any]:
    """The figures of a survey."""
    return {
        "counted": survey.counted,
        "unreachable": survey.total,
        "reasons": survey.reasons,
        "parts_of_others": len(survey.chosen(PARTS)),
        "states": survey.states,
    }


def reachability_json(tokens: TokenList, reach: Reach) -> dict[str, Any]:
    """An unreachable token of a list."""
    at = tokens.place_of(reach.id)
    return {"id": reach.id, "piece": None if at is None else json_piece(tokens.pieces[at]), **reach_json(reach)}
