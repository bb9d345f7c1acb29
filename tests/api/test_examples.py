"""The examples on the API page run as shown."""

import json
import shutil
import subprocess
from typing import Any

import pytest
from playwright.sync_api import Browser
from pydantic import TypeAdapter

from webapp.api.operations import OPERATIONS, Operation
from webapp.api.page import curl_of

EACH = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)


def is_answer(operation: Operation, answer: Any) -> bool:
    """Tell whether a response is the operation's result and not a problem."""
    assert operation.answer is not None
    TypeAdapter(operation.answer).validate_python(answer)
    return not isinstance(answer.get("status"), int)


@EACH
def test_the_curl_example_runs(operation: Operation, site: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl on this machine")
    shell = curl_of(operation, f"{site}/api/v1")
    done = subprocess.run(["sh", "-c", shell], capture_output=True, check=True, timeout=60)
    assert is_answer(operation, json.loads(done.stdout))


def test_the_page_fits_a_phone(site: str, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740})
    page.goto(f"{site}/api")
    wide = """() => [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest(".scroll, pre"))
      .map((one) => one.outerHTML.slice(0, 80))"""
    assert page.evaluate(wide) == []
    page.close()
