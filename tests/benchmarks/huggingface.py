"""How fast we encode with every algorithm, beside `tokenizers`: ``python -m tests.benchmarks.huggingface``.

Each row is one `tokenizer.json` read by both, whose ids are compared before anything is timed: three of others, two
that ship, and T5's pipeline (a precompiled character map, `Metaspace` and Unigram) made from a SentencePiece model.
Cold is a fresh tokenizer with empty caches, warm one that has seen the text, with another ending so that it is not
known as a whole. Ratios are of CPU time, both on one thread; above 1 we are faster.
"""

import base64
import gzip
import json
import os
from collections.abc import Iterator
from itertools import count

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import tokenizers

from tests.benchmarks.texts import SHIPPED, VOCABULARIES, require_shared, text
from tests.benchmarks.timing import Contender, Goal, Row, end, medians, show, show_header
from webapp.core.formats import huggingface
from webapp.core.formats.sentencepiece_message import ModelProto

GOALS = {"English": Goal(warm=4), "Japanese": Goal(warm=2), "code": Goal(warm=2)}


def vocabularies() -> Iterator[tuple[str, str]]:
    """The name and the `tokenizer.json` of each vocabulary."""
    for path in sorted((VOCABULARIES / "tokenizers").glob("*.json")):
        yield path.stem, path.read_text(encoding="utf-8")
    for name in ("bpe-characters", "unigram"):
        with gzip.open(SHIPPED / f"{name}.json.gz", "rt", encoding="utf-8") as file:
            yield f"shipped {name}", huggingface.write(huggingface.read(file.read()))
    yield "nai-t5 as T5's json", t5_json((VOCABULARIES / "sentencepiece" / "nai-t5.model").read_bytes())


def t5_json(content: bytes) -> str:
    """A SentencePiece model as the `tokenizer.json` that T5 has."""
    message = ModelProto()
    message.ParseFromString(content)
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": {
                "type": "Precompiled",
                "precompiled_charsmap": base64.b64encode(message.normalizer_spec.precompiled_charsmap).decode(),
            },
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
            "decoder": metaspace,
            "model": {
                "type": "Unigram",
                "unk_id": next(id for id, entry in enumerate(message.pieces) if entry.type == 2),
                "vocab": [[entry.piece.decode(), entry.score] for entry in message.pieces],
            },
        }
    )


def measured(vocabulary: str, file: str, name: str) -> Row:
    """Both on one text, the ids asserted equal."""
    content = text(name)
    ours, rival = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    rival.encode_special_tokens = True
    expected = rival.encode(content, add_special_tokens=False).ids
    assert ours.ids(content) == expected, f"{vocabulary}, {name}: the ids differ"
    numbers = count()
    times = medians(
        [
            Contender("tokenizers", lambda _: rival.encode(content, add_special_tokens=False).ids),
            Contender("cold", lambda fresh: fresh.ids(content), lambda: huggingface.read(file)),
            Contender("warm", lambda varied: ours.ids(varied), lambda: f"{content} {next(numbers)}"),
        ],
        runs=3 if name == "code" else 5,
    )
    return Row(vocabulary, name, *times, GOALS[name])


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    show_header("rival s")
    rows = []
    for vocabulary, file in vocabularies():
        for name in GOALS:
            rows.append(measured(vocabulary, file, name))
            show(rows[-1])
    return end(rows)


if __name__ == "__main__":
    raise SystemExit(main())
