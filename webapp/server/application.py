"""The site that every worker serves, loaded once: workers are forked from the process that imports this module."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

from flask import Flask

from webapp.storage import DatabaseUrlError, SchemaError

# Where another application stands in, for tests: the module and the name of a function that makes it.
FACTORY = os.environ.get("TOKENSCOPE_APPLICATION") or "webapp:create_app"


def load() -> Flask:
    """The application that `FACTORY` makes; raises SystemExit with the reason where a setting cannot be used."""
    module, _, name = FACTORY.partition(":")
    try:
        application: Flask = getattr(import_module(module), name)()
    except (ValueError, DatabaseUrlError, SchemaError) as error:
        sys.stderr.write(f"Tokenscope cannot start: {error}\n")
        raise SystemExit(1) from None
    # Out of the garbage collector's sight, what is loaded is never written to, and stays shared between the workers.
    gc.collect()
    gc.freeze()
    return application


application = load()
