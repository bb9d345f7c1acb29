"""What the alternatives of published split patterns match, and how steps make pre-tokens of matches."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.core.analysis.pattern_alternatives import PatternAlternatives
from webapp.core.analysis.pretoken_view import PretokenStage
from webapp.core.text.split_patterns import (
    CL100K,
    CL100K_BASE,
    GPT2,
    MARKED_CLASSES,
    O200K,
    QWEN,
    SUPERWORDS,
    TEKKEN,
)

KNOWN_PATTERNS = {
    "GPT-2": GPT2,
    "GPT-4 (cl100k)": CL100K_BASE,
    "GPT-4o (o200k)": O200K,
    "Llama 3": CL100K,
    "Qwen": QWEN,
    "Mistral (tekken)": TEKKEN,
    "SuperBPE": SUPERWORDS,
}
"""Published patterns to start from, by the name of the first model or the paper that has them."""


def meaning_of(alternative: str) -> str:
    """What an alternative of a published pattern matches; empty for one that is not known."""
    contraction = _("an English contraction")
    symbols = _("punctuation and symbols, with at most one space before")
    meanings = {
        **dict.fromkeys(("'s", "'t", "'re", "'ve", "'m", "'ll", "'d"), contraction),
        "'(?:[sdmt]|ll|ve|re)": contraction,
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)": _("an English contraction in any case"),
        "'(?i:[sdmt]|ll|ve|re)": _("an English contraction in any case"),
        r" ?\p{L}+": _("letters, with at most one space before"),
        r" ?\p{N}+": _("digits, with at most one space before"),
        r" ?[^\s\p{L}\p{N}]+": symbols,
        r"[^\r\n\p{L}\p{N}]?\p{L}+": _("letters, with at most one other character before: a space or a mark"),
        r"\p{N}{1,3}": _("one to three digits"),
        r" ?\p{N}{1,3}": _("one to three digits, with at most one space before"),
        r"\p{N}": _("a single digit"),
        r" ?[^\s\p{L}\p{N}]+[\r\n]*": _("punctuation and symbols, with line ends after them"),
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*": _("punctuation and symbols, with line ends and slashes after them"),
        r"\s*[\r\n]+": _("line ends, with white space before them"),
        r"\s*[\r\n]": _("white space up to a line end"),
        r"\s+$": _("white space at the end of the text"),
        r"\s+(?!\S)": _("white space, but not its last character before a word"),
        r"\s+": _("white space"),
        r"\p{L}+": _("letters"),
        r"\p{N}+": _("digits"),
        r"\d+": _("digits"),
        r"\w+": _("letters, digits and marks"),
        ".": _("any character but a line end"),
        r"\s": _("a single character of white space"),
        "▁+(?=▁)": _("a run of ▁, all but the last"),
        "▁[^▁]*": _("a word with the ▁ before it"),
        "[^▁]+": _("the beginning of the text, up to the first ▁"),
    }
    marked = PatternAlternatives(MARKED_CLASSES).alternatives
    meanings |= {
        marked[0]: _("digits, with the ▁ before them"),
        marked[1]: _("punctuation and symbols, with the ▁ before them"),
        marked[2]: _("line ends and tabs"),
        marked[3]: _("all other characters, mostly letters, with the ▁ before them"),
    }
    plain = alternative.replace("++", "+").replace("*+", "*").replace("?+", "?").replace("}+", "}")
    found = meanings.get(alternative) or meanings.get(plain)
    if found:
        return found
    if r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*" in alternative:
        return _("a word that ends in small letters: capitals first, if any")
    if r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+" in alternative:
        return _("a word that begins with capitals")
    return "" if alternative else _("nothing: an empty match")


def note_of(stage: PretokenStage) -> str:
    """How the matches of a stage's pattern become pre-tokens."""
    if stage.pattern is None:
        return ""
    if stage.inverted and stage.behavior == "removed":
        return _("Each match is a pre-token; what is between matches is dropped.")
    return {
        None: _("Each match is a pre-token."),
        "isolated": _("Each match is a pre-token, and so is the text between matches."),
        "removed": _("The text between matches is a pre-token; matches are dropped."),
        "merged_with_previous": _("A match joins the text before it."),
        "merged_with_next": _("A match joins the text after it."),
        "contiguous": _("Matches in a row are one pre-token."),
    }[stage.behavior]
