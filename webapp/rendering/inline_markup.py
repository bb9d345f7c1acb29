"""Sentences with a little markup as HTML: text between backticks is code, between asterisks it is emphasized."""

from __future__ import annotations

import re

from markupsafe import Markup, escape


def inline_markup(text: str) -> Markup:
    """A sentence as HTML; everything else in it stays text.

    >>> inline_markup("`ids` of *one* <b>")
    Markup('<code>ids</code> of <em>one</em> &lt;b&gt;')
    """
    with_code = re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", with_code))
