"""Corpora to start with: texts that this machine has anyway."""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

_PLACEHOLDER = re.compile(r"%\(\w+\)s|</?\w+[^>]*>")
MOST_CODE = 4_000_000  # bytes


@dataclass(frozen=True)
class ExampleCorpus:
    """A corpus with the title of its button, the name of its file and its text, in parts."""

    key: str
    title: LazyString
    file: str
    parts: Callable[[], Iterator[str]]


def _manual() -> Iterator[str]:
    """The English reference manual that Python's `help` shows: 0.5 MB."""
    topics: dict[str, str] = import_module("pydoc_data.topics").topics
    for name in sorted(topics):
        yield topics[name].strip() + "\n\n"


def _code() -> Iterator[str]:
    """The modules of Python's standard library, up to `MOST_CODE` bytes."""
    size = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        content = path.read_bytes()
        size += len(content)
        if size > MOST_CODE:
            return
        yield content.decode("utf-8", "replace") + "\n"


def _site() -> Iterator[str]:
    """The sentences of this site in English and Chinese, from its catalogue of translations."""
    catalogue = files("webapp").joinpath("translations/zh_Hans/LC_MESSAGES/messages.po")
    for line in catalogue.read_text(encoding="utf-8").splitlines():
        if line.startswith(("msgid ", "msgstr ", "msgstr[0] ")):
            yield _PLACEHOLDER.sub("…", json.loads(line.partition(" ")[2])) + "\n"


EXAMPLES = (
    ExampleCorpus("manual", _l("English: Python’s manual"), "python-manual.txt", _manual),
    ExampleCorpus("code", _l("Code: Python’s standard library"), "python-library.txt", _code),
    ExampleCorpus("site", _l("Chinese and English: this site"), "tokenscope.txt", _site),
)
BY_KEY = {example.key: example for example in EXAMPLES}
