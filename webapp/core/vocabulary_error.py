"""Vocabulary errors with translatable messages.

The core's messages are English literals with named placeholders, which `pybabel extract` finds in the sources. The web
layer translates a `sentence`, then any of its `values` that are phrases themselves, and fills them in.
"""


class Phrase:
    """A part of a sentence that is translated on its own.

    >>> str(Phrase("a text of %(count)s characters", count=3))
    'a text of 3 characters'
    """

    def __init__(self, sentence: str, **values: object) -> None:
        """Create a phrase; `sentence` must be a literal. Double a percent sign in it only if there are values."""
        self.sentence = sentence
        self.values = values

    def __str__(self) -> str:
        return self.sentence % self.values if self.values else self.sentence


class VocabularyError(ValueError):
    """An inconsistent vocabulary.

    >>> error = VocabularyError("the piece %(piece)s occurs twice", piece=shown(b"ab"))
    >>> str(error), error.sentence, error.values
    ("the piece 'ab' occurs twice", 'the piece %(piece)s occurs twice', {'piece': "'ab'"})
    """

    def __init__(self, sentence: str, **values: object) -> None:
        """Create an error; `sentence` is as in `Phrase`, and a value may be a `Phrase` or another such error."""
        super().__init__(str(Phrase(sentence, **values)))
        self.sentence = sentence
        self.values = values


def shown(value: object) -> str:
    r"""Return a value for a message: shortened, with quotation marks around text and bytes.

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
