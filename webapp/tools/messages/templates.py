"""`/messages/templates`: the checks of every chat template at hand, with a short conversation."""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Annotated

from flask_babel import gettext as _
from pydantic import Field

from webapp.chat.audit import PROBE, Evidence, evidence
from webapp.chat.published import fetched_names, published_template
from webapp.chat.templates import BUILT_IN, ChatTemplate, NoTemplateError
from webapp.tokenization.forms import InputProblem
from webapp.tools.inputs import Answer, Input
from webapp.tools.kernel import Tool
from webapp.tools.messages.checks import TEXTS, Finding, Subject, audited
from webapp.tools.picker import LONGEST_NAME
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError
from webapp.vocabularies.library import library


class TemplatesInput(Input):
    """The template whose findings are shown in full; none for the table alone."""

    template: Annotated[str, Field(max_length=LONGEST_NAME)] = ""


class AuditedTemplate(Answer):
    """A chat template and what the checks found, in their order."""

    name: str
    title: str
    provenance: str
    findings: list[Finding]


class TemplatesAnswer(Answer):
    """The templates, built-in ones first, and the titles of the checks."""

    templates: list[AuditedTemplate]
    checks: list[str]
    chosen: AuditedTemplate | None


def check_templates(given: TemplatesInput) -> TemplatesAnswer:
    """Check every chat template that is built in or has been downloaded."""
    rows = [
        AuditedTemplate(template.name, template.title, template.provenance, _findings(template))
        for template in _templates()
    ]
    chosen = next((row for row in rows if row.name == given.template), None)
    if given.template and chosen is None:
        message = _("There is no chat template “%(name)s”. Choose one from the list.", name=given.template[:40])
        raise InputProblem(message, 404)
    return TemplatesAnswer(rows, [str(texts["title"]) for texts in TEXTS.values()], chosen)


def _templates() -> Iterator[ChatTemplate]:
    yield from BUILT_IN.values()
    for name in fetched_names(library()):
        with suppress(NoTemplateError, StillFetchingError, UnavailableVocabularyError):
            yield published_template(library(), name)


def _findings(template: ChatTemplate) -> list[Finding]:
    found = _probed(template.name, template.source, template.tool_source, tuple(template.variables.items()))
    if not found.is_whole:  # the machine was busy
        _probed.cache_clear()
    return audited(Subject(found))


@lru_cache(maxsize=128)
def _probed(name: str, source: str, tool_source: str, variables: tuple[tuple[str, str], ...]) -> Evidence:
    return evidence(ChatTemplate(name, "", source, dict(variables), tool_source=tool_source), PROBE, {})


TOOL = Tool(
    name="templates",
    address="/messages/templates",
    input=TemplatesInput,
    run=check_templates,
    answer=lambda result: result,
    table=lambda result: [
        ["template", "check", "status", "found", "what to do"],
        *([row.name, one.check, one.status, one.found, one.repair] for row in result.templates for one in row.findings),
    ],
)
