"""Writes `tokenizer_config.json`, which transformers reads beside `tokenizer.json`: the roles of special tokens.

The keys are those of `PreTrainedTokenizerBase` (transformers 5.24.0, tokenization_utils_base.py).
"""

import json
from typing import Any

from webapp.core.tokenizer import Tokenizer

ROLES = {
    "bos_token": ("<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "[BOS]"),
    "eos_token": ("</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>", "[EOS]"),
    "unk_token": ("<unk>", "[UNK]"),
    "sep_token": ("[SEP]", "<sep>"),
    "pad_token": ("<pad>", "[PAD]", "<|padding|>"),
    "cls_token": ("[CLS]", "<cls>"),
    "mask_token": ("[MASK]", "<mask>"),
}
"""The names by which a special token is known to have a role."""


def write(tokenizer: Tokenizer, chat_template: str = "") -> str:
    """The configuration of a tokenizer that `huggingface.write` writes; no role is given to a token of another name.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> written = json.loads(write(Tokenizer(WordPiece(["[UNK]", "a"]), special_tokens={"[UNK]": 0, "<|call|>": 2})))
    >>> written["unk_token"], written["additional_special_tokens"]
    ('[UNK]', ['<|call|>'])
    """
    special = list(tokenizer.special_tokens)
    roles = {role: next((name for name in names if name in special), None) for role, names in ROLES.items()}
    roles = {role: name for role, name in roles.items() if name is not None}
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        **roles,
        "additional_special_tokens": [name for name in special if name not in roles.values()],
        **({"chat_template": chat_template} if chat_template else {}),
    }
    return json.dumps(config, ensure_ascii=False, indent=2) + "\n"
