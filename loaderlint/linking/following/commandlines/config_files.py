"""ml_collections' configuration files: Python files whose ``get_config()`` gives the object that a flag holds.

``ml_collections/config_flags/config_flags.py``, ``DEFINE_config_file``: the flag's value is the path of a Python file
with a function ``get_config()``; what it returns is the flag's value, after ``--config.field=value`` has replaced any
of its fields. What follows a colon behind the path is handed to ``get_config``.
"""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.search_path import shared_folders
from loaderlint.linking.following.commandlines.flags import Flag
from loaderlint.linking.following.configurations.fitting import Keys, keys_of_name
from loaderlint.linking.things.dictionaries import joined
from loaderlint.linking.things.kinds import Frame, Items, Possibilities, Possibility, end_of
from loaderlint.linking.things.merging import uncertain
from loaderlint.linking.things.possibilities import choice, one_of, under, unseen
from loaderlint.readers.python import FunctionNode, PythonFacts

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MODULES = ("ml_collections.config_flags", "ml_collections.config_flags.config_flags")
DEFINES_FILE = frozenset(f"{module}.DEFINE_config_file" for module in _MODULES)
DEFINES_OBJECT = frozenset(f"{module}.DEFINE_config_dict" for module in _MODULES)

MOST_FILES = 32
"""More configuration files than this among which the user chooses, and none of them stands for the others."""
_MAKER = "get_config"


def of_object(evaluator: Evaluator, flag: Flag) -> Possibilities:
    """Return what a flag that holds a configuration object gives: the object, any field of which may be replaced."""
    found = evaluator.evaluate(flag.default, flag.frame) if flag.default is not None else unseen(flag.span)
    return tuple(replace(one, thing=uncertain(one.thing, flag.span)) for one in found)


def of_files(evaluator: Evaluator, flag: Flag) -> Possibilities:
    """Return what a flag that names a configuration file gives.

    It is what any file of the project gives that has all that the program reads of it, or that of one not seen.
    """
    span, subject = flag.span, str(flag.span)
    every = [facts for facts in evaluator.project.all_python() if _maker(facts) is not None]
    names = _read_as(flag)
    keys = frozenset(key for name in names for key in keys_of_name(evaluator, name, flag.frame.facts))
    program = flag.frame.facts.source.path
    shared = {facts.source.path: shared_folders(facts.source.path, program) for facts in every}
    nearest = [facts for facts in every if shared[facts.source.path] == max(shared.values())]
    ways: list[Possibility] = []
    for facts in nearest if len(nearest) <= MOST_FILES else ():
        given = [one for one in _made(evaluator, facts) if isinstance(one.thing, Items) and _fits(one.thing, keys)]
        ways.extend(under(given, choice(f"the file given to --{flag.name}", facts.source.path)))
    default = tuple(_default(evaluator, flag, every))
    chosen = one_of(subject, (("given", (*joined(ways), *unseen(span))), *((("default", default),) if default else ())))
    return tuple(replace(one, thing=uncertain(one.thing, span)) for one in chosen)


def _read_as(flag: Flag) -> list[str]:
    """Return the names under which the file that declares a flag reads its value."""
    holders = (
        name
        for name, bindings in flag.frame.facts.module.bindings.items()
        if any(one.value is flag.declaration for one in bindings)
    )
    return [f"FLAGS.{flag.name}", f"flags.FLAGS.{flag.name}", *(f"{holder}.value" for holder in holders)]


def _default(evaluator: Evaluator, flag: Flag, every: list[PythonFacts]) -> Iterator[Possibility]:
    """Yield what the file that is read unless the user names another one gives."""
    for one in evaluator.evaluate(flag.default, flag.frame) if flag.default is not None else ():
        if one.thing is None:
            continue
        path = one.thing.partition(":")[0] if isinstance(one.thing, str) else None
        folder = posixpath.dirname(flag.frame.facts.source.path)
        named = {posixpath.normpath(path), posixpath.normpath(posixpath.join(folder, path))} if path else set()
        files = [facts for facts in every if facts.source.path in named]
        values = _made(evaluator, files[0]) if len(files) == 1 else unseen(flag.span)
        yield from under(values, one.assumptions)


def _maker(facts: PythonFacts) -> FunctionNode | None:
    bindings = facts.module.bindings.get(_MAKER, ())
    node = bindings[0].node if len(bindings) == 1 else None
    return node if isinstance(node, FunctionNode) else None


def _made(evaluator: Evaluator, facts: PythonFacts) -> Possibilities:
    """Return what the function of a configuration file gives when it is called without arguments."""
    maker = _maker(facts)
    assert maker is not None
    frame = Frame(facts, end_of(facts.module))

    def call() -> ast.Call:
        name = ast.copy_location(ast.Name(_MAKER, ast.Load()), maker)
        return ast.copy_location(ast.Call(name, [], []), maker)

    return evaluator.evaluate(evaluator.remembered(("get_config", id(maker)), frame, call), frame)


def _fits(items: Items, keys: Keys) -> bool:
    """Return whether a configuration holds all these keys, as far as was seen."""
    return all(_holds(items, path) for path in keys)


def _holds(items: Items, path: tuple[str, ...]) -> bool:
    if not path or not items.complete:
        return True
    below = items.entries.get(path[0])
    if below is None:
        return False
    return any(not isinstance(one.thing, Items) or _holds(one.thing, path[1:]) for one in below)
