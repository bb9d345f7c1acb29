"""The sentences of a corpus, and the training of a tagger on them, with its scores on the held-out sentences.

Sentences are counted as pre-tokens are: their words with single spaces between them. Of a corpus with more characters
than a training takes, those with certain checksums stay, so that it does not matter who counts what first.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zlib import crc32

from webapp.core.evaluation.score import score_lines
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.recipes import NGRAM
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.tagger import Training
from webapp.core.training.counted_corpus import CountedCorpus
from webapp.core.training.ngrams import Forgotten, check_words, joined, sentences
from webapp.core.training.plan import Progress, Report, TrainingPlan

MOST_CHARACTERS = 5_000_000
"""Of the sentences of a training, with a space between words: 11 MB of segmented Chinese, 40 s and 900 MB of memory."""
MOST_FEATURES = 300_000
"""Of a model: a file of 8 MB. Of 610,000 from 5 MB of news, the others are worth .001 of F1."""


def count_sentences(text: str, plan: TrainingPlan) -> dict[str, int]:
    """Return how often each sentence occurs in a text.

    >>> count_sentences("人生 如 戏。人生/如/戏。", TrainingPlan(trainer="tagger"))
    {'人生 如 戏。人生 如 戏。': 1}
    """
    return dict(Counter(" ".join(words) for words in sentences(text, plan)))


def keep_some(counts: dict[str, int], forgotten: Forgotten, most: int = MOST_CHARACTERS) -> None:
    """Halve the sentences until they have at most so many characters; `forgotten.below` counts how often.

    >>> counts, forgotten = {"a b": 1, "c d": 1, "e": 1}, Forgotten()
    >>> keep_some(counts, forgotten, 3)
    >>> counts, forgotten
    ({'c d': 1}, Forgotten(ngrams=2, below=2))
    """
    while True:
        mask = (1 << forgotten.below) - 1
        for sentence in [sentence for sentence in counts if mask and crc32(sentence.encode()) & mask]:
            del counts[sentence]
            forgotten.ngrams += 1
        if sum(map(len, counts)) <= most:
            return
        forgotten.below += 1


def train_tagger(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> tuple[Tokenizer, str, dict[str, Any]]:
    """Return the tokenizer, the held-out text as the model is given it, and the figures of the training.

    A sentence that occurs several times counts once. Raises TrainingError as `check_words` does.
    """
    table, forgotten = dict(counted.counts.items()), Forgotten(counted.forgotten, counted.forgotten_below)
    keep_some(table, forgotten)
    gold = [sentence.split(" ") for sentence in table]
    characters = sum(len(word) for words in gold for word in words)
    check_words(plan, len(gold), sum(map(len, gold)), characters)
    training = Training(gold)
    wrong: list[float] = []
    for moment in training.run(plan.rounds):
        done = (moment.round - 1) * len(gold) + moment.sentences
        report(Progress("train", done, plan.rounds * len(gold), moment.round))
        if moment.sentences == len(gold):
            wrong.append(round(moment.wrong / max(moment.characters, 1), 5))
    model = training.tagger(MOST_FEATURES)
    held_out = list(sentences(counted.held_out, plan))
    figures = {
        "words": len(model.pieces),
        "sentences": len(gold),
        "forgotten": forgotten.ngrams,
        "features": sum(1 for _feature in model.weights.items()),
        "wrong": wrong,
        "scores": scores_of(held_out, model.dictionary, model.words) if held_out else {},
        "held_out_words": sum(map(len, held_out)),
    }
    return NGRAM.tokenizer(model), "\n".join(map(joined, held_out)), figures


def scores_of(
    gold: Sequence[Sequence[str]], known: Dictionary, own: Callable[[str], Sequence[str]]
) -> Mapping[str, Mapping[str, float | None]]:
    """Return the scores of a tagger on sentences, and of two methods beside it.

    These are maximum matching with the words of the training, and maximum probability with jieba's dictionary.
    """
    methods: dict[str, Callable[[str], Sequence[str]]] = {
        "tagger": own,
        "fmm": Matching(known, "forward").words,
        "max-probability": MaximumProbability(jieba_dictionary()).words,
    }
    found = {}
    for name, words in methods.items():
        score = score_lines(gold, (words("".join(line)) for line in gold), known)
        figures = (score.precision, score.recall, score.f1, score.oov_recall)
        named = zip(("precision", "recall", "f1", "oov_recall"), figures, strict=True)
        found[name] = {figure: None if value is None else round(value, 4) for figure, value in named}
        found[name]["oov_rate"] = score.oov_rate
    return found
