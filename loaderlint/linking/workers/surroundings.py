"""What modules read of their surroundings when they are imported, and a program changes later: a worker reads it anew.

That is the environment, the command line and the folder of the process, which workers have as the main process left
them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.top_level import full_name, is_later, meant_name, touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import Place, PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.vocabulary.file_reads import READS_FIRST

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_ENVIRONMENT, _WORDS = "os.environ", "sys.argv"
_READS_ENVIRONMENT = frozenset({"os.getenv", "os.environ.get", "os.environ.setdefault"})
_EXPANDS = "os.path.expandvars"
_VARIABLE = re.compile(r"\$(?:(\w+)|\{([^}]*)\})|%([^%]+)%")
"""How a path names a variable, in any system's words (``os.path.expandvars``)."""
_HOME = ("HOME", "USERPROFILE")
_READS_VARIABLES = {
    **dict.fromkeys(("os.path.expanduser", "pathlib.Path.home"), _HOME),
    "tempfile.gettempdir": ("TMPDIR", "TEMP", "TMP"),
    "shutil.which": ("PATH",),
}
"""Functions that ask for variables which they are not given the names of (their pages of Python's docs)."""
_FOLDER = "os.getcwd"
"""The folder that the process is in."""
_READS_FOLDER = frozenset(
    {"os.getcwd", "os.path.abspath", "os.path.realpath", "pathlib.Path.cwd"}
    | {"builtins.open", "glob.glob", "glob.iglob", "os.listdir", "os.scandir", "os.walk", "open"}
)
_READS_FOLDER_OF_PATH = frozenset(
    {"absolute", "glob", "iterdir", "open", "read_bytes", "read_text", "resolve", "rglob"}
)
"""Methods of a relative path that start from the folder of the process (``pathlib``)."""
_READS_WORDS = frozenset({"parse_args", "parse_known_args"})
"""Methods that read the words of the command line where they are given none (``argparse``)."""
_OF_A_FILE = "dotenv."
"""A library that sets what a file says, which may be any variable."""
_CHANGING = (
    *("append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update"),
    *("__delitem__", "__setitem__"),
)
_CHANGES_BY_CALL = {
    **dict.fromkeys(("contextlib.chdir", "os.chdir", "os.fchdir"), _FOLDER),
    **dict.fromkeys(("os.putenv", "os.unsetenv"), _ENVIRONMENT),
    **dict.fromkeys((f"{_OF_A_FILE}load_dotenv", f"{_OF_A_FILE}main.load_dotenv"), _ENVIRONMENT),
    **{f"os.environ.{name}": _ENVIRONMENT for name in _CHANGING},
    **{f"sys.argv.{name}": _WORDS for name in _CHANGING},
}


class Part(NamedTuple):
    """A part of the surroundings: one variable of the environment by its name; all of it where no ``key`` was seen."""

    what: str
    key: str | None

    def meets(self, other: Part) -> bool:
        """Return whether two parts may be the same."""
        return self.what == other.what and (self.key is None or other.key is None or self.key == other.key)


def read_changed(evaluator: Evaluator, facts: PythonFacts, scope: Scope, nodes: Sequence[ast.AST]) -> Touch | None:
    """Return where the program changes what nodes of a scope read of its surroundings."""
    changed = changed_parts(evaluator)
    read = [*_read(scope, nodes)] if changed else []
    return next((at for part, at in changed if any(map(part.meets, read))), None)


def set_after_read(evaluator: Evaluator, facts: PythonFacts, scope: Scope, nodes: Sequence[ast.AST]) -> Touch | None:
    """Return where the top level of a file changes what nodes of it read further up, and workers begin with.

    Those begin in the folder that the program began in (``multiprocessing/spawn.py``, ``get_preparation_data``).
    """
    changed = [
        (part, at)
        for part, at in changed_parts(evaluator, later=False)
        if at.span.path == facts.source.path and scope is facts.module and part.what != _FOLDER
    ]
    read = [*_read(scope, nodes)] if changed else []
    end = max((getattr(one, "lineno", 0) for one in nodes), default=0)
    return next((at for part, at in changed if at.span.line > end and any(map(part.meets, read))), None)


def changed_parts(evaluator: Evaluator, *, later: bool = True) -> Sequence[tuple[Part, Touch]]:
    """Return what the program changes of its surroundings after its modules were imported, or as they are."""

    def changed() -> Sequence[tuple[Part, Touch]]:
        every = evaluator.project.all_python()
        return [
            (part, touch_at(facts, node))
            for facts in every
            for scope in (facts.scopes.values() if later else (facts.module,))
            for part, node, place in _changed(scope)
            if is_later(evaluator, facts, node, place) is later
        ]

    return evaluator.remembered(("changed parts", later), None, changed)


def asked_by(function: Function) -> Iterator[Part]:
    """Yield what a function reads of its surroundings when it runs."""
    return _read(function.scope, [*nodes_of(function.node)])


def _changed(scope: Scope) -> Iterator[tuple[Part, ast.AST, Place]]:
    """Yield what a scope changes of the surroundings, and where."""
    for name, bindings in scope.bindings.items():
        full = _known_as(scope, name)
        for one in bindings if full in (_ENVIRONMENT, _WORDS) else ():
            # What a method changes is a call, too, which is looked at below, and another name is none.
            changes = one.kind in ("augment", "item", "loop", "unpack", "with") or (
                one.kind == "assign" and full_name(scope, name) == full
            )
            taken = isinstance(one.node, ast.Delete)
            if changes or taken:
                yield Part(full, _word(one.key)), one.node, one.place
    for site in scope.calls:
        name = _known_as(scope, dotted(site.node.func) or "")
        what = _CHANGES_BY_CALL.get(name)
        if what is not None:
            named = site.node.args and what == _ENVIRONMENT and not name.startswith(_OF_A_FILE)
            key = _word(site.node.args[0]) if named else None
            yield Part(what, key), site.node, site.place


def _read(scope: Scope, nodes: Iterable[ast.AST]) -> Iterator[Part]:
    named = set[int]()
    for node in nodes:
        if isinstance(node, ast.Subscript) and _known_as(scope, dotted(node.value) or "") == _ENVIRONMENT:
            named.add(id(node.value))
            yield Part(_ENVIRONMENT, _word(node.slice))
        elif isinstance(node, ast.Compare) and _known_as(scope, dotted(node.comparators[0]) or "") == _ENVIRONMENT:
            named.add(id(node.comparators[0]))
            yield Part(_ENVIRONMENT, _word(node.left))
        elif isinstance(node, ast.Call) and called_name(node) in _READS_WORDS and not node.args:
            yield Part(_WORDS, None)
        elif isinstance(node, ast.Call) and _known_as(scope, dotted(node.func) or "") in _READS_ENVIRONMENT:
            named.add(id(node.func.value) if isinstance(node.func, ast.Attribute) else id(node.func))
            yield Part(_ENVIRONMENT, _word(node.args[0]) if node.args else None)
        elif isinstance(node, ast.Call) and (variables := _variables(scope, node)):
            yield from (Part(_ENVIRONMENT, one) for one in variables)
        elif isinstance(node, ast.Call) and _asks_folder(scope, node):
            yield Part(_FOLDER, None)
        elif isinstance(node, ast.Attribute | ast.Name) and id(node) not in named:
            full = _known_as(scope, dotted(node) or "")
            if full in (_ENVIRONMENT, _WORDS):
                yield Part(full, None)


def _variables(scope: Scope, call: ast.Call) -> Sequence[str | None]:
    """Return the variables that a call of a library's function asks the environment for; None is any of them."""
    name = _known_as(scope, dotted(call.func) or "")
    if name == _EXPANDS:
        path = _word(call.args[0]) if call.args else None
        named = (one for found in _VARIABLE.findall(path or "") for one in found if one)
        return [None] if path is None else [*named]
    if called_name(call) == "expanduser":
        return _HOME
    return _READS_VARIABLES.get(name, ())


def _asks_folder(scope: Scope, call: ast.Call) -> bool:
    """Return whether a call asks for the folder of the process: that of a file (``__file__``) is another matter."""
    path = call.args[0] if call.args else None
    # What is worked out may be open already.
    named = called_name(call) in READS_FIRST and isinstance(path, ast.Constant) and isinstance(path.value, str)
    asks = named or _known_as(scope, dotted(call.func) or "") in _READS_FOLDER
    match call.func:
        case ast.Attribute(ast.Call(ast.Name() | ast.Attribute() as made) as of, method) if (
            method in _READS_FOLDER_OF_PATH
        ):
            asks, path = _known_as(scope, dotted(made) or "") == "pathlib.Path", of
    nodes = nodes_of(call)
    return (
        asks and not _is_absolute(path) and not any(isinstance(one, ast.Name) and one.id == "__file__" for one in nodes)
    )


def _is_absolute(path: ast.expr | None) -> bool:
    """Return whether a path is seen to begin at the root, whatever it is put together of."""
    match path:
        case ast.Constant(str(text)):
            return text.startswith("/")
        case ast.JoinedStr([first, *_]) | ast.BinOp(first) | ast.Call(args=[first, *_]):
            return _is_absolute(first)
    return False


def _known_as(scope: Scope, name: str) -> str:
    """Return what a dotted name is where it was imported from, whatever it is called in a scope."""
    return full_name(scope, meant_name(scope, name))


def _word(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
