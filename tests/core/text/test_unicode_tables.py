"""The tables of Unicode are those of the installed libraries."""

import pytest

from tests.core.text.unicode_tables import tables
from webapp.core.text.unicode_tables import TABLES

MOVED = """regex, Python, tokenizers or tiktoken has another version of Unicode than the tables. Run
    python -m tests.core.text.unicode_tables
    python -m pytest -m exhaustive tests/core/text tests/core/formats
look at the difference, and commit the table if the second command passes."""


@pytest.mark.exhaustive
def test_the_tables_are_those_of_the_libraries() -> None:
    assert tables() == TABLES, MOVED
