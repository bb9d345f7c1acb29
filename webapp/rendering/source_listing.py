"""Python functions as a listing that runs on its own: their source with what it needs, highlighted as HTML."""

import ast
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer


@dataclass(frozen=True)
class SourceListing:
    """A listing: the name of its module, its text, and the same text as HTML with the classes of Pygments."""

    module: str
    text: str
    html: Markup

    @property
    def lines(self) -> int:
        """Return how many lines there are."""
        return self.text.count("\n")


@cache
def source_listing(*functions: Callable[..., Any]) -> SourceListing:
    """List functions of one module, together with the functions, constants and imports of it that they use; cached."""
    module = inspect.getmodule(functions[0])
    assert module is not None
    text = source_of(module, (function.__name__ for function in functions))
    html = highlight(text, PythonLexer(), HtmlFormatter(nowrap=True))
    return SourceListing(module.__name__, text, Markup(html))  # Pygments escapes the text


def source_of(module: ModuleType, names: Iterable[str]) -> str:
    """Return the source of a module's functions and of all that they use, in the order of the file.

    >>> from webapp.core.reference import matching
    >>> print(source_of(matching, ["keep_runs"]).splitlines()[0])
    import re
    >>> print(source_of(matching, ["cost"]).splitlines()[0])
    def cost(found: list[str]) -> tuple[int, int]:
    """
    lines = inspect.getsource(module).splitlines()
    statements = ast.parse("\n".join(lines)).body
    used = _used_names(statements, set(names))
    imports = [needed for statement in statements if (needed := _import(statement, used))]
    constants = [_text(lines, one) for one in statements if isinstance(one, ast.Assign) and _defined(one) & used]
    functions = [_text(lines, one) for one in statements if isinstance(one, ast.FunctionDef) and one.name in used]
    head = "\n\n".join("\n".join(part) for part in (imports, constants) if part)
    return "\n\n\n".join([head, *functions]).strip() + "\n"


def _used_names(statements: list[ast.stmt], names: set[str]) -> set[str]:
    """Return the names and, transitively, all names that their definitions use."""
    used: set[str] = set()
    while names - used:
        used |= names
        definitions = [statement for statement in statements if _defined(statement) & used]
        names = {node.id for one in definitions for node in ast.walk(one) if isinstance(node, ast.Name)}
    return used


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        return {name.id for target in statement.targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return set()


def _import(statement: ast.stmt, used: set[str]) -> str:
    """Return an import without the names that are not used, or nothing."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return ""
    needed = [alias for alias in statement.names if (alias.asname or alias.name) in used]
    if not needed:
        return ""
    if isinstance(statement, ast.Import):
        return ast.unparse(ast.Import(needed))
    return ast.unparse(ast.ImportFrom(statement.module, needed, statement.level))


def _text(lines: list[str], statement: ast.stmt) -> str:
    """Return the lines of a definition, with the comment directly above it."""
    start = statement.lineno - 1
    while start and lines[start - 1].startswith("#"):
        start -= 1
    return "\n".join(lines[start : statement.end_lineno])
