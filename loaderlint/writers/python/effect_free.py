"""What is known to be free of effects: the tables behind ``effects``.

Free of effects means that running it again in a worker changes nothing outside that process, draws no random number
(which has to stay in order behind the seeding), touches no CUDA, opens no file and prints nothing. Imported names are
listed under the dotted name they are imported by.
"""

from __future__ import annotations

import sys

from loaderlint.model.setting_words import words

PURE_BUILTINS = words("""
    abs all any bool bytearray bytes callable chr complex dict divmod enumerate filter float format frozenset getattr
    hasattr hash hex int isinstance issubclass len list map max min object oct ord pow property range repr reversed
    round set slice sorted str sum tuple type zip
""")
"""Builtins without effects. ``iter`` and ``next`` are left out: they start a loader's workers."""

ITERATING_BUILTINS = words("""
    all any dict enumerate filter frozenset list map max min reversed set sorted sum tuple zip
""")
"""Those of them that iterate their arguments."""

PURE_CALLS = words("""
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

KEEP_NO_STATE = sys.stdlib_module_names | {
    *("PIL", "cv2", "lightning", "matplotlib", "numpy", "pandas", "pytorch_lightning", "scipy", "seaborn", "skimage"),
    *("sklearn", "tensorflow", "torch", "torchaudio", "torchvision", "transformers"),
}
"""Libraries whose objects are there when they are imported; others make some when a function is called.

``wandb.run`` is None until ``wandb.init`` was called (docs.wandb.ai, "Run").
"""

PURE_METHODS = words("""
    absolute as_posix capitalize copy count encode endswith exists expanduser format get index is_absolute is_dir
    is_file items join joinpath keys lower lstrip relative_to removeprefix removesuffix resolve rsplit rstrip split
    splitlines startswith strip title upper values with_name with_suffix zfill
    astype double float long permute reshape tolist transpose unsqueeze view
""")
"""Methods of strings, containers, paths and arrays that change nothing."""

CONSTRUCTORS = frozenset(
    f"torch.utils.data.{name}"
    for name in words("""
        BatchSampler ConcatDataset DataLoader RandomSampler SequentialSampler Subset SubsetRandomSampler TensorDataset
        WeightedRandomSampler dataloader.DataLoader
    """)
)
"""What builds a dataset, sampler or loader and draws nothing until it is iterated.

Repeating it in a worker is harmless (WITNESS A, ``guard_iter_only_good``) but pointless.
"""

SETTINGS = words("""
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

KEEP_FILES = words("""
    add_argument backward basicConfig cpu critical cuda debug error eval info input iter log manual_seed
    manual_seed_all next parse_args parse_known_args perf_counter print seed set_device set_start_method sleep step
    super time to train warn warning zero_grad
""")
"""Last names of functions and methods that have effects, but on no file that a program asks for."""

PLAIN_BASES = words("""
    Exception RuntimeError ValueError abc.ABC dict enum.Enum enum.IntEnum list object torch.utils.data.Dataset
    torch.utils.data.IterableDataset torch.utils.data.Sampler torch.utils.data.dataset.Dataset
    torch.utils.data.dataset.IterableDataset tuple typing.Generic typing.NamedTuple typing.Protocol typing.TypedDict
""")
"""Base classes whose constructor does nothing of note."""

PLAIN_DECORATORS = words("dataclasses.dataclass functools.total_ordering")
"""Class decorators that keep the constructor what it is."""

HARMLESS_CONTEXTS = words("contextlib.suppress warnings.catch_warnings")
"""Context managers that are no effect of their own."""
