"""The time to compare four tokenizers, on a server as deployed: ``python -m tests.benchmarks.compare``.

10 KB of a novel, English and Japanese, sent as the page's own form sends it. Cold: texts that the server has not seen;
warm: one text repeatedly. The wall time of the whole response, as a client waits for it; and for comparison what the
four tokenizers alone take in this process on the same text. A megabyte is measured once, to see that it finishes.
"""

import http.client
import time
from statistics import median
from urllib.parse import urlencode, urlsplit

from tests.benchmarks.texts import require_shared, text
from tests.benchmarks.timing import BELOW
from tests.serving import serve
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

ROWS = ("bpe:bpe-bytes", "bpe:bpe-characters", "wordpiece:wordpiece", "unigram:unigram")
SIZE = 10_000  # bytes
RUNS = 15
GOAL = 0.300  # seconds


def main() -> int:
    """Measure and print the table; return 1 if the goal is missed."""
    require_shared()
    missed = []
    with serve(environment={"WEB_CONCURRENCY": "1"}) as address:
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
        for language in ("English", "Japanese"):
            parts = cut(text(language))
            response_seconds(connection, parts[0])  # the first response of a process compiles its templates
            cold = [response_seconds(connection, part) for part in parts[1 : RUNS + 1]]
            warm = [response_seconds(connection, parts[0]) for _ in range(RUNS)]
            core = [core_seconds(part) for part in parts[1 : RUNS + 1]]
            for name, taken in (("cold", cold), ("warm", warm)):
                mark = "" if median(taken) < GOAL else "  missed"
                print(f"four tokenizers, 10 KB, {language:9}{name}  {1000 * median(taken):4.0f} ms", end="")
                print(f"  (worst {1000 * max(taken):.0f}, goal {1000 * GOAL:.0f}){mark}", flush=True)
                if mark:
                    missed.append(f"{language}, {name}")
            print(f"the tokenizers alone, {language:19}  {1000 * median(core):4.0f} ms", flush=True)
        novel = text("English").encode()
        megabyte = (novel * (1_000_000 // len(novel) + 1))[:1_000_000].decode("utf-8", "ignore")
        print(f"four tokenizers, 1 MB, English        {response_seconds(connection, megabyte):4.1f} s", flush=True)
        connection.close()
    for name in missed:
        print(f"{BELOW}{name}")
    return 1 if missed else 0


def cut(whole: str) -> list[str]:
    """Split a text into parts of 10 KB of UTF-8."""
    data = whole.encode()
    return [data[at : at + SIZE].decode("utf-8", "ignore") for at in range(0, len(data) - SIZE, SIZE)]


def response_seconds(connection: http.client.HTTPConnection, content: str) -> float:
    """Return the seconds until the whole response to the page's form has arrived."""
    body = urlencode([*(("with", row) for row in ROWS), ("text", content)])
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "HX-Request": "true",
        "HX-Request-Type": "partial",
        "Accept-Encoding": "br, gzip",
    }
    start = time.perf_counter()
    connection.request("POST", "/compare", body, headers)
    answer = connection.getresponse()
    answer.read()
    taken = time.perf_counter() - start
    if answer.status != 200:
        raise RuntimeError(f"/compare: status {answer.status}")
    return taken


def core_seconds(content: str) -> float:
    """Return the seconds that the tokenizers need for the ids."""
    tokenizers = [shipped_tokenizer(name) for name in NAMES]
    start = time.perf_counter()
    for tokenizer in tokenizers:
        tokenizer.ids(content)
    return time.perf_counter() - start


if __name__ == "__main__":
    raise SystemExit(main())
