"""The twelve checks of an audit: what each looks for, what it finds, and what to do about it.

The lists of what llama.cpp reads are those of `common/jinja` in the source of llama-cpp-python 0.3.36.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.chat.audit import REPLY, Evidence
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import visible
from webapp.tools.messages.counts import CountedPrompt
from webapp.web.localization import join_list, number

Status = Literal["ok", "note", "warning", "unknown"]
Found = tuple[Status, str]
SHOWN = 24  # characters of a place in a prompt


@dataclass(frozen=True)
class Subject:
    """What is audited; without a vocabulary and a counted prompt, a template alone."""

    evidence: Evidence
    tokenizer: Tokenizer | None = None
    counted: CountedPrompt | None = None

    def amount(self, characters: int) -> str:
        """The first characters of the prompt as a number of tokens, or of characters where none are counted."""
        if self.counted is None:
            return _("%(count)s characters", count=number(characters))
        return _("%(count)s tokens", count=number(sum(end <= characters for end in self.counted.encoding.ends)))


@dataclass(frozen=True)
class Check:
    """One check: its id and title, what it is about, what to do if it finds something, and how it looks."""

    id: str
    title: LazyString
    about: LazyString
    repair: LazyString
    look: Callable[[Subject], Found]


@dataclass(frozen=True)
class Finding:
    """What a check found; `repair` is empty where there is nothing to do."""

    check: str
    status: Status
    title: str
    found: str
    about: str
    repair: str


def audited(subject: Subject) -> list[Finding]:
    """What every check finds, in their order."""
    found = []
    for check in CHECKS:
        status, sentence = check.look(subject)
        repair = str(check.repair) if status in ("note", "warning") else ""
        found.append(Finding(check.id, status, str(check.title), sentence, str(check.about), repair))
    return found


def _failed(subject: Subject) -> Found:
    first = subject.evidence.renders.get("prompt")
    if first is not None and first.text is None:
        return "unknown", _("The template does not render this conversation.")
    return "unknown", _("The template does not render what this check needs, or takes too long.")


def _bos(subject: Subject) -> Found:
    text, bos = subject.evidence.text("prompt"), subject.evidence.template.variables.get("bos_token", "")
    if text is None:
        return _failed(subject)
    if not bos or not text.startswith(bos):
        return "ok", _("The template writes no BOS at the beginning.")
    if text.startswith(bos + bos):
        return "warning", _("The template writes %(bos)s twice at the beginning.", bos=visible(bos))
    if subject.tokenizer is None:
        return "note", _("The template writes %(bos)s; a tokenizer that adds it too doubles it.", bos=visible(bos))
    ids = subject.tokenizer.ids(bos + "x", special=True, template=True)
    if ids[:1] * 2 == ids[:2]:
        return "warning", _("The template writes %(bos)s, and so does this tokenizer by default.", bos=visible(bos))
    return "ok", _("The template writes %(bos)s once, and this tokenizer adds none.", bos=visible(bos))


def _injection(subject: Subject) -> Found:
    if subject.counted is None:
        return "note", _("Templates copy what a message has; whether a marker in it is one, the call decides.")
    if not subject.counted.injected_count:
        return "ok", _("No message contains a marker.")
    texts = list(dict.fromkeys(visible(one.text) for one in subject.counted.injected))
    return "warning", _("Messages contain %(markers)s.", markers=join_list(texts[:6]))


def _vocabulary(subject: Subject) -> Found:
    if subject.counted is None:
        return "unknown", _("Only with a vocabulary.")
    if not subject.counted.missing:
        return "ok", _("The vocabulary has a token for every marker of the template.")
    names = join_list([visible(one) for one in subject.counted.missing[:6]])
    return "warning", _("The vocabulary has no token for %(markers)s.", markers=names)


def _compared(subject: Subject, before: str, after: str) -> Found:
    kept, text = subject.evidence.kept(before, after), subject.evidence.text(before)
    if kept is None or not text:
        return _failed(subject)
    if kept[0] == kept[1]:
        return "ok", _("All of the prompt stays: %(kept)s.", kept=subject.amount(kept[0]))
    place = visible(text[kept[0] : kept[0] + SHOWN])
    share = f"{100 * kept[0] // kept[1]} %"
    return "warning", _("%(kept)s stay, %(share)s of the prompt; then “%(place)s” changes.", kept=subject.amount(kept[0]), share=share, place=place)  # fmt: skip


def _cache(subject: Subject) -> Found:
    return _compared(subject, "bare", "next")


def _thoughts(subject: Subject) -> Found:
    return _compared(subject, "chain", "after")


def _date(subject: Subject) -> Found:
    kept, first = subject.evidence.kept("prompt", "tomorrow"), subject.evidence.renders.get("prompt")
    if kept is None or first is None:
        return _failed(subject)
    if kept[0] < kept[1]:
        return "warning", _("The prompt has the date after %(kept)s.", kept=subject.amount(kept[0]))
    return "ok", _("The prompt does not depend on the date.")


def _reply(subject: Subject) -> Found:
    prompt, bare, said = map(subject.evidence.text, ("prompt", "bare", "said"))
    if prompt is None or bare is None or said is None:
        return _failed(subject)
    if said.startswith(prompt) and prompt != bare:
        return "ok", _("A reply in the history begins as the template asks for one: “%(asked)s”.", asked=visible(prompt[len(bare) :][-SHOWN:]))  # fmt: skip
    if prompt == bare:
        return "note", _("The template writes the same with and without add_generation_prompt.")
    kept = subject.evidence.kept("prompt", "said") or (0, 0)
    return "warning", _(
        "It asks for a reply with “%(asked)s”, and writes a given one as “%(said)s”.",
        asked=visible(prompt[kept[0] :][:SHOWN]),
        said=visible(said[kept[0] :][:SHOWN]),
    )


def _learned(subject: Subject) -> Found:
    said, bare = subject.evidence.renders.get("said"), subject.evidence.renders.get("bare")
    if said is None or bare is None or said.text is None:
        return _failed(subject)
    if not said.learned:
        return "warning", _("The template has no {% generation %}: the mask is 0 for every token.")
    if sum(end - start for start, end in said.learned) == len(said.text):
        return "warning", _("All of the prompt is in {% generation %}: the mask is 1 for every token.")
    if said.learned[-1][1] <= said.text.rfind(REPLY) + len(REPLY):
        return "warning", _("The end of a reply is not in {% generation %}: the model does not learn to stop.")
    if subject.counted is None:
        return "ok", _("Replies and their ends are learned, nothing else.")
    starts = subject.counted.encoding.starts
    learned = sum(any(start <= at < end for start, end in bare.learned) for at in starts)
    return "ok", _("%(learned)s of %(all)s tokens are learned.", learned=number(learned), all=number(len(starts)))


def _tools(subject: Subject) -> Found:
    some, other, none = map(subject.evidence.text, ("tools", "reversed", "toolless"))
    if some is None or other is None:
        return _failed(subject)
    if some == none:
        return "warning", _("The template does not write tools.")
    if some == other:
        return "ok", _("The order of tools does not matter.")
    kept = subject.evidence.kept("tools", "reversed") or (0, 0)
    return "note", _("Tools in another order change the prompt after %(kept)s characters.", kept=number(kept[0]))


def _arguments(subject: Subject) -> Found:
    with_object, with_text = map(subject.evidence.text, ("chain", "text arguments"))
    if with_object is None:
        return "note", _("The template refuses calls of tools.")
    if with_text is None:
        return "warning", _("The template fails if the arguments of a call are a text.")
    if with_text != with_object:
        return "warning", _("Arguments that are a text are written differently from an object.")
    return "ok", _("Arguments as an object and as a text give the same prompt.")


def _parts(subject: Subject) -> Found:
    text, parts = subject.evidence.text("prompt"), subject.evidence.text("parts")
    if text is None:
        return _failed(subject)
    if parts == text:
        return "ok", _("A text and a list with one part give the same prompt.")
    if parts is None:
        return "warning", _("The template fails if a content is a list of parts.")
    return "warning", _("A content that is a list of parts is left out or written as a list.")


_READ = {
    "filter": "abs capitalize count d default dictsort first float format indent int items join last length list lower "
    "map max min reject rejectattr replace reverse safe select selectattr slice sort string title tojson trim unique "
    "upper",
    "test": "boolean callable defined divisibleby eq equalto even false float ge greaterthan gt in integer iterable le "
    "lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper",
    "method": "append capitalize endswith format get items join keys lower lstrip pop replace rsplit rstrip split "
    "startswith strip title upper values",
}
_LLAMA = {f"{kind} {name}" for kind, names in _READ.items() for name in names.split()}


def _llama(subject: Subject) -> Found:
    if subject.evidence.inspection.broken:
        return _failed(subject)
    foreign = sorted(subject.evidence.inspection.uses - _LLAMA)
    if foreign:
        return "warning", _("llama.cpp does not read: %(names)s.", names=join_list([visible(one) for one in foreign]))
    return "ok", _("All filters, tests, methods and statements are among those that llama.cpp reads.")


CHECKS: Sequence[Check] = (
    Check("bos", _l("Doubled BOS"), _l("Many templates write the token that begins a text, and many tokenizers add it. Models are not trained on two."), _l("Encode a rendered prompt with add_special_tokens=False, or let apply_chat_template tokenize it."), _bos),
    Check("injection", _l("Markers in messages"), _l("A marker in a message that is read as a special token ends the message, or begins another one."), _l("Safe: apply_chat_template(…, sanitize_control_tokens=True) of transformers from 5.24, mistral-common, encode_ordinary of tiktoken, and llama.cpp’s server, which marks input. Not safe: tokenizer(prompt), or encode of tokenizers, for a rendered prompt. tiktoken’s encode raises an error."), _injection),
    Check("vocabulary", _l("Markers without a token"), _l("A marker that the vocabulary lacks is split into several tokens, which the model has not seen in this role."), _l("Choose the vocabulary of the model that the template is published with, or add the markers as special tokens."), _vocabulary),
    Check("cache", _l("The prompt with another turn"), _l("A prompt cache keeps what the next prompt begins with. Here, a reply and a further message are added."), _l("Change the template so that it writes earlier messages independently of later ones."), _cache),
    Check("thoughts", _l("A call of a tool with a thought"), _l("Many templates drop thoughts once another message of the user follows, which changes all that comes after them: a long chain of calls is then computed again."), _l("Keep the thoughts if the template has a variable for it (preserve_thinking, clear_thinking), or expect to compute the chain again."), _thoughts),
    Check("date", _l("The date"), _l("A date at the beginning changes the prompt every day, and what was recorded cannot be compared."), _l("Give the date as a variable (date_string), or in the last message."), _date),
    Check("reply", _l("The beginning of a reply"), _l("A model is asked with the beginning of a reply and trained on replies in the history: both should be the same."), _l("Train and ask with the same variables, such as enable_thinking; correct the template if it is yours."), _reply),
    Check("learned", _l("What is learned from replies"), _l("assistant_only_loss of TRL and return_assistant_tokens_mask of transformers learn what is in {% generation %}."), _l("Put {% generation %} around the content of a reply and its end, and nothing else."), _learned),
    Check("tools", _l("Tools and their order"), _l("Tools are written at the beginning: another order, or another order of their keys, is another prompt."), _l("Send tools always in the same order. If the template writes none, describe them in a message of the system."), _tools),
    Check("arguments", _l("Arguments of calls"), _l("Chat APIs have the arguments of a call as a text of JSON; most templates expect an object."), _l("Parse the arguments before you render: json.loads(call[\"function\"][\"arguments\"])."), _arguments),
    Check("parts", _l("Contents in parts"), _l("Chat APIs take a content as a text or as a list of parts. transformers gives the template what it gets; vLLM and this site join the parts if the template does not go through them."), _l("Send texts, or join the parts before you render."), _parts),
    Check("llama.cpp", _l("llama.cpp’s Jinja"), _l("llama.cpp reads templates with an engine of its own, which has a part of Jinja. Compared by name with its source in llama-cpp-python 0.3.36."), _l("Replace what is named, or give llama-server another template with --chat-template-file."), _llama),
)  # fmt: skip
