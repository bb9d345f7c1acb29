"""How fast we encode with SentencePiece's models, beside `sentencepiece`: ``python -m tests.benchmarks.sentencepiece``.

Both read the same file, and the ids are compared before anything is timed. Cold is a fresh tokenizer with empty caches,
warm the second text and all after it; normalization is part of both. Ratios are of CPU time, both on one thread; above
1 we are faster.
"""

import sentencepiece

from tests.benchmarks.texts import VOCABULARIES, require_shared, text
from tests.benchmarks.timing import Contender, Goal, Row, end, medians, show, show_header
from webapp.core.formats import sentencepiece as format

GOALS = {("llama2", "English"): Goal(warm=4), ("nai-t5", "English"): Goal(warm=1)}


def measured(model: str, name: str) -> Row:
    """Both on one text, the ids asserted equal."""
    file = (VOCABULARIES / "sentencepiece" / f"{model}.model").read_bytes()
    content = text(name)
    rival = sentencepiece.SentencePieceProcessor(model_proto=file)
    warm = format.read(file)
    expected = rival.encode(content)
    assert warm.ids(content) == warm.ids(content) == expected, f"{model}, {name}: the ids differ"
    assert warm.decode(expected) == rival.decode(expected), f"{model}, {name}: the decoded text differs"
    times = medians(
        [
            Contender("sentencepiece", lambda _: rival.encode(content)),
            Contender("cold", lambda fresh: fresh.ids(content), lambda: format.read(file)),
            Contender("warm", lambda _: warm.ids(content)),
        ],
        runs=3 if name == "code" else 9,
    )
    return Row(model, name, *times, GOALS.get((model, name), Goal()))


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    show_header("rival s")
    rows = []
    for model in ("llama2", "nai-t5", "test_ja_model"):
        for name in ("English", "Japanese", "code"):
            rows.append(measured(model, name))
            show(rows[-1])
    return end(rows)


if __name__ == "__main__":
    raise SystemExit(main())
