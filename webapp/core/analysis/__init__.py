"""Analyses of vocabularies and encodings: portraits, token frequencies, agreement, chunks of a long text."""
