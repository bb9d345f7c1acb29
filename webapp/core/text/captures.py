"""Split patterns without captures: `regex` keeps every capture of a repeated group, 70 to 110 bytes for each.

Nobody reads the captures of a split pattern. Ninety groups in a loop took 870 MB on 85,000 characters; groups that
capture nothing take none.
"""

from __future__ import annotations

import regex

MOST = 1_000_000
"""The most captures, groups times characters, of a pattern that needs its groups: about 100 MB."""


def compiled(source: str) -> regex.Pattern[str]:
    r"""Compile a pattern, without captures unless it refers to its groups. Raises what `regex.compile` raises.

    >>> compiled(r"(?P<a>[(]\()|(?i:b)").pattern, compiled(r"(a)\1").pattern
    ('(?:[(]\\()|(?i:b)', '(a)\\1')
    """
    pattern = regex.compile(source)
    if not pattern.groups or _REFERS.search(source):
        return pattern
    parts = _PARTS_1 if pattern.flags & regex.VERSION1 else _PARTS
    return regex.compile(parts.sub(lambda found: "(?:" if found["group"] else found[0], source))


def exceeds(pattern: regex.Pattern[str], length: int) -> bool:
    """Whether the captures of a pattern may take too much memory on a text of so many characters."""
    # Not `pattern.groups`: groups may share a name.
    return bool(pattern.groups) and pattern.pattern.count("(") * length > MOST


# References to groups, calls of them, conditions, branch resets and verbs; and free spacing, whose comments may contain
# brackets.
_REFERS = regex.compile(r"\\[1-9gkG]|\(\?P[=>]|\(\?[(|&R0-9+]|\(\?-[0-9]|\(\*|\(\?[a-zA-Z0-9]*x")
_REST = r"|\\.|\(\?\#[^)]*\)|(?P<group>\((?!\?)|\(\?P?<(?![=!])[^>]*>)"
# A class; in version 1 of the syntax, it may contain classes.
_PARTS = regex.compile(r"\[\^?\]?(?:\\.|\[:[^\]\[]*:\]|[^\]\\])*+\]" + _REST, regex.DOTALL)
_PARTS_1 = regex.compile(r"(?P<class>\[\^?\]?(?:\\.|\[:[^\]\[]*:\]|(?&class)|[^\]\\])*+\])" + _REST, regex.DOTALL)
