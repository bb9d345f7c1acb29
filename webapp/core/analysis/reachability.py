"""Which tokens of a vocabulary no text gives: decode a token, encode its text again, and compare.

After Land and Bartolo 2024, "Fishing for Magikarp: Automatically Detecting Under-trained Tokens in Large Language
Models" (arXiv 2405.05417), section 2.1, which calls such tokens unreachable. Their check decodes and encodes one token
alone, after a character « where a tokenizer adds a space. Here a token counts as reached as soon as the tokens of any
tried text have it, so "reached" is a proof and names that text. "Unreachable" is a proof for merges (see
`webapp.core.traces.piece_tree`); otherwise it says that none of these texts has the token:

- what the token decodes to, alone;
- the token's text with its space, alone, between and beside the characters of `BESIDE`, and after the letters that the
  fewest pieces begin with; also as its file spells it, if that differs;
- for part of a character: characters that its bytes are part of, up to `MOST_CHARACTERS`.

Special, added and unknown tokens stand for no text and are not counted.
"""

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from typing import Literal, get_args

from webapp.core.analysis.decoding import completions, never_in_utf8
from webapp.core.analysis.token_list import TokenList, bare, is_byte_name, piece_marks
from webapp.core.models.bpe import BPE
from webapp.core.models.matching import Matching
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredModel
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.piece_tree import MOST_SYMBOLS, piece_tree

State = Literal["alone", "beside", "part", "unreachable", "special", "untried"]
"""`alone`: decoded and encoded again, the token is the same. `beside`: it is a token of a text with other characters.
`part`: it is part of a character, and a token of a text with that character. `untried`: its text cannot be encoded."""

Reason = Literal["merges", "split", "normalizer", "duplicate", "scores", "longest", "unused", "byte", "part", "other"]
"""Why a token is unreachable; the first that applies:

`unused`: the file says so. `byte`: a byte that UTF-8 never has, or one of characters that all have pieces. `part`: part
of a character, and no tried character gives it. `duplicate`: its text is a single other token. `normalizer`: the
normalizer changes its text. `merges`: merges make something else of its own symbols. `longest`: longest match first
takes other pieces. `scores`: other pieces have the better score. `split`: the pre-tokenizer cuts it.
"""

METHOD = 1
"""The version of this analysis: stored surveys of another one are computed again."""
REASONS: tuple[Reason, ...] = get_args(Reason)
BESIDE = ("«", "a", "x", "1", "中", "\n", " ", "-", "_", "(", ".", "é", "щ")
MOST_CHARACTERS = 1_000  # that are tried for part of a character
LONGEST_TRIED = 100_000  # characters or bytes of a token that is tried at all
LONGEST_BESIDE = 500  # characters of a token that is tried beside others
MOST_LISTED = 100_000  # unreachable tokens that a survey has; more are only counted
PARTS = "parts"  # chooses the unreachable tokens that are parts of others
SHOWN_IDS = 64  # of the tokens that a text gives instead
_MARGIN = 1e-3  # between scores, for sums in single precision
_RARE = 8  # letters that few pieces begin with


@dataclass(frozen=True)
class Reach:
    """Whether a token is reached: `text` is the text that has it, or the token's own if none has.

    `ids` are the tokens of that text, at most `SHOWN_IDS`. For an unreachable token, `reason` says why; `same_as` is
    the one token that its text gives instead, and `part_of` a token that merging makes from it, if there are such.
    `certain` says whether it is proved that no text gives the token.
    """

    id: int
    state: State
    text: str = ""
    ids: tuple[int, ...] = ()
    reason: Reason | None = None
    same_as: int | None = None
    part_of: int | None = None
    certain: bool = False


@dataclass(frozen=True)
class Survey:
    """The unreachable tokens of a vocabulary by id, at most `MOST_LISTED`, and how many tokens are in each state.

    `size` is the number of tokens of the vocabulary.
    """

    states: Mapping[State, int]
    unreachable: Sequence[Reach] = field(repr=False)
    size: int

    @property
    def tried(self) -> int:
        """The number of tokens that were looked at so far."""
        return sum(self.states.values())

    @property
    def is_complete(self) -> bool:
        """Whether all tokens were looked at."""
        return self.tried == self.size

    @property
    def counted(self) -> int:
        """The number of tokens that stand for text and were tried."""
        return sum(count for state, count in self.states.items() if state not in ("special", "untried"))

    @property
    def reasons(self) -> dict[str, int]:
        """The number of listed tokens for each reason that some have."""
        found = Counter(reach.reason for reach in self.unreachable)
        return {reason: found[reason] for reason in REASONS if found[reason]}

    @property
    def total(self) -> int:
        """The number of unreachable tokens."""
        return self.states.get("unreachable", 0)

    def chosen(self, reason: str) -> Sequence[Reach]:
        """The listed tokens of a reason, or with `PARTS` those that are parts of others; all for anything else."""
        if reason == PARTS:
            return [reach for reach in self.unreachable if reach.part_of is not None]
        if reason in REASONS:
            return [reach for reach in self.unreachable if reach.reason == reason]
        return self.unreachable


def survey(tokenizer: Tokenizer, begun: Survey | None = None, seconds: float = math.inf) -> Survey:
    """Try the tokens of a vocabulary, after those of the survey `begun`, for about so many seconds.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> found = survey(WORDPIECE.tokenizer(WordPiece(["[UNK]", "un", "##able", "x-y", "x", "-", "y"])))
    >>> [(reach.id, reach.reason, reach.ids) for reach in found.unreachable], found.counted
    ([(3, 'split', (4, 5, 6))], 6)
    """
    trial, until = Trial(tokenizer), time.monotonic() + seconds
    begun = begun or Survey({}, (), len(trial.tokens.ids))
    states = Counter(begun.states)
    found = {reach.id: reach for reach in begun.unreachable}
    for number, id in enumerate(trial.tokens.ids[begun.tried :]):
        if number and number % 100 == 0 and time.monotonic() >= until:
            return Survey(dict(states), tuple(found.values()), begun.size)
        reach = trial.of(id)
        states[reach.state] += 1
        if reach.state == "unreachable" and len(found) < MOST_LISTED:
            found[id] = reach
    for part, whole in _made_from(tokenizer.model, found):
        if found[part].part_of is None and whole not in found:
            found[part] = replace(found[part], part_of=whole)
    return Survey(dict(states), tuple(found.values()), begun.size)


class Trial:
    """Tries tokens of one vocabulary.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> trial = Trial(WORDPIECE.tokenizer(WordPiece(["[UNK]", "un", "##able", "x"])))
    >>> trial.of(1).state, trial.of(2).state, trial.of(2).text, trial.of(0).state
    ('alone', 'beside', 'xable', 'special')
    """

    def __init__(self, tokenizer: Tokenizer, tokens: TokenList | None = None) -> None:
        """`tokens` are those of the tokenizer, if they are at hand."""
        self.tokenizer = tokenizer
        self.tokens = TokenList(tokenizer) if tokens is None else tokens
        self._model = tokenizer.model
        self._ids = tokenizer.ids
        self._bytes_of = piece_marks(tokenizer).bytes_of
        self._not_text = self.tokens.apart | self.tokens.added

    def of(self, id: int) -> Reach:
        """Whether a token is reached; raises KeyError for an id that no token has."""
        at = self.tokens.index(id)
        if id in self._not_text or self._kind(id) in (PieceKind.CONTROL, PieceKind.UNKNOWN):
            return Reach(id, "special")
        piece, text = self.tokens.pieces[at], self.tokens.texts[at]
        if len(piece) > LONGEST_TRIED:
            return Reach(id, "untried")
        try:
            return self._tried(id, piece, text)
        except TextError:  # a pattern takes too long on it, or a normalizer makes too much of it
            return Reach(id, "untried")

    def _tried(self, id: int, piece: str | bytes, text: str | None) -> Reach:
        if text is None:
            return self._part_of_character(id, self._bytes_of(piece))
        decoded = self.tokenizer.decode([id])
        ids = self._ids(decoded)
        if len(ids) == 1 and ids[0] == id:
            return Reach(id, "alone", decoded, (id,))
        own = self._ids(text)
        if id in own:
            return self._beside(id, text, own)
        if is_byte_name(piece) and text != piece:
            # Another token has the only character that is this byte.
            return self._unreachable(id, text, own, "byte", certain=True)
        if self._kind(id) == PieceKind.UNUSED:
            return self._unreachable(id, text, own, "unused")
        certain = self._never_given(id)
        if not certain and len(text) <= LONGEST_BESIDE:
            spellings = [text]
            if isinstance(piece, str) and bare(piece) != bare(text):
                spellings.append(piece)
            for spelling in spellings:
                for at, (before, after) in enumerate(self._around):
                    tried = f"{before}{spelling}{after}"
                    if id in (found := self._ids(tried)):
                        # What helped once is tried first for the next ones.
                        self._around.insert(at // 2, self._around.pop(at))
                        return self._beside(id, tried, found)
        return self._unreachable(id, text, own, self._reason(id, piece, text, own), certain=certain)

    def _part_of_character(self, id: int, data: bytes) -> Reach:
        if never_in_utf8(data):
            return Reach(id, "unreachable", reason="byte", certain=True)
        if self._never_given(id):
            return Reach(id, "unreachable", reason="merges", certain=True)
        first: Reach | None = None
        reason: Reason = "byte" if is_byte_name(self.tokens.written[self.tokens.place_of(id) or 0]) else "part"
        for text in islice(completions(data), MOST_CHARACTERS):
            ids = self._ids(text)
            if id in ids:
                return Reach(id, "part", text, tuple(ids[:SHOWN_IDS]))
            first = first or Reach(id, "unreachable", text, tuple(ids[:SHOWN_IDS]), reason)
        return first or Reach(id, "unreachable", reason=reason)

    @cached_property
    def _around(self) -> list[tuple[str, str]]:
        """The characters before and after a token's text that are tried."""
        before = [*BESIDE, *self._rare_letters()]
        return [
            *((character, "") for character in before),
            *(("", character) for character in BESIDE),
            *((character, character) for character in before),
            *(("a ", " a"), ("中 ", " 中"), ("\n", "a"), ("1", "a"), ("a", "1"), (" ", "a"), ("a", " a"), (". ", "a")),
        ]

    def _rare_letters(self) -> list[str]:
        """Letters and digits that are pieces, and that the fewest pieces at the beginning of a word begin with."""
        prefix = _prefix_of(self._model)
        texts = [
            bare(text)
            for piece, text in zip(self.tokens.pieces, self.tokens.texts, strict=True)
            if text and not (prefix and isinstance(piece, str) and piece.startswith(prefix))
        ]
        begun = Counter(text[0] for text in texts if text)
        alone = {text for text in texts if len(text) == 1 and text.isalnum()}
        return [letter for _, letter in nsmallest(_RARE, ((begun[letter], letter) for letter in alone))]

    def _never_given(self, id: int) -> bool:
        """Whether it is proved that the model gives a piece for no text at all."""
        model = self._model
        if isinstance(model, Unigram | SentencePieceUnigram):
            return self._never_best(model, id)
        if not isinstance(model, BPE | RankBPE | ScoredBPE) or id >= len(model.pieces):
            return False
        if isinstance(model, ScoredBPE) and (model.vocabulary.unused or model.vocabulary.user_defined):
            return False  # what the symbols are depends on the text around them
        whole = isinstance(model, RankBPE) or (isinstance(model, BPE) and model.ignore_merges)
        if whole and (not isinstance(model.pieces[id], bytes) or self.tokens.texts[id] is not None):
            return False  # a pre-token that is the piece is a token without merging
        tree = piece_tree(model, id) if len(model.pieces[id]) <= MOST_SYMBOLS else None
        return tree is not None and not tree.makes(id)

    def _never_best(self, model: Unigram | SentencePieceUnigram, id: int) -> bool:
        """Whether other pieces of the same text have a better score together: they have it in every text."""
        piece = model.pieces[id]
        if not isinstance(piece, str) or len(piece) > LONGEST_BESIDE or self._kind(id) == PieceKind.USER_DEFINED:
            return False
        others = model.ids(piece)
        if model.unknown_id in others or len(others) < 2:
            return False
        return sum(model.scores[other] for other in others) > model.scores[id] + _MARGIN

    def _reason(self, id: int, piece: str | bytes, text: str, own: Sequence[int]) -> Reason:
        model, normalizer = self._model, self.tokenizer.normalizer
        if len(own) == 1 and own[0] != model.unknown_id:
            return "duplicate"
        if normalizer is not None and _squeezed(self.tokenizer.decode(own)) != _squeezed(text):
            return (
                "normalizer" if _squeezed(normalizer.normalize(text)) != _squeezed(text) else self._by_model(id, piece)
            )
        return self._by_model(id, piece)

    def _by_model(self, id: int, piece: str | bytes) -> Reason:
        model = self._model
        if isinstance(model, BPE | RankBPE):
            tree = piece_tree(model, id)
            return "merges" if tree is not None and not tree.makes(id) else "split"
        if isinstance(model, WordPiece) and str(piece).startswith(_prefix_of(model) or "\0"):
            return "longest"
        alone = model.ids(piece if isinstance(piece, str) else piece.decode(errors="replace"))
        if len(alone) == 1 and alone[0] == id:
            return "split" if self.tokenizer.pretokenizer is not None else "other"
        if isinstance(model, ScoredBPE):
            return "merges"
        return "longest" if isinstance(model, WordPiece | Matching) else "scores"

    def _kind(self, id: int) -> PieceKind | None:
        model = self._model
        return model.vocabulary.kinds[id] if isinstance(model, ScoredModel) and id < len(model.pieces) else None

    def _beside(self, id: int, text: str, ids: Sequence[int]) -> Reach:
        return Reach(id, "beside", text, tuple(ids[:SHOWN_IDS]))

    def _unreachable(self, id: int, text: str, ids: Sequence[int], reason: Reason, *, certain: bool = False) -> Reach:
        same_as = ids[0] if len(ids) == 1 and ids[0] not in (id, self._model.unknown_id) else None
        return Reach(id, "unreachable", text, tuple(ids[:SHOWN_IDS]), reason, same_as, certain=certain)


def _made_from(model: object, parts: Mapping[int, Reach]) -> Iterator[tuple[int, int]]:
    """Those of `parts` that a merge uses, each with the piece that it makes."""
    if not parts:
        return
    if isinstance(model, BPE):
        for left, right in model.merges:
            made = model.merge_result(left, right)
            for part in {left, right} & parts.keys():
                if made is not None:
                    yield part, made[1]
    elif isinstance(model, RankBPE):
        for id in range(len(model.pieces)):
            merge = model.merge_of(id) if len(model.pieces[id]) <= MOST_SYMBOLS else None
            for part in () if merge is None else {merge.left, merge.right} & parts.keys():
                yield part, id


def _prefix_of(model: object) -> str:
    prefix: str = getattr(model, "continuing_subword_prefix", "")
    return prefix


def _squeezed(text: str) -> str:
    """A text without the white space and marks that tokenizers put around words or remove."""
    return "".join(text.replace("▁", " ").split())
