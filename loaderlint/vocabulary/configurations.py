"""Names of what makes, copies and composes configurations and objects of settings, in Python and in libraries."""

from __future__ import annotations

from collections.abc import Mapping

INHERITING = frozenset({"fvcore.common.config.CfgNode", "detectron2.config.CfgNode"})
"""Configuration objects whose files name the file they inherit from (``fvcore/common/config.py``)."""

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
    "munch.AutoMunch",
    "box.Box",
    "box.ConfigBox",
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

_CONFIGS = (
    *("mmengine.Config", "mmengine.config.Config", "mmengine.config.config.Config"),
    *("mmcv.Config", "mmcv.utils.Config", "mmcv.utils.config.Config"),
)
PYTHON_SETTINGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_CONFIGS, ("cfg_dict", "cfg_text", "filename")),
    **{f"{one}.fromfile": ("filename",) for one in _CONFIGS},
}
"""What gives the settings that a file of Python names, with its parameters (``mmcv/utils/config.py``, 1.7)."""

KEEPS_ITS_ARGUMENT = ATTRIBUTE_DICTS | {
    "builtins.dict",
    "copy.copy",
    "copy.deepcopy",
    "builtins.vars",
    "munch.munchify",
    "munch.unmunchify",
    "munch.Munch.fromDict",
    "munch.DefaultMunch.fromDict",
    "types.MappingProxyType",
}
"""Callables that return a dictionary or namespace with the keys of the one they are given, as it is or copied."""

COPIES = frozenset({"copy.copy", "copy.deepcopy"})
"""Those that make another object like the one they are given."""

AS_DICTIONARY = frozenset({"dataclasses.asdict", "attr.asdict", "attrs.asdict"})
"""Functions that return the fields of an object as a dictionary."""

WITH_CHANGES = frozenset({"dataclasses.replace", "attr.evolve", "attrs.evolve", "copy.replace"})
"""Functions that return an object like another, some of its fields given anew."""

FIELDS_OF_DATACLASSES = "__dataclass_fields__"
FIELDS_OF_MODELS = frozenset({"model_fields", "__fields__"})
FIELDS_BY_NAME = FIELDS_OF_MODELS | {FIELDS_OF_DATACLASSES}
"""Attributes of classes that hold their fields by name (``dataclasses.py``, Python 3.13; ``pydantic/main.py``)."""

NAMED_TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
"""Base classes whose subclasses are tuples with names for their items."""

MODELS = frozenset(
    {
        "pydantic.BaseModel",
        "pydantic.BaseSettings",
        "pydantic.main.BaseModel",
        "pydantic.v1.BaseModel",
        "pydantic.v1.BaseSettings",
        "pydantic_settings.BaseSettings",
        "pydantic_settings.main.BaseSettings",
    }
)
"""The classes whose fields pydantic converts to their types (``pydantic/main.py``, 2.14)."""

_OF_MAIN = ("config_path", "config_name", "version_base")
_OF_DORA = ("config_name", "config_path")

DORA_MAINS = frozenset({"dora.hydra_main", "dora.hydra.hydra_main"})
"""Those that compose the configuration they name, whatever else the user asks for (``dora/hydra.py``)."""

HYDRA_MAINS: Mapping[str, tuple[str, ...]] = {
    "hydra.main": _OF_MAIN,
    "hydra.main.main": _OF_MAIN,
    "nemo.core.config.hydra_runner": _OF_MAIN,
    "nemo.core.config.hydra_runner.hydra_runner": _OF_MAIN,
    **dict.fromkeys(DORA_MAINS, _OF_DORA),
}
"""Decorators that compose a configuration, each with its parameters in order.

``hydra/main.py``, 1.3; NeMo's adds a schema (``nemo/core/config/hydra_runner.py``), Dora's hands all on
(``dora/hydra.py``).
"""

HYDRA_RUNNERS = frozenset({"hydra._internal.utils._run_hydra"})
"""What ``hydra.main`` itself runs a function with (``hydra/main.py``, 1.3)."""

HYDRA_COMPOSERS = frozenset({"hydra.compose", "hydra.experimental.compose", "hydra.compose.compose"})
"""What composes a configuration in the middle of a program."""

HYDRA_HOMES = frozenset({"hydra", "hydra.initialize", "hydra.experimental", "hydra.experimental.initialize"})
"""The modules that ``initialize`` and its like are imported from.

``hydra/__init__.py`` and ``hydra/experimental/__init__.py``, 1.3.
"""

HYDRA_INSTANTIATORS = frozenset({"hydra.utils.instantiate", "hydra.utils.call"})
"""What makes what a mapping says."""

LOCATORS = frozenset({"hydra.utils.get_class", "hydra.utils.get_method", "hydra.utils.get_object", "pydoc.locate"})
"""What gives the class or function that a dotted name names."""

EXPERIMENTS = frozenset({"sacred.Experiment", "sacred.experiment.Experiment"})
"""What makes an experiment of sacred, which has a configuration and functions that are handed parts of it."""
CAPTURING = frozenset({"capture", "command", "main", "automain", "pre_run_hook", "post_run_hook"})
"""The decorators of an experiment whose functions get what their callers leave out from its configuration."""
CONFIGURED_BY = frozenset({"config", "named_config"})
"""The decorators of an experiment that make a configuration of a function's locals."""
CONFIGURED_WITH: Mapping[str, tuple[str, ...]] = {
    "add_config": ("cfg_or_file",),
    "add_named_config": ("name", "cfg_or_file"),
    "run": ("command_name", "config_updates"),
}
"""The methods of an experiment that make one, with their parameters up to that which gives it.

It is a dictionary, or for the first two the name of a file, or else their keywords.
"""
HOOKED_BY = "config_hook"
"""The decorator of a function that may change every value of a configuration.

All these: ``sacred/ingredient.py`` and ``sacred/experiment.py``, 0.8.
"""

INI_PARSERS = frozenset({"configparser.ConfigParser", "configparser.RawConfigParser", "configparser.SafeConfigParser"})
"""What reads files of INI into one mapping of sections (``configparser``, Python 3.13)."""

GIN_CONFIGURABLE = frozenset({"gin.configurable", "gin.config.configurable"})
"""The decorators that bind what a call of a function leaves out (``gin/config.py``, 0.5)."""
