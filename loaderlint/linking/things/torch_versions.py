"""Tests of torch's version: ``version.parse(torch.__version__) < version.parse("1.7")`` and its other spellings.

``torch.__version__`` is a text such as ``2.8.0+cu121`` (``torch/torch_version.py``, 2.13), which compares as a version
where it is asked whether it is less or more than a text or a tuple, from torch 1.10 on (``TorchVersion._cmp_wrapper``).
Before that it is any other text. ``packaging.version.parse`` and ``distutils.version.LooseVersion`` compare numbers.
``importlib.metadata.version("torch")`` is such a text as well, and never more than one. ``hasattr(torch, "compile")``
asks for the version, too: an attribute is there from one on.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from loaderlint.linking.things.comparisons import COMPARISONS
from loaderlint.linking.things.kinds import External, Frame, Made, Possibilities, Possibility
from loaderlint.model.assumptions import Assumption
from loaderlint.model.source import Span
from loaderlint.model.torch_asked import TorchAsked
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import called_name

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_Worked: TypeAlias = Callable[[str], Any]
"""What gives the value of an expression for a version as torch spells it."""

_VERSIONS = ("torch.__version__", "torch.version.__version__", "torch.torch_version.__version__")
_METADATA = frozenset({"importlib.metadata.version", "importlib_metadata.version"})
"""Functions that give the version of what is installed under a name, as a text."""
_SINCE: Mapping[str, tuple[int, int]] = {
    "torch.inference_mode": (1, 9),
    "torch.compile": (2, 0),
    "torch.accelerator": (2, 6),
}
"""The first version of torch that has an attribute (the release notes of PyTorch 1.9, 2.0 and 2.6)."""
_PARSERS = frozenset({"parse", "parse_version", "Version", "LooseVersion", "StrictVersion"})
"""The last parts of the names of what makes a text comparable: ``packaging.version``, ``pkg_resources``,
``distutils.version``, ``torch.torch_version``."""
_NUMBERS = re.compile(r"\s*v?(\d+(?:\.\d+)*)")
_PARTS: Mapping[str, Callable[[tuple[int, ...]], object]] = {
    "release": tuple,
    "major": lambda numbers: numbers[0],
    "minor": lambda numbers: numbers[1],
    "micro": lambda numbers: numbers[2],
}
_FUNCTIONS: Mapping[str, Callable[[Any], object]] = {
    "int": int,
    "float": float,
    "str": str,
    "list": tuple,
    "tuple": tuple,
}
ASKS = "startswith"
"""The method of a text that asks something of it."""
_TEXT_METHODS = frozenset({"split", "rsplit", "partition", "strip", "lstrip", "rstrip", ASKS})
_DEEPEST = 10
"""Expressions inside each other, and names that stand for them; what lies deeper is not looked at."""


class _Spelled(str):
    """A version as torch spells its own."""

    __slots__ = ()


class _Version(tuple[int, ...]):
    """The numbers of a version, which are compared with those of others whatever zeros they end in."""

    __slots__ = ()


def asked(evaluator: Evaluator, node: ast.Compare | ast.Call, frame: Frame) -> Possibilities | None:
    """Return the answers of a test of torch's version, each under the versions that give it; None for another test."""
    if not evaluator.once(("asks for a version",), False, lambda: _asks_at_all(evaluator)):
        return None
    worked = _Reading(evaluator).worked(node, frame, 0)
    if worked is None or not _depends(worked):
        return None
    question = TorchAsked.of(frame.facts.text(node), worked)
    return None if question is None else _answers(question, frame.facts.span(node))


def has_attribute(module: str, name: str, text: str, span: Span) -> Possibilities | None:
    """Return whether a module of torch has what came with some version; None for any other attribute."""
    since = _SINCE.get(f"{module}.{name}")
    question = None if since is None else TorchAsked.of(text, lambda version: _parsed(version) >= since)
    return None if question is None else _answers(question, span)


def _answers(question: TorchAsked, span: Span) -> Possibilities:
    """Return the answers to a question, each under the versions that give it."""
    if question.settled is not None:
        return (Possibility(question.settled, span),)
    return tuple(
        Possibility(answer, span, assumptions=frozenset({Assumption(question, answer)})) for answer in (True, False)
    )


def _asks_at_all(evaluator: Evaluator) -> bool:
    project = evaluator.project
    return any(True for word in ("__version__", "metadata") for _ in project.python_mentioning(word))


class _Constant:
    """What is the same whatever the version is."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __call__(self, version: str) -> object:
        """Return it."""
        return self.value


def _depends(worked: _Worked) -> bool:
    return not isinstance(worked, _Constant)


class _Reading:
    """Reads an expression as something that is worked out from torch's version."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def worked(self, node: ast.expr, frame: Frame, depth: int) -> _Worked | None:
        """Return what gives the value of an expression for each version; None where it hangs on anything else."""
        if depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=value):
                return _Constant(value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return self._all(lambda *values: tuple(values), parts, frame, depth)
            case ast.Compare(left=left, ops=[kind], comparators=[right]) if type(kind) in COMPARISONS:
                return self._all(partial(_compared, COMPARISONS[type(kind)]), [left, right], frame, depth)
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                ends = [one or ast.Constant(None) for one in (lower, upper)]
                return self._all(lambda row, first, last: row[first:last], [value, *ends], frame, depth)
            case ast.Subscript(value=value, slice=index):
                return self._all(lambda row, position: row[position], [value, index], frame, depth)
            case ast.ListComp(elt=ast.Call(func=ast.Name("int"), args=[ast.Name(each)]), generators=[one]) | (
                ast.GeneratorExp(elt=ast.Call(func=ast.Name("int"), args=[ast.Name(each)]), generators=[one])
            ) if isinstance(one.target, ast.Name) and one.target.id == each and not one.ifs:
                return self._all(_as_numbers, [one.iter], frame, depth)
            case ast.Call(keywords=[]):
                return self._called(node, frame, depth)
            case ast.Name() | ast.Attribute():
                return self._named(node, frame, depth)
        return None

    def _all(self, apply: Callable[..., object], nodes: Sequence[ast.expr], frame: Frame, depth: int) -> _Worked | None:
        """Return what works something out from several expressions."""
        parts = [self.worked(one, frame, depth + 1) for one in nodes]
        known = [one for one in parts if one is not None]
        if len(known) < len(parts):
            return None
        if not any(map(_depends, known)):
            try:
                return _Constant(apply(*(one("") for one in known)))
            except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
                return None
        return lambda version: apply(*(one(version) for one in known))

    def _called(self, node: ast.Call, frame: Frame, depth: int) -> _Worked | None:
        last = called_name(node)
        if last == "map" and len(node.args) == 2 and dotted(node.args[0]) == "int":
            return self._all(_as_numbers, node.args[1:], frame, depth)
        if isinstance(node.func, ast.Name) and last in _FUNCTIONS and len(node.args) == 1:
            return self._all(_FUNCTIONS[last], node.args, frame, depth)
        if last == "TorchVersion" and len(node.args) == 1 and self._is_of_library(node.func, frame):
            return self._all(_Spelled, node.args, frame, depth)
        if [getattr(one, "value", None) for one in node.args] == ["torch"]:
            named = [one.thing for one in self._evaluator.evaluate(node.func, frame)]
            known = all(isinstance(one, External) and one.name in _METADATA for one in named)
            return str if named and known else None
        if last in _PARSERS and len(node.args) == 1 and self._is_of_library(node.func, frame):
            return self._all(_parsed, node.args, frame, depth)
        if last in _TEXT_METHODS and isinstance(node.func, ast.Attribute):
            return self._all(partial(_of_text, last), [node.func.value, *node.args], frame, depth)
        return None

    def _is_of_library(self, callee: ast.expr, frame: Frame) -> bool:
        things = [one.thing for one in self._evaluator.evaluate(callee, frame)]
        return len(things) == 1 and isinstance(things[0], External)

    def _named(self, node: ast.Name | ast.Attribute, frame: Frame, depth: int) -> _Worked | None:
        found = self._evaluator.evaluate(node, frame)
        if len(found) == 1 and found[0].constant:
            return _Constant(found[0].thing)
        thing = found[0].thing if len(found) == 1 else None
        if isinstance(thing, External) and thing.name in _VERSIONS:
            return _Spelled
        if isinstance(thing, Made) and not thing.call.keywords:
            return self.worked(thing.call, thing.frame, depth + 1)
        if isinstance(node, ast.Attribute) and node.attr in _PARTS:
            return self._all(partial(_part, node.attr), [node.value], frame, depth)
        return self._bound(node, frame, depth) if isinstance(node, ast.Name) else None

    def _bound(self, node: ast.Name, frame: Frame, depth: int) -> _Worked | None:
        """Return what a name stands for that is bound once, here or at the top of the file."""
        for scope in dict.fromkeys((frame.scope, frame.facts.module)):
            bindings = scope.bindings.get(node.id, ())
            if bindings:
                one = bindings[0] if len(bindings) == 1 else None
                if one is None or one.kind != "assign" or one.value is None or one.index:
                    return None
                return self.worked(one.value, Frame(frame.facts, one.place), depth + 1)
        return None


def _parsed(text: object) -> _Version:
    found = _NUMBERS.match(str(text))
    if found is None:
        raise ValueError
    return _Version(int(one) for one in found[1].split("."))


def _part(name: str, version: object) -> object:
    if not isinstance(version, _Version):
        raise TypeError
    return _PARTS[name](version)


def _as_numbers(texts: Sequence[str]) -> tuple[int, ...]:
    return tuple(int(one) for one in texts)


def _of_text(name: str, text: object, *given: object) -> object:
    if not isinstance(text, str):
        raise TypeError
    return getattr(text, name)(*given)


_COMPARES_ITSELF = (1, 10)
"""The first version that is compared as one with a text or numbers."""


def _compared(apply: Callable[[Any, Any], bool], left: object, right: object) -> bool:
    own = next((one for one in (left, right) if isinstance(one, _Spelled)), None)
    if own is not None and _parsed(own) >= _COMPARES_ITSELF:
        left, right = (_parsed(".".join(map(str, one)) if isinstance(one, tuple) else one) for one in (left, right))
    if isinstance(left, _Version) and isinstance(right, _Version):
        size = max(len(left), len(right))
        return apply(*((*one, *[0] * (size - len(one))) for one in (left, right)))
    if isinstance(left, _Version) or isinstance(right, _Version):
        raise TypeError
    return apply(left, right)
