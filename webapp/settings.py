"""All settings with their defaults.

The environment sets each of them with the prefix `TOKENSCOPE_`, for example `TOKENSCOPE_MAX_TEXT_BYTES=200000`. Only
`DATABASE_URL` has no prefix, because hosting platforms use this name.
"""

import json
import logging
import os
from collections.abc import Mapping
from typing import Any

from flask import Flask

from webapp.observing.options import options_of

log = logging.getLogger(__name__)

# The variable by which tests replace constants: a JSON object.
HOOK = "TOKENSCOPE_CONSTANTS"

DEFAULTS: dict[str, Any] = {
    # The longest text to tokenize, in bytes of UTF-8.
    "MAX_TEXT_BYTES": 1_048_576,
    # The largest corpus to train a vocabulary on by a worker, in bytes: of the upload, and of the text after
    # decompression.
    "MAX_TRAINING_BYTES": 209_715_200,
    "MAX_TRAINING_MEMORY_BYTES": 4_294_967_296,
    # The number of trainings that one worker runs at once.
    "MAX_TRAININGS": 2,
    # Whether `python -m webapp` starts a worker beside the web server. Others: `python -m webapp.jobs`.
    "WORKER": True,
    # The folder for corpora, which all machines share. Empty: `corpora` in Flask's instance folder.
    "CORPUS_FOLDER": "",
    # The largest vocabulary file that may be uploaded, in bytes.
    "MAX_UPLOAD_BYTES": 67_108_864,
    # The limit for all vocabularies in the database and for all shared results there, compressed, each; corpora may
    # take twice as much. In bytes. Beyond it, the site refuses uploads or stores no new results.
    "MAX_STORED_BYTES": 5_368_709_120,
    # How many days things are kept since they were last shared, uploaded, ended, reported, fetched or computed:
    # "snapshots 365, uploads 30". A worker deletes what is older, and so does `flask --app webapp expire`. The kinds
    # are those of `KEPT`; one that is not named is kept for good.
    "KEEP_DAYS": "",
    # Shown in the footer of every page, if set: the address of the source code, and an e-mail address or a web page of
    # the operator.
    "SOURCE": "",
    "CONTACT": "",
    # The approximate memory for fetched and uploaded vocabularies in one process, in bytes.
    "MAX_LOADED_BYTES": 536_870_912,
    # The rate limits of one client address, for all requests and for those that store something: an upload, a snapshot
    # or a report. Each machine counts for itself, or all together with REDIS_URL. Empty: no limit.
    "RATE_READING": "1200 per minute",
    "RATE_STORING": "20 per minute, 200 per hour",
    # The rate of work of one client address, in seconds of processor time, counted like the other rates. Requests that
    # take less than a quarter of a second do not count. Empty: no limit.
    "RATE_WORK": "120 per minute",
    # The names of the site, with commas or spaces between them: tokens.example .tokens.example (with all subdomains).
    # Requests for others get status 400. Empty: any.
    "HOSTS": "",
    # The number of reverse proxies in front of the site. Each adds the client's address to X-Forwarded-For, and the
    # last one sets X-Forwarded-Proto. The site trusts no other forwarding headers.
    "PROXIES": 0,
    # The folder for fetched vocabularies. Empty: `vocabularies` in Flask's instance folder.
    "VOCABULARY_FOLDER": "",
    # The address to fetch vocabularies from: the Hugging Face hub or a mirror of it. With the word "catalogue" after
    # it, visitors cannot fetch from repositories that the catalogue does not list.
    "HUB": "https://huggingface.co",
    # The file of the embedded database. Empty: `tokenscope.sqlite` in Flask's instance folder.
    "DATABASE_FILE": "",
    # The time limit for a request, in seconds. After it, the server stops the request and shows the visitor why.
    "MAX_REQUEST_SECONDS": 30,
    # The vocabularies that `flask --app webapp vocabularies fetch` fetches in advance, by name. Those on disk are
    # loaded before the workers fork.
    "FETCH": "",
    # The form of the server's log: "json" or "text" with a line for each request, which has the client's address with
    # "json addresses" or "text addresses"; empty for warnings and errors alone.
    "LOG": "",
    # The networks whose clients may read Prometheus metrics at /metrics, with spaces between them: 10.0.0.0/8 ::1.
    # Empty: none, and the address does not exist.
    "METRICS_NETWORKS": "",
    # A file that replaces the list of language models and prices, webapp/vocabularies/models.toml. Empty: that list.
    "MODELS_FILE": "",
}

KEPT = ("snapshots", "uploads", "trainings", "reports", "fetched", "surveys")

CONSTANTS: dict[str, Any] = {
    # The longest corpus to train a vocabulary on during a request, in bytes of UTF-8: it takes a few seconds.
    "MAX_CORPUS_BYTES": 204_800,
    # The longest gold text to evaluate segmentations against, in bytes of UTF-8, several times that of a bakeoff. A
    # segmentation may be twice as long.
    "MAX_GOLD_BYTES": 5_242_880,
    # The longest query string of a link that contains the whole state, in characters: chats and mails cut longer ones.
    "MAX_LINK_CHARACTERS": 1_500,
    # The largest vocabulary file to fetch, in bytes, more than any that is listed; and the time limit for it, in
    # seconds: 64 MB at 9 Mbit/s.
    "MAX_FETCH_BYTES": 67_108_864,
    "MAX_FETCH_SECONDS": 60,
    # The files of a training, its corpus included: five times the largest corpus, for counts and a vocabulary.
    "MAX_TRAINING_DISK_BYTES": 1_073_741_824,
    # A worker gives a sign of life every second: without one for so many, its training is taken up again.
    "MAX_SILENT_SECONDS": 20,
    # Trainings give way: they take a tenth of a processor that others want, and all of one that is idle.
    "TRAIN_GENTLY": True,
    # The processor time of a training, in seconds: the largest corpus with the slowest algorithm takes less.
    "MAX_TRAINING_SECONDS": 3_600,
    # The longest that a heavy request may wait for others, before a visitor would rather come back; and the most
    # processor time that the running and waiting heavy requests of one client address may need, estimated. In seconds.
    "MAX_QUEUE_SECONDS": 10,
    "MAX_WORK_SECONDS": 60,
    # The time limit for a locked or unresponsive database, in seconds: below the time limits of proxies and probes.
    "MAX_DATABASE_SECONDS": 5,
    # The free disk space in bytes, of each folder that the site writes to, below which `/readyz` reports that the site
    # is not ready: what a busy minute may store.
    "MIN_DISK_BYTES": 268_435_456,
}
"""Values that no environment sets, because nobody needs to; tests give others to `create_app`, or as JSON in HOOK."""

# What the server and a build tell the site: whether to load all built-in vocabularies at the start or on first use, and
# the commit that the site was built from, for `/readyz`; empty: in a checkout, git says it.
OWN: dict[str, Any] = {"PRELOAD": False, "COMMIT": ""}

# Earlier settings for one kind of things each, which win over MAX_STORED_BYTES and KEEP_DAYS.
EARLIER = (
    *("MAX_CORPORA_BYTES", "MAX_UPLOADS_BYTES", "MAX_SNAPSHOTS_BYTES"),
    *(f"KEEP_{kind.upper()}_DAYS" for kind in KEPT),
)

# How operators write that something is on or off.
BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False, "": False}


def configure(app: Flask, configuration: Mapping[str, Any]) -> None:
    """Set the configuration of `app`: the defaults, then the environment's settings, then `configuration`.

    Raises ValueError, with a message for the operator, for an invalid setting.
    """
    app.config.from_mapping({**DEFAULTS, **OWN}, DATABASE_URL=os.environ.get("DATABASE_URL", ""))
    app.config.from_prefixed_env("TOKENSCOPE")
    app.config.update(constants(os.environ))
    app.config["COMMIT"] = os.environ.get("TOKENSCOPE_COMMIT", "")  # some commits look like numbers: 1234567, 12e4567
    app.config.update(configuration)
    ignored = [name for name in (*CONSTANTS, "LOG_ADDRESSES") if f"TOKENSCOPE_{name}" in os.environ]
    if ignored:
        log.warning("No longer read, see .github/OPERATING.md: %s", ", ".join(f"TOKENSCOPE_{name}" for name in ignored))
    for name in (name for name in (*DEFAULTS, *CONSTANTS) if name.startswith("MAX_")):
        if type(app.config[name]) is not int or app.config[name] < 1:
            raise ValueError(f"TOKENSCOPE_{name} must be a whole number above 0, not {app.config[name]!r}")
    if type(app.config["PROXIES"]) is not int or app.config["PROXIES"] < 0:
        raise ValueError(f"TOKENSCOPE_PROXIES must be a whole number, not {app.config['PROXIES']!r}")
    for name in (name for name, value in (DEFAULTS | OWN).items() if isinstance(value, bool)):
        given = str(app.config[name]).strip().lower()
        if given not in BOOLEANS:
            raise ValueError(f"TOKENSCOPE_{name} must be true or false, not {app.config[name]!r}")
        app.config[name] = BOOLEANS[given]
    options_of(app.config)  # raises ValueError
    stored = app.config["MAX_STORED_BYTES"]
    derived = {"MAX_SNAPSHOTS_BYTES": stored, "MAX_UPLOADS_BYTES": stored, "MAX_CORPORA_BYTES": 2 * stored}
    derived |= _days(app.config["KEEP_DAYS"])
    for name in (name for name in EARLIER if f"TOKENSCOPE_{name}" in os.environ):
        derived[name] = app.config[name]
        if type(derived[name]) is not int or derived[name] < 0:
            raise ValueError(f"TOKENSCOPE_{name} must be a whole number, not {derived[name]!r}")
    app.config.update({name: value for name, value in derived.items() if name not in configuration})
    # A text that is slightly too long still gets a page with the limit and the text. Flask does not read longer bodies.
    # Percent-encoding triples the size of text that is not ASCII.
    # Both the text and a pasted dictionary may be of the longest size.
    longest = 7 * app.config["MAX_TEXT_BYTES"] + 3 * app.config["MAX_CORPUS_BYTES"] + 1_000_000
    app.config.setdefault("MAX_CONTENT_LENGTH", None)
    app.config["MAX_CONTENT_LENGTH"] = app.config["MAX_CONTENT_LENGTH"] or longest
    app.config["MAX_FORM_MEMORY_SIZE"] = app.config["MAX_CONTENT_LENGTH"]
    app.config.setdefault("COMPRESS_ALGORITHM", ["br", "zstd", "gzip"])
    app.config.setdefault("COMPRESS_BR_LEVEL", 5)
    # Long exports repeat themselves: zstd compresses them in a fifth of the time, and as much.
    app.config.setdefault("COMPRESS_ALGORITHM_STREAMING", ["zstd", "br", "gzip"])
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}


def constants(environment: Mapping[str, str]) -> dict[str, Any]:
    """The constants, of which tests may replace some by the variable HOOK, which is JSON."""
    changed: dict[str, Any] = json.loads(environment.get(HOOK) or "{}")
    return CONSTANTS | changed


def _days(setting: object) -> dict[str, int]:
    """The days of each kind, as `KEEP_SNAPSHOTS_DAYS` and so on; 0: for good."""
    pairs = [pair.split() for pair in str(setting or "").split(",") if pair.strip()]
    if any(len(pair) != 2 or pair[0] not in KEPT or not pair[1].isdecimal() for pair in pairs):
        kinds = ", ".join(KEPT)
        raise ValueError(f"TOKENSCOPE_KEEP_DAYS must be like “snapshots 365, uploads 30” ({kinds}), not {setting!r}")
    days = dict.fromkeys(KEPT, 0) | {kind: int(number) for kind, number in pairs}
    return {f"KEEP_{kind.upper()}_DAYS": number for kind, number in days.items()}
