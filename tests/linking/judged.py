"""Programs in which a loader is iterated, and why their samples may be others without workers."""

from __future__ import annotations

from textwrap import indent

from loaderlint.model.other_samples import other_samples
from loaderlint.model.target import Platform, Target
from tests.linking.traced import Files, loaders_of

IMPORTS = "import numpy as np\nimport torch\nfrom torch.utils.data import DataLoader, Dataset\n"
ROWS = (
    "class Rows(Dataset):\n    def __init__(self, rows=None):\n        self.rows = rows\n"
    "    def __len__(self):\n        return 8\n    def __getitem__(self, index):\n        return {sample}\n"
)
_WINDOWS = Target(Platform.WINDOWS, (3, 14))


def why(files: Files) -> str:
    """Return why the first loader of a program may give others without workers, nothing where that was not seen."""
    texts = {"main.py": files} if isinstance(files, str) else files
    return next(other_samples(loaders_of(texts)[0], 0, _WINDOWS), "")


def why_in_loop(
    body: str, *, before: str = "shared = np.zeros(8)", top: str = "", rows: str = "Rows(shared)", sample: str = ""
) -> str:
    """Return why samples may be others where a loop over a loader of these ``rows`` does something with them."""
    main = f"{before}\nfor batch in DataLoader({rows}, batch_size=2, num_workers=1):\n{indent(body, '    ')}\n"
    made = ROWS.format(sample=sample or "self.rows[index]")
    return why(f"{IMPORTS}{top}\n{made}def main():\n{indent(main, '    ')}\nif __name__ == '__main__':\n    main()\n")
