"""The tokenizer that arguments choose, by `--vocabulary`, `--model` and `--inference`, and the price of its tokens."""

from __future__ import annotations

import gzip
import json
import logging
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from webapp.command_line.inputs import ArgumentError, InputError

if TYPE_CHECKING:
    from flask import Flask

    from webapp.core import Tokenizer
    from webapp.vocabularies.fetching import Fetcher, FetchError
    from webapp.vocabularies.language_models import LanguageModel
    from webapp.vocabularies.wellknown import WellKnown

DEFAULT = "o200k_base"
# Without `webapp.core`, which takes a second to import; a test compares these with its records.
INFERENCES = ("own", "longest", "fewest", "dropout", "sample")
DEFAULTS = {"dropout": 0.1, "alpha": 1.0, "seed": 0}
SHIPPED = Path(__file__).parents[1] / "vocabularies" / "shipped"


def tokenizer_of(name: str, merges: str | None = None) -> Tokenizer:
    """Return the tokenizer of the vocabulary with this name, or else of the file at this path.

    `hf:OWNER/NAME`, with `@REVISION` and `:PATH` after it, is a repository on the hub, which is fetched.

    `merges` is the path of the merges.txt for a vocab.json. For a file with the name of a vocabulary, use `./name`.
    Raises ArgumentError if there is neither, InputError if it cannot be fetched or read.
    """
    if merges is None and "/" not in name:
        named = _named(name)
        if named is not None:
            return named
    if not Path(name).exists():
        if name.startswith("hf:"):
            return _from_repository(name.removeprefix("hf:"))
        raise ArgumentError(f"there is no vocabulary and no file called {name}")
    return from_file(name, merges)


def _from_repository(name: str) -> Tokenizer:
    from webapp.vocabularies import fetching, repositories
    from webapp.vocabularies.https_download import FetchError

    named, _, path = name.partition(":")
    repository, _, revision = named.partition("@")
    fetcher = fetching.fetcher_of(configured(fetching.init_app))
    try:
        found = repositories.Repository.read(repository, revision, path)
        return fetcher.disk_cache.recognized(repositories.fetch(fetcher, found)[1]).tokenizer
    except FetchError as error:
        raise InputError(_for_terminal(error, repositories.problem(error, found))) from None
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None


def from_file(path: str, merges: str | None) -> Tokenizer:
    """Return the tokenizer of a vocabulary file; raises InputError if it cannot be read."""
    from webapp.core import load
    from webapp.core.formats.reading import FormatError

    try:
        return load(path, merges)
    except FormatError as error:
        raise InputError(f"{path}: {error}") from None
    except OSError as error:
        raise InputError(f"{error.filename or path}: {error.strerror or error}") from None


def _named(name: str) -> Tokenizer | None:
    # Without `webapp.vocabularies`, which imports the database and Flask: half of the 1.5 s of CPU time at the start.
    from webapp.core.formats import packed_files, packed_ranks

    shipped = SHIPPED / f"{name}.json.gz"
    if name == "tagger":
        from webapp.core.formats import tagger_weights
        from webapp.core.formats.dictionary import jieba_dictionary

        return tagger_weights.read(json.loads(gzip.decompress(shipped.read_bytes())), jieba_dictionary())
    if shipped.is_file():
        from webapp.core import load

        return load(gzip.decompress(shipped.read_bytes()))
    if name in packed_ranks.FILES:
        return packed_ranks.read((SHIPPED / f"{packed_ranks.FILES[name]}.xz").read_bytes(), name)
    if name in packed_files.FILES:
        return packed_files.tokenizer_of(name, lambda file: (SHIPPED / file).read_bytes())
    if name == "jieba":
        from webapp.core.formats.dictionary import jieba_dictionary
        from webapp.core.models.matching import Matching
        from webapp.core.recipes import MATCHING

        return MATCHING.tokenizer(Matching(jieba_dictionary(), "both", keep_runs=True))
    return _from_disk_cache(name)


def _from_disk_cache(name: str) -> Tokenizer | None:
    """Return a well-known vocabulary, fetched if it is not on disk; None if no vocabulary has this name."""
    if re.fullmatch(r"[a-z0-9_-]+", name) is None:
        return None
    from webapp.vocabularies import fetching
    from webapp.vocabularies.wellknown import WELL_KNOWN

    if name not in WELL_KNOWN:
        return None
    try:
        fetcher = fetching.fetcher_of(configured(fetching.init_app))
        return WELL_KNOWN[name].tokenizer(fetched(WELL_KNOWN[name], fetcher), fetcher.disk_cache.recognized)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None


def fetched(known: WellKnown, fetcher: Fetcher) -> Sequence[bytes]:
    """Return the files of a well-known vocabulary, from disk or else fetched, with the progress on standard error.

    Raises InputError if they cannot be fetched.
    """
    from webapp.vocabularies.fetching import FetchError

    contents = fetcher.disk_cache.get(known)
    if contents is not None:
        return contents
    logging.getLogger("webapp.vocabularies").addHandler(logging.NullHandler())  # the error below says it once
    start, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
    sys.stderr.write(f"{start}tokenscope: fetching {known.name} ({known.source.shown}){end}")
    sys.stderr.flush()
    folder = fetcher.disk_cache.folder
    is_new = not folder.exists()
    fetcher.start(known)
    try:
        while (contents := fetcher.result(known, seconds=0.2)) is None:
            progress = fetcher.progress(known.name)
            if start and progress and progress.total:
                share = f"{progress.read / 1e6:,.1f} of {progress.total / 1e6:,.1f} MB"
                sys.stderr.write(f"{start}tokenscope: fetching {known.name}: {share}")
                sys.stderr.flush()
    except FetchError as error:
        if is_new:
            with suppress(OSError):  # it has other files
                folder.rmdir()
        raise InputError(_for_terminal(error, error.sentence())) from None
    finally:
        sys.stderr.write(start)
    return contents


def _for_terminal(error: FetchError, sentence: str) -> str:
    """The sentence that visitors read; who runs the command is the operator, and has the token."""
    if error.reason != "refused":
        return sentence
    return f"{error.name}: {error.host} requires an account with access to it; set HF_TOKEN to a token of yours"


def configured(prepare: Callable[[Flask], object]) -> Flask:
    """Return an application with the settings alone, for which `prepare` was called; raises its ValueError.

    Without `create_app`, which imports the whole site.
    """
    from flask import Flask

    from webapp import settings

    app = Flask("webapp")
    settings.configure(app, {})
    prepare(app)
    return app


def site(**configuration: object) -> Flask:
    """Return the site for a command, without its database: a command of flask does not create it either."""
    import click

    from webapp import create_app

    with click.Context(click.Command("tokenscope")):
        return create_app(configuration)


def inference_arguments() -> ArgumentParser:
    """The arguments, as a parent of commands that encode."""
    arguments = ArgumentParser(add_help=False)
    add = arguments.add_argument
    add(
        "--inference",
        choices=INFERENCES,
        default=INFERENCES[0],
        help="apply the vocabulary by its own rule (own), longest match, fewest tokens, BPE-dropout or a random sample",
    )
    numbers = {
        "dropout": ("P", "the probability of dropping a merge, from 0 to 1 (0.1)"),
        "alpha": ("A", "the exponent of the probabilities of a sample, from 0.01 to 10 (1)"),
        "seed": ("N", "of dropout and samples (0)"),
    }
    for name, (unit, explanation) in numbers.items():
        add(f"--{name}", type=type(DEFAULTS[name]), default=DEFAULTS[name], metavar=unit, help=explanation)
    return arguments


def inferred(tokenizer: Tokenizer, options: Namespace) -> Tokenizer:
    """Return the tokenizer that applies the vocabulary as the arguments say.

    Raises ArgumentError if the vocabulary does not have the inference, or a parameter is outside its limits.
    """
    name = getattr(options, "inference", INFERENCES[0])
    if name == INFERENCES[0]:
        return tokenizer
    from webapp.core.inference import PARAMETERS, InferenceError, infer

    for parameter in PARAMETERS:
        value = getattr(options, parameter.name)
        if not parameter.least <= value <= parameter.most:
            raise ArgumentError(f"--{parameter.name} must be from {parameter.least:g} to {parameter.most:.12g}")
    try:
        return infer(tokenizer, name, dropout=options.dropout, alpha=options.alpha, seed=options.seed)
    except InferenceError as error:
        raise ArgumentError(f"--inference {name}: {error}") from None


def model_named(name: str, vocabulary: str | None) -> LanguageModel:
    """Return the model of this name.

    Says on standard error who counts with the vocabulary of a model whose publisher gives no tokenizer. Raises
    ArgumentError if the list has none of this name, InputError if its tokenizer is not here and no other `vocabulary`
    is chosen, and for an invalid file of the setting `MODELS_FILE`.
    """
    from webapp.vocabularies import language_models

    try:
        app = configured(language_models.init_app)
    except ValueError as error:
        raise InputError(str(error)) from None
    with app.app_context():
        model, near = language_models.model_of(name), language_models.model_list().near(name)
    if model is None:
        similar = f"; similar: {', '.join(near)}" if near else ""
        raise ArgumentError(f"there is no model called {name} in the list{similar}")
    if model.vocabulary is None and vocabulary is None and (found := model.token_range):
        sys.stderr.write(
            f"tokenscope: the tokenizer of {model.title} is not public; a range by a calibration of {found.as_of}, "
            f"tokens for one of {found.vocabulary}: {found.measured} ({found.source})\n"
        )
    elif model.vocabulary is None and vocabulary is None:
        why = "is not public, so it cannot count"
        if model.repository:
            why = f"is not in the catalogue; fetch it with -v hf:{model.repository}, or give its file with -v"
        raise InputError(f"the tokenizer of {model.title} {why}{'; ' if model.note else ''}{model.note}")
    if model.vocabulary is not None and not model.public:
        sys.stderr.write(f"tokenscope: {model.title}: {model.note}\n")
    return model


def priced(model: LanguageModel, tokens: int) -> str:
    """Return the price of some tokens and their share of the maximum input, on one line.

    >>> from webapp.vocabularies.language_models import LanguageModel
    >>> from decimal import Decimal
    >>> priced(LanguageModel("m", "M", "F", "gpt2", context=1_000, price_in=Decimal("2.5"), source="https://a.b"), 20)
    '$0.00005 as input, 2.0% of 1,000 (https://a.b)'
    """
    cost, most = model.exact_cost(tokens), model.most_input
    price = f"${cost} as input" if cost else "no price in the list"
    if cost and (output := model.exact_cost(tokens, output=True)):
        price += f", ${output} as output"
    elif not cost and model.price_in is not None:
        price += " for a prompt of this length"
    window = f"{tokens / most:.1%} of {most:,}" if most else "no maximum input in the list"
    date = f" as of {model.as_of}" if model.as_of else ""
    source = f" ({model.source}{date})" if model.source else ""
    return f"{price}, {window}{source}"
