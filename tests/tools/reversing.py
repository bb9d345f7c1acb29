"""A toy tool, registered in a process of its own: prints what each of its projections answers, as JSON."""

import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from typing import Annotated

from jinja2 import ChoiceLoader, DictLoader
from pydantic import Field

from tests.site import HTMX
from webapp import create_app, tools
from webapp.tokenization.forms import InputProblem
from webapp.tools.inputs import Answer, Input, Text
from webapp.tools.kernel import ApiEntry, Tool

TEMPLATE = """{% extends "tools/tool.html" %}
{% from "tools/_fields.html" import number_field with context %}
{% block heading %}Reversed{% endblock %}
{% block fields %}{{ number_field("times", "Times", 1, 9) }}{% endblock %}
{% block result %}{% from "tools/_fields.html" import refused with context %}
{% if problems %}{{ refused("Nothing") }}{% else %}<output>{{ result }}</output>{% endif %}{% endblock %}"""


class ReverseInput(Input):
    """A text to reverse."""

    text: Text = "abc"
    times: Annotated[int, Field(ge=1, le=9, description="How many times.")] = 1


class ReverseAnswer(Answer):
    """The reversed text."""

    reversed: str


def reverse(given: ReverseInput) -> str:
    """Reverse a text.

    Several times, if you like.
    """
    if "!" in given.text:
        raise InputProblem("No exclamation marks here.", 422, "text")
    return given.text[:: (-1) ** given.times]


def table(result: str) -> Iterator[list[object]]:
    yield ["character"]
    for character in result:
        yield [character]


TOOL = Tool(
    name="reverse",
    address="/reverse",
    input=ReverseInput,
    run=reverse,
    answer=ReverseAnswer,
    table=table,
    file_name="reversed",
    api=ApiEntry("/reverse", "ReverseBody", ReverseAnswer, {"text": "abc"}),
)


def main() -> None:
    tools.TOOLS.append(TOOL)
    app = create_app({"TESTING": True})
    app.jinja_loader = ChoiceLoader([app.jinja_loader, DictLoader({"tools/reverse.html": TEMPLATE})])  # type: ignore[list-item]
    client = app.test_client()
    document = client.get("/api/v1/openapi.json").get_json()
    refused = client.post("/reverse", data={"text": "a!", "times": "x", "lang": "en"})
    posted = client.post("/reverse", data={"text": "abc", "times": "2"})
    found = {
        "page": client.get("/reverse?text=xyz").text,
        "part": client.post("/reverse", data={"text": "xyz"}, headers=HTMX).text,
        "posted": [posted.status_code, posted.location],
        "refused": [refused.status_code, refused.text],
        "refused by run": client.post("/reverse", data={"text": "a!", "lang": "en"}).text,
        "json": client.get("/reverse?text=xyz&format=json").get_json(),
        "csv": client.get("/reverse.csv?text=xyz").text,
        "api": client.post("/api/v1/reverse", json={"text": "xyz"}).get_json(),
        "api refused": client.post("/api/v1/reverse", json={"text": "!"}).get_json(),
        "operation": document["paths"]["/reverse"]["post"],
        "body": document["components"]["schemas"]["ReverseBody"],
        "documentation": "/api/v1/reverse" in client.get("/api?lang=en").text,
        "command": command(["reverse", "--times", "3", "-"], b"xyz"),
    }
    sys.stdout.write(json.dumps(found))


def command(arguments: list[str], content: bytes) -> str:
    from webapp.command_line.main import main as run

    written = BytesIO()
    sys.stdin = TextIOWrapper(BytesIO(content))
    with redirect_stdout(TextIOWrapper(written, write_through=True)):
        assert run(arguments) == 0
        return written.getvalue().decode()


if __name__ == "__main__":
    main()
