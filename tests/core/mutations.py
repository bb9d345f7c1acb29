"""Damaged files: bytes cut, flipped and duplicated; members of a JSON document moved or replaced."""

from contextlib import suppress
from copy import deepcopy
from random import Random
from typing import Any

from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.text.split_patterns import PatternTimeoutError
from webapp.core.tokenizer import Tokenizer

# A line on which every part of a pipeline has an effect.
TEXT = "Un affable[UNK] <s>café e\u0301ﬁ 研究!\r\n\t 12345 ▁ĠÃ©\x00\u3000👩‍👩‍👧 the universally don't\ufeff"

# Values to put in the place of others.
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
    """Flip, drop, duplicate or move a few bytes, or cut off the end of the file."""
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
    """Replace, swap, duplicate or remove a few members of a JSON document."""
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
    """Return a random member of a document: its container, and its name or index there."""
    inside, key = None, None
    found = document
    while isinstance(found, dict | list) and found:
        inside, key = found, random.choice(list(found)) if isinstance(found, dict) else random.randrange(len(found))
        found = found[key]
        if random.random() < 0.15:
            break
    return inside, key


def reduced(document: dict[str, Any], size: int) -> dict[str, Any]:
    """Cut a `tokenizer.json` down to the first pieces of its vocabulary and the merges among them."""
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
        pairs = [merge.split(" ") if isinstance(merge, str) else merge for merge in model["merges"]]
        model["merges"] = [pair for pair in pairs if {*pair, "".join(pair)} <= model["vocab"].keys()]
    return document


def read_or_refused(*content: Any) -> str | None:
    """Return the message a file is refused with, or None if it is read; a file that is read must encode and decode."""
    try:
        tokenizer = recognize(*content).tokenizer
    except FormatError as error:
        sentence = str(error)
        assert 5 < len(sentence) < 400, sentence
        assert len(sentence.splitlines()) == 1, sentence
        assert not any(word in sentence for word in ("Traceback", "Error", "NoneType")), sentence
        return sentence
    with suppress(PatternTimeoutError):
        check_use(tokenizer, TEXT)
        assert list(tokenizer.encode("").ids) == tokenizer.ids("")
    return None


def check_use(tokenizer: Tokenizer, text: str) -> None:
    """Encode and decode a text."""
    encoding = tokenizer.encode(text, special=True, template=True)
    assert list(encoding.ids) == tokenizer.ids(text, special=True, template=True)
    assert len(encoding.starts) == len(encoding.ends) == len(encoding.ids) == len(list(encoding))
    assert all(0 <= start <= end <= len(text) for start, end in zip(encoding.starts, encoding.ends, strict=True))
    for skip in (True, False):
        assert isinstance(tokenizer.decode(encoding.ids, skip_special=skip), str)
