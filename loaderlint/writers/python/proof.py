"""Proving that a rewritten Python file differs from the old one in nothing but what its edits are about.

The proof reads the two texts with `ast`, not with the parser that rewrote them. It knows what each edit is to achieve,
not how it is written: ``0 if sys.platform == "win32" else 8`` passes because it comes to 0 on Windows and to 8
elsewhere.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from loaderlint.model.edit import Edit, Hoist, RemoveIgnore
from loaderlint.model.source import Source, Span
from loaderlint.nodes import last_name, nodes_of
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.ignores import is_about_assigned_lambda
from loaderlint.writers.python.comparison import Comparison, Differs
from loaderlint.writers.python.intentions import intentions
from loaderlint.writers.python.scopes import known_names

_DEEPEST = 500
_LONGEST_ANNOTATION = 2 * _DEEPEST
"""Characters of an annotation that is a text, which can be nested half as deeply."""
_LONGEST_LINE = 500_000
"""Characters of a line; Python's ``tokenize`` takes some 400 bytes of memory for each backslash in a text of one."""
_TAKES_ANNOTATIONS = frozenset({"cast", "TypeVar", "NewType", "NamedTuple", "TypedDict"})
_LINE_END = re.compile(r"\r\n|\r|\n")


def prove(source: Source, new: str, edits: Sequence[Edit], *, comments_may_go: bool = False) -> None:
    """Check the text that the edits made of a source.

    Raises `CannotRewrite` with the reason when the text does not parse, when anything differs that no edit is about,
    when an edit was not made, when a comment is lost (unless ``comments_may_go``), or when line ends changed.
    """
    old_tree, new_tree = parsed(source.text, source.path), parsed(new, source.path)
    sys_names = known_names(old_tree, "sys") | known_names(new_tree, "sys")
    intended = intentions(source, old_tree, edits)
    try:
        Comparison(source, intended, old_tree, sys_names).modules(old_tree, new_tree)
    except Differs as difference:
        raise CannotRewrite(str(difference)) from difference
    except RecursionError as error:
        raise CannotRewrite("the file is nested too deeply") from error
    _check_line_ends(source.text, new)
    _check_comments(source, new, edits, comments_may_go)


def parsed(text: str, path: str) -> ast.Module:
    """Return the syntax tree of a text.

    Raises `CannotRewrite` when it does not parse, or is nested so deeply that libcst's parser might end the process.
    """
    try:
        tree = _tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotRewrite(f"{path} does not parse: {error}") from error
    if tree is None:
        raise CannotRewrite(f"{path} is nested too deeply")
    return tree


@lru_cache(maxsize=4)
def _tree(text: str) -> ast.Module | None:
    """Return the syntax tree of a text, None where it is nested too deeply.

    A rewrite asks for those of the text before and after several times, and the next one of the same file for the first
    again. Nobody changes a tree.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text.removeprefix("\ufeff"))
    deep = _is_deeper(tree, _DEEPEST) or any(len(one) > _LONGEST_ANNOTATION for one in _annotations(tree))
    return None if deep else tree


def _annotations(tree: ast.AST) -> Iterator[str]:
    """Yield the texts that libcst parses as annotations (``libcst/metadata/scope_provider.py``)."""
    for node in nodes_of(tree):
        within: list[ast.expr | None] = []
        if isinstance(node, ast.arg | ast.AnnAssign):
            within = [node.annotation]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            within = [node.returns]
        elif isinstance(node, ast.Call) and last_name(node.func) in _TAKES_ANNOTATIONS:
            within = [*node.args, *(one.value for one in node.keywords)]
        for inner in (part for one in within if one is not None for part in nodes_of(one)):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value


def _is_deeper(tree: ast.AST, limit: int) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(limit):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return bool(level)


def _check_line_ends(old: str, new: str) -> None:
    before, after = set(_LINE_END.findall(old)), set(_LINE_END.findall(new))
    if before and after - before:
        raise CannotRewrite("the file's line ends would change")
    if _ends_line(old) != _ends_line(new):
        raise CannotRewrite("the end of the file's last line would change")


def _ends_line(text: str) -> bool:
    return text.endswith(("\r", "\n"))


def _check_comments(source: Source, new: str, edits: Sequence[Edit], comments_may_go: bool) -> None:
    removed = [edit.span for edit in edits if isinstance(edit, RemoveIgnore)]
    kept: Counter[str] = Counter()
    edited: list[str] = []
    for comment, span in _comments(source):
        if any(span.holds(one) for one in removed):
            edited.append(comment)
        else:
            kept[comment] += 1
    rewritten = replace(source, content=new.encode(source.encoding))
    found = Counter(comment for comment, _ in _comments(rewritten))
    lost = sorted((kept - found).elements())
    # What says that a lambda may be assigned goes with the lambda.
    hoists = sum(isinstance(edit, Hoist) for edit in edits)
    if len(lost) <= hoists and all(map(is_about_assigned_lambda, lost)):
        lost = []
    if lost and not comments_may_go:
        raise CannotRewrite(f"the comment {lost[0]!r} would be lost")
    for comment in (found - kept).elements():
        origin = next((one for one in edited if len(comment) < len(one)), None)
        if origin is None:
            raise CannotRewrite(f"the comment {comment!r} would appear")
        edited.remove(origin)


@lru_cache(maxsize=2)
def _comments(source: Source) -> tuple[tuple[str, Span], ...]:
    """Return a text's comments and where they stand; kept, since a file is proven once for each of its fixes."""
    text = "\n".join(source.lines).removeprefix("\ufeff")
    mark = 1 if source.text.startswith("\ufeff") else 0
    found: list[tuple[str, Span]] = []
    longest = max(map(len, source.lines), default=0)
    if longest > _LONGEST_LINE:
        raise CannotRewrite(f"the file has a line of {longest} characters, too long to be looked through for comments")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                column += 1 + (mark if line == 1 else 0)
                found.append(
                    (token.string, Span(source.path, line, column, line, column + len(token.string), source.cells))
                )
    except (tokenize.TokenError, SyntaxError) as error:
        raise CannotRewrite(f"the file's comments cannot be read: {error}") from error
    return tuple(found)
