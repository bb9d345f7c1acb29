"""Expansion: a vocabulary with pieces added, which keeps every id that it has.

`expand` takes a base, and what to add: another tokenizer's vocabulary or a list of tokens. New pieces get the ids after
the last one of the base, in order. Each kind of model has its own rule for where a new piece stands among the others:

    base                          rule                                                              module
    BPE by merges (GPT-2)         new merges after all others                                       growth
    BPE by ranks (tiktoken)       new pieces rank after all others                                  growth
    BPE by scores (Llama 2)       new scores below the lowest                                       growth
    WordPiece (BERT)              new pieces, with ## where they continue a word; single            expand
                                  characters with ## where a known word would become unknown
    Unigram (T5)                  log probabilities shifted to the base's, at least twice that of   unigram
                                  the piece's best segmentation so far

Source: Cui, Yang and Yao 2023, "Efficient and Effective Text Encoding for Chinese LLaMA and Alpaca" (arXiv 2304.08177),
section 2.1, which appends the pieces of a second model and keeps every id. Theirs get the score 0, which puts their
merges before the base's; here what the base does stays first.
"""

from webapp.core.expansion.expand import BaseKind, base_kind, expand
from webapp.core.expansion.files import Added, Expansion, ExpansionError, Reason, Refusal
