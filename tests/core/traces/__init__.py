"""What the tests of traces share."""

from collections.abc import Callable, Iterable

from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.pretokens import AddedFound, pretokens_of


def ids_of(tokenizer: Tokenizer, text: str, trace: Callable[[str], Iterable[int]], **options: bool) -> list[int]:
    """The ids of a text: those that `trace` finds in each pre-token, and those of added tokens."""
    found = pretokens_of(tokenizer, text, **options)
    return [id for one in found for id in ([one.token.id] if isinstance(one, AddedFound) else trace(one.text))]
