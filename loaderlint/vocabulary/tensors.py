"""Names of what makes tensors of tensors, on the device that those are on, and of what moves models."""

from __future__ import annotations

SAME_DEVICE_METHODS = frozenset(
    {
        *("float", "double", "half", "bfloat16", "int", "long", "short", "bool", "type"),
        *("clone", "detach", "contiguous", "requires_grad_", "view", "reshape", "flatten", "squeeze", "unsqueeze"),
        *("permute", "transpose", "t", "expand", "repeat", "abs", "mean", "sum", "pin_memory"),
    }
)
"""Methods of a tensor that give a tensor on its device."""

SAME_DEVICE_FUNCTIONS = frozenset(
    {
        *("builtins.tuple", "builtins.list", "builtins.dict", "torch.stack", "torch.cat", "torch.concat"),
        "torch.nn.utils.rnn.pad_sequence",
        "torch.utils.data.default_collate",
        "torch.utils.data.dataloader.default_collate",
        "torch.utils.data._utils.collate.default_collate",
    }
)
"""Functions whose result is on the device of the tensors in their first argument."""

TENSOR_DATASETS = frozenset({"torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset"})
"""Datasets of torch whose items are rows of the tensors they are given."""

WITH_PARAMETERS = frozenset(
    {
        *("Bilinear", "Embedding", "EmbeddingBag", "GRU", "GroupNorm", "LSTM", "LayerNorm", "LazyLinear", "Linear"),
        *("MultiheadAttention", "PReLU", "Parameter", "RNN", "Transformer", "TransformerDecoderLayer"),
        *("TransformerEncoderLayer", *(f"BatchNorm{size}d" for size in (1, 2, 3))),
        *(f"Conv{transposed}{size}d" for transposed in ("", "Transpose") for size in (1, 2, 3)),
    }
)
"""The commonest classes of ``torch.nn`` that hold parameters (docs.pytorch.org, "torch.nn"), and what makes one."""

MODULE_ITSELF_METHODS = frozenset(
    {
        *("apply", "bfloat16", "cpu", "cuda", "double", "eval", "float", "half", "ipu", "mtia", "requires_grad_"),
        *("share_memory", "to", "to_empty", "train", "type", "xpu"),
    }
)
"""Methods of ``torch.nn.Module`` that change a model in place and give it back (``nn/modules/module.py``, 2.13)."""

MODULES = frozenset({"LightningModule", "PreTrainedModel"})
"""Classes of other libraries that are models of torch, by the last part of their names."""

MAKES_TENSORS = frozenset(
    f"torch.{name}"
    for name in ("arange", "empty", "eye", "from_numpy", "full", "linspace", "ones", "rand", "randn", "tensor", "zeros")
)
"""Functions of torch that make a tensor."""
TENSOR_CLASSES = frozenset(
    f"torch.{kind}Tensor" for kind in ("", "Byte", "Double", "Float", "Half", "Int", "Long", "Short")
)
"""Classes of tensors on the CPU, which are made by calling them (docs.pytorch.org, ``torch.Tensor``)."""
VARIABLES = frozenset({"torch.autograd.Variable", "torch.autograd.variable.Variable"})
"""What gives the tensor back that it is given first ("Variable (deprecated)", docs.pytorch.org, ``torch.autograd``)."""

MODEL_LIBRARIES = ("torchvision.models.",)
"""Where functions and classes make models with parameters, by the start of their dotted names."""
MODELS_BY_NAME = ("torchvision.models.__dict__",)
"""Dictionaries of modules in which programs look them up by a user's name: ``models.__dict__[args.arch]()``."""
ANY_MODEL = "*"
"""Stands for the name of one that was not seen."""

MODELS_AROUND = frozenset(
    {
        *("torch.nn.DataParallel", "torch.nn.parallel.DataParallel"),
        *("torch.nn.SyncBatchNorm.convert_sync_batchnorm", "torch.compile"),
    }
)
"""What makes a model of the one it is given first, with the same parameters."""
MODEL_WRAPPERS = frozenset({"DistributedDataParallel", *(name.rpartition(".")[2] for name in MODELS_AROUND)})
"""The last parts of their names, and of that of the one which needs a group of processes."""

ASK_FOR_PARAMETERS = frozenset({"eval", "load_state_dict", "named_parameters", "parameters", "state_dict", "train"})
"""Methods of a model that a program calls for the parameters in it (``nn/modules/module.py``, 2.13)."""

MAKE_MODELS = frozenset({"timm.create_model", "torch.hub.load"})
"""Functions that make a model of the name that they are given."""
LOAD_MODELS = ".from_pretrained"
"""The end of the names of methods that read a model's parameters: what else they read is not moved to a device."""

ON_DEVICE = frozenset({"Generator", *WITH_PARAMETERS, *(name.rpartition(".")[2] for name in MAKES_TENSORS)})
"""The last parts of the names of what makes a thing of torch's right on the ``device`` that it is given."""
