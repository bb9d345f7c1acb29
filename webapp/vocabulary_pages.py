"""`/vocabularies`: what ships with the site, and how it was learned."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, render_template, url_for
from flask_babel import gettext as _

from webapp.vocabularies import CATALOGUE, record, titles

blueprint = Blueprint("vocabularies", __name__)


@blueprint.get("/vocabularies")
def index() -> str:
    """The vocabularies that ship, their corpus, and the record of their training."""
    written = record()
    kinds = {
        "English": _("English"),
        "Chinese, modern": _("Chinese, modern"),
        "Chinese, classical": _("Chinese, classical"),
        "code": _("Code"),
    }
    return render_template(
        "vocabularies/index.html",
        record=written,
        rows=[_row(name) for name, entry in CATALOGUE.items() if f"{name}.json.gz" in written["outputs"]],
        shares=[(kinds.get(kind, kind), share) for kind, share in written["shares"].items()],
        dictionary_size=CATALOGUE["jieba"].size,
    )


@blueprint.get("/vocabularies/RECORD.json")
def written_record() -> Response:
    """The record as it was written when the vocabularies were learned."""
    return jsonify(record())


def _row(name: str) -> dict[str, Any]:
    output = record()["outputs"][f"{name}.json.gz"]
    algorithm = CATALOGUE[name].algorithms[0]
    return {
        "title": titles()[name],
        "url": url_for("playground.page", algorithm=algorithm, vocabulary=name),
        "pieces": output["pieces"],
        "seconds": output["seconds to count"] + output["seconds to train"],
        "kilobytes": round(output["bytes"] / 1024),
    }
