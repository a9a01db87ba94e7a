"""What samples hang on besides what stays as it is: a loader without workers reads it as it is by then.

Workers have copies of all they are sent, from when they begin, and modules of their own. What samples read of them is
settled where nothing else that may run while the loader is iterated writes anything of that name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, Iterations
from loaderlint.linking.programs.errors_told import errors_told
from loaderlint.linking.programs.layers_held import layers_held
from loaderlint.linking.programs.logs_read import logs_read
from loaderlint.linking.programs.modes import directories_changed, modes_set
from loaderlint.linking.programs.modules_replaced import modules_replaced
from loaderlint.linking.programs.names_written import Written, names_written
from loaderlint.linking.programs.object_names import Name, holder
from loaderlint.linking.programs.open_stores import stores_written
from loaderlint.linking.programs.reaching_samples import SAMPLERS, reaching_samples, watched
from loaderlint.linking.programs.shared_objects import Maker, used_beside
from loaderlint.linking.programs.while_iterated import WhileIterated
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Absent, Class, Frame, Function, Instance, Items, Made, Thing, Unseen
from loaderlint.linking.workers.asks_for_main import own_name_read
from loaderlint.linking.workers.copies import other_copies, other_errors
from loaderlint.linking.workers.names_read import ANY_NAME, CONSTRUCTORS, Read, names_read
from loaderlint.linking.workers.payload import carried
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.linking.workers.worker_uses import place_in
from loaderlint.model.payload import Payload, Touch
from loaderlint.model.uses import Hanging, Unsettled
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, Place, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.sending import KEEP_AS_GIVEN

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator
    from loaderlint.linking.loaders.options import Given
    from loaderlint.linking.loaders.sites import PythonSite

_KEPT_AS: Mapping[str, bool] = {"dataset": False, "datasets": False, "indices": True, "tensors": True}
"""Where they keep data sets, and what they ask in whole (``torch/utils/data/dataset.py``)."""
_OF_DATASETS = ("data", "dataset", "datasets", "_ds", "loader", "_set", "trainset", "testset", "valset")
"""How names end that may stand for a data set, or for a loader that has one."""

_BEFORE_LOOPS = frozenset({"prepare_data", "setup"})
"""Methods that a trainer calls before it asks for loaders (lightning.ai, "LightningDataModule")."""
_PROPERTIES = frozenset({"cached_property", "property"})
"""Decorators of methods that run where an attribute is read."""
_NAMELESS = ("builtins.str", "numpy.", "os.", "pathlib.", "torch.")
"""What makes things whose attributes nobody sets."""


def unsettled(
    evaluator: Evaluator,
    site: PythonSite,
    given: Mapping[str, Given],
    runs: Sequence[Iterations],
    files: Iterable[str],
    payload: Payload,
) -> Iterator[Unsettled]:
    """Yield because of what samples may be others without workers, in a program of these files."""
    sent = _Sent(evaluator, site, given, runs, frozenset(files))
    if sent.is_cut:
        yield from _hanging([touch_at(site.frame.facts, site.call)], Hanging.MANY)
    changes = chain(reaching_samples(evaluator, site, given, runs, payload), sent.changes())
    yield from _hanging(layers_held(evaluator, site, given, payload, sent.running), Hanging.LAYERS)
    yield from _hanging(changes, Hanging.CHANGED)
    written = stores_written(evaluator, sent.instances, sent.running, sent.files, sent.iterated)
    yield from _hanging(written, Hanging.CHANGED)
    yield from _hanging(directories_changed(sent.running, sent.files, sent.iterated), Hanging.CHANGED)
    yield from _hanging(other_copies(evaluator, sent.instances), Hanging.COPIED)
    yield from _hanging(other_errors(evaluator, sent.running, sent.files), Hanging.RAISED)
    yield from _hanging(errors_told(evaluator, sent.files, sent.iterated), Hanging.TOLD)
    yield from _hanging(modes_set(evaluator, sent.running, sent.files), Hanging.MODE)
    inside = {id(one.node) for one in sent.running}
    yield from _hanging(modules_replaced(evaluator, sent.files, inside), Hanging.MODE)
    yield from _hanging(logs_read(evaluator, site, sent.running, runs), Hanging.READ)
    yield from _hanging((touch for one in sent.running for touch in own_name_read(one)), Hanging.NAMED)


def _hanging(found: Iterable[Touch], why: Hanging) -> Iterator[Unsettled]:
    yield from (Unsettled(one.span, one.what, hanging=why) for one in found)


class _Sent:
    """What one loader sends to its workers, and the program that may write what these read of it."""

    def __init__(
        self,
        evaluator: Evaluator,
        site: PythonSite,
        given: Mapping[str, Given],
        runs: Sequence[Iterations],
        paths: Set[str],
    ) -> None:
        self._evaluator = evaluator
        self._given = given
        self._site = site
        self.files = [facts for facts in evaluator.project.all_python() if facts.source.path in paths]
        left: list[Function] = []
        objects, self.running = carried(evaluator, given, site.frame, left)
        self.is_cut = bool(left)
        bound = [one.receiver for one in self.running if one.receiver is not None]
        self.instances = list({id(one): one for one in (*(each.instance for each in objects), *bound)}.values())
        self._read: dict[tuple[int, Function], list[Thing]] = {}
        self._inside = {id(one.node) for one in self.running}
        persistent = given["persistent_workers"].possibilities if "persistent_workers" in given else ()
        kept = any(one.thing for one in persistent)
        self.iterated = WhileIterated(self.files, site.call, runs, self._inside | set(self._making()), kept=kept)

    def _making(self) -> Iterator[int]:
        """Yield what makes what was sent: constructors, what trainers call before, and methods called there on self."""
        owners = [(owner, CONSTRUCTORS) for one in self.instances for owner in classes.lineage(self._evaluator, one.of)]
        around = classes.owner_of(self._site.frame.facts, self._site.frame.scope)
        if around is not None:
            owners.append((around, _BEFORE_LOOPS | {self._site.frame.scope.name}))
        for owner, begun in owners:
            methods = {one.name: one for one in owner.scope.children}
            waiting = [methods[name] for name in begun & methods.keys()]
            for scope in waiting:
                yield id(scope.node)
                called = (methods.get((dotted(site.node.func) or "").removeprefix("self.")) for site in scope.calls)
                waiting.extend(one for one in called if one is not None and one not in waiting)

    def changes(self) -> Iterator[Touch]:
        """Yield what writes attributes and keys that samples read, and what changes what the data sets were made of."""
        read = names_read([*self.running, *self._running_unnamed()])
        for facts in self.files:
            written = names_written(self._evaluator, facts)
            for name in sorted((written.keys() & read.keys()) - {ANY_NAME}):
                for one in written[name]:
                    if self._may_run(one) and any(self._may_be_same(one, reading) for reading in read[name]):
                        yield touch_at(facts, one.node)
            for one in written.get(ANY_NAME, ()):
                if self._may_run(one) and self._is_surely_read(one, read):
                    yield touch_at(facts, one.node)
            for one in (each for several in written.values() for each in several) if self._is_elsewhere else ():
                if _is_part_of_data(one.owner) and self._may_run(one):
                    yield touch_at(facts, one.node)
            for site in facts.calls.get("exec", ()):
                if isinstance(site.node.func, ast.Name) and self.iterated.holds(facts, site.place.scope, site.node):
                    yield touch_at(facts, site.node)
        wholly = {(one.function.node, ast.dump(one.owner)): one for one in read.get(ANY_NAME, ())}
        for reading in wholly.values():
            yield from self._written_of(reading)
        beside = used_beside(
            self._evaluator,
            [*self._made()],
            [*self._closed_over(), *self._carrying()],
            None if self._is_unseen else frozenset(read),
            self.iterated,
            self.files,
        )
        yield from beside

    @property
    def _is_unseen(self) -> bool:
        """Whether nobody knows what a data set is that the loader is handed, and so what samples read of it."""
        given = self._given["dataset"].possibilities if "dataset" in self._given else ()
        return any(isinstance(one.thing, Unseen) for one in given)

    @property
    def _is_elsewhere(self) -> bool:
        """Whether the data set is handed to something else than what has the loader's options, or was made unseen."""
        return "dataset" not in self._given or self._is_unseen

    def _written_of(self, reading: Read) -> Iterator[Touch]:
        """Yield what writes anything with a name on what samples may read any attribute of."""
        read_of = self._things_read(reading)
        is_known = any(map(_may_have_names, read_of))
        if not is_known and (read_of or self._is_receiver(reading)):
            return
        for facts in self.files:
            for one in (one for several in names_written(self._evaluator, facts).values() for one in several):
                last = last_name(one.owner)
                if (
                    (last and (is_known or last == last_name(reading.owner)))
                    and self._may_run(one)
                    and self._may_be_same(one, reading)
                ):
                    yield touch_at(facts, one.node)

    def _made(self) -> Iterator[Maker]:
        """Yield the calls that made what was sent, of the project's own and of what libraries have."""
        sent = [*self.instances, *watched(self._evaluator, self._given)]
        yield from (Maker(one.call, one.frame, own=True) for one in sent if one.call and one.frame)
        if self._is_unseen:
            named = [one.value for one in self._site.call.keywords if one.arg == "dataset"]
            handed = [*named, *self._site.call.args[self._site.skip : self._site.skip + 1]]
            yield Maker(ast.Call(ast.Name("list", ast.Load()), handed, []), self._site.frame, own=False)
        picking = [one.value for one in self._site.call.keywords if one.arg in SAMPLERS]
        yield from (Maker(ast.Call(one, [one], []), self._site.frame, own=False) for one in picking)
        for role in ("dataset", "collate_fn"):
            for one in self._given[role].possibilities if role in self._given else ():
                if isinstance(one.thing, Made) and one.thing.callee.startswith(KEEP_AS_GIVEN):
                    yield Maker(one.thing.call, one.thing.frame, own=False)

    def _running_unnamed(self) -> Iterator[Function]:
        """Yield what runs in workers without a call that says so: properties of what was sent, and its operators."""
        inside = {id(one.node) for one in self.running}
        for instance in self.instances:
            for owner in classes.lineage(self._evaluator, instance.of):
                for scope in owner.scope.children:
                    node = scope.node
                    if id(node) in inside or not isinstance(node, FunctionNode) or scope.name in CONSTRUCTORS:
                        continue
                    if scope.name.startswith("__") or any(map(_gives_an_attribute, node.decorator_list)):
                        inside.add(id(node))
                        yield Function(owner.facts, node, scope, instance, owner)

    def _closed_over(self) -> Iterator[Name]:
        """Yield the names that functions around those of workers keep what these read by."""
        for function in self.running:
            for name in function.scope.reads:
                around = function.scope.parent if name not in function.scope.bindings else None
                while around is not None and around.is_function and name not in around.bindings:
                    around = around.parent
                if around is not None and around.is_function:
                    yield Name(function.facts, around, name, whole=True)

    def _carrying(self) -> Iterator[Name]:
        """Yield the names of what libraries' data sets have that were made of what was sent."""
        for one in self._given["dataset"].possibilities if "dataset" in self._given else ():
            thing = one.thing
            if isinstance(thing, Made) and thing.callee.startswith(KEEP_AS_GIVEN):
                facts, scope = thing.frame.facts, thing.frame.scope
                for name, bindings in scope.bindings.items():
                    if any(each.value is thing.call for each in bindings):
                        inner = holder(scope, name)
                        yield from (Name(facts, inner, name, whole, held=key) for key, whole in _KEPT_AS.items())

    def _may_run(self, one: Written) -> bool:
        """Return whether something is written while the loader is iterated, by other code than that of workers."""
        scope = one.within
        if scope.name in CONSTRUCTORS or id(scope.node) in self._inside:
            return False
        return self.iterated.holds(one.facts, scope, one.node)

    # --- whether both are about the same thing ---

    def _may_be_same(self, one: Written, reading: Read) -> bool:
        """Return whether what is written on may be what samples read of: anything not seen to be something else."""
        receiver = self._receiver(one)
        read_of = self._things_read(reading)
        if receiver is not None:
            if not read_of:
                return self._is_made_as(last_name(reading.owner), receiver)
            return any(isinstance(thing, Instance) and self._is_of(thing, receiver) for thing in read_of)
        written_on = self._things(one.owner, Frame(one.facts, one.place))
        known = [thing for thing in written_on if not isinstance(thing, Unseen | Absent)]
        if known and len(known) == len(written_on) and read_of:
            return any(self._same(thing, other) for thing in known for other in read_of)
        return self._is_called_alike(one.owner, reading)

    def _receiver(self, one: Written) -> Class | None:
        """Return the class of a method that writes on the object it is called on, None for anything else."""
        if not isinstance(one.owner, ast.Name):
            return None
        return classes.class_around(Frame(one.facts, Place(one.within, 0)), one.owner.id)

    def _is_made_as(self, name: str, owner: Class) -> bool:
        """Return whether the program gives an object of a class a name that ends in this one."""
        related = {one.node.name for one in classes.lineage(self._evaluator, owner)}
        return any(
            isinstance(one.value, ast.Call) and called_name(one.value) in related
            for facts in self.files
            for scope in facts.scopes.values()
            for dotted_name, bindings in scope.bindings.items()
            if dotted_name.rpartition(".")[2] == name
            for one in bindings
        )

    def _things_read(self, reading: Read) -> list[Thing]:
        key = (id(reading.owner), reading.function)
        if key not in self._read:
            self._read[key] = self._worked_out(reading)
        return self._read[key]

    def _worked_out(self, reading: Read) -> list[Thing]:
        function = reading.function
        if self._is_receiver(reading):
            return list(self._receivers(function))
        place = place_in(function.scope, reading.owner)
        found = [
            thing
            for receiver in (*self._receivers(function), *([] if function.owner else [None]))
            for thing in self._things(reading.owner, Frame(function.facts, place, receiver=receiver))
        ]
        return [one for one in found if not isinstance(one, Unseen | Absent)]

    def _receivers(self, function: Function) -> Iterator[Instance]:
        """Yield the objects that were sent and that a method may run on."""
        owner = function.owner
        yield from (one for one in self.instances if owner is not None and self._is_of(one, owner))

    @staticmethod
    def _is_receiver(reading: Read) -> bool:
        if not isinstance(reading.owner, ast.Name):
            return False
        frame = Frame(reading.function.facts, Place(reading.function.scope, 0))
        return classes.class_around(frame, reading.owner.id) is not None

    def _things(self, node: ast.expr, frame: Frame) -> list[Thing]:
        with self._evaluator.steps(STEPS):
            return [one.thing for one in self._evaluator.evaluate(node, frame)]

    def _is_of(self, thing: Instance, owner: Class) -> bool:
        return any(one.node is owner.node for one in classes.lineage(self._evaluator, thing.of))

    def _same(self, thing: Thing, other: Thing) -> bool:
        if isinstance(thing, Instance) and isinstance(other, Instance):
            related = self._is_of(thing, other.of) or self._is_of(other, thing.of)
            return related and (thing.call is other.call or thing.call is None or other.call is None)
        if isinstance(thing, Class) and isinstance(other, Instance):
            return self._is_of(other, thing)
        if isinstance(thing, Made) and isinstance(other, Made):
            return thing.call is other.call
        return type(thing) is type(other) and not isinstance(thing, int | float | str | None)

    def _is_called_alike(self, owner: ast.expr, reading: Read) -> bool:
        """Return whether two expressions may stand for the same by the names they end in; what has none may be any."""
        name = last_name(owner) if dotted(owner) else ""
        if not name:
            return True
        if self._is_receiver(reading):
            parts = (dotted(owner) or "").split(".")
            return any(one in self._names_given or f"_{one.lower()}".endswith(_OF_DATASETS) for one in parts)
        return name == last_name(reading.owner) or name in self._handed

    @cached_property
    def _names_given(self) -> Set[str]:
        """The names of what was sent where it was made."""
        return {
            name.rpartition(".")[2]
            for one in self.instances
            if one.call is not None and one.frame is not None
            for name, bindings in one.frame.scope.bindings.items()
            if any(each.value is one.call for each in bindings)
        }

    @cached_property
    def _handed(self) -> Set[str]:
        """The names of what was sent has been made of."""
        return {
            last_name(argument)
            for one in self.instances
            if one.call is not None
            for argument in (*one.call.args, *(keyword.value for keyword in one.call.keywords))
        }

    def _is_surely_read(self, one: Written, read: Mapping[str, Sequence[Read]]) -> bool:
        """Return whether something whose names are worked out is written on what samples read of."""
        readings = {id(reading.owner): reading for several in read.values() for reading in several}
        return any(self._may_be_same(one, reading) for reading in readings.values())


def _gives_an_attribute(decorator: ast.expr) -> bool:
    return (dotted(decorator) or "").rpartition(".")[2] in _PROPERTIES


def _is_part_of_data(node: ast.expr) -> bool:
    """Return whether an expression ends in a name that a data set may have; ``data`` may be a batch."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return f"_{name.lower()}".endswith(_OF_DATASETS) and name != "data"


def _may_have_names(thing: Thing) -> bool:
    """Return whether a thing may get attributes or keys that a text of it shows: options, and no path or number."""
    if isinstance(thing, Made):
        return not thing.callee.startswith(_NAMELESS)
    return isinstance(thing, Instance | Class | Items)
