"""Follows an expression to the things it can be.

One `Evaluator` serves a whole project and remembers what it worked out. It never runs code: it knows a handful of
operations on things it has seen, and calls everything else unseen.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from loaderlint.linking.files.project import Project
from loaderlint.linking.following import (
    bindings,
    blurred,
    callers,
    calls,
    constructor_calls,
    escapes,
    instances,
    joined_datasets,
    members,
    modules,
    names_read,
    questions,
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
from loaderlint.linking.following.effects import Effects
from loaderlint.linking.following.global_objects import GlobalObjects
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
from loaderlint.model.source import Span
from loaderlint.model.value import Assumptions
from loaderlint.readers.python import Arm, Binding, Place, PythonFacts, Scope

if TYPE_CHECKING:
    from loaderlint.linking.following.loaders_behind import Behind

Answer = TypeVar("Answer")
_Circumstances: TypeAlias = tuple[ast.expr, int, int]
"""An expression, and by their identity the arguments and the receiver it is read with."""

MOST_STEPS = 10**9
"""The steps there are while no question is asked that has a limit: more than are ever taken."""
STEPS_INSIDE = 6
"""So many times its own steps may be spent on the questions inside an outermost question, such as what an option is."""
STEPS_OF_A_PROJECT_QUESTION = 4000
"""Expressions followed for a question about the whole project, and for any other without a limit of its own."""
NOTHING_MET = 10**9
"""How deep the outermost expression lies that was met while being followed, when there was none."""
DEEPEST_EXPRESSION = 60
"""Expressions followed through each other; a longer way than this is unseen."""
_UNANSWERED: Any = object()
"""Stands for the answer to a question that nobody asked so far."""


class Evaluator:
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
        self.project = project
        self._effort = effort
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
        self._active: dict[tuple[object, ...], int] = {}
        """What is being followed, each with how deep it lies."""
        self._kept: dict[int, object] = {}
        self._cut: dict[tuple[object, ...], tuple[int, object]] = {}
        """What was found when the steps ran out, with how many there were: a few more are not enough another time."""
        self._tentative: dict[tuple[object, ...], tuple[object, int]] = {}
        """Answers that hold until something further out is known, each with how deep that lies."""
        self._met = NOTHING_MET
        self.loaders_behind: dict[tuple[int, int, int], list[Behind]] = {}
        """What `loaders_in` answered, by expression and receiver: several programs run the same functions."""
        self._answers: dict[tuple[object, ...], Any] = {}
        self._left = self._left_in_all = MOST_STEPS
        self._project_questions = self.steps_taken = 0
        self.times_too_deep = 0
        """How often something was unseen for no other reason than how deep it lay below who asked."""
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
        for found in (self._known, self._cut, self._answers, self._tentative, self._constructed):
            found.clear()
        self.relatives.forget()
        self.callers.forget()

    @contextmanager
    def steps(self, most: int) -> Iterator[None]:
        """Follow at most so many expressions for the questions asked inside; the rest of the way is unseen.

        Questions inside may set limits of their own, but those of one outermost question stay within its own.
        """
        before, self._left = self._left, int(most * self._effort)
        outermost = before == MOST_STEPS == self._left_in_all
        if outermost:
            self._left_in_all = self._left * STEPS_INSIDE
        try:
            yield
        finally:
            self._left = before
            if outermost:
                self._left_in_all = MOST_STEPS

    @property
    def _steps_left(self) -> int:
        return self._left if self._left < self._left_in_all else self._left_in_all

    @property
    def ran_out(self) -> bool:
        """Whether no question has steps left, whatever its own limit: what is found out now may lack something."""
        return self._left_in_all < 0

    @property
    def lies_deep(self) -> bool:
        """Whether who asks lies so deep that others may well see further."""
        return len(self._active) > DEEPEST_EXPRESSION // 2

    def remembered(self, key: tuple[object, ...], frame: Frame | None, work: Callable[[], Answer]) -> Answer:
        """Return the answer to a question that was asked before in the same circumstances, else work it out.

        A question that is the same in every frame has none (None).
        """
        full = (*key, id(frame.arguments), id(frame.receiver)) if frame is not None else key
        answer: Answer = self._answers.get(full, _UNANSWERED)
        if answer is not _UNANSWERED:
            return answer
        if full in self._tentative:
            return cast(Answer, self._still_tentative(full))
        steps, cut = self._steps_left, self._cut.get(full)
        if cut is not None and steps < max(2 * cut[0], 0):
            self._left = -1
            return cast(Answer, cut[1])
        before = self._met, len(self._tentative)
        self._met = NOTHING_MET
        answer = work()
        if frame is not None:
            self._keep(frame.arguments, frame.receiver)
        if cut_short := self._steps_left < 0:
            self._cut[full] = steps, answer
        if self._may_remember(full, answer, before, len(self._active), cut_short):
            self._answers[full] = answer
        return answer

    def on_the_way(self, key: tuple[object, ...], frame: Frame, most: int, work: Callable[[], Answer]) -> Answer:
        """Return what `remembered` does, worked out with so many steps at most, if that leaves as many for who asks.

        Where they do not suffice, who asks goes on with what was found by then. That these were not enough is found
        out once, and costs nobody anything after that. Where no question is being asked it is one of its own.
        """
        share, most = most, int(most * self._effort)
        cut = self._cut.get((*key, id(frame.arguments), id(frame.receiver)))
        if cut is not None and cut[0] == most:
            return cast(Answer, cut[1])
        if self._left_in_all == MOST_STEPS:
            with self.steps(share):
                return self.remembered(key, frame, work)
        if self._steps_left < 2 * most:
            return self.remembered(key, frame, work)
        before, self._left = self._left, most
        try:
            return self.remembered(key, frame, work)
        finally:
            self._left += before - most

    def in_a_circle(
        self, key: tuple[object, ...], frame: Frame, unfinished: Answer, work: Callable[[], Answer]
    ) -> Answer:
        """Return what `remembered` does; to whom asks it meanwhile, in the same circumstances, it is ``unfinished``."""
        full = (*key, id(frame.arguments), id(frame.receiver))
        if full in self._active:
            self._met = min(self._met, self._active[full])
            return unfinished

        def followed() -> Answer:
            self._active[full] = len(self._active)
            try:
                return work()
            finally:
                del self._active[full]

        return self.remembered(key, frame, followed)

    def once(
        self,
        key: tuple[object, ...],
        unfinished: Answer,
        work: Callable[[], Answer],
        most: int | None = None,
        alike: tuple[object, ...] | None = None,
    ) -> Answer:
        """Return the answer to a question about the whole project; to whom asks it meanwhile it is ``unfinished``.

        It has steps of its own, which it shares with the questions inside it. One inside that these ran out for has a
        better answer when somebody asks who has more of them. A small question, with its ``most`` steps, never shares
        those of whom it lies inside. Of questions that are ``alike`` each is unfinished to whom asks it while another
        is being answered: where many ask each other, they are not followed in every order.
        """
        answer: Answer = self._answers.get(key, _UNANSWERED)
        if answer is not _UNANSWERED:
            return answer
        if key in self._tentative:
            return cast(Answer, self._still_tentative(key))
        if (asked := alike or key) in self._active:
            self._met = min(self._met, self._active[asked])
            return unfinished
        depth = len(self._active)
        before = self._met, len(self._tentative)
        left = self._left, self._left_in_all
        outermost = self._project_questions == 0 or most is not None
        steps = int((most or STEPS_OF_A_PROJECT_QUESTION) * self._effort) if outermost else self._left_in_all
        cut = self._cut.get(key)
        if cut is not None and steps < max(2 * cut[0], 0):
            if not outermost:
                self._left = -1
            return cast(Answer, cut[1])
        # What an outermost question costs is not charged to the first who asks it.
        self._left, self._left_in_all = MOST_STEPS, steps
        self._project_questions += 1
        self._met = NOTHING_MET
        self._active[asked] = depth
        try:
            answer = work()
        finally:
            del self._active[asked]
            self._project_questions -= 1
            cut_short = not outermost and self._steps_left < 0
            self._left, self._left_in_all = left if outermost else (left[0], self._left_in_all)
        if cut_short:
            self._cut[key] = steps, answer
        if self._may_remember(key, answer, before, depth, cut_short):
            self._answers[key] = answer
        return answer

    def evaluate(self, node: ast.expr, frame: Frame) -> Possibilities:
        """Return what an expression can be; recursion and explosion end in the unseen."""
        key = (node, id(frame.arguments), id(frame.receiver))
        known = self._known.get(key)
        if known is not None:
            return known
        if self._left_in_all == MOST_STEPS:
            with self.steps(STEPS_OF_A_PROJECT_QUESTION):
                return self.evaluate(node, frame)
        if key in self._tentative:
            return cast(Possibilities, self._still_tentative(key))
        depth = len(self._active)
        if key in self._active:
            self._met = min(self._met, self._active[key])
            return unseen(frame.facts.span(node))
        if depth > DEEPEST_EXPRESSION:
            return self.too_deep(frame.facts.span(node))
        steps, cut = self._steps_left, self._cut.get(key)
        if cut is not None and steps < 2 * cut[0]:
            self._left = -1
            return cast(Possibilities, cut[1])
        too_far = self.step(frame.facts.span(node))
        if too_far:
            return too_far
        before = self._met, len(self._tentative)
        self._met = NOTHING_MET
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

    def step(self, span: Span) -> Possibilities:
        """Take one step of those that are left; return what is known when they ran out, nothing before that."""
        self.steps_taken += 1
        self._left -= 1
        self._left_in_all -= 1
        return unseen(span) if self._steps_left < 0 else ()

    def too_deep(self, span: Span) -> Possibilities:
        """Return what is known of something for which Python, or we ourselves, would have to go deeper than we may.

        How deep it may go depends on who asks: nothing of it is remembered for others.
        """
        self._met = 0
        self.times_too_deep += 1
        return unseen(span)

    def _still_tentative(self, key: tuple[object, ...]) -> object:
        answer, met = self._tentative[key]
        self._met = min(self._met, met)
        return answer

    def _may_remember(
        self,
        key: tuple[object, ...],
        answer: object,
        before: tuple[int, int],
        depth: int,
        cut_short: bool,
    ) -> bool:
        """Return whether an answer holds for whoever asks next; it does not when it was cut short.

        An answer that met an expression which is still being followed further out holds for that question alone. It is
        tentative, and forgotten together with the others of its kind as soon as that expression is known. ``before`` is
        what had been met, and how much was tentative, when the question was asked.
        """
        met, tentative = self._met, before[1]
        self._met = min(before[0], met)
        if met < depth:
            if not cut_short:
                self._tentative[key] = answer, met
            return False
        self._met = before[0]
        while len(self._tentative) > tentative:
            self._tentative.popitem()
        return not cut_short

    def _keep(self, *objects: object) -> None:
        """Keep the objects whose identities are remembered: an identity is unique only while its object lives."""
        self._kept.update((id(one), one) for one in objects if one is not None)

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
        return unseen(span)

    # --- names ---

    def bound(self, name: str, frame: Frame, place: Place | None, span: Span) -> Possibilities:
        """Return what a name bound in the frame's scope can be at a place of that scope (None: at its end)."""
        return names_read.bound(self, name, frame, place, span)

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

    def attributes_of(self, command_line: CommandLine, span: Span) -> Items:
        """Return the attributes of a parsed command line as the dictionary that ``vars`` makes of them."""
        return parsed.attributes(self, command_line, span)

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
