"""What a measure is, once for all: its definition, what it is measured on, and how its values are shown.

Pages, files, the API and the command `measure` derive their lists from these records, which have the ids of
`webapp.core.analysis.measures`.

The examples of the measures of a text are all about one tokenization: "low lower lowest" as low, low, er, low, est.
Texts are translated when a page shows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flask_babel import lazy_gettext as _l

from webapp.core.analysis.measures import MEASURES, MeasureId
from webapp.tokenization.algorithms import Text


@dataclass(frozen=True)
class Source:
    """A publication: how to cite it, and its address."""

    title: str
    address: str


@dataclass(frozen=True)
class Definition:
    """A measure: its formula, what it tells and what not, a worked example, and where it comes from.

    `of` is what is measured: the text, the parallel article or the gold segmentation; `field` is the name of its value
    in the result for that, if it is not the id. Values have `decimals`, or are shares in percent if that is None.
    """

    title: Text
    unit: Text
    formula: Text
    tells: Text
    does_not_tell: Text
    example: Text
    sources: Sequence[Source] = ()
    of: Literal["text", "languages", "gold"] = "text"
    field: str = ""
    decimals: int | None = 2
    sign: str = ""  # after a value
    named_by_unit: bool = False  # whether the title says the unit
    in_figures: bool = False  # whether a comparison has it among its figures, apart from the table of measures


PATHPIECE = Source("Schmidt et al. 2024, Tokenization Is More Than Compression", "https://arxiv.org/abs/2402.18376")
_RUST = Source("Rust et al. 2021, How Good is Your Tokenizer?", "https://arxiv.org/abs/2012.15613")
_CHOICE = Source("Ali et al. 2023, Tokenizer Choice For LLM Training", "https://arxiv.org/abs/2310.08754")
_UAX_29 = Source("Unicode Standard Annex 29, Text Segmentation", "https://www.unicode.org/reports/tr29/")
_ZOUHAR = Source("Zouhar et al. 2023, Tokenization and the Noiseless Channel", "https://arxiv.org/abs/2306.16842")
_COGNETTA = Source("Cognetta et al. 2024, Two Counterexamples", "https://arxiv.org/abs/2402.14614")
_PETROV = Source(
    "Petrov et al. 2023, Language Model Tokenizers Introduce Unfairness", "https://arxiv.org/abs/2305.15425"
)
_FOROUTAN = Source("Foroutan et al. 2025, Parity-Aware Byte-Pair Encoding", "https://arxiv.org/abs/2508.04796")
_TOKEVAL = Source(
    "TokEval (swiss-ai/tokenizer-intrinsic-evals)", "https://github.com/swiss-ai/tokenizer-intrinsic-evals"
)

_GOLD_BOUNDARIES = _l(
    "The gold text is un break able, the tokens are un, break, abl, e: of the 3 boundaries of the tokens 2 are gold, "
    "and both gold boundaries are found."
)
_GOLD_CAUTION = _l(
    "Gold segmentations follow a guideline, and guidelines differ. A subword tokenizer splits rare words on purpose, "
    "which costs precision against a gold text of words; a gold text of morphemes is the fairer comparison."
)

DEFINITIONS: Mapping[MeasureId, Definition] = {
    "tokens": Definition(
        title=_l("Tokens"),
        unit=_l("tokens"),
        formula=_l("the number of tokens of the text, without the special tokens that a model adds around it"),
        tells=_l("How much of a context window the text takes, and what it costs where tokens are billed."),
        does_not_tell=_l(
            "Whether the tokenizer is better: models trained on the fewest tokens possible (PathPiece) were no better "
            "than others. A small number is no advantage if tokens are unknown."
        ),
        example=_l("low · low · er · low · est: 5 tokens."),
        sources=(PATHPIECE,),
        decimals=0,
        named_by_unit=True,
        in_figures=True,
    ),
    "characters-per-token": Definition(
        title=_l("Characters per token"),
        unit=_l("characters per token"),
        formula=_l("characters of the text, spaces included ÷ tokens"),
        tells=_l("How strongly the tokenizer compresses the text, whatever its length. A character is a code point."),
        does_not_tell=_l(
            "How tokenizers compare across scripts: a Chinese character says more than a Latin letter, so fewer "
            "characters per token are no loss. Fewer tokens are not a better model either."
        ),
        example=_l("16 characters ÷ 5 tokens = 3.2."),
        sources=(PATHPIECE,),
        named_by_unit=True,
        in_figures=True,
    ),
    "bytes-per-token": Definition(
        title=_l("Bytes per token"),
        unit=_l("bytes per token"),
        formula=_l("bytes of the text in UTF-8 ÷ tokens"),
        tells=_l("The compression in the unit of files; the usual figure for training corpora."),
        does_not_tell=_l(
            "How languages compare: in UTF-8 a letter has one byte in English, two in Russian, three in Hindi and "
            "Chinese, before any tokenizer sees it."
        ),
        example=_l("16 bytes ÷ 5 tokens = 3.2; of 研究 (6 bytes) as one token, 6."),
        sources=(PATHPIECE,),
        named_by_unit=True,
        in_figures=True,
    ),
    "fertility": Definition(
        title=_l("Fertility"),
        unit=_l("tokens per word"),
        formula=_l("Σ over words (tokens that cover any character of the word) ÷ words"),
        tells=_l(
            "Into how many tokens a word is split on average; 1 means that every word is one token. Words are those "
            "of Unicode’s rule for word boundaries; runs of Han characters are divided into words by maximum "
            "probability with jieba’s dictionary, without its HMM. Punctuation and spaces count neither as words nor "
            "as tokens of words."
        ),
        does_not_tell=_l(
            "Anything about languages written without spaces other than Chinese: by Unicode’s rule a word of Thai, "
            "Lao, Khmer or Burmese is a letter or a syllable; of Japanese, kana in a row are one word, and kanji are "
            "divided as if they were Chinese. Figures that count words by spaces, or punctuation as words, differ. "
            "Low fertility does not predict how good a model is."
        ),
        example=_l("low has 1 token, lower 2, lowest 2: 5 ÷ 3 words = 1.67."),
        sources=(_RUST, _UAX_29, _CHOICE),
    ),
    "whole-words": Definition(
        title=_l("Words kept whole"),
        unit=_l("share of the words"),
        formula=_l("words that a single token covers, unknown tokens aside ÷ words"),
        tells=_l(
            "How many words the vocabulary knows as they stand. Without unknown tokens it is 1 minus the proportion "
            "of continued words. The words are those of fertility."
        ),
        does_not_tell=_l(
            "Whether the other words are split well: un·believ·able and unb·eli·evable are both not whole. A token of "
            "several words keeps all of them whole."
        ),
        example=_l("Of low, lower and lowest only low is one token: 1 ÷ 3 = 33.3%."),
        sources=(_RUST,),
        decimals=None,
    ),
    "unknown": Definition(
        title=_l("Unknown"),
        unit=_l("share of the tokens"),
        formula=_l("tokens that stand for text outside the vocabulary ÷ tokens"),
        tells=_l("Whether text is lost: an unknown token does not say what was there. Lower is better."),
        does_not_tell=_l(
            "How much text is lost, since an unknown token may stand for a character or for a whole word. Tokenizers "
            "that fall back to bytes have none, however badly they split a text."
        ),
        example=_l("low · low · [UNK] has 1 unknown token of 3: 33.3%."),
        decimals=None,
        in_figures=True,
    ),
    "renyi-efficiency": Definition(
        title=_l("Rényi efficiency"),
        unit=_l("from 0 to 1"),
        formula=_l("log₂(Σ p(t)^α) ÷ (1 − α) ÷ log₂ V, with α = 2.5, p(t) the share of token t, V different tokens"),
        tells=_l(
            "How evenly the tokens of the text are used. It is near 1 if all are about equally frequent, low if a few "
            "make up most of the text. With α = 2.5 it correlated with the quality of translations (0.78 with BLEU). "
            "As in tokenization-scorer, V counts the tokens that occur."
        ),
        does_not_tell=_l(
            "How good the model will be in every case: there are tokenizers made to have a higher efficiency and "
            "worse translations. It depends on the length of the text, so compare only figures for the same text."
        ),
        example=_l(
            "low has 3 of 5 tokens, er and est 1 each: Σ p^2.5 = 0.279 + 2 · 0.018 = 0.315; log₂ 0.315 ÷ −1.5 = 1.11 "
            "bits; ÷ log₂ 3 = 0.702."
        ),
        sources=(
            _ZOUHAR,
            Source("tokenization-scorer", "https://github.com/zouharvi/tokenization-scorer"),
            _COGNETTA,
        ),
        decimals=3,
    ),
    "vocabulary-used": Definition(
        title=_l("Vocabulary used"),
        unit=_l("share of the vocabulary"),
        formula=_l("different tokens of the text ÷ ids of the vocabulary, added tokens included"),
        tells=_l("How much of the vocabulary a text of this kind needs."),
        does_not_tell=_l(
            "That the rest is useless: a short text uses little of any vocabulary. Compare only figures for the same "
            "text, of vocabularies of about the same size."
        ),
        example=_l("low, er and est are 3 of 10 ids: 30%."),
        sources=(_TOKEVAL,),
        decimals=None,
    ),
    "premium": Definition(
        title=_l("Premium"),
        unit=_l("times the tokens of English"),
        formula=_l("tokens of the article in the language ÷ tokens of the article in English"),
        tells=_l(
            "How many times as much the same content costs in another language, and how much less of it fits into a "
            "context window. 1 is parity. The article is the first of the Universal Declaration of Human Rights, in "
            "38 translations."
        ),
        does_not_tell=_l(
            "How languages differ in general: it is one short article, and translations differ in length. Where "
            "tokens are unknown, a low premium means lost text."
        ),
        example=_l("36 tokens in English, 54 in Chinese: 54 ÷ 36 = 1.5."),
        sources=(_PETROV,),
        of="languages",
        field="of_chinese",
        sign="×",
    ),
    "gini": Definition(
        title=_l("Gini across languages"),
        unit=_l("from 0 to 1"),
        formula=_l("Σ over pairs of languages |cᵢ − cⱼ| ÷ (2 n² · mean of c), with cᵢ the tokens of the article"),
        tells=_l(
            "How unequally the languages are treated: 0 if all need as many tokens for the same article, near 1 if one "
            "of many needs nearly all."
        ),
        does_not_tell=_l(
            "Which languages pay: see the premium. All languages weigh the same, however many people speak them. A "
            "tokenizer that is equally bad for all has 0. Languages with more than a tenth of unknown tokens are left "
            "out, so compare only figures of as many languages."
        ),
        example=_l("Tokens 1, 1, 2, 4: the differences of all pairs add up to 20; 20 ÷ (2 · 4² · 2) = 0.3125."),
        sources=(_FOROUTAN, _TOKEVAL),
        of="languages",
        decimals=3,
    ),
    "boundary-precision": Definition(
        title=_l("Boundary precision"),
        unit=_l("share of the tokenizer’s boundaries"),
        formula=_l("boundaries of tokens that are gold ÷ boundaries of tokens, inside the lines of the gold text"),
        tells=_l("How many of the places where the tokenizer splits are boundaries of the gold segmentation."),
        does_not_tell=_GOLD_CAUTION,
        example=_l("%(given)s 2 ÷ 3 = 66.7%%.", given=_GOLD_BOUNDARIES),
        of="gold",
        field="precision",
        decimals=None,
    ),
    "boundary-recall": Definition(
        title=_l("Boundary recall"),
        unit=_l("share of the gold boundaries"),
        formula=_l("gold boundaries that are boundaries of tokens ÷ gold boundaries, inside the lines"),
        tells=_l("How many boundaries of the gold segmentation the tokenizer has. A tokenizer of characters has all."),
        does_not_tell=_GOLD_CAUTION,
        example=_l("%(given)s 2 ÷ 2 = 100%%.", given=_GOLD_BOUNDARIES),
        of="gold",
        field="recall",
        decimals=None,
    ),
    "boundary-f1": Definition(
        title=_l("Boundary F1"),
        unit=_l("from 0% to 100%"),
        formula=_l("2 · precision · recall ÷ (precision + recall)"),
        tells=_l(
            "Precision and recall in one figure: the closer to 100%, the closer the tokens are to the gold "
            "segmentation."
        ),
        does_not_tell=_GOLD_CAUTION,
        example=_l("%(given)s 2 · 2 ÷ (3 + 2) = 80%%.", given=_GOLD_BOUNDARIES),
        of="gold",
        field="f1",
        decimals=None,
    ),
}

assert tuple(DEFINITIONS) == MEASURES
