"""Things that an object holds in its attributes, and what its methods do to them: ``self.config.workers = 0``.

What a method assigns to an attribute is looked for in `instances`; here it leaves the attribute what it was and changes
what is in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from loaderlint.linking.following import changes
from loaderlint.linking.scopes.names import MUTATIONS
from loaderlint.linking.things.kinds import Frame, Possibilities
from loaderlint.linking.things.possibilities import one_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def after_methods(
    evaluator: Evaluator, found: Possibilities, name: str, methods: Iterable[tuple[Frame, str, bool]], subject: str
) -> Possibilities:
    """Return what an attribute of an object can hold, given what the methods that assign it gave it.

    ``methods`` are the frames of its methods, what each calls its object, and whether each runs for every object.
    """
    ways: dict[str, Possibilities] = {}
    for frame, own, always in methods:
        written = f"{own}.{name}"
        if any(one.kind not in MUTATIONS for one in frame.scope.bindings.get(written, ())):
            continue
        after = changes.changed(evaluator, found, written, frame, None, -1)
        if always:
            found = after
        elif after != found:
            ways[frame.scope.qualified()] = after
    return one_of(f"what is done to {subject}", [("nothing", found), *ways.items()])
