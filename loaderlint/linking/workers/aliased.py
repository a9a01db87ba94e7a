"""Where functions and methods change what has another name at the top level: a parameter's default, a class attribute.

A default is made once, where its function is defined, and is kept from call to call: in a forked worker as the calls
before left it, in one that is started anew as the definition says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.workers.top_level import Global, reaches_top, touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, default_of, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.running import LOOKS

_DISPLAYS = ast.Dict | ast.DictComp | ast.List | ast.ListComp | ast.Set | ast.SetComp
_COLLECTIONS = frozenset({"bytearray", "Counter", "defaultdict", "deque", "dict", "list", "OrderedDict", "set"})


def changed_defaults(facts: PythonFacts, scope: Scope) -> Iterator[tuple[Global, Touch]]:
    """Yield what a function changes of its parameters' defaults: what they name at the top level, or itself."""
    if not isinstance(scope.node, FunctionNode) or scope.parent is None or not scope.parent.runs_at_import:
        return
    # A parameter that gets another value stands for that: ``rows = list(rows)``.
    defaults = {
        one.arg: default_of(scope.node, one.arg)
        for one in parameters(scope.node)
        if all(bound.kind in (*MUTATIONS, "augment", "parameter") for bound in scope.bindings.get(one.arg, ()))
    }
    for first, touch in _changed(facts, scope):
        default = defaults.get(first)
        if default is not None and is_collection(default):
            yield Global(facts.source.path, _top_name(scope)), touch
        elif isinstance(default, ast.Name) and reaches_top(scope, default.id):
            values = [one.value for one in facts.module.bindings.get(default.id, ()) if one.kind == "assign"]
            if any(one is not None and is_collection(one) for one in values):
                yield Global(facts.source.path, default.id), touch


def is_collection(value: ast.expr) -> bool:
    """Return whether an expression makes a collection that can be changed."""
    if isinstance(value, ast.BinOp):
        return is_collection(value.left) or is_collection(value.right)
    return isinstance(value, _DISPLAYS) or (isinstance(value, ast.Call) and called_name(value) in _COLLECTIONS)


def _top_name(scope: Scope) -> str:
    """Return the name at the top level of the module that a function is read by: of a method, that of its class."""
    while scope.parent is not None and scope.parent.is_class:
        scope = scope.parent
    return scope.name


def _changed(facts: PythonFacts, scope: Scope) -> Iterator[tuple[str, Touch]]:
    """Yield the names that a function changes in place, each with where it does."""
    for name, bindings in scope.bindings.items():
        for one in bindings:
            if one.kind in MUTATIONS or (one.kind == "augment" and "." not in name):
                yield name.partition(".")[0], touch_at(facts, one.node)
    for site in scope.calls:
        owner, _, method = (dotted(site.node.func) or "").rpartition(".")
        if owner and method not in LOOKS:
            yield owner.partition(".")[0], touch_at(facts, site.node)
