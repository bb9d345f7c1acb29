"""The OpenAPI document and the page made from it describe every operation; the examples run as shown."""

import json
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from pydantic import TypeAdapter

from webapp.api.document import curl_of
from webapp.api.operations import OPERATIONS, Operation


@pytest.fixture(scope="session")
def document(app: Flask) -> Any:
    return app.test_client().get("/api/v1/openapi.json").get_json()


def test_every_address_is_in_the_document(app: Flask, document: Any) -> None:
    served = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule.removeprefix("/api/v1")), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v1/")
    }
    details = {(path, method) for path, methods in document["paths"].items() for method in methods}
    assert served - details == {("/openapi.json", "get")}
    assert details <= served


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_the_curl_example_runs(operation: Operation, site: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl on this machine")
    if operation.name == "fetch_repository":
        pytest.skip("no publisher can be reached here; tests/vocabularies/test_repositories.py has one")
    shell = curl_of(operation, f"{site}/api/v1")
    done = subprocess.run(["sh", "-c", shell], capture_output=True, check=True, timeout=60)
    answer = json.loads(done.stdout)
    TypeAdapter(operation.answer).validate_python(answer)
    assert not isinstance(answer.get("status"), int)  # as a problem has


# No publisher can be reached here: a vocabulary that cannot be fetched is 503, one of a repository 502, as documented.
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_says_what_each_operation_does_in_the_readers_language(client: FlaskClient, language: str) -> None:
    page = client.get(f"/api?lang={language}").text
    said = [unescape(re.sub("<[^>]*>", "", each)) for each in re.findall('<span class="quiet">(.*?)</span></h2>', page)]
    summaries = [operation.summary.replace("`", "") for operation in OPERATIONS]
    assert len(said) == len(summaries)
    assert said == summaries if language == "en" else not any(map(str.isascii, said))


CONFIGURATION = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 502, 503]

# Which exercises there are, and whether an answer can be read, no schema says.
[[operations]]
include-name = "POST /check"
warnings = false
checks.positive_data_acceptance.expected-statuses = ["2xx", 404, 422]
"""


@pytest.mark.exhaustive
def test_schemathesis_finds_no_errors(site: str, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{site}/api/v1/openapi.json"]
    command += [
        "--max-examples",
        "5",
        "--seed",
        "4",
        "--generation-deterministic",
        "--no-color",
        "--request-timeout",
        "40",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout
    assert "No issues found" in done.stdout
