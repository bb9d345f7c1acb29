"""Corpora to begin with: examples that are known from papers and courses, and a Chinese one."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.pages.training.forms import TrainingRequest

ANALECTS = "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？"
COUNTED = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)
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
HUNGRY = TrainingRequest(
    "unigram", corpus="I love you very much I am very hungry", size=15, longer=36, plain=True, every=True, text="every"
)

DREAMS = TrainingRequest("bigrams", corpus="人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生", text="人生如梦境")
TABLES = TrainingRequest(
    "bigrams", corpus="the table down there\nthe men own the table\ntheta bled", text="thetabledownthere"
)


def presets(kind: str) -> list[tuple[str, TrainingRequest]]:
    """What to begin with, by the kind of training: titles, and what is asked."""
    analects = _("The Analects, in Chinese")
    found = {
        "bpe": [
            (_("highest, higher, lower …"), COMPARED),
            (_("low, lower, newest, widest: the example of the paper"), SENNRICH),
            (analects, TrainingRequest("bpe", corpus=ANALECTS, size=20)),
        ],
        "bpe-bytes": [
            (_("aaabdaaabac: the example that compression began with"), COMPRESSION),
            (analects, TrainingRequest("bpe", symbols="bytes", corpus=ANALECTS, size=30)),
        ],
        "wordpiece": [(_("I love dogs …"), DOGS), (_("low, lower, newest, widest"), _counted_wordpiece())],
        "unigram": [
            (_("I love you very much …"), HUNGRY),
            (analects, TrainingRequest("unigram", corpus=ANALECTS, size=30)),
        ],
        "bigrams": [("人生 如 梦境", DREAMS), ("the table down there", TABLES)],
    }
    return found[kind]


def usual(kind: str) -> TrainingRequest:
    """What a bare address shows."""
    return {"bpe": COMPARED, "bpe-bytes": COMPRESSION, "wordpiece": DOGS, "unigram": HUNGRY, "bigrams": DREAMS}[kind]


def _counted_wordpiece() -> TrainingRequest:
    return TrainingRequest("wordpiece", corpus=COUNTED, size=6, minimum=2, text="lowest newer")
