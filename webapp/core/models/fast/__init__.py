"""What exists for speed alone: caches, and where a text can be cut without changing its tokens."""
