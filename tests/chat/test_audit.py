"""What is seen in a template's source, and what the checks of an audit find."""

import pytest

from webapp.chat.audit import PROBE, evidence
from webapp.chat.inspection import inspected
from webapp.chat.sandbox import RENDERER
from webapp.chat.templates import BUILT_IN, ChatTemplate

LOOP = "{% for m in messages %}"


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("{{ enable_thinking }}{{ bos_token }}{{ strftime_now('%Y') }}{{ tools }}", ["enable_thinking"]),
        ("{% if x is defined and x %}{% endif %}", ["x"]),
        ("{% if not date_string is defined %}{% set date_string = 'a' %}{% endif %}{{ date_string }}", ["date_string"]),
        ("{% set effort = effort | default('low') %}{{ effort }}", ["effort"]),
        ("{% set a = a if a is defined else true %}{{ a }}", ["a"]),
        ("{% if messages %}{% set inner = 1 %}{% endif %}{% if inner is defined %}{{ inner }}{% endif %}", []),
        ("{% macro f(arg) %}{{ arg }}{% endmacro %}{{ f(1) }}", []),
    ],
)
def test_the_variables_that_a_template_reads(source: str, reads: list[str]) -> None:
    assert list(inspected(source).reads) == reads


@pytest.mark.parametrize(
    ("source", "takes"),
    [
        (LOOP + "{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}", True),
        (LOOP + "{% set c = m['content'] %}{% for p in c %}{% endfor %}{% endfor %}", True),
        ("{% macro f(c) %}{% for p in c %}{% endfor %}{% endmacro %}" + LOOP + "{{ f(m.content) }}{% endfor %}", True),
        (LOOP + "{{ m.content | map(attribute='text') | join }}{% endfor %}", True),
        (LOOP + "{{ m.content }}{% for call in m.tool_calls %}{% endfor %}{% endfor %}", False),
    ],
)
def test_templates_that_go_through_the_parts_of_a_content(source: str, takes: bool) -> None:
    assert inspected(source).takes_parts is takes


def test_what_is_no_template_is_inspected_within_the_limits() -> None:
    assert inspected("{% if %}").broken
    assert inspected("{{ " + "(" * 5_000).broken


def test_an_audit_is_one_call_of_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    answer = RENDERER.answer
    monkeypatch.setattr(RENDERER, "answer", lambda request: calls.append(request) or answer(request))
    found = evidence(BUILT_IN["chatml"], PROBE, {})
    assert len([call for call in calls if "renders" in call]) == 1
    assert all("inspect" in call or "renders" in call for call in calls)
    assert len(found.renders) == 12


def test_what_is_learned_is_inside_the_generation_blocks() -> None:
    source = LOOP + "<{{ m.role }}>{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}"
    said = evidence(ChatTemplate("own", "", source), PROBE, {}).renders["said"]
    assert said.text is not None
    assert [said.text[start:end] for start, end in said.learned] == [
        "Hello.",
        "Good morning.",
        "Go on.",
        "Yes, gladly.",
    ]


def test_hostile_templates_leave_renderings_out() -> None:
    slow = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}"
    assert evidence(ChatTemplate("own", "", slow), PROBE, {}).text("prompt") is None
    late = "{% if messages | length > 4 %}" + slow + "{% endif %}x"
    found = evidence(ChatTemplate("own", "", late), PROBE, {})
    assert (found.text("prompt"), found.text("next")) == ("x", None)
    marks = "".join(map(chr, range(0xF0000, 0xF0004)))
    assert evidence(ChatTemplate("own", "", marks), PROBE, {}).text("prompt") == marks
