"""The lessons of the course, in order, and the examples that live on their pages.

The words of a lesson are a template for each language, `templates/learn/en/SLUG.html` and so on: prose is written anew
in each language, not translated sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import gettext as _

from webapp.tokenization.state import State


@dataclass(frozen=True)
class Example:
    """One text with its tokens. `texts` gives the text that a page begins with, by the key of its language."""

    key: str
    algorithm: str
    vocabulary: str
    texts: dict[str, str]
    dictionary: str = ""
    corpus: str = ""
    size: int | None = None
    runs: bool = True
    lowercase: bool = False
    special: bool = False

    def state(self, text: str) -> State:
        """The state of the playground that shows the same."""
        return State(
            algorithm=self.algorithm,
            vocabulary=self.vocabulary,
            text=text,
            dictionary=self.dictionary,
            corpus=self.corpus,
            size=self.size,
            runs=self.runs,
            lowercase=self.lowercase,
            special=self.special,
        )


@dataclass(frozen=True)
class Lesson:
    """One page of the course."""

    slug: str
    examples: Sequence[Example]

    @cached_property
    def by_key(self) -> dict[str, Example]:
        """Its examples by their keys."""
        return {example.key: example for example in self.examples}


def _same(text: str) -> dict[str, str]:
    return {"en": text, "zh": text}


SCIENCE = "研究\n研究生\n生命\n科学"
TABLE = "the\ntheta\ntable\nbled\nown\ndown\nthere"
WEDDING = "结婚\n的\n和\n和尚\n尚未"
DOGS = "I love dogs I loved you"
LOW = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"

LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "why",
        (
            Example(
                "numbers",
                "bpe",
                "bpe-bytes",
                {"en": "The cat sat on the mat.", "zh": "小猫坐在垫子上。The cat sat on the mat."},
            ),
            Example("letters", "bpe", "bpe-bytes", _same("How many r's are in strawberry?")),
        ),
    ),
    Lesson(
        "dictionary",
        (
            Example("forward", "fmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            Example("backward", "bmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            Example("spaceless", "fmm", "own-dictionary", _same("thetabledownthere"), dictionary=TABLE, runs=False),
            Example("wedding", "bmm", "own-dictionary", _same("结婚的和尚未结婚的"), dictionary=WEDDING),
        ),
    ),
    Lesson(
        "units",
        (
            Example(
                "characters",
                "bpe",
                "learned-characters",
                {"en": "unbelievable tokenizers", "zh": "难以置信的分词器 tokenizers"},
                size=0,
            ),
            Example(
                "words",
                "fmm",
                "jieba",
                {"en": "难以置信的分词器 unbelievable", "zh": "难以置信的分词器 unbelievable"},
            ),
            Example(
                "subwords",
                "bpe",
                "bpe-bytes",
                {"en": "unbelievable tokenizers", "zh": "难以置信的分词器 tokenizers"},
            ),
        ),
    ),
    Lesson(
        "bpe",
        (
            Example("five", "bpe", "learned-characters", _same("lowest newer newest low"), corpus=LOW, size=5),
            Example("ten", "bpe", "learned-characters", _same("lowest newer newest low"), corpus=LOW, size=10),
            Example(
                "large",
                "bpe",
                "bpe-characters",
                {"en": "the lowest newer newspapers", "zh": "the lowest newer newspapers 报纸和新闻"},
            ),
        ),
    ),
    Lesson(
        "bytes",
        (
            Example("never", "bpe", "bpe-bytes", _same("naïve café 🙂 你好 ꙮ")),
            Example("spaces", "bpe", "bpe-bytes", _same("the the  the\nThe")),
        ),
    ),
    Lesson(
        "wordpiece",
        (
            Example(
                "greedy",
                "wordpiece",
                "wordpiece",
                {"en": "strawberry dogs love tokenization", "zh": "strawberry dogs 爱 tokenization"},
            ),
            Example(
                "unknown",
                "wordpiece",
                "learned-wordpiece",
                _same("loved lovely dogs"),
                corpus="I love dogs I loved you",
            ),
        ),
    ),
    Lesson(
        "unigram",
        (
            Example("best", "unigram", "unigram", {"en": "internationalization", "zh": "研究生命科学"}),
            Example(
                "spaces",
                "unigram",
                "unigram",
                {"en": "The newest lowest newspapers", "zh": "结婚的和尚未结婚的"},
            ),
        ),
    ),
    Lesson(
        "pipeline",
        (
            Example("cased", "wordpiece", "wordpiece", _same("Café CAFÉ cafe")),
            Example("lowered", "wordpiece", "wordpiece", _same("Café CAFÉ cafe"), lowercase=True),
            Example("contractions", "bpe", "bpe-bytes", _same("I don't pay 3.50 in 2026!")),
        ),
    ),
    Lesson(
        "special",
        (
            Example("plain", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon")),
            Example("honoured", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon"), special=True),
        ),
    ),
    Lesson(
        "vocabulary",
        (
            Example("frequent", "bpe", "bpe-bytes", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
            Example("same", "unigram", "unigram", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
        ),
    ),
)


def titles() -> dict[str, tuple[str, str]]:
    """Each lesson's title and what it is about, in the reader's language."""
    return {
        "why": (_("Why cut text at all"), _("A model reads numbers, so somebody has to decide what gets one.")),
        "dictionary": (
            _("Dictionaries and ambiguity"),
            _("Take the longest word that fits, from the left or from the right, and see where the two disagree."),
        ),
        "units": (
            _("Characters, words, subwords"),
            _("Small units make long sequences, large units make endless lists; subwords are the bargain."),
        ),
        "bpe": (_("Byte-pair encoding"), _("Merge the most frequent pair of neighbours, again and again.")),
        "bytes": (
            _("Bytes instead of characters"),
            _("With 256 bytes to begin with there is no text that cannot be written down."),
        ),
        "wordpiece": (
            _("WordPiece"),
            _("Learned by a score, applied greedily: the longest piece first, and a mark for what continues a word."),
        ),
        "unigram": (
            _("Unigram and its lattice"),
            _("Give every piece a probability and look for the likeliest of all ways through the word."),
        ),
        "pipeline": (
            _("Before the cut: normalization and pre-tokenization"),
            _("What happens to a text before any model sees it decides more than most people think."),
        ),
        "special": (
            _("Special tokens"),
            _("Tokens that stand for no text, and why a text must not be able to spell them."),
        ),
        "vocabulary": (
            _("How to read a vocabulary"),
            _("What ids, lengths and odd pieces tell about the corpus that a tokenizer was trained on."),
        ),
    }
