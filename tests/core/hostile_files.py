"""Files that cost much to read for their size, one for each way that a format offers, of any size.

Each maker gets a size in bytes and returns the files of an upload: one, or a file and its companion. Benchmarks measure
them at the size of the largest upload, tests at a fraction of it, and the fuzzers start from them at a few kilobytes.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import lzma
import struct
from collections.abc import Callable

import zstandard

from tests.core.hostile_tokenizer_json import (
    SLOW,
    Files,
    Maker,
    added_token,
    added_tokens,
    bpe_merges,
    character_map,
    doubling,
    growing,
    many_parts,
    nested,
    numbered,
    repeated,
    replace,
    sequence,
    slow_patterns,
    split,
    template,
    tokenizer_json,
    unigram,
    word_level,
    word_pieces,
)  # fmt: skip

__all__ = ["MAKERS", "Files", "Maker"]

# --- other formats ----------------------------------------------------------------------------------------------------


def field(number: int, content: bytes) -> bytes:
    """A field of a protocol buffer with a length."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """A number as protocol buffers write it."""
    low = []
    while value > 127:
        low.append(value & 127 | 128)
        value >>= 7
    return bytes([*low, value])


def piece(text: str, score: float = 0.0, kind: int = 1) -> bytes:
    """An entry of a SentencePiece model."""
    return field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18" + bytes([kind]))


_HEAD = piece("<unk>", kind=2)


def sentencepiece(pieces: Callable[[int], list[str]], model_type: int = 1) -> Maker:
    """A `.model` of these pieces."""
    trainer = field(2, b"\x18" + bytes([model_type]))
    return lambda size: (
        _HEAD + b"".join(piece(text, -float(at)) for at, text in enumerate(pieces(size))) + trainer,
    )  # fmt: skip


def sentencepiece_and(rest: Callable[[int], bytes]) -> Maker:
    """A small `.model` with something added."""
    return lambda size: (_HEAD + piece("a", -1.0) + rest(size - 40),)


def ranks(size: int, piece_of: Callable[[int], bytes] = b"%08d".__mod__, width: int = 20) -> Files:
    """A `.tiktoken` file: the bytes, then other pieces."""
    pieces = [
        *(bytes([byte]) for byte in range(256)),
        *map(piece_of, range(256, min(990_000, max(257, size // width)))),
    ]
    return (b"".join(base64.b64encode(piece) + b" %d\n" % at for at, piece in enumerate(pieces)),)


def long_ranks(size: int) -> Files:
    """A `.tiktoken` file with pieces of one letter, each one longer than the last."""
    longest = max(3, int((1.5 * size) ** 0.5) - 300)
    return ranks(size, lambda at: b"a" * (at - 254), width=max(1, size // (longest + 256)))


def tekken(size: int) -> Files:
    """A `tekken.json` with as many pieces as fit."""
    count = max(300, size // 75)
    pieces = [bytes([byte]) for byte in range(256)] + [b"%08d" % at for at in range(256, count)]
    vocabulary = [{"rank": at, "token_bytes": base64.b64encode(each).decode(), "token_str": None}
                  for at, each in enumerate(pieces)]  # fmt: skip
    config = {"pattern": "[^ ]+| +", "default_vocab_size": count + 10, "default_num_special_tokens": 10}
    return (json.dumps({"config": config, "vocab": vocabulary, "special_tokens": []}).encode(),)


def gpt2(size: int) -> Files:
    """A `vocab.json` and its `merges.txt`, with as many merges as fit into two files."""
    [whole] = bpe_merges(size, byte_level=True)
    model = json.loads(whole)["model"]
    merges = "".join(f"{left} {right}\n" for left, right in model["merges"])
    return json.dumps(model["vocab"], ensure_ascii=False).encode(), b"#version: 0.2\n" + merges.encode()


def minimal(size: int) -> Files:
    """Merges as nested lists, each of which doubles the piece before it."""
    merges = [[[97, 97] if at == 256 else [at - 1, at - 1], at] for at in range(256, 268)]
    merges += [[[97, at % 250], at] for at in range(268, max(269, min(400_000, size // 20)))]
    return (json.dumps({"merges": merges, "special_tokens": []}).encode(),)


def scores(size: int) -> Files:
    """Tokens and scores, as many as fit."""
    count = max(300, min(990_000, size // 22))
    tokens = [
        "<unk>",
        "<s>",
        "</s>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        *(f"{at:07d}" for at in range(count)),
    ]
    return (json.dumps({"tokens": tokens, "scores": [-at for at in range(len(tokens))]}).encode(),)


def counts(size: int) -> Files:
    """Counts of bigrams as JSON."""
    words = max(2, int((size / 13) ** 0.5))
    pairs = {f"{left} {right}": 1 for left in range(words) for right in range(words)}
    return (json.dumps({"type": "n-gram counts", "order": 2, "counts": [{}, pairs]}).encode(),)


def bombs(pack: Callable[[bytes], bytes]) -> Maker:
    """An archive of zero bytes a thousand times its size, or several behind each other."""
    return lambda size: ((one := pack(bytes(1 << 20))) * max(1, size // len(one)),)


TOKENIZER_JSON = '{"version":"1.0","model":'

MAKERS: dict[str, Maker] = {
    # tokenizer.json
    "JSON: lists in lists": repeated("[", TOKENIZER_JSON, most=1_400_000),
    "JSON: lists in lists, too many": repeated("[", TOKENIZER_JSON),
    "JSON: objects in objects": repeated('{"a":', TOKENIZER_JSON, most=1_400_000),
    "JSON: empty lists": repeated("[],", TOKENIZER_JSON + "[", "[]]}", most=990_000),
    "JSON: numbers": repeated("1234567,", TOKENIZER_JSON + "[", "1]}", most=2_990_000),
    "JSON: objects of one key": repeated('{"a":{}},', TOKENIZER_JSON + "[", "{}]}", most=590_000),
    "JSON: different keys": numbered('"{0:x}":0', TOKENIZER_JSON + "{", "}}", ",", most=2_990_000),
    "JSON: the same key": repeated('"a":1,', TOKENIZER_JSON + "{", '"b":1}}', most=2_990_000),
    "JSON: one number": repeated("1", TOKENIZER_JSON, "}"),
    "JSON: one fraction": repeated("1", TOKENIZER_JSON + "0.", "}"),
    "JSON: fractions": repeated("0.1234567890123456789e-9,", TOKENIZER_JSON + "[", "1]}"),
    "JSON: numbers of 4,000 digits": repeated("9" * 4000 + ",", TOKENIZER_JSON + "[", "1]}"),
    "JSON: one string": repeated("x", TOKENIZER_JSON + '"', '"}'),
    "JSON: one string of CJK and one emoji": repeated("研", TOKENIZER_JSON + '"😀', '"}'),
    "JSON: escapes": repeated("\\u0041", TOKENIZER_JSON + '"', '"}'),
    "JSON: pairs of surrogates": repeated("\\ud83d\\ude00", TOKENIZER_JSON + '"', '"}'),
    "JSON: backslashes, one surrogate": repeated("\\\\", TOKENIZER_JSON + '"\\ud83d\\ude00', '"}'),
    "JSON: white space": repeated(" ", TOKENIZER_JSON, "1}"),
    "WordLevel: words": word_level,
    "BPE: merges as lists": bpe_merges,
    "BPE: merges as texts": lambda size: bpe_merges(size, texts=True),
    "BPE: growing pieces": doubling,
    "WordPiece: growing pieces": word_pieces,
    "Unigram: growing pieces": unigram(growing),
    "Unigram: pieces": unigram(lambda size: [f"{at:08d}" for at in range(max(1, min(700_000, size // 25)))]),
    "added tokens": added_tokens(),
    "added tokens, normalized": added_tokens(normalized=True, special=False),
    "added tokens, growing": lambda size: tokenizer_json(
        added_tokens=[added_token(each, at + 3) for at, each in enumerate(growing(size))]
    ),
    "added token, long": lambda size: tokenizer_json(added_tokens=[added_token("a" * size, 3)]),
    "normalizers": many_parts("normalizer", "normalizers", {"type": "NFC"}),
    "normalizers in normalizers": nested("normalizers", {"type": "NFC"}),
    "pre-tokenizers in pre-tokenizers": nested("pretokenizers", {"type": "Whitespace"}),
    "post-processors in post-processors": nested("processors", {"type": "ByteLevel"}),
    "decoders in decoders": nested("decoders", {"type": "Fuse"}),
    "template": template,
    "character map": character_map,
    "pattern, long": lambda size: tokenizer_json(pre_tokenizer=split("a|" * (size // 2))),
    "pattern, long, one class": lambda size: tokenizer_json(pre_tokenizer=split("[" + "a" * size + "]")),
    "pattern, long, text": lambda size: tokenizer_json(normalizer=replace("a" * size, kind="String")),
    "pattern of a decoder, long": lambda size: tokenizer_json(decoder=replace("a|" * (size // 2))),
    "patterns, many": lambda size: tokenizer_json(
        pre_tokenizer=sequence(
            "pretokenizers", [split(f"[{'研' * 4_900}{at}]") for at in range(max(1, min(240, size // 15_000)))]
        )
    ),
    "patterns, slow and different": slow_patterns(160, different=True),
    "patterns, slow and equal": slow_patterns(160, different=False),
    "normalizers, slow": lambda size: tokenizer_json(normalizer=sequence("normalizers", [replace(SLOW)] * 160)),
    "decoders, slow": lambda size: tokenizer_json(decoder=sequence("decoders", [replace(SLOW)] * 160)),
    # SentencePiece
    "SentencePiece: pieces": sentencepiece(
        lambda size: [f"{at:06d}" for at in range(max(1, min(990_000, size // 18)))]
    ),
    "SentencePiece: growing pieces": sentencepiece(growing),
    "SentencePiece: growing pieces, BPE": sentencepiece(growing, 2),
    "SentencePiece: empty pieces": repeated(b"\n\x00", (_HEAD + piece("a")).decode("latin-1")),
    "SentencePiece: unknown fields": sentencepiece_and(lambda size: b"\xf8\x07\x01" * (size // 3)),
    "SentencePiece: groups in groups": sentencepiece_and(lambda size: b"\xfb\x07" * (size // 2)),
    "SentencePiece: trainers": sentencepiece_and(lambda size: b"\x12\x02\x18\x01" * (size // 4)),
    "SentencePiece: wrong length": sentencepiece_and(lambda size: b"\n\xff\xff\xff\xff\x07" + bytes(size)),
    "SentencePiece: one long piece": sentencepiece_and(lambda size: piece("a" * size)),
    "SentencePiece: character map": sentencepiece_and(
        lambda size: field(3, field(2, struct.pack("<I", size // 1024 * 1024) + b"\xff\x03\0\0" * (size // 4) + b"a\0"))
    ),
    # ranks
    ".tiktoken: pieces": ranks,
    ".tiktoken: growing pieces": long_ranks,
    ".tiktoken: one long line": lambda size: (ranks(0)[0] + b"YWFh" * (size // 4) + b" 400\n",),
    ".tiktoken: carriage returns": lambda size: (ranks(0)[0] + b"\r" * size,),
    ".tiktoken: a rank of many digits": lambda size: (ranks(0)[0] + b"YWFh " + b"9" * size + b"\n",),
    "tekken.json: pieces": tekken,
    # text
    "vocab.txt: pieces": numbered("piece{0:015d}\n", "[UNK]\n", most=990_000),
    "vocab.txt: one line": repeated("x", "[UNK]\n"),
    "vocab.txt: spaces": repeated(" ", "[UNK]", "x"),
    "vocab.txt: line ends": repeated("\n", "[UNK]", "x"),
    "vocab.txt: growing pieces": lambda size: ("\n".join(["[UNK]", *growing(size)]).encode(),),
    "codes: merges": numbered("a{0:07d} b</w>\n", "#version: 0.2\n", most=990_000),
    "codes: one line": repeated("a", "#version: 0.2\n", " b</w>"),
    "codes: marks": repeated("</w>", "#version: 0.2\n", " "),
    "dictionary: words": numbered("word{0:012d} 1\n", most=990_000),
    "dictionary: one line": repeated("研究"),
    "dictionary: line ends": repeated("\n"),
    "dictionary: carriage returns": repeated("a\r", "a 1\n"),
    "dictionary: commas": repeated(","),
    "dictionary: lines of commas": repeated("a,1,,,,,,,,,,,,,,,\n"),
    "dictionary: quotes": repeated('"', "a,1\n"),
    "dictionary: wrong lines": repeated("It is a truth universally acknowledged\n"),
    "dictionary: spaces": repeated(" ", "a", "b c d 1\nx y 2\n"),
    "dictionary: control characters": repeated("\x01\n"),
    "zero bytes": repeated(b"\0"),
    "GPT-2: merges": gpt2,
    "GPT-2: lines of spaces": lambda size: (gpt2(1000)[0], b"#version: 0.2\n" + b" \n" * (size // 2)),
    "minimal BPE": minimal,
    "scores": scores,
    "counts as JSON": counts,
    "counts as text": numbered("a {0:07d} 1\n", most=990_000),
    "counts: line separators": repeated("\u2028", "a b 1\n"),
    # archives
    "gzip": bombs(gzip.compress),
    "bzip2": bombs(bz2.compress),
    "xz": bombs(lzma.compress),
    "zstd": bombs(zstandard.ZstdCompressor().compress),
}
"""By name: what is in the file, and what there is too much of."""
