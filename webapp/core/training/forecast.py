"""How long a training will take, and how much memory, from the facts of its corpus: before it starts.

Counting was timed on the sample. Of training subwords, the time is a power law of the text of all distinct words (bytes
of BPE over bytes, characters of the others) and of the size, and the memory is linear in that text and the number of
words: fitted to 54 trainings on English, Chinese, Japanese and code of 1 to 21 MB, of which the forecast of memory is
within 27 %, and that of a time above 4 s within 30 % in all but two. Models of words were fitted to 24 trainings on
news and novels of 0.5 to 5 MB: time and memory are linear in the characters of a tagger's sentences, and in the
different n-grams, whose number is a power of the number of words. Of these and fifteen more, on English and on English
and Chinese mixed, the forecast of memory is within 18 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from time import thread_time
from typing import NamedTuple

from webapp.core.trainers import bpe
from webapp.core.training import ngrams, taggers
from webapp.core.training.plan import Trainer, TrainingPlan
from webapp.core.training.survey import CorpusFacts

MILLION = 1e6
BASE_BYTES, WORD_BYTES = 45 * MILLION, 390.0  # of the process without a corpus, and of a counted word
PIECE_BYTES = 800.0
PROCESS_BYTES = 60 * MILLION  # of each process that counts, besides the one that trains
COMPARING_BYTES = 300 * MILLION  # of the process that measures other vocabularies meanwhile
WRITING = 0.5  # seconds: the file, and the figures of the vocabulary
READING = 0.9  # seconds: jieba's dictionary
USUAL_SIZE = 8_000
DICTIONARY_BYTES = 165 * MILLION  # to read jieba's words, which segment raw text, and are scored beside a tagger
READ_DICTIONARY = 125 * MILLION  # of which n-grams take the rest
NGRAMS = {"2": (0.435, 0.78), "3": (1.08, 0.87)}  # different n-grams of a million words in millions, and the exponent
NGRAM_SECONDS, NGRAM_BYTES = 6e-6, 310.0  # of a different n-gram
NGRAM_COUNTING = {"1": 0.0, "2": 1.3e-6, "3": 4e-6}  # seconds for each word, besides those of counting words
CHARACTER_SECONDS, CHARACTER_ROUND, CHARACTER_BYTES = 1.9e-6, 0.6e-6, 65.0  # of a tagger's sentences
HAN_BYTES = 75.0  # besides, if all are Chinese: of the features, of which few letters have few
REFERENCE = 0.036  # seconds that `_sample_training` takes where the costs were measured


class _Cost(NamedTuple):
    seconds: float  # for a million bytes or characters and `USUAL_SIZE` pieces
    by_text: float  # exponents
    by_size: float
    memory: float  # bytes for each byte or character


_COSTS: Mapping[Trainer, _Cost] = {
    "bpe-bytes": _Cost(2.3, 0.95, 0.15, 120),
    "bpe-characters": _Cost(1.9, 0.9, 0.4, 140),
    "bpe-sentencepiece": _Cost(2.4, 0.85, 0.4, 160),
    "wordpiece": _Cost(0.6, 0.2, 0.7, 160),
    "unigram": _Cost(3.7, 1.2, 0.0, 120),
}


@dataclass(frozen=True)
class Forecast:
    """Of a training: its time on an idle machine in seconds, and its memory at most, in bytes."""

    seconds: float
    memory: int


def forecast(facts: CorpusFacts, plan: TrainingPlan, processes: int = 1) -> Forecast:
    """Return the forecast for a plan whose corpus so many processes count."""
    each = PROCESS_BYTES
    if plan.of_words:
        seconds, memory = _of_words(facts, plan)
        each += DICTIONARY_BYTES * (plan.segmentation != "words")
    else:
        cost = _COSTS[plan.trainer]
        text = facts.distinct_bytes if plan.trainer == "bpe-bytes" else facts.distinct_characters
        seconds = cost.seconds * (text / MILLION) ** cost.by_text * (plan.size / USUAL_SIZE) ** cost.by_size
        memory = BASE_BYTES + WORD_BYTES * facts.distinct_words + PIECE_BYTES * plan.size + cost.memory * text
    memory += each * (processes if processes > 1 else 0) + COMPARING_BYTES * (plan.trainer != "tagger")
    reading = READING * (plan.trainer == "tagger" or (plan.of_words and plan.segmentation != "words"))
    seconds = facts.counting_seconds / processes + seconds * slowness() + WRITING + reading
    return Forecast(seconds, round(memory))


def _of_words(facts: CorpusFacts, plan: TrainingPlan) -> tuple[float, float]:
    """The seconds after counting words, and the bytes of the process that trains."""
    if plan.trainer == "tagger":
        characters = float(facts.word_characters + facts.words)
        while characters > taggers.MOST_CHARACTERS:  # see `keep_some`
            characters /= 2
        seconds = (CHARACTER_SECONDS + CHARACTER_ROUND * plan.rounds) * characters
        each = CHARACTER_BYTES + HAN_BYTES * dict(facts.scripts).get("Han", 0)
        return seconds, PROCESS_BYTES + DICTIONARY_BYTES + each * characters
    number, exponent = NGRAMS.get(plan.order, (0.0, 1.0))
    found = min(facts.distinct_words + MILLION * number * (facts.words / MILLION) ** exponent, ngrams.MOST_COUNTED)
    memory = PROCESS_BYTES + NGRAM_BYTES * found + READ_DICTIONARY * (plan.segmentation != "words")
    return NGRAM_COUNTING[plan.order] * facts.words + NGRAM_SECONDS * found, memory


@cache
def slowness() -> float:
    """Return how much longer this machine takes than the one where the costs were measured."""
    return min(_sample_training() for _ in range(3)) / REFERENCE


def _sample_training() -> float:
    began = thread_time()
    words = {f"{number * number:x}{number % 97:b}": number % 50 + 1 for number in range(3_000)}
    list(islice(bpe.byte_merges(words), 300))
    return thread_time() - began
