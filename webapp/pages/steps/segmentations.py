"""Other ways to cut the text: the n best, and some drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10, prod
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.traces.lattice import Lattice, LatticeModel, count_paths, tokens_of
from webapp.core.traces.n_best import n_best
from webapp.core.traces.pretokens import AddedFound
from webapp.core.traces.sampling import Segmentation, sample
from webapp.pages.steps.lattice_drawing import shown_text
from webapp.pages.walkthrough.figures import format_log_probability
from webapp.pages.walkthrough.walkthrough import NoStepsError
from webapp.serializers.json import well_formed
from webapp.web.localization import number, percent

MOST = 20
SAMPLES = 10
COLDEST, HOTTEST = 0.05, 100.0
MOST_SEED = 999_999_999
LIMITS = {"most": MOST, "coldest": COLDEST, "hottest": HOTTEST, "most_seed": MOST_SEED}
"""The limits of what a visitor can ask for."""

Lattices = Sequence[tuple[AddedFound | None, Lattice]]
"""The lattice of each pre-token; for an added token itself and a lattice without arcs."""


@dataclass(frozen=True)
class AlternativesRequest:
    """What a visitor asked for: how many of the best, and samples of which temperature and seed."""

    n: int = 5
    temperature: float = 2.0
    seed: int = 1


@dataclass(frozen=True)
class SegmentationPiece:
    """A piece of a segmentation as the page shows it; `kind` is a CSS class."""

    text: str
    kind: str


@dataclass(frozen=True)
class SegmentationRow:
    """A segmentation: its pieces, the sum of its log-probabilities, its probability, and a bar of so many percent."""

    pieces: list[SegmentationPiece]
    score: str
    probability: str
    bar: float
    best: bool


@dataclass(frozen=True)
class SegmentationAlternatives:
    """All that the page shows of them."""

    choice: AlternativesRequest
    best: list[SegmentationRow]
    samples: list[SegmentationRow]


def alternatives_request_of(options: Mapping[str, str]) -> AlternativesRequest:
    """What the parameters of an address ask for; raises NoStepsError where that cannot be."""
    usual = AlternativesRequest()
    n = _whole(options.get("n", ""), usual.n)
    if n is None or not 1 <= n <= MOST:
        raise NoStepsError(_("The number of best segmentations must be from 1 to %(most)s.", most=MOST))
    seed = _whole(options.get("seed", ""), usual.seed)
    if seed is None or not 0 <= seed <= MOST_SEED:
        raise NoStepsError(_("The seed must be a whole number from 0 to %(most)s.", most=number(MOST_SEED)))
    try:
        temperature = float(options.get("temperature", "") or usual.temperature)
    except ValueError:
        temperature = float("nan")
    if not isfinite(temperature) or not COLDEST <= temperature <= HOTTEST:
        message = _(
            "The temperature must be a number from %(least)s to %(most)s.",
            least=number(COLDEST, 2),
            most=number(HOTTEST),
        )
        raise NoStepsError(message)
    return AlternativesRequest(n, temperature, seed)


def alternatives(lattices: Lattices, choice: AlternativesRequest) -> SegmentationAlternatives:
    """The n best and the samples, in words."""
    best = n_best([lattice for _found, lattice in lattices], choice.n)
    greatest = best[0].probability or 1.0
    return SegmentationAlternatives(
        choice,
        [_row(lattices, one, one.probability / greatest, best[0]) for one in best],
        [_row(lattices, one, one.probability, best[0]) for one in _samples(lattices, choice)],
    )


def counted(lattices: Lattices) -> str:
    """How many ways there are to cut the text."""
    count = prod(count_paths(lattice) for _found, lattice in lattices)
    said = number(count) if count < 10**7 else power(log10(count))
    return ngettext(
        "This vocabulary allows only this segmentation of the text.",
        "This vocabulary allows %(count)s segmentations of the text.",
        min(count, 10**7),
        count=said,
    )


def plain_alternatives(model: LatticeModel, lattices: Lattices, choice: AlternativesRequest) -> dict[str, Any]:
    """The same for programs."""

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


def percentage(probability: float) -> str:
    """A probability as a percentage, or as a power of ten where a percentage says nothing."""
    if probability >= 0.0005 or not probability:
        return percent(probability)
    return power(log10(probability))


def power(logarithm: float) -> str:
    """A number of which the decimal logarithm is given, with a power of ten.

    >>> power(-4.5), power(61)
    ('3.2 × 10⁻⁵', '1.0 × 10⁶¹')
    """
    exponent = floor(logarithm)
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{10 ** (logarithm - exponent):.1f} × 10{raised}"


def _samples(lattices: Lattices, choice: AlternativesRequest) -> list[Segmentation]:
    chosen = [lattice for _found, lattice in lattices]
    return sample(chosen, SAMPLES, temperature=choice.temperature, seed=choice.seed)


def _row(lattices: Lattices, found: Segmentation, bar: float, best: Segmentation) -> SegmentationRow:
    pieces: list[SegmentationPiece] = []
    for (added, _lattice), path in zip(lattices, found.paths, strict=True):
        if added is not None:
            pieces.append(SegmentationPiece(shown_text(added.token.content), "special"))
        pieces += [SegmentationPiece(shown_text(arc.text), "unknown" if arc.id is None else "") for arc in path]
    return SegmentationRow(
        pieces,
        format_log_probability(found.score),
        percentage(found.probability),
        round(100 * min(bar, 1.0), 2),
        found.paths == best.paths,
    )


def _whole(value: str, usual: int) -> int | None:
    if not value:
        return usual
    return int(value) if value.isascii() and value.isdecimal() and len(value) <= 9 else None
