"""Dictionaries whose keys are read and set as attributes: those of the frameworks, and what descends from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking import classes
from loaderlint.linking.things import Class

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator

INHERITING = frozenset({"fvcore.common.config.CfgNode", "detectron2.config.CfgNode"})
"""Configuration objects whose files name the file they inherit from."""

ATTRIBUTE_DICTS = INHERITING | {
    "yacs.config.CfgNode",
    "ml_collections.ConfigDict",
    "ml_collections.config_dict.ConfigDict",
    "ml_collections.config_dict.config_dict.ConfigDict",
    "ml_collections.FrozenConfigDict",
    "ml_collections.config_dict.FrozenConfigDict",
    "easydict.EasyDict",
    "addict.Dict",
    "addict.addict.Dict",
    "munch.Munch",
    "munch.DefaultMunch",
    "box.Box",
    "dotmap.DotMap",
    "attrdict.AttrDict",
    "types.SimpleNamespace",
    "argparse.Namespace",
    "typing.TypedDict",
    "typing_extensions.TypedDict",
    "mmengine.config.ConfigDict",
    "mmengine.ConfigDict",
    "mmengine.config.Config",
    "mmengine.Config",
    "mmcv.ConfigDict",
}
"""Classes of other people whose objects are made of the mapping or keywords they are called with."""


def made_by(evaluator: Evaluator, owner: Class) -> str | None:
    """Return the kind of configuration object that a project class is, by what it descends from; None for others."""
    lineage = classes.lineage(evaluator, owner)
    known = sorted(
        ATTRIBUTE_DICTS.intersection(name for one in lineage for name in classes.foreign_bases(evaluator, one))
    )
    if not known:
        return None
    merges_itself = any("merge_from_file" in one.scope.bindings for one in lineage)
    # A class that overrides the merge of a file does so for files that inherit, as fvcore's did before it.
    return "fvcore.common.config.CfgNode" if merges_itself and known[0].endswith("CfgNode") else known[0]
