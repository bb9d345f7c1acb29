"""How long analyses of ids, tokens and conversations take: ``python -m tests.benchmarks.analysis``.

CPU seconds, the least of three runs, except for chat templates: they run in a process of their own, so their figures
are milliseconds of waiting, the median of twenty.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time

from tests.benchmarks.texts import SHARED, require_shared
from tests.benchmarks.texts import text as text_named
from webapp.chat.messages import Conversation, Message
from webapp.chat.render import TemplateError, render
from webapp.chat.templates import BUILT_IN, own_template
from webapp.core.analysis.decoding import decoded
from webapp.core.analysis.pretoken_view import pretoken_view
from webapp.core.analysis.reachability import survey
from webapp.core.analysis.round_trip import round_trip
from webapp.core.formats.recognize import load
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization.ids import read_ids

FILES = {
    "gpt2": "tokenizers/gpt2.json",
    "bert_base_cased": "tokenizers/bert_base_cased.json",
    "mistral01": "tokenizers/mistral01.json",
    "llama2": "sentencepiece/llama2.model",
    "nai-t5": "sentencepiece/nai-t5.model",
}
IDS = 100_000
CHARACTERS = 20_000
HOSTILE = {
    "nested loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "a long string": "{{ 'a' * 10 ** 9 }}",
    "doubling": "{% set n = namespace(s='a') %}{% for a in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
}


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """The least CPU time of some runs."""
    taken = []
    for _ in range(runs):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return min(taken)


def waited(work: Callable[[], object], runs: int = 20) -> float:
    """The median time of some runs after the first, in milliseconds."""
    taken = []
    for _ in range(runs + 1):
        began = perf_counter()
        work()
        taken.append(1_000 * (perf_counter() - began))
    return median(taken[1:])


def show_vocabulary(name: str, tokenizer: Tokenizer, text: str) -> None:
    """Print the line of one vocabulary."""
    ids = tokenizer.ids(text)[:IDS]
    found = survey(tokenizer)
    print(
        f"{name:<18}{seconds(lambda: decoded(tokenizer, ids)):>10.2f}"
        f"{seconds(lambda: round_trip(tokenizer, text[:CHARACTERS])):>12.2f}"
        f"{seconds(lambda: pretoken_view(tokenizer, text[:CHARACTERS])):>12.2f}"
        f"{seconds(lambda: survey(tokenizer), 1):>10.2f}{sum(found.reasons.values()):>14,}",
        flush=True,
    )


def refused(source: str) -> str:
    """Why a hostile template is stopped."""
    try:
        render(own_template(source), CONVERSATION, reply=False)
    except TemplateError as error:
        return error.kind
    return "not stopped"


CONVERSATION = Conversation(
    tuple(Message(role, "Why is the sky blue? 天为什么是蓝的？" * 5) for role in ("user", "assistant") * 5)
)


def main() -> None:
    """Print the tables."""
    require_shared()
    novel = text_named("English")
    print(f"{'CPU seconds':<18}{'100k ids':>10}{'round trip':>12}{'pre-tokens':>12}{'survey':>10}{'unreachable':>14}")
    for name, file in FILES.items():
        show_vocabulary(name, load((SHARED / "vocabularies" / file).read_bytes()), novel)
    written = " ".join(map(str, range(IDS)))
    print(f"\nreading 100,000 ids: {seconds(lambda: read_ids(written)):.2f} s")
    print("\nten messages, ms")
    for name, template in BUILT_IN.items():
        print(f"{name:<18}{waited(lambda template=template: render(template, CONVERSATION, reply=True)):>10.1f}")  # type: ignore[misc]
    print("\nhostile templates, ms")
    for name, source in HOSTILE.items():
        began = perf_counter()
        kind = refused(source)
        print(f"{name:<18}{1_000 * (perf_counter() - began):>10.1f}  {kind}")


if __name__ == "__main__":
    main()
