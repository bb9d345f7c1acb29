"""Trainers, which turn word counts into vocabularies: BPE, WordPiece, Unigram; n-grams and taggers from sentences.

A trainer takes word counts: a mapping from each distinct word (pre-token) to its number of occurrences, in order of
first occurrence. `Recipe.count` computes them from text; any other source works too. A trainer returns a new model and
never changes one. The same counts in the same order always give the same result.

`word_counts`  characters, alphabets and sums of word counts
`bpe`          byte pair encoding over bytes, or over characters with an end-of-word suffix
`ties`         which of several equally frequent pairs BPE merges first: five rules
`wordpiece`    merges by score instead of by count
`unigram`      expectation maximization over many candidate pieces, pruned to size
`bpe_variants` SuperBPE, which merges inside words first, then across spaces; SentencePiece's BPE
`ngram`        counts of words and n-grams in segmented sentences, rare ones removed
`tagger`       weights of features of characters, from segmented sentences: the averaged perceptron

`pair_counts` keeps pair counts up to date for `bpe` and `wordpiece`, `pair_scores` the scores for `wordpiece`.
`unigram` starts from the frequent substrings of `word_trie` and computes expectations with `corpus_lattice`; these and
`tagger` go through whole corpora in arrays (numpy).
"""
