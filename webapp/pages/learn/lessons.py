"""The lessons of the course, in order, with their live examples.

The text of a lesson is a template in each language, `templates/learn/en/SLUG.html` and so on: it is written for each
language, not translated sentence by sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.reference import bpe, matching, ngram, unigram, wordpiece
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
class LessonFigure(LessonExample):
    """A text with the steps of its algorithm, one at a time.

    `first` is the step that the page shows at first; a negative one counts from the end, as in lists. `options` are the
    further parameters of `/steps`.
    """

    first: int = -1
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BigramExample:
    """A text segmented with word bigrams, which are counted in `sentences`: words with spaces between them."""

    key: str
    sentences: tuple[str, ...]
    texts: dict[str, str]


@dataclass(frozen=True)
class BigramFigure:
    """The steps of word bigrams: the counts, each position of `text`, and the words. `first` as in LessonFigure."""

    key: str
    sentences: tuple[str, ...]
    text: str
    first: int = -1


@dataclass(frozen=True)
class Lesson:
    """One page of the course: its address, its title, a sentence on what it is about, and its live examples.

    `goal` says what a reader can do afterwards. `reference` are functions of `webapp.core.reference`, which the page
    lists as "the whole algorithm".
    """

    slug: str
    title: LazyString
    about: LazyString
    goal: LazyString
    examples: Sequence[LessonExample | BigramExample]
    figures: Sequence[LessonFigure | BigramFigure] = ()
    reference: Sequence[Callable[..., object]] = ()

    @cached_property
    def by_key(self) -> dict[str, LessonExample | BigramExample]:
        """The examples by their keys."""
        return {example.key: example for example in self.examples}

    @cached_property
    def figure_by_key(self) -> dict[str, LessonFigure | BigramFigure]:
        """The figures by their keys."""
        return {figure.key: figure for figure in self.figures}


def _same(text: str) -> dict[str, str]:
    return {"en": text, "zh": text}


SCIENCE = "研究\n研究生\n生命\n科学"
TABLE = "the\ntheta\ntable\nbled\nown\ndown\nthere"
WEDDING = "结婚\n的\n和\n和尚\n尚未"
DOGS = "I love dogs I loved you"
LOW = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
SENTENCES = ("人生 如 梦境", "人生 如 戏", "生如夏花", "梦境 如 人生")

LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "why",
        _l("Why split text at all?"),
        _l("A model reads numbers; tokenization decides which pieces of a text get one."),
        _l("Explain what a token, an id and a vocabulary are, and why a model cannot see letters."),
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
        _l("Segment a text by hand with FMM and BMM, and find the places where a dictionary is not enough."),
        (
            LessonExample("forward", "fmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            LessonExample("backward", "bmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE),
            LessonExample("wedding", "bmm", "own-dictionary", _same("结婚的和尚未结婚的"), dictionary=WEDDING),
            LessonExample(
                "spaceless", "fmm", "own-dictionary", _same("thetabledownthere"), dictionary=TABLE, runs=False
            ),
        ),
        figures=(LessonFigure("window", "fmm", "own-dictionary", _same("研究生命科学"), dictionary=SCIENCE, first=1),),
        reference=(matching.bidirectional,),
    ),
    Lesson(
        "units",
        _l("Characters, words, subwords"),
        _l("Small units make long sequences, large units need endless lists; subwords are the compromise."),
        _l("Weigh characters, words and subwords against each other."),
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
        _l("Train BPE on four words with pencil and paper, and encode a new word with the result."),
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
        figures=(LessonFigure("merges", "bpe", "learned-characters", _same("lowest"), corpus=LOW, size=10),),
        reference=(bpe.characters, bpe.train, bpe.encode, bpe.decode),
    ),
    Lesson(
        "bytes",
        _l("Bytes instead of characters"),
        _l("With the 256 bytes as its alphabet, a vocabulary can encode any text."),
        _l("Read the bytes of a token, and say what a rare script costs."),
        (
            LessonExample("never", "bpe", "bpe-bytes", _same("naïve café 🙂 你好 ꙮ")),
            LessonExample("spaces", "bpe", "bpe-bytes", _same("the the  the\nThe")),
        ),
        figures=(LessonFigure("trees", "bpe", "bpe-bytes", _same("é 你")),),
        reference=(bpe.utf8, bpe.train, bpe.encode, bpe.decode_bytes),
    ),
    Lesson(
        "wordpiece",
        _l("WordPiece"),
        _l(
            "Trained by a score or from the top down, applied greedily: the longest piece first, with a mark on those "
            "that continue a word."
        ),
        _l("Compute a WordPiece score, and predict when a whole word becomes unknown."),
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
        figures=(LessonFigure("lengths", "wordpiece", "wordpiece", _same("strawberry"), first=1),),
        reference=(wordpiece.split, wordpiece.train, wordpiece.encode),
    ),
    Lesson(
        "ngram",
        _l("N-gram word models"),
        _l("Count which word follows which, smooth the counts, and choose the most probable sequence of words."),
        _l("Estimate bigram probabilities, smooth them, and segment a text with them."),
        (BigramExample("words", SENTENCES, _same("人生如梦境")),),
        figures=(BigramFigure("positions", SENTENCES, "人生如梦境", first=5),),
        reference=(ngram.train, ngram.segment),
    ),
    Lesson(
        "unigram",
        _l("Unigram and its lattice"),
        _l("Give every piece a probability and find the most likely way to split a word."),
        _l("Draw a lattice and find its best path."),
        (
            LessonExample("best", "unigram", "unigram", {"en": "internationalization", "zh": "研究生命科学"}),
            LessonExample(
                "spaces",
                "unigram",
                "unigram",
                {"en": "The newest lowest newspapers", "zh": "结婚的和尚未结婚的"},
            ),
        ),
        figures=(LessonFigure("path", "unigram", "unigram", _same("研究生命科学"), first=-2),),
        reference=(unigram.seed, unigram.train, unigram.encode),
    ),
    Lesson(
        "pipeline",
        _l("Before the model: normalization and pre-tokenization"),
        _l("What normalizers and pre-tokenizers do before the model sees a text, and how that affects the tokens."),
        _l("Predict what a normalizer and a pre-tokenizer do to a text."),
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
        _l("Encode what users type without letting them forge special tokens."),
        (
            LessonExample("plain", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon")),
            LessonExample("honoured", "bpe", "bpe-bytes", _same("The end.<|endoftext|>Once upon"), special=True),
        ),
    ),
    Lesson(
        "vocabulary",
        _l("How to read a vocabulary"),
        _l("What ids, lengths and odd pieces say about the corpus that a tokenizer was trained on."),
        _l("Tell from a vocabulary what its corpus was."),
        (
            LessonExample("frequent", "bpe", "bpe-bytes", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
            LessonExample("same", "unigram", "unigram", _same("Sherlock Holmes, Napoleon, Elizabeth, quokka")),
        ),
    ),
)

LESSON_BY_SLUG = {lesson.slug: lesson for lesson in LESSONS}
