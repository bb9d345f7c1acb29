"""Judges lists of merges and vocabularies of BPE and WordPiece, and knows what other rules for ties would give.

One pass over the rounds finds everything: at each of the student's merges, whether its pair is a most frequent one, and
which rules would take it. So an answer is right, right by another rule, right by no single rule though every merge is a
most frequent pair, or wrong from its first other merge on.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from webapp.core.homework.files import HandedIn, bytes_of, merges_of
from webapp.core.homework.rounds import BPERounds, Pair, Piece, Rounds, WordPieceRounds, file_spelling, shown_piece
from webapp.core.homework.training import PATTERNS, Training
from webapp.core.homework.verdicts import Note, Side, Verdict, first_difference, rows_around
from webapp.core.text.utf8 import text_of
from webapp.core.trainers.ties import TIE_RULES

MOST_WORDS = 6  # that hold a pair
MISTAKEN = ("joined", "as-spelled", "higher-ids")
"""Rules by which students often take the greater pair: by the joined piece, by what files show, by ids."""


def judge(training: Training, handed: HandedIn) -> Verdict:
    """The verdict on a list of merges, or on a vocabulary that implies one."""
    notes: list[Note] = []
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
    why, rule = _reason(training, rounds, mine, right, place, sides), ""
    if why == "tie" and len(mine) == len(right):
        rule = _rule_of(training, mine)
    elif mine and tuple(mine) == training.published:
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


def _reason(
    training: Training, rounds: Rounds, mine: list[Pair], right: list[Pair], place: int, sides: list[Side | None]
) -> str:
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
    if isinstance(rounds, WordPieceRounds):
        return "count-not-score" if rounds.is_most_frequent(pair) else "rarer"
    if _leads_unweighted(training, pair, [*training.before, *right[: place - 1]]):
        return "unweighted"
    return "overlapping" if wanted[0] == wanted[1] else "rarer"


def _begins_with_space(pair: Pair) -> bool:
    return bool(pair[0][:1] == b" ")


def _crosses(pair: Pair) -> bool:
    """Whether a pair joins the end of a word with the white space after it, or with the next word."""
    left, right = map(text_of, pair)
    return bool(left and right) and (right[0].isspace() or left[-1].isspace()) and not left.isspace()


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
                "as-spelled": lambda each: tuple(map(file_spelling, each)),
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
    normal = {piece: id for piece, id in vocabulary.items() if text_of(piece) not in training.specials}
    if training.symbols != "bytes":
        return {text_of(piece): id for piece, id in normal.items()}
    convert = bytes_of([piece for piece in normal if isinstance(piece, str)], notes)
    return {convert(piece): id for piece, id in normal.items()}


def pieces_of(training: Training) -> list[Piece]:
    """The vocabulary that is asked for: special tokens, alphabet, and the piece of each merge."""
    return [*training.specials, *training.alphabet, *map(training.joined, training.every)]


def judge_vocabulary(training: Training, handed: HandedIn) -> Verdict:
    """The verdict on a vocabulary: the same ids and the same pieces, whatever the order; as CS336's tests compare."""
    assert handed.vocabulary is not None
    notes: list[Note] = []
    given = _spelled(training, handed.vocabulary, notes)
    specials = {piece for piece in map(text_of, handed.vocabulary) if piece in training.specials}
    wanted = pieces_of(training)
    normal = [piece for piece in wanted if piece not in training.specials]
    missing = [piece for piece in [*training.specials, *normal] if piece not in (specials | given.keys())]
    extra = sorted(given.keys() - set(normal), key=given.__getitem__)
    agreeing = len(wanted) - len(missing)
    if not missing and not extra and set(handed.vocabulary.values()) == set(range(len(wanted))):
        return Verdict("right", "piece", agreeing, len(wanted), own_rule=training.ties, notes=notes)
    why = ("other-piece" if extra else "missing-piece") if missing else "extra-piece" if extra else "ids"
    if any("\ufffd" in text_of(piece) for piece in extra):
        why = "replaced"
    verdict = Verdict("wrong", "piece", agreeing, len(wanted), why=why, own_rule=training.ties, notes=notes)
    if missing:
        right = Side(shown_piece(missing[0]))
        verdict = replace(verdict, place=wanted.index(missing[0]) + 1, right=right, link=training.link_to(missing[0]))
    if why == "other-piece" and (rule := judge(training, replace(handed, merges=None)).rule):
        verdict = replace(verdict, outcome="other-rule", rule=rule)
    return replace(verdict, yours=Side(shown_piece(extra[0])) if extra else None, in_both=agreeing)


def written(training: Training) -> str:
    """The right merges as text, one a line."""
    return "".join(f"{' '.join(map(file_spelling, pair))}\n" for pair in training.right)


def written_vocabulary(training: Training) -> str:
    """The right vocabulary as JSON, with an id for each piece."""
    return json.dumps({file_spelling(piece): id for id, piece in enumerate(pieces_of(training))}, ensure_ascii=False)
