"""Chat templates of well-known vocabularies come from their repositories, with the limits of other downloads."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.vocabularies.publisher import Answer, Publisher
from webapp.chat.published import TEMPLATE, fetched_names, file_of, has_template, published_template
from webapp.chat.templates import (
    MOST_SOURCE,
    ChatTemplate,
    NoTemplateError,
    TemplateSourceError,
    from_config,
    own_template,
)
from webapp.vocabularies.fetching import Fetcher
from webapp.vocabularies.library import Library, StillFetchingError, UnavailableVocabularyError
from webapp.vocabularies.memory_cache import MemoryCache
from webapp.vocabularies.wellknown import WELL_KNOWN

CONFIG = "/Qwen/Qwen3-8B/resolve/main/tokenizer_config.json"
JINJA = "/Qwen/Qwen3-8B/resolve/main/chat_template.jinja"


@pytest.fixture
def shelf(publisher: Publisher, tmp_path: Path) -> Library:
    fetcher = Fetcher(tmp_path, hub=publisher.address, most_bytes=1_000_000, seconds=20)
    return Library(cast(Any, None), fetcher, MemoryCache(most_bytes=1_000_000))


def config(**values: Any) -> Answer:
    return Answer(json.dumps(values).encode())


def test_a_template_is_fetched_once_with_its_special_tokens(shelf: Library, publisher: Publisher) -> None:
    tokens = {"bos_token": {"content": "<s>", "lstrip": False}, "eos_token": "</s>", "pad_token": None}
    publisher.answers[CONFIG] = config(chat_template="{{ bos_token }}x", **tokens)
    assert fetched_names(shelf) == []
    found = published_template(shelf, "qwen3")
    variables = {"bos_token": "<s>", "eos_token": "</s>"}
    assert found == ChatTemplate(
        "qwen3", "Qwen3", "{{ bos_token }}x", variables, "https://huggingface.co/Qwen/Qwen3-8B"
    )
    assert published_template(shelf, "qwen3") == found
    assert fetched_names(shelf) == ["qwen3"]
    assert [path for path, _headers in publisher.requests] == [CONFIG]


def test_newer_repositories_have_a_file_of_its_own(shelf: Library, publisher: Publisher) -> None:
    publisher.answers[CONFIG] = config(eos_token="<e>")
    with pytest.raises(NoTemplateError, match="no chat template is published for this vocabulary"):
        published_template(shelf, "qwen3")
    publisher.answers[JINJA] = Answer("{{ eos_token }}好".encode())
    shelf.fetcher.start(file_of(WELL_KNOWN["qwen3"], TEMPLATE), again=True)  # which a visitor asks for
    found = published_template(shelf, "qwen3")
    assert (found.source, found.variables) == ("{{ eos_token }}好", {"eos_token": "<e>"})


def test_vocabularies_without_chat_models_have_none(shelf: Library, publisher: Publisher) -> None:
    for name in ("gpt2", "bert-base-cased", "bpe-bytes", "no-such"):
        assert not has_template(name)
        with pytest.raises(NoTemplateError):
            published_template(shelf, name)
    assert publisher.requests == []


def test_a_download_that_lasts_is_waited_for(
    shelf: Library, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.chat.published.PATIENCE", 0.05)
    publisher.answers[CONFIG] = Answer(config(chat_template="x").body, manner="half")
    with pytest.raises(StillFetchingError) as error:
        published_template(shelf, "qwen3")
    assert error.value.entry.name == "qwen3"
    publisher.gate.set()
    monkeypatch.setattr("webapp.chat.published.PATIENCE", 20)
    assert published_template(shelf, "qwen3").source == "x"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer(b"x" * 1_000_001), "too large"),
        (Answer(status=401), "refused"),
        *((Answer(body), "its chat template cannot be used: the ") for body in (b"[1]", b"{", b"\xff", b"[" * 100_000)),
        (config(chat_template="x" * (MOST_SOURCE + 1)), "its chat template cannot be used: the "),
    ],
)
def test_a_download_that_fails_or_is_no_configuration_says_so(
    shelf: Library, publisher: Publisher, answer: Answer, why: str
) -> None:
    publisher.answers[CONFIG] = answer
    with pytest.raises(UnavailableVocabularyError) as error:
        published_template(shelf, "qwen3")
    assert why in str(error.value.why)


def test_a_visitors_template_is_jinja_or_a_configuration() -> None:
    assert own_template(" {# x #}{{ y }}").source == " {# x #}{{ y }}"
    given = own_template('  {"chat_template": {"default": "d", "tool_use": "t"}, "bos_token": "<s>"}')
    assert (given.source, given.tool_source, given.variables) == ("d", "t", {"bos_token": "<s>"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" \n", "there is no template"),
        ('{"a": 1}', "the configuration has no chat_template"),
        ("\ud800", "half of a surrogate pair stands alone in the template"),
        (json.dumps({"chat_template": "\ud800"}), "half of a surrogate pair stands alone in the template"),
    ],
)
def test_a_visitors_text_that_is_no_template(text: str, expected: str) -> None:
    with pytest.raises(TemplateSourceError, match=expected):
        own_template(text)


def test_values_of_other_types_are_left_out() -> None:
    found = from_config("n", "N", json.dumps({"chat_template": "x", "bos_token": 3, "eos_token": {"content": 4}}))
    assert found is not None
    assert found.variables == {}
