"""Whether texts give a token: compared with the original libraries, and with what is known of small vocabularies."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

from webapp.core.analysis.decoding import completions, never_in_utf8
from webapp.core.analysis.reachability import LONGEST_TRIED, Reach, Trial, survey
from webapp.core.formats.recognize import recognize
from webapp.core.formats.tiktoken import ENCODINGS
from webapp.core.models.bpe import BPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.models.scored_pieces import NAMED_BYTES, PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import SentencePieceUnigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import BYTE_BPE, WORDPIECE, sentencepiece_tokenizer, wordpiece
from webapp.core.text.decoders import ByteLevelDecoder
from webapp.core.text.normalizers import NFKC
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer

BYTES = [bytes([byte]) for byte in range(256)]


def original(path: Path) -> tuple[Callable[[str], Sequence[int]], Callable[[int], str]]:
    """How the original library encodes a text and decodes an id."""
    if path.suffix == ".json":
        whole = tokenizers.Tokenizer.from_file(str(path))
        whole.encode_special_tokens = True
        return (
            lambda text: whole.encode(text, add_special_tokens=False).ids,
            lambda id: whole.decode([id], skip_special_tokens=False),
        )
    if path.suffix == ".model":
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(path))
        return pieces.encode, lambda id: pieces.decode([id])
    known = ENCODINGS["cl100k_base"].pattern
    ranks = tiktoken.Encoding("", pat_str=known, mergeable_ranks=load_tiktoken_bpe(str(path)), special_tokens={})
    return ranks.encode_ordinary, lambda id: ranks.decode([id])


PUBLISHED = [
    "tokenizers/gpt2.json", "tiktoken/cl100k_base.tiktoken", "tokenizers/bert_base_cased.json",
    "tokenizers/mistral01.json", "sentencepiece/llama2.model", "sentencepiece/nai-t5.model",
]  # fmt: skip


@pytest.mark.parametrize("every", [37, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("file", PUBLISHED)
def test_it_agrees_with_the_original_library(shared: Path, file: str, every: int) -> None:
    path = shared / "vocabularies" / file
    ids_of, text_of = original(path)
    trial = Trial(recognize(path.read_bytes()).tokenizer)
    for id in list(trial.tokens.ids)[::every]:
        reach = trial.of(id)
        if reach.state == "special":
            continue
        if reach.state != "part" and trial.tokens.texts[id] is not None:
            again = list(ids_of(text_of(id))) == [id]
            assert again == (reach.state == "alone"), reach
        if reach.state in ("beside", "part"):  # the text that is named has the token there as well
            assert id in ids_of(reach.text), reach
        if reach.state == "unreachable" and reach.text:
            assert id not in ids_of(reach.text), reach


def reaches(tokenizer: Tokenizer) -> dict[str | bytes, Reach]:
    trial = Trial(tokenizer)
    return {trial.tokens.pieces[at]: trial.of(id) for at, id in enumerate(trial.tokens.ids)}


def test_merges_and_patterns() -> None:
    # "bc" is merged before "ab", so the piece "abc" made of "ab" + "c" never appears.
    a, b, c, one = b"abc1"
    merges = [(b, c), (a, b), (257, c), (a, one)]
    model = BPE([*BYTES, b"bc", b"ab", b"abc", b"a1"], merges, byte_level=True)
    found = reaches(Tokenizer(model, decoder=ByteLevelDecoder()))
    assert (found[b"abc"].reason, found[b"abc"].certain, found[b"abc"].ids) == ("merges", True, (a, 256))
    assert found[b"ab"].state == found[b"bc"].state == found[b"a1"].state == "alone"
    cut = reaches(BYTE_BPE.tokenizer(model))[b"a1"]
    assert (cut.reason, cut.certain, cut.ids) == ("split", False, (a, one))
    # "1a" is cut off wherever it is typed, but it is made inside "x1a", which one added space keeps together.
    made = BPE(["<unk>", "x", "1", "a", "1a", "x1a"], [(2, 3), (1, 4)], byte_level=False, unknown="<unk>")
    unreachable = survey(Tokenizer(made, pretokenizer=Split("x1a|.", "isolated"))).unreachable
    assert [(reach.id, reach.reason, reach.part_of) for reach in unreachable] == [(4, "split", 5)]


def test_normalizers_duplicates_and_longest_matches() -> None:
    pieces = ["[UNK]", "Hello", "hello", "Éa", "e", "##a", "##hello"]
    found = reaches(wordpiece(lowercase=True).tokenizer(WordPiece(pieces)))
    assert (found["Hello"].reason, found["Hello"].same_as) == ("duplicate", 2)
    assert (found["Éa"].reason, found["Éa"].ids) == ("normalizer", (4, 5))
    assert (found["hello"].state, found["##hello"].state) == ("alone", "beside")
    composed = Tokenizer(Matching(Dictionary(["ﬁ", "f", "i"]), "forward"), normalizer=NFKC())
    assert reaches(composed)["ﬁ"].reason == "normalizer"
    found = reaches(WORDPIECE.tokenizer(WordPiece(["[UNK]", "a", "ab", "##b", "##bc", "##c"])))
    assert found["##b"].state == "unreachable"  # no word but "a…" can begin, and "ab" is longer than "a"
    assert (found["##b"].reason, found["##c"].state) == ("longest", "beside")
    words = reaches(Tokenizer(Matching(Dictionary(["研究", "研究生", "生命"]), "both")))
    assert {reach.state for piece, reach in words.items() if piece != "�"} <= {"alone", "special"}


def test_scores_unused_pieces_and_bytes() -> None:
    pieces, scores = ["<unk>", "▁", "a", "b", "ab", "ba"], [0.0, -1.0, -1.0, -1.0, -9.0, -1.5]
    found = reaches(sentencepiece_tokenizer(pieces, scores, algorithm="unigram"))
    assert (found["ab"].reason, found["ab"].certain) == ("scores", True)
    assert found["ba"].state in ("alone", "beside")
    kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, PieceKind.UNUSED, PieceKind.CONTROL]
    vocabulary = ScoredPieces(["<unk>", "a", "b", "<s>"], [0.0, -1.0, -1.0, 0.0], kinds)
    found = reaches(Tokenizer(SentencePieceUnigram(vocabulary)))
    assert (found["b"].reason, found["<s>"].state, found["<unk>"].state) == ("unused", "special", "special")
    named = reaches(sentencepiece_tokenizer(["<unk>", "A", *NAMED_BYTES], [0.0] * 258, algorithm="bpe"))
    assert named["<0x41>"].reason == named["<0xFF>"].reason == "byte"
    assert named["<0x42>"].state == "beside"  # the space before the text becomes bytes as well
    assert named["<0xE4>"].state == "part"


def test_odd_vocabularies() -> None:
    assert survey(Tokenizer(BPE([], [], byte_level=False))).counted == 0
    odd = ["", "\ud800", "\x00", " ", "a" * 50_000, "b" * (LONGEST_TRIED + 1), "�"]
    found = reaches(Tokenizer(BPE(odd, [], byte_level=False)))
    assert found[""].state == found["a" * 50_000].state == "unreachable"
    assert found["b" * (LONGEST_TRIED + 1)].state == "untried"
    with pytest.raises(KeyError):
        Trial(Tokenizer(BPE(["a"], [], byte_level=False))).of(1)


parts = st.text("abc", min_size=1, max_size=3)


@given(
    merges=st.lists(st.tuples(parts, parts), max_size=12),
    texts=st.lists(st.text("abc ", max_size=12), min_size=1, max_size=30),
)
def test_no_text_has_a_token_that_is_proved_unreachable(merges: list[tuple[str, str]], texts: list[str]) -> None:
    pieces = list(dict.fromkeys(["a", "b", "c", " ", *(part for merge in merges for part in (*merge, "".join(merge)))]))
    number = {piece: id for id, piece in enumerate(pieces)}
    model = BPE(pieces, [(number[left], number[right]) for left, right in dict.fromkeys(merges)], byte_level=False)
    tokenizer = Tokenizer(model)
    found = survey(tokenizer)
    proved = {reach.id for reach in found.unreachable if reach.certain}
    assert all(proved.isdisjoint(tokenizer.ids(text)) for text in texts)
    assert all(reach.id not in tokenizer.ids(reach.text) for reach in found.unreachable)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4), st.data())
def test_completions_have_the_bytes(text: str, data: st.DataObject) -> None:
    whole = text.encode()
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start + 1, len(whole)))
    part = whole[start:end]
    assert not never_in_utf8(part)
    for _number, found in zip(range(50), completions(part), strict=False):
        assert part in found.encode()
    for never in (b"\xc0", b"\xff", b"\xe4a", b"\x80" * 4, b"\xed\xa0", b"\xf4\x90", b"a\xe4\xb8b"):
        assert never_in_utf8(never)
