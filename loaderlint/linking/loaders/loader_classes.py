"""Classes of the project that are loaders: which library's, and what their constructors hand on to that one's.

A constructor that hands its keyword arguments on (``super().__init__(*args, **kwargs)``) leaves the options to whoever
calls the class, so each call is a loader of its own. One that names the options it takes is a wrapper like any other
function: its call of the base is where they come together.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.following import functions
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance
from loaderlint.linking.things.made_calls import Caller, in_tests
from loaderlint.readers.python import CallSite
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.callables import LOADER_CALLABLES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_GIVE_ITERATOR = ("__iter__", "_get_iterator")


class BaseCall(Struct, frozen=True, eq=False, dict=True):
    """The call of a library's constructor that one call of a project class comes to, with what that one gives.

    ``through`` are the calls by which the project's constructors hand on what they get. The last is that of the
    library's constructor, where ``skip`` positional arguments come before the loader's own. ``untouched`` says that the
    keyword arguments which no constructor names are handed on as they are. What arrives is followed when it is read.
    """

    follow: Callable[[], Frame]
    through: tuple[ast.Call, ...]
    skip: int
    untouched: bool

    @cached_property
    def frame(self) -> Frame:
        """The frame in which the library's constructor is called."""
        return self.follow()


def library_base(evaluator: Evaluator, owner: Class) -> str | None:
    """Return the library loader that a project class descends from, None when it is no loader."""
    for one in classes.lineage(evaluator, owner):
        for name in classes.foreign_bases(evaluator, one):
            if name in LOADER_CALLABLES:
                return name
    return None


def iterates_itself(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether a project class gives its batches in a way of its own, which may be another without workers.

    That is one that is no library's loader, and a subclass of one that has its own iterator: ``DataLoader.__iter__``
    asks ``_get_iterator`` for it (``torch/utils/data/dataloader.py``, 2.13).
    """
    methods = [scope for one in classes.lineage(evaluator, owner) for scope in one.scope.children]
    own = any(scope.name in _GIVE_ITERATOR for scope in methods)
    asks_above = any(called_name(site.node) in _GIVE_ITERATOR for scope in methods for site in scope.calls)
    return library_base(evaluator, owner) is None or (own and not asks_above)


def starts_workers(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether iterating a project class may come to torch's iterator, which alone starts workers.

    It does not where the class gives its batches by an ``__iter__`` of its own, neither it nor a class above it names
    what makes that iterator, and nobody else is handed the loader, who might ask for one.
    """
    family = classes.lineage(evaluator, owner)
    giving, _ = classes.nearest(family, "__iter__") or (None, None)
    if giving is None or library_base(evaluator, giving) is None:
        return True
    nodes = [node for one in family for node in ast.walk(one.node)]
    return any(map(_reaches_torch, nodes)) or any(map(_hands_itself_on, nodes))


def _hands_itself_on(node: ast.AST) -> bool:
    """Return whether a part of a class hands the object itself to somebody."""
    handed = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []
    given_back = [node.value] if isinstance(node, ast.Return) else []
    return any(isinstance(one, ast.Name) and one.id == "self" for one in (*handed, *given_back))


def _reaches_torch(node: ast.AST) -> bool:
    """Return whether a part of a class names torch's iterators, or what is above the class that gives one."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)):
            return name in _GIVE_ITERATOR or name.endswith("DataLoaderIter")
    return False


def called(evaluator: Evaluator, owner: Class, call: ast.Call, frame: Frame) -> BaseCall | None:
    """Return what a call of a loader class gives the library's constructor.

    None where a constructor of the project does not hand its keyword arguments on.
    """
    return _handed_on(evaluator, _constructors(evaluator, owner), Instance(owner, call, frame), call, frame)


def called_by_heir(evaluator: Evaluator, heir: Class, call: ast.Call, frame: Frame) -> BaseCall | None:
    """Return what the ``super().__init__(...)`` of a loader class gives the library's constructor, or None as above."""
    above = [one for one in _constructors(evaluator, heir) if one.scope is not frame.scope]
    return _handed_on(evaluator, above, evaluator.any_object(heir), call, frame)


def _handed_on(
    evaluator: Evaluator, constructors: Iterable[Function], instance: Instance, call: ast.Call, frame: Frame
) -> BaseCall | None:
    entered: list[tuple[Function, CallSite]] = []
    skip = 0
    untouched = True
    for function in constructors:
        handing = _hands_on(function)
        if handing is None or skip:
            return None
        skip = 0 if classes.is_super_init(handing.node) else 1
        untouched = untouched and _leaves_alone(function)
        entered.append((function, handing))
    through = tuple(handing.node for _, handing in entered)
    return BaseCall(lambda: _inside(evaluator, entered, instance, call, frame), through, skip, untouched)


def _inside(
    evaluator: Evaluator, entered: Iterable[tuple[Function, CallSite]], instance: Instance, call: ast.Call, frame: Frame
) -> Frame:
    """Return the frame of the last of the calls that constructors make of each other's."""
    for function, handing in entered:
        bound = Function(function.facts, function.node, function.scope, instance, function.owner)
        frame = functions.frame_of_call(evaluator, bound, call, frame).at(handing.place)
        call = handing.node
    return frame


def called_where_seen(evaluator: Evaluator, function: Function, base: ast.Call, seen: Sequence[ast.Call]) -> bool:
    """Return whether a constructor makes its call of the base for calls of its class that are seen, and no other known.

    Calls by the constructors of subclasses count where those hand on theirs in turn. What a test does besides, such as
    a call that is meant to fail, does not.
    """
    handing = _hands_on(function)
    if handing is None or handing.node is not base:
        return False
    called = evaluator.callers.of(function).by
    unseen = [one for one in called if not isinstance(one, Caller) or not _is_seen(evaluator, one, seen)]
    return len(unseen) < len(called) and all(in_tests(one.path) for one in unseen)


def _is_seen(evaluator: Evaluator, caller: Caller, seen: Sequence[ast.Call]) -> bool:
    if any(caller.call is one for one in seen):
        return True
    heir = classes.owner_of(caller.frame.facts, caller.frame.scope)
    own = classes.constructor(evaluator, heir) if heir is not None else None
    if own is None or own.scope is not caller.frame.scope:
        return False
    return called_where_seen(evaluator, own, caller.call, seen)


def _constructors(evaluator: Evaluator, owner: Class) -> Iterator[Function]:
    """Yield the constructors of the project that making an object runs, the class's own first."""
    for one in classes.lineage(evaluator, owner):
        own = classes.constructor(evaluator, one)
        if own is not None and own.owner is one:
            yield own


def _hands_on(function: Function) -> CallSite | None:
    """Return the one call of the base's constructor, made in any case, that gets all further keyword arguments."""
    taken = function.node.args.kwarg
    sites = [one for one in function.scope.calls if _calls_constructor(one.node)]
    if taken is None or len(sites) != 1 or sites[0].place.arms:
        return None
    splats = (one.value for one in sites[0].node.keywords if one.arg is None)
    return sites[0] if any(isinstance(one, ast.Name) and one.id == taken.arg for one in splats) else None


def _leaves_alone(function: Function) -> bool:
    """Return whether a constructor never binds or changes the dictionary of its further keyword arguments."""
    taken = function.node.args.kwarg
    return taken is not None and [one.kind for one in function.scope.bindings.get(taken.arg, ())] == ["parameter"]


def _calls_constructor(call: ast.Call) -> bool:
    """Return whether a call is ``super().__init__(...)`` or ``Base.__init__(self, ...)``."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "__init__"
