"""Hydra: where a program gets its configuration from, by ``@hydra.main`` or ``compose``.

``config_path`` is relative to the file that names it (``hydra/_internal/utils.py``, ``compute_search_path_dir``, 1.3).
Whatever is composed for ``@hydra.main``, the command line can replace.
"""

from __future__ import annotations

import ast
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from loaderlint.linking.following.configurations import composition
from loaderlint.linking.following.configurations import hydra_runners as runners
from loaderlint.linking.following.configurations.composition import ANYWHERE, Part
from loaderlint.linking.following.configurations.made_of_whole import may_be_of
from loaderlint.linking.following.configurations.opened import FILE_READ
from loaderlint.linking.things import locations, many_files
from loaderlint.linking.things.kinds import (
    GIVEN,
    External,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    Row,
    Thing,
    end_of,
)
from loaderlint.linking.things.possibilities import unseen
from loaderlint.linking.things.settings import merged, nested, replaceable, seen_as_settings, tree_of
from loaderlint.model.source import Span
from loaderlint.model.value import Step
from loaderlint.readers.python import FunctionNode, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.yaml_scalars import resolve
from loaderlint.vocabulary.configurations import DORA_MAINS, HYDRA_HOMES, HYDRA_MAINS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_INITIALIZERS: Mapping[str, str] = {
    "initialize": "config_path",
    "initialize_config_dir": "config_dir",
    "initialize_config_module": "config_module",
}
"""What says where the configurations of the calls of ``compose`` after it stand, and the parameter that does."""

_PACKAGE = "pkg://"
"""What the name of a package begins with where the path of a folder could stand (``hydra/_internal/utils.py``, 1.3)."""
_HEADER = re.compile(r"\s*#\s*@package\s+(?P<package>\S+)\s*")
_OVERRIDE = re.compile(r"(?P<sign>\+{0,2})(?P<key>[\w./@]+)=(?P<value>.*)")


class Configurations(Struct, frozen=True, eq=False):
    """The configurations of a program: the files of its folder (None: it has none) and those stored by its code."""

    evaluator: Evaluator
    folder: str | None
    files: set[str] = field(default_factory=set)
    """The files that were read."""
    _known: dict[tuple[str, tuple[Step, ...]], Part | None] = field(default_factory=dict)

    def part(self, path: str, trail: tuple[Step, ...]) -> Part | None:
        """Return a configuration, whose values come by this trail; None when there is no such configuration."""
        if (path, trail) not in self._known:
            self._known[(path, trail)] = self._of_file(path, trail) or self._stored(path, trail)
        return self._known[(path, trail)]

    def written_at(self, path: str) -> str:
        """Return the file that a configuration stands in; nothing where there is no such configuration."""
        part = self.part(path, ())
        return part.span.path if part is not None else ""

    def options(self, group: str) -> Sequence[str]:
        """Return the options of a group."""
        names = self.evaluator.project.folder(self._path(group)) if self.folder is not None else ()
        files = [name.rpartition(".")[0] for name in names if name.endswith((".yaml", ".yml"))]
        stored = (path for path in self.evaluator.instantiations.stored if posixpath.dirname(path) == group)
        return tuple(dict.fromkeys((*files, *(posixpath.basename(path) for path in stored))))

    def has_group(self, group: str) -> bool:
        """Return whether there is a group of this name: one that has options."""
        return bool(self.options(group) or self.in_folders(group))

    def in_folders(self, group: str) -> Sequence[str]:
        """Return what stands in the folders of a group: its options, such as ``small/fast``, or those of groups."""
        return tuple(one for one in self._below(group) if "/" in one)

    def groups(self) -> Sequence[str]:
        """Return the groups of the topmost folder."""
        return tuple(dict.fromkeys(one.partition("/")[0] for one in self.in_folders("")))

    def _below(self, group: str) -> Iterator[str]:
        """Yield the configuration files in the folder of a group and below, from there and without their endings."""
        if self.folder is None:
            return
        folder = self._path(group)
        start = f"{folder}/" if folder else ""
        paths = self.evaluator.project.paths
        for path in islice(paths, bisect_left(paths, start), None):
            if not path.startswith(start):
                return
            if path.endswith((".yaml", ".yml")):
                yield path[len(start) :].rpartition(".")[0]

    def _path(self, *parts: str) -> str:
        path = posixpath.normpath(posixpath.join(self.folder or "", *parts))
        return "" if path == "." else path

    def _of_file(self, path: str, trail: tuple[Step, ...]) -> Part | None:
        if self.folder is None:
            return None
        names = [path] if path.endswith((".yaml", ".yml")) else [f"{path}.yaml", f"{path}.yml"]
        for name in names:
            facts = self.evaluator.project.configuration_file(self._path(name))
            if facts is None:
                continue
            self.files.add(facts.source.path)
            root = facts.documents[0].root if facts.documents else None
            tree = tree_of(root, trail) if root is not None else None
            span = tree.span if tree is not None else facts.source.span(0, 0)
            if tree is not None and not isinstance(tree.thing, Items):
                return None
            items = tree.thing if tree is not None and isinstance(tree.thing, Items) else Items({})
            return Part(items, span, _package(facts.source.text))
        return None

    def _stored(self, path: str, trail: tuple[Step, ...]) -> Part | None:
        return self.evaluator.instantiations.stored.get(path.removesuffix(".yaml"))


def _package(text: str) -> str | None:
    """Return what the header of a configuration file says, in the comments above everything else."""
    for line in text.splitlines():
        found = _HEADER.fullmatch(line)
        if found is not None:
            return found["package"]
        if line.strip() and not line.lstrip().startswith("#"):
            return None
    return None


def configuration(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame
) -> Possibilities | None:
    """Return what ``@hydra.main`` above a function gives its first parameter, None when there is no such decorator."""
    parent = frame.scope.parent
    if isinstance(function, ast.Lambda) or parent is None or node is not next(parameters(function), None):
        return None
    where = Frame(frame.facts, end_of(parent))
    for one in function.decorator_list:
        arguments = _arguments_of_main(evaluator, one, where) if isinstance(one, ast.Call) else None
        if arguments is not None:
            is_for = partial(may_be_of, evaluator, frame.at(end_of(frame.scope)), node.arg)
            work = partial(_of_main, evaluator, one, arguments, where, is_for)
            return evaluator.remembered(("hydra", id(one)), where, work)
    return None


def _arguments_of_main(evaluator: Evaluator, decorator: ast.Call, frame: Frame) -> Mapping[str, ast.expr] | None:
    """Return what a decorator gives the parameters of ``hydra.main``; None where it is another one."""
    for one in evaluator.evaluate(decorator.func, frame):
        if isinstance(one.thing, External) and one.thing.name in HYDRA_MAINS:
            return {**_splatted(decorator, frame), **arguments_of(decorator, HYDRA_MAINS[one.thing.name])}
        if isinstance(one.thing, Function):
            return runners.arguments_handed_on(evaluator, one.thing, decorator)
    return None


def _splatted(decorator: ast.Call, frame: Frame) -> Mapping[str, ast.expr]:
    """Return what a dictionary that stands above a decorator holds, handed over whole: ``**PARAMETERS``."""
    found: dict[str, ast.expr] = {}
    for keyword in decorator.keywords:
        name = keyword.value.id if keyword.arg is None and isinstance(keyword.value, ast.Name) else ""
        bindings = frame.scope.bindings.get(name, ())
        written = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
        for key, value in zip(written.keys, written.values, strict=True) if isinstance(written, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found[key.value] = value
    return found


def _of_main(
    evaluator: Evaluator,
    decorator: ast.expr,
    arguments: Mapping[str, ast.expr],
    frame: Frame,
    is_for: Callable[[Possibility], bool],
) -> Possibilities:
    span = frame.facts.span(decorator)
    names = evaluator.evaluate(arguments["config_name"], frame) if "config_name" in arguments else ()
    callees = evaluator.evaluate(decorator.func, frame) if isinstance(decorator, ast.Call) else ()
    may_name = not any(isinstance(one.thing, External) and one.thing.name in DORA_MAINS for one in callees)
    found: list[Possibility] = []
    for folder in _folders(evaluator, arguments, frame):
        repository = Configurations(evaluator, folder)
        if all(one.thing is None or (may_name and _is_missing(repository, one.thing)) for one in names):
            found.extend(_of_user(repository, span, is_for))
        for name in names:
            tree = _composed(repository, name.thing, span) if isinstance(name.thing, str) else None
            if tree is not None:
                found.append(replace(tree, assumptions=name.assumptions))
    return tuple(found) or unseen(span)


def _is_missing(repository: Configurations, name: Thing) -> bool:
    """Return whether a program names a configuration that is not there: Hydra runs it only where the user names one.

    Without one it says so and ends (``config_not_found_error`` of ``hydra/_internal/defaults_list.py``, 1.3).
    """
    return isinstance(name, str) and repository.part(name, ()) is None


def _of_user(repository: Configurations, span: Span, is_for: Callable[[Possibility], bool]) -> Possibilities:
    """Return what the configurations of a folder say of which the user names one: ``--config-name``."""
    trees = ((repository.written_at(name), _composed(repository, name, span)) for name in repository.options(""))
    ways = [(path, (tree,)) for path, tree in trees if tree is not None and is_for(tree)]
    return many_files.one_of(f"{FILE_READ}{span}", [*ways, ("another", (Possibility(GIVEN, span),))]) if ways else ()


def _composed(repository: Configurations, name: str, span: Span) -> Possibility | None:
    """Return what a configuration gives the decorator at a place, None where there is none of that name."""
    evaluator = repository.evaluator
    # What code stores is followed, further each time; files say the same to every evaluator and every decorator.
    kept = Compositions() if evaluator.instantiations.stored else evaluator.compositions
    given = kept.given(evaluator, repository.folder, name, span)
    evaluator.instantiations.files.update(given.files)
    return given.tree


class _Given(Struct, frozen=True):
    """What a decorator gives (None: there is no such configuration) and the files that were read for it."""

    tree: Possibility | None
    files: Set[str]


class Compositions(Struct, frozen=True, eq=False):
    """What is composed of the files of a folder, by the folder and the primary configuration's name.

    Without its name the user chooses every configuration of a folder, which may be run by several programs.
    """

    _known: dict[tuple[str | None, str], tuple[Items | None, Set[str]]] = field(default_factory=dict)
    _given: dict[tuple[str | None, str, Span], _Given] = field(default_factory=dict)

    def given(self, evaluator: Evaluator, folder: str | None, name: str, span: Span) -> _Given:
        """Return what a configuration gives the decorator at a place: the user may replace every value of it."""
        if (folder, name, span) not in self._given:
            tree, files = self._composed(evaluator, folder, name)
            here = None if tree is None else replaceable(composition.read_at(span, tree), span)
            seen = None if here is None else seen_as_settings(Possibility(here, span))
            self._given[(folder, name, span)] = _Given(seen, files)
        return self._given[(folder, name, span)]

    def _composed(self, evaluator: Evaluator, folder: str | None, name: str) -> tuple[Items | None, Set[str]]:
        if (folder, name) not in self._known:
            repository = Configurations(evaluator, folder)
            shown = name.removesuffix(".yaml")
            trail = (Step(ANYWHERE, f"@hydra.main: {shown}"),)
            tree = composition.composed(repository, name, f"hydra {shown}", trail)
            self._known[(folder, name)] = tree, repository.files
        return self._known[(folder, name)]


def _folders(evaluator: Evaluator, arguments: Mapping[str, ast.expr], frame: Frame) -> Iterator[str | None]:
    """Yield the folders that ``config_path`` can name, None for no folder; nothing where it was not seen.

    Left out it is the file's own folder up to version 1.1, and since then there is none (``hydra/main.py``, 1.3).
    """
    if "config_path" not in arguments:
        version = arguments.get("version_base")
        old = version is None or (isinstance(version, ast.Constant) and str(version.value).strip() in ("1.0", "1.1"))
        yield posixpath.dirname(frame.facts.source.path) if old else None
        return
    written = arguments["config_path"]
    for one in evaluator.evaluate(written, frame):
        if one.thing is None:
            yield None
        elif isinstance(one.thing, str) and one.thing.startswith(_PACKAGE):
            folder = _folder_of_package(evaluator, one.thing.removeprefix(_PACKAGE), frame)
            yield from () if folder is None else (folder,)
    for location, _ in locations.of(evaluator, written, frame):
        if location is not None and not location.given and not location.path.startswith(("/", "pkg:")):
            above = "" if location.anchored else posixpath.dirname(frame.facts.source.path)
            folder = posixpath.normpath(posixpath.join(above, location.path))
            yield "" if folder == "." else folder


def composed(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Possibilities:
    """Return what ``compose(config_name, overrides=[...])`` gives after an ``initialize`` of the same file."""
    span = frame.facts.span(node)
    arguments = arguments_of(node, ("config_name", "overrides"))
    found: list[Possibility] = []
    for name in evaluator.evaluate(arguments["config_name"], frame) if "config_name" in arguments else ():
        folders = list(dict.fromkeys(_initialized(evaluator, frame)))
        if not isinstance(name.thing, str) or len(folders) != 1:
            found.extend(unseen(span, name.assumptions))
            continue
        trail = (Step(span, frame.facts.text(node)),)
        overrides = _items(evaluator, arguments.get("overrides"), frame)
        repository = Configurations(evaluator, folders[0])
        tree = _overridden(repository, name.thing, overrides, trail)
        evaluator.instantiations.files.update(repository.files)
        found.extend(
            (seen_as_settings(Possibility(tree, span, assumptions=name.assumptions)),)
            if tree is not None
            else unseen(span, name.assumptions)
        )
    return tuple(found) or unseen(span)


def _initialized(evaluator: Evaluator, frame: Frame) -> Iterator[str | None]:
    """Yield the folders that the calls of ``initialize`` in a file name."""
    for name, parameter in _INITIALIZERS.items():
        for site in frame.facts.calls.get(name, ()):
            where = Frame(frame.facts, site.place)
            if not _is_hydras(evaluator, site.node, name, where):
                continue
            arguments = arguments_of(site.node, (parameter,))
            if parameter == "config_path":
                yield from _folders(evaluator, arguments, where)
            elif parameter == "config_dir" and parameter in arguments:
                for location, _ in locations.of(evaluator, arguments[parameter], where):
                    # It must be absolute (``hydra/initialize.py``, 1.3): this file's, or from the working folder.
                    known = location is not None and evaluator.project.has_folder(location.path)
                    yield location.path if location is not None and known else None
            for one in evaluator.evaluate(arguments[parameter], where) if parameter in arguments else ():
                if parameter == "config_module" and isinstance(one.thing, str):
                    yield _folder_of_package(evaluator, one.thing, frame)


def _folder_of_package(evaluator: Evaluator, name: str, frame: Frame) -> str | None:
    """Return the folder of a package of the project by its dotted name, None where there is no such folder."""
    module = evaluator.project.module(f"{name}.__init__", frame.facts.source.path)
    folder = posixpath.dirname(module) if module is not None else name.replace(".", "/")
    return folder if evaluator.project.has_folder(folder) else None


def _is_hydras(evaluator: Evaluator, call: ast.Call, name: str, frame: Frame) -> bool:
    """Return whether a call is of Hydra's function of this name: ``deepspeed`` has an ``initialize``, too."""
    callees = [one.thing for one in evaluator.evaluate(call.func, frame)]
    return any(isinstance(one, External) and one.name in {f"{home}.{name}" for home in HYDRA_HOMES} for one in callees)


def _overridden(
    repository: Configurations, name: str, overrides: Iterable[Possibility], trail: tuple[Step, ...]
) -> Items | None:
    """Return the configuration with the overrides that the program itself writes."""
    chosen: dict[str, str] = {}
    layers: list[Items] = []
    for one in overrides:
        written = _OVERRIDE.fullmatch(one.thing) if isinstance(one.thing, str) else None
        if written is None:
            layers.append(Items({}, complete=False))
        elif repository.has_group(written["key"].partition("@")[0]):
            chosen[written["sign"] + written["key"]] = written["value"]
        else:
            value = resolve(written["value"], True, None)
            given = unseen(one.span) if value.opaque else (Possibility(value.constant, one.span),)
            path, _, key = written["key"].rpartition(".")
            layers.append(nested(filter(None, path.split(".")), Items({key: given}), one.span))
    tree = composition.chosen(repository, name, chosen, trail)
    for layer in layers if tree is not None else ():
        assert tree is not None
        tree = merged(tree, layer)
    return tree


def _items(evaluator: Evaluator, node: ast.expr | None, frame: Frame) -> Iterator[Possibility]:
    """Yield the items of a list that is written out; something that was not seen stands for all others."""
    for one in evaluator.evaluate(node, frame) if node is not None else ():
        if isinstance(one.thing, Row):
            for values in one.thing.items:
                yield values[0] if len(values) == 1 else unseen(one.span)[0]
        elif one.thing is not None:
            yield from unseen(one.span)
