"""Loads the site once for all workers: they are forked from the process that imports this module."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from flask import Flask

from webapp.storage import DatabaseUrlError, SchemaError

# The application factory as `module:function`; tests substitute their own.
FACTORY = os.environ.get("TOKENSCOPE_APPLICATION") or "webapp:create_app"


def load() -> Flask:
    """The application from `FACTORY`, ready for forking; raises SystemExit with the reason if a setting is invalid."""
    module, _, name = FACTORY.partition(":")
    try:
        application: Flask = getattr(import_module(module), name)()
    except (ValueError, DatabaseUrlError, SchemaError) as error:
        sys.stderr.write(f"Tokenscope cannot start: {error}\n")
        raise SystemExit(1) from None
    # The garbage collector writes to objects that it tracks. Frozen ones stay in memory pages that all workers share.
    gc.collect()
    gc.freeze()
    return application


application = load()
