"""The recipe of the vocabularies that ship: what `shipped/RECORD.json` records, in its notes too.

    python -m webapp.vocabularies.train --corpora DIR --out DIR [--only ngram]
    python -m webapp.vocabularies.train --tiktoken DIR

The first trains `bpe-bytes`, `bpe-characters`, `unigram` (Hugging Face's tokenizer.json, compressed) and
`ngram`, and prints whether each is the file of the record. The second packs the `.tiktoken` files that OpenAI publishes
at https://openaipublic.blob.core.windows.net/encodings/, and fails if one does not unpack to what is published.
`wordpiece.json.gz` stays as it is: it was trained from the top down, by a trainer that is gone.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any

import click

from webapp.core import recipes
from webapp.core.formats import huggingface, packed_ranks
from webapp.core.formats.tiktoken import read_ranks
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram_counts import HIGHEST_ORDER, LONGEST_WORD, NGramCounts
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.trainers import bpe, unigram
from webapp.core.trainers.ngram import count_numbers, pruned
from webapp.core.trainers.word_counts import WordCounts, merged
from webapp.core.training.ngrams import sentences
from webapp.core.training.plan import TrainingPlan
from webapp.vocabularies.shipped_ngram import written
from webapp.vocabularies.shipped_vocabularies import FOLDER, jieba_words, packed, record
from webapp.vocabularies.wellknown import WELL_KNOWN

SIZE = 32_000  # pieces of each vocabulary, special tokens included
COVERAGE = 0.9999  # the share of characters in the alphabets of </w> BPE and Unigram
LONGEST_PIECE = 32  # characters; Unigram
THIRD = 2_800_000  # bytes of each of English, simplified Chinese and code; traditional Chinese is half as much
ENGLISH, MODERN, NOVELS = "en_holmes_and_others.txt", "zh_luxun.txt", ("zh_honglou.txt", "zh_shuihu.txt")
# File, begin and size in bytes, whether in traditional characters, and the characters of a document: none of the
# Sherlock Holmes stories is in three. A novel has the same names from beginning to end, so it is one document (0).
SOURCES = (
    (ENGLISH, 0, THIRD, False, 44_000),
    (MODERN, 0, THIRD // 2, False, 20_000),
    *((name, 0, THIRD // 4, False, 0) for name in NOVELS),
    (MODERN, THIRD // 4, THIRD // 4, True, 20_000),
    *((name, THIRD // 4, THIRD // 8, True, 0) for name in NOVELS),
)
NO_CODE = {"site-packages", "test", "tests", "idle_test", "encodings", "pydoc_data", "__pycache__"}
LEAST_DOCUMENTS = 3  # that a piece of two or more characters occurs in
LEAST_WORDS, LEAST_NGRAMS = 3, 2  # occurrences of a word that jieba does not have, and of a bigram or trigram
# A gloss in the Lu Xun file repeats its word: 土谷祠土谷祠：即土地庙。 or “行状”“行状”：指…; the first one stays.
_DOUBLED = re.compile(r"([^\n：，。！？；]{2,40})\1(?=：|（[^\n（）]{1,40}）：)")
Documents = Sequence[tuple[str, str]]  # names and texts; texts with the same name are one document


def counted(documents: Documents, recipe: recipes.Recipe) -> WordCounts:
    """Return the words of documents, in an order that mixes these: by the SHA-256 of their texts."""
    texts = sorted((text for _name, text in documents), key=lambda text: sha256(text.encode()).digest())
    return merged(*map(recipe.count, texts))


def books(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the English and Chinese documents."""
    for name, begin, size, in_traditional, length in SOURCES:
        text = (folder / name).read_bytes().decode()
        text = beginning_of(text[len(beginning_of(text, begin)) :], size)
        text = _DOUBLED.sub(r"\1", text) if name == MODERN else text
        text = traditional(text) if in_traditional else text
        for at in range(0, len(text), length or len(text)):
            yield f"{name} {in_traditional} {at}" if length else name, text[at : at + (length or len(text))]


def standard_library() -> Iterator[tuple[str, str]]:
    """Yield source files, long ones cut at one length so that all have THIRD bytes; a package is a document."""
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path.relative_to(root) for path in root.rglob("*.py"))
    contents = {path: (root / path).read_bytes() for path in files if NO_CODE.isdisjoint(path.parts)}
    left = cut = THIRD
    for number, size in enumerate(sorted(map(len, contents.values()))):
        cut = left // (len(contents) - number)
        if size > cut:
            break
        left -= size
    for path, content in contents.items():
        if text := beginning_of(content.decode(), cut):
            yield path.parts[0], text


def beginning_of(text: str, budget: int) -> str:
    """Return the first complete lines of a text that fit in `budget` bytes of UTF-8.

    >>> beginning_of("a line\\nanother\\n", 10)
    'a line\\n'
    """
    lines = text.splitlines(keepends=True)
    return "".join(lines[: sum(end <= budget for end in accumulate(len(line.encode()) for line in lines))])


def traditional(text: str) -> str:
    """Return a simplified Chinese text in traditional characters, converted by OpenCC, with their quotation marks."""
    from opencc import OpenCC  # the extra `corpora`

    converted: str = OpenCC("s2t").convert(text)
    return converted.translate(str.maketrans("“”‘’", "「」『』"))


class Support:
    """Whether a piece occurs in enough documents: names and boilerplate of one source are frequent nowhere else.

    >>> support = Support([("a", "if spam"), ("b", "if ham"), ("c", "if x"), ("d", "elif")])
    >>> support("if"), support(" ham"), support(b"if")
    (True, False, True)
    """

    def __init__(self, documents: Documents) -> None:
        words: dict[str, dict[str, int]] = {}
        for name, text in documents:
            words.setdefault(name, {}).update(recipes.BYTE_BPE.count(text))
        texts = ["\n".join(found) for found in words.values()]
        self._found: dict[str | bytes, list[str] | list[bytes]] = {"": texts, b"": [text.encode() for text in texts]}

    def __call__(self, piece: str | bytes) -> bool:
        """Whether the piece has one character or byte, or occurs in enough documents."""
        return len(piece) < 2 or len(self._containing(piece)) >= LEAST_DOCUMENTS

    def _containing(self, piece: str | bytes) -> list[str] | list[bytes]:
        if piece not in self._found:  # in the documents with the piece that is one shorter
            self._found[piece] = [each for each in self._containing(piece[:-1]) if piece in each]  # type: ignore
        return self._found[piece]


def train_bytes(counts: WordCounts, support: Support) -> bpe.TrainedBPE[bytes]:
    """Byte-level BPE, with its one special token."""
    return bpe.train_bytes(counts, SIZE, ["<|endoftext|>"], accepts=support)


def train_characters(counts: WordCounts, support: Support) -> bpe.TrainedBPE[str]:
    """BPE over characters with `</w>`."""
    return bpe.train_characters(
        counts, SIZE, coverage=COVERAGE, accepts=lambda piece: support(piece.removesuffix(bpe.END_OF_WORD))
    )


def train_unigram(counts: WordCounts, support: Support) -> unigram.TrainedUnigram:
    """Unigram, whose longer pieces occur ten times."""
    seeded = unigram.seed(counts, coverage=COVERAGE, longest=LONGEST_PIECE, minimum_frequency=10)
    longer = {piece: rank // len(piece) for piece, rank in seeded.ranks.items() if len(piece) > 1}
    candidates = {piece: frequency for piece, frequency in longer.items() if support(piece.replace("▁", " "))}
    return unigram.train(counts, SIZE, coverage=COVERAGE, longest=LONGEST_PIECE, candidates=candidates)


def count_ngrams(
    found: Sequence[Sequence[str]], dictionary: Dictionary, least: int = LEAST_NGRAMS
) -> tuple[NGramCounts, CharacterModel]:
    """Return the n-grams of sentences over a dictionary and frequent other words, and the characters of the rest."""
    times = Counter(word for sentence in found for word in sentence)
    others = (word for word, count in times.items() if count >= LEAST_WORDS and len(word) <= LONGEST_WORD)
    words = [*dictionary.words, *(word for word in others if word not in dictionary)]
    numbers = {word: number for number, word in enumerate(words)}
    texts = ([numbers.get(word, len(words) + 2) for word in sentence] for sentence in found)
    counts = count_numbers(words, texts, HIGHEST_ORDER)
    letters: Counter[str] = Counter()
    for word in times.keys() - numbers.keys():
        letters.update({letter: word.count(letter) * times[word] for letter in set(word) if letter not in numbers})
    return pruned(counts, (least, least)), CharacterModel(dict(sorted(letters.items())))


def ngram_file(corpora: Path) -> bytes:
    """Return the file of the n-gram model: the words that maximum probability finds in the Chinese books."""
    texts = [(corpora / name).read_text(encoding="utf-8") for name in (MODERN, *NOVELS)]
    texts[0] = _DOUBLED.sub(r"\1", beginning_of(texts[0], THIRD // 2))  # its rest is the held-out text of SIZES.json
    plan = TrainingPlan(trainer="ngram", segmentation="max-probability")
    counts, characters = count_ngrams([words for text in texts for words in sentences(text, plan)], jieba_words())
    return written(counts, jieba_words(), characters)


TRAINERS: dict[recipes.Recipe, Callable[[WordCounts, Support], Any]] = {
    recipes.BYTE_BPE: train_bytes,
    recipes.CHARACTER_BPE: train_characters,
    recipes.UNIGRAM: train_unigram,
}


def files(corpora: Path, only: str | None) -> Iterator[tuple[str, bytes]]:
    """Train the vocabularies, and yield the name and the content of each file."""
    yield "ngram.json.gz", ngram_file(corpora)
    if only:
        return
    documents = [*books(corpora), *standard_library()]
    support = Support(documents)
    for recipe, train in TRAINERS.items():
        trained = train(counted(documents, recipe), support)
        tokenizer = recipe.tokenizer(trained.model, trained.special_tokens)
        yield f"{recipe.name}.json.gz", gzip.compress(huggingface.write(tokenizer).encode(), 9, mtime=0)


def pack_encodings(folder: Path) -> None:
    """Write OpenAI's encodings as they ship; raises ValueError for one that does not unpack to what is published."""
    for name in sorted(set(packed_ranks.FILES.values())):
        ranks = read_ranks((folder / f"{name}.tiktoken").read_bytes())
        (FOLDER / f"{name}.xz").write_bytes(packed_ranks.pack(ranks))
    for name in packed_ranks.FILES:
        if (sha256(packed_ranks.tiktoken_file(packed(name), name)).hexdigest(),) != WELL_KNOWN[name].source.sha256:
            raise ValueError(f"{name}: the checksum is not that of well_known.toml")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train or pack what ships."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpora", type=Path, help="folder of the English and Chinese texts")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder to write to")
    parser.add_argument("--only", choices=["ngram"], help="train only this one")
    parser.add_argument("--tiktoken", type=Path, help="folder of OpenAI's files, to pack them")
    options = parser.parse_args(arguments)
    if options.tiktoken:
        pack_encodings(options.tiktoken)
        return
    for name, content in files(options.corpora, options.only):
        (options.out / name).write_bytes(content)
        digest, recorded = sha256(content).hexdigest(), record()["outputs"][name]["sha256"]
        click.echo(f"{name} {len(content)} {digest} {'as recorded' if digest == recorded else 'not as recorded'}")


if __name__ == "__main__":
    main()
