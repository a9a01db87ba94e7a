"""Which code of a module runs in the workers, and which of the module's names it reads there.

A worker runs the methods of a dataset, of a callable such as a transform, and any function that is handed over as a
value (``collate_fn``, ``worker_init_fn``, ``target=``), with all that these call. It is better to count a function too
many than one too few: the guard then keeps a name outside that could have moved, or says that the fix is unsafe.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from msgspec import Struct

from loaderlint.writers.python.bindings import dotted, own_scope, root
from loaderlint.writers.python.names import Names, uses_of_function

Function = ast.FunctionDef | ast.AsyncFunctionDef

_WORKER_METHODS = frozenset({"__call__", "__getitem__", "__getitems__", "__iter__", "__next__", "__setstate__"})
_WORKER_KEYWORDS = frozenset({"collate_fn", "worker_init_fn", "transform", "target_transform", "transforms"})

_CALLED_FOR_OTHERS = frozenset(
    {"__aenter__", "__aexit__", "__del__", "__enter__", "__exit__", "__init__", "__len__", "__new__", "__repr__"}
    | {"__str__"}
)
"""Methods that no operator of a worker runs, or one that is looked for by itself: ``__len__``."""

_STAYS_IN_THE_MAIN_PROCESS = frozenset(
    {"Fire", "FuncAnimation", "LambdaLR", "MultiplicativeLR", "Thread", "VideoClip", "add_argument", "apply"}
    | {"compile", "grad", "jit", "max", "min", "register", "register_forward_hook", "register_forward_pre_hook"}
    | {"register_full_backward_hook", "register_hook", "run", "script", "signal", "sort", "sorted", "timeit", "vmap"}
)
"""Callees whose function arguments are called in the process that hands them over."""

_MAPPING = frozenset({"filter", "map"})
_MAPPING_AT_ONCE = frozenset({"datasets", "pandas"})
"""Libraries whose methods of these names call what they are handed at once; others may do so in a worker."""

_MAKES_CLASSES = frozenset(
    {"Enum", "IntEnum", "NamedTuple", "TypedDict", "make_dataclass", "namedtuple", "new_class", "type"}
)
"""Callees that return a class, which pickles name as definitions are named."""

_MAIN_PROCESS_KEYWORDS = frozenset({"action", "callback", "callbacks", "compute_metrics", "key", "lr_lambda", "type"})
"""Keywords whose functions are called in the process that hands them over."""

_RUNS_THE_MAIN_PROCESS = ("Sampler", "Loader", "Loss", "Module", "Optimizer", "Trainer", "Scheduler")
"""Endings of base classes whose instances stay in the main process though they iterate or are called."""


class Reader(Struct, frozen=True):
    """A function or method that runs in the workers: what to call it, and what it does with the module's names."""

    name: str
    names: Names


def worker_readers(tree: ast.Module, imports: Mapping[str, str]) -> list[Reader]:
    """Return the functions and methods of a module that may run in its workers, roots first."""
    functions: dict[str, list[Function | ast.Lambda]] = {}
    classes: dict[str, ast.ClassDef] = {}
    for node in own_scope(tree.body):
        match node:
            case ast.ClassDef():
                classes[node.name] = node
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                functions.setdefault(name, []).extend(one for one in _parts(value) if isinstance(one, ast.Lambda))
    pending: list[tuple[str, Function | ast.Lambda]] = [
        (f"{name}.{method.name}", method)
        for name, node in classes.items()
        if not _of_main_process(node, classes)
        for method in _methods(node)
        if method.name in _WORKER_METHODS or _is_operator(method.name)
    ]
    handed = _handed_over(tree, imports)
    pending += [(name, one) for name in functions if name in handed for one in functions[name]]
    pending += [("the lambda handed to a loader", one) for one in _handed_lambdas(tree)]
    readers: list[Reader] = []
    seen: set[ast.AST] = set()
    while pending:
        name, node = pending.pop(0)
        if node in seen:
            continue
        seen.add(node)
        names = uses_of_function(node, imports)
        readers.append(Reader(name if " " in name else f"`{name}`", names))
        for read in sorted(names.roots):
            pending += [(read, one) for one in functions.get(read, ())]
            if read in classes:
                pending += [(f"{read}.{method.name}", method) for method in _methods(classes[read])]
        attributes = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
        attributes |= {"__len__"} if "len" in names.roots else set()
        for owner, definition in classes.items():
            pending += [(f"{owner}.{one.name}", one) for one in _methods(definition) if one.name in attributes]
    return readers


def worker_definitions(tree: ast.Module, imports: Mapping[str, str]) -> frozenset[str]:
    """Return the names of the classes and functions that workers look up when their work is unpickled."""
    classes = {node.name: node for node in own_scope(tree.body) if isinstance(node, ast.ClassDef)}
    sent = {
        name
        for name, node in classes.items()
        if not _of_main_process(node, classes) and any(one.name in _WORKER_METHODS for one in _methods(node))
    }
    functions = {node.name for node in own_scope(tree.body) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return frozenset(sent | (functions & _handed_over(tree, imports)) | set(_made_classes(tree)))


def _made_classes(tree: ast.Module) -> Iterator[str]:
    for node in own_scope(tree.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=made, args=[_, _, *_])):
                if (dotted(made) or "").rpartition(".")[2] in _MAKES_CLASSES:
                    yield name


def _is_operator(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _CALLED_FOR_OTHERS


def _of_main_process(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Return whether a class only looks like what runs in a worker: a sampler, a loader around a loader, a loss."""
    bases = [base for base in map(dotted, node.bases) if base is not None]
    if any(base.endswith("Dataset") for base in bases):
        return False
    if any(base.endswith(_RUNS_THE_MAIN_PROCESS) for base in bases):
        return True
    inner = [classes[base] for base in bases if base in classes and base != node.name]
    return node.name.endswith(_RUNS_THE_MAIN_PROCESS) or any(_of_main_process(one, classes) for one in inner)


def _methods(node: ast.ClassDef) -> Iterator[Function]:
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child


def _handed_over(tree: ast.Module, imports: Mapping[str, str]) -> frozenset[str]:
    """Return the names that stand where a value is expected, other than those handed to the main process."""
    at_once = not _MAPPING_AT_ONCE.isdisjoint(map(root, imports.values()))
    return frozenset(one.id for one in _values(tree, at_once) if isinstance(one, ast.Name))


def _handed_lambdas(tree: ast.Module) -> Iterator[ast.Lambda]:
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in _WORKER_KEYWORDS:
            yield from (one for one in _parts(node.value) if isinstance(one, ast.Lambda))


def _values(tree: ast.Module, at_once: bool) -> Iterator[ast.expr]:
    """Yield the values of a module; ``at_once``: what maps a function over something does so without a worker."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _MAPPING:
                continue
            case ast.Call(func=ast.Attribute(attr=name)) if name in _MAPPING and at_once:
                continue
            case ast.Call(func=function, args=arguments, keywords=keywords):
                if (dotted(function) or "").rpartition(".")[2] in _STAYS_IN_THE_MAIN_PROCESS:
                    continue
                for given in [*arguments, *(one.value for one in keywords if one.arg not in _MAIN_PROCESS_KEYWORDS)]:
                    yield from _parts(given)
            case ast.Assign() | ast.AnnAssign() | ast.Return():
                if node.value is not None:
                    yield from _parts(node.value)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, or what stands in the containers and choices it consists of."""
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            for part in parts:
                yield from _parts(part)
        case ast.Dict(values=parts) | ast.BoolOp(values=parts):
            for part in parts:
                yield from _parts(part)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _parts(body)
            yield from _parts(orelse)
        case ast.Starred(value=value):
            yield from _parts(value)
        case _:
            yield node
