"""RWKV World: forward maximum matching over bytes, as the reference and the package `rwkv` do it."""

from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.small_files import small
from tests.core.texts import HARD, any_text
from webapp.core.algorithms import algorithms_for
from webapp.core.formats import rwkv
from webapp.core.formats.recognize import recognize, save
from webapp.core.models.byte_matching import ByteMatching
from webapp.core.reference.matching import longest_bytes
from webapp.core.tokenizer import Tokenizer

[FILE] = small("rwkv")
FOUND = recognize(FILE)
SINGLE = [bytes([byte]) for byte in range(256)]


def test_a_file_is_recognized_and_written_again() -> None:
    assert (FOUND.format, algorithms_for(FOUND.tokenizer.model)) == ("rwkv", ("byte-matching",))
    assert save(FOUND.tokenizer) == FILE
    lines = FILE.decode().splitlines()
    assert lines[255:] == ["256 b'\\xff' 1", "257 'the' 3", "258 '研究' 6", "259 b'\\xe7\\xa0' 2", '260 "it\'s" 4']
    assert FOUND.tokenizer.ids("<|endoftext|>the", special=True) == [0, 257]


@given(
    st.lists(
        st.binary(min_size=2, max_size=5) | st.text("abé研", min_size=2).map(str.encode), max_size=30, unique=True
    ),
    any_text | st.text("abé研"),
)
@example([b"ab", b"abc", b"bcd"], "".join(HARD))
def test_ids_equal_the_reference(longer: list[bytes], text: str) -> None:
    pieces = [*SINGLE, *longer]
    tokenizer = rwkv.read(rwkv.write(Tokenizer(ByteMatching([b"", *pieces], reserved=1))))
    encoding = tokenizer.encode(text)
    assert [tokenizer.model.pieces[id] for id in encoding.ids] == longest_bytes(set(pieces), text)
    assert tokenizer.decode(encoding.ids) == text
    assert 0 not in encoding.ids


def test_a_megabyte_of_one_letter_tries_few_lengths() -> None:
    assert len(FOUND.tokenizer.ids("the" * 300_000 + "t" * 1_000_000)) == 1_300_000
