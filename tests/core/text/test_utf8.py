"""UTF-8 that arrives in parts, compared with Python's incremental decoder."""

import codecs
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.text.utf8 import Utf8Decoder, following_bytes, missing_bytes

# Bytes at the borders of the ranges of table 3-7, where decoders go wrong.
BORDERS = st.sampled_from(bytes.fromhex("00 61 7f 80 8f 90 9f a0 bd bf c0 c1 c2 c3 df e0 e4 ed ef f0 f3 f4 f5 ff"))
ENCODED = st.text(min_size=1, max_size=4).map(lambda text: text.encode("utf-8", "surrogatepass"))
CUT = st.tuples(ENCODED, st.integers(0, 8)).map(lambda pair: pair[0][: pair[1]])
PARTS = st.lists(st.lists(BORDERS, max_size=5).map(bytes) | ENCODED | CUT | st.binary(max_size=6), max_size=8)


@given(parts=PARTS)
def test_it_prints_the_same_as_pythons_decoder_after_every_part(parts: list[bytes]) -> None:
    ours, python = Utf8Decoder(), codecs.getincrementaldecoder("utf-8")("replace")
    printed = theirs = ""
    for part in parts:
        printed += ours.feed(part)
        theirs += python.decode(part)
        kept = python.getstate()[0]
        if is_surrogate(kept):  # Python waits for the third byte, though none makes it valid
            assert (printed, ours.pending) == (theirs + "\ufffd" * 2, b"")
        else:
            assert (printed, ours.pending) == (theirs, kept)
    printed += ours.finish()
    assert printed == theirs + python.decode(b"", final=True)
    assert ours.pending == b""


def is_surrogate(kept: bytes) -> bool:
    """Whether the bytes begin a surrogate, which UTF-8 cannot contain."""
    return len(kept) == 2 and kept[0] == 0xED and kept[1] >= 0xA0


@given(parts=PARTS)
def test_nothing_is_lost_and_each_invalid_byte_is_reported(parts: list[bytes]) -> None:
    decoder = Utf8Decoder(each_byte=True)
    text, invalid = "", b""
    for part in parts:
        waiting = decoder.pending
        text += decoder.feed(part)
        invalid += decoder.invalid
        # Pending bytes are completed, or broken at their beginning, or pending still.
        assert set(decoder.broken) <= {"\ufffd"}
        assert waiting or not decoder.broken
    text += decoder.finish()
    invalid += decoder.invalid
    whole = b"".join(parts)
    assert len(invalid) == sum("\udc80" <= char <= "\udcff" for char in whole.decode("utf-8", "surrogateescape"))
    assert text == "".join(
        "\ufffd" if "\udc80" <= char <= "\udcff" else char for char in whole.decode("utf-8", "surrogateescape")
    )


def test_the_missing_bytes_are_exactly_those_that_complete_the_character() -> None:
    for pending in (b"\xc3", b"\xe0\xa4", b"\xed\x9f", b"\xf0\x9f\x8e", b"\xf4\x8f\xbf"):
        ((low, high),) = missing_bytes(pending)
        completing = [byte for byte in range(256) if _is_one_character(pending + bytes([byte]))]
        assert completing == list(range(low, high + 1))
    for lead in range(256):
        ranges = following_bytes(lead)
        if ranges is None:
            assert not any(_is_one_character(bytes([lead, *rest])) for rest in product(range(0x80, 0xC0, 9), repeat=2))
            continue
        assert all(_is_one_character(bytes([lead, *ends])) for ends in product(*ranges))
    assert missing_bytes(b"") == ()


def _is_one_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False
