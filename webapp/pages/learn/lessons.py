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
class LessonExample:
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
    examples: Sequence[LessonExample]

    @cached_property
    def by_key(self) -> dict[str, LessonExample]:
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
            LessonExample(
                "numbers",
                "bpe",
                "bpe-bytes",
                {"en": "The cat sat on the mat.", "zh": "小猫坐在垫子上。The cat sat on the mat."},
            ),
            LessonExample("letters", "bpe", "bpe-bytes", _same("How many r's are in strawberry?")),
        ),
    ),
    Lesson(
        "dictionary",
        (
            LessonExample("forward", "fmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            LessonExample("backward", "bmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            LessonExample(
                "spaceless", "fmm", "own-dictionary", _same("thetabledownthere"), dictionary=TABLE, runs=False
            ),
            LessonExample("wedding", "bmm", "own-dictionary", _same("结婚的和尚未结婚的"), dictionary=WEDDING),
        ),
    ),
    Lesson(
        "units",
        (
            LessonExample(
                "characters",
                "bpe",
                "learned-characters",
                {"en": "unbelievable tokenizers", "zh": "难以置信的分词器 tokenizers"},
                size=0,
            ),
            LessonExample(
                "words",
                "fmm",
                "jieba",
                {"en": "难以置信的分词器 unbelievable", "zh": "难以置信的分词器 unbelievable"},
            ),
            LessonExample(
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
            LessonExample("five", "bpe", "learned-characters", _same("lowest newer newest low"), corpus=LOW, size=5),
            LessonExample("ten", "bpe", "learned-characters", _same("lowest newer newest low"), corpus=LOW, size=10),
            LessonExample(
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
            LessonExample("never", "bpe", "bpe-bytes", _same("naïve café 🙂 你好 ꙮ")),
            LessonExample("spaces", "bpe", "bpe-bytes", _same("the the  the\nThe")),
        ),
    ),
    Lesson(
        "wordpiece",
        (
            LessonExample(
                "greedy",
                "wordpiece",
                "wordpiece",
                {"en": "strawberry dogs love tokenization", "zh": "strawberry dogs 爱 tokenization"},
            ),
            LessonExample(
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
            LessonExample("best", "unigram", "unigram", {"en": "internationalization", "zh": "研究生命科学"}),
            LessonExample(
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
            LessonExample("cased", "wordpiece", "wordpiece", _same("Café CAFÉ cafe")),
            LessonExample("lowered", "wordpiece", "wordpiece", _same("Café CAFÉ cafe"), lowercase=True),
            LessonExample("contractions", "bpe", "bpe-bytes", _same("I don't pay 3.50 in 2026!")),
        ),
    ),
    Lesson(
        "special",
        (
            LessonExample("plain", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon")),
            LessonExample("honoured", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon"), special=True),
        ),
    ),
    Lesson(
        "vocabulary",
        (
            LessonExample("frequent", "bpe", "bpe-bytes", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
            LessonExample("same", "unigram", "unigram", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
        ),
    ),
)


def lesson_titles() -> dict[str, tuple[str, str]]:
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
