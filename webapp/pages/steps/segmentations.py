"""Other segmentations of the text: the n best, and random samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log10, prod
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.traces.lattice import Lattice, LatticeModel, count_paths, tokens_of
from webapp.core.traces.pretokens import AddedFound
from webapp.core.traces.sampling import Segmentation, n_best, sample
from webapp.pages.walkthrough.cells import StepCell, format_log_probability, percentage, power
from webapp.pages.walkthrough.engine import NoStepsError
from webapp.pages.walkthrough.lattice_drawing import shown_text
from webapp.serializers.json import well_formed
from webapp.web.localization import number

MAX_BEST = 20
SAMPLES = 10
MIN_TEMPERATURE, MAX_TEMPERATURE = 0.05, 100.0
MAX_SEED = 999_999_999
LIMITS = {
    "max_best": MAX_BEST,
    "min_temperature": MIN_TEMPERATURE,
    "max_temperature": MAX_TEMPERATURE,
    "max_seed": MAX_SEED,
}
"""The limits of the form's fields."""

Lattices = Sequence[tuple[AddedFound | None, Lattice]]
"""The lattice of each pre-token; for an added token, the token and a lattice without arcs."""


@dataclass(frozen=True)
class AlternativesRequest:
    """The number of best segmentations, and the temperature and seed of the samples."""

    n: int = 5
    temperature: float = 2.0
    seed: int = 1


def alternatives_request_of(options: Mapping[str, str]) -> AlternativesRequest:
    """The request in the parameters of an address; raises NoStepsError if one is invalid."""
    default = AlternativesRequest()
    n = _whole_number(options.get("n", ""), default.n)
    if n is None or not 1 <= n <= MAX_BEST:
        raise NoStepsError(_("The number of best segmentations must be from 1 to %(most)s.", most=MAX_BEST))
    seed = _whole_number(options.get("seed", ""), default.seed)
    if seed is None or not 0 <= seed <= MAX_SEED:
        raise NoStepsError(_("The seed must be a whole number from 0 to %(most)s.", most=number(MAX_SEED)))
    try:
        temperature = float(options.get("temperature", "") or default.temperature)
    except ValueError:
        temperature = float("nan")
    if not isfinite(temperature) or not MIN_TEMPERATURE <= temperature <= MAX_TEMPERATURE:
        message = _(
            "The temperature must be a number from %(least)s to %(most)s.",
            least=number(MIN_TEMPERATURE, 2),
            most=number(MAX_TEMPERATURE),
        )
        raise NoStepsError(message)
    return AlternativesRequest(n, temperature, seed)


def alternatives(lattices: Lattices, choice: AlternativesRequest) -> dict[str, Any]:
    """The n best segmentations and the samples, as rows."""
    best = n_best([lattice for _found, lattice in lattices], choice.n)
    greatest = best[0].probability or 1.0
    return {
        "choice": choice,
        "best": [_row(lattices, one, one.probability / greatest, best[0]) for one in best],
        "samples": [_row(lattices, one, one.probability, best[0]) for one in _samples(lattices, choice)],
    }


def count_sentence(lattices: Lattices) -> str:
    """The sentence that says how many segmentations the text has."""
    count = prod(count_paths(lattice) for _found, lattice in lattices)
    shown = number(count) if count < 10**7 else power(log10(count))
    return ngettext(
        "This vocabulary allows only this segmentation of the text.",
        "This vocabulary allows %(count)s segmentations of the text.",
        min(count, 10**7),
        count=shown,
    )


def alternatives_json(model: LatticeModel, lattices: Lattices, choice: AlternativesRequest) -> dict[str, Any]:
    """The n best segmentations and the samples as JSON values."""

    def plain(found: Segmentation) -> dict[str, Any]:
        ids: list[int] = []
        pieces: list[str] = []
        for (added, lattice), path in zip(lattices, found.paths, strict=True):
            if added is not None:
                ids.append(added.token.id)
                pieces.append(well_formed(added.token.content))
            ids += [id for id, _start, _end in tokens_of(model, lattice.text, path)]
            pieces += [well_formed(arc.text) for arc in path]
        return {"pieces": pieces, "ids": ids, "score": found.score, "probability": found.probability}

    return {
        "segmentations": prod(count_paths(lattice) for _found, lattice in lattices),
        "n_best": [plain(found) for found in n_best([lattice for _found, lattice in lattices], choice.n)],
        "samples": [plain(found) for found in _samples(lattices, choice)],
        "temperature": choice.temperature,
        "seed": choice.seed,
    }


def _samples(lattices: Lattices, choice: AlternativesRequest) -> list[Segmentation]:
    chosen = [lattice for _found, lattice in lattices]
    return sample(chosen, SAMPLES, temperature=choice.temperature, seed=choice.seed)


def _row(lattices: Lattices, found: Segmentation, bar: float, best: Segmentation) -> dict[str, Any]:
    pieces: list[StepCell] = []
    for (added, _lattice), path in zip(lattices, found.paths, strict=True):
        if added is not None:
            pieces.append(StepCell(shown_text(added.token.content), "special"))
        pieces += [StepCell(shown_text(arc.text), "unknown" if arc.id is None else "") for arc in path]
    return {
        "pieces": pieces,
        "score": format_log_probability(found.score),
        "probability": percentage(found.probability),
        "bar": round(100 * min(bar, 1.0), 2),  # in percent
        "best": found.paths == best.paths,
    }


def _whole_number(value: str, default: int) -> int | None:
    if not value:
        return default
    return int(value) if value.isascii() and value.isdecimal() and len(value) <= 9 else None
