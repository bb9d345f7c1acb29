"""The lessons of the course, in order, with their live examples.

The text of a lesson is a template in each language, `templates/learn/en/SLUG.html` and so on: it is written for each
language, not translated sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.reference import bpe, matching, unigram, wordpiece
from webapp.tokenization.state import State


@dataclass(frozen=True)
class LessonExample:
    """A text with its tokens. `texts` has the initial text for each language, by the language's key."""

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
        """The state of the playground that shows this example with `text`."""
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
    """One page of the course: its address, its title, a sentence on what it is about, and its live examples.

    `reference` are functions of `webapp.core.reference` that the page lists as "the whole algorithm".
    """

    slug: str
    title: LazyString
    about: LazyString
    examples: Sequence[LessonExample]
    reference: Sequence[Callable[..., object]] = ()

    @cached_property
    def by_key(self) -> dict[str, LessonExample]:
        """The examples by their keys."""
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
        _l("Why split text at all?"),
        _l("A model reads numbers; tokenization decides which pieces of a text get one."),
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
        _l("Dictionaries and ambiguity"),
        _l("Take the longest word that fits, from the left or from the right, and see where the results differ."),
        (
            LessonExample("forward", "fmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            LessonExample("backward", "bmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            LessonExample(
                "spaceless", "fmm", "own-dictionary", _same("thetabledownthere"), dictionary=TABLE, runs=False
            ),
            LessonExample("wedding", "bmm", "own-dictionary", _same("结婚的和尚未结婚的"), dictionary=WEDDING),
        ),
        (matching.bidirectional,),
    ),
    Lesson(
        "units",
        _l("Characters, words, subwords"),
        _l("Small units make long sequences, large units need endless lists; subwords are the compromise."),
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
        _l("Byte-pair encoding"),
        _l("Merge the most frequent pair of neighbours, again and again."),
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
        (bpe.characters, bpe.train, bpe.encode, bpe.decode),
    ),
    Lesson(
        "bytes",
        _l("Bytes instead of characters"),
        _l("With the 256 bytes as its alphabet, a vocabulary can encode any text."),
        (
            LessonExample("never", "bpe", "bpe-bytes", _same("naïve café 🙂 你好 ꙮ")),
            LessonExample("spaces", "bpe", "bpe-bytes", _same("the the  the\nThe")),
        ),
        (bpe.utf8, bpe.train, bpe.encode, bpe.decode_bytes),
    ),
    Lesson(
        "wordpiece",
        _l("WordPiece"),
        _l("Trained by a score, applied greedily: the longest piece first, with a mark on those that continue a word."),
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
        (wordpiece.split, wordpiece.train, wordpiece.encode),
    ),
    Lesson(
        "unigram",
        _l("Unigram and its lattice"),
        _l("Give every piece a probability and find the most likely way to split a word."),
        (
            LessonExample("best", "unigram", "unigram", {"en": "internationalization", "zh": "研究生命科学"}),
            LessonExample(
                "spaces",
                "unigram",
                "unigram",
                {"en": "The newest lowest newspapers", "zh": "结婚的和尚未结婚的"},
            ),
        ),
        (unigram.seed, unigram.train, unigram.encode),
    ),
    Lesson(
        "pipeline",
        _l("Before the model: normalization and pre-tokenization"),
        _l("What normalizers and pre-tokenizers do before the model sees a text, and how that affects the tokens."),
        (
            LessonExample("cased", "wordpiece", "wordpiece", _same("Café CAFÉ cafe")),
            LessonExample("lowered", "wordpiece", "wordpiece", _same("Café CAFÉ cafe"), lowercase=True),
            LessonExample("contractions", "bpe", "bpe-bytes", _same("I don't pay 3.50 in 2026!")),
        ),
    ),
    Lesson(
        "special",
        _l("Special tokens"),
        _l("Tokens that stand for no text, and why a text must not be able to spell them."),
        (
            LessonExample("plain", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon")),
            LessonExample("honoured", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon"), special=True),
        ),
    ),
    Lesson(
        "vocabulary",
        _l("How to read a vocabulary"),
        _l("What ids, lengths and odd pieces say about the corpus that a tokenizer was trained on."),
        (
            LessonExample("frequent", "bpe", "bpe-bytes", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
            LessonExample("same", "unigram", "unigram", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
        ),
    ),
)
