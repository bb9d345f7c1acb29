"""What is wrong with a vocabulary, said in a sentence that can be said in another language too.

The core speaks English. Its sentences are literals with named places, which `pybabel extract` finds in the sources; the
web layer looks a `sentence` up, has its `values` translated if they are sentences themselves, and fills them in.
"""

from __future__ import annotations


class Phrase:
    """A part of a sentence that is translated by itself.

    >>> str(Phrase("a text of %(count)s characters", count=3))
    'a text of 3 characters'
    """

    def __init__(self, sentence: str, **values: object) -> None:
        """`sentence` is a literal, and a percent sign in it is doubled only where there are values."""
        self.sentence = sentence
        self.values = values

    def __str__(self) -> str:
        return self.sentence % self.values if self.values else self.sentence


class VocabularyError(ValueError):
    """A vocabulary that contradicts itself.

    >>> error = VocabularyError("the piece %(piece)s occurs twice", piece=shown(b"ab"))
    >>> str(error), error.sentence, error.values
    ("the piece 'ab' occurs twice", 'the piece %(piece)s occurs twice', {'piece': "'ab'"})
    """

    def __init__(self, sentence: str, **values: object) -> None:
        """`sentence` is as a `Phrase`'s; a value may be a `Phrase` or another such error."""
        super().__init__(str(Phrase(sentence, **values)))
        self.sentence = sentence
        self.values = values


def shown(value: object) -> str:
    r"""A value as it stands in a message: short, text in quotation marks, whether of characters or of bytes.

    >>> shown("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    >>> print(shown("研究".encode()), shown(b"\xff"), shown(None), shown(True))
    '研究' '\xff' null true
    """
    if isinstance(value, str | bytes | list):
        value = value[:100]
    if value is None or isinstance(value, bool):
        text = {None: "null", True: "true", False: "false"}[value]  # as in JSON
    elif isinstance(value, bytes):
        try:
            text = repr(value.decode())
        except UnicodeDecodeError:
            text = repr(value)[1:]
    else:
        text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
