"""Python code that loads an expanded vocabulary, and that gives a model its new embedding rows."""

from __future__ import annotations

from webapp.core.models.rank_bpe import RankBPE
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer

MOST_SPECIAL = 20  # special tokens that are spelled out


def loading(tokenizer: Tokenizer, file: str) -> str:
    """Code that loads the first file of an expansion with its own library; for ranks, the `.tiktoken`."""
    if isinstance(tokenizer.model, RankBPE) and isinstance(tokenizer.pretokenizer, Split):
        special = {token.content: token.id for token in tokenizer.added_tokens if "unused_" not in token.content}
        rest = "  # and the others" if len(special) > MOST_SPECIAL else ""
        shown = dict(list(special.items())[:MOST_SPECIAL])
        return (
            "import tiktoken\n"
            "from tiktoken.load import load_tiktoken_bpe\n\n"
            "encoding = tiktoken.Encoding(\n"
            '    "expanded",\n'
            f"    pat_str={tokenizer.pretokenizer.pattern!r},\n"
            '    mergeable_ranks=load_tiktoken_bpe("ranks.tiktoken"),\n'
            f"    special_tokens={shown!r},{rest}\n"
            ")"
        )
    if file == "tokenizer.model":
        return (
            "from sentencepiece import SentencePieceProcessor\n\n"
            'tokenizer = SentencePieceProcessor(model_file="tokenizer.model")'
        )
    if file == "tokenizer.json":
        return 'from tokenizers import Tokenizer\n\ntokenizer = Tokenizer.from_file("tokenizer.json")'
    return ""


def embeddings(first: int) -> str:
    """Code that adds rows to the embeddings of a model from the library transformers."""
    return f"""import json
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("NAME OF THE MODEL")
old_ids = json.load(open("old_ids.json"))  # for each new piece
model.resize_token_embeddings({first} + len(old_ids), mean_resizing=False)
tables = (model.get_input_embeddings(), model.get_output_embeddings())
with torch.no_grad():
    for table in filter(None, tables):
        for row, ids in enumerate(old_ids, start={first}):
            table.weight[row] = table.weight[ids].mean(dim=0)"""
