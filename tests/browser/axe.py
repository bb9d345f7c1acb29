"""axe-core on a page that is loaded once, at several widths and in both colour schemes."""

from collections.abc import Iterable
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Look = tuple[int, Literal["light", "dark"]]

# Each width and each scheme once: what goes wrong on a phone or in the dark rarely needs both.
TWO_LOOKS: tuple[Look, ...] = ((1280, "light"), (390, "dark"))
ON_A_PHONE: tuple[Look, ...] = TWO_LOOKS[1:]
OTHER_LOOKS: tuple[Look, ...] = ((1280, "dark"), (768, "light"), (390, "light"))


def assert_accessible(page: Page, looks: Iterable[Look] = ON_A_PHONE, *, part: str | None = None) -> None:
    """Assert that axe-core finds nothing in the page, or in its `part`, and that nothing is wider than the page."""
    # A heading can be found before the style sheets have come, and a page without them has other widths and colours.
    page.wait_for_load_state()
    for width, scheme in looks:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (page.url, width)
        results = Axe().run(page, context=part, options={"resultTypes": ["violations"]})
        assert results.violations_count == 0, f"{page.url} {width} {scheme}\n{results.generate_report()}"
