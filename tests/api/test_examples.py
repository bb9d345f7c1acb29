"""The examples on the API page run as shown: in a shell, in Python, in a browser."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pydantic import TypeAdapter

from webapp.api.operations import Operation, operations
from webapp.api.page import snippets_of

EACH = pytest.mark.parametrize("operation", operations.all, ids=lambda operation: operation.name)


@pytest.fixture(scope="module")
def browser_page(site: str, browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(f"{site}/api")
    yield page
    page.close()


def code(operation: Operation, language: str, site: str) -> str:
    return next(one.code for one in snippets_of(operation, f"{site}/api/v1") if one.language == language)


def is_answer(operation: Operation, answer: Any) -> bool:
    """Tell whether a response is the operation's result and not a problem."""
    assert operation.answer is not None
    TypeAdapter(operation.answer).validate_python(answer)
    return not isinstance(answer.get("status"), int)


@EACH
def test_the_curl_example_runs(operation: Operation, site: str) -> None:
    if shutil.which("curl") is None:
        pytest.skip("no curl on this machine")
    shell = code(operation, "curl", site)
    done = subprocess.run(["sh", "-c", shell], capture_output=True, check=True, timeout=60)
    assert is_answer(operation, json.loads(done.stdout))


@EACH
def test_the_python_example_runs(operation: Operation, site: str) -> None:
    script = code(operation, "Python", site)
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", script], capture_output=True, check=True, timeout=60
    )
    assert is_answer(operation, ast.literal_eval(done.stdout.decode()))


@EACH
def test_the_javascript_example_runs(operation: Operation, site: str, browser_page: Page) -> None:
    shown = browser_page.locator(f"#{operation.name} pre[data-language=JavaScript]").text_content()
    assert shown == code(operation, "JavaScript", site)
    told: list[Any] = []
    browser_page.once("console", lambda message: told.append(message.args[0].json_value()))
    with browser_page.expect_console_message():
        browser_page.evaluate(f"async () => {{ {shown} }}")
    assert is_answer(operation, told[0])


def test_the_page_fits_a_phone(browser_page: Page) -> None:
    browser_page.set_viewport_size({"width": 360, "height": 740})
    wide = """() => [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest(".scroll, pre"))
      .map((one) => one.outerHTML.slice(0, 80))"""
    assert browser_page.evaluate(wide) == []
