"""axe-core on a page that is loaded once, at a width and in a colour scheme."""

from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Look = tuple[int, Literal["light", "dark"]]

DESK: Look = (1280, "light")
PHONE: Look = (390, "dark")


def assert_accessible(page: Page, look: Look = PHONE, *, part: str | None = None) -> None:
    """Assert that axe-core finds nothing in the page, or in its `part`, and that nothing is wider than the page."""
    # A heading can be found before the style sheets have come, and a page without them has other widths and colours.
    page.wait_for_load_state()
    width, scheme = look
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, (page.url, width)
    results = Axe().run(page, context=part, options={"resultTypes": ["violations"]})
    assert results.violations_count == 0, f"{page.url} {look}\n{results.generate_report()}"
