r"""Tokens around a text that its vocabulary does not add by itself, and tokens that a visitor adds to a vocabulary.

A file of pieces and scores, or a `.tiktoken` file, says nothing about the tokens that its model expects before and
after a text, such as GLM's `[gMASK]<sop>`. `with_affixes` gives a tokenizer a template with them, as
`tokenizers.processors.TemplateProcessing` does, and added tokens as `tokenizers.Tokenizer.add_tokens` does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from webapp.core.added_tokens import AddedToken, Template
from webapp.core.text.utf8 import characters_to_bytes
from webapp.core.tokenizer import Tokenizer

NEWLINE = r"\n"
"""How a list of names spells the token of a line end."""

MOST_AROUND = 20
"""The most tokens before a text, and after it."""

_BEFORE = (
    "[gMASK]", "<sop>", "sop", "<s>", "<bos>", "[CLS]", "<cls>", "<|begin_of_text|>", "<|startoftext|>",
    "<|endoftext|>", NEWLINE,
)  # fmt: skip
_AFTER = (
    "</s>", "<eos>", "[SEP]", "<sep>", "<eop>", "eop", "<|end_of_text|>", "<|endoftext|>", "<|eot_id|>", "<|im_end|>",
)  # fmt: skip


@dataclass(frozen=True)
class Affixes:
    """Names of tokens before and after a text, and texts that become tokens of their own.

    A name is the content of a token, `\\n` for that of a line end, or `#` and an id.
    """

    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.prefix or self.suffix or self.added)


@dataclass(frozen=True)
class Affixed:
    """A tokenizer whose template has the affixes: use it with `template=True`.

    `added` are the ids of the visitor's tokens, `missing` the names that no token of the vocabulary has, `before` and
    `after` the numbers of tokens that were put around the text.
    """

    tokenizer: Tokenizer
    added: frozenset[int] = frozenset()
    missing: tuple[str, ...] = ()
    before: int = 0
    after: int = 0


def with_affixes(tokenizer: Tokenizer, affixes: Affixes, *, template: bool = False) -> Affixed:
    r"""Return the tokenizer with affixes; with `template`, its own template's tokens stand inside of them.

    An added token gets the id of the piece of that spelling if there is one, else the next id after the vocabulary. It
    is found in the text as it is written, before the normalizer, also inside of words. A name that no token has is left
    out. The tokenizer itself does not change.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(["[UNK]", "[CLS]", "low", "##er"]))
    >>> affixed = with_affixes(tokenizer, Affixes(prefix=("[CLS]", "sop"), added=("lower",)))
    >>> affixed.tokenizer.ids("low lower", template=True), affixed.missing
    ([1, 2, 4], ('sop',))
    >>> affixed.tokenizer.decode([2, 4])
    'low lower'
    """
    new = _new_tokens(tokenizer, affixes.added)
    tokens = (*tokenizer.added_tokens, *new)
    ids_of = {token.content: token.id for token in reversed(tokens)}
    found = [[_id_of(tokenizer, name, ids_of) for name in names] for names in (affixes.prefix, affixes.suffix)]
    names = zip((*affixes.prefix, *affixes.suffix), (*found[0], *found[1]), strict=True)
    missing = tuple(dict.fromkeys(name for name, id in names if id is None))
    before, after = ([id for id in ids if id is not None] for ids in found)
    own = tokenizer.postprocessor.template if template else None
    parts = (*before, *(own.parts if own else (None,)), *after)
    template_of_all = None if parts == (None,) else Template(parts)
    changed = tokenizer.changed(
        added_tokens=tokens, postprocessor=replace(tokenizer.postprocessor, template=template_of_all)
    )
    return Affixed(changed, frozenset(token.id for token in new), missing, len(before), len(after))


def offered_affixes(tokenizer: Tokenizer, affixes: Affixes | None = None) -> tuple[list[str], list[str]]:
    r"""Return the names that a vocabulary has among those that models expect before and after a text.

    With `affixes`, the chosen names are among them, each in its place, and the added tokens are names too. A vocabulary
    that has a template of its own is offered only what is chosen.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> offered_affixes(WORDPIECE.tokenizer(WordPiece(["[UNK]", "<s>", "</s>", "low"])))
    (['<s>'], ['</s>'])
    >>> offered_affixes(WORDPIECE.tokenizer(WordPiece(["[UNK]", "<s>", "sop"])), Affixes(prefix=("#2", "sop")))
    (['#2', 'sop', '<s>'], [])
    """
    affixes = affixes or Affixes()
    ids_of = {token.content: token.id for token in (*tokenizer.added_tokens, *_new_tokens(tokenizer, affixes.added))}
    before, after = (
        []
        if tokenizer.postprocessor.template is not None
        else [name for name in names if _id_of(tokenizer, name, ids_of) is not None]
        for names in (_BEFORE, _AFTER)
    )
    return _in_order(affixes.prefix, before, _BEFORE), _in_order(affixes.suffix, after, _AFTER)


def _in_order(chosen: Sequence[str], offered: Sequence[str], usual: Sequence[str]) -> list[str]:
    """The chosen names in their order, and each offered one before the first that usually follows it."""
    names = list(dict.fromkeys(chosen))
    for name in offered:
        if name not in names:
            later = set(usual[usual.index(name) :])
            names.insert(next((at for at, other in enumerate(names) if other in later), len(names)), name)
    return names


def _new_tokens(tokenizer: Tokenizer, contents: Sequence[str]) -> list[AddedToken]:
    """The added tokens of some texts; none for a text that is an added token already."""
    known = {token.content for token in tokenizer.added_tokens}
    following = max([len(tokenizer.model.pieces), *(token.id + 1 for token in tokenizer.added_tokens)])
    tokens = []
    for content in dict.fromkeys(contents):
        if not content or content in known:
            continue
        id = _id_of_spelling(tokenizer, content)
        if id is None:
            id, following = following, following + 1
        tokens.append(AddedToken(content, id, special=False))
    return tokens


def _id_of(tokenizer: Tokenizer, name: str, ids_of: dict[str, int]) -> int | None:
    """The id of the token that a name stands for."""
    if name in ids_of:
        return ids_of[name]
    number = name[1:] if name.startswith("#") else ""
    if number.isascii() and number.isdecimal() and len(number) < 10:
        id = int(number)
        return id if tokenizer.has_id(id) or id in ids_of.values() else None
    if name != NEWLINE:
        return _piece_id(tokenizer, name)
    ids = (_piece_id(tokenizer, piece) for piece in ("\n", "<0x0A>"))
    return next((id for id in ids if id is not None), None)


def _piece_id(tokenizer: Tokenizer, piece: str) -> int | None:
    """The id of the piece with this text; an unknown piece is none."""
    model = tokenizer.model
    are_bytes = isinstance(model.pieces[0], bytes) if len(model.pieces) else False
    return model.id_of(piece.encode("utf-8", "replace") if are_bytes else piece)


def _id_of_spelling(tokenizer: Tokenizer, content: str) -> int | None:
    """The id of the piece that a tokenizer.json spells like this: there, bytes are written in GPT-2's alphabet."""
    model = tokenizer.model
    if not (len(model.pieces) and isinstance(model.pieces[0], bytes)):
        return model.id_of(content)
    try:
        return model.id_of(characters_to_bytes(content))
    except ValueError:
        return None
