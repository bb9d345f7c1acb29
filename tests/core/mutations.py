"""Files changed for the worse: bytes cut, flipped and doubled, members of a JSON moved or made something else."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

from webapp.core.formats.fields import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.text.split_patterns import PatternTimeoutError

# A line with something for every part of a pipeline to do.
TEXT = "Un affable[UNK] <s>café e\u0301ﬁ 研究!\r\n\t 12345 ▁ĠÃ©\x00\u3000👩‍👩‍👧 the universally don't\ufeff"

# What stands where something else was to stand.
STRANGERS: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**32, 2**63, 2**64, 10**30, 1.5, -0.0, 1e308, -1e308, "", "a", " ", "\x00",
    "▁", "\ud800", "##", "</w>", "<unk>", "x" * 5000, [], {}, [[]], [None], ["a", "b", "c"], {"": None},
    {"type": "Sequence"}, {"String": ""}, {"Regex": ""}, {"Regex": "("}, {"Regex": "(a+)+$"}, {"Regex": "(?=a)|$"},
    {"Regex": r"\p{Nonsense}"}, {"Regex": r"(?<=a+)b"}, {"Regex": r"(\w+\s?)+!"}, {"Regex": "[[a-z]&&[^b]]"},
    {"Regex": "(?R)?"}, {"Regex": "a{99999999}"}, {"Regex": "(?:a{1000}){1000}"}, {"Regex": "x" * 5000},
]  # fmt: skip
WORDS = [
    "BPE", "WordPiece", "Unigram", "WordLevel", "Sequence", "ByteLevel", "Split", "Replace", "Metaspace", "Precompiled",
    "Removed", "Isolated", "MergedWithNext", "Contiguous", "first", "always", "never", "String", "Regex", "Strip",
    "CTC", "Fuse", "ByteFallback", "BPEDecoder", "TemplateProcessing", "RobertaProcessing", "BertProcessing",
    "Whitespace", "Punctuation", "Digits", "UnicodeScripts", "Prepend", "Nmt", "FixedLength", "CharDelimiterSplit",
    "BertNormalizer", "NFKC", "StripAccents", "A", "B",
]  # fmt: skip


def mutated_bytes(content: bytes, random: Random) -> bytes:
    """A few bytes flipped, dropped, doubled or moved, or the end of the file gone."""
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(content) + 1)
        length = random.choice([1, 1, 2, 8, 100, 2000])
        match random.randrange(5):
            case 0:
                content = content[:at]
            case 1:
                flipped = bytes(byte ^ 1 << random.randrange(8) for byte in content[at : at + 1])
                content = content[:at] + flipped + content[at + 1 :]
            case 2:
                content = content[:at] + content[at + length :]
            case 3:
                content = content[:at] + content[at : at + length] * 2 + content[at + length :]
            case _:
                to = random.randrange(len(content) + 1)
                content = content[:at] + content[to : to + length] + content[at:]
    return content


def mutated_document(document: Any, random: Random) -> Any:
    """A JSON document with a few members replaced, swapped, doubled or gone."""
    changed = deepcopy(document)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        inside, key = _place(changed, random)
        match random.randrange(6):
            case 0:
                del inside[key]
            case 1:
                other, other_key = _place(changed, random)
                inside[key], other[other_key] = deepcopy(other[other_key]), deepcopy(inside[key])
            case 2 if isinstance(inside, list):
                inside.insert(key, deepcopy(inside[key]))
            case 3 if isinstance(inside[key], str):
                inside[key] = random.choice(WORDS)
            case 4 if isinstance(inside[key], int) and not isinstance(inside[key], bool):
                inside[key] = random.choice([inside[key] + 1, inside[key] - 1, -inside[key], 0, 2**31])
            case _:
                inside[key] = deepcopy(random.choice(STRANGERS))
        if not changed or not isinstance(changed, dict | list):
            return changed
    return changed


def _place(document: Any, random: Random) -> tuple[Any, Any]:
    """A member somewhere in a document: what it stands in, and its name or index there."""
    inside, key = None, None
    found = document
    while isinstance(found, dict | list) and found:
        inside, key = found, random.choice(list(found)) if isinstance(found, dict) else random.randrange(len(found))
        found = found[key]
        if random.random() < 0.15:
            break
    return inside, key


def written(document: Any) -> bytes:
    """The document as a file."""
    return json.dumps(document).encode()


def reduced(document: dict[str, Any], size: int) -> dict[str, Any]:
    """A `tokenizer.json` with the first pieces of its vocabulary and the merges among them: all else is as it was."""
    document = deepcopy(document)
    model = document["model"]
    if isinstance(model["vocab"], dict):
        kept = sorted(model["vocab"].items(), key=lambda item: item[1])[:size]
        kept += [(token["content"], token["id"]) for token in document["added_tokens"]]
        names = dict.fromkeys(name for name, _ in kept)
        model["vocab"] = {name: id for id, name in enumerate(names)}
        for token in document["added_tokens"]:
            token["id"] = model["vocab"][token["content"]]
    else:
        model["vocab"] = model["vocab"][:size]
    if "merges" in model:
        known = set(model["vocab"])
        pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
        model["merges"] = [
            merge for merge, pair in zip(model["merges"], pairs, strict=True) if {*pair, "".join(pair)} <= known
        ]
    return document


def read_or_refused(*content: Any) -> str | None:
    """The sentence that a file is refused with; None where it is read, and then it also encodes and decodes."""
    try:
        tokenizer = recognize(*content).tokenizer
    except FormatError as error:
        sentence = str(error)
        assert 5 < len(sentence) < 400, sentence
        assert len(sentence.splitlines()) == 1, sentence
        assert not any(word in sentence for word in ("Traceback", "Error", "NoneType")), sentence
        return sentence
    try:
        encoding = tokenizer.encode(TEXT, special=True, template=True)
        assert list(encoding.ids) == tokenizer.ids(TEXT, special=True, template=True)
        assert len(encoding.starts) == len(encoding.ends) == len(encoding.ids)
        assert all(0 <= start <= end <= len(TEXT) for start, end in zip(encoding.starts, encoding.ends, strict=True))
        assert isinstance(tokenizer.decode(encoding.ids), str)
        assert isinstance(tokenizer.decode(encoding.ids, skip_special=True), str)
        assert len(list(encoding)) == len(encoding.ids)
        assert list(tokenizer.encode("").ids) == tokenizer.ids("")
    except PatternTimeoutError:
        pass
    return None
