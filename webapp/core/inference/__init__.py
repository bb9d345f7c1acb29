"""Several ways to apply one vocabulary."""
