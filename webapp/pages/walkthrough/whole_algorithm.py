"""The source of the reference algorithms that pages show in full, read from `webapp.core.reference` at start-up."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from webapp.core.reference import bpe, longest_first, matching, ngram, unigram, wordpiece
from webapp.rendering.source_listing import SourceListing, source_listing

ENCODING: Mapping[str, SourceListing] = MappingProxyType(
    {
        "fmm": source_listing(matching.forward),
        "bmm": source_listing(matching.backward),
        "bpe": source_listing(bpe.characters, bpe.utf8, bpe.encode),
        "longest-first": source_listing(longest_first.encode),
        "wordpiece": source_listing(wordpiece.encode),
        "unigram": source_listing(unigram.encode),
    }
)
"""Encoding, for each algorithm of `/steps`."""

TRAINING: Mapping[str, SourceListing] = MappingProxyType(
    {
        "bpe": source_listing(bpe.characters, bpe.train),
        "bpe-bytes": source_listing(bpe.utf8, bpe.train),
        "wordpiece": source_listing(wordpiece.split, wordpiece.train),
        "unigram": source_listing(unigram.seed, unigram.train),
        "bigrams": source_listing(ngram.train, ngram.segment),
    }
)
"""Training, for each kind of `/steps/training`."""

LESSONS: Mapping[str, SourceListing] = MappingProxyType(
    {
        "dictionary": source_listing(matching.bidirectional),
        "bpe": source_listing(bpe.characters, bpe.train, bpe.encode, bpe.decode),
        "bytes": source_listing(bpe.utf8, bpe.train, bpe.encode, bpe.decode_bytes),
        "wordpiece": source_listing(wordpiece.split, wordpiece.train, wordpiece.encode),
        "unigram": source_listing(unigram.seed, unigram.train, unigram.encode),
    }
)
"""Training and encoding, for each lesson about an algorithm."""
