"""Every setting: one place, a name, a default and a sentence.

Each is read from the environment with the prefix `TOKENSCOPE_`: `TOKENSCOPE_MAX_TEXT_BYTES=200000`. Only
`DATABASE_URL` is read without it, for that is how hosting platforms name it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from flask import Flask

DEFAULTS: dict[str, Any] = {
    # The longest text that is tokenized, in bytes of UTF-8.
    "MAX_TEXT_BYTES": 1_048_576,
    # The longest text that a vocabulary is learned from on the spot, in bytes of UTF-8.
    "MAX_CORPUS_BYTES": 204_800,
    # The longest query string that is still offered as a link holding the whole state, in characters.
    "MAX_LINK_CHARACTERS": 1_500,
    # The largest vocabulary file that may be uploaded, in bytes.
    "MAX_UPLOAD_BYTES": 26_214_400,
    # What all vocabularies may take in the database, in bytes; then visitors’ own are not accepted any more.
    "MAX_UPLOADS_BYTES": 5_368_709_120,
    # What fetched and uploaded vocabularies may take in the memory of one process, about, in bytes.
    "MAX_LOADED_BYTES": 536_870_912,
    # How often one address may ask (each process counts for itself, or all together with REDIS_URL): for anything, and
    # for what stores something: an upload, a snapshot, a report. Empty: as often as it likes.
    "RATE_READING": "1200 per minute",
    "RATE_STORING": "20 per minute, 200 per hour",
    # How many proxies stand before the site, each telling for whom it asks (X-Forwarded-For), the last one with which
    # scheme (X-Forwarded-Proto); no other such header is believed.
    "PROXIES": 0,
    # Whether every vocabulary is loaded at start (a slower start, a quick first answer) or on first use.
    "PRELOAD": False,
    # Where fetched vocabularies are kept; the folder `vocabularies` in Flask's instance folder if it is empty.
    "VOCABULARY_FOLDER": "",
    # Where vocabularies are fetched from: the Hugging Face hub and OpenAI's files, or mirrors of them.
    "HUB": "https://huggingface.co",
    "OPENAI_FILES": "https://openaipublic.blob.core.windows.net",
    # The file of the embedded database; `tokenscope.sqlite` in Flask's instance folder if it is empty.
    "DATABASE_FILE": "",
    # The longest that a request may take, in seconds: then its work is stopped, and the visitor is told so.
    "MAX_REQUEST_SECONDS": 30,
    # The longest that a request waits for a database that is locked or does not answer, in seconds.
    "MAX_DATABASE_SECONDS": 5,
    # The names of the vocabularies that are fetched ahead of time, by `flask --app webapp vocabularies fetch`.
    "FETCH": "",
    # The largest file that is fetched, in bytes, and the longest that fetching a vocabulary may take, in seconds.
    "MAX_FETCH_BYTES": 50_000_000,
    "MAX_FETCH_SECONDS": 60,
}


def configure(app: Flask, configuration: Mapping[str, Any]) -> None:
    """Give `app` the defaults, then the environment's settings, then `configuration`."""
    app.config.from_mapping(DEFAULTS, DATABASE_URL=os.environ.get("DATABASE_URL", ""))
    app.config.from_prefixed_env("TOKENSCOPE")
    app.config.update(configuration)
    for name in (name for name in DEFAULTS if name.startswith("MAX_")):
        if not isinstance(app.config[name], int) or app.config[name] < 1:
            raise ValueError(f"TOKENSCOPE_{name} must be a whole number above 0, not {app.config[name]!r}")
    if not isinstance(app.config["PROXIES"], int) or app.config["PROXIES"] < 0:
        raise ValueError(f"TOKENSCOPE_PROXIES must be a whole number, not {app.config['PROXIES']!r}")
    # A text too long by less than some factor still gets an answer that names the limit and keeps the text;
    # beyond that the body is not read at all. Percent-encoding triples what is not ASCII.
    longest = 4 * app.config["MAX_TEXT_BYTES"] + 2 * app.config["MAX_CORPUS_BYTES"] + 1_000_000
    app.config.setdefault("MAX_CONTENT_LENGTH", None)
    app.config["MAX_CONTENT_LENGTH"] = app.config["MAX_CONTENT_LENGTH"] or longest
    app.config["MAX_FORM_MEMORY_SIZE"] = app.config["MAX_CONTENT_LENGTH"]
    app.config.setdefault("COMPRESS_ALGORITHM", ["br", "zstd", "gzip"])
    app.config.setdefault("COMPRESS_BR_LEVEL", 4)
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
