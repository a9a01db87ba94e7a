"""Where a file is that a program names: paths put together with ``os.path``, ``pathlib`` and ``__file__``."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.linking.files.search_path import upwards
from loaderlint.linking.things import file_lines, templates
from loaderlint.linking.things.kinds import (
    External,
    Frame,
    Made,
    Possibilities,
    Possibility,
    Row,
    Template,
    Thing,
    Unseen,
)
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.assumptions import NO_ASSUMPTIONS, Assumptions, together
from loaderlint.model.source import Span
from loaderlint.model.value import CommandLineText
from loaderlint.readers.python_calls import arguments as arguments_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class Form(Enum):
    """What a program holds of a file: its name, a path object, the open file, the text read from it, or its lines."""

    NAME = "name"
    PATH = "path"
    FILE = "file"
    TEXT = "text"
    LINES = "lines"


_PATH_MANAGERS = (
    "iopath.common.file_io.PathManager()",
    "iopath.common.file_io.PathManagerFactory.get()",
    "iopath.common.file_io.g_pathmgr",
    "iopath.g_pathmgr",
    "fvcore.common.file_io.PathManager",
    "detectron2.utils.file_io.PathManager",
)
"""What opens a path wherever it leads, a local one as ``open`` does (``iopath/common/file_io.py``, 0.1.10)."""

_SAME: Mapping[str, Form] = {
    **{f"{one}.open": Form.FILE for one in _PATH_MANAGERS},
    "builtins.open": Form.FILE,
    "builtins.str": Form.NAME,
    "codecs.open": Form.FILE,
    "io.open": Form.FILE,
    "os.fsdecode": Form.NAME,
    "os.fsencode": Form.NAME,
    "os.fspath": Form.NAME,
    "os.path.abspath": Form.NAME,
    "os.path.expanduser": Form.NAME,
    "os.path.normpath": Form.NAME,
    "os.path.realpath": Form.NAME,
}
"""Functions whose result is, or opens, the file that their first argument names, and in what form."""

_NAMES_FILE = ("file", "filename", "path")
"""What the first parameter of these functions is called (``os.fspath``, ``os.fsdecode``, ``open``, ``os.path``)."""

_SAME_METHODS: Mapping[str, Form] = {
    "__fspath__": Form.NAME,
    "absolute": Form.PATH,
    "as_posix": Form.NAME,
    "expanduser": Form.PATH,
    "open": Form.FILE,
    "read": Form.TEXT,
    "read_bytes": Form.TEXT,
    "read_text": Form.TEXT,
    "readlines": Form.LINES,
    "resolve": Form.PATH,
    "splitlines": Form.LINES,
}
"""Methods of a path or an open file that lead to the same file, and in what form."""

_JOINS: Mapping[str, Form] = {"os.path.join": Form.NAME, "pathlib.Path": Form.PATH, "pathlib.PurePath": Form.PATH}
_PARENT = "os.path.dirname"
_ROOTS = frozenset(f"{home}.{name}" for home in ("rootutils", "pyrootutils") for name in ("setup_root", "find_root"))
"""Functions that give the nearest folder around a file that one of their indicators stands in (``rootutils`` 1.0)."""
_INDICATORS = (".project-root", "setup.cfg", "setup.py", ".git", "pyproject.toml")
"""What they look for where they are not told."""


_PATHS = _ROOTS | {"pathlib.Path", "pathlib.PurePath", _PARENT}
"""Calls that make a path object."""


class Location(Struct, frozen=True):
    """A path as far as it is known: from the project's files when it is ``anchored``, else from the working folder.

    ``given`` says that the user of a command line names the file, in the folder of the path where that is known (the
    working folder where he gives all of it), ``sign`` how text that was read from it was put
    together line by line (`file_lines.JOINED`).
    """

    path: str = ""
    anchored: bool = False
    given: bool = False
    form: Form = Form.NAME
    sign: str | None = None

    @property
    def folder(self) -> Location | None:
        """The folder the file stands in, None where that is not known."""
        if self.given or self.path in ("", ".") or self.path.endswith(".."):
            return None
        return replace(self, path=posixpath.dirname(self.path))


_Way: TypeAlias = tuple[Location | None, Assumptions]
_Found: TypeAlias = Iterator[_Way]


def is_path(made: Made) -> bool:
    """Return whether a call made a path object, so that ``/`` joins a name to it and ``.parent`` is its folder."""
    _, method, last = made.callee.rpartition("().")
    return made.callee in _PATHS or (bool(method) and last in _SAME_METHODS)


def joined(left: ast.expr, right: ast.expr, frame: Frame) -> Made:
    """Return what ``left / right`` is, where one of them is a path."""
    return Made("pathlib.Path", ast.copy_location(ast.Call(left, [left, right], []), left), frame)


def folder_of(path: ast.expr, frame: Frame) -> Made:
    """Return what ``path.parent`` is."""
    return Made(_PARENT, ast.copy_location(ast.Call(path, [path], []), path), frame)


def last_part(evaluator: Evaluator, path: ast.expr, name: str, frame: Frame, span: Span) -> Possibilities:
    """Return what the attribute ``name`` or ``stem`` of a path is, as far as that was seen."""
    found: list[Possibility] = []
    for location, assumptions in of(evaluator, path, frame):
        last = posixpath.basename(location.path) if location is not None and not location.given else ""
        part = PurePosixPath(last).stem if name == "stem" else last
        found.extend((Possibility(part, span, assumptions=assumptions),) if part else unseen(span, assumptions))
    return tuple(found) or unseen(span)


def of(evaluator: Evaluator, node: ast.expr, frame: Frame) -> tuple[_Way, ...]:
    """Return where the file can be that an expression names, has opened or has read, with what each assumes.

    None stands for what cannot be followed. What opens nothing, an empty name or None, is passed over. A function that
    calls itself may name a file beside the one that it was given: what that is asked for is not seen meanwhile.
    """
    # A path is put together of folders that many paths have in common, each of which can be many.
    unfinished = ((None, NO_ASSUMPTIONS),)
    return evaluator.in_a_circle(
        ("location", node), frame, unfinished, lambda: tuple(dict.fromkeys(_of(evaluator, node, frame)))
    )


def _of(evaluator: Evaluator, node: ast.expr, frame: Frame) -> _Found:
    for one in evaluator.evaluate(node, frame):
        for location, assumptions in _of_one(evaluator, one):
            joint = together(one.assumptions, assumptions)
            if joint is not None:
                yield location, joint


def _of_one(evaluator: Evaluator, one: Possibility) -> _Found:
    thing = one.thing
    parts = _in_folder(evaluator, thing) if isinstance(thing, Made) else None
    if isinstance(thing, Made) and parts is not None:
        yield from _as(Form.NAME, _joined(evaluator, parts, thing.frame))
        return
    for spelled in templates.spelled_out(evaluator, (one,)):
        for location, assumptions in _of_thing(evaluator, spelled.thing, spelled.span):
            joint = together(spelled.assumptions, assumptions)
            if joint is not None:
                yield location, joint


def _in_folder(evaluator: Evaluator, made: Made) -> list[ast.expr] | None:
    """Return the folder and the rest of text that begins with a path and a slash: ``f"{HERE}/{name}.yaml"``."""
    written = made.call.args[0] if made.callee == templates.WRITTEN else None
    parts = written.values if isinstance(written, ast.JoinedStr) else []
    match [one for one in parts if not isinstance(one, ast.Constant) or one.value]:
        case [ast.FormattedValue(folder, -1, None), ast.Constant(str(text)), *others]:
            found = evaluator.evaluate(folder, made.frame) if text.startswith("/") else ()
            named = all(isinstance(one.thing, Made) and one.thing.callee != templates.WRITTEN for one in found)
            if not (found and named):
                return None
            first = ast.copy_location(ast.Constant(text.lstrip("/")), folder)
            return [folder, ast.copy_location(ast.JoinedStr([first, *others]), folder) if others else first]
    return None


def _of_thing(evaluator: Evaluator, thing: Thing, span: Span) -> _Found:
    if thing is None or thing == "":
        return
    if isinstance(thing, Made):
        yield from _of_made(evaluator, thing)
    elif isinstance(thing, str):
        yield Location(posixpath.normpath(thing.replace("\\", "/"))), NO_ASSUMPTIONS
    elif isinstance(thing, Template):
        for path, assumptions in templates.files_named(evaluator, thing):
            yield Location(posixpath.normpath(path.replace("\\", "/"))) if path is not None else None, assumptions
    elif isinstance(thing, CommandLineText) or (isinstance(thing, Unseen) and thing.given):
        opened = isinstance(thing, Unseen) and thing.opened
        yield Location(given=True, form=Form.FILE if opened else Form.NAME), NO_ASSUMPTIONS
    elif isinstance(thing, External) and thing.name == "builtins.__file__":
        yield Location(span.path, anchored=True), NO_ASSUMPTIONS
    else:
        yield None, NO_ASSUMPTIONS


def _of_made(evaluator: Evaluator, made: Made) -> _Found:
    call, frame = made.call, made.frame
    _, method, last = made.callee.rpartition("().")
    if made.callee in _SAME and (first := _first(call)) is not None:
        yield from _as(_SAME[made.callee], of(evaluator, first, frame))
    elif method and last in _SAME_METHODS and isinstance(call.func, ast.Attribute):
        yield from _as(_SAME_METHODS[last], of(evaluator, call.func.value, frame))
    elif method and last == "joinpath" and isinstance(call.func, ast.Attribute):
        yield from _as(Form.PATH, _joined(evaluator, [call.func.value, *call.args], frame))
    elif method and last == "with_name" and isinstance(call.func, ast.Attribute) and len(call.args) == 1:
        above = ast.copy_location(ast.Constant(".."), call)
        yield from _as(Form.PATH, _joined(evaluator, [call.func.value, above, *call.args], frame))
    elif made.callee == file_lines.JOINED:
        yield from _of_lines(evaluator, made)
    elif made.callee == "re.sub" and (sign := file_lines.sign_cut(call)) is not None:
        for location, assumptions in of(evaluator, call.args[2], frame):
            read = location is not None and location.form is Form.TEXT and location.sign is None
            yield (replace(location, sign=sign) if location and read else None), assumptions
    elif made.callee in _JOINS:
        yield from _as(_JOINS[made.callee], _joined(evaluator, call.args, frame))
    elif made.callee in ("os.getcwd", "pathlib.Path.cwd"):
        yield Location(form=Form.NAME if made.callee == "os.getcwd" else Form.PATH), NO_ASSUMPTIONS
    elif made.callee == _PARENT and call.args:
        for location, assumptions in of(evaluator, call.args[0], frame):
            yield location.folder if location is not None else None, assumptions
    elif made.callee in _ROOTS:
        yield from _of_root(evaluator, made)
    else:
        yield None, NO_ASSUMPTIONS


def _first(call: ast.Call) -> ast.expr | None:
    """Return the argument that names a file, by position or by the name it has in one of these functions."""
    named = (one.value for one in call.keywords if one.arg in _NAMES_FILE)
    return call.args[0] if call.args else next(named, None)


def _of_root(evaluator: Evaluator, made: Made) -> _Found:
    """Yield the nearest folder around a file with something in it that marks the root of a project."""
    given = arguments_of(made.call, ("search_from", "indicator"))
    said = evaluator.evaluate(given["indicator"], made.frame) if "indicator" in given else ()
    rows = [one.thing.items if isinstance(one.thing, Row) else ((one,),) for one in said]
    indicators = [one.thing for row in rows for items in row for one in items] or [*_INDICATORS]
    for location, assumptions in of(evaluator, given["search_from"], made.frame) if "search_from" in given else ():
        around = upwards(location.folder.path) if location and location.anchored and location.folder else ()
        found = next((folder for folder in around if _holds_any(evaluator, folder, indicators)), None)
        yield (Location(found, anchored=True, form=Form.PATH) if found is not None else None), assumptions


def _holds_any(evaluator: Evaluator, folder: str, indicators: Iterable[Thing]) -> bool:
    project = evaluator.project
    paths = [posixpath.join(folder, one) for one in indicators if isinstance(one, str)]
    return any(project.exists(path) or project.has_folder(path) for path in paths)


def _of_lines(evaluator: Evaluator, made: Made) -> _Found:
    """Yield where the file can be whose lines were put together again."""
    lines, sign = made.call.args
    assert isinstance(sign, ast.Constant) and (sign.value is None or isinstance(sign.value, str))
    for location, assumptions in of(evaluator, lines, made.frame):
        in_lines = location is not None and location.form in (Form.FILE, Form.LINES) and location.sign is None
        yield (replace(location, form=Form.TEXT, sign=sign.value) if location and in_lines else None), assumptions


_READ = (Form.TEXT, Form.LINES)


def _as(form: Form, found: Iterable[_Way]) -> _Found:
    """Yield locations in the form that a function gives them; of text that was read nothing makes a file again."""
    for location, assumptions in found:
        if location is None or (location.form in _READ and form not in _READ):
            yield None, assumptions
        else:
            yield replace(location, form=form), assumptions


def _joined(evaluator: Evaluator, parts: list[ast.expr], frame: Frame) -> _Found:
    if not parts or isinstance(parts[0], ast.Starred):
        yield None, NO_ASSUMPTIONS
        return
    ways = [*of(evaluator, parts[0], frame)]
    for part in parts[1:]:
        names = [(None, NO_ASSUMPTIONS)] if isinstance(part, ast.Starred) else [*of(evaluator, part, frame)]
        ways = [
            (_below(folder, name), joint)
            for folder, assumed in ways
            for name, more in names
            if (joint := together(assumed, more)) is not None
        ]
    yield from ways


def _below(folder: Location | None, name: Location | None) -> Location | None:
    """Return the location of ``name`` from a folder, None where one of them is not known."""
    if folder is None or name is None or folder.given or (name.given and name.path):
        return None
    if name.given:
        return Location(folder.path, folder.anchored, given=True)
    if name.anchored or name.path.startswith("/"):
        return name
    return Location(posixpath.normpath(posixpath.join(folder.path, name.path)), folder.anchored)
