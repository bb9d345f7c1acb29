"""The sentences of a verdict: what the first place that differs is, why, and by which other rule an answer is right."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from webapp.core.homework.verdicts import Note, Side, Verdict
from webapp.web.localization import current_key, number

SENTENCES: Mapping[str, Mapping[str, Mapping[str, str]]] = tomllib.loads(
    files(__package__).joinpath("sentences.toml").read_text(encoding="utf-8")
)
WHOLE = ("not-two-bytes", "decodes", "not-utf8", "ascii-works", "slower")
"""Reasons whose sentence says all: the place adds nothing. So it is with all reasons about pieces of a vocabulary."""


def _say(part: str, code: str, **values: Any) -> str:
    return SENTENCES[part][code][current_key()] % values


def headline(verdict: Verdict) -> str:
    """The outcome in one sentence."""
    code: str = "right-by-rule" if verdict.outcome == "right" and verdict.rule else verdict.outcome
    code = "mixed" if verdict.rule == "mixed" else code
    return _say("headlines", code, rule=rule_name(verdict.rule) if verdict.rule else "")


def rule_name(rule: str) -> str:
    """What a rule is called inside a sentence."""
    kind, _, longest = rule.partition("window-")
    if longest:
        return _say("rules", "window", longest=longest)
    return _say("rules", rule if rule in SENTENCES["rules"] else "tags", rule=kind)


def explanation(verdict: Verdict, reveal: bool = True) -> list[str]:
    """Where and why an answer differs, in sentences; none for a right one.

    Without `reveal`, none of them has what would be right.
    """
    values: dict[str, Any] = {
        "place": number(verdict.place or 0),
        "label": verdict.label,
        "yours": verdict.yours.text if verdict.yours else "",
        "right": verdict.right.text if verdict.right else "",
        "yours_count": _count(verdict.yours),
        "yours_times": _times(verdict.yours),
        "right_count": _count(verdict.right),
        "right_times": _times(verdict.right),
        "own_rule": rule_name(verdict.own_rule) if verdict.own_rule else "",
    }
    said: list[str] = []
    if verdict.outcome == "right":
        return said
    if verdict.place is not None and verdict.place_kind != "piece" and verdict.why not in WHOLE:
        said.append(_say("places", verdict.place_kind, **values))
        if reveal and (verdict.yours or verdict.right):
            said.append(_say("sides", "right" if not verdict.yours else "both" if verdict.right else "yours", **values))
    code, _, longest = verdict.why.partition("window-")
    if code in ("tie", "rarer") and verdict.right and verdict.right.count != int(verdict.right.count or 0):
        code = {"tie": "tie-score", "rarer": "lower-score"}[code]
    code = "window" if longest else "each-once" if (code, verdict.place_kind) == ("unweighted", "cell") else code
    if verdict.why and (reveal or "%(right" not in SENTENCES["why"][code]["en"]):
        said.append(_say("why", code, longest=longest, **values))
    return [sentence for sentence in said if sentence]


def _count(side: Side | None) -> str:
    count = side.count if side else None
    return "" if count is None else number(int(count)) if float(count).is_integer() else f"{count:.4g}"


def _times(side: Side | None) -> str:
    count = _count(side)
    return _say("times", "once" if count == "1" else "many", count=count)


def note(remark: Note) -> str:
    """A remark as a sentence."""
    values = {
        name: rule_name(str(value)) if name == "rule" else number(value) if isinstance(value, int) else value
        for name, value in remark.values.items()
    }
    return _say("notes", remark.code, **values)
