"""Loads the site once for all workers: they are forked from the process that imports this module."""

import gc
import os
import sys
from importlib import import_module

from flask import Flask

from webapp.core.algorithms import ALGORITHMS
from webapp.observing.logs import announce, configure
from webapp.observing.options import log_form
from webapp.storage import DatabaseUrlError, SchemaError

# The application factory as `module:function`; tests substitute their own.
FACTORY = os.environ.get("TOKENSCOPE_APPLICATION") or "webapp:create_app"
LOG = log_form()
# Pages whose first rendering takes several times as long as the next ones.
_QUERY = {"text": "Tokenizers rarely agree. 不同的分词器，切法往往不同。"}
WARMING: tuple[tuple[str, dict[str, str]], ...] = (
    ("/", {}),
    *(("/", _QUERY | {"algorithm": id}) for id in ALGORITHMS),
    ("/compare", _QUERY),
    ("/steps/bpe", _QUERY),
    ("/languages", {}),
)


def load() -> Flask:
    """The application from `FACTORY`, ready for forking; raises SystemExit with the reason if a setting is invalid."""
    module, _, name = FACTORY.partition(":")
    gc.disable()  # nearly all that is made here stays; looking for garbage took a sixth of the time
    try:
        application: Flask = getattr(import_module(module), name)()
    except (ValueError, DatabaseUrlError, SchemaError) as error:
        announce(LOG, f"Tokenscope cannot start: {error}", sys.stderr)
        raise SystemExit(1) from None
    if application.config["PRELOAD"]:
        _warm(application)
    # The garbage collector writes to objects that it tracks. Frozen ones stay in memory pages that all workers share.
    gc.collect()
    gc.freeze()
    gc.enable()
    return application


def _warm(application: Flask) -> None:
    """Render some pages, so that workers need not do for themselves what is done at the first request of a kind.

    Only the views run, none of the hooks, and these views use neither the database nor Redis: a connection must not be
    inherited by the workers.
    """
    for address, query in WARMING:
        with application.test_request_context(address, query_string=query):
            application.dispatch_request()


configure(LOG)
application = load()
