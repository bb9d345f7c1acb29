"""What happens in a step of merging, and why, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.subword_nmt import SubwordBPE
from webapp.core.traces.merging import (
    BeginStep,
    CandidatePair,
    MergeStep,
    MergingModel,
    MergingStep,
    ReplaceStep,
    TracedWord,
)
from webapp.pages.steps.merge_tree import score
from webapp.pages.steps.word_traces import WordTrace
from webapp.pages.walkthrough.cells import said
from webapp.rendering.markup import shown_piece
from webapp.tokenization.messages import joined
from webapp.web.localization import number

_NAMED = 4
"""So many pieces are named in one sentence; the picture has the rest."""


def sentence_of(word: WordTrace, step: MergingStep | None) -> str:
    """The sentence of a step; an added token has none and gets its own."""
    if word.added is not None:
        return _added(word)
    assert word.word is not None
    match step:
        case BeginStep():
            return _begin(word.model, word.word, step)
        case MergeStep():
            return _merge(word.model, step)
        case ReplaceStep():
            return _replace(word.word, step)
        case _:
            return _whole(word) if word.word.whole else _end(word)


def quoted(text: str) -> str:
    """A stretch of text, its spaces to be seen, in quotation marks."""
    return _("“%(text)s”", text=said(text))


def piece(of: str | bytes) -> str:
    """A piece in quotation marks."""
    try:
        text = said(of.decode() if isinstance(of, bytes) else of)
    except UnicodeDecodeError:
        text = shown_piece(of)
    return _("“%(text)s”", text=text)


def listed(pieces: Iterable[str | bytes]) -> str:
    """Pieces with plus signs between them, at most a few of them."""
    every = [piece(one) for one in pieces]
    return " + ".join(every if len(every) <= _NAMED else [*every[: _NAMED - 1], "…"])


def final(count: int, *, scored: bool) -> str:
    """The last step's sentence."""
    if not count:
        return _("There is nothing to merge: the text has no tokens.")
    told = ngettext(
        "Every word is done: the text is one token.", "Every word is done: the text is %(num)s tokens.", count
    )
    if scored:
        return joined([told, _("The trees show what each token was merged from, with the score of each merge.")])
    return joined([told, _("The trees show what each token was merged from, with the rank of each merge.")])


def _added(word: WordTrace) -> str:
    assert word.added is not None
    if word.added.around:
        return _(
            "%(name)s is put around the text, as the vocabulary asks; no algorithm is needed.", name=said(word.text)
        )
    return _("%(name)s is an added token: it is found in the text as it is, and never cut.", name=said(word.text))


def _begin(model: MergingModel, word: TracedWord, step: BeginStep) -> str:
    count = len(step.symbols)
    if not isinstance(model, BPE | RankBPE) or not model.byte_level:
        told = ngettext(
            "The word %(word)s begins as one symbol.",
            "The word %(word)s begins as its characters, %(num)s symbols.",
            count,
            word=quoted(word.text),
        )
        return joined([told, *_marks(model, step), *_exceptions(word, step)])
    told = ngettext(
        "The word %(word)s begins as its one byte in UTF-8.",
        "The word %(word)s begins as its %(num)s bytes in UTF-8.",
        count,
        word=quoted(word.text),
    )
    return joined([told, _("Every byte is a piece, so nothing can be unknown.")])


def _marks(model: MergingModel, step: BeginStep) -> list[str]:
    """What is written at a word's characters."""
    if not step.symbols or step.symbols[-1].kind not in ("piece", "suffix"):
        return []
    if not isinstance(model, BPE) or not model.end_of_word_suffix:
        return []
    if model.suffix_id is None:
        return [_("The last one carries %(suffix)s, the mark of a word's end.", suffix=model.end_of_word_suffix)]
    return [_("Behind the last one stands %(suffix)s, the mark of a word's end.", suffix=model.end_of_word_suffix)]


def _exceptions(word: TracedWord, step: BeginStep) -> list[str]:
    """The characters that are not simply a piece."""
    told = []
    for kind in ("byte", "unknown", "uncovered", "user-defined"):
        places = dict.fromkeys((one.start, one.end) for one in step.symbols if one.kind == kind)
        if places:
            told.append(_exception(kind, _places(word, list(places)), len(places)))
    if step.left_out:
        told.append(_exception("left out", _places(word, step.left_out), len(step.left_out)))
    starts = [symbol.start for symbol in step.symbols]
    if starts != sorted(starts):
        told.append(_("Unknown characters come behind the bytes that follow them, as in the library “tokenizers”."))
    return told


def _exception(kind: str, texts: str, count: int) -> str:
    if kind == "byte":
        return ngettext(
            "%(texts)s has no piece; its bytes stand in for it (byte fallback).",
            "%(texts)s have no pieces; their bytes stand in for them (byte fallback).",
            count,
            texts=texts,
        )
    if kind == "unknown":
        return ngettext(
            "%(texts)s has no piece and becomes the unknown token.",
            "%(texts)s have no pieces and become unknown tokens.",
            count,
            texts=texts,
        )
    if kind == "uncovered":
        return ngettext(
            "%(texts)s has no piece of its own and waits for what the merges make of it.",
            "%(texts)s have no pieces of their own and wait for what the merges make of them.",
            count,
            texts=texts,
        )
    if kind == "user-defined":
        return ngettext(
            "%(texts)s is a user-defined piece: it stays whole and is merged with nothing.",
            "%(texts)s are user-defined pieces: they stay whole and are merged with nothing.",
            count,
            texts=texts,
        )
    return ngettext(
        "%(texts)s has no piece and, as there is no unknown token either, is left out.",
        "%(texts)s have no pieces and, as there is no unknown token either, are left out.",
        count,
        texts=texts,
    )


def _places(word: TracedWord, places: Sequence[tuple[int, int]]) -> str:
    texts = [quoted(word.text[start:end]) for start, end in places]
    shown = texts if len(texts) <= _NAMED else [*texts[: _NAMED - 1], "…"]
    return " ".join(shown)


def _merge(model: MergingModel, step: MergeStep) -> str:
    at = step.chosen[0]
    pair = step.pairs[at]
    assert pair is not None
    made = step.made[0]
    told = [_best(step, pair, at)]
    if len(step.chosen) > 1:
        told.append(_("It stands there %(count)s times; all places are merged together.", count=len(step.chosen)))
    elif sum(_equal(other, pair) for other in step.pairs) > 1:
        told.append(
            _("It is there more than once; the leftmost goes first.")
            if pair.score is None
            else _("More than one pair has that score; the leftmost goes first.")
        )
    told.append(_("They become %(piece)s, id %(id)s.", piece=piece(made.piece), id=made.id))
    if made.kind == "unused":
        told.append(_("That piece is marked as unused: it may be merged further, but not stay."))
    elif len(step.after) == 1:
        told.append(_("The whole word is one token now."))
    return joined(told)


def _best(step: MergeStep, pair: CandidatePair, at: int) -> str:
    there = sum(other is not None for other in step.pairs)
    left, right = piece(step.symbols[at].piece), piece(step.symbols[at + 1].piece)
    if pair.score is not None:
        return ngettext(
            "Only one pair of neighbours can be merged: %(left)s + %(right)s, with the score %(score)s.",
            "%(num)s pairs of neighbours can be merged. The highest score, %(score)s, is that of %(left)s + %(right)s.",
            there,
            left=left,
            right=right,
            score=score(pair.score),
        )
    assert pair.rank is not None
    return ngettext(
        "Only one pair of neighbours can be merged: %(left)s + %(right)s, with the rank %(rank)s.",
        "%(num)s pairs of neighbours can be merged. The lowest rank, %(rank)s, is that of %(left)s + %(right)s.",
        there,
        left=left,
        right=right,
        rank=number(pair.rank),
    )


def _equal(other: CandidatePair | None, pair: CandidatePair) -> bool:
    return other is not None and (other.rank, other.score) == (pair.rank, pair.score)


def _replace(word: TracedWord, step: ReplaceStep) -> str:
    text = quoted(word.text[step.symbols[step.first].start : step.symbols[step.last - 1].end])
    if step.why == "apart":
        return _(
            "%(piece)s is marked as unused and cannot be a token. It is taken apart again: into %(parts)s, the two "
            "parts that were last seen side by side.",
            piece=text,
            parts=listed(node.piece for node in step.made),
        )
    if step.why == "bytes":
        spelt = word.text[step.symbols[step.first].start : step.symbols[step.first].end].encode().hex(" ").upper()
        return ngettext(
            "Nothing more can be merged, and no piece is %(text)s: its one byte, %(bytes)s, stands in for it (byte "
            "fallback).",
            "Nothing more can be merged, and no piece is %(text)s: its %(num)s bytes, %(bytes)s, stand in for it (byte "
            "fallback).",
            len(step.made),
            text=text,
            bytes=spelt,
        )
    return _(
        "Nothing more can be merged, and no piece holds %(text)s: the whole run becomes one unknown token, id %(id)s.",
        text=text,
        id=step.made[0].id,
    )


def _end(word: WordTrace) -> str:
    assert word.word is not None
    tokens = word.tokens
    if not tokens:
        return _("Nothing of the word %(word)s is left, so it has no token.", word=quoted(word.text))
    if len(tokens) == 1:
        return _(
            "The word %(word)s is a single symbol, so there is nothing to merge: one token, id %(id)s.",
            word=quoted(word.text),
            id=tokens[0].id,
        )
    count = ngettext(
        "The word is one token.", "The word %(word)s is %(num)s tokens.", len(tokens), word=quoted(word.text)
    )
    return joined([_why_ended(word.model), count])


def _why_ended(model: MergingModel) -> str:
    if isinstance(model, BPE):
        return _("No two neighbours are a pair in the list of merges, so merging ends here.")
    return _("No two neighbours spell a piece of the vocabulary, so merging ends here.")


def _whole(word: WordTrace) -> str:
    """A word that is a piece: what merging would have made of it."""
    told = _(
        "The word %(word)s is a piece, id %(id)s. This vocabulary looks for the whole word first and does not merge it "
        "then.",
        word=quoted(word.text),
        id=word.ids[0],
    )
    tokens = word.merged_tokens
    if [token.id for token in tokens] == word.ids:
        return joined([told, _("Merging would end in the same token, as the tree shows.")])
    return joined([told, _("Merging would end in %(parts)s.", parts=listed(token.piece for token in tokens))])


def how_it_merges(model: MergingModel) -> str:
    """What the numbers between the symbols are."""
    if isinstance(model, SubwordBPE):
        return _("The number of a pair is the rank of its merge: the lowest goes first, in all its places together.")
    if isinstance(model, BPE):
        return _("The number of a pair is the rank of its merge: the lowest goes first.")
    if isinstance(model, RankBPE):
        return _("The number of a pair is the rank of the piece that both would spell: the lowest goes first.")
    return _("The number of a pair is the score of the piece that both would spell: the highest goes first.")
