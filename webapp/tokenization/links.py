"""Addresses of what belongs to a result, and the vocabularies that a page offers."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import Request, current_app, url_for

from webapp.core.affixes import offered_affixes
from webapp.core.algorithms import ALGORITHMS
from webapp.core.encoding import Encoding
from webapp.core.inference import OWN
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.comparison.state import Comparison, TokenizerChoice, inferences_compared
from webapp.tokenization.meter import Meter
from webapp.tokenization.result import Result, ids_of
from webapp.tokenization.state import State
from webapp.vocabularies import (
    CATALOGUE,
    CatalogueEntry,
    StillFetchingError,
    UnavailableVocabularyError,
    find,
    library,
    tokenizer_of,
    well_known,
)
from webapp.vocabularies.language_models import LanguageModel, model_of
from webapp.vocabularies.library import models_of
from webapp.vocabularies.titles import grouped
from webapp.vocabularies.upload_cookie import find_or_none, uploads_of, with_chosen

Groups = list[tuple[str, list[CatalogueEntry]]]


def is_independent(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary depends neither on the text nor on pasted words."""
    return entry.origin not in ("learned", "pasted")


def vocabulary_choices(
    request: Request, *chosen: str, keep: Callable[[CatalogueEntry], bool] = is_independent
) -> Groups:
    """The vocabularies that a page accepts (`keep`), with the visitor's uploads and those of others that are chosen."""
    uploads = with_chosen(uploads_of(request), filter(None, chosen))
    return grouped(filter(keep, [*uploads, *well_known(), *CATALOGUE.values()]))


def is_choice(name: str) -> bool:
    """Whether there is a vocabulary of this name that does not depend on the text or on pasted words."""
    entry = find(name)
    return entry is not None and is_independent(entry)


def playground_address(state: State, **changes: Any) -> str | None:
    """The address of the playground with a state and its changes; None if it would be too long."""
    return _address("playground.page", replace(state, token=None, **changes))


def compare_address(state: State) -> str | None:
    """The address of a comparison of all inferences of a state's vocabulary; None if there is one, or if too long."""
    choices = inferences_compared(TokenizerChoice(state.algorithm, state.vocabulary))
    return _address("compare.page", Comparison(choices, replace(state, inference=OWN))) if len(choices) > 1 else None


def _address(endpoint: str, of: State | Comparison) -> str | None:
    query = of.link(current_app.config["MAX_LINK_CHARACTERS"])
    return f"{url_for(endpoint)}?{query}" if query else None


def can_decode(state: State) -> bool:
    """Whether `/decode` has the vocabulary of a state: not one of the visitor's text or words, nor with changes."""
    changed = state.edits.strip() or state.added.strip()
    return is_choice(state.vocabulary) and not state.trained and not changed


def decode_link(state: State, ids: Sequence[int]) -> str | None:
    """The address of `/decode` with ids; None if it would be too long or the vocabulary is that of one text."""
    most = current_app.config["MAX_LINK_CHARACTERS"]
    if not can_decode(state) or len(ids) > most // 2:
        return None
    query = urlencode({"vocabulary": state.vocabulary, "ids": " ".join(map(str, ids))})
    return f"{url_for('decode.page')}?{query}" if len(query) <= most else None


MOST = 200
"""The longest text whose steps are shown, in characters."""
LONGEST_ADDRESS = 6_000
"""In characters; servers accept about 8,000. Higher than for other links, because nobody sends this one to others."""


def steps_address(result: Result, index: int | None = None) -> str | None:
    """The address of the step that produced token `index`, or of the first step for a short text; else None."""
    shortened = (result.state, None) if index is None else _short_state(result, index)
    return shortened and steps_of(*shortened)


def steps_of(state: State, token: int | None = None, step: int | None = None) -> str | None:
    """The address of a short text's steps, at a step or the one that produced `token`; None if there are none."""
    algorithm = ALGORITHMS.get(state.algorithm)
    if algorithm is None or not algorithm.has_steps or not state.text or find_or_none(state.vocabulary) is None:
        return None
    if len(state.text) > MOST:
        return None
    address = f"{url_for('steps.page', algorithm=state.algorithm)}?{state.query_of_algorithm()}"
    address += "".join(f"&{name}={at}" for name, at in (("token", token), ("step", step)) if at is not None)
    return address if len(address) <= LONGEST_ADDRESS else None


def _short_state(result: Result, index: int) -> tuple[State, int] | None:
    """A state whose text is short enough for the steps and contains the token, and the token's index there."""
    state, encoding = result.state, result.encoding
    for left, right in spans_around(encoding, index):
        try:
            part = result.encoder.encode(encoding.text[left:right], special=state.special, template=state.puts_around)
        except LookupError:  # the vocabulary of a shared result no longer exists
            return None
        # Byte tokens of one character have the same offsets: in the whole text, the index tells them apart.
        wanted = encoding.ids[index], encoding.starts[index] - left, encoding.ends[index] - left
        places = [at for at, one in enumerate(zip(part.ids, part.starts, part.ends, strict=True)) if one == wanted]
        if places:
            # A vocabulary trained on the text itself is still trained on the whole text.
            corpus = state.corpus or (state.text if state.trained and part.text != state.text else "")
            token = index if index in places and part.text == encoding.text else places[0]
            return replace(state, text=part.text, corpus=corpus, token=None), token
    return None


def spans_around(encoding: Encoding, index: int, most: int = MOST) -> Iterator[tuple[int, int]]:
    """Yield spans of a text around a token, at most `most` characters long, best first.

    The whole text; as much text as fits, between spaces; a few tokens before and after; the token alone.
    """
    text, start, end = encoding.text, encoding.starts[index], encoding.ends[index]
    if len(text) <= most:
        yield 0, len(text)
        return
    room = most - (end - start)
    left, right = max(0, start - room // 2), min(len(text), end + room // 2)
    space = next((at + 1 for at in range(left, start) if text[at].isspace()), left)
    found = [(space, next((at for at in range(right, end, -1) if text[at - 1 : at].isspace()), right)), (left, right)]
    for reach in (16, 8, 4, 2, 1, 0):
        before = encoding.starts[max(0, index - reach)]
        after = encoding.ends[min(len(encoding) - 1, index + reach)]
        found += [(before, after), (before, end), (start, after)]
    for left, right in dict.fromkeys(found):
        if left <= start and end <= right and 0 < right - left <= most:
            yield left, right


def token_address(result: Result, id: int) -> str | None:
    """The address of the page of token `id`; None if its vocabulary has no page, or has another token with this id.

    The vocabulary of a result may have words that a visitor added, and that of a shared result may be gone: a file that
    is not here is never fetched for a link.
    """
    name = result.state.vocabulary
    entry = find_or_none(name)
    if entry is None or entry.origin in ("learned", "pasted") or library().must_be_fetched(name):
        return None
    try:
        tokenizer = tokenizer_of(name)
    except (UnavailableVocabularyError, StillFetchingError, KeyError):
        return None
    if _piece(tokenizer, id) is None or _piece(tokenizer, id) != _piece(result.tokenizer, id):
        return None
    return url_for("vocabularies.token", name=name, id=id)


def _piece(tokenizer: Tokenizer, id: int) -> str | bytes | None:
    added = next((token.content for token in tokenizer.added_tokens if token.id == id), None)
    if added is not None:
        return added
    return tokenizer.model.pieces[id] if id < len(tokenizer.model.pieces) else None


def meter_of(state: State, result: Result) -> Meter | None:
    """Return the meter of a result; None if no model is chosen that uses its vocabulary."""
    name = state.relevant().model
    model = model_of(name) if name else None
    return Meter(len(result.encoding), model) if model else None


def models_offered(state: State) -> list[LanguageModel]:
    """The models that use the vocabulary; the chosen one too if the list has it only by the beginning of its name."""
    models, chosen = list(models_of(state.vocabulary)), model_of(state.relevant().model or "")
    return [chosen, *models] if chosen and all(model.id != chosen.id for model in models) else models


def affixes_offered(result: Result) -> tuple[Sequence[str], Sequence[str]]:
    """The names of the tokens that may be put before and after the text of a result."""
    return offered_affixes(result.base or result.tokenizer, result.state.affixes)


LONGEST_SEARCHED = 100_000  # characters of a text that is searched
MOST_HINTS = 3  # hints

# What special tokens look like: `<|im_start|>`, `<s>`, `</s>`, `<bos>`, `[CLS]`, `<｜begin▁of▁sentence｜>`. The bound
# keeps the search linear.
_SHAPE = re.compile(r"<[^\s<>]{1,60}>|\[[A-Za-z_0-9]{2,30}\]")
_CONTROL = re.compile(r"<[|｜][^\s|｜]+[|｜]>")


@dataclass(frozen=True)
class SpecialTokenHint:
    """A special token, or what looks like one, that was read as plain text.

    `known` says whether it is a special token of the vocabulary. `tokens` is the number of tokens that its first
    occurrence is part of; as a special token it would be one. `total` and `total_special` count the tokens of the whole
    text as it is and with special tokens recognized; they are equal if the token is not known.
    """

    token: str
    times: int
    known: bool
    tokens: int
    total: int
    total_special: int


def special_hints(state: State, encoding: Encoding, tokenizer: Tokenizer) -> list[SpecialTokenHint]:
    """The special tokens of a vocabulary in a text that was read without them, in order, and others with `<|…|>`.

    Empty if special tokens were recognized, if the vocabulary has none, and for long texts. It takes no longer than
    encoding the text once more.
    """
    text = encoding.text
    if state.special or len(text) > LONGEST_SEARCHED or not ("<" in text or "[" in text):
        return []
    names = tokenizer.special_tokens
    if not names or not replace(state, special=True).relevant().special:
        return []
    found = Counter(match[0] for match in _SHAPE.finditer(text))
    shown = [token for token in found if token in names or _CONTROL.fullmatch(token)][:MOST_HINTS]
    total = len(encoding)
    recognized = len(ids_of(tokenizer, text, special=True, template=state.puts_around)) if shown else total
    return [
        SpecialTokenHint(
            token=token,
            times=found[token],
            known=token in names,
            tokens=_tokens_of(encoding, text.index(token), len(token)),
            total=total,
            total_special=recognized if token in names else total,
        )
        for token in shown
    ]


def _tokens_of(encoding: Encoding, start: int, length: int) -> int:
    """The number of tokens with characters of a span."""
    return bisect_left(encoding.starts, start + length) - bisect_right(encoding.ends, start)
