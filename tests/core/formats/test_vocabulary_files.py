"""Files of merges, pieces and scores: what each holds, and the same ids as in the original libraries."""

import json
from functools import cache
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair, pair_of
from tests.core.sentencepieces import trained
from tests.core.small_files import RANKS, tekken_file
from tests.core.texts import any_text
from webapp.core.formats import subword_nmt, tekken, tokens_and_scores, vocab_json, vocab_txt
from webapp.core.formats.recognize import recognize
from webapp.core.reference.bpe import characters, encode_everywhere
from webapp.core.text import split_patterns
from webapp.core.tokenizer import Tokenizer


@pytest.fixture(scope="module", params=["wordpiece", "wordpiece_lowercase", "byte_bpe"])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Pair, list[bytes]]:
    """A vocabulary that `tokenizers` trained, our reading of its `vocab.txt` or `vocab.json`, and the files."""
    theirs = pair_of(request.param).theirs
    files = [Path(file).read_bytes() for file in theirs.model.save(str(tmp_path_factory.mktemp("saved")))]
    return Pair(recognize(*files).tokenizer, theirs), files


@given(text=any_text)
def test_a_saved_vocabulary_equals_tokenizers(saved: tuple[Pair, list[bytes]], text: str) -> None:
    pair, _files = saved
    pair.assert_same(text)
    pair.assert_decoded(pair.ours.ids(text))


def test_a_saved_vocabulary_is_written_unchanged(saved: tuple[Pair, list[bytes]]) -> None:
    (ours, *_), files = [saved[0].ours], [file.decode() for file in saved[1]]
    if len(files) == 1:
        assert [vocab_txt.write(ours)] == files
    else:
        vocabulary, merges = vocab_json.write(ours)
        assert (json.loads(vocabulary), merges) == (json.loads(files[0]), files[1])


def test_vocab_txt_line_ends_and_letter_case() -> None:
    assert vocab_txt.read("[UNK]\r\nlow\r\n##er\r\n").ids("lower") == [1, 2]
    assert vocab_txt.read("[UNK]\nlow\n", lowercase=False).ids("Low") == [0]
    assert vocab_txt.read("[UNK]\nlow\n").ids("Low") == [1]
    assert vocab_txt.read("[UNK]\nlow\nLow\n").ids("Low") == [2]


# --- tekken.json

OURS = tekken.read(tekken_file())
MISTRALS = tiktoken.Encoding(
    "tekken",
    pat_str=split_patterns.TEKKEN,
    mergeable_ranks={piece: rank for rank, piece in enumerate(RANKS[:600])},
    special_tokens={},
)


@given(text=any_text)
def test_tekken_equals_tiktoken(text: str) -> None:
    """Mistral's reader is `tiktoken` with the first ids reserved for special tokens."""
    ids = [id + 100 for id in MISTRALS.encode_ordinary(text)]
    assert OURS.ids(text) == ids
    assert OURS.decode(ids) == text


def test_special_tokens_of_tekken() -> None:
    assert OURS.ids("<s>a<SPECIAL_99>", special=True) == [1, 100 + 97, 99]
    assert OURS.decode([1, 197], skip_special=True) == "a"
    assert len(OURS.special_tokens) == 100
    unnamed = tekken.read(tekken_file(special_tokens=None))
    names = {"<unk>": 0, "[INST]": 3, "[TOOL_CONTENT]": 19, "<SPECIAL_20>": 20}
    assert names.items() <= unnamed.special_tokens.items()


# --- subword-nmt's codes


def plainly(word: str, codes: dict[tuple[str, str], int], version: str) -> list[str]:
    """Return what `apply_bpe.py` prints for a word: its pieces without the end-of-word mark."""
    if len(word) == 1:
        return [word]
    pieces = encode_everywhere(characters(word, glued=version != "0.1"), sorted(codes, key=codes.__getitem__))
    return [piece.removesuffix("</w>") for piece in pieces if piece != "</w>"]


@st.composite
def codes(draw: st.DrawFn) -> tuple[str, dict[tuple[str, str], int], str]:
    """Draw a file, its merges by rank, and its version: pairs that are adjacent in some word, in any order."""
    version = draw(st.sampled_from(["0.1", "0.2"]))
    merges: dict[tuple[str, str], int] = {}
    for word in draw(st.lists(st.text("abcd", min_size=2, max_size=8), min_size=1, max_size=8)):
        symbols = [*word, "</w>"] if version == "0.1" else [*word[:-1], word[-1] + "</w>"]
        while len(symbols) > 1 and draw(st.booleans()):
            at = draw(st.integers(0, len(symbols) - 2))
            merges.setdefault((symbols[at], symbols[at + 1]), 0)
            symbols[at : at + 2] = ["".join(symbols[at : at + 2])]
    order = draw(st.permutations([*merges, ("a", "b")]))
    header = {"0.2": "#version: 0.2\n", "0.1": draw(st.sampled_from(["", "#version: 0.1\n"]))}[version]
    file = header + "".join(f"{left} {right}\n" for left, right in order)
    return file, {pair: rank for rank, pair in reversed([*enumerate(order)])}, version


@given(made=codes(), words=st.lists(st.text("abcdé", min_size=1, max_size=14), max_size=5))
def test_codes_equal_subword_nmt(made: tuple[str, dict[tuple[str, str], int], str], words: list[str]) -> None:
    file, merges, version = made
    tokenizer = subword_nmt.read(file)
    encoding = tokenizer.encode("  ".join(words))
    # The mark alone is no token in subword-nmt; in ours it is a token at the word's last character.
    found = [str(token.piece).removesuffix("</w>") for token in encoding if token.piece != "</w>"]
    assert found == [part for word in words for part in plainly(word, merges, version)]
    assert list(encoding.ids) == tokenizer.ids("  ".join(words))


def test_the_versions_differ() -> None:
    lines = "l o\nlo w</w>\n"
    assert [token.piece for token in subword_nmt.read("#version: 0.2\n" + lines).encode("low")] == ["low</w>"]
    assert [token.piece for token in subword_nmt.read(lines).encode("low")] == ["lo", "w", "</w>"]


def test_a_very_long_word_is_encoded() -> None:
    tokenizer = subword_nmt.read("#version: 0.2\na a\naa aa\naaaa aaaa\naa aa</w>\n")
    assert len(tokenizer.ids("a" * 300_000)) == 299_999 // 8 + 4  # seven more and the last, with its mark


@given(text=any_text.filter(lambda text: text == " ".join(text.split(" ")).strip(" ") and "▁" not in text and text))
def test_pieces_and_scores_equal_their_model_given_a_leading_space(text: str) -> None:
    ours, theirs = exported()
    text = " ".join(filter(None, text.split(" ")))  # the model removes extra spaces, which the JSON does not record
    ids = ours.ids(" " + text)
    assert ids == theirs.encode(text)
    assert ours.decode(ids) == " " + text


@cache
def exported() -> tuple[Tokenizer, sentencepiece.SentencePieceProcessor]:
    """The JSON of a model, as llama2.c exports it, and the model."""
    options = {"byte_fallback": True, "normalization_rule_name": "identity", "vocab_size": 700}
    theirs = sentencepiece.SentencePieceProcessor(model_proto=trained(model_type="bpe", **options))
    pieces = [theirs.id_to_piece(id).replace("▁", " ") for id in range(theirs.get_piece_size())]
    first = pieces.index("<0x00>")
    pieces[first : first + 256] = map(chr, range(256))
    scores = [theirs.get_score(id) for id in range(len(pieces))]
    return tokens_and_scores.read(json.dumps({"tokens": pieces, "scores": scores})), theirs


def test_a_published_file_of_pieces_and_scores_equals_llama_2(shared: Path) -> None:
    folder = shared / "vocabularies"
    ours = tokens_and_scores.read((folder / "scores" / "stories15m_tokens_scores.json").read_text(encoding="utf-8"))
    llama2 = (folder / "sentencepiece" / "llama2.model").read_bytes()
    theirs = sentencepiece.SentencePieceProcessor(model_proto=llama2)
    for path in sorted((shared / "texts").iterdir()):
        content = path.read_text(encoding="utf-8")[:50_000].replace("▁", "") + "\U0010ffff"
        assert ours.ids(" " + content) == theirs.encode(content), path.name
