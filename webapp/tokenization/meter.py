"""Language models: their context window and price for a number of tokens, and sentences about them."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from urllib.parse import urlsplit

from flask_babel import format_date
from flask_babel import gettext as _

from webapp.vocabularies.language_models import LanguageModel, is_old, model_list, model_of
from webapp.web.localization import current_key, join_list


def model_problem(name: str) -> str:
    """Return why a model cannot be used: it is not in the list, or has no tokenizer here; empty if it can."""
    model = model_of(name[:200])
    if model is None:
        shown = name if len(name) <= 40 else f"{name[:40]}…"
        near = model_list().near(name)
        if near:
            return _("There is no model “%(name)s” in the list. Similar: %(near)s.", name=shown, near=join_list(near))
        return _("There is no model “%(name)s” in the list.", name=shown)
    return "" if model.vocabulary else uncounted(model)


def uncounted(model: LanguageModel) -> str:
    """Return why the tokens of a model without a vocabulary cannot be counted, and where its tokenizer is if public."""
    if model.repository:
        return _(
            "The tokenizer of %(name)s is not in the catalogue. To count its tokens, upload the tokenizer file of "
            "%(repository)s on the Hugging Face hub.",
            name=model.title,
            repository=model.repository,
        )
    sentence = _("The tokenizer of %(name)s is not public, so its tokens cannot be counted here.", name=model.title)
    return ("" if current_key() == "zh" else " ").join(filter(None, (sentence, range_note(model), note_of(model))))


def range_note(model: LanguageModel) -> str:
    """Return what a range of tokens is measured from; empty for a model without one."""
    found = model.token_range
    if found is None:
        return ""
    return _(
        "Measured (%(source)s, %(date)s), in tokens for each token of %(vocabulary)s: %(measured)s.",
        date=format_date(found.as_of, "long"),
        vocabulary=found.vocabulary,
        measured=found.measured_zh if current_key() == "zh" else found.measured,
        source=host_of(found.source),
    )


def note_of(model: LanguageModel) -> str:
    """Return what the list notes about a model, in the reader's language."""
    return (current_key() == "zh" and model.note_zh) or model.note


def as_of(model: LanguageModel) -> str:
    """Return the date of a model's figures, and whether they may be out of date: `as of 12 November 2026`."""
    if model.as_of is None:
        return ""
    day = format_date(model.as_of, "long")
    if is_old(model, today()):
        return _("as of %(date)s, more than 60 days ago; check the source", date=day)
    return _("as of %(date)s", date=day)


def today() -> date:
    """Return the day in UTC."""
    return datetime.now(UTC).date()


@dataclass(frozen=True)
class Meter:
    """The tokens of a text or a conversation, and a model that would read or write them."""

    tokens: int
    model: LanguageModel

    @property
    def used(self) -> float | None:
        """The share of the maximum input that the tokens fill, above 1 if they do not fit; None if it is unknown."""
        most = self.model.most_input
        return self.tokens / most if most else None

    @property
    def left(self) -> int | None:
        """The tokens of the maximum input that are left; below 0 if the tokens do not fit."""
        most = self.model.most_input
        return most - self.tokens if most else None

    @property
    def price_in(self) -> str:
        """The price of the tokens as input: `$0.00104`."""
        return dollars(self.model.cost(self.tokens))

    @property
    def price_out(self) -> str:
        """The price of as many tokens as output; empty for a model without output, or that writes no answer as long."""
        return dollars(self.model.cost(self.tokens, output=True))

    @property
    def as_of(self) -> str:
        """The date of the figures, in the reader's language, and whether it is long ago."""
        return as_of(self.model)

    @property
    def note(self) -> str:
        """What the list notes about the model, in the reader's language."""
        return note_of(self.model)

    @property
    def range_note(self) -> str:
        """What a range of tokens is measured from."""
        return range_note(self.model)

    @property
    def host(self) -> str:
        """The host of the source."""
        return host_of(self.model.source)


def dollars(amount: Decimal | None) -> str:
    """Return an amount in US dollars with three significant digits; empty for None.

    >>> dollars(Decimal("0.00104")), dollars(Decimal(5)), dollars(Decimal(0)), dollars(None)
    ('$0.00104', '$5.00', '$0', '')
    """
    if not amount:
        return "" if amount is None else "$0"
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
