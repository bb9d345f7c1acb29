"""Creates and finds snapshots for the API, the same ones that the pages share."""

from __future__ import annotations

import re
from datetime import datetime

from flask import Request, current_app

from webapp.api.schemas.requests import SnapshotBody
from webapp.sharing.capture import UnshareableError, share_result
from webapp.sharing.conversations import is_conversation
from webapp.sharing.evaluations import is_evaluation
from webapp.sharing.terms import LONGEST_YEARS, ShareTerms, end_of
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, storage
from webapp.tokenization.messages import wrong_file
from webapp.tokenization.result import tokenize
from webapp.web.problems import refuse
from webapp.web.same_origin import is_foreign

GONE = {
    "expired": "This snapshot has expired.",
    "deleted": "The author of this snapshot has deleted it.",
    "removed": "The operator of this site has removed this snapshot.",
}


def share_text(request: Request, body: SnapshotBody) -> ShareReceipt:
    """Tokenize the text of `body`, store the result as a snapshot, and return its receipt.

    Refuses with 403, 409, 410, 413 or 507, or while the vocabulary is unavailable.
    """
    if is_foreign(request):
        refuse(403, "The request came from a page of another site, so nothing was stored. Send it from a program.")
    wanted = ShareTerms(" ".join(body.title.split()), body.note.strip(), _expires(body))
    state, tokenizer = body.tokenizer(body.text)
    result = tokenize(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"], tokenizer=tokenizer)
    try:
        return share_result(result, wanted)
    except RemovedSnapshotError:
        refuse(410, "The operator of this site has removed this result. It cannot be shared again.")
    except UnshareableError as error:
        refuse(409, f"The result cannot be shared, because its vocabulary cannot be stored: {wrong_file(error.why)}.")
    except StorageFullError as error:
        if error.what == "vocabularies":
            refuse(507, "The site's storage for vocabularies is full. Share a result of a built-in vocabulary instead.")
        refuse(507, "The site's storage for shared results is full. Everything else works.")


def find_snapshot(id: str) -> StoredSnapshot:
    """The snapshot with this id; answers 404 or 410 if there is none."""
    found = storage().snapshots.get(id) if re.fullmatch("[0-9a-z]{1,64}", id) else None
    if found is None:
        refuse(404, "No snapshot has ever had this id.")
    if found.condition != "kept":
        refuse(410, GONE[found.condition])
    if is_evaluation(found.snapshot):
        refuse(404, f"This is an evaluation. GET /evaluate/{id}?format=json shows it.")
    if is_conversation(found.snapshot):
        refuse(404, f"This is a conversation. GET /s/{id}.json shows it.")
    return found


def _expires(body: SnapshotBody) -> datetime | None:
    """The end of the last day in UTC; None if the snapshot does not expire."""
    if body.expires is None:
        return None
    expires = end_of(body.expires)
    if expires is None:
        sentence = f"It must be after today and within {LONGEST_YEARS} years."
        refuse(409, f"The expiry date is out of range. {sentence}", errors=[("#/expires", sentence)])
    return expires
