"""`--inference` of `encode` and `count`."""

import pytest

from tests.command_line.test_command_line import output
from webapp.command_line.main import main
from webapp.core.inference import infer
from webapp.vocabularies.shipped_vocabularies import shipped_encoding, shipped_tokenizer

TEXT = "Unbelievably, antidisestablishmentarianism"


def test_ids_and_counts_are_those_of_the_core() -> None:
    bpe, unigram = shipped_encoding("o200k_base"), shipped_tokenizer("unigram")
    ids = infer(bpe, "fewest").ids(TEXT)
    assert output("encode", "--inference", "fewest", given=TEXT) == " ".join(map(str, ids)) + "\n"
    dropped = infer(bpe, "dropout", dropout=0.5, seed=4).ids(TEXT)
    given = ("--inference", "dropout", "--dropout", "0.5", "--seed", "4")
    assert output("count", *given, given=TEXT) == f"{len(dropped)}\n"
    sampled = infer(unigram, "sample", alpha=0.3).ids(TEXT)
    given = ("-v", "unigram", "--inference", "sample", "--alpha", "0.3")
    assert output("count", *given, given=TEXT) == f"{len(sampled)}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--inference", "sample"], "has no inference"),
        (["--inference", "dropout", "--dropout", "2"], "--dropout must be from 0 to 1"),
        (["--inference", "dropout", "--seed", "-1"], "--seed must be from 0 to 2147483648"),
        (["--inference", "best"], "invalid choice"),
    ],
)
def test_what_does_not_apply_is_an_error_of_the_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["count", *arguments])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
