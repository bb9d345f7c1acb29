"""Snapshots as their pages show them: a result, a comparison or a conversation, each with its page, files and card."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from flask import Response, abort, request, url_for
from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.share.contexts import (
    ComparisonSnapshotEmbed,
    ComparisonSnapshotPage,
    ConversationSnapshotEmbed,
    ConversationSnapshotPage,
    SnapshotAbout,
    SnapshotEmbed,
    SnapshotPage,
)
from webapp.rendering import pictures
from webapp.serializers import conversation as conversation_files
from webapp.sharing.comparisons import RestoredComparison, is_comparison
from webapp.sharing.conversations import RestoredConversation, is_conversation
from webapp.sharing.results import RestoredResult
from webapp.storage import StoredSnapshot, storage
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.comparison import exports as comparison_files
from webapp.tokenization.comparison.state import layout_of
from webapp.tokenization.comparison.views import ComparisonTools, ComparisonView
from webapp.tokenization.conversation.messages import template_title
from webapp.tokenization.conversation.stage import ConversationStage
from webapp.tokenization.conversation.state import VIEWS, extra_json
from webapp.tokenization.exports import as_file, picture_title, picture_words
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import view_of
from webapp.tokenization.token_details import TokenDetails, token_details
from webapp.tokenization.views import DetailsForm, ResultView, TokenView
from webapp.web.localization import current_key, number
from webapp.web.templates import Page

AnyView = TypeVar("AnyView", bound=ResultView)
AnyPage = TypeVar("AnyPage", bound=ConversationSnapshotPage)


@dataclass(frozen=True)
class Shown(ABC):
    """A snapshot that can be shown. `title` is its author's, or a generic one."""

    stored: StoredSnapshot

    @property
    def differs(self) -> bool:
        """Whether the same text has different ids today."""
        return False

    @property
    def title(self) -> str:
        """The author's title, or a generic one."""
        return str(self.stored.snapshot.state.get("title", "")) or self.generic_title

    @property
    @abstractmethod
    def generic_title(self) -> str:
        """The heading of a snapshot without a title."""

    @property
    @abstractmethod
    def description(self) -> str:
        """One line, for link previews."""

    @property
    @abstractmethod
    def origin(self) -> tuple[str, str]:
        """The address of the page that opens a copy, and the query string for it."""

    @abstractmethod
    def page(self) -> Page:
        """The context of the page."""

    @abstractmethod
    def embed(self) -> Page:
        """The context of the embedded page: without links to pages that cannot be framed."""

    @abstractmethod
    def file(self, kind: str) -> Response:
        """The content as a file; not found for a kind that there is not."""

    @abstractmethod
    def card(self) -> bytes:
        """The preview card, as PNG."""

    def about(self) -> SnapshotAbout:
        """Facts about the snapshot."""
        state, (origin, query) = self.stored.snapshot.state, self.origin
        return SnapshotAbout(
            stored=self.stored,
            title=state.get("title", ""),
            shown_title=self.title,
            note=state.get("note", ""),
            description=self.description,
            core_version=self.stored.snapshot.core_version,
            differs=self.differs,
            vocabulary_gone=_lacks_vocabulary(state),
            address=url_for("share.page", id=self.stored.id, _external=True),
            origin=origin,
            open_copy=_("Open a copy"),
            fields=parse_qsl(query, keep_blank_values=True),
        )


def shown_of(stored: StoredSnapshot) -> Shown:
    """A snapshot by its kind."""
    if is_comparison(stored.snapshot):
        return ShownComparison(stored)
    return ShownConversation(stored) if is_conversation(stored.snapshot) else ShownResult(stored)


def _lacks_vocabulary(state: Mapping[str, Any]) -> bool:
    """Whether the operator has deleted a vocabulary file that was stored with a snapshot."""
    hashes = {row.get("vocabulary_hash") for row in (state, *state.get("rows", ()))} - {None}
    return not all(storage().vocabularies.has(str(hash)) for hash in hashes)


class ShownResult(Shown):
    """A shared result; `token` and `view` of the address choose what is shown of it."""

    @cached_property
    def restored(self) -> RestoredResult:
        """The result at the time of sharing."""
        return RestoredResult(self.stored.snapshot)

    @property
    def differs(self) -> bool:
        """Whether the same text has different ids today."""
        return self.restored.differs

    @cached_property
    def view(self) -> ResultView:
        """What the templates show."""
        return self._view(ResultView)

    def part(self) -> TokenView:
        """The details of the chosen token alone."""
        return self._view(TokenView)

    def page(self) -> SnapshotPage:
        """The context of the page."""
        return SnapshotPage(result_shown=self.view, about=self.about())

    def embed(self) -> SnapshotEmbed:
        """The tokens alone."""
        return SnapshotEmbed(result_shown=replace(self.view, stem=None), about=self.about())

    def file(self, kind: str) -> Response:
        """The result as a file."""
        return as_file(self.restored.result, kind)

    def card(self) -> bytes:
        """The tokens, with the algorithm and the vocabulary if there is no title."""
        title = self.stored.snapshot.state.get("title") or picture_title(self.restored.state)
        return pictures.card(self.restored.encoding, title=title, words=picture_words())

    @property
    def origin(self) -> tuple[str, str]:
        """The playground."""
        return url_for("playground.page"), self.view.state.query()

    @property
    def generic_title(self) -> str:
        """Tokens, algorithm and vocabulary: `39 tokens · BPE · GPT-4 (cl100k_base)`."""
        tokens = self.restored.result.figures.tokens
        count = ngettext("%(count)s token", "%(count)s tokens", tokens, count=number(tokens))
        parts = (count, algorithm_names()[self.view.state.algorithm], self.view.vocabulary_title)
        return " · ".join(part for part in parts if part)

    @property
    def description(self) -> str:
        """The figures, the algorithm and the vocabulary."""
        state, figures = self.view.state, self.restored.result.figures
        own = state.vocabulary == "own-dictionary"
        return _(
            "%(tokens)s tokens from %(characters)s characters, by %(algorithm)s with %(vocabulary)s.",
            tokens=f"{figures.tokens:,}",
            characters=f"{figures.characters:,}",
            algorithm=algorithm_names()[state.algorithm],
            vocabulary=_("the author’s own dictionary") if own else self.view.vocabulary_title,
        )

    def _view(self, kind: type[AnyView]) -> AnyView:
        details, problems = self._details()
        address = url_for("share.page", id=self.stored.id)
        state = replace(self.restored.state, view=view_of(request.args.get("view")) or self.restored.state.view)
        chosen = f"view={state.view}&" if "view" in request.args else ""
        return kind(
            state=state,
            result=self.restored.result,
            details=details,
            token_problems=problems,
            link=address,
            stem=f"{address}?{chosen}token=",
            chooser=DetailsForm("snapshot", address, "get", f"{address}/tokens"),
            json_url=url_for("share.as_json", id=self.stored.id),
        )

    def _details(self) -> tuple[TokenDetails | None, list[InputProblem]]:
        if not request.args.get("token"):  # empty: the form of a page without a selected token, or its button to close
            return None, []
        index = request.args.get("token", -1, int)
        try:
            return token_details(self.restored.result, index), []
        except IndexError:
            count = f"{len(self.restored.encoding):,}"
            message = _(
                "There is no token %(index)s: the text has %(count)s, counted from 0.",
                index=request.args["token"][:20],
                count=count,
            )
            return None, [InputProblem(message, 404)]


class ShownComparison(Shown):
    """A shared comparison; `layout` of the address replaces the author's."""

    @cached_property
    def restored(self) -> RestoredComparison:
        """The comparison at the time of sharing."""
        return RestoredComparison(self.stored.snapshot)

    @property
    def differs(self) -> bool:
        """Whether any row would have other ids today."""
        return self.restored.differs

    def page(self) -> ComparisonSnapshotPage:
        """The context of the page."""
        comparison = self.restored.comparison
        if "layout" in request.args:
            comparison = replace(comparison, layout=layout_of(request.args["layout"]))
        tools = ComparisonTools(
            layouts=comparison_files.layouts(lambda name: url_for("share.page", id=self.stored.id, layout=name)),
            downloads=comparison_files.downloads(self._file_path, ""),
        )
        return ComparisonSnapshotPage(
            view=ComparisonView(comparison, self.restored.compared, tools),
            about=self.about(),
        )

    def embed(self) -> ComparisonSnapshotEmbed:
        """The stage alone."""
        view = ComparisonView(self.restored.comparison, self.restored.compared, linked=False)
        return ComparisonSnapshotEmbed(view=view, about=self.about())

    def file(self, kind: str) -> Response:
        """The comparison as a file."""
        if kind not in comparison_files.WRITERS:
            abort(404)
        return comparison_files.as_file(ComparisonView(self.restored.comparison, self.restored.compared), kind)

    def _file_path(self, kind: str) -> str:
        if kind == "json":
            return url_for("share.as_json", id=self.stored.id)
        return url_for("share.tokens", id=self.stored.id, kind=kind)

    def card(self) -> bytes:
        """The rows."""
        picture = ComparisonView(self.restored.comparison, self.restored.compared).picture
        return pictures.comparison_card(picture, title=self.title, words=picture_words())

    @property
    def origin(self) -> tuple[str, str]:
        """The page that compares."""
        return url_for("compare.page"), self.restored.comparison.query()

    @property
    def generic_title(self) -> str:
        """The same for all."""
        return _("Comparison of tokenizers")

    @property
    def description(self) -> str:
        """The tokens of each row."""
        compared = self.restored.compared
        rows = [f"{row.title} {number(len(encoding))}" for row, encoding in compared.shown]
        return _(
            "Tokens for %(characters)s characters: %(rows)s.",
            characters=number(len(compared.text)),
            rows=("，" if current_key() == "zh" else ", ").join(rows),
        )


class ShownConversation(Shown):
    """A shared conversation; `view` of the address chooses how its prompt is shown."""

    @cached_property
    def restored(self) -> RestoredConversation:
        """The conversation at the time of sharing."""
        return RestoredConversation(self.stored.snapshot, self.stored.created.date())

    def page(self) -> ConversationSnapshotPage:
        """The context of the page."""
        kinds = {"csv": _("Counts as CSV"), "txt": _("The prompt as text")}
        files = [(title, url_for("share.tokens", id=self.stored.id, kind=kind)) for kind, title in kinds.items()]
        stage = replace(
            self._stage(request.args.get("view", "")),
            source=self.stored.snapshot.state["template"]["source"],
            address_of=lambda name: f"{url_for('share.page', id=self.stored.id, view=name)}#stage",
            files=[*files, (_("Everything as JSON"), url_for("share.as_json", id=self.stored.id))],
        )
        return self._context(ConversationSnapshotPage, stage)

    def embed(self) -> ConversationSnapshotEmbed:
        """The stage alone."""
        return self._context(ConversationSnapshotEmbed, self._stage())

    def _context(self, kind: type[AnyPage], stage: ConversationStage) -> AnyPage:
        messages = self.restored.conversation.messages
        return kind(stage=stage, about=self.about(), messages=messages, extra_json=extra_json)

    def file(self, kind: str) -> Response:
        """The counts or the prompt as a file."""
        if kind not in conversation_files.WRITERS:
            abort(404)
        roles = [one.role for one in self.restored.conversation.messages]
        return conversation_files.conversation_file(self.restored.counted, roles, kind)

    def card(self) -> bytes:
        """The tokens of the prompt."""
        return pictures.card(self.restored.counted.encoding, title=self.title, words=picture_words())

    def _stage(self, view: str = "") -> ConversationStage:
        restored = self.restored
        return ConversationStage(
            view=next((each for each in VIEWS if each == view), "tokens"),
            conversation=restored.conversation,
            counted=restored.counted,
            vocabulary_title=restored.vocabulary_title,
            template_title=template_title(restored.name, restored.title),
            provenance=restored.provenance,
            figures=restored.figures,
            published=restored.published,
        )

    @property
    def origin(self) -> tuple[str, str]:
        """The page that counts conversations."""
        return url_for("messages.page"), self.restored.state.query()

    @property
    def generic_title(self) -> str:
        """The same for all."""
        return _("A conversation in tokens")

    @property
    def description(self) -> str:
        """How many messages and tokens it has."""
        counts = self.restored.counted.counts
        count = len(counts.messages)
        return _(
            "%(messages)s, %(tokens)s tokens: %(content)s in the messages, %(added)s added by the template.",
            messages=ngettext("%(count)s message", "%(count)s messages", count, count=number(count)),
            tokens=number(counts.total),
            content=number(counts.content),
            added=number(counts.template),
        )
