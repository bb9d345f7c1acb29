"""Special tokens in a text: hints about those read as plain text."""

from __future__ import annotations

import time

import pytest
from flask.testing import FlaskClient

from webapp.tokenization.links import LONGEST_SEARCHED, SpecialTokenHint, special_hints
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


def test_a_hint_says_what_models_use_the_token_for_and_leads_chat_markers_to_messages(client: FlaskClient) -> None:
    page = client.get("/?algorithm=bpe&lang=en&text=<|im_start|>user").text
    assert "It begins a message of a chat (ChatML)" in page
    assert "Chat templates write" in page
    end = client.get("/?algorithm=bpe&lang=en&text=<|endoftext|>").text
    assert "It stands between two documents" in end
    assert "prompt injection" in end
    assert "Chat templates write" not in end


@pytest.mark.parametrize("text", ["", "plain", "a < b", "<b>bold</b> [1] [note]", "<| |>", "[CLS]", "x" * 10 + "<s>"])
def test_ordinary_text_gives_no_hint(text: str) -> None:
    assert hints(text) == []


def test_hints_are_given_for_plain_reading_and_short_texts_alone() -> None:
    assert [hint.token for hint in hints("[CLS] low [MASK] [NOTE]", "wordpiece")] == ["[CLS]", "[MASK]"]
    assert hints("<|endoftext|>", special=True) == []
    assert hints("<|endoftext|>" + "a " * LONGEST_SEARCHED) == []


@pytest.mark.parametrize(
    "text",
    ["<" * LONGEST_SEARCHED, "[" * LONGEST_SEARCHED, "<|" * (LONGEST_SEARCHED // 2), "<a" * (LONGEST_SEARCHED // 2)],
)
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
