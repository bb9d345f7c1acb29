"""Maximum probability against jieba on 5 MB of Chinese novels: ``python -m tests.benchmarks.segmentation``.

The words are compared before anything is timed. Cold is a new model with empty caches, warm is the second time. Ratios
are of CPU time, both on one thread; above 1 we are faster.
"""

from functools import partial

import jieba

from tests.benchmarks.texts import SHARED, require_shared
from tests.benchmarks.timing import Contender, Goal, Row, end, medians, show, show_header
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.maximum_probability import MODES, MaximumProbability, Mode

GOAL = Goal(1, 1)
CHARACTERS = 1_700_000


def text() -> str:
    """Five megabytes of UTF-8."""
    paths = sorted((SHARED / "corpora").glob("zh_*.txt"))
    return "".join(path.read_text(encoding="utf-8") for path in paths)[:CHARACTERS]


def rival(content: str, mode: Mode, hmm: bool) -> list[str]:
    """jieba's words."""
    return jieba.lcut_for_search(content, HMM=hmm) if mode == "search" else jieba.lcut(content, mode == "full", hmm)


def measured(content: str, mode: Mode, hmm: bool) -> Row:
    """Measure both in one mode, after asserting equal words."""

    def fresh() -> MaximumProbability:
        return MaximumProbability(jieba_dictionary(), hmm)

    warm = fresh()
    assert warm.words(content, mode) == rival(content, mode, hmm), f"{mode}, HMM {hmm}: the words differ"
    times = medians(
        [
            Contender("jieba", lambda _: rival(content, mode, hmm)),
            Contender("cold", lambda model: model.words(content, mode), fresh),
            Contender("warm", lambda _: warm.words(content, mode)),
        ],
        runs=3,
    )
    return Row(mode, "HMM" if hmm else "no HMM", *times, GOAL)


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    jieba.setLogLevel(60)
    jieba.initialize()
    show_header("jieba s")
    content = text()
    rows = []
    for measure in (partial(measured, content, mode, hmm) for mode in MODES for hmm in (True, False)):
        rows.append(measure())
        show(rows[-1])
    return end(rows)


if __name__ == "__main__":
    raise SystemExit(main())
