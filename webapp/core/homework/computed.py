"""Computes the cells of tables that exercises ask for, and what other readings of a task would give.

Each function of `TABLES` takes the parameters of an exercise and returns the cells by their labels, and other tables by
the name of the rule or of the mistake that leads to them. A cell is a number, or the texts that are accepted.

Sources: Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3 (n-grams, smoothing,
perplexity) and appendix A (hidden Markov models); the Hugging Face course, chapter 6, section 7 (Unigram).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from typing import Any

from webapp.core.evaluation.score import score_lines
from webapp.core.homework.rounds import BPERounds
from webapp.core.reference import bpe, ngram, unigram, wordpiece
from webapp.core.tokenizer import Tokenizer

Values = Mapping[str, Any]
Cell = float | Sequence[str]
Table = dict[str, Cell]
Find = Callable[[str], Tokenizer]


# --- Unigram, by hand


def piece_counts(values: Values) -> dict[str, int]:
    """How often each piece of a Unigram vocabulary occurs in words with counts.

    >>> piece_counts({"words": {"hug": 10, "hugs": 5}, "unigram": ["u", "hu", "gs"]})
    {'u': 15, 'hu': 15, 'gs': 5}
    """
    counts = unigram.substrings(values["words"])
    return {piece: counts.get(piece, 0) for piece in values["unigram"]}


def _probability(pieces: Sequence[str], counts: Mapping[str, int]) -> Fraction:
    total = sum(counts.values())
    product = Fraction(1)
    for piece in pieces:
        product *= Fraction(counts[piece], total)
    return product


def unigram_path(text: str, values: Values) -> list[str]:
    """The most probable segmentation; of equal ones the one whose last piece is the longest."""
    counts = piece_counts(values)
    total = sum(counts.values())
    return unigram.viterbi(text, {piece: log(count / total) for piece, count in counts.items()})


def unigram_ties(text: str, values: Values) -> list[list[str]]:
    """All segmentations of a short text that are as probable as the most probable one."""
    counts = piece_counts(values)
    every = list(unigram.segmentations(text[:16], dict.fromkeys(counts, 1.0)))
    best = max(_probability(pieces, counts) for pieces in every)
    return [pieces for pieces in every if _probability(pieces, counts) == best]


def _frequencies(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    counts = piece_counts(values)
    in_words = {
        piece: sum(word_count for word, word_count in values["words"].items() if piece in word) for piece in counts
    }
    unweighted = {piece: sum(piece in word for word in values["words"]) for piece in counts}
    return {**counts, "sum": sum(counts.values())}, {
        "once-a-word": {**in_words, "sum": sum(in_words.values())},
        "unweighted": {**unweighted, "sum": sum(unweighted.values())},
    }


def _probabilities(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    counts = piece_counts(values)
    published = {**counts, **values.get("published", {})}
    total = sum(counts.values())

    def table(counts: Mapping[str, int]) -> Table:
        found: Table = {}
        for label in values["asked"]:
            product = 1.0
            for piece in label.split():
                product *= counts[piece] / total
            found[label] = product
        return found

    return table(counts), {"as-published": table(published)} if "published" in values else {}


def _loss(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    counts = piece_counts(values)
    best = {word: float(_probability(unigram_path(word, values), counts)) for word in values["words"]}
    loss = sum(count * -log(best[word]) for word, count in values["words"].items())
    without = [piece for piece in values["unigram"] if piece != values["removed"]]
    shorter = {**values, "unigram": without}
    total = sum(counts.values())  # the course keeps the other probabilities as they are
    scores = {piece: log(counts[piece] / total) for piece in without}
    paths = (unigram.viterbi(word, scores) for word in shorter["words"])
    after = sum(
        -count * sum(scores[piece] for piece in path)
        for path, count in zip(paths, values["words"].values(), strict=True)
    )
    table: Table = {**best, "loss": loss, f"loss without {values['removed']}": after}
    base2: Table = {**table, "loss": loss / log(2), f"loss without {values['removed']}": after / log(2)}
    return table, {"log2": base2}


# --- pairs


def _pair_counts(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    words = values["words"]
    counts = bpe.count_pairs({tuple(word): count for word, count in words.items()})
    once = bpe.count_pairs({tuple(word): 1 for word in words})
    return {"".join(pair): count for pair, count in counts.items()}, {
        "unweighted": {"".join(pair): count for pair, count in once.items()}
    }


def _pair_scores(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    words = {wordpiece.split(word): count for word, count in values["words"].items()}
    counts = wordpiece.count_pairs(words)
    scores = wordpiece.scores(words)
    return {" ".join(pair): score for pair, score in scores.items()}, {
        "counts": {" ".join(pair): count for pair, count in counts.items()}
    }


# --- n-grams


def _bigrams(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    """P(word | word before it) of sentences; `add` is what is added to each count.

    The vocabulary has each word and the end of a sentence; with `start_counts` the start as well.
    """
    sentences = [["<s>", *line.split(), "</s>"] for line in values["sentences"].splitlines()]
    pairs = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    before = Counter(word for sentence in sentences for word in sentence[:-1])
    words = {word for sentence in sentences for word in sentence}
    add = values.get("add", 0)

    def table(vocabulary: int, added: float) -> Table:
        found: Table = {}
        for word, context in values["asked"]:
            bottom = before[context] + added * vocabulary
            found[f"P({word} | {context})"] = (pairs[context, word] + added) / bottom if bottom else 0.0
        if "sentence" in values:
            product = 1.0
            for context, word in pairwise(["<s>", *values["sentence"].split(), "</s>"]):
                product *= (pairs[context, word] + added) / (before[context] + added * vocabulary)
            found[f"P({values['sentence']})"] = product
        return found

    size = len(words) - (0 if values.get("start_counts") else 1)
    others = {"unsmoothed": table(size, 0)} if add and "sentence" not in values else {}
    if add:
        others |= {
            "start-counts": table(len(words), add),
            "start-does-not-count": table(len(words) - 1, add),
            "no-marks": table(len(words) - 2, add),
        }
    return table(size, add), others


def _perplexity(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    """The perplexity of a unigram model on a text: the inverse of the probability, to the power of 1/N."""
    counts, words = values["counts"], values["test"].split()
    total = sum(counts.values())
    logs = [log(counts[word] / total) for word in words]
    inverse = exp(-sum(logs) / len(logs))
    probability: Cell = exp(sum(logs))
    label = "perplexity"
    return {"probability": probability, label: inverse}, {
        "not-per-word": {"probability": probability, label: exp(-sum(logs))},
        "entropy": {"probability": probability, label: -sum(logs) / len(logs) / log(2)},
    }


# --- hidden Markov models


def viterbi(observed: Sequence[str], model: Values) -> tuple[list[dict[str, float]], list[str]]:
    """The probability of the best path to each state at each observation, and the best path.

    `model`: `start`, `transition` (state, next state) and `emission` (state, observation), as probabilities. Source:
    Jurafsky and Martin, appendix A, figure A.9.

    >>> model = {"start": {"H": 0.8, "C": 0.2}, "transition": {"H": {"H": 0.6, "C": 0.4}, "C": {"H": 0.5, "C": 0.5}},
    ...     "emission": {"H": {"1": 0.2, "2": 0.4, "3": 0.4}, "C": {"1": 0.5, "2": 0.4, "3": 0.1}}}
    >>> table, path = viterbi("313", model)
    >>> [round(cell, 4) for row in table for cell in row.values()], path
    ([0.32, 0.02, 0.0384, 0.064, 0.0128, 0.0032], ['H', 'C', 'H'])
    """
    start, transition, emission = model["start"], model["transition"], model["emission"]
    table = [{state: start[state] * emission[state].get(observed[0], 0.0) for state in start}]
    back: list[dict[str, str]] = []
    for observation in observed[1:]:
        row, origin = {}, {}
        for state in start:
            before = max(start, key=lambda each: table[-1][each] * transition[each].get(state, 0.0))
            origin[state] = before
            reached = table[-1][before] * transition[before].get(state, 0.0)
            row[state] = reached * emission[state].get(observation, 0.0)
        table.append(row)
        back.append(origin)
    path = [max(table[-1], key=table[-1].__getitem__)]
    for origin in reversed(back):
        path.append(origin[path[-1]])
    return table, path[::-1]


def greedy(observed: Sequence[str], model: Values) -> list[str]:
    """The states with the highest probability at each observation by itself, which need not be a path."""
    return [max(row, key=row.__getitem__) for row in viterbi(observed, model)[0]]


def _viterbi_table(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    observed, model = values["observations"], values["hmm"]

    def labelled(table: Sequence[Mapping[str, float]]) -> Table:
        return {f"v{at}({state})": cell for at, row in enumerate(table, 1) for state, cell in row.items()}

    forward = [viterbi(observed, model)[0][0]]
    for observation in observed[1:]:
        forward.append(
            {
                state: sum(forward[-1][each] * model["transition"][each].get(state, 0.0) for each in model["start"])
                * model["emission"][state].get(observation, 0.0)
                for state in model["start"]
            }
        )
    return labelled(viterbi(observed, model)[0]), {"sum-not-maximum": labelled(forward)}


# --- evaluation


def _figures(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    gold, output = values["gold"].split(), values["output"].split()
    score = score_lines([gold], [output], None)
    precision, recall, f1 = score.precision or 0.0, score.recall or 0.0, score.f1 or 0.0
    both, cuts_of_gold, cuts = _cuts(gold) & _cuts(output), len(_cuts(gold)), len(_cuts(output))
    found: Table = {"P": precision, "R": recall, "F1": f1}
    by_boundary: Table = {"P": both_share(both, cuts), "R": both_share(both, cuts_of_gold)}
    by_boundary["F1"] = 2 * len(both) / (cuts + cuts_of_gold)
    return found, {"swapped": {"P": recall, "R": precision, "F1": f1}, "boundaries": by_boundary}


def both_share(both: set[int], of: int) -> float:
    """The share of the boundaries in common."""
    return len(both) / of if of else 0.0


def _cuts(words: Sequence[str]) -> set[int]:
    ends, at = set(), 0
    for word in words[:-1]:
        at += len(word)
        ends.add(at)
    return ends


def _unknown_words(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    """How many words of a test are not in the training, by occurrence and by type, and their share."""
    known, words = set(values["training"].split()), values["gold"].split()
    unknown = [word for word in words if word not in known]
    types = len(set(unknown))
    return {"OOV": len(unknown), "OOV rate": len(unknown) / len(words)}, {
        "types": {"OOV": types, "OOV rate": types / len(set(words))}
    }


# --- Unicode and encodings


def _null_character(_values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    null = chr(0)
    return {
        "chr(0)": [f"U+{ord(null):04X}", "NUL", "NULL", "null character", "空字符", repr(null), repr(null)[1:-1], "0"],
        "repr(chr(0))": [repr(null), repr(null)[1:-1], f'"{repr(null)[1:-1]}"', repr(repr(null))],
        "len": len("this is a test" + null + "string"),
    }, {}


def _sizes(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    text = values["text"]
    names = {"UTF-8": "utf-8", "UTF-16": "utf-16-le", "UTF-32": "utf-32-le"}
    marked = {"UTF-8": "utf-8", "UTF-16": "utf-16", "UTF-32": "utf-32"}
    return {name: len(text.encode(codec)) for name, codec in names.items()}, {
        "byte-order-mark": {name: len(text.encode(codec)) for name, codec in marked.items()}
    }


def _ratio(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    """Bytes per token of a text with trained merges, and the numbers of an unsigned integer of 16 bits."""
    words = {bpe.utf8(word): count for word, count in values["words"].items()}
    rounds = BPERounds(words.items())
    merges = []
    for _ in range(values["merges"]):
        merges.append(rounds.choose(rounds.best()[1], values["ties"]))
        rounds.merge(merges[-1])
    tokens = sum(len(bpe.encode(bpe.utf8(word), merges)) for word in values["text"].split())
    data = len(values["text"].replace(" ", "").encode())
    return {"bytes": data, "tokens": tokens, "bytes per token": data / tokens, "largest uint16": 2**16 - 1}, {
        "inverted": {"bytes": data, "tokens": tokens, "bytes per token": tokens / data, "largest uint16": 2**16 - 1}
    }


def _byte_ids(values: Values, find: Find) -> tuple[Table, dict[str, Table]]:
    """The ids of single bytes in a published vocabulary: its byte shuffle."""
    model = find(values["vocabulary"]).model
    ids: Table = {f"{byte}": model.id_of(bytes([byte])) or 0 for byte in values["bytes"]}
    return ids, {"not-shuffled": {f"{byte}": byte for byte in values["bytes"]}}


def unshuffled(tokenizer: Tokenizer, ids: Sequence[int]) -> list[int]:
    """Ids with those of single bytes replaced by the byte."""
    pieces = [tokenizer.decoded_piece(id) for id in ids]
    return [
        piece[0]
        if isinstance(piece, bytes) and len(piece) == 1
        else ord(piece)
        if len(piece) == 1 and piece.isascii()
        else id
        for piece, id in zip(pieces, ids, strict=True)
    ]


TABLES: Mapping[str, Callable[[Values, Find], tuple[Table, dict[str, Table]]]] = {
    "frequencies": _frequencies,
    "probabilities": _probabilities,
    "loss": _loss,
    "pair-counts": _pair_counts,
    "pair-scores": _pair_scores,
    "bigrams": _bigrams,
    "perplexity": _perplexity,
    "viterbi": _viterbi_table,
    "figures": _figures,
    "unknown-words": _unknown_words,
    "null-character": _null_character,
    "sizes": _sizes,
    "ratio": _ratio,
    "byte-ids": _byte_ids,
}
EDGE = ngram.EDGE
