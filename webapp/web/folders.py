"""The folders that the site writes to, for the checks of disk space and permissions."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Folder(NamedTuple):
    """A folder that the site writes to: a name without its place on the disk, the path, and the setting that moves it.

    `create` tells whether the site creates the folder when it first needs it.
    """

    name: str
    path: Path
    setting: str
    create: bool = True

    @property
    def existing(self) -> Path:
        """The folder itself, or the nearest folder above it that exists."""
        return next((path for path in (self.path, *self.path.parents) if path.is_dir()), Path("/"))

    def free_bytes(self) -> int:
        """The free space for the site's user, in bytes; raises OSError."""
        return shutil.disk_usage(self.existing).free


def folders_of(config: Mapping[str, Any], instance: str) -> list[Folder]:
    """The folders that a configuration names; `instance` is Flask's instance folder, the default for most of them."""
    home = Path(instance)
    vocabularies = Path(str(config["VOCABULARY_FOLDER"]) or home / "vocabularies")
    corpora = Path(str(config["CORPUS_FOLDER"]) or home / "corpora")
    found = [
        Folder("vocabularies", vocabularies, "TOKENSCOPE_VOCABULARY_FOLDER"),
        Folder("corpora", corpora, "TOKENSCOPE_CORPUS_FOLDER"),
        Folder("temporary files", Path(tempfile.gettempdir()), "TMPDIR", create=False),
    ]
    if not config["DATABASE_URL"]:
        file = Path(str(config["DATABASE_FILE"]) or home / "tokenscope.sqlite")
        found.insert(0, Folder("database", file.resolve().parent, "TOKENSCOPE_DATABASE_FILE"))
    return found
