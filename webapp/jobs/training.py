"""The process of one training: reads a corpus, writes a vocabulary, and says how far it is.

It does not know the database. It sends its worker `{"progress": …}`, and at the end `{"failed": …}` or
`{"finished": …}`. On the held-out text it compares the trained vocabulary with the site's own and with fetched ones.
"""

import errno
import traceback
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

from webapp.core.analysis.measures import MeasureId, measures_of
from webapp.core.analysis.words import TextWords, words_of
from webapp.core.encoding import Encoding
from webapp.core.formats.recognize import save
from webapp.core.models.ngram import NGram
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.corpus import CorpusError, CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.ngrams import predicted, sentences
from webapp.core.training.plan import PlanError, Progress, Report, TrainingPlan, TrainingRecord
from webapp.core.training.train import TrainingError, train
from webapp.processes import Message, Send, give_way
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.shipped_vocabularies import NAMES, chinese_words, ngram_tokenizer
from webapp.vocabularies.uploads import number_of_ids
from webapp.vocabularies.wellknown import WELL_KNOWN

RESULT = "vocabulary"
CHECKPOINT = "counts"
# A smaller corpus is counted before other processes would have started.
BYTES_FOR_PROCESSES = 8_000_000
MOST_FETCHED = 8
# The share of a training's processor time for the comparison, and the least in seconds: loading eight vocabularies and
# jieba's words takes 3 s, as long as training on 5 MB. Those that do not fit are left out, except for the first.
COMPARING, LEAST_COMPARING = 0.08, 1.0
# A vocabulary that knows less of the text is no comparison: an unknown token may stand for many characters.
MOST_UNKNOWN = 0.05
MEASURED: tuple[MeasureId, ...] = ("fertility", "whole-words", "unknown", "renyi-efficiency", "vocabulary-used")
"""The measures of each vocabulary besides characters per token."""


@dataclass(frozen=True)
class Task:
    """What a process has to do: `folder` is for its files, `vocabularies` has those that the site has fetched."""

    plan: TrainingPlan
    files: tuple[CorpusFile, ...]
    folder: Path
    vocabularies: Path
    processes: int
    most_text: int
    gives_way: bool = False  # to the visitors of the site and whatever else the machine does


def main(task: Task, send: Send) -> None:
    """Train, and send the outcome."""
    if task.gives_way:
        give_way()
    send(outcome(task, lambda progress: send({"progress": progress.as_json()})))


def outcome(task: Task, report: Report) -> Message:
    """Do the task, and return the last message; nothing of the corpus is in it but the names of files."""
    try:
        return {"finished": _trained(task, report)}
    except (CorpusError, TrainingError) as error:
        return _failed(error.code, **error.details)
    except PlanError as error:
        return _failed("plan", field=error.field, message=str(error))
    except (MemoryError, BrokenProcessPool):  # the system ended a process that counts: it does so without memory
        return _failed("memory")
    except Exception as error:
        is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
        return _failed("disk") if is_full else _failed("error", where=_place(error))


def _trained(task: Task, report: Report) -> Message:
    began, plan, files = process_time(), task.plan, task.files
    size = sum(Path(file.path).stat().st_size for file in files if Path(file.path).exists())
    processes = task.processes if size >= BYTES_FOR_PROCESSES else 1
    last = Progress("read", 0, size)

    def noted(progress: Progress) -> None:
        nonlocal last
        last = progress
        report(progress)

    noted(last)
    checkpoint = task.folder / CHECKPOINT
    counted = count_words(
        files,
        plan,
        noted,
        processes=processes,
        checkpoint=checkpoint,
        most_bytes=task.most_text,
        begin=give_way if task.gives_way else None,
    )
    trained = train(plan, counted, noted)

    def writing(share: float) -> None:
        report(Progress("write", round(100 * share), 100, last.pieces, last.latest, trained.curve))

    writing(0)
    (task.folder / RESULT).write_bytes(save(trained.tokenizer))
    held_out: dict[str, Any] = {
        "characters": len(trained.held_out),
        "characters_per_token": trained.characters_per_token,
        "others": {},
    }
    if plan.trainer == "tagger":  # the tokens of models of words are words: fewer than those of subwords
        held_out["tagger"] = trained.figures
    elif trained.figures:
        built_in = _perplexities_of_the_built_in_model(counted.held_out, plan) if counted.held_out else {}
        held_out["ngrams"] = {**trained.figures, "built_in": built_in}
    elif trained.held_out:
        end = process_time() + max(COMPARING * (process_time() - began), LEAST_COMPARING)
        held_out |= compared(trained.held_out, trained.tokenizer, task.vocabularies, end, writing)
    record = TrainingRecord(
        plan=plan,
        files=tuple(file.name for file in files),
        bytes=counted.bytes,
        characters=counted.characters,
        sha256=counted.sha256,
        pieces=trained.pieces,
        characters_per_token=trained.characters_per_token,
        json_field=next((file.field for file in files if file.format == "jsonl"), "text"),
        curve=trained.curve,
        held_out=held_out,
    )
    writing(1)
    return record.as_json()


def _failed(code: str, **details: object) -> Message:
    return {"failed": {"code": code, "details": details}}


def _place(error: BaseException) -> str:
    """Where an exception was raised, without its message, which may quote the corpus."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}" if last else type(error).__name__


def compared(text: str, own: Tokenizer, folder: Path, end: float, note: Callable[[float], None]) -> dict[str, Any]:
    """The held-out text in figures: characters per token of `others` by vocabulary, and `MEASURED` of all.

    `folder` has the fetched vocabularies. One that cannot be read is left out, as is one that knows less than 95 % of
    its tokens, and all but the first that would begin after `end` (of `process_time`). `note` gets the share done.
    `own_measures` are those of the trained vocabulary, `measures` those of the others.
    """
    others: dict[str, float] = {}
    measures: dict[str, dict[str, float | None]] = {}
    words = TextWords([], [])
    with suppress(MemoryError):  # a training may have little; without words there is no fertility
        words = words_of(text, chinese_words)

    def measured(tokenizer: Tokenizer, encoding: Encoding) -> dict[str, float | None]:
        found = measures_of(encoding, words, number_of_ids(tokenizer))
        return {measure: found.value(measure) for measure in MEASURED}

    loaders = _loaders(folder)
    for place, (name, load) in enumerate(loaders.items()):
        note(place / len(loaders))
        if others and process_time() > end:
            break
        with suppress(Exception):
            tokenizer = load()
            encoding = tokenizer.encode(text)
            if encoding and len(encoding.unknown) <= MOST_UNKNOWN * len(encoding):
                others[name] = len(text) / len(encoding)
                measures[name] = measured(tokenizer, encoding)
    found: dict[str, Any] = {"others": others}
    with suppress(Exception):
        found["own_measures"] = measured(own, own.encode(text))
        found["measures"] = measures
    return found


def _loaders(folder: Path) -> dict[str, Callable[[], Tokenizer]]:
    """The vocabularies that a trained one is compared with, most telling first, as functions that load them."""
    cache = DiskCache(folder)
    # Encodings with the same ranks have the same figures: the first is taken.
    here = {known.source: known for known in [*WELL_KNOWN.values()][::-1] if cache.has(known)}
    loaders: dict[str, Callable[[], Tokenizer]] = {NAMES[0]: partial(shipped_tokenizer, NAMES[0])}
    for known in [*reversed(here.values())][:MOST_FETCHED]:
        loaders[known.name] = partial(lambda known: known.tokenizer(cache.get(known) or (), cache.recognized), known)
    return loaders | {name: partial(shipped_tokenizer, name) for name in NAMES}


def _perplexities_of_the_built_in_model(held_out: str, plan: TrainingPlan) -> dict[str, Any]:
    """The perplexity of the site's own n-gram model on the held-out text of a plan by order, and its unknown words."""
    model = ngram_tokenizer().model
    texts = list(sentences(held_out, plan))
    if not texts or not isinstance(model, NGram):
        return {}
    found = {}
    for order in range(1, int(plan.order) + 1):
        value, unknown = predicted(model.with_choices(plan.smoothing, order), texts)
        found[str(order)] = round(value, 2)
    return {"perplexity": found, "unknown": round(unknown, 4)}
