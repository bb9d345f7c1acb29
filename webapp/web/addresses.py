"""Long texts in addresses: as they are, or compressed if they would be too long."""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64Error
from urllib.parse import quote_plus

READABLE = 1_500  # characters of an address that an uncompressed corpus may take
_MOST_BYTES = 40_000  # of an unpacked text, so that no address can fill the memory


def parameters(corpus: str) -> tuple[str, str]:
    """The parameter that holds a text, and its value.

    >>> parameters("low lower")
    ('corpus', 'low lower')
    >>> parameters("学而时习之" * 50)[0]
    'packed'

    A text that no training accepts is shortened, to one that none accepts either: the page that says so has it in many
    links, and packing a megabyte for each took 8 s in total.
    """
    corpus = corpus[:_MOST_BYTES]
    if len(quote_plus(corpus, errors="replace")) <= READABLE:
        return "corpus", corpus
    return "packed", packed(corpus)


def packed(text: str) -> str:
    """A text compressed, from UTF-8 or UTF-16, whichever is shorter.

    >>> unpacked(packed("学而时习之" * 50)) == "学而时习之" * 50
    True
    """
    written = [text.encode("utf-8", "replace"), b"\xff" + text.encode("utf-16-le", "replace")]
    shortest = min((zlib.compress(content, 9) for content in written), key=len)
    return urlsafe_b64encode(shortest).rstrip(b"=").decode()


def unpacked(letters: str) -> str | None:
    """The text of a packed value, or None if it is invalid.

    >>> unpacked("nonsense"), unpacked("é")
    (None, None)
    """
    try:
        content = urlsafe_b64decode(letters.encode("ascii") + b"=" * (-len(letters) % 4))
        inflate = zlib.decompressobj()
        written = inflate.decompress(content, _MOST_BYTES)
        if not inflate.eof:
            return None
        # 0xFF marks UTF-16: UTF-8 never starts with it.
        return written[1:].decode("utf-16-le") if written[:1] == b"\xff" else written.decode()
    except (NotBase64Error, zlib.error, UnicodeError):
        return None
