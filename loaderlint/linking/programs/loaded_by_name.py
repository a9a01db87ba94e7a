"""Where code may bring in a module by a name that stands in no import: such a module need not be the program.

A launcher that imports ``experiments.NAME`` runs what that module does at import. Its workers import the launcher.
"""

from __future__ import annotations

import ast
import fnmatch
import glob
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.files.importers import import_functions, runs_as_program
from loaderlint.linking.scopes.texts import UNSEEN, scope_of, texts_of
from loaderlint.linking.workers.top_level import touch_at
from loaderlint.model.payload import Touch
from loaderlint.readers.python import CallSite, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.imports import IMPORT_FUNCTIONS, IMPORT_WHAT_THEY_GET, TAKE_PATHS, WORDS

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_LOADS = re.compile(b"|".join(map(re.escape, WORDS)))
_CLASS_NAMED = re.compile(r"\b(?:_target_|class_path)[\"']?\s*[:=]\s*[\"']?([\w.]+)")
"""How configurations name a class whose module is imported for it: of Hydra, of jsonargparse."""
_UP = re.compile(r"(?:\.{0,2}/)*")
_STANDS_IN = "_unseen_"


def loaded_by_name(evaluator: Evaluator, path: str) -> Touch | None:
    """Return where other code may bring in a module without an import statement, None where none was seen to.

    Nothing imports a notebook.
    """
    if not path.endswith(".py"):
        return None
    return evaluator.remembered(("loaded by name", path), None, lambda: next(_loaded(evaluator, path), None))


def _loaded(evaluator: Evaluator, path: str) -> Iterator[Touch]:
    for facts in evaluator.project.python_files_with(_LOADS):
        if facts.source.path != path:
            functions = import_functions(facts.tree)
            for name, function in sorted(functions.items()):
                for site in facts.calls.get(name, ()):
                    if _may_mean(site, function, facts, path):
                        yield touch_at(facts, site.node)
            yield from (touch_at(facts, node) for node in _handed_on(facts, functions))
    for other in sorted(evaluator.project.direct_users(path)):
        source = evaluator.project.source(other)
        for one in _CLASS_NAMED.finditer(source.text) if source is not None else ():
            if source is not None and _names(one[1], path):
                yield Touch(source.span(one.start(), one.end()), one[0])


def _handed_on(facts: PythonFacts, functions: Mapping[str, str]) -> Iterator[ast.expr]:
    """Yield where a function that imports what it is given is handed on: ``map(import_module, names)``."""
    known: set[ast.AST] = set()
    for node in ast.walk(facts.tree):
        match node:
            case ast.Call(func=function) | ast.Assign(targets=[ast.Name()], value=function):
                known.add(function)
            case ast.Name(id=name) | ast.Attribute(attr=name) if node not in known and isinstance(node.ctx, ast.Load):
                if functions.get(name) in IMPORT_WHAT_THEY_GET:
                    yield node


def _may_mean(site: CallSite, function: str, facts: PythonFacts, path: str) -> bool:
    """Return whether a call of what imports a module by its name, or runs a file, may be about a module."""
    call, scope = site.node, site.place.scope
    parameters = IMPORT_FUNCTIONS[function]
    asked = arguments(call, parameters).get(parameters[-1])
    if asked is None or runs_as_program(call) or _is_method(call, scope):
        return False
    texts = texts_of(asked, scope)
    if function == "exec":
        return any(_code_means(text, path) for text in texts)
    if function in TAKE_PATHS:
        return any(_is_path(text, path) for text in texts)
    return any(_names(_absolute(text, call, facts), path) for text in texts)


def _is_method(call: ast.Call, scope: Scope) -> bool:
    """Return whether a function is one of an object: ``self.locate(name)``."""
    root = (dotted(call.func) or "").partition(".")[0]
    around = scope_of(root, scope)
    is_imported = around is None or any(one.kind == "import" for one in around.bindings[root])
    return isinstance(call.func, ast.Attribute) and not is_imported


def _absolute(name: str, call: ast.Call, facts: PythonFacts) -> str:
    """Return the name of a module from the outermost package on, as far as that was seen."""
    if not name.startswith("."):
        return name
    match arguments(call, ("name", "package")).get("package"):
        case ast.Constant(value=str(package)):
            pass
        case ast.Name(id="__name__" | "__package__"):
            package = facts.source.path.rpartition("/")[0].replace("/", ".")
        case _:
            package = UNSEEN
    return f"{UNSEEN}{name}" if name.startswith("..") else f"{package}{name}".lstrip(".")


def _names(name: str, path: str) -> bool:
    """Return whether a dotted name may be that of a module, of something in it, or of a module of its package."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = re.split(r"[.:]", name)
    pattern = "|".join(_pattern(".".join(parts[: end + 1])) for end in range(len(parts)) if parts[end])
    return bool(pattern) and re.fullmatch(rf"(?:.*\.)?(?:{pattern})", module) is not None


def _is_path(text: str, path: str) -> bool:
    """Return whether a text may be the path of a file, from whichever folder."""
    pattern = _pattern(_UP.sub("", text.replace("\\", "/"), count=1))
    return re.fullmatch(f"(?:.*/)?{pattern}", f"/{path}") is not None


def _code_means(text: str, path: str) -> bool:
    """Return whether code that is run may import a module or, where it is read from a file, be of that."""
    if "import" not in text:
        return _is_path(text, path)
    try:
        tree = ast.parse(text.replace(UNSEEN, _STANDS_IN))
    except (SyntaxError, ValueError):
        return True
    return any(_names(name.replace(_STANDS_IN, UNSEEN), path) for node in ast.walk(tree) for name in _imported(node))


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module or UNSEEN}.{one.name}" for one in node.names)


def _pattern(text: str) -> str:
    # Its stars never go back: many unseen pieces beside each other take no longer than one.
    return fnmatch.translate("*".join(map(glob.escape, text.split(UNSEEN))))
