"""The playground as a visitor uses it, in a real Chromium."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import OpenPage
from webapp.vocabularies import shipped_tokenizer

PHONE = {"width": 390, "height": 844}
PARAGRAPH = "It was the best of times, it was the worst of times, it was the age of wisdom.\n"


def fill(page: Page, text: str) -> None:
    """Set the text of the box as a paste does, and wait until its result is complete."""
    number = len(shipped_tokenizer("bpe-bytes").ids(text))
    page.locator("#text").evaluate(
        "(box, text) => { box.value = text; box.dispatchEvent(new Event('input', {bubbles: true})) }", text
    )
    expect(page.locator("#figures")).to_have_attribute("data-tokens", str(number), timeout=60_000)
    expect(page.locator("#tokens > .chunk > *")).to_have_count(number, timeout=60_000)


def tokens(page: Page) -> list[str]:
    return page.locator("#tokens > .chunk > *").all_inner_texts()


def test_typing_shows_the_result_and_keeps_the_caret(page: Page) -> None:
    box = page.locator("#text")
    box.fill("")
    box.press_sequentially("the lowest of all")
    expect(page.locator("#figures")).to_have_attribute(
        "data-tokens", str(len(shipped_tokenizer("bpe-bytes").ids("the lowest of all")))
    )
    box.evaluate("box => box.setSelectionRange(3, 3)")
    page.keyboard.type("m")
    expect(page.locator("#tokens")).to_have_text("them lowest of all")
    assert box.evaluate("box => [document.activeElement === box, box.selectionStart]") == [True, 4]


def test_an_untouched_page_sends_no_requests(open_page: OpenPage) -> None:
    asked: list[str] = []
    page = open_page("/healthz", expected=["favicon"])
    page.on("request", lambda request: asked.append(f"{request.method} {request.resource_type}"))
    page.goto("/?algorithm=fmm&text=好", wait_until="networkidle")
    page.wait_for_timeout(300)
    assert "POST fetch" not in asked
    assert asked.count("GET document") == 1
    assert asked.count("GET script") == 3, "htmx, common.js and app.js"
    assert not [one for one in asked if not one.endswith(("document", "script", "stylesheet", "other"))]


def test_the_address_follows_the_text_without_flooding_the_history(page: Page) -> None:
    before = page.evaluate("history.length")
    for text in ("a", "a li", "a link"):
        page.locator("#text").fill(text)
        page.wait_for_url(re.compile(rf"text={text.replace(' ', '.')}$"))
    assert page.evaluate("history.length") == before
    page.locator("label[for=a-unigram]").click()
    page.wait_for_url(re.compile(r"algorithm=unigram&text=a\+link"))
    assert page.evaluate("history.length") == before + 1
    shown = tokens(page)
    page.goto(page.url)
    assert tokens(page) == shown


def test_switching_algorithms_changes_the_vocabularies_at_once(page: Page) -> None:
    expect(page.locator("#v-bpe")).to_be_visible()
    for algorithm, group in (
        ("fmm", "matching"),
        ("bmm", "matching"),
        ("wordpiece", "wordpiece"),
        ("unigram", "unigram"),
    ):
        page.locator(f"label[for=a-{algorithm}]").click()
        expect(page.locator(f"#v-{group}")).to_be_visible()
        expect(page.locator("#v-bpe")).to_be_hidden()
        page.wait_for_url(re.compile(f"algorithm={algorithm}"))
    page.locator("#a-unigram").focus()  # one tab stop: arrow keys choose
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(re.compile("algorithm=wordpiece"))
    expect(page.locator("#a-wordpiece")).to_be_focused()


def test_the_slider_merges_letters_into_words(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=bpe&text=" + "low+lower+lowest+" * 6)
    page.locator("#v-bpe").select_option("learned-characters")
    expect(page.locator("#slider")).to_be_visible()
    counts = []
    for merges in (0, 3, 20):
        page.locator("#slider").fill(str(merges))
        page.wait_for_url(re.compile(f"size={merges}\\b"))
        expect(page.locator("#size")).to_have_value(str(merges))
        counts.append(int(page.locator("#figures").get_attribute("data-tokens") or 0))
    assert counts[0] > counts[1] > counts[2] == 18


def test_text_typed_before_the_script_is_ready_is_not_lost(open_page: OpenPage) -> None:
    page = open_page("/healthz", expected=["favicon"])
    held: list[Route] = []
    page.route("**/app.js*", lambda route: held.append(route))
    page.goto("/", wait_until="commit")
    page.locator("#text").fill("typed early")
    held[0].continue_()
    expect(page.locator("#tokens")).to_have_text("typed early")
    expect(page.locator("#text")).to_have_value("typed early")


def test_an_unreachable_server_has_a_message_and_the_page_recovers(open_page: OpenPage) -> None:
    page = open_page(expected=["ERR_FAILED", "ERR_CONNECTION_REFUSED", "htmx:error", "Failed to fetch"])
    page.route("**/*", lambda route: route.abort("connectionrefused"))
    page.locator("#text").fill("lost?")
    notice = page.locator("#trouble [role=alert]")
    expect(notice).to_contain_text("The server did not answer")
    expect(page.locator("#text")).to_have_value("lost?")
    expect(page.locator("#tokens")).to_contain_text("rarely")
    page.unroute("**/*")
    notice.get_by_role("button", name="Try again").click()
    expect(page.locator("#tokens")).to_have_text("lost?")
    expect(notice).to_be_hidden()


def test_a_newer_request_cancels_the_older(page: Page) -> None:
    held: list[Route] = []
    aborted: list[Request] = []
    page.on("requestfailed", lambda request: aborted.append(request))
    page.route("**/", lambda route: held.append(route), times=1)
    page.locator("#text").fill("the older")
    while not held:
        page.wait_for_timeout(20)
    page.locator("#text").fill("the newer")
    expect(page.locator("#tokens")).to_have_text("the newer")
    assert [request.failure for request in aborted] == ["net::ERR_ABORTED"]


def test_a_long_text_survives_reload_and_back(page: Page) -> None:
    text = PARAGRAPH * 60
    fill(page, text)
    page.reload()
    expect(page.locator("#text")).to_have_value(text)
    expect(page.locator("#tokens > .chunk > *")).to_have_count(len(shipped_tokenizer("bpe-bytes").ids(text)))
    page.get_by_role("link", name="Vocabularies").click()
    page.wait_for_url("**/vocabularies")
    page.go_back()
    expect(page.locator("#text")).to_have_value(text)


def test_a_long_dictionary_survives_a_reload(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=fmm&vocabulary=own-dictionary&text=研究生命")
    words = "\n".join(f"词{n}" for n in range(400)) + "\n生命"
    page.locator("#dictionary").fill(words)
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["研", "究", "生命"])
    page.reload()
    expect(page.locator("#dictionary")).to_have_value(words)
    expect(page.locator("#text")).to_have_value("研究生命")
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["研", "究", "生命"])


def test_print_shows_the_result_and_no_controls(page: Page) -> None:
    fill(page, PARAGRAPH * 60)
    page.emulate_media(media="print")
    expect(page.locator("#text")).to_be_hidden()
    expect(page.locator("#a-bpe")).to_be_hidden()
    pane, last = page.locator("#tokens"), page.locator("#tokens > .chunk > *").last
    box, end = pane.bounding_box(), last.bounding_box()
    assert box is not None
    assert end is not None
    assert end["y"] + end["height"] <= box["y"] + box["height"] + 1, "nothing is cut off by a scrolling pane"


def test_the_layout_does_not_shift_when_a_result_arrives(page: Page) -> None:
    page.evaluate(
        """() => {
            window.shift = 0;
            const add = list => { for (const entry of list.getEntries()) window.shift += entry.value };
            new PerformanceObserver(add).observe({type: 'layout-shift', buffered: false});
        }"""
    )
    top = "s => document.querySelector(s).getBoundingClientRect().top"
    places = f"['#text', '#figures', '#tokens', '#ids'].map({top})"
    for text in ("short", PARAGRAPH * 20):
        # The box grows with the text; what the result then changes is below.
        before = page.locator("#text").evaluate(f"(box, text) => {{ box.value = text; return {places} }}", text)
        fill(page, text)
        assert page.evaluate(places)[:3] == before[:3]
    assert page.evaluate("window.shift") < 0.1


@pytest.mark.exhaustive
def test_a_megabyte_is_rendered_on_demand_and_scrolls_to_its_end(page: Page) -> None:
    text = (PARAGRAPH * 13_000)[:1_000_000]
    fill(page, text)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.locator("#tokens").evaluate(
        "pane => { pane.scrollIntoView({block: 'end'}); pane.scrollTop = pane.scrollHeight }"
    )
    page.wait_for_timeout(300)
    page.locator("#tokens").evaluate("pane => { pane.scrollTop = pane.scrollHeight }")
    last = page.locator("#tokens > .chunk > *").last
    expect(last).to_be_in_viewport()
    assert not sent, "the text is not sent again to scroll"
    assert page.locator("#tokens").evaluate("pane => pane.textContent") == text


def test_adjacent_tokens_have_different_colours(page: Page) -> None:
    fill(page, PARAGRAPH * 60)
    colours = page.locator("#tokens").evaluate(
        "pane => [...pane.querySelectorAll('.chunk > *')].map(t => getComputedStyle(t).backgroundColor)"
    )
    assert len(set(colours)) == 6
    assert all(one != other for one, other in pairwise(colours))


def test_text_and_first_tokens_fit_on_the_first_screen_of_a_phone(open_page: OpenPage) -> None:
    page = open_page("/", **PHONE)
    expect(page.locator("#text")).to_be_in_viewport(ratio=1)
    for n in range(5):
        expect(page.locator("#tokens > .chunk > *").nth(n)).to_be_in_viewport(ratio=1)
    width = page.locator("html").evaluate("html => [html.scrollWidth, html.clientWidth]")
    assert width[0] == width[1], "no sideways scrolling"


def test_controls_are_large_enough_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=bpe&vocabulary=learned-bytes&text=low+lower", **PHONE)
    small = page.evaluate(
        """() => [...document.querySelectorAll('a, button, select, summary, input:not([type=hidden]), label')]
        .filter(e => e.checkVisibility() && !e.closest('.tokens, .unseen'))
        .filter(e => !e.matches('.skip, label.label, .unseen, input[type=radio], input[type=checkbox], #file'))
        .map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
        .filter(([, box]) => box.height < 24 || box.width < 24).map(([html, box]) => [html, box.width, box.height])"""
    )
    assert small == []
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('textarea, select, input[type=number]')]
        .map(e => parseFloat(getComputedStyle(e).fontSize))"""
    )
    assert min(sizes) >= 16


def test_everything_works_as_plain_forms(open_page: OpenPage) -> None:
    page = open_page("/", javascript=False, expected=["422"])
    page.locator("#token").fill("-1")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#details [role=alert]")).to_have_text("Tokens are counted from 0.")
    page.locator("#text").fill("研究生命科学 and more")
    page.locator("label[for=a-bmm]").click()
    page.locator(".composer .btn.go").click()
    page.wait_for_url(re.compile("algorithm=bmm"))
    assert tokens(page)[:2] == ["研究", "生命科学"]
    page.locator("#tokens a").first.click()
    expect(page.locator("#details .pairs")).to_have_attribute("data-token", "0")
    page.locator("label[for=a-bpe]").click()
    page.locator("#v-bpe").select_option("learned-bytes")
    page.locator("#size").fill("2")
    page.locator(".composer .btn.go").click()
    page.wait_for_url(re.compile("vocabulary=learned-bytes&size=2"))
    page.locator("#text").fill(PARAGRAPH * 50)
    page.locator(".composer .btn.go").click()
    expect(page.locator("#text")).to_have_value(PARAGRAPH * 50)
    assert PARAGRAPH * 20 in "".join(tokens(page))


def test_settings_close_with_escape_and_keep_what_is_chosen(page: Page) -> None:
    fill(page, "a<|endoftext|>b")
    settings = page.locator(".settings summary")
    settings.click()
    page.get_by_label("Recognize special tokens").check()
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["a", "<|endoftext|>", "b"])
    page.keyboard.press("Escape")
    expect(page.get_by_label("Recognize special tokens")).to_be_hidden()
    expect(settings).to_be_focused()
    assert "special=1" in page.url
