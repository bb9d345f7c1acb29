"""The sentences of a verdict: what the first place that differs is, why, and by which other rule an answer is right."""

from collections.abc import Mapping
from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.homework.verdicts import Note, PlaceKind, Side, Verdict
from webapp.web.localization import number

PLACES: Mapping[PlaceKind, LazyString] = {
    "merge": _l("Merge %(place)s is the first that differs."),
    "piece": _l("Piece %(place)s is the first that differs."),
    "token": _l("Token %(place)s is the first that differs."),
    "id": _l("Id %(place)s is the first that differs."),
    "tag": _l("Tag %(place)s is the first that differs."),
    "sentence": _l("Sentence %(place)s is the first that differs."),
    "word": _l("Word %(place)s of the corpus is the first that differs."),
    "cell": _l("The cell %(label)s is the first that differs."),
    "character": _l("Character %(place)s is the first that differs."),
}
SIDES: tuple[LazyString, LazyString, LazyString] = (
    _l("Yours is %(yours)s, the right one is %(right)s."),
    _l("Yours is %(yours)s; there should be none."),
    _l("Yours is missing; the right one is %(right)s."),
)

RULES: Mapping[str, LazyString] = {
    "first-seen": _l("the pair seen first"),
    "greater": _l("the lexicographically greater pair"),
    "smaller": _l("the lexicographically smaller pair"),
    "lower-ids": _l("the pair with lower ids"),
    "longest": _l("the pair that makes the longest piece"),
    "mixed": _l("any of the most frequent pairs, by no rule that is known here"),
    "as-published": _l("as the course prints it"),
    "equal-probability": _l("another segmentation of the same probability"),
    "start-counts": _l("with the beginning of a sentence in the vocabulary"),
    "start-does-not-count": _l("without the beginning of a sentence in the vocabulary"),
    "forward": _l("forward maximum matching"),
    "backward": _l("backward maximum matching"),
    "bidirectional": _l("bidirectional maximum matching"),
    "max-probability": _l("maximum probability of single words"),
    "bigram": _l("bigrams"),
    "runs": _l("Latin letters and digits in a row kept whole"),
    "no-runs": _l("Latin letters and digits one by one"),
    "no-punctuation": _l("a dictionary without punctuation"),
    "with-line-ids": _l("with the numbers of lines as words"),
    "no-numbers": _l("without the words tagged as numbers"),
    "no-single-characters": _l("without words of one character"),
}
_WINDOW = _l("words of at most %(longest)s characters")
_TAGS = _l("the tags %(tags)s")

WHY: Mapping[str, LazyString] = {
    "tie": _l("Both pairs occur %(right_count)s times, and the course takes %(own_rule)s."),
    "rarer": _l("Your pair occurs %(yours_count)s times, the right one %(right_count)s times."),
    "absent": _l("Your pair does not occur at this point: no word has these two symbols next to each other."),
    "merged-already": _l("Your pair was merged before, so it no longer occurs."),
    "crosses-words": _l("Your pair crosses the boundary between two words. Count pairs inside words only."),
    "count-not-score": _l("Your pair is the most frequent one, but WordPiece takes the highest score."),
    "unweighted": _l("Your pair leads if every word counts once. Count each word as often as it occurs."),
    "missing": _l("Your answer ends here."),
    "too-many": _l("Your answer goes on after its end."),
    "missing-piece": _l("The vocabulary lacks %(right)s."),
    "extra-piece": _l("The vocabulary has %(yours)s, which no merge makes."),
    "ids": _l("The pieces are right, but their ids are not all the numbers from 0."),
    "size": _l("The vocabulary has %(yours)s pieces; it should have %(right)s."),
    "not-longest": _l("Your token has %(yours_count)s bytes; the longest has %(right_count)s."),
    "merges-not-longest": _l("You applied the merges; WordPiece takes the longest piece that matches."),
    "no-prefix": _l("A piece inside a word is written with ## in front."),
    "not-in-vocabulary": _l("One of your tokens is not in the vocabulary."),
    "other-text": _l("Your tokens spell another text."),
    "special-as-text": _l("You encoded the special token as ordinary text."),
    "bytes-not-shuffled": _l("The ids of single bytes are not their values: look them up in byte_shuffle."),
    "not-shuffled": _l("The ids of single bytes are not their values: look them up in byte_shuffle."),
    "no-replacement": _l("Bytes that are not valid UTF-8 become U+FFFD; they are not left out."),
    "greedy": _l("You took the best state of each column. The path is read back from the last one."),
    "not-two-bytes": _l("The answer should have exactly two bytes."),
    "decodes": _l("These bytes are valid UTF-8."),
    "not-utf8": _l("These bytes are not valid UTF-8 even as a whole."),
    "ascii-works": _l("Every byte is an ASCII character, so the function decodes it correctly."),
    "numbers": _l("The difference is a number or a run of Latin letters. The dictionary decides here, not a rule."),
    "punctuation": _l("Punctuation is joined to a word."),
    "not-in-dictionary": _l("Your word is not in the dictionary."),
    "word-missing": _l("Your program does not find %(right)s, which is in the dictionary."),
    "missing-word": _l("The dictionary lacks %(right)s, which is in the corpus."),
    "extra-word": _l("The dictionary has %(yours)s, which is no word of the corpus."),
    "tag-in-word": _l("Your word still has its tag."),
    "bracket-in-word": _l("Your word still has the bracket of a compound."),
    "empty": _l("The cell is empty."),
    "not-a-number": _l("Your cell is not a number."),
    "rounded": _l("Your value is close: check the rounding, and give one more digit."),
    "percent": _l("Your value is a percentage without the sign: divide it by 100."),
    "logarithm": _l("Your value is the logarithm; the probability is asked for."),
    "inverted": _l("Your value is the inverse."),
    "once-a-word": _l("You counted each word once in which the piece occurs, not each occurrence."),
    "log2": _l("You used logarithms to base 2; the course uses natural ones."),
    "counts": _l("These are counts. The score divides them by both symbols' counts."),
    "unsmoothed": _l("This is the probability without smoothing."),
    "no-marks": _l("You left the marks of sentences out of the vocabulary."),
    "not-per-word": _l("Take the root: the perplexity is the inverse probability to the power of 1/N."),
    "entropy": _l("This is the entropy in bits; the perplexity is 2 to the power of it."),
    "sum-not-maximum": _l(
        "You summed over the states before, as the forward algorithm does; Viterbi takes the maximum."
    ),
    "swapped": _l("Precision and recall are swapped."),
    "boundaries": _l("You compared boundaries. A word is right only if both its ends are."),
    "types": _l("You counted each word once. Repetitions count too."),
    "byte-order-mark": _l("You counted the byte order mark, which Python adds."),
    "slower": _l("The second time is not shorter than the first."),
    "forward": _l("Your sentence is that of forward maximum matching."),
    "backward": _l("Your sentence is that of backward maximum matching."),
    "runs": _l("You keep Latin letters and digits in a row whole; the exercise does not."),
    "no-runs": _l("You split Latin letters and digits; the exercise keeps them whole."),
    "no-punctuation": _l("Your dictionary seems to lack punctuation."),
    "max-probability": _l("Your sentence is that of single words without bigrams."),
}
_WINDOW_WHY = _l("Your program looks up words of at most %(longest)s characters; the dictionary has longer ones.")

NOTES: Mapping[str, LazyString] = {
    "byte-characters": _l("The pieces were read in GPT-2’s spelling, in which Ġ is a space."),
    "merges-implied": _l(
        "A vocabulary does not say how its pieces were merged. The merges were inferred from the order of the ids."
    ),
    "no-ties": _l("No round has a tie, so this answer does not show which rule for ties you use."),
    "spaces-left-out": _l("The spaces at the beginning of tokens are missing in your answer; they were added."),
    "corpus-unknown": _l("Whether it was trained on TinyStories cannot be checked: only size and longest token are."),
    "several-longest": _l("%(count)s tokens are equally long; any of them is right."),
    "leakage": _l(
        "The dictionary has every word of the gold text, as if it was made from it. Such a score says nothing about "
        "other texts: keep the test apart from the training."
    ),
    "same-by-rule": _l("On this text the result of %(rule)s is the same, so they cannot be told apart."),
    "points-lost": _l("The differences in P and R would cost %(points)s points."),
    "times-unverified": _l("Times cannot be measured afterwards; they are taken as you give them."),
    "speed-up": _l("That is %(factor)s times as fast."),
}


def headline(verdict: Verdict) -> str:
    """The outcome in one sentence."""
    if verdict.outcome == "right":
        return _("Right.")
    if verdict.outcome == "other-rule":
        return _("Right by another rule: %(rule)s.", rule=rule_name(verdict.rule))
    return _("Not right yet.")


def rule_name(rule: str) -> str:
    """What a rule is called inside a sentence."""
    if rule.startswith("window-"):
        return str(_WINDOW) % {"longest": rule.removeprefix("window-")}
    return str(RULES[rule]) if rule in RULES else str(_TAGS) % {"tags": rule}


def explanation(verdict: Verdict, tells: bool = True) -> list[str]:
    """Where and why an answer differs, in sentences; none for a right one.

    Without `tells`, none of them has what would be right.
    """
    if verdict.outcome == "right":
        return []
    values = _values(verdict)
    said = []
    if verdict.place is not None and verdict.why not in _WHOLE:
        said.append(str(PLACES[verdict.place_kind]) % values)
        if tells and (verdict.yours or verdict.right):
            which = 0 if verdict.yours and verdict.right else 1 if verdict.yours else 2
            said.append(str(SIDES[which]) % values)
    if verdict.why.startswith("window-"):
        said.append(str(_WINDOW_WHY) % {"longest": verdict.why.removeprefix("window-")})
    elif verdict.why in WHY and (tells or "%(right" not in str(WHY[verdict.why])):
        said.append(str(WHY[verdict.why]) % values)
    return said


_WHOLE = ("ids", "size", "not-longest", "not-two-bytes", "decodes", "not-utf8", "ascii-works", "missing-piece")
"""Reasons whose sentence says all: the place adds nothing."""


def _values(verdict: Verdict) -> dict[str, Any]:
    return {
        "place": number(verdict.place or 0),
        "label": verdict.label,
        "yours": _text(verdict.yours),
        "right": _text(verdict.right),
        "yours_count": _count(verdict.yours),
        "right_count": _count(verdict.right),
        "own_rule": rule_name(verdict.own_rule) if verdict.own_rule else "",
    }


def _text(side: Side | None) -> str:
    return _("“%(text)s”", text=side.text) if side else ""


def _count(side: Side | None) -> str:
    count = side.count if side else None
    return "" if count is None else number(int(count)) if float(count).is_integer() else f"{count:.4g}"


def note(remark: Note) -> str:
    """A remark as a sentence."""
    values = dict(remark.values)
    if "rule" in values:
        values["rule"] = rule_name(str(values["rule"]))
    return str(NOTES[remark.code]) % values if values else str(NOTES[remark.code])
