"""Texts to try: long enough for a chart, and in the public domain."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString


@dataclass(frozen=True)
class ExampleText:
    """A text and the label of its link."""

    title: LazyString
    text: str


EXAMPLES = {
    "alice": ExampleText(
        _l("English: “Alice in Wonderland”"),
        "Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once "
        "or twice she had peeped into the book her sister was reading, but it had no pictures or conversations in it, "
        "“and what is the use of a book,” thought Alice “without pictures or conversations?”\n\n"
        "So she was considering in her own mind (as well as she could, for the hot day made her feel very sleepy and "
        "stupid), whether the pleasure of making a daisy-chain would be worth the trouble of getting up and picking "
        "the daisies, when suddenly a White Rabbit with pink eyes ran close by her.\n\n"
        "There was nothing so very remarkable in that; nor did Alice think it so very much out of the way to hear the "
        "Rabbit say to itself, “Oh dear! Oh dear! I shall be late!” (when she thought it over afterwards, it occurred "
        "to her that she ought to have wondered at this, but at the time it all seemed quite natural); but when the "
        "Rabbit actually took a watch out of its waistcoat-pocket, and looked at it, and then hurried on, Alice "
        "started to her feet, for it flashed across her mind that she had never before seen a rabbit with either a "
        "waistcoat-pocket, or a watch to take out of it, and burning with curiosity, she ran across the field after "
        "it, and fortunately was just in time to see it pop down a large rabbit-hole under the hedge.\n",
    ),
    "home": ExampleText(
        _l("Chinese: “My Old Home” by Lu Xun"),
        "我冒了严寒，回到相隔二千余里，别了二十余年的故乡去。\n"
        "时候既然是深冬；渐近故乡时，天气又阴晦了，冷风吹进船舱中，呜呜的响，从篷隙向外一望，苍黄的天底下，远近横着几个萧索的"
        "荒村，没有一些活气。我的心禁不住悲凉起来了。\n"
        "阿！这不是我二十年来时时记得的故乡？\n"
        "我所记得的故乡全不如此。我的故乡好得多了。但要我记起他的美丽，说出他的佳处来，却又没有影像，没有言辞了。仿佛也就如此。"
        "于是我自己解释说：故乡本也如此，——虽然没有进步，也未必有如我所感的悲凉，这只是我自己心情的改变罢了，因为我这次回乡，"
        "本没有什么好心绪。\n"
        "我这次是专为了别他而来的。我们多年聚族而居的老屋，已经公同卖给别姓了，交屋的期限，只在本年，所以必须赶在正月初一以前，"
        "永别了熟识的老屋，而且远离了熟识的故乡，搬家到我在谋食的异地去。\n",
    ),
}
