"""Where a program does something with the values it reads: what it computes with, hands to calls, and goes through."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property

from msgspec import Struct

from loaderlint.linking.files.project import Project
from loaderlint.linking.files.shown import Shows, formatted, is_text
from loaderlint.linking.files.takers import Takers
from loaderlint.linking.following.read_names import (
    KEEPS,
    Named,
    flag_read,
    is_dictionary,
    parts,
    read_by,
    read_name,
    under_keys,
    word_of,
)
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import (
    CallSite,
    FunctionNode,
    Place,
    PythonFacts,
    called_by,
    default_of,
    dotted,
    parameters,
)
from loaderlint.readers.python_calls import GIVE_THE_SAME, called_name, in_any_order

_MOST_NAMES = 100
"""Names that one value is looked for under; one of more counts as used for something else, too."""


class Read(Struct, frozen=True):
    """An expression that something is done with. ``call`` is the call it is given to, None where it is computed with.

    ``whole`` says that it is a dictionary or an object of which every value is used, ``taken`` that a function or class
    of the project is known to take it, under a name that is looked for in its turn; ``asked`` that a method of it is
    called, which a text has and no number.
    """

    facts: PythonFacts
    place: Place
    node: ast.expr
    call: ast.Call | None = None
    whole: bool = False
    taken: bool = False
    asked: bool = False


class Reads:
    """What all Python files of a project do with the values they read, by the last name of what is read."""

    def __init__(self, project: Project, shows: Shows) -> None:
        self._project = project
        self._shows = shows

    @cached_property
    def by_name(self) -> Mapping[str, list[Read]]:
        """The expressions that read a name, an attribute or a key, where something is done with it."""
        found: dict[str, list[Read]] = {}
        for facts in self._project.all_python():
            given = (*_given(facts, self._shows, self._takers), *_in_texts(facts, self._shows))
            for read in (*given, *_computed(facts), *_goes_on_unseen(facts)):
                name = read_name(read.node)
                if name is not None:
                    found.setdefault(name, []).append(read)
        return found

    @cached_property
    def wholes(self) -> tuple[Read, ...]:
        """The dictionaries that are splatted, formatted, taken apart, compared, or gone through for their values."""
        return tuple(
            read
            for facts in self._project.all_python()
            for read in (
                *_splatted(facts, self._shows),
                *_gone_through(facts, self._shows, self._takers),
                *_taken_apart(facts),
                *_taken_together(facts),
                *_named_from_then_on(facts),
                *_read_unseen(facts),
                *_under_own_keys(facts),
                *_compared(facts),
                *_hashed(facts),
                *_named_by(facts, self._shows, self._project),
            )
        )

    def names(self, names: Set[str]) -> Set[str] | None:
        """Return the names together with those that what they stand for is also given; None where they are too many."""
        found = set(names)
        waiting = sorted(names)
        while waiting:
            new = self._handed_on.get(waiting.pop(), set()) - found
            found |= new
            waiting.extend(sorted(new))
            if len(found) > _MOST_NAMES:
                return None
        return found

    @cached_property
    def listed(self) -> Set[str]:
        """The words that stand in lists of files which read attributes by names in variables: ``getattr(args, name)``.

        Those by which values are joined to a text, those that a function of ``operator`` gets, and flags whose defaults
        a program asks for, are among them.
        What is only shown, or given to another object under the same name, is used for nothing.
        """
        found: set[str] = set()
        for facts in self._project.all_python():
            shown = {id(one) for site in self._shows.sites(facts) for one in site.node.args}
            copied = {id(one) for site in facts.calls.get("setattr", ()) for one in site.node.args}
            read = (one.node for one in facts.calls.get("getattr", ()) if id(one.node) not in shown | copied)
            if any(len(one.args) > 1 and not isinstance(one.args[1], ast.Constant) for one in read):
                found.update(_listed(facts))
            found.update(_joined(facts, shown), _defaults_asked(facts), _got_by_word(facts))
        return found

    @cached_property
    def _takers(self) -> Takers:
        return Takers(scope for facts in self._project.all_python() for scope in facts.scopes.values())

    @cached_property
    def _handed_on(self) -> Mapping[str, set[str]]:
        """For what is read, the names under which a program has it from there on."""
        found: dict[str, set[str]] = {}
        for facts in self._project.all_python():
            for value, name in (*_kept(facts), *_handed_to_calls(facts, self._takers)):
                for read in read_by(value):
                    found.setdefault(read, set()).add(name)
        return found


def _kept(facts: PythonFacts) -> Iterator[Named]:
    """Yield what a file binds to names and puts under keys, and what its functions return and have by default."""
    for scope in facts.scopes.values():
        for one in (one for bindings in scope.bindings.values() for one in bindings if one.kind in _BINDS):
            key = word_of(one.key) if one.key is not None else None
            if one.value is not None:
                yield one.value, key or one.name.rpartition(".")[2]
                yield from under_keys(one.value)
        for value, _ in scope.returns:
            if value is not None:
                yield value, called_by(scope) or scope.name
                yield from under_keys(value)
        if isinstance(scope.node, FunctionNode | ast.Lambda):
            defaults = ((default_of(scope.node, one.arg), one.arg) for one in parameters(scope.node))
            yield from ((value, name) for value, name in defaults if value is not None)


_BINDS = frozenset({"assign", "unpack", "loop", "item"})
"""The kinds of bindings that give a name what stands there."""


def _handed_to_calls(facts: PythonFacts, takers: Takers) -> Iterator[Named]:
    """Yield what the calls of a file are given, with the parameters that take it.

    A flag takes its default under the names it is declared by.
    """
    for sites in facts.calls.values():
        for call in (site.node for site in sites):
            flag = flag_read(call)
            for keyword in call.keywords:
                names = (keyword.arg, flag if keyword.arg == "default" else None)
                yield from ((keyword.value, one) for one in names if one is not None)
            yield from takers.given(call)
            for argument in (*call.args, *(one.value for one in call.keywords)):
                yield from under_keys(argument)


def _listed(facts: PythonFacts) -> Iterator[str]:
    """Yield the words in the lists of a file, but for those that declare names, such as ``__slots__``."""
    every = list(nodes_of(facts.tree))
    declared = {id(one.value) for one in every if isinstance(one, ast.Assign) and dotted(one.targets[0]) in _DECLARES}
    for one in every:
        if isinstance(one, ast.Tuple | ast.List | ast.Set) and id(one) not in declared:
            yield from (word for word in map(word_of, one.elts) if word is not None)


def _joined(facts: PythonFacts, shown: Set[int]) -> Iterator[str]:
    """Yield the keys in a list whose values are joined to a text: ``"_".join(options[key] for key in ("a", "b"))``.

    ``shown`` are the arguments of calls that only show them.
    """
    for site in facts.calls.get("join", ()):
        for part in site.node.args if id(site.node) not in shown else ():
            match part:
                case ast.GeneratorExp() | ast.ListComp():
                    names = {dotted(one.target) for one in part.generators}
                    if any(isinstance(one, ast.Subscript) and dotted(one.slice) in names for one in nodes_of(part.elt)):
                        lists = (one.iter.elts for one in part.generators if isinstance(one.iter, ast.Tuple | ast.List))
                        yield from (word for words in lists for word in map(word_of, words) if word is not None)


def _got_by_word(facts: PythonFacts) -> Iterator[str]:
    """Yield what ``operator.itemgetter("key")`` and ``attrgetter("name")`` get of whatever they are called with."""
    for site in (one for name in ("attrgetter", "itemgetter") for one in facts.calls.get(name, ())):
        yield from (word for word in map(word_of, site.node.args) if word is not None)


def _defaults_asked(facts: PythonFacts) -> Iterator[str]:
    """Yield the flags whose defaults a file asks its parser for: all of its flags where a variable names them."""
    for site in facts.calls.get("get_default", ()):
        name = word_of(site.node.args[0]) if site.node.args else None
        if name is not None:
            yield name
        else:
            declared = (flag_read(one.node) for one in facts.calls.get("add_argument", ()))
            yield from (flag for flag in declared if flag is not None)


_DECLARES = frozenset({"__slots__", "__all__", "__match_args__"})


def _given(facts: PythonFacts, shows: Shows, takers: Takers) -> Iterator[Read]:
    """Yield what calls are given, by itself or in a text, and what their methods are called on."""
    for site in _doing(facts, shows):
        taken = {id(one) for one in takers.takes(site.node)}
        writes = shows.writes(site.node)
        for argument in (*site.node.args, *(one.value for one in site.node.keywords if one.arg is not None)):
            for part in parts(argument) if not is_dictionary(argument) else ():
                yield Read(facts, site.place, _as_item(part), site.node, taken=id(argument) in taken)
            for part in formatted(argument) if not writes else ():
                # A text that a function of the project gets says nothing of what that does with the number.
                yield Read(facts, site.place, part, site.node, taken=True)
        if isinstance(site.node.func, ast.Attribute):
            yield Read(facts, site.place, site.node.func.value, asked=True)


def _as_item(value: ast.expr) -> ast.expr:
    """Return what a list gives away as the item it is, ``xs[-1]`` for ``xs.pop()``; any other expression itself."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "pop":
        last = ast.copy_location(ast.Constant(-1), value)
        index = next(iter(value.args), last)
        return value if word_of(index) else ast.copy_location(ast.Subscript(value.func.value, index, ast.Load()), value)
    return value


def _doing(facts: PythonFacts, shows: Shows) -> Iterator[CallSite]:
    shown = {id(one) for one in shows.sites(facts)}
    for called, sites in facts.calls.items():
        if called not in KEEPS:
            yield from (one for one in sites if id(one) not in shown)


def _computed(facts: PythonFacts) -> Iterator[Read]:
    for node, place in facts.operations:
        for operand in (node.left, node.right) if not is_text(node) else ():
            yield from (Read(facts, place, part) for part in parts(operand))
            if isinstance(node.op, ast.Div):
                yield from (Read(facts, place, part) for part in formatted(operand))


def _in_texts(facts: PythonFacts, shows: Shows) -> Iterator[Read]:
    """Yield what stands in texts that are given a name, unless that is only shown, or given back to a caller."""
    shown = {id(part) for site in shows.sites(facts) for one in site.node.args for part in nodes_of(one)}
    loads = (one for one in nodes_of(facts.tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
    used = {one.id for one in loads if id(one) not in shown}
    for scope in facts.scopes.values():
        for name, bindings in scope.bindings.items():
            for one in bindings if name in used or "." in name else ():
                if one.kind == "assign" and one.value is not None:
                    yield from (Read(facts, one.place, part) for part in formatted(one.value))
        given = [*scope.returns, *((one.value, place) for one, place in scope.yielded)]
        for value, place in given if scope.name not in _SHOW_THEMSELVES else ():
            if value is not None:
                yield from (Read(facts, place, part) for part in formatted(value))


_SHOW_THEMSELVES = frozenset({"__format__", "__repr__", "__str__", "extra_repr"})
"""Methods whose texts say what an object is to whoever reads them."""


def _goes_on_unseen(facts: PythonFacts) -> Iterator[Read]:
    """Yield what goes on in ways that are not followed.

    That is by a sum, a name of the module that a function binds, what a generator gives, and child processes'
    environment.
    """
    for scope in facts.scopes.values():
        for one in (one for bindings in scope.bindings.values() for one in bindings):
            unseen = one.kind == "augment" or (one.kind == "assign" and one.inner is not None)
            if one.value is not None and unseen:
                yield from (Read(facts, one.inner or one.place, part) for part in parts(one.value))
            if one.value is not None and one.name.rpartition(".")[2] == "environ":
                yield from (Read(facts, one.place, part) for part in formatted(one.value))
        for given, place in scope.yielded:
            if given.value is not None:
                yield from (Read(facts, place, part) for part in parts(given.value))


def _splatted(facts: PythonFacts, shows: Shows) -> Iterator[Read]:
    for site in _doing(facts, shows):
        for keyword in site.node.keywords:
            if keyword.arg is None:
                yield Read(facts, site.place, keyword.value, site.node, whole=True)
    for node, place in facts.operations:
        if is_text(node) and _FORMATTED_KEY.search(word_of(node.left) or ""):
            yield Read(facts, place, node.right, whole=True)


_FORMATTED_KEY = re.compile(r"%\(\w+\)[^a-z%]*[a-qt-z]")
"""A key in ``%`` formatting that has to be a number: ``%(n)d``, not ``%(n)s``."""


def _gone_through(facts: PythonFacts, shows: Shows, takers: Takers) -> Iterator[Read]:
    """Yield the dictionaries whose values a loop or comprehension computes with, gives to calls, or joins to a text."""
    used: set[int] | None = None
    for scope in facts.scopes.values():
        for iterable, node, place in scope.iterations:
            whole = whole_of(iterable)
            if whole is None:
                continue
            if used is None:
                given = (*_given(facts, shows, takers), *_in_texts(facts, shows))
                used = {id(read.node) for read in (*given, *_computed(facts))}
            if any(id(one) in used for one in turns(node, -1)):
                yield Read(facts, place, whole, whole=True)


def whole_of(iterable: ast.expr) -> ast.expr | None:
    """Return the dictionary whose items or values a loop goes over, in whatever order; None for anything else."""
    match in_any_order(iterable):
        case ast.Call(func=ast.Attribute(value=whole, attr="items" | "values"), args=[]):
            return whole
    return None


def _taken_apart(facts: PythonFacts) -> Iterator[Read]:
    """Yield the dictionaries whose values are told apart by their order: ``workers, prefetch = options.values()``."""
    for scope in facts.scopes.values():
        for one in (one for bindings in scope.bindings.values() for one in bindings if one.kind == "unpack"):
            match one.value:
                case ast.Call(func=ast.Attribute(value=whole, attr="items" | "values"), args=[]):
                    yield Read(facts, one.place, whole, whole=True)


def _taken_together(facts: PythonFacts) -> Iterator[Read]:
    """Yield the dictionaries from all of whose values one is worked out: ``min(options.values())``."""
    for site in (one for name in _OF_ALL for one in facts.calls.get(name, ())):
        for argument in site.node.args:
            match argument:
                case ast.Starred(value=given):
                    whole = whole_of(given)
                case (
                    ast.GeneratorExp(elt=ast.Name(), generators=[one]) | ast.ListComp(elt=ast.Name(), generators=[one])
                ):
                    whole = whole_of(one.iter)
                case _:
                    whole = whole_of(argument)
            if whole is not None:
                yield Read(facts, site.place, whole, whole=True)


def _named_from_then_on(facts: PythonFacts) -> Iterator[Read]:
    """Yield the dictionaries whose keys are names of a module from then on: ``globals().update(cfg)``."""
    for site in facts.calls.get("update", ()):
        match site.node:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name("globals" | "locals"))), args=[given]):
                yield Read(facts, site.place, given, whole=True)


def _read_unseen(facts: PythonFacts) -> Iterator[Read]:
    """Yield the dictionaries some value of which is read without its key being written where it is read.

    That is by ``popitem``, by a place among the values (``sorted(cfg.items())[0]``), by ``reduce(getitem, keys, cfg)``,
    and from the copy that ``json.loads(json.dumps(cfg))`` makes.
    """
    for site in facts.calls.get("popitem", ()):
        if isinstance(site.node.func, ast.Attribute):
            yield Read(facts, site.place, site.node.func.value, whole=True)
    for site in facts.calls.get("reduce", ()):
        yield from (Read(facts, site.place, one, whole=True) for one in site.node.args[2:])
    for site in facts.calls.get("loads", ()):
        dumped = (one for one in site.node.args if isinstance(one, ast.Call) and called_name(one) == "dumps")
        yield from (Read(facts, site.place, one, whole=True) for call in dumped for one in call.args[:1])
    sites = {id(one.node): one for name in GIVE_THE_SAME for one in facts.calls.get(name, ())}
    for node in nodes_of(facts.tree) if sites else ():
        if isinstance(node, ast.Subscript) and id(node.value) in sites:
            whole = whole_of(node.value)
            if whole is not None:
                yield Read(facts, sites[id(node.value)].place, whole, whole=True)


def _under_own_keys(facts: PythonFacts) -> Iterator[Read]:
    """Yield the dictionaries that a program computes with a value of, under a key that it took from all of theirs."""
    for read in _computed(facts):
        match read.node:
            case ast.Subscript(value=whole, slice=ast.Name(id=key)):
                name = dotted(whole)
                given = (one.value for one in read.place.scope.bindings.get(key, ()) if one.value is not None)
                inside = (one for value in given for one in nodes_of(value) if isinstance(one, ast.expr))
                if name is not None and any(dotted(one) == name for one in inside):
                    yield Read(facts, read.place, whole, whole=True)


_OF_ALL = ("all", "any", "filter", "fsum", "map", "max", "min", "prod", "product", "starmap", "sum", "zip")
"""Functions that ask about, or compute with, each of the values they are given together."""


def _compared(facts: PythonFacts) -> Iterator[Read]:
    """Yield the dictionaries made of all that an object holds which are compared with others."""
    sites = [site for name in _MAKES_DICTIONARIES for site in facts.calls.get(name, ())]
    if sites:
        compares = (one for one in nodes_of(facts.tree) if isinstance(one, ast.Compare))
        operands = {
            id(operand)
            for one in compares
            if isinstance(one.ops[0], ast.Eq | ast.NotEq)
            for operand in (one.left, *one.comparators)
        }
        yield from (Read(facts, one.place, one.node, whole=True) for one in sites if id(one.node) in operands)


def _hashed(facts: PythonFacts) -> Iterator[Read]:
    """Yield the dictionaries made of all that an object holds, or the objects themselves, from which a hash is made."""
    hashed = [one.node for name in _HASHES for one in facts.calls.get(name, ())]
    inside = {id(one) for call in hashed for one in nodes_of(call)}
    sites = (one for name in _MAKES_DICTIONARIES if inside for one in facts.calls.get(name, ()))
    yield from (Read(facts, one.place, one.node, whole=True) for one in sites if id(one.node) in inside)
    texts = (one for name in ("repr", "str") if inside for one in facts.calls.get(name, ()))
    yield from (
        Read(facts, one.place, one.node.args[0], whole=True)
        for one in texts
        if one.node.args and id(one.node) in inside
    )


_HASHES = ("hash", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s", "crc32", "adler32")


def _named_by(facts: PythonFacts, shows: Shows, project: Project) -> Iterator[Read]:
    """Yield the objects of own classes that stand in texts which do more than show them: ``f"runs/{settings}"``."""
    texts = [(one.place, one.node) for one in _in_texts(facts, shows)]
    for site in _doing(facts, shows):
        given = site.node.args if not shows.writes(site.node) else ()
        texts.extend((site.place, part) for one in given for part in formatted(one))
    for place, part in texts:
        if isinstance(part, ast.Name):
            bound = place.scope.bindings.get(part.id) or facts.module.bindings.get(part.id) or []
            made = (one.value for one in bound if isinstance(one.value, ast.Call))
            if any(called_name(one)[:1].isupper() and called_name(one) in project.definitions for one in made):
                yield Read(facts, place, part, whole=True)


_MAKES_DICTIONARIES = ("asdict", "_asdict", "model_dump", "vars")


def turns(node: ast.AST, part: int) -> Iterator[ast.Name]:
    """Yield the names in a loop or comprehension for what its turns bind: of a key and a value, the part."""
    names = {one.id for target in _targets(node, part) for one in nodes_of(target) if isinstance(one, ast.Name)}
    yield from (one for one in nodes_of(node) if isinstance(one, ast.Name) and one.id in names)


def _targets(node: ast.AST, part: int) -> Iterable[ast.expr]:
    loops = [node] if isinstance(node, ast.For | ast.AsyncFor) else getattr(node, "generators", [])
    return [
        one.target.elts[part] if isinstance(one.target, ast.Tuple) and one.target.elts else one.target for one in loops
    ]
