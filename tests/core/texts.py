"""Texts to encode: an inline corpus for training small vocabularies, and hypothesis strategies for difficult texts."""

import sys

from hypothesis import strategies as st

CORPUS = (
    """\
It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife.
However little known the feelings or views of such a man may be on his first entering a neighbourhood, this truth is
so well fixed in the minds of the surrounding families, that he is considered as the rightful property of some one or
other of their daughters. "My dear Mr. Bennet," said his lady to him one day, "have you heard that Netherfield Park is
let at last?" Mr. Bennet replied that he had not. "But it is," returned she; "for Mrs. Long has just been here, and
she told me all about it." They'll say we've won; I'm sure it doesn't matter, don't you? In 1813 it cost 18 shillings.
研究生命科学的人说：结婚的和尚未结婚的都来了。今天天气很好，我们一起去公园散步吧！他说：“好的。” 东京は日本の首都です。
def merge(ids, pair):\n    return [x for x in ids if x != pair[0]]  # 3.14 + 2 == 5.14\n\tfor i in range(10): print(i)
Café, naïve, Zürich, élève, Straße, Ångström, déjà vu; Привет, мир! Γειά σου Κόσμε. 안녕하세요 세계. مرحبا بالعالم שלום
👍🏽 👩‍👩‍👧 🎉🎉 → ∑ ≤ ½ ² Ⅷ ﬁ … — “quoted” ‘single’ «guillemets»
"""
    * 3
)

# Where tokenizers go wrong: combining marks, joiners, surrogate neighbours, every kind of space and line end,
# lone apostrophes, digits of many scripts, text that looks like a special token, characters beyond the basic plane.
HARD = [
    "e\u0301", "\u0301", "a\u0323\u0301", "\u0344", "\u212b", "\u1100\u1161\u11a8", "각", "ﬁ", "½", "Ⅷ", "²",
    "👩‍👩‍👧", "👍🏽", "\u200d", "\ufe0f", "🎉", "𝐀𝐁", "𝟘𝟙", "𠀀", "𐐷", "\U0001d165", "\U000e0041", "\U0010ffff",
    " ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\n\n", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\xa0", "\u1680",
    "\u2003", "\u2028", "\u2029", "\u202f", "\u3000", "\ufeff", "\x00", "\x7f", "\xad", "\u200b", "\u200c",
    "'", "''", "'s", "'S", "'ll", "'ſ", "’s", "don't", "I'm", "\"", "_", "__init__", "▁", "▁a", "##", "##a", "Ġ",
    "</w>", "\ue000", "\ue001", "\uf8ff", "\ufffd", "�", "<", ">", "[", "]", "|", "<unk>", "[UNK]",
    "0", "1234567", "٣", "१२", "３", "①", "3.14", "the", " the", "The", "THE", "universally", " acknowledged",
    "İ", "ß", "ẞ", "Σ", "ΑΣ", "ς", "ǅ", "ŉ", "µ", "研究生命科学", "結婚", "。", "，", "「", "ア", "ｱ", "ﾞ", "ー", "ำ",
    "नि", "ক্ষ", "ไทย", "ଓଡ଼ିଆ", "العربية", "\u202e", "שָׁלוֹם", "Привет", "Ёё", "한국어", "㍿", "\u0fb2\u0f81", "豈",
]  # fmt: skip

# Characters that Python's Unicode 14 knows, which is older than the tables of most libraries we compare with; these
# few have a decomposition that the tables of `tokenizers` lack.
NEWER = "\u32ff\ua7f2\ua7f3\ua7f4\uab69\U00011938" + "".join(map(chr, range(0x10780, 0x107C0)))
characters = st.characters(exclude_categories=("Cs", "Cn"), exclude_characters=NEWER)

texts = st.lists(
    st.one_of(st.sampled_from(HARD), st.sampled_from(HARD), st.text(characters, max_size=6)), max_size=20
).map("".join)

corpus_spans = st.tuples(st.integers(0, len(CORPUS) // 3), st.integers(0, 200)).map(
    lambda cut: CORPUS[cut[0] : cut[0] + cut[1]]
)

any_text = st.one_of(texts, corpus_spans, st.tuples(corpus_spans, texts).map("".join))

# Letters, digits and marks end here, except for a few tags and variation selectors. Of the rest, which is unassigned or
# for private use, every 17th code point, and both ends of planes.
ASSIGNED = [*range(0xD800), *range(0xE000, 0x33500), *range(0x3D000, 0x3FD00), *range(0xE0000, 0xE0200)]
_FAR = range(0x32400, sys.maxunicode + 1)
REST = sorted({code for code in _FAR if code % 17 == 0 or code + 32 & 0xFFFF < 64} - {*ASSIGNED})

# Within a block of ideographs, syllables, private use or nothing yet, all code points have the same properties.
# Where every one of them is tested with one tokenizer, others are tested at both ends of a block and at every 17th
# place, which meets each kind of Hangul syllable.
_ALIKE = [
    range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4), range(0xE000, 0xF900), range(0x13460, 0x143FB),
    range(0x14647, 0x16100), range(0x17000, 0x18800), range(0x191D3, 0x1AFF0), range(0x1BCA4, 0x1CC00),
    range(0x20000, 0x2A6E0), range(0x2A700, 0x2B740), range(0x2B820, 0x2CEB0), range(0x2CEB0, 0x2EBF0),
    range(0x2EE5E, 0x2F800), range(0x30000, 0x31350), range(0x31350, 0x33500), range(0x3D000, 0x3FD00),
]  # fmt: skip
_REPEATED = {code for block in _ALIKE for code in block[32:-32] if code % 17}
DIFFERENT = [code for code in ASSIGNED if code not in _REPEATED]
