"""Objects that a user chooses one of to start from, each by a command: ``{"small": Config(n=1), "big": Config(n=8)}``.

``tyro/extras/_base_configs.py`` (1.0): ``subcommand_type_from_defaults`` makes a union of them, for ``tyro.cli``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from loaderlint.linking.things.kinds import Instance, Items, Made, Possibilities, Possibility
from loaderlint.linking.things.possibilities import under
from loaderlint.readers.python_calls import arguments
from loaderlint.vocabulary.commandlines import CHOOSES_A_DEFAULT

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def commands_of(evaluator: Evaluator, one: Possibility) -> Mapping[str, Possibilities]:
    """Return the objects that a union was made of, by their commands; none where not all of them were seen."""
    union = one.thing
    if not isinstance(union, Made) or union.callee not in CHOOSES_A_DEFAULT:
        return {}
    given = arguments(union.call, ("defaults",)).get("defaults")
    tables = evaluator.evaluate(given, union.frame) if given is not None else ()
    if len(tables) != 1 or not isinstance(tables[0].thing, Items) or not tables[0].thing.complete:
        return {}
    entries = tables[0].thing.entries
    if not all(isinstance(way.thing, Instance) for ways in entries.values() for way in ways):
        return {}
    return {name: under(ways, one.assumptions, tables[0].assumptions) for name, ways in entries.items()}
