"""Which statements of a script go under its guard, and what a worker would miss or repeat then.

Statements are looked at in their order. What runs goes inside, and with it everything that must not change places with
something inside: what reads what an inner statement made, and what binds or changes anew what an inner statement reads
or made. What workers or other files need by name stays outside with all it is made of, if need be with its effects; the
fix is unsafe then.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.bindings import canonical, overlap, root
from loaderlint.writers.python.effect_free import (
    CONSTRUCTORS,
    KEEP_FILES,
    KEEP_NO_STATE,
    PURE_BUILTINS,
    PURE_CALLS,
    PURE_METHODS,
    PURE_MODULES,
    SETTINGS,
)
from loaderlint.writers.python.effects import Kind
from loaderlint.writers.python.sharing import groups
from loaderlint.writers.python.top_level import Statement, always_opened, doing, later_by_name, never_changed_in_place

_DISTURBS: Mapping[str, tuple[str, ...]] = {
    "os.chdir": ("os.getcwd", "os.path", "pathlib"),
    "torch.set_default_device": ("torch",),
    "torch.set_default_tensor_type": ("torch",),
}
"""Calls that make other functions answer differently afterwards."""

_COMMANDS = ("os.system", "subprocess.")
_PREPARES_IMPORTS = (*_COMMANDS, "sys.path", "os.environ")
_INSTALLS = ("get_ipython().system(", "pip install")
_READ_WHEN_USED = "CUDA_VISIBLE_DEVICES"

_SEEDS = frozenset({"seed", "seeds"})
_FETCHES = frozenset({"download", "extract", "urlretrieve"})
"""Words in the names of functions: what seeds random numbers, and what brings files that a later statement may read."""
_WRITES = _FETCHES | frozenset(
    {"copy", "dump", "makedirs", "mkdir", "move", "open", "remove", "rename", "rmtree", "save", "savez", "touch"}
    | {"unlink", "write"}
)
_ASKS_THE_DISK = frozenset(
    {"exists", "getmtime", "getsize", "glob", "is_dir", "is_file", "isdir", "isfile", "iterdir", "lexists", "listdir"}
    | {"rglob", "scandir", "stat"}
)
"""Words for what changes files, and the names of what asks which there are: ``os.path.getsize``, ``Path.exists``."""
_WORD = re.compile(r"[A-Z]?[a-z]+")


class Placement(Struct, frozen=True):
    """The indexes of the statements that go under the guard; ``unsafe`` says why that is unsafe, empty when safe."""

    inside: frozenset[int]
    unsafe: str = ""


def place(
    statements: Sequence[Statement],
    runs: Collection[int],
    needs: Mapping[str, str],
    imports: Mapping[str, str],
    own: Collection[str] = (),
    read_by_workers: Collection[str] = (),
) -> Placement:
    """Return what goes under the guard with the statements ``runs``.

    ``needs`` are the names that have to exist wherever the module is imported, each with the reason ("is read by …");
    ``own`` the first names of the project's own modules; ``read_by_workers`` the dotted paths that the workers of
    ``runs`` read.
    Raises `CannotRewrite` where what stays outside would come before what it hangs on, in ways that no name tells.
    """
    return _Placing(statements, frozenset(runs), needs, imports, own, read_by_workers).placement()


class _Effect(Struct, frozen=True):
    """What a statement reads and writes when it runs, through the functions it calls.

    Paths of imported modules are canonical; of anything else only the first name is kept, but of what it ``calls``.
    ``names`` are all names read.
    """

    names: frozenset[str]
    reads: frozenset[str]
    binds: frozenset[str]
    changes: frozenset[str]
    passes: frozenset[str]
    calls: frozenset[str]


class _Placing:
    def __init__(
        self,
        statements: Sequence[Statement],
        runs: frozenset[int],
        needs: Mapping[str, str],
        imports: Mapping[str, str],
        own: Collection[str],
        read_by_workers: Collection[str],
    ) -> None:
        self._statements = statements
        self._runs = runs
        self._needs = needs
        self._imports = imports
        self._own = frozenset(own)
        self._read_by_workers = frozenset(read_by_workers)
        self._definitions = {name for one in statements if one.defines for name in one.uses.now.binds}
        self._later = later_by_name(statements)
        self._unchanged = self._definitions | imports.keys() | never_changed_in_place(statements)
        self._unchanged |= vars(builtins).keys() - {name for one in statements for name in one.uses.now.binds}
        self._files = always_opened(statements)
        self._sharing = groups(
            self._told_apart(names - self._unchanged, index)
            for index, one in enumerate(statements)
            for names in one.shared
        )
        self._effects = [self._effect(index) for index in range(len(statements))]
        self._last_run = max(runs, default=-1)
        self._always = runs | {index for index, one in enumerate(statements) if one.guard}
        self._pinned = self._pins()

    def placement(self) -> Placement:
        running = {index for index, one in enumerate(self._statements) if one.kind >= Kind.CONSTRUCTS}
        inside = self._dependent(self._always | running - self._pinned, self._pinned)
        inside |= self._builders_among(inside)
        self._check_order(inside)
        checks = (
            *(self._lost, self._repeated, self._not_set_up, self._set_back, self._changed_on_the_way),
            *(self._imports_first, self._asked_before),
        )
        reasons = [reason for check in checks for reason in check(inside)]
        return Placement(frozenset(inside), reasons[0] if reasons else "")

    # What a statement does

    def _effect(self, index: int) -> _Effect:
        statement = self._statements[index]
        now = statement.uses.now
        begin = now.roots if statement.kind is Kind.RUNS else {root(path) for path in now.calls}
        reached = now
        pending, seen = set(begin), set()
        while pending:
            name = pending.pop()
            seen.add(name)
            later = self._later.get(name)
            if later is not None:
                reached = reached.joined(later)
                pending |= later.roots - seen
        disturbed = {path for call in reached.calls for path in _DISTURBS.get(canonical(call, self._imports), ())}
        # A worker that is forked reads what names mean when its loop begins: they must not be bound anew before it.
        read = reached.reads | (self._read_by_workers if index in self._runs else frozenset())
        return _Effect(
            frozenset(map(root, read)),
            self._keys(read),
            reached.binds - self._imported_again(index),
            self._all_sharing(self._keys(reached.changes) - self._definitions, index) | disturbed,
            self._all_sharing(reached.passes - self._unchanged, index) if statement.kind is Kind.RUNS else frozenset(),
            frozenset(canonical(call, self._imports) for call in reached.calls),
        )

    def _all_sharing(self, names: frozenset[str], index: int) -> frozenset[str]:
        """Return names, or dotted paths, with all names that may refer to the same objects as in a statement."""
        return names.union(*(self._sharing.get(name, frozenset()) for name in self._told_apart(names, index)))

    def _told_apart(self, names: frozenset[str], index: int) -> frozenset[str]:
        """Return names, those of files that a statement opens told apart from the same names in another one."""
        return frozenset(f"{name} of {index}" if name in self._files else name for name in names)

    def _imported_again(self, index: int) -> frozenset[str]:
        """Return the names a statement imports that an earlier one bound, and that never stand for anything else."""
        earlier = {name for one in self._statements[:index] for name in one.imports}
        return frozenset(self._statements[index].imports.keys() & self._imports.keys() & earlier)

    def _keys(self, paths: Iterable[str]) -> frozenset[str]:
        return frozenset(
            canonical(path, self._imports) if root(path) in self._imports else root(path) for path in paths
        )

    # What must not change places

    def _clash(self, first: int, second: int) -> bool:
        """Return whether two statements, in this order, must run in this order."""
        before, after = self._effects[first], self._effects[second]
        if first in self._runs and self._statements[second].sets_up:
            # Workers that are forked for the first of two loops do not get what is set up for the second.
            return True
        if overlap(before.changes, after.reads | after.changes) or overlap(before.reads, after.changes):
            return True
        if before.binds & (after.names | after.changes):
            return True
        rebound = after.binds & (before.binds | before.names | before.changes)
        return any(self._known(name, first) for name in rebound)

    def _known(self, name: str, index: int) -> bool:
        """Return whether a name meant something when a statement ran."""
        bound = any(name in one.uses.now.binds for one in self._statements[:index])
        return bound or name in self._effects[index].binds or hasattr(builtins, name)

    def _may_clash(self, first: int, second: int) -> bool:
        return bool(self._effects[first].passes & self._effects[second].reads)

    def _may_depend(self, first: int, second: int) -> bool:
        return self._may_clash(first, second) or self._asks_what_was_called(first, second)

    def _asks_what_was_called(self, first: int, second: int) -> bool:
        return not self._libraries_called(first).isdisjoint(self._libraries_asked(second))

    def _libraries_called(self, index: int) -> frozenset[str]:
        return frozenset(map(root, self._effects[index].calls))

    def _libraries_asked(self, index: int) -> frozenset[str]:
        """Return the libraries of which a statement reads, or changes, parts of objects: ``wandb.run.name = "first"``.

        What a module has itself are constants, classes and settings, as a rule.
        """
        statement = self._statements[index]
        if statement.kind is Kind.DEFINES:
            return frozenset()
        now = statement.uses.now
        inside = {path for path in (now.reads - now.calls) | now.changes if path.count(".") > 1}
        libraries = {root(self._imports[root(path)]) for path in inside if root(path) in self._imports}
        return frozenset(libraries - self._own - KEEP_NO_STATE)

    def _dependent(self, begin: Iterable[int], pinned: Collection[int]) -> set[int]:
        """Return the statements with all later ones that must not come before them.

        What is pinned, or defines, does not move for what only may change.
        """
        inside = set(begin)
        for index, statement in enumerate(self._statements):
            if index in inside:
                continue
            earlier = [one for one in inside if one < index]
            movable = index not in pinned and statement.kind is not Kind.DEFINES
            if any(self._clash(one, index) or (movable and self._may_depend(one, index)) for one in earlier):
                inside.add(index)
        return inside

    def _builders_among(self, inside: Collection[int]) -> set[int]:
        """Return the plain assignments behind the first statement inside that only what is inside needs, or fills."""
        moved: set[int] = set()
        first = min(inside, default=len(self._statements))
        read_later = {name for one in self._statements for name in one.uses.later.roots}
        filled = {name for one in inside for name in self._statements[one].uses.now.changes}
        stay = read_later - filled | self._needs.keys()
        for index in range(len(self._statements) - 1, first, -1):
            statement = self._statements[index]
            if index in inside or statement.kind is not Kind.BUILDS or statement.sets_up:
                continue
            made = statement.uses.now.binds | self._effects[index].changes
            kept = made & stay or any(name.isupper() or _is_dunder(name) for name in made)
            staying = [one for one in range(index + 1, len(self._statements)) if one not in inside and one not in moved]
            if not kept and not any(self._clash(index, one) for one in staying):
                moved.add(index)
        return moved

    # What has to stay

    def _pins(self) -> frozenset[int]:
        """Return what makes the needed names, and what that is made of in turn, unless it hangs on what must move."""
        blocked = self._dependent(self._always, pinned=range(len(self._statements)))
        pinned: set[int] = set()
        pending = [
            index
            for index in range(len(self._statements))
            if self._writes(index) & self._needs.keys() or (self._only_seeds(index) and self._imports_own_behind(index))
        ]
        while pending:
            index = pending.pop()
            if index in pinned or index in blocked:
                continue
            pinned.add(index)
            effect = self._effects[index]
            names = effect.names | effect.binds
            draws = self._statements[index].kind is Kind.RUNS
            for other in range(index):
                if (self._writes(other) | self._effects[other].passes) & names or (draws and self._only_seeds(other)):
                    pending.append(other)
        return frozenset(pinned)

    def _only_seeds(self, index: int) -> bool:
        """Return whether a statement does no more than seed random numbers, which is harmless in workers, too."""
        called = self._statements[index].uses.now.calls
        return not self._effects[index].binds and any(_says(_SEEDS, one) for one in called)

    def _imports_own_behind(self, index: int) -> bool:
        """Return whether a module of the project, which may draw random numbers then, is imported further down."""
        return any(map(self._imports_own, range(index + 1, len(self._statements))))

    def _imports_own(self, index: int) -> bool:
        return any(map(self._is_own, self._statements[index].imports.values()))

    def _is_own(self, path: str) -> bool:
        return path.startswith(".") or root(path) in self._own

    def _writes(self, index: int) -> frozenset[str]:
        statement = self._statements[index]
        return statement.uses.now.binds | (self._effects[index].changes - self._definitions)

    # What nothing outside may overtake

    def _check_order(self, inside: Collection[int]) -> None:
        """Raise `CannotRewrite` when what stays outside may find another state than one that goes inside left it."""
        for index, statement in enumerate(self._statements):
            if index in inside or statement.kind is Kind.DEFINES:
                continue
            for one in sorted(other for other in inside if other < index):
                if self._leaves_something_for(one, index):
                    first = doing(self._statements[one])
                    raise CannotRewrite(
                        f"{doing(statement)} stays outside the guard and may depend on {first} before it"
                    )

    def _leaves_something_for(self, first: int, second: int) -> bool:
        """Return whether a statement does what names do not tell, and a later one may depend on that.

        What runs may depend on anything; what builds reads the module whose function was called.
        """
        before, calls = self._statements[first], self._effects[first].calls
        if not before.guard and self._asks_what_was_called(first, second):
            return True
        left = any(one.startswith(_COMMANDS) or _says(_SEEDS | _FETCHES, one) for one in calls)
        if before.guard or not (before.sets_up or left):
            return False
        if self._statements[second].kind is Kind.RUNS:
            return True
        libraries = {root(one) for one in self._imports.values()}
        modules = {call.rpartition(".")[0] for call in calls if root(call) in libraries}
        return bool(before.sets_up) and overlap(modules, self._effects[second].reads)

    # Why it is unsafe

    def _lost(self, inside: Collection[int]) -> Iterator[str]:
        outside = (one for index, one in enumerate(self._statements) if index not in inside)
        made_outside = {name for one in outside for name in one.uses.now.binds}
        for index in sorted(inside):
            statement, effect = self._statements[index], self._effects[index]
            if statement.guard:
                continue
            for name in sorted(effect.binds & self._needs.keys()):
                if name not in made_outside:
                    yield f"`{name}` {self._needs[name]}, but {doing(statement)} has to go under the guard"
                elif not (name in statement.imports and name in self._imports):
                    yield f"`{name}` {self._needs[name]}, but {doing(statement)} changes it under the guard"
            for name in sorted((effect.changes | effect.passes) & self._needs.keys()):
                verb = "changes" if name in effect.changes else "may change"
                yield f"`{name}` {self._needs[name]}, but {doing(statement)} {verb} it under the guard"

    def _repeated(self, inside: Collection[int]) -> Iterator[str]:
        for index in sorted(self._pinned - set(inside)):
            statement = self._statements[index]
            if statement.kind is Kind.RUNS and not self._only_seeds(index):
                name = next(iter(sorted(self._reason_to_stay(index))), "")
                because = f"`{name}` {self._needs[name]}, so " if name else ""
                yield f"{because}{doing(statement)} stays outside the guard and is repeated in every worker"

    def _not_set_up(self, inside: Collection[int]) -> Iterator[str]:
        for index in sorted(one for one in inside if one <= self._last_run):
            statement = self._statements[index]
            if statement.sets_up:
                yield (
                    f"{doing(statement)} {statement.sets_up.verb} what the workers may read, "
                    "and under the guard it does not reach them"
                )

    def _set_back(self, inside: Collection[int]) -> Iterator[str]:
        """Yield what sets a variable of the environment that whoever imports the module sets to something else."""
        outside = (one for index, one in enumerate(self._statements) if index not in inside)
        set_outside = frozenset[str]().union(*(one.environment for one in outside))
        for index in sorted(one for one in inside if one <= self._last_run):
            statement = self._statements[index]
            for variable in sorted(statement.environment & set_outside if not statement.guard else ()):
                yield f"{doing(statement)} sets {variable}, and each worker sets it back when it imports the file"

    def _reason_to_stay(self, index: int) -> frozenset[str]:
        """Return the needed names that a pinned statement makes, else those that statements behind it make."""
        for one in [index, *(other for other in sorted(self._pinned) if other > index)]:
            made = self._writes(one) & self._needs.keys()
            if made:
                return frozenset(made)
        return frozenset()

    def _changed_on_the_way(self, inside: Collection[int]) -> Iterator[str]:
        for index in range(len(self._statements)):
            if index in inside:
                continue
            for one in sorted(other for other in inside if other < index):
                if self._may_clash(one, index):
                    name = min(self._effects[one].passes & self._effects[index].reads)
                    first, then = self._statements[one], self._statements[index]
                    yield f"{doing(first)} may change `{name}`, and now comes after {doing(then)}"

    def _imports_first(self, inside: Collection[int]) -> Iterator[str]:
        for index in sorted(inside):
            statement, effect = self._statements[index], self._effects[index]
            paths = effect.calls | effect.changes
            installs = any(text in statement.text for text in _INSTALLS)
            prepares = installs or any(path.startswith(_PREPARES_IMPORTS) for path in paths)
            if statement.guard or _READ_WHEN_USED in statement.text:
                continue
            for other in range(index + 1, len(self._statements)):
                if other in inside or not self._statements[other].imports:
                    continue
                if prepares or (self._imports_own(other) and self._prepares_own(index)):
                    later = self._statements[other].text
                    yield f"`{later}` would come before {doing(statement)}, which may prepare it"
                    break

    def _prepares_own(self, index: int) -> bool:
        """Return whether a statement may leave what one of the project's modules reads when it is imported.

        Besides what any module may read, that is what its own functions set up for nobody who takes their result.
        """
        calls = self._effects[index].calls
        set_up = not self._statements[index].uses.now.binds and any(map(self._is_own, calls))
        return set_up or any(one == "os.chdir" or _says(_WRITES | _SEEDS, one) for one in calls)

    def _asked_before(self, inside: Collection[int]) -> Iterator[str]:
        """Yield what asks for files and stays outside, before what goes inside and may make them."""
        for index, statement in enumerate(self._statements):
            asks = any(path.rpartition(".")[2] in _ASKS_THE_DISK for path in self._effects[index].calls)
            if index in inside or not asks:
                continue
            for one in sorted(other for other in inside if other < index):
                if self._may_make_files(one):
                    first = doing(self._statements[one])
                    yield f"{doing(statement)} would come before {first}, which may make the files it asks for"
                    break

    def _may_make_files(self, index: int) -> bool:
        """Return whether a statement does something that is not known to leave files alone."""
        calls = self._effects[index].calls - self._definitions
        return self._statements[index].kind is Kind.RUNS and not (calls and all(map(_keeps_files, calls)))


_KNOWN = PURE_BUILTINS | PURE_CALLS | CONSTRUCTORS | SETTINGS
_KNOWN_METHODS = PURE_METHODS | KEEP_FILES


def _keeps_files(path: str) -> bool:
    """Return whether a call is known to leave the files alone that a program asks for."""
    last = path.rpartition(".")[2]
    pure = path in _KNOWN or any(path.startswith(f"{module}.") for module in PURE_MODULES)
    return pure or (last in _KNOWN_METHODS and not _says(_WRITES, path))


def _says(words: Collection[str], path: str) -> bool:
    """Return whether the last name of a dotted path has one of these words."""
    return any(one.lower() in words for one in _WORD.findall(path.rpartition(".")[2]))


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
