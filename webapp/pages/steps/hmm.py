"""`/steps/hmm` with tables of one's own: the Viterbi algorithm with the probabilities that a textbook gives."""

from dataclasses import asdict, dataclass, replace
from functools import partial
from math import log10
from urllib.parse import urlencode

from flask import request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.traces.viterbi import LONGEST, HMMTables, Table, read_table, separated, viterbi_trace
from webapp.pages.steps.maximum_probability import draw_table
from webapp.pages.walkthrough import engine
from webapp.pages.walkthrough.cells import power, quotable
from webapp.tokenization.forms import InputProblem
from webapp.web.htmx import wants_partial
from webapp.web.localization import number
from webapp.web.problems import problem
from webapp.web.templates import Page, render

TEMPLATE = "steps/_hmm.html"
MOST = 40  # observations
MOST_STATES = 12


@dataclass(frozen=True)
class HMMRequest:
    """The observations, and the tables as `read_table` reads them: by default those of Jurafsky and Martin."""

    observed: str = "3 1 3"
    start: str = "H 0.8\nC 0.2"
    transition: str = "H H 0.6\nH C 0.4\nC H 0.5\nC C 0.5"
    emission: str = "H 1 0.2\nH 2 0.4\nH 3 0.4\nC 1 0.5\nC 2 0.4\nC 3 0.1"

    def address(self, step: int = 0, **more: str | None) -> str:
        """The address of a step; what is None is left out."""
        fields = {name: value for name, value in {**asdict(self), "step": step, **more}.items() if value is not None}
        endpoint = "steps.embed" if request.endpoint == "steps.embed" else "steps.page"
        return f"{url_for(endpoint, algorithm='hmm')}?{urlencode(fields)}"

    def tables(self) -> HMMTables:
        """The tables; raises InputProblem for what cannot be read."""
        parts = separated(self.observed)
        observed = tuple(parts if len(parts) > 1 else parts[0])
        if not 0 < len(observed) <= MOST or max(map(len, observed)) > LONGEST:
            raise InputProblem(_("Write one to %(most)s short observations.", most=number(MOST)), field="observed")
        start = self._read("start", 1, _("a state and its probability at the start"))
        if len(start) > MOST_STATES:
            raise InputProblem(_("Give at most %(most)s states.", most=number(MOST_STATES)), 422, "start")
        transition = self._read("transition", 2, _("a state, the next one and the probability of this step"))
        emission = self._read("emission", 2, _("a state, an observation and its probability in this state"))
        for field, table in (("transition", transition), ("emission", emission)):
            names = {name for row in table for name in (row if field == "transition" else row[:1])}
            if missing := sorted(names - {state for (state,) in start}):
                message = _("“%(state)s” is not among the states of the start: give it 0 there.", state=missing[0])
                raise InputProblem(message, 422, field)
        return HMMTables(observed, start, transition, emission)

    def _read(self, field: str, names: int, expected: str) -> Table:
        try:
            return read_table(getattr(self, field), names)
        except ValueError as wrong:
            row = str(wrong)[:80]
            message = _("“%(row)s” should be %(expected)s: 0 to 1, such as 0.4 or 2/5.", row=row, expected=expected)
            raise InputProblem(message, 422, field) from None


def walkthrough(tables: HMMTables) -> engine.Walkthrough:
    """The tables as step 0, a step for each observation, and the best path."""
    trace, last = viterbi_trace(tables), len(tables.observed)
    title = _("The probabilities of the best paths for “%(text)s”", text=quotable(" ".join(tables.observed)))

    def frame(step: int) -> engine.Frame:
        kind = "path" if step > last else "column" if step else "tables"
        column = trace.columns[step - 1] if kind == "column" else ()
        record = {"kind": kind, "states": list(map(asdict, column)), "path": list(trace.states) * (kind == "path")}
        return engine.Frame(
            TEMPLATE,
            engine.say("hmm", kind, trace=trace, at=min(step, last) - 1),
            record,
            lambda: {"tables": tables, "column": column, "path": record["path"], "at": step},
            lambda: draw_table(trace, min(step, last), traced=step > last, title=title, shown=shown_probability),
        )

    return engine.Walkthrough([partial(frame, step) for step in range(last + 2)])


def shown_probability(value: float) -> str:
    """A probability with four significant digits.

    >>> shown_probability(0.1 * 0.3), shown_probability(0), shown_probability(2e-7)
    ('0.03', '0', '2.0 × 10⁻⁷')
    """
    return f"{value:.4g}" if value >= 0.0001 or not value else power(log10(value))


class HMMStep(engine.WalkthroughContext):
    """A step, for htmx."""

    wanted: HMMRequest


class HMMPage(Page):
    """The form and a step."""

    template = "steps/hmm.html"

    shown: HMMStep


def page() -> Response:
    """Show a step of the tables in the address."""
    wanted = HMMRequest(**{name: request.args.get(name, usual)[:2_000] for name, usual in asdict(HMMRequest()).items()})
    frame, problems = None, []
    try:
        steps = walkthrough(wanted.tables())
        textbook = replace(wanted, observed=HMMRequest.observed) == HMMRequest()
        note = _("H, C: a hot or a cold day. 1, 2, 3: the ice creams eaten on it (Jurafsky and Martin).") * textbook
        frame = engine.ShownStep(steps, engine.step_in_address(steps), wanted.address, note)
    except InputProblem as wrong:
        problems = [wrong]
    if frame is None and (engine.wants_json() or engine.wanted_picture()):
        return problem(422, problems[0].message)
    if frame and engine.wants_json():
        return engine.all_steps_json(frame.walkthrough, asdict(wanted))
    if frame and (kind := engine.wanted_picture()) and (figure := frame.picture):
        return engine.picture_file(figure, kind, f"hmm-step-{frame.step}")
    shown = HMMStep(frame=frame, problems=problems, wanted=wanted)
    body = render(shown if wants_partial() else HMMPage(shown=shown))
    return engine.page(body, 422 if problems else 200, link=frame.address(frame.step) if frame else "")
