"""What calls give back of what they are given, and what they change of it, by the last part of their names.

NumPy ("Copies and views", "Routines"), torch (``tensor_view.rst``), OpenCV ("Drawing Functions"), Python's ``copy``,
``itertools`` and built-in types.
"""

from __future__ import annotations

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
CHANGES_ITS_ARGUMENT = (
    frozenset({"Draw", "arrowedLine", "circle", "copyto", "delattr", "drawContours", "ellipse", "fillConvexPoly"})
    | {
        "fillPoly",
        "fill_diagonal",
        "floodFill",
        "heapify",
        "heappush",
        "iadd",
        "imul",
        "isub",
        "line",
        "place",
        "polylines",
    }
    | {"put", "putText", "putmask", "rectangle", "setattr", "shuffle"}
)
"""Functions that change what they are given first, or draw on it."""
CHANGES_BY_FUNCTION = frozenset(
    {"delitem", "heapify", "heappop", "heappush", "heappushpop", "heapreplace", "iadd", "insort", "insort_left"}
    | {"insort_right", "setitem", "shuffle"}
)
"""Those among them, and of ``bisect`` and ``operator``, that change a collection by what they take or put."""
REORDERS = frozenset({"heapify", "shuffle"})
"""Those that change a collection to another one every time."""

COPIES = frozenset({"OrderedDict", "copy", "defaultdict", "dict", "frozenset", "list", "set", "sorted", "tuple"})
"""What gives a new collection of the same elements; of an array, all is new."""
VIEWS = frozenset(
    {"as_strided", "as_tensor", "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d", "atleast_3d"}
    | {"broadcast_to", "contiguous", "cpu", "cuda", "detach", "diagonal", "expand", "expand_as", "flatten"}
    | {"frombuffer", "from_numpy", "memoryview", "moveaxis", "movedim", "narrow", "numpy", "permute", "ravel"}
    | {"reshape", "select", "squeeze", "swapaxes", "to", "transpose", "type", "unsqueeze", "view", "view_as"}
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
