"""Vocabularies as files, one module a format, each with `read` and, where there is one, `write`.

`recognize` tells by its content what a file is. Whatever is wrong with one is a `FormatError` of `fields`.
"""
