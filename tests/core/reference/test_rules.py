"""The reference algorithms stay readable: short functions with examples, self-contained files."""

import ast
import sys
from pathlib import Path

import pytest

from webapp.core import reference

LONGEST_FUNCTION = 15
FILES = sorted(Path(reference.__path__[0]).glob("[!_]*.py"))


def lines_of_code(path: Path, function: ast.FunctionDef) -> int:
    """Count the lines of a function including its signature, but not docstring, blank lines and comments."""
    lines = path.read_text("utf-8").splitlines()
    numbers = set(range(function.lineno, (function.end_lineno or 0) + 1))
    if ast.get_docstring(function):
        numbers -= set(range(function.body[0].lineno, (function.body[0].end_lineno or 0) + 1))
    return sum(bool(lines[number - 1].split("#")[0].strip()) for number in numbers)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_functions_are_short_and_have_examples_and_a_file_is_self_contained(path: Path) -> None:
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
    lengths = {function.name: lines_of_code(path, function) for function in functions}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION} == {}
    assert [function.name for function in functions if ">>> " not in (ast.get_docstring(function) or "")] == []
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    roots = {name.split(".")[0] for name in imported}
    assert roots <= {*sys.stdlib_module_names, "regex"}
    assert roots.isdisjoint({"heapq", "functools"}), "no heaps and no caches"
    assert not any(isinstance(node, ast.ClassDef) for node in nodes), "plain data only"
