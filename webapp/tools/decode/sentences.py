"""The sentences of `/decode`."""

from __future__ import annotations

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.analysis.decoding import Decoded, DecodedToken
from webapp.core.text.utf8 import REPLACEMENT, missing_bytes
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.ids import IdsError, OutsideIds
from webapp.tokenization.messages import joined
from webapp.web.localization import join_list, number


def ids_problem(error: IdsError) -> InputProblem:
    """The problem with text that is no list of ids."""
    wrong = _(error.phrase.sentence, **error.phrase.values)
    place = _("Line %(line)s, column %(column)s", line=number(error.line), column=number(error.column))
    message = _("%(place)s: %(wrong)s.", place=place, wrong=wrong)
    return InputProblem(message, 413 if error.too_many else 422, "ids")


def outside_problem(outside: OutsideIds, tokenizer: Tokenizer) -> InputProblem:
    """The problem with ids that the vocabulary does not have, with their places."""
    places = [
        _(
            "%(id)s (line %(line)s, column %(column)s)",
            id=place.written,
            line=number(place.line),
            column=number(place.column),
        )
        for place in outside.places
    ]
    last = max([len(tokenizer.model.pieces) - 1, *(token.id for token in tokenizer.added_tokens)])
    more = outside.count - len(outside.places)
    sentence = ngettext(
        "One id is not in this vocabulary, whose ids go from 0 to %(last)s: %(places)s.",
        "%(count)s ids are not in this vocabulary, whose ids go from 0 to %(last)s: %(places)s.",
        outside.count,
        count=number(outside.count),
        last=number(last),
        places=join_list(places),
    )
    rest = ngettext("One more is not listed.", "%(count)s more are not listed.", more, count=number(more))
    return InputProblem(joined([sentence, rest if more else ""]), 422, "ids")


def state_sentence(token: DecodedToken) -> str:
    """What is unfinished or invalid after a token; empty if all its characters are complete."""
    sentences = []
    if token.skipped:
        sentences.append(_("Special, left out."))
    if token.invalid:
        sentences.append(_("%(bytes)s is not valid UTF-8.", bytes=_hexadecimal(token.invalid)))
    if token.pending:
        ranges = missing_bytes(token.pending)
        sentences.append(
            ngettext(
                "%(bytes)s needs 1 more byte (%(ranges)s).",
                "%(bytes)s needs %(num)s more bytes (%(ranges)s).",
                len(ranges),
                bytes=_hexadecimal(token.pending),
                ranges=" ".join(f"{low:02X}–{high:02X}" for low, high in ranges),
            )
        )
        if token.resolved_by is None:
            sentences.append(_("No token completes it."))
        elif token.completed:
            sentences.append(_("Token %(number)s completes it.", number=number(token.resolved_by + 1)))
        else:
            sentences.append(_("Token %(number)s does not continue it.", number=number(token.resolved_by + 1)))
    return joined(sentences)


def stream_sentence(found: Decoded) -> str:
    """What both clients print, and why they differ."""
    partial = sum(bool(token.pending) for token in found.tokens)
    if not found.exact:
        return _(
            "The decoder of this vocabulary changes text across tokens, so a token has no text of its own. A client "
            "has to decode all ids again for each new token."
        )
    sentences = []
    if partial:
        sentences.append(
            ngettext(
                "One token ends inside a character: its bytes are only the beginning of one, which a client that "
                "decodes each token alone prints as �.",
                "%(count)s tokens end inside a character: their bytes are only the beginning of one, which a client "
                "that decodes each token alone prints as �.",
                partial,
                count=number(partial),
            )
        )
        sentences.append(_("A client that keeps these bytes prints each character with the token that completes it."))
    elif REPLACEMENT in found.apart:
        sentences.append(_("The � is in the text itself: both clients print it."))
    elif found.apart != found.streamed:
        sentences.append(
            _(
                "No token ends inside a character, but this decoder adds or removes spaces and marks depending on the "
                "place of a token in the text, which a token alone does not have."
            )
        )
    else:
        sentences.append(_("No token ends inside a character here, so both clients print the same text."))
    if found.pending:
        sentences.append(
            _("The ids end inside a character: the bytes %(bytes)s are pending.", bytes=_hexadecimal(found.pending))
        )
    if found.text != found.streamed:
        sentences.append(
            _(
                "Not all bytes are valid: for the whole text, this decoder then replaces each byte token of the run, "
                "even those of complete characters."
            )
        )
    return joined(sentences)


def _hexadecimal(data: bytes) -> str:
    return data.hex(" ").upper()
