"""The models whose pieces are the words of a dictionary: all other code recognizes them here.

>>> from webapp.core.models.dictionary import Dictionary
>>> isinstance(Matching(Dictionary(["研究"]), "forward"), DictionaryModel)
True
"""

from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.tagger import Tagger

DictionaryModel = Matching | MaximumProbability
"""Models that are built from a `dictionary`, which visitors may replace or change."""

WordModel = DictionaryModel | NGram | Tagger
"""Models with a `dictionary`; that of an n-gram model or a tagger has the words of its training."""
