"""The translations are complete, and the compiled catalogue is up to date."""

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

import webapp
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.vocabulary_error import VocabularyError
from webapp.tokenization import messages
from webapp.web.localization import LANGUAGES

ROOT = Path(webapp.__file__).parent.parent
FOLDER = ROOT / "webapp" / "translations"
METHODS = [("webapp/**.py", "python"), ("templates/**.html", "jinja2")]
# The core raises and returns English messages, which are translated when shown.
SENTENCES = ("FormatError", "VocabularyError", "CharacterMapError", "Phrase")
KEYWORDS = {
    "_": None,
    "_l": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "_lp": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    **dict.fromkeys(SENTENCES),
    "PlanError": (2,),  # after the field
}

pytestmark = pytest.mark.skipif(not (ROOT / "templates").is_dir(), reason="an installed wheel has no sources to read")


def catalogue(locale: str) -> Catalog:
    with (FOLDER / locale / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file, locale=locale)


def sources() -> set[str]:
    options = {"templates/**.html": {"trimmed": "true"}}
    found = extract_from_dir(
        ROOT, METHODS, options, KEYWORDS, directory_filter=lambda path: not Path(path).name.startswith(".")
    )
    messages = (message[2] for message in found)
    return {message if isinstance(message, str) else message[0] for message in messages}


def test_every_error_message_can_be_extracted() -> None:
    """The first argument is a literal, except where an error or phrase wraps another's message."""
    found = 0
    for path in (ROOT / "webapp").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in SENTENCES):
                continue
            found += 1
            first = call.args[0]
            if ast.unparse(first).endswith("sentence"):
                continue
            assert isinstance(first, ast.Constant), f"{path.name}:{call.lineno}"
            assert isinstance(first.value, str), f"{path.name}:{call.lineno}"
            places = set(re.findall(r"%\((\w+)\)s", first.value))
            assert places == {keyword.arg for keyword in call.keywords}, f"{path.name}:{call.lineno}"
            # A percent sign is doubled only where there are values.
            rest = re.sub(r"%\(\w+\)s|%%", "", first.value) if places else ""
            assert "%" not in rest, f"{path.name}:{call.lineno}"
    assert found > 150


def test_a_wrapped_message_keeps_its_values() -> None:
    error = FormatError.of(VocabularyError("the piece %(piece)s occurs twice", piece="'a'"))
    assert (str(error), error.sentence) == ("the piece 'a' occurs twice", "the piece %(piece)s occurs twice")
    assert str(FormatError.of(ValueError("at 100% of it"))) == "at 100% of it"


def test_a_message_inside_a_message_is_translated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    chinese = {"this is %(what)s; save it as UTF-8": "这是%(what)s；请另存为 UTF-8", "text in UTF-16": "UTF-16 文本"}
    monkeypatch.setattr(messages, "_", lambda sentence, **values: chinese[sentence] % values)
    with pytest.raises(FormatError) as refused:
        recognize("研究".encode("utf-16"))
    assert messages.translated(refused.value) == "这是UTF-16 文本；请另存为 UTF-8"


LOCALES = [language.locale for language in LANGUAGES.values() if language.locale != "en"]
VALUES = re.compile(r"%\((\w+)\)")


@pytest.mark.parametrize("locale", LOCALES)
def test_every_string_is_translated_with_the_same_values(locale: str) -> None:
    known, found = forms(catalogue(locale)), sources()
    assert len(found) > 100
    assert found - {ids[0] for ids in known} == set()
    assert {ids[0] for ids in known} - found == set(), "no longer in use"
    assert not [message.id for message in catalogue(locale) if message.id and message.fuzzy]
    for ids, strings in known.items():
        assert all(strings), ids
        for string in strings:
            assert set(VALUES.findall(string)) == set(VALUES.findall(ids[-1])), string


@pytest.mark.parametrize("locale", LOCALES)
def test_the_compiled_catalogue_is_up_to_date(locale: str) -> None:
    with (FOLDER / locale / "LC_MESSAGES" / "messages.mo").open("rb") as file:
        assert forms(read_mo(file)) == forms(catalogue(locale))


def forms(catalogue: Catalog) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return the translations of each message; of a plural, there are several of both."""
    return {several(message.id): several(message.string) for message in catalogue if message.id}


def several(strings: str | Sequence[str]) -> tuple[str, ...]:
    return (strings,) if isinstance(strings, str) else tuple(strings)


def test_texts_in_toml_have_the_same_values_in_every_language() -> None:
    found = list(texts_in([tomllib.loads(path.read_text("utf-8")) for path in (ROOT / "webapp").rglob("*.toml")]))
    assert len(found) > 100
    for texts in found:
        assert len({frozenset(VALUES.findall(str(text))) for text in texts.values()}) == 1, texts


def texts_in(value: object) -> Iterator[dict[str, str]]:
    if isinstance(value, dict) and value.keys() == LANGUAGES.keys():
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)
