"""How the tables came to be what they are, step by step: one module a step in `versions`."""
