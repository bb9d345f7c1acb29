"""Sentences about a token: what the marks in its spelling stand for, what it is for, why no text gives it.

Used by the details of a result and by the pages of tokens and bytes.
"""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.core.analysis.reachability import Reason
from webapp.core.analysis.token_origin import Mark


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
