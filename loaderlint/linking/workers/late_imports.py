"""Modules that the main process alone imports: in functions, and under the guard."""

from __future__ import annotations

import ast
import posixpath
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.workers.set_on_modules import GIVES_MODULES
from loaderlint.linking.workers.top_level import is_later
from loaderlint.model.source import Span
from loaderlint.readers.python import Place, PythonFacts, Scope, is_for_types
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.imports import IMPORT_FUNCTIONS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


_SET = re.compile(
    r"""
    \b(?P<owner>[A-Za-z_]\w*) (?:[\s\\)]*\.[\s\\]*\w+){0,8} [\s\\)\]"']*\.[\s\\]*(?P<attribute>\w+) [\s\\)\]]*
    (?: (?:[-+*/%@&|^]|\*\*|//|<<|>>)?=(?!=)          # base.COUNT = 1, base.COUNT += 1
      | (?P<comma>,)(?=[^\n=(){}]{0,200}=(?!=))      # base.COUNT, base.OTHER = 1, 2
      | :(?!=)[^\n=]{0,200}=(?!=) | \bin\b )          # base.COUNT: int = 1, for base.COUNT in ...
    | \b(?:as|del)\s+ (?P<other>[A-Za-z_]\w*) (?:\.\w+){0,8} \.(?P<of_other>\w+)
    """,
    re.X,
)
"""An attribute that a statement may set, and the first name of what it is set on."""
_MAY_SET = re.compile(
    r"""
    (?<!\bself)(?<!\bcls) \.[\s\\]* (\w+) [\s\\)\]]* (?:[-+*/%@&|^<>]{0,2}=(?!=)|[,:]|\bin\b)
    | \b(?:as|del)\s+ [A-Za-z_][\w.]* \.(\w+)
    """,
    re.X,
)
"""An attribute as `_SET` has it, and others: it takes a fifth of the time."""
_GIVEN = re.compile(r"\b(\w+)\s*=(?!=)")
"""What a call hands over by name, such as ``vars(base).update(COUNT=1)``, and every name that is given a value."""
_CALLED_SELF = re.compile(r"\b(?:as|import)[ \t]+(?:self|cls)\b")
"""What makes a module, or what is in one, known by the name that methods have for their object."""
_ON_SELF = re.compile(r"\b(?:self|cls)\.(\w+)")
_SETS_BY_NAME = ("setattr", "delattr", "vars", "__dict__")
"""Words one of which a module holds where `_BY_NAME` is in it."""
_OWN = frozenset({"self", "cls"})
_ANNOTATES = re.compile(r"(?:^|[(,\n])[ \t]*\*{0,2}(?!(?:else|finally|try)\b)\w+[ \t]*:[^=\n;]*\Z")
"""What stands before a type: ``x: torch.Tensor = None`` gives the type no attribute."""
_MOST_BEFORE = 200
"""Characters of a line that a type may stand behind."""
_BY_NAME = re.compile(
    r"\b(?:setattr|delattr|vars)\s*\(\s*([A-Za-z_]\w*)|\b([A-Za-z_]\w*)[\w.]*\.__(?:dict|setattr|delattr)__"
)
"""What has its attributes set by their names, which stand in quotes where they are known."""
_QUOTED = re.compile(r"""["'](\w+)["']""")
_BRINGS = re.compile(r"\b(?:from|import)\b([^\n;(\\]*(?:\([^)]*\)|\\\n[^\n;]*)?)")
_WORD = re.compile(r"\w+")
_IMPORT = re.compile(
    r"^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\((?:(?!\bas\b)[\w\s,])*\)|(?:(?!\bas\b)[\w \t,])*)[ \t]*(?=$|\#)",
    re.M,
)
"""An import that gives what it brings in no other name, and does nothing else."""
_INHERITS = re.compile(r"^[ \t]*class[ \t]+\w+[ \t]*\([\w., \t]*\)[ \t]*:", re.M)
_ANNOTATED = re.compile(r"->[ \t]*[\w.]+[ \t]*:")


def _any_of(names: Set[str]) -> str:
    """Return a pattern of names, which nothing matches where there are none."""
    return "|".join(map(re.escape, sorted(names))) or r"(?!)"


def _speaks(text: str, changed: Set[str], called: Set[str]) -> bool:
    """Return whether a module may change something, or call what does: it speaks of a name outside plain imports."""
    text = _IMPORT.sub("", text)
    if re.search(rf"\b(?:{_any_of(called)})\b", text):
        return True
    return re.search(rf"\b(?:{_any_of(changed)})\b", _ANNOTATED.sub("", _INHERITS.sub("", text))) is not None


def _may_be_set(text: str) -> frozenset[str]:
    """Return the names of attributes that a module may set, all that `_attributes_set` has among them."""
    found = {name for names in _MAY_SET.findall(text) for name in names}
    if any(word in text for word in _SETS_BY_NAME):
        found.update(_QUOTED.findall(text), _GIVEN.findall(text))
    if _CALLED_SELF.search(text):
        found.update(_ON_SELF.findall(text))
    return frozenset(map(sys.intern, found))


def _attributes_set(text: str) -> Set[str]:
    """Return the names of attributes that a module may set of what it imports."""
    imported = {name for names in _BRINGS.findall(text) for name in _WORD.findall(names)} - _OWN
    found = {
        one["attribute"] or one["of_other"]
        for one in _SET.finditer(text)
        if (imported & {one["owner"], one["other"]} or one["owner"] not in _OWN)
        and not (one["comma"] and "(" in text[text.rfind("\n", 0, one.start()) + 1 : one.start()])
        and not _ANNOTATES.search(text, max(0, one.start() - _MOST_BEFORE), one.start())
    }
    if any(imported & {*owners} for owners in _BY_NAME.findall(text)):
        found.update(_QUOTED.findall(text))
    return found


class _Late(NamedTuple):
    """An import that runs later than that of its file, with the modules that it runs."""

    span: Span
    modules: frozenset[str]


class LateImports:
    """What a program imports that a worker which is started anew does not import by itself."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._project = evaluator.project
        self._at_the_top: dict[str, frozenset[str]] = {}
        self._set_by: dict[str, Set[str]] = {}

    @property
    def exist(self) -> bool:
        """Whether some module is imported late."""
        return bool(self._late)

    def users(self, path: str, changed: Set[str], called: Set[str]) -> Iterator[PythonFacts]:
        """Yield the modules that import a file and may be imported late themselves, and may change something of it.

        They speak of a name that may be ``changed``, and not to import or inherit it alone, or of what is ``called`` to
        change one.
        """
        users = self._project.direct_users(path) & self._may_be_late - {path}
        speaking = {one for one in users if self._project.mentions(one, changed | called)}
        yield from self._read({one for one in speaking if _speaks(self._project.text(one), changed, called)})

    def setters(self, attributes: Set[str]) -> Iterator[PythonFacts]:
        """Yield the modules that may be imported late and may set one of these attributes of anything, by their text.

        Any module may import a library: of those of a large project few can be read for that.
        """
        yield from self._read({path for path in self._may_be_late if self._sets(path, attributes)})

    def replacing(self, path: str, names: Set[str]) -> Iterator[PythonFacts]:
        """Yield the modules that may be imported late and may put something in the place of names that a file has.

        They may set an attribute of such a name, and import the file, or what imports it, or get modules by name.
        """
        users = self._project.direct_users(path)
        around = {two for one in users for two in self._project.direct_users(one)} | self._by_name
        word = posixpath.basename(path.removesuffix("/__init__.py")).removesuffix(".py")
        near = {one for one in around - users if one in self._may_be_late and self._project.mentions(one, {word})}
        found = ((users & self._may_be_late) | near) - {path}
        yield from self._read({one for one in found if not names.isdisjoint(self._may_set[one])})

    def mentioning(self, words: Iterable[str]) -> Iterator[PythonFacts]:
        """Yield the modules that may be imported late and hold one of several words."""
        names = frozenset(words)
        yield from self._read({one for one in self._may_be_late if self._project.mentions(one, names)})

    @cached_property
    def _by_name(self) -> Set[str]:
        """The modules that may be imported late and may get others by their names."""
        return {one for one in self._may_be_late if self._project.mentions(one, GIVES_MODULES)}

    def _read(self, paths: Set[str]) -> Iterator[PythonFacts]:
        for path in sorted(paths):
            facts = self._project.python_in_passing(path)
            if facts is not None and facts.source.cells is None:
                yield facts

    def _sets(self, path: str, attributes: Set[str]) -> bool:
        """Return whether a module may set one of some attributes of anything, by its text."""
        if attributes.isdisjoint(self._may_set[path]):
            return False
        if path not in self._set_by:
            self._set_by[path] = _attributes_set(self._project.text(path))
        return not attributes.isdisjoint(self._set_by[path])

    @cached_property
    def _may_set(self) -> Mapping[str, frozenset[str]]:
        """The attributes that each module that may be imported late may set, and others."""
        return {path: _may_be_set(self._project.text(path)) for path in self._may_be_late}

    def besides(self, sent: Set[str], running: Iterable[Span]) -> Set[str]:
        """Return the modules that are imported late, and not with the files of what is ``sent`` to workers.

        What ``running`` functions import, which run in the workers, is there as well; and what a file imports at its
        top and in a function is there as soon as the file is.
        """
        running = list(running)
        found = set[str]()
        for late in self._late:
            if not any(one.holds(late.span) for one in running):
                found |= self._project.brought_in(late.modules) - self._with([late.span.path])
        return found - self._with([*sent, *(one for path in sent for one in self._packages(path))])

    @cached_property
    def _may_be_late(self) -> Set[str]:
        return self._project.brought_in(module for late in self._late for module in late.modules)

    @cached_property
    def _late(self) -> tuple[_Late, ...]:
        return tuple(one for facts in self._project.all_python() for one in self._of(facts) if one.modules)

    def _of(self, facts: PythonFacts) -> Iterator[_Late]:
        """Yield what a file imports late; an import by a name that is not known may be of all it speaks of."""
        path = facts.source.path
        for scope in facts.scopes.values() if facts.source.cells is None else ():
            for node, place in _imports(scope):
                if is_later(self._evaluator, facts, node, place) and not is_for_types(place):
                    yield _Late(facts.span(node), self._modules(node, path))
        for function, parameters in IMPORT_FUNCTIONS.items() if facts.source.cells is None else ():
            for site in facts.calls.get(function, ()):
                if is_later(self._evaluator, facts, site.node, site.place):
                    match arguments(site.node, parameters).get(parameters[-1]):
                        case ast.Constant(value=str(name)):
                            modules = self._found(_along(name), path)
                        case _:
                            modules = self._project.brought_in([path]) - {path}
                    yield _Late(facts.span(site.node), modules)

    def _with(self, paths: Iterable[str]) -> Set[str]:
        """Return files and all that they import at their top, directly or not."""
        found = set(paths)
        waiting = list(found)
        while waiting:
            further = self._imported(waiting.pop()) - found
            found |= further
            waiting.extend(further)
        return found

    def _imported(self, path: str) -> frozenset[str]:
        if path not in self._at_the_top:
            facts = self._project.python_in_passing(path)
            found = frozenset[str]()
            if facts is not None:
                for node, place in _imports(facts.module):
                    if not is_for_types(place) and not is_later(self._evaluator, facts, node, place):
                        found |= self._modules(node, path)
            self._at_the_top[path] = found
        return self._at_the_top[path]

    def _modules(self, node: ast.Import | ast.ImportFrom, path: str) -> frozenset[str]:
        if isinstance(node, ast.Import):
            return self._found((name for one in node.names for name in _along(one.name)), path)
        base = "." * node.level + (node.module or "")
        joint = base if base.endswith(".") else f"{base}."
        return self._found([*_along(base), *(joint + one.name for one in node.names)], path)

    def _found(self, names: Iterable[str], path: str) -> frozenset[str]:
        found = (self._project.module(name, path) for name in names)
        return frozenset(one for one in found if one is not None)

    def _packages(self, path: str) -> Iterator[str]:
        """Yield what runs before a module of a package does."""
        while path:
            path = posixpath.dirname(path)
            package = posixpath.join(path, "__init__.py")
            if not self._project.exists(package):
                return
            yield package


def _imports(scope: Scope) -> Iterator[tuple[ast.Import | ast.ImportFrom, Place]]:
    for bindings in scope.bindings.values():
        for one in bindings:
            if isinstance(one.node, ast.Import | ast.ImportFrom):
                yield one.node, one.place


def _along(name: str) -> Iterator[str]:
    """Yield the dotted names that lead to a module: those of its packages, and its own."""
    dots = len(name) - len(name.lstrip("."))
    parts = name[dots:].split(".")
    yield from (name[:dots] + ".".join(parts[: end + 1]) for end in range(len(parts)))
