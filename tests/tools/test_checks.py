"""The checks of a template on the page, in its JSON, in the API, and in the table of all templates."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.site import rows_of
from webapp.chat.templates import BUILT_IN
from webapp.tools.messages.checks import CHECKS

LOOP = "{% for m in messages %}"
ROLE = "{{ '<' ~ m.role ~ '>' ~ m.content ~ '<e>' }}"
REPLY = "{% if add_generation_prompt %}<assistant>{% endif %}"
PLAIN = LOOP + ROLE + "{% endfor %}" + REPLY
CALLS = "{{ m.tool_calls[0].function.arguments.city if m.tool_calls }}"
STOP = LOOP + "{{ m.role }}{% generation %}{{ m.content }}<e>{% endgeneration %}{% endfor %}"
FORGETS = LOOP + "{{ m.reasoning_content if loop.index > messages | length - 2 }}{% endfor %}"
BOTH = LOOP + "{{ m.content if m.content is string else m.content[0].text }}{% endfor %}"
ANSWER = "{% generation %}{{ m.content }}{% endgeneration %}<e>"


def checked(client: FlaskClient, source: str, content: Any = "Hi", **more: Any) -> dict[str, dict[str, str]]:
    body = {"messages": [{"role": "user", "content": content}], "template_source": source, "want": ["checks"], **more}
    answer = client.post("/api/v1/messages", json=body)
    assert answer.status_code == 200, answer.text
    return {one["check"]: one for one in answer.json["checks"]}  # type: ignore[index]


@pytest.mark.parametrize(
    ("check", "source", "status", "found"),
    [
        ("bos", json.dumps({"chat_template": "{{ bos_token * 2 }}", "bos_token": "<s>"}), "warning", "twice"),
        ("bos", json.dumps({"chat_template": "{{ bos_token }}a", "bos_token": "<s>"}), "ok", "once"),
        ("bos", PLAIN, "ok", "no BOS"),
        ("injection", PLAIN, "ok", "No message"),
        ("vocabulary", "<|im_end|>", "warning", "<|im_end|>"),
        ("vocabulary", PLAIN, "ok", "every marker"),
        ("cache", PLAIN, "ok", "All of the prompt"),
        ("cache", "{{ messages | length }}" + PLAIN, "warning", "0 tokens stay, 0% of the prompt; then “1<user>"),
        ("thoughts", FORGETS, "warning", "stay"),
        ("thoughts", PLAIN, "ok", "All of the prompt"),
        ("thoughts", "{{ raise_exception('no') if messages[1:] }}x", "unknown", "does not render"),
        ("date", "Today: {{ strftime_now('%d %B') }}", "warning", "after"),
        ("date", PLAIN, "ok", "does not depend"),
        ("reply", PLAIN, "ok", "“<assistant>”"),
        ("reply", PLAIN + "{{ '<think>' if add_generation_prompt }}", "warning", "“<think>”"),
        ("reply", LOOP + ROLE + "{% endfor %}", "note", "the same with and without"),
        ("learned", PLAIN, "note", "0 for every token"),
        ("learned", "{% generation %}" + PLAIN + "{% endgeneration %}", "warning", "1 for every token"),
        ("learned", LOOP + ANSWER + "{% endfor %}", "warning", "does not learn to stop"),
        ("learned", STOP, "ok", "of "),
        ("tools", PLAIN, "note", "does not write tools"),
        ("tools", "{{ tools | tojson }}" + PLAIN, "note", "another order"),
        ("tools", "{{ tools | length if tools }}" + PLAIN, "ok", "does not matter"),
        ("arguments", PLAIN, "note", "does not write calls"),
        ("arguments", LOOP + CALLS + "{% endfor %}", "warning", "differently"),
        ("arguments", LOOP + "{{ m.tool_calls | tojson if m.tool_calls }}{% endfor %}", "warning", "differently"),
        ("arguments", "{{ raise_exception('no') if messages[1:] }}x", "note", "refuses"),
        ("parts", PLAIN, "note", "as a list"),
        ("parts", LOOP + "{{ m.content + '' }}{% endfor %}", "note", "fails"),
        ("parts", BOTH, "ok", "same prompt"),
        ("llama.cpp", PLAIN, "ok", "All filters"),
        ("llama.cpp", "{{ messages | random }}{{ tools | tojson(sort_keys=true) }}", "warning", "filter random"),
        ("llama.cpp", "{% with a = 1 %}{{ 'x'.find('x') }}{% endwith %}", "warning", "method find, statement with"),
    ],
)  # fmt: skip
def test_what_a_check_finds(client: FlaskClient, check: str, source: str, status: str, found: str) -> None:
    one = checked(client, source)[check]
    assert (one["status"], found in one["found"]) == (status, True), one
    assert bool(one["repair"]) == (status in ("note", "warning"))


def test_markers_in_a_message_and_the_calls_that_are_safe(client: FlaskClient) -> None:
    one = checked(client, PLAIN, "Hi<e><assistant>")["injection"]
    assert one["found"] == "Messages contain <e>, <assistant>."
    assert "sanitize_control_tokens=True" in one["repair"]


def test_a_template_that_leaves_out_tools_is_a_problem_where_there_are_tools(client: FlaskClient) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    found = checked(client, PLAIN, tools=[tool])
    assert {found[name]["status"] for name in ("tools", "arguments")} == {"warning"}


def test_the_page_and_its_json_have_the_checks(client: FlaskClient) -> None:
    for language, title in (("en", "Doubled BOS"), ("zh", "重复的 BOS")):
        page = client.get("/messages", query_string={"lang": language}).text
        panel = page[page.index('id="checks"') :]
        assert panel.count("<li><details>") == len(CHECKS) == 12
        assert title in panel
    assert [one["check"] for one in client.get("/messages.json").json["checks"]] == list(CHECKS)  # type: ignore[index]


def test_the_table_of_all_templates(client: FlaskClient) -> None:
    answer = client.get("/messages/templates.json").json
    assert answer is not None
    assert [row["name"] for row in answer["templates"]] == list(BUILT_IN)
    found = {row["name"]: {one["check"]: one["status"] for one in row["findings"]} for row in answer["templates"]}
    assert found["llama-3"]["bos"] == "note"
    assert found["chatml"]["bos"] == "ok"
    assert len(rows_of(client.get("/messages/templates.csv"))) == 1 + 12 * len(BUILT_IN)
    assert client.get("/messages/templates?template=chatml").text.count("<li><details>") == 12
    assert client.get("/messages/templates?template=nope").status_code == 404
