"""Llama 2 with Chinese pieces: ``python -m tests.benchmarks.expansion``.

Tokens per character of the PKU news text (SIGHAN 2005) before and after 20,000 pieces are added, from several sources,
all of them on the corpora in `shared`: two novels of the 14th and 18th century, and Lu Xun's essays of the 1920s. At
most 0.75 is the goal. Pieces that are trained on novels are names and old words first, so the essays alone do better
than all three. What helps is to train without a split pattern, so that pieces may include punctuation and line ends,
to keep every character, and to limit pieces to two characters and a punctuation mark: longer ones are names and phrases
that other texts do not have. All of that are choices of /train. For comparison, the words of jieba's dictionary that
occur in the corpora, by the dictionary's frequencies. SentencePiece must load each result and give the same ids.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import sentencepiece

from tests.benchmarks.texts import SHARED, require_shared
from tests.benchmarks.timing import BELOW
from webapp.core.expansion import expand
from webapp.core.expansion.files import sentencepiece_model
from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.train import train
from webapp.vocabularies import jieba_words

GOAL = 0.75  # tokens per character
PIECES = 20_000
SHORT_PIECES = 21_016  # with bytes, <unk> and what Llama 2 has already: 20,000 that are new
FIRST_MERGES = 8_000  # of the essays, before the words of the dictionary
LONGEST_WORD = 7  # characters

LLAMA2 = SHARED / "vocabularies" / "sentencepiece" / "llama2.model"
NEWS = SHARED / "sighan" / "pku_test.utf8"
ESSAYS = SHARED / "corpora" / "zh_luxun.txt"
NOVELS = (SHARED / "corpora" / "zh_honglou.txt", SHARED / "corpora" / "zh_shuihu.txt")


def trained(paths: Sequence[Path], size: int) -> Tokenizer:
    """SentencePiece-style BPE of `size` pieces, trained on some files."""
    plan = TrainingPlan(trainer="bpe-sentencepiece", size=size + 257)  # the bytes and <unk> are no pieces of text
    files = [CorpusFile(str(path), path.name) for path in paths]
    return train(plan, count_words(files, plan, lambda _: None), lambda _: None).tokenizer


def short_pieces(paths: Sequence[Path], size: int = SHORT_PIECES) -> Tokenizer:
    """SentencePiece-style BPE with the choices of /train that suit Chinese pieces for another vocabulary."""
    plan = TrainingPlan(trainer="bpe-sentencepiece", size=size, split="none", coverage=1, longest_piece=2)
    files = [CorpusFile(str(path), path.name) for path in paths]
    return train(plan, count_words(files, plan, lambda _: None), lambda _: None).tokenizer


def words(paths: Iterable[Path]) -> list[str]:
    """The words of jieba's dictionary that occur in some files, by falling frequency in the dictionary."""
    dictionary = jieba_words()
    assert dictionary.frequencies is not None
    frequency = dict(zip(dictionary.words, dictionary.frequencies, strict=True))
    found: set[str] = set()
    for path in paths:
        for run in set(re.findall("[\u3400-\u9fff]+", path.read_text(encoding="utf-8"))):
            for length in range(1, LONGEST_WORD + 1):
                found |= {run[at : at + length] for at in range(len(run) - length + 1)}
    known = sorted(word for word in found if word in frequency or len(word) == 1)
    return sorted(known, key=lambda word: -frequency.get(word, 0))


def tokens_per_character(base: Tokenizer, addition: Tokenizer | list[str], most: int, news: str) -> tuple[float, int]:
    """The figure after `most` new pieces at most, and how many of them are in between; checks SentencePiece's ids."""
    if isinstance(addition, list):
        addition = [piece for piece in addition if base.model.id_of(piece) is None][:most]
    expansion = expand(base, addition, most=most, seconds=300)
    model = sentencepiece_model(expansion, LLAMA2.read_bytes())
    ids = expansion.tokenizer.ids(news)
    assert sentencepiece.SentencePieceProcessor(model_proto=model).encode(news) == ids
    return len(ids) / len(news), expansion.between


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    base, news = recognize(LLAMA2.read_bytes()).tokenizer, NEWS.read_text(encoding="utf-8")
    everything = (*NOVELS, ESSAYS)
    essays = trained([ESSAYS], PIECES)
    chosen = words(everything)
    first = [str(piece) for piece in essays.model.pieces[257 : 257 + FIRST_MERGES]]
    sources: list[tuple[str, Callable[[], Tokenizer | list[str]], int, float]] = [
        ("BPE trained on all three", lambda: trained(everything, PIECES), PIECES, 0.0),
        ("BPE trained on the essays", lambda: essays, PIECES, 0.0),
        ("BPE trained on the essays", lambda: trained([ESSAYS], 50_000), 50_000, 0.0),
        ("the essays, short pieces, no split pattern", lambda: short_pieces([ESSAYS]), PIECES, GOAL),
        ("words that occur in all three", lambda: chosen, PIECES, GOAL),
        ("first merges of the essays, then words", lambda: [*first, *chosen], PIECES, GOAL),
        ("jieba's most frequent words", words_of_dictionary, PIECES, 0.0),
    ]
    print(f"{'source of the pieces':<44}{'pieces':>8}{'between':>9}{'tokens/char':>13}{'seconds':>9}")
    print(f"{'Llama 2':<44}{0:>8,}{0:>9}{len(base.ids(news)) / len(news):>13.4f}")
    missed = []
    for name, addition, most, goal in sources:
        start = time.perf_counter()
        figure, between = tokens_per_character(base, addition(), most, news)
        print(f"{name:<44}{most:>8,}{between:>9,}{figure:>13.4f}{time.perf_counter() - start:>9.1f}", flush=True)
        if goal and figure > goal:
            missed.append(f"{name}: {figure:.4f} tokens per character, not {goal}")
    if missed:
        print(BELOW + "; ".join(missed))
    return 1 if missed else 0


def words_of_dictionary() -> list[str]:
    """The Chinese words of jieba's dictionary, by falling frequency."""
    dictionary = jieba_words()
    assert dictionary.frequencies is not None
    pairs = zip(dictionary.frequencies, dictionary.words, strict=True)
    return [
        word for _, word in sorted(((-count, word) for count, word in pairs if re.fullmatch("[\u3400-\u9fff]+", word)))
    ]


if __name__ == "__main__":
    raise SystemExit(main())
