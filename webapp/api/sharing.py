"""Snapshots, for programs: kept as the page keeps them."""

from __future__ import annotations

import re
from datetime import datetime

from flask import Request, current_app

from webapp.api.schemas.requests import SnapshotBody
from webapp.api.tokenizer_choice import choose_tokenizer, refuse_for_now, within
from webapp.sharing.capture import UnshareableError, share_result
from webapp.sharing.terms import LONGEST_YEARS, ShareTerms, end_of
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, storage
from webapp.tokenization.messages import wrong_file
from webapp.tokenization.result import tokenize
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError
from webapp.web.problems import refuse
from webapp.web.same_origin import is_foreign

GONE = {
    "expired": "This snapshot was kept up to a day that is over.",
    "deleted": "Whoever made this snapshot has deleted it.",
    "removed": "Whoever runs this site has removed this snapshot.",
}


def share_text(request: Request, body: SnapshotBody) -> ShareReceipt:
    """Keep the result that a body asks for."""
    if is_foreign(request):
        refuse(403, "A page of another site sent this, so nothing was stored. Send it from a program.")
    within([body.text], "MAX_TEXT_BYTES", "#/text")
    wanted = ShareTerms(" ".join(body.title.split()), body.note.strip(), _expires(body))
    state, tokenizer = choose_tokenizer(body, body.text)
    result = tokenize(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"], tokenizer=tokenizer)
    try:
        return share_result(result, wanted)
    except RemovedSnapshotError:
        refuse(410, "Whoever runs this site has removed this very result; it cannot be kept.")
    except (StillFetchingError, UnavailableVocabularyError) as error:
        refuse_for_now(error)
    except UnshareableError as error:
        refuse(409, f"The result cannot be kept, since its vocabulary cannot: {wrong_file(error.why)}.")
    except StorageFullError:
        refuse(507, "There is no room for more vocabularies on this site. A result of one that ships can be kept.")


def find_snapshot(id: str) -> StoredSnapshot:
    """The snapshot of that id, if there is one."""
    found = storage().snapshots.get(id) if re.fullmatch("[0-9a-z]{1,64}", id) else None
    if found is None:
        refuse(404, "There is no snapshot of this id, and there never was one.")
    if found.condition != "kept":
        refuse(410, GONE[found.condition])
    return found


def _expires(body: SnapshotBody) -> datetime | None:
    """The end of the last day, in UTC."""
    if body.expires is None:
        return None
    expires = end_of(body.expires)
    if expires is None:
        sentence = f"It must be after today, and within {LONGEST_YEARS} years."
        refuse(409, f"The day is none to keep it up to. {sentence}", errors=[("#/expires", sentence)])
    return expires
