"""Example corpora for each kind of training, read from `presets.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from flask_babel.speaklater import LazyString

from webapp.pages.training.request import TrainingRequest
from webapp.tokenization.algorithms import Text
from webapp.web.localization import current_key

Preset = tuple[Text, TrainingRequest]


def _preset(kind: str, table: dict[str, Any]) -> Preset:
    algorithm, _, symbols = kind.partition("-")
    title = table.pop("title")
    request = TrainingRequest(algorithm, symbols=symbols, **table)
    return (title if isinstance(title, str) else LazyString(lambda: title[current_key()])), request


PRESETS: Mapping[str, Sequence[Preset]] = {
    kind: [_preset(kind, table) for table in tables]
    for kind, tables in tomllib.loads(files(__package__).joinpath("presets.toml").read_text(encoding="utf-8")).items()
}
"""The title and the request of each preset, by the kind of training."""
