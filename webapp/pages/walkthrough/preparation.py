"""What every walkthrough of encoding shares: the input of the model, its words one by one, added tokens, the end.

What the normalizer and the pre-tokenizer make of a text is step 0 of every walkthrough, but not a decision of the
algorithm: the page shows it below the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.traces.pretokens import AddedFound, Pretoken, pretokens_of
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.rendering.markup import shown_piece
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed


def pretokens(result: Result) -> list[Pretoken | AddedFound]:
    """The pre-tokens and added tokens of a result's text, in order."""
    state = result.state
    return pretokens_of(result.tokenizer, state.text, special=state.special, template=state.puts_around)


@dataclass
class WordSteps:
    """The steps of a text, word by word: words are added with their frames, and added tokens as a step of their own.

    `made` is the step of each token so far, counted from 0; `key` is what records call the number of a word. `common`
    are values that the template needs at each step.
    """

    template: str
    key: str = "word"
    common: Mapping[str, Any] = field(default_factory=dict)
    words: list[tuple[str, Sequence[StepCell]]] = field(default_factory=list)
    frames: list[Callable[[], Frame]] = field(default_factory=list)
    made: list[int] = field(default_factory=list)

    def add(
        self, text: str, tokens: Sequence[StepCell], frames: Iterable[Callable[[], Frame]], made: Iterable[int]
    ) -> None:
        """Add a word with its tokens and frames; `made` is the frame that makes each token, counted in the word."""
        self.made += [len(self.frames) + at for at in made]
        self.words.append((text, tokens))
        self.frames += frames

    def add_token(self, found: AddedFound) -> None:
        """Add an added token, which the model does not see."""
        content, id = found.token.content, found.token.id
        now = len(self.words)
        record = {"kind": "added", self.key: now, "id": id}

        def values() -> Mapping[str, Any]:
            return {**self.common, "row": self.row(now), "cells": [cell(content, "done", "special", "now", id=id)]}

        frame = Frame(self.template, added_sentence(found), record, values)
        self.add(content, [cell(content, "done", "special", id=id)], [lambda: frame], [0])

    def row(self, now: int) -> list[StepCell]:
        """The text at a step of word `now`: the tokens of finished words, this word, and the words to come."""
        row = [token for _text, tokens in self.words[:now] for token in tokens]
        return row + [cell(text, "word", "rest" if at else "now") for at, (text, _) in enumerate(self.words[now:])]

    def walkthrough(self, ids: Sequence[int], end: Callable[[], Frame]) -> Walkthrough:
        """The walkthrough with its last step."""
        return Walkthrough([*self.frames, end], ids, self.made)


def added_sentence(found: AddedFound) -> str:
    """The sentence of an added token, which the model does not see."""
    return say("preparation", "added", content=found.token.content, around=found.around)


def final_cells(result: Result) -> list[StepCell]:
    """All tokens of a result, with their ids."""
    encoding = result.encoding
    kinds = [
        "unknown" if index in encoding.unknown else "special" if index in encoding.special else ""
        for index in range(len(encoding.ids))
    ]
    return [cell(encoding.piece(at), "done", kind, id=encoding.ids[at]) for at, kind in enumerate(kinds)]


def preparation(result: Result) -> Frame:
    """Step 0: what happened to the text before the algorithm."""
    found, text = pretokens(result), result.encoding.text
    parts = [
        (one.token.content, "special") if isinstance(one, AddedFound)
        else (one.text, "changed" if one.text != text[one.start : one.end] else "")
        for one in found
    ]  # fmt: skip
    cells = [cell(part, "pretoken", kind) for part, kind in parts]
    record = {
        "kind": "pretokens",
        "pretokens": [
            {"text": well_formed(part), "start": one.start, "end": one.end, "added": isinstance(one, AddedFound)}
            for one, (part, _kind) in zip(found, parts, strict=True)
        ],
    }
    kinds = {kind for _part, kind in parts}
    normalizer, pretokenizer = result.tokenizer.normalizer, result.tokenizer.pretokenizer
    kept = {at for one in found for at in range(one.start, one.end)}
    sentence = say(
        "preparation",
        "prepared",
        summary=pipeline_summary(result.tokenizer) if found else None,
        unchanged=None if normalizer is None else normalizer.normalize(text) == text,
        pretokens=None if pretokenizer is None else sum(isinstance(one, Pretoken) for one in found),
        dropped="".join(character for at, character in enumerate(text) if at not in kept),
    )
    values = {
        "sentence": sentence,
        "original": [] if [one.text for one in cells] == [shown_piece(text)] else [cell(text, "typed")],
        "pretokens": cells,
        "changed": "changed" in kinds,
        "added": "special" in kinds,
    }
    return Frame("walkthrough/_preparation.html", sentence, record, lambda: values)
