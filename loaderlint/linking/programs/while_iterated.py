"""What of a program may run while a loader is iterated: by the words of its loops, and of what these come to.

A word that is the name of a function may be a call of it. So more is taken to run than does, and little is missed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import NamedTuple, TypeGuard

from loaderlint.linking.following.running import Iterated, Iterations
from loaderlint.linking.programs.held_iterators import while_held
from loaderlint.linking.workers.names_read import CONSTRUCTORS
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name

_NEXT = frozenset({"__next__", "next"})
_WORD = re.compile(r"\w+")
_UNNAMED = frozenset(
    {"__call__", "__contains__", "__enter__", "__exit__", "__getattr__", "__getattribute__", "__getitem__", "__iter__"}
    | {"__delattr__", "__delitem__", "__len__", "__next__", "__setattr__", "__setitem__", "forward"}
    | {"__iadd__", "__iand__", "__ifloordiv__", "__imatmul__", "__imod__", "__imul__", "__ior__", "__ipow__"}
    | {"__isub__", "__itruediv__", "__ixor__"}
    | {"__abs__", "__aenter__", "__aexit__", "__aiter__", "__anext__", "__array__", "__await__", "__bytes__"}
    | {"__complex__", "__delete__", "__dir__", "__fspath__", "__get__", "__ilshift__", "__instancecheck__"}
    | {"__irshift__", "__reversed__", "__round__", "__set__", "__subclasscheck__"}
    | {"__torch_function__"}
    | {"__bool__", "__del__", "__eq__", "__float__", "__format__", "__ge__", "__gt__", "__hash__", "__index__"}
    | {"__int__", "__le__", "__lt__", "__ne__", "__repr__", "__str__"}
)
"""Methods that run where an object is called, gone through, asked, compared, shown, entered or changed in place.

No other operator of an object is looked for: most give something new.
"""
_RUN_BESIDE = ("Thread", "Timer")
"""How the names of classes end whose method ``run`` runs once they are started (docs.python.org, ``threading``)."""
_HOOKS = (
    *("on_", "training_step", "validation_step", "test_step", "predict_step", "compute_loss", "optimizer_"),
    *("backward", "configure_gradient_clipping", "lr_scheduler_step", "transfer_batch_to_device"),
    *("emit", "after_", "batch_end", "batch_start", "before_", "eval_after", "eval_batch", "eval_before", "run_event"),
)
"""How the names of methods begin that trainers of libraries call.

docs.python.org, ``logging.Handler``; lightning.ai, "LightningModule", Hooks; docs.mosaicml.com, "Events";
mmengine.readthedocs.io, "Hook"; docs.fast.ai, "Callbacks".
"""
_WRAPS = frozenset(
    {
        "abstractmethod",
        "autocast",
        "automain",
        "cache",
        "cached_property",
        "checkpoint",
        "classmethod",
        "command",
        "compile",
    }
    | {"contextmanager", "custom_bwd", "custom_fwd", "deleter", "dispatch", "enable_grad", "fixture", "getter"}
    | {"group", "inference_mode", "jit", "lru_cache", "main", "njit", "no_grad", "option", "overload", "override"}
    | {"parametrize", "profile", "property", "record", "rank_zero_only", "script", "set_grad_enabled", "setter"}
    | {"singledispatch", "skip", "skipif", "staticmethod", "typechecked", "wraps"}
)
"""Decorators, by the last part of their names, whose functions run where these are called, or before a program does."""


class _Defined(NamedTuple):
    """A function, and the file it stands in."""

    facts: PythonFacts
    scope: Scope


class WhileIterated:
    """What of some files may run while the loader that a call makes is iterated.

    Where a loop over it is not seen, that is what all loops come to, but for those that only count, and those that run
    ``before``: in functions, by the identity of their nodes, that make what was sent, or in workers. Where workers are
    ``kept``, all loops go on with what these got first.
    """

    def __init__(
        self, files: Sequence[PythonFacts], call: ast.Call, runs: Sequence[Iterations], before: Set[int], *, kept: bool
    ) -> None:
        self._kept = kept
        self._files = files
        self._before = before
        self._places = [place for run in runs for place in run.places.get(id(call), ())]
        # What `next` takes is taken where that stands, wherever the iterator was made.
        places = [one for one in self._places if one.takes_one] or self._places
        self._bodies = [(place.frame.facts, _body(place)) for place in places]

    def holds(self, facts: PythonFacts, scope: Scope, node: ast.AST) -> bool:
        """Return whether something that stands in a scope may run: in a loop itself, or in what that comes to."""
        line = getattr(node, "lineno", 0)
        return any(
            facts is other and body.lineno <= line <= (body.end_lineno or 0) for other, body in self._loops
        ) or self._comes_to(scope)

    def speaks_of(self, name: str) -> bool:
        """Return whether a name is among the words of what may run."""
        return name in self._words

    def runs_in(self, facts: PythonFacts, block: ast.stmt) -> bool:
        """Return whether a loop stands in a statement, or in a function of which that speaks."""
        words = words_in(facts, block)
        for other, body in self._loops:
            if facts is other and block.lineno <= body.lineno <= (block.end_lineno or 0):
                return True
            around = [one for one in other.scopes.values() if one.is_function and _holds(one.node, body)]
            if any(one.name in words for one in around):
                return True
        return False

    def takes_in(self, facts: PythonFacts, block: ast.stmt) -> bool:
        """Return whether a statement in a loop takes from an iterator, or calls a function that does."""
        last = block.end_lineno or 0
        inside = (body for other, body in self._loops if other is facts)
        if not any(body.lineno <= block.lineno and last <= (body.end_lineno or 0) for body in inside):
            return False
        called = {called_name(one) for one in nodes_of(block) if isinstance(one, ast.Call)} & self._defined.keys()
        nodes = [block, *(one.scope.node for name in sorted(called) for one in self._defined[name])]
        return any(_takes_one(one) for node in nodes for one in nodes_of(node))

    def _comes_to(self, scope: Scope) -> bool:
        around: Scope | None = scope
        while around is not None and around.parent is not None:
            if around.is_function and around.name in self._names:
                return True
            if isinstance(around.node, ast.Lambda) and id(around.node) not in self._before:
                return True
            if around.is_function and around.name in CONSTRUCTORS and around.parent.name in self._words:
                return True
            around = around.parent
        return False

    @cached_property
    def _loops(self) -> Sequence[tuple[PythonFacts, ast.stmt | ast.expr]]:
        seen = [(facts, body) for facts, body in self._bodies if body is not None]
        held = [*while_held(self._files, self._places, self._before)]
        if self._kept or not seen or len(seen) < len(self._bodies):
            return [*self._every_loop(), *held]
        return [*seen, *held]

    def _every_loop(self) -> Iterator[tuple[PythonFacts, ast.stmt | ast.expr]]:
        for facts in self._files:
            for scope in (one for one in facts.scopes.values() if id(one.node) not in self._before):
                for iterable, node, _ in scope.iterations:
                    if isinstance(node, ast.For | ast.AsyncFor) and (self._kept or not _counts(iterable)):
                        yield facts, node
            for test, place in facts.tests:
                if isinstance(test, ast.While) and id(place.scope.node) not in self._before and _takes_next(test):
                    yield facts, test

    @cached_property
    def _names(self) -> Set[str]:
        """The names of all functions that may run then."""
        return {name for name in self._defined if name in self._words or self._runs_unnamed(name)}

    @cached_property
    def _words(self) -> Set[str]:
        """All words of what may run then."""
        words: set[str] = set()
        done: set[str] = set()
        for facts, body in self._loops:
            words |= words_in(facts, body)
        for node in self._lambdas:
            words |= {one.attr if isinstance(one, ast.Attribute) else one.id for one in nodes_of(node) if _is_name(one)}
        waiting = [name for name in self._defined if name in words or self._runs_unnamed(name)]
        while waiting:
            name = waiting.pop()
            if name not in done:
                done.add(name)
                found = {word for one in self._defined[name] for word in words_in(one.facts, one.scope.node)} - words
                words |= found
                waiting.extend(found & self._defined.keys())
        return words

    def _runs_unnamed(self, name: str) -> bool:
        """Return whether a function may run without its name: Python calls it, a library, or who was handed it.

        One that yields goes on where its iterator is asked.
        """
        if any(one.scope.yields or (name == "run" and _is_started(one.scope)) for one in self._defined[name]):
            return True
        return name in _UNNAMED or name.startswith(_HOOKS) or name in self._handed_on

    @cached_property
    def _defined(self) -> dict[str, list[_Defined]]:
        found: dict[str, list[_Defined]] = {}
        for facts in self._files:
            for scope in facts.scopes.values():
                if isinstance(scope.node, FunctionNode):
                    found.setdefault(scope.name, []).append(_Defined(facts, scope))
        return found

    @cached_property
    def _lambdas(self) -> Sequence[ast.Lambda]:
        """All functions without a name but those of workers: whoever has one may call it."""
        scopes = (scope for facts in self._files for scope in facts.scopes.values())
        return [one.node for one in scopes if isinstance(one.node, ast.Lambda) and id(one.node) not in self._before]

    @cached_property
    def _handed_on(self) -> Set[str]:
        """The names of functions that are read somewhere, and not called there, or that a decorator may hand on."""
        names = self._defined.keys()
        found = {name for name, several in self._defined.items() if any(map(self._may_be_registered, several))}
        for facts in self._files:
            read = {name for scope in facts.scopes.values() for name in scope.reads.keys() & names} - found
            for name in read:
                reads = sum(len(scope.reads.get(name, ())) for scope in facts.scopes.values())
                calls = sum(isinstance(site.node.func, ast.Name) for site in facts.calls.get(name, ()))
                if reads > calls:
                    found.add(name)
            for name in (facts.attributes.keys() & names) - found:
                # What a method is called on is kept in the function's place of the call.
                if any(not _is_called(node, around) for node, around in facts.attributes[name]):
                    found.add(name)
        return found

    def _may_be_registered(self, one: _Defined) -> bool:
        """Return whether a decorator may have a function called later on; one with the loop inside runs before."""
        node = one.scope.node
        if not isinstance(node, FunctionNode) or all(map(_only_wraps, node.decorator_list)):
            return False
        return not any(
            one.facts is facts and node.lineno <= body.lineno <= (node.end_lineno or 0)
            for facts, body in self._bodies
            if body is not None
        )


def _holds(function: ast.AST, body: ast.stmt | ast.expr) -> bool:
    return isinstance(function, FunctionNode) and function.lineno <= body.lineno <= (function.end_lineno or 0)


def _is_started(method: Scope) -> bool:
    """Return whether a method is one that the start of a thread runs."""
    owner = method.parent.node if method.parent is not None else None
    return isinstance(owner, ast.ClassDef) and any((dotted(one) or "").endswith(_RUN_BESIDE) for one in owner.bases)


def _only_wraps(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return (dotted(called) or "").rpartition(".")[2] in _WRAPS


def _is_name(node: ast.AST) -> TypeGuard[ast.Name | ast.Attribute]:
    return isinstance(node, ast.Name | ast.Attribute)


def _takes_next(node: ast.While) -> bool:
    """Return whether each turn of a loop takes one thing more: ``batches.__next__()``."""
    return any(isinstance(one, ast.Call) and called_name(one) in _NEXT for one in nodes_of(node))


def _takes_one(node: ast.AST) -> bool:
    """Return whether an expression takes from what has been made before: not ``next(model.parameters())``."""
    if not (isinstance(node, ast.Call) and called_name(node) in _NEXT):
        return False
    asked = node.func.value if isinstance(node.func, ast.Attribute) else next(iter(node.args), None)
    return isinstance(asked, ast.Name | ast.Attribute | ast.Subscript)


def _is_called(node: ast.Attribute, around: ast.AST) -> bool:
    return isinstance(around, ast.Call) and around.func is node


def _body(place: Iterated) -> ast.stmt | ast.expr | None:
    """Return the loop, or comprehension, that takes batches; None where others take them from there."""
    node = place.node
    if place.frame.scope.yields:
        return None
    if isinstance(node, ast.For | ast.AsyncFor | ast.ListComp | ast.SetComp | ast.DictComp):
        return node
    if place.takes_one:
        loops = [arm.owner for arm in place.frame.place.arms if arm.loop]
        return next((one for one in reversed(loops) if isinstance(one, ast.stmt)), None)
    return None


def _counts(iterable: ast.expr) -> bool:
    return isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range"


def words_in(facts: PythonFacts, node: ast.AST) -> Set[str]:
    """Return the words of the lines that a node stands in."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
    return set(_WORD.findall("\n".join(facts.source.lines[first - 1 : last])))
