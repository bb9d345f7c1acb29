"""Vocabulary file formats: one module per format, each with `read` and, where supported, `write`.

`recognize` identifies the format of a file by its content. A malformed file raises `reading.FormatError`.
"""
