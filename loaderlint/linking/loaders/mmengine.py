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
from loaderlint.linking.following.configurations import python_files
from loaderlint.linking.following.configurations.inheriting import LONGEST_INHERITANCE, PARTS, is_part
from loaderlint.linking.following.configurations.python_files import inherits
from loaderlint.linking.loaders.made import value_of
from loaderlint.linking.loaders.options import Given
from loaderlint.linking.loaders.sites import TORCH_KIND
from loaderlint.linking.things.kinds import Items, Possibility
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS
from loaderlint.model.loader import TORCH_DEFAULTS, Loader
from loaderlint.model.source import Language, Span
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
_NAMED_PATH = re.compile(r"""["']([^"'\n]+\.py)["']""")
_NAMED_MODULE = re.compile(r"""from\s+([.\w]+)\s+import""")
_TOP_FOLDER = re.compile(r"(?:\.\./)*[^/]*")


def loaders(evaluator: Evaluator) -> Iterator[Loader]:
    """Yield a loader for every mapping of loader settings that a configuration writes down, after what it inherits."""
    found = [facts for facts in evaluator.project.all_python() if _is_configuration(facts)]
    if not found:
        return
    evaluator.project.read_mentions(_FRAMEWORKS)
    consumer_seen = evaluator.project.code_mentions(_FRAMEWORKS)
    only_read = consumer_seen and _are_only_read(evaluator)
    parts = [one.source.path for one in found if is_part(one)]
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
    return plain and (inherits(facts) or any(name in facts.module.bindings for name in LOADERS))


def _is_read(evaluator: Evaluator, facts: PythonFacts) -> bool:
    """Return whether a file gives names to plain values alone, where a program reads such files by their paths."""
    plain = all(isinstance(one, ast.Assign) or _is_docstring(one) for one in facts.tree.body)
    called = {name for name, calls in facts.calls.items() if calls}
    return plain and called <= {"dict"} and evaluator.project.code_mentions((_READS,))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_whole(evaluator: Evaluator, facts: PythonFacts, depth: int = 0) -> bool:
    """Return whether none of the files that a configuration inherits from was seen to be missing."""
    if PARTS not in facts.module.bindings or depth > LONGEST_INHERITANCE:
        return True

    def whole() -> bool:
        return not any(
            _is_missing(evaluator, path, depth) for path in python_files.bases(evaluator, facts) if path is not None
        )

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
    for _ in range(LONGEST_INHERITANCE + 2):
        found.update((one.source.path, None) for one in waiting)
        inheriting = (one for one in waiting if PARTS in one.module.bindings)
        paths = dict.fromkeys(
            path for one in inheriting for path in python_files.bases(evaluator, one) if path is not None
        )
        bases = (evaluator.project.python(path) for path in paths if path not in found)
        waiting = [one for one in bases if one is not None]
    return frozenset(found)


def _taken_in(evaluator: Evaluator, parts: list[str], broken: Set[str]) -> set[str]:
    """Return those of some parts of configurations that a file of the project names, whatever else it is about.

    What a file that cannot be read inherits from is taken in by nothing.
    """
    taken: set[str] = set()
    for path, text in evaluator.project.python_mentioning(PARTS):
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
    own = python_files.own_value(evaluator, facts, name) if place is not None else ()
    if place is None or not any(_holds(one, set(spelled.values())) for one in own):
        return None
    values = python_files.value(evaluator, facts, name)
    if len(values) != 1 or not isinstance(values[0].thing, Items):
        return None
    items = values[0].thing
    if kind is _MMCV and "workers_per_gpu" not in items.entries:
        return None
    if kind is TORCH_KIND and "dataset" not in items.entries and not (inherits(facts) or _is_read(evaluator, facts)):
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
