"""How word counts become a vocabulary: trainers for BPE, WordPiece and Unigram.

A trainer takes word counts, a mapping from each distinct word (pre-token) to how often it occurs, in the
order in which the words were first seen; `Recipe.count` makes them from text, and so can any other engine. It
gives back a model and never changes one. The same counts in the same order always give the same result.

`counts`     what can be read off word counts: characters, alphabets, sums
`bpe`        byte pair encoding over bytes, or over characters with an end-of-word suffix
`wordpiece`  merges by score instead of by count
`unigram`    expectation maximization over many candidate pieces, pruned down to size

Beneath them: `pairs` keeps pair counts up to date for `bpe` and `wordpiece`; `unigram` begins with `seeds`
and works on a `lattice`.
"""
