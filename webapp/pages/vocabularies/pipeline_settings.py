"""The settings of a tokenizer's pipeline steps as phrases."""

from __future__ import annotations

from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.analysis.pipeline_summary import PipelineStep
from webapp.rendering.markup import visible

LONGEST_VALUE = 300  # characters that are shown


def settings_of(step: PipelineStep) -> list[tuple[str, Markup]]:
    """The name of each setting of a step, and a phrase for it; a setting without a phrase is shown by its name."""
    if {("behavior", "removed"), ("invert", "true")} <= set(step.settings):
        # Removing what does not match keeps what does.
        others = [(name, _phrase(step, name, value)) for name, value in step.settings if name == "pattern"]
        return [*others, ("behavior removed, invert", Markup.escape(_("keeps only matches")))]
    return [(name, _phrase(step, name, value)) for name, value in step.settings]


def _phrase(step: PipelineStep, name: str, value: str) -> Markup:
    values = _values()
    said = _switches().get((name, value)) or values.get((step.name, name)) or values.get(("", name))
    if said is None:
        return Markup("{} <code>{}</code>").format(name, _shown(value))
    return Markup.escape(said) % {"value": Markup("<code>{}</code>").format(_shown(value))}


def _shown(value: str) -> str:
    return visible(value[:LONGEST_VALUE], show=True) + ("…" if len(value) > LONGEST_VALUE else "")


def _switches() -> dict[tuple[str, str], str]:
    """A setting and its value → a phrase."""
    return {
        ("add_prefix_space", "true"): _("puts a space before the text"),
        ("behavior", "removed"): _("removes matches"),
        ("behavior", "merged_with_previous"): _("joins matches to the text before them"),
        ("behavior", "merged_with_next"): _("joins matches to the text after them"),
        ("behavior", "contiguous"): _("keeps neighbouring matches together"),
        ("invert", "true"): _("the pattern matches the pieces, not what separates them"),
        ("prepend", "false"): _("puts no mark before the text"),
        ("only_first", "true"): _("puts a mark only before the first word"),
        ("splits", "false"): _("does not split at spaces"),
        ("clean_text", "false"): _("keeps control characters"),
        ("handle_chinese_chars", "false"): _("does not isolate Chinese characters"),
        ("strip_accents", "true"): _("strips accents"),
        ("strip_accents", "false"): _("keeps accents"),
        ("lowercase", "false"): _("keeps case"),
        ("left", "false"): _("not at the beginning"),
        ("right", "false"): _("not at the end"),
        ("individual", "true"): _("every digit by itself"),
        ("cleanup", "false"): _("keeps spaces before punctuation"),
        ("regular", "true"): _("(a regular expression)"),
        ("add_dummy_prefix", "false"): _("puts no space before the text"),
        ("remove_extra_whitespaces", "false"): _("keeps repeated spaces"),
        ("escape_whitespaces", "false"): _("leaves spaces as they are"),
        ("whitespace_as_suffix", "true"): _("marks the space at the end of a word"),
        ("strip", "nothing"): _("keeps the space before the text"),
        ("strip", "all"): _("removes all spaces before the text"),
        ("byte_level", "true"): _("on bytes"),
        ("byte_fallback", "true"): _("spells unknown characters as bytes"),
        ("ignore_merges", "true"): _("uses a whole word if it is a piece"),
        ("fuse_unknown", "true"): _("merges neighbouring unknown tokens"),
    }


def _values() -> dict[tuple[str, str], str]:
    """A step, or none, and its setting → a phrase around the value."""
    return {
        ("Replace", "pattern"): _("replaces %(value)s"),
        ("Replace", "content"): _("by %(value)s"),
        ("Prepend", "prepend"): _("puts %(value)s before the text"),
        ("Strip", "content"): _("strips %(value)s"),
        ("Strip", "start"): _("up to %(value)s at the beginning"),
        ("Strip", "stop"): _("up to %(value)s at the end"),
        ("", "pattern"): _("by the pattern %(value)s"),
        ("", "separator"): _("with %(value)s in between"),
        ("", "replacement"): _("writes a space as %(value)s"),
        ("", "suffix"): _("%(value)s ends a word"),
        ("", "end_of_word_suffix"): _("%(value)s ends a word"),
        ("", "prefix"): _("%(value)s begins a piece inside a word"),
        ("", "continuing_subword_prefix"): _("%(value)s begins a piece inside a word"),
        ("", "max_word_length"): _("words of up to %(value)s characters"),
        ("", "delimiter"): _("at every %(value)s"),
        ("", "length"): _("%(value)s characters each"),
        ("", "pad"): _("drops %(value)s"),
        ("", "word_delimiter"): _("writes %(value)s as a space"),
        ("", "unknown"): _("the unknown token is %(value)s"),
        ("", "unknown_surface"): _("writes an unknown token as %(value)s"),
    }
