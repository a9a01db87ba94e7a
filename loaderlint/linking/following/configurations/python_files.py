"""Configurations written in Python that a program reads with OpenMMLab's ``Config`` and hands on itself.

mmengine (``mmengine/config/config.py``, 0.10) and mmcv 1 (``mmcv/utils/config.py``): ``Config.fromfile`` runs the file,
and every name of it is a key. The files that ``_base_`` names are read first, and a dictionary of the file is merged
into theirs key by key unless it says ``_delete_=True``. ``Config(…, filename=…)`` says of settings that a program read
itself which file they are from.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.parts import is_plain
from loaderlint.linking.files.search_path import shared_folders
from loaderlint.linking.following import changes, modules
from loaderlint.linking.following.configurations.inheriting import LONGEST_INHERITANCE, PARTS, heirs, is_part
from loaderlint.linking.following.configurations.opened import FILE_READ
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import locations, many_files
from loaderlint.linking.things.kinds import GIVEN, Frame, Function, Items, Possibilities, Possibility, Row, end_of
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.locations import Form
from loaderlint.linking.things.merging import overwritten
from loaderlint.linking.things.possibilities import under, unseen
from loaderlint.readers.python import PythonFacts, parameters
from loaderlint.readers.python_calls import arguments as arguments_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_COPIED = "Config"
_READER = "fromfile"
_PARTS_OF_READER = frozenset({"_file2dict", "_merge_a_into_b"})
"""What the class and its methods are called (``mmcv/utils/config.py``, 1.7): projects keep copies of the file."""
_SETTINGS = re.compile(rb"worker")
"""What a file says that has settings of a loader."""
_MOST_FILES = 64
"""More files than this that say different things of workers are not followed."""
_MOST_APART = 8
"""More files than this are taken as one: each alone costs as much as a program."""
_STEPS = 100
"""Expressions followed for one setting of one file."""


def read(evaluator: Evaluator, node: ast.Call, frame: Frame, parameters: Sequence[str]) -> Possibilities | None:
    """Return the settings of the file that a call names; None where it names none.

    A file that the user names on the command line can be any of those that the project ships.
    """
    named = arguments_of(node, parameters).get("filename")
    ways = locations.of(evaluator, named, frame) if named is not None else ()
    span = frame.facts.span(node)
    found: list[Possibility] = []
    for location, assumptions in ways:
        if location is None or location.form not in (Form.NAME, Form.PATH):
            continue
        if location.given:
            found.extend(under(_one_of_those_shipped(evaluator, node, frame), assumptions))
            continue
        file = evaluator.project.python_in_passing(location.path) if location.path.endswith(".py") else None
        if file is not None and file.tree.body:
            found.extend(under(_whole(evaluator, file), assumptions))
    if not found:
        return None
    followed = all(location is not None for location, _ in ways)
    return tuple(found) if followed else (*found, *unseen(span))


def read_by_copy(evaluator: Evaluator, function: Function, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return the settings that a call reads with a class which a project took over; None for any other function.

    Such a ``Config`` goes by the name it has in OpenMMLab's packages, and so do its parts.
    """
    kind = function.scope.parent.node if function.scope.parent is not None else None
    if function.scope.name != _READER or not isinstance(kind, ast.ClassDef) or kind.name != _COPIED:
        return None
    methods = {one.name for one in kind.body if isinstance(one, ast.FunctionDef)}
    # It runs a file and merges the settings into those of the files that it names.
    if not methods >= _PARTS_OF_READER or PARTS not in function.facts.source.text:
        return None
    return read(evaluator, node, frame, [one.arg for one in parameters(function.node)])


def _one_of_those_shipped(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return the settings that a call reads of the file that the user chooses, put together once for all who ask."""
    span = frame.facts.span(node)

    def put_together() -> Possibilities:
        shipped = [(one.source.path, _whole(evaluator, one)) for one in _shipped(evaluator, frame)]
        every = [*shipped, ("another", (Possibility(GIVEN, span),))]
        return many_files.one_of(f"{FILE_READ}{span}", every, _MOST_APART)

    return evaluator.remembered(("settings shipped", node), None, put_together)


def _shipped(evaluator: Evaluator, frame: Frame) -> list[PythonFacts]:
    """Return the configurations nearest to a program that have settings of a loader."""
    say_so = [one for one in evaluator.project.python_files_with(_SETTINGS) if _is_configuration(evaluator, one)]
    every = [*dict.fromkeys(whole for one in say_so for whole in _whole_ones(evaluator, one))]
    near = [shared_folders(one.source.path, frame.facts.source.path) for one in every]
    nearest = [one for one, shared in zip(every, near, strict=True) if shared == max(near)]
    if len(nearest) > _MOST_FILES:
        nearest = [*{_said_of_workers(one): one for one in reversed(nearest)}.values()]
    return nearest if len(nearest) <= _MOST_FILES else []


def _whole_ones(evaluator: Evaluator, facts: PythonFacts) -> Iterator[PythonFacts]:
    """Yield those that inherit from a part of configurations, and what is no part itself.

    What a part gives they may replace, and they are what a user names: nobody runs a part by itself.
    """
    for path in heirs(evaluator, facts) if is_part(facts) else (facts.source.path,):
        whole = evaluator.project.python_in_passing(path)
        if whole is not None and _is_configuration(evaluator, whole):
            yield whole


def _said_of_workers(facts: PythonFacts) -> frozenset[bytes]:
    """Return the lines of a file that speak of workers: of very many files, one of those that say the same is asked."""
    return frozenset(line.strip() for line in facts.source.content.splitlines() if _SETTINGS.search(line))


def _is_configuration(evaluator: Evaluator, facts: PythonFacts) -> bool:
    """Return whether a file is nothing but settings, and stands where no program imports it from."""
    if not inherits(facts) and not is_plain(facts.source.path, facts.source.content):
        return False
    folder = posixpath.dirname(facts.source.path)
    plain = all(isinstance(one, _PLAIN) for one in facts.tree.body)
    return plain and not evaluator.project.exists(posixpath.join(folder, "__init__.py"))


_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.With, ast.Delete)


def inherits(facts: PythonFacts) -> bool:
    """Return whether a configuration names others that it takes its settings from."""
    return PARTS in facts.module.bindings or "read_base" in facts.module.bindings


def _whole(evaluator: Evaluator, facts: PythonFacts) -> Possibilities:
    """Return the settings of a configuration, each worked out when it is asked for; a user may always add others."""
    span = facts.span(facts.tree.body[0])
    evaluator.settings_in_python.add(facts.source.path)

    def one_value(name: str) -> Possibilities:
        key = ("setting of a file", facts.source.path, name)
        return evaluator.once(key, unseen(span), lambda: value(evaluator, facts, name) or unseen(span), _STEPS)

    return (Possibility(Items(Lazily.of(_names(evaluator, facts), one_value), complete=False), span),)


def _names(evaluator: Evaluator, facts: PythonFacts, depth: int = 0) -> Iterator[str]:
    """Yield the names of the settings of a configuration and of all that it inherits from."""
    if PARTS in facts.module.bindings and depth <= LONGEST_INHERITANCE:
        for path in bases(evaluator, facts):
            base = evaluator.project.python_in_passing(path) if path is not None else None
            if base is not None:
                yield from _names(evaluator, base, depth + 1)
    for name, bindings in facts.module.bindings.items():
        if name.isidentifier() and not name.startswith("_") and any(one.kind != "import" for one in bindings):
            yield name


def value(evaluator: Evaluator, facts: PythonFacts, name: str, depth: int = 0) -> Possibilities:
    """Return what a configuration gives a name after all it inherits; nothing where it does not give it."""
    own = own_value(evaluator, facts, name)
    if PARTS not in facts.module.bindings:
        return own
    inherited = _inherited(evaluator, facts, name, depth)
    if len(own) != 1 or not isinstance(own[0].thing, Items):
        return own or inherited
    written = own[0].thing
    if _deletes(written):
        kept = {key: values for key, values in written.entries.items() if key != "_delete_"}
        return (replace(own[0], thing=replace(written, entries=kept)),)
    if len(inherited) != 1 or not isinstance(inherited[0].thing, Items):
        # What the file itself says holds whatever it is merged into.
        return (replace(own[0], thing=replace(written, complete=written.complete and not inherited)),)
    return (replace(own[0], thing=overwritten(inherited[0].thing, written, own[0].span)),)


def _deletes(items: Items) -> bool:
    return any(one.thing is True for one in items.entries.get("_delete_", ()))


def own_value(evaluator: Evaluator, facts: PythonFacts, name: str) -> Possibilities:
    """Return what a file itself makes of a name, imports among it."""
    frame = Frame(facts, end_of(facts.module))
    bindings = facts.module.bindings.get(name, ())
    if any(one.kind not in MUTATIONS for one in bindings):
        found = evaluator.bound(name, frame, None, facts.span(facts.tree.body[0]))
    elif "*" in facts.module.bindings:
        imported = modules.star_import(evaluator, name, frame) or ()
        known = [one for one in imported if isinstance(one.thing, Items)]
        found = changes.changed(evaluator, known, name, frame, None, -1)
    else:
        return ()
    return tuple(one for one in found if one.thing is not None)


def _inherited(evaluator: Evaluator, facts: PythonFacts, name: str, depth: int) -> Possibilities:
    span = facts.span(facts.tree.body[0])
    if depth > LONGEST_INHERITANCE:
        return unseen(span)
    found: list[Possibility] = []
    for path in bases(evaluator, facts):
        base = evaluator.project.python(path) if path is not None else None
        found.extend(unseen(span) if base is None else _value_of_base(evaluator, base, name, depth + 1))
    below = Possibility(Items({name: tuple(found)}), span)
    (after,) = changes.changed(evaluator, [below], PARTS, Frame(facts, end_of(facts.module)), None, -1)
    return after.thing.entries.get(name, ()) if isinstance(after.thing, Items) and found else ()


def _value_of_base(evaluator: Evaluator, base: PythonFacts, name: str, depth: int) -> Possibilities:
    """Return what `value` does, worked out once for all the files that inherit it."""
    key = ("settings", base.source.path, name, depth)
    return evaluator.remembered(key, None, lambda: value(evaluator, base, name, depth))


def bases(evaluator: Evaluator, facts: PythonFacts) -> Iterator[str | None]:
    """Yield the paths of the files a file inherits from, None for one that is not followed."""
    frame = Frame(facts, end_of(facts.module))
    for one in evaluator.bound(PARTS, frame, None, facts.span(facts.tree.body[0])):
        names = [name for item in one.thing.items for name in item] if isinstance(one.thing, Row) else [one]
        for name in names:
            written = name.thing if isinstance(name.thing, str) else ""
            # `{{ fileDirname }}` is filled in first, and `mmdet::` names an installed package.
            path = written if written.endswith(".py") and not re.search("^/|::|{{", written) else None
            folder = posixpath.dirname(facts.source.path)
            yield None if path is None else posixpath.normpath(posixpath.join(folder, path))
