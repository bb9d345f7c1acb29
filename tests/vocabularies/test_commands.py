"""`flask --app webapp vocabularies`, as an operator runs it."""

import hashlib
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import Result
from flask_babel import force_locale

from tests.serving import ROOT
from tests.vocabularies.conftest import RANKS, TOKENIZER
from tests.vocabularies.publisher import Answer, Publisher
from webapp import create_app
from webapp.vocabularies.fetching import FetchError
from webapp.vocabularies.https_download import Reason
from webapp.vocabularies.wellknown import WELL_KNOWN

CLIP = "/openai/clip-vit-base-patch32/resolve/main/tokenizer.json"
WHISPER = "/openai/whisper-large-v3/resolve/main/tokenizer.json"
BERT = "/google-bert/bert-base-uncased/resolve/main/tokenizer.json"

Run = Callable[..., Result]


@pytest.fixture
def run(publisher: Publisher, tmp_path: Path) -> Run:
    """`run("fetch", "clip", FETCH="…")` returns the output and exit code of the command."""

    def run(*arguments: str, **settings: Any) -> Result:
        folder = {"HUB": publisher.address, "VOCABULARY_FOLDER": str(tmp_path)}
        app = create_app(folder | settings)
        return app.test_cli_runner().invoke(args=["vocabularies", *arguments])

    return run


def test_named_vocabularies_and_those_of_settings_are_fetched(run: Run, publisher: Publisher, tmp_path: Path) -> None:
    publisher.answers |= {CLIP: Answer(TOKENIZER), BERT: Answer(TOKENIZER)}
    result = run("fetch", "clip", "bert-base-uncased", "clip")
    assert result.exit_code == 0, result.output
    first, second = result.stdout.splitlines()
    assert first.startswith(f"clip  {len(TOKENIZER):,} bytes  sha256 {hashlib.sha256(TOKENIZER).hexdigest()}  ")
    assert second.startswith("bert-base-uncased  ")
    assert (tmp_path / "clip.json").is_file()
    for setting in ("clip bert-base-uncased", "clip,bert-base-uncased", ["clip", "bert-base-uncased"]):
        assert len(run("fetch", FETCH=setting).stdout.splitlines()) == 2
    shipped = run("fetch", "cl100k_base")  # without a network
    assert "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7" in shipped.stdout
    assert [path for path, _headers in publisher.requests] == [CLIP, BERT]
    listed = {line.split()[0]: line for line in run("list").stdout.splitlines()}
    assert listed.keys() == WELL_KNOWN.keys()
    assert f"{len(TOKENIZER):,}  {datetime.now(UTC):%Y-%m-%d}" in listed["clip"]


def test_what_cannot_be_fetched_is_named_and_the_others_are_fetched(run: Run, publisher: Publisher) -> None:
    unknown = run("fetch", "clip", "cl100k")
    assert (unknown.exit_code, publisher.requests) == (2, [])
    assert unknown.stderr.startswith("No vocabulary is called 'cl100k'. Did you mean cl100k_base")
    wrong = {"ETag": f'"{hashlib.sha256(RANKS).hexdigest()}"'}
    publisher.answers |= {WHISPER: Answer(TOKENIZER, headers=wrong), BERT: Answer(TOKENIZER)}
    result = run("fetch", "clip", "whisper", "bert-base-uncased")
    assert result.exit_code == 1
    assert result.stdout.startswith("bert-base-uncased  ")
    missing, checksum = result.stderr.splitlines()
    assert missing.startswith("“CLIP” could not be fetched: 127.0.0.1 has no such file.")
    assert "the checksum of the file from 127.0.0.1 is wrong" in checksum


@pytest.mark.exhaustive
def test_the_site_starts_without_the_client() -> None:
    code = "import sys, webapp; webapp.create_app(); print(sorted({'httpx2', 'huggingface_hub'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


def test_every_failure_says_where() -> None:
    with create_app().test_request_context(), force_locale("en"):
        for reason in get_args(Reason):
            message = FetchError(reason, "detail", "hub.example", "t5").sentence()
            assert message.startswith("“T5, Flan-T5” could not be ")
            assert reason == "storage" or "hub.example" in message
