"""Where the names of functions and classes stand in a project: called, handed on, or given another name.

What a call of ``choose`` gives goes by the name ``choose()`` here, so that ``choose(kind)(args)`` is a call of it, and
``make = choose(kind)`` another name for it. What ``partial(load, …)`` gives goes by ``partial(load)`` as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from loaderlint.linking.files.parametrized import named_values, parametrized
from loaderlint.nodes import without_types
from loaderlint.readers.python import Binding, CallSite, FunctionNode, PythonFacts, Scope, dotted
from loaderlint.readers.python_bindings import is_globals
from loaderlint.readers.python_calls import called_name, called_remotely, makes_remote
from loaderlint.vocabulary.configurations import LOCATORS


class HandedOn(Struct, frozen=True, eq=False):
    """A call that is given something by name."""

    facts: PythonFacts
    site: CallSite
    argument: ast.expr


class References(Struct, eq=False):
    """The references of a project, by the last part of the name.

    ``calls`` are those of anything by the name, or by a name it is imported as; ``unnamed`` those of what another
    expression gives, such as ``loaders["train"](...)``; ``looked_up`` those of what ``getattr`` finds by a name that is
    written elsewhere. ``aliases`` are the other names something of this name is bound to, ``collected`` the names that
    stand in a display of several things, ``fetched`` those called and bound to an item of something or to what a
    ``get`` gives.
    """

    calls: dict[str, list[tuple[PythonFacts, CallSite]]] = field(default_factory=dict)
    unnamed: list[tuple[PythonFacts, CallSite]] = field(default_factory=list)
    looked_up: list[tuple[PythonFacts, CallSite]] = field(default_factory=list)
    handed_on: dict[str, list[HandedOn]] = field(default_factory=dict)
    aliases: dict[str, set[str]] = field(default_factory=dict)
    collected: set[str] = field(default_factory=set)
    fetched: set[str] = field(default_factory=set)
    heirs: dict[str, list[tuple[PythonFacts, Scope]]] = field(default_factory=dict)
    """The classes that name it as a base."""


def references(files: Iterable[PythonFacts]) -> References:
    """Return the references of these files."""
    found = References()
    for facts in files:
        imported = _imported_names(facts)
        to_tests = _note_given_to_tests(found, facts, imported)
        for called, sites in facts.calls.items():
            for meant in (called, *sorted(imported.get(called, ()))):
                found.calls.setdefault(meant, []).extend((facts, site) for site in sites)
            if not called:
                found.unnamed.extend((facts, site) for site in sites)
                for site in sites:
                    for name in _names_called(site.node.func):
                        for meant in (name, *sorted(imported.get(name, ()))):
                            found.calls.setdefault(meant, []).append((facts, site))
                    asked = _asked_for(site.node.func)
                    if isinstance(asked, ast.Constant):
                        found.calls.setdefault(str(asked.value), []).append((facts, site))
                    elif asked is not None:
                        found.looked_up.append((facts, site))
            for site in sites:
                if called and is_looked_up(site.node.func, site.place.scope):
                    found.looked_up.append((facts, site))
                remote = called_remotely(site.node)
                for name in last_names(remote) if remote is not None else ():
                    for meant in (name, *sorted(imported.get(name, ()))):
                        found.calls.setdefault(meant, []).append((facts, site))
                for given in (*site.node.args, *(one.value for one in site.node.keywords)):
                    # What a lambda gives is handed on with it: ``field(default_factory=lambda: Loader)``.
                    argument = given.body if isinstance(given, ast.Lambda) else given
                    for name in last_names(argument) if id(argument) not in to_tests else ():
                        for meant in (name, *sorted(imported.get(name, ()))):
                            found.handed_on.setdefault(meant, []).append(HandedOn(facts, site, argument))
        if facts.source.path.endswith("__init__.py"):
            # A package can hand on what it imports under another name.
            for bound, meant_there in imported.items():
                for meant in meant_there:
                    found.aliases.setdefault(meant, set()).add(bound)
        for scope in facts.scopes.values():
            _note_bindings(found, scope, imported)
            _note_returned(found, scope, imported)
            if isinstance(scope.node, ast.ClassDef):
                for base in map(without_types, scope.node.bases):
                    for name in last_names(base):
                        for meant in (name, *sorted(imported.get(name, ()))):
                            found.heirs.setdefault(meant, []).append((facts, scope))
    found.fetched.update(bound for name in sorted(found.fetched) for bound in found.aliases.get(name, ()))
    found.fetched &= found.calls.keys()
    return found


def _imported_names(facts: PythonFacts) -> dict[str, set[str]]:
    """Return the names that a file uses for something imported under another name, with the names meant.

    So it does for what a call of that gives.
    """
    names: dict[str, set[str]] = {}
    for scope in facts.scopes.values():
        for bound, bindings in scope.bindings.items():
            for one in bindings:
                last = one.target.rpartition(".")[2]
                if one.kind == "import" and last != bound:
                    names.setdefault(bound, set()).add(last)
                    names.setdefault(f"{bound}()", set()).add(f"{last}()")
    return names


def _note_bindings(found: References, scope: Scope, imported: Mapping[str, set[str]]) -> None:
    for name, bindings in scope.bindings.items():
        last = name.rpartition(".")[2]
        for one in bindings:
            if one.value is None or one.kind not in ("assign", "loop", "item", "unpack"):
                continue
            for other in last_names(one.value):
                for meant in (other, *imported.get(other, ())):
                    if meant != last:
                        found.aliases.setdefault(meant, set()).add(last)
            if isinstance(one.value, ast.Subscript) or _is_get(one.value):
                found.fetched.add(last)
            for other in _collected(one):
                found.collected.add(other)
            for item in _looped_over(one.value, scope) if one.kind == "loop" else ():
                for other in last_names(item):
                    found.aliases.setdefault(other, set()).add(last)


def _note_given_to_tests(found: References, facts: PythonFacts, imported: Mapping[str, set[str]]) -> set[int]:
    """Note what goes by the name of a test's parameter, and return the arguments that give it that, by their identity.

    pytest hands them to nothing else.
    """
    noted: set[int] = set()
    tests = (scope.node for scope in facts.scopes.values()) if "parametrize" in facts.calls else ()
    for node in tests:
        for given in parametrized(node) if isinstance(node, FunctionNode | ast.ClassDef) else ():
            for parameter, value in named_values(given):
                noted.add(id(value))
                for other in last_names(value):
                    for meant in (other, *imported.get(other, ())):
                        found.aliases.setdefault(meant, set()).add(parameter)
    return noted


def _note_returned(found: References, scope: Scope, imported: Mapping[str, set[str]]) -> None:
    """Note what goes by the name of a call of a function, since the function returns it or has it for a default."""
    node = scope.node
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    for parameter, default in _defaults(node.args):
        for other in last_names(default):
            for meant in (other, *imported.get(other, ())):
                found.aliases.setdefault(meant, set()).add(parameter.arg)
    for value, _ in scope.returns:
        for returned in _behind_names(value, scope) if value is not None else ():
            if isinstance(returned, ast.Subscript) or _is_get(returned):
                found.fetched.add(f"{scope.name}()")
            for other in _names_in(returned):
                for meant in (other, *imported.get(other, ())):
                    found.aliases.setdefault(meant, set()).add(f"{scope.name}()")


def _names_called(callee: ast.expr) -> Iterator[str]:
    """Yield the last parts of the names that a callee without a name of its own can stand for."""
    yield from _names_in(callee.value) if isinstance(callee, ast.Subscript) else last_names(callee)


def _defaults(declared: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    positional = [*declared.posonlyargs, *declared.args]
    yield from zip(reversed(positional), reversed(declared.defaults), strict=False)
    for parameter, default in zip(declared.kwonlyargs, declared.kw_defaults, strict=True):
        if default is not None:
            yield parameter, default


def _behind_names(value: ast.expr, scope: Scope) -> Iterator[ast.expr]:
    """Yield an expression, or where it is a name that the scope assigns, what it assigns to it."""
    assigned = (
        [one for one in scope.bindings.get(value.id, ()) if one.kind == "assign"] if isinstance(value, ast.Name) else []
    )
    yield from (one.value for one in assigned if one.value is not None)
    if not assigned:
        yield value


def _names_in(value: ast.expr) -> Iterator[str]:
    """Yield the last parts of the names an expression, or what it displays, can stand for."""
    if isinstance(value, ast.List | ast.Tuple):
        items: Iterable[ast.expr] = value.elts
    else:
        items = value.values if isinstance(value, ast.Dict) else (value,)
    for item in items:
        yield from last_names(item)


def last_names(node: ast.expr) -> Iterator[str]:
    """Yield the last parts of the names an expression can stand for."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.IfExp):
        yield from last_names(node.body)
        yield from last_names(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from last_names(value)
    elif (display := _looked_up_in(node)) is not None:
        yield from _names_in(display)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        yield f"{called_name(node)}()"
        if called_name(node) == "partial" and node.args:
            yield from (f"partial({function})" for function in last_names(node.args[0]))
        if isinstance(asked := _asked_for(node), ast.Constant):
            yield str(asked.value)
    elif isinstance(node, ast.Call) and makes_remote(node):
        yield "remote()"


def _looked_up_in(node: ast.expr) -> ast.expr | None:
    """Return the display that an expression looks something up in: ``{"fast": Fast}[kind]``, ``{…}.get(kind)``."""
    within = node.value if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        within = node.func.value
    return within if isinstance(within, ast.Dict | ast.List | ast.Tuple) else None


def _is_get(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "get"


def is_looked_up(callee: ast.expr, scope: Scope) -> bool:
    """Return whether a callee is what a call gives, or a name that the scope binds to what is looked up by name."""
    bound = scope.bindings.get(callee.id, ()) if isinstance(callee, ast.Name) else ()
    return isinstance(callee, ast.Call) or any(
        one.value and (_asked_for(one.value) or _is_located(one.value)) for one in bound
    )


def _is_located(value: ast.expr) -> bool:
    """Return whether an expression gives what a dotted name names: ``hydra.utils.get_class(settings._target_)``."""
    return isinstance(value, ast.Call) and bool(value.args) and called_name(value) in _LOCATING


_LOCATING = frozenset(name.rpartition(".")[2] for name in LOCATORS)


def takes_long_to_follow(callee: ast.expr, scope: Scope) -> bool:
    """Return whether a callee is what is looked up by name, or a method of something that was."""
    return is_looked_up(callee, scope) or _is_of_looked_up(callee, scope)


def _is_of_looked_up(callee: ast.expr, scope: Scope) -> bool:
    """Return whether a callee is a method of what a method beside it makes of a class that stands under a key.

    ``self.data = KINDS[settings.kind](**settings)``, and then ``self.data.loader(...)``.
    """
    match callee, scope.parent:
        case ast.Attribute(ast.Attribute(ast.Name()) as owner), Scope(is_class=True) as around:
            name = dotted(owner) or ""
            made = (one.value for method in around.children for one in method.bindings.get(name, ()))
            return any(isinstance(one, ast.Call) and isinstance(one.func, ast.Subscript) for one in made)
    return False


def _asked_for(callee: ast.expr) -> ast.expr | None:
    """Return the expression that says which name a callee is looked up by, None for any other expression.

    ``getattr(module, name)`` does, and so do ``globals()[name]`` and ``globals().get(name)``.
    """
    match callee:
        case ast.Call(ast.Name("getattr"), [_, asked, *_]):
            return asked
        case ast.Subscript(holder, asked) | ast.Call(ast.Attribute(holder, "get"), [asked, *_]) if is_globals(holder):
            return asked
    return None


def _looped_over(value: ast.expr, scope: Scope, looked_up: frozenset[str] = frozenset()) -> Iterator[ast.expr]:
    """Yield what a loop comes to of a display, or of one that the scope assigns to a name, perhaps beside others.

    A name that was ``looked_up`` on the way says nothing of itself: ``rows = enumerate(rows)``.
    """
    if isinstance(value, ast.Name):
        if value.id in looked_up:
            return
        looked_up |= {value.id}
    for one in _behind_names(value, scope):
        match one:
            case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed"), args=several):
                for each in several:
                    yield from _looped_over(each, scope, looked_up)
            case ast.Call(func=ast.Attribute(value=owner, attr="items" | "values"), args=[]):
                yield from _looped_over(owner, scope, looked_up)
            case ast.Dict(values=items) | ast.List(elts=items) | ast.Tuple(elts=items):
                yield from items
            case ast.Call(keywords=named) if one is value:
                yield from (each.value for each in named)


def _collected(binding: Binding) -> Iterator[str]:
    value = binding.value
    items: Iterable[ast.expr] = ()
    if isinstance(value, ast.Dict):
        items = value.values
    elif isinstance(value, ast.List | ast.Tuple):
        items = value.elts
    elif isinstance(value, ast.Call):
        items = [one.value for one in value.keywords]
    elif binding.kind == "item" and value is not None:
        items = [value]
    for item in items:
        yield from last_names(item)
