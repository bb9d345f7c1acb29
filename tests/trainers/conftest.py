import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def worked_examples(shared: Path) -> dict[str, Any]:
    """The answers that the algorithms must reproduce."""
    path = shared / "examples" / "worked_examples.json"
    examples: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return examples
