"""Tokens as HTML, pictures and charts."""
