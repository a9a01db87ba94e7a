"""What names say of the state that a call sets, and who reads it: the tables of ``setting_names`` and ``set_up``.

Imported names are listed under the dotted name they are imported by.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a table that is written as text."""
    return frozenset(text.split())


MUTATORS = words("add append clear discard extend insert pop popitem register remove reverse setdefault sort update")
"""Methods that change the object they are called on, for what ``list``, ``dict``, ``set`` and registries have."""

CHANGES_COLLECTIONS = words("""
    bisect.insort bisect.insort_left bisect.insort_right heapq.heapify heapq.heappop heapq.heappush heapq.heappushpop
    heapq.heapreplace numpy.random.shuffle operator.delitem operator.iadd operator.setitem random.shuffle
""")
"""Functions that change a collection, which they are handed first, by what they take or put (docs.python.org)."""

CHANGES_ITS_ARGUMENT = CHANGES_COLLECTIONS | words("""
    PIL.ImageDraw.Draw builtins.delattr builtins.setattr cv2.arrowedLine cv2.circle cv2.drawContours cv2.ellipse
    cv2.fillConvexPoly cv2.fillPoly cv2.floodFill cv2.line cv2.polylines cv2.putText cv2.rectangle numpy.copyto
    numpy.fill_diagonal numpy.place numpy.put numpy.putmask operator.imul operator.ior operator.isub
""")
"""Functions that change in place what they are handed first, or draw on it.

docs.python.org and numpy.org, their pages; docs.opencv.org, "Drawing Functions"; Pillow, "ImageDraw Module".
"""

OF_NO_CONCERN = (
    *("absl.logging.", "numpy.random.", "torch._dynamo.", "torch._inductor.", "torch.backends.", "torch.cuda."),
    *("torch.distributed.", "torch.random.", "torch.set_rng_state"),
    *("torch.multiprocessing.set_start_method", "torch.set_num_interop_threads", "torch.set_num_threads"),
)
"""Settings of libraries that do not reach a dataset: what runs on the GPU or between ranks, and what torch sets anew.

Each worker gets one thread and seeds of its own (``torch/utils/data/_utils/worker.py``, ``_worker_loop``).
"""

REPORTING_LIBRARIES = words("""
    IPython clearml comet_ml dominate gdown matplotlib mlflow neptune nvtx psutil pynvml rich seaborn tensorboard
    tensorboardX torchinfo torchsummary tqdm wandb
""")
"""Libraries that report, draw and fetch: no dataset reads what is set up of them."""

KNOWN_LIBRARIES = REPORTING_LIBRARIES | words("""
    PIL accelerate apex cv2 datasets deepspeed dgl einops fire google horovod huggingface_hub lightning monai numpy
    pandas pytorch_lightning ray requests scipy sklearn torch torch_geometric torchaudio torchtext torchvision
    transformers
""")
"""Libraries of which a call sets something up only if its name says so; an attribute of theirs that is set always does.

Of an unknown module any call may whose result nobody takes.
"""

HARMLESS_REPORTS = words("""
    close download draw dump end exit fetch log main makedirs mkdir plot predict print quit save seed show sleep time
    wait warn write
""")
"""First words of the names of functions of unknown modules that report, store and end, whatever else they name.

They and the words below are chosen by hand, from what training scripts call their functions.
"""

HARMLESS_ACTS = HARMLESS_REPORTS | words("bench benchmark eval evaluate fit profile run test train validate")
"""First words of the names of such functions that do something else than setting up."""

STATE_WORDS = words("config mode scale settings")
"""Words that say that even so something is set up: ``test_mode``, ``run_config``. ``save_config`` reports one."""

_SEEDING_AND_LOGGING = words("deterministic determinism log logger logging seed seeds verbosity warning")

HARMLESS_WORDS = _SEEDING_AND_LOGGING | words("""
    benchmark checkpoint critical cuda debug device display distributed download error exception gpu info main makedirs
    mkdir mkdirs summary timer
""")
"""Words anywhere in such a name that say that what it does, or sets up, is nothing that workers read.

Seeding is among them: torch seeds each worker anew.
"""

SETTING_WORDS = words("add configure define disable enable merge override register set switch unregister update use")
"""First words of the names of functions that set something up, and may do so again in each process."""

RESULTLESS_WORDS = SETTING_WORDS - {"add", "define", "merge", "update", "use"}
"""Those that say so even where the result is taken: ``merge_options`` may only return what it merged."""

STARTING_WORDS = words("activate bootstrap inject install launch monkey monkeypatch start")
"""First words of the names of functions that start or patch something for the rest of the process, result or not."""

STARTING_NAMES = words("init initialize patch setup")
"""Words that say so only where they are the whole name: ``init_model`` and ``patch_embed`` give back what they make."""

ENTERING_NAMES = words("__aenter__ __enter__ enter_async_context enter_context")
"""Methods that enter a context which nothing in sight leaves."""

STARTING_CALLS = ("absl.flags.DEFINE", "unittest.mock.patch")
"""Names of calls whose result is taken and that set something up nevertheless.

abseil.io, "Abseil Python Flags": ``DEFINE_integer`` returns a holder of the flag that it adds to ``FLAGS``;
docs.python.org, ``unittest.mock``: what ``patch`` returns is a context, or is started.
"""

HARMLESS_SETTINGS = _SEEDING_AND_LOGGING | words("anomaly loggers logs print printoptions warnings")
"""Words for what may be set without any sample changing."""

HARMLESS_ELSEWHERE = HARMLESS_SETTINGS - {"seed", "seeds"} | {"distributed"}
"""Words in the names of functions of the project for what these may set up without any sample changing.

What they seed is seen: a number that they keep for workers to seed with is no such thing.
"""

HARMLESS_ADDITIONS = words("args argparse arguments parser")
"""Words for what a parser is given: ``add_arguments(parser)`` is harmless, ``set_args(args)`` keeps what was parsed."""
