"""What the forms of pages share, and what a shared conversation and any snapshot show.

The snapshot of a conversation has all that its page shows, so it depends on no template, vocabulary or list of models.
"""

from collections.abc import Callable
from datetime import date
from functools import cached_property
from typing import Any

from flask import Request, Response, abort, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from pydantic import TypeAdapter

from webapp.chat.messages import conversation_of
from webapp.chat.openai_rule import PublishedCount
from webapp.chat.render import Prompt
from webapp.chat.spans import Span
from webapp.chat.templates import ChatTemplate
from webapp.rendering.pictures import drawing
from webapp.sharing.results import ShownComparison, ShownResult, share_comparison, share_result, snapshot_of
from webapp.storage import ShareReceipt, StoredSnapshot
from webapp.tokenization import forms
from webapp.tokenization.comparison import state as comparisons
from webapp.tokenization.exports import download, picture_words
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import still_fetching_problem, unavailable_problem
from webapp.tokenization.result import tokenize_or_explain
from webapp.tokenization.snapshots import ShareTerms, Shown, encoding_of, kind_of, store
from webapp.tokenization.state import State
from webapp.tools.messages.counts import counted_prompt
from webapp.tools.messages.inputs import OWN, VIEWS, MessagesInput, as_json
from webapp.tools.messages.result import FILES, ConversationResult, PromptFigures, conversation_json, count
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, tokenizer_of
from webapp.web.json_responses import json_piece

_FIGURES = TypeAdapter(PromptFigures)
_PUBLISHED: TypeAdapter[PublishedCount | None] = TypeAdapter(PublishedCount | None)


def share_conversation(state: MessagesInput, terms: ShareTerms) -> ShareReceipt:
    """Count and store a conversation; raises InputProblem."""
    result = count(state)
    counted, template = result.counted, result.template
    encoding = counted.encoding
    kept: dict[str, Any] = {
        "kind": "conversation",
        **result.conversation.as_json(),
        "template": {
            "name": state.template,
            "title": template.title,
            "source": result.source,
            "provenance": template.provenance,
        },
        "vocabulary": state.vocabulary,
        "vocabulary_title": result.vocabulary_title,
        "reply": state.reply,
        "single": state.single,
        "missing": list(counted.missing),
        "exact": counted.prompt.exact,
        "dated": counted.prompt.dated,
        "date": counted.prompt.date.isoformat() if counted.prompt.dated else "",
        "spans": [[span.start, span.end, span.message, span.kind] for span in counted.prompt.spans],
        "published": _PUBLISHED.dump_python(result.published, mode="json"),
        "figures": _FIGURES.dump_python(result.figures, mode="json", exclude_defaults=True),
        "model": state.model,
        "variables": state.variables,
        "piecewise": bool(counted.prompt.segments),
        **terms.texts,
    }
    return store(snapshot_of(encoding, tokenizer_of(state.vocabulary), kept, encoding.text), terms)


class ShownConversation(Shown):
    """A shared conversation; `view` of the address chooses how its prompt is shown."""

    kind = "conversation"
    heading = _l("A conversation in tokens")

    @cached_property
    def restored(self) -> ConversationResult:
        """The conversation at the time of sharing."""
        view = request.args.get("view", "") if request.endpoint == "share.page" else ""
        stored, kept = self.snapshot, self.snapshot.state
        conversation = conversation_of({name: kept.get(name) for name in ("messages", "tools")})
        chosen = kept["template"]
        state = MessagesInput(
            messages=conversation.messages,
            tools=as_json(conversation.tools),
            template=chosen["name"],
            source=chosen["source"] if chosen["name"] == OWN else "",
            vocabulary=kept["vocabulary"],
            reply=kept["reply"],
            single=kept["single"],
            model=kept["model"],
            variables=kept.get("variables", {}),
            view=next((each for each in VIEWS if each == view), "tokens"),
        )
        day = date.fromisoformat(kept["date"]) if kept["date"] else self.stored.created.date()
        spans = tuple(Span(*parts) for parts in kept["spans"])
        segments = ((stored.text, False),) if kept.get("piecewise") else ()
        prompt = Prompt(stored.text, spans, exact=kept["exact"], dated=kept["dated"], date=day, segments=segments)
        encoding = encoding_of(stored)
        return ConversationResult(
            state,
            conversation,
            ChatTemplate(**chosen),
            counted_prompt(prompt, encoding, len(conversation.messages), kept["missing"], kept["single"]),
            _PUBLISHED.validate_python(kept["published"]),
            _FIGURES.validate_python(kept["figures"]),
            kept["vocabulary_title"],
        )

    def content(self, *, embedded: bool = False) -> dict[str, Any]:
        """The conversation, of which an embedded page shows the stage alone."""
        return {"conversation": self.restored}

    def content_json(self) -> dict[str, Any]:
        """The messages with their counts, and the prompt as its text."""
        shared, restored = self.snapshot, self.restored
        pieces = {id: json_piece(piece) for id, piece in shared.pieces.items()}
        return {
            "conversation": restored.conversation.as_json(),
            "reply_prompt": shared.state["reply"],
            **{name: shared.state[name] for name in ("template", "vocabulary", "figures", "published")},
            **conversation_json(restored.counted, restored.roles),
            "pieces": map(pieces.__getitem__, shared.ids),
            "offsets": zip(shared.starts, shared.ends, strict=True),
            "special": shared.special,
        }

    def file(self, kind: str) -> Response:
        """The counts or the prompt as a file."""
        if kind not in FILES:
            abort(404)
        return download(FILES[kind], self.restored, f"{'prompt' if kind == 'txt' else 'messages'}.{kind}")

    def card(self) -> bytes:
        """The tokens of the prompt."""
        return drawing.card(self.restored.counted.encoding, picture_words(), title=self.title)

    @property
    def origin(self) -> tuple[str, str]:
        """The page that counts conversations."""
        return url_for("messages.page"), self.restored.state.query(view="tokens")


KINDS: dict[str, type[Shown]] = {kind.kind: kind for kind in (ShownResult, ShownComparison, ShownConversation)}


def shown_of(stored: StoredSnapshot) -> Shown:
    """A snapshot by its kind; evaluations have pages of their own."""
    return KINDS[kind_of(stored.snapshot)](stored)


def origin_of(request: Request) -> str:
    """The blueprint of the page that sent a form: `playground`, `compare` or `messages`."""
    if "content" in request.form or "messages" in request.form:
        return "messages"
    return "compare" if "with" in request.form else "playground"


def share_form(
    request: Request, terms: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Store the form's result with its vocabulary, or return the problems that prevent it."""
    read, share = ORIGINS[origin_of(request)]
    given, found = read(request)
    problems = [*found, *problems]
    try:
        return (None, problems) if problems else (share(given, terms), [])
    except InputProblem as problem:
        return None, [problem]
    except StillFetchingError:
        return None, [still_fetching_problem()]
    except UnavailableVocabularyError as error:
        return None, [unavailable_problem(error)]


def _read_result(request: Request) -> tuple[State, list[InputProblem]]:
    state, problems = forms.read(request)
    return state, [each for each in problems if each.field != "token"]


def _read_conversation(request: Request) -> tuple[MessagesInput, list[InputProblem]]:
    given, problems = MessagesInput.read(request)
    if not given.messages and not problems:
        problems = [InputProblem(_("There are no messages yet. Add one, or paste a conversation."))]
    return given, problems


ORIGINS: dict[str, tuple[Callable[[Request], Any], Callable[[Any, ShareTerms], ShareReceipt]]] = {
    "playground": (_read_result, lambda state, terms: share_result(tokenize_or_explain(state), terms)),
    "compare": (comparisons.read, share_comparison),
    "messages": (_read_conversation, share_conversation),
}
"""How the form of each page is read, and how its result is stored; the latter raises InputProblem."""
