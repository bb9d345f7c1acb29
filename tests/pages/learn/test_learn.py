"""The course: every lesson in every language, with examples that a visitor can change."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.site import HTMX, NOWHERE
from webapp import create_app
from webapp.core.algorithms import family_of
from webapp.core.tokenizer import Tokenizer
from webapp.pages.learn.lessons import LESSON_BY_SLUG, LESSONS, Lesson, LessonExample
from webapp.tokenization.result import prepare
from webapp.web.localization import LANGUAGES

EXAMPLES = [
    (lesson.slug, example) for lesson in LESSONS for example in lesson.by_key.values() if example.kind == "tokens"
]
FIGURES = [(lesson.slug, key) for lesson in LESSONS for key in lesson.figures]


@pytest.fixture
def app_context(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield


def tokenizer_of(example: LessonExample) -> Tokenizer:
    return prepare(example.state(example.texts["en"]), corpus_limit=10_000).tokenizer


def figure(page: str, id: str) -> str:
    """The HTML of an example or a figure of steps."""
    part = page[page.index(f'id="{id}"') :]
    return part[: part.index("</figure>")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_lesson_shows_each_of_its_parts_once(client: FlaskClient, lesson: Lesson, language: str) -> None:
    response = client.get(f"/learn/{lesson.slug}?lang={language}")
    page = response.text
    assert response.status_code == 200
    drawn = [f"diagram-{key}" for key in lesson.captions]
    for id in (*lesson.by_key, *(f"text-{key}" for key in lesson.by_key), *lesson.figures, *drawn):
        assert page.count(f'id="{id}"') == 1
    assert page.count('<details class="answer">') == 2
    assert page.count("<h1") == 1
    found = re.findall(r' id="([^"]+)"', page)
    assert len(found) == len(set(found)), [id for id in found if found.count(id) > 1]
    contents = page[page.index('<nav class="toc"') : page.index("</nav>", page.index('<nav class="toc"'))]
    assert re.findall(r'href="/learn/([\w-]+)"', contents) == _order_of(client, f"?lang={language}")
    assert f'<a href="/learn/{lesson.slug}">' in client.get("/learn").text
    sections = [id for id in re.findall(r'<h2 id="([^"]+)">', page) if not id.startswith("ask-")]
    assert re.findall(r'href="#([^"]+)"', contents) == sections


@pytest.mark.parametrize(("slug", "example"), EXAMPLES, ids=lambda value: getattr(value, "key", value))
def test_examples_equal_the_output_of_the_core(client: FlaskClient, slug: str, example: LessonExample) -> None:
    page = client.get(f"/learn/{slug}", headers={"Accept-Language": "en"}).text
    ids = tokenizer_of(example).ids(example.texts["en"], special="special" in example.choices)
    part = figure(page, f"example-{example.key}")
    words = family_of(example.choices["algorithm"]) in ("dictionary", "word model")  # whose ids nobody uses
    assert re.findall(r'data-u="([^"]*)"', part) == ["" if words else str(id) for id in ids]
    assert (f"<b>{len(ids)}</b> word" in part) == words


def test_the_example_of_word_bigrams_equals_the_output_of_the_core(client: FlaskClient) -> None:
    part = figure(client.get("/learn/ngram?words=人生如夏花").text, "example-words")
    assert re.findall(r"<i[^>]*>([^<]*)</i>", part) == ["人", "生如夏花"]


@pytest.mark.usefixtures("app_context")
def test_statements_about_examples_in_the_prose_are_true() -> None:
    def pieces(slug: str, key: str) -> list[str | bytes]:
        example = LESSON_BY_SLUG[slug].by_key[key]
        encoding = tokenizer_of(example).encode(example.texts["en"], special="special" in example.choices)
        text = example.texts["en"]
        return [text[start:end] for start, end in zip(encoding.starts, encoding.ends, strict=True)]

    assert pieces("dictionary", "forward") == ["研究生", "命", "科学"]
    assert pieces("dictionary", "backward") == ["研究", "生命", "科学"]
    assert pieces("dictionary", "wedding") == ["结婚", "的", "和", "尚未", "结婚", "的"]
    assert pieces("dictionary", "spaceless") == ["theta", "bled", "own", "there"]
    assert pieces("units", "words") == ["难以置信", "的", "分词器", " ", "unbelievable"]
    assert pieces("bpe", "five")[:3] == ["lo", "w", "est"]
    assert [piece.strip() for piece in pieces("bpe", "five")[-4:]] == ["new", "est", "lo", "w"]
    assert [piece.strip() for piece in pieces("bpe", "ten")[-2:]] == ["newest", "low"]
    assert pieces("wordpiece", "unknown")[:3] == ["love", "d", "lovely"]
    assert "<|endoftext|>" in pieces("special", "honoured")
    assert "<|endoftext|>" not in pieces("special", "plain")
    assert {"Sherlock", " Holmes", " Napoleon"} <= set(pieces("vocabulary", "frequent"))
    assert not {" Elizabeth", " quokka"} & set(pieces("vocabulary", "frequent"))


def test_htmx_gets_the_changed_example_alone(client: FlaskClient) -> None:
    response = client.get(
        "/learn/dictionary?forward=生命&backward=研究生命科学",
        headers={"HX-Request-Type": "partial", "HX-Target": "div#forward"},
    )
    assert response.status_code == 200
    assert "<form" not in response.text
    assert response.text.count("<i ") == 1
    assert response.headers["HX-Replace-Url"] == "/learn/dictionary?forward=%E7%94%9F%E5%91%BD"
    assert {"HX-Request-Type", "HX-Target"} <= set(response.vary)


def test_an_edited_example_has_an_address_or_is_shown_in_place(client: FlaskClient) -> None:
    answer = client.post("/learn/dictionary", data={"forward": "生命"})
    assert (answer.status_code, answer.location) == (303, "/learn/dictionary?forward=%E7%94%9F%E5%91%BD")
    refused = client.get("/learn/dictionary", query_string={"forward": "长" * 1_001})
    assert refused.status_code == 413
    assert "长" * 1_001 in refused.text
    sent = {"never": "长" * 1_000}
    page = client.post("/learn/bytes", data=sent)
    assert page.status_code == 200
    assert "长" * 1_000 in page.text
    part = client.post("/learn/bytes", data=sent, headers={"HX-Request-Type": "partial", "HX-Target": "div#never"})
    assert part.headers["HX-Replace-Url"] == "/learn/bytes"
    assert client.post("/learn/bytes", data={"never": "长" * 300_000}).status_code == 413


@pytest.mark.parametrize(("slug", "key"), FIGURES)
def test_a_figure_goes_to_its_next_and_previous_step_without_javascript(
    client: FlaskClient, slug: str, key: str
) -> None:
    part = figure(client.get(f"/learn/{slug}?{key}=2").text, key)
    address = html.unescape(re.findall(r'<figcaption>.*?href="([^"]+)"', part, re.DOTALL)[0])
    assert address.endswith("step=2")
    assert client.get(address).status_code == 200
    links = {rel: html.unescape(href) for rel, href in re.findall(r'rel="(\w+)" href="([^"]+)"', part)}
    assert links == {"prev": f"/learn/{slug}?{key}=1#{key}", "next": f"/learn/{slug}?{key}=3#{key}"}
    for step, rel in (("0", ["next"]), ("9999", ["prev"])):
        part = figure(client.get(f"/learn/{slug}?{key}={step}").text, key)
        assert re.findall(r'rel="(prev|next)"', part) == rel


@pytest.mark.parametrize(
    ("slug", "wanted"),
    [
        ("max-probability", ["我 住 在 台中", "如果 放到 旧 字典 中 将 出错"]),
        ("hmm", ["赵春 来 了", "方成功 考上 了 北大"]),
    ],
)
def test_an_edited_dictionary_corrects_the_segmentation(client: FlaskClient, slug: str, wanted: list[str]) -> None:
    page = client.get(f"/learn/{slug}").text
    found = list(map(html.unescape, re.findall(r'href="(/\?[^"]*edits=[^"]+)"', page)))
    assert len(found) == len(wanted)
    for address, words in zip(found, wanted, strict=True):
        given = parse_qs(urlsplit(address).query)
        body = {name: given[name][0] for name in ("algorithm", "text", "edits")}
        assert client.post("/api/v1/tokenize", json=body).json["pieces"] == words.split()


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_link_of_the_lessons_opens_without_a_problem(tmp_path: Path, language: str) -> None:
    # A site of its own: the list of vocabularies would show what another test could not download.
    client = create_app({"VOCABULARY_FOLDER": str(tmp_path), **NOWHERE}).test_client()
    found: set[str] = set()
    for lesson in LESSONS:
        page = client.get(f"/learn/{lesson.slug}?lang={language}").text
        prose = re.sub(r"(?s)<figure.*?</figure>", "", page[page.index("<article") : page.index("</article>")])
        found |= set(map(html.unescape, re.findall(r'href="(/[^"#]+)', prose)))
    assert sum(address.startswith("/compare?") for address in found) == 7
    for address in found:
        response = client.get(address, follow_redirects=True)
        assert response.status_code == 200, address
        assert 'role="alert">' not in response.text, address  # a hidden one is for failures of the network
        assert not address.startswith("/steps/") or 'class="say"' in response.text, address


def _order_of(client: FlaskClient, query: str) -> list[str]:
    """The lessons as the list of lessons has them."""
    return re.findall(r'<h3><a href="/learn/([\w-]+)[?"]', client.get(f"/learn{query}").text)


def test_a_lesson_links_to_the_exercises_that_practise_it(client: FlaskClient) -> None:
    page = client.get("/learn/ties?lang=en").text
    assert 'href="/homework?exercise=cs336-bpe-example">bpe_example</a>' in page
    assert 'id="exercises"' not in client.get("/learn/why").text
    assert 'href="/learn/ties#exercises">3 exercises</a>' in client.get("/learn?lang=en").text


def test_the_course_has_two_orders(client: FlaskClient) -> None:
    words, subwords = (_order_of(client, f"?lang=en&order={order}") for order in ("words", "subwords"))
    assert words == _order_of(client, "?lang=zh") == [lesson.slug for lesson in LESSONS]
    assert subwords == _order_of(client, "?lang=en") == _order_of(client, "?lang=en&order=none")
    assert words[:2] == ["why", "dictionary"]
    assert subwords[:2] == ["why", "units"]
    assert sorted(subwords) == sorted(words)
    page = client.get("/learn/why?lang=en&order=words").text
    assert re.search(r'rel="next" href="([^"]+)"', page)[1] == "/learn/dictionary?order=words"  # type: ignore[index]
    assert re.search(r'rel="next" href="([^"]+)"', client.get("/learn/why?lang=en").text)[1] == "/learn/units"  # type: ignore[index]


def test_an_edited_example_keeps_the_order(client: FlaskClient) -> None:
    query = {"order": "words", "numbers": "low"}
    page = client.get("/learn/why", query_string=query).text
    assert set(re.findall(r'href="/learn/[a-z-]+(\??[^"#]*)', page)) == {
        "?order=words",
        "?order=words&amp;numbers=low&amp;lang=zh",  # this page in the other language
    }
    assert '<input type="hidden" name="order" value="words">' in page, "without a script, a form replaces the query"
    answer = client.get("/learn/why", query_string=query, headers={**HTMX, "HX-Target": "div#numbers"})
    assert answer.headers["HX-Replace-Url"] == "/learn/why?order=words&numbers=low"
    sent = client.post("/learn/why?order=words", data={"numbers": "low"})
    assert sent.headers["Location"] == "/learn/why?order=words&numbers=low"
