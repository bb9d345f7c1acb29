"""Judges lists of merges and vocabularies of BPE and WordPiece, and knows what other rules for ties would give.

One pass over the rounds finds everything: at each of the student's merges, whether its pair is a most frequent one, and
which rules would take it. So an answer is right, right by another rule, right by no single rule though every merge is a
most frequent pair, or wrong from its first other merge on.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from webapp.core import recipes
from webapp.core.homework.files import HandedIn, as_bytes, bytes_of, merges_of
from webapp.core.homework.readers import Raw
from webapp.core.homework.rounds import BPERounds, Pair, Piece, Rounds, WordPieceRounds, shown_piece, train
from webapp.core.homework.verdicts import AnswerError, Link, Note, Side, Verdict, first_difference, rows_around
from webapp.core.recipes import Recipe
from webapp.core.reference import wordpiece
from webapp.core.reference.bpe import utf8
from webapp.core.text.split_patterns import CL100K_BASE, GPT2, SplitPattern
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.trainers.ties import FIRST_SEEN, TIE_RULES, TieRule
from webapp.core.vocabulary_error import Phrase

MOST_WORDS = 6  # that hold a pair
LONGEST_LINK = 2_000  # characters of a corpus that a walkthrough shows
MOST_LINKED = 24  # words of a longer corpus
LONGEST_LINKED = 60  # characters of such a word
MISTAKEN = ("joined", "as-spelled", "higher-ids")
"""Rules by which students often take the greater pair: by the joined piece, by what files show, by ids."""
PATTERNS = {"gpt2": GPT2, "gpt4": CL100K_BASE}
WALKTHROUGHS: Mapping[str, tuple[Recipe, Mapping[str, str | int]]] = {
    "bytes": (recipes.BYTE_BPE, {"algorithm": "bpe", "symbols": "bytes"}),
    "characters": (recipes.UNMARKED_BPE, {"algorithm": "bpe", "mark": "none"}),
    "suffix": (recipes.CHARACTER_BPE, {"algorithm": "bpe", "mark": "apart"}),
    "wordpiece": (recipes.WORDPIECE, {"algorithm": "wordpiece", "minimum": 1}),
}
"""What shows a training by its symbols: how it splits a corpus, and the fields of its address."""
TIED = (recipes.BYTE_BPE, recipes.UNMARKED_BPE)
"""Those that know the rules for ties, and merges done before: an end-of-word mark is not ordered as a suffix is."""


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
        known |= {name: tuple(map(tuple, known[name])) for name in ("before", "published") if name in known}
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

    def link(self, number: int, pairs: Sequence[Pair] = (), rounds: Rounds | None = None) -> Link | None:
        """What the walkthrough of the training needs to show a round; None for a training that it cannot show.

        Of a corpus that it would split into other words, or is too long for it, it shows the words that hold some pairs
        before that round. Its end-of-word mark stands for any suffix.
        """
        recipe, values = WALKTHROUGHS["suffix" if self.suffix else self.symbols]
        corpus = self._whole(recipe) if recipe in TIED or self.right == replace(self, ties=FIRST_SEEN).right else None
        if recipe in TIED:
            values = {**values, "ties": self.ties}
        if corpus is not None:
            return Link("training", {**values, **corpus, "size": len(self.every), "step": number})
        before = self.every[: number - 1]
        rounds = rounds or replace(self, before=()).rounds(before)
        if not (pairs and recipe in TIED and isinstance(rounds, BPERounds)):
            return None
        part = self._part(rounds, pairs)
        merges = "\n".join(" ".join(map(_spelling, map(_as_bytes, pair))) for pair in before)
        return part and Link("training", {**values, "corpus": part, "before": merges, "size": 1, "step": 1})

    def link_to(self, piece: Piece, text: str = "") -> Link | None:
        """What shows the round that makes a piece, with the tokens of a word; the last step if no merge makes it."""
        every = self.every
        number = next((at for at, pair in enumerate(every, 1) if self.joined(pair) == piece), len(every) + 1)
        link = self.link(number, every[number - 1 : number])
        whole = text and WALKTHROUGHS["suffix" if self.suffix else self.symbols][0].count(text) == {text: 1}
        return replace(link, values={**link.values, "text": text}) if link and whole else link

    def _whole(self, recipe: Recipe) -> dict[str, str | int] | None:
        """The corpus, or its words with their counts, if the walkthrough reads them as the same words and merges."""
        if self.before and replace(self, before=(), merges=len(self.every)).right != self.every:
            return None
        if 0 < len(self.corpus) <= LONGEST_LINK and [*recipe.count(self.corpus).items()] == [*self.counts.items()]:
            return {"corpus": self.corpus, "as_text": 1}
        listed = "\n".join(f"{word} {count}" for word, count in self.counts.items())
        if len(listed) > LONGEST_LINK or not all(
            each.isalpha() and recipe.count(each) == {each: 1} for each in self.counts
        ):
            return None
        return {"corpus": listed}

    def _part(self, rounds: BPERounds, pairs: Sequence[Pair]) -> str | None:
        """The most frequent words that hold a pair, and the pairs alone for the rest; None if they are too long.

        So each pair is counted as on the whole corpus, and no other pair more often. The first word that holds a pair
        is among them, which decides by the rule `first-seen`. Where a pair is part of a character, it cannot be alone,
        and where the first word is long, the others cannot be without it: then all words that hold a pair are there.
        """
        held, words = [rounds.holding(pair) for pair in pairs], list(self.counts.items())
        first = {min(each) for each in held if each}
        found = sorted(set().union(*held) or range(len(words)), key=lambda at: (at not in first, -words[at][1], at))
        for most, longest in ((MOST_LINKED, LONGEST_LINKED), (len(found), LONGEST_LINK)):
            kept = sorted([at for at in found if len(words[at][0]) <= longest][:most])
            counts = {words[at][0]: words[at][1] for at in kept}
            alone = []
            for pair, each in zip(pairs, held, strict=True):
                if left_out := rounds.value(pair) - sum(each[at] * words[at][1] for at in kept):
                    alone.append(b"".join(map(_as_bytes, pair)).decode(errors="replace"))
                    counts[alone[-1]] = counts.get(alone[-1], 0) + left_out
            listed = "\n".join(f"{word}\t{count}" for word, count in counts.items())
            is_list = len(listed) <= LONGEST_LINK and all(len(word.splitlines()) == 1 for word in counts)
            if is_list and (not kept or first.issubset(kept)) and "\ufffd" not in "".join(alone):
                return listed
        return None


def judge(training: Training, handed: HandedIn) -> Verdict:
    """The verdict on a list of merges, or on a vocabulary that implies one."""
    notes = list(handed.notes)
    if handed.merges is not None:
        mine = training.read(handed.merges, notes)
    else:
        mine = merges_of(_spelled(training, handed.vocabulary or {}, notes), len(training.every) + 1)
        notes.append(Note("merges-implied"))
    if training.before and tuple(mine[: len(training.before)]) == training.before:
        mine = mine[len(training.before) :]  # all merges were handed in
    if handed.merges is not None and handed.vocabulary is not None:
        notes.append(Note("merges-only"))
    right = training.right
    yours, its = ([" ".join(map(shown_piece, pair)) for pair in pairs] for pairs in (mine, right))
    place = first_difference(mine, right)
    agreeing = sum(one == other for one, other in zip(mine, right, strict=False))
    if place is None:
        if all(len(tied) == 1 for tied, _pair, _rounds in _walk(training, right)):
            notes.append(Note("no-ties"))
        if training.corpus and training.specials and not any(map(training.corpus.__contains__, training.specials)):
            notes.append(Note("no-specials"))
        return Verdict("right", "merge", agreeing, len(right), own_rule=training.ties, notes=notes)
    rounds = training.rounds(right[: place - 1])
    sides = [_side(rounds, pairs[place - 1 : place]) for pairs in (mine, right)]
    why, rule = _reason(training, mine, right, place, sides), ""
    if why == "tie" and len(mine) == len(right):
        rule = _rule_of(training, mine)
    elif tuple(mine) == training.published:
        rule = "as-published"
    counts = [rounds.value(pair) for _tied, pair, rounds in _walk(training, right)]
    return Verdict(
        "other-rule" if rule else "wrong",
        "merge",
        agreeing,
        len(right),
        place=place + len(training.before),
        why=why,
        rule=rule,
        own_rule=training.ties,
        yours=sides[0],
        right=sides[1],
        in_both=len(set(mine) & set(right)),
        rows=[
            replace(row, number=row.number + len(training.before))
            for row in rows_around(yours, its, place, counts=counts)
        ],
        notes=notes,
        link=training.link(place + len(training.before), [*right[place - 1 : place], *mine[place - 1 : place]], rounds),
    )


def _side(rounds: Rounds, pairs: Sequence[Pair]) -> Side | None:
    if not pairs:
        return None
    words, more = rounds.words(pairs[0], MOST_WORDS)
    return Side(" ".join(map(shown_piece, pairs[0])), rounds.value(pairs[0]), words, more)


def _reason(training: Training, mine: list[Pair], right: list[Pair], place: int, sides: list[Side | None]) -> str:
    """Why the merge at a place differs: the code of a sentence."""
    yours, its = sides
    if yours is None or its is None:
        return "fewer-merges" if yours is None else "more-merges"
    pair, wanted = mine[place - 1], right[place - 1]
    if yours.count == its.count:
        return "tie"
    if mine[place - 1 : place + 1] == right[place : place + 2]:
        return "left-out"
    if pair == wanted[::-1]:
        return "exchanged"
    if "\ufffd" in yours.text and "\ufffd" not in its.text:
        return "replaced"
    if not yours.count:
        if pair in right[: place - 1]:
            return "merged-already"
        return "crosses-words" if training.split != "none" and _crosses(pair) else "absent"
    if training.split in PATTERNS and _begins_with_space(wanted) and not any(map(_begins_with_space, mine)):
        return "without-spaces"
    before = [*training.before, *right[: place - 1]]
    if training.symbols == "wordpiece":
        return "count-not-score" if _is_most_frequent(training, pair, before) else "rarer"
    if _leads_unweighted(training, pair, before):
        return "unweighted"
    return "overlapping" if wanted[0] == wanted[1] else "rarer"


def _begins_with_space(pair: Pair) -> bool:
    return bool(pair[0][:1] == b" ")


def _crosses(pair: Pair) -> bool:
    """Whether a pair joins the end of a word with the white space after it, or with the next word."""
    left, right = (piece.decode(errors="replace") if isinstance(piece, bytes) else str(piece) for piece in pair)
    return bool(left and right) and (right[0].isspace() or left[-1].isspace()) and not left.isspace()


def _is_most_frequent(training: Training, pair: Pair, before: Sequence[Pair]) -> bool:
    words = {training.spell(word): count for word, count in training.counts.items()}
    for merge in before:
        words = {wordpiece.merge(word, merge): count for word, count in words.items()}
    counts = wordpiece.count_pairs(words)
    return counts.get(pair, 0) == max(counts.values())


def _leads_unweighted(training: Training, pair: Pair, before: Sequence[Pair]) -> bool:
    """Whether a pair would be the best if every word occurred once."""
    rounds = BPERounds((training.spell(word), 1) for word in training.counts)
    for merge in before:
        if not rounds.value(merge):
            return False
        rounds.merge(merge)
    return rounds.value(pair) == rounds.best()[0]


def _walk(training: Training, merges: Sequence[Pair]) -> Iterator[tuple[Sequence[Pair], Pair, Rounds]]:
    """The tied pairs at each of some merges, until one is not among them."""
    rounds = training.rounds()
    for pair in merges:
        _value, tied = rounds.best()
        yield tied, pair, rounds
        if pair not in tied:
            return
        rounds.merge(pair)


def _rule_of(training: Training, mine: list[Pair]) -> str:
    """The rule by which all merges are right; `mixed` if each is a best pair, but by no single rule; else empty."""
    rules: list[Any] = [*(rule for rule in TIE_RULES if rule != training.ties), *MISTAKEN]
    ids = {piece: id for id, piece in enumerate([*training.alphabet, *map(training.joined, training.before)])}
    for tied, pair, rounds in _walk(training, mine):
        if pair not in tied:
            return ""
        if len(tied) > 1:
            keys: dict[str, Callable[[Pair], Any]] = {
                "joined": training.joined,
                "as-spelled": lambda each: tuple(map(_spelling, each)),
                "higher-ids": lambda each: tuple(map(ids.__getitem__, each)),
            }
            rules = [
                rule
                for rule in rules
                if (max(tied, key=keys[rule]) if rule in keys else rounds.choose(tied, rule)) == pair
            ]
        ids.setdefault(training.joined(pair), len(ids))
    return str(rules[0]) if rules else "mixed"


def _spelled(training: Training, vocabulary: Mapping[str | bytes, int], notes: list[Note]) -> dict[Any, int]:
    """A vocabulary with its pieces as the training spells them, without special tokens."""
    normal = {piece: id for piece, id in vocabulary.items() if _as_text(piece) not in training.specials}
    if training.symbols != "bytes":
        return {_as_text(piece): id for piece, id in normal.items()}
    convert = bytes_of([piece for piece in normal if isinstance(piece, str)], notes)
    return {convert(piece): id for piece, id in normal.items()}


def pieces_of(training: Training) -> list[Piece]:
    """The vocabulary that is asked for: special tokens, alphabet, and the piece of each merge."""
    return [*training.specials, *training.alphabet, *map(training.joined, training.every)]


def judge_vocabulary(training: Training, handed: HandedIn) -> Verdict:
    """The verdict on a vocabulary: the same ids and the same pieces, whatever the order; as CS336's tests compare."""
    if handed.vocabulary is None:
        raise AnswerError(Phrase("Hand in the vocabulary: a JSON file with an id for each piece."))
    notes: list[Note] = []
    given = _spelled(training, handed.vocabulary, notes)
    specials = {piece for piece in map(_as_text, handed.vocabulary) if piece in training.specials}
    wanted = pieces_of(training)
    normal = [piece for piece in wanted if piece not in training.specials]
    missing = [piece for piece in [*training.specials, *normal] if piece not in (specials | given.keys())]
    extra = sorted(given.keys() - set(normal), key=given.__getitem__)
    ids = set(handed.vocabulary.values())
    agreeing = len(wanted) - len(missing)
    if not missing and not extra and ids == set(range(len(wanted))):
        return Verdict("right", "piece", agreeing, len(wanted), own_rule=training.ties, notes=notes)
    why = "missing-piece" if missing else "extra-piece" if extra else "ids"
    if any("\ufffd" in _as_text(piece) for piece in extra):
        why = "replaced"
    its, yours = (Side(shown_piece(pieces[0])) if pieces else None for pieces in (missing, extra))
    place = wanted.index(missing[0]) + 1 if missing else given[extra[0]] + 1 if extra else None
    verdict = Verdict(
        "wrong", "piece", agreeing, len(wanted), place=place, why=why, own_rule=training.ties, notes=notes
    )
    link = training.link_to(missing[0]) if missing else None
    return replace(verdict, yours=yours, right=its, in_both=agreeing, link=link)


def _as_text(piece: str | bytes) -> str:
    return piece if isinstance(piece, str) else piece.decode(errors="replace")


def written(training: Training) -> str:
    """The right merges as text, one a line."""
    return "".join(f"{' '.join(map(_spelling, pair))}\n" for pair in training.right)


def _as_bytes(piece: Piece) -> bytes:
    return piece if isinstance(piece, bytes) else str(piece).encode()


def _spelling(piece: Piece) -> str:
    return bytes_to_characters(piece) if isinstance(piece, bytes) else str(piece).replace(" ", "␣")


def written_vocabulary(training: Training) -> str:
    """The right vocabulary as JSON, with an id for each piece."""
    return json.dumps({_spelling(piece): id for id, piece in enumerate(pieces_of(training))}, ensure_ascii=False)
