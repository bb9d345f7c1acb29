"""The sentences about conversations, templates and prompts."""

from __future__ import annotations

from typing import Any

from flask_babel import format_date, ngettext
from flask_babel import gettext as _

from webapp.chat.messages import Conversation, Message
from webapp.chat.render import Prompt, TemplateError
from webapp.core.vocabulary_error import Phrase
from webapp.rendering.markup import visible
from webapp.tokenization.conversation.counts import CountedPrompt
from webapp.tokenization.conversation.figures import PublishedCount
from webapp.tokenization.conversation.state import FROM_VOCABULARY, OWN
from webapp.tokenization.messages import joined, translated
from webapp.web.localization import current_key, join_list, number


def template_problem(error: TemplateError) -> str:
    """What is wrong with a template, with its line if that is known."""
    message = whole(error.message)
    return message if not error.line else _("Line %(line)s: %(message)s", line=number(error.line), message=message)


def whole(message: Phrase) -> str:
    """A message of the core as a sentence, with a capital and a full stop."""
    text = translated(message)
    stop = "。" if current_key() == "zh" else "."
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "。", "!", "?")) else stop)


def role_title(role: str) -> str:
    """A role as a label shows it."""
    return visible(role[:40]) or _("no role")


def template_title(name: str, title: str) -> str:
    """What a chosen template is called; `title` is that of a built-in one."""
    return {FROM_VOCABULARY: _("the template of the vocabulary"), OWN: _("your own template")}.get(name, title)


def missing_note(counted: CountedPrompt, vocabulary: str) -> str:
    """Which markers of the template the vocabulary has no token for, and how they were counted; "" for none."""
    if not counted.missing:
        return ""
    names = join_list([visible(name) for name in counted.missing[:6]])
    if counted.single:
        return ngettext(
            "“%(vocabulary)s” has no token for %(names)s. It counts as one token, as in a chat model that has it, "
            "under an id that the vocabulary does not have.",
            "“%(vocabulary)s” has no tokens for %(names)s. Each counts as one token, as in a chat model that has "
            "them, under an id that the vocabulary does not have.",
            len(counted.missing),
            vocabulary=vocabulary,
            names=names,
        )
    return ngettext(
        "“%(vocabulary)s” has no token for %(names)s, so it is split like any other text.",
        "“%(vocabulary)s” has no tokens for %(names)s, so they are split like any other text.",
        len(counted.missing),
        vocabulary=vocabulary,
        names=names,
    )


def crossing_note(counted: CountedPrompt) -> str:
    """How many tokens lie across a boundary between content and template; "" for none."""
    count = counted.counts.crossing
    if not count:
        return ""
    return ngettext(
        "One token lies across the boundary between a message and the template. It counts where its first character "
        "is.",
        "%(count)s tokens lie across a boundary between a message and the template. Each counts where its first "
        "character is.",
        count,
        count=number(count),
    )


def published_note(published: PublishedCount) -> str:
    """The count by a published rule, for which model, and what the rule leaves out."""
    count = number(published.tokens)
    if published.like:
        sentence = _(
            "By OpenAI’s published rule: %(count)s tokens for %(model)s, if it counts like %(like)s.",
            count=count,
            model=published.model,
            like=published.like,
        )
    else:
        sentence = _("By OpenAI’s published rule: %(count)s tokens for %(model)s.", count=count, model=published.model)
    if not published.left_out:
        return sentence
    fields = join_list([visible(name[:40]) for name in published.left_out[:6]])
    return joined([sentence, _("The rule does not count %(fields)s.", fields=fields)])


def prompt_notes(counted: CountedPrompt) -> list[str]:
    """How sure the counts by message are, and whether the prompt depends on the day."""
    notes = []
    if not counted.prompt.exact:
        notes.append(
            _(
                "This template changes the contents of messages, so what belongs to which message was found by "
                "searching for it."
            )
        )
    if counted.prompt.dated:
        notes.append(_("The template writes the date, here %(day)s.", day=format_date(counted.prompt.date, "long")))
    return notes


def unwritten_note(conversation: Conversation, prompt: Prompt) -> str:
    """What of the tools and their calls the template does not write; "" if it writes all."""
    tools = any(not _is_written(tool.get("function", tool), prompt) for tool in conversation.tools)
    calls = any(not _is_written(call, prompt) for message in conversation.messages for call in _calls(message))
    if tools and calls:
        return _("This template leaves out tools and their calls.")
    if tools:
        return _("This template leaves out tools.")
    return _("This template leaves out calls of tools.") if calls else ""


def _calls(message: Message) -> list[Any]:
    calls = message.extra.get("tool_calls")
    return [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _is_written(function: Any, prompt: Prompt) -> bool:
    name = function.get("name") if isinstance(function, dict) else None
    return not isinstance(name, str) or name in prompt.text


def injection_notes(counted: CountedPrompt) -> list[str]:
    """A sentence for each message that contains a marker: which, and what the model reads there."""
    found: dict[tuple[int, bool], dict[str, None]] = {}
    for one in counted.counts.injected:
        found.setdefault((one.message, one.special), {})[visible(one.text)] = None
    notes = []
    for (message, special), texts in found.items():
        values = {"number": number(message + 1), "texts": join_list(list(texts))}
        if special:
            sentence = ngettext(
                "Message %(number)s contains %(texts)s, and the tokenizer reads it as a special token: to the model, "
                "the message may end or another one begin there.",
                "Message %(number)s contains %(texts)s, and the tokenizer reads them as special tokens: to the model, "
                "the message may end or another one begin there.",
                len(texts),
                **values,
            )
        else:
            sentence = ngettext(
                "Message %(number)s contains %(texts)s, which the template writes too: the model cannot tell them "
                "apart.",
                "Message %(number)s contains %(texts)s, which the template writes too: the model cannot tell them "
                "apart.",
                len(texts),
                **values,
            )
        notes.append(sentence)
    more = counted.counts.injected_count - len(counted.counts.injected)
    if more > 0:
        notes.append(
            ngettext(
                "And one more place of this kind.", "And %(count)s more places of this kind.", more, count=number(more)
            )
        )
    return notes
