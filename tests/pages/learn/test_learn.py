"""The course: every lesson in every language, with examples that a visitor can change."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.core.tokenizer import Tokenizer
from webapp.pages.learn.lessons import LESSONS, Lesson, LessonExample
from webapp.tokenization.result import prepare
from webapp.web.localization import LANGUAGES

EXAMPLES = [(lesson.slug, example) for lesson in LESSONS for example in lesson.examples]


@pytest.fixture
def app_context(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield


def tokenizer_of(example: LessonExample) -> Tokenizer:
    return prepare(example.state(example.texts["en"]), corpus_limit=10_000).tokenizer


def test_the_index_links_to_every_lesson(client: FlaskClient) -> None:
    page = client.get("/learn?lang=en").text
    for lesson in LESSONS:
        assert f'<a href="/learn/{lesson.slug}">{lesson.title}</a><span>{lesson.about}</span>' in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_lesson_shows_each_of_its_examples_once(client: FlaskClient, lesson: object, language: str) -> None:
    slug, examples = lesson.slug, lesson.examples  # type: ignore[attr-defined]
    response = client.get(f"/learn/{slug}?lang={language}")
    assert response.status_code == 200
    for example in examples:
        assert response.text.count(f'<div id="{example.key}"') == 1
    assert response.text.count('<figure class="example"') == len(examples)
    assert len(re.findall(r"<h2>", response.text)) >= 2
    assert "<cite>" in response.text


@pytest.mark.parametrize(("slug", "example"), EXAMPLES, ids=lambda value: getattr(value, "key", value))
def test_examples_equal_the_output_of_the_core(client: FlaskClient, slug: str, example: LessonExample) -> None:
    page = client.get(f"/learn/{slug}", headers={"Accept-Language": "en"}).text
    part = page[page.index(f'<div id="{example.key}"') :]
    ids = tokenizer_of(example).ids(example.texts["en"], special=example.special)
    assert f'<span class="figure">{" ".join(map(str, ids))}</span>' in part[: part.index("</figure>")]


@pytest.mark.usefixtures("app_context")
def test_statements_about_examples_in_the_prose_are_true() -> None:
    def pieces(slug: str, key: str) -> list[str | bytes]:
        example = next(example for lesson, example in EXAMPLES if lesson == slug and example.key == key)
        encoding = tokenizer_of(example).encode(example.texts["en"], special=example.special)
        text = example.texts["en"]
        return [text[start:end] for start, end in zip(encoding.starts, encoding.ends, strict=True)]

    assert pieces("dictionary", "forward") == ["研究生", "命", "科学"]
    assert pieces("dictionary", "backward") == ["研究", "生命", "科学"]
    assert pieces("dictionary", "wedding") == ["结婚", "的", "和", "尚未", "结婚", "的"]
    assert pieces("dictionary", "spaceless") == ["theta", "bled", "own", "there"]
    assert pieces("bpe", "five")[:3] == ["lo", "w", "est"]
    assert [piece.strip() for piece in pieces("bpe", "five")[-4:]] == ["new", "est", "lo", "w"]
    assert [piece.strip() for piece in pieces("bpe", "ten")[-2:]] == ["newest", "low"]
    assert pieces("wordpiece", "unknown")[:3] == ["love", "d", "lovely"]
    assert "<|endoftext|>" in pieces("special", "honoured")
    assert "<|endoftext|>" not in pieces("special", "plain")
    assert {"Sherlock", " Holmes", " Napoleon"} <= set(pieces("vocabulary", "frequent"))
    assert not {" Elizabeth", " quokka"} & set(pieces("vocabulary", "frequent"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_step_that_the_prose_links_to_exists(client: FlaskClient, lesson: Lesson, language: str) -> None:
    page = client.get(f"/learn/{lesson.slug}?lang={language}").text
    prose = re.sub(r"(?s)<figure.*?</figure>", "", page)
    for address in map(html.unescape, re.findall(r'<a href="(/steps/[^"]+)"', prose)):
        step = client.get(address)
        assert step.status_code == 200, address
        assert 'class="told"' in step.text, address
        assert "n=10" not in address or 'name="seed"' in step.text, address


def test_an_example_can_be_changed_without_javascript(client: FlaskClient) -> None:
    page = client.get("/learn/dictionary?forward=生命&backward=科学研究").text
    forward = page[page.index('id="example-forward"') :]
    assert ">\n生命</textarea>" in forward[: forward.index("</figure>")]
    # The form also carries the other example's edited text, so that it is not lost.
    assert '<input type="hidden" name="backward" value="科学研究">' in forward[: forward.index("</figure>")]


def test_htmx_gets_the_changed_example_alone(client: FlaskClient) -> None:
    response = client.get(
        "/learn/dictionary?forward=生命&backward=研究生命科学",
        headers={"HX-Request-Type": "partial", "HX-Target": "div#forward"},
    )
    assert response.status_code == 200
    assert "<form" not in response.text
    assert response.text.count("<i") == 1
    assert response.headers["HX-Replace-Url"] == "/learn/dictionary?forward=%E7%94%9F%E5%91%BD"
    assert {"HX-Request-Type", "HX-Target"} <= set(response.vary)


def test_a_text_that_is_too_long_is_refused_but_stays_in_the_form(client: FlaskClient) -> None:
    response = client.get("/learn/dictionary", query_string={"forward": "长" * 1_001})
    assert response.status_code == 413
    assert "1,001" in response.text
    assert "长" * 1_001 in response.text


def test_an_edited_example_redirects_to_its_address(client: FlaskClient) -> None:
    answer = client.post("/learn/dictionary", data={"forward": "生命"})
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/learn/dictionary?forward=%E7%94%9F%E5%91%BD"
    assert client.post("/learn/nothing", data={}).status_code == 404


def test_a_text_too_long_for_an_address_is_shown_in_place(client: FlaskClient) -> None:
    sent = {"never": "长" * 1_000}
    page = client.post("/learn/bytes", data=sent)
    assert page.status_code == 200
    assert "长" * 1_000 in page.text
    assert not re.search(r'href="[^"]{6100}', page.text)
    part = client.post("/learn/bytes", data=sent, headers={"HX-Request-Type": "partial", "HX-Target": "div#never"})
    assert part.headers["HX-Replace-Url"] == "/learn/bytes"
    assert client.post("/learn/bytes", data={"never": "长" * 300_000}).status_code == 413


def test_markup_in_an_example_stays_text(client: FlaskClient) -> None:
    page = client.get("/learn/bytes", query_string={"never": "</textarea><script>alert(1)</script>"}).text
    assert "<script>alert" not in page


def test_an_unknown_lesson_is_404(client: FlaskClient) -> None:
    assert client.get("/learn/nothing").status_code == 404
