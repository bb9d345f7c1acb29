"""Byte pair encoding: merge the most frequent adjacent pair repeatedly.

Source: Sennrich, Haddow, Birch 2016, "Neural Machine Translation of Rare Words with Subword Units", section
3.2; over bytes as in Radford et al. 2019 (GPT-2), section 2.2.

A tie goes to the pair that occurs first when the distinct words, as merged so far, are read in corpus order, or by
another rule of `webapp.core.trainers.ties`. A simple trainer that recounts all pairs into an insertion-ordered
dictionary before every merge and takes the first maximum gives the same merges; this one updates the counts instead.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import islice
from typing import Any, AnyStr, Generic, NamedTuple, Protocol, TypeVar

from webapp.core.models.bpe import BPE
from webapp.core.trainers.pair_counts import ABOVE, BREAK, MASK, PAIR, POSITION, SHIFT, Pairs, heap_entry
from webapp.core.trainers.ties import BYTES, END_OF_WORD, FIRST_SEEN, TieRule, byte_alphabet, in_order_of_ids, tie_key
from webapp.core.trainers.word_counts import WordCounts, alphabet, symbol_counts

NO_ENTRY = 0  # after all heap entries, which are negative


class CountedMerge(NamedTuple, Generic[AnyStr]):
    """A merge: its two pieces, and how often they were adjacent just before it."""

    left: AnyStr
    right: AnyStr
    count: int  # type: ignore[assignment]  # hides tuple.count, which a merge does not need

    @property
    def piece(self) -> AnyStr:
        """The piece that the merge makes."""
        return self.left + self.right


class SpecialsFirst:
    """A trained vocabulary that begins with its special tokens."""

    special_names: tuple[str, ...]

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids, as `Tokenizer` expects them."""
        return {name: index for index, name in enumerate(self.special_names)}


@dataclass(frozen=True)
class TrainedBPE(Generic[AnyStr]):
    """A trained BPE vocabulary: the alphabet, then the piece of each merge, in order.

    `alphabet` holds the pieces that merging starts from (for characters, preceded by the unknown piece);
    `special_names` get the ids after the pieces.
    """

    alphabet: tuple[AnyStr, ...]
    merges: tuple[CountedMerge[AnyStr], ...]
    special_names: tuple[str, ...] = ()
    end_of_word_suffix: str = ""
    unknown: str | None = None

    @cached_property
    def model(self) -> BPE:
        """The model with all merges."""
        return self.first(len(self.merges))

    def first(self, number: int) -> BPE:
        """Return the model after the first `number` merges, without retraining."""
        merges = self.merges[:number]
        ids = {piece: index for index, piece in enumerate(self.alphabet)}
        for merge in merges:
            ids.setdefault(merge.left + merge.right, len(ids))
        return BPE(
            tuple(ids),
            [(ids[merge.left], ids[merge.right]) for merge in merges],
            byte_level=not (self.end_of_word_suffix or self.unknown),
            end_of_word_suffix=self.end_of_word_suffix,
            unknown=self.unknown,
        )

    @property
    def special_tokens(self) -> dict[str, int]:
        """The unknown and the special tokens with their ids, as `Tokenizer` expects them."""
        first = len(self.model.pieces)
        unknown = {} if self.unknown is None else {self.unknown: self.alphabet.index(self.unknown)}
        return unknown | {name: first + index for index, name in enumerate(self.special_names)}


def train_bytes(
    counts: WordCounts,
    size: int | None = None,
    special_tokens: Sequence[str] = (),
    *,
    merges_at_most: int | None = None,
    ties: TieRule = FIRST_SEEN,
) -> TrainedBPE[bytes]:
    """Train byte-level BPE with `size` pieces: the 256 bytes, one for each merge, and the special tokens.

    Training stops early after `merges_at_most` merges, or when no pair is left; `ties` is the rule for pairs that occur
    equally often. Raises ValueError for a size that cannot hold the bytes and the special tokens.

    >>> trained = train_bytes({"aaabdaaabac": 1}, 259)
    >>> [merge.left + merge.right for merge in trained.merges]
    [b'aa', b'aaa', b'aaab']
    >>> trained.model.ids("aaabdaaabac") == trained.first(3).ids("aaabdaaabac")
    True
    """
    room = None if size is None else size - len(special_tokens)
    found = islice(byte_merges(counts, ties=ties), merges_at_most)
    check_room(room, BYTES)
    return TrainedBPE(byte_alphabet(ties), tuple(until(room, BYTES, found)), tuple(special_tokens))


def train_characters(
    counts: WordCounts,
    size: int | None = None,
    *,
    merges_at_most: int | None = None,
    unknown: str | None = "<unk>",
    coverage: float = 1.0,
    special_tokens: Sequence[str] = (),
    suffix_apart: bool = False,
    ties: TieRule = FIRST_SEEN,
) -> TrainedBPE[str]:
    """Train BPE over characters with `size` pieces: unknown, alphabet, one for each merge, and the special tokens.

    `coverage`: the share of symbol occurrences that the alphabet covers, most frequent symbols first; the rest is
    unknown to the model. `merges_at_most`, `ties`: as in `train_bytes`. `suffix_apart`: as in `character_merges`; the
    suffix is `</w>`. Training stops early when no pair is left. Raises ValueError for a size that cannot hold the
    alphabet.

    >>> trained = train_characters({"low": 5, "lower": 2}, 11)
    >>> trained.alphabet
    ('<unk>', 'l', 'o', 'w</w>', 'w', 'e', 'r</w>')
    >>> [merge.left + merge.right for merge in trained.merges]
    ['lo', 'low</w>', 'low', 'lowe']
    """
    symbols = in_order_of_ids(alphabet(_symbols(counts, END_OF_WORD, suffix_apart), coverage), ties)
    start = tuple(symbols) if unknown is None else (unknown, *(piece for piece in symbols if piece != unknown))
    found = character_merges(counts, suffix_apart=suffix_apart, symbols=symbols, ties=ties)
    room = None if size is None else size - len(special_tokens)
    check_room(room, start)
    return TrainedBPE(
        start,
        tuple(until(room, start, islice(found, merges_at_most))),
        tuple(special_tokens),
        END_OF_WORD,
        unknown,
    )


def byte_merges(
    counts: WordCounts, *, minimum_count: int = 1, ties: TieRule = FIRST_SEEN
) -> Iterator[CountedMerge[bytes]]:
    """Yield the merges of bytes lazily, most frequent pair first, until no pair occurs `minimum_count` times.

    >>> print(*next(byte_merges({"low": 5, "lower": 2, "newest": 6, "widest": 3})))
    b'e' b's' 9
    """
    alphabet = byte_alphabet(ties)
    return merges_of_pairs(Pairs.of_bytes(counts, alphabet), [b"", *alphabet], minimum_count, ties=ties)


def character_merges(
    counts: WordCounts,
    *,
    end_of_word_suffix: str = END_OF_WORD,
    suffix_apart: bool = False,
    symbols: Sequence[str] | None = None,
    minimum_count: int = 1,
    accepts: Callable[[str], bool] | None = None,
    ties: TieRule = FIRST_SEEN,
) -> Iterator[CountedMerge[str]]:
    """Yield the merges of characters lazily, most frequent pair first, until no pair occurs `minimum_count` times.

    The suffix marks the end of a word: attached to the word's last character (subword-nmt since version 0.2, and
    Hugging Face's files), or with `suffix_apart` as a symbol of its own after it (the listing in the paper); if it is
    empty, there is none. `symbols` is the alphabet in the order of its ids, by default every symbol that occurs; other
    characters never merge.

    >>> from itertools import islice
    >>> counts = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    >>> for merge in islice(character_merges(counts, suffix_apart=True), 4):
    ...     print(*merge)
    e s 9
    es t 9
    est </w> 9
    l o 7
    """
    if symbols is None:
        symbols = in_order_of_ids(_symbols(counts, end_of_word_suffix, suffix_apart), ties)
    number_of = {symbol: number for number, symbol in enumerate(symbols, start=1)}
    spelled = (spell(word, end_of_word_suffix, suffix_apart) for word in counts)
    numbered = ([number_of.get(symbol, BREAK) for symbol in word] for word in spelled)
    pairs = Pairs(zip(numbered, counts.values(), strict=True), len(symbols))
    return merges_of_pairs(pairs, ["", *symbols], minimum_count, accepts, ties)


def merges_of_pairs(
    pairs: Pairs,
    pieces: list[AnyStr],
    minimum_count: int,
    accepts: Callable[[AnyStr], bool] | None = None,
    ties: TieRule = FIRST_SEEN,
) -> Iterator[CountedMerge[AnyStr]]:
    """Yield merges from sorted entries of pairs; each merge appends its piece to `pieces`.

    A merge can only make a pair without the new symbol rarer and move its first occurrence back, so an entry never
    underestimates its pair. If the first entry is up to date, it is the best pair; if not, a current entry takes its
    place. Current entries, and those of pairs with new symbols, are in a heap beside the sorted list.
    """
    minimum_count = max(minimum_count, 1)
    number_of = {piece: number for number, piece in enumerate(pieces)}
    written, read, end = _entries(ties, pieces)
    in_order, stays = ties == FIRST_SEEN, ties not in ("first-seen", "longest")
    while pairs.counts:
        counts, places, first = pairs.counts, pairs.places, pairs.first
        starts, lengths = pairs.starts, pairs.lengths
        entries = [written(count, places[pair][0], pair) for pair, count in counts.items() if count >= minimum_count]
        if not in_order:
            entries.sort()
        entries.append(end)
        sorted_entries = iter(entries)
        following = next(sorted_entries)
        heap: list[Any] = []
        all_pairs = False
        while True:
            if heap and heap[0] < following:
                entry = heappop(heap)
            elif following == end:
                break
            else:
                entry = following
                following = next(sorted_entries)
            known, position, pair = read(entry)
            left, right = pair >> SHIFT, pair & MASK
            count = counts.get(pair, 0)
            if count < minimum_count:
                continue
            there = stays or (starts[position] == left and starts[position + lengths[left]] == right)
            if count != known or not there:
                heappush(heap, written(count, position if stays else first(pair, position), pair))
                continue
            piece = pieces[left] + pieces[right]
            if accepts is not None and piece not in number_of and not accepts(piece):
                pairs.refuse(pair)
                continue
            product = number_of.setdefault(piece, len(pieces))
            if product == len(pieces):
                pieces.append(piece)
            elif pairs.least > 1:
                all_pairs = True  # the count of a pair that was left out could rise
                break
            yield CountedMerge(pieces[left], pieces[right], count)
            _, born = pairs.merge(pair, product)
            for new in born:
                if counts[new] >= minimum_count:
                    heappush(heap, written(counts[new], places[new][0], new))
        if pairs.least <= minimum_count and not all_pairs:
            return
        pairs.recount(all_pairs=all_pairs)


def _entries(
    ties: TieRule, pieces: list[AnyStr]
) -> tuple[Callable[[int, int, int], Any], Callable[[Any], tuple[int, int, int]], Any]:
    """Return how entries are made of count, position and pair, how they are read, and the one after all of them.

    Those of the usual rule are integers: 16,000 merges on 2.8 MB of English take 0.5 s, with tuples 0.7 s.
    """
    if ties == FIRST_SEEN:
        return heap_entry, lambda entry: (-(entry >> ABOVE), entry >> 2 * SHIFT & POSITION, entry & PAIR), NO_ENTRY
    key = tie_key(ties, pieces)

    def written(count: int, position: int, pair: int) -> tuple[int, Any, int, int]:
        return -count, key(pair >> SHIFT, pair & MASK, position), position, pair

    return written, lambda entry: (-entry[0], entry[2], entry[3]), (NO_ENTRY,)


class Merged(Protocol):
    """A merge of any trainer."""

    @property
    def piece(self) -> Any:
        """The piece that the merge makes."""


AnyMerge = TypeVar("AnyMerge", bound=Merged)


def until(size: int | None, start: Collection[object], found: Iterable[AnyMerge]) -> Iterator[AnyMerge]:
    """Yield as many merges as it takes to grow the distinct pieces from `start` to `size`; without a size, all."""
    pieces = set(start)
    for merge in found if size is None or len(pieces) < size else ():
        yield merge
        pieces.add(merge.piece)
        if len(pieces) == size:
            return


def check_room(room: int | None, start: Collection[object]) -> None:
    """Raises ValueError if an alphabet has more pieces than a vocabulary has room for."""
    if room is not None and room < len(start):
        raise ValueError(f"a vocabulary with room for {room} pieces cannot hold an alphabet of {len(start)}")


def spell(word: str, suffix: str, apart: bool) -> list[str]:
    """Return the initial symbols of a word: ['l', 'o', 'w', '</w>'] with `apart`, else ['l', 'o', 'w</w>'].

    A word that contains the suffix has no symbols: merged from its characters, the same piece would have two meanings.
    """
    if suffix and suffix in word:
        return []
    symbols = list(word)
    if apart:
        symbols.append(suffix)
    elif symbols:
        symbols[-1] += suffix
    return symbols


def _symbols(counts: WordCounts, suffix: str, apart: bool) -> dict[str, int]:
    """Return how often each initial symbol occurs, in order of first occurrence."""
    return symbol_counts((spell(word, suffix, apart), count) for word, count in counts.items())
