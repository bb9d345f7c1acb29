"""Forms are parsed as by the standard library, and a long one takes little memory."""

import io
import tracemalloc
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.formparser import FormDataParser

from webapp.web import application
from webapp.web.application import FormParser, unescaped


def _fields(parser: type[FormDataParser], body: bytes) -> list[tuple[str, str]]:
    _stream, form, _files = parser().parse(io.BytesIO(body), "application/x-www-form-urlencoded", len(body))
    return list(form.items(multi=True))


@given(st.text("a=&+%;é研2fF0", max_size=60), st.integers(3, 9))
def test_fields_equal_those_of_werkzeug(body: str, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "WINDOW", window)
        assert _fields(FormParser, body.encode()) == _fields(FormDataParser, body.encode())


@given(st.dictionaries(st.text(), st.text("a 研👨\n%+", max_size=200)), st.integers(3, 40))
def test_fields_of_a_browser_arrive(fields: dict[str, str], window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(application, "WINDOW", window)
        body = urlencode(fields)
        assert _fields(FormParser, body.encode()) == parse_qsl(body, keep_blank_values=True)


def test_a_long_text_takes_little_memory() -> None:
    escaped = urlencode({"text": "研究" * 100_000})
    tracemalloc.start()
    try:
        text = unescaped(escaped)
        _left, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(text) == 200_005
    assert peak < 5 * len(escaped)
