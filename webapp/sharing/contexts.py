"""The context of pages with the share form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webapp.sharing.terms import ShareTerms
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class SharingPage(Page):
    """A page with `share/_share_form.html`; its fields are sent with the form `form_id`."""

    wanted: ShareTerms | None = None  # the options that were entered before, if any
    form: Mapping[str, str] | None = None  # the submitted form, if any
