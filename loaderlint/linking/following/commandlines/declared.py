"""Which attributes the command lines of a project have, going by the text of the files that declare them.

Whatever object it is that a program asks for one of these may be such a command line, though it was not followed there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DECLARES = ("add_argument", "DEFINE_")
"""What declares a flag: argparse's method, and the beginning of the functions of ``absl.flags``."""
_FLAG = re.compile(r"""(?:["']--?|\badd_argument\(\s*["']|\bdest\s*=\s*["']|\bDEFINE_\w+\(\s*["'])([\w.][\w.-]*)["']""")


def may_have(evaluator: Evaluator, name: str) -> bool:
    """Return whether a command line of the project may have an attribute of this name."""
    nothing: frozenset[str] = frozenset()
    return name in evaluator.once(("declared flags",), nothing, lambda: frozenset(_declared(evaluator)))


def _declared(evaluator: Evaluator) -> Iterator[str]:
    for word in _DECLARES:
        for _, text in evaluator.project.python_mentioning(word):
            # ``ArgumentParser.add_argument`` names an attribute by the flag, with an underscore for a hyphen.
            yield from (flag.replace("-", "_") for flag in _FLAG.findall(text))
