"""Adding an import where a reader of the file, or of the notebook, would look for it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import libcst as cst

from loaderlint.model.cells import FIRST_LINE, is_ours

_Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


def with_import(module: cst.Module, package: str, name: str, used: int = 0) -> cst.Module:
    """Return the module with ``import package`` (``import package as name``) in its first block of imports.

    It stands among those of the standard library, or of other packages, before the first plain import that comes after
    it in the alphabet; first of all where one of another package stands before those of the standard library. In a
    notebook the block is that of the cell that uses it, else of the first cell with imports, and the import comes
    before the statement at the index ``used``. All other statements stay the same objects.
    """
    notebook = any(line.comment is not None and line.comment.value == FIRST_LINE.rstrip() for line in module.header)
    module = _without_comment_in_header(module)
    body = list(module.body)
    block = _import_block_of_cell(body, used) if notebook else _import_block(body)
    statement = _import(package, name)
    kind = "standard" if package in sys.stdlib_module_names else "other"
    plain = [index for index in block if _kind(body[index]) == f"{kind} import"]
    froms = [index for index in block if _kind(body[index]) == f"{kind} from"]
    later = [index for index in plain if (_root(body[index]) or "") > package]
    if later:
        insert_before(body, later[0], statement)
    elif plain:
        body.insert(plain[-1] + 1, statement)
    elif froms:
        before = {_kind(body[index]) for index in block if index < froms[0]}
        insert_before(body, block.start if kind == "standard" and "other import" in before else froms[0], statement)
    else:
        behind = kind == "other" and len(block) > 0
        _insert_section(body, block.stop if behind else block.start, statement, behind=behind)
    return module.with_changes(body=body)


def _import(package: str, name: str) -> cst.SimpleStatementLine:
    asname = None if name == package else cst.AsName(cst.Name(name))
    return cst.SimpleStatementLine([cst.Import([cst.ImportAlias(cst.Name(package), asname=asname)])])


def _without_comment_in_header(module: cst.Module) -> cst.Module:
    """Return the module with what stands right above the first statement given to it, unless it is about the file.

    libcst keeps every line above the first statement in the header; a licence stays there.
    """
    above, own = _parted(module.header)
    if not own or (not above and (_is_docstring(module.body[0], 0) or _kind(module.body[0]) or _is_of_file(own))):
        return module
    first = module.body[0]
    first = first.with_changes(leading_lines=[*own, *first.leading_lines])
    return module.with_changes(header=above, body=[first, *module.body[1:]])


_OF_FILE = re.compile(r"#!|coding[:=]|copyright|licen[cs]e|spdx|\(c\)|all rights", re.IGNORECASE)
_CELL = re.compile(r"# ?(%%|In ?\[)")
"""What begins a cell in a script that editors and jupytext read as a notebook: what comes in stands below it."""
_MOST_OF_A_STATEMENT = 3
"""More lines of comment than this at the top of a file are about the file."""


def _is_of_file(lines: Sequence[cst.EmptyLine]) -> bool:
    """Return whether comments at the top are about the file: what runs it, its encoding, whose it is."""
    texts = [line.comment.value for line in lines if line.comment is not None]
    return len(texts) > _MOST_OF_A_STATEMENT or any(map(_OF_FILE.search, texts))


def _parted(lines: Sequence[cst.EmptyLine]) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """Return the lines above a statement that are not about it, and those that are: the comments right above it.

    What a notebook has between its cells, or has in a cell that is no Python, is about no statement.
    """
    last = max((at + 1 for at, line in enumerate(lines) if line.comment is None or _is_of_notebook(line)), default=0)
    return list(lines[:last]), list(lines[last:])


def _import_block(body: Sequence[_Statement]) -> range:
    """Return the indexes of the imports at the top; empty, and standing where they would, when there are none."""
    start = 0
    while start < len(body) and _stands_above(body[start], start):
        start += 1
    end = start
    while end < len(body) and _kind(body[end]) is not None:
        end += 1
    return range(start, end)


def _stands_above(statement: _Statement, index: int) -> bool:
    """Return whether a statement stands above the imports: docstring, ``__future__`` and dunders (PEP 8)."""
    return _is_docstring(statement, index) or _kind(statement) == "future" or _sets_dunder(statement)


def _import_block_of_cell(body: Sequence[_Statement], used: int) -> range:
    """Return the indexes of the imports of one cell that a new one for a statement joins; else where that stands.

    A cell with imports of its own may be run without those before it.
    """
    cell = next((at for at in range(used, 0, -1) if _begins_cell(body[at])), 0)
    imports = [at for at in range(used) if (_kind(body[at]) or "future") != "future"]
    start = next((at for at in imports if at >= cell), imports[0] if imports else used)
    end = start
    while end < used and _kind(body[end]) is not None and (end == start or not _begins_cell(body[end])):
        end += 1
    return range(start, end)


def _begins_cell(statement: _Statement) -> bool:
    return any(map(_is_of_notebook, statement.leading_lines))


def _is_of_notebook(line: cst.EmptyLine) -> bool:
    return line.comment is not None and (is_ours(line.comment.value) or _CELL.match(line.comment.value) is not None)


def _is_docstring(statement: _Statement, index: int) -> bool:
    return (
        index == 0
        and isinstance(statement, cst.SimpleStatementLine)
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def _sets_dunder(statement: _Statement) -> bool:
    """Return whether a line gives a dunder of the module, such as ``__author__`` or ``__all__``, its text or texts."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(cst.Name(name))], value=value)]):
            texts = [one.value for one in value.elements] if isinstance(value, cst.List | cst.Tuple) else [value]
            only_text = all(isinstance(one, cst.SimpleString | cst.ConcatenatedString) for one in texts)
            return only_text and name.startswith("__") and name.endswith("__")
    return False


def _kind(statement: _Statement) -> str | None:
    """Return what kind of import a line is: of ``__future__``, the standard library or others; None for no import."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    if not all(isinstance(small, cst.Import | cst.ImportFrom) for small in statement.body):
        return None
    root = _root(statement)
    if root == "__future__":
        return "future"
    kind = "standard" if root in sys.stdlib_module_names else "other"
    return f"{kind} import" if isinstance(statement.body[0], cst.Import) else f"{kind} from"


def _root(statement: _Statement) -> str | None:
    """Return the top-level package that the first import of a line names, None for a relative import."""
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    name: cst.BaseExpression | None
    if isinstance(first, cst.Import):
        name = first.names[0].name
    elif isinstance(first, cst.ImportFrom) and not first.relative:
        name = first.module
    else:
        return None
    while isinstance(name, cst.Attribute):
        name = name.value
    return name.value if isinstance(name, cst.Name) else None


def insert_before(body: list[_Statement], index: int, statement: _Statement) -> None:
    """Insert a statement; blank lines above stay above it, a comment stays with the statement it describes."""
    above, own = _parted(body[index].leading_lines)
    body[index] = body[index].with_changes(leading_lines=own)
    body.insert(index, statement.with_changes(leading_lines=above))


def _insert_section(body: list[_Statement], index: int, statement: _Statement, *, behind: bool) -> None:
    """Insert a statement with a blank line above, unless it comes first, and below.

    At the end of a cell that is ``behind`` what stands there, otherwise the statement begins the next one.
    """
    blank = cst.EmptyLine(indent=False)
    above: list[cst.EmptyLine] = []
    if index < len(body) and not (behind and _begins_cell(body[index])):
        lines = body[index].leading_lines
        between = max((at + 1 for at, line in enumerate(lines) if _is_of_notebook(line)), default=0)
        above, own = list(lines[:between]), list(lines[between:])
        if not own or own[0].comment is not None:
            own.insert(0, blank)
        body[index] = body[index].with_changes(leading_lines=own)
    body.insert(index, statement.with_changes(leading_lines=above or ([blank] if index else [])))
