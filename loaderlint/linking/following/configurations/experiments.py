"""sacred's experiments: what their functions are handed of a configuration whose values are locals of functions.

``@ex.config`` makes an entry of every local of a function, laid over the entries there were before: dictionaries are
joined. Named configurations and single values are the user's to give. A captured function gets by its name what its
caller leaves out, before its own default, and ``_config`` is all there is (``sacred/config/config_scope.py``,
``sacred/config/signature.py`` and ``sacred/initialize.py``, 0.8).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.following.configurations import opened
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things import dictionaries, locations
from loaderlint.linking.things.kinds import ABSENT, Frame, Items, Made, Possibilities, Possibility, end_of
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.locations import Form
from loaderlint.linking.things.possibilities import choice, under, unseen
from loaderlint.linking.things.settings import merged, replaceable, tree_of
from loaderlint.model.source import Span
from loaderlint.model.value import Step
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.python_calls import called_name, keywords, without_arguments
from loaderlint.vocabulary.configurations import CAPTURING, CONFIGURED_BY, CONFIGURED_WITH, EXPERIMENTS, HOOKED_BY

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_WHOLE = "_config"
_OF_THE_RUN = frozenset({"_run", "_log", "_seed", "_rnd"})
"""What sacred hands a captured function besides its configuration (``sacred/config/captured_function.py``, 0.8)."""
_SAYS_SOMETHING = re.compile(rb"\.(config|named_config|config_hook|add_config|add_named_config)\b|\bconfig_updates\b")
"""What a file holds that says something of a configuration."""


class _Layer(Struct, frozen=True):
    """What is laid over a configuration at a place.

    ``last`` says that who runs the program asks for it, to lie over all others, ``perhaps`` that not every run has it.
    """

    items: Items
    span: Span
    last: bool
    perhaps: bool

    def under(self, key: str) -> Items:
        """Return the layer with one of its keys."""
        values = self.items.entries.get(key, ())
        if values and (self.last or self.perhaps):
            subject = f"the configuration at {self.span}"
            left = Possibility(ABSENT, self.span, assumptions=choice(subject, "left out"))
            values = (*under(values, choice(subject, "given")), left)
        return Items({key: values} if values else {}, self.items.complete)


def configuration(
    evaluator: Evaluator, function: FunctionNode | ast.Lambda, node: ast.arg, frame: Frame
) -> Possibilities | None:
    """Return what an experiment hands a function for a parameter that its caller leaves out; None where none does.

    An `Absent` among it stands for the default.
    """
    if isinstance(function, ast.Lambda) or frame.scope.parent is None:
        return None
    where = Frame(frame.facts, end_of(frame.scope.parent))
    for decorator in function.decorator_list:
        made = without_arguments(decorator)
        if isinstance(made, ast.Attribute) and made.attr in CAPTURING:
            experiment = _experiment(evaluator, made.value, where)
            if experiment is not None:
                return _handed(evaluator, experiment, decorator, node, frame)
    return None


def _experiment(evaluator: Evaluator, node: ast.expr, frame: Frame) -> Made | None:
    """Return the experiment that an expression is, None where it is no single one."""
    things = [one.thing for one in evaluator.evaluate(node, frame)]
    one = things[0] if len(things) == 1 else None
    return one if isinstance(one, Made) and one.callee in EXPERIMENTS else None


def _handed(evaluator: Evaluator, experiment: Made, decorator: ast.expr, node: ast.arg, frame: Frame) -> Possibilities:
    span = frame.facts.span(node)
    part = isinstance(decorator, ast.Call) and bool(decorator.args or decorator.keywords)
    if part or node.arg in _OF_THE_RUN:
        return unseen(span)
    whole = evaluator.remembered(("experiment", experiment.call), None, lambda: _whole(evaluator, experiment))
    if whole is None:
        return unseen(span)
    if node.arg == _WHOLE:
        return (Possibility(whole, span),)
    if node.arg in whole.entries:
        return tuple(one.step(span, f"{frame.scope.name}({node.arg}=…)") for one in whole.entries[node.arg])
    # Whoever runs the program may give it a value of his own.
    subject = f"what the user adds at {span}"
    return (*unseen(span, choice(subject, "it")), Possibility(ABSENT, span, assumptions=choice(subject, "nothing")))


def _whole(evaluator: Evaluator, experiment: Made) -> Items | None:
    """Return the configuration of an experiment, worked out when asked for; None where a hook changes it."""
    layers: list[_Layer] = []
    made_in = experiment.frame.facts
    others = evaluator.project.python_files_with(_SAYS_SOMETHING)
    for facts in (made_in, *(one for one in others if one is not made_in)):
        found = list(_layers(evaluator, experiment, facts))
        if None in found:
            return None
        layers.extend(sorted((one for one in found if one is not None), key=lambda one: one.span.start))
    layers.sort(key=lambda one: one.last)
    here = made_in.span(experiment.call)

    def value(key: str) -> Possibilities:
        below = Items({})
        for layer in layers:
            below = merged(below, layer.under(key))
        return replaceable(below, here).entries.get(key, unseen(here))

    keys = dict.fromkeys(key for layer in layers for key in layer.items.entries)
    return Items(Lazily.followed(evaluator, keys, value), complete=False)


def _layers(evaluator: Evaluator, experiment: Made, facts: PythonFacts) -> Iterator[_Layer | None]:
    """Yield what a file says of the configuration of an experiment, None for what may change anything of it.

    What another file says than that which makes the experiment, it says to the programs that import it.
    """
    elsewhere = facts is not experiment.frame.facts
    for scope in facts.scopes.values():
        if not isinstance(scope.node, FunctionNode) or scope.parent is None:
            continue
        for decorator in map(without_arguments, scope.node.decorator_list):
            method = decorator.attr if isinstance(decorator, ast.Attribute) else ""
            if method not in (*CONFIGURED_BY, HOOKED_BY) or not isinstance(decorator, ast.Attribute):
                continue
            if _is(evaluator, experiment, decorator.value, Frame(facts, end_of(scope.parent))):
                if method != HOOKED_BY:
                    entries = _locals(evaluator, facts, scope)
                    yield _Layer(entries, facts.span(scope.node), last="named" in method, perhaps=elsewhere)
                elif not _leaves_alone(scope, scope.node):
                    yield None
    for name in CONFIGURED_WITH:
        for site in facts.calls.get(name, ()):
            frame = Frame(facts, site.place)
            called = site.node.func
            if isinstance(called, ast.Attribute) and _is(evaluator, experiment, called.value, frame):
                entries = _added(evaluator, site.node, frame)
                perhaps = elsewhere or bool(site.place.arms)
                yield _Layer(entries, facts.span(site.node), last=name != "add_config", perhaps=perhaps)


def _leaves_alone(hook: Scope, function: FunctionNode) -> bool:
    """Return whether a hook gives back nothing, or the configuration just as it was handed over."""
    first = next(parameters(function)).arg if function.args.args else ""
    unchanged = [one.kind for one in hook.bindings.get(first, ())] == ["parameter"]
    return all(
        value is None or (isinstance(value, ast.Name) and value.id == first and unchanged) for value, _ in hook.returns
    )


def _is(evaluator: Evaluator, experiment: Made, node: ast.expr, frame: Frame) -> bool:
    other = _experiment(evaluator, node, frame)
    return other is not None and other.call is experiment.call


def _locals(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> Items:
    """Return the entries that a function's body makes."""
    frame = Frame(facts, end_of(scope))
    span = facts.span(scope.node)
    names = [
        name
        for name, bindings in scope.bindings.items()
        if name.isidentifier() and any(one.kind not in (*MUTATIONS, "parameter", "import", "def") for one in bindings)
    ]
    return Items(Lazily.followed(evaluator, names, lambda name: evaluator.bound(name, frame, None, span)))


def _added(evaluator: Evaluator, call: ast.Call, frame: Frame) -> Items:
    """Return the entries that a call adds: those of a dictionary, of a file, or its keywords."""
    names = CONFIGURED_WITH[called_name(call)]
    given = arguments_of(call, names).get(names[-1])
    if given is None and called_name(call) == "run":
        return Items({})
    if given is None:
        entries = {key: evaluator.evaluate(value, frame) for key, value in keywords(call).items() if key not in names}
        return Items(entries, all(one.arg is not None for one in call.keywords))
    things = evaluator.evaluate(given, frame)
    if not any(isinstance(one.thing, str) for one in things):
        return dictionaries.as_items(evaluator, things)[0]
    return _of_file(evaluator, given, frame) or Items({}, complete=False)


def _of_file(evaluator: Evaluator, named: ast.expr, frame: Frame) -> Items | None:
    """Return what the only file says that an expression names; None where that was not seen."""
    ways = locations.of(evaluator, named, frame)
    location = ways[0][0] if len(ways) == 1 else None
    if location is None or location.given or location.form is not Form.NAME:
        return None
    file = opened.at(evaluator, location, frame.facts.source.path)
    root = file.documents[0].root if file is not None and len(file.documents) == 1 else None
    tree = tree_of(root, (Step(frame.facts.span(named), "configures the experiment"),)).thing if root else None
    return tree if isinstance(tree, Items) else None
