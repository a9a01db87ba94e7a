"""Classes of libraries: which keep on their objects what their constructors are given, and which count as true.

Sources of what is kept: ``transformers/training_args.py`` (a dataclass, whose ``__post_init__`` leaves these fields
alone) and ``Trainer.__init__`` of ``transformers/trainer.py`` (both 5.23).
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from loaderlint.vocabulary.callables import LOADER_CALLABLES, SETTINGS_OF_TRAINERS


class KeepingClass(Struct, frozen=True):
    """A class by what it keeps: the names, and the parameters of its constructor that may be positional, in order.

    ``holders`` says that these are objects that keep settings in turn.
    """

    names: frozenset[str]
    positional: tuple[str, ...] = ()
    holders: bool = False


COUNT_AS_TRUE = ("torchvision.transforms.",)
"""How the names of classes begin whose objects are true in a test: they have neither ``__len__`` nor ``__bool__``.

``torchvision/transforms/transforms.py`` (``Compose`` among them) and ``torchvision/transforms/v2/_transform.py``.
"""
NAMESPACES = frozenset({"argparse.Namespace", "types.SimpleNamespace"})
"""Classes that keep whatever their constructors are given by name (CPython ``Lib/argparse.py``; ``types``)."""
_ARGUMENTS = KeepingClass(
    frozenset(
        own
        for name in SETTINGS_OF_TRAINERS
        for own in LOADER_CALLABLES[name].spelling.values()
        if own.startswith(("dataloader_", "per_device_"))
    )
    | {"per_device_eval_batch_size", "gradient_accumulation_steps"}
)
_TRAINER = KeepingClass(frozenset({"args"}), ("model", "args"), holders=True)

KEEPING_CLASSES: Mapping[str, KeepingClass] = {
    **dict.fromkeys(SETTINGS_OF_TRAINERS, _ARGUMENTS),
    **dict.fromkeys(
        (
            "transformers.Trainer",
            "transformers.trainer.Trainer",
            "transformers.Seq2SeqTrainer",
            "transformers.trainer_seq2seq.Seq2SeqTrainer",
        ),
        _TRAINER,
    ),
}
"""Such classes by dotted name."""

KEPT_NAMES = frozenset(name for one in KEEPING_CLASSES.values() for name in one.names)
"""All names that any of them keeps something under."""
