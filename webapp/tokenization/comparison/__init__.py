"""Comparison of several tokenizers on one text: the choices, their results, and the aligned rows."""
