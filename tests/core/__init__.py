PIPELINES = ["byte_bpe", "cl100k_bpe", "glued_bpe", "wordpiece", "wordpiece_lowercase", "unigram", "metaspace_unigram"]
"""The names in `pairs.MADE`, which imports `tokenizers`."""
