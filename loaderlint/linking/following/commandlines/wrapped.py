"""Functions that a decorator hands an object of the class their first parameter is annotated with, filled by the user.

``pyrallis.wrap()`` (``pyrallis/argparsing.py``, 0.3) and ``draccus.wrap()`` (``draccus/argparsing.py``, 0.8), whose
callers may hand such an object over themselves. A decorator of the project is like them where it hands their ``parse``
what the annotations of a function say, and the function what that gives.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from loaderlint.linking.following.commandlines import objects
from loaderlint.linking.things.kinds import External, Frame, Function, Possibilities, Thing, end_of
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, Scope, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.python_calls import called_name, without_arguments
from loaderlint.vocabulary.commandlines import READS_A_FILE_FIRST, WRAPS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_ANNOTATIONS = frozenset({"annotations", "__annotations__", "annotation", "get_type_hints"})
"""What says the annotations of a function: ``inspect.getfullargspec``, ``inspect.signature`` and ``typing``."""


def configuration(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame
) -> Possibilities | None:
    """Return what the only decorator of a function hands over for a parameter, None where it hands over nothing."""
    if isinstance(function, ast.Lambda) or len(function.decorator_list) != 1 or frame.scope.parent is None:
        return None
    if node.annotation is None or node is not next(iter((*function.args.posonlyargs, *function.args.args)), None):
        return None
    (decorator,) = function.decorator_list
    where = Frame(frame.facts, end_of(frame.scope.parent))
    if _names_a_file(decorator):
        return None
    things = [one.thing for one in evaluator.evaluate(without_arguments(decorator), where)]
    if not things or not all(_hands_over_what_is_annotated(evaluator, one) for one in things):
        return None
    return objects.filled(evaluator, node.annotation, None, where, frame.facts.span(decorator))


def _names_a_file(decorator: ast.expr) -> bool:
    """Return whether a decorator may be given a file, whose values come before the defaults."""
    if not isinstance(decorator, ast.Call):
        return False
    given = [*decorator.args, *(one.value for one in decorator.keywords if one.arg != "preferred_help")]
    return not all(isinstance(one, ast.Constant) and one.value is None for one in given)


def _hands_over_what_is_annotated(evaluator: Evaluator, decorator: Thing) -> bool:
    if isinstance(decorator, External):
        return decorator.name in WRAPS
    if not isinstance(decorator, Function):
        return False
    frame = Frame(decorator.facts, end_of(decorator.facts.module))
    taken = {
        one.arg
        for scope in _inside(decorator.scope)
        if isinstance(scope.node, FunctionNode)
        for one in parameters(scope.node)
    }
    return any(
        _is_parse(evaluator, site.node, frame)
        and _is_annotated(site.node, scope)
        and _is_handed_on(site.node, scope, taken)
        for scope in _inside(decorator.scope)
        for site in scope.calls
    )


def _inside(scope: Scope) -> Iterator[Scope]:
    yield scope
    for inner in scope.children:
        if inner.is_function:
            yield from _inside(inner)


def _is_parse(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    if called_name(call) != "parse":
        return False
    made = evaluator.evaluate(call.func, frame)
    return bool(made) and all(isinstance(one.thing, External) and one.thing.name in READS_A_FILE_FIRST for one in made)


def _is_annotated(call: ast.Call, scope: Scope) -> bool:
    """Return whether ``parse`` is handed a class that the annotations of a function say."""
    what = arguments_of(call, ("config_class",)).get("config_class")
    if not isinstance(what, ast.Name):
        return False
    bindings = scope.bindings.get(what.id, ())
    return bool(bindings) and all(one.value is not None and _says_annotations(one.value) for one in bindings)


def _says_annotations(value: ast.expr) -> bool:
    words = (last_name(one) for one in ast.walk(value))
    return any(word in _ANNOTATIONS for word in words)


def _is_handed_on(call: ast.Call, scope: Scope, taken: Set[str]) -> bool:
    """Return whether what ``parse`` gives is the first argument of a call of a function that a decorator takes.

    The name it is handed on by may stand for what the caller handed over (``args[0]``), or for what the class makes of
    a file of the user's (``Config.from_pretrained(path)``), and for nothing else.
    """
    if any(keyword.arg == "config_path" and isinstance(keyword.value, ast.Constant) for keyword in call.keywords):
        return False
    names = {
        name
        for name, bindings in scope.bindings.items()
        if any(one.value is call for one in bindings)
        and all(
            one.value is call or isinstance(one.value, ast.Subscript) or _is_made_by_class(one.value, call)
            for one in bindings
        )
        and not any(other.startswith(f"{name}.") for other in scope.bindings)
    }
    return any(
        isinstance(site.node.func, ast.Name)
        and site.node.func.id in taken
        and site.node.args
        and (site.node.args[0] is call or (isinstance(site.node.args[0], ast.Name) and site.node.args[0].id in names))
        for site in scope.calls
    )


def _is_made_by_class(value: ast.expr | None, parse: ast.Call) -> bool:
    """Return whether a value is what a method of the class gives that ``parse`` is handed."""
    made_by = value.func.value if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else None
    what = arguments_of(parse, ("config_class",)).get("config_class")
    return isinstance(made_by, ast.Name) and isinstance(what, ast.Name) and made_by.id == what.id
