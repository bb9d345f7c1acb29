"""Hints at special tokens that a text contains as plain text."""

from __future__ import annotations

import time

import pytest
from flask.testing import FlaskClient

from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.additions import LONGEST, SpecialTokenHint, special_hints
from webapp.tokenization.state import State
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer


def hints(text: str, vocabulary: str = "bpe-bytes", **choices: bool) -> list[SpecialTokenHint]:
    tokenizer = shipped_tokenizer(vocabulary)
    algorithm = "wordpiece" if vocabulary == "wordpiece" else "bpe"
    state = State(algorithm=algorithm, vocabulary=vocabulary, text=text, **choices)
    return special_hints(state, tokenizer.encode(text, special=state.special), tokenizer)


def test_a_special_token_that_is_plain_text_is_named_with_its_counts() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    (hint,) = hints("one<|endoftext|>two<|endoftext|>")
    alone = len(tokenizer.ids("<|endoftext|>"))
    assert (hint.token, hint.times, hint.known) == ("<|endoftext|>", 2, True)
    assert alone - 1 <= hint.tokens <= alone + 1  # its first and last token may reach into the words around it
    assert hint.total == len(tokenizer.ids("one<|endoftext|>two<|endoftext|>"))
    assert hint.total_special == 4


def test_what_looks_like_one_but_is_unknown_is_said_to_be_unknown() -> None:
    known, unknown = hints("<|endoftext|><|im_start|>user")
    assert known.known
    assert (unknown.token, unknown.known) == ("<|im_start|>", False)
    assert unknown.total == unknown.total_special


def test_a_hint_says_what_models_use_the_token_for_and_leads_chat_markers_to_messages(client: FlaskClient) -> None:
    start, note = hints("<|im_start|>user <|note|>")
    assert start.purpose.startswith("It begins a message of a chat (ChatML)")
    assert start.of_a_chat
    assert (note.purpose, note.of_a_chat) == ("", False)
    page = client.get("/?algorithm=bpe&text=<|im_start|>user").text
    hint = page[page.index("special-hint") :].split("</div>")[0]
    assert start.purpose in hint
    assert 'href="/messages"' in hint
    end = client.get("/?algorithm=bpe&text=<|endoftext|>").text
    assert "It stands between two documents" in end
    assert "Chat templates write" not in end


@pytest.mark.parametrize("text", ["", "plain", "a < b", "<b>bold</b> [1] [note]", "<| |>", "[CLS]", "x" * 10 + "<s>"])
def test_ordinary_text_gives_no_hint(text: str) -> None:
    assert hints(text) == []


def test_berts_special_tokens_are_recognized_in_its_own_vocabulary() -> None:
    assert [hint.token for hint in hints("[CLS] low [MASK] [NOTE]", "wordpiece")] == ["[CLS]", "[MASK]"]


def test_no_hint_where_special_tokens_are_recognized_or_the_text_is_long() -> None:
    assert hints("<|endoftext|>", special=True) == []
    assert hints("<|endoftext|>" + "a " * LONGEST) == []


class Counting(Tokenizer):
    """A tokenizer that counts how often it encodes."""

    encoded = 0

    def ids(self, text: str, *, special: bool = False, template: bool = False) -> list[int]:
        self.encoded += 1
        return super().ids(text, special=special, template=template)


def test_a_hint_costs_one_more_encoding_at_most_and_none_without_special_tokens() -> None:
    inner = shipped_tokenizer("bpe-bytes")
    tokenizer = Counting(
        inner.model,
        pretokenizer=inner.pretokenizer,
        decoder=inner.decoder,
        special_tokens=inner.special_tokens,
    )
    for text, expected in (("<b> " * 9, 0), ("<|endoftext|><|im_end|>" * 9, 1)):
        tokenizer.encoded = 0
        special_hints(State(text=text), tokenizer.encode(text), tokenizer)
        assert tokenizer.encoded == expected


@pytest.mark.parametrize("text", ["<" * LONGEST, "[" * LONGEST, "<|" * (LONGEST // 2), "<a" * (LONGEST // 2)])
def test_the_search_is_linear(text: str) -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    encoding = tokenizer.encode(text)
    began = time.process_time()
    special_hints(State(text=text), encoding, tokenizer)
    assert time.process_time() - began < 1


def test_the_buttons_choice_recognizes_special_tokens(client: FlaskClient) -> None:
    form = {"text": "one<|endoftext|>", "special": "0", "recognize": "special"}
    answer = client.post("/", data=form)
    assert answer.status_code == 303
    assert "special=1" in answer.location
