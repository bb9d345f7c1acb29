"""Sentences of Chinese text: where one ends."""

import re

MARKS = "。！？"
CLOSING = "”’」』）》"
_SENTENCE = re.compile(rf"[^{MARKS}\n]*(?:[{MARKS}]+[{CLOSING}]*\n?|\n|$)")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """`(start, end)` of each sentence of a text, which together cover it.

    A sentence ends after 。, ！ or ？ with the closing quotation marks and brackets that follow, and with its line.

    >>> text = "他说：“好！”她走了。\\n再见"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['他说：“好！”', '她走了。\\n', '再见']
    """
    return [found.span() for found in _SENTENCE.finditer(text) if found[0]]


def ends_sentence(word: str, ended: bool) -> bool:
    """Whether a sentence may end after a word: `ended` says whether it might have before.

    >>> ends_sentence("。", False), ends_sentence("”", True), ends_sentence("”", False)
    (True, True, False)
    """
    last = word[-1:]
    return last in MARKS or (ended and last in CLOSING)
