"""The corpus of the built-in vocabularies: its documents, and which pieces occur in enough of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from webapp.vocabularies.corpus import (
    LEAST_DOCUMENTS,
    CorpusPart,
    Support,
    beginning_of,
    books,
    corpus_record,
    interleaved,
    shares,
    traditional,
    without_doubled_glosses,
)


def part(kind: str = "code", **documents: str) -> CorpusPart:
    text = "".join(documents.values())
    return CorpusPart(kind, "a.txt", text.encode(), len(text.encode()), text, documents)


def test_the_beginning_of_a_text_is_whole_lines_within_the_budget() -> None:
    text = "ab\n研究\nlast"
    assert [beginning_of(text, budget) for budget in (2, 3, 9, 10, 99)] == ["", "ab\n", "ab\n", "ab\n研究\n", text]


def test_a_piece_needs_several_documents() -> None:
    support = Support([part(a="a theme", b="a theme"), part(a="Rucastle " * 99, c="the theme, Rucastle")])
    assert LEAST_DOCUMENTS == 3
    assert support(" theme")
    assert not support("Rucastle")
    assert support("R"), "single characters belong to the alphabet"


def test_bytes_of_parts_of_characters_need_several_documents_too() -> None:
    support = Support([part(a="研究", b="研究 研", c="究研究")])
    assert support.of_bytes("研究".encode()[:4])
    assert not support.of_bytes(" 研".encode())


@pytest.mark.parametrize(
    ("text", "once"),
    [
        ("“行状”“行状”：指封建时代记述死者", "“行状”：指封建时代记述死者"),
        ("阿尔志跋绥夫阿尔志跋绥夫（1878—1927）：俄国小说家", "阿尔志跋绥夫（1878—1927）：俄国小说家"),
        ("一步一步的向前走", "一步一步的向前走"),
        ("久仰久仰！", "久仰久仰！"),
    ],
)
def test_only_the_words_of_glosses_are_written_once(text: str, once: str) -> None:
    assert without_doubled_glosses(text) == once


def test_traditional_text_has_its_quotation_marks() -> None:
    pytest.importorskip("opencc", reason="the extra `corpora` is not installed")
    assert traditional("“头发”和‘发展’") == "「頭髮」和『發展』"


def test_documents_are_mixed_and_none_is_lost() -> None:
    corpus = [part(**{str(number): f"text {number}" for number in range(50)})]
    found = interleaved(corpus)
    assert sorted(found) == sorted(corpus[0].documents.values()) != found


def test_the_record_says_what_was_read(shared: Path) -> None:
    pytest.importorskip("opencc", reason="the extra `corpora` is not installed")
    corpus = list(books(shared / "corpora"))
    assert sum(share["bytes"] for share in shares(corpus).values()) == sum(len(one.text.encode()) for one in corpus)
    for one, written in zip(corpus, corpus_record(corpus), strict=True):
        assert "".join(one.documents.values()) == one.text
        assert written["bytes read"] <= written["bytes"] == len((shared / "corpora" / one.name).read_bytes())
