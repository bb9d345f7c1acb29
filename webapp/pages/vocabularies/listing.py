"""The list of all vocabularies, grouped by algorithm and searched by words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from flask import request, url_for

from webapp.core.algorithms import ALGORITHMS
from webapp.pages.vocabularies.messages import origin_of
from webapp.tokenization.algorithms import heading_of
from webapp.vocabularies import CATALOGUE, CatalogueEntry, title_of, well_known
from webapp.vocabularies.search import matches
from webapp.vocabularies.upload_cookie import uploads_of

LONGEST_FIND = 100  # characters


@dataclass(frozen=True)
class VocabularyLine:
    """A vocabulary in the list."""

    entry: CatalogueEntry
    title: str
    origin: str
    page: str
    playground: str

    def holds(self, words: Iterable[str]) -> bool:
        """Whether the line contains all `words`, which are case-folded."""
        entry = self.entry
        said = " ".join((entry.name, self.title, entry.family, entry.licence, self.origin, *entry.algorithms))
        said = said.casefold()
        return all(word in said for word in words)


@dataclass(frozen=True)
class VocabularyGroup:
    """The vocabularies of an algorithm."""

    algorithm: str
    title: str
    lines: list[VocabularyLine]


def vocabulary_groups(find: str = "") -> list[VocabularyGroup]:
    """The vocabularies whose line contains every word of `find`, in groups that are not empty."""
    words = find.casefold().split()
    by_title: dict[str, VocabularyGroup] = {}
    for line in sorted(map(line_of, entries()), key=_place):
        if line.holds(words) or matches(line.entry, find):
            algorithm = line.entry.algorithms[0]
            title = heading_of(algorithm)
            by_title.setdefault(title, VocabularyGroup(algorithm, title, [])).lines.append(line)
    return list(by_title.values())


def entries() -> list[CatalogueEntry]:
    """Every vocabulary that has a page: shipped ones, the visitor's uploads, then well-known ones."""
    return [*(entry for entry in CATALOGUE.values() if has_page(entry)), *uploads_of(request), *well_known()]


def has_page(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary has a page: not if it is trained on or pasted in the visitor's text."""
    return entry.origin not in ("learned", "pasted")


def line_of(entry: CatalogueEntry) -> VocabularyLine:
    """The line of an entry."""
    return VocabularyLine(
        entry,
        title_of(entry),
        origin_of(entry),
        page=url_for("vocabularies.vocabulary", name=entry.name),
        playground=url_for("playground.page", algorithm=entry.algorithms[0], vocabulary=entry.name),
    )


def similar_vocabularies(name: str) -> list[VocabularyLine]:
    """The vocabularies whose name or title is most like `name`, at most five."""
    lines = list(map(line_of, entries()))
    called: dict[str, VocabularyLine] = {}
    for line in lines:
        called.setdefault(line.entry.name.casefold(), line)
        called.setdefault(line.title.casefold(), line)
    wanted = name.casefold()[:LONGEST_FIND]
    letters = _letters(wanted)
    alike = [called[key] for key in get_close_matches(wanted, called, n=5, cutoff=0.5)]
    alike += [line for line in lines if len(letters) > 2 and letters in _letters(f"{line.entry.name} {line.title}")]
    return list({line.entry.name: line for line in alike}.values())[:5]


def _letters(name: str) -> str:
    """A name's letters and digits: `GPT-3: r50k → gpt3r50k`."""
    return "".join(filter(str.isalnum, name.casefold()))


def _place(line: VocabularyLine) -> int:
    """The place of a line's group in the list."""
    return list(ALGORITHMS).index(line.entry.algorithms[0])
