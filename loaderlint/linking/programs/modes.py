"""Modes that a program sets for all of its process, or thread, and in which samples compute where no worker does."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from loaderlint.linking.programs.while_iterated import WhileIterated, words_in
from loaderlint.linking.things.kinds import Function
from loaderlint.linking.workers.top_level import full_name, is_later, touch_at
from loaderlint.model.payload import Touch
from loaderlint.nodes import nodes_of
from loaderlint.readers.python import CallSite, FunctionNode, PythonFacts, dotted

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


class _Mode(NamedTuple):
    """The words of code that computes by a mode, and what a call that sets it is handed for that; "" for anything.

    Where there are no words any code may.
    """

    used_by: frozenset[str]
    handed: str = ""


_GRAPHS = _Mode(frozenset({"Parameter", "autograd", "backward", "is_grad_enabled", "requires_grad", "requires_grad_"}))
_PRODUCTS = _Mode(
    frozenset({"addmm", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "einsum", "functional", "linear", "matmul"})
    | {"mm", "mv", "@"}
)
_NUMBERS = _Mode(frozenset({"Decimal", "decimal"}))
_OF_LOCALE = _Mode(frozenset({"atof", "locale", "strcoll", "strftime", "strptime", "strxfrm"}))
_RAISES = _Mode(frozenset(), "error")
_DEPTH = _Mode(frozenset({"RecursionError", "getrecursionlimit"}))
_SHOWN = _Mode(frozenset({"get_option"}))
_RAISING = _Mode(frozenset({"np", "numpy"}), "raise")
_PRINTED = _Mode(frozenset({"array2string", "array_repr", "array_str", "format", "repr", "savetxt", "str", "f'"}))
_MODES: Mapping[str, _Mode] = {
    **dict.fromkeys(("decimal.getcontext", "decimal.localcontext", "decimal.setcontext"), _NUMBERS),
    **dict.fromkeys(("numpy.errstate", "numpy.seterr"), _RAISING),
    **dict.fromkeys(("torch.autocast", "torch.amp.autocast", "torch.cpu.amp.autocast"), _PRODUCTS),
    **dict.fromkeys(("torch.inference_mode", "torch.no_grad", "torch.set_grad_enabled"), _GRAPHS),
    **dict.fromkeys(("warnings.filterwarnings", "warnings.simplefilter"), _RAISES),
    **dict.fromkeys(("numpy.printoptions", "numpy.set_printoptions", "torch.set_printoptions"), _PRINTED),
    "locale.setlocale": _OF_LOCALE,
    "pandas.set_option": _SHOWN,
    "sys.setrecursionlimit": _DEPTH,
}
"""Calls that set modes, with what computes by them.

docs.python.org, ``decimal`` ("Context objects" are a thread's own), ``locale``, ``sys`` and ``warnings``; numpy.org,
``numpy.errstate`` and ``numpy.set_printoptions``; pandas.pydata.org, ``pandas.set_option``;
pytorch.org, "Automatic Mixed Precision package" ("CPU Ops that can autocast to bfloat16") and "Locally disabling
gradient computation".
"""
_OPENS = frozenset(
    {"Path", "decode_image", "exists", "fromfile", "imread", "isfile", "listdir", "load", "loadtxt", "memmap", "open"}
    | {"read_csv", "read_image", "read_parquet", "read_video", "sf", "soundfile", "torchaudio"}
)
"""Words of code that opens files, by paths that may begin where the process stands."""
_LAST = frozenset(name.rpartition(".")[2] for name in _MODES)


def modes_set(evaluator: Evaluator, running: Sequence[Function], files: Sequence[PythonFacts]) -> Iterator[Touch]:
    """Yield where a program sets a mode by which functions that run in workers compute."""
    words: Set[str] = set().union(*(words_in(one.facts, one.node) for one in running))
    if any(isinstance(node, ast.MatMult) for one in running for node in nodes_of(one.node)):
        words = {*words, "@"}
    if any(_shows(node) for one in running for node in nodes_of(one.node)):
        words = {*words, "f'"}
    inside = {id(one.node) for one in running}
    for facts in files:
        for name in sorted(_LAST & facts.calls.keys()):
            for site in facts.calls[name]:
                mode = _MODES.get(full_name(site.place.scope, dotted(site.node.func) or ""))
                if mode is None or id(site.place.scope.node) in inside:
                    continue
                if mode.used_by and mode.used_by.isdisjoint(words):
                    continue
                later = is_later(evaluator, facts, site.node, site.place) or _decorates(site)
                if later and _sets(site, mode):
                    yield touch_at(facts, site.node)


def directories_changed(
    running: Sequence[Function], files: Sequence[PythonFacts], iterated: WhileIterated
) -> Iterator[Touch]:
    """Yield where a program goes to another directory while samples are read that workers still read from theirs."""
    sites = [(facts, site) for facts in files for name in ("chdir", "fchdir") for site in facts.calls.get(name, ())]
    if sites and any(not _OPENS.isdisjoint(words_in(one.facts, one.node)) for one in running):
        for facts, site in sites:
            if iterated.holds(facts, site.place.scope, site.node):
                yield touch_at(facts, site.node)


def _shows(node: ast.AST) -> bool:
    """Return whether an expression puts what may be an array into a text: a number has a format where it is shown."""
    return isinstance(node, ast.FormattedValue) and node.format_spec is None


def _decorates(site: CallSite) -> bool:
    """Return whether a call stands above a function, for which it sets a mode."""
    around = (one.node for one in site.place.scope.children)
    return any(site.node in one.decorator_list for one in around if isinstance(one, FunctionNode))


def _sets(site: CallSite, mode: _Mode) -> bool:
    """Return whether a call sets a mode for what computes on the CPU."""
    given = [*site.node.args, *(one.value for one in site.node.keywords)]
    texts = {one.value for one in given if isinstance(one, ast.Constant)}
    return (not mode.handed or mode.handed in texts) and "cuda" not in texts
