"""The folder for temporary files of one process, which the next one deletes if this one could not."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from multiprocessing.util import Finalize, get_temp_dir
from pathlib import Path

PREFIX = "tokenscope-run"
# The longest path in bytes of a folder that may have sockets: theirs has about a hundred at most.
MOST_FOR_SOCKETS = 70


def own_folder() -> Finalize:
    """Make a folder in `TMPDIR` that replaces it for this process and those that it starts; delete abandoned ones.

    A process keeps its folder locked while it lives, and the system unlocks it even after SIGKILL. Returns a function
    that deletes the folder; it is also called at the end of a process of multiprocessing, after that's own folder.
    """
    parent = Path(tempfile.gettempdir())
    for abandoned in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # in use, or another user's
            os.close(_locked(abandoned))
            shutil.rmtree(abandoned)
    # It gets its name when it is locked, so that nobody else takes it for abandoned.
    new = Path(tempfile.mkdtemp(prefix="tokenscope-new"))
    _locked(new)
    folder = new.rename(parent / new.name.replace("tokenscope-new", PREFIX))
    if len(os.fsencode(folder)) > MOST_FOR_SOCKETS:
        get_temp_dir()  # where multiprocessing makes its sockets: chosen now, it is outside
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    return Finalize(None, shutil.rmtree, (folder, True), exitpriority=-200)


def _locked(folder: Path) -> int:
    """Lock `folder`; return its descriptor, or raise OSError if another process has it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
