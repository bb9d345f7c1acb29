"""The segmenter of Chinese for measures per word: maximum probability with jieba's dictionary, without its HMM."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.models.maximum_probability import MaximumProbability
from webapp.vocabularies.shipped_vocabularies import jieba_words, maximum_probability


def chinese_words(text: str) -> Sequence[str]:
    """The words of a Chinese text; they depend only on the text and jieba's dictionary.

    >>> chinese_words("研究生命的起源")
    ['研究', '生命', '的', '起源']
    """
    model = maximum_probability(jieba_words(), hmm=False).model
    assert isinstance(model, MaximumProbability)
    return model.words(text)
