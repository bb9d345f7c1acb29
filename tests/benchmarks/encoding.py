"""How fast we encode beside the originals: ``python -m tests.benchmarks.encoding [RIVAL ...]``.

`tokenizers`, `sentencepiece` and `tiktoken` read the same file or an export of it, jieba has the same dictionary; what
both give is compared before anything is timed. Cold is a fresh tokenizer with empty caches, warm one that has seen the
text, with another ending so that it is not known as a whole. Ratios are of CPU time, both on one thread; above 1 we are
faster.
"""

import base64
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import jieba
import sentencepiece
import tiktoken
import tokenizers

from tests.benchmarks.harness import SHARED, SHIPPED, VOCABULARIES, Contender, Goal, Table, end, medians, require_shared
from tests.benchmarks.harness import text as text_named
from webapp.core.formats import huggingface
from webapp.core.formats import sentencepiece as sentencepiece_format
from webapp.core.formats import tiktoken as tiktoken_format
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.formats.sentencepiece import ModelProto
from webapp.core.models.maximum_probability import MODES, MaximumProbability
from webapp.core.tokenizer import Tokenizer

TEXTS = ("English", "Japanese", "code")
CHINESE_CHARACTERS = 1_700_000  # five megabytes of UTF-8


@dataclass(frozen=True)
class Case:
    """One vocabulary on one text, in both: `fresh` makes ours, `ours` and `theirs` give what must be equal."""

    vocabulary: str
    text: str
    content: str
    goal: Goal
    fresh: Callable[[], Any]
    ours: Callable[[Any, str], Sequence[Any]]
    theirs: Callable[[str], Sequence[Any]]

    def measure(self, table: Table) -> None:
        """Time both on the text; raises AssertionError if they differ."""
        seen = self.fresh()
        assert list(self.ours(seen, self.content)) == list(self.theirs(self.content)), f"{self.vocabulary} differs"
        numbers = count()
        contenders = [
            Contender(lambda _: self.theirs(self.content)),
            Contender(lambda made: self.ours(made, self.content), self.fresh),
            Contender(lambda varied: self.ours(seen, varied), lambda: f"{self.content} {next(numbers)}"),
        ]
        rival, cold, warm = medians(contenders, runs=7 if len(self.content) < 1_000_000 else 3)
        missed = round(rival / cold, 2) < self.goal.cold or round(rival / warm, 2) < self.goal.warm
        figures = f"{rival:.3f}", f"{cold:.3f}", f"{warm:.3f}", f"{rival / cold:.2f}x", f"{rival / warm:.2f}x"
        table.row(self.vocabulary, self.text, *figures, f"{self.goal.cold:g}/{self.goal.warm:g}", missed=missed)


def of_texts(vocabulary: str, goals: Goal | dict[str, Goal], *functions: Any) -> Iterator[Case]:
    """The cases of one vocabulary on the three texts."""
    for name in TEXTS:
        goal = goals if isinstance(goals, Goal) else goals.get(name, Goal())
        yield Case(vocabulary, name, text_named(name), goal, *functions)


def with_tokenizers() -> Iterator[Case]:
    """Published files, those that ship, and T5's pipeline made from a SentencePiece model."""
    files = {path.stem: path.read_text("utf-8") for path in sorted((VOCABULARIES / "tokenizers").glob("*.json"))}
    for name in ("bpe-bytes", "bpe-characters", "wordpiece", "unigram"):
        shipped = gzip.decompress((SHIPPED / f"{name}.json.gz").read_bytes()).decode()
        files[f"shipped {name}"] = huggingface.write(huggingface.read(shipped))
    files["nai-t5 as T5's json"] = t5_json((VOCABULARIES / "sentencepiece" / "nai-t5.model").read_bytes())
    for name, file in files.items():
        rival = tokenizers.Tokenizer.from_str(file)
        rival.encode_special_tokens = True

        def fresh(file: str = file) -> Tokenizer:
            return huggingface.read(file)

        def theirs(text: str, rival: tokenizers.Tokenizer = rival) -> Sequence[int]:
            return rival.encode(text, add_special_tokens=False).ids

        goals = {"English": Goal(warm=4), "Japanese": Goal(warm=2), "code": Goal(warm=2)}
        if name.startswith("nai-t5"):
            goals["Japanese"] = Goal(0.5, 0.8)  # all of it is unknown: one long word, of which nothing is cached
        yield from of_texts(name, goals, fresh, Tokenizer.ids, theirs)


def t5_json(content: bytes) -> str:
    """A SentencePiece model as the `tokenizer.json` that T5 has."""
    message = ModelProto()
    message.ParseFromString(content)
    character_map = base64.b64encode(message.normalizer_spec.precompiled_charsmap).decode()
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    file = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": character_map},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": next(id for id, entry in enumerate(message.pieces) if entry.type == 2),
            "vocab": [[entry.piece.decode(), entry.score] for entry in message.pieces],
        },
    }
    return json.dumps(file)


def with_sentencepiece() -> Iterator[Case]:
    """Published models; normalization is part of both."""
    for name, goal in (("llama2", Goal(warm=4)), ("nai-t5", Goal()), ("test_ja_model", Goal())):
        file = (VOCABULARIES / "sentencepiece" / f"{name}.model").read_bytes()
        rival = sentencepiece.SentencePieceProcessor(model_proto=file)

        def fresh(file: bytes = file) -> Tokenizer:
            return sentencepiece_format.read(file)

        yield from of_texts(name, {"English": goal}, fresh, Tokenizer.ids, rival.encode)


def with_tiktoken() -> Iterator[Case]:
    """The ranks of cl100k_base under its own split pattern and under that of o200k_base."""
    ranks = (VOCABULARIES / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    goals = {"English": Goal(0.5, 0.8), "Japanese": Goal(0, 1), "code": Goal(0.6, 1)}
    for encoding, goal in (("cl100k_base", goals), ("o200k_base", Goal(0, 0.5))):
        pattern = tiktoken_format.ENCODINGS[encoding].pattern

        def fresh(pattern: str = pattern) -> Tokenizer:
            tokenizer = tiktoken_format.read(ranks, pattern=pattern, special_tokens={})
            tokenizer.ids("a")  # the pattern is compiled once per process
            return tokenizer

        merges = tiktoken_format.model_ranks(fresh())
        rival = tiktoken.Encoding("rival", pat_str=pattern, mergeable_ranks=merges, special_tokens={})
        yield from of_texts(f"pattern of {encoding}", goal, fresh, Tokenizer.ids, rival.encode_ordinary)


def with_jieba() -> Iterator[Case]:
    """Maximum probability in jieba's modes."""
    jieba.setLogLevel(60)
    jieba.initialize()
    paths = sorted((SHARED / "corpora").glob("zh_*.txt"))
    chinese = "".join(path.read_text(encoding="utf-8") for path in paths)[:CHINESE_CHARACTERS]
    goals = {"full": Goal(0.7, 0.7), "search": Goal(0.8, 0.8)}
    for mode in MODES:
        for hmm in (True, False):

            def fresh(hmm: bool = hmm) -> MaximumProbability:
                return MaximumProbability(jieba_dictionary(), hmm)

            def ours(model: MaximumProbability, text: str, mode: Any = mode) -> Sequence[str]:
                return model.words(text, mode)

            def theirs(text: str, mode: str = mode, hmm: bool = hmm) -> Sequence[str]:
                return jieba.lcut_for_search(text, hmm) if mode == "search" else jieba.lcut(text, mode == "full", hmm)

            yield Case(
                f"jieba, {mode}", "HMM" if hmm else "no HMM", chinese, goals.get(mode, Goal(1, 1)), fresh, ours, theirs
            )


RIVALS = {
    "tokenizers": with_tokenizers,
    "sentencepiece": with_sentencepiece,
    "tiktoken": with_tiktoken,
    "jieba": with_jieba,
}


def main(chosen: Sequence[str]) -> int:
    """Print a table for each rival, and after them each goal that was missed."""
    require_shared()
    table = Table("{:<24}{:<10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}", [])
    for name in chosen or RIVALS:
        table.row("", "", name, "cold s", "warm s", "cold", "warm", "goal")
        for case in RIVALS[name]():
            case.measure(table)
    return end(table.missed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
