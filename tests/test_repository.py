"""Rules of the repository: its layout, its README, its lock file and its vendored files."""

import ast
import hashlib
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, requires
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from webapp.settings import DEFAULTS

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"pyproject.toml", "webapp", "templates", "static", "tests", "Procfile", "Dockerfile"}
TOP_LEVEL |= {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "requirements.lock"}
MADE_HERE = {"instance"}  # where a checkout stores fetched vocabularies; ignored by git
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPERATING = (ROOT / ".github" / "OPERATING.md").read_text(encoding="utf-8")
DEPENDENCIES = (ROOT / ".github" / "DEPENDENCIES.md").read_text(encoding="utf-8")
DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
DOCUMENTS += [ROOT / ".github" / name for name in ("OPERATING.md", "SEVERAL_MACHINES.md", "DEPENDENCIES.md")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VENDORED = sorted(path for path in (ROOT / "static" / "vendor").iterdir() if path.is_dir())
LONGEST_MODULE = 420


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def test_the_top_level_has_only_the_agreed_entries() -> None:
    visible = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert visible - MADE_HERE == TOP_LEVEL


def test_no_module_is_long() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules("webapp")}
    assert {str(path): lines for path, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_core_imports_only_the_standard_library_and_few_packages() -> None:
    allowed = re.compile(r"(regex|google\.protobuf|zstandard|webapp\.core)(\.|$)")
    others = [(file, name) for file, name in foreign("webapp/core") if not allowed.match(name)]
    arrays = "webapp/core/trainers/"  # the only place for numpy
    assert [(file, name) for file, name in others if not (file.startswith(arrays) and name.startswith("numpy"))] == []


def test_product_imports_only_what_it_declares() -> None:
    # The dependencies of these come with them and are part of their interface, as DEPENDENCIES.md says.
    extras = [lines for extra, lines in PROJECT["optional-dependencies"].items() if extra != "test"]
    lines = [*PROJECT["dependencies"], *chain.from_iterable(extras)]
    declared = {canonicalize_name(Requirement(line).name) for line in lines}
    for name in ("flask", "flask-compress", "flask-limiter", "huggingface_hub", "pydantic"):
        declared |= {canonicalize_name(Requirement(line).name) for line in requires(name) or []}
    providers = packages_distributions()
    undeclared = [
        (file, name)
        for file, name in foreign("webapp")
        if not re.match(r"webapp(\.|$)", name)
        and declared.isdisjoint(map(canonicalize_name, providers.get(top := name.split(".")[0], [top])))
    ]
    assert undeclared == []


def foreign(folder: str) -> list[tuple[str, str]]:
    """Return every import in ``folder`` from outside the standard library: (file, module)."""
    return [
        (str(path.relative_to(ROOT)), name)
        for path in modules(folder)
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names
    ]


@cache
def imports(path: Path) -> list[str]:
    """Return the names of the modules that ``path`` imports, without relative ones, which are of its own package."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"webapp.{alias.name}" for alias in node.names] if node.module == "webapp" else [node.module]
    return found


def test_readme_has_two_commands_of_one_line_each() -> None:
    commands = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(commands) == 2
    serve, test = (command.removesuffix("\n") for command in commands)
    assert "\n" not in serve + test
    assert serve.endswith(".venv/bin/python -m webapp")
    assert test.endswith(".venv/bin/python -m pytest -n auto")
    for command in (serve, test):
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
        assert " -c requirements.lock " in command


def test_operating_names_every_setting_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `TOKENSCOPE_(\w+)` \| ([^|;]+?)(?:;[^|]*)? \|", OPERATING, re.MULTILINE))
    assert rows == {name: str(default).lower() or "empty" for name, default in (DEFAULTS | {"COMMIT": ""}).items()}


def test_every_dependency_has_a_reason() -> None:
    for dependency in PROJECT["dependencies"]:
        assert re.search(rf"^\| {re.escape(Requirement(dependency).name)} \| \w+", DEPENDENCIES, re.MULTILINE)
    for dependency in PROJECT["optional-dependencies"]["test"]:
        name = Requirement(dependency).name
        assert name.startswith("types-") or f"`{name}`" in DEPENDENCIES


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_documents_name_only_files_that_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    linked = [document.parent / target for target in re.findall(r"\]\((?!https?:)([^)#]+)", text)]
    folders = "webapp|templates|static|tests|\\.github|\\.ci"
    named = [ROOT / target for target in re.findall(rf"`((?:{folders})/[\w./-]+)`", text)]
    paths = [path for path in linked + named if "NAME" not in path.as_posix()]
    assert [path for path in paths if not path.exists()] == []


def test_readme_is_short() -> None:
    assert len(README.split()) < 800


def test_lock_file_covers_every_dependency() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE)
    pinned = {canonicalize_name(name): release for name, release in pins}
    for line in PROJECT["dependencies"] + PROJECT["optional-dependencies"]["test"]:
        dependency = Requirement(line)
        assert dependency.specifier.contains(pinned[canonicalize_name(dependency.name)]), line
    assert "://" not in lock, "a lock file that names hosts works only where they are reached"


@pytest.mark.parametrize("folder", VENDORED, ids=lambda folder: folder.name)
def test_vendored_files_match_their_record(folder: Path) -> None:
    note = (folder / "VENDORED.md").read_text(encoding="utf-8")
    for fact in ("Version", "Licence", "Source"):
        assert re.search(rf"^- {fact}: \S", note, re.MULTILINE), f"{folder.name}/VENDORED.md has no {fact}"
    told = dict(re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", note, re.MULTILINE))
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "VENDORED.md"]
    found = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert told == found
    assert any(name.startswith("LICENSE") for name in found)
