"""Text before and after the model: normalizers, pre-tokenizers, decoders, and the characters they know."""
