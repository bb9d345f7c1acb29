"""What a measure is, once for all: its title, unit and formula, what it is measured on, and how its values are shown.

Pages, files, the API and the command `measure` derive their lists from these records, which have the ids of
`webapp.core.analysis.measures`. What each measure tells, with an example and its sources, is written in
`templates/measures/_definitions.html`. The records are in `definitions.toml`, in both languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, cast

from webapp.core.analysis.measures import MEASURES, MeasureId
from webapp.tokenization.algorithms import Text
from webapp.web.localization import localized


@dataclass(frozen=True)
class Definition:
    """A measure.

    `of` is what is measured: the text, the parallel article or the gold segmentation; `field` is the name of its value
    in the result for that, if it is not the id. Values have `decimals`, or are shares in percent if that is None.
    """

    title: Text
    unit: Text
    formula: Text
    of: Literal["text", "languages", "gold"] = "text"
    field: str = ""
    decimals: int | None = 2
    sign: str = ""  # after a value
    named_by_unit: bool = False  # whether the title says the unit
    in_figures: bool = False  # whether a comparison has it among its figures, apart from the table of measures


def _definition(record: dict[str, Any]) -> Definition:
    return Definition(**record | {"decimals": None}) if record.pop("percent", False) else Definition(**record)


DEFINITIONS: Mapping[MeasureId, Definition] = {
    cast(MeasureId, id): _definition(record) for id, record in localized(files(__package__), "definitions.toml").items()
}

assert tuple(DEFINITIONS) == MEASURES
