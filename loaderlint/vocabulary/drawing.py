"""Whose random numbers a library draws, where that is known."""

from __future__ import annotations

import sys
from collections.abc import Mapping

_DRAWS_OR_RUNS_ANYTHING = frozenset({"email", "importlib", "pkgutil", "random", "runpy", "statistics"})
"""Modules of Python's own that draw from ``random`` (``statistics.NormalDist.samples``, the boundaries of ``email``),
or import what nobody sees."""
_OF_NEITHER = frozenset(sys.stdlib_module_names - _DRAWS_OR_RUNS_ANYTHING) | {
    *("PIL", "cv2", "einops", "h5py", "lmdb", "nibabel", "soundfile", "tifffile", "torch", "tqdm", "yaml"),
    *(
        f"torchvision.transforms.{name}"
        for name in ("CenterCrop", "Compose", "Grayscale", "Normalize", "Pad", "Resize", "ToPILImage", "ToTensor")
    ),
}
"""Libraries, or parts of them, that draw neither Python's random numbers nor NumPy's: torch draws its own, OpenCV too
(``cv2.setRNGSeed``), and the others read, write, count, and do the same to each image."""

DRAW_NO_MORE: Mapping[str, frozenset[str]] = {
    "Python": _OF_NEITHER | {"numpy", "pandas", "random", "scipy"},
    "NumPy": _OF_NEITHER
    | {"numpy", "random"}
    | {
        f"scipy.{name}" for name in ("constants", "fft", "fftpack", "interpolate", "io", "ndimage", "signal", "special")
    },
}
"""The libraries, or parts of them, that draw none of a library's random numbers, by whose those are, and the one that
holds them.

pandas and the other parts of SciPy draw NumPy's (``random_state=None`` in their references). No library is known to
leave torch's alone that a dataset could be written with.
"""


def draws_no_more(name: str, library: str) -> bool:
    """Return whether something, by its dotted name, belongs to what draws none of a library's random numbers."""
    while name and name not in DRAW_NO_MORE[library]:
        name = name.rpartition(".")[0]
    return bool(name)


GENERATORS: Mapping[str, str] = {"Python": "random", "NumPy": "numpy.random"}
"""The module that holds the random numbers which everybody shares."""

DRAW_NOTHING: Mapping[str, frozenset[str]] = {
    "Python": frozenset({"Random", "SystemRandom", "getstate", "seed", "setstate"}),
    "NumPy": frozenset(
        {"Generator", "MT19937", "PCG64", "Philox", "RandomState", "SeedSequence", "default_rng"}
        | {"get_state", "seed", "set_state"}
    ),
}
"""What such a module has that draws none of them: what sets them, and generators of one's own."""
