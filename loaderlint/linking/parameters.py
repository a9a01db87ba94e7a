"""Parameters: what their callers hand over, Python calls and configuration mappings alike."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loaderlint.linking import commandline, dictionaries, hydra
from loaderlint.linking.things import (
    ABSENT,
    Absent,
    Class,
    Frame,
    Function,
    Instance,
    Items,
    Possibilities,
    Possibility,
    choice,
    end_of,
    irremovable,
    one_of,
    under,
    unseen,
)
from loaderlint.linking.trees import from_entry
from loaderlint.model.loader import TORCH_DEFAULTS
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, Scope, default_of, dotted, parameters
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.readers.tree import Scalar, mappings
from loaderlint.vocabulary.keys import CONSUMERS

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


@dataclass(frozen=True, eq=False)
class Caller:
    """A call of a project function and the frame it stands in; ``skip`` positional arguments are not parameters."""

    frame: Frame
    call: ast.Call


@dataclass(frozen=True, eq=False)
class TreeCaller:
    """A configuration mapping that names a class or function and holds its keyword arguments."""

    arguments: TreeMapping
    skip: frozenset[str] = frozenset()


def parameter(evaluator: Evaluator, node: ast.arg, frame: Frame) -> Possibilities:
    """Return what a parameter can hold, by the call being followed or by every caller in the project."""
    scope = frame.scope
    function = scope.node
    span = frame.facts.span(node)
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return unseen(span)
    owner = owner_of(frame.facts, scope)
    if owner is not None and isinstance(function, FunctionNode) and is_receiver(function, node):
        return (Possibility(frame.receiver or Instance(owner), span),)
    if frame.arguments is not None and node.arg in frame.arguments:
        return frame.arguments[node.arg]
    if isinstance(function, ast.Lambda) or node is function.args.vararg:
        return unseen(span)
    if node is function.args.kwarg:
        return _keywords(evaluator, function, frame, owner)
    option = commandline.option_of_decorator(evaluator, function, node.arg, frame)
    if option is None:
        option = hydra.configuration(evaluator, function, node, frame)
    if option is not None:
        return option
    callers = evaluator.callers.of(Function(frame.facts, function, scope, owner=owner))
    default = default_of(function, node.arg)
    subject = str(frame.facts.span(function))
    if not callers:
        return (*_default(evaluator, default, node, frame, subject), *_by_annotation(evaluator, node, frame, subject))
    ways: list[Possibilities] = []
    for caller in callers:
        given = handed_over(evaluator, caller, function, node.arg, frame, method=owner is not None)
        left_out = _default(evaluator, default, node, frame, "")
        settled = (under(left_out, one.assumptions) if isinstance(one.thing, Absent) else (one,) for one in given)
        ways.append(tuple(one for way in settled for one in way))
    return one_of(subject, enumerate(ways)) or unseen(span)


def _keywords(evaluator: Evaluator, function: FunctionNode, frame: Frame, owner: Class | None) -> Possibilities:
    """Return what ``**kwargs`` can hold: the keywords of each caller that no other parameter takes."""
    span = frame.facts.span(function.args.kwarg or function)
    callers = evaluator.callers.of(Function(frame.facts, function, frame.scope, owner=owner))
    if not callers:
        return (Possibility(Items({}, complete=False), span),)
    named = {one.arg for one in parameters(function)}
    ways: list[Possibilities] = []
    for caller in callers:
        if isinstance(caller, TreeCaller):
            keys = caller.arguments.merged.keys() - caller.skip
            items = Items(
                {
                    key: (from_entry(entry, span, f"{function.name}({key}=…)", removable=True),)
                    for key, entry in caller.arguments.merged.items()
                    if key in keys and key not in named
                }
            )
        else:
            given = dictionaries.items_of_call(
                evaluator, ast.Call(caller.call.func, [], caller.call.keywords), caller.frame
            )
            entries = {key: values for key, values in given.entries.items() if key not in named}
            items = Items(entries, given.complete)
        ways.append((Possibility(items, span),))
    return one_of(str(frame.facts.span(function)), enumerate(ways))


def owner_of(facts: PythonFacts, scope: Scope) -> Class | None:
    """Return the class whose method a function's scope is, None for a plain function."""
    return None if scope.parent is None else class_of(facts, scope.parent)


def class_of(facts: PythonFacts, scope: Scope) -> Class | None:
    """Return the class whose body a scope is, None for any other scope."""
    if scope.parent is None or not isinstance(scope.node, ast.ClassDef):
        return None
    for binding in scope.parent.bindings.get(scope.name, ()):
        if binding.node is scope.node:
            return Class(facts, scope.node, scope, binding.place)
    return None


def is_receiver(function: FunctionNode, node: ast.arg) -> bool:
    """Return whether a parameter of a method is the object (or class) it is called on."""
    return node is next(parameters(function), None) and not _has_decorator(function, "staticmethod")


def _has_decorator(function: FunctionNode, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in function.decorator_list)


def _default(
    evaluator: Evaluator, default: ast.expr | None, node: ast.arg, frame: Frame, subject: str
) -> Possibilities:
    if default is None:
        return ()
    span = frame.facts.between(node, default)
    parent = frame.scope.parent
    assert parent is not None
    where = Frame(frame.facts, end_of(parent))
    found = commandline.unwrapped(evaluator, evaluator.evaluate(default, where))
    note = f"{frame.scope.name}({node.arg}=…) default"
    assumed = choice(f"{subject}:{node.arg}", "default") if subject else frozenset()
    return under((one.step(span, note) for one in found), assumed)


def _by_annotation(evaluator: Evaluator, node: ast.arg, frame: Frame, subject: str) -> Possibilities:
    """Return the object of a project class that the annotation promises, else the unseen."""
    span = frame.facts.span(node)
    assumed = choice(f"{subject}:{node.arg}", "given")
    if node.annotation is not None and frame.scope.parent is not None:
        annotation = node.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            return unseen(span, assumed)
        where = Frame(frame.facts, end_of(frame.scope.parent))
        for one in evaluator.evaluate(annotation, where):
            if isinstance(one.thing, Class):
                return (Possibility(Instance(one.thing), span, assumptions=assumed),)
    return unseen(span, assumed)


def handed_over(
    evaluator: Evaluator, caller: Caller | TreeCaller, function: FunctionNode, name: str, frame: Frame, *, method: bool
) -> Possibilities:
    """Return what one caller gives for a parameter; `ABSENT` when it leaves the parameter to its default."""
    label = function.name if frame.scope.parent is None or not method else frame.scope.parent.name
    if method and function.name != "__init__":
        label = f"{label}.{function.name}"
    if isinstance(caller, TreeCaller):
        entry = None if name in caller.skip else caller.arguments.get(name)
        here = next(
            (frame.facts.span(one) for one in parameters(function) if one.arg == name), frame.facts.span(function)
        )
        if entry is None:
            return (Possibility(ABSENT, caller.arguments.span),)
        removable = _neutral_default(function, name)
        given = from_entry(entry, here, f"{label}({name}=…)", removable=removable)
        return (given,)
    values = arguments_of(
        evaluator, caller, function, skip_first=method and not _has_decorator(function, "staticmethod")
    )
    given_values = values.get(name)
    if given_values is None:
        return (Possibility(ABSENT, caller.frame.facts.span(caller.call)),)
    here = caller.frame.facts.span(caller.call)
    return tuple(one if isinstance(one.thing, Absent) else one.step(here, f"{label}({name}=…)") for one in given_values)


def _neutral_default(function: FunctionNode | ast.Lambda, name: str) -> bool:
    """Return whether a parameter left out means the same as torch's own default for the option of that name."""
    return is_neutral(default_of(function, name), name)


def is_neutral(default: ast.expr | None, name: str) -> bool:
    """Return whether a default (None: there is none) means the same as torch's own for the option of that name."""
    if not isinstance(default, ast.Constant):
        return False
    return name not in TORCH_DEFAULTS or default.value == TORCH_DEFAULTS[name] or default.value is None


def arguments_of(
    evaluator: Evaluator, caller: Caller, function: FunctionNode | ast.Lambda, *, skip_first: bool
) -> Mapping[str, Possibilities]:
    """Return what one call hands over, by parameter name; ``*args`` hide the positional parameters behind them.

    What a parameter needs, because leaving it out means something else or nothing at all, cannot be removed.
    """
    call, frame = caller.call, caller.frame
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    if skip_first:
        names = names[1:]
    values: dict[str, Possibilities] = {}
    for name, argument in zip(names, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            span = frame.facts.span(argument)
            values.update((hidden, unseen(span)) for hidden in names[names.index(name) :])
            break
        values[name] = evaluator.evaluate(argument, frame)
    for keyword in call.keywords:
        if keyword.arg is None:
            splat = dictionaries.as_items(evaluator, evaluator.evaluate(keyword.value, frame))[0]
            every = [*names, *(one.arg for one in function.args.kwonlyargs)]
            for name in every:
                if name in splat.entries:
                    values[name] = splat.entries[name]
                elif not splat.complete and name not in values:
                    values[name] = unseen(frame.facts.span(keyword.value))
        else:
            values[keyword.arg] = dictionaries.entered(evaluator, keyword.value, frame, frame.facts.span(keyword))
    declared = {one.arg for one in parameters(function)}
    return {
        name: given if name not in declared or _neutral_default(function, name) else irremovable(given)
        for name, given in values.items()
    }


def names_definition(callee: ast.expr, frame: Frame) -> bool:
    """Return whether a callee is a name, or an attribute of something imported, as classes and functions are called."""
    name = dotted(callee)
    root, _, attribute = (name or "").partition(".")
    scope: Scope | None = frame.scope
    while attribute and scope is not None:
        if root in scope.bindings:
            return any(one.kind in ("import", "class") for one in scope.bindings[root])
        scope = scope.parent
    return name is not None


MOST_CALLEE_STEPS = 120
"""Expressions followed to find out whether a call is one of a function."""


class Callers:
    """Who calls each function of the project, found by name and then by following the callee."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._known: dict[int, tuple[Caller | TreeCaller, ...]] = {}
        self._by_name: dict[str, list[tuple[PythonFacts, CallSite]]] | None = None
        self._by_dotted_name: dict[str, list[tuple[str, TreeCaller]]] | None = None
        self.unknown: set[str] = set()
        """The functions and classes that nothing read so far calls."""

    def of(self, function: Function) -> tuple[Caller | TreeCaller, ...]:
        """Return the callers of a function; those of its class, and of its subclasses, for an ``__init__``."""
        key = id(function.node)
        if key not in self._known:
            # A function that is reached again while its callers are looked for has no callers there.
            self._known[key] = ()
            self._known[key] = tuple(self._find(function))
            if not self._known[key]:
                self.unknown.add(function.owner.node.name if function.owner is not None else function.scope.name)
        return self._known[key]

    def _find(self, function: Function) -> Iterator[Caller | TreeCaller]:
        node = function.node
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        owner = function.owner
        if owner is not None and node.name == "__init__":
            yield from self.makers(owner)
            yield from self._super_calls(owner)
            return
        for facts, site in self._sites(node.name):
            frame = Frame(facts, site.place)
            if owner is None and not names_definition(site.node.func, frame):
                continue
            if any(isinstance(one.thing, Function) and one.thing.node is node for one in self._callee(site, frame)):
                yield Caller(frame, site.node)
        if owner is None:
            yield from self._configured(node.name, function.facts)

    def makers(self, owner: Class) -> Iterator[Caller | TreeCaller]:
        """Yield what makes an object of a class, or of a subclass without a constructor of its own."""
        for name in (owner.node.name, "cls"):
            for facts, site in self._sites(name):
                frame = Frame(facts, site.place)
                if not names_definition(site.node.func, frame):
                    continue
                made = (one.thing for one in self._callee(site, frame))
                if any(isinstance(thing, Class) and thing.node is owner.node for thing in made):
                    yield Caller(frame, site.node)
        yield from self._configured(owner.node.name, owner.facts)
        for heir in self._heirs(owner):
            if "__init__" not in heir.scope.bindings:
                yield from self.makers(heir)

    def _heirs(self, owner: Class) -> Iterator[Class]:
        for facts in self._evaluator.project.all_python():
            for scope in facts.scopes.values():
                node = scope.node
                if not isinstance(node, ast.ClassDef) or scope.parent is None or node is owner.node:
                    continue
                if not any(owner.node.name in ast.dump(base) for base in node.bases):
                    continue
                heir = class_of(facts, scope)
                if heir is not None and any(base.node is owner.node for base in bases(self._evaluator, heir)):
                    yield heir

    def _super_calls(self, owner: Class) -> Iterator[Caller]:
        for heir in self._heirs(owner):
            for scope in heir.scope.children:
                for site in scope.calls:
                    if is_super_init(site.node):
                        yield Caller(Frame(heir.facts, site.place), site.node)

    def _callee(self, site: CallSite, frame: Frame) -> Possibilities:
        with self._evaluator.steps(MOST_CALLEE_STEPS):
            return self._evaluator.evaluate(site.node.func, frame)

    def _sites(self, name: str) -> Iterable[tuple[PythonFacts, CallSite]]:
        """Return the calls of anything by this name, and by the names it is imported as."""
        if self._by_name is None:
            self._by_name = {}
            for facts in self._evaluator.project.all_python():
                aliases: dict[str, set[str]] = {}
                for bound, bindings in facts.module.bindings.items():
                    for one in bindings:
                        last = one.target.rpartition(".")[2]
                        if one.kind == "import" and last != bound:
                            aliases.setdefault(bound, set()).add(last)
                for called, sites in facts.calls.items():
                    for meant in (called, *sorted(aliases.get(called, ()))):
                        self._by_name.setdefault(meant, []).extend((facts, site) for site in sites)
        return self._by_name.get(name, ())

    def _configured(self, name: str, facts: PythonFacts) -> Iterator[TreeCaller]:
        if self._by_dotted_name is None:
            self._by_dotted_name = {}
            for dotted_name, caller in instantiations(self._evaluator):
                last = dotted_name.rpartition(".")[2]
                self._by_dotted_name.setdefault(last, []).append((dotted_name, caller))
        for dotted_name, caller in self._by_dotted_name.get(name, ()):
            module = dotted_name.rpartition(".")[0]
            configuration = caller.arguments.span.path
            if not module or facts.source.path in self._evaluator.project.modules_ending(module, configuration):
                yield caller


def is_super_init(call: ast.Call) -> bool:
    """Return whether a call is ``super().__init__(...)``."""
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "__init__"
        and isinstance(function.value, ast.Call)
        and isinstance(function.value.func, ast.Name)
        and function.value.func.id == "super"
    )


def bases(evaluator: Evaluator, owner: Class) -> list[Class]:
    """Return the direct base classes that the project defines."""
    frame = Frame(owner.facts, owner.place)
    found = [one.thing for base in owner.node.bases for one in evaluator.evaluate(base, frame)]
    return [one for one in found if isinstance(one, Class)]


def lineage(evaluator: Evaluator, owner: Class) -> list[Class]:
    """Return a class and the base classes that the project defines, nearest first."""
    found: list[Class] = []
    waiting = [owner]
    while waiting and len(found) < 20:
        one = waiting.pop(0)
        if not any(one.node is seen.node for seen in found):
            found.append(one)
            waiting.extend(bases(evaluator, one))
    return found


def instantiations(evaluator: Evaluator) -> Iterator[tuple[str, TreeCaller]]:
    """Yield every dotted name that a configuration mapping says to call, with the mapping of arguments."""
    for facts in evaluator.project.all_configuration_files():
        for document in facts.documents:
            for _, mapping in mappings(document):
                for key, arguments in CONSUMERS.items():
                    entry = mapping.get(key)
                    if (
                        entry is None
                        or not isinstance(entry.value, Scalar)
                        or not isinstance(entry.value.constant, str)
                    ):
                        continue
                    if not arguments:
                        yield entry.value.constant, TreeCaller(mapping, frozenset({key}))
                    else:
                        given = mapping.get(arguments)
                        if given is not None and isinstance(given.value, TreeMapping):
                            yield entry.value.constant, TreeCaller(given.value)
