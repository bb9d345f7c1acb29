"""Long evaluations: a run has its texts on disk, and each request of its page scores some more lines of them.

A request takes seconds, so that a run of any length ends, whatever else the machine does; nothing runs for a page that
is closed, and it goes on when its address is opened again. A run is deleted like the corpora of trainings, a day after
the last change.
"""

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from flask import request
from flask_babel import gettext as _

from webapp.core.evaluation.gold import GoldText, LineProblem
from webapp.core.evaluation.report import ScoreReport
from webapp.core.vocabulary_error import Phrase
from webapp.jobs import jobs
from webapp.jobs.corpora import NoRoomError
from webapp.processes import locked
from webapp.storage import ShareReceipt, UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tools.evaluate.inputs import EvaluationInput, UploadedOutput
from webapp.tools.evaluate.scoring import score_all
from webapp.vocabularies.disk_cache import write_whole
from webapp.web.client_addresses import rate_limit_key

SLICE_SECONDS = 8.0
"""For which a request reads and scores; reading 5 MB again takes one of them."""
_WORK = "evaluation"
_GIVEN, _REPORT, _RECEIPT = "given.json", "report.json", "receipt.json"


@dataclass(frozen=True)
class Run:
    """An evaluation as far as it is. `keep` says how long a link to the result was asked for."""

    id: str
    chosen: tuple[str, ...]
    keep: str
    report: ScoreReport
    receipt: ShareReceipt | None = None
    gold: GoldText | None = None  # only what was wrong with its lines

    @property
    def finished(self) -> bool:
        """Whether every method is scored, or has a problem that stays."""
        return all(method.lines is None for method in self.report.methods)

    @property
    def percent(self) -> int:
        """The share of the lines that are scored, over all methods."""
        lines = self.report.line_count
        done = sum(lines if method.lines is None else method.lines for method in self.report.methods)
        return 100 * done // max(lines * len(self.report.methods), 1)


def begin(given: EvaluationInput, keep: str) -> str:
    """Store a run, and return its id; raises InputProblem for texts that do not fit, and if there is no room."""
    report, gold = score_all(given, seconds=0)
    fields: dict[str, Any] = {name: getattr(given, name) for name in ("gold", "output", "training", "runs")}
    fields |= {"chosen": list(map(str, given.choices)), "files": [asdict(file) for file in given.files], "keep": keep}
    wrong = [(each.number, each.message.sentence, each.message.values) for each in gold.problems]
    fields |= {"problems": wrong, "problem_count": gold.problem_count}
    try:
        # Runs push out earlier runs of the visitor, and not the corpora of trainings.
        id = jobs().new_corpus(f"{_WORK} {rate_limit_key(request.remote_addr or '')}")
        folder = jobs().corpora.scratch(id, _WORK)
        _write(folder / _GIVEN, fields)
        _write(folder / _REPORT, report.as_json())
    except UnavailableStorageError as error:
        message = _("The site’s storage cannot be reached at the moment. Try again in a minute.")
        raise InputProblem(message, 503, "gold") from error
    except (NoRoomError, KeyError, OSError) as error:
        message = _("This site has no room for an evaluation of this size now. Try again in an hour, or score less.")
        raise InputProblem(message, 507, "gold") from error
    jobs().corpora.keep(id)
    return id


def find(id: str) -> Run | None:
    """The run with this id; None if there is none, or no more."""
    try:
        folder = _folder(id)
        given, report = _read(folder / _GIVEN), _read(folder / _REPORT)
    except (OSError, ValueError, KeyError):
        return None
    receipt = None
    with suppress(OSError):
        receipt = ShareReceipt(**_read(folder / _RECEIPT))
    problems = given.get("problems", ())
    wrong = [LineProblem(number, Phrase(sentence, **values)) for number, sentence, values in problems]
    gold = GoldText("words", problems=wrong, problem_count=given.get("problem_count", 0))
    return Run(id, tuple(given["chosen"]), given["keep"], ScoreReport.from_json(report), receipt, gold)


def advance(run: Run, seconds: float | None = None) -> Run:
    """Score for `seconds`, by default `SLICE_SECONDS`, and return the run as far as it is then.

    While another request scores it, as from a second tab, this one only says how far it is.
    """
    folder = _folder(run.id)
    with ExitStack() as held, suppress(OSError):  # it was deleted meanwhile
        if (lock := locked(folder)) is None:
            return find(run.id) or run
        held.callback(os.close, lock)
        run = find(run.id) or run
        if run.finished:
            return run
        given = _read(folder / _GIVEN)
        given["files"] = tuple(UploadedOutput(**file) for file in given["files"])
        evaluation = EvaluationInput.model_construct(**{**given, "chosen": run.chosen})
        report, _gold = score_all(evaluation, run.report.methods, SLICE_SECONDS if seconds is None else seconds)
        run = replace(run, report=report)
        _write(folder / _REPORT, report.as_json())
        jobs().corpora.keep(run.id)
    return run


def stored(run: Run, receipt: ShareReceipt) -> None:
    """Note where the result is stored, so that its page has the link again when it is loaded again."""
    with suppress(OSError):
        _write(_folder(run.id) / _RECEIPT, asdict(receipt))


def delete(run: Run) -> None:
    """Delete a run; a request that scores it stores nothing more."""
    jobs().corpora.delete(run.id)


def _folder(id: str) -> Path:
    """The folder of a run; raises KeyError for what is no id."""
    return jobs().corpora.work(id) / _WORK


def _read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def _write(path: Path, document: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(document).encode())
