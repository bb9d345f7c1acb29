"""The shared core: text in, tokens out. No web, no database, no settings.

A text goes through one pipeline of small objects: a normalizer changes characters, a pre-tokenizer splits the text into
pre-tokens, a model turns each pre-token into pieces of its vocabulary, and a decoder turns pieces back into text.
`Tokenizer` composes them; `recipes` holds the five compositions of this site.

**Load** a vocabulary file. Its content decides which format it is: tokenizer.json, SentencePiece, GGUF, .tiktoken,
tekken.json, vocab.txt, a word list and more. `load` takes a path or bytes:

>>> from webapp.core import load, train_bpe
>>> words = load("研究\\n研究生\\n生命\\n起源\\n".encode())

**Encode.** `ids` returns numbers; `encode` returns an `Encoding`, which also has each token's piece and its
offsets in the text:

>>> words.ids("研究生命起源")
[0, 2, 3]
>>> [(token.piece, token.start, token.end) for token in words.encode("研究生命起源")]
[('研究', 0, 2), ('生命', 2, 4), ('起源', 4, 6)]

**Decode.**

>>> words.decode([0, 2, 3])
'研究生命起源'

**Train** on a text, with `train_bpe`, `train_wordpiece` or `train_unigram`:

>>> tokenizer = train_bpe("low low low lower lowest", merges=4, byte_level=False)
>>> [token.piece for token in tokenizer.encode("low lower")]
['low</w>', 'lowe', 'r</w>']

**Trace** a word: every decision of an algorithm as a plain value. `webapp.core.traces` has a module for each algorithm:

>>> from webapp.core.traces.merging import merging_steps, traced_words
>>> [word] = traced_words(tokenizer.model, "lower")
>>> for step in merging_steps(tokenizer.model, word):
...     print(type(step).__name__, *(symbol.piece for symbol in step.symbols))
BeginStep l o w e r</w>
MergeStep l o w e r</w>
MergeStep lo w e r</w>
MergeStep low e r</w>
EndStep lowe r</w>

To read an algorithm rather than run it, open `webapp.core.reference`, which has each one as textbooks teach it.
"""

from webapp.core.encoding import Encoding, Token
from webapp.core.formats.recognize import load
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.from_text import train_bpe, train_unigram, train_wordpiece

__version__ = "0.1.0"
"""Stored with every shared result, so that a later version can report that its tokens differ."""
