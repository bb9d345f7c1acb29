"""Parity-aware BPE: each merge is the most frequent pair of the language that is compressed least.

Source: Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding: Improving Cross-lingual Fairness in Tokenization"
(arXiv 2508.04796), section 3, and the authors' program where the paper leaves a choice. It stops where no pair is left
for the worst language; here the next one is served, so that the vocabulary reaches its size.
`webapp.core.reference.parity_bpe` explains the steps and is the oracle. Ties are resolved as in `bpe`.

- Exploits: a merge changes the length of a text by the number of pairs that it replaces, so no text is measured again.
- Invariant: every language has the same symbols, its own pairs, and every pair is counted (`all_pairs`).
- Proved by: `webapp.core.reference.parity_bpe`, in `tests.core.reference.test_parity_bpe`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.trainers.best_pairs import BestPairs
from webapp.core.trainers.bpe import BYTES, CountedMerge, TrainedBPE
from webapp.core.trainers.pair_counts import MASK, SHIFT, Pairs
from webapp.core.trainers.word_counts import WordCounts


@dataclass(frozen=True)
class TrainedParityBPE(TrainedBPE[bytes]):
    """A trained vocabulary; `languages` names, for each merge, the language that it was made for."""

    languages: tuple[str, ...] = ()


def train_bytes(
    corpora: Mapping[str, WordCounts],
    size: int,
    special_tokens: Sequence[str] = (),
    *,
    dev: Mapping[str, WordCounts] | None = None,
    minimum_count: int = 1,
) -> TrainedParityBPE:
    """Train parity-aware BPE over bytes with `size` pieces, from the word counts of each language.

    `dev` are the word counts of texts that say the same in all languages; without it, languages are compared by how
    many times shorter their training texts have become. The result has fewer pieces if no pair is left. Raises
    ValueError for a size that cannot hold the bytes and the special tokens, and if `dev` has other languages.

    >>> corpora = {"en": {"the": 90, "than": 30}, "de": {"das": 9, "dass": 3}}
    >>> dev = {"en": {"the": 1, "than": 1}, "de": {"das": 1, "dass": 2}}
    >>> trained = train_bytes(corpora, 260, dev=dev)
    >>> [(name, merge.left + merge.right) for name, merge in zip(trained.languages, trained.merges)]
    [('de', b'da'), ('de', b'das'), ('en', b'th'), ('en', b'the')]
    """
    room = size - len(special_tokens)
    if room < len(BYTES):
        raise ValueError(f"a vocabulary with room for {room} pieces cannot hold the {len(BYTES)} bytes")
    found: list[CountedMerge[bytes]] = []
    languages: list[str] = []
    pieces = set(BYTES)
    steps = merges(corpora, dev, minimum_count)
    while len(pieces) < room and (step := next(steps, None)) is not None:
        language, merge = step
        languages.append(language)
        found.append(merge)
        pieces.add(merge.left + merge.right)
    return TrainedParityBPE(BYTES, tuple(found), tuple(special_tokens), languages=tuple(languages))


def merges(
    corpora: Mapping[str, WordCounts], dev: Mapping[str, WordCounts] | None = None, minimum_count: int = 1
) -> Iterator[tuple[str, CountedMerge[bytes]]]:
    """Yield the merges lazily, each with the language that it was made for and its count there."""
    if dev is not None and dev.keys() != corpora.keys():
        raise ValueError("the development texts are in other languages than the corpora")
    pieces: list[bytes] = [b"", *BYTES]
    number_of = {piece: number for number, piece in enumerate(pieces)}
    trained = {language: Pairs.of_bytes(counts, all_pairs=True) for language, counts in corpora.items()}
    best = {language: BestPairs(pairs, minimum_count) for language, pairs in trained.items()}
    texts = (
        trained if dev is None else {language: Pairs.of_bytes(dev[language], all_pairs=True) for language in corpora}
    )
    lengths = {language: sum(map(_weight, counts.items())) for language, counts in (dev or corpora).items()}
    units = {language: 1 if dev else max(length, 1) for language, length in lengths.items()}
    served = list(corpora)
    while served:
        worst = max(served, key=lambda language: lengths[language] / units[language])
        pair = best[worst].pair()
        if pair is None:
            served.remove(worst)
            continue
        left, right = pair >> SHIFT, pair & MASK
        merge = CountedMerge(pieces[left], pieces[right], trained[worst].counts[pair])
        product = number_of.setdefault(merge.left + merge.right, len(pieces))
        if product == len(pieces):
            pieces.append(merge.left + merge.right)
        for language, pairs in trained.items():
            merged, born = _merged(pairs, pair, product)
            best[language].add(born)
            if dev is not None:
                merged, _ = _merged(texts[language], pair, product)
            lengths[language] -= merged
        yield worst, merge


def _weight(entry: tuple[str, int]) -> int:
    return len(entry[0].encode()) * entry[1]


def _merged(pairs: Pairs, pair: int, product: int) -> tuple[int, set[int]]:
    """Merge a pair in one language, where it may not occur."""
    if pair in pairs.counts:
        return pairs.merge(pair, product)
    if product == len(pairs.lengths):
        pairs.lengths.append(pairs.lengths[pair >> SHIFT] + pairs.lengths[pair & MASK])
    return 0, set()
