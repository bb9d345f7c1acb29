"""Text processing around the model: normalizers, pre-tokenizers, decoders, and their character classes."""
