"""The dictionary that ``locals()`` makes of the names of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking.following import changes
from loaderlint.linking.scopes.names import MUTATIONS, reaching, unbound
from loaderlint.linking.scopes.uses import bindings_of
from loaderlint.linking.things.kinds import ABSENT, Frame, Items, Possibilities, Possibility
from loaderlint.linking.things.lazily import Lazily
from loaderlint.linking.things.possibilities import distinct, irremovable, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def as_dictionary(evaluator: Evaluator, frame: Frame, span: Span) -> Possibilities:
    """Return what ``locals()`` gives at a place of a function: the names it has bound by then, parameters included.

    Those of a module or of a class body are another matter, and unseen.
    """
    scope = frame.scope
    if not scope.is_function:
        return unseen(span)
    bound = {name: values for name in scope.bindings if (values := _own(frame, name))}

    def value_of(name: str) -> Possibilities:
        ways = [
            Possibility(ABSENT, span, assumptions=assumptions)
            for arms in unbound(bound[name], frame.place)
            for assumptions in evaluator.conditions(arms, frame)
        ]
        given = evaluator.bound(name, frame, frame.place, span)
        if changes.can_change(given) and any(
            event.order > frame.place.order for event in evaluator.effects.changing(frame, name)
        ):
            # The dictionary holds the thing itself, which changes under the other name.
            return unseen(span)
        return distinct((*irremovable(given), *ways))

    # A function inside another one has those names of the outer one that it reads.
    complete = scope.parent is None or not scope.parent.is_function
    return (Possibility(Items(Lazily.followed(evaluator, bound, value_of), complete), span),)


def _own(frame: Frame, name: str) -> list[Binding]:
    """Return what may have bound a name of a function by now; nothing for a part of what a name stands for."""
    if not name.isidentifier() or name in frame.scope.outer_names:
        return []
    values = [one for one in bindings_of(frame.scope, name) if one.kind not in MUTATIONS]
    return values if reaching(values, frame.place) else []
