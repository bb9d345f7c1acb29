"""What the address of a training says: a corpus, a size, a text to tokenize, and the options of each trainer.

The corpus is in the address as it is, or compressed if it would be too long: a Chinese character takes nine characters
there (`%E5%AD%A6`), so 2,000 of them would be twice what proxies commonly accept.

A corpus may be given as words and their counts, as textbooks print it: `low 5 lower 2 newest 6 widest 3`.

Separators between a word and its count are spaces, tabs, `×`, `x`, `*`, `:`, `=`, a comma or a dash with spaces around
it. Entries stand one per line, or several on a line; quotes and brackets around them are ignored, so that a Python
list or dictionary can be pasted. Lists with the count first (`5 low`, as from `uniq -c`) are read too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal
from urllib.parse import urlencode

from flask import request, url_for
from flask_babel import gettext as _

from webapp.core.recipes import Recipe
from webapp.core.text.utf8 import characters_to_bytes
from webapp.core.trainers.ties import FIRST_SEEN, TieRule
from webapp.core.trainers.word_counts import WordCounts, merged
from webapp.tokenization.forms import InputProblem
from webapp.web.addresses import parameters, unpacked
from webapp.web.localization import number

View = Literal["page", "rounds"]
"""What an address shows: one step, or the table of all rounds."""
MOST = 2_000
"""The longest corpus, in characters."""
MOST_TEXT = 200
"""The longest text to tokenize, in characters."""
MOST_MERGES = 200
MOST_PIECES = 1_000
MOST_BEFORE = 400
USUAL_MERGES = 20
LONGEST = 7_500  # characters for a packed corpus: the common limit of proxies, 8,190, less room for the rest
MOST_COUNT = 1_000_000
LONGEST_SAMPLE = 60  # characters of a corpus that are encoded if the visitor has no text
_CLAUSE = re.compile(r"[，。！？；、,.!?;:：]\s*")
_NUMBER = r"\d{1,3}(?:,\d{3})+(?!\d)|[-−+]?\d+(?:\.\d+)?"
_WORD = r"(?=\S*[^\W\d_])[^\s,;，；、]\S*?"  # with at least one letter
_BETWEEN = re.compile(r"[\s,;，；、]+")
_ENTRY = re.compile(
    rf"(?P<word>{_WORD})(?:\s*[×✕*＊:：=＝,，]\s*|\s+(?:[xX]\s*|[-–—]\s+)|\s+)(?P<count>{_NUMBER})(?=[\s,;，；、]|$)"
)
_REVERSED = re.compile(rf"(?P<count>{_NUMBER})(?:\s*[×✕*＊]\s*|\s+(?:[xX]\s+)?)(?P<word>{_WORD})(?=[\s,;，；、]|$)")
_AROUND = re.compile(r"""["“”„«»「」『』()（）\[\]{}]|(?<!\w)['‘’]|['‘’](?!\w)""")


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
    mark: str = "last"  # BPE over characters: `</w>` is part of the "last" one, "apart", or "none"
    ties: TieRule = FIRST_SEEN  # BPE and WordPiece: which of several equally good pairs is merged
    minimum: int = 2  # WordPiece: the lowest count of a pair that is considered
    longer: int = 60  # Unigram: the most longer pieces to start with
    plain: bool = False  # Unigram: no mark for the space before a word
    every: bool = False  # Unigram: start with every part of a word that occurs twice, and with no whole word
    order: int = 2  # n-grams: how many words are counted together
    smoothing: str = "add-one"  # n-grams: one of `SMOOTHINGS` or `BY_HAND` of `webapp.core.models.smoothing`
    # BPE over bytes, or characters without a mark, and WordPiece: the merges done already, packed; each line of
    # `corpus` is then a word, a tab and its count.
    before: str = ""
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
        if self.before:
            lines = (line.rpartition("\t") for line in self.corpus.split("\n"))
            return {word: int(count) for word, _tab, count in lines if word and re.fullmatch("[1-9][0-9]{,7}", count)}
        return None if self.as_text or self.algorithm in ("ngram", "tagger") else read_counts(self.corpus)

    def word_counts(self, recipe: Recipe) -> WordCounts:
        """The counts of the corpus's pre-tokens, the input of a trainer; each word of a list stands alone."""
        if self.counted is None:
            return recipe.count(self.corpus)
        if self.before:
            return self.counted
        words = self.counted.items()
        return merged(*({part: times * count for part, times in recipe.count(word).items()} for word, count in words))

    @cached_property
    def merges_before(self) -> list[tuple[Any, Any]]:
        """The merges in `before`, of bytes or of text."""
        return read_merges(self.before, as_text=not self.symbols, prefix="##" if self.algorithm == "wordpiece" else "")

    @cached_property
    def text_to_encode(self) -> str:
        """The visitor's text, or words of the corpus."""
        if self.text.strip():
            return self.text
        if self.before:  # a word may begin with a space, and others would have one more
            return next(iter(self.counted or ()), "")
        if self.algorithm in ("ngram", "tagger"):
            return first_sentence(self.corpus)
        return first_words(map(str.strip, self.counted) if self.counted else self.corpus.split())

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
        endpoint = "training.embed" if (request.endpoint, view) == ("training.embed", "page") else f"training.{view}"
        return f"{url_for(endpoint, algorithm=self.algorithm)}?{query}"

    def link(self) -> str:
        """The address of the kind of training, without a corpus: the page shows its first preset."""
        return url_for("training.page", algorithm=self.algorithm, symbols=self.symbols or None)


def read_merges(letters: str, *, as_text: bool = False, prefix: str = "") -> list[tuple[Any, Any]]:
    """The merges in a packed text, one a line in the spelling of merges.txt, as bytes or text; raises InputProblem.

    A `prefix` of pieces inside a word is no part of their text.

    >>> from webapp.web.addresses import packed
    >>> read_merges(packed("Ġ t\\nh e")), read_merges(packed("å¤§ åŃ¦"), as_text=True)
    ([(b' ', b't'), (b'h', b'e')], [('大', '学')])
    """
    text = unpacked(letters) if letters else ""
    lines = text.split("\n") if text else []
    found: list[tuple[Any, Any]] = []
    known: set[Any] = set()
    mark: Any = prefix if as_text else prefix.encode()
    try:
        if text is None or len(lines) > MOST_BEFORE:
            raise ValueError
        for line in lines:
            pair: list[Any] = [*map(characters_to_bytes, line.split(" "))]
            left, right = (piece.decode() for piece in pair) if as_text else pair
            if not all(len(piece.removeprefix(mark)) == 1 or piece in known for piece in (left, right)):
                raise ValueError
            found.append((left, right))
            known.add(left + right.removeprefix(mark))
        return found
    except ValueError:
        message = _("The merges in this address cannot be read: a part of it is missing.")
        raise InputProblem(message) from None


def check_room(wanted: TrainingRequest, characters: int) -> None:
    """Raise InputProblem if so many different characters, each of them a piece, are too many."""
    if characters > MOST_PIECES:
        message = _(
            "The corpus has %(count)s different characters, and each is a piece; training is shown for up to "
            "%(most)s pieces.",
            count=number(characters),
            most=number(MOST_PIECES),
        )
        raise InputProblem(message)
    if wanted.size is not None and wanted.size < characters:
        message = _(
            "The corpus has %(count)s different characters, each of which is kept. Choose at least %(count)s pieces.",
            count=number(characters),
        )
        raise InputProblem(message)


# --- what a corpus says


def read_counts(corpus: str) -> dict[str, int] | None:
    """Return the words of a corpus with their counts, or None if it is a plain text: if anything else is in it.

    >>> read_counts("low 5 lower 2 newest 6 widest 3")
    {'low': 5, 'lower': 2, 'newest': 6, 'widest': 3}
    >>> read_counts("low×5\\nlower x 2\\nnewest*6\\nwidest: 3") == read_counts("5 low\\n2 lower\\n6 newest\\n3 widest")
    True
    >>> read_counts("I have 5 apples"), read_counts("low low lower"), read_counts("low 5\\nlower")
    (None, None, None)
    """
    lines = [_AROUND.sub(" ", line) for line in corpus.splitlines()]
    for pattern, fewest in ((_ENTRY, 1), (_REVERSED, 2)):
        entries = [entry for line in lines for entry in _entries(line, pattern)]
        if len(entries) >= fewest and all(1 <= count <= MOST_COUNT for _word, count in entries):
            counts: Counter[str] = Counter()
            for word, count in entries:
                counts[word] += count
            return dict(counts)
    return None


def _entries(line: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """The words of a line with their counts; the count is 0 for what is no entry."""
    at = 0
    while at < len(line):
        if between := _BETWEEN.match(line, at):
            at = between.end()
            continue
        entry = pattern.match(line, at)
        digits = entry["count"].replace(",", "") if entry else ""
        yield entry["word"] if entry else "", int(digits) if digits.isdecimal() and len(digits) < 9 else 0
        at = entry.end() if entry else len(line)


def first_words(words: Iterable[str]) -> str:
    """Return the first different words, up to `LONGEST_SAMPLE` characters.

    >>> first_words("low low lower newest low".split())
    'low lower newest'
    >>> first_words(["学而时习之，" * 20])
    '学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，学而时习之，'
    """
    chosen = ""
    for word in dict.fromkeys(words):
        longer = f"{chosen} {word}" if chosen else word
        if len(longer) > LONGEST_SAMPLE:
            return chosen or _beginning(word)
        chosen = longer
    return chosen


def first_sentence(corpus: str) -> str:
    """Return the words of the first line without the spaces between them: the input of word segmentation.

    >>> first_sentence("the table down there\\nthe men own the table")
    'thetabledownthere'
    """
    line = next((line for line in corpus.splitlines() if line.strip()), "")
    sentence = ""
    for word in line.split():
        if sentence and len(sentence) + len(word) > LONGEST_SAMPLE:
            break
        sentence += word
    return sentence[:LONGEST_SAMPLE]


def _beginning(word: str) -> str:
    """The clauses at the beginning of a word that is too long, or else its first characters."""
    ends = [found.end() for found in _CLAUSE.finditer(word[:LONGEST_SAMPLE])]
    return word[: ends[-1] if ends else LONGEST_SAMPLE]
