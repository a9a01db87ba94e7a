"""LL604."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.rule import Rule, counted
from loaderlint.model.target import Target


class WorkerLibraryThreads(Rule):
    """Every worker starts a library's threads for all CPUs, so there are many times as many threads as CPUs.

    ## What it does
    Finds OpenCV functions that share an image out among threads, and batches of texts for a fast tokenizer, in code
    that workers run, where nothing in the project holds the threads back: `cv2.setNumThreads`, or
    `TOKENIZERS_PARALLELISM` set to false. Off by default: `--extend-select LL604`.

    ## Why it breaks
    It does not; it is slower. Both libraries take as many threads as there are CPUs. Four workers on eight CPUs are 32
    threads that take turns, where four would do as much. PyTorch's own operations use one thread in a worker.

    ## Example
    ```python
    class Images(Dataset):
        def __getitem__(self, index):
            return cv2.resize(cv2.imread(self.paths[index]), (224, 224))

    loader = DataLoader(Images(paths), num_workers=8)
    ```

    ## Safe equivalent
    ```python
    def one_thread(worker_id):
        cv2.setNumThreads(0)

    loader = DataLoader(Images(paths), num_workers=8, worker_init_fn=one_thread)
    ```
    For tokenizers, `os.environ["TOKENIZERS_PARALLELISM"] = "false"` before the workers start.

    ## Fix safety
    There is no fix: where a program sets such things up is for somebody who knows it to say.

    ## Evidence
    pytorch issue 45198; mmengine sets `opencv_num_threads=0` by default. On torch 2.13.0 CPU, Python 3.11, Linux, with
    two CPUs, a worker had one thread more after `cv2.resize` and `cv2.GaussianBlur` (OpenCV 5.0) and two more after
    `encode_batch` (tokenizers 0.23.3), none with the settings above, and none after `cv2.imdecode`. How much slower it
    is was not measured. No hang was seen with OpenCV 4.11 and 5.0.
    """

    code = "LL604"
    severity = Severity.INFO
    confidence = Confidence.LIKELY
    enabled_by_default = False

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each library whose threads every worker starts."""
        for used in loader.payload.code.own_threads:
            for workers, _ in loader.worker_starts(target, used):
                if workers.number(target) != 1:
                    message = (
                        f"each of {counted(workers)} runs {used.threads} with a thread for every CPU at `{used.what}`: "
                        "they take turns, which is slower than one thread each"
                    )
                    yield self.finding(loader, used, message, target, help=used.help)
                    break
