"""The lessons of the course, in order, with their live examples.

The text of a lesson is a template in each language, `templates/learn/en/SLUG.html` and so on: it is written for each
language, not translated sentence by sentence.
"""

from __future__ import annotations

from flask_babel import lazy_gettext as _l

from webapp.core.reference import bpe, hmm, matching, maximum_probability, ngram, unigram, wordpiece
from webapp.pages.learn.diagrams import shares, tagging, words
from webapp.pages.learn.diagrams.words import ADMITTED, ADMITTED_CUT, WEDDING
from webapp.pages.learn.lesson import (
    BigramExample,
    BigramFigure,
    Lesson,
    LessonDiagram,
    LessonExample,
    LessonFigure,
    PerplexityExample,
    ScoreExample,
)
from webapp.pages.learn.smoothed import SENTENCES


def _same(text: str) -> dict[str, str]:
    return {"en": text, "zh": text}


SCIENCE = "研究\n研究生\n生命\n科学"
TABLE = "the\ntheta\ntable\nbled\nown\ndown\nthere"
DOGS = "I love dogs I loved you"
LOW = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
HANDLE = "请\n把\n手\n把手\n放下"
OPINION = "有 100\n有意 1\n意 1\n意见 10\n见 10\n分歧 1\n的 877"
HORSE = ("他", "从", "马", "上", "下来")

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
        _l("Dictionaries and maximum matching"),
        _l("Take the longest word that fits, from the left or from the right, and see where the results differ."),
        _l("Segment a text by hand with FMM and BMM, and decide between them with the bidirectional rule."),
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
        "ambiguity",
        _l("Ambiguity"),
        _l("Words that overlap and words inside words: the two kinds of ambiguity, and which of them matching misses."),
        _l("Name an ambiguity, give the length of its chain, and say whether comparing FMM and BMM shows it."),
        (
            LessonExample("monk-forward", "fmm", "own-dictionary", _same("结婚的和尚未结婚的"), dictionary=WEDDING),
            LessonExample("monk-backward", "bmm", "own-dictionary", _same("结婚的和尚未结婚的"), dictionary=WEDDING),
            LessonExample("handle", "bidirectional", "own-dictionary", _same("请把手放下"), dictionary=HANDLE),
        ),
        diagrams=(
            LessonDiagram("monk", words.monk, _l("Framed words overlap. Underlined in red: wrong words.")),
            LessonDiagram("chain", words.chain, _l("A chain of length 4: both directions agree, and both are wrong.")),
            LessonDiagram("bats", words.bats, _l("Four words that overlap, and two readings. Both are right.")),
        ),
    ),
    Lesson(
        "max-probability",
        _l("Maximum probability"),
        _l("Draw all words of the dictionary as a graph and take the most probable path, as jieba does."),
        _l("Compute the best path of a word graph from the right, and the frequency that a word needs to stay whole."),
        (
            LessonExample("opinion-forward", "fmm", "own-dictionary", _same("有意见分歧"), dictionary=OPINION),
            LessonExample("opinion", "max-probability", "own-dictionary", _same("有意见分歧"), dictionary=OPINION),
            LessonExample("science", "max-probability", "jieba", _same("研究生命科学")),
            LessonExample("taichung", "max-probability", "jieba", _same("我住在台中")),
            LessonExample("general", "max-probability", "jieba", _same("如果放到旧字典中将出错")),
        ),
        figures=(
            LessonFigure(
                "arcs", "max-probability", "own-dictionary", _same("有意见分歧"), dictionary=OPINION, first=-2
            ),
        ),
        reference=(maximum_probability.best_path,),
    ),
    Lesson(
        "hmm",
        _l("New words: hidden Markov models"),
        _l("Four tags for characters, three tables of probabilities, and words that no dictionary has."),
        _l("Tag the characters of a short text by hand, and correct jieba where it cuts a name in two."),
        (
            LessonExample(
                "building-off", "max-probability", "jieba", _same("他来到了网易杭研大厦"), choices={"hmm": False}
            ),
            LessonExample("building", "max-probability", "jieba", _same("他来到了网易杭研大厦"), choices={"hmm": True}),
            LessonExample("zhao", "max-probability", "jieba", _same("赵春来了")),
            LessonExample("success", "max-probability", "jieba", _same("方成功考上了北大")),
        ),
        diagrams=(
            LessonDiagram(
                "states", tagging.states, _l("The probability that each tag follows another, in jieba's tables.")
            ),
            LessonDiagram(
                "trellis",
                tagging.trellis,
                _l("The best sum of logarithms for each tag of each character. The thick line is the best sequence."),
            ),
        ),
        reference=(hmm.words,),
    ),
    Lesson(
        "ngram",
        _l("N-gram word models"),
        _l("Count which word follows which, smooth the counts, and choose the most probable sequence of words."),
        _l("Estimate bigram probabilities, smooth them, and segment a text with them."),
        (
            BigramExample("words", SENTENCES, _same("人生如梦境")),
            LessonExample("worker-alone", "max-probability", "jieba", _same("这个人才能干活")),
            LessonExample("worker", "ngram", "ngram", _same("这个人才能干活")),
        ),
        figures=(BigramFigure("positions", SENTENCES, "人生如梦境", first=5),),
        reference=(ngram.train, ngram.segment),
    ),
    Lesson(
        "smoothing",
        _l("Smoothing"),
        _l("Interpolation, absolute discounting and Kneser–Ney: what to take from the counts, and who gets it."),
        _l("Compute a smoothed probability by three methods, and the perplexity of a sentence."),
        (
            PerplexityExample("sentence", _same("戏 如 人生")),
            LessonExample("by-add-one", "ngram", "ngram", _same("人生如梦境"), choices={"smoothing": "add-one"}),
            LessonExample("by-kneser-ney", "ngram", "ngram", _same("人生如梦境"), choices={"smoothing": "kneser-ney"}),
        ),
        diagrams=(
            LessonDiagram(
                "shares",
                shares.after_life,
                _l("Probability of the next word after 人生. Solid bars in the accent colour: words never seen there."),
            ),
            LessonDiagram(
                "company", shares.company, _l("Two words in the works of Lu Xun, with the characters before them.")
            ),
        ),
        reference=(ngram.jelinek_mercer, ngram.absolute_discounting, ngram.kneser_ney),
    ),
    Lesson(
        "evaluation",
        _l("Evaluating segmentation"),
        _l("Precision, recall and F1 against a text segmented by people, and what these figures do not say."),
        _l("Score a segmentation by hand, and say what kind of mistakes its figures show."),
        (
            ScoreExample("name", ADMITTED, frozenset(ADMITTED_CUT), _same(" ".join(ADMITTED_CUT))),
            ScoreExample("horse", HORSE, frozenset(HORSE), _same("他 从 马上 下来")),
        ),
        diagrams=(
            LessonDiagram(
                "spans", words.spans, _l("The words of both as spans. Underlined in red: not in the gold standard.")
            ),
        ),
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

PARTS = {
    "why": _l("Words: segmenting Chinese"),
    "units": _l("Subwords: how models read text"),
    "pipeline": _l("Around the model"),
}
"""The title of each part of the course, by its first lesson."""
