"""What cannot be sent from a worker to the main process: what makes it, what it is called, and what Python prints.

Each was put into a queue of torch 2.13.0 on Python 3.11 (WITNESS A, D); objects of a library print its own words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

PARTIAL = "functools.partial"

KEEP_AS_GIVEN = ("torch.utils.data.", PARTIAL)
"""Libraries whose objects keep what they are made of as it is (``torch/utils/data/dataset.py``, ``Subset``)."""

CARRIERS = (*KEEP_AS_GIVEN, "torchvision.", "monai.")
"""Those, and libraries whose objects keep the callables they are given and send them to the workers with themselves
(``torchvision/datasets/vision.py``, ``monai/data/dataset.py``: ``transform``)."""


class Unpickled(NamedTuple):
    """Something that does not pickle: what messages call it, and the error."""

    words: str
    error: str


_LOCK = Unpickled("a lock", "TypeError: cannot pickle '_thread.lock' object")
_FILE = Unpickled("an open file", "TypeError: cannot pickle '_io.TextIOWrapper' object")

UNSENDABLE: Mapping[str, Unpickled] = {
    "threading.Lock": _LOCK,
    "threading.RLock": Unpickled("a lock", "TypeError: cannot pickle '_thread.RLock' object"),
    "threading.Event": Unpickled("an event, which holds a lock", _LOCK.error),
    "threading.Condition": Unpickled(
        "a condition, which holds a lock", "TypeError: cannot pickle '_thread.RLock' object"
    ),
    "threading.Semaphore": Unpickled("a semaphore, which holds a lock", _LOCK.error),
    "builtins.open": _FILE,
    "io.open": _FILE,
    "h5py.File": Unpickled("an open h5py.File", "TypeError: h5py objects cannot be pickled"),
    "sqlite3.connect": Unpickled("a connection", "TypeError: cannot pickle 'sqlite3.Connection' object"),
    "lmdb.open": Unpickled("an LMDB environment", "TypeError: cannot pickle 'Environment' object"),
}
"""Functions and classes of libraries, by dotted name, whose results do not pickle."""

GENERATOR = Unpickled("a generator", "TypeError: cannot pickle 'generator' object")
LAMBDA = Unpickled("a lambda", "AttributeError: Can't pickle local object")
LOCAL_FUNCTION = Unpickled("a local function", "AttributeError: Can't pickle local object")
LOCAL_CLASS = Unpickled("an object of a local class", "AttributeError: Can't pickle local object")
DEFAULTDICT = Unpickled("a defaultdict that keeps a lambda", "AttributeError: Can't pickle local object")
GRADIENT = Unpickled(
    "a tensor with its graph",
    "RuntimeError: Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
    "crossing process boundaries.",
)

LAYERS = frozenset(
    f"torch.nn.{name}"
    for name in (
        *("Linear", "Bilinear", "Embedding", "EmbeddingBag", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d"),
        *("ConvTranspose2d", "ConvTranspose3d", "LayerNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm"),
    )
)
"""Modules of torch whose parameters require grad, and so does whatever they give."""

ROWS_OF_LAYERS = frozenset({"torch.nn.Sequential"})
"""Modules of torch that call the modules they are given one after the other."""

MODULES = frozenset({"Module"})
"""Last names of the classes that a model of the project's own is one of: calling it calls its ``forward``."""

PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
"""Classes of torch whose tensors require grad by themselves."""

STACKS = frozenset(
    {"torch.stack", "torch.cat", "torch.concat", "torch.vstack", "torch.hstack", "torch.nn.utils.rnn.pad_sequence"}
)
"""Functions of torch that make one tensor of several, with the graphs of all."""

KEEPS_GRAPH = frozenset(
    {
        "abs",
        "add",
        "clamp",
        "clone",
        "div",
        "exp",
        "expand",
        "log",
        "log_softmax",
        "matmul",
        "mean",
        "mm",
        "mul",
        "neg",
        "norm",
        "permute",
        "pow",
        "prod",
        "relu",
        "repeat",
        "reshape",
        "sigmoid",
        "softmax",
        "sqrt",
        "square",
        "squeeze",
        "std",
        "sub",
        "sum",
        "t",
        "tanh",
        "transpose",
        "unsqueeze",
        "var",
        "view",
    }
)
"""Methods of tensors that give another tensor with the graph; ``float`` may give a parameter itself, a leaf."""

WITHOUT_GRADIENTS = ("no_grad", "inference_mode", "set_grad_enabled", "requires_grad", "enable_grad")
"""Words of files that say themselves what requires grad."""

SWITCHES_GRADIENTS = ("no_grad", "inference_mode", "set_grad_enabled")
"""Words of files that switch gradients off, for whatever is called from there."""

HANDS_ON = frozenset({"builtins.list", "builtins.tuple"})
"""Functions that, as a ``collate_fn``, make a batch of the items as they are."""

REACHES_IN = frozenset(
    {"__call__", "__getitem__", "copy", "forward", "get", "items", "pop", "popitem", "setdefault", "values"}
)
"""Methods that give what an object holds (Python's ``dict``), or that calling it comes to (``torch.nn.Module``)."""

WRAPPERS = frozenset(
    f"torch.utils.data.{home}{name}"
    for home in ("", "dataset.")
    for name in ("Subset", "ConcatDataset", "ChainDataset", "StackDataset")
)
"""Datasets of torch whose items are those of the datasets they are given."""
