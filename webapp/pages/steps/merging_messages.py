"""The sentences of merging: what happens in a step, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.traces.merging import (
    BeginStep,
    CandidatePair,
    MergeStep,
    MergingModel,
    MergingStep,
    ReplaceStep,
    TracedWord,
)
from webapp.pages.steps.word_traces import WordTrace
from webapp.pages.walkthrough.cells import quotable
from webapp.pages.walkthrough.merge_tree import score
from webapp.pages.walkthrough.preparation import added_sentence
from webapp.rendering.markup import shown_piece
from webapp.tokenization.messages import joined
from webapp.web.localization import number

_MAX_NAMED = 4
"""How many pieces a sentence names; the drawing shows all of them."""


def sentence_of(word: WordTrace, step: MergingStep | None) -> str:
    """The sentence of a step; an added token has no step and gets its own sentence."""
    if word.added is not None:
        return added_sentence(word.added)
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
    """A span of text in quotation marks, with visible spaces."""
    return _("“%(text)s”", text=quotable(text))


def quoted_piece(piece: str | bytes) -> str:
    """A piece in quotation marks."""
    try:
        text = quotable(piece.decode() if isinstance(piece, bytes) else piece)
    except UnicodeDecodeError:
        text = shown_piece(piece)
    return _("“%(text)s”", text=text)


def listed(pieces: Iterable[str | bytes]) -> str:
    """The pieces joined with plus signs, shortened after `_MAX_NAMED`."""
    every = [quoted_piece(one) for one in pieces]
    return " + ".join(every if len(every) <= _MAX_NAMED else [*every[: _MAX_NAMED - 1], "…"])


def final(count: int, *, scored: bool) -> str:
    """The sentence of the last step."""
    if not count:
        return _("There is nothing to merge: the text has no tokens.")
    sentence = ngettext(
        "Every word is done: the text is one token.", "Every word is done: the text is %(num)s tokens.", count
    )
    if scored:
        return joined([sentence, _("The trees show what each token was merged from, with the score of each merge.")])
    return joined([sentence, _("The trees show what each token was merged from, with the rank of each merge.")])


def _begin(model: MergingModel, word: TracedWord, step: BeginStep) -> str:
    count = len(step.symbols)
    if not isinstance(model, BPE | RankBPE) or not model.byte_level:
        sentence = ngettext(
            "The word %(word)s starts as one symbol.",
            "The word %(word)s starts as its characters: %(num)s symbols.",
            count,
            word=quoted(word.text),
        )
        return joined([sentence, *_suffix_sentence(model, step), *_exceptions(word, step)])
    sentence = ngettext(
        "The word %(word)s starts as its single UTF-8 byte.",
        "The word %(word)s starts as its %(num)s UTF-8 bytes.",
        count,
        word=quoted(word.text),
    )
    return joined([sentence, _("Every byte is a piece, so nothing is unknown.")])


def _suffix_sentence(model: MergingModel, step: BeginStep) -> list[str]:
    """The sentence about the end-of-word suffix, if there is one."""
    if not step.symbols or step.symbols[-1].kind not in ("piece", "suffix"):
        return []
    if not isinstance(model, BPE) or not model.end_of_word_suffix:
        return []
    if model.suffix_id is None:
        return [_("The last one ends with %(suffix)s, the end-of-word suffix.", suffix=model.end_of_word_suffix)]
    return [_("The last one is followed by %(suffix)s, the end-of-word suffix.", suffix=model.end_of_word_suffix)]


def _exceptions(word: TracedWord, step: BeginStep) -> list[str]:
    """A sentence for each kind of character that is not a plain piece."""
    sentences = []
    for kind in ("byte", "unknown", "uncovered", "user-defined"):
        places = dict.fromkeys((one.start, one.end) for one in step.symbols if one.kind == kind)
        if places:
            sentences.append(_exception(kind, _places(word, list(places)), len(places)))
    if step.left_out:
        sentences.append(_exception("left out", _places(word, step.left_out), len(step.left_out)))
    starts = [symbol.start for symbol in step.symbols]
    if starts != sorted(starts):
        sentences.append(_("Unknown characters move after the bytes that follow them, as in the “tokenizers” library."))
    return sentences


def _exception(kind: str, texts: str, count: int) -> str:
    if kind == "byte":
        return ngettext(
            "%(texts)s is not a piece, so its bytes are used instead (byte fallback).",
            "%(texts)s are not pieces, so their bytes are used instead (byte fallback).",
            count,
            texts=texts,
        )
    if kind == "unknown":
        return ngettext(
            "%(texts)s is not a piece and becomes the unknown token.",
            "%(texts)s are not pieces and become unknown tokens.",
            count,
            texts=texts,
        )
    if kind == "uncovered":
        return ngettext(
            "%(texts)s is not a piece by itself, but a merge may still make it part of one.",
            "%(texts)s are not pieces by themselves, but merges may still make them part of one.",
            count,
            texts=texts,
        )
    if kind == "user-defined":
        return ngettext(
            "%(texts)s is a user-defined piece: it is never split or merged.",
            "%(texts)s are user-defined pieces: they are never split or merged.",
            count,
            texts=texts,
        )
    return ngettext(
        "%(texts)s is not a piece, and this vocabulary has no unknown token, so it is dropped.",
        "%(texts)s are not pieces, and this vocabulary has no unknown token, so they are dropped.",
        count,
        texts=texts,
    )


def _places(word: TracedWord, places: Sequence[tuple[int, int]]) -> str:
    texts = [quoted(word.text[start:end]) for start, end in places]
    shown = texts if len(texts) <= _MAX_NAMED else [*texts[: _MAX_NAMED - 1], "…"]
    return " ".join(shown)


def _merge(model: MergingModel, step: MergeStep) -> str:
    at = step.chosen[0]
    pair = step.pairs[at]
    assert pair is not None
    made = step.made[0]
    sentences = [_best(step, pair, at)]
    if len(step.chosen) > 1:
        sentences.append(
            _("The pair occurs %(count)s times; all occurrences are merged together.", count=len(step.chosen))
        )
    elif sum(_equal(other, pair) for other in step.pairs) > 1:
        sentences.append(
            _("The pair occurs more than once; the leftmost is merged first.")
            if pair.score is None
            else _("More than one pair has that score; the leftmost is merged first.")
        )
    sentences.append(_("They become %(piece)s, id %(id)s.", piece=quoted_piece(made.piece), id=made.id))
    if made.kind == "unused":
        sentences.append(_("That piece is marked as unused: it can be merged further, but cannot be a token."))
    elif len(step.after) == 1:
        sentences.append(_("The whole word is one token now."))
    return joined(sentences)


def _best(step: MergeStep, pair: CandidatePair, at: int) -> str:
    there = sum(other is not None for other in step.pairs)
    left, right = quoted_piece(step.symbols[at].piece), quoted_piece(step.symbols[at + 1].piece)
    if pair.score is not None:
        return ngettext(
            "Only one adjacent pair can be merged: %(left)s + %(right)s, with score %(score)s.",
            "%(num)s adjacent pairs can be merged. The highest score, %(score)s, is that of %(left)s + %(right)s.",
            there,
            left=left,
            right=right,
            score=score(pair.score),
        )
    assert pair.rank is not None
    return ngettext(
        "Only one adjacent pair can be merged: %(left)s + %(right)s, with rank %(rank)s.",
        "%(num)s adjacent pairs can be merged. The lowest rank, %(rank)s, is that of %(left)s + %(right)s.",
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
            "%(piece)s is marked as unused and cannot be a token. It is split again into %(parts)s, the last adjacent "
            "pair seen for it.",
            piece=text,
            parts=listed(node.piece for node in step.made),
        )
    if step.why == "bytes":
        hexadecimal = word.text[step.symbols[step.first].start : step.symbols[step.first].end].encode().hex(" ").upper()
        return ngettext(
            "No further merge applies, and %(text)s is not a piece: its single byte, %(bytes)s, is used instead (byte "
            "fallback).",
            "No further merge applies, and %(text)s is not a piece: its %(num)s bytes, %(bytes)s, are used instead "
            "(byte fallback).",
            len(step.made),
            text=text,
            bytes=hexadecimal,
        )
    return _(
        "No further merge applies, and %(text)s is not a piece: the whole run becomes one unknown token, id %(id)s.",
        text=text,
        id=step.made[0].id,
    )


def _end(word: WordTrace) -> str:
    assert word.word is not None
    tokens = word.tokens
    if not tokens:
        return _("Nothing is left of the word %(word)s, so it has no tokens.", word=quoted(word.text))
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
        return _("No adjacent pair is in the list of merges, so merging ends here.")
    return _("No adjacent pair forms a piece of the vocabulary, so merging ends here.")


def _whole(word: WordTrace) -> str:
    """The sentences about a word that is a piece, and what merging would have given."""
    sentence = _(
        "The word %(word)s is a piece, id %(id)s. This tokenizer looks up the whole word first and merges only if it "
        "is not found.",
        word=quoted(word.text),
        id=word.ids[0],
    )
    tokens = word.merged_tokens
    if [token.id for token in tokens] == word.ids:
        return joined([sentence, _("Merging would give the same token, as the tree shows.")])
    return joined([sentence, _("Merging would give %(parts)s.", parts=listed(token.piece for token in tokens))])


def how_it_merges(model: MergingModel) -> str:
    """What the numbers between the symbols mean."""
    if isinstance(model, SubwordBPE):
        return _(
            "The number between two symbols is the rank of their merge: the lowest is applied first, to all "
            "occurrences at once."
        )
    if isinstance(model, BPE):
        return _("The number between two symbols is the rank of their merge: the lowest is applied first.")
    if isinstance(model, RankBPE):
        return _("The number between two symbols is the rank of the piece that they form: the lowest is merged first.")
    return _("The number between two symbols is the score of the piece that they form: the highest is merged first.")
