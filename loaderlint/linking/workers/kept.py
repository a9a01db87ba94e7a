"""What travels into workers with state from before they start: what it is, who keeps it, and who uses it there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.linking.following.constructed import Left, left_by_constructor, ways
from loaderlint.linking.following.running import STEPS
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Row,
)
from loaderlint.linking.workers.grown import grown
from loaderlint.linking.workers.let_go import is_let_go, may_pickle_itself
from loaderlint.linking.workers.seeds_spent import asks_for_others
from loaderlint.linking.workers.worker_uses import Use, WorkerUses, reads, touch_in, uses_of
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.kept import Kept, Kind
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, PythonFacts, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_calls import keywords as keywords_of
from loaderlint.vocabulary import kept as vocabulary
from loaderlint.vocabulary.sending import PARTIAL

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_ARCHIVES = ".npz"
"""How the files end that ``numpy.load`` keeps open: it gives an archive, which reads each array when it is asked."""
_DEEPEST = 4
"""Lists, dictionaries and parts that hold a thing inside each other; deeper ones are not looked into."""


class Carried(NamedTuple):
    """An object that travels, the assumptions under which it does, and whether all that it keeps goes with it."""

    instance: Instance
    assumptions: Assumptions
    pickles_itself: bool


class Keepsakes(Struct, eq=False):
    """Finds what is kept by all that one loader sends to its workers."""

    evaluator: Evaluator
    loader: Frame
    carried: list[Carried] = field(default_factory=list)

    def found(self, running: Sequence[Function], starting: Sequence[Function], *, starting_seen: bool) -> list[Kept]:
        """Return what is kept, given the functions that run in a worker and those that run when one starts.

        Where what runs when one starts was not seen, it may give the random generators another state.
        """
        found: list[Kept] = []
        seen: set[tuple[int, int]] = set()
        for one in self.carried:
            key = (id(one.instance.of.node), id(one.instance.call))
            if key not in seen:
                seen.add(key)
                found.extend(self._of_object(one, running, starting, starting_seen))
        found.extend(self._of_modules(running, starting, starting_seen))
        return found

    def _of_object(
        self, carried: Carried, running: Sequence[Function], starting: Sequence[Function], starting_seen: bool
    ) -> Iterator[Kept]:
        evaluator, instance = self.evaluator, carried.instance
        lineage = classes.lineage(evaluator, instance.of)
        uses = uses_of(evaluator, instance, running)
        asked = {called_name(site.node) for one in running for site in one.scope.calls}
        uses.calls.update(asked & vocabulary.WORKER_QUESTIONS - {"getpid"})
        holder = instance.of.node.name
        left_there = left_by_constructor(evaluator, instance)
        pickles_itself = carried.pickles_itself or (bool(left_there) and may_pickle_itself(evaluator, instance))
        for name, values in left_there.items():
            for left in values:
                for made in [*self._made(left)] or self._grown(left):
                    if made.kind.pickling and is_let_go(evaluator, instance, name, self.loader):
                        continue
                    for way in _met(ways(evaluator, left.circumstances), made.assumptions, carried.assumptions):
                        renewed = self._is_renewed(name, made.kind, instance, uses, starting, starting_seen)
                        used = () if renewed else self._used(name, made.kind, uses)
                        travels = not pickles_itself
                        yield Kept(made.span, made.kind, holder, f"self.{name}", travels, used, way)
                        break
        for owner in lineage:
            for name, bindings in owner.scope.bindings.items():
                for made in self._declared(bindings, owner.facts):
                    if not self._is_renewed(name, made.kind, instance, uses, starting, starting_seen):
                        used = self._used(name, made.kind, uses)
                        yield Kept(made.span, made.kind, holder, f"self.{name}", False, used, carried.assumptions)

    def _declared(self, bindings: Sequence[Binding], facts: PythonFacts) -> Iterator[_Made]:
        """Yield what a class body or a module makes once, where it is imported."""
        value = bindings[-1].value
        if bindings[-1].kind != "assign":
            return
        if isinstance(value, ast.Call) and called_name(value) in vocabulary.MADE_BY_NAME:
            yield from self._made(Left(value, Frame(facts, bindings[-1].place), ()))

    def _grown(self, left: Left) -> Iterator[_Made]:
        with self.evaluator.steps(STEPS):
            found = grown(self.evaluator, left)
        if found is not None:
            yield _Made(left.frame.facts.span(found[0]), found[1], NO_ASSUMPTIONS)

    def _is_renewed(
        self,
        name: str,
        kind: Kind,
        instance: Instance,
        uses: WorkerUses,
        starting: Sequence[Function],
        starting_seen: bool,
    ) -> bool:
        """Return whether worker code may use another thing, or another state of it, than what was kept."""
        members = {one.member for one in uses.uses if one.name == name}
        if uses.renews(name) or (kind.draws and (members & vocabulary.RESEEDING or f"{name}.state" in uses.sets)):
            return True
        if not kind.draws and not kind.sharing:
            return False
        lineage = classes.lineage(self.evaluator, instance.of)
        setting = {
            scope.name
            for owner in lineage
            for scope in owner.scope.children
            if scope.name != "__init__"
            if any(one.split(".")[1:2] == [name] for one in scope.bindings)
            or any(f".{name}." in f"{dotted(site.node.func)}." for site in scope.calls)
        }
        for function in starting:
            if name in _set_on_what_is_worked_out(function):
                return True
            bound = (one for one in function.scope.bindings if "." in one)
            called = [dotted(site.node.func) or called_name(site.node) for site in function.scope.calls]
            if any(name in one.split(".")[1:] for one in (*bound, *called)):
                return True
            if any(one.rpartition(".")[2] in setting for one in called):
                return True
        if not kind.draws:
            return not starting_seen or bool(uses.calls & vocabulary.WORKER_QUESTIONS)
        hooks = {scope.name for owner in lineage for scope in owner.scope.children}
        asks = bool(uses.calls & vocabulary.WORKER_QUESTIONS) and not asks_for_others(name, uses.running, lineage)
        return not starting_seen or asks or bool(hooks & vocabulary.RESEEDED_BY_LIBRARIES)

    def _used(self, name: str, kind: Kind, uses: WorkerUses) -> tuple[Touch, ...]:
        found: dict[Span, Touch] = {}
        for use in uses.uses:
            if (kind.sharing and _is_locked(use)) or (kind.draws and _is_copied(use)):
                continue
            if use.name == name and (use.indexes_by_parameter if kind.grows else _counts(use.member)):
                touch = use.touch(self.evaluator)
                if touch is not None:
                    found.setdefault(touch.span, touch)
        return tuple(found.values())

    # --- names of modules ---

    def _of_modules(
        self, running: Sequence[Function], starting: Sequence[Function], starting_seen: bool
    ) -> Iterator[Kept]:
        """Yield what modules make when they are imported and worker code reads by name."""
        both = (*running, *starting)
        asks = any(called_name(site.node) in vocabulary.WORKER_QUESTIONS for one in both for site in one.scope.calls)
        asks_there = any(
            called_name(site.node) in vocabulary.WORKER_QUESTIONS for one in running for site in one.scope.calls
        )
        found: dict[Span, tuple[_Made, str, dict[Span, Touch]]] = {}
        for function in running:
            for read, member, whole in reads(function.node):
                if not isinstance(read, ast.Name) or _is_local(function, read.id):
                    continue
                for made in self._of_module(read.id, function):
                    if not starting_seen and (made.kind.draws or made.kind.sharing):
                        continue
                    if (made.kind.draws and asks) or (made.kind.sharing and asks_there):
                        continue
                    entry = found.setdefault(made.span, (made, read.id, {}))
                    touch = touch_in(self.evaluator, function, whole) if _counts(member) else None
                    if touch is not None:
                        entry[2].setdefault(touch.span, touch)
        for made, name, touches in found.values():
            if not any(_sets_global(one, name) for one in both):
                yield Kept(made.span, made.kind, "the module", name, False, tuple(touches.values()), made.assumptions)

    def _of_module(self, name: str, function: Function) -> Iterator[_Made]:
        """Yield what a name of a function's module stands for, made there or imported from another."""
        bindings = function.facts.module.bindings.get(name, ())
        if len(bindings) != 1:
            return
        if bindings[0].kind == "import":
            frame = Frame(function.facts, bindings[0].place)
            with self.evaluator.steps(STEPS):
                yield from self._of_things(self.evaluator.binding(bindings[0], frame), 1)
        else:
            yield from self._declared(bindings, function.facts)

    # --- what an expression makes ---

    def _made(self, left: Left) -> Iterator[_Made]:
        with self.evaluator.steps(STEPS):
            seen: set[Span] = set()
            for one in self._in(left.value, left.frame, _DEEPEST):
                if one.span not in seen:
                    seen.add(one.span)
                    yield one

    def _in(self, node: ast.expr, frame: Frame, deep: int) -> Iterator[_Made]:
        """Yield what an expression makes, or holds, that has state of its own."""
        span = frame.facts.span(node)
        if deep == 0 or _is_closed(node, frame):
            return
        inside = _elements(node)
        if inside is not None:
            where = frame.at(frame.scope.inside.get(id(_comprehension(node)), frame.place))
            for element in inside:
                yield from self._in(element, where, deep - 1)
            return
        if isinstance(node, ast.GeneratorExp):
            yield _Made(span, vocabulary.GENERATOR, NO_ASSUMPTIONS)
            return
        if isinstance(node, ast.Subscript):
            for one in self._in(node.value, frame, deep - 1):
                part = vocabulary.PARTS.get(one.kind)
                if part is not None and _names_part(node.slice, surely=one.kind is part):
                    yield one._replace(kind=part)
            return
        if isinstance(node, ast.Name):
            for binding in frame.scope.bindings.get(node.id, ()):
                if binding.kind == "list" and isinstance(binding.node, ast.Call):
                    for argument in binding.node.args:
                        yield from self._in(argument, frame.at(binding.place), deep - 1)
                elif binding.kind == "assign" and isinstance(binding.value, ast.Subscript):
                    yield from self._in(binding.value, frame.at(binding.place), deep - 1)
        if isinstance(node, ast.Call):
            defined = called_name(node) in self.evaluator.project.definitions
            if defined and self._makes_a_generator(node, frame):
                yield _Made(span, vocabulary.GENERATOR, NO_ASSUMPTIONS)
                return
            if not defined and called_name(node) not in (*vocabulary.MADE_BY_NAME, "partial"):
                return
        if isinstance(node, ast.Attribute) and node.attr in vocabulary.METHODS:
            # A method that is kept holds its object, and is pickled with it.
            held = self._in(node.value, frame, deep - 1)
            yield from (one for one in held if one.kind.pickling or one.kind.sharing)
        if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.IfExp | ast.BoolOp | ast.NamedExpr):
            yield from self._of_things(self.evaluator.evaluate(node, frame), deep - 1)

    def _makes_a_generator(self, node: ast.Call, frame: Frame) -> bool:
        callees = self.evaluator.evaluate(node.func, frame)
        return bool(callees) and all(
            isinstance(one.thing, Function) and one.thing.scope.yields and not _is_decorated(one.thing)
            for one in callees
        )

    def _of_things(self, possibilities: Possibilities, deep: int) -> Iterator[_Made]:
        for one in possibilities:
            thing = one.thing
            if isinstance(thing, Made):
                kind = self._kind(thing)
                if kind is not None:
                    yield _Made(thing.frame.facts.span(thing.call), kind, one.assumptions)
                for argument in _bound(thing) if deep > 0 else ():
                    for made in self._in(argument, thing.frame, deep):
                        if made.kind.pickling or made.kind.sharing:
                            yield from _under(made, one.assumptions)
            elif isinstance(thing, Row | Items) and deep > 0:
                held = thing.items if isinstance(thing, Row) else thing.entries.values()
                for item in held:
                    for made in self._of_things(item, deep - 1):
                        yield from _under(made, one.assumptions)

    def _kind(self, made: Made) -> Kind | None:
        callee, call = made.callee, made.call
        if callee in vocabulary.KINDS:
            return vocabulary.KINDS[callee]
        if callee in vocabulary.OPENERS:
            return self._file(made)
        if callee in vocabulary.LMDB_OPENERS:
            lock = keywords_of(call).get("lock")
            if lock is None or "max_readers" in keywords_of(call):
                # The slots for readers may then be enough.
                splat = any(one.arg in (None, "max_readers") for one in call.keywords)
                return vocabulary.LMDB_WITHOUT_LOCK if splat else vocabulary.LMDB
            known = [one.thing for one in self.evaluator.evaluate(lock, made.frame)]
            return vocabulary.LMDB if known == [True] else vocabulary.LMDB_WITHOUT_LOCK
        if callee == "numpy.load" and call.args:
            mode = keywords_of(call).get("mmap_mode", call.args[1] if len(call.args) > 1 else None)
            mapped = mode is not None and not (isinstance(mode, ast.Constant) and mode.value is None)
            if self._is_archive(call.args[0], made.frame):
                # NumPy passes over ``mmap_mode`` where the file is an archive (2.4).
                return vocabulary.NPZ
            return vocabulary.MEMORY_MAP if mapped else None
        return None

    def _is_archive(self, named: ast.expr, frame: Frame) -> bool:
        """Return whether a file has the name of an archive of arrays, here or wherever the name comes from."""
        if _names_archive(named):
            return True
        named_there = self.evaluator.evaluate(named, frame)
        return bool(named_there) and all(
            _names_archive(one.thing.call)
            if isinstance(one.thing, Made)
            else isinstance(one.thing, str) and one.thing.endswith(_ARCHIVES)
            for one in named_there
        )

    def _file(self, made: Made) -> Kind:
        """Return the kind of an opened file: what pickling and sharing it do depends on its mode."""
        position = 0 if made.callee.startswith("pathlib") else 1
        call = made.call
        given = keywords_of(call).get("mode", call.args[position] if len(call.args) > position else None)
        modes = {one.thing for one in self.evaluator.evaluate(given, made.frame)} if given is not None else {"r"}
        mode = next(iter(modes)) if len(modes) == 1 else None
        if not isinstance(mode, str):
            return replace(vocabulary.TEXT_FILE, pickling="TypeError: cannot pickle", sharing="")
        kind = "TextIOWrapper"
        if "b" in mode:
            kind = "BufferedRandom" if "+" in mode else ("BufferedReader" if "r" in mode else "BufferedWriter")
        sharing = vocabulary.TEXT_FILE.sharing if "r" in mode else ""
        return replace(vocabulary.TEXT_FILE, pickling=vocabulary.cannot_pickle(f"_io.{kind}"), sharing=sharing)


class _Made(NamedTuple):
    """Where something with state was made, what kind of thing it is, and what that assumes."""

    span: Span
    kind: Kind
    assumptions: Assumptions


def _names_archive(node: ast.expr) -> bool:
    """Return whether the name of an archive of arrays is written in an expression."""
    texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return any(isinstance(one, str) and one.endswith(_ARCHIVES) for one in texts)


def _bound(made: Made) -> list[ast.expr]:
    """Return what a ``functools.partial`` holds, and is pickled with: its function, and the arguments it keeps."""
    if made.callee != PARTIAL:
        return []
    return [*made.call.args, *(one.value for one in made.call.keywords)]


def _under(made: _Made, assumptions: Assumptions) -> Iterator[_Made]:
    joint = together(made.assumptions, assumptions)
    if joint is not None:
        yield made._replace(assumptions=joint)


def _met(alternatives: Iterable[Assumptions], *others: Assumptions) -> Iterator[Assumptions]:
    for one in alternatives:
        joint = together(one, *others)
        if joint is not None:
            yield joint


def _counts(member: str) -> bool:
    """Return whether reading this of a thing uses its state."""
    return member not in vocabulary.LOOKED_AT


def _is_locked(use: Use) -> bool:
    """Return whether a place only runs while a lock is held: ``with self.lock: ...``."""
    return any(
        isinstance(block, ast.With)
        and any("lock" in (dotted(item.context_expr) or "").rpartition(".")[2].lower() for item in block.items)
        and any(node is use.node for node in ast.walk(block))
        for block in ast.walk(use.circumstances[-1][1].scope.node)
    )


def _is_copied(use: Use) -> bool:
    """Return whether a place only copies what it reads: ``copy.deepcopy(self.rng)`` draws nothing from it."""
    calls = (site.node for site in use.circumstances[-1][1].scope.calls)
    return any(called_name(one) in ("copy", "deepcopy") and use.node in one.args for one in calls)


def _set_on_what_is_worked_out(function: Function) -> Iterator[str]:
    """Yield the attributes that a function sets on what no name stands for: ``get_worker_info().dataset.rng = …``."""
    for change in function.facts.attribute_changes:
        if change.place.scope is function.scope and isinstance(change.name, ast.Constant):
            yield str(change.name.value)


def _is_local(function: Function, name: str) -> bool:
    return name in function.scope.bindings and name not in function.scope.outer_names


def _sets_global(function: Function, name: str) -> bool:
    """Return whether a function gives a module's name another value, or what it stands for another state."""
    scope = function.scope
    called = (site.node for site in scope.calls if (dotted(site.node.func) or "").startswith(f"{name}."))
    return (
        name in scope.outer_names
        or any(one.startswith(f"{name}.") for one in scope.bindings)
        or any(called_name(one) in vocabulary.RESEEDING for one in called)
    )


def _is_decorated(function: Function) -> bool:
    return bool(getattr(function.node, "decorator_list", ()))


def _comprehension(node: ast.expr) -> ast.expr:
    return node.args[0] if isinstance(node, ast.Call) else node


_COLLECTORS = frozenset({"list", "tuple", "set", "sorted"})


def _elements(node: ast.expr) -> list[ast.expr] | None:
    """Return what a list, dictionary or comprehension holds, None for any other expression."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [one.value if isinstance(one, ast.Starred) else one for one in node.elts]
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.DictComp):
        return [node.value]
    if isinstance(node, ast.ListComp | ast.SetComp):
        return [node.elt]
    if isinstance(node, ast.Call) and dotted(node.func) in _COLLECTORS and len(node.args) == 1:
        return [node.args[0].elt] if isinstance(node.args[0], ast.GeneratorExp) else None
    return None


def _names_part(key: ast.expr, *, surely: bool) -> bool:
    """Return whether a subscript names a part of a file: ``f["images"]``, not ``f["images"][:]``."""
    if isinstance(key, ast.Constant):
        return isinstance(key.value, str)
    return isinstance(key, ast.JoinedStr) or (not surely and isinstance(key, ast.Name | ast.Attribute | ast.BinOp))


def _is_closed(node: ast.expr, frame: Frame) -> bool:
    """Return whether a name stands for what is closed again: in a ``with``, or by its own ``close``."""
    if not isinstance(node, ast.Name):
        return False
    closes = any(dotted(site.node.func) == f"{node.id}.close" for site in frame.scope.calls)
    return closes or any(one.kind == "with" for one in frame.scope.bindings.get(node.id, ()))
