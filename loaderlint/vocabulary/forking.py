"""Libraries that keep threads, which a forked worker does not inherit: their objects, their calls, and how sure it is.

What hung on torch 2.13.0, Python 3.11, Linux in 10 of 10 runs (WITNESS D) ``hangs``: ThreadPoolExecutor, asyncio,
polars and tokenizers. Under spawn ThreadPoolExecutor, asyncio and polars were tried: none hung. gRPC raises or does not
by its version (LL112). The others were not tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Threaded(NamedTuple):
    """What keeps threads: its name in messages, whether it was seen to hang, what to do, and if a hang is known."""

    words: str
    hangs: bool
    help: str
    known: bool = True


_PER_PROCESS = "make it in the worker, when it is first used"
_THREADS = Threaded("a ThreadPoolExecutor", True, _PER_PROCESS)
_PROCESSES = Threaded("a ProcessPoolExecutor", False, _PER_PROCESS, known=False)
FILE_SYSTEM = Threaded("an asynchronous file system", False, _PER_PROCESS)
EVENT_LOOP = Threaded("an asyncio event loop in a thread", True, _PER_PROCESS)
GRPC = Threaded("gRPC", False, "start the workers by spawn, or leave gRPC to them alone", known=False)
POLARS = Threaded("polars", True, "start the workers by spawn, or give them numpy or arrow arrays")
TOKENIZERS = Threaded(
    "a tokenizer with TOKENIZERS_PARALLELISM=true",
    True,
    "do not set TOKENIZERS_PARALLELISM, or set it to false: then a forked worker does without the threads",
)

KEPT: Mapping[str, Threaded] = {
    "concurrent.futures.ThreadPoolExecutor": _THREADS,
    "concurrent.futures.thread.ThreadPoolExecutor": _THREADS,
    "concurrent.futures.ProcessPoolExecutor": _PROCESSES,
    "concurrent.futures.process.ProcessPoolExecutor": _PROCESSES,
    "gcsfs.GCSFileSystem": FILE_SYSTEM,
    "s3fs.S3FileSystem": FILE_SYSTEM,
    "adlfs.AzureBlobFileSystem": FILE_SYSTEM,
    "grpc.insecure_channel": GRPC,
    "grpc.secure_channel": GRPC,
}
"""What makes an object that keeps threads, by dotted name."""

EXECUTOR_METHODS = frozenset({"submit", "map"})
"""Methods of an executor that start its threads, and wait for them."""

FILE_SYSTEM_METHODS = frozenset(
    {"open", "cat", "cat_file", "cat_ranges", "get", "ls", "find", "glob", "info", "exists", "read_block"}
)
"""Methods of a file system that wait for its thread."""

MAKES_FILE_SYSTEM = frozenset({"fsspec.filesystem"})
REMOTE_PROTOCOLS = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "az", "http", "https"})
"""Protocols whose file systems are asynchronous (``fsspec/registry.py``)."""

GRPC_CALLABLES = frozenset({"unary_unary", "unary_stream", "stream_unary", "stream_stream"})
"""Methods of a channel that make a function of the other side callable."""

EVENT_LOOPS = frozenset({"asyncio.new_event_loop", "asyncio.events.new_event_loop"})
HANDS_TO_LOOP = frozenset({"asyncio.run_coroutine_threadsafe", "asyncio.tasks.run_coroutine_threadsafe"})
RUNS_LOOP = "run_forever"

POLARS_METHODS = frozenset({"agg", "collect", "filter", "join", "sort", "read_csv", "read_parquet"})
"""Functions and methods of polars that its threads work on; rows and whole columns are taken without them (2.1)."""

TOKENIZERS_VARIABLE = "TOKENIZERS_PARALLELISM"
TOKENIZER_BATCHES = frozenset({"encode_batch", "batch_encode_plus", "encode_batch_fast"})
"""Methods of a fast tokenizer that take many texts; one text alone is no work for threads."""

OPENCV = Threaded(
    "OpenCV", False, "call cv2.setNumThreads(0) in worker_init_fn, or at the top of the module that defines the dataset"
)
TOKENIZER_THREADS = Threaded(
    "a fast tokenizer", False, 'set os.environ["TOKENIZERS_PARALLELISM"] = "false" before the workers start'
)
OPENCV_FUNCTIONS = frozenset(
    {
        *("resize", "remap", "warpAffine", "warpPerspective", "cvtColor", "GaussianBlur", "blur", "boxFilter"),
        *("medianBlur", "bilateralFilter", "filter2D", "sepFilter2D", "Sobel", "Canny", "dilate", "erode"),
    }
)
"""Functions of OpenCV that share an image out among threads; reading and decoding one does not."""

OPENCV_THREADS = "setNumThreads"
HOLD_OPENCV_BACK = ("mmengine", "mmcv", "ultralytics")
"""Libraries that set the number of OpenCV's threads themselves (mmengine, ``opencv_num_threads=0``)."""
