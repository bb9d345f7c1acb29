"""Judges tables of numbers and short texts, and the score files of a segmentation laboratory."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import e, isclose
from typing import Any

from webapp.core.evaluation.score import score_lines
from webapp.core.homework.computed import TABLES, Cell, Find, Table, hmm_link
from webapp.core.homework.readers import decimals_of, read_cells, read_number
from webapp.core.homework.segmentations import LONGEST_CORPUS, Segmenting, bigram_link, leaks, segmented_lines
from webapp.core.homework.training import Training, unigram_link
from webapp.core.homework.verdicts import AnswerError, Link, Note, Row, Side, Verdict
from webapp.core.vocabulary_error import Phrase

Values = Mapping[str, Any]
Texts = Mapping[str, str]
RULES = ("as-published", "start-counts", "start-does-not-count")
"""Other tables that are right by a rule; those of other names are mistakes."""
LOOSEST = 0.02
"""A rounded number may differ by this share of the right one: 0.67 for 2/3, not 0.7."""
CUT = 0.001
"""The same for a number whose further digits are cut off: 0.071428 for 1/14, not 0.66 for 2/3."""
AROUND = 12


def judge(values: Values, _texts: Texts, text: str, find: Find) -> Verdict:
    """The verdict on a table."""
    right, others = TABLES[values["table"]](values, find)
    mine = read_cells(text, list(right))
    verdict = judged(mine, right)
    if verdict.place is None:
        return verdict
    place, verdict = verdict.place - 1, replace(verdict, link=_link(values, verdict.label))
    for name, other in others.items():
        fits = all(_agrees(cell, value) for cell, value in zip(mine, other.values(), strict=True))
        if fits and other != right:
            return (
                replace(verdict, outcome="other-rule", rule=name, why="")
                if name in RULES
                else replace(verdict, why=name)
            )
    label, cell = list(right)[place], mine[place]
    name = next((name for name, other in others.items() if cell and _agrees(cell, other[label])), "")
    return replace(verdict, why=name) if name else verdict


def _link(values: Values, label: str) -> Link | None:
    """What shows the figures of a table: a step of a training, or the evaluation; None for other tables."""
    table = values["table"]
    if table == "viterbi":
        return hmm_link(values, int(label[1 : label.index("(")]))
    if table in ("pair-counts", "pair-scores"):
        symbols = "characters" if table == "pair-counts" else "wordpiece"
        return Training(1, symbols=symbols, words=values["words"]).link(1, ())
    if table == "ratio":
        training = Training.of(values, {})
        given = replace(training, words=Counter(values["text"].split()), before=tuple(training.every), merges=0)
        return given.link_to("")
    if "unigram" in values:
        return unigram_link(values["words"], label.replace(" ", "") if table == "probabilities" else "")
    if table in ("figures", "unknown-words"):
        words = {"gold": values["gold"], "output": values.get("output", values["gold"])}
        return Link("evaluate", {**words, "training": "\n".join(values.get("training", "").split())})
    if table != "bigrams":
        return None
    return bigram_link(values["sentences"], values.get("sentence", ""), smoothing=values["smoothing"])


def judged(mine: Sequence[str], right: Table, notes: Sequence[Note] = ()) -> Verdict:
    """The verdict on cells by comparison alone."""
    agree = [_agrees(cell, value) for cell, value in zip(mine, right.values(), strict=True)]
    if all(agree):
        return Verdict("right", "cell", len(right), len(right), notes=notes)
    at = agree.index(False)
    label, value = list(right.items())[at]
    begin = max(at - AROUND // 2, 0)
    rows = [
        Row(place + 1, mine[place], shown_cell(cell), agree[place], name)
        for place, (name, cell) in list(enumerate(right.items()))[begin : begin + AROUND]
    ]
    return Verdict(
        "wrong",
        "cell",
        sum(agree),
        len(right),
        place=at + 1,
        label=label,
        why=_reason(mine[at], value),
        yours=Side(mine[at], read_number(mine[at])),
        right=Side(shown_cell(value), value if isinstance(value, int | float) else None),
        rows=rows,
        notes=notes,
    )


def shown_cell(value: Cell) -> str:
    """A right cell as a text: whole numbers as they are, others with six significant digits.

    >>> shown_cell(20), shown_cell(2 / 3), shown_cell(["U+0000", "NUL"])
    ('20', '0.666667', 'U+0000')
    """
    if not isinstance(value, int | float):
        return value[0]
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def _agrees(cell: str, value: Cell) -> bool:
    """Whether a cell is the right one: a text by its letters, a number as far as it is written.

    >>> [_agrees(cell, 2 / 3) for cell in ("0.67", "0.66", "0.7", "2/3", "66.7 %")], _agrees("20.0", 20)
    ([True, False, False, True, True], True)
    >>> _agrees("NULL", ["U+0000", "null"])
    True
    """
    if not isinstance(value, int | float):
        return _plain(cell) in set(map(_plain, value))
    number = read_number(cell)
    if number is None:
        return False
    if float(value).is_integer() or (decimals := decimals_of(cell)) is None:
        return isclose(number, value, rel_tol=1e-9)
    off, unit = abs(number - value), 10.0**-decimals
    rounded = off <= 0.5 * unit * (1 + 1e-6) and off <= LOOSEST * abs(value)
    return rounded or (off < unit and off <= CUT * abs(value))


def _plain(text: str) -> str:
    return re.sub(r"[\s“”‘’`.。\"']", "", text).casefold()


def _reason(cell: str, value: Cell) -> str:
    """Why a cell is wrong: the code of a sentence."""
    if not cell:
        return "empty"
    if not isinstance(value, int | float):
        return ""
    number = read_number(cell)
    if number is None:
        return "not-a-number"
    decimals = None if float(value).is_integer() else decimals_of(cell)
    if decimals is not None and abs(number - value) <= min(2 * 10.0**-decimals, 5 * LOOSEST * abs(value)):
        return "rounded"
    if isclose(number, 100 * value, rel_tol=LOOSEST):
        return "percent"
    if -700 < number < 0 < value and any(isclose(base**number, value, rel_tol=LOOSEST) for base in (e, 2, 10)):
        return "logarithm"
    if number and isclose(1 / number, value, rel_tol=LOOSEST) and abs(1 / number - value) < abs(number - value):
        return "inverted"
    return ""


def written(values: Values, _texts: Texts, find: Find) -> str:
    """The right table, a cell a line."""
    table, _others = TABLES[values["table"]](values, find)
    return "".join(f"{label} = {shown_cell(value)}\n" for label, value in table.items())


# --- score files


_NAME = r"(?:precision|recall|\bf[-_ ]?(?:measure|score|value)|精确率|准确率|召回率|F1?值|\b[PRF]1?\b)"
_VALUE = r"\d+(?:\.\d+)?(?:[eE]-?\d+)?\s*[%％]?"
_FIGURES = re.compile(  # up to four names, and their values after them
    rf"(?P<names>{_NAME}(?:[^\d\n%]{{0,6}}?{_NAME}){{0,3}})[^\d\n%]{{0,12}}?"
    rf"(?P<values>{_VALUE}(?:[ \t,，、/]{{1,3}}{_VALUE}){{0,3}})",
    re.IGNORECASE,
)
_PART = re.compile(r"FMM|BMM|正向|前向|反向|逆向|后向|forward|backward", re.IGNORECASE)
_METHODS = {"fmm": "FMM", "正向": "FMM", "前向": "FMM", "forward": "FMM"}


def read_scores(text: str) -> dict[str, float]:
    """The figures of a score file, by method and name.

    >>> read_scores("FMM:\\n Precision:0.95\\tRecall:0.96\\nBMM:\\n Precision:0.94\\tRecall: 75%")
    {'FMM P': 0.95, 'FMM R': 0.96, 'BMM P': 0.94, 'BMM R': 0.75}
    >>> read_scores("准确率、召回率、f值为：(0.96, 0.97, 0.965)")
    {'FMM P': 0.96, 'FMM R': 0.97, 'FMM F': 0.965}

    Raises AnswerError if there are none.
    """
    found: dict[str, float] = {}
    parts = [(each.start(), _METHODS.get(each[0].lower(), "BMM")) for each in _PART.finditer(text)]
    for each in _FIGURES.finditer(text):
        method = next((name for start, name in reversed(parts) if start <= each.start()), "FMM")
        names, values = re.findall(_NAME, each["names"], re.IGNORECASE), re.findall(_VALUE, each["values"])
        for name, value in zip(names, map(read_number, values), strict=False):
            letter = {"P": "P", "精": "P", "准": "P", "R": "R", "召": "R"}.get(name[0].upper(), "F")
            if value is not None:
                found.setdefault(f"{method} {letter}", value / 100 if value > 1 else value)
    if not found:
        raise AnswerError(
            Phrase("There are no figures in it. Write “Precision: 0.95” and “Recall: 0.96” for each method.")
        )
    return found


Lines = Sequence[Sequence[str]]


def _outputs(values: Values, texts: Texts) -> tuple[Lines, dict[str, Lines], bool]:
    """The gold text, the output of both methods, and whether the dictionary was made from the gold text."""
    gold = segmented_lines(texts.get("gold") or values["gold"])
    outputs: dict[str, Lines] = {}
    leak = False
    for name, method in (("FMM", "forward"), ("BMM", "backward")):
        if name.lower() in texts:
            outputs[name] = segmented_lines(texts[name.lower()])
        else:
            segmenting = Segmenting.of({**values, "method": method}, texts)
            outputs[name], leak = segmenting.right, leaks(gold, segmenting.dictionary)
    return gold, outputs, leak


def judge_score(values: Values, texts: Texts, text: str, _find: Find) -> Verdict:
    """The verdict on a score file: the points that its differences from the official figures would cost.

    The laboratory takes off |P - P'| · 100 + |R - R'| · 100 points for each method.
    """
    gold, outputs, leak = _outputs(values, texts)
    mine = read_scores(text)
    scores = {name: score_lines(gold, output, None) for name, output in outputs.items()}
    right = {
        f"{name} {letter}": getattr(score, figure) or 0.0
        for name, score in scores.items()
        for letter, figure in (("P", "precision"), ("R", "recall"))
    }
    lost = sum(abs(mine[label] - value) * 100 for label, value in right.items() if label in mine)
    notes = [Note("points-lost", {"points": round(lost, 2)})] + ([Note("leakage")] if leak else [])
    cells = [f"{mine[label]:.15g}" if label in mine else "" for label in right]
    verdict = judged(cells, dict(right), notes)
    if verdict.place:
        lines = {"gold": gold, "output": outputs[verdict.label[:3]]}
        shown = {name: "\n".join(map(" ".join, each)) for name, each in lines.items()}
        is_short = sum(map(len, shown.values())) <= LONGEST_CORPUS
        verdict = replace(verdict, link=Link("evaluate", shown) if is_short else None)
    swapped = {label: right[label[:-1] + ("R" if label.endswith("P") else "P")] for label in right}
    is_swapped = all(_agrees(cell, value) for cell, value in zip(cells, swapped.values(), strict=True))
    return replace(verdict, why="swapped") if verdict.outcome == "wrong" and is_swapped else verdict


def written_score(values: Values, texts: Texts, _find: Find) -> str:
    """The right score file."""
    lines = []
    gold, outputs, _leak = _outputs(values, texts)
    for name, output in outputs.items():
        score = score_lines(gold, output, None)
        lines.append(f"{name}\nPrecision: {score.precision:.6f}\nRecall: {score.recall:.6f}\nF: {score.f1:.6f}\n")
    return "".join(lines)


def judge_times(_values: Values, _texts: Texts, text: str, _find: Find) -> Verdict:
    """The verdict on two times, before and after an optimization; nobody can measure them afterwards."""
    numbers = [float(each) for each in re.findall(r"(?<![\w.])\d{1,9}(?:\.\d{1,9})?", text, re.ASCII)]
    if len(numbers) < 2:
        raise AnswerError(Phrase("Write two times in the same unit: before and after the optimization."))
    before, after = numbers[:2]
    notes = [Note("times-unverified"), Note("speed-up", {"factor": round(before / after, 1) if after else 0})]
    if after < before:
        return Verdict("right", "cell", 2, 2, notes=notes)
    yours, right = Side(str(after), after), Side(f"< {before}", before)
    return Verdict("wrong", "cell", 1, 2, place=2, why="slower", yours=yours, right=right, notes=notes[:1])
