"""The list of language models: against tiktoken's tables, and what makes a file invalid."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
import tiktoken.model

from webapp import create_app
from webapp.core.text.unicode_tables import SCRIPTS
from webapp.vocabularies.language_models import RANGES, SHIPPED, LanguageModel, find_models, model_of, read
from webapp.vocabularies.shipped_vocabularies import shipped_encoding
from webapp.vocabularies.wellknown import WELL_KNOWN

MODEL = '[m]\ntitle = "M"\nfamily = "F"\n'
FIGURES = 'context = 5\nsource = "https://a.example"\nas_of = 2026-05-03\n'


def encoding_of(model: LanguageModel) -> str:
    assert model.vocabulary is not None
    return WELL_KNOWN[model.vocabulary].encoding or model.vocabulary


@pytest.mark.parametrize(
    ("name", "vocabulary"),  # as in google/genai/_local_tokenizer_loader.py of google-genai 3.6.1
    [
        ("gemini-2.5-pro-preview-06-05", "gemma-3"),
        ("gemini-2.0-flash", "gemma-3"),
        ("gemini-2.0-flash-lite-001", "gemma-3"),
        ("gemini-3-pro-preview", "gemma-3"),
        ("gemini-3.1-pro-preview", "gemma-4"),
        ("gemini-2.0-flash-exp", None),
        ("gemini-2.0-flash-lite-preview-02-05", None),
        ("gemini-5-pro", None),
    ],
)
def test_gemini_s_models_have_the_tokenizer_of_google_s_own_software(name: str, vocabulary: str | None) -> None:
    model = model_of(name)
    assert model is not None
    assert (model.vocabulary, model.public) == (vocabulary, False)


def test_openai_s_models_have_the_encodings_of_tiktoken() -> None:
    names = {**tiktoken.model.MODEL_TO_ENCODING}
    names |= {f"{prefix}zz": encoding for prefix, encoding in tiktoken.model.MODEL_PREFIX_TO_ENCODING.items()}
    for name, encoding in names.items():
        model = model_of(name)
        if encoding == "p50k_edit":  # of which there is no vocabulary here
            assert model is None
            continue
        assert model is not None, name
        assert encoding_of(model) == encoding, name


def test_tiktoken_agrees_with_every_openai_model_of_the_list() -> None:
    for model in SHIPPED.models.values():
        if model.family != "OpenAI" or model.id.startswith(("whisper", "clip")):
            continue
        for name in (model.id, *model.also):
            if model.vocabulary is None:
                with pytest.raises(KeyError):
                    tiktoken.encoding_name_for_model(name)
            elif not name.startswith("openai/"):  # a repository, not a name in the API
                assert tiktoken.encoding_name_for_model(name) == encoding_of(model)


def test_every_figure_has_a_source_and_a_date() -> None:
    assert len(SHIPPED.models) >= 200
    for model in SHIPPED.models.values():
        if model.context or model.price_in is not None:
            assert model.source.startswith("https://")
            assert model.as_of is not None
        assert not model.public or model.vocabulary or model.repository
        assert model.vocabulary is None or not model.repository
        assert model.public or not model.vocabulary or "Gen AI SDK" in model.note


def test_a_prompt_of_300_000_tokens_is_too_long_for_gpt_5_and_costs_more_for_longer_ones() -> None:
    model = SHIPPED.models["gpt-5"]
    assert (model.context, model.max_input, model.max_output, model.most_input) == (400_000, 272_000, 128_000, 272_000)
    tiered = SHIPPED.models["gpt-5.4"]
    assert [tiered.cost(tokens) for tokens in (272_000, 300_000)] == [Decimal("0.68"), Decimal("1.5")]
    assert tiered.cost(128_000, output=True) == Decimal("1.92")
    assert tiered.cost(128_001, output=True) is None  # no answer is as long


def test_the_figures_are_not_older_than_60_days() -> None:
    newest = max(model.as_of for model in SHIPPED.models.values() if model.listed and model.as_of)
    age = (datetime.now(UTC).date() - newest).days
    assert age <= 60, (
        f"The figures of models.toml are {age} days old. Renew them: python -m webapp.vocabularies.renew_models --write"
    )


def test_a_name_that_only_begins_like_a_known_one_has_no_figures() -> None:
    later = model_of("gpt-4o-2099-01-01")
    known = model_of("GPT-4o")
    assert later is not None
    assert known is not None
    assert (later.vocabulary, later.context, later.price_in) == ("o200k_base", None, None)
    assert (known.context, known.price_in, known.price_out) == (128_000, Decimal("2.5"), Decimal(10))
    assert model_of("gpt-4o-2024-08-06") == known
    assert model_of("gpt") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (MODEL, "should have a vocabulary or a repository, or public = false"),
        (MODEL + 'public = false\nvocabulary = "gpt2"', "should have a note that says who counts with it"),
        (MODEL + 'vocabulary = "gpt2"\nprice_in = 1\nabove_in = 2\n' + FIGURES, "has an above_in but no price_up_to"),
        (MODEL + 'vocabulary = "gpt9"', "[m] has an unknown vocabulary 'gpt9'"),
        (MODEL + 'vocabulary = "gpt2"\ncontext = 5', "[m] has figures without a source and a date (as_of)"),
        (MODEL + 'vocabulary = "gpt2"\nprice_out = 1\n' + FIGURES, "[m] has a price_out but no price_in"),
        (MODEL + 'vocabulary = "gpt2"\nprice_in = nan\n' + FIGURES, "[m] price_in: Input should be a finite"),
        (MODEL + 'vocabulary = "gpt2"\nsource = "javascript:alert(1)"', "source: String should match"),
        (MODEL + 'vocabulary = "gpt2"\n[n]\ntitle="N"\nfamily="F"\npublic=false\nalso=["M"]', "[n] has the name 'M'"),
    ],
)
def test_an_invalid_file_is_refused_with_its_entry(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"\S") as caught:
        read(text)
    assert message in str(caught.value)


def test_the_operator_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    settings = {"MODELS_FILE": str(path), "DATABASE_FILE": str(tmp_path / "site.sqlite")}
    for wrong in (None, b"[m]\n", b"\xff"):
        if wrong is not None:
            path.write_bytes(wrong)
        with pytest.raises(ValueError, match=f"TOKENSCOPE_MODELS_FILE: {path}: "):
            create_app(settings)
    path.write_text(MODEL + 'vocabulary = "gpt2"\n' + FIGURES, encoding="utf-8")
    with create_app(settings).app_context():
        assert [model.id for model in find_models("")] == ["m"]
    assert model_of("gpt-4o") is not None


FOX = "The quick brown fox jumps over the lazy dog."


@pytest.mark.parametrize(
    ("name", "text", "counted"),  # by Anthropic, as bpe-lite and ctok report; without the tokens around a message
    [("claude-3", FOX, 11), ("claude-3", "hello, world", 10 - 7), ("claude-5", "hello, world", 15 - 11)],
)
def test_what_a_publisher_counts_is_within_the_range(name: str, text: str, counted: int) -> None:
    low, high = RANGES[name].of(len(shipped_encoding("o200k_base").ids(text)), text) or (0, 0)
    assert low <= counted <= high


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("", ("1.0", "1.6")),
        ("12 + 5 🙂", ("1.0", "1.6")),
        ("low", ("1.0", "1.6")),
        ("研究生命", ("1.0", "1.8")),
        ("研究 low", ("1.0", "1.8")),
        ("हिन्दी low", ("1.0", "2.7")),
        (f"{'low ' * 99}ಕ", ("1.0", "1.6")),  # one letter in 298 is of a script that was not measured
        ("low ಕನ್ನಡ", None),
    ],
)
def test_the_factors_are_those_of_the_scripts_of_a_text(text: str, factors: tuple[str, str] | None) -> None:
    found = RANGES["claude-3"].factors(text)
    assert found == (factors and tuple(map(Decimal, factors)))


def test_ranges_are_of_scripts_that_there_are() -> None:
    for each in RANGES.values():
        assert each.scripts.keys() <= {*SCRIPTS}
        assert all(low < high for low, high in each.scripts.values())
