"""The pictures of lessons that do not change, drawn from what the core computes."""
