"""A step's sentence on the page: its first part in bold, quoted pieces as marks."""

from __future__ import annotations

import regex
from markupsafe import Markup, escape

# The first sentence of several: up to a full stop that is not inside quotation marks or a number.
_FIRST = regex.compile(r"^((?:“[^“”]*”|\.(?=\d)|[^“”.。])*[.。])(?=\s|\p{Han}|“)", regex.DOTALL)
_QUOTED = regex.compile(r"“([^“”]+)”")


def emphasized(sentence: str) -> Markup:
    """The sentence with markup; its text is unchanged.

    >>> print(emphasized("It ends at 3. It wins with −1.5.")), print(emphasized("Take “a”."))
    <strong>It ends at 3.</strong> It wins with −1.5.
    Take <mark><span class="unseen">“</span>a<span class="unseen">”</span></mark>.
    (None, None)
    """
    first = _FIRST.match(sentence)
    if first is None:
        return _marked(sentence)
    return Markup("<strong>{}</strong>{}").format(_marked(first[1]), _marked(sentence[first.end() :]))


def _marked(text: str) -> Markup:
    quote = Markup('<mark><span class="unseen">“</span>{}<span class="unseen">”</span></mark>')
    parts = _QUOTED.split(text)
    return Markup("").join(quote.format(part) if at % 2 else escape(part) for at, part in enumerate(parts))
