from __future__ import annotations

import pytest

from loaderlint.model.edit import OnlyWithCuda
from loaderlint.writers import Rewritten
from tests.writers.marked import rewritten, zero_on_windows

IMPORTS = {
    "first of the file": ("f(n=⟦4⟧)\n", 'import sys\n\nf(n=0 if sys.platform == "win32" else 4)\n'),
    "below the docstring and future imports": (
        '"""Train."""\n\nfrom __future__ import annotations\n\nimport torch\n\nn = ⟦4⟧\n',
        '"""Train."""\n\nfrom __future__ import annotations\n\nimport sys\n\nimport torch\n\n'
        'n = 0 if sys.platform == "win32" else 4\n',
    ),
    "above the comment of the first statement": (
        "# settings\nn = ⟦4⟧\n",
        'import sys\n\n# settings\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "below a licence": (
        "# Copyright A. Nother\nn = ⟦4⟧\n",
        '# Copyright A. Nother\nimport sys\n\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "in the cell of a script that is read as a notebook": (
        "# %% [markdown]\n# # Title\n\n# %%\nfrom torch import nn\n\n# %% train\nn = ⟦4⟧\n",
        "# %% [markdown]\n# # Title\n\n# %%\nimport sys\n\nfrom torch import nn\n\n# %% train\n"
        'n = 0 if sys.platform == "win32" else 4\n',
    ),
    "in the first cell of a script that is read as a notebook": (
        "# In[1]:\nn = ⟦4⟧\n",
        '# In[1]:\nimport sys\n\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "above a dunder that is no text": (
        "__workers__ = [⟦4⟧]\n\nimport os\n",
        'import sys\n\n__workers__ = [0 if sys.platform == "win32" else 4]\n\nimport os\n',
    ),
    "among those below the dunders of the module": (
        "__author__ = 'A. Nother'\n__all__ = ['n']\n\nimport os\nimport time\n\nn = ⟦4⟧\n",
        "__author__ = 'A. Nother'\n__all__ = ['n']\n\nimport os\nimport sys\nimport time\n\n"
        "n = 0 if sys.platform == 'win32' else 4\n",
    ),
    "above a dunder that needs it": (
        "__workers__ = ⟦4⟧\n\nimport os\n",
        'import sys\n\n__workers__ = 0 if sys.platform == "win32" else 4\n\nimport os\n',
    ),
    "among the standard library's, in the order of the alphabet": (
        "import os\nimport time\nfrom pathlib import Path\n\nimport torch\n\nn = ⟦4⟧\n",
        "import os\nimport sys\nimport time\nfrom pathlib import Path\n\nimport torch\n\n"
        'n = 0 if sys.platform == "win32" else 4\n',
    ),
    "behind the last of the standard library": (
        "import os\nimport torch\nn = ⟦4⟧\n",
        'import os\nimport sys\nimport torch\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "first of all where those of the standard library do not stand apart": (
        "import torch\nfrom pathlib import Path\n\nn = ⟦4⟧\n",
        'import sys\nimport torch\nfrom pathlib import Path\n\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "before the first `from` of the standard library": (
        "from pathlib import Path\n\nn = ⟦4⟧\n",
        'import sys\nfrom pathlib import Path\n\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "below a licence and a shebang": (
        "#!/usr/bin/env python\n# MIT\n\n# the count\nn = ⟦4⟧\n",
        '#!/usr/bin/env python\n# MIT\n\nimport sys\n\n# the count\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "with the line ends of the file": (
        "import os\r\nn = ⟦4⟧\r\n",
        'import os\r\nimport sys\r\nn = 0 if sys.platform == "win32" else 4\r\n',
    ),
    "not when it is there under another name": (
        "import sys as system\nn = ⟦4⟧\n",
        'import sys as system\nn = 0 if system.platform == "win32" else 4\n',
    ),
    "not when it is imported with others": (
        "import os, sys\nn = ⟦4⟧\n",
        'import os, sys\nn = 0 if sys.platform == "win32" else 4\n',
    ),
    "not when the function has imported it": (
        "def f():\n    import sys\n    return ⟦4⟧\n",
        'def f():\n    import sys\n    return 0 if sys.platform == "win32" else 4\n',
    ),
    "not when a function uses one that the module imports later": (
        "def f():\n    return ⟦4⟧\nimport sys\n",
        'def f():\n    return 0 if sys.platform == "win32" else 4\nimport sys\n',
    ),
    "when the one that is there comes too late": (
        "n = ⟦4⟧\nimport sys\n",
        'import sys\n\nn = 0 if sys.platform == "win32" else 4\nimport sys\n',
    ),
    "when only another function has it": (
        "def g():\n    import sys\ndef f():\n    return ⟦4⟧\n",
        'import sys\n\ndef g():\n    import sys\ndef f():\n    return 0 if sys.platform == "win32" else 4\n',
    ),
    "under another name when sys means something else in the module": (
        "from wrappers import sys\nn = ⟦4⟧\n",
        'import sys as _sys\n\nfrom wrappers import sys\nn = 0 if _sys.platform == "win32" else 4\n',
    ),
    "under another name when sys is a parameter": (
        "import sys\ndef f(sys):\n    return ⟦4⟧\n",
        'import sys\nimport sys as _sys\ndef f(sys):\n    return 0 if _sys.platform == "win32" else 4\n',
    ),
}


TORCH = {
    "not when it is there": (
        "import torch\npin = ⟦True⟧\n",
        "import torch\npin = torch.cuda.is_available()\n",
    ),
    "not when it is there under another name": (
        "import torch as t\npin = ⟦True⟧\n",
        "import torch as t\npin = t.cuda.is_available()\n",
    ),
    "not when a part of it is imported by its whole name": (
        "import torch.utils.data\npin = ⟦True⟧\n",
        "import torch.utils.data\npin = torch.cuda.is_available()\n",
    ),
    "before the first `from` of other packages": (
        "import os\n\nfrom torch.utils.data import DataLoader\n\nDataLoader(x, pin_memory=⟦True⟧)\n",
        "import os\n\nimport torch\nfrom torch.utils.data import DataLoader\n\n"
        "DataLoader(x, pin_memory=torch.cuda.is_available())\n",
    ),
    "among other packages, in the order of the alphabet": (
        "import numpy\nimport tqdm\nimport torch.nn as nn\n\npin = ⟦True⟧\n",
        "import numpy\nimport torch\nimport tqdm\nimport torch.nn as nn\n\npin = torch.cuda.is_available()\n",
    ),
    "below those of the standard library": (
        "import os\n\nx = 1\nfrom torch import nn\n\npin = ⟦True⟧\n",
        "import os\n\nimport torch\n\nx = 1\nfrom torch import nn\n\npin = torch.cuda.is_available()\n",
    ),
    "not in a file that has nothing of it": ("import os\n\nPIN = ⟦True⟧\n", "import os\n\nPIN = False\n"),
    "not in a file that can do without it": (
        "try:\n    import torch\nexcept ImportError:\n    torch = None\npin = ⟦True⟧\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\npin = False\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), IMPORTS.values(), ids=IMPORTS)
def test_sys_is_imported(before: str, after: str) -> None:
    assert rewritten(before, zero_on_windows) == Rewritten(after)


@pytest.mark.parametrize(("before", "after"), TORCH.values(), ids=TORCH)
def test_torch_is_imported(before: str, after: str) -> None:
    assert rewritten(before, lambda at: [OnlyWithCuda(at[0])]) == Rewritten(after)
