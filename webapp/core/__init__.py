"""The shared core: text in, tokens out. No web, no database, no settings.

A text goes through one pipeline of small objects: a normalizer changes characters, a pre-tokenizer cuts the text into
pre-tokens, a model turns each pre-token into pieces of its vocabulary, and a decoder makes text of pieces again.
`tokenizer.Tokenizer` composes them; `recipes` holds the five compositions of this site.
"""
