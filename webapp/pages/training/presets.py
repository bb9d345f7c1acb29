"""Example corpora for each kind of training: well-known ones from papers and courses, and a Chinese one.

Each list belongs to one kind of training; its first preset is what an address without a corpus shows.
"""

from __future__ import annotations

from collections.abc import Sequence

from flask_babel import lazy_gettext as _l

from webapp.pages.training.request import TrainingRequest
from webapp.tokenization.algorithms import Text

Preset = tuple[Text, TrainingRequest]

ANALECTS = "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？"
COUNTED = "low 5\nlower 2\nnewest 6\nwidest 3"
COMPARED = TrainingRequest(
    "bpe",
    corpus="highest higher lower lowest cooler coolest",
    size=50,
    text="highesthigherlowerlowestcoolercoolest",
    apart=True,
)
SENNRICH = TrainingRequest("bpe", corpus=COUNTED, size=5, text="lowest newer", apart=True)
COMPRESSION = TrainingRequest("bpe", symbols="bytes", corpus="aaabdaaabac", size=3, text="aaabdaaabac")
DOGS = TrainingRequest("wordpiece", corpus="I love dogs I loved you", size=8, minimum=1, text="loved dogs")
HUGS = TrainingRequest(
    "wordpiece", symbols="top-down", corpus="hug 10\npug 5\npun 12\nbun 4\nhugs 5", size=10, text="hugs bun"
)
HUNGRY = TrainingRequest(
    "unigram", corpus="I love you very much I am very hungry", size=15, longer=36, plain=True, every=True, text="every"
)
DREAMS = TrainingRequest("bigrams", corpus="人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生", text="人生如梦境")
TABLES = TrainingRequest(
    "bigrams", corpus="the table down there\nthe men own the table\ntheta bled", text="thetabledownthere"
)

_IN_CHINESE = _l("The Analects, in Chinese")

CHARACTER_PRESETS: Sequence[Preset] = (
    (_l("highest, higher, lower …"), COMPARED),
    (_l("low, lower, newest, widest: the example of the paper"), SENNRICH),
    (_IN_CHINESE, TrainingRequest("bpe", corpus=ANALECTS, size=20)),
)
BYTE_PRESETS: Sequence[Preset] = (
    (_l("aaabdaaabac: the example of the first paper, on compression"), COMPRESSION),
    (_IN_CHINESE, TrainingRequest("bpe", symbols="bytes", corpus=ANALECTS, size=30)),
)
WORDPIECE_PRESETS: Sequence[Preset] = (
    (_l("I love dogs …"), DOGS),
    (
        _l("low, lower, newest, widest"),
        TrainingRequest("wordpiece", corpus=COUNTED, size=6, minimum=2, text="lowest newer"),
    ),
)
TOP_DOWN_PRESETS: Sequence[Preset] = (
    (_l("hug, pug, pun, bun, hugs"), HUGS),
    (
        _l("low, lower, newest, widest"),
        TrainingRequest("wordpiece", symbols="top-down", corpus=COUNTED, size=17, text="lowest newer"),
    ),
)
UNIGRAM_PRESETS: Sequence[Preset] = (
    (_l("I love you very much …"), HUNGRY),
    (_IN_CHINESE, TrainingRequest("unigram", corpus=ANALECTS, size=30)),
)
BIGRAM_PRESETS: Sequence[Preset] = (("人生 如 梦境", DREAMS), ("the table down there", TABLES))
