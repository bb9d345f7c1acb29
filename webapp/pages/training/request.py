"""What the address of a training says: a corpus, a size, a text to tokenize, and the options of each trainer.

The corpus is in the address as it is, or compressed if it would be too long: a Chinese character takes nine characters
there (`%E5%AD%A6`), so 2,000 of them would be twice what proxies commonly accept.
"""

from __future__ import annotations

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64Error
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal
from urllib.parse import quote_plus, urlencode

from flask import url_for
from flask_babel import gettext as _

from webapp.core.recipes import Recipe
from webapp.core.trainers.word_counts import WordCounts, merged
from webapp.pages.training.corpus import first_sentence, first_words, read_counts
from webapp.pages.walkthrough.engine import NoStepsError
from webapp.web.localization import number

View = Literal["page", "rounds"]
"""What an address shows: one step, or the table of all rounds."""
MOST = 2_000
"""The longest corpus, in characters."""
MOST_TEXT = 200
"""The longest text to tokenize, in characters."""
MOST_MERGES = 200
MOST_PIECES = 1_000
USUAL_MERGES = 20
READABLE = 1_500  # characters of an address that an uncompressed corpus may take
LONGEST = 7_500  # characters for a packed corpus: the common limit of proxies, 8,190, less room for the rest
_MOST_BYTES = 40_000  # of an unpacked corpus, so that no address can fill the memory


@dataclass(frozen=True)
class TrainingRequest:
    """A training and one of its steps; a `size` of None is the trainer's choice.

    `algorithm` and `symbols` name the kind of training. Every other field has its default unless the kind uses it.
    """

    algorithm: str
    symbols: str = ""  # BPE: "bytes", or else characters
    corpus: str = ""
    size: int | None = None  # merges; for Unigram the pieces to keep, single characters included
    text: str = ""  # what is tokenized with the pieces so far; if empty, words of the corpus
    as_text: bool = False  # read the corpus as plain text, even if it looks like a list of words with counts
    apart: bool = False  # BPE over characters: `</w>` is a symbol of its own
    minimum: int = 2  # WordPiece: the lowest count of a pair that is considered
    longer: int = 60  # Unigram: the most longer pieces to start with
    plain: bool = False  # Unigram: no mark for the space before a word
    every: bool = False  # Unigram: start with every part of a word that occurs twice, and with no whole word
    order: int = 2  # n-grams: how many words are counted together
    smoothing: str = "add-one"  # n-grams: one of `webapp.core.models.smoothing.SMOOTHINGS`
    step: int | None = None

    @property
    def kind(self) -> str:
        """The id of the kind of training.

        >>> TrainingRequest("bpe", symbols="bytes").kind, TrainingRequest("unigram").kind
        ('bpe-bytes', 'unigram')
        """
        return f"{self.algorithm}-{self.symbols}" if self.symbols else self.algorithm

    @cached_property
    def counted(self) -> dict[str, int] | None:
        """The words and counts of a corpus that is a list of them; None for plain text, and for sentences."""
        return None if self.as_text or self.algorithm == "ngram" else read_counts(self.corpus)

    def word_counts(self, recipe: Recipe) -> WordCounts:
        """The counts of the corpus's pre-tokens, the input of a trainer; each word of a list stands alone."""
        if self.counted is None:
            return recipe.count(self.corpus)
        words = self.counted.items()
        return merged(*({part: times * count for part, times in recipe.count(word).items()} for word, count in words))

    @cached_property
    def text_to_encode(self) -> str:
        """The visitor's text, or words of the corpus."""
        if self.text.strip():
            return self.text
        if self.algorithm == "ngram":
            return first_sentence(self.corpus)
        return first_words(self.counted if self.counted else self.corpus.split())

    def read_as(self, *, text: bool) -> TrainingRequest:
        """The same request with the corpus read as plain text or as words with counts, from its first step."""
        return replace(self, as_text=text, step=None)

    @property
    def merges(self) -> int:
        """`size`, or the usual number of merges."""
        return USUAL_MERGES if self.size is None else self.size

    def address(self, step: int | None = None, *, view: View = "page", **more: str) -> str:
        """The address of a step, or of the first; with `view="rounds"` of the table of all rounds."""
        pairs = [("corpus", "")] if not self.corpus else [parameters(self.corpus)]
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in ("algorithm", "corpus", "step") and value != field.default:
                pairs.append((field.name, str(int(value)) if isinstance(value, bool) else str(value)))
        if step is not None:
            pairs.append(("step", str(step)))
        query = urlencode([*pairs, *more.items()], errors="replace")
        return f"{url_for(f'training.{view}', algorithm=self.algorithm)}?{query}"

    def link(self) -> str:
        """The address of the kind of training, without a corpus: the page shows its first preset."""
        return url_for("training.page", algorithm=self.algorithm, symbols=self.symbols or None)


def check_room(asked: TrainingRequest, characters: int) -> None:
    """Raise NoStepsError if so many different characters, each of them a piece, are too many."""
    if characters > MOST_PIECES:
        message = _(
            "The corpus has %(count)s different characters, and each is a piece; training is shown for up to "
            "%(most)s pieces.",
            count=number(characters),
            most=number(MOST_PIECES),
        )
        raise NoStepsError(message)
    if asked.size is not None and asked.size < characters:
        message = _(
            "The corpus has %(count)s different characters, each of which is kept. Choose at least %(count)s pieces.",
            count=number(characters),
        )
        raise NoStepsError(message)


def parameters(corpus: str) -> tuple[str, str]:
    """The parameter that holds a text, and its value.

    >>> parameters("low lower")
    ('corpus', 'low lower')
    >>> parameters("学而时习之" * 50)[0]
    'packed'

    A text that no training accepts is shortened, to one that none accepts either: the page that says so has it in many
    links, and packing a megabyte for each took 8 s in total.
    """
    corpus = corpus[:_MOST_BYTES]
    if len(quote_plus(corpus, errors="replace")) <= READABLE:
        return "corpus", corpus
    return "packed", packed(corpus)


def packed(text: str) -> str:
    """A text compressed, from UTF-8 or UTF-16, whichever is shorter.

    >>> unpacked(packed("学而时习之" * 50)) == "学而时习之" * 50
    True
    """
    written = [text.encode("utf-8", "replace"), b"\xff" + text.encode("utf-16-le", "replace")]
    shortest = min((zlib.compress(content, 9) for content in written), key=len)
    return urlsafe_b64encode(shortest).rstrip(b"=").decode()


def unpacked(letters: str) -> str | None:
    """The text of a packed value, or None if it is invalid.

    >>> unpacked("nonsense"), unpacked("é")
    (None, None)
    """
    try:
        content = urlsafe_b64decode(letters.encode("ascii") + b"=" * (-len(letters) % 4))
        inflate = zlib.decompressobj()
        written = inflate.decompress(content, _MOST_BYTES)
        if not inflate.eof:
            return None
        # 0xFF marks UTF-16: UTF-8 never starts with it.
        return written[1:].decode("utf-16-le") if written[:1] == b"\xff" else written.decode()
    except (NotBase64Error, zlib.error, UnicodeError):
        return None
