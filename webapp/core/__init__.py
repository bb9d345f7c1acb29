"""The shared core: text in, tokens out. No web, no database, no settings.

A text goes through one pipeline of small objects: a normalizer changes characters, a pre-tokenizer cuts the text into
pre-tokens, a model turns each pre-token into pieces of its vocabulary, and a decoder makes text of pieces again.
`tokenizer.Tokenizer` composes them; `recipes` holds the five compositions of this site.
"""

__version__ = "0.1.0"
"""Kept with every result that is shared, so that a later core can say that it would cut otherwise."""
