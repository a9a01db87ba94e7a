"""Methods that libraries call on the objects they are handed, and what they call them with."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Hooks(Struct, frozen=True):
    """Which methods a callable calls on one of its arguments.

    ``parameters`` are those of the callable, in order, ``owner`` the one whose methods are called. ``methods`` says
    what each is given: by position and by name, the parameter that is handed on, or None for something else.
    """

    parameters: tuple[str, ...]
    owner: str
    methods: Mapping[str, tuple[tuple[str | None, ...], Mapping[str, str | None]]]


_ONE_PHASE: tuple[tuple[str | None, ...], Mapping[str, str | None]] = (
    ("config", "training_assets", None, None, None),
    {},
)
_COQUI = Hooks(
    (
        "args",
        "config",
        "output_path",
        "c_logger",
        "dashboard_logger",
        "model",
        "get_model",
        "get_data_samples",
        "train_samples",
        "eval_samples",
        "test_samples",
        "training_assets",
    ),
    "model",
    {
        "get_data_loader": (
            (),
            {
                "config": "config",
                "assets": "training_assets",
                "is_eval": None,
                "samples": None,
                "verbose": None,
                "num_gpus": None,
            },
        ),
        "get_train_data_loader": _ONE_PHASE,
        "get_eval_data_loader": _ONE_PHASE,
        "get_test_data_loader": _ONE_PHASE,
    },
)

HOOKS: Mapping[str, Hooks] = {"trainer.Trainer": _COQUI, "trainer.trainer.Trainer": _COQUI}
"""What calls methods of the object it is given.

coqui's trainer (``trainer/trainer.py`` of coqui-ai/Trainer at 012bbec1: ``Trainer.__init__``, ``_get_loader``,
``get_train_dataloader``). It lays the command line, or the file of a run that is continued, over the configuration it
is given before that.
"""


class OwnHooks(Struct, frozen=True):
    """Which methods of a subclass a library's class calls itself, where it is made or a method of it is called.

    ``parameters`` are those of that call, in order; ``methods`` says what each is given by position: the parameter that
    is handed on, or None for something else.
    """

    parameters: tuple[str, ...]
    methods: Mapping[str, tuple[str | None, ...]]


_DEFAULT_TRAINER: Mapping[str, OwnHooks] = {
    "__init__": OwnHooks(("cfg",), {"build_train_loader": ("cfg",), "build_test_loader": ("cfg", None)}),
    "test": OwnHooks(("cfg", "model", "evaluators"), {"build_test_loader": ("cfg", None)}),
}
HOOKS_OF_BASES: Mapping[str, Mapping[str, OwnHooks]] = {
    "detectron2.engine.DefaultTrainer": _DEFAULT_TRAINER,
    "detectron2.engine.defaults.DefaultTrainer": _DEFAULT_TRAINER,
}
"""What classes of libraries call of their subclasses' methods, by the method that does.

detectron2's trainer (``detectron2/engine/defaults.py``, 0.6: ``__init__``, ``build_hooks``, ``test``) scales the number
of workers first where the configuration says for how many processes it was written.
"""

TRAINERS = frozenset(
    f"{home}.{name}"
    for home in ("pytorch_lightning", "lightning", "lightning.pytorch")
    for name in ("Trainer", "trainer.Trainer", "trainer.trainer.Trainer")
)
"""Lightning's trainer, which calls the hooks of its module and data module."""
VALIDATES = ("validate", "LightningCLI")
"""What validates besides the trainer's ``fit``: its own method, and a command line that has it as a subcommand."""
ASKED_FOR_BY_RUNS: Mapping[str, frozenset[str]] = {
    "validate": frozenset({"val_dataloader"}),
    "test": frozenset({"test_dataloader"}),
    "predict": frozenset({"predict_dataloader"}),
    **dict.fromkeys(
        ("fit", "tune", "tuner", "lr_find", "scale_batch_size"), frozenset({"train_dataloader", "val_dataloader"})
    ),
}
"""Which loaders a run of Lightning's trainer asks a data module for, by the attribute of the trainer that runs it.

``pytorch_lightning/trainer/connectors/data_connector.py`` and ``tuner/tuning.py``.
"""
CALLED_IN_EVERY_RUN = frozenset(
    {
        "prepare_data",
        "setup",
        "teardown",
        "state_dict",
        "load_state_dict",
        "on_exception",
        "on_save_checkpoint",
        "on_load_checkpoint",
        "on_before_batch_transfer",
        "transfer_batch_to_device",
        "on_after_batch_transfer",
    }
)
"""What Lightning's trainer may call of a data module in any run (``core/hooks.py``, ``core/datamodule.py``)."""
