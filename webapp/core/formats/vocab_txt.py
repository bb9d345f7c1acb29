"""BERT's `vocab.txt`: one WordPiece per line; its id is the line number, counted from 0."""

from collections.abc import Iterable, Mapping

from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError
from webapp.core.formats.written_parts import check_special_tokens
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import wordpiece
from webapp.core.text.unicode_tables import WHITE_SPACE_CHARACTERS
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LONGEST_WORD = 100  # characters; BERT's own


def read(text: str, *, lowercase: bool | None = None) -> Tokenizer:
    """Return the tokenizer of a file, with BERT's pipeline.

    The file does not say whether text is lower-cased first. If `lowercase` is None, text is lower-cased when no piece
    contains a capital. White space after a piece is ignored, as in `tokenizers`.

    >>> tokenizer = read("[UNK]\\nun\\n##aff\\n##able\\n")
    >>> tokenizer.ids("UNAFFABLE!")
    [1, 2, 3, 0]

    Raises FormatError for a blank line, a duplicate piece, or a file without `[UNK]`.
    """
    if text.removesuffix("\n").count("\n") >= LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s lines, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    lines = text.removesuffix("\n").split("\n")
    ids: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        piece = line.rstrip(WHITE_SPACE_CHARACTERS)
        if not piece:
            raise FormatError("line %(number)s is blank; each line should hold a piece", number=number)
        if piece in ids:
            raise FormatError(
                "line %(number)s: the piece %(piece)s is already on line %(other)s",
                number=number,
                piece=shown(piece),
                other=ids[piece] + 1,
            )
        ids[piece] = number - 1
    if "[UNK]" not in ids:
        raise FormatError("not a vocab.txt: it has no line [UNK]")
    if lowercase is None:
        lowercase = _is_lowercase(ids)
    return wordpiece(lowercase).tokenizer(WordPiece(tuple(ids), max_word_length=LONGEST_WORD), _special_tokens(ids))


def write(tokenizer: Tokenizer) -> str:
    """Return the file of a WordPiece tokenizer, which `read` reads back to the same ids for every text.

    The tokens that a template adds around a text are not in the file.

    >>> write(read("[UNK]\\nun\\n##aff\\n"))
    '[UNK]\\nun\\n##aff\\n'

    Raises FormatError for another model or pipeline, for settings, special tokens or other added tokens that the format
    cannot express, and for a piece that cannot be a line.
    """
    model = tokenizer.model
    if not isinstance(model, WordPiece):
        raise FormatError(
            "%(model)s cannot be written to a vocab.txt, which holds WordPieces", model=type(model).__name__
        )
    if (model.unknown, model.continuing_subword_prefix) != ("[UNK]", "##"):
        raise FormatError("a vocab.txt uses [UNK] for the unknown token and ## for pieces that continue a word")
    if model.max_word_length != LONGEST_WORD:
        raise FormatError(
            "a vocab.txt implies that words of more than %(most)s characters are unknown", most=LONGEST_WORD
        )
    if model.gaps:
        raise FormatError("a vocab.txt cannot hold a vocabulary whose ids have gaps")
    for piece in model.pieces:
        if "\n" in piece or not piece or piece != piece.rstrip(WHITE_SPACE_CHARACTERS):
            raise FormatError("the piece %(piece)s cannot be a line of a vocab.txt", piece=shown(piece))
    recipe = wordpiece(_is_lowercase(model.pieces))
    if (tokenizer.pretokenizer, tokenizer.decoder) != (recipe.pretokenizer, recipe.decoder):
        raise FormatError("a vocab.txt implies BERT's pre-tokenizer and decoder; this tokenizer uses others")
    if tokenizer.normalizer != recipe.normalizer:
        raise FormatError(
            "a vocab.txt implies BERT's normalizer, with lower case if no piece has a capital; this tokenizer uses "
            "another"
        )
    check_special_tokens(tokenizer, _special_tokens({piece: id for id, piece in enumerate(model.pieces)}))
    return "".join(f"{piece}\n" for piece in model.pieces)


def _is_lowercase(pieces: Iterable[str]) -> bool:
    """Whether no piece contains a capital; special tokens do not count."""
    return not any(piece != piece.lower() for piece in pieces if piece not in SPECIAL_TOKENS and piece[0] != "[")


def _special_tokens(ids: Mapping[str, int]) -> dict[str, int]:
    return {token: ids[token] for token in SPECIAL_TOKENS if token in ids}
