"""The longest piece first, wherever it stands in the word: how many tutorials encode with BPE.

The pieces are tried from the longest to the shortest. Each one that occurs in the word becomes
a token in all its places, and the text between them is encoded in the same way with the shorter
pieces. No published tokenizer works like this: BPE applies its merges in the order in which
they were trained, and may never reach a long piece whose merges come late.
"""

from collections.abc import Sequence


def encode(word: str, pieces: Sequence[str], unknown: str = "<unk>") -> list[str]:
    """Encode a word that ends with its end-of-word mark; each character not covered is unknown.

    >>> pieces = ["moun", "tain</w>", "high", "est</w>", "ve</w>"]
    >>> encode("mountain</w>", pieces)
    ['moun', 'tain</w>']
    >>> encode("love</w>", pieces)
    ['<unk>', '<unk>', 've</w>']
    """
    return split(word, sorted(pieces, key=len, reverse=True), unknown)


def split(word: str, pieces: Sequence[str], unknown: str) -> list[str]:
    """Split a word at the first piece that occurs in it, and what is before and after likewise.

    Before its first place there is none of that piece left; after it there may be more.

    >>> split("aabab", ["ab", "a"], "?")
    ['a', 'ab', 'ab']
    >>> split("cabac", ["ab", "a"], "?")
    ['?', 'ab', 'a', '?']
    """
    for at, piece in enumerate(pieces):
        if piece in word:
            before, _, after = word.partition(piece)
            left = split(before, pieces[at + 1 :], unknown)
            return [*left, piece, *split(after, pieces[at:], unknown)]
    return [unknown] * len(word)
