"""What the templates of the share form are given, on every page that offers to share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.sharing.terms import ShareTerms
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class SharingPage(Page):
    """A page with `share/_share_form.html`; its fields are sent with the form `form_id`."""

    wanted: ShareTerms | None = None  # what was typed into it before, if anything
    form: Mapping[str, str] | None = None  # the form that was sent, likewise
