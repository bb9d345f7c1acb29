"""Training round by round: a page for each round, the results of the presets, and the limits."""

import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.pages.steps import told
from tests.site import HTMX, Page
from webapp.core import recipes
from webapp.core.trainers.ties import FIRST_SEEN, TIE_RULES, TieRule
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.trainings import PRESETS
from webapp.vocabularies import train_vocabulary

LOWEST = "low 5 lower 2 widest 3 newest 6"
KINDS: list[tuple[str, dict[str, str]]] = [("bpe", {}), ("bpe", {"mark": "none"}), ("bpe", {"symbols": "bytes"})]
KINDS += [("wordpiece", {}), ("unigram", {})]


def training_json(client: FlaskClient, asked: TrainingRequest) -> Any:
    """Return all steps of a training as JSON."""
    with client.application.test_request_context():
        address = asked.address()
    answer = client.get(f"{address}&format=json&lang=en")
    assert answer.status_code == 200, answer.text
    return answer.get_json()


@pytest.mark.parametrize(("algorithm", "options"), KINDS)
def test_every_step_has_an_address_and_a_sentence(client: FlaskClient, algorithm: str, options: dict[str, str]) -> None:
    query = {"corpus": "low low lower newest newest widest 学习 学习", "text": "lowest 学", **options}
    address = f"/steps/training/{algorithm}"
    steps = client.get(address, query_string={**query, "lang": "en", "format": "json"}).get_json()["steps"]
    assert len(steps) > 3
    for step in steps:
        page = client.get(address, query_string={**query, "lang": "en", "step": step["step"]}).text
        assert told(page)
        assert f"Step {step['step']} of {len(steps) - 1}" in page
        assert "style=" not in page
    part = client.get(address, query_string={**query, "step": 2}, headers=HTMX)
    assert "<html" not in part.text
    assert part.headers["HX-Replace-Url"].endswith("&step=2")


def merged(steps: list[Any]) -> list[tuple[str, str]]:
    return [(step["pairs"][0]["left"], step["pairs"][0]["right"]) for step in steps if step["kind"] == "round"]


def test_the_presets_are_the_worked_examples_and_give_their_results(client: FlaskClient, shared: Path) -> None:
    examples = json.loads((shared / "examples" / "worked_examples.json").read_text(encoding="utf-8"))
    compared, paper = (preset for _title, preset in PRESETS["bpe"][:2])
    (compression, dogs, hungry) = (PRESETS[kind][0][1] for kind in ("bpe-bytes", "wordpiece", "unigram"))
    first, second = examples["bpe_end_of_word"]
    assert (compared.corpus.split(), compared.size) == (first["corpus"], first["vocabulary_size"])
    assert merged(training_json(client, compared)["steps"]) == [tuple(pair) for pair in first["pairs"]]
    assert (paper.word_counts(recipes.CHARACTER_BPE), paper.size) == (second["word_counts"], second["merges"])
    steps = training_json(client, paper)["steps"]
    assert merged(steps) == [("e", "s"), ("es", "t"), ("est", "</w>"), ("l", "o"), ("lo", "w")]
    assert [step["pairs"][0]["count"] for step in steps[1:-1]] == [9, 9, 9, 7, 7]
    assert compression.corpus == compression.text == examples["bpe_bytes"]["text"]
    assert training_json(client, compression)["ids"] == examples["bpe_bytes"]["ids"]
    assert dogs.corpus.split() == examples["wordpiece_scores"]["corpus"]
    final = [word["symbols"] for word in training_json(client, dogs)["steps"][-1]["words"]]
    assert final == [["I"], ["love"], ["dogs"], ["loved"], ["y", "##o", "##u"]]
    assert (hungry.corpus.split(), hungry.size, hungry.longer) == (examples["unigram"]["corpus"], 15, 50 - 14)
    steps = training_json(client, hungry)["steps"]
    kept = [line["piece"] for line in steps[-1]["vocabulary"] if len(line["piece"]) > 1 and line["score"] < 0]
    losses = {line["piece"]: line["loss"] for line in steps[-3]["pieces"]}
    assert kept == [max(losses, key=losses.__getitem__)] == ["ve"]


@pytest.mark.parametrize(
    ("algorithm", "query", "status", "message", "offer"),
    [
        ("bpe", {"corpus": "low " * 501}, 413, "The corpus has 2,004 characters; training is shown on up to", "beginn"),
        ("bpe", {"corpus": "low lower", "step": "99"}, 404, "There is no step 99", "step=0"),
        ("bpe", {"corpus": "low lower", "step": "-1"}, 422, "Steps are counted from 0.", "step=0"),
        ("bpe", {"corpus": "low lower", "size": "201"}, 422, "merges: Choose a number from 0 to 200", ""),
        ("bpe", {"corpus": "low", "text": "low " * 51}, 413, "The text to tokenize has 204 characters", ""),
        ("bpe", {"packed": "nonsense"}, 422, "cannot be read", ""),
        ("unigram", {"corpus": "low lower", "size": "3"}, 422, "has 6 different characters", ""),
        ("ngram", {"corpus": "///"}, 422, "no words", ""),
        ("ngram", {"corpus": "a b", "order": "4"}, 422, "Order: There is no such choice", ""),
        ("ngram", {"corpus": "a " * 1_001}, 413, "The corpus has 2,002 characters", "beginn"),
    ],
)
def test_impossible_options_have_a_message(
    client: FlaskClient, algorithm: str, query: dict[str, str], status: int, message: str, offer: str
) -> None:
    answer = client.get(f"/steps/training/{algorithm}", query_string={**query, "lang": "en"})
    assert answer.status_code == status
    assert message in " ".join(Page(answer.text).problems)
    assert offer in answer.text
    assert query.get("corpus", "").strip() in answer.text
    told = client.get(f"/steps/training/{algorithm}", query_string={**query, "format": "json", "lang": "en"})
    assert told.status_code == status
    assert message in told.get_json()["detail"]


def test_unknown_algorithms_and_empty_corpora(client: FlaskClient) -> None:
    assert client.get("/steps/training/fmm").status_code == 404
    assert client.get("/steps/training").headers["Location"] == "/steps/training/bpe"
    empty = client.get("/steps/training/unigram?corpus=&lang=en")
    assert empty.status_code == 200
    assert "There is no text yet" in empty.text


def test_a_form_redirects_to_its_address(client: FlaskClient) -> None:
    answer = client.post("/steps/training/bpe", data={"corpus": "low\r\nlower", "size": "3", "apart": "1"})
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/steps/training/bpe?corpus=low%0Alower&size=3&mark=apart#show"
    long = client.post("/steps/training/bpe", data={"corpus": "x" * 2_001})
    assert long.status_code == 413
    assert "x" * 2_001 in long.text


def test_a_long_chinese_corpus_has_an_address_too(client: FlaskClient) -> None:
    corpus = "".join(chr(0x4E00 + 7 * number % 5_000) for number in range(2_000))
    location = client.post("/steps/training/unigram", data={"corpus": corpus, "size": "1000"}).headers["Location"]
    assert len(location) < 8_000
    assert "packed=" in location
    page = client.get(location.partition("#")[0])
    assert page.status_code == 422  # more different characters than pieces
    assert corpus in page.text


@pytest.mark.parametrize(("algorithm", "options"), KINDS)
@pytest.mark.parametrize("corpus", ["<b>&\"' ‮ \x07 שלום e\u0301 👩‍👩‍👧", "</w> ##a <unk> [UNK] <unk>x \ud800 a"])
def test_any_corpus_can_be_shown(client: FlaskClient, algorithm: str, options: dict[str, str], corpus: str) -> None:
    data = {"corpus": corpus.encode("utf-8", "replace"), "text": "שלום <b>", **options}
    address = client.post(f"/steps/training/{algorithm}", data=data).headers["Location"].partition("#")[0]
    last = len(client.get(f"{address}&format=json").get_json()["steps"]) - 1
    for step in {0, 1, last // 2, last}:
        html = client.get(f"{address}&step={step}&lang=en").text
        assert "<b>&" not in html
        assert not re.search(
            r"[\x00-\x08\u202e]", re.sub(r"(?s)<textarea.*?</textarea>|<a [^>]*>|<link [^>]*>", "", html)
        )


@pytest.mark.parametrize(
    ("name", "algorithm", "symbols", "ties"),
    [
        *(("learned-characters", "bpe", "", ties) for ties in TIE_RULES),
        *(("learned-bytes", "bpe", "bytes", ties) for ties in TIE_RULES),
        ("learned-wordpiece", "wordpiece", "", FIRST_SEEN),  # the playground has no other rule for it
    ],
)
def test_the_trained_vocabulary_equals_that_of_the_playground(
    client: FlaskClient, name: str, algorithm: str, symbols: str, ties: TieRule
) -> None:
    corpus = "the cat sat on the mat, the other cat had not"
    asked = TrainingRequest(algorithm, symbols=symbols, corpus=corpus, size=12, ties=ties)
    trained = train_vocabulary(name, corpus, 12, ties)
    assert merged(training_json(client, asked)["steps"]) == [
        tuple(part.decode() if isinstance(part, bytes) else part for part in merge[:2]) for merge in trained.merges
    ]
    query = {"algorithm": algorithm, "vocabulary": name, "text": corpus, "size": 12, "ties": ties}
    page = client.get("/", query_string=query).text
    assert Page(page).ids == list(trained.tokenizer.ids(corpus))
    assert f'<option value="{ties}" selected>' in page


@pytest.mark.parametrize(
    ("ties", "corpus", "said"),
    [
        (
            "greater",
            LOWEST,
            "“s” and “t” occur next to each other 9 times, as often as one other pair. "
            "Of these pairs, this is the lexicographically greatest.",
        ),
        (
            "smaller",
            LOWEST,
            "“e” and “s” occur next to each other 9 times, as often as one other pair. "
            "Of these pairs, this is the lexicographically smallest.",
        ),
        (
            "lower-ids",
            "ab cd ef",
            "No pair occurs more than once; “a” and “b” are merged. Of these pairs, this has the lowest ids.",
        ),
        (
            "longest",
            LOWEST,
            "as often as one other pair. Of these pairs, this makes the longest piece; "
            "of equally long ones, the first in the corpus is merged.",
        ),
        ("greater", "we 5 st 3", "“w” and “e” occur next to each other 5 times, more often than any other pair."),
        ("first-seen", LOWEST, "One other pair occurs as often, but later in the corpus."),
    ],
)
def test_a_round_says_by_which_rule_a_pair_was_merged(client: FlaskClient, ties: str, corpus: str, said: str) -> None:
    query = {"corpus": corpus, "symbols": "bytes", "ties": ties, "step": 1, "lang": "en"}
    answer = client.get("/steps/training/bpe", query_string=query)
    assert said in told(answer.text)
    assert f'<option value="{ties}" selected>' in answer.text
    start = client.get("/steps/training/bpe", query_string={**query, "step": 0}).text
    assert ("Equally frequent pairs: " in told(start)) == (ties != FIRST_SEEN) == (start.count(f"&amp;ties={ties}") > 1)


def test_without_a_mark_only_spaces_separate_words(client: FlaskClient) -> None:
    query = {"corpus": "大学，大学 大学", "mark": "none", "size": 2, "text": "大学山", "lang": "en"}
    told_json = client.get("/steps/training/bpe", query_string={**query, "format": "json"}).get_json()
    assert merged(told_json["steps"]) == [("大", "学"), ("大学", "，")]
    assert [word["symbols"] for word in told_json["steps"][-1]["words"]] == [["大学，", "大学"], ["大学"]]
    assert told_json["ids"] == [told_json["steps"][-1]["vocabulary"].index(piece) for piece in ("大学", "<unk>")]
    page = client.get("/steps/training/bpe", query_string=query).text
    assert "nothing marks its end" in told(page)
    assert '<option value="none" selected>' in page
    assert "def characters" not in page
    assert page.count("mark=none") > 3


def test_a_rule_that_does_not_exist_is_refused(client: FlaskClient) -> None:
    answer = client.get("/steps/training/bpe?corpus=low&ties=random&lang=en")
    assert answer.status_code == 422
    assert "Ties between pairs: There is no such choice. Choose one from the list." in answer.text


# --- all rounds as a table

PAPER = {"corpus": "low 5 lower 2 newest 6 widest 3", "apart": "1", "size": "5", "lang": "en"}


def rounds_of(client: FlaskClient, algorithm: str, **query: str) -> list[list[str]]:
    answer = client.get(f"/steps/training/{algorithm}/rounds", query_string={"lang": "en", **query, "format": "csv"})
    assert answer.status_code == 200
    assert answer.mimetype == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    return list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def test_every_round_has_a_row(client: FlaskClient) -> None:
    merges = rounds_of(client, "bpe", **PAPER)
    assert merges[0] == ["Round", "Pair", "Count", "New piece"]
    assert merges[3] == ["3", "est </w>", "9", "est</w>"]
    assert len(merges) == 6
    assert rounds_of(client, "wordpiece")[1] == ["1", "##g ##s", "1", "1", "1", "1.0000", "##gs"]
    pruned = rounds_of(client, "unigram")[1:]
    assert set(pruned[0][4].split()) == {"ver", "er", "ery"}
    assert [int(row[1]) - int(row[3]) for row in pruned] == [int(row[5]) for row in pruned]


@pytest.mark.parametrize("kind", ["bpe?symbols=bytes", "wordpiece?", "unigram?", "ngram?"])
def test_the_page_links_to_the_table_and_back(client: FlaskClient, kind: str) -> None:
    link = re.search(r'<a href="([^"]+)">All rounds</a>', client.get(f"/steps/training/{kind}&lang=en").text)
    assert link is not None
    table = client.get(unescape(link[1])).text
    rows = re.findall(r'<th scope="row" class="end"><a href="([^"]+)#show">', table)
    assert client.get(unescape(rows[-1])).status_code == 200


def test_a_spreadsheet_runs_no_formula(client: FlaskClient) -> None:
    rows = rounds_of(client, "unigram", corpus="=cmd =cmd =cmd", plain="1", every="1", size="5")
    assert not any(cell.startswith("=c") for row in rows for cell in row)


def test_the_form_of_the_table_leads_back_to_it(client: FlaskClient) -> None:
    answer = client.post("/steps/training/bpe/rounds", data={"corpus": "low lower", "size": "3"})
    assert answer.headers["Location"] == "/steps/training/bpe/rounds?corpus=low+lower&size=3#show"
    assert client.post("/steps/training/bpe/rounds", data={"corpus": "low", "size": "999"}).status_code == 422
    assert "There is no corpus" in client.get("/steps/training/bpe/rounds?corpus=&lang=en").text
    assert client.get("/steps/training/fmm/rounds").status_code == 404
    assert client.get("/steps/training/bpe/rounds?corpus=low&size=0").status_code == 200
