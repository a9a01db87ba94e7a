"""Hydra: the configuration that ``@hydra.main`` hands to a program.

``config_path`` is relative to the file of the decorated function, and an entry ``data: mnist`` of the ``defaults`` list
puts ``data/mnist.yaml`` under ``data`` (https://hydra.cc/docs/advanced/defaults_list). Whatever stands there, the
command line can replace it.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.dictionaries import entries_of
from loaderlint.linking.things import (
    External,
    Frame,
    Items,
    Possibilities,
    Possibility,
    Thing,
    choice,
    end_of,
    under,
    unseen,
)
from loaderlint.readers.python import FunctionNode, parameters
from loaderlint.readers.tree import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

_PARAMETERS = ("config_path", "config_name", "version_base")
"""The parameters of ``hydra.main`` in order (``hydra/main.py``, 1.3)."""


def configuration(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame
) -> Possibilities | None:
    """Return what ``@hydra.main`` above a function gives its first parameter, None when there is no such decorator."""
    parent = frame.scope.parent
    if isinstance(function, ast.Lambda) or parent is None or node is not next(parameters(function), None):
        return None
    where = Frame(frame.facts, end_of(parent))
    for decorator in function.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        callee = evaluator.evaluate(decorator.func, where)
        if not any(isinstance(one.thing, External) and one.thing.name == "hydra.main" for one in callee):
            continue
        span = frame.facts.span(decorator)
        root = _root(evaluator, decorator, where)
        given = unseen(span, choice(str(span), "given"))
        if root is None:
            return given
        return (*under((Possibility(_composed(evaluator, *root), span),), choice(str(span), "default")), *given)
    return None


def _root(evaluator: Evaluator, decorator: ast.Call, frame: Frame) -> tuple[Mapping, str] | None:
    """Return the mapping that the decorator names and the folder it stands in."""
    arguments = dict(zip(_PARAMETERS, decorator.args, strict=False))
    arguments.update({one.arg: one.value for one in decorator.keywords if one.arg is not None})
    written: list[str] = []
    for name in ("config_path", "config_name"):
        values = evaluator.evaluate(arguments[name], frame) if name in arguments else ()
        if len(values) != 1 or not isinstance(values[0].thing, str):
            return None
        written.append(values[0].thing)
    folder = posixpath.normpath(posixpath.join(posixpath.dirname(frame.facts.source.path), written[0]))
    root = _mapping_at(evaluator, folder, written[1])
    return None if root is None else (root, folder)


def _mapping_at(evaluator: Evaluator, folder: str, name: str) -> Mapping | None:
    file = name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"
    facts = evaluator.project.configuration_file(posixpath.normpath(posixpath.join(folder, file)))
    root = facts.documents[0].root if facts is not None and facts.documents else None
    return root if isinstance(root, Mapping) else None


def _composed(evaluator: Evaluator, root: Mapping, folder: str) -> Thing:
    """Return a configuration with the groups its defaults choose, where it says nothing of its own about them."""
    defaults = root.get("defaults")
    if defaults is None:
        return root
    entries = dict(entries_of(root))
    for group, choice_of_group in _groups(defaults.value):
        chosen = _mapping_at(evaluator, posixpath.join(folder, group), choice_of_group)
        if chosen is not None and group not in entries:
            entries[group] = (Possibility(chosen, chosen.span),)
    return Items(entries, complete=False)


def _groups(defaults: object) -> Iterator[tuple[str, str]]:
    for item in defaults.items if isinstance(defaults, Sequence) else ():
        for entry in item.entries if isinstance(item, Mapping) else ():
            value = entry.value
            if isinstance(value, Scalar) and isinstance(value.constant, str) and entry.key.isidentifier():
                yield entry.key, value.constant
