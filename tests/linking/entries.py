"""The entries of tables that a judge of programs asks, each of which a test misses where it is taken out."""

from __future__ import annotations

from collections.abc import Mapping

ENTRIES: Mapping[str, str] = {
    "METHODS": """
        __delattr__ __delitem__ __iadd__ __imul__ __ior__ __setattr__ __setitem__ add append appendleft clear
        delattr difference_update discard extend extendleft fill heappop heappushpop heapreplace insert
        intersection_update itemset move_to_end paste pop popitem popleft put putalpha register remove reverse
        setattr setdefault sort symmetric_difference_update thumbnail update writelines
    """,
    "OF_ARRAYS": "partition resize setfield",
    "OF_IMAGES": "rotate",
    "CHANGES_ITS_ARGUMENT": """
        PIL.ImageDraw.Draw bisect.insort bisect.insort_left bisect.insort_right builtins.delattr builtins.setattr
        cv2.arrowedLine cv2.circle cv2.drawContours cv2.ellipse cv2.fillConvexPoly cv2.fillPoly cv2.floodFill
        cv2.line cv2.polylines cv2.putText cv2.rectangle heapq.heapify heapq.heappop heapq.heappush
        heapq.heappushpop heapq.heapreplace numpy.copyto numpy.fill_diagonal numpy.place numpy.put numpy.putmask
        numpy.random.shuffle operator.delitem operator.iadd operator.imul operator.ior operator.isub
        operator.setitem random.shuffle
    """,
    "REORDERS": "heapify shuffle",
    "UNARY": """
        abs absolute arccos arcsin arctan cbrt ceil cos cosh deg2rad exp exp2 expm1 fabs floor invert isfinite isinf
        isnan log log10 log1p log2 logical_not negative positive rad2deg reciprocal rint sign sin sinh sqrt square
        tan tanh trunc
    """,
    "BINARY": """
        add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide equal floor_divide fmax fmin fmod greater
        greater_equal hypot left_shift less less_equal logaddexp logical_and logical_or logical_xor maximum minimum
        mod multiply not_equal power remainder right_shift subtract true_divide
    """,
    "CHANGES_ITS_OBJECT": """
        add append appendleft clear discard extend extendleft fill heappop heappushpop heapreplace insert itemset
        partition paste pop popitem popleft put putalpha remove reverse rotate setdefault sort thumbnail update
    """,
    "CHANGES_FIRST": """
        Draw arrowedLine circle copyto delattr delitem drawContours ellipse fillConvexPoly fillPoly fill_diagonal
        floodFill heapify heappop heappush heappushpop heapreplace iadd imul insort insort_left insort_right ior
        isub line place polylines put putText putmask rectangle setattr setitem shuffle
    """,
    "CHANGES_NO_VALUE": "requires_grad_ retain_grad_ share_memory_",
    "VIEWS": """
        adjoint as_strided as_tensor asanyarray asarray ascontiguousarray atleast_1d atleast_2d atleast_3d
        broadcast_to contiguous cpu cuda detach diagonal expand expand_as expand_dims flatten flip fliplr flipud
        from_numpy frombuffer memoryview moveaxis movedim narrow numpy permute ravel reshape rollaxis rot90 select
        sliding_window_view squeeze swapaxes swapdims t to transpose type unflatten unfold unsqueeze view view_as
        view_as_complex view_as_real
    """,
    "SHOWS": "H T array at data flat iat iloc imag loc mH mT real values",
    "SPLITS": "array_split chunk dsplit hsplit split split_with_sizes tensor_split unbind vsplit",
    "TAKEN": "get pop popitem setdefault",
    "HOLDS": """
        AttrDict EasyDict Namespace OrderedDict SimpleNamespace WeakSet WeakValueDictionary batched chain choices
        chunk copy cycle defaultdict deque dict enumerate filter from_iterable frozenset islice items iter list
        partial product reversed sample set sorted tqdm tuple unbind values zip zip_longest
    """,
    "COPIES": "OrderedDict copy defaultdict dict frozenset list set sorted tuple",
    "PUTS": "__setitem__ add append appendleft extend extendleft insert put put_nowait register setdefault update",
    "SETTERS": "__delattr__ __delitem__ __setattr__ __setitem__ delattr setattr",
    "HARMLESS_REPORTS": """
        close download draw dump end exit fetch log main makedirs mkdir plot predict print quit save seed show sleep
        time wait warn write
    """,
    "REPORTING_LIBRARIES": """
        IPython clearml comet_ml dominate gdown matplotlib mlflow neptune nvtx psutil pynvml rich seaborn tensorboard
        tensorboardX torchinfo torchsummary tqdm wandb
    """,
    "UNNAMED": """
        __abs__ __aenter__ __aexit__ __aiter__ __anext__ __array__ __await__ __bool__ __bytes__ __call__ __complex__
        __contains__ __del__ __delattr__ __delete__ __delitem__ __dir__ __enter__ __eq__ __exit__ __float__
        __format__ __fspath__ __ge__ __get__ __getattr__ __getattribute__ __getitem__ __gt__ __hash__ __iadd__
        __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __index__ __instancecheck__ __int__ __ior__
        __ipow__ __irshift__ __isub__ __iter__ __itruediv__ __ixor__ __le__ __len__ __lt__ __ne__ __next__ __repr__
        __reversed__ __round__ __set__ __setattr__ __setitem__ __str__ __subclasscheck__ __torch_function__ forward
    """,
    "HOOKS": """
        after_ backward batch_end batch_start before_ compute_loss configure_gradient_clipping emit eval_after
        eval_batch eval_before lr_scheduler_step on_ optimizer_ predict_step run_event test_step training_step
        transfer_batch_to_device validation_step
    """,
    "WRAPS": """
        abstractmethod autocast automain cache cached_property checkpoint classmethod command compile contextmanager
        custom_bwd custom_fwd deleter dispatch enable_grad fixture getter group inference_mode jit lru_cache main
        njit no_grad option overload override parametrize profile property rank_zero_only record script
        set_grad_enabled setter singledispatch skip skipif staticmethod typechecked wraps
    """,
    "RUN_BESIDE": "Thread Timer",
    "OPENS": """
        Path decode_image exists fromfile imread isfile listdir load loadtxt memmap open read_csv read_image
        read_parquet read_video sf soundfile torchaudio
    """,
    "MAKES_ARRAYS": """
        arange array as_tensor asarray empty eye from_numpy full full_like linspace logspace ones ones_like rand
        randint randn random.normal random.rand random.randint random.randn random.random randperm tensor zeros
        zeros_like
    """,
    "NO_ARRAYS": "all any argmax argmin dim item max mean min numel prod size std sum tobytes tolist var",
    "BUILT_IN": "builtins.bytearray builtins.dict builtins.list builtins.set builtins.sorted",
    "CONTAINERS": """
        builtins.bytearray builtins.dict builtins.list builtins.set builtins.sorted collections.ChainMap
        collections.OrderedDict collections.UserDict collections.UserList collections.defaultdict collections.deque
        multiprocessing.Queue multiprocessing.SimpleQueue queue.LifoQueue queue.PriorityQueue queue.Queue
        queue.SimpleQueue weakref.WeakSet weakref.WeakValueDictionary
    """,
    "GOES": """
        batched chain choices chunk cycle enumerate filter from_iterable islice items iter product reversed sample
        tqdm unbind values zip zip_longest
    """,
    "SIDE_BY_SIDE": "zip zip_longest",
    "BEGINS": "__iter__ cycle enumerate islice iter zip",
    "IN_LAYERS": "alpha_dropout dropout dropout1d dropout2d dropout3d gumbel_softmax rrelu",
    "IN_PLACE": "cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_",
    "DRAWING_LAYERS": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout RReLU",
    "OF_NO_SAMPLE": "CalledProcessError KeyboardInterrupt StopIteration SystemExit TimeoutExpired",
    "OF_ALL": "__class__ __traceback__ add_note with_traceback",
    "LOOKS_INTO": """
        count endswith find findall finditer fullmatch index len match partition removeprefix removesuffix rfind
        rindex rpartition rsplit search split splitlines startswith sub
    """,
    "ASKS": "getattr hasattr vars",
    "LEAVES": "__aexit__ __exit__",
    "OF_DATASETS": "_ds _set data dataset datasets loader testset trainset valset",
    "PROPERTIES": "cached_property property",
    "NAMELESS": "builtins.str numpy. os. pathlib. torch.",
    "LOOKS": """
        argmax argmin as_dict astype capitalize cast copy count critical debug decode dict dim dump dumps encode
        endswith error exception exists findall finditer format fullmatch get getLogger glob group groups index info
        is_dir is_file isdigit item items iterdir join joinpath keys log lower lstrip map match max mean min mkdir
        model_dump numel numpy partition print_help read_bytes read_text relative_to replace resolve rpartition
        rsplit rstrip search size split splitlines startswith std strip sub submit subn sum title to_dict tolist
        union upper values warn warning with_name with_suffix zfill
    """,
    "LOOKS_AT_LOADERS": "bool hash id isinstance len print repr str type",
    "TELLS_OF_LOADERS": """
        batch_sampler batch_size collate_fn dataset drop_last generator multiprocessing_context num_workers
        persistent_workers pin_memory prefetch_factor sampler timeout worker_init_fn
    """,
    "TAKE_ALL_NAMES": "compile eval exec globals locals vars",
    "TAKE_ANY_ATTRIBUTE": "attrgetter getattr setattr",
    "METADATA": "importlib.metadata.version importlib_metadata.version",
    "VERSIONS": "torch.__version__ torch.torch_version.__version__ torch.version.__version__",
    "SINCE": "torch.accelerator torch.compile torch.inference_mode",
    "PARSERS": "LooseVersion StrictVersion Version parse parse_version",
    "CONSTRUCTORS": "__attrs_post_init__ __init__ __new__ __post_init__ __setstate__",
    "SAYS_ALL": "format repr str",
}
"""By the name of the table, without the underscore of one that is a module's own."""
