"""What code that runs in workers seeds random numbers with."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following.functions import takes_receiver
from loaderlint.linking.following.running import STEPS, may_run, shortened
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.scopes.in_workers import told_apart
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Function,
    Made,
    Possibilities,
    Possibility,
    Thing,
    Unseen,
)
from loaderlint.linking.workers.draws import Draws
from loaderlint.linking.workers.returned import called
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.model.worker_code import Seed, SeedOrigin
from loaderlint.readers.python import CallSite, FunctionNode, Scope, default_of, dotted, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.seeding import (
    EVERYTHING,
    GENERATORS,
    NUMPY_STATE,
    SEEDER_NAMES,
    SEEDERS,
    SEEDS_EVERYTHING,
    SEEDS_OF_NUMPY,
    SEEDS_OF_TORCH,
    WORKER_INFO,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_GIVE_SAMPLES = ("__getitem__", "__getitems__", "__iter__")
"""Methods of a data set that a worker calls for its samples."""
_DEEPEST = 6
"""Names followed into each other from a seeding call to what it is handed."""


class _Part(Enum):
    """What a part of a seed is; the later decides over the earlier where two come together."""

    FIXED = 1
    WORKER = 2
    STATE = 3
    DRAWN = 4
    OTHER = 5


_ORIGINS = {
    _Part.FIXED: SeedOrigin.FIXED,
    _Part.WORKER: SeedOrigin.WORKER,
    _Part.STATE: SeedOrigin.STATE,
    _Part.DRAWN: SeedOrigin.DRAWN,
}


def seeds(
    evaluator: Evaluator, given: Mapping[str, Given], running: Iterable[Function], draws: Draws
) -> Iterator[Seed]:
    """Yield what random numbers are seeded with as a worker starts, and seeds too big for NumPy wherever they are.

    What a helper is handed to seed with is not followed. Random numbers that no worker draws repeat nothing, and those
    that each sample seeds anew repeat for no seed of the worker's.
    """
    starting: set[int] = set()
    functions = list(running)
    small = any(_seeds_torch(evaluator, site) for function in functions for site in function.scope.calls)
    anew = _seeded_by_samples(evaluator, functions)
    for one in given["worker_init_fn"].possibilities if "worker_init_fn" in given else ():
        for function in called(evaluator, one, ("__call__",)):
            starting.add(id(function.node))
            for seed in _seeds_of(evaluator, function, _free(function, one)):
                joint = together(seed.assumptions, one.assumptions)
                raises = seed.origin is SeedOrigin.DRAWN
                lasts = anew.isdisjoint((seed.library, EVERYTHING))
                matters = not small if raises else lasts and draws.may_draw(seed.library)
                if joint is not None and matters:
                    yield replace(seed, assumptions=joint)
    for function in functions if not small else ():
        if id(function.node) not in starting:
            yield from (one for one in _seeds_of(evaluator, function, ()) if one.origin is SeedOrigin.DRAWN)


def _seeded_by_samples(evaluator: Evaluator, running: Sequence[Function]) -> set[str]:
    """Return the libraries whose random numbers are seeded wherever a data set gives a sample, whatever it asks."""
    names = {called_name(site.node) for function in running for site in function.scope.calls}
    found, seen = set[str](), set[int]()
    waiting = [one for one in running if one.scope.name in _GIVE_SAMPLES] if names & SEEDER_NAMES else []
    while waiting:
        function = waiting.pop()
        if id(function.node) in seen:
            continue
        seen.add(id(function.node))
        for site in function.scope.calls:
            seeder = called_name(site.node) in SEEDER_NAMES
            if site.place.arms or not (seeder or may_run(evaluator, site.node)):
                continue
            with evaluator.steps(STEPS):
                frame = Frame(function.facts, site.place, receiver=function.receiver)
                callees = [one.thing for one in evaluator.evaluate(site.node.func, frame)]
            if len(callees) == 1 and isinstance(callees[0], Function):
                waiting.append(callees[0])
            elif len(callees) == 1 and isinstance(callees[0], External):
                found.add(SEEDERS.get(callees[0].name, ""))
    return found


def seeds_what_is_drawn(starting: Sequence[Function], draws: Draws) -> bool:
    """Return whether a ``worker_init_fn``, of these functions, may seed random numbers that the workers then draw.

    One that was not seen may, and one that makes a generator is taken to make it for the samples.
    """
    names = {called_name(site.node) for function in starting for site in function.scope.calls}
    libraries = {library for name, library in SEEDERS.items() if name.rpartition(".")[2] in names}
    return not starting or not names.isdisjoint(SEEDS_EVERYTHING | GENERATORS) or any(map(draws.may_draw, libraries))


def _seeds_torch(evaluator: Evaluator, site: CallSite) -> bool:
    """Return whether a call may give torch a seed of the program's own, which need not be too big for NumPy.

    A function of the project is followed instead.
    """
    owner, _, name = (dotted(site.node.func) or "").rpartition(".")
    everything = name in SEEDS_EVERYTHING and name not in evaluator.project.definitions
    return everything or (name == "manual_seed" and owner in ("", "torch", "torch.random"))


def _free(function: Function, given: Possibility) -> Sequence[str]:
    """Return the parameters no ``partial`` fills: torch hands the first the worker's number, the others nothing."""
    own = [one.arg for one in parameters(function.node)][1 if takes_receiver(function) else 0 :]
    if isinstance(given.thing, Made):
        filled = given.thing.call.args[1:]
        if any(isinstance(one, ast.Starred) for one in filled):
            return ()
        named = {one.arg for one in given.thing.call.keywords}
        own = [one for one in own[len(filled) :] if one not in named]
    return own


def _seeds_of(evaluator: Evaluator, function: Function, free: Sequence[str]) -> Iterator[Seed]:
    for site in function.scope.calls:
        name = called_name(site.node)
        if name in SEEDER_NAMES and not told_apart(site.place):
            with evaluator.steps(STEPS):
                yield from _seed(evaluator, function, site, free)


def _seed(evaluator: Evaluator, function: Function, site: CallSite, free: Sequence[str]) -> Iterator[Seed]:
    frame = Frame(function.facts, site.place, receiver=function.receiver)
    given = [*site.node.args, *(one.value for one in site.node.keywords if one.arg == "seed")][:1]
    for one in evaluator.evaluate(site.node.func, frame):
        if not given or not isinstance(one.thing, External) or isinstance(given[0], ast.Starred):
            continue
        part = _Argument(evaluator, free).part(given[0], frame, 0)
        name = one.thing.name
        origin = _ORIGINS.get(part)
        takes = SEEDS_OF_NUMPY if origin is SeedOrigin.DRAWN else SEEDERS
        if origin is None or name not in takes:
            continue
        assumptions = _conditions(evaluator, frame)
        if assumptions is None:
            continue
        joint = together(one.assumptions, assumptions)
        if joint is not None:
            facts = function.facts
            text = shortened(facts.text(site.node))
            library, elsewhere = SEEDERS.get(name, ""), _is_called(evaluator, function)
            yield Seed(facts.span(given[0]), text, library, origin, _torch(function), elsewhere, joint)


def _is_called(evaluator: Evaluator, function: Function) -> bool:
    """Return whether code of the project seems to call a function by its name, in any file."""
    if not isinstance(function.node, FunctionNode):
        return False
    name = function.node.name
    calls = re.compile(rf"(?<!def )\b((?:\w+\.)*){re.escape(name)}\s*\(")
    return any(
        not _is_of_library(evaluator, path, text, first)
        for path, text in evaluator.project.python_mentioning(name)
        for first in {one.partition(".")[0] or name for one in calls.findall(text)}
    )


def _is_of_library(evaluator: Evaluator, path: str, text: str, name: str) -> bool:
    """Return whether a file imports a name from a library, as ``np`` of ``np.random.seed(0)``, going by its text."""
    imports = (
        rf"^[ \t]*from[ \t]+(\S+)[ \t]+import\b.*\b{name}\b|"
        rf"^[ \t]*import[ \t]+(?:(\S+)[ \t]+as[ \t]+{name}\b|({name})\b)"
    )
    modules = ["".join(groups) for groups in re.findall(imports, text, re.MULTILINE)]
    return bool(modules) and all(
        not one.startswith(".") and evaluator.project.module(one, path) is None for one in modules
    )


def _conditions(evaluator: Evaluator, frame: Frame) -> Assumptions | None:
    return next(iter(evaluator.conditions(frame.place.arms, frame)), None)


def _torch(function: Function) -> str:
    """Return the name of torch in the file of a function, empty where it has none."""
    module = function.facts.module.bindings
    names = (name for name, bindings in module.items() for one in bindings if one.kind == "import")
    return next((name for name in names if any(one.target == "torch" for one in module[name])), "")


class _Argument:
    """What a seed is made of; ``free`` are the parameters that are handed what a worker hands over, or nothing."""

    def __init__(self, evaluator: Evaluator, free: Sequence[str]) -> None:
        self.evaluator = evaluator
        self.free = free

    def part(self, node: ast.expr, frame: Frame, depth: int) -> _Part:
        if depth > _DEEPEST:
            return _Part.OTHER
        if isinstance(node, ast.Name):
            return self._name(node, frame, depth)
        if isinstance(node, ast.BinOp):
            return self._operation(node, frame, depth)
        if isinstance(node, ast.Call):
            return self._call(node, frame, depth)
        if isinstance(node, ast.Attribute) and node.attr in ("seed", "id"):
            for one in self.evaluator.evaluate(node.value, frame):
                if isinstance(one.thing, Made) and one.thing.callee in WORKER_INFO:
                    return _Part.DRAWN if node.attr == "seed" else _Part.WORKER
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
            # Only the first word: the others come of what torch seeded NumPy with.
            first = [getattr(one.slice, "value", None) for one in (node.value, node)] == [1, 0]
            for one in self.evaluator.evaluate(node.value.value, frame) if first else ():
                if isinstance(one.thing, Made) and one.thing.callee in NUMPY_STATE:
                    return _Part.STATE
            return _Part.OTHER
        if isinstance(node, ast.Attribute):
            part = self._kept_by_constructor(node, frame, depth)
            return part if part is not None else self._attribute(node, frame)
        if isinstance(node, ast.UnaryOp):
            return self.part(node.operand, frame, depth + 1)
        constant = isinstance(node, ast.Constant) and isinstance(node.value, int | str)
        return _Part.FIXED if constant else _Part.OTHER

    def _name(self, node: ast.Name, frame: Frame, depth: int) -> _Part:
        """Return what a name is: one of a loop, of several bindings, or a global that functions set can change."""
        scope: Scope | None = frame.scope
        while scope is not None and (node.id not in scope.bindings or (scope.is_class and scope is not frame.scope)):
            scope = scope.parent
        bindings = scope.bindings[node.id] if scope is not None else []
        if scope is None or len(bindings) != 1 or _is_declared_outer(node.id, frame):
            return _Part.OTHER
        (only,) = bindings
        if only.kind == "parameter" and scope is frame.scope:
            return _Part.WORKER if node.id in self.free[:1] else self._handed(node, frame, depth)
        if only.kind == "parameter":
            # Of the function around: what that was handed when it made this one.
            found = self.evaluator.evaluate(node, frame)
            return _Part.FIXED if len(found) == 1 and _is_fixed(found[0].thing) else self._given(found)
        if any(arm.loop for arm in only.place.arms):
            return _Part.OTHER
        if only.kind == "assign" and only.value is not None:
            return self.part(only.value, frame.at(only.place), depth + 1)
        return self._value(node, frame) if only.kind == "import" else _Part.OTHER

    def _handed(self, node: ast.Name, frame: Frame, depth: int) -> _Part:
        """Return what a parameter is that torch hands nothing over for: its default."""
        scope = frame.scope
        default = None
        if node.id in self.free and isinstance(scope.node, FunctionNode | ast.Lambda):
            default = default_of(scope.node, node.id)
        if default is None or scope.defined is None:
            return self._value(node, frame)
        return self.part(default, Frame(frame.facts, scope.defined), depth + 1)

    def _attribute(self, node: ast.Attribute, frame: Frame) -> _Part:
        """Return what an attribute is: one of a command line, or of a class by its name, stays as it is in a run."""
        name = dotted(node)
        if name is None or any(name in scope.bindings for scope in frame.facts.scopes.values()):
            return _Part.OTHER
        owners = self.evaluator.evaluate(node.value, frame)
        set_later = (self.evaluator.attributes_set, self.evaluator.module_attributes_set)
        if all(isinstance(one.thing, Class) for one in owners) and not any(node.attr in one for one in set_later):
            return self._value(node, frame)
        return self._given(self.evaluator.evaluate(node, frame))

    def _given(self, found: Possibilities) -> _Part:
        """Return what that is which the user of the program gives, or else it has a default."""
        given = any(isinstance(one.thing, Unseen) and one.thing.given for one in found)
        return _Part.FIXED if given and all(_is_fixed(one.thing) for one in found) else _Part.OTHER

    def _kept_by_constructor(self, node: ast.Attribute, frame: Frame, depth: int) -> _Part | None:
        """Return what an object keeps that its constructor sets once, and nobody after that; None for anything else."""
        name, receiver = dotted(node) or "", frame.receiver
        if receiver is None or name != f"self.{node.attr}":
            return None
        bound = [
            (owner, scope, one)
            for owner in classes.lineage(self.evaluator, receiver.of)
            for scope in owner.scope.children
            for one in scope.bindings.get(name, ())
        ]
        set_to = [one.name.rpartition(".")[0] for _, one in self.evaluator.attributes_set.get(node.attr, ())]
        if len(bound) != 1 or any(one != "self" for one in set_to):
            return None
        owner, scope, only = bound[0]
        if scope.name != "__init__" or only.kind != "assign" or only.value is None or only.place.arms:
            return None
        # The constructor's parameters are none that torch fills.
        inside = Frame(owner.facts, only.place, receiver=receiver)
        return _Argument(self.evaluator, ()).part(only.value, inside, depth + 1)

    def _operation(self, node: ast.BinOp, frame: Frame, depth: int) -> _Part:
        left, right = self.part(node.left, frame, depth + 1), self.part(node.right, frame, depth + 1)
        keeps_all_bits = isinstance(node.op, ast.Add | ast.Mult) or (
            isinstance(node.op, ast.Sub) and right is not _Part.DRAWN
        )
        most = max(left, right, key=lambda one: one.value)
        return _Part.OTHER if most is _Part.DRAWN and not keeps_all_bits else most

    def _call(self, node: ast.Call, frame: Frame, depth: int) -> _Part:
        for one in self.evaluator.evaluate(node.func, frame):
            if isinstance(one.thing, External) and one.thing.name in SEEDS_OF_TORCH:
                return _Part.DRAWN
            if isinstance(one.thing, External) and one.thing.name == "builtins.int" and len(node.args) == 1:
                return self.part(node.args[0], frame, depth + 1)
        return _Part.OTHER

    def _value(self, node: ast.expr, frame: Frame) -> _Part:
        """Return what a name is that is handed over or imported: it is fixed where it can be one constant only."""
        found = self.evaluator.evaluate(node, frame)
        return _Part.FIXED if len(found) == 1 and isinstance(found[0].thing, int | str) else _Part.OTHER


def _is_declared_outer(name: str, frame: Frame) -> bool:
    """Return whether a function of the file says that a name it binds is one of outside (``global``)."""
    return any(name in scope.outer_names for scope in frame.facts.scopes.values())


def _is_fixed(thing: Thing) -> bool:
    return isinstance(thing, int | str) or (isinstance(thing, Unseen) and thing.given)
