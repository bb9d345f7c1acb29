"""Pages about an algorithm show its whole reference implementation; other pages do not."""

import pytest
from flask.testing import FlaskClient


@pytest.mark.parametrize(
    ("path", "function"),
    [
        ("/steps/fmm", "forward"),
        ("/steps/bpe", "encode"),
        ("/steps/training/bpe?symbols=bytes", "utf8"),
        ("/learn/dictionary", "bidirectional"),
        ("/learn/bytes", "decode_bytes"),
    ],
)
def test_a_page_about_an_algorithm_shows_its_reference(client: FlaskClient, path: str, function: str) -> None:
    page = client.get(path, headers={"Accept-Language": "zh-CN"}).text
    assert page.count("<h2>完整算法</h2>") == 1
    assert f'<span class="k">def</span><span class="w"> </span><span class="nf">{function}</span>' in page
    assert "source.css" in page
    assert "<details open" not in page


def test_other_lessons_have_no_listing(client: FlaskClient) -> None:
    page = client.get("/learn/why").text
    assert "whole algorithm" not in page
    assert "source.css" not in page
