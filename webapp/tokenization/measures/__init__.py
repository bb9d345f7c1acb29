"""Measures of tokenizers for pages, the API and files: their definitions, and their values for a text."""
