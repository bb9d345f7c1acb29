"""What is seen in the source of a template without rendering it: the variables that it reads, and Jinja's parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jinja2
import jinja2.meta
from jinja2 import nodes

# Filters that take a list, as loops do.
_OF_LISTS = ("map", "selectattr", "rejectattr", "select", "reject")
_ASKING = (nodes.Test, nodes.Filter)
_DEFINED = ("defined", "undefined", "default", "d")
_STATEMENTS = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends, nodes.Block, nodes.With)


def inspect(source: str, made: jinja2.Environment) -> dict[str, Any]:
    """The variables that a template reads, whether it takes contents apart, and the parts of Jinja that it uses.

    `reads` has no functions of the environment, and no variables that the template sets, unless it does so as a
    default. `uses` has filters, tests, methods and statements as `filter tojson`.
    """
    tree = made.parse(source)
    set_here = {macro.name for macro in tree.find_all(nodes.Macro)} | _stored(tree)
    reads = jinja2.meta.find_undeclared_variables(tree) - made.globals.keys() - (set_here - set(_defaulted(tree)))
    return {"reads": sorted(reads), "iterates": _iterates(tree), "uses": sorted(set(_uses(tree)))}


def _stored(node: nodes.Node) -> set[str]:
    return {name.name for name in node.find_all(nodes.Name) if name.ctx != "load"}


def _asked(node: nodes.Node) -> set[str]:
    """The variables that an expression asks for whether they are defined, or has a default for."""
    asking = [one for one in (node, *node.find_all((nodes.Test, nodes.Filter))) if isinstance(one, _ASKING)]
    return {one.node.name for one in asking if one.name in _DEFINED and isinstance(one.node, nodes.Name)}


def _defaulted(tree: nodes.Template) -> Iterator[str]:
    """The variables that are set if nothing is given for them."""
    for branch in tree.find_all(nodes.If):
        if asked := _asked(branch.test):
            for statement in (*branch.body, *branch.else_):
                yield from asked & _stored(statement)
    for assignment in tree.find_all(nodes.Assign):
        yield from _asked(assignment.node) & _stored(assignment)


def _iterates(tree: nodes.Template) -> bool:
    """Whether a loop or a filter of lists goes through the content of a message, as vLLM asks of a template."""
    macros = {macro.name: [arg.name for arg in macro.args] for macro in tree.find_all(nodes.Macro)}
    names = {"content"}
    for assignment in tree.find_all(nodes.Assign):
        if isinstance(assignment.target, nodes.Name) and _is_content(assignment.node, names):
            names.add(assignment.target.name)
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name):
            parameters = macros.get(call.node.name, [])
            names |= {name for name, given in zip(parameters, call.args, strict=False) if _is_content(given, names)}
    loops = (loop.iter for loop in tree.find_all(nodes.For))
    filters = (found.node for found in tree.find_all(nodes.Filter) if found.name in _OF_LISTS)
    return any(_is_content(one, names) for one in (*loops, *filters))


def _is_content(node: nodes.Node | None, names: set[str]) -> bool:
    while isinstance(node, nodes.Filter):
        node = node.node
    if isinstance(node, nodes.Getitem):
        return isinstance(node.arg, nodes.Const) and node.arg.value == "content"
    if isinstance(node, nodes.Getattr):
        return node.attr == "content"
    return isinstance(node, nodes.Name) and node.name in names


def _uses(tree: nodes.Template) -> Iterator[str]:
    for node in tree.find_all((nodes.Filter, nodes.Test, nodes.Call, *_STATEMENTS)):
        if isinstance(node, nodes.Filter | nodes.Test):
            yield f"{type(node).__name__.lower()} {node.name}"
            if any(pair.key == "sort_keys" for pair in node.kwargs):
                yield f"filter {node.name}(sort_keys)"
        elif not isinstance(node, nodes.Call):
            yield f"statement {type(node).__name__.lower()}"
        elif isinstance(node.node, nodes.Getattr):
            yield f"method {node.node.attr}"
