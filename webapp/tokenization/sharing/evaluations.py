"""Stores evaluations that no address can hold, and restores them: the report alone, without the texts.

A report lists at most 5,000 errors of each method, so a stored one has at most a few megabytes.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from webapp.core import __version__
from webapp.core.evaluation.report import ScoreReport
from webapp.storage import ShareReceipt, Snapshot, StoredSnapshot, storage
from webapp.tokenization.sharing.snapshots import kind_of


def share_evaluation(report: ScoreReport, expires: datetime | None) -> ShareReceipt:
    """Store a report until `expires`; raises like `SnapshotStore.share`."""
    state = {"kind": "evaluation", "report": report.as_json()}
    return storage().snapshots.share(Snapshot("", state, (), (), (), {}, core_version=__version__), expires=expires)


def find_evaluation(id: str) -> tuple[StoredSnapshot | None, ScoreReport | None]:
    """A stored evaluation with its report; None for the report if it is gone, and for both if there never was one."""
    head = storage().snapshots.head(id)
    if head is None or head.condition != "kept":
        return head, None
    return head, _restored(id, head.created)


@lru_cache(maxsize=4)
def _restored(id: str, _created: datetime) -> ScoreReport | None:
    """The report of a stored evaluation: its pages are read one after another, and the content never changes."""
    stored = storage().snapshots.get(id)
    if stored is None or stored.condition != "kept" or kind_of(stored.snapshot) != "evaluation":
        return None
    return ScoreReport.from_json(stored.snapshot.state["report"])
