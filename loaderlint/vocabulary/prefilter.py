"""The words without which a file cannot matter.

Plain substring tests cost 0.12 s over 64 MB; one regular expression for the same words was slower (issue 6).
"""

from __future__ import annotations

import re

from loaderlint.model.source import Language

LOADER_WORDS: tuple[bytes, ...] = (
    b"DataLoader",
    b"workers",
    b"WORKERS",
    b"TrainingArguments",
    b"DataModule",
    b"loader_kwargs",
    b"prefetch_factor",
    b"loaderlint:",
)
"""A file with none of these holds no loader, no setting of one by its usual name, and no suppression."""

RUNNING_WORDS: tuple[bytes, ...] = (
    b"docker",
    b"podman",
    b"srun",
    b"#SBATCH",
    b"sbatch",
    b"nproc_per_node",
    b"nproc-per-node",
    b"num_gpus",
    b"num_processes",
)
"""A shell script with none of these says nothing of where a program runs."""

_HOLDING_WORDS: tuple[bytes, ...] = (b"services", b"containers")
"""Without the colon: as a key either may be quoted (``"services":``)."""
_STARTING_WORDS: tuple[bytes, ...] = (b".py", b"python", b"torchrun", b"accelerate", b"deepspeed", b".sh")


_RUNS = re.compile(rb"^(?:for|while|with|[A-Za-z_][\w.]*\()", re.M)


def may_run_loaders(content: bytes) -> bool:
    """Return whether a Python file without any of the words may run, when it is imported, what iterates a loader."""
    return _RUNS.search(content) is not None


def may_matter(content: bytes, language: Language | None = None) -> bool:
    """Return whether a file with this content can hold a loader or one of its settings, or say where a program runs."""
    if language is Language.SHELL:
        return any(word in content for word in RUNNING_WORDS)
    if any(word in content for word in LOADER_WORDS):
        return True
    return language is Language.YAML and may_start_programs(content)


def may_start_programs(content: bytes) -> bool:
    """Return whether a YAML file with this content can hold services or containers that start Python programs."""
    return any(word in content for word in _HOLDING_WORDS) and any(word in content for word in _STARTING_WORDS)
