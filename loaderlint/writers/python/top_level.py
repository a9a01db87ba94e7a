"""The statements at the top level of a module, as far as it matters to where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from loaderlint.model.imported import SettingUp
from loaderlint.writers.python.bindings import root
from loaderlint.writers.python.effects import Kind
from loaderlint.writers.python.names import Names, Uses


class Statement(Struct, frozen=True):
    """A statement at the top level of a module.

    ``text`` is its first line, ``imports`` what its imports bind, ``guard`` whether it is the file's guard, ``defines``
    whether it is a function or class, ``fixed`` the names it binds to what cannot change in place, ``shared`` the
    groups of names it makes refer to one object, ``opened`` the names of files that it opens, ``sets_up`` whether it
    sets up what workers read, ``environment`` the variables of the environment that it gives values.
    """

    text: str
    uses: Uses
    kind: Kind
    imports: Mapping[str, str] = field(default_factory=dict)
    guard: bool = False
    defines: bool = False
    fixed: frozenset[str] = frozenset()
    shared: tuple[frozenset[str], ...] = ()
    opened: frozenset[str] = frozenset()
    sets_up: SettingUp = SettingUp.NOTHING
    environment: frozenset[str] = frozenset()


def always_opened(statements: Sequence[Statement]) -> frozenset[str]:
    """Return the names by which every statement that uses them knows a file that it opens itself."""
    every = frozenset[str]().union(*(one.opened for one in statements))
    return every - {
        root(path)
        for one in statements
        for names in (one.uses.now, one.uses.later)
        for path in names.reads | names.calls | names.changes | names.passes
        if root(path) not in one.opened
    }


def never_changed_in_place(statements: Sequence[Statement]) -> frozenset[str]:
    """Return the names that no statement binds to anything that can change in place."""
    fixed = {name for one in statements for name in one.fixed}
    return frozenset(fixed - {name for one in statements for name in one.uses.now.binds - one.fixed})


def later_by_name(statements: Sequence[Statement]) -> dict[str, Names]:
    """Return what the functions and classes of a module do with its names when they are called, by their own names."""
    later: dict[str, Names] = {}
    for statement in statements:
        for name in statement.uses.now.binds:
            if statement.uses.later != Names():
                later[name] = later.get(name, Names()).joined(statement.uses.later)
    return later


def doing(statement: Statement) -> str:
    """Return what a statement does, as a noun."""
    calls = {path.rpartition(".")[2] for path in statement.uses.now.calls}
    if calls & {"parse_args", "parse_known_args"} or ".parse_args(" in statement.text:
        return "parsing the command line"
    return f"`{statement.text}`"
