"""What calls give back of what they are given, and what they change of it, by the last part of their names.

NumPy ("Copies and views", "Routines"), torch (``tensor_view.rst``), OpenCV ("Drawing Functions"), Python's ``copy``,
``itertools`` and built-in types.
"""

from __future__ import annotations

from loaderlint.model.setting_words import CHANGES_COLLECTIONS, CHANGES_ITS_ARGUMENT

TAKES = frozenset({"heappop", "heappushpop", "heapreplace", "pop", "popitem", "popleft"})
PUTS = frozenset({"add", "append", "appendleft", "extend", "extendleft", "insert"})
"""Methods and functions that make a collection other than it was by what they take or put, whoever asks for what."""
CHANGES_ITS_OBJECT = (
    TAKES
    | PUTS
    | {"clear", "discard", "fill", "itemset", "partition", "paste", "put", "putalpha", "remove", "reverse", "rotate"}
    | {"setdefault", "sort", "thumbnail", "update"}
)
"""Methods of collections, arrays and images that change what they are called on."""
CHANGES_NO_VALUE = frozenset({"requires_grad_", "retain_grad_", "share_memory_"})
"""Methods of tensors with the ending of those that change its values, which change none."""
CHANGES_FIRST = frozenset(name.rpartition(".")[2] for name in CHANGES_ITS_ARGUMENT)
"""Functions that change what they are given first, or draw on it."""
CHANGES_BY_FUNCTION = frozenset(name.rpartition(".")[2] for name in CHANGES_COLLECTIONS)
"""Those among them that change a collection by what they take or put."""
REORDERS = frozenset({"heapify", "shuffle"})
"""Those that change a collection to another one every time."""

COPIES = frozenset({"OrderedDict", "copy", "defaultdict", "dict", "frozenset", "list", "set", "sorted", "tuple"})
"""What gives a new collection of the same elements; of an array, all is new."""
VIEWS = frozenset(
    {"adjoint", "as_strided", "as_tensor", "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d"}
    | {"atleast_3d", "broadcast_to", "contiguous", "cpu", "cuda", "detach", "diagonal", "expand", "expand_as"}
    | {"expand_dims", "flatten", "flip", "fliplr", "flipud", "from_numpy", "frombuffer", "memoryview", "moveaxis"}
    | {"movedim", "narrow", "numpy", "permute", "ravel", "reshape", "rollaxis", "rot90", "select"}
    | {"sliding_window_view", "squeeze", "swapaxes", "swapdims", "t", "to", "transpose", "type", "unflatten"}
    | {"unfold", "unsqueeze", "view", "view_as", "view_as_complex", "view_as_real"}
)
"""What gives the same data, or may: a change of the one is one of the other."""
ELEMENTS = frozenset({"__getitem__", "choice", "get", "getattr", "itemgetter", "next", "setdefault"} | TAKES)
"""What gives an element of what it is given, or called on."""
GOES_THROUGH = frozenset(
    {"batched", "chain", "chunk", "choices", "cycle", "filter", "from_iterable", "islice", "iter", "reversed", "sample"}
    | {"tqdm", "unbind", "values"}
)
"""What gives the elements of what it is given, or called on, one after the other."""
GOES_THROUGH_PAIRED = frozenset({"enumerate", "items", "product", "zip", "zip_longest"})
"""What gives them beside something else."""
FACTS = frozenset({"device", "dtype", "itemsize", "name", "ndim", "shape", "size", "stem", "suffix"})
"""Attributes of arrays, images and paths whose values nothing changes."""
ITERATORS = (
    *("builtins.enumerate", "builtins.filter", "builtins.iter", "builtins.map", "builtins.reversed", "builtins.zip"),
    "itertools.",
)
"""Functions, by the beginning of their dotted names, that give what is gone through once."""
