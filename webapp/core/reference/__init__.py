"""Each algorithm as textbooks and papers teach it, without anything that exists for speed.

`whole_trip`     text to ids and back: pattern, bytes, merges, ids; merge a word in the terminal with
                 `python -m webapp.core.reference unbelievable`
`matching`       maximum matching with a dictionary: forward, backward and bidirectional
`bpe`            byte-pair encoding over characters or bytes: training, encoding and decoding
`wordpiece`      WordPiece: training by score, encoding by the longest match
`unigram`        the Unigram language model: training by expectation maximization, encoding by Viterbi
`inference`      one vocabulary applied by other rules: longest match, fewest pieces, dropout, samples
`ngram`          word bigrams with add-one smoothing, and the segmentation they make most likely
`tagger`         words from tags of characters: features, Viterbi, training with the averaged perceptron

Read each file from top to bottom; it needs only the standard library and, for split patterns, `regex`. Every
docstring is an example that runs. Property tests compare the fast models and trainers with these functions.
"""
