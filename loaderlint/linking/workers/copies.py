"""Where what a worker gets, or hands back, is another than the program has: objects pickle, and errors are made anew.

A worker's error is made anew of its text alone; where its class takes something else, a RuntimeError is raised instead
(``torch/_utils.py``, ``ExceptionWrapper.reraise``, 2.13).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, PythonFacts, dotted, parameters

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_OTHERWISE = ("__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__", "__getstate__", "__setstate__")
"""Methods that say how an object pickles (docs.python.org, ``pickle``, "Pickling Class Instances")."""
_ANY_ERROR = frozenset({"Exception", "BaseException"})
_ANEW = "RuntimeError"


def other_copies(evaluator: Evaluator, sent: Iterable[Instance]) -> Iterator[Touch]:
    """Yield the methods by which objects pickle as something else than they are.

    One that only leaves something out has no such copy: whoever needs it there has to make it anew.
    """
    for instance in sent:
        for owner in classes.lineage(evaluator, instance.of):
            for scope in owner.scope.children:
                if scope.name in _OTHERWISE and isinstance(scope.node, FunctionNode) and not _keeps_all(scope.node):
                    yield Touch(owner.facts.span(scope.node), f"{owner.node.name}.{scope.name}")


def _keeps_all(method: FunctionNode) -> bool:
    own = next((one.arg for one in parameters(method)), "")
    if method.name.startswith("__getstate"):
        return all(_leaves_out(one, own) for one in method.body)
    if method.name == "__setstate__":
        return all(_takes_over(one, own) for one in method.body)
    return all(_makes_again(one, own) for one in method.body)


def _leaves_out(statement: ast.stmt, own: str) -> bool:
    """Return whether a statement takes the attributes of an object, or leaves one of them out."""
    match statement:
        case ast.Expr(ast.Constant()) | ast.Delete() | ast.Expr(ast.Call(ast.Attribute(ast.Name(), "pop"))):
            return True
        case ast.Assign([ast.Subscript(ast.Name())], ast.Constant(None)):
            return True
        case ast.Assign([ast.Name()], value) | ast.AnnAssign(ast.Name(), value=value) | ast.Return(value):
            return value is not None and (isinstance(value, ast.Name) or _is_all(value, own))
        case ast.If(body=body, orelse=orelse):
            return all(_leaves_out(one, own) for one in (*body, *orelse))
    return False


def _is_all(node: ast.expr, own: str) -> bool:
    """Return whether an expression gives attributes of an object as they are, or some of them."""
    held = f"{own}.__dict__"
    match node:
        case ast.Call(ast.Attribute(inner, "copy")) | ast.Call(ast.Name("dict"), [inner]):
            return _is_all(inner, own)
        case ast.Call(ast.Attribute(_, "copy" | "deepcopy"), [inner]):
            return _is_all(inner, own)
        case ast.Call(ast.Name("vars"), [ast.Name(name)]):
            return name == own
        case ast.Call(ast.Attribute(ast.Call(ast.Name("super")), "__getstate__")):
            return True
        case ast.Dict([None], [inner]):
            return _is_all(inner, own)
        case ast.DictComp(ast.Name(key), ast.Name(value), [ast.comprehension(ast.Tuple(elements), items)]):
            same = [one.id for one in elements if isinstance(one, ast.Name)] == [key, value]
            return same and dotted(items.func if isinstance(items, ast.Call) else items) == f"{held}.items"
        case ast.Dict(keys, values):
            pairs = zip(keys, values, strict=True)
            names = ((key.value if isinstance(key, ast.Constant) else "", value) for key, value in pairs)
            return all(dotted(value) == f"{own}.{name!s}" for name, value in names)
    return dotted(node) == held


def _takes_over(statement: ast.stmt, own: str) -> bool:
    """Return whether a statement gives an object what it had, or makes anew what was left out."""
    match statement:
        case ast.Expr(ast.Constant()):
            return True
        case ast.Expr(ast.Call(ast.Attribute() as called)):
            first = ast.unparse(called)
            return first.startswith((f"{own}.", "super().__setstate__"))
        case ast.Assign([ast.Attribute(ast.Name(name))], ast.Call() | ast.Name() | ast.Constant(None)):
            return name == own
        case ast.Assign([ast.Attribute(ast.Name(name), attribute)], ast.Subscript(_, ast.Constant(key))):
            return name == own and attribute == key
        case ast.If(body=body, orelse=orelse):
            return all(_takes_over(one, own) for one in (*body, *orelse))
    return False


def _makes_again(statement: ast.stmt, own: str) -> bool:
    """Return whether a statement has an object made again of what it keeps, or only says what it does."""
    match statement:
        case ast.Expr(ast.Constant()):
            return True
        case ast.Return(ast.Tuple(elements)):
            parts = [part for one in elements for part in (one.elts if isinstance(one, ast.Tuple) else [one])]
            return all(_is_own(one, own) for one in parts)
    return False


def _is_own(node: ast.expr, own: str) -> bool:
    is_class = isinstance(node, ast.Name) and node.id[:1].isupper()
    of_type = isinstance(node, ast.Call) and dotted(node.func) == "type"
    return is_class or of_type or (dotted(node) or "").startswith(f"{own}.")


# --- errors ---


def other_errors(evaluator: Evaluator, running: Sequence[Function], files: Sequence[PythonFacts]) -> Iterator[Touch]:
    """Yield where samples raise what a worker cannot hand on as it is, and a program handles that, or the other."""
    caught = _Caught(evaluator, running, files)
    for function in running:
        for node in nodes_of(function.node):
            if isinstance(node, ast.Raise) and node.exc is not None:
                raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
                frame = Frame(function.facts, place_in(function.scope, node.exc), receiver=function.receiver)
                with evaluator.steps(STEPS):
                    things = [one.thing for one in evaluator.evaluate(raised, frame)]
                for one in things:
                    if not isinstance(one, Class) or not _becomes_another(evaluator, one):
                        continue
                    if caught.tells_apart(_names(evaluator, one)):
                        yield touch_at(function.facts, node)


def _becomes_another(evaluator: Evaluator, error: Class) -> bool:
    """Return whether an error cannot be made of its text alone."""
    found = classes.nearest(classes.lineage(evaluator, error), "__init__")
    if found is None or not isinstance(found[1].node, FunctionNode):
        return False
    given = found[1].node.args
    positional = [*given.posonlyargs, *given.args][1:]
    needed = len(positional) - len(given.defaults)
    named = any(default is None for default in given.kw_defaults)
    return needed > 1 or named or (not positional and given.vararg is None)


def _names(evaluator: Evaluator, error: Class) -> Set[str]:
    lineage = classes.lineage(evaluator, error)
    foreign = (name.rpartition(".")[2] for one in lineage for name in classes.foreign_bases(evaluator, one))
    return {*(one.node.name for one in lineage), *foreign} - _ANY_ERROR


class _Caught:
    """What a program catches outside of workers; asked of only where these raise what becomes another."""

    def __init__(self, evaluator: Evaluator, running: Sequence[Function], files: Sequence[PythonFacts]) -> None:
        self._evaluator = evaluator
        self._running = running
        self._files = files

    def tells_apart(self, names: Set[str]) -> bool:
        """Return whether an error of these names is handled and no RuntimeError, or just that."""
        return not names.isdisjoint(self._without) or any(names.isdisjoint(one) for one in self._anew)

    @cached_property
    def _outside(self) -> Set[frozenset[str]]:
        inside = {id(node) for one in self._running for node in nodes_of(one.node)}
        return {
            names
            for facts in self._files
            for block, names in _handled(self._evaluator, facts)
            if block not in inside and names.isdisjoint(_ANY_ERROR)
        }

    @cached_property
    def _without(self) -> Set[str]:
        """What is caught where no RuntimeError is."""
        return {name for names in self._outside if _ANEW not in names for name in names}

    @cached_property
    def _anew(self) -> Sequence[frozenset[str]]:
        """What is caught together where a RuntimeError is."""
        return [names for names in self._outside if _ANEW in names]


def _handled(evaluator: Evaluator, facts: PythonFacts) -> Sequence[tuple[int, frozenset[str]]]:
    """Return what each handler of a file catches, with the identity of the block: an index, made once for a file."""
    return evaluator.remembered(
        ("handled", facts.source.path),
        None,
        lambda: [
            (id(block), frozenset((dotted(one) or "").rpartition(".")[2] for one in _types(handler)))
            for block in facts.blocks
            if isinstance(block, ast.Try)
            for handler in block.handlers
        ],
    )


def _types(handler: ast.ExceptHandler) -> Sequence[ast.expr]:
    if handler.type is None:
        return ()
    return handler.type.elts if isinstance(handler.type, ast.Tuple) else (handler.type,)
