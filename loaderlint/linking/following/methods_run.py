"""Which methods run on an object that stays in sight: a function makes it and hands it to nobody but Lightning.

Such an object is a call with a method called on it at once, or a name that stands for nothing but what is read of it.
Of the methods that Python calls by itself only ``__call__`` is known to run where the object is called, and not else.
Whatever else is done with an object, each of its methods may run on it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class, External, Frame, Function, LeftOut, Made, Unseen
from loaderlint.linking.things.made_calls import Caller
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Binding, FunctionNode, PythonFacts, Scope, ScopeNode, dotted, parameters
from loaderlint.readers.python_calls import is_super, without_arguments
from loaderlint.readers.python_scopes import is_main_test
from loaderlint.vocabulary.callables import DATA_MODULES
from loaderlint.vocabulary.hooks import ASKED_FOR_BY_RUNS, CALLED_IN_EVERY_RUN, TRAINERS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Names: TypeAlias = frozenset[str]
_Parents: TypeAlias = Mapping[ast.AST, ast.AST]

_LOOKS = frozenset({"isinstance", "type", "id", "print", "repr", "str", "hash", "callable"})
"""Builtins that call no method of what they are given, but for those that Python names."""
_SEES_NAMES = frozenset({"locals", "globals", "eval", "exec"})
"""Builtins that may reach what a name stands for without its being written."""
_ASKS_BY_NAME = frozenset({"getattr", "setattr", "hasattr", "delattr"})
_CALM_BASES = DATA_MODULES | {
    "builtins.object",
    "abc.ABC",
    "typing.Protocol",
    "torch.utils.data.Dataset",
    "torch.utils.data.dataset.Dataset",
}
"""Classes outside the project none of whose methods calls one that a class below them adds."""
_CALLED = "__call__"
_SET = "="
"""What marks the names of attributes that are set."""
_HELD_AS = "datamodule"
"""The attribute of a trainer, and of a module in older versions of Lightning, that holds the data module."""
_OWNER_STEPS = 120
"""Expressions followed to find out what a method is called on."""
_NAMES_IT = re.compile(rb"\.datamodule\b")
_SETTINGS = frozenset({"hparams", "cfg", "config", "conf", "args", "opt"})
"""What settings go by, which may have an entry of that name."""


class _Runs(Struct, frozen=True):
    """What is read of an object; and, by the attributes that are set on it as soon as it is made, what is by then."""

    methods: _Names
    before: Mapping[str, _Names]


def never_on(evaluator: Evaluator, every: Sequence[Class], method: Scope) -> frozenset[LeftOut]:
    """Return the objects of some classes on which a method of the first of them, the base of all, does not run.

    There are none where no object is left that it may run on. With them come the attributes that an object was given
    another value for before the method may run on it.
    """
    if _runs_unasked(method) or not any(evaluator.callers.sites(one.node.name) for one in every):
        return frozenset()

    def found() -> frozenset[LeftOut]:
        sites = ((kind, facts, one) for kind in every for facts, one in evaluator.callers.sites(kind.node.name))
        seen = (
            _left_out(evaluator, kind, Caller(Frame(facts, one.place), one.node), method) for kind, facts, one in sites
        )
        if not any(seen):
            # Who else makes such objects takes longer to find out.
            return frozenset()
        left_out: set[LeftOut] = set()
        others = False
        for kind in every:
            called = evaluator.callers.making(kind)
            others = others or called.elsewhere or (bool(called.by) and called.for_users)
            for one in called.by:
                left = _left_out(evaluator, kind, one, method) if isinstance(one, Caller) else []
                left_out.update(left)
                others = others or not any(attribute is None for _, _, attribute in left)
        return frozenset(left_out) if others or _is_called_out_of_sight(evaluator, method) else frozenset()

    return evaluator.once(("never on", every[0].node, method.name), frozenset[LeftOut](), found)


def _runs_unasked(method: Scope) -> bool:
    """Return whether Python may run a method where nobody names it and the object is not called."""
    return method.name.startswith("__") and method.name != _CALLED


def _is_called_out_of_sight(evaluator: Evaluator, method: Scope) -> bool:
    """Return whether a method of this name is called on something unseen, which may be an object like the others."""
    for facts, site in evaluator.callers.sites(method.name):
        owner = site.node.func.value if isinstance(site.node.func, ast.Attribute) else None
        if owner is None or is_super(owner):
            continue
        with evaluator.steps(_OWNER_STEPS):
            found = evaluator.evaluate(owner, Frame(facts, site.place))
        if any(isinstance(one.thing, Unseen) for one in found):
            return True
    return False


def _left_out(evaluator: Evaluator, kind: Class, made: Caller, method: Scope) -> list[LeftOut]:
    """Return what the object that a call makes is not where a method runs: that object at all, or with what it got."""
    run = _runs_of(evaluator, kind, made)
    if run is None:
        return []
    if method.name not in run.methods:
        return [(made.call, kind.node, None)]
    return [(made.call, kind.node, name) for name, before in run.before.items() if method.name not in before]


def _runs_of(evaluator: Evaluator, kind: Class, made: Caller) -> _Runs | None:
    """Return what runs on the object that a call makes; None where that may be any method."""

    def found() -> _Runs | None:
        asked = _asked_of(evaluator, kind, made)
        if asked is None:
            return None
        called = (one.thing for one in evaluator.evaluate(made.call.func, made.frame))
        if not any(isinstance(one, Class) and one.node is kind.node for one in called):
            # The call of something that makes the object gives something else, or keeps it.
            return None
        methods = _reached(evaluator, kind, asked.methods)
        if methods is None:
            return None
        before = {
            name: reached
            for name, read in asked.before.items()
            if _is_given_by_constructor(evaluator, kind, name)
            if (reached := _reached(evaluator, kind, read)) is not None
        }
        return _Runs(methods, before)

    return evaluator.once(("runs of", made.call, kind.node), None, found)


def _is_given_by_constructor(evaluator: Evaluator, kind: Class, name: str) -> bool:
    """Return whether an attribute is a plain one that no method of a class gives another value again."""
    for owner in classes.lineage(evaluator, kind):
        if any(isinstance(one.node, FunctionNode) for one in owner.scope.bindings.get(name, ())):
            return False
        others = (one for one in owner.scope.children if one.name != "__init__" and isinstance(one.node, FunctionNode))
        for scope in others:
            own = next(parameters(scope.node), None) if isinstance(scope.node, FunctionNode) else None
            if own is not None and f"{own.arg}.{name}" in scope.bindings:
                return False
    return True


# --- what is read of the object ---


def _asked_of(evaluator: Evaluator, kind: Class, made: Caller) -> _Runs | None:
    """Return what a function that makes an object reads of it, and what a trainer does that it hands it to.

    None where it is handed to others.
    """
    facts, scope = made.frame.facts, made.frame.scope
    parents = _parents(scope.node)
    around = parents.get(made.call)
    stored: dict[str, tuple[int, int]] = {}
    standing: list[ast.expr] = [made.call]
    if isinstance(around, ast.Assign):
        target = around.targets[0]
        if len(around.targets) > 1 or not isinstance(target, ast.Name) or not _stays_inside(made, target.id):
            return None
        standing = [*_named(scope.node, target.id)]
        stored = _stored_at_once(around, target.id, scope.node, parents)
    asked: set[str] = set()
    before: dict[str, frozenset[str]] = dict.fromkeys(stored, frozenset())
    for node in standing:
        names = _asked_there(evaluator, kind, node, Frame(facts, made.frame.place), parents)
        if names is None:
            return None
        asked |= {one for one in names if one not in stored or _start(node) < stored[one]}
        before.update((one, before[one] | names) for one, place in stored.items() if _start(node) < place)
    return _Runs(frozenset(asked), before)


def _stays_inside(made: Caller, name: str) -> bool:
    """Return whether a name is one that only the code of its scope sees."""
    scope = made.frame.scope
    if not _SEES_NAMES.isdisjoint(_names_in(scope.node)):
        return False
    if scope.is_function:
        return name not in scope.outer_names
    arms = made.frame.place.arms
    return not scope.is_class and any(arm.truth and arm.test is not None and is_main_test(arm.test) for arm in arms)


def _stored_at_once(made: ast.Assign, name: str, around: ScopeNode, parents: _Parents) -> dict[str, tuple[int, int]]:
    """Return the attributes that an object is given in the block that makes it, each with where it has it by then.

    Where an exception may be handled, the statements of a block need not all run, nor do those after one that may leave
    a loop around it.
    """
    above: ast.AST = made
    while above is not around:
        above = parents[above]
        if isinstance(above, ast.Try | ast.With | ast.AsyncWith):
            return {}
    block = next((one for _, one in ast.iter_fields(parents[made]) if isinstance(one, list) and made in one), [])
    found: dict[str, tuple[int, int]] = {}
    for one in block[block.index(made) + 1 :] if block else ():
        if any(isinstance(node, ast.Break | ast.Continue) for node in nodes_of(one)):
            break
        match one:
            case ast.Assign([ast.Attribute(ast.Name(owner), attribute)]) if owner == name:
                found.setdefault(attribute, _end(one))
            case ast.Assign([ast.Name(other)]) if other == name:
                break
    return found


def _asked_there(evaluator: Evaluator, kind: Class, node: ast.expr, frame: Frame, parents: _Parents) -> _Names | None:
    """Return what is read of an object where an expression stands for it; None where it is handed on."""
    around = parents.get(node)
    match around:
        case ast.Attribute():
            return frozenset({_read_or_set(around)})
        case ast.Expr():
            return frozenset()
        case ast.Call(func=called) if called is node:
            return frozenset({_CALLED})
        case ast.keyword() | ast.Call():
            call = parents[around] if isinstance(around, ast.keyword) else around
            return _asked_by_call(evaluator, kind, node, call, frame, parents)
    return None


def _asked_by_call(
    evaluator: Evaluator, kind: Class, node: ast.expr, call: ast.AST, frame: Frame, parents: _Parents
) -> _Names | None:
    """Return what a call reads of an object that it is given; None where that may be anything."""
    match call:
        case ast.Call(ast.Name(name)) if name in _LOOKS:
            return frozenset()
        case ast.Call(ast.Name(name), [first, ast.Constant(str(asked)), *_]) if name in _ASKS_BY_NAME:
            return frozenset({asked}) if first is node else None
        case ast.Call(ast.Attribute(trainer, run)) if run in ASKED_FOR_BY_RUNS and _is_data_module(evaluator, kind):
            return _asked_by_trainer(evaluator, trainer, run, call, frame, parents)
    return None


def _is_data_module(evaluator: Evaluator, kind: Class) -> bool:
    lineage = classes.lineage(evaluator, kind)
    return any(name in DATA_MODULES for one in lineage for name in classes.foreign_bases(evaluator, one))


def _asked_by_trainer(
    evaluator: Evaluator, trainer: ast.expr, run: str, call: ast.Call, frame: Frame, parents: _Parents
) -> _Names | None:
    """Return what Lightning's trainer reads of a data module that one of its runs is given.

    It keeps it for the runs that are given none, and any code may read more of what it keeps.
    """
    site = next((one for one in frame.scope.calls if one.node is call), None)
    if site is None:
        return None
    things = [one.thing for one in evaluator.evaluate(trainer, frame.at(site.place))]
    if not things or not all(isinstance(one, Made) and _is_trainer(one.callee) for one in things):
        return None
    read = _read_of_trainers(evaluator)
    runs: Iterable[str] | None = [run]
    if not isinstance(trainer, ast.Call):
        runs = _read_of_name(trainer, frame.scope.node, parents) if isinstance(trainer, ast.Name) else None
    if read is None or runs is None:
        return None
    return CALLED_IN_EVERY_RUN.union(read, *(ASKED_FOR_BY_RUNS.get(one, ()) for one in runs))


def _is_trainer(callee: str) -> bool:
    return callee in TRAINERS or callee.rpartition(".")[0] in TRAINERS


def _read_of_name(name: ast.Name, scope: ScopeNode, parents: _Parents) -> list[str] | None:
    """Return the attributes that are read of a name; None where it stands for more than what is read of it."""
    around = [parents[node] for node in _named(scope, name.id)]
    read = [one.attr for one in around if isinstance(one, ast.Attribute)]
    return read if len(read) == len(around) else None


def _read_of_trainers(evaluator: Evaluator) -> _Names | None:
    """Return what code of the project reads of the data module of a trainer; None where that may be anything."""

    def found() -> _Names | None:
        read: set[str] = set()
        for parents in (_parents(facts.tree) for facts in evaluator.project.python_files_with(_NAMES_IT)):
            for node in (one for one in parents if isinstance(one, ast.Attribute) and _is_held(one)):
                match parents[node]:
                    case ast.Attribute(attr=name):
                        read.add(name)
                    case ast.Compare():
                        continue
                    case ast.Call(ast.Name(name)) if name in _LOOKS:
                        continue
                    case _:
                        return None
        return frozenset(read)

    return evaluator.once(("read of trainers",), None, found)


def _is_held(node: ast.Attribute) -> bool:
    """Return whether an attribute that is read may be the data module that a trainer has."""
    owner = (dotted(node.value) or "").rpartition(".")[2]
    return node.attr == _HELD_AS and isinstance(node.ctx, ast.Load) and owner not in _SETTINGS


# --- what its methods read of it further ---


def _reached(evaluator: Evaluator, kind: Class, asked: _Names) -> _Names | None:
    """Return what is read of an object of a class, by others and by its methods that run then; None for anything."""
    lineage = classes.lineage(evaluator, kind)
    if not all(_is_plain(evaluator, one) for one in lineage):
        return None
    scopes = [(owner, scope) for owner in lineage for scope in owner.scope.children]
    waiting = [*asked, *(scope.name for _, scope in scopes if _runs_unasked(scope))]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if _is_set_on_class(evaluator, lineage, name):
            return None
        for owner in lineage:
            read = _read_by(evaluator, owner, name)
            if read is None:
                return None
            waiting.extend(read)
    return frozenset(found)


def _is_plain(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether all that a class inherits from is known, and nothing makes something else of it."""
    frame = Frame(owner.facts, owner.place)
    bases = [way.thing for base in owner.node.bases for way in evaluator.evaluate(base, frame)]
    known = all(isinstance(one, Class) or (isinstance(one, External) and one.name in _CALM_BASES) for one in bases)
    return known and not owner.node.keywords and _added_by(evaluator, owner.node.decorator_list, frame) is not None


def _is_set_on_class(evaluator: Evaluator, lineage: Sequence[Class], name: str) -> bool:
    """Return whether code outside their bodies may set an attribute of one of some classes."""
    names = {one.node.name for one in lineage}
    every = evaluator.attributes_set.get(name, ())
    return any(one.name.rpartition(".")[0].rpartition(".")[2] in names for _, one in every)


def _read_by(evaluator: Evaluator, owner: Class, name: str) -> Iterable[str] | None:
    """Return what the methods of a name in a class body read of their object; None where that may be anything."""
    read: set[str] = set()
    every = owner.scope.bindings.get(name.removesuffix(_SET), ())
    for one in every if not name.endswith(_SET) else filter(_may_set, every):
        names = _read_by_bound(evaluator, owner, one)
        if names is None:
            return None
        read |= names
    return read


def _may_set(bound: Binding) -> bool:
    """Return whether what a class body binds may run where the attribute of that name is set, as a property does."""
    decorators = bound.node.decorator_list if isinstance(bound.node, FunctionNode) else ()
    return isinstance(bound.value, ast.Call) or any(isinstance(one, ast.Attribute) for one in decorators)


def _read_by_bound(evaluator: Evaluator, owner: Class, bound: Binding) -> _Names | None:
    frame = Frame(owner.facts, bound.place)
    if isinstance(bound.node, FunctionNode):
        added = _added_by(evaluator, bound.node.decorator_list, frame)
        read = _read_of_first(bound.node)
        return None if added is None or read is None else added | read
    if bound.kind == "class" or (isinstance(bound.node, ast.AnnAssign) and bound.value is None):
        return frozenset()
    if bound.value is None or any(isinstance(one.thing, Function) for one in evaluator.evaluate(bound.value, frame)):
        # A function that is an attribute of the class is called with the object, too.
        return None
    return frozenset(node.id for node in nodes_of(bound.value) if isinstance(node, ast.Name))


def _added_by(evaluator: Evaluator, decorators: Iterable[ast.expr], frame: Frame) -> _Names | None:
    """Return what decorators may read of an object: those of the project whatever stands in their files."""
    added: set[str] = set()
    for decorator in decorators:
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "getter", "deleter"):
            continue
        for one in evaluator.evaluate(without_arguments(decorator), frame):
            if isinstance(one.thing, Function):
                if not _ASKS_BY_NAME.isdisjoint(one.thing.facts.calls):
                    return None
                added |= _attributes_in(one.thing.facts)
            elif not isinstance(one.thing, External):
                return None
    return frozenset(added)


@lru_cache(maxsize=64)
def _attributes_in(facts: PythonFacts) -> _Names:
    return frozenset(node.attr for node in nodes_of(facts.tree) if isinstance(node, ast.Attribute))


@lru_cache(maxsize=1 << 12)
def _read_of_first(function: FunctionNode) -> _Names | None:
    """Return what a method reads of its object; None where it hands it on."""
    own = next(parameters(function), None)
    if own is None or not classes.is_receiver(function, own):
        return frozenset()
    parents = _parents(function)
    if not _SEES_NAMES.isdisjoint(_names_in(function)):
        return None
    read = {node.attr for node in parents if isinstance(node, ast.Attribute) and is_super(node.value)}
    for node in _named(function, own.arg):
        match parents[node]:
            case ast.Attribute() as around:
                read.add(_read_or_set(around))
            case ast.Call(ast.Name("super")):
                continue
            case ast.Call(ast.Attribute(attr="__init__"), [first, *_]) if first is node:
                continue
            case ast.Call(ast.Name(name)) if name in _LOOKS:
                continue
            case ast.Call(ast.Name(name), [first, ast.Constant(str(asked)), *_]) if name in _ASKS_BY_NAME:
                read.add(asked)
            case _:
                return None
    return frozenset(read)


# --- where names stand ---


def _read_or_set(attribute: ast.Attribute) -> str:
    """Return the name of an attribute that is read, marked where it is set instead."""
    return attribute.attr if isinstance(attribute.ctx, ast.Load) else attribute.attr + _SET


@lru_cache(maxsize=256)
def _parents(around: ast.AST) -> _Parents:
    """Return what each node inside another one stands in."""
    return {child: node for node in nodes_of(around) for child in ast.iter_child_nodes(node)}


def _named(around: ast.AST, name: str) -> Sequence[ast.Name]:
    """Return where a name is read."""
    return _names_read(around).get(name, ())


@lru_cache(maxsize=1 << 12)
def _names_read(around: ast.AST) -> Mapping[str, list[ast.Name]]:
    """Return where each name is read."""
    found: dict[str, list[ast.Name]] = {}
    for one in nodes_of(around):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            found.setdefault(one.id, []).append(one)
    return found


@lru_cache(maxsize=1 << 12)
def _names_in(around: ast.AST) -> _Names:
    return frozenset(node.id for node in nodes_of(around) if isinstance(node, ast.Name))


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0
