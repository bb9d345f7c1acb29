"""Finds the vocabulary for `--vocabulary`: a built-in one, a well-known one that has been downloaded, or a file."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webapp.core import Tokenizer

DEFAULT = "o200k_base"
SHIPPED = Path(__file__).parents[1] / "vocabularies" / "shipped"


class UnknownVocabularyError(Exception):
    """There is no vocabulary and no file with this name."""


class UnusableVocabularyError(Exception):
    """A known vocabulary has not been fetched, or a file cannot be read."""


def tokenizer_of(name: str, merges: str | None = None) -> Tokenizer:
    """Return the tokenizer of the vocabulary with this name, or else of the file at this path.

    `merges` is the path of the merges.txt for a vocab.json. For a file with the name of a vocabulary, use `./name`.
    """
    if merges is None and "/" not in name:
        named = _named(name)
        if named is not None:
            return named
    if not Path(name).exists():
        raise UnknownVocabularyError(f"there is no vocabulary and no file called {name}")
    return _from_file(name, merges)


def _from_file(path: str, merges: str | None) -> Tokenizer:
    from webapp.core import load
    from webapp.core.formats.fields import FormatError

    try:
        return load(path, merges)
    except FormatError as error:
        raise UnusableVocabularyError(f"{path}: {error}") from None
    except OSError as error:
        raise UnusableVocabularyError(f"{error.filename or path}: {error.strerror or error}") from None


def _named(name: str) -> Tokenizer | None:
    # Without `webapp.vocabularies`, which imports the database and Flask: half of the 1.5 s of CPU time at the start.
    from webapp.core.formats import packed_ranks

    shipped = SHIPPED / f"{name}.json.gz"
    if shipped.is_file():
        from webapp.core import load

        return load(gzip.decompress(shipped.read_bytes()))
    if name in packed_ranks.FILES:
        return packed_ranks.read((SHIPPED / f"{packed_ranks.FILES[name]}.xz").read_bytes(), name)
    if name == "jieba":
        from webapp.core.formats.dictionary import jieba_dictionary
        from webapp.core.models.matching import Matching
        from webapp.core.recipes import MATCHING

        return MATCHING.tokenizer(Matching(jieba_dictionary(), "both", keep_runs=True))
    return _from_disk_cache(name)


def _from_disk_cache(name: str) -> Tokenizer | None:
    """Return a well-known vocabulary that the site has fetched; None if no vocabulary has this name."""
    if re.fullmatch(r"[a-z0-9_-]+", name) is None:
        return None
    from flask import Flask

    from webapp import settings
    from webapp.vocabularies import fetching
    from webapp.vocabularies.wellknown import WELL_KNOWN

    if name not in WELL_KNOWN:
        return None
    try:
        app = Flask("webapp")
        settings.configure(app, {})
        fetching.init_app(app)
        contents = fetching.fetcher_of(app).cached(WELL_KNOWN[name])
        if contents is not None:
            return WELL_KNOWN[name].tokenizer(contents)
    except ValueError as error:
        raise UnusableVocabularyError(f"{name}: {error}") from None
    raise UnusableVocabularyError(
        f"{name} is not on this disk; `flask --app webapp vocabularies fetch {name}` fetches it"
    )
