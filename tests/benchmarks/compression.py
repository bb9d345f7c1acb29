"""Characters per token, and how much is unknown: ``python -m tests.benchmarks.compression [--before FOLDER]``.

The built-in vocabularies beside GPT-2's and GPT-4's, on texts that no built-in one was trained on: an English novel,
Chinese news in both scripts, a Japanese novel, and the source of installed packages. `--before` names a folder with
earlier files of the built-in ones. Goals: WordPiece has at least 4.1 English characters per token and uses 97 % of its
pieces on its own corpus; at most 2 % of traditional Chinese is unknown.
"""

import argparse
import gzip
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.benchmarks.texts import SHARED, SHIPPED, VOCABULARIES, require_shared, text
from tests.benchmarks.timing import end
from webapp.core.formats import huggingface, tiktoken
from webapp.core.text.pretoken_counts import count
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.corpus import read_corpus, traditional
from webapp.vocabularies.shipped_vocabularies import NAMES

PACKAGES = ("flask", "werkzeug", "sqlalchemy")
LEAST_ENGLISH = 4.1  # characters per token of WordPiece
MOST_UNKNOWN = 0.02  # of the characters of traditional Chinese
MOST_UNUSED = 0.03  # of WordPiece's pieces


def texts() -> dict[str, str]:
    """Return the texts by name; the traditional one only if OpenCC is installed."""
    news = (SHARED / "sighan" / "pku_test.utf8").read_text(encoding="utf-8-sig")
    found = {"English": text("English"), "simplified": news}
    if find_spec("opencc"):
        found["traditional"] = traditional(news)
    return found | {"Japanese": text("Japanese"), "code": source_of_packages()}


def source_of_packages() -> str:
    """Return a megabyte of source code that does not belong to the standard library."""
    origins = (find_spec(name) for name in PACKAGES)
    folders = [Path(spec.origin).parent for spec in origins if spec and spec.origin]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))[::3]]
    return "".join(path.read_text(encoding="utf-8") for path in paths)[:1_000_000]


def tokenizers(before: Path | None) -> Iterator[tuple[str, Tokenizer]]:
    """Yield each tokenizer with its name: the earlier built-in ones, today's, then the well-known ones."""
    for label, folder in (("before", before), ("built in", SHIPPED)):
        for name in NAMES if folder else ():
            assert folder is not None
            yield f"{label}: {name}", built_in(folder, name)
    yield "GPT-2", huggingface.read((VOCABULARIES / "tokenizers" / "gpt2.json").read_text(encoding="utf-8"))
    for encoding in ("cl100k_base", "o200k_base"):
        path = VOCABULARIES / "tiktoken" / f"{encoding}.tiktoken"
        if path.is_file():
            yield encoding, tiktoken.read(path.read_bytes(), encoding=encoding)


def built_in(folder: Path, name: str) -> Tokenizer:
    """Read a built-in vocabulary from a folder."""
    return huggingface.read(gzip.decompress((folder / f"{name}.json.gz").read_bytes()).decode())


def measured(tokenizer: Tokenizer, written: str) -> tuple[float, float]:
    """Return the characters per token of a text, and the share of its characters in unknown tokens."""
    encoding = tokenizer.encode(written)
    unknown = tokenizer.model.unknown_id
    spans = zip(encoding.starts, encoding.ends, encoding.ids, strict=True)
    missing = 0 if unknown is None else sum(stop - start for start, stop, id in spans if id == unknown)
    return len(written) / len(encoding.ids), missing / len(written)


def unused(tokenizer: Tokenizer) -> float:
    """Return the share of pieces that a tokenizer does not use on the corpus of the built-in vocabularies."""
    assert tokenizer.normalizer is not None
    assert tokenizer.pretokenizer is not None
    words: set[str] = set()  # each is encoded once: the whole corpus would take minutes
    for part in read_corpus(SHARED / "corpora"):
        words |= count(tokenizer.normalizer.normalize(part.text), tokenizer.pretokenizer).keys()
    used = {id for word in words for id in tokenizer.model.ids(word)}
    return 1 - len(used) / len(tokenizer.model.pieces)


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--before", type=Path, help="folder with earlier files of the built-in vocabularies")
    options = parser.parse_args()
    require_shared()
    samples = texts()
    print("characters per token, unknown\n" + " " * 26 + "".join(f"{name:>16}" for name in samples))
    missed = []
    for name, tokenizer in tokenizers(options.before):
        found = {language: measured(tokenizer, sample) for language, sample in samples.items()}
        row = "".join(f"{per_token:>9.3f}{missing:>7.1%}" for per_token, missing in found.values())
        print(f"{name:<26}{row}", flush=True)
        if name == "built in: wordpiece" and found["English"][0] < LEAST_ENGLISH:
            missed.append(f"{name}: English")
        if name.startswith("built in") and found.get("traditional", (0, 0))[1] > MOST_UNKNOWN:
            missed.append(f"{name}: traditional Chinese")
    if find_spec("opencc"):
        share = unused(built_in(SHIPPED, "wordpiece"))
        print(f"\npieces of WordPiece that its corpus does not use: {share:.2%}")
        if share > MOST_UNUSED:
            missed.append("unused pieces")
    return end([], missed)


if __name__ == "__main__":
    raise SystemExit(main())
