"""What a language model makes of a number of tokens: the share of its context window, and the price."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from webapp.tokenization.model_messages import as_of
from webapp.vocabularies.language_models import LanguageModel


@dataclass(frozen=True)
class Meter:
    """The tokens of a text or a conversation, and a model that would read or write them."""

    tokens: int
    model: LanguageModel

    @property
    def used(self) -> float | None:
        """The share of the context window that the tokens fill, above 1 if they do not fit; None without a window."""
        return self.tokens / self.model.context if self.model.context else None

    @property
    def left(self) -> int | None:
        """The tokens of the context window that are left; below 0 if the tokens do not fit."""
        return self.model.context - self.tokens if self.model.context else None

    @property
    def has_price(self) -> bool:
        """Whether the list has a price for a prompt of this length."""
        most = self.model.price_up_to
        return self.model.price_in is not None and (most is None or self.tokens <= most)

    @property
    def price_in(self) -> str:
        """The price of the tokens as input: `$0.00104`."""
        return dollars(self.tokens, self.model.price_in) if self.has_price and self.model.price_in is not None else ""

    @property
    def price_out(self) -> str:
        """The price of as many tokens as output; empty for a model without output."""
        return dollars(self.tokens, self.model.price_out) if self.has_price and self.model.price_out is not None else ""

    @property
    def as_of(self) -> str:
        """The date of the figures, in the reader's language, and whether it is long ago."""
        return as_of(self.model)

    @property
    def host(self) -> str:
        """The host of the source."""
        return host_of(self.model.source)


def dollars(tokens: int, per_million: Decimal) -> str:
    """Return what some tokens cost, in US dollars, with three significant digits.

    >>> dollars(104, Decimal(10)), dollars(2_000_000, Decimal("2.5")), dollars(0, Decimal(10))
    ('$0.00104', '$5.00', '$0')
    """
    amount = tokens * per_million / 1_000_000
    if not amount:
        return "$0"
    return f"${amount:,.2f}" if amount >= 1 else f"${Decimal(f'{amount:.3g}').normalize():f}"


def per_million(price: Decimal | None) -> str:
    """Return a price per million tokens, with all its digits and at least cents.

    >>> per_million(Decimal("2.5")), per_million(Decimal("0.075")), per_million(None)
    ('$2.50', '$0.075', '')
    """
    if price is None:
        return ""
    digits = max(2, -int(price.normalize().as_tuple().exponent))
    return f"${price:,.{digits}f}"


def host_of(address: str) -> str:
    """Return the host of an address, without `www.`.

    >>> host_of("https://www.anthropic.com/pricing#api")
    'anthropic.com'
    """
    return (urlsplit(address).hostname or "").removeprefix("www.")
