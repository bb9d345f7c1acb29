"""The chat templates at hand: the site's own, those of well-known vocabularies, and a visitor's."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from webapp.core.vocabulary_error import Phrase

# Longer sources are refused: the longest published ones have about 20 000 characters.
MOST_SOURCE = 200_000
# The variables that transformers takes from a configuration.
SPECIAL_TOKENS = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


class ChatTemplateError(Exception):
    """Something is wrong with a chat template; `message` is the sentence to translate."""

    def __init__(self, message: Phrase) -> None:
        """Create an error from its sentence."""
        super().__init__(str(message))
        self.message = message


class TemplateSourceError(ChatTemplateError, ValueError):
    """A text that cannot be a template."""


class NoTemplateError(ChatTemplateError):
    """A vocabulary without a chat template."""


@dataclass(frozen=True)
class ChatTemplate:
    """A chat template.

    `source` is Jinja, `tool_source` the one for conversations with tools where it differs. `variables` are the
    special tokens by the names that templates use, such as `bos_token`. `provenance` says where the template, or the
    format it was written from, is published.
    """

    name: str
    title: str
    source: str
    variables: Mapping[str, str] = field(default_factory=dict)
    provenance: str = ""
    tool_source: str = ""

    def source_for(self, *, tools: bool) -> str:
        """The source for a conversation with or without tools."""
        return self.tool_source if tools and self.tool_source else self.source


def from_config(name: str, title: str, text: str, *, provenance: str = "", source: str = "") -> ChatTemplate | None:
    """The template of a `tokenizer_config.json`; `source` is that of a `chat_template.jinja` beside it, which wins.

    >>> config = '{"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>"}}'
    >>> found = from_config("own", "Own", config)
    >>> found.source, found.variables
    ('{{ bos_token }}', {'bos_token': '<s>'})

    None if there is no template. Raises TemplateSourceError for a text that is no such configuration.
    """
    config = _object(text)
    sources = {"default": source} if source else _sources(config.get("chat_template"))
    default = sources.get("default") or next(iter(sources.values()), "")
    if not default:
        return None
    for found in sources.values():
        check_source(found)
    tools = sources.get("tool_use", "")
    return ChatTemplate(name, title, default, _special_tokens(config), provenance, tools)


def check_source(source: str) -> None:
    """Raise TemplateSourceError for a template that is too long, or has halves of surrogate pairs."""
    if len(source) > MOST_SOURCE:
        raise TemplateSourceError(
            Phrase("the template has more than the allowed %(most)s characters", most=MOST_SOURCE)
        )
    if not is_well_formed(source):
        raise TemplateSourceError(Phrase("half of a surrogate pair stands alone in the template"))


def is_well_formed(text: str) -> bool:
    """Whether a text has no half of a surrogate pair.

    >>> is_well_formed("a"), is_well_formed(chr(0xD800))
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _object(text: str) -> dict[str, Any]:
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        raise TemplateSourceError(Phrase("the configuration is not JSON")) from None
    if not isinstance(config, dict):
        raise TemplateSourceError(Phrase("the configuration should be an object"))
    return config


def _sources(value: Any) -> dict[str, str]:
    """The templates by name: a text is the one called default, and a list has named ones."""
    if isinstance(value, str):
        return {"default": value}
    pairs = value.items() if isinstance(value, dict) else []
    if isinstance(value, list):
        pairs = [(item.get("name"), item.get("template")) for item in value if isinstance(item, dict)]
    return {name: source for name, source in pairs if isinstance(name, str) and isinstance(source, str)}


def _special_tokens(config: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for name in SPECIAL_TOKENS:
        value = config.get(name)
        content = value.get("content") if isinstance(value, dict) else value
        if isinstance(content, str) and len(content) <= 1000 and is_well_formed(content):
            found[name] = content
    return found


_FOLDER = Path(__file__).with_name("builtin")


# The name, title and publisher's page of each built-in template, and the tokens that begin and end its texts.
_CARDS = "https://www.llama.com/docs/model-cards-and-prompt-formats"
_BUILT_IN = (
    ("chatml", "ChatML", "https://github.com/openai/openai-python/blob/release-v0.28.0/chatml.md", "", ""),
    ("llama-2", "Llama 2", "https://github.com/meta-llama/llama/blob/main/llama/generation.py", "<s>", "</s>"),
    (
        "llama-3",
        "Llama 3",
        f"{_CARDS}/meta-llama-3/",
        "<|begin_of_text|>",
        "<|eot_id|>",
    ),
    ("mistral", "Mistral", "https://docs.mistral.ai/guides/tokenization/", "<s>", "</s>"),
    ("gemma", "Gemma", "https://ai.google.dev/gemma/docs/core/prompt-structure", "<bos>", "<eos>"),
    ("glm-4", "GLM-4", "https://github.com/zai-org/GLM-4", "", ""),
)


def _built_in(name: str, title: str, provenance: str, begin: str, end: str) -> ChatTemplate:
    # As transformers writes its templates, a file ends without a line break.
    source = (_FOLDER / f"{name}.jinja").read_text(encoding="utf-8").removesuffix("\n")
    variables = {"bos_token": begin, "eos_token": end} if begin else {}
    return ChatTemplate(name, title, source, MappingProxyType(variables), provenance)


BUILT_IN: Mapping[str, ChatTemplate] = MappingProxyType({row[0]: _built_in(*row) for row in _BUILT_IN})


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
