"""LL306."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, each_of, place
from loaderlint.model.target import StartMethod, Target


class CopyOnWriteGrowth(Rule):
    """Every forked worker slowly makes a copy of a large list that the dataset reads from.

    ## What it does
    Finds lists and parsed JSON that a dataset fills in its constructor with one Python object for each line, file or
    row, and that forked workers index. Shown with `--pedantic` only: how large they are was not seen.

    ## Why it breaks
    A forked worker shares the memory of the main process until one of the two writes to it. Python counts references
    inside the objects, so reading an item writes to its page, and the page is copied. In the end every worker has a
    copy of its own. One array or tensor for all items has one count; an array of objects does not help.

    ## Example
    ```python
    class Lines(Dataset):
        def __init__(self, path):
            with open(path) as file:
                self.lines = file.readlines()

        def __getitem__(self, index):
            return self.lines[index]
    ```

    ## Safe equivalent
    ```python
    class Lines(Dataset):
        def __init__(self, path):
            with open(path) as file:
                self.lines = np.array([line.encode() for line in file])

        def __getitem__(self, index):
            return self.lines[index].decode()
    ```

    ## Fix safety
    None: how the items fit into one array is for somebody who knows them to say.

    ## Evidence
    pytorch issue 13246. On torch 2.13.0 CPU, Python 3.11, Linux, one epoch over a million items with four workers took
    245 MB more for strings, 502 MB for dictionaries, 69 MB for integers, 243 MB for an array of objects, and nothing
    for an array of bytes or a tensor.
    """

    code = "LL306"
    severity = Severity.INFO
    confidence = Confidence.POSSIBLE

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each thing that grows in forked workers."""
        for kept in loader.sent_on(target).kept:
            for used in kept.used if kept.kind.grows else ():
                starts = loader.worker_starts(target, kept, used)
                workers = next((one for one, start in starts if start.method is StartMethod.FORK), None)
                if workers is not None:
                    message = (
                        f"{each_of(workers)} comes to hold a copy of {kept.described}: reading an item, as "
                        f"at {place(used.span)}, copies its page of memory"
                    )
                    yield self.finding(loader, kept, message, target, help="keep the items in one array or tensor")
                    break
