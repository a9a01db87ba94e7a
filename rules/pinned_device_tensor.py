"""LL212."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlint.model.assumptions import holds_on, together
from loaderlint.model.finding import Confidence, Finding, Severity
from loaderlint.model.loader import Loader
from loaderlint.model.remedy import switched_off
from loaderlint.model.rule import Rule, place
from loaderlint.model.target import Target

_ERROR = "RuntimeError: cannot pin 'torch.cuda.…Tensor' only dense CPU tensors can be pinned"


class PinnedDeviceTensor(Rule):
    """A loader pins batches that are on the GPU already.

    ## What it does
    Finds `pin_memory=True` where the dataset or `collate_fn` gives tensors that were put on CUDA: `.cuda()`,
    `.to("cuda")`, `device="cuda"`. ROCm counts as CUDA, as it does in torch. Quiet on targets without either, and where
    the tensors come back by `.cpu()`.

    ## Why it breaks
    Pinning is for the way from the CPU to the GPU: only tensors in the memory of the CPU can be pinned. torch pins
    every tensor of every batch without asking where it is, so the first batch raises, with workers or without.

    ## Example
    ```python
    images = TensorDataset(images.cuda(), labels.cuda())
    loader = DataLoader(images, batch_size=256, pin_memory=True)
    ```

    ## Safe equivalent
    ```python
    images = TensorDataset(images.cuda(), labels.cuda())
    loader = DataLoader(images, batch_size=256, pin_memory=False)
    ```
    With workers, better give tensors on the CPU, pin them, and let the training loop take them to the GPU.

    ## Fix safety
    Safe: the program could not load a batch. Unsafe where the value also serves something else.

    ## Evidence
    `pin_memory` in `torch/utils/data/_utils/pin_memory.py` (2.13) calls `Tensor.pin_memory` on whatever it meets, and
    `_pin_memory` in `aten/src/ATen/native/Memory.cpp` refuses what is not on the CPU; darts issue 436, scvi-tools
    issue 1713. On torch 2.11.0 (CUDA 13.0), Python 3.12, Linux, an H200, it raised without workers and with
    spawned ones; without pinning all batches came.
    """

    code = "LL212"
    severity = Severity.ERROR
    confidence = Confidence.CERTAIN

    def check(self, loader: Loader, target: Target) -> Iterator[Finding]:
        """Yield one finding for each place that asks for pinning, with the first place that puts the batch on CUDA."""
        if target.cuda is False:
            return
        name = loader.spelled("pin_memory")
        for pinned in loader.option("pin_memory").on(target).written:
            for touch in loader.payload.code.on_cuda if pinned.constant is True else ():
                met = together(pinned.assumptions, touch.assumptions)
                if met is not None and holds_on(met, target):
                    message = (
                        f"{name} is True and the batch is on the GPU already (`{touch.what}`, {place(touch.span)}): "
                        "the first one raises, since only CPU tensors can be pinned"
                    )
                    fix = switched_off(loader, "pin_memory", pinned)
                    yield self.finding(loader, pinned, message, target, error=_ERROR, fix=fix)
                    break
