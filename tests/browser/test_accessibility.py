"""axe-core on every kind of page: at once in one look, in exhaustive runs in the other and in further states."""

from urllib.parse import quote

import pytest

from tests.browser.axe import DESK, PHONE, Look, assert_accessible
from tests.browser.conftest import OpenPage

MERGES = "The widest internationalizations 研究生"
AMBIGUOUS = "结婚的和尚未结婚的"
COMPARED = "/compare?with=bpe:bpe-bytes&with=bpe:nope&with=wordpiece:wordpiece&with=unigram:unigram"

# Each page in one state.
PATHS = [
    "/?algorithm=bpe&token=1&text=Family+👨‍👩‍👧‍👦+and+naïve+café",
    "/?algorithm=fmm&lang=zh&text=研究生命科学，和尚未结婚的",
    f"{COMPARED}&text={quote('Unbelievable 研究生命 👨‍👩‍👧')}",
    "/steps",
    "/steps/training/bpe?step=3",
    "/steps/ngram?text=研究生命科学&step=4",
    "/steps/training/wordpiece/rounds",
    "/learn",
    "/vocabularies",
    f"/evaluate?with=fmm:jieba&lang=zh&kind=overlap&gold={quote('研究 生命 的 起源')}",
    "/api",
    "/homework",
    "/homework?exercise=cs336-bpe-example&answer=e+s%0Aes+t%0Al+ow",
]
# Those whose parts others have, in exhaustive runs.
LATER = [
    "/vocabularies/diff?a=bpe-bytes&b=wordpiece&show=moved&query=ing",
    "/vocabularies/expand?base=wordpiece&source=tokens&tokens=zzq%0Athe%0A%E5%88%86%E8%AF%8D&text=zzq",
    f"/steps/fmm?text={AMBIGUOUS}&step=2",
    "/learn/evaluation?lang=zh",
    f"/ambiguity?text={AMBIGUOUS}",
    "/split?tokens=5&text=It+rains.+It+rains.",
    "/models?q=claude",
    "/pretokens?text=it's+12345&pattern=%5Cw%2B",
    "/homework/reports",
    f"/compare?lang=zh&text={quote('w' * 200 + ' السلام عليكم 👨‍👩‍👧‍👦 ' + '研' * 120)}",
    f"/steps/bpe?text={MERGES}&step=2",
    "/steps/unigram?text=unbelievable+hugs!&step=16",
    "/steps/training/ngram?step=4",
    "/steps/hmm?observed=3+1+3&step=2",
    "/steps/hmm?observed=3+1+3&start=H+2&lang=zh",
    "/learn/dictionary",
    "/vocabularies/bpe-bytes?query=the",
    "/vocabularies/unigrams",
    "/languages",
    f"/measures?lang=zh&with=fmm:jieba&with=bpe:bpe-bytes&with=bpe:nope&gold={quote('研究 生命')}&text=研究生命",
    "/?text=the+cat+the&frequencies=1",
    "/messages?view=template&lang=zh&model=gpt-4",
    "/decode?ids=1+-5",
    "/vocabularies/bpe-bytes/tokens/270",
    "/homework/sheet?lang=zh&task=hf-unhug",
]
# Further states of them.
MORE = [
    "/?algorithm=unigram&vocabulary=learned-unigram&text=low+lower+lowest",
    "/steps/bidirectional?text=研究生命科学&step=4",
    "/steps/training/unigram?step=2",
    "/learn/ngram?lang=zh",
    "/evaluate?with=fmm:jieba&with=bmm:jieba",
    f"/steps/bpe?text={MERGES}&step=39",
    "/steps/ngram?vocabulary=learned-ngram&smoothing=add-one&text=人生如梦境&step=5",
    "/steps/training/ngram?step=11&order=3&smoothing=kneser-ney",
    "/steps/training/bpe?corpus=",
    f"/ambiguity?text={AMBIGUOUS}&vocabulary=own-dictionary&dictionary=和尚%0A尚未%0A未+x",
    "/pretokens?vocabulary=unigram&lang=zh&under=tokens&text=low+2024&pattern=%5Cp%7BL%7D%2B%7C%5Cd",
    "/?algorithm=wordpiece&lowercase=1&text=Élève++,+a+!+𠮷&template=1",
    f"/?algorithm=fmm&text={AMBIGUOUS}&edits=-和尚%0A尚未婚+5&token=1",
    "/messages?view=ids&template=llama-3",
    "/homework?exercise=hit-fmm&lang=zh&answer=研究生",
    "/homework/report",
]

LOOKS = (DESK, PHONE)  # what goes wrong on a phone or in the dark rarely needs both
QUICK = [(path, LOOKS[number % 2]) for number, path in enumerate(PATHS)]
THOROUGH = [(path, LOOKS[1 - number % 2]) for number, path in enumerate(PATHS)]
THOROUGH += [(path, LOOKS[number % 2]) for number, path in enumerate(LATER)]
THOROUGH += [(path, LOOKS[number % 2]) for number, path in enumerate(MORE)]


@pytest.mark.parametrize(
    ("path", "look"), [*QUICK, *(pytest.param(*case, marks=pytest.mark.exhaustive) for case in THOROUGH)]
)
def test_the_page_is_accessible_and_no_wider_than_the_screen(open_page: OpenPage, path: str, look: Look) -> None:
    page = open_page(path, expected=["status of 404", "status of 422"])
    assert_accessible(page, look)
    page.set_viewport_size({"width": 768, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 768
