"""The speed of the page in a real Chromium, against its goals: ``python -m tests.benchmarks.page``.

The site runs under its own server, as deployed. Every time is a median of several runs, each in a fresh browser
profile and with another span of the text, so that no cache holds more than it would for a visitor.
"Painted" is the first animation frame after the one that had the tokens in the document.
"""

import http.client
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, Literal, NamedTuple, TypedDict
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.serving import ROOT, find_chromium, launch_chromium, serve

TEXTS = ROOT.parent / "shared" / "texts"
PATIENCE_MS = 60_000
SLOW_4G = {"offline": False, "latency": 562, "downloadThroughput": 180_000, "uploadThroughput": 84_000}

# Resolves with the milliseconds from the start of the navigation until tokens are painted.
FIRST_TOKENS = """
window.firstTokens = new Promise((resolve) => {
  const look = () => requestAnimationFrame(
    document.querySelector("#tokens > .chunk > *") ? () => resolve(performance.now()) : look);
  look();
});
"""

# Pastes a text and watches, frame by frame, until all its tokens are painted (or time runs out) and slightly longer.
# A figure that still has our mark belongs to the previous text.
PASTE = """
([text, patience]) => new Promise((resolve) => {
  const area = document.querySelector("#text");
  const shown = () => [...document.querySelectorAll("#tokens > .chunk")]
    .reduce((sum, chunk) => sum + chunk.children.length, 0);
  document.querySelector("#figures")?.setAttribute("data-before", "");
  let first, complete, tokens = 0, sawFirst = false, sawAll = false, gap = 0, longTask = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTask = Math.max(longTask, entry.duration);
  }).observe({type: "longtask"});
  let start, last;
  const frame = () => {
    const now = performance.now();
    gap = Math.max(gap, now - last);
    last = now;
    if (sawFirst) first ??= now - start;
    if (sawAll) complete ??= now - start;
    const figures = document.querySelector("#figures:not([data-before])");
    if (figures && !sawAll) {
      tokens = Number(figures.dataset.tokens);
      const count = shown();
      sawFirst = count > 0;
      sawAll = sawFirst && count === tokens;
    }
    if (now - start > (complete ?? patience) + 500) {
      const elements = document.querySelectorAll("#tokens > .chunk *").length;
      resolve({first, complete, tokens, elements, gap, longTask});
    } else requestAnimationFrame(frame);
  };
  requestAnimationFrame(() => requestAnimationFrame(() => {
    start = last = performance.now();
    area.value = text;
    area.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertFromPaste"}));
    requestAnimationFrame(frame);
  }));
})
"""

# The fields of the form except files.
FIELDS = """
() => Object.fromEntries([...new FormData(document.querySelector("#playground"))]
  .filter(([, value]) => typeof value === "string"))
"""
BOUNDARY = "----what-no-text-holds"


class Row(NamedTuple):
    """A row of the table.

    ``goal`` is the most that ``ours`` may be, None if there is no goal; ``rivals`` what three rivals' pages
    took on the same kind of machine, as published with the goals: they cannot be reached from here.
    """

    what: str
    ours: float | None
    goal: float | None
    show: Callable[[float], str]
    rivals: str = ""


class Paste(TypedDict):
    """What ``PASTE`` measured: milliseconds (None if it never happened), numbers of tokens and of elements."""

    first: float | None
    complete: float | None
    tokens: int
    elements: int
    gap: float
    longTask: float


def seconds(milliseconds: float) -> str:
    return f"{milliseconds:,.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.2f} s"


def kilobytes(size: float) -> str:
    return f"{size / 1000:,.1f} KB"


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"


def main() -> None:
    """Measure and print the table."""
    chromium = shutil.which("chromium") or find_chromium()  # the whole browser, as visitors have it
    if chromium is None:
        raise SystemExit("There is no Chromium on this machine to measure with.")
    if not TEXTS.is_dir():
        raise SystemExit(f"There is no {TEXTS}, which has the texts to measure with.")
    print(line("", "ours", "goal, at most", "rivals"))
    with serve() as address, sync_playwright() as playwright:
        browser = launch_chromium(playwright, chromium)
        for part in (loading, pasting, serving, accessibility):
            for what, ours, goal, show, rivals in part(browser, address):
                missed = goal is not None and (ours is None or ours > goal)
                told = "never" if ours is None else show(ours)
                print(
                    line(what, told, "" if goal is None else show(goal), rivals, "missed" if missed else ""),
                    flush=True,
                )
        print(f"\nChromium {browser.version}, headless, and the site on the same machine.")
        browser.close()


def line(what: str, ours: str, goal: str, rivals: str, mark: str = "") -> str:
    """Return one line of the table."""
    return f"{what:48} {ours:>10} {goal:>14} {rivals:>18}  {mark}".rstrip()


def excerpt(name: str, size: int, turn: int) -> str:
    """Return ``size`` bytes of a text, repeated as often as needed; a different span for each ``turn``."""
    text = (TEXTS / name).read_bytes()
    start = turn * 104_729 % len(text)
    return (text * (size // len(text) + 2))[start : start + size].decode(errors="ignore")


@contextmanager
def fresh_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """Yield a page in a fresh browser profile."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield context.new_page()
    finally:
        context.close()


def loading(browser: Browser, address: str) -> Iterator[Row]:
    """The first visit: its size, and when its tokens are painted."""
    plain = [load(browser, address) for _ in range(5)]
    slow = [load(browser, address, slow=True) for _ in range(5)]
    yield Row("first load, bytes on the wire", median(size for size, _, _ in plain), 46_000, kilobytes, "1.1 to 2.9 MB")
    yield Row("first load, requests", median(requests for _, requests, _ in plain), 6, number, "7 to 17")
    yield Row("first tokens painted", median(painted for _, _, painted in plain), 250, seconds, "1.1 to 2.3 s")
    throttled = median(painted for _, _, painted in slow)
    yield Row("first tokens painted, 4x slower CPU, slow 4G", throttled, 1500, seconds, "12 to 22 s")


def load(browser: Browser, address: str, slow: bool = False) -> tuple[float, int, float]:
    """Return the bytes on the wire, requests, and milliseconds until the first tokens are painted."""
    sizes: list[float] = []
    requests: list[str] = []
    with fresh_page(browser) as page:
        session: CDPSession = page.context.new_cdp_session(page)
        session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
        session.on("Network.requestWillBeSent", lambda event: requests.append(event["request"]["url"]))
        session.send("Network.enable")
        if slow:
            session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
            session.send("Network.emulateNetworkConditions", SLOW_4G)
        page.add_init_script(FIRST_TOKENS)
        page.goto(address + "/", wait_until="networkidle")
        painted: float = page.evaluate("() => window.firstTokens")
    return sum(sizes), sum(url.startswith("http") for url in requests), painted


def pasting(browser: Browser, address: str) -> Iterator[Row]:
    """From the paste to the painted tokens, including the page's own delay before it sends."""
    english, japanese = "en_pride_and_prejudice.txt", "ja_wagahai.txt"
    for what, name, size, goal, rivals in (
        ("1 KB", english, 1_000, 80, "68 to 181 ms"),
        ("10 KB", english, 10_000, 130, "361 to 1,108 ms"),
        ("100 KB English", english, 100_000, 350, "7 to 13 s"),
        ("100 KB Japanese", japanese, 100_000, 600, "7 to 13 s"),
    ):
        runs = [paste(browser, address, excerpt(name, size, turn)) for turn in range(5)]
        yield Row(f"paste to painted, {what}", middle(runs, "complete"), goal, seconds, rivals)
        yield Row(f"  longest gap between frames, {what}", middle(runs, "gap"), 100, seconds, "7 to 13 s")
        if size == 100_000:
            yield Row(f"  longest task, {what}", middle(runs, "longTask"), None, seconds)
            yield Row("  elements a token", runs[0]["elements"] / max(runs[0]["tokens"], 1), 1, number, "1 to 3")
    runs = [paste(browser, address, excerpt(english, 1_000_000, turn)) for turn in range(5)]
    yield Row("paste to figures and first screen, 1 MB", middle(runs, "first"), 1000, seconds, "hang")
    yield Row("paste to painted, 1 MB", middle(runs, "complete"), 2200, seconds, "hang, over 60 s")
    yield Row("  longest gap between frames, 1 MB", middle(runs, "gap"), 250, seconds)


def paste(browser: Browser, address: str, text: str) -> Paste:
    """Open the page, paste ``text`` and watch."""
    with fresh_page(browser) as page:
        page.goto(address + "/", wait_until="networkidle")
        measured: Paste = page.evaluate(PASTE, [text, PATIENCE_MS])
    return measured


def middle(runs: list[Paste], figure: Literal["first", "complete", "gap", "longTask"]) -> float | None:
    """Return the median of one figure, None if a run did not reach it."""
    values = [value for run in runs if (value := run[figure]) is not None]
    return median(values) if len(values) == len(runs) else None


def serving(browser: Browser, address: str) -> Iterator[Row]:
    """The response to the page's own request alone, sent again with other texts and without a browser."""
    with fresh_page(browser) as page:
        page.goto(address + "/", wait_until="networkidle")
        with page.expect_request(lambda request: request.method == "POST") as sent:
            page.evaluate(PASTE, ["one two", 500])
        request = sent.value
        headers = {name: value for name, value in request.all_headers().items() if name != "content-length"}
        headers["content-type"] = f"multipart/form-data; boundary={BOUNDARY}"
        fields = page.evaluate(FIELDS)
        path = urlsplit(request.url).path
    for what, size in (("1 KB", 1_000), ("100 KB", 100_000), ("1 MB", 1_000_000)):
        answers = []
        for turn in range(5):
            text = excerpt("en_pride_and_prejudice.txt", size, turn + 11)
            body = multipart({**fields, "text": text})
            answers.append(post(address, path, headers, body))
        yield Row(f"server's answer, {what} English", median(taken for taken, _ in answers), None, seconds)
        yield Row("  bytes on the wire", median(size for _, size in answers), None, kilobytes)
    for vocabulary, algorithm, size, goal in (
        ("learned-bytes", "bpe", 500, 150),
        ("learned-characters", "bpe", 500, 150),
        ("learned-wordpiece", "wordpiece", 500, 150),
        ("learned-unigram", "unigram", 500, 500),
    ):
        choice = {"algorithm": algorithm, "vocabulary": vocabulary, "size": str(size), "corpus": ""}
        texts = (excerpt("en_pride_and_prejudice.txt", 20_000, turn + 31) for turn in range(5))
        answers = [post(address, path, headers, multipart({**fields, **choice, "text": text})) for text in texts]
        yield Row(f"answer, 20 KB learned: {vocabulary}, {size}", median(taken for taken, _ in answers), goal, seconds)


def multipart(fields: dict[str, str]) -> bytes:
    """Return the body of a form's request, its parts separated by ``BOUNDARY``."""
    parts = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    return f"{''.join(parts)}--{BOUNDARY}--\r\n".encode()


def post(address: str, path: str, headers: dict[str, str], body: bytes) -> tuple[float, int]:
    """Return the milliseconds until the whole response has arrived, and its size in bytes, compressed."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    try:
        start = time.perf_counter()
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        size = len(answer.read())
        taken = 1000 * (time.perf_counter() - start)
    finally:
        connection.close()
    if answer.status != 200:
        raise RuntimeError(f"POST {path}: status {answer.status}")
    return taken, size


def accessibility(browser: Browser, address: str) -> Iterator[Row]:
    """What axe-core finds on the page with a text in it."""
    for what, options in (
        ("light", {"color_scheme": "light"}),
        ("dark", {"color_scheme": "dark"}),
        ("phone", {"viewport": {"width": 390, "height": 844}}),
    ):
        with fresh_page(browser, **options) as page:
            page.goto(address + "/", wait_until="networkidle")
            page.evaluate(PASTE, [excerpt("en_pride_and_prejudice.txt", 1_000, 0), PATIENCE_MS])
            results = Axe().run(page)
        found = ", ".join(violation["id"] for violation in results.response["violations"])
        yield Row(
            f"axe-core, {what}" + (f": {found}" if found else ""), results.violations_count, 0, number, "2 to 5 kinds"
        )


if __name__ == "__main__":
    main()
