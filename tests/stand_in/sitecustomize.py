"""Makes Python start workers as another platform does, when LOADERLINT_STANDS_IN_FOR names one.

Python imports this module before any program when its folder is on PYTHONPATH, in the workers as well. It changes the
default and what is available, as ``Lib/multiprocessing/context.py`` has them on that platform, but sets nothing: a
program that calls ``set_start_method`` itself finds it unset, as it would there.
"""

import multiprocessing.context
import os
from typing import Any

_DEFAULTS = {"windows": "spawn", "macos": "spawn", "linux": "fork", "linux-3.14": "forkserver"}

_contexts: Any = multiprocessing.context
_platform = os.environ.get("LOADERLINT_STANDS_IN_FOR")
if _platform is not None:
    _methods = [_DEFAULTS[_platform]]
    if _platform != "windows":
        _methods += [method for method in ("fork", "spawn", "forkserver") if method not in _methods]
    for _absent in set(_contexts._concrete_contexts) - set(_methods):
        del _contexts._concrete_contexts[_absent]
    _contexts._default_context._default_context = _contexts._concrete_contexts[_methods[0]]
    multiprocessing.get_all_start_methods = _methods.copy
