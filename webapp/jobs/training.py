"""The process of one training: reads a corpus, writes a vocabulary, and says how far it is.

It does not know the database. It sends its worker `{"progress": …}`, and at the end `{"failed": …}` or
`{"finished": …}`. On the held-out text it compares the trained vocabulary with the site's own and with fetched ones,
which a process of its own measures meanwhile.
"""

import errno
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from webapp.core.analysis.measures import MeasureId, measures_of
from webapp.core.analysis.words import TextWords, words_of
from webapp.core.formats.recognize import save
from webapp.core.models.ngram import NGram
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.corpus import CorpusError, CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.ngrams import predicted, sentences
from webapp.core.training.plan import PlanError, Progress, Report, TrainingPlan, TrainingRecord
from webapp.core.training.train import MEASURED as MOST_MEASURED
from webapp.core.training.train import TrainingError, sample_of, train
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
# A vocabulary that knows less of the text is no comparison: an unknown token may stand for many characters.
MOST_UNKNOWN = 0.05
MEASURED: tuple[MeasureId, ...] = ("fertility", "whole-words", "unknown", "renyi-efficiency", "vocabulary-used")
"""The measures of each vocabulary besides characters per token."""
Measured = tuple[float, dict[str, float | None]]

T = TypeVar("T")


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
    plan, files = task.plan, task.files
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
    text = sample_of(counted.held_out, MOST_MEASURED)
    with _beside(task) as process:
        if plan.trainer == "ngram":
            built_in = process.submit(_perplexities_of_the_built_in_model, counted.held_out, plan)
        elif text and not plan.of_words:  # the tokens of models of words are words: fewer than those of subwords
            others = Others(process, text, task.vocabularies)
        trained = train(plan, counted, noted)
        report(Progress("write", 0, 1, last.pieces, last.latest, trained.curve))
        (task.folder / RESULT).write_bytes(save(trained.tokenizer))
        held_out: dict[str, Any] = {
            "characters": len(trained.held_out),
            "characters_per_token": trained.characters_per_token,
            "others": {},
        }
        if plan.trainer == "tagger":
            held_out["tagger"] = trained.figures
        elif trained.figures:
            held_out["ngrams"] = {**trained.figures, "built_in": built_in.result()}
        elif text:
            held_out |= others.compared(trained.tokenizer)
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
    report(Progress("write", 1, 1, last.pieces, last.latest, trained.curve))
    return record.as_json()


def _failed(code: str, **details: object) -> Message:
    return {"failed": {"code": code, "details": details}}


def _place(error: BaseException) -> str:
    """Where an exception was raised, without its message, which may quote the corpus."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}" if last else type(error).__name__


@contextmanager
def _beside(task: Task) -> Iterator[ProcessPoolExecutor]:
    """A process that computes beside this one until the block ends."""
    process = ProcessPoolExecutor(1, get_context("spawn"), initializer=give_way if task.gives_way else None)
    try:
        yield process
    finally:
        process.shutdown(wait=False, cancel_futures=True)


class Others:
    """The vocabularies of the site on a held-out text, measured by another process one by one."""

    def __init__(self, process: ProcessPoolExecutor, text: str, folder: Path) -> None:
        """`folder` has the fetched vocabularies."""
        self._text = text
        self._words = process.submit(_words, text)
        self._found = {name: process.submit(_measured_by, name, folder, text) for name in _loaders(folder)}

    def compared(self, own: Tokenizer) -> dict[str, Any]:
        """The text in figures: characters per token of `others` by vocabulary, and `MEASURED` of all.

        The others are those that are measured by now, at least the first; loading all takes 3 s. One that cannot be
        read is left out, as is one that knows less than 95 % of its tokens. `own_measures` are those of `own`,
        `measures` those of the others.
        """
        wait([next(iter(self._found.values()))])
        found = {name: each for name, future in self._found.items() if (each := _result(future))}
        measured: dict[str, Any] = {"others": {name: share for name, (share, _) in found.items()}}
        with suppress(Exception):
            measured["own_measures"] = _measured(own, self._text, _result(self._words) or TextWords([], []))[1]
            measured["measures"] = {name: measures for name, (_, measures) in found.items()}
        return measured


def _result(future: Future[T]) -> T | None:
    """What a call of the other process has returned; None if it has not, or if it failed."""
    return future.result() if future.done() and not future.exception() else None


@cache
def _words(text: str) -> TextWords:
    with suppress(MemoryError):  # a training may have little; without words there is no fertility
        return words_of(text, chinese_words)
    return TextWords([], [])


def _measured_by(name: str, folder: Path, text: str) -> Measured | None:
    found = _measured(_loaders(folder)[name](), text, _words(text))
    return found if (found[1]["unknown"] or 0) <= MOST_UNKNOWN else None


def _measured(tokenizer: Tokenizer, text: str, words: TextWords) -> Measured:
    """The characters per token of a text, and `MEASURED`."""
    found = measures_of(tokenizer.encode(text), words, number_of_ids(tokenizer))
    return found.characters_per_token or 0, {measure: found.value(measure) for measure in MEASURED}


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
    texts = list(sentences(held_out, plan))
    model = ngram_tokenizer().model if texts else None
    if not isinstance(model, NGram):
        return {}
    found = {}
    for order in range(1, int(plan.order) + 1):
        value, unknown = predicted(model.with_choices(plan.smoothing, order), texts)
        found[str(order)] = round(value, 2)
    return {"perplexity": found, "unknown": round(unknown, 4)}
