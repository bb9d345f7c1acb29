"""`flask --app webapp vocabularies`, as an operator runs it."""

from __future__ import annotations

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
BERT = "/google-bert/bert-base-cased/resolve/main/tokenizer.json"

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
    result = run("fetch", "clip", "bert-base-cased", "clip")
    assert result.exit_code == 0, result.output
    first, second = result.stdout.splitlines()
    assert first.startswith(f"clip  {len(TOKENIZER):,} bytes  sha256 {hashlib.sha256(TOKENIZER).hexdigest()}  ")
    assert first.endswith(" s")
    assert second.startswith("bert-base-cased  ")
    assert (tmp_path / "clip.json").is_file()
    assert run("fetch", "clip").exit_code == 0
    for setting in ("clip bert-base-cased", "clip,bert-base-cased", ["clip", "bert-base-cased"]):
        assert len(run("fetch", FETCH=setting).stdout.splitlines()) == 2
    assert [path for path, _headers in publisher.requests] == [CLIP, BERT]


def test_an_unknown_name_suggests_similar_ones(run: Run, publisher: Publisher) -> None:
    result = run("fetch", "clip", "cl100k", "zzzzzzzzz")
    assert result.exit_code == 2
    near, far = result.stderr.splitlines()
    assert near.startswith("No vocabulary is called 'cl100k'. Did you mean cl100k_base")
    assert far.endswith("List all: `flask --app webapp vocabularies list`.")
    assert publisher.requests == []


def test_one_that_fails_does_not_stop_the_others(run: Run, publisher: Publisher) -> None:
    wrong = {"ETag": f'"{hashlib.sha256(RANKS).hexdigest()}"'}
    publisher.answers |= {WHISPER: Answer(TOKENIZER, headers=wrong), BERT: Answer(TOKENIZER)}
    result = run("fetch", "clip", "whisper", "bert-base-cased")
    assert result.exit_code == 1
    assert result.stdout.startswith("bert-base-cased  ")
    missing, checksum = result.stderr.splitlines()
    assert missing.startswith("“CLIP” could not be fetched: 127.0.0.1 has no such file.")
    assert checksum.startswith(
        "“Whisper, large v3” could not be fetched: the checksum of the file from 127.0.0.1 is wrong"
    )


def test_the_list_shows_what_is_fetched(run: Run, publisher: Publisher) -> None:
    publisher.answers[CLIP] = Answer(TOKENIZER)
    run("fetch", "clip")
    listed = run("list")
    rows = {line.split()[0]: line.split()[1:] for line in listed.stdout.splitlines()}
    assert rows.keys() == WELL_KNOWN.keys()
    fetched = [f"{len(TOKENIZER):,}", f"{datetime.now(UTC):%Y-%m-%d}"]
    assert rows["clip"] == ["49,408", *fetched, "OpenAI", "openai/clip-vit-base-patch32:", "tokenizer.json"]
    assert rows["bert-base-cased"][1:3] == ["-", "-"]
    heading, total = listed.stderr.splitlines()
    assert heading.split() == ["name", "size", "bytes", "fetched", "family", "source"]
    assert total == f"1 downloaded vocabularies, {len(TOKENIZER):,} bytes"


def test_what_ships_is_there_to_fetch_without_a_network(run: Run, publisher: Publisher) -> None:
    result = run("fetch", "cl100k_base")
    assert publisher.requests == []
    assert result.exit_code == 0, result.output
    assert "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7" in result.stdout


@pytest.mark.exhaustive
def test_the_site_starts_without_the_client() -> None:
    code = "import sys, webapp; webapp.create_app(); print(sorted({'httpx2', 'huggingface_hub'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("setting", [{"MAX_FETCH_BYTES": 0}, {"MAX_FETCH_SECONDS": "soon"}, {"HUB": "http://hf.co"}])
def test_an_invalid_setting_is_refused_at_the_start(setting: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"should be|must be|should begin"):
        create_app(setting)


def test_every_failure_message_says_what_to_do_next() -> None:
    advice = ("ry again", "pload the file", "hoose another", "sk the operator of this site")
    with create_app().test_request_context(), force_locale("en"):
        for reason in get_args(Reason):
            message = FetchError(reason, "detail", "hub.example", "t5").sentence()
            assert message.startswith("“T5” could not be ")
            assert reason == "storage" or "hub.example" in message
            assert any(each in message for each in advice)
