"""Putting what a script runs under ``if __name__ == "__main__":`` (RULES, "The guard, placed by dependency")."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

import libcst as cst

from loaderlint.model.imported import Imported, SettingUp
from loaderlint.model.setting_words import REPORTING_LIBRARIES
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.bindings import (
    always_imported,
    bound_by,
    canonical,
    dotted,
    imported,
    imported_anywhere,
    imported_once,
    named_as_own,
    other_names,
    own_scope,
    root,
)
from loaderlint.writers.python.effects import Effects, Kind
from loaderlint.writers.python.guarded_body import TopLevel, guard_of, under_guard
from loaderlint.writers.python.names import Names, uses
from loaderlint.writers.python.placement import place
from loaderlint.writers.python.set_up import SetUp
from loaderlint.writers.python.sharing import opened, shared_names
from loaderlint.writers.python.surroundings import at_top_level
from loaderlint.writers.python.top_level import Statement, later_by_name
from loaderlint.writers.python.worker_code import Reader, worker_definitions, worker_readers


def guard(module: cst.Module, statements: Collection[int], imported_by_others: Imported) -> tuple[cst.Module, str]:
    """Return the module with what it runs under its guard, and why that is unsafe (empty when it is safe).

    ``statements`` are the indexes in the module's body of what iterates loaders, or must not be repeated in a worker
    for another reason. ``imported_by_others`` is what other files take from the module. Raises `CannotRewrite` when
    a statement cannot go under a guard.
    """
    if not statements:
        return module, ""
    own = imported_by_others.own
    module, runs = _one_kind_a_line(module, frozenset(statements), own)
    nodes = [_parsed(module, one) for one in module.body]
    tree = ast.Module([node for line in nodes for node in line], [])
    imports = always_imported(tree.body)
    readers = worker_readers(tree, imports)
    imports_anywhere = named_as_own(imported_anywhere(tree), own)
    judged = _effects(tree, own)
    set_up = SetUp(
        at_top_level(tree, {**other_names(tree.body, imports_anywhere), **imports_anywhere}),
        judged.functions,
        judged.classes,
        _drawn_with(readers, imports),
        imported_by_others.setting,
    )
    described = _described(module, nodes, judged, set_up, named_as_own(imports, own), runs)
    for index in runs:
        if described[index].kind is Kind.DEFINES:
            raise CannotRewrite(f"`{described[index].text}` is a definition, which a worker needs")
    needs = _needs(tree, imports, readers, imported_by_others, described)
    read_by_workers = frozenset[str]().union(*(reader.names.reads for reader in readers))
    placement = place(described, runs, needs, imports, own, read_by_workers)
    unsafe = placement.unsafe
    if not unsafe and imported_by_others.alone:
        unsafe = f"{imported_by_others.alone} imports the module, and then nothing under the guard runs"
    works = any(index in runs or _works(described[index]) for index in placement.inside)
    if not unsafe and imported_by_others.importer and works:
        unsafe = f"{imported_by_others.importer} imports the module, and its work would be turned off there"
    return under_guard(module, placement.inside), unsafe


def _works(statement: Statement) -> bool:
    """Return whether a statement does more than bind names: whoever imports the module may count on it."""
    return not statement.guard and statement.kind in (Kind.SETS_UP, Kind.RUNS)


def _parsed(module: cst.Module, statement: TopLevel) -> list[ast.stmt]:
    code = module.code_for_node(statement)
    try:
        return ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise CannotRewrite(f"this Python cannot parse `{_first_line(code)}`") from error


def _first_line(code: str) -> str:
    """Return the first line of code that is no comment or decorator, shortened."""
    lines = [line.strip() for line in code.splitlines()]
    text = next((line for line in lines if line and not line.startswith(("#", "@"))), "")
    return text if len(text) <= 60 else f"{text[:59]}…"


def _effects(tree: ast.Module, own: Collection[str]) -> Effects:
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
    classes: dict[str, ast.ClassDef] = {}
    bound: list[str] = []
    for node in own_scope(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions[node.name] = node
            bound.append(node.name)
        elif isinstance(node, ast.ClassDef):
            classes[node.name] = node
            bound.append(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.append(node.id)
    once = {name for name in bound if bound.count(name) == 1}
    imports = named_as_own(always_imported(tree.body), own)
    return Effects(
        {**other_names(tree.body, imports), **imports},
        {name: node for name, node in functions.items() if name in once},
        {name: node for name, node in classes.items() if name in once},
        {name for name in bound if name not in once and (name in functions or name in classes)},
    )


def _described(
    module: cst.Module,
    nodes: Sequence[list[ast.stmt]],
    effects: Effects,
    set_up: SetUp,
    imports: Mapping[str, str],
    runs: Collection[int],
) -> list[Statement]:
    described: list[Statement] = []
    once = imported_once([node for line in nodes for node in line])
    for index, (line, statement) in enumerate(zip(nodes, module.body, strict=True)):
        is_guard = guard_of(statement) is not None
        is_docstring = index == 0 and _is_text(line)
        described.append(
            Statement(
                text=_first_line(module.code_for_node(statement)),
                uses=uses(line, imports, effects.functions),
                kind=Kind.DEFINES if is_docstring or _only_when_imported(line) else effects.kind(line),
                imports=imported(line),
                guard=is_guard,
                defines=any(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for one in line),
                fixed=_fixed(line),
                shared=tuple(shared_names(line)),
                opened=opened(line),
                sets_up=SettingUp.NOTHING if is_guard else set_up.by(line, runs=index in runs),
                environment=_environment(line, imports),
            )
        )
        set_up = set_up.behind(line, once)
    return described


def _is_text(line: Sequence[ast.stmt]) -> bool:
    return all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in line)


def _environment(line: Sequence[ast.stmt], imports: Mapping[str, str]) -> frozenset[str]:
    """Return the variables of the environment that a line sets by their names: ``os.environ["SCALE"] = "2"``."""
    found: set[str] = set()
    for node in own_scope(line):
        match node:
            case ast.Subscript(value, ast.Constant(str(name)), ast.Store()):
                if canonical(dotted(value) or "", imports) == "os.environ":
                    found.add(name)
    return frozenset(found)


def _fixed(line: Sequence[ast.stmt]) -> frozenset[str]:
    """Return the names a line binds to numbers, strings and the like."""
    names: set[str] = set()
    for node in line:
        if isinstance(node, ast.Assign):
            parts = [part for part in ast.walk(node.value) if isinstance(part, ast.expr)]
            if all(isinstance(part, ast.Constant | ast.UnaryOp | ast.BinOp | ast.JoinedStr) for part in parts):
                names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return frozenset(names)


def _only_when_imported(line: Sequence[ast.stmt]) -> bool:
    """Return whether this is ``if __name__ != "__main__":``, which has to stay where an import runs it."""
    match line:
        case [ast.If(test=ast.Compare(left=ast.Name(id="__name__"), ops=[ast.NotEq()]), orelse=[])]:
            return True
    return False


def _drawn_with(readers: Sequence[Reader], imports: Mapping[str, str]) -> frozenset[str]:
    """Return the libraries of reports and drawings that worker code uses; seaborn sets what matplotlib draws by."""
    read = {root(canonical(name, imports)) for reader in readers for name in reader.names.roots}
    return frozenset(read & REPORTING_LIBRARIES) | ({"matplotlib", "seaborn"} if "matplotlib" in read else set())


def _needs(
    tree: ast.Module,
    imports: Mapping[str, str],
    readers: Sequence[Reader],
    imported_by_others: Imported,
    described: Sequence[Statement],
) -> dict[str, str]:
    """Return the names that workers and other files need, each with the reason."""
    needs: dict[str, str] = {}
    for reader in readers:
        for name in sorted(reader.names.roots):
            needs.setdefault(name, f"is read by {reader.name}, which runs in the workers")
    bound = sorted({name for node in own_scope(tree.body) for name in bound_by(node)})
    for reader in readers:
        for name in bound if reader.names.any else ():
            needs.setdefault(name, f"may be read by {reader.name}, which runs in the workers")
    for name in sorted(worker_definitions(tree, imports)):
        needs.setdefault(name, "is looked up by name in the workers")
    for name, path in sorted(imported_by_others.names.items()):
        needs.setdefault(name, f"is imported by {path}")
    listed = _listed(tree)
    taken = [*sorted(imported_by_others.names), *sorted(listed)]
    for name in sorted(listed):
        needs.setdefault(name, "is listed in `__all__`")
    if imported_by_others.every and not listed:
        public = [name for name in bound if not name.startswith("_")]
        for name in public:
            needs.setdefault(name, f"is imported by {imported_by_others.every}, with all other names")
        taken += public
    _add_what_is_read_later(needs, taken, later_by_name(described))
    return needs


def _add_what_is_read_later(needs: dict[str, str], taken: list[str], later: Mapping[str, Names]) -> None:
    """Add to the names needed what the functions and classes that others take read when these call them."""
    seen: set[str] = set()
    while taken:
        reader = taken.pop(0)
        if reader in seen or reader not in later:
            continue
        seen.add(reader)
        for name in sorted(later[reader].roots):
            needs.setdefault(name, f"is read by `{reader}`, which {needs[reader]}")
            taken.append(name)


def _listed(tree: ast.Module) -> frozenset[str]:
    """Return the names that the module lists in its ``__all__``."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List() | ast.Tuple() as names):
                return frozenset(
                    one.value for one in names.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)
                )
    return frozenset()


def _one_kind_a_line(
    module: cst.Module, runs: frozenset[int], own: Collection[str]
) -> tuple[cst.Module, frozenset[int]]:
    """Return the module with lines such as ``import pdb; pdb.set_trace()`` split, and where the indexes went."""
    effects = _effects(ast.Module([node for one in module.body for node in _parsed(module, one)], []), own)
    body: list[TopLevel] = []
    moved: set[int] = set()
    for index, statement in enumerate(module.body):
        pieces: list[TopLevel] = [statement]
        if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) > 1:
            kinds = {effects.kind([node]) for node in _parsed(module, statement)}
            if Kind.DEFINES in kinds and max(kinds) >= Kind.CONSTRUCTS:
                pieces = _split(statement)
        if index in runs:
            moved.update(len(body) + at for at, one in enumerate(pieces) if len(pieces) == 1 or not _imports(one))
        body.extend(pieces)
    return (module if len(body) == len(module.body) else module.with_changes(body=body)), frozenset(moved)


def _split(line: cst.SimpleStatementLine) -> list[TopLevel]:
    small = [one.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for one in line.body]
    first = cst.SimpleStatementLine([small[0]], leading_lines=line.leading_lines)
    last = cst.SimpleStatementLine([small[-1]], trailing_whitespace=line.trailing_whitespace)
    return [first, *(cst.SimpleStatementLine([one]) for one in small[1:-1]), last]


def _imports(statement: TopLevel) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Import | cst.ImportFrom)
