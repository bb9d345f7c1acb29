"""The arguments that choose how a vocabulary is applied: `--inference` and its parameters."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webapp.core import Tokenizer

# Without `webapp.core`, which takes a second to import; a test compares these with its records.
INFERENCES = ("own", "longest", "fewest", "dropout", "sample")
DEFAULTS = {"dropout": 0.1, "alpha": 1.0, "seed": 0}


class InapplicableInferenceError(Exception):
    """The vocabulary does not have the inference, or a parameter is outside its limits."""


def inference_arguments() -> ArgumentParser:
    """The arguments, as a parent of commands that encode."""
    arguments = ArgumentParser(add_help=False)
    arguments.add_argument(
        "--inference",
        choices=INFERENCES,
        default=INFERENCES[0],
        help="apply the vocabulary by its own rule (own), longest match, fewest tokens, BPE-dropout or a random sample",
    )
    arguments.add_argument(
        "--dropout",
        type=float,
        default=DEFAULTS["dropout"],
        metavar="P",
        help="the probability of dropping a merge, from 0 to 1 (0.1)",
    )
    arguments.add_argument(
        "--alpha",
        type=float,
        default=DEFAULTS["alpha"],
        metavar="A",
        help="the exponent of the probabilities of a sample, from 0.01 to 10 (1)",
    )
    arguments.add_argument("--seed", type=int, default=DEFAULTS["seed"], metavar="N", help="of dropout and samples (0)")
    return arguments


def inferred(tokenizer: Tokenizer, options: Namespace) -> Tokenizer:
    """Return the tokenizer that applies the vocabulary as the arguments say.

    Raises InapplicableInferenceError.
    """
    name = getattr(options, "inference", INFERENCES[0])
    if name == INFERENCES[0]:
        return tokenizer
    from webapp.core.inference import InferenceError, infer
    from webapp.core.inference.records import PARAMETERS

    for parameter in PARAMETERS:
        value = getattr(options, parameter.name)
        if not parameter.least <= value <= parameter.most:
            raise InapplicableInferenceError(
                f"--{parameter.name} must be from {parameter.least:g} to {parameter.most:.12g}"
            )
    try:
        return infer(tokenizer, name, dropout=options.dropout, alpha=options.alpha, seed=options.seed)
    except InferenceError as error:
        raise InapplicableInferenceError(f"--inference {name}: {error}") from None
