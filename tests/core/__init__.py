PIPELINES = ["byte_bpe", "cl100k_bpe", "glued_bpe", "wordpiece", "wordpiece_lowercase", "unigram", "metaspace_unigram"]
"""The functions of `pairs` that train a vocabulary with `tokenizers`."""
