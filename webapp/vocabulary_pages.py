"""`/vocabularies`: what ships, and how it was learned."""

from __future__ import annotations

from flask import Blueprint, render_template

from webapp.vocabularies import record

blueprint = Blueprint("vocabularies", __name__)


@blueprint.get("/vocabularies")
def index() -> str:
    """The vocabularies that ship and the record of their training."""
    return render_template("vocabularies/index.html", record=record())
