"""Names of what reads command lines, calls functions with what the user gives, and fills in arguments."""

from __future__ import annotations

PARSER_EXTENDERS = frozenset(
    {
        "deepspeed.add_config_arguments",
        "pytorch_lightning.Trainer.add_argparse_args",
        "pytorch_lightning.trainer.Trainer.add_argparse_args",
        "lightning.Trainer.add_argparse_args",
        "lightning.pytorch.Trainer.add_argparse_args",
    }
)
"""Functions of libraries that add flags of their own to a parser and return it.

DeepSpeed's ``deepspeed/__init__.py``; Lightning 1's ``pytorch_lightning/utilities/argparse.py``, whose answer is the
parser itself or one that has it as a parent.
"""

ARGUMENTS_OF_THE_USER = frozenset({"speechbrain.parse_arguments", "speechbrain.core.parse_arguments"})
"""Functions that return a settings file, options and overrides as the user gives them (``speechbrain/core.py``)."""

FILLS_IN = frozenset({"capture", "automain", "configurable", "inject", "wrap"})
"""Last names of decorators that fill in arguments.

sacred's ``@ex.capture`` and ``@ex.automain``, gin's ``@gin.configurable``, pyrallis' and draccus' ``@wrap()``.
"""

CALLED_BY_THE_USER = {
    "Fire": ("fire.Fire", "fire.core.Fire"),
    "run": ("typer.run",),
    "cli": ("tyro.cli",),
    "CLI": ("jsonargparse.CLI",),
    "auto_cli": ("jsonargparse.auto_cli",),
    "parse": (
        "simple_parsing.parse",
        *(f"{library}.{home}parse" for library in ("draccus", "pyrallis") for home in ("", "argparsing.")),
    ),
    "HfArgumentParser": ("transformers.HfArgumentParser", "transformers.hf_argparser.HfArgumentParser"),
    "TrlParser": ("trl.TrlParser", "trl.scripts.utils.TrlParser"),
}
"""Callables that call their first argument with what the user gives, by the last part of their names."""

PARSERS_OF_CLASSES = (*CALLED_BY_THE_USER["HfArgumentParser"], *CALLED_BY_THE_USER["TrlParser"])
"""Those of them that make an object of each class they are given (``transformers/hf_argparser.py``; trl)."""
GIVE_OBJECTS = (
    "parse_args_into_dataclasses",
    "parse_args_and_config",
    "parse_dict",
    "parse_json_file",
    "parse_yaml_file",
)
"""The methods of these parsers that give the objects, in the order of the classes.

``parse_args_and_config`` reads a file that the user names (``trl/scripts/utils.py``, 0.12).
"""

RUNS_MODULES = ("Fire", "CLI", "auto_cli")
"""Those of them that, given nothing, make commands of the functions and classes of the file they are called in."""
RUNS_METHODS = (*CALLED_BY_THE_USER["CLI"], *CALLED_BY_THE_USER["auto_cli"])
"""Those of them that make an object and call one of its methods, where it has any."""
READS_A_FILE_FIRST = CALLED_BY_THE_USER["parse"]
"""Those of them that take the path of a file whose values come before the defaults, as ``config_path``.

``draccus/argparsing.py`` (0.8), ``pyrallis/argparsing.py`` (0.3), ``simple_parsing/parsing.py`` (0.1).
"""
WRAPS = frozenset(f"{library}.{home}wrap" for library in ("draccus", "pyrallis") for home in ("", "argparsing."))
"""Decorators that hand a function an object of the class its first parameter is annotated with, filled by the user."""
CHOOSES_AN_OBJECT = ("tyro.extras.overridable_config_cli",)
"""Functions that return the one of some objects that the user chooses, filled by the user."""
MAKES_OBJECTS = (*CALLED_BY_THE_USER["cli"], *CALLED_BY_THE_USER["parse"], *RUNS_METHODS, *CHOOSES_AN_OBJECT)
"""Those of them that return an object of the class they are given, filled by the user."""
CHOOSES_A_DEFAULT = ("tyro.extras.subcommand_type_from_defaults",)
"""Functions that make a type of objects by their names, of which the user chooses one to start from."""
MARKS = "tyro.conf."
"""How the names of what only marks the type it is subscripted with begin: ``tyro.conf.FlagConversionOff[Config]``."""
