"""A project's own decorators that run a function as ``hydra.main`` does: NeMo's ``hydra_runner`` where it stands.

``hydra/_internal/utils.py``, ``_run_hydra``, 1.3: the configuration is looked for beside the function that is run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import External, Frame, Function
from loaderlint.readers.python import CallSite, FunctionNode, Scope, default_of, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.python_calls import called_name, keywords
from loaderlint.vocabulary.configurations import HYDRA_RUNNERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES = frozenset(name.rpartition(".")[2] for name in HYDRA_RUNNERS)
_HANDED_ON = frozenset({"config_path", "config_name"})


def arguments_handed_on(evaluator: Evaluator, factory: Function, call: ast.Call) -> Mapping[str, ast.expr] | None:
    """Return what the call of a decorator's factory hands on to Hydra; None where it runs no function with Hydra.

    What it leaves out, and what the factory itself gives, is there only where it is a constant.
    """
    splats = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    if splats or not isinstance(factory.node, FunctionNode):
        return None
    run = _run_with_hydra(evaluator, factory)
    if run is None:
        return None
    taken = [one.arg for one in parameters(factory.node)]
    given = arguments_of(call, taken)
    arguments: dict[str, ast.expr] = {}
    for name, value in keywords(run.node).items():
        own: ast.expr | None = value
        if isinstance(value, ast.Name) and _is_parameter(factory, run.place.scope, value.id):
            own = default_of(factory.node, value.id)
            if value.id in given:
                arguments[name] = given[value.id]
                continue
        if isinstance(own, ast.Constant):
            # As if it stood in the decorator: it is read there.
            arguments[name] = ast.copy_location(ast.Constant(own.value), call)
    return arguments if arguments.keys() >= _HANDED_ON else None


def _run_with_hydra(evaluator: Evaluator, factory: Function) -> CallSite | None:
    """Return the call that runs the function which a factory's decorator stands above."""
    for decorator in factory.scope.children:
        decorated = next(parameters(decorator.node), None) if isinstance(decorator.node, FunctionNode) else None
        if decorated is None or not _gives_back(factory, decorator):
            continue
        for site in _calls_in(decorator):
            task = keywords(site.node).get("task_function")
            if called_name(site.node) in _NAMES and isinstance(task, ast.Name) and task.id == decorated.arg:
                called = evaluator.evaluate(site.node.func, Frame(factory.facts, site.place))
                if any(isinstance(one.thing, External) and one.thing.name in HYDRA_RUNNERS for one in called):
                    return site
    return None


def _gives_back(factory: Function, decorator: Scope) -> bool:
    """Return whether a factory returns one of the functions inside it, and nothing else."""
    assert isinstance(factory.node, FunctionNode)
    given = [one.value for one in factory.node.body if isinstance(one, ast.Return)]
    return bool(given) and all(isinstance(one, ast.Name) and one.id == decorator.name for one in given)


def _calls_in(scope: Scope) -> Iterator[CallSite]:
    yield from scope.calls
    for inner in scope.children:
        yield from _calls_in(inner)


def _is_parameter(factory: Function, inside: Scope, name: str) -> bool:
    """Return whether a name in a function inside a factory is a parameter of the factory that keeps its value."""
    scope: Scope | None = inside
    while scope is not None and name not in scope.bindings:
        scope = scope.parent
    return scope is factory.scope and all(one.kind == "parameter" for one in factory.scope.bindings[name])
