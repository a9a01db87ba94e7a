"""Configurations written in Python for OpenMMLab's runners, which make a loader of each ``train_dataloader`` and so on.

mmengine (``mmengine/config/config.py`` and ``mmengine/runner/runner.py``, 0.10): the files that ``_base_`` names are
read first, and a dictionary of the file is merged into theirs key by key unless it says ``_delete_=True``; where one of
them is missing, reading raises. What stands below ``with read_base():`` are plain imports. What stands in a folder
``_base_`` is a part of configurations ("Learn about configs" of MMDetection's documentation), and one that has no model
is none by itself. ``Runner.build_dataloader`` hands the keys to torch's DataLoader. Before it, projects built on mmcv 1
made theirs of ``data``, whose ``samples_per_gpu`` and ``workers_per_gpu`` count for each GPU (``build_dataloader`` of
``mmdet/datasets/builder.py``, 2.x). There every name of a file that does not begin with ``__`` is a setting, a module
that is imported included, which ``Config.dump`` and ``Config.pretty_text`` cannot write (``mmcv/utils/config.py``,
``_file2dict``, before 1.5).
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.following import changes, modules
from loaderlint.linking.loaders.made import value_of
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.loaders.sites import TORCH_KIND
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import Frame, Items, Possibilities, Possibility, Row, end_of, unseen
from loaderlint.linking.things.merging import overwritten
from loaderlint.model.loader import TORCH_DEFAULTS, Loader
from loaderlint.model.source import Language, Span
from loaderlint.model.value import NO_ASSUMPTIONS
from loaderlint.readers.python import PythonFacts
from loaderlint.vocabulary.callables import LoaderCallable

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_MMCV = LoaderCallable(spelling={"batch_size": "samples_per_gpu", "num_workers": "workers_per_gpu"})
LOADERS = {
    "train_dataloader": TORCH_KIND,
    "val_dataloader": TORCH_KIND,
    "test_dataloader": TORCH_KIND,
    "data": _MMCV,
}
"""The settings of a configuration that a runner makes loaders of, and how each names torch's options."""

_FRAMEWORKS = ("mmengine", "mmcv")
_SPEAK_OF_DATA = re.compile(rb"mm(?:cv|engine|det|seg|cls|pose|pretrain|action|ocr|rotate|track|edit|gen|3d)|_per_gpu")
"""What code says that hands ``data`` to a loader: the name of one of OpenMMLab's packages, or of one of its keys."""
_READS = "Config.fromfile("
_RUNS = re.compile(
    rb"(?i)build|dataloader|\bmim\b|regist|runner|subprocess|\bsystem\b|(?<![a-z])train|\bmm(?!engine|cv)[a-z0-9]+"
)
"""What code says, one way or another, that does more with configurations than read them."""
_PARTS = "_base_"
"""The folder of what configurations are put together from, and the name under which a file says what it inherits."""
_NAMED_PATH = re.compile(r"""["']([^"'\n]+\.py)["']""")
_NAMED_MODULE = re.compile(r"""from\s+([.\w]+)\s+import""")
_TOP_FOLDER = re.compile(r"(?:\.\./)*[^/]*")
_LONGEST_INHERITANCE = 10
"""Files that inherit from each other; a longer chain is not followed."""


def loaders(evaluator: Evaluator) -> Iterator[Loader]:
    """Yield a loader for every mapping of loader settings that a configuration writes down, after what it inherits."""
    found = [facts for facts in evaluator.project.all_python() if _is_configuration(facts)]
    if not found:
        return
    evaluator.project.read_mentions(_FRAMEWORKS)
    consumer_seen = evaluator.project.code_mentions(_FRAMEWORKS)
    only_read = consumer_seen and _are_only_read(evaluator)
    parts = [one.source.path for one in found if _is_part(one)]
    broken = {one.source.path for one in found if not _is_whole(evaluator, one)}
    unused = set(parts) - _taken_in(evaluator, parts, broken) if parts else set()
    for facts in found:
        if facts.source.path in broken | unused:
            continue
        places: set[Span] = set()
        for name, kind in LOADERS.items():
            loader = _loader(evaluator, facts, name, kind)
            if loader is not None and loader.span not in places:
                places.add(loader.span)
                read = _read_with(evaluator, facts)
                asked_for = consumer_seen or kind is TORCH_KIND or evaluator.project.programs_mention(_SPEAK_OF_DATA)
                asked_for = asked_for and not only_read
                yield replace(loader, consumer_seen=consumer_seen, asked_for=asked_for, settings_files=read)


def _are_only_read(evaluator: Evaluator) -> bool:
    """Return whether all that a project does with configurations is to read them, as what prints one does.

    A script of a shell may run what is installed.
    """
    project = evaluator.project
    return project.code_mentions((_READS,)) and not (project.programs_mention(_RUNS) or _has_scripts(project, ""))


def _has_scripts(project: Project, folder: str) -> bool:
    """Return whether a script of a shell lies in a folder, or below it."""
    if any(Language.of(name) is Language.SHELL for name in project.folder(folder)):
        return True
    return any(_has_scripts(project, posixpath.join(folder, name)) for name in project.folders_in(folder))


def _is_configuration(facts: PythonFacts) -> bool:
    """Return whether a file is nothing but settings, of a loader among others."""
    plain = not any(isinstance(one, ast.FunctionDef | ast.ClassDef | ast.If | ast.For) for one in facts.tree.body)
    return plain and (_inherits(facts) or any(name in facts.module.bindings for name in LOADERS))


def _inherits(facts: PythonFacts) -> bool:
    return _PARTS in facts.module.bindings or "read_base" in facts.module.bindings


def _is_read(evaluator: Evaluator, facts: PythonFacts) -> bool:
    """Return whether a file gives names to plain values alone, where a program reads such files by their paths."""
    plain = all(isinstance(one, ast.Assign) or _is_docstring(one) for one in facts.tree.body)
    called = {name for name, calls in facts.calls.items() if calls}
    return plain and called <= {"dict"} and evaluator.project.code_mentions((_READS,))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_part(facts: PythonFacts) -> bool:
    """Return whether a file is no configuration by itself, only what others take in."""
    return _PARTS in facts.source.path.split("/") and "model" not in facts.module.bindings


def _is_whole(evaluator: Evaluator, facts: PythonFacts, depth: int = 0) -> bool:
    """Return whether none of the files that a configuration inherits from was seen to be missing."""
    if _PARTS not in facts.module.bindings or depth > _LONGEST_INHERITANCE:
        return True

    def whole() -> bool:
        return not any(_is_missing(evaluator, path, depth) for path in _bases(evaluator, facts) if path is not None)

    return evaluator.remembered(("whole settings", facts.source.path, depth), None, whole)


def _is_missing(evaluator: Evaluator, path: str, depth: int) -> bool:
    """Return whether a file, or one that it inherits from, is not there.

    Where nothing of the folder is there it may be another repository's, checked out by those who run the project.
    """
    base = evaluator.project.python(path)
    if base is not None:
        return not _is_whole(evaluator, base, depth + 1)
    folder = _TOP_FOLDER.match(posixpath.dirname(path))
    assert folder is not None
    return not evaluator.project.exists(path) and evaluator.project.has_folder(folder[0])


def _read_with(evaluator: Evaluator, facts: PythonFacts) -> frozenset[str]:
    """Return the paths of a configuration and of all that it inherits from."""
    found: dict[str, None] = {}
    waiting = [facts]
    for _ in range(_LONGEST_INHERITANCE + 2):
        found.update((one.source.path, None) for one in waiting)
        inheriting = (one for one in waiting if _PARTS in one.module.bindings)
        paths = dict.fromkeys(path for one in inheriting for path in _bases(evaluator, one) if path is not None)
        bases = (evaluator.project.python(path) for path in paths if path not in found)
        waiting = [one for one in bases if one is not None]
    return frozenset(found)


def _taken_in(evaluator: Evaluator, parts: list[str], broken: Set[str]) -> set[str]:
    """Return those of some parts of configurations that a file of the project names, whatever else it is about.

    What a file that cannot be read inherits from is taken in by nothing.
    """
    taken: set[str] = set()
    for path, text in evaluator.project.python_mentioning(_PARTS):
        if path in broken:
            continue
        folder = posixpath.dirname(path)
        for name in _NAMED_PATH.findall(text):
            from_anywhere = "/" + name.rpartition("::")[2]
            beside = posixpath.normpath(posixpath.join(folder, name))
            taken.update(one for one in parts if one == beside or f"/{one}".endswith(from_anywhere))
        for module in _NAMED_MODULE.findall(text):
            ending = "/" + module.strip(".").replace(".", "/") + ".py"
            taken.update(one for one in parts if one != path and f"/{one}".endswith(ending))
    return taken


def _loader(evaluator: Evaluator, facts: PythonFacts, name: str, kind: LoaderCallable) -> Loader | None:
    spelled = {option: kind.spelling.get(option, option) for option in TORCH_DEFAULTS}
    place = _written(facts, name)
    own = _own(evaluator, facts, name) if place is not None else ()
    if place is None or not any(_holds(one, set(spelled.values())) for one in own):
        return None
    values = _value(evaluator, facts, name)
    if len(values) != 1 or not isinstance(values[0].thing, Items):
        return None
    items = values[0].thing
    if kind is _MMCV and "workers_per_gpu" not in items.entries:
        return None
    if kind is TORCH_KIND and "dataset" not in items.entries and not (_inherits(facts) or _is_read(evaluator, facts)):
        return None
    options = {
        option: value_of(evaluator, option, Given.known(given), (NO_ASSUMPTIONS,), place)
        for option, key in spelled.items()
        if (given := items.entries.get(key) or (() if items.complete else unseen(place)))
    }
    return Loader(place, name, options, kind.spelling)


def _written(facts: PythonFacts, name: str) -> Span | None:
    """Return where a file writes settings down or changes them, None where it does neither."""
    every = [*facts.module.bindings.get(name, ()), *facts.module.set_on.get(name, ())]
    for binding in sorted(every, key=lambda one: one.place.order):
        if binding.kind == "import" or (binding.kind == "assign" and isinstance(binding.value, ast.Name)):
            continue
        mapping = binding.value if binding.kind == "assign" and binding.name == name else None
        return facts.span(mapping if isinstance(mapping, ast.Call | ast.Dict) else binding.node)
    return None


def _holds(one: Possibility, options: set[str]) -> bool:
    return isinstance(one.thing, Items) and bool(options & one.thing.entries.keys())


def _value(evaluator: Evaluator, facts: PythonFacts, name: str, depth: int = 0) -> Possibilities:
    """Return what a configuration gives a name after all it inherits; nothing where it does not give it."""
    own = _own(evaluator, facts, name)
    if _PARTS not in facts.module.bindings:
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


def _own(evaluator: Evaluator, facts: PythonFacts, name: str) -> Possibilities:
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
    if depth > _LONGEST_INHERITANCE:
        return unseen(span)
    found: list[Possibility] = []
    for path in _bases(evaluator, facts):
        base = evaluator.project.python(path) if path is not None else None
        found.extend(unseen(span) if base is None else _value_of_base(evaluator, base, name, depth + 1))
    below = Possibility(Items({name: tuple(found)}), span)
    (after,) = changes.changed(evaluator, [below], _PARTS, Frame(facts, end_of(facts.module)), None, -1)
    return after.thing.entries.get(name, ()) if isinstance(after.thing, Items) and found else ()


def _value_of_base(evaluator: Evaluator, base: PythonFacts, name: str, depth: int) -> Possibilities:
    """Return what `_value` does, worked out once for all the files that inherit it."""
    key = ("settings", base.source.path, name, depth)
    return evaluator.remembered(key, None, lambda: _value(evaluator, base, name, depth))


def _bases(evaluator: Evaluator, facts: PythonFacts) -> Iterator[str | None]:
    """Yield the paths of the files a file inherits from, None for one that is not followed."""
    frame = Frame(facts, end_of(facts.module))
    for one in evaluator.bound(_PARTS, frame, None, facts.span(facts.tree.body[0])):
        names = [name for item in one.thing.items for name in item] if isinstance(one.thing, Row) else [one]
        for name in names:
            written = name.thing if isinstance(name.thing, str) else ""
            # `{{ fileDirname }}` is filled in first, and `mmdet::` names an installed package.
            path = written if written.endswith(".py") and not re.search("^/|::|{{", written) else None
            folder = posixpath.dirname(facts.source.path)
            yield None if path is None else posixpath.normpath(posixpath.join(folder, path))
