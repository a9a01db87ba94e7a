"""LL308."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Platform, Target


class FileSystemSharing(Rule):
    """Batches travel through named files in shared memory, which stay behind when a process is killed.

    ## What it does
    Finds `set_sharing_strategy("file_system")` in a program whose loaders have workers, on Linux. It becomes a warning
    where only the main process runs the call and the workers are spawned: then they keep the other strategy.

    ## Why it breaks
    The strategy is a way around the limit of open files. Its files have names, so those of a killed process stay in
    `/dev/shm` until somebody deletes them. A spawned worker is a fresh interpreter: what the main process set under its
    guard it does not know, and the limit is met as before.

    ## Example
    ```python
    if __name__ == "__main__":
        torch.multiprocessing.set_sharing_strategy("file_system")
        train(DataLoader(dataset, num_workers=4, multiprocessing_context="spawn"))
    ```

    ## Safe equivalent
    ```python
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    ```
    Or `ulimit -n` in the shell, and `.clone()` for what is kept of a batch. Where the strategy has to stay, set it at
    the top of the main module.

    ## Fix safety
    There is no fix: whether the limit of open files can be raised is up to the machine.

    ## Evidence
    torch, `multiprocessing.rst`, "Sharing strategies" ("we do not recommend switching to this one" for file descriptors
    when the limits are enough), and `_all_sharing_strategies` in `torch/multiprocessing/__init__.py` (Linux alone has
    two). On torch 2.13.0 CPU, Python 3.11, Linux, spawned workers of a program that sets it under its guard said
    `file_descriptor`; at the top of the module, and with forked workers, they said `file_system`.
    """

    code = "LL308"
    severity = Severity.INFO
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each call that chooses files."""
        if target.platform is not Platform.LINUX:
            return
        chosen = [one for one in loader.program.sharing_strategies if one.strategy == "file_system"]
        for one in chosen:
            starts = list(loader.worker_starts(target, one))
            fresh = next((both for both in starts if both[1].method.reimports), None)
            if fresh is not None and all(other.main_only for other in chosen):
                message = (
                    f"{counted(fresh[0])} started by {fresh[1].method.value} never run `{one.what}`: they share "
                    "tensors by file descriptors all the same"
                )
                finding = self.finding(loader, one, message, target, help="call it at the top of the main module")
                yield replace(finding, severity=Severity.WARNING)
            elif starts:
                message = (
                    f"`{one.what}` keeps what {counted(starts[0][0])} load in named files of /dev/shm, which stay "
                    "there when a process is killed"
                )
                yield self.finding(loader, one, message, target, help="raise the limit of open files (`ulimit -n`)")
