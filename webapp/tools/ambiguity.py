"""`/ambiguity`: every overlapping and combinational ambiguity of a text, and what each method chose."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Annotated

from flask import current_app
from pydantic import Field

from webapp.core.algorithms import finds_words
from webapp.core.analysis.ambiguity import Ambiguities, Chain, Combination, Kind, find_ambiguities, words_of_chain
from webapp.core.models.dictionary import Dictionary
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.answers import Skipped, skipped_lines
from webapp.tokenization.forms import fits
from webapp.tokenization.result import encode, prepare
from webapp.tools.inputs import WHOLE, Answer, FromForm, InBody, PageNumber, Text, require_page
from webapp.tools.kernel import ApiEntry, Tool
from webapp.tools.picker import AlgorithmId, DictionaryInput
from webapp.vocabularies import default_for, offered_algorithms
from webapp.web.json_responses import well_formed
from webapp.web.localization import join_list

MOST_SEGMENTED = 100_000
"""How many characters of a text each method segments; the ambiguities are those of the whole text."""
EXAMPLES = ("结婚的和尚未结婚的", "研究生命科学", "结合成分子时", "他从马上下来，马上就来")
"""Chains of one to four, and a word that is two words elsewhere."""
ON_A_PAGE = 50  # places
MOST_IN_FILES = 100_000  # places
CONTEXT = 12  # characters before and after a place
LONGEST_SHOWN = 60  # characters of a place
WORDS_SHOWN = 12

Span = tuple[int, int]


class AmbiguityInput(DictionaryInput):
    """A text and a dictionary whose ambiguities to list."""

    text: Annotated[Text, Field(examples=[EXAMPLES[0]])] = EXAMPLES[0]
    kind: Annotated[
        Kind | None,
        FromForm(("list",), choose=lambda values: "" if values[0] == "all" else values[0], button=True),
        Field(description="The kind of ambiguities to list. Default: both, overlapping ones first."),
    ] = None
    singles: Annotated[
        bool, Field(description="List words too that consist of words of which one is a single character.")
    ] = False
    page: PageNumber = 1
    offset: Annotated[
        int, Field(ge=0, description="How many places to leave out at the beginning of the list."), WHOLE, InBody()
    ] = 0
    limit: Annotated[int, Field(ge=0, le=1_000, description="The most places to list."), WHOLE, InBody()] = 100


class WordAnswer(Answer):
    """A word of a text."""

    text: str
    start: int
    end: int


class PlaceAnswer(Answer):
    """A place of a text with an ambiguity."""

    kind: Kind
    start: Annotated[int, Field(description="The start of the place, in code points.")]
    end: Annotated[int, Field(description="The end of the place (exclusive).")]
    text: str
    chain_length: Annotated[
        int | None, Field(description="How many strings two crossing words share; null for a combinational ambiguity.")
    ]
    words: Annotated[
        Sequence[WordAnswer],
        Field(description="The words that cross, at most 50; or the fewest words that the word consists of."),
    ]
    chosen: Annotated[
        Mapping[str, Sequence[WordAnswer]],
        Field(description="The words that each method takes at the place; empty after the `segmented_characters`."),
    ]


class MethodAnswer(Answer):
    """A method of word segmentation and the vocabulary that it uses."""

    algorithm: AlgorithmId
    vocabulary: str


class AmbiguitiesAnswer(Answer):
    """The ambiguities of a text."""

    overlapping: Annotated[int, Field(description="The number of overlapping ambiguities: chains of crossing words.")]
    combinational: Annotated[int, Field(description="How many candidates there are: words that consist of words.")]
    combinational_words: Annotated[int, Field(description="The number of different words among them.")]
    segmented_characters: Annotated[
        int, Field(description="How many characters of the text the methods segmented: all, up to 100,000.")
    ]
    methods: Sequence[MethodAnswer]
    places: Sequence[PlaceAnswer]
    skipped_lines: Skipped = None


@dataclass(frozen=True)
class Method:
    """A method of word segmentation, and its words: the offsets where they start and end."""

    algorithm: str
    name: str
    vocabulary: str
    starts: Sequence[int]
    ends: Sequence[int]

    def words_at(self, start: int, end: int) -> list[tuple[int, int]]:
        """The spans of the words that share characters with a place."""
        first = bisect_right(self.ends, start)
        last = bisect_left(self.starts, end)
        return list(zip(self.starts[first:last], self.ends[first:last], strict=True))


@dataclass(frozen=True)
class AmbiguousPlace:
    """A place of a text with an ambiguity.

    `words` are the spans of the words that cross, or of those that a word consists of; `chosen` those that each method
    takes there, empty for a place after the part of the text that the methods segmented. `chain_length` is None for a
    combinational ambiguity.
    """

    kind: Kind
    start: int
    end: int
    chain_length: int | None
    words: Sequence[tuple[int, int]]
    chosen: Sequence[Sequence[tuple[int, int]]]

    @property
    def differs(self) -> bool:
        """Whether two methods split the place differently."""
        return len({tuple(each) for each in self.chosen}) > 1


@dataclass(frozen=True)
class ShownAmbiguities:
    """The ambiguities of a text, and the methods, which segmented its first `segmented` characters."""

    given: AmbiguityInput
    dictionary: Dictionary
    found: Ambiguities
    methods: Sequence[Method]
    segmented: int

    def count(self, kind: Kind | None) -> int:
        """How many ambiguities of a kind, or of both, can be listed."""
        numbers = {"overlapping": len(self.found.chains), "combinational": self.found.listed}
        return sum(numbers.values()) if kind is None else numbers[kind]

    @property
    def last_page(self) -> int:
        """The number of the last page of the list."""
        return max(1, -(-self.count(self.given.kind) // ON_A_PAGE))

    @property
    def first_number(self) -> int:
        """The number of the first place on the requested page, from 1."""
        return (self.given.page - 1) * ON_A_PAGE + 1

    @property
    def page(self) -> list[AmbiguousPlace]:
        """The places on the requested page."""
        return list(self._places(self.first_number - 1, ON_A_PAGE))

    @property
    def listed(self) -> Iterator[AmbiguousPlace]:
        """The places for programs."""
        return self._places(self.given.offset, self.given.limit)

    def _places(self, first: int, most: int) -> Iterator[AmbiguousPlace]:
        """At most so many places of the requested kind, or of both, the overlapping ones first, from a number on."""
        kind = self.given.kind
        last = min(first + most, self.count(kind))
        chains = 0 if kind == "combinational" else len(self.found.chains)
        if kind != "combinational":
            yield from map(self._of_chain, self.found.chains[first : min(last, chains)])
        if kind != "overlapping" and last > chains:
            yield from map(self._of_word, self.found.combinations(max(first - chains, 0), last - chains))

    def _of_chain(self, chain: Chain) -> AmbiguousPlace:
        words = words_of_chain(self.dictionary, self.given.text, chain, self.given.runs)
        return AmbiguousPlace("overlapping", chain.start, chain.end, chain.length, words, self._chosen(chain))

    def _of_word(self, word: Combination) -> AmbiguousPlace:
        spans = list(pairwise(accumulate(map(len, word.parts), initial=word.start)))
        return AmbiguousPlace("combinational", word.start, word.end, None, spans, self._chosen(word))

    def _chosen(self, place: Chain | Combination) -> list[list[Span]]:
        if place.end > self.segmented:
            return []
        return [method.words_at(place.start, place.end) for method in self.methods]

    def context(self, place: AmbiguousPlace) -> tuple[str, str, str]:
        """The text before a place in its line, the place, and the text after it."""
        text = self.given.text
        line_start = text.rfind("\n", max(0, place.start - CONTEXT), place.start) + 1
        line_end = text.find("\n", place.end, place.end + CONTEXT)
        before = text[max(line_start, place.start - CONTEXT, 0) : place.start]
        after = text[place.end : place.end + CONTEXT if line_end < 0 else line_end]
        return before, _shortened(text[place.start : place.end]), after

    def words(self, place: AmbiguousPlace) -> list[str]:
        """The words that cross, or those that the word consists of; the first of many."""
        words = [self.given.text[start:end] for start, end in place.words[:WORDS_SHOWN]]
        return [*words, "…"] if len(place.words) > WORDS_SHOWN else words

    def shared(self, place: AmbiguousPlace) -> list[str]:
        """The strings that two crossing words share (交集字串); the first of many."""
        both = {(start, end) for first, end in place.words for start, last in place.words if first < start < end < last}
        return [self.given.text[start:end] for start, end in sorted(both)[:WORDS_SHOWN]]

    def choices(self, place: AmbiguousPlace) -> list[tuple[str, list[tuple[str, bool]]]]:
        """Methods that choose the same words, with these words; True for one of which a part lies outside the place."""
        groups: dict[tuple[Span, ...], list[str]] = {}
        for method, spans in zip(self.methods, place.chosen, strict=bool(place.chosen)):
            groups.setdefault(tuple(spans), []).append(method.name)
        return [(join_list(names), self._words(place, spans)) for spans, names in groups.items()]

    def _words(self, place: AmbiguousPlace, spans: Sequence[Span]) -> list[tuple[str, bool]]:
        words = [
            (_shortened(self.given.text[start:end]), start < place.start or end > place.end)
            for start, end in spans[: 2 * WORDS_SHOWN]
        ]
        return [*words, ("…", False)] if len(spans) > 2 * WORDS_SHOWN else words


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def ambiguities(given: AmbiguityInput) -> ShownAmbiguities:
    """List the ambiguities of a text with a dictionary, and what each method of word segmentation chooses.

    An overlapping ambiguity (交集型) is a chain of dictionary words that cross: they share characters and neither
    contains the other. A combinational ambiguity (组合型) is a word that some sentences need split: the list has the
    candidates, words that consist of two or more words of at least two characters (`singles`: of any). Methods that
    cannot use the dictionary use a vocabulary of their own.
    """
    state, limit = given.state(given.text), current_app.config["MAX_CORPUS_BYTES"]
    ready = prepare(state, corpus_limit=limit)
    assert ready.dictionary is not None
    segmented = _end_of_part(given.text)
    methods = []
    for id in offered_algorithms():
        if finds_words(id):
            vocabulary = state.vocabulary if fits(state.vocabulary, id) else default_for(id)
            tokenizer = prepare(replace(state, algorithm=id, vocabulary=vocabulary), corpus_limit=limit).tokenizer
            encoding = encode(tokenizer, given.text[:segmented], algorithm=id)
            methods.append(Method(id, algorithm_names()[id], vocabulary, list(encoding.starts), list(encoding.ends)))
    found = find_ambiguities(ready.dictionary, given.text, given.runs, 1 if given.singles else 2)
    shown = ShownAmbiguities(given, ready.dictionary, found, methods, segmented)
    require_page(given.page, shown.last_page)
    return shown


def _end_of_part(text: str) -> int:
    """Where the part that the methods segment ends: after a sentence if one ends shortly before the limit."""
    if len(text) <= MOST_SEGMENTED:
        return len(text)
    first = MOST_SEGMENTED - 1_000
    return next((at for at in reversed(range(first, MOST_SEGMENTED + 1)) if text[at - 1] in "\n。！？"), MOST_SEGMENTED)


def answer(shown: ShownAmbiguities) -> AmbiguitiesAnswer:
    """The counts and some of the places, with offsets in characters, for programs."""
    text = shown.given.text

    def words(spans: Sequence[Span]) -> list[WordAnswer]:
        return [WordAnswer(well_formed(text[start:end]), start, end) for start, end in spans]

    def place_answer(place: AmbiguousPlace) -> PlaceAnswer:
        chosen = zip(shown.methods, place.chosen, strict=bool(place.chosen))
        return PlaceAnswer(
            place.kind,
            place.start,
            place.end,
            well_formed(text[place.start : place.end]),
            place.chain_length,
            words(place.words),
            {method.algorithm: words(spans) for method, spans in chosen},
        )

    return AmbiguitiesAnswer(
        overlapping=len(shown.found.chains),
        combinational=shown.found.combinational,
        combinational_words=shown.found.different,
        segmented_characters=shown.segmented,
        methods=[MethodAnswer(each.algorithm, each.vocabulary) for each in shown.methods],
        places=list(map(place_answer, shown.listed)),
        skipped_lines=skipped_lines(shown.dictionary),
    )


def table(shown: ShownAmbiguities) -> Iterator[list[object]]:
    """A row for each place; slashes stand between words.

    The columns of the methods are empty after the part of the text that they segmented.
    """
    text, methods = shown.given.text, shown.methods
    yield ["kind", "start", "end", "text", "chain_length", "words", *(method.algorithm for method in methods)]
    for place in shown.listed:
        words = (
            " / ".join(text[start:end] for start, end in spans)
            for spans in (place.words, *(place.chosen or [()] * len(methods)))
        )
        yield [place.kind, place.start, place.end, text[place.start : place.end], place.chain_length, *words]


TOOL = Tool(
    name="ambiguity",
    address="/ambiguity",
    input=AmbiguityInput,
    run=ambiguities,
    examples=EXAMPLES,
    answer=answer,
    table=table,
    exported={"page": 1, "offset": 0, "limit": MOST_IN_FILES},
    file_name="ambiguities",
    api=ApiEntry(
        "/ambiguities",
        "AmbiguitiesBody",
        AmbiguitiesAnswer,
        {"text": "结婚的和尚未结婚的", "kind": "overlapping"},
    ),
)
