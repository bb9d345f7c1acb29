"""Save a tokenizer as a file that `load` reads."""

from __future__ import annotations

from webapp.core.formats import huggingface, ngram_counts, sentencepiece
from webapp.core.formats.fields import FormatError
from webapp.core.models.ngram import NGram
from webapp.core.tokenizer import Tokenizer


def save(tokenizer: Tokenizer) -> bytes:
    """Return the content of a file that `load` reads back to the same ids.

    Counts as JSON for n-gram models; a `.model` for SentencePiece's models and pipeline; else a
    `tokenizer.json`. Raises FormatError for a tokenizer that none of them can hold.

    >>> from webapp.core.formats.recognize import load
    >>> tokenizer = load(b"[UNK]\\nun\\n##aff\\n##able\\n")
    >>> load(save(tokenizer)).ids("unaffable")
    [1, 2, 3]
    """
    if isinstance(tokenizer.model, NGram):
        return ngram_counts.write_json(tokenizer).encode()
    try:
        return sentencepiece.write(tokenizer)
    except FormatError:
        return huggingface.write(tokenizer).encode()
