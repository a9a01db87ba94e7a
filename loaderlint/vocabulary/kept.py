"""What is made with state of its own that a worker cannot have, or has twice: by the name of what makes it.

The errors are those of Python 3.11 with h5py 3.16, lmdb 3.0, PyAV 18 and OpenCV 5. What sharing does was tried on torch
2.13.0 CPU (two or four forked workers), but for the video readers, whose documents forbid it.
"""

from __future__ import annotations

from collections.abc import Mapping

from loaderlint.model.finding import Confidence
from loaderlint.model.kept import Kind

_SEEKING = "move each other's place in the file, which gives wrong data without an error"
_ARCHIVE = "move each other's place in the file, which ends in `BadZipFile` or a bad checksum"
_DECODER = "move each other's place in the file, which gives wrong frames or an error of the decoder"
_LMDB = (
    "take new reader slots of the environment with every read and give none back, which ends in "
    "`lmdb.ReadersFullError: mdb_txn_begin: MDB_READERS_FULL`"
)
_HDF5 = "share its place and its caches, which gave wrong data with HDF5 before 1.12"


def cannot_pickle(name: str) -> str:
    """Return what Python raises when an object of this type is pickled."""
    return f"TypeError: cannot pickle {name!r} object"


TEXT_FILE = Kind("open file", cannot_pickle("_io.TextIOWrapper"), sharing=_SEEKING)
_COMPRESSED = Kind("open file", cannot_pickle("_io.BufferedReader"), sharing=_SEEKING)
_TAR = Kind("tar archive", cannot_pickle("_io.BufferedReader"), sharing=_SEEKING)
_ZIP = Kind("zip archive", cannot_pickle("_io.BufferedReader"), sharing=_ARCHIVE)
NPZ = Kind("npz archive", cannot_pickle("_io.BufferedReader"), sharing=_ARCHIVE)
HDF5 = Kind(
    "HDF5 file",
    "TypeError: h5py objects cannot be pickled",
    sharing=_HDF5,
    sharing_confidence=Confidence.POSSIBLE,
)
_HDF5_PART = Kind("dataset of an HDF5 file", HDF5.pickling, sharing=_HDF5, sharing_confidence=Confidence.POSSIBLE)
LMDB = Kind("LMDB environment", cannot_pickle("Environment"), sharing=_LMDB, sharing_confidence=Confidence.CERTAIN)
LMDB_WITHOUT_LOCK = Kind("LMDB environment", cannot_pickle("Environment"))
_TRANSACTION = Kind("LMDB transaction", cannot_pickle("Transaction"))
_THREAD_LOCK = cannot_pickle("_thread.lock")
GENERATOR = Kind("generator", cannot_pickle("generator"))
_POOL = Kind("pool", "NotImplementedError: pool objects cannot be passed between processes or pickled")
_EXECUTOR = Kind("executor", cannot_pickle("_queue.SimpleQueue"))
_CAPTURE = Kind("video reader", cannot_pickle("cv2.VideoCapture"), sharing=_DECODER)
_CONTAINER = Kind("video container", "TypeError: no default __reduce__ due to non-trivial __cinit__", sharing=_DECODER)
_TORCH_GENERATOR = Kind(
    "torch.Generator",
    unpickling="RuntimeError: unable to resize file <filename not specified> to the right size: Invalid argument (22)",
    draws=True,
)
_NUMPY_GENERATOR = Kind("numpy generator", draws=True)
_NUMPY_STATE = Kind("numpy RandomState", draws=True)
_RANDOM = Kind("random.Random", draws=True)
LIST = Kind("list", grows=True)
JSON = Kind("parsed JSON document", grows=True)
MEMORY_MAP = Kind("memory map", copied=True)
"""An array in a file: pickled, it is an array with all of its values in memory (tried with numpy 2.4)."""

OPENERS = frozenset({"builtins.open", "io.open", "pathlib.Path().open"})
"""Functions that open a file in the mode they are given; ``Path.open`` takes it first, the others second."""

KINDS: Mapping[str, Kind] = {
    "codecs.open": Kind("open file", "TypeError: can't serialize StreamReaderWriter", sharing=_SEEKING),
    "gzip.open": _COMPRESSED,
    "gzip.GzipFile": _COMPRESSED,
    "bz2.open": _COMPRESSED,
    "bz2.BZ2File": _COMPRESSED,
    "lzma.open": _COMPRESSED,
    "lzma.LZMAFile": _COMPRESSED,
    "tarfile.open": _TAR,
    "tarfile.TarFile": _TAR,
    "tarfile.TarFile.open": _TAR,
    "zipfile.ZipFile": _ZIP,
    "h5py.File": HDF5,
    "h5py.File().get": _HDF5_PART,
    "lmdb.open().begin": _TRANSACTION,
    "lmdb.Environment().begin": _TRANSACTION,
    "sqlite3.connect": Kind("SQLite connection", cannot_pickle("sqlite3.Connection")),
    "sqlite3.connect().cursor": Kind("SQLite cursor", cannot_pickle("sqlite3.Cursor")),
    "socket.socket": Kind("socket", cannot_pickle("socket")),
    "threading.Lock": Kind("lock", _THREAD_LOCK),
    "threading.RLock": Kind("lock", cannot_pickle("_thread.RLock")),
    "threading.Event": Kind("event", _THREAD_LOCK),
    "threading.Condition": Kind("condition", cannot_pickle("_thread.RLock")),
    "threading.Semaphore": Kind("semaphore", _THREAD_LOCK),
    "threading.BoundedSemaphore": Kind("semaphore", _THREAD_LOCK),
    "threading.Thread": Kind("thread", _THREAD_LOCK),
    "threading.local": Kind("thread-local storage", cannot_pickle("_thread._local")),
    "queue.Queue": Kind("queue", _THREAD_LOCK),
    "queue.SimpleQueue": Kind("queue", cannot_pickle("_queue.SimpleQueue")),
    "concurrent.futures.ThreadPoolExecutor": _EXECUTOR,
    "concurrent.futures.thread.ThreadPoolExecutor": _EXECUTOR,
    "concurrent.futures.ProcessPoolExecutor": Kind("executor", _THREAD_LOCK),
    "multiprocessing.Pool": _POOL,
    "multiprocessing.pool.Pool": _POOL,
    "multiprocessing.pool.ThreadPool": _POOL,
    "torch.multiprocessing.Pool": _POOL,
    "cv2.VideoCapture": _CAPTURE,
    "av.open": _CONTAINER,
    "av.container.open": _CONTAINER,
    "torch.Generator": _TORCH_GENERATOR,
    "torch.Generator().manual_seed": _TORCH_GENERATOR,
    "numpy.memmap": MEMORY_MAP,
    "numpy.lib.format.open_memmap": MEMORY_MAP,
    "numpy.random.default_rng": _NUMPY_GENERATOR,
    "numpy.random.Generator": _NUMPY_GENERATOR,
    "numpy.random.RandomState": _NUMPY_STATE,
    "numpy.random.mtrand.RandomState": _NUMPY_STATE,
    "random.Random": _RANDOM,
}
"""What the call of each gives; those of `OPENERS`, of ``lmdb.open`` and of ``numpy.load`` depend on arguments."""

LMDB_OPENERS = frozenset({"lmdb.open", "lmdb.Environment"})
"""Functions that open an LMDB environment, with the lock table unless ``lock=False`` (py-lmdb, "Environment class")."""

PARTS: Mapping[Kind, Kind] = {HDF5: _HDF5_PART, _HDF5_PART: _HDF5_PART}
"""What an item under a name is part of: it is read only when somebody reads it."""

MADE_BY_NAME = frozenset(name.rpartition(".")[2] for name in (*KINDS, *OPENERS, *LMDB_OPENERS, "numpy.load"))
"""The last parts of the names above: a module that calls none of them makes nothing of this kind."""

METHODS = frozenset(
    {"acquire", "begin", "cursor", "decode", "execute", "extract", "extractfile", "get", "grab", "map", "next", "open"}
    | {"put", "read", "readinto", "readline", "readlines", "recv", "release", "retrieve", "seek", "send", "submit"}
    | {"write"}
)
"""Methods of these things that use them (``io``, ``zipfile``, ``tarfile``, ``lmdb``, ``sqlite3``, ``cv2.VideoCapture``,
``threading``, ``queue``, ``concurrent.futures``)."""

LISTING = frozenset({"readlines", "splitlines", "glob", "rglob", "listdir", "tolist", "to_dict"})
"""Functions and methods that give as many Python objects as there are lines, files or rows."""

LOOKED_AT = frozenset(
    {
        "close",
        "closed",
        "fileno",
        "files",
        "filelist",
        "filename",
        "getinfo",
        "getmember",
        "getmembers",
        "getnames",
        "info",
        "infolist",
        "isOpened",
        "mode",
        "name",
        "namelist",
        "path",
        "stat",
    }
)
"""Members that read nothing through the shared place of a file (``zipfile``, ``tarfile``, ``io``, ``lmdb``)."""

RESEEDING = frozenset({"seed", "manual_seed", "set_state", "setstate", "bit_generator", "state"})
"""Members of random generators that give them another state."""

WORKER_QUESTIONS = frozenset({"get_worker_info", "initial_seed", "getpid", "current_process"})
"""Functions whose answer differs from worker to worker: whoever asks one may keep the workers apart."""

RESEEDED_BY_LIBRARIES = frozenset({"set_random_state"})
"""Methods that a library's loader calls in every worker (MONAI, ``monai/data/utils.py``, ``set_rnd``)."""

PICKLES_ITSELF = frozenset({"__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__"})
"""A class with one of these decides itself what of it travels (``pickle``, "Pickling Class Instances")."""
