"""The command `train`: a tokenizer from a corpus of any size."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import TYPE_CHECKING, Any

from webapp.command_line.inputs import ArgumentError, InputError
from webapp.command_line.progress_bar import ProgressBar
from webapp.processes import processors

if TYPE_CHECKING:
    from webapp.cluster.runs import Rare
    from webapp.cluster.sources import Source
    from webapp.core.training.counting import CountedCorpus
    from webapp.core.training.plan import TrainingPlan

ENOUGH_FOR_A_CLUSTER = 64 << 20
"""Below this many bytes of text, starting Dask's workers takes longer than they save."""
ENOUGH_FOR_PROCESSES = 8 << 20
SECONDS_WORTH_KEEPING = 30.0
EPILOG = """\
A corpus is files of text, JSON Lines (.jsonl) or tables (.parquet); text and JSON Lines may be compressed (.gz, .zst).
Files may be patterns and addresses: 'books/*.txt', 's3://bucket/crawl/**.jsonl.zst' (pip install s3fs), gs:// (gcsfs).

What is counted is stored in FILE.counting until the training ends. If counting takes more than half a minute, it stays
after a refusal or Ctrl+C, so that the same command, with another size for instance, does not count again.
"""

PLAN_CHOICES = {
    "trainer": "the algorithm",
    "size": "pieces, special tokens included",
    "split": "the split pattern",
    "pattern": "the regular expression of --split own",
    "normalization": "what is done to the text first",
    "special_tokens": "once for each token",
    "minimum_count": "the least count of a pair or piece; by default it follows the corpus",
    "longest_word": "characters; longer pre-tokens are cut",
    "coverage": "the share of the corpus that the alphabet covers; by default it depends on the algorithm",
    "longest_piece": "characters; of Unigram, and BPE with ▁",
    "seeds": "what Unigram begins with",
    "keep": "the share of the pieces that a round of Unigram's pruning keeps",
    "variant": "of BPE over bytes",
    "transition": "the share of SuperBPE's first phase",
    "ties": "of BPE: which of several equally frequent pairs is merged",
    "order": "the words of the longest n-gram",
    "smoothing": "of n-grams",
    "segmentation": "for n-grams and taggers: words between spaces or /, or how raw text is segmented",
    "rounds": "how often a tagger's training goes through the corpus",
    "minimum_pairs": "the least count of pairs of words",
    "minimum_triples": "the least count of triples of words",
}
CORPUS_ERRORS = {
    "empty": "the corpus has no text",
    "not_utf8": "{file}: not valid UTF-8 at byte {offset}",
    "bad_json": "{file}, line {line}: not valid JSON",
    "no_field": "{file}, line {line}: there is no text in {field!r}; name the field or column with --field",
    "long_line": "{file}, line {line}: longer than {limit} bytes",
    "damaged": "{file}: the file is damaged or incomplete",
    "too_large": "the corpus is larger than {limit} bytes",
    "unreadable": "{file}: cannot be read; on a cluster, all workers must be able to read it",
}
TRAINING_ERRORS = {
    "too_small": "the corpus makes {possible} pieces possible; choose a lower --size, or add text",
    "alphabet": "the alphabet alone needs {needed} pieces; choose a higher --size, or a lower --coverage",
    "process_lost": "the system ended a process that counts, usually because memory ran out; use fewer --workers",
    "unsegmented": "no spaces or / between words; choose --segmentation max-probability or fmm",
    "listed": "a list of words, one a line; this algorithm needs words in sentences",
    "slow_pattern": "--pattern takes too long on this text; choose a simpler one",
}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command: the corpus, each choice of a plan under its name, and where to count."""
    from webapp.core.training.plan import TrainingPlan
    from webapp.core.training.recipe import FRACTIONS, VALUES

    add = parser.add_argument
    add("corpus", nargs="+", metavar="CORPUS", help="a file, a pattern, or an address such as s3://bucket/*.jsonl.gz")
    add("-o", "--out", metavar="FILE", help="the file to write (tokenizer.json; ngrams.json; tagger.json)")
    add("--format", choices=("auto", "text", "jsonl", "parquet"), default="auto", help="of the files (by their names)")
    add("--field", default="text", metavar="NAME", help="the field or the column that has the text (text)")
    template = "for tokenizer_config.json: a built-in chat template, such as chatml, or a file of one"
    add("--chat-template", metavar="NAME|FILE", help=f"{template}; its markers are --special-tokens")

    add = parser.add_argument_group("choices of the training").add_argument
    for name, explanation in PLAN_CHOICES.items():
        usual = getattr(TrainingPlan(), name)
        shape: dict[str, Any] = {"choices": VALUES[name]} if name in VALUES else {"metavar": name.rpartition("_")[2]}
        if name == "special_tokens":
            shape |= {"action": "append", "metavar": "TOKEN"}
        elif name not in VALUES and name != "pattern":
            shape["type"] = float if name in FRACTIONS else int
        option = "--algorithm" if name == "trainer" else f"--{name.replace('_', '-')}"
        shown = f" ({usual})" if usual or usual == 0 else ""
        add(option, dest=name, default=[] if usual == () else usual, help=f"{explanation}{shown}", **shape)

    add = parser.add_argument_group("counting").add_argument
    add("--scheduler", metavar="ADDRESS", help="of a Dask cluster, such as tcp://10.0.0.1:8786 (this machine)")
    add("--workers", type=int, metavar="N", help="processes of this machine (one for each processor)")
    add("--worker-memory", default="1GiB", metavar="SIZE", help="the most of each process of this machine (1GiB)")
    words = "forget words that occur less often in the whole corpus, to save memory; says how many"
    add("--drop-rarer-than", type=int, default=1, metavar="N", help=words)
    add("--quiet", action="store_true", help="print nothing but errors")


def train(options: Namespace) -> int:
    """Train a tokenizer, and write it, its `tokenizer_config.json` and its record; return the exit code.

    Raises ArgumentError for arguments that cannot be used, InputError for an error in the corpus. After Ctrl+C, it says
    how to continue.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # workers are stopped, and what they counted is kept
    bar = ProgressBar(sys.stderr, quiet=options.quiet)
    try:
        with explained():
            _train(options, bar)
    except KeyboardInterrupt:
        bar.end_stage()
        sys.stderr.write("tokenscope: stopped\n")
        return 130
    return 0


def _train(options: Namespace, bar: ProgressBar) -> None:
    from webapp.cluster.sources import find

    plan, options.chat_source = _plan(options), _chat_template(options.chat_template)
    bar.trainer = plan.trainer
    out = _writable(
        options.out or {"ngram": "ngrams.json", "tagger": "tagger.json"}.get(plan.trainer, "tokenizer.json")
    )
    sources = find(options.corpus, format=options.format, field=options.field)
    folder = out.with_name(f"{out.name}.counting")
    with _removed_after_refusal(folder):
        _train_into(out, folder, plan, sources, options, bar)


@contextmanager
def _removed_after_refusal(folder: Path) -> Iterator[None]:
    """Remove what a refused training counted, unless counting it again takes long; an interrupted one keeps it."""
    began, before = monotonic(), folder.exists()
    try:
        yield
    except Exception:
        if not before and monotonic() - began < SECONDS_WORTH_KEEPING:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _train_into(
    out: Path, folder: Path, plan: TrainingPlan, sources: Sequence[Source], options: Namespace, bar: ProgressBar
) -> None:
    from webapp.cluster.sources import fingerprint
    from webapp.core.formats import huggingface, huggingface_config
    from webapp.core.formats.recognize import save
    from webapp.core.training.plan import Progress, TrainingRecord
    from webapp.core.training.train import train as trained_from

    started = datetime.now(UTC)
    counted, rare = _count(options, sources, plan, folder / fingerprint(sources, plan)[:16], bar)
    if not counted.counts:
        raise ArgumentError(f"--drop-rarer-than: no word occurs {options.drop_rarer_than:,} times")
    if options.drop_rarer_than > 1:
        share = rare.occurrences / max(rare.occurrences + sum(counted.counts.values()), 1)
        bar.say(
            f"{rare.words:,} words that occur less than {options.drop_rarer_than} times are left out: "
            f"{rare.occurrences:,} occurrences, {share:.2%} of all; {len(counted.counts):,} words remain"
        )
    trained = trained_from(plan, counted, bar)
    bar(Progress("write"))
    record = TrainingRecord(
        plan=plan,
        files=tuple(PurePosixPath(source.file.name).name for source in sources),
        bytes=counted.bytes,
        characters=counted.characters,
        sha256=counted.sha256,
        pieces=trained.pieces,
        characters_per_token=trained.characters_per_token,
        curve=trained.curve,
        seconds=bar.seconds(),
        json_field=options.field,
        started=started.isoformat(timespec="seconds"),
    )
    if plan.of_words:
        name = "tagger" if plan.trainer == "tagger" else "ngrams"
        record = replace(record, held_out={"characters": len(trained.held_out), name: trained.figures})
    document = {**record.as_json(), "command": shlex.join(["tokenscope", *options.arguments])}
    if options.drop_rarer_than > 1:
        left_out = {"rarer_than": options.drop_rarer_than, "words": rare.words, "occurrences": rare.occurrences}
        document["left_out"] = left_out
    _write(out, save(trained.tokenizer).decode() if plan.of_words else huggingface.write(trained.tokenizer))
    if not plan.of_words:
        _write(
            out.with_name(f"{out.stem}_config.json"), huggingface_config.write(trained.tokenizer, options.chat_source)
        )
    _write(record_path(out), json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    shutil.rmtree(folder)
    quality = f", {trained.characters_per_token:.2f} characters per token" if trained.characters_per_token else ""
    unit = "words" if plan.of_words else "pieces"
    bar.say(f"{out}: {trained.pieces:,} {unit}{quality} on held-out text{_quality(trained.figures, plan)}")


def _quality(figures: Mapping[str, Any], plan: TrainingPlan) -> str:
    """How well a model of words does on the held-out text."""
    if scores := figures.get("scores", {}):
        return "".join(f", F1 of {name} {score['f1']:.3f}" for name, score in scores.items() if score["f1"] is not None)
    value = figures.get("perplexity", {}).get(plan.order)
    return f", perplexity {value:,.1f}" if value else ""


def record_path(out: Path) -> Path:
    """Return where the record of a tokenizer is written.

    >>> record_path(Path("models/tokenizer.json")).name
    'tokenizer.record.json'
    """
    return out.with_name(f"{out.stem}.record.json")


def _plan(options: Namespace) -> TrainingPlan:
    from webapp.core.training.plan import TrainingPlan
    from webapp.core.training.recipe import check

    choices = {field.name: getattr(options, field.name) for field in fields(TrainingPlan)}
    plan = TrainingPlan(**{**choices, "special_tokens": tuple(options.special_tokens)})
    check(plan)
    for name in ("workers", "drop_rarer_than"):
        if (value := getattr(options, name)) is not None and value < 1:
            raise ArgumentError(f"--{name.replace('_', '-')} must be at least 1")
    return plan


def _chat_template(name: str | None) -> str:
    """The source of a built-in chat template or of a file; "" for None. Raises ArgumentError."""
    if name is None:
        return ""
    from webapp.chat.templates import BUILT_IN, ChatTemplateError, own_template

    if name in BUILT_IN:
        return BUILT_IN[name].source
    if not Path(name).is_file():
        raise ArgumentError(
            f"--chat-template: there is no file {name}, and the built-in ones are {', '.join(BUILT_IN)}"
        )
    try:
        return own_template(Path(name).read_text(encoding="utf-8")).source
    except (OSError, ValueError, ChatTemplateError) as error:
        raise ArgumentError(f"--chat-template: {name}: {error}") from None


def _writable(name: str) -> Path:
    out = Path(name)
    if out.is_dir():
        raise ArgumentError(f"--out: {name} is a folder")
    if not os.access(out.parent, os.W_OK):
        raise ArgumentError(f"--out: {out.parent} is not a folder that can be written to")
    return out


def _count(
    options: Namespace, sources: Sequence[Source], plan: TrainingPlan, folder: Path, bar: ProgressBar
) -> tuple[CountedCorpus, Rare]:
    from webapp.cluster.sources import expected_bytes

    expected = sum(map(expected_bytes, sources))
    has_dask = find_spec("distributed") is not None
    if options.scheduler and not has_dask:
        raise ArgumentError("--scheduler needs Dask; in the clone: pip install '.[cluster]'")
    if options.scheduler or (has_dask and expected >= ENOUGH_FOR_A_CLUSTER):
        return _count_with_dask(options, sources, plan, folder, bar)
    processes = options.workers or processors()
    return _count_here(options, sources, plan, folder, bar, processes if expected >= ENOUGH_FOR_PROCESSES else 1)


def _count_with_dask(
    options: Namespace, sources: Sequence[Source], plan: TrainingPlan, folder: Path, bar: ProgressBar
) -> tuple[CountedCorpus, Rare]:
    from webapp.cluster import workers
    from webapp.cluster.counting import count_words

    cluster = (
        workers.of_cluster(options.scheduler)
        if options.scheduler
        else workers.of_this_machine(options.workers, options.worker_memory)
    )
    with cluster as client:
        return count_words(client, sources, plan, bar, folder=folder, drop_rarer_than=options.drop_rarer_than)


def _count_here(
    options: Namespace, sources: Sequence[Source], plan: TrainingPlan, folder: Path, bar: ProgressBar, processes: int
) -> tuple[CountedCorpus, Rare]:
    from webapp.cluster.runs import Rare
    from webapp.cluster.sources import open_source
    from webapp.core.training.counting import count_words

    folder.mkdir(parents=True, exist_ok=True)
    by_path = {source.file.path: source for source in sources}
    counted = count_words(
        [source.file for source in sources],
        plan,
        bar,
        processes=processes,
        checkpoint=folder / "counts",
        opened=lambda path: open_source(by_path[path]),
        sizes=[source.size for source in sources],
    )
    rare = Rare()
    if options.drop_rarer_than > 1:
        dropped = [count for count in counted.counts.values() if count < options.drop_rarer_than]
        rare = Rare(len(dropped), sum(dropped))
        kept = {word: count for word, count in counted.counts.items() if count >= options.drop_rarer_than}
        counted = replace(counted, counts=kept)
    return counted, rare


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


@contextmanager
def explained() -> Iterator[None]:
    """Raise the errors of a training as ArgumentError (what was asked for) or InputError (what is in the corpus)."""
    from webapp.cluster.sources import ClusterError, SourceError
    from webapp.core.training.corpus import CorpusError
    from webapp.core.training.counting import TrainingError
    from webapp.core.training.plan import PlanError

    try:
        yield
    except PlanError as error:
        option = "algorithm" if error.field == "trainer" else error.field.replace("_", "-")
        raise ArgumentError(f"--{option}: {error}") from None
    except (SourceError, ClusterError) as error:
        raise ArgumentError(str(error)) from None
    except TrainingError as error:
        raise ArgumentError(_sentence(TRAINING_ERRORS, error)) from None
    except CorpusError as error:
        raise InputError(_sentence(CORPUS_ERRORS, error)) from None
    except MemoryError:
        raise InputError("not enough memory; --drop-rarer-than 2 halves what is needed, about") from None
    except OSError as error:
        raise InputError(f"{error.filename or 'the disk'}: {error.strerror or error}") from None


def _sentence(sentences: dict[str, str], error: Any) -> str:
    return sentences[error.code].format(**error.details) if error.code in sentences else str(error)
