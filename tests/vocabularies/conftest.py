"""A publisher on loopback, small files for it, and a fetcher that uses only this publisher."""

import hashlib
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import huggingface_hub
import pytest

from tests.vocabularies.publisher import Publisher, publishing
from webapp.core.formats import huggingface
from webapp.core.formats.recognize import recognize
from webapp.vocabularies.fetching import Fetcher
from webapp.vocabularies.wellknown import WellKnown, read

RANKS = b"".join(b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256)) + b64encode(b"ab") + b" 256\n"
TOKENIZER = huggingface.write(recognize(b"[UNK]\nlow\n##er\n").tokenizer).encode()
CATALOGUE = read(
    f"""
[small-ranks]
title = "Small ranks"
family = "OpenAI"
algorithm = "bpe"
size = 50257
format = "tiktoken"
licence = "MIT"
repository = "somebody/ranks"
files = ["small.tiktoken"]
sha256 = ["{hashlib.sha256(RANKS).hexdigest()}"]
encoding = "r50k_base"

[small-pieces]
title = "Small pieces"
family = "BERT"
algorithm = "wordpiece"
size = 3
format = "huggingface"
licence = "MIT"
repository = "somebody/small"
files = ["tokenizer.json"]
"""
)
RANKS_PATH = "/somebody/ranks/resolve/main/small.tiktoken"
PIECES_PATH = "/somebody/small/resolve/main/tokenizer.json"

Make = Callable[..., Fetcher]


@pytest.fixture(autouse=True)
def _no_token_no_proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ignore this machine's settings: no proxy between a test and its publisher, and no token is sent."""
    for name in ("HF_TOKEN", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    huggingface_hub.close_session()
    yield
    huggingface_hub.close_session()


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    """Serve a publisher on a port of this machine, in the role of the hub."""
    with publishing() as publisher:
        yield publisher


@pytest.fixture
def make(publisher: Publisher, tmp_path: Path) -> Make:
    """`make(seconds=…)` returns a fetcher that uses `publisher`."""

    def make(
        folder: Path | None = None, *, hub: str | None = None, most_bytes: int = 1_000_000, seconds: float = 20
    ) -> Fetcher:
        address = hub or publisher.address
        folder = folder or tmp_path / "vocabularies"
        return Fetcher(folder, hub=address, most_bytes=most_bytes, seconds=seconds)

    return make


@pytest.fixture
def ranks() -> WellKnown:
    """Return the entry of a `.tiktoken` file, with a checksum."""
    return CATALOGUE["small-ranks"]


@pytest.fixture
def pieces() -> WellKnown:
    """Return the entry of a `tokenizer.json` from the hub, without a checksum."""
    return CATALOGUE["small-pieces"]
