"""What the functions, classes and methods of a module set up when somebody calls them."""

from __future__ import annotations

import ast
from collections.abc import Set

from loaderlint.model.imported import Imported, SettingUp
from loaderlint.model.source import Source
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.arguments import Function
from loaderlint.writers.python.bindings import bound_by, imported_anywhere, named_as_own, other_names, own_scope
from loaderlint.writers.python.proof import parsed
from loaderlint.writers.python.set_up import SetUp
from loaderlint.writers.python.surroundings import at_top_level


def set_up_when_called(source: Source, imported: Imported, wanted: Set[str]) -> dict[str, SettingUp]:
    """Return what the functions, classes and methods of some names set up when called, by their dotted names.

    What it takes from other modules is among them. ``imported`` says what calls of what
    it takes of the project set up.
    """
    try:
        tree = parsed(source.text, source.path)
    except CannotRewrite:
        return {}
    functions: dict[str, Function] = {}
    classes: dict[str, ast.ClassDef] = {}
    held = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for node in own_scope(tree.body):
        if isinstance(node, Function):
            functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = node
        else:
            held.update(bound_by(node))
    imports = named_as_own(imported_anywhere(tree), imported.own)
    own_names = frozenset(held - functions.keys() - classes.keys() - imports.keys())
    names = {**other_names(tree.body, imports), **imports}
    set_up = SetUp(at_top_level(tree, names, own_names), functions, classes, elsewhere=imported.setting)
    return {**_passed_on(names, imported), **dict(set_up.by_calls(wanted))}


def _passed_on(imports: dict[str, str], imported: Imported) -> dict[str, SettingUp]:
    """Return what a module only takes from others, under its own names."""
    found = {name: verb for name, verb in imported.setting.items() if not name.startswith(".")}
    for bound, target in imports.items():
        for name, verb in imported.setting.items():
            if name == target or name.startswith(f"{target}."):
                found[bound + name.removeprefix(target)] = verb
    return found
