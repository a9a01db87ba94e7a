"""Names of datasets and samplers: how torch takes samples from them, and what tells how many there are.

Sources: ``torch/utils/data/dataset.py``, ``sampler.py`` and ``datapipes/datapipe.py`` (2.13),
``webdataset/pipeline.py`` and ``compat.py`` (a ``WebDataset`` is an IterableDataset that its methods hand back),
``datasets/iterable_dataset.py`` (an IterableDataset of torch's where torch is installed),
``litdata/streaming/dataset.py``, ``streaming/base/dataset.py`` of MosaicML Streaming.
"""

from __future__ import annotations

ITERABLE_BASE, DATAPIPE_BASE, MAP_BASE = "IterableDataset", "IterDataPipe", "Dataset"
"""What the classes are called that decide how a dataset is read, in torch and in the libraries that follow it."""

ITERABLE_DATASETS = frozenset(
    {
        "torch.utils.data.ChainDataset",
        "torch.utils.data.dataset.ChainDataset",
        "webdataset.WebDataset",
        "webdataset.DataPipeline",
        "webdataset.compat.WebDataset",
        "webdataset.pipeline.DataPipeline",
        "litdata.StreamingDataset",
        "litdata.streaming.StreamingDataset",
        "litdata.CombinedStreamingDataset",
        "streaming.StreamingDataset",
        "streaming.base.StreamingDataset",
    }
)
"""Classes that are IterableDatasets under another name."""

CONCATENATIONS = frozenset({"torch.utils.data.ConcatDataset", "torch.utils.data.dataset.ConcatDataset"})
"""torch's class of datasets that are read one behind the other, by index."""

CHAINS = ("torch.utils.data.ChainDataset", "torch.utils.data.dataset.ChainDataset")
"""The class that iterates one iterable dataset after the other, each as it is."""

NO_DATASETS = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing_extensions.Generic"})
"""Bases that say nothing of a class."""

MAP_DATASETS = frozenset(
    f"torch.utils.data.{home}{name}"
    for home in ("", "dataset.")
    for name in ("TensorDataset", "Subset", "ConcatDataset", "StackDataset")
)
"""Classes of torch's own that are read by index."""

TENSOR_DATASETS = frozenset({"torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset"})
"""The class whose samples are rows of tensors in memory."""

SPLITS = frozenset({"torch.utils.data.random_split", "torch.utils.data.dataset.random_split"})
"""Functions that give a row of subsets, each of which holds the whole of what was split."""

SUBSETS = frozenset({"torch.utils.data.Subset", "torch.utils.data.dataset.Subset"})
"""The class that has one sample for each of the indices it is given."""

READ_FILES = frozenset(
    f"torchvision.datasets.{home}{name}" for home in ("", "folder.") for name in ("ImageFolder", "DatasetFolder")
)
"""Classes that read and decode one file for each sample."""

TAKE_FROM_MEMORY = frozenset(
    {
        *("len", "range", "slice", "int", "float", "str", "bool", "tuple", "list", "dict", "min", "max", "isinstance"),
        *("is_tensor", "tensor", "as_tensor", "from_numpy", "array", "asarray", "FloatTensor", "LongTensor", "Tensor"),
        *("tolist", "item", "numpy", "clone", "copy", "long", "float", "double", "half", "to", "type", "astype"),
        *("unsqueeze", "squeeze", "view", "reshape", "permute", "IndexError", "get", "iloc"),
    }
)
"""Functions and methods with which a sample that is in memory is handed out: they take hardly any time."""

FLUENT = ("webdataset.",)
"""Libraries whose datasets and loaders have methods that give others of the same kind."""

STREAMED = frozenset({"datasets.load_dataset", "datasets.load.load_dataset"})
"""Functions that give an IterableDataset where they get ``streaming=True`` and one ``split``."""

STREAMED_METHODS = frozenset(
    {
        "batch",
        "cast",
        "cast_column",
        "filter",
        "map",
        "remove_columns",
        "rename_column",
        "rename_columns",
        "repeat",
        "select_columns",
        "shuffle",
        "skip",
        "take",
        "with_format",
    }
)
"""Methods of such a dataset that give another of its kind."""

REPEATING = frozenset({"repeat", "repeatedly", "with_epoch"})
REPEATING_ARGUMENTS = frozenset({"resampled", "repeat"})
"""Methods after which a dataset may give samples for ever, and arguments that make one do so."""

ENDLESS = frozenset({"itertools.count", "itertools.cycle", "itertools.repeat"})
"""Functions that give things for ever; ``repeat`` where it is not told how often."""

WHOLE_BATCHES = frozenset({"streaming.StreamingDataset", "streaming.base.StreamingDataset"})
"""Iterable datasets that are told the batch size and give each worker whole batches."""

BATCH_SAMPLERS = frozenset({"torch.utils.data.BatchSampler", "torch.utils.data.sampler.BatchSampler"})
"""The class whose items are lists of indices."""

SIZED_TENSORS = frozenset(f"torch.{name}" for name in ("randn", "rand", "randperm", "zeros", "ones", "empty", "full"))
"""Functions that take the size of the tensor they make first, as numbers or as one row of them."""

KEEP_ROWS = frozenset({"bool", "clone", "double", "float", "half", "int", "long", "to"})
"""Methods of a tensor that give one of the same size (``torch/_tensor_docs.py``)."""
