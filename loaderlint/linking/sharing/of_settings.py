"""Which values of configurations also serve something else than the loaders that are made of these."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, partial

from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.files.shown import Shows
from loaderlint.linking.following.configurations.overrides import keys_of
from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.sharing.interpolated import Interpolations
from loaderlint.linking.sharing.names import ReadsOfNames
from loaderlint.linking.sharing.repeated import Repeated
from loaderlint.linking.sharing.ways import OF_WORKERS, Hold, Ways, is_interpolated, needed_elsewhere
from loaderlint.model.loader import TORCH_DEFAULTS, Loader
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate, Value
from loaderlint.readers.python import PythonFacts
from loaderlint.readers.tree import KeyPath


def with_sharing_of_settings(evaluator: Evaluator, loaders: Iterable[Loader]) -> tuple[Loader, ...]:
    """Return the loaders of configurations, each candidate of which can say whether these use it for something else.

    That is where a name of a configuration in Python is read apart from the options of loaders, in its file or one that
    imports it, another key takes the value by an interpolation, code asks for the keys that lead to it, or an alias
    takes it to what is no loader. What else a framework does with the keys is not looked at.
    """
    every = tuple(loaders)
    of_workers = Ways(every, OF_WORKERS)
    written = _Options(evaluator.project, every)
    ways_of = cache(lambda option: of_workers if option in OF_WORKERS else Ways(every, {option}))
    names = ReadsOfNames(evaluator.project, Shows(evaluator.project))
    interpolations = Interpolations(evaluator.project)
    keys = _KeysAsked(evaluator.project)
    several = Repeated(evaluator.project)

    def repeated(option: str, one: Candidate) -> bool:
        having = {each.span for each in every if any(at.span == one.span for at in each.option(option).written)}
        return several.reach_others(one.span, lambda way: any(entry.value.span in having for entry in way.entries))

    def used_elsewhere(option: str, one: Candidate) -> bool:
        ways = _Either(ways_of(option), written)
        return (
            (one.shared and repeated(option, one))
            or names.elsewhere(one, ways)
            or is_interpolated(interpolations, option, one, ways)
            or (one.written and keys.ask(one.span))
            or names.imported_elsewhere(one, ways)
        )

    def asking(option: str, one: Candidate, loader: Loader) -> Candidate:
        asked = replace(
            one,
            shared=False,
            used_elsewhere=partial(used_elsewhere, option, one),
            needed_elsewhere=partial(needed_elsewhere, every, loader, option, one),
        )
        if one.said_alike is None:
            return asked
        elsewhere = replace(one.said_alike, asking=lambda moved: asking(option, moved, loader))
        return replace(asked, said_alike=elsewhere)

    def with_uses(option: str, value: Value, loader: Loader) -> Value:
        return replace(value, candidates=tuple(asking(option, one, loader) for one in value.candidates))

    return tuple(
        replace(loader, options={name: with_uses(name, value, loader) for name, value in loader.options.items()})
        for loader in every
    )


class _Options:
    """The places in the mappings that loaders are made of where options say how batches are loaded."""

    def __init__(self, project: Project, loaders: Iterable[Loader]) -> None:
        self._project = project
        self._loaders = tuple(loaders)

    def hold(self, span: Span) -> bool:
        """Return whether a place is inside of what one of the options is given."""
        return any(one.holds(span) for one in self._spans)

    @cached_property
    def _spans(self) -> frozenset[Span]:
        return frozenset(span for one in self._loaders for span in self._of(one))

    def _of(self, loader: Loader) -> Iterator[Span]:
        keys = {loader.spelled(option) for option in OF_WORKERS}
        facts = self._project.python(loader.span.path) if Language.of(loader.span.path) is Language.PYTHON else None
        for node in ast.walk(facts.tree) if facts is not None else ():
            if facts is not None and isinstance(node, ast.Call | ast.Dict) and facts.span(node) == loader.span:
                yield from (facts.span(value) for key, value in _items(node) if key in keys)


class _Either:
    """Places that one of two kinds of ways holds."""

    def __init__(self, first: Hold, second: Hold) -> None:
        self._both = first, second

    def hold(self, span: Span) -> bool:
        """Return whether one of them holds a place."""
        return any(one.hold(span) for one in self._both)


_GIVEN_TO_LOADERS = re.compile(rf"\b(?:{'|'.join(TORCH_DEFAULTS)})=(?:int\()?\Z")
"""What stands before a value that is handed on as an option of a loader."""
_WORD = re.compile(r"\w+")
_OWN = frozenset({"self", "cls"})
_CALL = ("()",)
"""What a key is asked of that a call gives back."""


class _KeysAsked:
    """The keys that Python code asks of what may be a configuration: ``cfg.data.workers``, ``cfg["data"]``."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._owners: dict[str, frozenset[tuple[str, ...]]] = {}

    def ask(self, span: Span) -> bool:
        """Return whether code asks for the value at a place by its key, and by the one above it where there is one."""
        keys = self._keys_to(span)
        if not keys:
            return False
        *above, last = keys
        return any(above[-1] in one if above else not _OWN.issuperset(one) for one in self._asked_of(last))

    def _keys_to(self, span: Span) -> KeyPath | None:
        facts = self._project.python(span.path) if Language.of(span.path) is Language.PYTHON else None
        return keys_of(self._project, span) if facts is None else _keys_in_python(facts, span)

    def _asked_of(self, key: str) -> frozenset[tuple[str, ...]]:
        """Return what code asks for a key, in words: ``cfg.data``."""
        if key not in self._owners:
            asked = re.compile(
                # It begins where a run of these begins: what is tried from each place of a run takes a square of time.
                rf"(?P<owner>\)|(?<![\w.\[\]\"'])[\w.\[\]\"']+)"
                rf"(?:\.|\[\s*[\"']|\.get\(\s*[\"']){re.escape(key)}\b(?!\s*(?:=[^=]|\())"
            )
            self._owners[key] = frozenset(
                tuple(_WORD.findall(match["owner"])) or _CALL
                for _, text in self._project.python_mentioning(key)
                for match in asked.finditer(text)
                if not _GIVEN_TO_LOADERS.search(text, max(0, match.start() - 40), match.start())
            )
        return self._owners[key]


def _keys_in_python(facts: PythonFacts, span: Span) -> KeyPath | None:
    """Return the name and the keys that lead to a value in a file of settings, None for what stands elsewhere."""
    for name, bindings in facts.module.bindings.items():
        for one in bindings:
            if one.value is not None and facts.span(one.value).holds(span):
                return (*name.split("."), *_keys_inside(facts, one.value, span))
    return None


def _keys_inside(facts: PythonFacts, value: ast.expr, span: Span) -> KeyPath:
    for key, inner in _items(value):
        if facts.span(inner).holds(span):
            return (*([key] if key is not None else []), *_keys_inside(facts, inner, span))
    return ()


def _items(value: ast.expr) -> Iterator[tuple[str | None, ast.expr]]:
    """Yield the keys and values of a dictionary that is written down, None for a key that is no text."""
    match value:
        case ast.Call(keywords=keywords):
            yield from ((one.arg, one.value) for one in keywords)
        case ast.Dict(keys=keys, values=values):
            for key, inner in zip(keys, values, strict=True):
                text = key.value if isinstance(key, ast.Constant) else None
                yield text if isinstance(text, str) else None, inner
