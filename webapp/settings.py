"""All settings with their defaults.

The environment sets each of them with the prefix `TOKENSCOPE_`, for example `TOKENSCOPE_MAX_TEXT_BYTES=200000`. Only
`DATABASE_URL` has no prefix, because hosting platforms use this name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from flask import Flask

DEFAULTS: dict[str, Any] = {
    # The longest text to tokenize, in bytes of UTF-8.
    "MAX_TEXT_BYTES": 1_048_576,
    # The longest corpus to train a vocabulary on during a request, in bytes of UTF-8.
    "MAX_CORPUS_BYTES": 204_800,
    # The largest corpus to train a vocabulary on by a worker, in bytes: of the upload, and of the text after
    # decompression.
    "MAX_TRAINING_BYTES": 209_715_200,
    # The limits of a training: seconds, bytes of memory of all its processes together, and bytes of files in its
    # folder, the corpus included.
    "MAX_TRAINING_SECONDS": 3_600,
    "MAX_TRAINING_MEMORY_BYTES": 4_294_967_296,
    "MAX_TRAINING_DISK_BYTES": 1_073_741_824,
    # The time without a sign of life from its worker after which a training is taken up again, in seconds.
    "MAX_SILENT_SECONDS": 20,
    # The number of trainings that one worker runs at once.
    "MAX_TRAININGS": 2,
    # Whether trainings get only the processor time that nothing else on the machine wants.
    "TRAIN_GENTLY": True,
    # Whether `python -m webapp` starts a worker beside the web server. Others: `python -m webapp.jobs`.
    "WORKER": True,
    # The folder for corpora until their training ends, which all machines share. Empty: `corpora` in Flask's instance
    # folder. The limit for all corpora together is in bytes; beyond it, the site refuses new ones.
    "CORPUS_FOLDER": "",
    "MAX_CORPORA_BYTES": 10_737_418_240,
    # The longest gold text to evaluate segmentations against, in bytes of UTF-8. A segmentation may be twice as long.
    "MAX_GOLD_BYTES": 5_242_880,
    # The longest query string of a link that contains the whole state, in characters.
    "MAX_LINK_CHARACTERS": 1_500,
    # The largest vocabulary file that may be uploaded, in bytes.
    "MAX_UPLOAD_BYTES": 26_214_400,
    # Shown in the footer of every page, if set: the address of the source code, and an e-mail address or a web page of
    # the operator.
    "SOURCE": "",
    "CONTACT": "",
    # The limit for all vocabularies in the database, in bytes. Beyond it, the site refuses uploads.
    "MAX_UPLOADS_BYTES": 5_368_709_120,
    # The approximate memory for fetched and uploaded vocabularies in one process, in bytes.
    "MAX_LOADED_BYTES": 536_870_912,
    # The rate limits of one client address, for all requests and for those that store something: an upload, a snapshot
    # or a report. Each process counts for itself, or all together with REDIS_URL. Empty: no limit.
    "RATE_READING": "1200 per minute",
    "RATE_STORING": "20 per minute, 200 per hour",
    # The number of reverse proxies in front of the site. Each adds the client's address to X-Forwarded-For, and the
    # last one sets X-Forwarded-Proto. The site trusts no other forwarding headers.
    "PROXIES": 0,
    # Whether to load all built-in vocabularies at the start (slower start, faster first response) or on first use.
    "PRELOAD": False,
    # The folder for fetched vocabularies. Empty: `vocabularies` in Flask's instance folder.
    "VOCABULARY_FOLDER": "",
    # The addresses to fetch vocabularies from: the Hugging Face hub and OpenAI's files, or mirrors of them.
    "HUB": "https://huggingface.co",
    "OPENAI_FILES": "https://openaipublic.blob.core.windows.net",
    # The file of the embedded database. Empty: `tokenscope.sqlite` in Flask's instance folder.
    "DATABASE_FILE": "",
    # The time limit for a request, in seconds. After it, the server stops the request and shows the visitor why.
    "MAX_REQUEST_SECONDS": 30,
    # The time limit for a locked or unresponsive database, in seconds.
    "MAX_DATABASE_SECONDS": 5,
    # The vocabularies that `flask --app webapp vocabularies fetch` fetches in advance, by name.
    "FETCH": "",
    # The largest file to fetch, in bytes, and the time limit for fetching a vocabulary, in seconds.
    "MAX_FETCH_BYTES": 50_000_000,
    "MAX_FETCH_SECONDS": 60,
    # A file that replaces the list of language models and prices, webapp/vocabularies/models.toml. Empty: that list.
    "MODELS_FILE": "",
}


def configure(app: Flask, configuration: Mapping[str, Any]) -> None:
    """Set the configuration of `app`: the defaults, then the environment's settings, then `configuration`.

    Raises ValueError, with a message for the operator, for an invalid setting.
    """
    app.config.from_mapping(DEFAULTS, DATABASE_URL=os.environ.get("DATABASE_URL", ""))
    app.config.from_prefixed_env("TOKENSCOPE")
    app.config.update(configuration)
    for name in (name for name in DEFAULTS if name.startswith("MAX_")):
        if not isinstance(app.config[name], int) or app.config[name] < 1:
            raise ValueError(f"TOKENSCOPE_{name} must be a whole number above 0, not {app.config[name]!r}")
    if not isinstance(app.config["PROXIES"], int) or app.config["PROXIES"] < 0:
        raise ValueError(f"TOKENSCOPE_PROXIES must be a whole number, not {app.config['PROXIES']!r}")
    # A text that is slightly too long still gets a page with the limit and the text. Flask does not read longer bodies.
    # Percent-encoding triples the size of text that is not ASCII.
    # Both the text and a pasted dictionary may be of the longest size.
    longest = 7 * app.config["MAX_TEXT_BYTES"] + 3 * app.config["MAX_CORPUS_BYTES"] + 1_000_000
    app.config.setdefault("MAX_CONTENT_LENGTH", None)
    app.config["MAX_CONTENT_LENGTH"] = app.config["MAX_CONTENT_LENGTH"] or longest
    app.config["MAX_FORM_MEMORY_SIZE"] = app.config["MAX_CONTENT_LENGTH"]
    app.config.setdefault("COMPRESS_ALGORITHM", ["br", "zstd", "gzip"])
    app.config.setdefault("COMPRESS_BR_LEVEL", 4)
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
