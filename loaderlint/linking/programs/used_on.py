"""On which platforms a run comes from the call that makes a loader to something that may iterate it.

Workers start in ``DataLoader.__iter__`` (``torch/utils/data/dataloader.py``, 2.13). What a run does between the call
and there may need what only some platforms have: a model is moved to CUDA, a group of processes is made by NCCL.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following import functions, stops
from loaderlint.linking.following.looks import looks_in, names_read
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.programs.object_names import innermost
from loaderlint.linking.programs.object_uses import parents_in
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, Frame, Function, Instance
from loaderlint.linking.things.made_calls import Caller, is_plain
from loaderlint.linking.things.possibilities import platforms_of
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Touch
from loaderlint.model.target import Platform
from loaderlint.model.uses import IteratedOn
from loaderlint.readers.python import Place, PythonFacts, Scope
from loaderlint.vocabulary.uses import ITERATE_NOTHING

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.sites import PythonSite

_MOST = 60
"""Names, attributes and calls that one loader is followed to; one that goes further may be iterated anywhere."""
_TAKE_ALL_NAMES = frozenset({"eval", "exec", "globals", "locals"})
"""Functions of Python by which code gets at what no name in it stands for, as by ``vars()``."""
_TAKE_ANY_ATTRIBUTE = frozenset({"attrgetter", "getattr", "vars"})
"""Functions by which code gets at attributes that it does not name."""


class _Held(Struct, frozen=True, eq=False):
    """An expression that stands for a loader, in a frame, or for what holds it under a ``key``.

    ``platforms`` are those on which a run has come this far with it.
    """

    node: ast.expr
    frame: Frame
    platforms: frozenset[str]
    key: int | str | None = None


def used_on(evaluator: Evaluator, site: PythonSite, platforms: frozenset[Platform]) -> Callable[[], IteratedOn]:
    """Return what gives those of some platforms on which a run may iterate what a call makes, looked for once.

    They are all of them where nothing was seen to use it: whoever does may be somebody else.
    """

    def found() -> IteratedOn:
        every = frozenset(one.value for one in platforms)
        if site.partial or site.before or site.bundle is not None or site.base is not None or site.parsed is not None:
            return IteratedOn(platforms)
        search = _Search(evaluator, every)
        used = frozenset(map(Platform, search.platforms(_Held(site.call, site.frame, every)))) or platforms
        ends = {one: search.ended(one) for one in platforms - used}
        return IteratedOn(used, {platform: end for platform, end in ends.items() if end is not None})

    return cache(found)


class _Search:
    """A search for all that may be done with one loader, which ends where nothing more is to be found out."""

    def __init__(self, evaluator: Evaluator, wanted: frozenset[str]) -> None:
        self._evaluator = evaluator
        self._wanted = wanted
        self._found: frozenset[str] = frozenset()
        self._waiting: list[_Held] = []
        self._met: dict[object, frozenset[str]] = {}
        self._uses: list[Frame] = []

    def platforms(self, first: _Held) -> frozenset[str]:
        """Return the platforms on which a run may iterate it."""
        self._waiting.append(first)
        seen = 0
        while self._waiting and not self._found >= self._wanted:
            seen += 1
            if seen > _MOST:
                return self._wanted
            self._follow(self._waiting.pop())
        return self._found & self._wanted

    def ended(self, platform: Platform) -> Touch | None:
        """Return what ends the runs of a platform before they come to a use of it; None where no one thing was seen."""
        with self._evaluator.steps(STEPS):
            ends = (stops.ended_on(self._evaluator, one, platform.value) for one in self._uses)
            return next(filter(None, ends), None)

    def _follow(self, one: _Held) -> None:
        """Look at what is done with a loader where an expression stands for it."""
        facts, scope = one.frame.facts, one.frame.scope
        looks = looks_in(self._evaluator, facts)
        parents = parents_in(scope.node)
        while id(one.node) not in looks:
            around = parents.get(id(one.node))
            match around:
                case ast.Expr() | ast.Subscript(ctx=ast.Store() | ast.Del()):
                    return
                case ast.IfExp() | ast.BoolOp() | ast.Starred():
                    one = replace(one, node=around)
                case ast.NamedExpr(ast.Name(name)):
                    self._named(one, name)
                    one = replace(one, node=around)
                case ast.Tuple(elements, ast.Load()) | ast.List(elements, ast.Load()):
                    one = replace(one, node=around, key=elements.index(one.node) if one.key is None else None)
                case ast.Dict(keys, values) if one.node in values:
                    key = keys[values.index(one.node)]
                    text = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
                    one = replace(one, node=around, key=text if one.key is None else None)
                case ast.DictComp(value=value) | ast.ListComp(elt=value) if value is one.node:
                    one = replace(one, node=around, key=None)
                case ast.Subscript(value, ast.Constant(other), ast.Load()) if value is one.node:
                    if one.key is not None and type(other) is type(one.key) and other != one.key:
                        return
                    one = replace(one, node=around, key=None)
                case ast.Subscript(value, ctx=ast.Load()) if value is one.node:
                    one = replace(one, node=around, key=None)
                case ast.Assign(targets, value) if value is one.node:
                    for target in targets:
                        self._kept(one, target)
                    return
                case ast.AnnAssign(target, value=value) if value is one.node:
                    self._kept(one, target)
                    return
                case ast.Return():
                    self._returned(one)
                    return
                case ast.Call(args=given) if one.node in given:
                    self._handed(one, around, given.index(one.node))
                    return
                case ast.keyword(arg=str(name)) if isinstance(call := parents.get(id(around)), ast.Call):
                    self._handed(one, call, name)
                    return
                case _:
                    self._used(one)
                    return

    def _at(self, one: _Held) -> frozenset[str]:
        """Return the platforms on which a run comes with a loader to where it stands."""
        frame = one.frame.at(place_in(one.frame.scope, one.node))
        self._uses.append(frame)
        with self._evaluator.steps(STEPS):
            return one.platforms & stops.platforms_at(self._evaluator, frame)

    def _used(self, one: _Held) -> None:
        if not self._found >= one.platforms:
            self._found |= self._at(one)

    def _kept(self, one: _Held, target: ast.expr) -> None:
        """Go on with what an assignment gives a loader to."""
        match target:
            case ast.Name(name):
                self._named(one, name)
            case ast.Attribute(owner, name):
                self._set_on(one, owner, name)
            case ast.Subscript(ast.Name(name), ast.Constant(str(key))) if one.key is None:
                self._named(replace(one, key=key), name)
            case ast.Subscript(ast.Name(name)):
                self._named(replace(one, key=None), name)
            case ast.Subscript(ast.Attribute(owner, name)):
                self._set_on(replace(one, key=None), owner, name)
            case ast.Tuple(several) | ast.List(several):
                plain = not any(isinstance(each, ast.Starred) for each in several)
                if plain and isinstance(one.key, int) and one.key < len(several):
                    several = [several[one.key]]
                for each in several:
                    self._kept(replace(one, key=None), each.value if isinstance(each, ast.Starred) else each)
            case _:
                self._used(one)

    def _named(self, one: _Held, name: str, scope: Scope | None = None) -> None:
        """Go on with what reads a name of a loader, in its scope and in what that defines."""
        facts, scope = one.frame.facts, scope or one.frame.scope
        taken = any(map(self._is_called_by_name(one), _TAKE_ALL_NAMES)) or _takes_own_names(facts)
        hidden = scope.is_class or name in scope.outer_names or taken
        path = facts.source.path
        if hidden or (scope.parent is None and self._evaluator.project.direct_users(path) - {path}):
            self._used(one)
            return
        if self._is_new(one, scope.node, name):
            for node in names_read(self._evaluator, facts, scope).get(name, ()):
                inner = innermost(scope, node)
                frame = one.frame if inner is scope else Frame(facts, Place(inner, 0))
                self._waiting.append(replace(one, node=node, frame=frame))

    def _is_called_by_name(self, one: _Held) -> Callable[[str], bool]:
        calls = one.frame.facts.calls
        return lambda name: any(isinstance(site.node.func, ast.Name) for site in calls.get(name, ()))

    def _is_new(self, one: _Held, owner: ast.AST, name: str) -> bool:
        """Return whether a name was not met yet on some of the platforms, in a call that hands over the same."""
        asked = (id(owner), name, one.key, id(one.frame.arguments))
        known = self._met.get(asked, frozenset())
        self._met[asked] = known | one.platforms
        return not known >= one.platforms

    def _set_on(self, one: _Held, owner: ast.expr, name: str) -> None:
        """Go on with what reads an attribute of this name, in any file that may read that of this object."""
        own = classes.class_around(one.frame, owner.id) if isinstance(owner, ast.Name) else None
        of = own or self._class_of(owner, one.frame)
        if any(map(self._is_called_by_name(one), _TAKE_ANY_ATTRIBUTE)) or "__dict__" in one.frame.facts.attributes:
            self._used(one)
        elif of is None or not self._is_plain(of):
            # What it is, or derives from, may iterate it.
            self._used(one)
        elif self._is_new(one, of.node, name):
            for node, frame in self._attributes(name, of):
                self._waiting.append(replace(one, node=node, frame=frame))

    def _class_of(self, owner: ast.expr, frame: Frame) -> Class | None:
        """Return the class of the project that an expression stands for an object of, None where it is not just one."""
        with self._evaluator.steps(STEPS):
            found = [each.thing for each in self._evaluator.evaluate(owner, frame)]
        return found[0].of if len(found) == 1 and isinstance(found[0], Instance) else None

    def _is_plain(self, of: Class) -> bool:
        every = classes.lineage(self._evaluator, of)
        return all(base in ITERATE_NOTHING for each in every for base in classes.foreign_bases(self._evaluator, each))

    def _attributes(self, name: str, of: Class) -> Iterator[tuple[ast.expr, Frame]]:
        project = self._evaluator.project
        for facts in project.all_python():
            if not project.mentions(facts.source.path, [name]):
                continue
            for node, _ in facts.attributes.get(name, ()):
                if isinstance(node.ctx, ast.Load):
                    frame = Frame(facts, Place(innermost(facts.module, node), 0))
                    if not self._is_another(node.value, frame, of):
                        yield node, frame

    def _is_another(self, node: ast.expr, frame: Frame, of: Class) -> bool:
        """Return whether an expression stands for an object of a class that has nothing to do with another."""
        own = classes.class_around(frame, node.id) if isinstance(node, ast.Name) else None
        if own is None or self._evaluator.callers.has_heirs(of.node.name):
            return False
        both = (classes.lineage(self._evaluator, own), of), (classes.lineage(self._evaluator, of), own)
        return not any(each.node is other.node for line, other in both for each in line)

    def _returned(self, one: _Held) -> None:
        """Go on with what the callers of a function do with what it gives back."""
        scope, node = one.frame.scope, one.frame.scope.node
        if not isinstance(node, ast.FunctionDef) or not is_plain(node) or scope.yields:
            self._used(one)
            return
        function = Function(one.frame.facts, node, scope, owner=classes.owner_of(one.frame.facts, scope))
        called = self._evaluator.callers.of(function)
        calls = [each for each in called.by if isinstance(each, Caller)]
        if called.elsewhere or called.for_users or not calls or len(calls) < len(called.by):
            self._used(one)
        elif self._is_new(one, node, "return"):
            at = self._at(one)
            for each in calls:
                platforms = at & platforms_of(each.assumptions)
                self._waiting.append(_Held(each.call, each.frame, platforms, one.key))

    def _handed(self, one: _Held, call: ast.Call, taken_as: int | str) -> None:
        """Go on with what a function of the project calls a loader that it is handed."""
        if self._found >= one.platforms:
            return
        frame = one.frame.at(place_in(one.frame.scope, call))
        with self._evaluator.steps(STEPS):
            callees = self._evaluator.evaluate(call.func, frame)
        thing = callees[0].thing if len(callees) == 1 else None
        function = classes.constructor(self._evaluator, thing) if isinstance(thing, Class) else thing
        name = _parameter(function, call, taken_as) if isinstance(function, Function) else None
        if not isinstance(function, Function) or name is None:
            self._used(one)
            return
        inside = functions.frame_of_call(self._evaluator, function, call, frame)
        self._named(_Held(one.node, inside, self._at(one), one.key), name, function.scope)


def _takes_own_names(facts: PythonFacts) -> bool:
    """Return whether a file calls ``vars()``: given an object, it gives that object's attributes."""
    return any(not site.node.args for site in facts.calls.get("vars", ()))


def _parameter(function: Function, call: ast.Call, taken_as: int | str) -> str | None:
    """Return what a function that runs at once calls an argument; None where it may take it otherwise."""
    node = function.node
    if not isinstance(node, ast.FunctionDef) or not is_plain(node) or function.scope.yields:
        return None
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    if isinstance(taken_as, str):
        return taken_as if taken_as in (*names, *(each.arg for each in node.args.kwonlyargs)) else None
    if any(isinstance(each, ast.Starred) for each in call.args[: taken_as + 1]):
        return None
    is_method = function.owner is not None and not classes.has_decorator(node, "staticmethod")
    names = names[1:] if is_method else names
    return names[taken_as] if taken_as < len(names) else None
