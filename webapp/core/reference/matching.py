"""Maximum matching: segment a text with a dictionary by taking the longest word, again and again.

Forward maximum matching (FMM) reads from the left, backward maximum matching (BMM) from
the right. A character that begins (or ends) no word of the dictionary becomes a token of
its own: it is out of vocabulary (OOV), unless it is white space, which is no word at all.
The two directions often disagree, and the places where they do are the ambiguous ones.
Bidirectional matching picks one of the two results.

Sources: Liang 1987, "书面汉语自动分词系统—CDWS", for the method; Sproat and Emerson 2003, "The First
International Chinese Word Segmentation Bakeoff", section 4, uses FMM as the baseline.
"""

import re
from collections.abc import Collection, Sequence

RUN = "[0-9A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ０-９Ａ-Ｚａ-ｚ]+"


def forward(words: Collection[str], text: Sequence[str]) -> list[str]:
    """Segment a text from left to right, the longest word first.

    In this example 命 is not in the dictionary:

    >>> forward({"研究", "研究生", "生命", "科学"}, "研究生命科学")
    ['研究生', '命', '科学']
    """
    longest = max(map(len, words), default=1)
    found = []
    start = 0
    while start < len(text):
        for end in range(min(start + longest, len(text)), start, -1):
            word = "".join(text[start:end])
            if word in words or end == start + 1:
                break
        found.append(word)
        start = end
    return found


def longest_bytes(pieces: Collection[bytes], text: str) -> list[bytes]:
    """Segment the bytes of a text like `forward`, as RWKV World does; each single byte is a piece.

    >>> longest_bytes({b"to", b"tor", b"a", b"h", b"ora"}, "torah")
    [b'tor', b'a', b'h']
    """
    data, longest = text.encode(), max(map(len, pieces), default=1)
    found = []
    while data:
        end = next((end for end in range(longest, 1, -1) if data[:end] in pieces), 1)
        found.append(data[:end])
        data = data[end:]
    return found


def backward(words: Collection[str], text: Sequence[str]) -> list[str]:
    """Segment a text from right to left, the longest word first; the result is in reading order.

    >>> backward({"研究", "研究生", "生命", "科学"}, "研究生命科学")
    ['研究', '生命', '科学']
    """
    longest = max(map(len, words), default=1)
    found = []
    end = len(text)
    while end > 0:
        for start in range(max(end - longest, 0), end):
            word = "".join(text[start:end])
            if word in words or start == end - 1:
                break
        found.append(word)
        end = start
    return found[::-1]


def bidirectional(words: Collection[str], text: Sequence[str]) -> list[str]:
    """Return the better of the two segmentations.

    The one with fewer words wins; of equals, the one with fewer words of a single character;
    of equals again, the backward one.

    >>> bidirectional({"研究", "研究生", "生命", "科学"}, "研究生命科学")
    ['研究', '生命', '科学']

    Both directions find three words here; forward matching leaves 命 alone, backward matching
    leaves no single character, so it wins.
    """
    left, right = forward(words, text), backward(words, text)
    return left if cost(left) < cost(right) else right


def cost(found: list[str]) -> tuple[int, int]:
    """Count the words of a segmentation, and how many of them are single characters; white space is no word.

    >>> cost(["研究生", "命", "科学"]), cost(["研究", "生命", " ", "科学"])
    ((3, 1), (3, 0))
    """
    words = [word for word in found if not word.isspace()]
    return len(words), sum(len(word) == 1 for word in words)


def keep_runs(text: str) -> list[str]:
    """Split a text into characters, but keep each run of Latin letters and digits whole.

    Pass the result to a matcher in place of the text, and no word begins or ends inside a run:

    >>> keep_runs("用A4纸")
    ['用', 'A4', '纸']
    >>> forward({"用", "纸", "A"}, "用A4纸"), forward({"用", "纸", "A"}, keep_runs("用A4纸"))
    (['用', 'A', '4', '纸'], ['用', 'A4', '纸'])
    """
    return re.findall(f"{RUN}|.", text, re.DOTALL)
