"""A further tool is a module, a template and a test: every projection of it is there without more."""

import json
import subprocess
import sys
from typing import Any

import pytest


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """What the projections of the toy tool answer; the routes of the API belong to the process, so it has its own."""
    done = subprocess.run([sys.executable, "-m", "tests.tools.reversing"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def test_the_page_has_its_fields_and_its_result(found: dict[str, Any]) -> None:
    assert "<output>zyx</output>" in found["page"]
    assert '<input type="number" name="times" id="times" min="1" max="9" value="1"' in found["page"]
    assert found["part"].strip() == "<output>zyx</output>"
    assert found["posted"] == [303, "/reverse?text=abc&times=2"]


def test_a_problem_stands_beside_its_field_and_the_input_stays(found: dict[str, Any]) -> None:
    status, page = found["refused"]
    assert status == 422
    assert 'id="times-error">“x” is not a whole number.</p>' in page
    assert 'value="x"' in page
    assert ">\na!</textarea>" in page
    assert 'id="text-error">No exclamation marks here.</p>' in found["refused by run"]


def test_programs_get_json_csv_an_operation_and_a_command(found: dict[str, Any]) -> None:
    assert found["json"] == found["api"] == {"reversed": "zyx"}
    assert found["csv"].split() == ["\ufeffcharacter", "z", "y", "x"]
    assert found["api refused"]["errors"] == [{"pointer": "#/text", "detail": "No exclamation marks here."}]
    assert found["operation"]["summary"] == "Reverse a text"
    assert found["body"]["required"] == ["text"]
    assert found["body"]["properties"]["times"]["maximum"] == 9
    assert found["documentation"]
    assert json.loads(found["command"]) == {"reversed": "zyx"}
