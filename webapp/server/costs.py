"""What requests cost: estimates in seconds of processor time, and what equal requests have taken."""

from collections import OrderedDict
from collections.abc import Mapping

# The processor time in seconds of any request, and for each byte of text. Measured on one core of a cloud server:
# a page with 1 KB takes 0.02 s, one with 1 MB 0.45 s (BPE) to 3.5 s (FMM).
SECONDS, SECONDS_PER_BYTE = 0.02, 2e-6
# The same for addresses that differ: the first entry whose beginning or end fits. A picture in PNG format and the
# dictionary cost the same for any text; an uploaded file is only stored or parsed.
BEGINNINGS = (
    ("/static/", 0.005, 0.0),
    ("/healthz", 0.002, 0.0),
    ("/train", 0.02, 1e-8),
    ("/upload", 0.05, 2e-7),
    ("/api/v1/uploads", 0.05, 2e-7),
    ("/dictionary.txt", 0.5, 2e-6),
    ("/compare", 0.1, 2e-6),
    ("/evaluate/runs/", 6.0, 0.0),
    ("/vocabularies/diff", 0.3, 2e-5),
    ("/api/v1/difference", 0.3, 2e-5),
    ("/costs", 0.05, 8e-6),
    ("/api/v1/costs", 0.05, 8e-6),
    ("/homework", 0.02, 8e-6),
    ("/api/v1/check", 0.02, 8e-6),
)
ENDS = (
    *((f"/unreachable{ending}", 1.0, 0.0) for ending in ("", ".json", ".csv")),
    (".png", 0.25, 2e-6),
    (".svg", 0.05, 4e-6),
)
# Parameters that each ask for one more tokenizer, in addresses and forms, and in JSON.
TOKENIZERS = ("with=", '"algorithm"', '"vocabulary"')
# The number of requests whose cost is remembered (about 150 bytes each), and the cost in seconds from which it is.
MOST_REMEMBERED = 20_000
WORTH_REMEMBERING = 0.2


class Costs:
    """Estimates costs in seconds of processor time, and remembers those of exactly equal requests.

    >>> costs = Costs()
    >>> page = {"REQUEST_METHOD": "GET", "PATH_INFO": "/s/4f2a", "QUERY_STRING": ""}
    >>> key, seconds = costs.estimate(page, b"", 0)
    >>> seconds
    0.02
    >>> costs.learn(key, seconds, 1.5)
    >>> costs.estimate(page, b"", 0)[1]
    1.5
    """

    def __init__(self) -> None:
        self._known: OrderedDict[int, float] = OrderedDict()

    def estimate(self, environment: Mapping[str, str], content: bytes, size: int) -> tuple[int, float]:
        """A key for `learn`, and the estimate for a request with a body of `size` bytes.

        `content` is the body, or empty if it is in a file.
        """
        path, query = environment["PATH_INFO"], environment["QUERY_STRING"]
        # Python's hash has a random key, so that no visitor can choose two requests with the same one.
        key = hash((environment["REQUEST_METHOD"], path, query, content, size))
        if key in self._known:
            self._known.move_to_end(key)
            return key, self._known[key]
        fits = [entry for entry in BEGINNINGS if path.startswith(entry[0])] or [e for e in ENDS if path.endswith(e[0])]
        _, seconds, per_byte = fits[0] if fits else ("", SECONDS, SECONDS_PER_BYTE)
        # Percent-encoding writes three characters for a byte.
        text_bytes = len(query) - 2 * query.count("%") + size - 2 * content.count(b"%")
        # An object in JSON names an algorithm, a vocabulary, or both.
        tokenizers = max(query.count(name) + content.count(name.encode()) for name in TOKENIZERS)
        return key, seconds + per_byte * max(text_bytes, 0) * max(tokenizers, 1)

    def learn(self, key: int, estimated: float, seconds: float) -> None:
        """Remember that the request with `key`, for which `estimate` gave `estimated`, took `seconds`."""
        known = self._known.get(key)
        if known is None and max(seconds, estimated) < WORTH_REMEMBERING:
            return
        # A response from a cache is cheap once, and may be expensive again.
        self._known[key] = seconds if known is None or seconds > known else (known + seconds) / 2
        self._known.move_to_end(key)
        if len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
