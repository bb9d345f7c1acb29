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
DREAMS = TrainingRequest("ngram", corpus="人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生", text="人生如梦境")
TABLES = TrainingRequest(
    "ngram", corpus="the table down there\nthe men own the table\ntheta bled", text="thetabledownthere"
)

AMBIGUOUS = TrainingRequest(
    "ngram",
    corpus="\n".join(
        (
            "他 研究 生命 科学 。",
            "我 在 北京 研究 历史 。",
            "研究生 研究 科学 问题 。",
            "生命 的 起源 是 科学 问题 。",
            "她 是 研究生 。",
            "研究生 的 生命 只有 一次 。",
            "科学 研究 要 耐心 。",
            "他们 已经 结婚 了 。",
            "结婚 的 人 和 尚未 结婚 的 人 。",
            "他 尚未 结婚 。",
            "和尚 在 山上 念经 。",
            "老师 和 学生 都 来 了 。",
            "山上 的 和尚 和 山下 的 人 。",
            "南京市 有 一 座 长江 大桥 。",
            "长江 大桥 在 南京市 。",
            "南京 市长 来 了 。",
            "市长 和 老师 都 来 了 。",
            "大桥 在 长江 上 。",
            "人 的 生命 只有 一次 。",
            "学生 研究 长江 的 历史 。",
        )
    ),
    text="结婚的和尚未结婚的",
    smoothing="kneser-ney",
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
NGRAM_PRESETS: Sequence[Preset] = (
    ("人生 如 梦境", DREAMS),
    (_l("Twenty sentences about research, marriage and a bridge"), AMBIGUOUS),
    ("the table down there", TABLES),
)
