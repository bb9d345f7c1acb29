"""How long a training will take, and how much memory, from the facts of its corpus: before it starts.

Counting was timed on the sample. Of training, the time is a power law of the text of all distinct words (bytes of BPE
over bytes, characters of the others) and of the size, and the memory is linear in that text and the number of words:
fitted to 54 trainings on English, Chinese, Japanese and code of 1 to 21 MB, of which the forecast of memory is within
27 %, and that of a time above 4 s within 30 % in all but two. A tagger's time and memory are linear in the words of the
sentences that it takes: within 12 % of seven trainings on 20,000 to 1,500,000 words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from time import thread_time
from typing import NamedTuple

from webapp.core.trainers import bpe
from webapp.core.training.plan import Trainer, TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.core.training.taggers import MOST_CHARACTERS

MILLION = 1e6
BASE_BYTES, WORD_BYTES = 45 * MILLION, 390.0  # of the process without a corpus, and of a counted word
PIECE_BYTES = 800.0
PROCESS_BYTES = 60 * MILLION  # of each process that counts, besides the one that trains
COMPARING_BYTES = 300 * MILLION  # of the process that measures other vocabularies meanwhile
WRITING = 0.5  # seconds: the file, and the figures of the vocabulary
USUAL_SIZE = 8_000
WORD_CHARACTERS = 2.6  # of Chinese, with the space after it
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


def forecast(facts: CorpusFacts, plan: TrainingPlan, processes: int = 1) -> Forecast | None:
    """Return the forecast for a plan whose corpus so many processes count; None for n-grams."""
    if plan.trainer == "tagger":
        return _forecast_of_tagger(facts, plan)
    cost = _COSTS.get(plan.trainer)
    if cost is None:
        return None
    text = facts.distinct_bytes if plan.trainer == "bpe-bytes" else facts.distinct_characters
    seconds = cost.seconds * (text / MILLION) ** cost.by_text * (plan.size / USUAL_SIZE) ** cost.by_size
    memory = BASE_BYTES + WORD_BYTES * facts.distinct_words + PIECE_BYTES * plan.size + cost.memory * text
    memory += COMPARING_BYTES + PROCESS_BYTES * (processes if processes > 1 else 0)
    return Forecast(facts.counting_seconds / processes + seconds * slowness() + WRITING, round(memory))


def _forecast_of_tagger(facts: CorpusFacts, plan: TrainingPlan) -> Forecast:
    raw = plan.segmentation != "words"
    words, characters = float(facts.words), facts.characters + (facts.words if raw else 0)
    most = min(characters, facts.words * WORD_CHARACTERS)  # of two spaces between words, one counts
    while most > MOST_CHARACTERS:  # as `keep_some` does
        words, most = words / 2, most / 2
    seconds = 1.0 + words * (4.5e-6 + 1.07e-6 * plan.rounds)
    seconds += 2.6e-6 * facts.characters if raw else 0
    return Forecast(seconds * slowness(), round(235 * MILLION + 340 * words))


@cache
def slowness() -> float:
    """Return how much longer this machine takes than the one where the costs were measured."""
    return min(_sample_training() for _ in range(3)) / REFERENCE


def _sample_training() -> float:
    began = thread_time()
    words = {f"{number * number:x}{number % 97:b}": number % 50 + 1 for number in range(3_000)}
    list(islice(bpe.byte_merges(words), 300))
    return thread_time() - began
