"""What is known to be free of effects: the tables behind ``effects``.

Free of effects means that running it again in a worker changes nothing outside that process, draws no random number
(which has to stay in order behind the seeding), touches no CUDA, opens no file and prints nothing. Imported names are
listed under the dotted name they are imported by.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PURE_BUILTINS = _words("""
    abs all any bool bytearray bytes callable chr complex dict divmod enumerate filter float format frozenset getattr
    hasattr hash hex int isinstance issubclass len list map max min object oct ord pow property range repr reversed
    round set slice sorted str sum tuple type zip
""")
"""Builtins without effects. ``iter`` and ``next`` are left out: they start a loader's workers."""

ITERATING_BUILTINS = _words("""
    all any dict enumerate filter frozenset list map max min reversed set sorted sum tuple zip
""")
"""Those of them that iterate their arguments."""

PURE_CALLS = _words("""
    argparse.Namespace collections.Counter collections.OrderedDict collections.defaultdict collections.deque
    collections.namedtuple copy.copy copy.deepcopy dataclasses.dataclass dataclasses.field datetime.timedelta
    functools.partial json.dumps json.loads logging.getLogger multiprocessing.cpu_count
    numpy.arange numpy.array numpy.asarray numpy.dtype numpy.eye numpy.float32 numpy.float64 numpy.full numpy.int32
    numpy.int64 numpy.linspace numpy.ones numpy.zeros
    os.cpu_count os.environ.get os.fspath os.getcwd os.getenv os.sched_getaffinity
    pathlib.Path pathlib.Path.cwd pathlib.Path.home pathlib.PurePath platform.machine platform.system re.compile
    torch.Size torch.arange torch.as_tensor torch.backends.mps.is_available torch.cuda.device_count
    torch.cuda.is_available torch.device torch.eye torch.finfo torch.from_numpy torch.full torch.iinfo torch.linspace
    torch.mps.is_available torch.ones torch.tensor torch.zeros
    types.MappingProxyType types.SimpleNamespace typing.NamedTuple typing.NewType typing.TypeVar typing.cast
""")
"""Functions and classes without effects. Asking whether CUDA is there is no use of it; ``device=`` may be one."""

PURE_MODULES = ("albumentations", "itertools", "math", "operator", "os.path", "string", "torchvision.transforms")
"""Modules whose every public call is free of effects (transforms draw random numbers when called, not when made)."""

PURE_METHODS = _words("""
    absolute as_posix capitalize copy count encode endswith exists expanduser format get index is_absolute is_dir
    is_file items join joinpath keys lower lstrip relative_to removeprefix removesuffix resolve rsplit rstrip split
    splitlines startswith strip title upper values with_name with_suffix zfill
    astype double float long permute reshape tolist transpose unsqueeze view
""")
"""Methods of strings, containers, paths and arrays that change nothing."""

CONSTRUCTORS = frozenset(
    f"torch.utils.data.{name}"
    for name in _words("""
        BatchSampler ConcatDataset DataLoader RandomSampler SequentialSampler Subset SubsetRandomSampler TensorDataset
        WeightedRandomSampler dataloader.DataLoader
    """)
)
"""What builds a dataset, sampler or loader and draws nothing until it is iterated.

Repeating it in a worker is harmless (WITNESS A, ``guard_iter_only_good``) but pointless.
"""

SETTINGS = _words("""
    __import__ absl.flags.adopt_module_key_flags absl.flags.mark_flag_as_required absl.flags.mark_flags_as_required
    codecs.register codecs.register_error copyreg.pickle csv.field_size_limit csv.register_dialect
    cv2.ocl.setUseOpenCL cv2.setNumThreads decimal.setcontext dotenv.load_dotenv faulthandler.enable
    locale.setlocale matplotlib.pyplot.rc matplotlib.pyplot.rcParams.update matplotlib.pyplot.style.use
    matplotlib.pyplot.switch_backend matplotlib.rc matplotlib.rcParams.update matplotlib.style.use matplotlib.use
    mimetypes.add_type numpy.set_printoptions numpy.seterr os.environ.setdefault os.environ.update pandas.set_option
    resource.setrlimit seaborn.set seaborn.set_context seaborn.set_palette seaborn.set_style seaborn.set_theme
    site.addsitedir socket.setdefaulttimeout sys.path.append sys.path.extend sys.path.insert sys.path.remove
    sys.setrecursionlimit sys.stderr.reconfigure sys.stdout.reconfigure torch.multiprocessing.set_sharing_strategy
    torch.serialization.add_safe_globals torch.set_default_dtype torch.set_float32_matmul_precision
    torch.set_num_threads torch.set_printoptions torch.use_deterministic_algorithms torchaudio.set_audio_backend
    torchvision.set_image_backend torchvision.set_video_backend warnings.filterwarnings warnings.simplefilter
""")
"""Calls that set up the process and may be repeated.

The sharing strategy even has to be: under the guard it does not reach the workers (WITNESS D). ``set_start_method``
must not be: a second call raises (HAZARDS H21).
"""

PLAIN_BASES = _words("""
    Exception RuntimeError ValueError abc.ABC dict enum.Enum enum.IntEnum list object torch.utils.data.Dataset
    torch.utils.data.IterableDataset torch.utils.data.Sampler torch.utils.data.dataset.Dataset
    torch.utils.data.dataset.IterableDataset tuple typing.Generic typing.NamedTuple typing.Protocol typing.TypedDict
""")
"""Base classes whose constructor does nothing of note."""

PLAIN_DECORATORS = _words("dataclasses.dataclass functools.total_ordering")
"""Class decorators that keep the constructor what it is."""

HARMLESS_CONTEXTS = _words("contextlib.suppress warnings.catch_warnings")
"""Context managers that are no effect of their own."""

READ_BY_WORKERS = (
    *("PIL.Image.MAX", "PIL.ImageFile.LOAD", "PIL.PngImagePlugin.MAX", "absl.flags.FLAGS", "codecs.register"),
    *("copyreg.", "csv.field_size_limit", "csv.register", "ctypes.CDLL", "ctypes.cdll.LoadLibrary", "decimal."),
    *("gettext.install", "importlib.import_module", "locale.setlocale", "mimetypes.", "numpy.seterr"),
    *("os.add_dll_directory", "shutil.register", "socket.setdefaulttimeout", "sqlite3.register", "ssl."),
    *("sys.meta_path", "sys.modules", "sys.path_hooks", "sys.setdlopenflags", "sys.setrecursionlimit"),
    *("tempfile.tempdir", "torch.classes.load_library", "torch.ops.load_library", "tqdm.auto.tqdm.pandas"),
    *("tqdm.tqdm.pandas", "unittest.mock.patch", "urllib.request.install_opener"),
    "xml.etree.ElementTree.register_namespace",
)
"""Names of calls and settings that what a dataset does hangs on, and that do not say so by a `SETTING_WORDS` of theirs.

docs.python.org, the pages of these modules; pillow.readthedocs.io, "Image", "ImageFile" and "Image file formats";
numpy.org, ``seterr``; tqdm.github.io, ``tqdm.pandas``; abseil.io, "Abseil Python Flags"; ``torch/_ops.py``,
``load_library``.
"""

CHANGES_ITS_ARGUMENT = _words("""
    bisect.insort bisect.insort_left bisect.insort_right heapq.heapify heapq.heappop heapq.heappush heapq.heappushpop
    heapq.heapreplace numpy.copyto numpy.fill_diagonal numpy.place numpy.put numpy.putmask numpy.random.shuffle
    operator.delitem operator.iadd operator.imul operator.ior operator.setitem random.shuffle
""")
"""Functions that change in place what they are handed first (docs.python.org and numpy.org, their pages)."""

OF_NO_CONCERN = (
    *("absl.logging.", "numpy.random.", "torch._dynamo.", "torch._inductor.", "torch.backends.", "torch.cuda."),
    *("torch.distributed.", "torch.random.", "torch.set_rng_state"),
    *("torch.multiprocessing.set_start_method", "torch.set_num_interop_threads", "torch.set_num_threads"),
)
"""Settings of libraries that do not reach a dataset: what runs on the GPU or between ranks, and what torch sets anew.

Each worker gets one thread and seeds of its own (``torch/utils/data/_utils/worker.py``, ``_worker_loop``).
"""

REPORTING_LIBRARIES = _words("""
    IPython clearml comet_ml gdown matplotlib mlflow neptune nvtx psutil pynvml rich seaborn tensorboard
    tensorboardX torchinfo torchsummary tqdm wandb
""")
"""Libraries that report, draw and fetch: no dataset reads what is set up of them."""

KNOWN_LIBRARIES = REPORTING_LIBRARIES | _words("""
    PIL accelerate apex cv2 datasets deepspeed dgl einops fire google horovod huggingface_hub lightning monai numpy
    pandas pytorch_lightning ray requests scipy sklearn torch torch_geometric torchaudio torchtext torchvision
    transformers
""")
"""Libraries of which a call sets something up only if its name says so; an attribute of theirs that is set always does.

Of an unknown module any call may whose result nobody takes.
"""

HARMLESS_REPORTS = _words("""
    close download draw dump end exit fetch log main makedirs mkdir plot predict print quit save seed show sleep time
    wait warn write
""")
"""First words of the names of functions of unknown modules that report, store and end, whatever else they name.

They and the words below are chosen by hand, from what training scripts call their functions.
"""

HARMLESS_ACTS = HARMLESS_REPORTS | _words("bench benchmark eval evaluate fit profile run test train validate")
"""First words of the names of such functions that do something else than setting up."""

STATE_WORDS = _words("config mode scale settings")
"""Words that say that even so something is set up: ``test_mode``, ``run_config``. ``save_config`` reports one."""

_SEEDING_AND_LOGGING = _words("deterministic determinism log logger logging seed seeds verbosity warning")

HARMLESS_WORDS = _SEEDING_AND_LOGGING | _words("""
    benchmark checkpoint critical cuda debug device display distributed download error exception gpu info main makedirs
    mkdir mkdirs summary timer
""")
"""Words anywhere in such a name that say that what it does, or sets up, is nothing that workers read.

Seeding is among them: torch seeds each worker anew.
"""

SETTING_WORDS = _words("add configure define disable enable merge override register set switch unregister update use")
"""First words of the names of functions that set something up, and may do so again in each process."""

RESULTLESS_WORDS = SETTING_WORDS - {"add", "define", "merge", "update", "use"}
"""Those that say so even where the result is taken: ``merge_options`` may only return what it merged."""

STARTING_WORDS = _words("activate bootstrap inject install launch monkey monkeypatch start")
"""First words of the names of functions that start or patch something for the rest of the process, result or not."""

STARTING_NAMES = _words("init initialize patch setup")
"""Words that say so only where they are the whole name: ``init_model`` and ``patch_embed`` give back what they make."""

ENTERING_NAMES = _words("__aenter__ __enter__ enter_async_context enter_context")
"""Methods that enter a context which nothing in sight leaves."""

STARTING_CALLS = ("absl.flags.DEFINE", "unittest.mock.patch")
"""Names of calls whose result is taken and that set something up nevertheless.

abseil.io, "Abseil Python Flags": ``DEFINE_integer`` returns a holder of the flag that it adds to ``FLAGS``;
docs.python.org, ``unittest.mock``: what ``patch`` returns is a context, or is started.
"""

HARMLESS_SETTINGS = _SEEDING_AND_LOGGING | _words("anomaly loggers logs print printoptions warnings")
"""Words for what may be set without any sample changing."""

HARMLESS_ELSEWHERE = HARMLESS_SETTINGS - {"seed", "seeds"} | {"distributed"}
"""Words in the names of functions of the project for what these may set up without any sample changing.

What they seed is seen: a number that they keep for workers to seed with is no such thing.
"""

HARMLESS_ADDITIONS = _words("args argparse arguments parser")
"""Words for what a parser is given: ``add_arguments(parser)`` is harmless, ``set_args(args)`` keeps what was parsed."""
