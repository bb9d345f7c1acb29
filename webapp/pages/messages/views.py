"""Builds the contexts of `/messages`."""

from __future__ import annotations

from collections.abc import Sequence

from flask import request, url_for
from flask_babel import gettext as _

from webapp.chat.messages import MOST_MESSAGES
from webapp.chat.templates import BUILT_IN
from webapp.core.algorithms import family_of
from webapp.pages.messages.contexts import ConversationContext, MessageRow, MessagesPage
from webapp.pages.messages.examples import EXAMPLES
from webapp.tokenization.conversation.count import ConversationResult
from webapp.tokenization.conversation.figures import figures_of, model_chosen
from webapp.tokenization.conversation.forms import ROLES, ConversationForm
from webapp.tokenization.conversation.messages import template_title
from webapp.tokenization.conversation.stage import ConversationStage, MessageShare
from webapp.tokenization.conversation.state import (
    DEFAULT_TEMPLATE,
    FROM_VOCABULARY,
    OWN,
    ConversationState,
    extra_json,
)
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.vocabulary_choices import is_independent, vocabulary_choices
from webapp.vocabularies import CatalogueEntry, StillFetchingError, find, title_of
from webapp.vocabularies.language_models import LanguageModel, find_models
from webapp.vocabularies.models_of import uses


def page_context(conversation: ConversationContext) -> MessagesPage:
    """The context of the whole page."""
    return MessagesPage(conversation=conversation)


def conversation_context(
    asked: ConversationForm,
    result: ConversationResult | None,
    problems: Sequence[InputProblem],
    pending: StillFetchingError | None,
    link: str | None,
) -> ConversationContext:
    """The context of the form and the stage."""
    state = asked.state
    stage = _stage(result, link) if result else None
    model = model_chosen(state)
    return ConversationContext(
        state=state,
        rows=_rows(asked, stage.shares if stage else []),
        stage=stage,
        pending=pending,
        problems=problems,
        invalid={one.field: one.message for one in reversed(problems) if one.field},
        typed=asked.typed or {},
        pasted=asked.pasted,
        groups=vocabulary_choices(request, state.vocabulary, keep=_is_subword),
        templates=[
            *((name, template.title) for name, template in BUILT_IN.items()),
            (FROM_VOCABULARY, _("From the vocabulary")),
            (OWN, _("Your own")),
        ],
        models=_models(model),
        model=model,
        model_note=_model_note(state, model),
        examples=[(str(one.title), _example(state, index)) for index, one in enumerate(EXAMPLES)],
        most_messages=MOST_MESSAGES,
        link=link,
    )


def _stage(result: ConversationResult, link: str | None) -> ConversationStage:
    kinds = {"csv": _("Counts as CSV"), "json": _("Everything as JSON"), "txt": _("The prompt as text")}
    entry = find(result.state.vocabulary)
    assert entry is not None
    return ConversationStage(
        view=result.state.view,
        conversation=result.conversation,
        counted=result.counted,
        vocabulary_title=title_of(entry),
        template_title=template_title(result.state.template, result.template.title),
        provenance=result.template.provenance,
        figures=figures_of(result.state, result.counted.counts.total),
        address_of=lambda _view: None,
        files=[(title, url_for("messages.files", kind=kind)) for kind, title in kinds.items()],
        source=result.template.source_for(tools=bool(result.conversation.tools)),
        published=result.published,
        editable=result.state.template != OWN,
        form="messages",
        is_link=link is not None,
        shareable=True,
    )


def _rows(asked: ConversationForm, shares: Sequence[MessageShare]) -> list[MessageRow]:
    typed = asked.typed or {}
    rows = []
    for number, message in enumerate(asked.state.messages[: MOST_MESSAGES + 1], 1):
        extra = typed.get(f"extra-{number}") or extra_json(message.extra)
        rows.append(
            MessageRow(
                number,
                message.role,
                message.content,
                extra,
                bool(extra) or message.role == "tool",
                ROLES if message.role in ROLES else (*ROLES, message.role),
                shares[number - 1] if number <= len(shares) else None,
            )
        )
    return rows


def _is_subword(entry: CatalogueEntry) -> bool:
    families = map(family_of, entry.algorithms)
    return is_independent(entry) and any(family not in ("dictionary", "word model") for family in families)


def _models(chosen: LanguageModel | None) -> list[tuple[str, list[LanguageModel]]]:
    """The models with a public tokenizer, by family; the chosen one may be a version that the list does not name."""
    listed = [model for model in find_models("") if model.vocabulary]
    if chosen is not None and chosen.id not in {model.id for model in listed}:
        listed = [chosen, *listed]
    families: dict[str, list[LanguageModel]] = {}
    for model in listed:
        families.setdefault(model.family, []).append(model)
    return list(families.items())


def _model_note(state: ConversationState, model: LanguageModel | None) -> str:
    if model is None:
        return ""
    if model.vocabulary is None:
        return _(
            "The publisher of %(model)s gives no tokenizer for it, so these counts are not its own.", model=model.title
        )
    if not uses(model.id, state.vocabulary):
        entry = find(model.vocabulary)
        return _(
            "%(model)s uses another vocabulary, %(vocabulary)s, so its window and price are not applied.",
            model=model.title,
            vocabulary=title_of(entry) if entry else model.vocabulary,
        )
    notes = [] if model.context else [_("no context window in the list")]
    notes += [] if model.price_in is not None else [_("no price in the list")]
    return "; ".join([model.title, *notes]) if notes else ""


def _example(state: ConversationState, index: int) -> str:
    """The address of an example with the same choices."""
    example = EXAMPLES[index]
    template = OWN if example.source else DEFAULT_TEMPLATE if state.template == OWN else state.template
    query = state.query(
        messages=example.messages, tools=example.tools, template=template, source=example.source, view="tokens"
    )
    return f"{url_for('messages.page')}?{query}"
