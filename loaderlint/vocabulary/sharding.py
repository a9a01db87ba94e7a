"""Names that tell whether the workers of an iterable dataset share its samples out among themselves."""

from __future__ import annotations

import re

BASES = frozenset(
    {
        "torch.utils.data.IterableDataset",
        "torch.utils.data.dataset.IterableDataset",
        "typing.Generic",
        "abc.ABC",
        "builtins.object",
    }
)
"""The classes of libraries above a dataset that leave the sharing out to it."""

ITERABLE = ("torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset")
"""torch's class of datasets that each worker iterates by itself."""

SHARES_OUT = re.compile(r"worker|getpid|islice|num_shards|shard_|\.shard|split_by")
"""Words of code that asks which part of the samples is its own, by whatever helper."""

AMONG_PROCESSES = re.compile(r"rank|world_size|num_replicas|process_index|num_processes")
"""Words of code that asks which part is that of its process; they may be given what counts workers as well."""

TELLS_PROCESSES = "torch.distributed."
"""The module whose functions tell processes apart; a worker is none of them, by ``torch.utils.data``."""

DRAWS = re.compile(
    r"rand|choice|uniform\(|normal\(|sample\(|bernoulli|multinomial|binomial|poisson|exponential|geometric|cauchy|gamma\("
    r"|beta\(|gauss|triangular|laplace|logistic\(|dirichlet|gumbel|weibull|pareto|rayleigh|zipf|wald\(|vonmises"
    r"|chisquare|standard_t|choices\(|dropout|token_|getrandbits|uuid"
)
"""Words of code that may give other samples in each worker, since each is seeded by itself."""

REORDERS = re.compile(r"(np\.|numpy\.|torch\.)?(random\.)?(shuffle|permutation|randperm)\b")
"""Words of code that gives the same samples in another order."""

DECORATES = frozenset({"property", "cached_property", "staticmethod", "classmethod", "override"})
"""Decorators, by the last part of their names, that leave what a function gives as it is."""

GIVES_THE_SAME = (
    *("builtins.", "glob.", "os.listdir", "os.scandir", "os.walk", "pathlib.", "csv.", "json.", "gzip.", "io.open"),
    *("numpy.", "torch.arange", "torch.zeros", "torch.ones", "torch.load", "torch.tensor", "torch.linspace"),
    *("pandas.", "h5py.", "pickle.load", "collections."),
)
"""Functions of libraries, by how their dotted names begin, that give every worker the same."""

PASSES_ON = frozenset(
    {"iter", "enumerate", "zip", "sorted", "reversed", "list", "tuple", "set", "map", "filter", "tqdm", "chain", "len"}
)
"""Functions, by the last part of their names, that give the same where they are given the same."""

PASSING_METHODS = frozenset(
    {"items", "keys", "values", "readlines", "read", "split", "splitlines", "tolist", "iterrows", "itertuples", "glob"}
)
"""Methods that give the same where what they are called on is the same."""

WEBDATASET = "webdataset."
"""How the names of webdataset begin, whose stages read what the one before gives."""

SHARD_PIPELINES = frozenset({"webdataset.DataPipeline", "webdataset.pipeline.DataPipeline"})
"""Its datasets that have the stages alone that they are given."""

SHARD_LISTS = frozenset({"webdataset.SimpleShardList", "webdataset.shardlists.SimpleShardList"})
"""Its lists of shards that give all of them in every worker."""

SELECTS_SAMPLES = frozenset({"select", "slice", "Processor", "pipelinefilter", "RestCurried"})
"""Its stages, by the last part of their names, that may leave out what another worker gives."""
