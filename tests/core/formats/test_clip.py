"""Byte-level BPE whose last byte has a suffix, as CLIP's: pieces are bytes, ids and offsets those of `tokenizers`."""

import json
from collections.abc import Iterator

import pytest
from tokenizers import Tokenizer as Original

from tests.core.texts import CORPUS, HARD
from webapp.core.analysis.token_list import TokenList
from webapp.core.expansion.expand import expand
from webapp.core.formats import huggingface, minimal_bpe, tiktoken_encoding, vocab_json
from webapp.core.formats.reading import FormatError
from webapp.core.inference import infer
from webapp.core.models.bpe import BPE
from webapp.core.recipes import BYTE_BPE
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.traces.merging import EndStep, MergeStep, merging_steps, traced_words
from webapp.core.traces.piece_tree import piece_tree
from webapp.core.trainers.bpe import train_bytes

TEXTS = [*HARD, "a photo of low lower lowest, 研究生命", "LOW low!! 12"]


def document() -> str:
    """Return a file in CLIP's order: the bytes, those that end a word, then what merges make of both."""
    trained = train_bytes(BYTE_BPE.count(CORPUS), 400).model
    spelled = [bytes_to_characters(bytes(piece)) for piece in trained.pieces]
    single = spelled[:256]
    names = [*single, *(name + "</w>" for name in single)]
    merges = []
    for left, right in trained.merges:
        for end in ("", "</w>"):
            if spelled[left] in names and spelled[right] + end in names:
                merges.append([spelled[left], spelled[right] + end])
                names.append(spelled[left] + spelled[right] + end)
    names = list(dict.fromkeys([*names, "<|startoftext|>", "<|endoftext|>"]))
    pattern = r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": True}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [{"id": names.index(name), "content": name, **special} for name in names[-2:]],
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [
                    {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True},
                    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
                ],
            },
            "post_processor": None,
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {
                "type": "BPE",
                "unk_token": "<|endoftext|>",
                "continuing_subword_prefix": "",
                "end_of_word_suffix": "</w>",
                "fuse_unk": False,
                "byte_fallback": False,
                "vocab": {name: id for id, name in enumerate(names)},
                "merges": merges,
            },
        }
    )


DOCUMENT = document()
TOKENIZER = huggingface.read(DOCUMENT)
assert isinstance(TOKENIZER.model, BPE)
MODEL: BPE = TOKENIZER.model
AGAIN = huggingface.read(huggingface.write(TOKENIZER))
ORIGINAL = Original.from_str(DOCUMENT)


@pytest.mark.parametrize("text", TEXTS)
def test_ids_and_offsets_are_those_of_tokenizers(text: str) -> None:
    expected = ORIGINAL.encode(text, add_special_tokens=False)
    found = TOKENIZER.encode(text, special=True)
    assert list(found.ids) == expected.ids
    assert list(zip(found.starts, found.ends, strict=True)) == expected.offsets
    assert AGAIN.ids(text) == TOKENIZER.ids(text)
    assert Original.from_str(huggingface.write(TOKENIZER)).encode(text, add_special_tokens=False).ids == expected.ids


def test_pieces_are_bytes_and_say_what_they_stand_for() -> None:
    tokens = TokenList(TOKENIZER)
    assert MODEL.byte_level
    word = next(id for id, piece in enumerate(MODEL.pieces) if len(piece) > 7 and bytes(piece).endswith(b"</w>"))
    text = bytes(MODEL.pieces[word]).removesuffix(b"</w>").decode()
    assert (tokens.texts[word], tokens.written[word]) == (f"{text} ", f"{text}</w>")
    assert tokens.texts[MODEL.id_of(b"a") or 0] == "a"
    assert tokens.texts[MODEL.id_of(b"\xe7") or 0] is None
    assert word in tokens.find(text)


def words() -> Iterator[str]:
    for text in TEXTS:
        for part, token in TOKENIZER.parts(text):
            if token is None and TOKENIZER.pretokenizer:
                yield from TOKENIZER.pretokenizer.split(part.text)


def test_steps_and_trees_show_the_same_tokens() -> None:
    for word in words():
        shown = []
        for traced in traced_words(MODEL, word):
            *_, last = merging_steps(MODEL, traced)
            assert isinstance(last, EndStep)
            shown += last.ids
        assert tuple(shown) == tuple(MODEL.ids(word))
    for id, piece in enumerate(MODEL.pieces[512:700], 512):
        tree = piece_tree(MODEL, id)
        if not piece.startswith(b"<|"):  # type: ignore[arg-type]
            assert tree is not None
            assert [node.piece for node in tree.tokens] == [piece]
    traced = traced_words(MODEL, bytes(MODEL.pieces[-3]).decode(errors="ignore").removesuffix("</w>"))
    assert any(isinstance(step, MergeStep) for step in merging_steps(MODEL, traced[0]))


@pytest.mark.parametrize("name", ["longest", "fewest", "dropout"])
def test_other_inferences_end_words_with_the_suffix(name: str) -> None:
    inferred = infer(TOKENIZER, name)
    for word in words():
        pieces = [bytes(MODEL.pieces[id]) for id, *_ in inferred.model.segment(word)]
        assert b"".join(pieces) == word.encode() + b"</w>" * bool(word)
        assert all(not piece.endswith(b"</w>") for piece in pieces[:-1])


def test_it_can_be_expanded_and_other_files_refuse_it() -> None:
    expansion = expand(TOKENIZER, ["tokenscope"])
    assert [bytes(expansion.tokenizer.model.pieces[id]) for id in expansion.tokenizer.ids("tokenscope")] == [
        b"tokenscope</w>"
    ]
    for write in (vocab_json.write, minimal_bpe.write, tiktoken_encoding.write):
        with pytest.raises(FormatError):
            write(TOKENIZER)
