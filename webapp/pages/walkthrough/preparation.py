"""What the normalizer and the pre-tokenizer make of a text before the model gets it.

It is step 0 of every prepared walkthrough, but not a decision of the algorithm: the page shows it below the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.traces.pretokens import AddedFound, Pretoken, pretokens_of
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.walkthrough import Pictured, Tabulated, Walkthrough
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result, changes
from webapp.web.localization import join_list, number


def pretokens(result: Result) -> list[Pretoken | AddedFound]:
    """The pre-tokens and added tokens of a result's text, in order."""
    state = result.state
    return pretokens_of(result.tokenizer, state.text, special=state.special, template=state.puts_around)


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """The values for `walkthrough/_preparation.html`."""

    sentence: str
    original: Sequence[StepCell]  # the text as typed, empty if the model gets it unchanged
    pretokens: Sequence[StepCell]  # the input of the model, with added tokens
    changed: bool  # whether a pre-token differs from the text as typed
    added: bool  # whether there are added tokens


class PreparedWalkthrough:
    """A walkthrough with the preparation as step 0; step 1 is step 0 of the wrapped walkthrough."""

    def __init__(self, result: Result, walkthrough: Walkthrough) -> None:
        self._result = result
        self._found = pretokens(result)
        self.walkthrough = walkthrough

    def __len__(self) -> int:
        return 1 + len(self.walkthrough)

    @property
    def ids(self) -> Sequence[int]:
        """The ids of the result."""
        return self.walkthrough.ids

    @property
    def template(self) -> str:
        """The template of the wrapped walkthrough's steps."""
        return self.walkthrough.template

    def sentence(self, step: int) -> str:
        """The sentence that says what happened and why."""
        return self.walkthrough.sentence(step - 1) if step else self._preparation()

    def part(self, step: int) -> object:
        """The values for the template; step 0 has none, see `preparation`."""
        return self.walkthrough.part(step - 1) if step else None

    def picture(self, step: int) -> Figure | None:
        """The picture of a step; step 0 has none."""
        return self.walkthrough.picture(step - 1) if step and isinstance(self.walkthrough, Pictured) else None

    def table(self) -> list[list[object]]:
        """The steps as one table; empty if the wrapped walkthrough has none."""
        return self.walkthrough.table() if isinstance(self.walkthrough, Tabulated) else []

    def record(self, step: int) -> dict[str, Any]:
        """The step as JSON values."""
        if step:
            return self.walkthrough.record(step - 1)
        return {
            "kind": "pretokens",
            "pretokens": [
                {
                    "text": well_formed(found.text if isinstance(found, Pretoken) else found.token.content),
                    "start": found.start,
                    "end": found.end,
                    "added": isinstance(found, AddedFound),
                }
                for found in self._found
            ],
        }

    def step_of(self, token: int) -> int:
        """The step that made a token."""
        return 1 + self.walkthrough.step_of(token)

    def preparation(self) -> Preparation:
        """What happened to the text before the algorithm."""
        text = self._result.encoding.text
        cells = []
        for found in self._found:
            if isinstance(found, AddedFound):
                cells.append(cell(found.token.content, "pretoken", "special"))
            else:
                changed = found.text != text[found.start : found.end]
                cells.append(cell(found.text, "pretoken", "changed" if changed else ""))
        same = [one.text for one in cells] == [shown_piece(text)]
        return Preparation(
            sentence=self._preparation(),
            original=[] if same else [cell(text, "typed")],
            pretokens=cells,
            changed=any("changed" in one.kinds for one in cells),
            added=any(isinstance(found, AddedFound) for found in self._found),
        )

    def _preparation(self) -> str:
        if not self._found:
            return _("Nothing is left of the text after normalization and pre-tokenization, so there are no tokens.")
        return joined([self._normalizer_sentence(), self._pretokenizer_sentence(), self._added_sentence()])

    def _normalizer_sentence(self) -> str:
        """What the normalizer did to this text."""
        normalizer = self._result.tokenizer.normalizer
        text = self._result.encoding.text
        if normalizer is None:
            return _("This vocabulary has no normalizer, so the text stays as it is.")
        names = join_list(step.name for step in pipeline_summary(self._result.tokenizer).normalizer)
        normalized = normalizer.normalize(text)
        if normalized == text:
            return _("The normalizer (%(names)s) changes nothing in this text.", names=names)
        done = {
            "case": _("it lowercases letters"),
            "normalization": _("it replaces or removes characters"),
        }
        found = [done[reason] for reason in changes(text, normalized) if reason in done]
        if len(found) > 1:
            what = _("%(one)s, and %(other)s", one=found[0], other=found[1])
        else:
            what = found[0] if found else _("it changes only white space and its markers")
        return _("The normalizer (%(names)s) runs first: %(what)s.", names=names, what=what)

    def _pretokenizer_sentence(self) -> str:
        """How many pre-tokens the pre-tokenizer made."""
        tokenizer = self._result.tokenizer
        count = sum(isinstance(found, Pretoken) for found in self._found)
        if tokenizer.pretokenizer is None:
            return (
                _("There is no pre-tokenizer either: the algorithm gets the text as a whole.")
                if (tokenizer.normalizer is None)
                else _("There is no pre-tokenizer: the algorithm gets the text as a whole.")
            )
        names = join_list(step.name for step in pipeline_summary(tokenizer).pretokenizer)
        sentence = ngettext(
            "The pre-tokenizer (%(names)s) makes one pre-token.",
            "The pre-tokenizer (%(names)s) splits it into %(count)s pre-tokens; no token crosses their boundaries.",
            count,
            names=names,
            count=number(count),
        )
        return joined([sentence, self._dropped_sentence()])

    def _dropped_sentence(self) -> str:
        """Whether part of the text is in no pre-token."""
        text = self._result.encoding.text
        covered = [False] * len(text)
        for found in self._found:
            covered[found.start : found.end] = [True] * (found.end - found.start)
        lost = [character for character, kept in zip(text, covered, strict=True) if not kept]
        if not lost:
            return ""
        if all(character.isspace() for character in lost):
            return _("The white space between them is dropped.")
        return _("Some characters are dropped.")

    def _added_sentence(self) -> str:
        """How many tokens are added tokens, which the algorithm does not see."""
        added = [one for one in self._found if isinstance(one, AddedFound)]
        around = sum(one.around for one in added)
        inside = len(added) - around
        sentences = []
        if inside:
            sentences.append(
                ngettext(
                    "One added token is matched before that and is never split.",
                    "%(num)s added tokens are matched before that and are never split.",
                    inside,
                )
            )
        if around:
            sentences.append(
                ngettext(
                    "One special token is added around the text at the end.",
                    "%(num)s special tokens are added around the text at the end.",
                    around,
                )
            )
        return joined(sentences)
