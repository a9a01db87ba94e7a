"""Functions and classes that a library calls with what the user writes on the command line.

fire (``fire/core.py``): every parameter of the function, class or method is a flag. typer: the parameters of a command
are its options, their defaults as declared. tyro and jsonargparse: the parameters of a function, the fields of a class.
In all of them a parameter that the user does not give keeps its default. Which parameters keep theirs where a program
gives fire a ``command`` of its own is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.commandlines import click, defaults_chosen, objects
from loaderlint.linking.following.commandlines.flags import strings
from loaderlint.linking.following.commandlines.given import float_given, left_or_given
from loaderlint.linking.following.configurations.handing import parameter_given
from loaderlint.linking.scopes.annotations import annotated
from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import (
    Class,
    External,
    Frame,
    Function,
    Instance,
    Items,
    Made,
    Possibilities,
    Possibility,
    Row,
    end_of,
)
from loaderlint.model.source import Span
from loaderlint.readers.python import FunctionNode, PythonFacts, default_of, dotted, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.python_calls import without_arguments
from loaderlint.vocabulary.commandlines import CALLED_BY_THE_USER

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

MOST_CALLEE_STEPS = 120
"""Expressions followed to find out whether a call is one of these."""
_RUNS_METHODS = ("Fire", "CLI", "auto_cli")
"""Those of them that make commands of the methods of a class."""
_FIRE = "Fire"
_MAKES_SUBCLASSES = ("CLI", "auto_cli")
"""Those of them that make an object of any subclass where a parameter takes one of a class.

jsonargparse's documentation, "Class type and sub-classes".
"""
_COMMANDS = ("command", "callback", "group")
"""Decorators of typer's and click's commands."""


class OutsideUsers:
    """The functions and classes of a project that some library calls with what the user gives, worked out once."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._found: dict[int, Span] | None = None
        self._commanded: set[Span] = set()
        """The calls of fire that are given a command by the program itself."""
        self._filled: set[int] = set()
        self._typed: set[int] = set()

    def of_function(self, function: Function) -> tuple[Items, Span] | None:
        """Return what users hand over to a function and where it is offered to them, None where it is not."""
        node = function.node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or function.scope.parent is None:
            return None
        where = Frame(function.facts, end_of(function.scope.parent))
        span = function.facts.span(node)
        options = click.options_of(self._evaluator, node, where)
        if options is not None:
            return options, span
        if self._is_command(node, where):
            return _by_users(function.facts, node, span, typed=True), span
        offered = self._offered().get(id(node))
        if offered is None:
            return None
        if offered in self._commanded:
            return Items({}, complete=False), offered
        items = _by_users(function.facts, node, offered, typed=id(node) in self._typed)
        return Items({**items.entries, **self._objects(node, where, offered)}, items.complete), offered

    def is_click_command(self, function: Function) -> bool:
        """Return whether a function's name stands for a command of click, which is not called as the function is."""
        node, around = function.node, function.scope.parent
        if not isinstance(node, FunctionNode) or around is None or not click.is_command(node):
            return False
        return click.options_of(self._evaluator, node, Frame(function.facts, end_of(around))) is not None

    def _objects(self, function: FunctionNode, frame: Frame, span: Span) -> dict[str, Possibilities]:
        """Return the parameters for which users make objects of project classes, without a default to start from."""
        found: dict[str, Possibilities] = {}
        for one in parameters(function):
            if one.annotation is not None and default_of(function, one.arg) is None:
                made = objects.filled(self._evaluator, one.annotation, None, frame, span)
                if made is not None:
                    found[one.arg] = made
        return found

    def of_class(self, owner: Class) -> tuple[Items, Span] | None:
        """Return what users hand over to the constructor of a class, None where it is not offered to them."""
        offered = self._offered().get(id(owner.node))
        if offered is None:
            return None
        if offered in self._commanded:
            return Items({}, complete=False), offered
        subject = str(owner.facts.span(owner.node))
        names: list[str] = []
        for one in classes.lineage(self._evaluator, owner):
            names.extend(name for name, _ in classes.fields(one))
            for constructor in classes.constructors(one):
                names.extend(parameter.arg for parameter in parameters(constructor.node))
        return Items({name: left_or_given(subject, name, offered) for name in names}), offered

    def _is_command(self, function: FunctionNode, frame: Frame) -> bool:
        for decorator in function.decorator_list:
            called = without_arguments(decorator)
            if not isinstance(called, ast.Attribute) or called.attr not in _COMMANDS:
                continue
            for one in self._evaluator.evaluate(called.value, frame):
                if isinstance(one.thing, Made) and one.thing.callee == "typer.Typer":
                    return True
                if isinstance(one.thing, External) and one.thing.name == "click":
                    return True
                if isinstance(one.thing, Function) and isinstance(one.thing.node, FunctionNode):
                    return self._is_command(one.thing.node, frame)
        return False

    def _offered(self) -> dict[int, Span]:
        if self._found is None:
            self._found = {}
            for last, full in CALLED_BY_THE_USER.items():
                # What users may call as well is theirs.
                sites = sorted(self._evaluator.callers.sites(last), key=lambda one: _is_commanded(one[1].node, last))
                for facts, site in sites:
                    frame = Frame(facts, site.place)
                    if site.node.args and _mentions(facts, full) and self._is_one_of(full, site.node, frame):
                        if _is_commanded(site.node, last):
                            self._commanded.add(facts.span(site.node))
                        self._offer(site.node.args[0], frame, facts.span(site.node), last in _RUNS_METHODS)
                        if last == "run":
                            offered = self._evaluator.evaluate(site.node.args[0], frame)
                            self._typed.update(id(one.thing.node) for one in offered if isinstance(one.thing, Function))
                        if last in _MAKES_SUBCLASSES:
                            self._fill_parameters(site.node.args[0], frame)
                        self._fill_defaults(site.node.args[0], frame)
                        if self._is_unseen(site.node.args[0], frame):
                            self._fill_what_it_is_handed_to(site.node, frame)
        return self._found

    def fills(self, owner: Class) -> bool:
        """Return whether a user can fill objects of a class that are made where nobody sees it.

        This is what a union of classes worked out at run time does (``tyro.extras.subcommand_type_from_defaults``):
        the parameter that takes the result says which classes they are. jsonargparse does it for the parameters of a
        command.
        """
        # Who offers it to users may be in a file that says nothing of loaders.
        self._evaluator.mentioned.update(("tyro.cli(", "jsonargparse"))
        self._offered()
        return id(owner.node) in self._filled

    def _is_unseen(self, what: ast.expr, frame: Frame) -> bool:
        found = [one.thing for part in annotated(what) for one in self._evaluator.evaluate(part, frame)]
        return not any(isinstance(one, Class | Function | Instance | Items | Row) for one in found)

    def _fill_what_it_is_handed_to(self, call: ast.Call, frame: Frame) -> None:
        """Note the classes that the parameters taking the result of a call are annotated with."""
        names = {
            name
            for name, bindings in frame.scope.bindings.items()
            if any(one.value is call and one.kind == "assign" for one in bindings)
        }
        for site in frame.scope.calls:
            for argument in (*site.node.args, *(one.value for one in site.node.keywords)):
                if argument is not call and not (isinstance(argument, ast.Name) and argument.id in names):
                    continue
                taken = parameter_given(self._evaluator, site.node, argument, frame.at(site.place))
                if taken is None or not isinstance(taken[0], Function):
                    continue
                function = taken[0]
                assert function.scope.parent is not None
                where = Frame(function.facts, end_of(function.scope.parent))
                for one in parameters(function.node):
                    if one.arg == taken[1] and one.annotation is not None:
                        self._fill(one.annotation, where)

    def _fill_parameters(self, commands: ast.expr, frame: Frame) -> None:
        """Note the classes that the parameters of commands are annotated with."""
        for one in self._evaluator.evaluate(commands, frame):
            for thing in _parts(one):
                if isinstance(thing, Function) and thing.scope.parent is not None:
                    where = Frame(thing.facts, end_of(thing.scope.parent))
                    for parameter in parameters(thing.node):
                        if parameter.annotation is not None:
                            self._fill(parameter.annotation, where)

    def _fill(self, annotation: ast.expr, frame: Frame) -> None:
        """Note the classes of an annotation, and what `_fill_classes` notes of them."""
        for part in annotated(annotation):
            found = self._evaluator.evaluate(part, frame)
            self._fill_classes([one.thing for one in found if isinstance(one.thing, Class)])

    def _fill_classes(self, waiting: list[Class]) -> None:
        """Note classes, those that inherit from them, and those of their fields."""
        while waiting:
            owner = waiting.pop()
            if id(owner.node) in self._filled:
                continue
            self._filled.add(id(owner.node))
            waiting.extend(self._evaluator.callers.heirs(owner))
            for one in classes.lineage(self._evaluator, owner):
                inner = Frame(one.facts, end_of(one.scope))
                for _, field in classes.fields(one):
                    self._fill(field, inner)

    def _fill_defaults(self, what: ast.expr, frame: Frame) -> None:
        """Note the classes of the objects that users choose one of to start from."""
        for one in (one for part in annotated(what) for one in self._evaluator.evaluate(part, frame)):
            for chosen in defaults_chosen.commands_of(self._evaluator, one).values():
                self._fill_classes([way.thing.of for way in chosen if isinstance(way.thing, Instance)])

    def _is_one_of(self, names: tuple[str, ...], call: ast.Call, frame: Frame) -> bool:
        with self._evaluator.steps(MOST_CALLEE_STEPS):
            called = self._evaluator.evaluate(call.func, frame)
        return any(isinstance(one.thing, External) and one.thing.name in names for one in called)

    def _offer(self, node: ast.expr, frame: Frame, span: Span, methods: bool = False) -> None:
        assert self._found is not None
        for part in annotated(node):
            for one in self._evaluator.evaluate(part, frame):
                for thing in _parts(one):
                    if isinstance(thing, Class | Instance) and methods:
                        self._methods(thing if isinstance(thing, Class) else thing.of, span)
                    if isinstance(thing, Class):
                        if id(thing.node) not in self._found:
                            self._found[id(thing.node)] = span
                            self._fields(thing, span)
                    elif isinstance(thing, Function):
                        self._found.setdefault(id(thing.node), span)

    def _methods(self, owner: Class, span: Span) -> None:
        """Offer the methods of a class that become commands."""
        assert self._found is not None
        for scope in owner.scope.children:
            if not scope.name.startswith("_"):
                self._found.setdefault(id(scope.node), span)

    def _fields(self, owner: Class, span: Span) -> None:
        """Offer the classes that the fields of a class are annotated with."""
        frame = Frame(owner.facts, end_of(owner.scope))
        for _, annotation in classes.fields(owner):
            self._offer(annotation, frame, span)


def _is_commanded(call: ast.Call, name: str) -> bool:
    """Return whether a call of fire is given a command, other than what the user wrote."""
    words = arguments_of(call, ("component", "command")).get("command") if name == _FIRE else None
    written = words.value if isinstance(words, ast.Subscript) else words
    nothing = written is None or (isinstance(written, ast.Constant) and written.value is None)
    return not nothing and dotted(written) != "sys.argv"


def _mentions(facts: PythonFacts, names: tuple[str, ...]) -> bool:
    """Return whether a file mentions the library of one of these callables."""
    return any(name.partition(".")[0] in facts.source.text for name in names)


def _by_users(facts: PythonFacts, function: FunctionNode, span: Span, *, typed: bool = False) -> Items:
    """Return what users hand over to a function; ``typed`` says that its annotations tell how that is read."""
    subject = str(span)
    entries: dict[str, Possibilities] = {}
    for one in parameters(function):
        if one in (function.args.vararg, function.args.kwarg):
            continue
        number = _as_float(function, one) if typed else None
        if number is not None:
            entries[one.arg] = float_given(subject, one.arg, span, facts.span(number))
            continue
        read_by = one.annotation if typed and _turns_off(function, one) else None
        place = span if read_by is None else facts.span(one)
        entries[one.arg] = left_or_given(subject, one.arg, place, read_by, default=_written_default(function, one))
    return Items(entries, complete=False)


def _as_float(function: FunctionNode, parameter: ast.arg) -> ast.expr | None:
    """Return the annotation by which what is given is read as a float, unless the default is such a number as well."""
    if isinstance(_written_default(function, parameter), float):
        return None
    kind = parameter.annotation
    if isinstance(kind, ast.Subscript) and (dotted(kind.value) or "").rpartition(".")[2] == "Annotated":
        kind = kind.slice.elts[0] if isinstance(kind.slice, ast.Tuple) and kind.slice.elts else None
    return kind if isinstance(kind, ast.Name) and kind.id == "float" else None


def _written_default(function: FunctionNode, parameter: ast.arg) -> object:
    """Return the constant that a parameter starts from, itself or in the call that declares it; else None."""
    default = default_of(function, parameter.arg)
    inside = default.args[:1] if isinstance(default, ast.Call) else [default]
    return next((one.value for one in inside if isinstance(one, ast.Constant)), None)


def _turns_off(function: FunctionNode, parameter: ast.arg) -> bool:
    """Return whether a command's option has a flag that turns it off; one that names its flags (``--pin``) may not."""
    default = default_of(function, parameter.arg)
    return not isinstance(default, ast.Call) or not strings(default)


def _parts(one: Possibility) -> Iterator[object]:
    if isinstance(one.thing, Items):
        for values in one.thing.entries.values():
            yield from (value.thing for value in values)
    elif isinstance(one.thing, Row):
        for item in one.thing.items:
            yield from (value.thing for value in item)
    else:
        yield one.thing
