"""What every walkthrough of encoding shares: the input of the model, the row of the text, added tokens, the end.

What the normalizer and the pre-tokenizer make of a text is step 0 of every walkthrough, but not a decision of the
algorithm: the page shows it below the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.traces.pretokens import AddedFound, Pretoken, pretokens_of
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.pages.walkthrough.engine import Frame
from webapp.rendering.markup import shown_piece
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result, changes
from webapp.web.localization import join_list, number


def pretokens(result: Result) -> list[Pretoken | AddedFound]:
    """The pre-tokens and added tokens of a result's text, in order."""
    state = result.state
    return pretokens_of(result.tokenizer, state.text, special=state.special, template=state.puts_around)


@dataclass(frozen=True)
class WordCells:
    """A word of the text, or an added token: its text, the tokens that it becomes, and the CSS classes of its text."""

    text: str
    tokens: Sequence[StepCell]
    kinds: str = ""


def added_word(found: AddedFound, kinds: str = "special") -> WordCells:
    """An added token as a word."""
    content = found.token.content
    return WordCells(content, [cell(content, "done", "special", id=found.token.id)], kinds)


def text_row(words: Sequence[WordCells], now: int) -> list[StepCell]:
    """The text at a step: the tokens of finished words, word `now`, and the words to come."""
    row: list[StepCell] = []
    for at, word in enumerate(words):
        row += word.tokens if at < now else [cell(word.text, word.kinds, "now" if at == now else "rest")]
    return row


def added_sentence(found: AddedFound) -> str:
    """The sentence of an added token, which the model does not see."""
    name = quotable(found.token.content)
    if found.around:
        return _(
            "%(name)s is a special token that the vocabulary adds around the text; the algorithm does not see it.",
            name=name,
        )
    return _("%(name)s is an added token: it is matched in the text as a whole and never split.", name=name)


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
    if found:
        sentence = joined([_normalizer_sentence(result), _pretokenizer_sentence(result, found), _added_sentence(found)])
    else:
        sentence = _("Nothing is left of the text after normalization and pre-tokenization, so there are no tokens.")
    cells = [
        cell(one.token.content, "pretoken", "special")
        if isinstance(one, AddedFound)
        else cell(one.text, "pretoken", "changed" if one.text != text[one.start : one.end] else "")
        for one in found
    ]
    record = {
        "kind": "pretokens",
        "pretokens": [
            {
                "text": well_formed(one.text if isinstance(one, Pretoken) else one.token.content),
                "start": one.start,
                "end": one.end,
                "added": isinstance(one, AddedFound),
            }
            for one in found
        ],
    }
    values = {
        "sentence": sentence,
        "original": [] if [one.text for one in cells] == [shown_piece(text)] else [cell(text, "typed")],
        "pretokens": cells,
        "changed": any("changed" in one.kinds for one in cells),
        "added": any(isinstance(one, AddedFound) for one in found),
    }
    return Frame("walkthrough/_preparation.html", sentence, record, lambda: values)


def _normalizer_sentence(result: Result) -> str:
    """What the normalizer did to this text."""
    normalizer = result.tokenizer.normalizer
    text = result.encoding.text
    if normalizer is None:
        return _("This vocabulary has no normalizer, so the text stays as it is.")
    names = join_list(step.name for step in pipeline_summary(result.tokenizer).normalizer)
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


def _pretokenizer_sentence(result: Result, found: Sequence[Pretoken | AddedFound]) -> str:
    """How many pre-tokens the pre-tokenizer made."""
    tokenizer = result.tokenizer
    count = sum(isinstance(one, Pretoken) for one in found)
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
    return joined([sentence, _dropped_sentence(result.encoding.text, found)])


def _dropped_sentence(text: str, found: Sequence[Pretoken | AddedFound]) -> str:
    """Whether part of the text is in no pre-token."""
    covered = [False] * len(text)
    for one in found:
        covered[one.start : one.end] = [True] * (one.end - one.start)
    lost = [character for character, kept in zip(text, covered, strict=True) if not kept]
    if not lost:
        return ""
    if all(character.isspace() for character in lost):
        return _("The white space between them is dropped.")
    return _("Some characters are dropped.")


def _added_sentence(found: Sequence[Pretoken | AddedFound]) -> str:
    """How many tokens are added tokens, which the algorithm does not see."""
    added = [one for one in found if isinstance(one, AddedFound)]
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
