"""Hostile templates end within their limits, leave nothing behind, and tell nothing of the process."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jinja2
import pytest

from tests.cases import quick
from webapp import chat
from webapp.chat.messages import read_messages
from webapp.chat.render import TemplateError, render
from webapp.chat.renderer.rendering import CPU_SECONDS, MEMORY, RESERVE
from webapp.chat.sandbox import Renderer
from webapp.chat.templates import MOST_SOURCE, TemplateSourceError, own_template

HELLO = read_messages('[{"role": "user", "content": "Hello"}]')
FINE = own_template("{{ messages[0].content }}!")
DOUBLING = "{% set ns = namespace(t='a' * 1000) %}{% for i in range(60) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}"

# The template, the kinds of error that are right, and the line.
HOSTILE = {
    "nested loops": (
        "\n{% for i in range(99999) %}{% for j in range(99999) %}{{ '' }}{% endfor %}{% endfor %}",
        ["time"],
        2,
    ),
    "loops that print": (
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        ["output", "time"],
        1,
    ),
    "a huge string": ("\n\n{{ messages[0].content * 10**9 }}", ["memory"], 3),
    "a huge constant, folded by the compiler": ("{{ 'a' * 10**9 }}", ["memory", "output"], None),
    "a huge power, folded by the compiler": ("{{ 10 ** (10 ** 8) }}", ["time"], None),
    "a huge power": ("{% set n = messages | length %}{{ (n + 9) ** (10 ** 8) }}", ["time"], None),
    "a wide number": ('{{ "%1000000000d" | format(messages | length) }}', ["memory"], 1),
    "a wide number by str.format": ("{{ '{:>1000000000}'.format(messages) }}", ["memory", "runtime"], 1),
    "a centred word": ("{{ messages[0].role | center(10 ** 9) }}", ["memory"], 1),
    "an indented text": ("{{ messages | tojson(indent=10 ** 9) }}", ["memory"], 1),
    "doubling in a namespace": (DOUBLING, ["memory"], 1),
    "doubling lists": (
        "{% set ns = namespace(t=[1]) %}{% for i in range(60) %}{% set ns.t = ns.t + ns.t %}{% endfor %}",
        ["memory"],
        1,
    ),
    "a macro that calls itself": ("{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}\n{{ f() }}", ["runtime"], 1),
    "a range": ("{{ range(10 ** 9) | list }}", ["forbidden"], 1),
    "words without end": ("{{ lipsum(n=100000) }}", ["runtime"], 1),
    "the address of a function": ("{{ range }}", ["forbidden"], None),
    "the address of a method": ("{{ '' ~ messages[0].content.upper }}", ["forbidden"], None),
    "the address of a generator": ("{{ messages | map('upper') }}", ["forbidden"], None),
    "long output": ("{{ 'ab' * messages[0].content | length * 10 ** 6 }}", ["output"], None),
    "much output": ("{% for i in range(99999) %}{{ 'x' * 100 }}{% endfor %}", ["output"], None),
    "a class": ("\n{{ ''.__class__.__mro__ }}", ["forbidden"], 2),
    "a class by a filter": ("{{ ('' | attr('__class__')).x }}", ["forbidden"], 1),
    "a class by map": ("{{ [''] | map(attribute='__class__.x') | list }}", ["forbidden"], 1),
    "globals of a function": ("{{ raise_exception.__globals__.x }}", ["forbidden"], 1),
    "globals of a macro": ("{% macro f() %}{% endmacro %}{{ f.__globals__.x }}", ["forbidden", "runtime"], 1),
    "str.format": ("{{ '{0.__class__.x}'.format(messages) }}", ["forbidden"], 1),
    "str.format_map": ("{{ '{m.__class__.x}'.format_map({'m': messages}) }}", ["forbidden"], 1),
    "a changed list": ("{{ messages.append(1) }}", ["forbidden"], 1),
    "a namespace's insides": ("{% set ns = namespace() %}{% set ns._x = 1 %}", ["forbidden"], 1),
    "another template": ("{% include '/etc/passwd' %}", ["runtime", "forbidden"], 1),
    "an unclosed block": ("{% if true %}", ["syntax"], 1),
    "an unknown tag": ("\n\n\n{% import os %}{% python %}", ["syntax"], 4),
    "deep brackets": ("{{ " + "(" * 50_000 + "1" + ")" * 50_000 + " }}", ["runtime", "memory", "syntax"], None),
    "deep lists": ("{{ " + "[" * 5000 + "]" * 5000 + " }}", ["runtime", "memory", "syntax"], None),
    "deep blocks": ("{% if 1 %}" * 9000 + "{% endif %}" * 9000, ["runtime", "memory", "syntax"], None),
    "deep loops": ("{% for a in [1] %}" * 60 + "x" + "{% endfor %}" * 60, ["runtime"], None),
    "long sums": ("{{ 1" + "+1" * 90_000 + " }}", ["runtime", "memory", "time", "syntax"], None),
    "a long name": ("{{ " + "a" * 190_000 + ".b.c }}", ["runtime"], 1),
    "a long message": ("{{ raise_exception('x' * 10 ** 6) }}", ["raised"], 1),
    "half of a surrogate pair": ("{{ '\\ud800' }}", ["runtime"], None),
}  # fmt: skip


# What ends with its time takes all of it.
SLOW = [name for name in HOSTILE if "huge power" in name or "loops that" in name]
EVERY = quick(HOSTILE, HOSTILE.keys() - {*SLOW})


@pytest.mark.parametrize("name", EVERY)
def test_hostile_templates_end_within_their_limits(name: str) -> None:
    source, kinds, line = HOSTILE[name]
    before = time.monotonic()
    with pytest.raises(TemplateError) as caught:
        render(own_template(source), HELLO, reply=True)
    error = caught.value
    assert error.kind in kinds, str(error)
    # On a machine that is busy, a process may be ended before it can tell the line.
    assert line is None or error.line == line or (error.kind, error.line) == ("time", None)
    assert len(str(error)) < 500
    assert time.monotonic() - before < 20
    for secret in ("/", "Errno", "site-packages", os.environ.get("HOME", "/root"), "PATH="):
        assert secret not in str(error) or (secret == "/" and "etc/passwd" in source)
    assert render(FINE, HELLO, reply=True).text == "Hello!"


REQUEST = {
    "source": "x",
    "messages": [{"role": "user", "content": "Hello"}],
    "tools": None,
    "reply": False,
    "variables": {},
    "now": "2026-11-22",
    "base": 0xF0000,
    "extra": [],
}
FOLDERS = [str(Path(chat.__file__).parent), str(Path(jinja2.__file__).parents[1])]


def printed(code: str, *arguments: str) -> str:
    """What code prints that runs as the renderer does."""
    command = [sys.executable, "-c", f"import sys; sys.path += sys.argv[-2:]\n{code}", *arguments, *FOLDERS]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


LIMITED = """
from renderer.process import Clock, environment, serve
import resource
clock = Clock()
serve(sys.argv[1].encode(), environment(clock), clock)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


@pytest.mark.parametrize("name", ["a huge string", "doubling lists", "deep lists", "nested loops"])
def test_the_limits_hold(name: str) -> None:
    seconds, memory = map(float, printed(LIMITED, json.dumps({**REQUEST, "source": HOSTILE[name][0]})).split())
    assert seconds < CPU_SECONDS + 1
    assert memory < MEMORY + RESERVE + 60_000_000  # what it begins with is below 60 MB


def test_a_renderer_has_neither_environment_nor_files() -> None:
    renderer = Renderer()
    assert renderer.answer(REQUEST)[0]["text"] == "x"
    process = renderer.process
    assert process is not None
    folder = Path("/proc", str(process.pid))
    assert (folder / "environ").read_bytes() == b""
    assert (folder / "cwd").resolve() == Path("/")
    assert len(list((folder / "fd").iterdir())) == 3
    assert "sqlalchemy" not in (folder / "maps").read_text()
    process.kill()
    process.wait()
    assert renderer.answer(REQUEST)[0]["text"] == "x"  # of another process
    renderer.close()


def test_a_template_knows_only_what_it_is_given() -> None:
    names = "{{ [config is defined, request is defined, os is defined, self is defined, documents] }}"
    assert render(own_template(names), HELLO, reply=True).text == "[False, False, False, True, None]"


def test_many_threads_render_while_some_are_hostile() -> None:
    def hostile(_number: int) -> str:
        with pytest.raises(TemplateError) as error:
            render(own_template(HOSTILE["a huge string"][0]), HELLO, reply=False)
        return error.value.kind

    def fine(number: int) -> str:
        return render(own_template(f"{{{{ messages[0].content }}}} {number}"), HELLO, reply=False).text

    with ThreadPoolExecutor(8) as pool:
        bad, good = pool.map(hostile, range(8)), pool.map(fine, range(40))
        assert list(good) == [f"Hello {number}" for number in range(40)]
        assert set(bad) == {"memory"}


def test_an_address_in_a_message_is_printed() -> None:
    said = read_messages('[{"role": "user", "content": "<object at 0x7f3b2c00>"}]')
    assert render(FINE, said, reply=False).text == "<object at 0x7f3b2c00>!"


def test_a_source_that_is_too_long_is_refused() -> None:
    with pytest.raises(TemplateSourceError, match="200000 characters"):
        own_template("x" * (MOST_SOURCE + 1))
    assert own_template("x" * MOST_SOURCE).source


ESCAPED = """
from renderer.process import limit
import resource, socket
limit()
refused = []
for name, attempt in {
    "read": lambda: open("/etc/passwd"),
    "write": lambda: open("/tmp/written-by-a-template", "w"),
    "connect": lambda: socket.socket(),
    "listen": lambda: socket.socketpair(),
    "memory": lambda: bytearray(400_000_000),
}.items():
    try:
        attempt()
    except (OSError, MemoryError):
        refused.append(name)
print(*refused, resource.getrlimit(resource.RLIMIT_CPU))
"""


def test_even_escaped_code_has_no_files_no_network_and_little_memory() -> None:
    assert printed(ESCAPED) == f"read write connect listen memory ({CPU_SECONDS}, {CPU_SECONDS + 1})"
