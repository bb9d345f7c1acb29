"""Details of one token, and sentences about it: its marks, its purpose, why no text gives it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from math import exp

from flask_babel import gettext as _

from webapp.core.analysis.reachability import Reason
from webapp.core.analysis.token_origin import Mark, marks_in
from webapp.core.encoding import Encoding, Token
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import START
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.models.unigram import Unigram
from webapp.core.models.word_models import DictionaryModel
from webapp.core.text.sentences import sentence_spans
from webapp.core.trainers.wordpiece import ScoredMerge
from webapp.rendering.markup import piece_bytes, shown_piece, visible
from webapp.tokenization.links import token_address
from webapp.tokenization.result import Result


def mark_sentences(marks: list[Mark]) -> list[tuple[str, str]]:
    """The marks of a piece, each with what it stands for; bytes beyond ASCII are together in one sentence."""
    lines = [(mark.spelling, sentence) for mark in marks if (sentence := _sentence(mark))]
    high = [mark for mark in marks if mark.kind == "byte" and (mark.byte or 0) >= 0x80]
    if high:
        lines.append(
            (
                "".join(mark.spelling for mark in high[:8]) + ("…" if len(high) > 8 else ""),
                _("Each stands for one byte of a character in UTF-8, not for the letter that it looks like."),
            )
        )
    return lines


def _sentence(mark: Mark) -> str:
    if mark.kind == "byte":
        byte = mark.byte or 0
        if byte >= 0x80:
            return ""
        names = {
            0x20: _("Stands for the byte 20, a space, in GPT-2’s byte alphabet."),
            0x0A: _("Stands for the byte 0A, a line end, in GPT-2’s byte alphabet."),
            0x0D: _("Stands for the byte 0D, a carriage return, in GPT-2’s byte alphabet."),
            0x09: _("Stands for the byte 09, a tab, in GPT-2’s byte alphabet."),
        }
        return names.get(byte) or _("Stands for the byte %(byte)s in GPT-2’s byte alphabet.", byte=f"{byte:02X}")
    return {
        "space": _("Stands for a space (U+2581 in the file). Where it comes first, the piece begins a word."),
        "prefix": _("Continues a word: the piece follows other pieces of the same word, without a space."),
        "no prefix": _("Is not there, so the piece begins a word."),
        "suffix": _("Ends a word: a space, punctuation or the end of the text follows."),
        "no suffix": _("Is not there, so another piece of the same word follows."),
        "byte name": _("Is the name of a byte. Characters without a piece of their own are written as their bytes."),
    }[mark.kind]


def reason_title(reason: Reason) -> str:
    """A reason for which tokens are unreachable, in a few words."""
    return {
        "merges": _("Merged differently"),
        "split": _("Cut by the pre-tokenizer"),
        "normalizer": _("Changed by the normalizer"),
        "duplicate": _("Same text as another token"),
        "scores": _("Other pieces score better"),
        "longest": _("Longest match takes others"),
        "unused": _("Marked as unused"),
        "byte": _("Byte that is never needed"),
        "part": _("Part of no tried character"),
        "other": _("In no tried text"),
    }[reason]


def reason_sentence(reason: Reason) -> str:
    """Why a token is unreachable, in a sentence."""
    return {
        "merges": _("The merges of this vocabulary make other pieces of the token’s own bytes or characters."),
        "split": _("The pre-tokenizer cuts the text inside the token, before the model sees it."),
        "normalizer": _("The normalizer changes the token’s text, so its characters never reach the model."),
        "duplicate": _("The token’s text gives a single other token."),
        "scores": _("Other pieces of the same text have a better score together."),
        "longest": _("The longest match from the left takes other pieces in every tried word."),
        "unused": _("The vocabulary’s file marks the piece as unused."),
        "byte": _("UTF-8 never has this byte, or all characters with it have pieces of their own."),
        "part": _("The token is part of a character, and none of the tried characters gives it."),
        "other": _("None of the tried texts gives it."),
    }[reason]


def special_purpose(content: str) -> str:
    """What models usually use a special token of this name for; empty for a name without a usual meaning."""
    for names, sentence in _purposes():
        if content in names:
            return sentence
    return ""


# The special tokens that chat templates write around messages.
_OF_A_CHAT = frozenset(
    [
        "<|im_start|>",
        "<|im_end|>",
        "<|im_sep|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<|eot_id|>",
        "<end_of_turn>",
        "<|eot|>",
        "<start_of_turn>",
        "[INST]",
        "[/INST]",
        "<|user|>",
        "<|assistant|>",
        "<|system|>",
        "<|observation|>",
    ]
)


def is_of_a_chat(content: str) -> bool:
    """Whether chat templates write a special token of this name around messages."""
    return content in _OF_A_CHAT


def _purposes() -> list[tuple[tuple[str, ...], str]]:
    return [
        (("<|im_start|>",), _("It begins a message of a chat (ChatML); the role follows: system, user or assistant.")),
        (("<|im_end|>",), _("It ends a message of a chat (ChatML). A model that writes it has finished its reply.")),
        (("<|start_header_id|>", "<|end_header_id|>"), _("It stands around the role of a message (Llama 3).")),
        (("<|eot_id|>", "<end_of_turn>", "<|eot|>"), _("It ends a message of a chat.")),
        (("<start_of_turn>",), _("It begins a message of a chat; the role follows (Gemma).")),
        (("[INST]", "[/INST]"), _("It stands around what the user says (Mistral).")),
        (("[gMASK]", "sop", "<sop>"), _("It stands at the beginning of a prompt (GLM).")),
        (("<|user|>", "<|assistant|>", "<|system|>", "<|observation|>"), _("It begins a message of this role.")),
        (
            ("<|endoftext|>", "<|end_of_text|>", "<|endofprompt|>"),
            _("It stands between two documents of the training text, so it ends a text."),
        ),
        (("<s>", "<bos>", "<|begin_of_text|>", "[BOS]"), _("It stands before a text.")),
        (("</s>", "<eos>", "[EOS]"), _("It stands after a text. A model that writes it has finished.")),
        (("[CLS]",), _("It stands before a text; classifiers read its vector (BERT).")),
        (("[SEP]",), _("It stands after a text, and between two texts (BERT).")),
        (("[MASK]", "<mask>"), _("It stands for a word that the model has to guess.")),
        (("[PAD]", "<pad>", "<|padding|>"), _("It fills up shorter texts of a batch; models do not read it.")),
        (("[UNK]", "<unk>"), _("It stands for text that no piece covers.")),
        (
            ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>"),
            _("It marks the parts of a text with a gap that the model fills in."),
        ),
    ]


LONGEST_SENTENCE = 2_000  # characters before a token in which its sentence is looked for


@dataclass(frozen=True)
class WordProbability:
    """The probability of a word after its context, as text: a dash for the context of a unigram."""

    context: str
    probability: float


def word_probability(result: Result, index: int) -> WordProbability | None:
    """The probability of token `index` after the words before it in its sentence.

    None for other models, and for white space and special tokens, which have none.
    """
    model, encoding = result.tokenizer.model, result.encoding
    if not isinstance(model, NGram) or index in encoding.special:
        return None
    word = encoding.text[encoding.starts[index] : encoding.ends[index]]
    if not word.strip():
        return None
    before: list[str] = []
    start = _sentence_start(encoding.text, encoding.starts[index])
    at = index - 1
    while at >= 0 and encoding.starts[at] >= start and len(before) < model.order - 1:
        other = encoding.text[encoding.starts[at] : encoding.ends[at]]
        if other.strip():
            before.insert(0, other)
        at -= 1
    if len(before) < model.order - 1:
        before.insert(0, START)
    shown = " ".join(_("the beginning") if one is START else shown_piece(one) for one in before)
    return WordProbability(shown or "–", exp(model.score(word, before)))


def _sentence_start(text: str, position: int) -> int:
    """Where the sentence begins that contains a position; far into a long one, some characters before."""
    first = max(0, position - LONGEST_SENTENCE)
    spans = sentence_spans(text[first : position + 1])
    return first + max((start for start, _end in spans), default=0)


CHARACTERS_SHOWN = 64
LONGEST_MARKED = 1_000  # characters or bytes of a piece whose marks are explained


@dataclass(frozen=True)
class Character:
    """A code point with its Unicode name; `shown` is safe to put on a page."""

    code: str
    name: str
    shown: str


@dataclass(frozen=True)
class MergedPart:
    """One half of the merge that made a piece."""

    id: int
    piece: str


@dataclass(frozen=True)
class TokenDetails:
    """The contents of the details pane; None for what the vocabulary does not have."""

    token: Token
    total: int
    piece: str
    text: str
    bytes: str
    characters: tuple[Character, ...]
    characters_left_out: int
    rank: int | None = None
    merged_from: tuple[MergedPart, MergedPart] | None = None
    score: float | None = None
    exclusiveness: float | None = None  # WordPiece's score of the merge
    frequency: int | None = None
    tag: str | None = None
    in_context: WordProbability | None = None  # of n-grams
    is_added: bool = False  # whether the visitor added the token to the vocabulary
    is_around: bool = False  # whether the visitor put it before or after the text
    marks: tuple[tuple[str, str], ...] = ()  # in the spelling of the piece, each with what it stands for
    page: str | None = None  # the address of the token's own page


def token_details(result: Result, index: int) -> TokenDetails:
    """The details of token `index`; raises IndexError if the text has no such token."""
    encoding = result.encoding
    if not 0 <= index < len(encoding):
        raise IndexError(index)
    token = encoding[index]
    text = encoding.text[token.start : token.end]
    data = piece_bytes(encoding, index)
    model = result.tokenizer.model
    frequency, tag = _dictionary_entry(model, token)
    rank, merged_from = _merge(model, token.id) if isinstance(model, BPE | RankBPE) else (None, None)
    trained = _trained_merge(result, token)
    if trained:
        rank, merge = trained
        merged_from = _part(model, merge.left), _part(model, merge.right)
    return TokenDetails(
        token=token,
        total=len(encoding),
        piece=shown_piece(_own_piece(result, token)),
        text=visible(text, show=True),
        bytes=data[: 4 * CHARACTERS_SHOWN].hex(" ").upper(),
        characters=tuple(character_of(char) for char in text[:CHARACTERS_SHOWN]),
        characters_left_out=max(0, len(text) - CHARACTERS_SHOWN),
        rank=rank,
        merged_from=merged_from,
        score=_score(model, token),
        exclusiveness=trained[1].score if trained else None,
        frequency=frequency,
        tag=tag,
        in_context=word_probability(result, index),
        is_added=result.affixed is not None and token.id in result.affixed.added,
        is_around=_is_around(result, index),
        marks=_marks(result, token),
        page=token_address(result, token.id),
    )


def token_bytes(encoding: Encoding, index: int) -> bytes:
    """The bytes of a token: of its piece if the vocabulary is one of bytes, else of the text that it covers."""
    piece, data = encoding.piece(index), piece_bytes(encoding, index)
    if isinstance(piece, bytes) or data != piece.encode("utf-8", "replace"):
        return data
    return encoding.text[encoding.starts[index] : encoding.ends[index]].encode("utf-8", "replace") or data


def _is_around(result: Result, index: int) -> bool:
    affixed = result.affixed
    return affixed is not None and not affixed.before <= index < len(result.encoding) - affixed.after


def _marks(result: Result, token: Token) -> tuple[tuple[str, str], ...]:
    pieces = result.tokenizer.model.pieces
    if token.unknown or token.special or token.id >= len(pieces) or len(pieces[token.id]) > LONGEST_MARKED:
        return ()
    marks = mark_sentences(marks_in(result.tokenizer, pieces[token.id]))
    return tuple((visible(spelling), sentence) for spelling, sentence in marks)


def _own_piece(result: Result, token: Token) -> str | bytes:
    """The piece in the vocabulary: `[UNK]` for an unknown word if there is such a piece."""
    pieces = result.tokenizer.model.pieces
    return pieces[token.id] if token.unknown and token.id < len(pieces) else token.piece


def _trained_merge(result: Result, token: Token) -> tuple[int, ScoredMerge] | None:
    """The rank and the merge that made a WordPiece piece trained on the visitor's text."""
    for rank, merge in enumerate(result.merges):
        if isinstance(merge, ScoredMerge) and merge.piece == token.piece:
            return rank, merge
    return None


def _part(model: Model, piece: str) -> MergedPart:
    id = model.id_of(piece)
    assert id is not None
    return MergedPart(id, shown_piece(piece))


def character_of(char: str) -> Character:
    """A character with its code point and its name."""
    code = f"U+{ord(char):04X}"
    return Character(code, unicodedata.name(char, ""), visible(char, show=True).strip("\n\t"))


def _score(model: Model, token: Token) -> float | None:
    if not isinstance(model, Unigram | ScoredModel) or token.unknown or token.id >= len(model.scores):
        return None
    return model.scores[token.id]


def _merge(model: BPE | RankBPE, id: int) -> tuple[int | None, tuple[MergedPart, MergedPart] | None]:
    merge = model.merge_of(id) if id < len(model.pieces) else None
    if merge is None:
        return None, None
    left, right = (MergedPart(half, shown_piece(model.pieces[half])) for half in (merge.left, merge.right))
    return merge.rank, (left, right)


def _dictionary_entry(model: object, token: Token) -> tuple[int | None, str | None]:
    if not isinstance(model, DictionaryModel) or token.id >= model.dictionary.unknown_id:
        return None, None
    dictionary = model.dictionary
    return (
        dictionary.frequencies[token.id] if dictionary.frequencies else None,
        dictionary.tags[token.id] if dictionary.tags else None,
    )
