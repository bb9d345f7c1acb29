"""The twelve checks of an audit: what each looks for, what it finds, and what to do about it.

The lists of what llama.cpp reads are those of `common/jinja` in the source of llama-cpp-python 0.3.36.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal

from flask_babel import gettext as _

from webapp.chat.audit import REPLY, Evidence
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.markup import visible
from webapp.tokenization.algorithms import Text
from webapp.tools.messages.counts import CountedPrompt
from webapp.web.localization import join_list, localized, number

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
class Finding:
    """What a check found: nothing, something to know, something to repair, or nothing as it could not look.

    `repair` is empty where there is nothing to do.
    """

    check: str
    status: Status
    title: str
    found: str
    about: str
    repair: str


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
    if before != "bare":
        subject = replace(subject, counted=None)  # whose tokens are not those of this prompt
    if kept[0] == kept[1]:
        return "ok", _("All of the prompt stays: %(kept)s.", kept=subject.amount(kept[0]))
    place = visible(text[kept[0] : kept[0] + SHOWN])
    return "warning", _(
        "%(kept)s stay, %(share)s%% of the prompt; then “%(place)s” changes.",
        kept=subject.amount(kept[0]),
        share=100 * kept[0] // kept[1],
        place=place,
    )


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
        asked = visible(prompt[len(bare) :][-SHOWN:])
        return "ok", _("A reply in the history begins as the template asks for one: “%(asked)s”.", asked=asked)
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
        return "note", _("The template has no generation block: the mask is 0 for every token.")
    if sum(end - start for start, end in said.learned) == len(said.text):
        return "warning", _("All of the prompt is in generation blocks: the mask is 1 for every token.")
    if said.learned[-1][1] <= said.text.rfind(REPLY) + len(REPLY):
        return "warning", _("The end of a reply is outside the generation block: the model does not learn to stop.")
    if subject.counted is None:
        return "ok", _("Replies and their ends are learned, nothing else.")
    starts, edges = subject.counted.encoding.starts, [edge for span in bare.learned for edge in span]
    learned = sum(bisect_right(edges, start) % 2 for start in starts)
    return "ok", _("%(learned)s of %(all)s tokens are learned.", learned=number(learned), all=number(len(starts)))


def _if_tools(subject: Subject) -> Status:
    return "warning" if subject.evidence.has_tools else "note"


def _tools(subject: Subject) -> Found:
    some, other, none = map(subject.evidence.text, ("tools", "reversed", "toolless"))
    if some is None or other is None:
        return _failed(subject)
    if some == none:
        return _if_tools(subject), _("The template does not write tools.")
    if some == other:
        return "ok", _("The order of tools does not matter.")
    kept = subject.evidence.kept("tools", "reversed") or (0, 0)
    return "note", _("Tools in another order change the prompt after %(kept)s characters.", kept=number(kept[0]))


def _arguments(subject: Subject) -> Found:
    with_object, with_text = map(subject.evidence.text, ("chain", "text arguments"))
    if with_object is None:
        return "note", _("The template refuses calls of tools.")
    if "Paris" not in with_object:
        return _if_tools(subject), _("The template does not write calls of tools.")
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
        return "note", _("The template fails if a content is a list of parts.")
    return "note", _("A content that is a list of parts is left out or written as a list.")


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


CHECKS: Mapping[str, Callable[[Subject], Found]] = {
    "bos": _bos,
    "injection": _injection,
    "vocabulary": _vocabulary,
    "cache": lambda subject: _compared(subject, "bare", "next"),
    "thoughts": lambda subject: _compared(subject, "chain", "after"),
    "date": _date,
    "reply": _reply,
    "learned": _learned,
    "tools": _tools,
    "arguments": _arguments,
    "parts": _parts,
    "llama.cpp": _llama,
}
TEXTS: Mapping[str, Mapping[str, Text]] = localized(files(__package__), "checks.toml")


def audited(subject: Subject) -> list[Finding]:
    """What every check finds, in their order."""
    found = []
    for check, look in CHECKS.items():
        status, sentence = look(subject)
        title, about, repair = (str(TEXTS[check][name]) for name in ("title", "about", "repair"))
        found.append(Finding(check, status, title, sentence, about, repair if status in ("note", "warning") else ""))
    return found
