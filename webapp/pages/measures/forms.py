"""The form of `/measures`: a text, up to six tokenizers, and a gold segmentation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _

from webapp.core.evaluation.gold import GoldError, GoldText, read_gold
from webapp.tokenization import forms
from webapp.tokenization.comparison.state import MOST, SAME_CORPUS, Comparison, TokenizerChoice
from webapp.tokenization.forms import InputProblem, TooLongError, as_typed, within
from webapp.tokenization.messages import translated
from webapp.tokenization.parallel_article import passages

EXAMPLE_LANGUAGES = ("en", "zh_Hans")


@dataclass(frozen=True)
class MeasuresRequest:
    """The tokenizers with the text, and the gold segmentation as typed; empty without one."""

    comparison: Comparison
    gold: str = ""

    def query(self) -> str:
        """The query string of the request."""
        query = self.comparison.query()
        return f"{query}&{urlencode({'gold': self.gold}, errors='replace')}" if self.gold else query

    def link(self, most: int) -> str | None:
        """The query string, or None if it would have more than `most` characters."""
        if len(self.comparison.text) + len(self.gold) > most:
            return None
        query = self.query()
        return query if len(query) <= most else None


def read(request: Request) -> tuple[MeasuresRequest, GoldText | None, list[InputProblem]]:
    """The request, the gold segmentation if there is one, and what is wrong with them."""
    common, problems = forms.read(request)
    values = request.form if request.method == "POST" else request.args
    if request.method == "GET" and "text" not in values:
        common = replace(common, text=example())
    problems = [one for one in problems if one.field not in ("token", "algorithm", "vocabulary")]
    chosen = [TokenizerChoice.parse(value) for value in dict.fromkeys(filter(None, values.getlist("with")))]
    if not chosen and request.method == "POST":
        problems.append(InputProblem(_("Choose at least one tokenizer."), 422, "with"))
    if len(chosen) > MOST:
        message = _("These are %(count)s tokenizers; choose at most %(most)s.", count=len(chosen), most=MOST)
        problems.append(InputProblem(message, 422, "with"))
    comparison = Comparison(tuple(chosen[:MOST]) or SAME_CORPUS, replace(common, token=None, template=False))
    gold = as_typed(values.get("gold"))
    read_text = None
    if gold.strip():
        try:
            within(gold, current_app.config["MAX_TEXT_BYTES"], _("The gold segmentation"))
            read_text = read_gold(gold)
        except TooLongError as error:
            problems.append(InputProblem(str(error), 413, "gold"))
        except GoldError as error:
            problems.append(InputProblem(translated(error.message), 422, "gold"))
    return MeasuresRequest(comparison, gold if gold.strip() else ""), read_text, problems


def example() -> str:
    """The initial text: the parallel article in English and in Chinese."""
    texts = {passage.key: passage.text for passage in passages()}
    return "\n".join(texts[key] for key in EXAMPLE_LANGUAGES)
