"""Which names of a file the rest of the project takes from it."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property, partial
from pathlib import PurePosixPath
from typing import Protocol

from loaderlint.linking.files.known import OtherFiles
from loaderlint.linking.files.project import Project
from loaderlint.linking.files.search_path import upwards
from loaderlint.linking.files.words import as_bytes
from loaderlint.model.imported import Imported
from loaderlint.model.source import Language, Source
from loaderlint.readers.python_calls import arguments, called_name, keywords
from loaderlint.readers.python_scopes import dotted
from loaderlint.vocabulary.imports import GIVE_ALL_NAMES, IMPORT_FUNCTIONS, WORDS

_IMPORT = re.compile(rb"\b(?:from\s+[\w.]+\s+)?import\b\s*(?:\([^)]{0,9999}\)|(?:[\w.,*\t ]|\\\r?\n)*)")
_QUOTED = re.compile(rb"[\"'}][\w.:/-]+[\"'{]")
_NAMES_A_MODULE = re.compile(r"\.*\w+(?:[.:]\w+)*|[\w./-]+\.py")
_NAME_IN_IT = re.compile(r"(?<=\w)[.:](\w+)")
_COMMENT = re.compile(rb"(?<!\S)#[^\n]*")
_EVERY_NAME = "*"
_NO_NAME = ""
_WORD = re.compile(rb"\w+")
_NAMES_PROGRAMS = frozenset({Language.SHELL, Language.TOML, Language.YAML})
_SETUP = "setup.py"
_BESIDE = ("setup.cfg", "Dockerfile", "Makefile", "Procfile")
"""Files in none of the languages we read that stand beside a program, or above it, and may name an object of it."""


class _Means(Protocol):
    """Whether a dotted name stands for the module that is asked about."""

    def __call__(self, name: str, /) -> bool: ...


class Importers:
    """The files of a project by what they import.

    A file imports whether or not it says a word of loaders, so all of them are asked; their bytes are read once.
    """

    def __init__(self, sources: Mapping[str, Source], others: OtherFiles | None) -> None:
        self._project = Project(sources, others)
        self._others = others

    def of(self, path: str) -> Imported:
        """Return what other files take from a file."""
        file = PurePosixPath(path)
        stem = file.parent.name if file.name == "__init__.py" else file.stem
        found: dict[str, str] = {}
        for other in self._mentioning.get(as_bytes(stem), ()):
            facts = self._project.python(other) if other != path else None
            if facts is not None:
                for name in _taken(facts.tree, partial(self._means, other, path)):
                    if name != _NO_NAME or not other.endswith("__init__.py"):
                        found.setdefault(name, other)
        for other, content in self._naming_programs(path).items():
            for name in _named(content, stem):
                found.setdefault(name, other)
        every, alone = found.pop(_EVERY_NAME, ""), found.pop(_NO_NAME, "")
        return Imported(found, every, alone, self.own(path))

    def own(self, path: str) -> frozenset[str]:
        """Return the first names of what a file imports of the project; a folder alone is no library's namesake."""
        facts = self._project.python(path)
        names = {name for node in ast.walk(facts.tree) for name in _imported(node)} if facts is not None else ()
        return frozenset(name.split(".")[0] for name in names if next(self._along(name, path), None) is not None)

    def modules(self, path: str, words: Set[str]) -> Iterator[tuple[str, str, Set[str]]]:
        """Yield the project's modules that a file imports for some words: their paths, and which names it takes.

        First comes what leads these names where the file calls them: the module's dotted name, with a dot before it as
        a relative import has, or nothing where a star takes them.
        """
        facts = self._project.python(path)
        for node in ast.walk(facts.tree) if facts is not None else ():
            if isinstance(node, ast.Import):
                for name in (one.name for one in node.names if (one.asname or one.name.split(".")[0]) in words):
                    yield from ((f".{part}.", module, words) for part, module in self._along(name, path))
            elif isinstance(node, ast.ImportFrom):
                base = "." * node.level + (node.module or "")
                leading = f"{base}." if node.module and node.level else base if node.level else f".{base}."
                whole = self._project.module(base, path)
                for name in (one.name for one in node.names if (one.asname or one.name) in {*words, _EVERY_NAME}):
                    inner = self._project.module(f"{base}.{name}" if node.module else base + name, path)
                    if inner is not None:
                        yield f"{leading}{name}.", inner, words
                    elif whole is not None:
                        yield ("", whole, words) if name == _EVERY_NAME else (leading, whole, {name})

    def words(self, path: str, wanted: Set[str] | None = None) -> frozenset[str]:
        """Return the wanted names, those that a file's definitions of these mention, and so on; all names for none."""
        facts = self._project.python(path)
        if facts is None:
            return frozenset()
        if wanted is None:
            return frozenset(_words([facts.tree]))
        definitions: dict[str, list[ast.AST]] = {}
        for node in facts.tree.body:
            for name in _defined(node):
                definitions.setdefault(name, []).append(node)
        found: set[str] = set()
        waiting = set(wanted)
        while waiting:
            found |= waiting
            waiting = {word for name in waiting for word in _words(definitions.pop(name, ()))} - found
        return frozenset(found)

    def source(self, path: str) -> Source | None:
        """Return the source of a file."""
        return self._project.source(path)

    def _along(self, name: str, path: str) -> Iterator[tuple[str, str]]:
        """Yield the modules of the project that a dotted name leads a file through, each with its own name."""
        parts = name.split(".")
        for part in (".".join(parts[: end + 1]) for end in range(len(parts))):
            module = self._project.module(part, path)
            if module is not None:
                yield part, module

    @cached_property
    def _mentioning(self) -> Mapping[bytes, list[str]]:
        """The files that import something by a word, by the word."""
        found: dict[bytes, list[str]] = {}
        for path in self._project.paths:
            if Language.of(path) is Language.PYTHON:
                content = self._content(path)
                quoted = _QUOTED.findall(content) if any(word in content for word in WORDS) else ()
                imports = (*_IMPORT.findall(content), *quoted)
                for word in {word for text in imports for word in _WORD.findall(text)}:
                    found.setdefault(word, []).append(path)
        return found

    def _naming_programs(self, path: str) -> Mapping[str, bytes]:
        """Return the files that may name an object of a module: ``train:main``, ``python -c "from train import net"``.

        packaging.python.org, "Entry points specification"; docs.gunicorn.org, "Running Gunicorn".
        """
        beside = (posixpath.join(folder, name) for folder in upwards(posixpath.dirname(path)) for name in _BESIDE)
        return {**self._that_start_programs, **{one: self._content(one) for one in beside}}

    @cached_property
    def _that_start_programs(self) -> Mapping[str, bytes]:
        return {
            path: self._content(path)
            for path in self._project.paths
            if Language.of(path) in _NAMES_PROGRAMS or PurePosixPath(path).name == _SETUP
        }

    def _content(self, path: str) -> bytes:
        source = self._project.sources.get(path)
        if source is not None:
            return source.content
        return (self._others.content(path) if self._others is not None else None) or b""

    def _means(self, importer: str, path: str, name: str) -> bool:
        if name.endswith(".py"):
            return f"/{path}".endswith(posixpath.normpath(f"/{name.lstrip('./')}"))
        return self._project.module(name, importer) == path


def _imported(node: ast.AST) -> Iterator[str]:
    """Yield the dotted names that an import brings in, other than those of the package around it."""
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from (f"{node.module}.{one.name}" for one in node.names)


def _defined(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module defines, in whichever branch."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    else:
        for one in ast.walk(node):
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield one.name
            elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
                yield one.id


def _words(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names and attributes that stand in some nodes, those that imports take too."""
    for node in (one for outer in nodes for one in ast.walk(outer)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.alias(name=name, asname=bound):
                yield from (name.split(".")[-1], bound or name)
            case ast.Constant(value=str(name)) if name.isidentifier():
                yield name


def _named(content: bytes, stem: str) -> Iterator[str]:
    """Yield what a text takes from modules of a name: by ``module:object``, and by the imports written out in it."""
    content = _COMMENT.sub(b"", content)
    module = rb"(?<![\w/])%s" % re.escape(as_bytes(stem))
    yield from (name.decode() for name in re.findall(module + rb":(\w+)", content))
    statements = [one for text in _IMPORT.findall(content) if as_bytes(stem) in text for one in _parsed(text)]
    taken = set(_taken(ast.Module(statements, []), lambda name: name.rpartition(".")[2] == stem))
    if _NO_NAME in taken:
        read = {name.decode() for name in re.findall(module + rb"\.(\w+)", content)} - {"py"}
        taken = taken - {_NO_NAME} | read if read else taken
    yield from sorted(taken)


def _parsed(text: bytes) -> list[ast.stmt]:
    try:
        return ast.parse(text.strip(b" \t,")).body
    except (SyntaxError, ValueError):
        return []


def _taken(tree: ast.Module, means: _Means) -> Iterator[str]:
    """Yield the names that a program takes from a module; that it imports it for none of them; that it may take all."""
    modules: set[str] = set()
    taken: set[str] = set()
    alone = ran = False
    functions, bound = import_functions(tree), _texts_bound(tree)

    def told(node: ast.expr) -> tuple[str, list[str]]:
        """Return the import function that an expression calls, if any, and the texts that may say which module."""
        function = functions.get(called_name(node), "") if isinstance(node, ast.Call) else ""
        parameters = IMPORT_FUNCTIONS.get(function, ("",))
        text = arguments(node, parameters).get(parameters[-1]) if isinstance(node, ast.Call) else None
        return function, [*_texts(text, bound)] if function and text is not None else []

    def imports(node: ast.expr) -> bool:
        """Return whether an expression imports the module by its name."""
        function, texts = told(node)
        return function not in GIVE_ALL_NAMES and any(map(means, texts))

    def is_module(node: ast.expr) -> bool:
        return dotted(node) in modules or imports(node)

    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules.update(one.asname or one.name for one in names if means(one.name))
            case ast.ImportFrom(module=module, names=names, level=level):
                base = "." * level + (module or "")
                if means(base):
                    taken.update(one.name for one in names)
                inner = base if base.endswith(".") else f"{base}."
                modules.update(one.asname or one.name for one in names if means(inner + one.name))
            case ast.Assign(targets=[target], value=value) if imports(value):
                modules.add(dotted(target) or "")
            case ast.Call():
                function, texts = told(node)
                named = any(map(means, texts))
                if function in GIVE_ALL_NAMES:
                    ran = ran or (named and not runs_as_program(node))
                else:
                    alone = alone or named
                    taken.update(name for text in texts for name in _of_module(text, means))
    items: set[ast.expr] = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.Call(func=ast.Name(id="getattr"), args=[owner, asked, *_])
                | ast.Subscript(value=ast.Call(func=ast.Name(id="vars"), args=[owner]), slice=asked)
                | ast.Subscript(value=ast.Attribute(value=owner, attr="__dict__"), slice=asked)
            ) if is_module(owner):
                taken.add(str(asked.value) if isinstance(asked, ast.Constant) else _EVERY_NAME)
                items.update([node.value] if isinstance(node, ast.Subscript) else [])
            case ast.Call(func=ast.Name(id="vars"), args=[owner]) | ast.Attribute(value=owner, attr="__dict__") if (
                is_module(owner)
            ):
                taken.update(() if node in items else [_EVERY_NAME])
            case ast.Attribute(value=owner, attr=name) if is_module(owner):
                taken.add(name)
    yield from sorted(taken | {_EVERY_NAME} if ran else taken)
    if ran or ((modules or alone) and not taken):
        yield _NO_NAME


def import_functions(tree: ast.Module) -> dict[str, str]:
    """Return the functions that import a module by its name, by what a program calls them."""
    found = {name: name for name in IMPORT_FUNCTIONS}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=names):
                found.update((one.asname, one.name) for one in names if one.asname and one.name in IMPORT_FUNCTIONS)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=of) | ast.Attribute(attr=of)) if (
                of in IMPORT_FUNCTIONS
            ):
                found[name] = of
    return found


def _texts_bound(tree: ast.Module) -> dict[str, list[str]]:
    """Return the texts that stand in what a program binds to a name, by assignments and loops, in any scope of it."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                targets = [target]
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                targets = [target]
            case _:
                continue
        for one in (one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)):
            found.setdefault(one.id, []).extend(_texts(value, {}))
    return found


def _texts(node: ast.expr, bound: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the texts that may name a module in an expression, and in what the names in it are bound to."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield from bound.get(one.id, ())
        elif isinstance(one, ast.Constant) and isinstance(one.value, str) and _NAMES_A_MODULE.fullmatch(one.value):
            yield one.value


def _of_module(text: str, means: _Means) -> Iterator[str]:
    """Yield the name that a text takes from the module: ``net`` of ``train:net`` and ``train.net.weight``."""
    if not text.endswith(".py"):
        yield from (one[1] for one in _NAME_IN_IT.finditer(text) if means(text[: one.start()]))


def runs_as_program(call: ast.Call) -> bool:
    """Return whether code is run under the name that a guard asks for (``runpy``)."""
    match keywords(call).get("run_name"):
        case ast.Constant(value="__main__"):
            return True
    return False
