"""A tagger: the features of each character with their weights, the Viterbi table, and the best tags."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.tag_weights import EDGE
from webapp.core.models.tagger import Tagger
from webapp.core.traces.tagger import FiredFeature, TaggerTrace, tagger_traces
from webapp.pages.steps.maximum_probability import draw_table, words_frame
from webapp.pages.walkthrough.cells import cell, quotable
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.result import Result

TEMPLATE = "steps/_tagger.html"
MOST_DRAWN = 4  # parts of the text in the last picture


def walkthrough(result: Result, model: Tagger, n: int) -> Walkthrough:
    """The steps of a tagger: each character of each sentence, and the tags of the sentence."""
    text = result.encoding.text
    traces = list(tagger_traces(model, text))
    frames: list[Callable[[], Frame]] = []
    step_of: dict[int, int] = {}  # for each position of the text, the step that decides its word
    for trace in traces:
        steps = _Steps(text, trace)
        frames += [partial(steps.tags, at) for at in range(len(trace.text))]
        step_of |= dict.fromkeys(range(trace.offset, trace.offset + len(trace.text)), len(frames))
        frames.append(steps.path)
    made = [step_of.get(start, len(frames)) for start in result.encoding.starts]

    def drawn() -> list[Figure]:
        return [_draw(trace, len(trace.text), traced=True) for trace in traces[:MOST_DRAWN]]

    shown = Walkthrough([*frames, partial(words_frame, TEMPLATE, result, drawn)], result.encoding.ids, made)
    shown.rows = partial(_table, traces)
    return shown


@dataclass(frozen=True)
class _Steps:
    """The frames of a part of the text."""

    text: str
    trace: TaggerTrace

    def tags(self, at: int) -> Frame:
        """The features of a character are added up, and the best way to each of its tags is found."""
        trace = self.trace
        features, cells = trace.features[at], trace.columns[at]
        record = {
            "kind": "tags",
            "character": trace.text[at],
            "start": trace.offset + at,
            "features": [
                {"template": one.template, "value": shown_value(one), "weights": list(one.weights)} for one in features
            ],
            "states": list(map(asdict, cells)),
        }
        sentence = say("tagger", "tags", trace=trace, at=at, known=sum(one.known for one in features))
        return self._frame(sentence, record, at + 1, {"features": features, "states": cells})

    def path(self) -> Frame:
        """The best tags are read from the right."""
        trace = self.trace
        record = {"kind": "path", "text": trace.text, "tags": "".join(trace.states), "words": list(trace.words)}
        ending = [one for one in trace.columns[-1] if one.state in "ES"]
        shown = {"states": ending, "best": trace.states[-1], "words": trace.words}
        return self._frame(say("tagger", "path", trace=trace), record, len(trace.text), shown)

    def _frame(self, sentence: str, record: Mapping[str, Any], filled: int, shown: Mapping[str, Any]) -> Frame:
        trace, text = self.trace, self.text
        end = trace.offset + len(trace.text)
        row = [cell(text[: trace.offset], "done"), cell(trace.text, "now"), cell(text[end:], "rest")]
        kind = record["kind"]
        return Frame(
            TEMPLATE,
            sentence,
            record,
            lambda: {"row": [one for one in row if one.text], "kind": kind, **shown},
            lambda: _draw(trace, filled, traced=kind == "path"),
        )


def _draw(trace: TaggerTrace, filled: int, *, traced: bool) -> Figure:
    title = _("The tagger’s sums for “%(text)s”, by character and tag", text=quotable(trace.text))
    return draw_table(trace, filled, traced=traced, title=title)


def _table(traces: Sequence[TaggerTrace]) -> list[list[object]]:
    """All features of all characters as rows, after a row of headings."""
    rows: list[list[object]] = [
        [_("Position"), _("Character"), _("Template"), _("Value"), "B", "M", "E", "S", _("Tag")]
    ]
    for trace in traces:
        for at, (character, features, tag) in enumerate(zip(trace.text, trace.features, trace.states, strict=True)):
            for one in features:
                rows.append([trace.offset + at, character, one.template, shown_value(one), *one.weights, tag])
    return rows


def shown_value(feature: FiredFeature) -> str:
    """The value of a feature; ⟨⟩ stands for the edge of the sentence."""
    return feature.value.replace(EDGE, "⟨⟩")
