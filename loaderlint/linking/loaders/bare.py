"""Configuration mappings that hold loader settings although no code that reads them was seen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from msgspec.structs import replace

from loaderlint.linking.following.evaluate import Evaluator
from loaderlint.linking.loaders.made import loader_of_settings
from loaderlint.linking.loaders.pooled import PoolCounts
from loaderlint.linking.loaders.sites import TORCH_KIND
from loaderlint.linking.things.dictionaries import entries_of
from loaderlint.model.assumptions import Question
from loaderlint.model.loader import WORKER_OPTIONS, Loader, arrives
from loaderlint.model.source import Language, Span
from loaderlint.model.value import Candidate
from loaderlint.readers.tree import Document, KeyPath, Mapping, Scalar, mappings
from loaderlint.vocabulary.callables import LOADER_CALLABLES
from loaderlint.vocabulary.keys import CONSUMERS, LOADER_KEYS, NOT_LOADERS, PARENT_WORDS, WORKER_KEYS

_NAME = re.compile(r"[^\W\d]\w*")
_TELLING_OPTIONS = ("prefetch_factor", "persistent_workers")
"""Options that need workers and whose names mean nothing else: code that has one may take care of them."""


def bare_loaders(evaluator: Evaluator, loaders: Iterable[Loader]) -> Iterator[Loader]:
    """Yield the mappings of loader settings that none of the loaders followed so far reads.

    A mapping that holds the settings of such a loader, and did not give it the worker count that it has, is read for
    those.
    """
    followed = tuple(loaders)
    read = _read_by(followed)
    settled = _read_by(loader for loader in followed if not loader.num_workers.open)
    pools = PoolCounts(evaluator)
    beside = cache(lambda: _given_beside(evaluator, followed))
    own = [loader.num_workers for loader in followed if Language.of(loader.span.path) is Language.PYTHON]
    all_seen = bool(own) and not any(count.open for count in own)
    for facts in evaluator.project.all_configuration_files():
        if not facts.source.language.is_typed:
            continue
        picked = [one for one in facts.documents if any(_is_read(mapping, read) for _, mapping in mappings(one))]
        # Where a program picks one document of several, the others are not for it.
        for document in picked if len(facts.documents) > 1 and picked else facts.documents:
            consumers: dict[Span, str] = {}
            for path, mapping in mappings(document):
                named = _consumer(mapping)
                if named is not None:
                    for inner in ("params", "init_args"):
                        entry = mapping.get(inner)
                        if entry is not None:
                            consumers[entry.value.span] = named
                    consumers.setdefault(mapping.span, named)
                if not _holds_settings(path, mapping, facts.source.language) or _is_read(mapping, read):
                    continue
                if any(_is_read(inner, settled) for _, inner in mappings(Document(document.path, mapping))):
                    continue
                if all(pools.has(path, key) for key in _worker_keys(mapping)):
                    continue
                consumer = consumers.get(mapping.span)
                if evaluator.instantiations.settles(mapping, consumer):
                    continue
                if consumer is not None and _defined_in_project(evaluator, consumer, facts.source.path):
                    continue
                callee = ".".join(path) or facts.source.path
                kind = LOADER_CALLABLES["transformers.TrainingArguments"] if _hugging_face(mapping) else TORCH_KIND
                loader = loader_of_settings(
                    evaluator, entries_of(mapping), mapping.span, callee, kind, consumer_seen=False
                )
                yield replace(
                    loader,
                    may_be_guarded=evaluator.project.code_mentions(_TELLING_OPTIONS),
                    asked_for=_hugging_face(mapping)
                    or _is_read_by_code(evaluator, mapping, facts.source.language, all_seen=all_seen),
                    given_beside=beside(),
                )


def _given_beside(evaluator: Evaluator, loaders: Iterable[Loader]) -> dict[str, Span]:
    """Return the options that need workers which loaders of unseen counts get besides, and where each is written.

    One that is given only where the program asked something of the count goes with that.
    """
    found: dict[str, Span] = {}
    for loader in loaders:
        count = loader.num_workers
        if Language.of(loader.span.path) is not Language.PYTHON or not count.open or count.by_user:
            continue
        asked = _names_in(evaluator, count.at_the_call)
        for option in WORKER_OPTIONS:
            for one in loader.option(option).written:
                if arrives(option, one.constant) and count.open_beside(one) and not _asks_of(one, asked):
                    found.setdefault(option, one.span)
    return found


def _names_in(evaluator: Evaluator, place: Span | None) -> frozenset[str]:
    """Return the names and attributes that stand in an expression, with the words of its texts.

    The expression is in a file of its own where the constructor of a class of the project hands the count on.
    """
    facts = evaluator.project.python(place.path) if place is not None else None
    return frozenset(_NAME.findall(facts.source.at(place))) if facts is not None and place is not None else frozenset()


def _asks_of(given: Candidate, names: frozenset[str]) -> bool:
    """Return whether what gives a value asked something of one of some names before."""
    subjects = (one.subject for one in given.assumptions)
    return any(isinstance(one, Question) and not names.isdisjoint(one.names) for one in subjects)


def _is_read_by_code(evaluator: Evaluator, mapping: Mapping, language: Language, *, all_seen: bool) -> bool:
    """Return whether code may read the worker count of a mapping in a language that is anybody's.

    Where there is some, it has to name the language, and the key where all that its own loaders take was seen: a copy
    of the settings of another program, such as a trained vocoder's, has a count that nothing takes.
    """
    project = evaluator.project
    if not language.is_anybodys or not project.has_code:
        return True
    if not project.code_mentions((language.value,)):
        return False
    return not all_seen or project.code_mentions(tuple(sorted(_worker_keys(mapping))))


def _read_by(loaders: Iterable[Loader]) -> set[Span]:
    """Return where the values of loaders were written, and what they were worked out from or refer to."""
    known = [candidate for loader in loaders for value in loader.options.values() for candidate in value.known]
    return {span for one in known for span in (one.span, *one.sources, *(step.span for step in one.trail))}


def _consumer(mapping: Mapping) -> str | None:
    for key in CONSUMERS:
        entry = mapping.get(key)
        if entry is not None and isinstance(entry.value, Scalar) and isinstance(entry.value.constant, str):
            return entry.value.constant
    return None


def _holds_settings(path: KeyPath, mapping: Mapping, language: Language) -> bool:
    keys = {entry.key for entry in mapping.entries}
    workers = _worker_keys(mapping)
    if not workers:
        return False
    if any(word in part.lower() for part in path for word in NOT_LOADERS):
        return False
    if any(key.lower() in LOADER_KEYS for key in keys):
        return True
    if language.is_anybodys:
        # A worker count alone, or below a word such as "run", may be any other tool's.
        return workers == {"dataloader_num_workers"}
    if not path:
        return True
    named = [part for part in path if not part.isdigit()]
    return not named or any(word in named[-1].lower() for word in PARENT_WORDS)


def _worker_keys(mapping: Mapping) -> set[str]:
    return {one.key for one in mapping.entries if one.key in WORKER_KEYS and isinstance(one.value, Scalar)}


def _hugging_face(mapping: Mapping) -> bool:
    return any(entry.key == "dataloader_num_workers" for entry in mapping.entries)


def _is_read(mapping: Mapping, read: set[Span]) -> bool:
    return any(entry.value.span in read for entry in mapping.entries)


def _defined_in_project(evaluator: Evaluator, dotted_name: str, configuration: str) -> bool:
    """Return whether the code that a mapping names is in the project, so that following it settled what is a loader."""
    module, _, name = dotted_name.rpartition(".")
    paths = evaluator.project.modules_ending(module, configuration) if module else []
    return any(
        facts is not None and name in facts.module.bindings
        for facts in (evaluator.project.python(path) for path in paths)
    )
