"""Computes the cells of tables that exercises ask for, and what other readings of a task would give.

Each function of `TABLES` takes the parameters of an exercise and returns the cells by their labels, and other tables by
the name of the rule or of the mistake that leads to them. A cell is a number, or the texts that are accepted.

Sources: Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3 (n-grams, smoothing,
perplexity) and appendix A (hidden Markov models); the Hugging Face course, chapter 6, section 7 (Unigram).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import exp, log, prod
from typing import Any

from webapp.core.evaluation.score import score_lines
from webapp.core.homework.rounds import BPERounds, train
from webapp.core.homework.verdicts import Link
from webapp.core.reference import bpe, unigram, wordpiece
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.viterbi import HMMTables, read_table, viterbi_trace

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
    counts, words = piece_counts(values), values["words"]
    unweighted = {piece: sum(piece in word for word in words) for piece in counts}
    every = {"": counts, "unweighted": unweighted}
    tables: dict[str, Table] = {name: {**table, "sum": sum(table.values())} for name, table in every.items()}
    return tables.pop(""), tables


def _probabilities(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    counts = piece_counts(values)
    total = sum(counts.values())

    def table(counts: Mapping[str, int]) -> Table:
        return {label: prod(counts[piece] / total for piece in label.split()) for label in values["asked"]}

    others = {"as-published": table({**counts, **values["published"]})} if "published" in values else {}
    return table(counts), others


def _loss(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    counts, words = piece_counts(values), values["words"]
    total = sum(counts.values())
    scores = {piece: log(count / total) for piece, count in counts.items()}
    without = {piece: score for piece, score in scores.items() if piece != values["removed"]}  # others stay as they are
    best, after = (
        {word: sum(scores[piece] for piece in unigram.viterbi(word, each)) for word in words}
        for each in (scores, without)
    )
    losses = [-sum(count * table[word] for word, count in words.items()) for table in (best, after)]
    names = ("loss", f"loss without {values['removed']}")
    table: Table = {word: exp(score) for word, score in best.items()}
    base2 = {name: loss / log(2) for name, loss in zip(names, losses, strict=True)}
    return {**table, **dict(zip(names, losses, strict=True))}, {"log2": {**table, **base2}}


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
    """P(word | word before it) of sentences, by one of the smoothings of the walkthrough that adds one or nothing.

    The vocabulary has each word and the end of a sentence; with "add-one-marks" the start as well.
    """
    sentences = [["<s>", *line.split(), "</s>"] for line in values["sentences"].splitlines()]
    pairs = Counter(pair for sentence in sentences for pair in pairwise(sentence))
    before = Counter(word for sentence in sentences for word in sentence[:-1])
    words = {word for sentence in sentences for word in sentence}
    add = int(values["smoothing"] != "unsmoothed")

    def table(vocabulary: int, added: float) -> Table:
        found: Table = {}
        for word, context in values["asked"]:
            bottom = before[context] + added * vocabulary
            found[f"P({word} | {context})"] = (pairs[context, word] + added) / bottom if bottom else 0.0
        if "sentence" in values:
            found[f"P({values['sentence']})"] = prod(
                (pairs[pair] + added) / (before[pair[0]] + added * vocabulary)
                for pair in pairwise(["<s>", *values["sentence"].split(), "</s>"])
            )
        return found

    size = len(words) - int(values["smoothing"] != "add-one-marks")
    if not add:
        return table(size, 0), {}
    names = ("start-counts", "start-does-not-count", "no-marks")
    others = {name: table(len(words) - less, add) for less, name in enumerate(names)}
    return table(size, add), others | ({} if "sentence" in values else {"unsmoothed": table(size, 0)})


def _perplexity(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    """The perplexity of a unigram model on a text: the inverse of the probability, to the power of 1/N."""
    counts, words = values["counts"], values["test"].split()
    total = sum(counts.values())
    logs = [log(counts[word] / total) for word in words]
    entropy = -sum(logs) / len(logs)
    tables: list[Table] = [
        {"probability": exp(sum(logs)), "perplexity": each}
        for each in (exp(entropy), exp(-sum(logs)), entropy / log(2))
    ]
    return tables[0], {"not-per-word": tables[1], "entropy": tables[2]}


# --- hidden Markov models


def hmm_of(values: Values) -> HMMTables:
    """The observations and the tables of an exercise."""
    start, transition, emission = (read_table(values[name], names) for name, names in HMM_TABLES.items())
    return HMMTables(tuple(values["observed"].split()), start, transition, emission)


def hmm_link(values: Values, step: int) -> Link:
    """What the walkthrough of a hidden Markov model needs to show a column of the table, or after the last the path."""
    fields = {name: values[name].strip() for name in ("observed", *HMM_TABLES)}
    return Link("steps", {"algorithm": "hmm", **fields, "step": step}, whole=step > len(values["observed"].split()))


HMM_TABLES = {"start": 1, "transition": 2, "emission": 2}
"""The tables of a hidden Markov model, and how many names a row has."""


def _viterbi_table(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    best: Table = {}
    summed: Table = {}
    forward = {"": 1.0}
    for at, column in enumerate(viterbi_trace(hmm_of(values)).columns, 1):
        forward = {
            cell.state: cell.emission * sum(forward[way.before] * way.transition for way in cell.candidates)
            for cell in column
        }
        best |= {f"v{at}({cell.state})": cell.total for cell in column}
        summed |= {f"v{at}({state})": each for state, each in forward.items()}
    return best, {"sum-not-maximum": summed}


# --- evaluation


def _figures(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    gold, output = values["gold"].split(), values["output"].split()
    score = score_lines([gold], [output], None)
    ends, of_gold = _cuts(output), _cuts(gold)
    same = len(ends & of_gold)
    found: Table = {"P": score.precision or 0.0, "R": score.recall or 0.0, "F1": score.f1 or 0.0}
    by_boundary: Table = {"P": same / len(ends), "R": same / len(of_gold), "F1": 2 * same / (len(ends) + len(of_gold))}
    return found, {"swapped": {**found, "P": found["R"], "R": found["P"]}, "boundaries": by_boundary}


def _cuts(words: Sequence[str]) -> set[int]:
    return set(accumulate(map(len, words[:-1])))


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
    sizes, marked = (
        {f"UTF-{bits}": len(text.encode(f"utf-{bits}{end if bits > 8 else ''}")) for bits in (8, 16, 32)}
        for end in ("-le", "")
    )
    return dict(sizes), {"byte-order-mark": dict(marked)}


def _ratio(values: Values, _find: Find) -> tuple[Table, dict[str, Table]]:
    """Bytes per token of a text with trained merges, and the numbers of an unsigned integer of 16 bits."""
    rounds = BPERounds((bpe.utf8(word), count) for word, count in values["words"].items())
    merges = train(rounds, values["merges"], values["ties"])
    tokens = sum(len(bpe.encode(bpe.utf8(word), merges)) for word in values["text"].split())
    data = len(values["text"].replace(" ", "").encode())
    table: Table = {"bytes": data, "tokens": tokens, "bytes per token": data / tokens, "largest uint16": 2**16 - 1}
    return table, {"inverted": {**table, "bytes per token": tokens / data}}


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
