"""The training of BPE or WordPiece that an exercise asks for, and what the walkthrough needs to show its rounds."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from webapp.core import recipes
from webapp.core.homework.files import as_bytes
from webapp.core.homework.readers import Raw
from webapp.core.homework.rounds import BPERounds, Pair, Piece, Rounds, WordPieceRounds, file_spelling, train
from webapp.core.homework.verdicts import Link, Note
from webapp.core.recipes import Recipe
from webapp.core.reference import wordpiece
from webapp.core.reference.bpe import utf8
from webapp.core.text.split_patterns import CL100K_BASE, GPT2, SplitPattern
from webapp.core.trainers.ties import FIRST_SEEN, TieRule

LONGEST_LINK = 2_000  # characters of a corpus that a walkthrough shows
MOST_LINKED = 24  # words of a longer corpus
LONGEST_LINKED = 60  # characters of such a word
PATTERNS = {"gpt2": GPT2, "gpt4": CL100K_BASE}
WALKTHROUGHS: Mapping[str, tuple[Recipe, Mapping[str, str | int]]] = {
    "bytes": (recipes.BYTE_BPE, {"algorithm": "bpe", "symbols": "bytes"}),
    "characters": (recipes.UNMARKED_BPE, {"algorithm": "bpe", "mark": "none"}),
    "suffix": (recipes.CHARACTER_BPE, {"algorithm": "bpe", "mark": "apart"}),
    "wordpiece": (recipes.WORDPIECE, {"algorithm": "wordpiece", "minimum": 1}),
}
"""What shows a training by its symbols: how it splits a corpus, and the fields of its address."""
TIED = (recipes.BYTE_BPE, recipes.UNMARKED_BPE, recipes.WORDPIECE)
"""Those that have any rule for ties, and merges done before; an end-of-word mark is not ordered as a suffix is."""


@dataclass(frozen=True)
class Training:
    """What to train on, and how: the parameters of an exercise.

    `split`: `spaces` for words between white space, a name of `PATTERNS`, or `none` for the whole text. `symbols`:
    `bytes`, `characters` or `wordpiece`; a `suffix` is a symbol of its own after each word. `words` has words with
    their counts in place of a corpus. `before` are merges that the exercise gives; those asked for come after them.
    `published` are merges that a course prints although its own formula gives others.
    """

    merges: int
    ties: TieRule = FIRST_SEEN
    symbols: str = "bytes"
    split: str = "spaces"
    suffix: str = ""
    specials: tuple[str, ...] = ()
    before: tuple[Pair, ...] = ()
    published: tuple[Pair, ...] = ()
    words: Mapping[str, int] | None = None
    corpus: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any], given: Mapping[str, str]) -> "Training":
        """The training of an exercise; the corpus may be a file that the student gives."""
        known = {name: value for name, value in values.items() if name in cls.__dataclass_fields__}
        known["specials"] = tuple(known.get("specials", ()))
        piece = _as_bytes if known.get("symbols", "bytes") == "bytes" else str
        for name in {"before", "published"} & known.keys():
            known[name] = tuple((piece(left), piece(right)) for left, right in known[name])
        return cls(**{**known, **({"corpus": given["corpus"]} if "corpus" in given else {})})

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How often each word occurs, in order of first occurrence; special tokens separate texts and are no words."""
        if self.words is not None:
            return self.words
        texts = re.split("|".join(map(re.escape, self.specials)), self.corpus) if self.specials else [self.corpus]
        return Counter(word for text in texts for word in self._split(text))

    def _split(self, text: str) -> Iterable[str]:
        if self.split == "spaces":
            return text.split()
        return SplitPattern(PATTERNS[self.split]).findall(text) if self.split in PATTERNS else [text]

    def spell(self, word: str) -> tuple[Piece, ...]:
        """The first symbols of a word."""
        if self.symbols == "wordpiece":
            return wordpiece.split(word)
        symbols: tuple[Piece, ...] = utf8(word) if self.symbols == "bytes" else tuple(word)
        return (*symbols, self.suffix) if self.suffix else symbols

    def rounds(self, merges: Sequence[Pair] = ()) -> Rounds:
        """The training before the first round that is asked for, or after further merges."""
        words = ((self.spell(word), count) for word, count in self.counts.items())
        rounds: Rounds = WordPieceRounds(words) if self.symbols == "wordpiece" else BPERounds(words)
        for pair in (*self.before, *merges):
            rounds.merge(pair)
        return rounds

    def joined(self, pair: Pair) -> Piece:
        """The piece that a merge makes."""
        return wordpiece.join(*pair) if self.symbols == "wordpiece" else pair[0] + pair[1]

    @cached_property
    def right(self) -> list[Pair]:
        """The merges that are asked for."""
        return train(self.rounds(), self.merges, self.ties)

    @property
    def every(self) -> list[Pair]:
        """The merges that are given and those that are asked for."""
        return [*self.before, *self.right]

    @property
    def alphabet(self) -> list[Piece]:
        """The pieces before the first merge: all bytes, or the symbols of the words."""
        if self.symbols == "bytes":
            return [bytes([byte]) for byte in range(256)]
        return sorted({symbol for word in self.counts for symbol in self.spell(word)})

    def read(self, pairs: Sequence[tuple[Raw, Raw]], notes: list[Note]) -> list[Pair]:
        """A student's merges as pairs of pieces."""
        if self.symbols == "bytes":
            return list(as_bytes(pairs, notes))
        ends = ("</w>", "_", "▁") if self.suffix else ()

        def piece(raw: Raw) -> str:
            text = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
            end = next((end for end in ends if text.endswith(end)), "")
            return f"{text.removesuffix(end)}{self.suffix if end else ''}".replace("␣", " ")

        return [(piece(left), piece(right)) for left, right in pairs]

    def link(self, number: int, pairs: Sequence[Pair], rounds: Rounds | None = None, text: str = "") -> Link | None:
        """What the walkthrough of the training needs to show a round, and the tokens of a word; None if it cannot.

        It shows the whole corpus, or its words with their counts, if it reads the same words from it and trains the
        same merges; else the words that hold some pairs before that round. Its end-of-word mark stands for any suffix.
        """
        recipe, kind = WALKTHROUGHS["suffix" if self.suffix else self.symbols]
        ties = self.ties if recipe in TIED else FIRST_SEEN
        is_word = text in self.counts or recipe.count(text) == {text: 1}
        values = {**kind, "ties": ties, **({"text": text} if is_word else {})}
        shown = replace(self, before=(), merges=len(self.every), ties=ties)
        if shown == self or shown.right == self.every:
            values |= {"size": len(self.every), "step": number}
            if 0 < len(self.corpus) <= LONGEST_LINK and [*recipe.count(self.corpus).items()] == [*self.counts.items()]:
                return Link("training", values | {"corpus": self.corpus, "as_text": 1}, not pairs)
            listed = "\n".join(f"{word} {count}" for word, count in self.counts.items())
            alike = (word.isalpha() and recipe.count(word) == {word: 1} for word in self.counts)
            if len(listed) <= LONGEST_LINK and all(alike):
                return Link("training", values | {"corpus": listed}, not pairs)
        before = self.every[: number - 1]
        rounds = rounds or replace(self, before=()).rounds(before)
        part = self._part(rounds, pairs) if recipe in TIED else ""
        merges = "\n".join(" ".join(map(file_spelling, map(_as_bytes, pair))) for pair in before)
        values |= {"size": int(bool(pairs)), "step": int(bool(pairs))}
        return Link("training", values | {"corpus": part, "before": merges}, not pairs) if part else None

    def link_to(self, piece: Piece, text: str = "") -> Link | None:
        """What shows the round that makes a piece, with the tokens of a word; the last step if no merge makes it."""
        number = [*map(self.joined, self.every), piece].index(piece) + 1
        return self.link(number, self.every[number - 1 : number], text=text)

    def _part(self, rounds: Rounds, pairs: Sequence[Pair]) -> str:
        """The most frequent words that hold a pair, and the pairs alone for the rest; empty if they are too long.

        So each pair is counted as on the whole corpus, and no other pair more often. The first word that holds a pair
        is among them, which decides by the rule `first-seen`. Where a pair is part of a character, it cannot be alone,
        and where the first word is long, the others cannot be without it: then all words that hold a pair are there.
        Without a pair, and for WordPiece, whose scores depend on every symbol, all words of the corpus are.
        """
        held = [rounds.holding(pair) for pair in pairs] if isinstance(rounds, BPERounds) else []
        words = list(self.counts.items())
        first = {min(each) for each in held if each}
        found = sorted(set().union(*held) or range(len(words)), key=lambda at: (at not in first, -words[at][1], at))
        for most, longest in (*[(MOST_LINKED, LONGEST_LINKED)] * bool(held), (len(found), LONGEST_LINK)):
            kept = sorted([at for at in found if len(words[at][0]) <= longest][:most])
            counts = {words[at][0]: words[at][1] for at in kept}
            alone = []
            for pair, each in zip(pairs, held, strict=False):
                if left_out := int(rounds.value(pair)) - sum(each[at] * words[at][1] for at in kept):
                    alone.append(b"".join(map(_as_bytes, pair)).decode(errors="replace"))
                    counts[alone[-1]] = counts.get(alone[-1], 0) + left_out
            listed = "\n".join(f"{word}\t{count}" for word, count in counts.items())
            spelled = self.symbols != "wordpiece" or not any(word.startswith("##") for word in counts)
            is_list = len(listed) <= LONGEST_LINK and all(len(word.splitlines()) == 1 for word in counts) and spelled
            if is_list and (not kept or first.issubset(kept)) and "\ufffd" not in "".join(alone):
                return listed
        return ""


def unigram_link(words: Mapping[str, int], text: str) -> Link:
    """What shows the parts of words with their counts and probabilities, and the most probable ones of a text."""
    listed = "\n".join(f"{word} {count}" for word, count in words.items())
    fields: dict[str, str | int] = {"corpus": listed, "every": 1, "plain": 1, "text": text, "step": 0}
    return Link("training", {"algorithm": "unigram", **fields}, whole=True)


def _as_bytes(piece: Piece) -> bytes:
    return piece if isinstance(piece, bytes) else str(piece).encode()
