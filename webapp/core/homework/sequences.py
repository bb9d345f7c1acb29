"""Judges what is one row: tokens, ids, a text, tags, a string of bytes; and the longest piece of a vocabulary."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from webapp.core.homework import computed, verdicts
from webapp.core.homework.files import HandedIn, bytes_of
from webapp.core.homework.readers import read_bytes, read_ids, read_tags, read_tokens
from webapp.core.homework.rounds import Piece, shown_piece
from webapp.core.homework.segmentations import Segmenting, segmentation_link
from webapp.core.homework.training import Training, unigram_link
from webapp.core.homework.verdicts import AnswerError, Note, PlaceKind, Side, Verdict, first_difference, rows_around
from webapp.core.reference import bpe, wordpiece
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.viterbi import viterbi_trace
from webapp.core.vocabulary_error import Phrase

Values = Mapping[str, Any]
Texts = Mapping[str, str]
Find = Callable[[str], Tokenizer]
SCHEMES = ("BMES", "BIES", "BIE", "BI")
"""Tags of characters: of the first, the middle and the last of a word, and of a word of one character."""


def judged(
    mine: Sequence[str],
    right: Sequence[str],
    kind: PlaceKind,
    *,
    rules: Mapping[str, Sequence[str]] | None = None,
    reasons: Mapping[str, Sequence[str]] | None = None,
    notes: Sequence[Note] = (),
    labels: Sequence[str] = (),
    why: str = "",
) -> Verdict:
    """The verdict on a row of texts.

    `rules` are other right answers by the names of their rules, `reasons` wrong ones by the codes of what leads to
    them; `why` is the code if no other answer fits.
    """
    place = first_difference(mine, right)
    agreeing = sum(one == other for one, other in zip(mine, right, strict=False))
    if place is None:
        return Verdict("right", kind, agreeing, len(right), notes=notes)
    rule = next((name for name, other in (rules or {}).items() if list(other) == list(mine)), "")
    why = next((code for code, other in (reasons or {}).items() if list(other) == list(mine)), why)
    if not why:
        why = "missing" if place > len(mine) else "too-many" if place > len(right) else ""
    return Verdict(
        "other-rule" if rule else "wrong",
        kind,
        agreeing,
        len(right),
        place=place,
        label=labels[place - 1] if place <= len(labels) else "",
        why="" if rule else why,
        rule=rule,
        yours=Side(mine[place - 1]) if place <= len(mine) else None,
        right=Side(right[place - 1]) if place <= len(right) else None,
        rows=rows_around(mine, right, place, labels),
        notes=notes,
    )


def _pieces(values: Values) -> list[str]:
    """The pieces of WordPiece after the exercise's merges."""
    training = Training.of(values, {})
    return [*training.alphabet, *map(training.joined, training.every)]


def encoded(values: Values, find: Find) -> list[Piece]:
    """The tokens of an exercise's text."""
    text = values["text"]
    if "vocabulary" in values:
        tokenizer = find(values["vocabulary"])
        return [tokenizer.decoded_piece(id) for id in tokenizer.ids(text, special=True)]
    if "unigram" in values:
        return list(computed.unigram_path(text, values))
    if values.get("symbols") == "wordpiece":
        pieces = _pieces(values)
        return [token for word in text.split() for token in wordpiece.encode(word, pieces)]
    training = Training.of(values, {})
    known = set(training.alphabet)
    tokens: list[Piece] = []
    for part in _parts(text, training):
        if part in training.specials:
            tokens.append(part)
            continue
        symbols = [symbol if symbol in known else "[UNK]" for symbol in training.spell(part)]
        tokens += bpe.encode(symbols, training.every)
    return tokens


def _parts(text: str, training: Training) -> Iterator[str]:
    for at, between in enumerate(text.split(training.specials[0]) if training.specials else [text]):
        if at:
            yield training.specials[0]
        yield from training._split(between)


def ids_of(values: Values, find: Find) -> list[int]:
    """The ids of an exercise's text: those of a published vocabulary, of `pieces`, or bytes first and then merges."""
    if "vocabulary" in values:
        return list(find(values["vocabulary"]).ids(values["text"], special=True))
    tokens = encoded(values, find)
    if "pieces" in values:
        numbered: dict[Piece, int] = {piece.encode(): id for id, piece in enumerate(values["pieces"])}
    else:
        training = Training.of(values, {})
        ordered = [*training.alphabet, *map(training.joined, training.every), *training.specials]
        numbered = {piece: id for id, piece in reversed(list(enumerate(ordered)))}
    return [numbered[token] for token in tokens]


def judge_tokens(values: Values, _texts: Texts, text: str, find: Find) -> Verdict:
    """The verdict on the tokens of a text."""
    right = [shown_piece(token) for token in encoded(values, find)]
    mine = [shown_piece(token.replace("Ġ", " ").replace("▁", " ")) for token in read_tokens(text)]
    notes = []
    if mine != right and mine == [token.strip("␣") for token in right]:
        notes, mine = [Note("spaces-left-out")], right
    reasons: dict[str, Sequence[str]] = {}
    why = ""
    if values.get("symbols") == "wordpiece":
        words = list(map(wordpiece.split, values["text"].split()))
        for pair in Training.of(values, {}).every:
            words = [wordpiece.merge(word, pair) for word in words]
        reasons["merges-not-longest"] = [token for word in words for token in word]
        reasons["no-prefix"] = [token.removeprefix("##") for token in right]
        known = {*_pieces(values), "[UNK]"}
        why = "not-in-vocabulary" if any(token not in known for token in mine) else ""
    rules: dict[str, Sequence[str]] = {}
    if "unigram" in values:
        rules = {"equal-probability": mine} if mine in computed.unigram_ties(values["text"], values) else {}
        why = "less-probable" if set(mine) <= set(values["unigram"]) else "not-in-vocabulary"
    spelled = "".join(mine).replace("##", "")
    if spelled != shown_piece(values["text"]).replace("␣" if values.get("split") == "spaces" else "\0", ""):
        why = "other-text"
    verdict = judged(mine, right, "token", rules=rules, reasons=reasons, notes=notes, why=why)
    return _linked(verdict, values, find)


def _linked(verdict: Verdict, values: Values, find: Find) -> Verdict:
    """The verdict with a link to what makes the first token that differs, or the last one of too many."""
    if verdict.place is None:
        return verdict
    if "unigram" in values:
        return replace(verdict, link=unigram_link(values["words"], values["text"]))
    token = min(verdict.place, verdict.total) - 1
    if "vocabulary" in values:
        shown = {"algorithm": "bpe", "vocabulary": values["vocabulary"], "text": values["text"]}
        return replace(verdict, link=verdicts.Link("steps", {**shown, "special": 1, "token": token}))
    training = Training.of(values, {})  # WordPiece takes the longest piece of all, whichever round made it
    piece = "" if training.symbols == "wordpiece" else encoded(values, find)[token]
    return replace(verdict, link=training.link_to(piece, values["text"]))


def judge_ids(values: Values, _texts: Texts, text: str, find: Find) -> Verdict:
    """The verdict on the ids of a text."""
    right, mine = ids_of(values, find), read_ids(text)
    reasons: dict[str, Sequence[str]] = {}
    if "specials" in values:
        reasons["special-as-text"] = list(map(str, ids_of({**values, "specials": ()}, find)))
    if "vocabulary" in values:
        plain = find(values["vocabulary"]).ids(values["text"])
        reasons["special-as-text"] = list(map(str, plain))
        if values.get("shuffled"):  # minbpe's step 3: merges over the bytes as they are, without GPT-4's order
            reasons["not-shuffled"] = list(map(str, computed.unshuffled(find(values["vocabulary"]), right)))
    return _linked(judged(list(map(str, mine)), list(map(str, right)), "id", reasons=reasons), values, find)


def judge_text(values: Values, _texts: Texts, text: str, _find: Find) -> Verdict:
    """The verdict on a decoded text, character by character."""
    right, mine = decoded(values), text.strip("\n")
    alone = "".join(piece.decode(errors="replace") for piece in _decoding(values))
    reasons = {"no-replacement": list(right.replace("\ufffd", "")), "one-by-one": list(alone)}
    return judged(list(mine), list(right), "character", reasons=reasons)


def decoded(values: Values) -> str:
    """The text of an exercise's ids, which are bytes, or places in its `pieces`."""
    return bpe.decode_bytes(_decoding(values))


def _decoding(values: Values) -> list[bytes]:
    pieces = [piece.encode() for piece in values.get("pieces", ())] or [bytes([byte]) for byte in range(256)]
    return [pieces[id] for id in values["ids"]]


def tags_of(words: Sequence[str], scheme: str) -> list[str]:
    """The tags of characters for words.

    >>> tags_of(["和", "尚未", "研究生"], "BMES"), tags_of(["和", "尚未"], "BI")
    (['S', 'B', 'E', 'B', 'M', 'E'], ['B', 'B', 'I'])
    """
    middle, last = ("M" if "M" in scheme else "I"), ("E" if "E" in scheme else "I")
    single = "S" if "S" in scheme else "B"
    tags = []
    for word in words:
        tags += [single] if len(word) == 1 else ["B", *middle * (len(word) - 2), last]
    return tags


def _right_tags(values: Values, texts: Texts) -> tuple[str, dict[str, list[str]]]:
    """The observations, and their tags by the schemes of the exercise."""
    if "observed" in values:
        tables = computed.hmm_of(values)
        return "".join(tables.observed), {"".join(tables.states): list(viterbi_trace(tables).states)}
    lines = Segmenting.of(values, texts).right if "method" in values else [values["words"].split()]
    words = [word for line in lines for word in line]
    return "".join(words), {scheme: tags_of(words, scheme) for scheme in SCHEMES}


def judge_tags(values: Values, texts: Texts, text: str, _find: Find) -> Verdict:
    """The verdict on a row of tags, which may be those of another scheme."""
    observed, schemes = _right_tags(values, texts)
    mine = read_tags(text, "".join(schemes))
    right = next(iter(schemes.values()))
    verdict = judged(mine, right, "tag", rules=schemes, labels=list(observed))
    if verdict.place and "observed" in values:
        return replace(verdict, link=computed.hmm_link(values, len(observed) + 1))
    if verdict.place and "words" in values:
        link = verdicts.Link("training", {"algorithm": "tagger", "corpus": values["words"], "step": 0}, whole=True)
        return replace(verdict, link=link)
    if not verdict.place or "method" not in values:
        return verdict
    wanted = Segmenting.of(values, texts)
    words = [(line, at) for line, each in enumerate(wanted.right) for at, word in enumerate(each) for _ in word]
    return replace(verdict, link=segmentation_link(wanted, *words[min(verdict.place, verdict.total) - 1]))


def judge_bytes(values: Values, _texts: Texts, text: str, _find: Find) -> Verdict:
    """The verdict on a string of bytes with some property, of which there are many."""
    given = read_bytes(text)
    why = _PROPERTIES[values["property"]](given)
    mine, example = (Side(_hexadecimal(each)) for each in (given, example_bytes(values)))
    if not why:
        return Verdict("right", "character", 1, 1, yours=mine)
    return Verdict("wrong", "character", 0, 1, place=1, why=why, yours=mine, right=example)


def _hexadecimal(data: bytes) -> str:
    return data[:40].hex(" ").upper()


def _undecodable(data: bytes) -> str:
    """Why two bytes are not what is asked for: the code of a sentence, empty if they are."""
    return "not-two-bytes" if len(data) != 2 else "decodes" if _decodes(data) else ""


def _wrongly_decoded(data: bytes) -> str:
    if not _decodes(data):
        return "not-utf8"
    return "" if any(byte > 127 for byte in data) else "ascii-works"


def _decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


_PROPERTIES: Mapping[str, Callable[[bytes], str]] = {"undecodable": _undecodable, "wrongly-decoded": _wrongly_decoded}


def example_bytes(values: Values) -> bytes:
    """The first two bytes that have the property that is asked for."""
    test = _PROPERTIES[values["property"]]
    return next(bytes(pair) for pair in product(range(0xC3, 256), range(0x28, 256)) if not test(bytes(pair)))


def judge_longest(values: Values, handed: HandedIn, token: str) -> Verdict:
    """The verdict on a vocabulary's size and its longest token, which is typed beside the file."""
    if handed.vocabulary is None:
        raise AnswerError(Phrase("Hand in the vocabulary: a JSON file with an id for each piece."))
    if not token.strip():
        raise AnswerError(Phrase("Type the longest token next to the file of the vocabulary."))
    convert = bytes_of([piece for piece in handed.vocabulary if isinstance(piece, str)], [])
    pieces = [convert(piece) for piece in handed.vocabulary if piece not in values["specials"]]
    longest = max(map(len, pieces))
    right = sorted(shown_piece(piece).strip("␣") for piece in pieces if len(piece) == longest)
    typed = shown_piece(token.strip("'\"\n").replace("Ġ", " ")).strip("␣")
    size, most = len(handed.vocabulary), values["size"]
    notes = [Note("corpus-unknown")] + ([Note("several-longest", {"count": len(right)})] if len(right) > 1 else [])
    if size != most:
        yours, its = Side(str(size), size), Side(str(most), most)
        return Verdict("wrong", "piece", 0, 2, place=1, why="size", yours=yours, right=its, notes=notes)
    if typed not in right:
        yours, its = Side(typed, len(typed)), Side(right[0], longest)
        return Verdict("wrong", "piece", 1, 2, place=2, why="not-longest", yours=yours, right=its, notes=notes)
    return Verdict("right", "piece", 2, 2, notes=notes)


def written_tokens(values: Values, _texts: Texts, find: Find) -> str:
    """The right tokens as a text that the reader accepts."""
    return " ".join(map(shown_piece, encoded(values, find)))


def written_ids(values: Values, _texts: Texts, find: Find) -> str:
    """The right ids."""
    return " ".join(map(str, ids_of(values, find)))


def written_text(values: Values, _texts: Texts, _find: Find) -> str:
    """The right text."""
    return decoded(values)


def written_tags(values: Values, texts: Texts, _find: Find) -> str:
    """The right tags."""
    return " ".join(next(iter(_right_tags(values, texts)[1].values())))


def written_bytes(values: Values, _texts: Texts, _find: Find) -> str:
    """An example of the right bytes."""
    return _hexadecimal(example_bytes(values))
