"""One article in many languages, a paragraph of code: the texts by which languages are compared."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

BASE = "en"


@dataclass(frozen=True)
class Passage:
    """A text with its language and script, as CLDR codes; empty if there is none.

    `name` is the language's own name.
    """

    key: str
    language: str
    script: str
    name: str
    text: str
    comparable: bool = True  # whether it is a translation of the English article


@cache
def passages() -> tuple[Passage, ...]:
    """The article in every language, English first, followed by the code."""
    content = tomllib.loads(files(__package__).joinpath("parallel_article.toml").read_text(encoding="utf-8"))
    articles = [Passage(item["language"], **item) for item in content["article"]]
    return (*articles, Passage("code", "", "", **content["code"], comparable=False))
