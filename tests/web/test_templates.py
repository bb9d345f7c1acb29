"""Templates: each is rendered through a context that provides every variable it uses."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args, get_type_hints
from urllib.parse import quote

import pytest
from flask import Flask, template_rendered
from jinja2 import Template, meta, nodes
from jinja2.exceptions import UndefinedError

import webapp.api
import webapp.pages  # noqa: F401 (the contexts of both are looked for below)
from tests.site import HTMX
from webapp import create_app
from webapp.storage import storage_of
from webapp.tools import TOOLS
from webapp.tools.kernel import ToolPage
from webapp.vocabularies import CatalogueEntry, StillFetchingError, UnavailableVocabularyError, find
from webapp.vocabularies.fetching import FetchError
from webapp.web.templates import Context, ErrorMessage

# --- templates and contexts


def contexts(kind: type[Context] = Context) -> Iterator[type[Context]]:
    """Yield every context of the site that names a template."""
    for found in kind.__subclasses__():
        if found.template and found.__module__.startswith("webapp.") and "template" in vars(found):
            yield found
        yield from contexts(found)


def provided(context: type[Context]) -> set[str]:
    """Return the names of the variables that a context provides."""
    names = set()
    for name, kind in get_type_hints(context).items():
        if name in ("template", "chosen_templates"):
            continue
        parts = [part for part in (kind, *get_args(kind)) if isinstance(part, type) and issubclass(part, Context)]
        names |= provided(parts[0]) if parts else {name}
    return names


def chosen(context: type[Context]) -> set[str]:
    """Return the templates that a context's template includes by computed names."""
    hints = get_type_hints(context).values()
    parts = [part for kind in hints for part in (kind, *get_args(kind))]
    inner = [part for part in parts if isinstance(part, type) and issubclass(part, Context)]
    return set(context.chosen_templates).union(*map(chosen, inner))


class Templates:
    """The parsed sources of the templates."""

    def __init__(self, app: Flask) -> None:
        self.environment = app.jinja_env
        self.names = set(app.jinja_env.list_templates())
        self.known = set(app.jinja_env.globals)
        for processor in app.template_context_processors[None]:
            with app.test_request_context("/"):
                self.known |= set(processor())

    @cache  # noqa: B019
    def tree(self, name: str) -> nodes.Template:
        assert self.environment.loader is not None
        return self.environment.parse(self.environment.loader.get_source(self.environment, name)[0])

    def references(self, name: str, *, with_context: bool) -> set[str]:
        """Return the templates that `name` extends, includes and imports; `with_context` if they see its variables."""
        found = set()
        for node in self.tree(name).find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)):
            if isinstance(node.template, nodes.Const) and (getattr(node, "with_context", True) or not with_context):
                found.add(node.template.value)
        return found

    def set_here(self, name: str) -> set[str]:
        """Return the names that a template defines: variables, macros and imported names."""
        found = set()
        for node in self.tree(name).find_all((nodes.Assign, nodes.AssignBlock, nodes.Macro, nodes.FromImport)):
            if isinstance(node, nodes.Macro):
                found.add(node.name)
            elif isinstance(node, nodes.FromImport):
                found |= {one if isinstance(one, str) else one[1] for one in node.names}
            else:
                names = [node.target, *node.target.find_all(nodes.Name)]
                found |= {target.name for target in names if isinstance(target, nodes.Name)}
        return found

    def used(self, name: str, chosen: frozenset[str] = frozenset()) -> set[str]:
        """Return the variables that a template needs, including those of the templates in it."""
        needed = set(meta.find_undeclared_variables(self.tree(name)))
        computed = any(not isinstance(node.template, nodes.Const) for node in self.tree(name).find_all(nodes.Include))
        for other in self.references(name, with_context=True) | (set(chosen) if computed else set()):
            needed |= self.used(other, chosen)
        return needed - self.set_here(name) - self.known

    def reached(self, name: str, chosen: set[str]) -> set[str]:
        """Return the template and all templates in it."""
        found = {name}
        for other in (self.references(name, with_context=False) | chosen) - found:
            found |= self.reached(other, set())
        return found


@pytest.fixture(scope="module")
def templates(app: Flask) -> Templates:
    return Templates(app)


RENDERED = {one.template: one for one in contexts()} | {tool.template: ToolPage for tool in TOOLS}


@pytest.mark.parametrize("template", sorted(RENDERED))
def test_a_context_provides_every_variable_that_its_template_uses(templates: Templates, template: str) -> None:
    context = RENDERED[template]
    used = templates.used(template, frozenset(chosen(context)))
    assert used - provided(context) == set()


def test_every_template_is_rendered_through_a_context(templates: Templates) -> None:
    reached = set().union(*(templates.reached(name, chosen(one)) for name, one in RENDERED.items()))
    assert templates.names - reached == set(), "no page renders these"
    assert reached - templates.names == set(), "there are no such templates"


def test_a_template_has_one_context(templates: Templates) -> None:
    names = [one.template for one in contexts() if one.template != "walkthrough/_walkthrough.html"]
    assert sorted(names) == sorted(set(names))


def test_every_context_and_its_fields_are_documented() -> None:
    for context in contexts():
        assert context.__doc__
        assert not context.__doc__.startswith(f"{context.__name__}("), f"{context.__name__} has no docstring of its own"


def test_the_module_that_templates_call_has_what_they_name(app: Flask) -> None:
    environment = app.jinja_env
    assert environment.loader is not None
    for template in environment.list_templates():
        source = environment.loader.get_source(environment, template)[0]
        for each in environment.parse(source).find_all(nodes.Getattr):
            if isinstance(each.node, nodes.Name) and each.node.name == "texts":
                assert hasattr(environment.globals["texts"], each.attr), f"{template}: texts.{each.attr}"


def test_an_undefined_variable_is_an_error(app: Flask) -> None:
    with app.test_request_context("/"), pytest.raises(UndefinedError, match="mesage"):
        app.jinja_env.from_string("{{ mesage }}").render(**ErrorMessage(message="no").variables())


# --- rendering

TEXT = quote("研究生命 the newest <b>&lt;")
LONG = "x" * 300
ROWS = ["bpe:bpe-bytes", "fmm:jieba"]
PUBLISHED = "clip"  # never available in tests: there is no network


ADDRESSES = f"""
/steps/training/bpe/rounds?corpus= /steps/training/bpe?corpus=low+5%0Alower+2
/steps/training/bpe?corpus=low+5%0Alower%0Alow+2 / /?text= /?algorithm=nope /?vocabulary=nope&text=a /choices?find=gpt
/choices?find=zzz /compare /compare/choices?find=bert /compare?text={TEXT} /compare?with=bpe /compare?with=nope
/compare?text={TEXT}&with=bpe:bpe-bytes&with=fmm:jieba&layout=columns
/compare?with=fmm:own-dictionary&with=bpe:learned /frequencies?text={TEXT} /frequencies
/frequencies?vocabulary=nope&text=a /languages /languages?measure=nope /languages?measure=bytes&own=a /api /steps
/learn /evaluate?with=fmm:jieba /evaluate?with=fmm:jieba&page=999 /evaluate?gold=x /evaluate/nothing /measures
/measures?text= /measures?gold=x /measures?gold=un+able&with=bpe:nope&with=fmm:jieba /split
/split?text={TEXT}&tokens=3 /split?text=a&tokens=-1 /decode /decode?ids= /decode?ids=1+-5 /decode?ids=1&page=9
/decode?ids=240+1&view=apart&skip=1 /ambiguity /ambiguity?text= /ambiguity?text=a&page=9 /ambiguity?text=a&edits=a+b
/pretokens /pretokens?text= /pretokens?text={TEXT}&pattern=%5Cw%7C%28 /pretokens?vocabulary=nope
/pretokens?vocabulary=wordpiece&text={TEXT}++x&pattern=%5Cw%7C%5Cs%2B&under=tokens
/pretokens?vocabulary=unigram&text=a+b&pattern=.
/?algorithm=wordpiece&lowercase=1&text=%C3%89+{TEXT}++%F0%A0%AE%B7+%21&template=1 /messages /messages?messages=[]
/messages?messages=x&json=x&paste=1 /messages?template=nope /messages?template=own&source=x&context=10&price=x /models
/models?q=qwen /models?q=zzz /models?q={LONG} /vocabularies/jieba/row /vocabularies/expand
/vocabularies/expand?base=nope&tokens=a
/vocabularies/expand?base=wordpiece&tokens=zzq%0Athe%0A%E5%88%86%E8%AF%8D&text=a /vocabularies /vocabularies?find=zzz
/vocabularies?find={LONG} /vocabularies/nope /vocabularies/diff /vocabularies/diff?a=nope&b=unigram
/vocabularies/diff?a=unigram&b=unigram /vocabularies/unigram/vocab.txt /vocabularies/jieba?page=9999
/vocabularies/jieba?query=zzz /vocabularies/ngram?after=%E4%BA%BA /vocabularies/ngram?after={LONG[:99]}
/vocabularies/ngram?after=zzz /train /train?corpus=gone /train/nope /bytes /bytes?vocabulary=bpe-bytes
/bytes?vocabulary=nope /vocabularies/wordpiece/tokens/300?others=all /vocabularies/wordpiece/unreachable /nope
/s/unknown00 /s/unknown00/embed /download/tokens.svg?vocabulary=nope&text=a
"""  # each renders a template, or a part of one, that the others do not


def addresses() -> Iterator[str]:
    """Addresses that render every template."""
    yield from ADDRESSES.split()
    for algorithm in ("fmm", "bmm", "bpe", "wordpiece", "unigram"):
        yield f"/?algorithm={algorithm}&text={TEXT}&token=0"
        yield f"/?algorithm={algorithm}&text={TEXT}&vocabulary=learned&size=5"
        yield f"/steps/{algorithm}"
        yield f"/steps/{algorithm}?text={TEXT}&token=999"
        yield f"/steps/{algorithm}?text={TEXT}&format=table"
        for step in (0, 1, 2, 5):
            yield f"/steps/{algorithm}?text={TEXT}&step={step}"
    for step in (0, 1, 2, 3, 4):
        yield f"/steps/bpe?text={TEXT}&longest=1&step={step}"
        for kind in ("bpe", "wordpiece", "unigram", "ngram"):
            yield f"/steps/training/{kind}?step={step}"
    for kind in ("bpe", "wordpiece", "unigram", "ngram"):
        yield f"/steps/training/{kind}?step=999"
        yield f"/steps/training/{kind}?corpus=a+b+a+b&text=ab&size=3"
        yield f"/steps/training/{kind}/rounds"
    for name in ("bpe-bytes", "jieba", "unigram", "wordpiece"):
        yield f"/vocabularies/{name}"
    yield from (
        f"/vocabularies/diff?a=bpe-bytes&b=unigram&show={group}&page=2" for group in ("a", "b", "moved", "same")
    )
    for id in (0, 228, 270, 9_999_999):
        yield from (f"/vocabularies/{name}/tokens/{id}" for name in ("bpe-bytes", "wordpiece", "jieba"))


FORMS: list[tuple[str, dict[str, Any]]] = [
    ("/", {"text": "word " * 3000}),
    ("/token", {"text": "abc def", "token": "1"}),
    ("/compare", {"text": "x" * 30_000, "with": ROWS}),
    ("/frequencies", {"text": "q " * 10_000}),
    ("/evaluate", {"with": "fmm:jieba", "gold": "研究 生命 " * 500}),
    ("/evaluate", {"with": "fmm:jieba", "gold": "研究 生命 " * 500, "keep": "30"}),
    ("/decode", {"ids": "97 " * 4_000, "view": "apart"}),
    ("/split", {"text": "y" * 30_000, "tokens": "2000"}),
    ("/pretokens", {"text": "y" * 30_000, "pattern": "y{1,3}", "show": "tokens"}),
    ("/", {"text": "É 𠮷 " * 9_000, "algorithm": "wordpiece", "lowercase": "1"}),
    ("/split.zip", {"text": "a", "tokens": "-1"}),
    ("/vocabularies/expand", {"base": "wordpiece", "source": "tokens", "tokens": "the\n" * 1000}),
    ("/vocabularies/expand/store", {"base": "wordpiece", "source": "tokens", "tokens": ""}),
    ("/steps/bpe", {"text": "z" * 100_000}),
    ("/steps/training/bpe", {"corpus": "abab", "size": "x"}),
    ("/upload", {"text": "abc"}),
    ("/share", {"text": "abc", "title": "t" * 500}),
    ("/share", {"text": "abc", "vocabulary": "nope"}),
    ("/nope", {"text": "a"}),
]


TALK = {"messages": '[{"role": "tool", "content": "<b>", "name": "a"}]', "title": "Three"}


class Rendered:
    """Requests pages and records the names of the templates that they render."""

    def __init__(self, app: Flask, language: str, *, partial: bool) -> None:
        self.client = app.test_client()
        self.headers = {"Accept-Language": language, **(HTMX if partial else {})}
        self.names: set[str] = set()

    def record(self, _app: Flask, template: Template, **_more: Any) -> None:
        self.names.add(template.name or "")

    def get(self, address: str) -> str:
        answer = self.client.get(address, headers=self.headers)
        assert answer.status_code != 500, address
        return answer.text

    def post(self, address: str, form: dict[str, Any]) -> Any:
        answer = self.client.post(address, data=form, headers=self.headers)
        assert answer.status_code != 500, address
        return answer


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """The site without a network."""
    folder = tmp_path_factory.mktemp("templates")
    nowhere = {"HUB": "http://127.0.0.1:9"}
    folders = {"VOCABULARY_FOLDER": str(folder), "CORPUS_FOLDER": str(folder / "corpora")}
    app = create_app({**folders, "DATABASE_FILE": str(folder / "site.sqlite"), **nowhere})
    yield app
    storage_of(app).database.close()


def walk(asked: Rendered, monkeypatch: pytest.MonkeyPatch) -> None:
    for lesson in re.findall(r'href="(/learn/\w+)"', asked.get("/learn")):
        asked.get(lesson)
        key = re.search(r'id="edit-([\w-]+)"', asked.get(lesson))
        if key:
            target = {"HX-Target": f"div#{key.group(1)}"}
            assert asked.client.get(lesson, headers={**asked.headers, **target}).status_code == 200
    for address in addresses():
        asked.get(address)
    for address, form in FORMS:
        asked.post(address, form)
    train(asked)
    for form in ({"text": "abc def", "title": "One"}, {"text": "abc", "with": ROWS, "note": "Two"}, TALK):
        answer = asked.post("/share", form)
        page = answer.headers["Location"]
        deletion = re.search(r"/s/\w+/delete/[\w-]+", answer.text)
        assert deletion is not None
        for rest in ("", "?token=1", "?token=99", "/embed", "/report"):
            asked.get(page + rest)
        asked.get("/oembed?url=" + quote(f"http://localhost{page}"))
        asked.post(f"{page}/report", {"reason": ""})
        asked.post(f"{page}/report", {"reason": "bad"})
        asked.post(f"{page}/delete/nope", {})
        asked.get(deletion.group())
        asked.post(deletion.group(), {})
        asked.get(page)
        asked.get(f"{page}/embed")
    entry = published(asked.client.application)
    waiting = [f"/vocabularies/{PUBLISHED}", f"/?text=a&vocabulary={PUBLISHED}", "/steps/bpe?text=a"]
    waiting.append(f"/vocabularies/diff?a={PUBLISHED}&b=unigram")
    for address in (*waiting, "/compare?text=a", "/frequencies?text=a", "/messages"):
        fails_with(StillFetchingError(entry, 5, 10), asked, address, monkeypatch)
    why = FetchError("slow", "no end in sight", "example.org", PUBLISHED)
    fails_with(UnavailableVocabularyError(entry, why), asked, f"/vocabularies/{PUBLISHED}", monkeypatch)


def train(asked: Rendered) -> None:
    """Start a training, and cancel it."""
    text = " ".join(f"{word}{number}" for word in ("alpha", "beta", "gamma") for number in range(300))
    choices = asked.post("/train/corpus", {"text": text}).headers["Location"]
    for rest in ("", "&size=1", "&trainer=unigram&keep=0.5"):
        asked.get(choices + rest)
    form = {"corpus": choices.partition("corpus=")[2], "size": "300"}
    asked.post("/train", {**form, "size": "99999"})
    page = asked.post("/train", form).headers["Location"]
    asked.get(page)
    asked.post(f"{page}/cancel", {})
    asked.get(page)


def fails_with(error: Exception, asked: Rendered, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Request a page while the vocabularies cannot be loaded."""

    def fail(name: str) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("webapp.tokenization.result.tokenizer_of", fail)
        patch.setattr("webapp.pages.vocabularies.found.tokenizer_of", fail)
        patch.setattr("webapp.tools.difference.tokenizer_of", fail)
        patch.setattr("webapp.tokenization.conversation.count.tokenizer_of", fail)
        asked.get(address)


def published(app: Flask) -> CatalogueEntry:
    with app.app_context():
        entry = find(PUBLISHED)
    assert entry is not None
    return entry


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.exhaustive)])
def test_every_template_is_rendered_with_nothing_undefined(
    site: Flask, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, parts = Rendered(site, language, partial=False), Rendered(site, language, partial=True)
    for asked in (pages, parts):
        with template_rendered.connected_to(asked.record, site):
            walk(asked, monkeypatch)
    assert set(RENDERED) - pages.names - parts.names == set()
