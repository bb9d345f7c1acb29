"""Counts of n-grams as JSON and as text.

JSON holds everything that a model needs, what pruning removed included:

    {"type": "n-gram counts", "order": 2,
     "counts": [{"人生": 3, "如": 3, "</s>": 4, "<s>": 4}, {"<s> 人生": 2, "人生 如": 2}]}

`use` may name the smoothing and the order that they are meant for, if these are not Kneser-Ney and 2.

Text has an n-gram and its count in each line: `人生 如 2`. `<s>` and `</s>` are the edges of a sentence, `<unk>` is an
unknown word; a word that is spelled so, or begins with a backslash, has a backslash before it.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from webapp.core.formats.reading import FormatError, field, lines_of, parts_of_file
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, HIGHEST_ORDER, START, UNKNOWN, Estimates, NGramCounts, check_words
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.models.smoothing import SMOOTHINGS
from webapp.core.recipes import NGRAM
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase, shown

TYPE = "n-gram counts"
MOST_NGRAMS = 1_000_000
_MOST = 1 << 48  # of one n-gram, so that sums stay exact
_MOST_STORED = (1 << 32) - 1
_MARKS: Mapping[str, str] = {str(mark): mark for mark in (START, END, UNKNOWN)}

Ngrams = dict[tuple[str, ...], int]


def spelled(word: str) -> str:
    """A word or a mark as files have it.

    >>> spelled(START), spelled("<s>")
    ('<s>', '\\\\<s>')
    """
    if word is START or word is END or word is UNKNOWN:
        return str(word)
    text = str(word)
    return "\\" + text if text in _MARKS or text.startswith("\\") else text


def word_of(text: str) -> str:
    """The word or the mark that a file has; of `spelled`, the inverse.

    >>> word_of("<s>") == START, word_of(chr(92) + "<s>")
    (True, '<s>')
    """
    if text in _MARKS:
        return _MARKS[text]
    if text.startswith("\\") and (text[1:] in _MARKS or text[1:].startswith("\\")):
        return text[1:]
    return text


def write_json(tokenizer: Tokenizer) -> str:
    """Return the counts of an n-gram model as JSON; raises FormatError for another model, or one without counts."""
    model = counted_model(tokenizer)
    counts = model.counts
    first = {spelled(word): count for word, count in zip(counts.words, counts.levels[0].counts, strict=False)}
    first |= {spelled(mark): counts.count(mark) for mark in (END, START, UNKNOWN) if counts.count(mark)}
    longer = (counts.ngrams(length) for length in range(2, counts.order + 1))
    tables = [first, *({" ".join(map(spelled, ngram)): count for ngram, count in each} for each in longer)]
    document: dict[str, Any] = {"type": TYPE, "order": counts.order, "counts": tables}
    usual = counts.order if counts.order < 2 else 2
    if (model.smoothing.name, model.order) != ("kneser-ney", usual):
        document["use"] = {"smoothing": model.smoothing.name, "order": model.order}
    if counts.pruned:
        given = counts.given_estimates
        assert given is not None
        first_level = counts.levels[0]
        kept = [at for at in first_level.words if at < len(counts.words) or first_level.counts[at]]
        document["removed"] = {
            "continuations": [
                [first_level.continuations[at] for at in kept],
                *(list(level.continuations) for level in counts.levels[1:-1]),
            ],
            "estimates": [given.once_and_twice, given.continuations, given.weights],
        }
    if model.base is not None:
        document["frequencies"] = list(model.base)
    if model.characters is not None:
        document["characters"] = {
            "counts": dict(model.characters.counts),
            "longer": model.characters.longer,
            "floor": model.characters.floor,
        }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def read(document: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer of parsed counts; raises FormatError that says what is wrong."""
    tables = field(document, "counts", list)
    if not 1 <= len(tables) <= HIGHEST_ORDER:
        raise FormatError(
            '"counts" should have one to three objects, one for each order, not %(count)s', count=len(tables)
        )
    ngrams: Ngrams = {}
    for length, table in enumerate(tables, 1):
        if not isinstance(table, dict):
            raise FormatError('"counts" should be a list of objects, from n-grams to counts')
        for text, count in table.items():
            words = tuple(map(word_of, text.split(" ")))
            if len(words) != length:
                raise FormatError(
                    "the n-gram %(ngram)s should have %(count)s words, separated by single spaces",
                    ngram=shown(text),
                    count=length,
                )
            ngrams[words] = _checked(count, text)
    removed = field(document, "removed", dict, None)
    with parts_of_file():
        counts = counts_of(ngrams, len(tables), _estimates(removed, len(tables)) if removed else None)
        if removed:
            _set_continuations(counts, field(removed, "continuations", list), tables)
        smoothing, order = _use(document, counts)
        model = NGram(counts, smoothing, order, base=_frequencies(document, counts), characters=_characters(document))
        return NGRAM.tokenizer(model)


def write_text(tokenizer: Tokenizer) -> str:
    """Return counts as text; raises FormatError for a model that they do not describe completely."""
    counts = check_text(tokenizer).counts
    lines = [
        f"{' '.join(map(spelled, ngram))} {count}"
        for length in range(1, counts.order + 1)
        for ngram, count in counts.ngrams(length)
    ]
    return "\n".join(lines) + "\n"


def check_text(tokenizer: Tokenizer) -> NGram:
    """The n-gram model of a tokenizer; raises FormatError for one that text does not hold."""
    model = counted_model(tokenizer)
    if model.counts.pruned or model.base is not None or model.characters is not None:
        raise FormatError("text holds no more than counts: this model also has frequencies or removed n-grams")
    if model.counts.order == 1 or not model.counts.size(2):
        raise FormatError("text with counts of single words only would be read as a dictionary")
    return model


def read_text(text: str) -> Tokenizer:
    """Return the tokenizer of counts as text; raises FormatError with the line's number."""
    ngrams: Ngrams = {}
    order = 1
    for number, line in enumerate(lines_of(text), 1):
        fields = line.split()
        if not fields:
            continue
        if not 2 <= len(fields) <= HIGHEST_ORDER + 1 or not fields[-1].isascii() or not fields[-1].isdigit():
            raise FormatError("line %(line)s: one to three words and a count are expected", line=number)
        words = tuple(map(word_of, fields[:-1]))
        if words in ngrams:
            raise FormatError("line %(line)s: the n-gram occurs a second time", line=number)
        try:
            ngrams[words] = _checked(int(fields[-1][:20]), line)
            _check_places(words)
        except FormatError as error:
            raise FormatError(
                "line %(line)s: %(wrong)s", line=number, wrong=Phrase(error.sentence, **error.values)
            ) from None
        order = max(order, len(words))
        if len(ngrams) > MOST_NGRAMS:
            raise FormatError("more than %(most)s n-grams; remove the rare ones", most=f"{MOST_NGRAMS:,}")
    if not ngrams:
        raise FormatError("the file is empty")
    with parts_of_file():
        return NGRAM.tokenizer(NGram(counts_of(ngrams, order), "kneser-ney", min(order, 2)))


def counts_of(ngrams: Ngrams, order: int, estimates: Estimates | None = None) -> NGramCounts:
    """Return counts; what an n-gram begins with is counted as often as its continuations if it is not there itself."""
    if len(ngrams) > MOST_NGRAMS:
        raise FormatError("more than %(most)s n-grams; remove the rare ones", most=f"{MOST_NGRAMS:,}")
    ngrams = {ngram: count for ngram, count in ngrams.items() if count or len(ngram) == 1}
    words = dict.fromkeys(ngram[0] for ngram in ngrams if len(ngram) == 1)
    words |= dict.fromkeys(word for ngram in ngrams for word in ngram)
    ending: dict[str, int] = {}
    for ngram, count in ngrams.items():
        _check_places(ngram)
        if len(ngram) == 2:
            ending[ngram[1]] = ending.get(ngram[1], 0) + count
    for length in range(order, 1, -1):
        missing: Ngrams = {}
        for ngram, count in ngrams.items():
            if len(ngram) == length and ngram[:-1] not in ngrams:
                missing[ngram[:-1]] = missing.get(ngram[:-1], 0) + count
        ngrams |= missing
    for word in words:
        ngrams.setdefault((word,), ending.get(word, 0))
    known = [word for word in words if word is not START and word is not END and word is not UNKNOWN]
    check_words(known)
    return NGramCounts.of(known, ngrams, order=order, pruned=estimates is not None, estimates=estimates)


def counted_model(tokenizer: Tokenizer) -> NGram:
    """The n-gram model of a tokenizer; raises FormatError if it has none, or one without counts."""
    model = tokenizer.model
    if not isinstance(model, NGram):
        raise FormatError("only an n-gram model with counts can be written as counts")
    return model


def _are_whole(values: Iterable[Any], most: int = _MOST) -> bool:
    """Whether all values are whole numbers from 0 to `most`."""
    return all(type(value) is int and 0 <= value <= most for value in values)


def _checked(count: Any, ngram: str) -> int:
    if not _are_whole([count]):
        raise FormatError(
            "the count of %(ngram)s should be a whole number from 0 to %(most)s", ngram=shown(ngram), most=f"{_MOST:,}"
        )
    return int(count)


def _check_places(ngram: Iterable[str]) -> None:
    words = tuple(ngram)
    if any(word is END for word in words[:-1]) or any(word is START for word in words[1:]):
        raise FormatError("<s> stands only at the beginning of an n-gram and </s> only at its end")


def _estimates(removed: dict[str, Any], order: int) -> Estimates:
    try:
        plain, adjusted, weights = field(removed, "estimates", list)
        plain, adjusted = (tuple((int(once), int(twice)) for once, twice in part) for part in (plain, adjusted))
        found = Estimates(plain, adjusted, tuple(min(max(float(weight), 0.01), 0.99) for weight in weights))
        numbers = [number for pair in (*plain, *adjusted) for number in pair]
        if [*map(len, (plain, adjusted, weights))] != [order, order - 1, order] or not _are_whole(numbers):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise FormatError('"estimates" should have three lists of numbers') from None
    return found


def _set_continuations(counts: NGramCounts, lists: list[Any], tables: list[dict[str, int]]) -> None:
    if len(lists) != max(counts.order - 1, 1) or any(not isinstance(each, list) for each in lists):
        raise FormatError('"continuations" should have a list for each order but the highest')
    numbers = [counts.number(word_of(text)) for text in tables[0]]
    for level, values, places in zip(counts.levels, lists, [numbers, *(None for _ in lists)], strict=False):
        where = range(len(level.words)) if places is None else places
        if len(values) != len(where) or not _are_whole(values, _MOST_STORED):
            raise FormatError('"continuations" should have a whole number for each n-gram')
        found = array("I", bytes(4 * len(level.words)))
        for at, value in zip(where, values, strict=True):
            found[at] = value
        level.continuations = found


def _use(document: dict[str, Any], counts: NGramCounts) -> tuple[str, int]:
    """The smoothing and the order that the counts are meant for."""
    given = field(document, "use", dict, {})
    smoothing, order = given.get("smoothing", "kneser-ney"), given.get("order", min(counts.order, 2))
    if smoothing not in SMOOTHINGS:
        raise FormatError('"smoothing" should be one of: %(names)s', names=", ".join(SMOOTHINGS))
    if type(order) is not int or not 1 <= order <= counts.order:
        raise FormatError('"order" of "use" should be a number from 1 to %(most)s', most=counts.order)
    return smoothing, order


def _frequencies(document: dict[str, Any], counts: NGramCounts) -> array[int] | None:
    values = field(document, "frequencies", list, None)
    if values is None:
        return None
    if len(values) != len(counts.words) or not _are_whole(values, _MOST_STORED):
        raise FormatError('"frequencies" should have a whole number for each word')
    return array("I", values)


def _characters(document: dict[str, Any]) -> CharacterModel | None:
    given = field(document, "characters", dict, None)
    if given is None:
        return None
    counts = field(given, "counts", dict)
    if any(len(text) != 1 for text in counts) or not _are_whole(counts.values()):
        raise FormatError('"characters" should map single characters to counts')
    try:
        return CharacterModel(counts, float(given.get("longer", 0.25)), float(given.get("floor", 0.001)))
    except (TypeError, ValueError, OverflowError):
        raise FormatError('"longer" and "floor" should be numbers') from None
