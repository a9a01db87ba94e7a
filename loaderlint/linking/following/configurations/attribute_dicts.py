"""Dictionaries whose keys are read and set as attributes: those of the frameworks, and what descends from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking.things import classes
from loaderlint.linking.things.kinds import Class
from loaderlint.vocabulary.configurations import ATTRIBUTE_DICTS
from loaderlint.vocabulary.library_classes import NAMESPACES

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def made_by(evaluator: Evaluator, owner: Class) -> str | None:
    """Return the kind of configuration object that a project class is, by what it descends from; None for others."""
    lineage = classes.lineage(evaluator, owner)
    known = sorted(
        ATTRIBUTE_DICTS.intersection(name for one in lineage for name in classes.foreign_bases(evaluator, one))
    )
    if not known:
        return None
    if known[0] in NAMESPACES and any("__init__" in one.scope.bindings for one in lineage):
        # What it holds its own constructor says, and not the call that makes it.
        return None
    merges_itself = any("merge_from_file" in one.scope.bindings for one in lineage)
    # A class that overrides the merge of a file does so for files that inherit, as fvcore's did before it.
    return "fvcore.common.config.CfgNode" if merges_itself and known[0].endswith("CfgNode") else known[0]
