"""Packs OpenAI's `.tiktoken` files for the site, and verifies what it packed.

    python -m webapp.vocabularies.pack_encodings DIR

`DIR` has the files as OpenAI publishes them at https://openaipublic.blob.core.windows.net/encodings/. The checksums in
`well_known.toml` are those of tiktoken's `openai_public.py`.
"""

from __future__ import annotations

import argparse
import sys
from hashlib import sha256
from pathlib import Path

from webapp.core.formats import packed_ranks
from webapp.core.formats.tiktoken import read_ranks
from webapp.vocabularies.shipped_vocabularies import FOLDER, packed
from webapp.vocabularies.wellknown import WELL_KNOWN


def main() -> None:
    """Write each packed file, then unpack every encoding; exit with the name of the first whose checksum differs."""
    parser = argparse.ArgumentParser(prog="python -m webapp.vocabularies.pack_encodings", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder with OpenAI's files")
    folder = parser.parse_args().folder
    for name in sorted(set(packed_ranks.FILES.values())):
        content = (folder / f"{name}.tiktoken").read_bytes()
        (FOLDER / f"{name}.xz").write_bytes(packed_ranks.pack(read_ranks(content)))
    for name in packed_ranks.FILES:
        content = packed_ranks.tiktoken_file(packed(name), name)
        if (sha256(content).hexdigest(),) != WELL_KNOWN[name].source.sha256:
            sys.exit(f"{name}: the checksum is not that of well_known.toml")


if __name__ == "__main__":
    main()
