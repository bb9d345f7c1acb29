"""The built-in vocabularies: five trained with the site's own trainers, published ones, and jieba's dictionary.

Each is read once per process, on first use or by `preload`, and shared by all threads, because tokenizers are
immutable.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from functools import cache, wraps
from pathlib import Path
from threading import Event, RLock
from typing import Any, ParamSpec, TypeVar

from webapp.core import recipes
from webapp.core.formats import huggingface, packed_files, packed_ranks, tagger_weights
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.formats.tiktoken import encoding_tokenizer
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Direction, Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies import shipped_ngram

P = ParamSpec("P")
T = TypeVar("T")

FOLDER = Path(__file__).parent / "shipped"
NAMES = ("bpe-bytes", "bpe-characters", "wordpiece", "unigram")
GPT_4O = "o200k_base"
LANGUAGE_MODELS = (GPT_4O, "cl100k_base", "gpt2")
"""The encodings that the panel beside each result has, and so every worker."""
SENTENCEPIECE = "mistral-7b-v0-1"
OTHER_KINDS = (SENTENCEPIECE, "bert-base-cased", "bert-base-chinese", "t5")
"""The published vocabularies of other kinds that the panel has: SentencePiece's BPE, WordPiece and Unigram."""
PRELOADED = (
    *(name for name, file in packed_ranks.FILES.items() if file == GPT_4O),
    *LANGUAGE_MODELS[1:],
    *OTHER_KINDS,
)

NGRAM = "ngram"
TAGGER = "tagger"
SIMPLIFIED = ("jieba", NGRAM, TAGGER)
"""The vocabularies whose words are in simplified characters, with few exceptions."""
NGRAM_WORDS = 356_190  # of the built-in n-gram model; jieba's are among them

# `preload` encodes this text, which compiles patterns and builds tables before the first request.
SAMPLE = "A sample: 12 words, 词语 and\tsome 代码 f(x) = 3.14;\n"

ARE_LOADED = Event()
"""Set once all built-in vocabularies are in the memory of this process, or of the one that it was forked from."""
_loading = RLock()


def _once(load: Callable[P, T]) -> Callable[P, T]:
    """Let a function load each thing once in a process, whichever threads need it."""
    cached: Callable[..., T] = cache(load)

    @wraps(load)
    def loaded(*arguments: P.args, **options: P.kwargs) -> T:
        with _loading:
            return cached(*arguments, **options)

    return loaded


@_once
def shipped_tokenizer(name: str, *, lowercase: bool = False) -> Tokenizer:
    """The tokenizer of the built-in vocabulary `name`, one of `NAMES`.

    `lowercase` adds a lower-casing normalizer to the WordPiece vocabulary. Raises KeyError for any other name.
    """
    if name not in NAMES:
        raise KeyError(name)
    if lowercase:
        cased = shipped_tokenizer(name)
        return recipes.wordpiece(lowercase=True).tokenizer(cased.model, cased.special_tokens)
    return huggingface.read(unpacked(name).decode())


def unpacked(name: str) -> bytes:
    """The `tokenizer.json` of one of `NAMES`, or the weights of the tagger."""
    return gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes())


def shipped_encoding(name: str) -> Tokenizer:
    """The tokenizer of a published vocabulary that ships; those in `PRELOADED` stay in memory, and share models."""
    return _preloaded(name) if name in PRELOADED else _published(name)


@_once
def _preloaded(name: str) -> Tokenizer:
    if name in LANGUAGE_MODELS + OTHER_KINDS:
        return _published(name)
    return encoding_tokenizer(_preloaded(GPT_4O).model, name)


def _published(name: str) -> Tokenizer:
    if name in packed_files.FILES:
        return packed_files.tokenizer_of(name, _read)
    return packed_ranks.read(packed(name), name)


def published_file(name: str) -> bytes:
    """The publisher's file of a published vocabulary that ships."""
    if name in packed_files.FILES:
        return packed_files.published_file(name, _read)
    return packed_ranks.tiktoken_file(packed(name), name)


def packed(encoding: str) -> bytes:
    """The packed file with the ranks of an encoding."""
    return _read(f"{packed_ranks.FILES[encoding]}.xz")


def _read(file: str) -> bytes:
    return (FOLDER / file).read_bytes()


@_once
def jieba_words() -> Dictionary:
    """jieba's 349,045 words with their frequencies and tags."""
    return jieba_dictionary()


@_once
def ngram_tokenizer() -> Tokenizer:
    """The tokenizer of the built-in n-gram model, with bigrams and Kneser-Ney smoothing."""
    return recipes.NGRAM.tokenizer(shipped_ngram.read(FOLDER / f"{NGRAM}.json.gz", jieba_dictionary()))


@_once
def tagger_tokenizer() -> Tokenizer:
    """The tokenizer of the built-in tagger; jieba's words have ids."""
    return tagger_weights.read(json.loads(unpacked(TAGGER)), jieba_words())


def matching(dictionary: Dictionary, direction: Direction, keep_runs: bool) -> Tokenizer:
    """A tokenizer that matches the longest words of `dictionary` in the given direction."""
    return recipes.MATCHING.tokenizer(Matching(dictionary, direction, keep_runs))


def maximum_probability(dictionary: Dictionary, hmm: bool) -> Tokenizer:
    """A tokenizer that takes the most probable words of `dictionary`; the one of jieba's dictionary is built once."""
    if dictionary is jieba_words():
        return _jieba_probability(hmm)
    return recipes.MATCHING.tokenizer(MaximumProbability(dictionary, hmm))


@_once
def _jieba_probability(hmm: bool) -> Tokenizer:
    return recipes.MATCHING.tokenizer(MaximumProbability(jieba_dictionary(), hmm))


def chinese_words(text: str) -> Sequence[str]:
    """The words of a Chinese text for measures per word: those of maximum probability with jieba's dictionary.

    >>> chinese_words("研究生命的起源")
    ['研究', '生命', '的', '起源']
    """
    model = maximum_probability(jieba_words(), hmm=False).model
    assert isinstance(model, MaximumProbability)
    return model.words(text)


def preload() -> None:
    """Load all built-in vocabularies, so that no request waits for them."""
    for name in NAMES:
        shipped_tokenizer(name).encode(SAMPLE).starts  # noqa: B018 (compiles the patterns, fills the caches)
    for name in LANGUAGE_MODELS + OTHER_KINDS:
        shipped_encoding(name).encode(SAMPLE).starts  # noqa: B018
    matching(jieba_words(), "both", keep_runs=True).ids(SAMPLE)
    maximum_probability(jieba_words(), hmm=True).ids(SAMPLE * 20)  # long enough for the tables of long texts
    ngram_tokenizer().ids(SAMPLE)
    tagger_tokenizer().ids(SAMPLE)
    ARE_LOADED.set()


def missing_files() -> list[str]:
    """The names of the built-in vocabularies whose files are missing; jieba's is in its own package."""
    files = [f"{name}.json.gz" for name in (*NAMES, NGRAM, TAGGER)]
    files += [f"{name}.xz" for name in sorted({*packed_ranks.FILES.values(), *packed_files.FILES})]
    return [file.partition(".")[0] for file in files if not (FOLDER / file).is_file()]


@cache
def record() -> dict[str, Any]:
    """How the four vocabularies were trained: corpus, sizes, checksums, command and time."""
    content: dict[str, Any] = json.loads((FOLDER / "RECORD.json").read_text(encoding="utf-8"))
    return content


@cache
def sizes_record() -> dict[str, Any]:
    """The tokens of held-out texts by vocabulary and number of pieces."""
    content: dict[str, Any] = json.loads((FOLDER / "SIZES.json").read_text(encoding="utf-8"))
    return content
