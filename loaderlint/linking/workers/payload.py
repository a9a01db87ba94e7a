"""What travels into a worker: whether it pickles, and what it does there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.following import constructed, constructor_calls, set_outside
from loaderlint.linking.following.datasets import samples
from loaderlint.linking.following.needs_cuda import has_layers, is_layer
from loaderlint.linking.following.running import cuda_touches, functions_run_by
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.scopes.enclosed import captured, is_in_function
from loaderlint.linking.things import classes
from loaderlint.linking.things.guards import only_under_guard
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    Thing,
)
from loaderlint.linking.things.possibilities import either, under
from loaderlint.linking.things.wrappers import wrapper_of
from loaderlint.linking.workers.attributes_read import attributes_read
from loaderlint.linking.workers.draws import Draws
from loaderlint.linking.workers.filled import filled
from loaderlint.linking.workers.kept import Carried, Keepsakes
from loaderlint.linking.workers.worker_code import worker_code
from loaderlint.linking.workers.worker_uses import RUN_IN_WORKER
from loaderlint.model.assumptions import Assumptions, together
from loaderlint.model.gradually import Gradually
from loaderlint.model.kept import Kept
from loaderlint.model.payload import Handing, Payload, Samples, Touch, Unpicklable
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, FunctionNode, PythonFacts, Scope
from loaderlint.readers.python import parameters as parameters_of
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.kept import PICKLES_ITSELF
from loaderlint.vocabulary.sending import CARRIERS, PARTIAL

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_KEPT_ABOVE = frozenset({"transform", "target_transform", "transforms", "loader", ""})
"""What torchvision's data sets keep of what their constructors get, or get by position
(``torchvision/datasets/vision.py``, ``VisionDataset``; ``folder.py``, ``DatasetFolder``)."""
_VISION = "torchvision.datasets."
_NOT_KEPT = frozenset({"is_valid_file"})
"""What they ask while they are made alone (``torchvision/datasets/folder.py``, ``DatasetFolder.__init__``)."""

_PLAIN = tuple(f"builtins.{name}" for name in ("float", "int", "len", "list", "range", "sorted", "str"))
_PICKLES = (*CARRIERS, "torch.", "numpy.", "pathlib.", *_PLAIN)
"""Libraries whose results pickle, a ``torch.Generator`` aside (it dies while unpickling; WITNESS A)."""

_KEEPS = ("assign", "unpack")
"""Kinds of bindings by which a constructor keeps something as an attribute."""

_OPTIONS = ("dataset", "collate_fn", "worker_init_fn")
"""The arguments of a loader that travel into its workers."""

_DEEPEST_CARRIED = 6
"""Things that a worker is sent inside each other; deeper ones are not looked into."""
_MOST_CARRIED = 400
"""Things that one argument of a loader carries, each under its own assumptions; of more, the rest is not looked at."""
_STEPS = 3000
"""Expressions and states of objects followed to find out what one argument of a loader carries."""


class Role(Struct, frozen=True):
    """The name of the argument or attribute that something is handed to, and how."""

    name: str
    handing: Handing = Handing.GIVEN

    @property
    def inside(self) -> Role:
        """That of what it holds: a list of transforms that is given as ``transform`` holds nothing else."""
        return replace(self, handing=Handing.PART) if self.name in _OPTIONS else self


def payload_of(evaluator: Evaluator, given: Mapping[str, Given], frame: Frame, *, workers: bool) -> Payload:
    """Return what a loader sends to its workers, as far as it was seen; without any that is what it runs itself."""
    unpicklable: dict[Span, Unpicklable] = {}
    in_notebook: dict[Span, Unpicklable] = {}
    seen = True
    datasets: list[Samples] = []
    keepsakes = Keepsakes(evaluator, frame)
    walks: list[tuple[str, Possibility, _Walk]] = []
    sent: list[Thing] = []
    batch_size = _written(given.get("batch_size"), frame)
    for role in _OPTIONS:
        one_given = given.get(role)
        if one_given is None:
            seen = seen and role != "dataset"
            continue
        for one in one_given.possibilities:
            walk = _Walk(evaluator, keepsakes)
            with evaluator.steps(_STEPS):
                walk.visit(one, Role(role), 0)
            _gather(unpicklable, walk.unpicklable)
            _gather(in_notebook, walk.in_notebook)
            walks.append((role, one, walk))
            sent.extend(walk.visited())
            seen = seen and walk.seen
            if role == "dataset":
                datasets.extend(samples(evaluator, one, batch_size, frame.scope))
    ran = cache(lambda: [(role, one, walk, walk.running()) for role, one, walk in walks])

    def running() -> Mapping[str, Sequence[Function]]:
        return {role: [one for each, *_, found in ran() if each == role for one in found] for role in _OPTIONS}

    def cuda() -> Iterator[Touch]:
        touched: dict[Span, Touch] = {}
        for _, one, walk, functions in ran():
            for function in functions:
                _gather(touched, _touched_by(evaluator, function, walk.visited(), one.assumptions))
        yield from touched.values()

    def draws() -> Draws:
        return Draws(evaluator, (one for functions in running().values() for one in functions), sent, seen)

    kinds = {one.iterable for one in datasets} - {None}
    return Payload(
        unpicklable=tuple(unpicklable.values()),
        in_notebook=tuple(in_notebook.values()),
        cuda=Gradually(cuda()),
        kept=Gradually(_kept_by(keepsakes, running, given.get("worker_init_fn"))),
        iterable=any(kinds) if kinds else None,
        datasets=tuple(datasets),
        collate_fn=_function_given(given, "collate_fn"),
        worker_init_fn=_function_given(given, "worker_init_fn"),
        model=any(is_layer(one) for one in sent)
        or any(has_layers(evaluator, one.instance) for one in keepsakes.carried),
        seen=seen,
        code=worker_code(evaluator, given, running, draws, workers=workers),
    )


def _kept_by(
    keepsakes: Keepsakes, running: Callable[[], Mapping[str, Sequence[Function]]], init: Given | None
) -> Iterator[Kept]:
    functions = running()
    yield from keepsakes.found(
        [*functions["dataset"], *functions["collate_fn"]],
        functions["worker_init_fn"],
        starting_seen=init is None or all(isinstance(one.thing, Function | None) for one in init.possibilities),
    )


def _written(given: Given | None, frame: Frame) -> str:
    """Return what the argument of an option is, as somebody wrote it; nothing where there is none in this file."""
    span, source = given.argument if given is not None else None, frame.facts.source
    return source.at(span) if span is not None and span.path == source.path else ""


def carried(
    evaluator: Evaluator, given: Mapping[str, Given], frame: Frame, left: list[Function] | None = None
) -> tuple[list[Carried], list[Function]]:
    """Return the objects that a loader's workers get copies of, and the functions that run on them there.

    Functions among these that were not looked into are ``left``.
    """
    keepsakes = Keepsakes(evaluator, frame)
    running: list[Function] = []
    for role in ("dataset", "collate_fn"):
        for one in given[role].possibilities if role in given else ():
            walk = _Walk(evaluator, keepsakes)
            with evaluator.steps(_STEPS):
                walk.visit(one, Role(role), 0)
            running.extend(walk.running(left))
    return keepsakes.carried, running


def _touched_by(
    evaluator: Evaluator, function: Function, sent: Iterable[Thing], assumptions: Assumptions
) -> list[Touch]:
    """Return where a function that runs in a worker touches CUDA, whoever calls it, on the objects that are sent there.

    What it does only for some of its callers may be what the main process asks of it.
    """
    definition = str(function.facts.span(function.node))
    found: dict[Span, Touch] = {}
    for receiver in _receivers(function, sent):
        for touch in cuda_touches(evaluator, function.facts, function.scope, receiver):
            joint = together(touch.assumptions, assumptions)
            if joint is not None and all(subject != definition for subject, _ in touch.assumptions):
                found[touch.span] = replace(touch, assumptions=joint)
    return list(found.values())


def _receivers(function: Function, sent: Iterable[Thing]) -> Sequence[Instance | None]:
    """Return the objects among those sent that a method runs on; of what is no method of one that is None."""
    kind = function.receiver.of.node if function.receiver is not None else None
    return [one for one in sent if isinstance(one, Instance) and one.of.node is kind] or [function.receiver]


def _gather(known: dict[Span, _Sent], found: Iterable[_Sent]) -> None:
    """Add what was found to what is known, once for each place, under all that brings it there."""
    for one in found:
        before = known.get(one.span)
        assumptions = either(one.assumptions, before.assumptions) if before else one.assumptions
        known[one.span] = replace(one, assumptions=assumptions)


def _function_given(given: Mapping[str, Given], role: str) -> Span | None:
    """Return the argument that hands over a function, None where there is none."""
    one = given.get(role)
    return one.argument if one is not None and any(way.thing is not None for way in one.possibilities) else None


_Sent = TypeVar("_Sent", Touch, Unpicklable)


class _Walk:
    """One walk through everything a worker gets."""

    def __init__(self, evaluator: Evaluator, keepsakes: Keepsakes) -> None:
        self.evaluator = evaluator
        self.keepsakes = keepsakes
        self.unpicklable: list[Unpicklable] = []
        self.in_notebook: list[Unpicklable] = []
        self.seen = True
        self._entries: list[Function] = []
        self._of_attributes: list[tuple[str, Function]] = []
        self._attribute: str | None = None
        self._visited: dict[tuple[int, Assumptions, str | None], Thing] = {}
        """What was visited, by its identity among others: it is unique while the thing is kept."""

    def visited(self) -> list[Thing]:
        """Return the things that travel."""
        return list(self._visited.values())

    def running(self, left: list[Function] | None = None) -> list[Function]:
        """Return the functions that run in a worker; those that were not looked into are ``left``.

        What an attribute keeps runs there only where worker code reads the attribute: the constructor may be all that
        calls it.
        """
        found = {id(one.node): one for one in functions_run_by(self.evaluator, self._entries, left)}
        waiting = self._of_attributes
        while waiting:
            names = attributes_read(self.evaluator, found.values())
            ready = [function for name, function in waiting if name in names]
            waiting = [(name, function) for name, function in waiting if name not in names]
            if not ready:
                break
            for one in functions_run_by(self.evaluator, ready, left):
                found.setdefault(id(one.node), one)
        return list(found.values())

    def _runs(self, function: Function) -> None:
        if self._attribute is None:
            self._entries.append(function)
        else:
            self._of_attributes.append((self._attribute, function))

    def visit(self, one: Possibility, role: Role, depth: int) -> None:
        """Visit one thing that travels, and what it carries, all under the assumptions that brought it here."""
        thing = one.thing
        key = (id(thing), one.assumptions, self._attribute)
        if depth > _DEEPEST_CARRIED or key in self._visited:
            return
        if len(self._visited) == _MOST_CARRIED:
            self.seen = False
            return
        self._visited[key] = thing
        if isinstance(thing, Function):
            self._function(thing, one, role)
        elif isinstance(thing, Instance):
            self._instance(thing, one, role, depth)
        elif isinstance(thing, Made):
            self._made(thing, one, role, depth)
        elif isinstance(thing, Row):
            for item in thing.items:
                self._all(item, one, role.inside, depth)
        elif isinstance(thing, Items):
            for item in thing.entries.values():
                self._all(item, one, role.inside, depth)
        elif isinstance(thing, Class):
            self._local_class(thing, one, role)
        elif not (one.constant or isinstance(thing, External)):
            self.seen = False

    def _all(self, possibilities: Possibilities, carrier: Possibility, role: Role, depth: int) -> None:
        for one in under(possibilities, carrier.assumptions):
            self.visit(one, role, depth + 1)

    def _function(self, function: Function, one: Possibility, role: Role) -> None:
        self._runs(function)
        node, facts = function.node, function.facts
        if isinstance(node, ast.Lambda):
            span, kind, name = facts.span(node), "lambda", ""
        elif function.owner is not None:
            self._local_class(function.owner, one, role)
            # A method is pickled as its object and its name.
            self.seen = self.seen and wrapper_of(self.evaluator, function) is None
            return
        elif is_in_function(function.scope) and any(called_name(one) == "wraps" for one in _called_decorators(node)):
            # It has the name of another function, under which the module may have just this one.
            self.seen = False
            return
        elif is_in_function(function.scope):
            span, kind, name = facts.span(node), "local function", node.name
        else:
            self._defined_outside(function, "function", one, role)
            return
        captures = captured(function.scope)
        self.unpicklable.append(
            Unpicklable(span, kind, role.name, name, captures, one.assumptions, one.trail, handing=role.handing)
        )

    def _local_class(self, owner: Class, one: Possibility, role: Role) -> None:
        if is_in_function(owner.scope):
            span = owner.facts.span(owner.node)
            captures = captured(owner.scope)
            name = owner.node.name
            self.unpicklable.append(
                Unpicklable(
                    span, "local class", role.name, name, captures, one.assumptions, one.trail, handing=role.handing
                )
            )
        else:
            self._defined_outside(owner, "class", one, role)

    def _defined_outside(self, made: Function | Class, kind: str, one: Possibility, role: Role) -> None:
        """Note what is defined outside functions where a worker that imports the file, if it can, does not find it.

        Nor is it found where a decorator puts something in its place.
        """
        in_notebook = made.facts.source.cells is not None
        guarded = not in_notebook and only_under_guard(made.scope)
        span, name = made.facts.span(made.node), made.scope.name
        if in_notebook or guarded:
            found = Unpicklable(span, kind, role.name, name, (), one.assumptions, one.trail, guarded, role.handing)
            (self.in_notebook if in_notebook else self.unpicklable).append(found)
            return
        wrapper = wrapper_of(self.evaluator, made)
        if wrapper is not None and wrapper.local is not None:
            decorator = made.facts.text(wrapper.decorator)
            found = Unpicklable(span, kind, role.name, name, (), one.assumptions, one.trail, False, role.handing)
            self.unpicklable.append(replace(found, decorator=decorator))
        self.seen = self.seen and wrapper is None

    def _instance(self, instance: Instance, one: Possibility, role: Role, depth: int) -> None:
        self._local_class(instance.of, one, role)
        lineage = classes.lineage(self.evaluator, instance.of)
        pickles_itself = any(name in owner.scope.bindings for owner in lineage for name in PICKLES_ITSELF)
        self.seen = self.seen and not pickles_itself
        self.keepsakes.carried.append(Carried(instance, one.assumptions, pickles_itself))
        for owner in lineage:
            for scope in owner.scope.children:
                if isinstance(scope.node, ast.FunctionDef) and scope.name in RUN_IN_WORKER:
                    self._runs(Function(owner.facts, scope.node, scope, instance, owner))
                if scope.name == "__init__" and isinstance(scope.node, FunctionNode) and not pickles_itself:
                    self._attributes(owner, scope, instance, one, depth)
            for name in RUN_IN_WORKER:
                taken = classes.own_method(owner, name) if name in owner.scope.bindings else None
                if taken is not None and taken.name != name and isinstance(taken.node, ast.FunctionDef):
                    self._runs(Function(owner.facts, taken.node, taken, instance, owner))
        above = [name for owner in lineage for name in classes.foreign_bases(self.evaluator, owner)]
        if not pickles_itself and any(name.startswith(_VISION) for name in above[:1]):
            self._given_above(instance, lineage, one, role, depth)

    def _given_above(
        self, instance: Instance, lineage: Sequence[Class], carrier: Possibility, role: Role, depth: int
    ) -> None:
        """Visit what a library's constructor gets that keeps it on the object, such as a ``transform``.

        What the project's own classes set under the same name takes its place, and what is set on the object.
        """
        for name in sorted(instance.changed.keys() & _KEPT_ABOVE):
            self._all(_carrying(instance.changed[name]), carrier, Role(name), depth)
        handed = constructor_calls.library_constructor_call(self.evaluator, instance)
        if handed is None:
            return
        call, frame = handed
        methods = [scope for owner in lineage for scope in owner.scope.children]
        own = {name.rpartition(".")[2] for scope in methods for name in scope.bindings if "." in name}
        ways = self.evaluator.conditions(frame.place.arms, frame)
        for name, possibilities in self._arguments(call, frame, _KEPT_ABOVE - own):
            for conditions in ways:
                kept = under(_carrying(possibilities), conditions)
                self._all(kept, carrier, Role(name) if name else role.inside, depth)

    def _arguments(
        self, call: ast.Call, frame: Frame, wanted: Collection[str] | None = None
    ) -> Iterator[tuple[str, Possibilities]]:
        """Yield what a call hands over under wanted names, or all, each with its name: none by position."""
        for argument in call.args:
            if isinstance(argument, ast.Starred):
                for one in self.evaluator.evaluate(argument.value, frame):
                    yield from (("", item) for item in (one.thing.items if isinstance(one.thing, Row) else ()))
            elif wanted is None or "" in wanted:
                yield "", self.evaluator.evaluate(argument, frame)
        for keyword in call.keywords:
            if keyword.arg is None:
                for one in self.evaluator.evaluate(keyword.value, frame):
                    entries = one.thing.entries if isinstance(one.thing, Items) else {}
                    yield from ((name, entries[name]) for name in entries if _is_kept(name, wanted))
            elif _is_kept(keyword.arg, wanted):
                yield keyword.arg, self.evaluator.evaluate(keyword.value, frame)

    def _attributes(self, owner: Class, scope: Scope, instance: Instance, carrier: Possibility, depth: int) -> None:
        """Visit what the constructor keeps on the object, since the object takes it along."""
        assert isinstance(scope.node, FunctionNode)
        first = next(parameters_of(scope.node), None)
        if first is None:
            return
        left = constructed.left_by_constructor(self.evaluator, instance)
        for name, bindings in scope.bindings.items():
            if not name.startswith(f"{first.arg}.") or not any(one.kind in _KEEPS for one in bindings):
                continue
            attribute = name.rpartition(".")[2]
            kept = self.evaluator.attribute_of(instance, attribute)
            plain = _makes_plain(owner.facts)
            carried = tuple(
                one
                for one in _carrying(kept)
                if not (isinstance(one.thing, Made) and _is_defaultdict(one.thing) and plain)
            )
            before, self._attribute = self._attribute, attribute
            self._all(carried, carrier, _kept(scope, attribute, bindings), depth)
            for added in constructed.put_inside(self.evaluator, left.get(attribute, ())):
                self._all(_carrying(added), carrier, _kept(scope, attribute, bindings).inside, depth)
            self._attribute = before

    def _made(self, made: Made, one: Possibility, role: Role, depth: int) -> None:
        carries = made.callee.startswith(CARRIERS) or made.callee.rpartition(".")[2] in ("Compose", "Lambda")
        carries = carries or (_is_defaultdict(made) and not _makes_plain(made.frame.facts))
        partly = [one.arg for one in made.call.keywords if one.arg is not None and "transform" in one.arg]
        handed = self._arguments(made.call, made.frame, None if carries else partly)
        for place, (name, possibilities) in enumerate(handed):
            is_called = made.callee == PARTIAL and place == 0
            self._all(possibilities, one, Role(name) if name else role if is_called else role.inside, depth)
        for added in filled(self.evaluator, made):
            self._all(_carrying(added), one, role.inside, depth)
        if made.callee.startswith(_VISION):
            self._set_on(made, one, depth)
        if made.callee == "torch.Generator" or not made.callee.startswith(_PICKLES):
            self.seen = False

    def _set_on(self, made: Made, carrier: Possibility, depth: int) -> None:
        """Visit what is set on a library's data set once it was made: whether another thing is there later is open."""
        scope, loader = made.frame.scope, self.keepsakes.loader
        for name in sorted(_KEPT_ABOVE):
            found = set_outside.on_made(self.evaluator, made, name)
            for binding, values in found:
                late = scope is loader.scope and binding.place.order > loader.place.order
                surely = len(found) == 1 and binding.place.scope is scope and not late
                self.seen = self.seen and surely
                for conditions in self.evaluator.conditions(binding.place.arms, made.frame) if surely else ():
                    self._all(under(_carrying(values), conditions), carrier, Role(name), depth)


def _is_kept(name: str, wanted: Collection[str] | None) -> bool:
    return name not in _NOT_KEPT and (wanted is None or name in wanted)


def _carrying(possibilities: Possibilities) -> Possibilities:
    """Return the things that may carry others."""
    return tuple(one for one in possibilities if isinstance(one.thing, Function | Instance | Row | Items | Made))


def _kept(constructor: Scope, attribute: str, bindings: Iterable[Binding]) -> Role:
    """Return what an attribute's values are handed over as: as a parameter, if the constructor keeps just that."""
    names = {one.value.id if isinstance(one.value, ast.Name) else "" for one in bindings if one.kind in _KEEPS}
    of_name = constructor.bindings.get(names.pop(), ()) if len(names) == 1 else ()
    if of_name and all(one.kind == "parameter" for one in of_name):
        return Role(of_name[0].name)
    return Role(attribute, Handing.KEPT)


def _is_defaultdict(made: Made) -> bool:
    return made.callee == "collections.defaultdict"


def _makes_plain(facts: PythonFacts) -> bool:
    """Return whether a file may make a ``defaultdict`` one that pickles: ``dict(counts)``, no ``default_factory``.

    The evaluator takes ``dict(counts)`` for the dictionary itself.
    """
    handed = (one.node.args or one.node.keywords for one in facts.calls.get("dict", ()))
    return any(handed) or ".default_factory" in facts.source.text


def _called_decorators(node: FunctionNode) -> Iterator[ast.Call]:
    yield from (one for one in node.decorator_list if isinstance(one, ast.Call))
