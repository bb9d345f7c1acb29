"""What every test may use."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

SHARED = Path(__file__).resolve().parents[2] / "shared"

# Examples take as long as they take on a busy machine; in CI the same ones are tried in every run.
settings.register_profile("tokenscope", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tokenscope")


@pytest.fixture(scope="session", autouse=True)
def _own_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever this machine keeps, tests keep theirs in a file that goes with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DATABASE_URL", raising=False)
        patch.setenv("TOKENSCOPE_DATABASE_FILE", str(tmp_path_factory.mktemp("database") / "tokenscope.sqlite"))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of texts, corpora and published vocabularies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"there is no {SHARED}: published texts and vocabularies to compare with are not at hand")
    return SHARED
