"""Imports: what a name brought in from another module is, and what other files make of a module's names."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.following import set_by_functions
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import platforms
from loaderlint.linking.things.kinds import External, Folder, Frame, Module, Possibilities, Possibility
from loaderlint.linking.things.possibilities import one_of, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import ANY_GLOBAL, Binding, Place, PythonFacts, Scope, is_for_types, owners_set

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def imported(evaluator: Evaluator, binding: Binding, frame: Frame) -> Possibilities:
    """Return what an import gives its name: a module or member of the project, or something external."""
    span = frame.facts.span(binding.node)
    name = binding.target
    if name.endswith("*"):
        return _starred(evaluator, binding, binding.name, frame) or unseen(span)
    importer = frame.facts.source.path
    project = evaluator.project
    path = project.module(name, importer)
    if path is not None:
        package = _package_that_binds(project, path, binding.node, importer)
        if package is not None:
            last = name.rpartition(".")[2]
            return member(
                evaluator, Module(package), last, span, copied=frame.scope is frame.facts.module, reader=frame
            )
        return _module(project, path, span)
    if isinstance(binding.node, ast.Import):
        folder = _namespace(project, binding.node, name, importer)
        if folder is not None:
            return (Possibility(Folder(folder), span),)
        return platforms.fact(name, span) or (Possibility(External(name), span),)
    base, _, last = name.rpartition(".")
    if name.startswith(".") and not base.strip("."):
        base = "." * (len(name) - len(name.lstrip(".")))
    read = holder(project, base, last, importer) if base else None
    if read is not None:
        # A name that is imported at the top is a copy: what is set on the module later does not reach it.
        return member(evaluator, Module(read), last, span, copied=frame.scope is frame.facts.module, reader=frame)
    if name.startswith(".") or (base and project.module(base, importer) not in (None, importer)):
        return unseen(span)
    if _is_of_itself(project, base, last, frame):
        return member(evaluator, Module(frame.facts), last, span)
    return platforms.fact(name, span) or (Possibility(External(name), span),)


def import_module(evaluator: Evaluator, name: str, frame: Frame, span: Span) -> Possibilities:
    """Return what ``importlib.import_module(name)`` gives in the frame's file."""
    importer = frame.facts.source.path
    path = evaluator.project.module(name, importer)
    if path is None and evaluator.project.answers_to(importer, name):
        # A script may look up what it defines itself: ``target: main.Data`` in the settings of ``main.py``.
        path = importer
    if path is not None:
        return _module(evaluator.project, path, span)
    return unseen(span) if name.startswith(".") else (Possibility(External(name), span),)


def _module(project: Project, path: str, span: Span) -> Possibilities:
    facts = project.python(path)
    return unseen(span) if facts is None else (Possibility(Module(facts), span),)


def _package_that_binds(project: Project, path: str, node: ast.AST, importer: str) -> PythonFacts | None:
    """Return the package of a module that binds the module's name itself; None where an import gives the module.

    ``from package import name`` reads the package's attribute first, which may be a function out of the module.
    """
    folder, name = posixpath.split(path.removesuffix("/__init__.py").removesuffix(".py"))
    package = posixpath.join(folder, "__init__.py")
    if not isinstance(node, ast.ImportFrom) or package == importer:
        return None
    facts = project.python(package)
    bound = facts.module.bindings.get(name, ()) if facts is not None else ()
    return facts if any(one.kind == "import" and one.target.endswith(f".{name}.{name}") for one in bound) else None


def holder(project: Project, base: str, name: str, importer: str) -> PythonFacts | None:
    """Return the module that ``from base import name`` reads: of several possible ones the first with such a name."""
    read = (project.python(path) for path in project.modules(base, importer) if path != importer)
    found = [facts for facts in read if facts is not None]
    for facts in found:
        if name in facts.module.bindings or "*" in facts.module.bindings or "__getattr__" in facts.module.bindings:
            return facts
        if facts.source.path.endswith("__init__.py") and project.module(f".{name}", facts.source.path) is not None:
            return facts
    return found[0] if found else None


def _is_of_itself(project: Project, base: str, name: str, frame: Frame) -> bool:
    """Return whether ``from base import name`` in a function of a script takes a class or function of the same file.

    So a script does whose objects are pickled: they can be found again in a module of its name, in ``__main__`` not.
    """
    defined = frame.facts.module.bindings.get(name, ())
    return (
        frame.scope is not frame.facts.module
        and any(one.kind in ("class", "function") for one in defined)
        and project.answers_to(frame.facts.source.path, base)
    )


def _namespace(project: Project, node: ast.Import, name: str, importer: str) -> str | None:
    """Return the folder that ``import name.module`` binds to ``name`` where it has no ``__init__.py``."""
    for alias in node.names:
        path = project.module(alias.name, importer) if alias.asname is None else None
        if path is not None and alias.name.startswith(f"{name}."):
            inner = path.removesuffix("/__init__.py").removesuffix(".py")
            return inner.removesuffix(alias.name.removeprefix(name).replace(".", "/"))
    return None


def inside(evaluator: Evaluator, folder: Folder, name: str, span: Span) -> Possibilities:
    """Return the module or folder of a name in a folder without ``__init__.py``."""
    pretended = posixpath.join(folder.path, "__init__.py")
    path = evaluator.project.module(f".{name}", pretended)
    if path is not None:
        return _module(evaluator.project, path, span)
    return (Possibility(Folder(posixpath.join(folder.path, name)), span),)


def member(
    evaluator: Evaluator,
    module: Module,
    name: str,
    span: Span,
    *,
    copied: bool = False,
    reader: Frame | None = None,
) -> Possibilities:
    """Return what ``module.name`` can be: bound at its top level, a submodule, or brought in by a star import.

    Other files may set it as well; ``copied`` says that such a change need not reach the reader. What its functions
    set may depend on the place where a ``reader`` reads it.
    """
    facts = module.facts
    frame = Frame(facts, Place(facts.module, 0))
    if name in facts.module.bindings:
        own = set_by_functions.read(evaluator, facts, name, reader, span) if reader is not None else None
        found = own if own is not None else evaluator.bound(name, frame, None, span)
        return with_changes(evaluator, found, facts, name, span, copied=copied)
    if facts.source.path.endswith("__init__.py"):
        path = evaluator.project.module(f".{name}", facts.source.path)
        inner = evaluator.project.python(path) if path is not None else None
        if inner is not None:
            return (Possibility(Module(inner), span),)
    return star_import(evaluator, name, frame) or _collected(evaluator, facts, name, span) or unseen(span)


_IMPORTS = ("import_module", "__import__")


def _collected(evaluator: Evaluator, package: PythonFacts, name: str, span: Span) -> Possibilities | None:
    """Return what a package may have of one of its modules that defines a name, or of elsewhere; None for any other.

    It imports its modules by their names and lays what they define among its own: ``globals()[name] = attribute``.
    """
    by_name = any(one in package.calls for one in _IMPORTS)
    if not package.source.path.endswith("__init__.py") or not by_name or ANY_GLOBAL not in package.module.bindings:
        return None
    home = evaluator.once(("collected", id(package), name), None, lambda: _home(evaluator, package, name))
    if home is None:
        return None
    there = member(evaluator, Module(home), name, span, copied=True)
    return one_of(f"{name} of {package.source.path}", [("collected", there), ("another", unseen(span))])


def _home(evaluator: Evaluator, package: PythonFacts, name: str) -> PythonFacts | None:
    """Return the only module of a package that defines a function or class of a name."""
    folder, own = posixpath.split(package.source.path)
    defines = re.compile(rf"^(?:class|def) {re.escape(name)}\b", re.MULTILINE)
    project = evaluator.project
    paths = (posixpath.join(folder, one) for one in project.folder(folder) if one.endswith(".py") and one != own)
    homes = [one for one in paths if defines.search(project.text(one))]
    return project.python(homes[0]) if len(homes) == 1 else None


def star_import(evaluator: Evaluator, name: str, frame: Frame) -> Possibilities | None:
    """Return what a name can be that only a star import at the top of the module can have brought in.

    Of several star imports that bring it the last one counts. Modules that take it from each other bring nothing.
    """

    def found() -> Possibilities | None:
        brought = (_starred(evaluator, binding, name, frame) for binding in reversed(_stars(frame.facts)))
        return next((one for one in brought if one is not None and any(way.thing is not None for way in one)), None)

    return evaluator.once(("brought by a star", id(frame.facts), name), None, found)


def _starred(evaluator: Evaluator, binding: Binding, name: str, frame: Frame) -> Possibilities | None:
    """Return what one star import at the top of the module brings a name, None where it does not bring it."""
    span = frame.facts.span(binding.node)
    base, source = _star_source(evaluator, binding, frame.facts)
    if source is not None:
        if not _is_public(evaluator, source, name):
            return None
        if name in source.module.bindings:
            reader = Frame(frame.facts, binding.place)
            return member(evaluator, Module(source), name, span, copied=True, reader=reader)
        inner = star_import(evaluator, name, Frame(source, Place(source.module, 0)))
        return inner if inner is not None else _collected(evaluator, source, name, span)
    if name in _STAR_EXPORTS.get(base, ()):
        return (Possibility(External(f"{base}.{name}"), span),)
    return None


def stars_that_bind(evaluator: Evaluator, name: str, facts: PythonFacts) -> list[Binding]:
    """Return the star imports at the top of a module that bind a name, each as a binding of that name.

    A submodule that nobody bound in its package is none of the names a star brings.
    """
    return evaluator.once(
        ("stars", id(facts), name),
        [],
        lambda: [replace(one, name=name) for one in _stars_that_bind(evaluator, name, facts, set())],
    )


def _stars_that_bind(evaluator: Evaluator, name: str, facts: PythonFacts, asked: set[int]) -> Iterator[Binding]:
    asked.add(id(facts))
    for binding in _stars(facts):
        _, source = _star_source(evaluator, binding, facts)
        if source is None or id(source) in asked or not _is_public(evaluator, source, name):
            continue
        own = source.module.bindings.get(name, ())
        if any(one.kind not in MUTATIONS for one in own) or any(_stars_that_bind(evaluator, name, source, asked)):
            yield binding


def star_may_bind(evaluator: Evaluator, name: str, facts: PythonFacts) -> bool:
    """Return whether a star import of a module may bring a name: of modules not seen, and of packages, any comes."""
    waiting, asked = [facts], {id(facts)}
    while waiting:
        one = waiting.pop()
        for binding in one.module.bindings.get("*", ()):
            _, source = _star_source(evaluator, binding, one)
            if source is None or source.source.path.endswith("__init__.py") or _may_bind(source, name):
                return True
            if id(source) not in asked:
                asked.add(id(source))
                waiting.append(source)
    return False


def _may_bind(facts: PythonFacts, name: str) -> bool:
    """Return whether a module may bind a name of its own, or functions of it do."""
    module = facts.module
    outer = any(name in one.outer_names for one in facts.scopes.values())
    return outer or name in module.bindings or ANY_GLOBAL in module.bindings or "__getattr__" in module.bindings


def _stars(facts: PythonFacts) -> list[Binding]:
    """Return the star imports of a module that run; a package may have one of each of its modules for type checkers."""
    return [one for one in facts.module.bindings.get("*", ()) if not is_for_types(one.place)]


def _star_source(evaluator: Evaluator, binding: Binding, facts: PythonFacts) -> tuple[str, PythonFacts | None]:
    """Return the module that a star import names, and its file where it is another one of the project."""
    base = binding.target.removesuffix("*").rstrip(".") or "."
    if binding.target.startswith("."):
        base = binding.target.removesuffix("*")
        base = base if not base.strip(".") else base.rstrip(".")
    path = evaluator.project.module(base, facts.source.path)
    source = evaluator.project.python(path) if path is not None else None
    return base if path is None else "", source if source is not facts else None


def _is_public(evaluator: Evaluator, facts: PythonFacts, name: str) -> bool:
    """Return whether ``from module import *`` brings a name (Python reference, "The import statement")."""
    listed = facts.module.bindings.get("__all__")
    if listed is None:
        return not name.startswith("_")
    if len(listed) != 1 or not isinstance(listed[0].value, ast.List | ast.Tuple):
        return True
    names = listed[0].value.elts
    return any(not isinstance(one, ast.Constant) or one.value == name for one in names)


_STAR_EXPORTS = {"torch.utils.data": ("DataLoader", "Dataset", "IterableDataset", "TensorDataset")}
"""Names known to come out of a star import of a module outside the project."""


# --- what other files set ---


def attributes_set(project: Project) -> Mapping[str, Sequence[tuple[PythonFacts, Binding]]]:
    """Return the assignments to an attribute of something imported, in all files read so far, by the attribute."""
    found: dict[str, list[tuple[PythonFacts, Binding]]] = {}
    for facts in project.all_python():
        for scope in facts.scopes.values():
            for name, bindings in scope.bindings.items():
                root, _, attribute = name.rpartition(".")
                if root and _is_imported(root.partition(".")[0], scope):
                    found.setdefault(attribute, []).extend((facts, one) for one in bindings if one.kind in _SETS)
    return found


_SETS = ("assign", "augment", "unpack", "other")


def _is_imported(name: str, scope: Scope | None) -> bool:
    while scope is not None:
        if any(one.kind not in MUTATIONS for one in scope.bindings.get(name, ())):
            return any(one.kind == "import" for one in scope.bindings[name])
        scope = scope.parent
    return False


def with_changes(
    evaluator: Evaluator, own: Possibilities, facts: PythonFacts, name: str, span: Span, *, copied: bool = False
) -> Possibilities:
    """Return what a module gives a name, and what other files set it to.

    Whether a change comes before or after a copy was made was not seen.
    """
    if any(one.constant for one in own):
        evaluator.mentioned.update((f".{name}", f"setattr({_name_where_imported(facts)},"))
        if evaluator.blurred.may_set(Module(facts), name):
            own = (*own, *unseen(span))
    outer = list(_set_from_outside(evaluator, facts, name))
    if not outer:
        return own
    if copied:
        outer = [("elsewhere", unseen(span))]
    return one_of(f"what sets {facts.source.path}:{name}", [("own", own), *outer])


def _name_where_imported(facts: PythonFacts) -> str:
    """Return what a module is called where it is imported."""
    return posixpath.basename(facts.source.path.removesuffix("/__init__.py")).removesuffix(".py")


def _set_from_outside(evaluator: Evaluator, facts: PythonFacts, name: str) -> Iterator[tuple[str, Possibilities]]:
    for other, binding in evaluator.module_attributes_set.get(name, ()):
        where = Frame(other, binding.place)
        if any(
            isinstance(one.thing, Module) and one.thing.facts is facts
            for target in owners_set(binding.node, name)
            for one in evaluator.evaluate(target, where)
        ):
            yield str(other.span(binding.node)), evaluator.binding(binding, where)
