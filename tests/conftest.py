"""What every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

SHARED = Path(__file__).resolve().parents[2] / "shared"

# Tests ask from one address, and more often than a person would.
for name in ("TOKENSCOPE_RATE_READING", "TOKENSCOPE_RATE_STORING"):
    os.environ.setdefault(name, "")

# Examples take as long as they take on a busy machine; in CI the same ones are tried in every run.
settings.register_profile("tokenscope", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tokenscope")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of texts, corpora and published vocabularies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"there is no {SHARED}: published texts and vocabularies to compare with are not at hand")
    return SHARED
