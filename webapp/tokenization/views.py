"""What the templates of a result show."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal
from urllib.parse import urlencode

import regex
from flask import current_app, url_for
from flask_babel import gettext as _

from webapp.core.analysis.ambiguity import find_ambiguities
from webapp.core.analysis.token_origin import Mark, marks_in
from webapp.core.encoding import Encoding
from webapp.core.inference import INFERENCES
from webapp.core.models.bpe import BPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import EditedDictionary
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.models.unigram import Unigram
from webapp.core.models.word_models import DictionaryModel
from webapp.core.text.chinese_script import is_traditional
from webapp.core.trainers.wordpiece import ScoredMerge
from webapp.rendering.markup import DRAWN, Painter, ids_html, piece_bytes, shown_piece, visible
from webapp.tokenization import algorithms, links
from webapp.tokenization.exports import counted_tokens
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import joined, translated
from webapp.tokenization.other_tokenizers import other_tokenizers
from webapp.tokenization.result import COMPARED_CHARACTERS, DISAGREEING_CHARACTERS, Result, explained_changes
from webapp.tokenization.state import State, View
from webapp.vocabularies import GPT_4O, CatalogueEntry, StillFetchingError, find, title_of
from webapp.vocabularies.shipped_vocabularies import NAMES, NGRAM, SIMPLIFIED, TAGGER
from webapp.web.localization import number
from webapp.web.templates import Context

DECODED_SHOWN = 20_000  # characters; also in `_decoded.html`
LONG = 2_500  # tokens; a longer result is laid out chunk by chunk as it comes into view
LINKS_SHOWN = 262_144  # characters of addresses on one page; beyond, tokens are opened by number
SHORT = 300  # characters of a text that is set in large type
TILES = 500  # tokens; in a longer result ids and bytes are not shown under the tokens
# Letters of these scripts join or form clusters with their neighbours, which tiles would break.
_JOINED = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Telugu}\p{Thai}\p{Khmer}\p{Myanmar}]"
)


@dataclass(frozen=True)
class DetailsForm:
    """The form that requests token details and files: its id on the page, its address and its method."""

    form: str
    url: str
    method: Literal["get", "post"]
    files: str  # the address of downloads, without the suffix such as `.svg`


class ResultView(Context):
    """A result with the details of the chosen token, or the problems of the input. Templates call it `shown`.

    `link` is the address of the page, None if it would be too long; `stem` is the address of a token's details without
    the token's number.
    """

    template = "tokenization/_result.html"
    LONG: ClassVar[int] = LONG
    SHORT: ClassVar[int] = SHORT
    TILES: ClassVar[int] = TILES
    shown: ClassVar[object]  # the view itself, for what templates derive from it

    state: State
    result: Result | None
    problems: Sequence[InputProblem] = ()
    details: TokenDetails | None
    token_problems: Sequence[InputProblem]
    link: str | None
    stem: str | None
    chooser: DetailsForm
    pending: StillFetchingError | None = None  # while the vocabulary is being downloaded
    json_url: str | None = None  # the same as JSON
    shareable: bool = False  # whether the page has the form with the text, and offers to share the result
    edit_problem: InputProblem | None = None  # with a change to the dictionary that was typed
    typed_change: Mapping[str, str] = field(default_factory=dict)  # its fields, empty once the change is made
    others_follow: bool = False  # whether the row of other tokenizers comes with a request of its own

    def variables(self) -> dict[str, object]:
        """The fields, and the view itself."""
        return {**super().variables(), "shown": self}

    @property
    def fallback(self) -> CatalogueEntry | None:
        """The vocabulary to offer in place of one that does not exist or is not available."""
        return find(GPT_4O) if self.shareable and any(one.field == "vocabulary" for one in self.problems) else None

    @property
    def wrong(self) -> Mapping[str, str]:
        """What is wrong with each field, "" for one without a problem; a file is read into the text box."""
        return defaultdict(str, {{"file": "text"}.get(one.field, one.field): one.message for one in self.problems})

    @property
    def rejected(self) -> Mapping[str, str]:
        """What was entered into each field that cannot hold it, "" for the others."""
        return defaultdict(str, {problem.field: problem.value for problem in self.problems})

    @property
    def takes_tokens(self) -> bool:
        """Whether tokens may be added to the vocabulary."""
        return self.state.family is not None and not self.words

    @property
    def wants_simplified(self) -> bool:
        """Whether the text is in traditional characters, of which the vocabulary knows few."""
        return self.state.vocabulary in SIMPLIFIED and is_traditional(self.state.text)

    @property
    def unedited_dictionary(self) -> Dictionary | None:
        """The dictionary without the changes."""
        dictionary = self.result.dictionary if self.result else None
        return dictionary.base if isinstance(dictionary, EditedDictionary) else dictionary

    @cached_property
    def entry(self) -> CatalogueEntry | None:
        """The vocabulary; None if it no longer exists."""
        return find(self.state.vocabulary)

    @property
    def words(self) -> bool:
        """Whether the tokens are words: nobody decodes them, or uses their ids."""
        return self.state.finds_words

    @property
    def under(self) -> View:
        """What the page shows under the tokens: the visitor's choice, or ids under a short text."""
        assert self.result is not None
        if len(self.result.encoding) > TILES or self.words:
            return "tokens"
        text = self.result.encoding.text
        return self.state.view or ("ids" if len(text) <= SHORT and not _JOINED.search(text) else "tokens")

    def _label(self) -> Callable[[int], str] | None:
        """What stands under each token in the shown view."""
        assert self.result is not None
        encoding = self.result.encoding
        if self.under == "ids":
            return lambda index: str(encoding.ids[index])
        if self.under == "bytes":
            return lambda index: token_bytes(encoding, index).hex(" ").upper()
        return None

    def divisible_words(self) -> dict[str, tuple[str, ...]]:
        """The different words in the text of a short result of FMM or BMM that consist of words, as in `/ambiguity`."""
        assert self.result is not None
        dictionary, text = self.result.dictionary, self.result.encoding.text
        if dictionary is None or not self.result.matches or len(text) > COMPARED_CHARACTERS:
            return {}
        found = find_ambiguities(dictionary, text, self.state.runs, 2).combinations()
        return {text[each.start : each.end]: each.parts for each in found}

    def pretokens_address(self) -> str | None:
        """The address of the pre-tokens of the same text, for a vocabulary with a pre-tokenizer and a page."""
        assert self.result is not None
        state, most = self.state, current_app.config["MAX_LINK_CHARACTERS"]
        has_page = not state.trained and not state.lowercase and self.result.tokenizer.pretokenizer is not None
        if not has_page or len(state.text) > most:
            return None
        fields = {"vocabulary": state.vocabulary, "text": state.text} | ({"special": "1"} if state.special else {})
        query = urlencode(fields)
        return f"{url_for('pretokens.page')}?{query}" if len(query) <= most else None

    @property
    def query(self) -> str | None:
        """The query string of the same state for other pages, or None if it would be too long."""
        return self.state.link(current_app.config["MAX_LINK_CHARACTERS"])

    @property
    def vocabulary_title(self) -> str:
        """The title of the vocabulary; empty if it has none."""
        return title_of(self.entry) if self.entry else ""

    @cached_property
    def painter(self) -> Painter:
        """A painter for the tokens; each token links to its details unless the URLs would be too many or too long."""
        assert self.result is not None
        encoding = self.result.encoding
        links = self.stem is not None and len(encoding) * len(self.stem) <= LINKS_SHOWN
        return Painter(
            encoding,
            show=self.state.show,
            link=(lambda index: f"{self.stem}{index}#result") if links else None,
            chosen=self.details.token.index if self.details else None,
            under=self._label(),
            added=self.result.affixed.added if self.result.affixed else frozenset(),
            most=DRAWN,
        )

    @property
    def pieces_by_score(self) -> list[tuple[str, float]]:
        """The pieces of a Unigram vocabulary trained on the visitor's text, most probable first."""
        assert self.result is not None
        model = self.result.tokenizer.model
        assert isinstance(model, Unigram)
        pieces = zip(map(shown_piece, model.pieces), model.scores, strict=True)
        known = (piece for id, piece in enumerate(pieces) if id != model.unknown_id)
        return sorted(known, key=lambda piece: -piece[1])


class TokenView(ResultView):
    """The details of the chosen token alone."""

    template = "tokenization/_details.html"


def milliseconds(seconds: float) -> str:
    """A time in milliseconds: `0.00042 → 0.42 ms`."""
    value = seconds * 1000
    return _("%(value)s ms", value=number(value, 2 if value < 10 else 0))


_OF_LINKS = (
    "affixes_offered can_decode compare_address decode_link meter_of models_offered "
    "playground_address special_hints steps_address"
)
_FUNCTIONS = (
    *(algorithms.caption_of, algorithms.how_it_works, algorithms.inference_title),
    *(counted_tokens, ids_html, other_tokenizers),
)
TEMPLATE_GLOBALS = {
    "texts": vars(algorithms)
    | {
        "NAMES": NAMES,
        "NGRAM": NGRAM,
        "TAGGER": TAGGER,
        "joined": joined,
        "milliseconds": milliseconds,
        "translated": translated,
    },
    "most_compared": COMPARED_CHARACTERS,
    "most_disagreeing": DISAGREEING_CHARACTERS,
    "inferences": INFERENCES,
    "explained_changes": explained_changes,
    **{function.__name__: function for function in _FUNCTIONS},
    **{name: getattr(links, name) for name in _OF_LINKS.split()},
}
"""What the templates of a result call, for example `caption_of(state.algorithm, model)`."""


CHARACTERS_SHOWN = 64
LONGEST_MARKED = 1_000  # characters or bytes of a piece whose marks are explained


class TokenDetails:
    """The contents of the details pane for token `index`; None for what the vocabulary does not have."""

    def __init__(self, result: Result, index: int, named: str = "") -> None:
        """Collect the details; raises InputProblem if the text has no such token, which the request `named` so."""
        encoding, model = result.encoding, result.tokenizer.model
        if not 0 <= index < len(encoding):
            values = {"index": named or index, "count": f"{len(encoding):,}"}
            message = _("There is no token %(index)s: the text has %(count)s, counted from 0.", **values)
            raise InputProblem(message, 404)
        self.token = token = encoding[index]
        is_piece = token.id < len(model.pieces)
        text = encoding.text[token.start : token.end]
        # An unknown word is `[UNK]` if there is such a piece.
        self.piece = shown_piece(model.pieces[token.id] if token.unknown and is_piece else token.piece)
        self.bytes = piece_bytes(encoding, index)[: 4 * CHARACTERS_SHOWN].hex(" ").upper()
        self.characters = list(map(character_of, text[:CHARACTERS_SHOWN]))
        self.characters_left_out = max(0, len(text) - CHARACTERS_SHOWN)
        self.rank: int | None = None
        self.merged_from: list[tuple[int | None, str]] = []  # the id and the piece of each half
        self.exclusiveness: float | None = None  # WordPiece's score of the merge
        if isinstance(model, BPE | RankBPE) and is_piece and (merge := model.merge_of(token.id)):
            self.rank = merge.rank
            self.merged_from = [(half, shown_piece(model.pieces[half])) for half in (merge.left, merge.right)]
        for rank, trained in enumerate(result.merges):
            if isinstance(trained, ScoredMerge) and trained.piece == token.piece:
                self.rank, self.exclusiveness = rank, trained.score
                self.merged_from = [(model.id_of(half), shown_piece(half)) for half in (trained.left, trained.right)]
        self.score: float | None = None
        if isinstance(model, Unigram | ScoredModel) and not token.unknown and is_piece:
            self.score = model.scores[token.id]
        dictionary = model.dictionary if isinstance(model, DictionaryModel) else None
        known = dictionary if dictionary and token.id < dictionary.unknown_id else None
        self.frequency = known.frequencies[token.id] if known and known.frequencies else None
        self.tag = known.tags[token.id] if known and known.tags else None
        affixed = result.affixed
        self.is_added = affixed is not None and token.id in affixed.added
        self.is_around = affixed is not None and not affixed.before <= index < len(encoding) - affixed.after
        has_marks = is_piece and not token.unknown and not token.special
        self.marks: list[Mark] = []
        if has_marks and len(model.pieces[token.id]) <= LONGEST_MARKED:
            self.marks = marks_in(result.tokenizer, model.pieces[token.id])
        self.page = links.token_address(result, token.id)  # the address of the token's own page


@dataclass(frozen=True)
class Character:
    """A code point with its Unicode name; `shown` is safe to put on a page."""

    code: str
    name: str
    shown: str


def character_of(char: str) -> Character:
    """A character with its code point and its name."""
    code = f"U+{ord(char):04X}"
    return Character(code, unicodedata.name(char, ""), visible(char, show=True).strip("\n\t"))


def token_bytes(encoding: Encoding, index: int) -> bytes:
    """The bytes of a token: of its piece if the vocabulary is one of bytes, else of the text that it covers."""
    piece, data = encoding.piece(index), piece_bytes(encoding, index)
    if isinstance(piece, bytes) or data != piece.encode("utf-8", "replace"):
        return data
    return encoding.text[encoding.starts[index] : encoding.ends[index]].encode("utf-8", "replace") or data
