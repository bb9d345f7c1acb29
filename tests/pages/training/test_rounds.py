"""All rounds of a training as one table: on the page, as CSV, and as text to copy."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest
from flask.testing import FlaskClient

KINDS = ["bpe", "bpe?symbols=bytes", "wordpiece", "unigram", "ngram"]
PAPER = {"corpus": "low 5 lower 2 newest 6 widest 3", "apart": "1", "size": "5", "lang": "en"}


def rounds_of(client: FlaskClient, algorithm: str, **query: str) -> list[list[str]]:
    answer = client.get(f"/steps/training/{algorithm}/rounds", query_string={"lang": "en", **query, "format": "csv"})
    assert answer.status_code == 200
    assert answer.mimetype == "text/csv"
    assert "attachment" in answer.headers["Content-Disposition"]
    return list(csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def test_every_merge_has_a_row(client: FlaskClient) -> None:
    assert rounds_of(client, "bpe", **PAPER) == [
        ["Round", "Pair", "Count", "New piece"],
        ["1", "e s", "9", "es"],
        ["2", "es t", "9", "est"],
        ["3", "est </w>", "9", "est</w>"],
        ["4", "l o", "7", "lo"],
        ["5", "lo w", "7", "low"],
    ]


def test_wordpiece_has_its_scores(client: FlaskClient) -> None:
    header, first, *_ = rounds_of(client, "wordpiece")
    assert header == ["Round", "Pair", "Pair count", "Left count", "Right count", "Score", "New piece"]
    assert first == ["1", "##g ##s", "1", "1", "1", "1.0000", "##gs"]


def test_unigram_has_its_pruned_pieces(client: FlaskClient) -> None:
    header, *rows = rounds_of(client, "unigram")
    assert header[0::3] == ["Round", "Removed"]
    removed = [row[4].split() for row in rows]
    assert removed[0] == ["ver", "er", "ery"] or set(removed[0]) == {"ver", "er", "ery"}
    assert rows[-1][3:] == ["0", "", "15"]
    assert [int(row[1]) - int(row[3]) for row in rows] == [int(row[5]) for row in rows]


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_links_to_the_table_and_back(client: FlaskClient, kind: str) -> None:
    separator = "&" if "?" in kind else "?"
    page = client.get(f"/steps/training/{kind}{separator}lang=en").text
    link = re.search(r'<a href="([^"]+)">All rounds</a>', page)
    assert link is not None
    table = client.get(unescape(link[1])).text
    rows = re.findall(r'<th scope="row" class="end"><a href="([^"]+)#show">', table)
    assert rows
    for address in (rows[0], rows[-1]):
        assert client.get(unescape(address)).status_code == 200
    assert 'aria-current="page">All rounds</a>' in table
    assert "style=" not in table


def test_a_spreadsheet_runs_no_formula(client: FlaskClient) -> None:
    rows = rounds_of(client, "unigram", corpus="=cmd =cmd =cmd", plain="1", every="1", size="5")
    assert not any(cell.startswith("=c") for row in rows for cell in row)


def test_the_form_of_the_table_leads_back_to_it(client: FlaskClient) -> None:
    answer = client.post("/steps/training/bpe/rounds", data={"corpus": "low lower", "size": "3"})
    assert answer.headers["Location"] == "/steps/training/bpe/rounds?corpus=low+lower&size=3#show"
    wrong = client.post("/steps/training/bpe/rounds", data={"corpus": "low lower", "size": "999"})
    assert wrong.status_code == 422
    assert 'role="alert"' in wrong.text
    assert client.get("/steps/training/bpe/rounds?corpus=&lang=en").status_code == 200
    assert "There is no corpus" in client.get("/steps/training/bpe/rounds?corpus=&lang=en").text
    assert client.get("/steps/training/fmm/rounds").status_code == 404
    assert client.get("/steps/training/bpe/rounds?corpus=low&size=0").status_code == 200
