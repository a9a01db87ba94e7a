"""The callables that make a loader, by the dotted name of the library that defines them.

Sources: ``torch/utils/data/dataloader.py`` (2.13), ``torchdata/stateful_dataloader``, ``monai/data/dataloader.py`` and
``monai/data/thread_buffer.py``, ``torch_geometric/loader/`` (2.7), ``dgl/dataloading/dataloader.py`` (2.1),
``transformers/training_args.py`` (5.23), ``speechbrain/core.py`` and
``speechbrain/dataio/dataloader.py`` (1.0), ``litdata/streaming/dataloader.py`` (whose ``StreamingDataLoader`` is a
subclass of torch's), ``streaming/base/dataloader.py`` of MosaicML Streaming (likewise), ``NeuralNet.get_iterator`` of
``skorch/net.py`` (1.2); HAZARDS section 4.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

TORCH_POSITIONAL = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)
"""The parameters of ``DataLoader.__init__`` that may be positional, in order; the rest are keyword-only."""

OPTIONS = (
    *TORCH_POSITIONAL,
    "prefetch_factor",
    "persistent_workers",
    "pin_memory_device",
    "in_order",
)
"""Every option of torch's loader, by torch's name."""


class LoaderCallable(Struct, frozen=True):
    """How one callable takes loader options.

    ``positional`` are torch's names for its positional parameters (empty string: not a loader option); ``spelling``
    maps torch's name to this callable's where they differ (empty string: not to be given). With the keyword
    ``threads`` its workers are threads, and it is no such loader; with the keyword ``maker`` that makes its loaders.
    ``accumulation`` is the keyword that says over how many batches gradients are summed, where the callable takes one.
    ``otherwise`` are the keywords that stand for options which those of ``spelling`` do not give, ``own_defaults`` the
    options that have another default than torch's. The loaders that a call makes besides are ``beside``.
    """

    positional: tuple[str, ...] = ()
    spelling: Mapping[str, str] = field(default_factory=dict)
    threads: str = ""
    maker: str = ""
    accumulation: str = ""
    otherwise: Mapping[str, str] = field(default_factory=dict)
    own_defaults: frozenset[str] = frozenset()
    beside: tuple[LoaderCallable, ...] = ()


_TORCH = LoaderCallable(TORCH_POSITIONAL)
_DATASET_FIRST = LoaderCallable(("dataset",))
_OWN_ORDER = LoaderCallable(("dataset",), spelling={"shuffle": "", "drop_last": ""})
_MONAI_THREAD = LoaderCallable(("dataset",), threads="use_thread_workers")
_OWN_BATCHES = LoaderCallable(spelling={"batch_size": "", "shuffle": "", "drop_last": "", "pin_memory": ""})
_BATCHES_OF_GRAPHS = LoaderCallable(spelling={"batch_size": ""})
_HUGGING_FACE = LoaderCallable(
    spelling={
        # A subclass may have fields of these names, which are its own.
        **dict.fromkeys(OPTIONS, ""),
        "batch_size": "per_device_train_batch_size",
        "num_workers": "dataloader_num_workers",
        "prefetch_factor": "dataloader_prefetch_factor",
        "persistent_workers": "dataloader_persistent_workers",
        "pin_memory": "dataloader_pin_memory",
        "drop_last": "dataloader_drop_last",
        "multiprocessing_context": "dataloader_multiprocessing_context",
        "in_order": "dataloader_in_order",
        # The trainer that gets these arguments is given it.
        "collate_fn": "data_collator",
    },
    accumulation="gradient_accumulation_steps",
)


def _of_skorch(prefix: str, beside: tuple[LoaderCallable, ...] = ()) -> LoaderCallable:
    return LoaderCallable(
        spelling={"dataset": "", **{option: f"{prefix}__{option}" for option in OPTIONS if option != "dataset"}},
        maker=prefix,
        otherwise={"batch_size": "batch_size"},
        own_defaults=frozenset({"batch_size"}),
        beside=beside,
    )


_SKORCH = _of_skorch("iterator_train", (_of_skorch("iterator_valid"),))
_NETS_OF_SKORCH = ("NeuralNet", "NeuralNetClassifier", "NeuralNetBinaryClassifier", "NeuralNetRegressor")

SETTINGS_OF_TRAINERS = (
    "transformers.TrainingArguments",
    "transformers.training_args.TrainingArguments",
    "transformers.Seq2SeqTrainingArguments",
    "trl.SFTConfig",
    "trl.DPOConfig",
)
"""What Hugging Face's trainers are told how to make their loaders by."""

NOT_AS_TORCH = frozenset({"per_device_train_batch_size", "dataloader_pin_memory", "gradient_accumulation_steps"})
"""Of what they are told, what stands for something other than torch's default where it is left out: 8, True, 1."""

TORCH_LOADER = "torch.utils.data.DataLoader"

LOADER_CALLABLES: Mapping[str, LoaderCallable] = {
    TORCH_LOADER: _TORCH,
    "torch.utils.data.dataloader.DataLoader": _TORCH,
    "torchdata.stateful_dataloader.StatefulDataLoader": _TORCH,
    "torchdata.stateful_dataloader.stateful_dataloader.StatefulDataLoader": _TORCH,
    "monai.data.DataLoader": LoaderCallable(("dataset", "num_workers")),
    "monai.data.dataloader.DataLoader": LoaderCallable(("dataset", "num_workers")),
    "monai.data.ThreadDataLoader": _MONAI_THREAD,
    "monai.data.thread_buffer.ThreadDataLoader": _MONAI_THREAD,
    "torch_geometric.loader.DataLoader": LoaderCallable(("dataset", "batch_size", "shuffle")),
    "torch_geometric.loader.dataloader.DataLoader": LoaderCallable(("dataset", "batch_size", "shuffle")),
    "torch_geometric.data.DataLoader": LoaderCallable(("dataset", "batch_size", "shuffle")),
    "torch_geometric.loader.DenseDataLoader": LoaderCallable(("dataset", "batch_size", "shuffle")),
    "torch_geometric.loader.DataListLoader": LoaderCallable(("dataset", "batch_size", "shuffle")),
    "torch_geometric.loader.NodeLoader": LoaderCallable(),
    "torch_geometric.loader.NeighborLoader": LoaderCallable(),
    "torch_geometric.loader.HGTLoader": LoaderCallable(),
    "torch_geometric.loader.LinkLoader": LoaderCallable(),
    "torch_geometric.loader.LinkNeighborLoader": LoaderCallable(),
    "torch_geometric.loader.ClusterLoader": LoaderCallable(),
    "torch_geometric.loader.RandomNodeLoader": LoaderCallable(),
    "torch_geometric.loader.NeighborSampler": LoaderCallable(),
    "torch_geometric.loader.ShaDowKHopSampler": LoaderCallable(),
    "torch_geometric.loader.ZipLoader": LoaderCallable(),
    "torch_geometric.loader.TemporalDataLoader": _BATCHES_OF_GRAPHS,
    "torch_geometric.loader.GraphSAINTNodeSampler": _BATCHES_OF_GRAPHS,
    "torch_geometric.loader.GraphSAINTEdgeSampler": _BATCHES_OF_GRAPHS,
    "torch_geometric.loader.GraphSAINTRandomWalkSampler": _BATCHES_OF_GRAPHS,
    "dgl.dataloading.DataLoader": _OWN_BATCHES,
    "dgl.dataloading.GraphDataLoader": _DATASET_FIRST,
    "litdata.StreamingDataLoader": _OWN_ORDER,
    "litdata.streaming.StreamingDataLoader": _OWN_ORDER,
    "litdata.streaming.dataloader.StreamingDataLoader": _OWN_ORDER,
    "streaming.StreamingDataLoader": _TORCH,
    "streaming.base.dataloader.StreamingDataLoader": _TORCH,
    "webdataset.WebLoader": _DATASET_FIRST,
    "pytorch_lightning.LightningDataModule.from_datasets": LoaderCallable(),
    "lightning.LightningDataModule.from_datasets": LoaderCallable(),
    "lightning.pytorch.LightningDataModule.from_datasets": LoaderCallable(),
    "speechbrain.dataio.dataloader.make_dataloader": LoaderCallable(("dataset", "")),
    "speechbrain.dataio.dataloader.SaveableDataLoader": _TORCH,
    **dict.fromkeys(SETTINGS_OF_TRAINERS, _HUGGING_FACE),
    **{f"skorch.{home}{net}": _SKORCH for net in _NETS_OF_SKORCH for home in ("", "net.", "classifier.", "regressor.")},
}
"""Loader callables by dotted name."""

LOADER_NAMES = frozenset(name.rpartition(".")[2] for name in LOADER_CALLABLES)
"""The last parts of the names of all these."""

DATA_MODULES = frozenset(
    f"{library}.LightningDataModule"
    for home in ("pytorch_lightning", "lightning", "lightning.pytorch")
    for library in (home, f"{home}.core", f"{home}.core.datamodule")
)
"""Lightning's class of data modules, by the names it is imported as."""
MODULES_WITH_LOADERS = DATA_MODULES | frozenset(
    f"{library}.LightningModule"
    for home in ("pytorch_lightning", "lightning", "lightning.pytorch")
    for library in (home, f"{home}.core", f"{home}.core.module", f"{home}.core.lightning")
)
"""Those of its classes that a trainer asks for loaders, by hooks of the same names (``core/hooks.py``, 2.6)."""

LOADER_BUNDLES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "speechbrain.Brain": {
        "fit": ("train_loader_kwargs", "valid_loader_kwargs"),
        "evaluate": ("test_loader_kwargs",),
    },
}
"""Methods that make loaders, by class, and the parameters that each hold all options of one, under torch's names."""

LOOKS = frozenset(
    {
        *("isinstance", "issubclass", "super", "print", "repr", "str", "type", "len", "hasattr", "getattr"),
        *("signature", "id", "dict"),
    }
)
"""Calls that look at a function or class without calling it."""
