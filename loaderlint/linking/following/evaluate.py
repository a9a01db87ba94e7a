"""Follows an expression to the things it can be.

One `Evaluator` serves a whole project and remembers what it worked out. It never runs code: it knows a handful of
operations on things it has seen, and calls everything else unseen.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from loaderlint.linking.files.project import Project
from loaderlint.linking.following import (
    bindings,
    blurred,
    callers,
    calls,
    constructor_calls,
    copies,
    escapes,
    instances,
    joined_datasets,
    members,
    modules,
    names_read,
    questions,
    remembering,
    set_outside,
)
from loaderlint.linking.following.commandlines import absl, outside, parsed
from loaderlint.linking.following.conditions import Conditions
from loaderlint.linking.following.configurations import (
    fitting,
    hydra,
    instantiation,
    lightning,
    registries,
)
from loaderlint.linking.following.configurations.handing import GivenElsewhere
from loaderlint.linking.following.effects import Effects
from loaderlint.linking.following.global_objects import GlobalObjects
from loaderlint.linking.following.remembering import Remembering
from loaderlint.linking.scopes.events import Events
from loaderlint.linking.things import dictionaries, loops, operators, templates
from loaderlint.linking.things.importable import Importable
from loaderlint.linking.things.kinds import (
    Class,
    CommandLine,
    Frame,
    Function,
    Instance,
    Items,
    LeftOut,
    Possibilities,
    Possibility,
    end_of,
)
from loaderlint.linking.things.possibilities import MOST_POSSIBILITIES, never_none, unseen
from loaderlint.linking.things.relatives import Relatives
from loaderlint.model.assumptions import Assumptions
from loaderlint.model.source import Span
from loaderlint.readers.python import Arm, Binding, Place, PythonFacts, Scope

if TYPE_CHECKING:
    from loaderlint.linking.following.loaders_behind import Behind

_Circumstances: TypeAlias = tuple[ast.expr, int, int]
"""An expression, and by their identity the arguments and the receiver it is read with."""


class Evaluator(Remembering):
    """Follows expressions through a project.

    ``effort`` is the share of the steps there are for a question that may be spent on it. What an evaluator ``before``
    this one found out of single scopes holds on when further files are read.
    """

    def __init__(
        self,
        project: Project,
        loader_options: Mapping[str, Mapping[str, str | int]] | None = None,
        effort: float = 1.0,
        before: Evaluator | None = None,
    ) -> None:
        super().__init__(effort)
        self.project = project
        self.wrappers = loader_options or {}
        self.callers = callers.Callers(self)
        self._conditions = Conditions(self)
        self.outside = outside.OutsideUsers(self)
        self.defined_flags = absl.DefinedFlags(self)
        self.lightning = lightning.Interfaces(self)
        self.registries = registries.Registries(self)
        self.blurred = blurred.Blurred(self)
        self.instantiations = instantiation.Instantiations(self)
        self._known: dict[_Circumstances, Possibilities] = {}
        self.loaders_behind: dict[tuple[int, ...], list[Behind]] = {}
        """What `loaders_in` answered, by expression and receiver: several programs run the same functions."""
        self.mentioned: set[str] = set()
        """Words that a file which changes anything about what was followed must hold."""
        self.takers: set[str] = set()
        """The files of what is given a function or class whose callers are looked for: those may call it."""
        self.settings_in_python: set[str] = set()
        """The files of Python that were read as settings, with every name that these give."""
        self._objects: dict[tuple[object, ...], Instance] = {}
        self.relatives = Relatives()
        self._constructed: dict[tuple[int, int, int], Mapping[str, Possibilities]] = {}
        self.events: Events = before.events if before is not None else Events()
        self.paths_read: fitting.PathsRead = before.paths_read if before is not None else fitting.PathsRead()
        self.compositions: hydra.Compositions = before.compositions if before is not None else hydra.Compositions()
        self.effects = Effects(self)
        self.global_objects = GlobalObjects(self)

    @cached_property
    def attributes_set(self) -> Mapping[str, list[tuple[PythonFacts, Binding]]]:
        """The assignments to an attribute of a name, by the attribute."""
        return set_outside.attributes_set(self.project)

    @cached_property
    def importable(self) -> Importable:
        """On which platforms each file can be imported."""
        return Importable(self.project)

    @cached_property
    def module_attributes_set(self) -> Mapping[str, Sequence[tuple[PythonFacts, Binding]]]:
        """The assignments to an attribute of something imported, by the attribute."""
        return modules.attributes_set(self.project)

    def prepare(self) -> None:
        """Look through the whole project for what every question may need the answer to.

        Nobody's question is charged for it, and what there is does not depend on how many steps the first who asks has.
        """
        assert self.instantiations.stored is not None
        assert self.instantiations.callers is not None

    def ask_imported(self) -> None:
        """Look for calls, and for what is set, in the files that were only imported so far as well."""
        self.__dict__.pop("attributes_set", None)
        self.relatives.forget()
        self.callers.ask_imported()

    def forget(self) -> None:
        """Forget what was worked out so far, which something found since then may change."""
        super().forget()
        self._known.clear()
        self._constructed.clear()
        self.relatives.forget()
        self.callers.forget()

    def evaluate(self, node: ast.expr, frame: Frame) -> Possibilities:
        """Return what an expression can be; recursion and explosion end in the unseen."""
        key = (node, id(frame.arguments), id(frame.receiver))
        known = self._known.get(key)
        if known is not None:
            return known
        if self._left_in_all == remembering.MOST_STEPS:
            with self.steps(remembering.STEPS_OF_A_PROJECT_QUESTION):
                return self.evaluate(node, frame)
        if key in self._tentative:
            return cast(Possibilities, self._still_tentative(key))
        depth = len(self._active)
        if key in self._active:
            self._met = min(self._met, self._active[key])
            return unseen(frame.facts.span(node))
        if depth > remembering.DEEPEST_EXPRESSION:
            return self.too_deep(frame.facts.span(node))
        steps, cut = self._steps_left, self._cut.get(key)
        if cut is not None and self._too_few(steps, cut[0]):
            self._left = -1
            return cast(Possibilities, cut[1])
        too_far = self.step(frame.facts.span(node))
        if too_far:
            return too_far
        before = self._met, len(self._tentative)
        self._met = remembering.NOTHING_MET
        self._active[key] = depth
        try:
            result = self._by_kind(node, frame)
            if len(result) > MOST_POSSIBILITIES:
                result = self._conditions.met_at(frame, result)
        except RecursionError:
            result = self.too_deep(frame.facts.span(node))
        finally:
            del self._active[key]
        result = dictionaries.limited(result, frame.facts.span(node))
        self._keep(frame.arguments, frame.receiver)
        if cut_short := self._steps_left < 0:
            self._cut[key] = steps, result
        if self._may_remember(key, result, before, depth, cut_short):
            self._known[key] = result
        return result

    def is_known(self, node: ast.expr) -> bool:
        """Return whether it is settled what an expression is where no call is being followed."""
        return (node, id(None), id(None)) in self._known

    def _by_kind(self, node: ast.expr, frame: Frame) -> Possibilities:
        span = frame.facts.span(node)
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool | int | float | str)):
            return (Possibility(node.value, span),)
        if isinstance(node, ast.Name):
            return names_read.name(self, node, frame)
        if isinstance(node, ast.Attribute):
            return names_read.attribute(self, node, frame)
        if isinstance(node, ast.Subscript):
            return members.subscript(self, node, frame)
        if isinstance(node, ast.Call):
            return calls.call(self, node, frame)
        if isinstance(node, ast.IfExp):
            return questions.chosen(self, node, frame)
        if isinstance(node, ast.BoolOp):
            return operators.bool_op(self, node, frame)
        if isinstance(node, ast.UnaryOp):
            return operators.unary(self, node, frame)
        if isinstance(node, ast.BinOp):
            return joined_datasets.added(self, node, frame, operators.binary(self, node, frame))
        if isinstance(node, ast.Compare):
            return operators.compare(self, node, frame)
        if isinstance(node, ast.Dict):
            return (dictionaries.display(self, node, frame, span),)
        if isinstance(node, ast.DictComp):
            return never_none(loops.dictionary(self, node, frame))
        if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return never_none(loops.row(self, node, frame))
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return never_none(loops.displayed(self, node, frame))
        if isinstance(node, ast.JoinedStr):
            return templates.written(node, frame)
        if isinstance(node, ast.Lambda):
            return (Possibility(Function(frame.facts, node, frame.facts.scopes[id(node)]), span),)
        if isinstance(node, ast.NamedExpr | ast.Await):
            return self.evaluate(node.value, frame)
        if isinstance(node, GivenElsewhere):
            return node.evaluated(self)
        return unseen(span)

    # --- names ---

    def bound(self, name: str, frame: Frame, place: Place | None, span: Span) -> Possibilities:
        """Return what a name bound in the frame's scope can be at a place of that scope (None: at its end)."""
        return names_read.bound(self, name, frame, place, span)

    def bound_at_import(self, name: str, facts: PythonFacts, span: Span) -> Possibilities:
        """Return what a module itself gives a name, before any of its functions sets it."""
        return names_read.bound_at_import(self, name, Frame(facts, Place(facts.module, 0)), span)

    def binding(self, binding: Binding, frame: Frame) -> Possibilities:
        """Return what one binding gives its name."""
        return bindings.given(self, binding, frame)

    def any_object(
        self, of: Class, running: tuple[Class, str] | None = None, without: frozenset[LeftOut] = frozenset()
    ) -> Instance:
        """Return the object that stands for all those of a class, or those a method runs on, whatever made them.

        It is none of those that it is ``without``.
        """
        key = of.node, (running[0].node, running[1]) if running is not None else None, without
        return self._objects.setdefault(key, Instance(of, running=running, without=without))

    def object_of_users(self, of: Class, span: Span) -> Instance:
        """Return the object of a class that whoever uses the project makes and hands over at a place."""
        return self.remembered(("of users", of.node, span), None, lambda: instances.of_users(self, of, span))

    def may_be_filled(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether a dictionary may get keys in a way that is not followed."""
        return escapes.may_be_filled(self, node, frame)

    def may_hold_more(self, node: ast.expr, frame: Frame) -> bool:
        """Return whether a dictionary that is asked for a key may hold one that was not seen."""
        return escapes.may_hold_more(self, node, frame)

    def attributes_of(self, thing: CommandLine | Instance, span: Span) -> Items | None:
        """Return the attributes of a parsed command line, or of an object of fields, as the dictionary of ``vars``.

        None for any other object.
        """
        return parsed.attributes(self, thing, span) if isinstance(thing, CommandLine) else copies.held(self, thing)

    def attribute_of(self, instance: Instance, name: str) -> Possibilities:
        """Return what an attribute of an object of the project can be."""
        made = instance.frame or Frame(instance.of.facts, end_of(instance.of.scope))
        self._keep(instance.changed)
        known = instance.call, instance.running, instance.without, instance.copied, id(instance.changed)
        key = ("attribute", instance.of.node, *known, name)
        return self.remembered(key, made, lambda: instances.attribute(self, instance, name))

    # --- conditions ---

    def constructor_arguments(self, instance: Instance, scope: Scope) -> Mapping[str, Possibilities]:
        """Return what the call that made an object gives its constructor, worked out once for each call and class."""
        key = (id(instance.call), id(instance.frame), id(scope))
        if key not in self._constructed:
            self._keep(instance.call, instance.frame)
            self._constructed[key] = constructor_calls.call_arguments(self, instance, scope)
        return self._constructed[key]

    def truth(self, test: ast.expr, frame: Frame) -> list[tuple[bool, Assumptions, frozenset[Span]]]:
        """Return the answers a test can give, each with what it assumes and the written places it depends on."""
        return self._conditions.truth(test, frame)

    def question(self, test: ast.expr, frame: Frame, answer: bool) -> list[Assumptions]:
        """Return the alternative assumptions under which a test nobody can see through gives this answer."""
        return self._conditions.question(test, frame, answer)

    def conditions_at(self, frame: Frame, names: Collection[str]) -> list[Assumptions]:
        """Return the alternatives under which a run comes to a place, past all before it that may end it over names."""
        return self._conditions.passed(frame, names)

    def answered(self, test: ast.expr, frame: Frame) -> Possibilities:
        """Return what a test gives, each value with all that is assumed of a run in which it is the answer."""
        return self._conditions.answered(test, frame)

    def conditions(self, arms: tuple[Arm, ...], frame: Frame) -> list[Assumptions]:
        """Return the alternative assumptions under which all these arms are taken."""
        return self._conditions.taken(arms, frame)
