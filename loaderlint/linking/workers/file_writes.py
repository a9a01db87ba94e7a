"""Which files a call changes: by what its function is called, wherever that is imported from, and under which name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from loaderlint.linking.workers.top_level import full_name, is_of_library
from loaderlint.readers.python import PythonFacts, Scope, dotted
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_calls import keywords as keywords_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_WRITES_ITSELF = frozenset({"touch", "unlink", "write_bytes", "write_text"})
"""Methods that change the file whose path they are called on."""
_MOVES_ITSELF = frozenset({"rename", "replace"})
"""Methods that put the file whose path they are called on in the place of another, the only one they are given."""
_WRITES_FIRST = frozenset(
    {
        *("imsave", "imwrite", "save", "savefig", "savetxt", "savez", "savez_compressed", "write_csv", "write_parquet"),
        *("to_csv", "to_excel", "to_feather", "to_hdf", "to_json", "to_parquet", "to_pickle"),
    }
)
"""Functions and methods that change the file they are handed first, such as numpy's and those of pandas."""
_WRITES_SECOND = frozenset({"dump", "save", "save_file", "save_image"})
"""Functions that change the file they are handed second, such as torch's and joblib's."""
_ONLY_FIRST = frozenset({"numpy.save"})
_ONLY_SECOND = frozenset({"torch.save"})
_FILE_KEYWORDS = frozenset({"dst", "f", "file", "filename", "fname", "fp", "path", "path_or_buf", "target"})
"""What the parameter for the file is called that a function changes."""

_FIRST, _LAST, _BOTH = slice(0, 1), slice(1, 2), slice(0, 2)
_OF_THE_SYSTEM: Mapping[str, slice] = {
    **dict.fromkeys(("os.remove", "os.truncate", "os.unlink", "shutil.rmtree"), _FIRST),
    **dict.fromkeys(("os.link", "os.symlink"), _LAST),
    **dict.fromkeys(("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree"), _LAST),
    **dict.fromkeys(("os.rename", "os.renames", "os.replace", "shutil.move"), _BOTH),
    **dict.fromkeys(("urllib.request.urlretrieve", "torch.hub.download_url_to_file"), _LAST),
}
"""Functions of modules, with the places of the files that they change."""
_WRITES_INTO: Mapping[str, slice] = {
    "extractall": slice(0, 1),
    **dict.fromkeys(("unpack_archive", "download_and_extract_archive", "download_url"), slice(1, 2)),
}
"""Functions and methods that write files into a folder, with the place of that; else into that of the process."""
_STARTS = frozenset(
    {"os.system", *(f"subprocess.{name}" for name in ("Popen", "call", "check_call", "check_output", "run"))}
)
"""Functions that start other programs, which may write any file."""
_OPENS = frozenset({"File", "TarFile", "ZipFile", "open"})
"""What opens a file, which may be to write it."""
_CHANGES = frozenset(
    {
        *(_WRITES_ITSELF | _MOVES_ITSELF | _WRITES_FIRST | _WRITES_SECOND | _OPENS),
        *(name.rpartition(".")[2] for name in _OF_THE_SYSTEM),
    }
)
_NO_WRITING_FLAGS = "O_RDONLY"


def written_by(evaluator: Evaluator, facts: PythonFacts, scope: Scope, call: ast.Call) -> Sequence[ast.expr]:
    """Return what names the files that a call in a scope changes."""
    full = full_name(scope, dotted(call.func) or called_name(call))
    name = full.rpartition(".")[2]
    if name not in _CHANGES:
        return ()
    owner = _owner(evaluator, facts, scope, call)
    if name in _OPENS:
        return tuple(_opened(call, full, owner))
    named = [value for keyword, value in keywords_of(call).items() if keyword in _FILE_KEYWORDS]
    if full in _OF_THE_SYSTEM:
        moved = [one.value for one in call.keywords if one.arg == "src" and _OF_THE_SYSTEM[full] == _BOTH]
        return (*call.args[_OF_THE_SYSTEM[full]], *named, *moved)
    if name in _WRITES_ITSELF:
        return () if owner is None else (owner,)
    if name in _MOVES_ITSELF:
        # `text.replace(old, new)` is a text's.
        moved = [*call.args, *named]
        return () if owner is None or len(moved) != 1 else (owner, *moved)
    first = call.args[:1] if name in _WRITES_FIRST and full not in _ONLY_SECOND else []
    second = call.args[1:2] if name in _WRITES_SECOND and full not in _ONLY_FIRST else []
    return (*first, *second, *(named if name in _WRITES_FIRST | _WRITES_SECOND else ()))


def written_into(facts: PythonFacts, scope: Scope, call: ast.Call) -> Sequence[ast.expr]:
    """Return what names the folders that a call writes files into whose names are not seen."""
    name = called_name(call)
    if name not in _WRITES_INTO:
        return ()
    named = [value for keyword, value in keywords_of(call).items() if keyword in ("extract_dir", "path", "root")]
    return (*call.args[_WRITES_INTO[name]], *named) or (ast.Constant("."),)


def starts_programs(scope: Scope, call: ast.Call) -> bool:
    """Return whether a call starts another program."""
    return full_name(scope, dotted(call.func) or "") in _STARTS


def keeps_open(evaluator: Evaluator, facts: PythonFacts, scope: Scope, call: ast.Call) -> bool:
    """Return whether a call opens a file to write it, which what it gives goes on with."""
    name = full_name(scope, dotted(call.func) or called_name(call)).rpartition(".")[2]
    return name in _OPENS and bool(written_by(evaluator, facts, scope, call))


def _owner(evaluator: Evaluator, facts: PythonFacts, scope: Scope, call: ast.Call) -> ast.expr | None:
    """Return what a method is called on, None for a function, also one of a module: ``gzip.open``."""
    if not isinstance(call.func, ast.Attribute):
        return None
    first = (dotted(call.func) or "").partition(".")[0]
    return None if first and is_of_library(evaluator, facts, scope, first) else call.func.value


def _opened(call: ast.Call, full: str, owner: ast.expr | None) -> Iterator[ast.expr]:
    """Yield what names the file that a call opens to write it."""
    given = keywords_of(call)
    mode = [given[one] for one in ("mode", "flags") if one in given]
    if owner is None or any(_mode(one) for one in call.args[1:2]):
        named = [*call.args[:1], *(value for keyword, value in given.items() if keyword in ("file", "name", "path"))]
        if any(_writes(one, full) for one in (*call.args[1:2], *mode)):
            yield from named
    elif any(_writes(one, full) for one in (*call.args[:1], *mode)):
        yield owner


def _writes(mode: ast.expr, full: str) -> bool:
    """Return whether a file may be written that is opened in a mode: in any that is not seen."""
    if isinstance(mode, ast.Constant):
        return not set("wax+").isdisjoint(_mode(mode))
    return full != "os.open" or (dotted(mode) or "").rpartition(".")[2] != _NO_WRITING_FLAGS


def _mode(written: ast.expr) -> str:
    """Return the mode that a file is opened in, an empty one for what is no mode."""
    match written:
        case ast.Constant(str(mode)) if set(mode) <= set("rwaxbt+U"):
            return mode
    return ""
