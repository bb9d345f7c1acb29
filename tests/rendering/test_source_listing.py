"""Listings of the reference algorithms run by themselves, and their HTML has the same text."""

import doctest
from html.parser import HTMLParser
from types import ModuleType

import pytest

from webapp.core.algorithms import ALGORITHMS
from webapp.pages.learn.lessons import LESSONS
from webapp.pages.training.trainings import TRAININGS
from webapp.rendering.source_listing import SourceListing, source_listing

REFERENCES = {
    **{f"encoding {id}": algorithm.reference for id, algorithm in ALGORITHMS.items()},
    **{f"training {id}": training.reference for id, training in TRAININGS.items()},
    **{f"lesson {lesson.slug}": lesson.reference for lesson in LESSONS},
}
LISTINGS = {name: source_listing(*functions) for name, functions in REFERENCES.items() if functions}


@pytest.mark.parametrize("listing", LISTINGS.values(), ids=LISTINGS)
def test_a_listing_runs_by_itself(listing: SourceListing) -> None:
    alone = ModuleType("alone")
    exec(listing.text, alone.__dict__)
    test = doctest.DocTestParser()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    functions = [value for value in vars(alone).values() if getattr(value, "__module__", "") == "alone"]
    assert functions
    for function in functions:
        # An example may call functions that the algorithm itself does not need.
        text = function.__doc__ or ""
        known = dict(vars(__import__(listing.module, fromlist=["*"])), **vars(alone))
        runner.run(test.get_doctest(text, known, function.__name__, None, None))
    assert runner.tries > 0
    assert runner.failures == 0


@pytest.mark.parametrize("listing", LISTINGS.values(), ids=LISTINGS)
def test_the_html_contains_the_text_without_inline_styles(listing: SourceListing) -> None:
    parts: list[str] = []
    parser = HTMLParser()
    parser.handle_data = parts.append  # type: ignore[method-assign]
    parser.feed(listing.html)
    parser.close()
    assert "".join(parts) == listing.text
    assert "style=" not in listing.html
