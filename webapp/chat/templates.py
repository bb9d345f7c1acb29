"""The chat templates at hand: the site's own, those of well-known vocabularies, and a visitor's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from webapp.chat.chat_template import ChatTemplate, TemplateSourceError, check_source, from_config
from webapp.core.vocabulary_error import Phrase

_FOLDER = Path(__file__).with_name("builtin")


def _built_in(name: str, title: str, provenance: str, **variables: str) -> ChatTemplate:
    # As transformers writes its templates, a file ends without a line break.
    source = (_FOLDER / f"{name}.jinja").read_text(encoding="utf-8").removesuffix("\n")
    return ChatTemplate(name, title, source, MappingProxyType(variables), provenance)


BUILT_IN: Mapping[str, ChatTemplate] = MappingProxyType(
    {
        template.name: template
        for template in (
            _built_in("chatml", "ChatML", "https://github.com/openai/openai-python/blob/release-v0.28.0/chatml.md"),
            _built_in(
                "llama-2",
                "Llama 2",
                "https://github.com/meta-llama/llama/blob/main/llama/generation.py",
                bos_token="<s>",
                eos_token="</s>",
            ),
            _built_in(
                "llama-3",
                "Llama 3",
                "https://www.llama.com/docs/model-cards-and-prompt-formats/meta-llama-3/",
                bos_token="<|begin_of_text|>",
                eos_token="<|eot_id|>",
            ),
            _built_in(
                "mistral",
                "Mistral",
                "https://docs.mistral.ai/guides/tokenization/",
                bos_token="<s>",
                eos_token="</s>",
            ),
            _built_in(
                "gemma",
                "Gemma",
                "https://ai.google.dev/gemma/docs/core/prompt-structure",
                bos_token="<bos>",
                eos_token="<eos>",
            ),
            _built_in("glm-4", "GLM-4", "https://github.com/zai-org/GLM-4"),
        )
    }
)


def own_template(source: str) -> ChatTemplate:
    """A visitor's template: Jinja, or a `tokenizer_config.json` that has one.

    >>> own_template("{{ messages[0].content }}").source
    '{{ messages[0].content }}'
    >>> own_template('{"chat_template": "{{ bos_token }}", "bos_token": "<s>"}').variables
    {'bos_token': '<s>'}

    Raises TemplateSourceError for a text that is too long, or a configuration without a template.
    """
    stripped = source.strip()
    if not stripped:
        raise TemplateSourceError(Phrase("there is no template"))
    if stripped.startswith("{") and not stripped.startswith(("{{", "{%", "{#")):
        found = from_config("own", "", source)
        if found is None:
            raise TemplateSourceError(Phrase("the configuration has no chat_template"))
        return found
    check_source(source)
    return ChatTemplate("own", "", source)


def template_of(vocabulary: str) -> ChatTemplate:
    """The template that is published for a well-known vocabulary, fetched if necessary, in the current application.

    Raises NoTemplateError, StillFetchingError and UnavailableVocabularyError as `published_template` does.
    """
    # The command line renders without the site, whose imports take a second.
    from webapp.chat.published import published_template
    from webapp.vocabularies import library

    return published_template(library(), vocabulary)
