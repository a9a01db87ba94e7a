"""The names under which the functions and classes of a project take what their calls give."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, product, zip_longest
from typing import NamedTuple

from loaderlint.nodes import last_name, without_types
from loaderlint.readers.python import FunctionNode, Scope, called_by
from loaderlint.readers.python_calls import called_name, without_arguments

_MOST_WAYS = 20
"""Ways to make an object of a class; of one with more, as its bases have the names of many, it is not known which."""
_FILLS = frozenset({"append", "appendleft", "add", "extend", "insert", "put", "put_nowait", "push"})
"""Methods that put a value into a container, whatever functions of the project have their names."""


class _Taken(NamedTuple):
    """What a function takes: by position, and by name alone; ``any_name`` says that it takes whatever it is given."""

    by_position: tuple[str, ...]
    by_name: tuple[str, ...] = ()
    any_name: bool = False

    def without_object(self) -> _Taken:
        """Return what a method takes that is called on its object."""
        return self._replace(by_position=self.by_position[1:])


class _Takes(NamedTuple):
    """What several functions take together: the names at each position, all names, and whether one takes any name."""

    at: tuple[tuple[str, ...], ...] = ()
    named: frozenset[str] = frozenset()
    any_name: bool = False


_NOTHING = _Takes()


class _Defined(NamedTuple):
    """A function: what it takes, and whether it is a method, which calls on an object do not give that."""

    taken: _Taken
    of_object: bool = False
    of_class: bool = False


class Takers:
    """What the functions and classes among some scopes take, by the last names they are called by."""

    def __init__(self, scopes: Iterable[Scope]) -> None:
        self._functions: dict[str, list[_Defined]] = {}
        self._classes: dict[str, list[ast.ClassDef]] = {}
        self._made: dict[ast.ClassDef, list[_Taken]] = {}
        self._stands_for: dict[str, set[str]] = {}
        self._named: dict[tuple[str, bool], _Takes] = {}
        self._of_classes: dict[str, bool] = {}
        for scope in scopes:
            if isinstance(scope.node, FunctionNode | ast.Lambda):
                self._functions.setdefault(called_by(scope) or "", []).append(_defined(scope, scope.node))
            elif isinstance(scope.node, ast.ClassDef):
                self._classes.setdefault(scope.name, []).append(scope.node)
            for name, meant in _other_names(scope):
                self._stands_for.setdefault(name, set()).add(meant)

    def given(self, call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
        """Yield what a call gives by position, with the names by which what it may mean takes that."""
        call = _made_later(call)
        splats = [count for count, one in enumerate(call.args) if isinstance(one, ast.Starred)]
        placed = splats[0] if splats else len(call.args)
        takes = self._taking(call)
        for argument, names in zip(call.args[:placed], takes.at, strict=False):
            yield from ((argument, name) for name in names)
        # How many a splat gives is not known: what it gives, and what comes after it, may be any of the rest.
        yield from product(call.args[placed:], chain.from_iterable(takes.at[placed:]))

    def takes(self, call: ast.Call) -> list[ast.expr]:
        """Return what of a call's arguments some parameter or field is known to take."""
        call = _made_later(call)
        if called_name(call) in _FILLS:
            return []
        takes = self._taking(call)
        by_name = (one.value for one in call.keywords if takes.any_name or one.arg in takes.named)
        return [*(argument for argument, _ in self.given(call)), *by_name]

    def _taking(self, call: ast.Call) -> _Takes:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        # Of which class a method is that is called on the class of an object is not followed.
        if not called_name(call) or (owner is not None and _asks_for_class(owner)):
            return _NOTHING
        # A method called on its class is given the object: ``Base.__init__(self, count)``.
        return self._taken_by(called_name(call), owner is None or self._means_class(last_name(owner)))

    def _means_class(self, name: str) -> bool:
        if name not in self._of_classes:
            self._of_classes[name] = not self._classes.keys().isdisjoint(self._meant_by(name))
        return self._of_classes[name]

    def _taken_by(self, name: str, on_class: bool) -> _Takes:
        """Return what all that a name may mean takes together; some names are those of hundreds of methods."""
        if (name, on_class) not in self._named:
            self._named[name, on_class] = _together(list(dict.fromkeys(self._ways(name, on_class))))
        return self._named[name, on_class]

    def _ways(self, name: str, on_class: bool) -> Iterator[_Taken]:
        for called in self._meant_by(name):
            for taken, of_object, of_class in self._functions.get(called, ()):
                if of_object or of_class:
                    yield taken.without_object()
                if not of_class and (on_class or not of_object):
                    yield taken
            for made in self._classes.get(called, ()):
                yield from self._made_with(made)

    def _meant_by(self, name: str) -> Iterable[str]:
        """Return a name and all that it may stand for: by an import, or since it is bound to that."""
        found = dict.fromkeys([name])
        waiting = [name]
        while waiting:
            new = sorted(self._stands_for.get(waiting.pop(), set()) - found.keys())
            found.update(dict.fromkeys(new))
            waiting += new
        return found

    def _made_with(self, made: ast.ClassDef) -> list[_Taken]:
        """Return the ways a class may be called: with the parameters of its constructor, or else its fields.

        What ``__new__`` takes is not followed.
        """
        if made not in self._made:
            # By its name a class may be a base of its own, which adds nothing.
            self._made[made] = []
            own = {one.name: one for one in made.body if isinstance(one, ast.FunctionDef)}
            if "__init__" in own and "__new__" not in own:
                self._made[made] = [_taken(own["__init__"]).without_object()]
            elif "__new__" not in own:
                self._made[made] = self._with_fields(made)
        return self._made[made]

    def _with_fields(self, made: ast.ClassDef) -> list[_Taken]:
        """Return what a class without a constructor takes: what its bases do, and its fields.

        Which of several classes of one name a base is, the name alone does not say: each is one way.
        """
        ways = [_Taken(())]
        for base in map(without_types, made.bases):
            inherited = [way for above in self._classes.get(last_name(base), ()) for way in self._made_with(above)]
            ways = list(dict.fromkeys(_joined(before, way) for before in ways for way in inherited or [_Taken(())]))
            if len(ways) > _MOST_WAYS:
                return []
        fields = (one.target for one in made.body if isinstance(one, ast.AnnAssign))
        names = tuple(one.id for one in fields if isinstance(one, ast.Name))
        return [_joined(way, _Taken(names)) for way in ways]


def _together(several: Sequence[_Taken]) -> _Takes:
    places = zip_longest(*(one.by_position for one in several))
    return _Takes(
        tuple(tuple(dict.fromkeys(name for name in names if name is not None)) for names in places),
        frozenset(name for one in several for name in (*one.by_position, *one.by_name)),
        any(one.any_name for one in several),
    )


def _made_later(call: ast.Call) -> ast.Call:
    """Return the call that a ``partial`` is made for, any other call itself."""
    while called_name(call) == "partial" and call.args:
        call = ast.Call(call.args[0], call.args[1:], call.keywords)
    return call


def _asks_for_class(owner: ast.expr) -> bool:
    return last_name(owner) == "__class__" or (isinstance(owner, ast.Call) and called_name(owner) == "type")


def _joined(before: _Taken, after: _Taken) -> _Taken:
    return _Taken(
        tuple(dict.fromkeys((*before.by_position, *after.by_position))),
        (*before.by_name, *after.by_name),
        before.any_name or after.any_name,
    )


def _other_names(scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield the last parts of the names that a scope binds to what has another name, with that name."""
    for name, bindings in scope.bindings.items():
        bound = name.rpartition(".")[2]
        for one in bindings:
            value = one.value if one.kind == "assign" else None
            meant = one.target.rpartition(".")[2] if one.kind == "import" else last_name(value) if value else ""
            if meant not in ("", bound):
                yield bound, meant


def _defined(scope: Scope, node: FunctionNode | ast.Lambda) -> _Defined:
    above = [] if isinstance(node, ast.Lambda) else node.decorator_list
    decorators = [last_name(without_arguments(one)) for one in above]
    of_class = "classmethod" in decorators or scope.name in ("__new__", "__init_subclass__", "__class_getitem__")
    in_class = scope.parent is not None and scope.parent.is_class and "staticmethod" not in decorators
    return _Defined(_taken(node), of_object=in_class and not of_class, of_class=in_class and of_class)


def _taken(node: FunctionNode | ast.Lambda) -> _Taken:
    """Return what a function takes under names of its own: what ``*args`` takes has none."""
    positional = (*node.args.posonlyargs, *node.args.args)
    return _Taken(
        tuple(one.arg for one in positional),
        tuple(one.arg for one in node.args.kwonlyargs),
        node.args.kwarg is not None,
    )
