"""Services of compose files and containers of Kubernetes' pods: their commands, and what they are given.

Compose: https://docs.docker.com/reference/compose-file/services/. Kubernetes: ``PodSpec`` and ``Container`` of
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from loaderlint.model.job import Cpus, Runner
from loaderlint.model.source import Span
from loaderlint.readers import shell
from loaderlint.readers.shell import UNREAD, Word
from loaderlint.readers.tree import ConfigurationFacts, Document, Mapping, Node, Scalar, mappings
from loaderlint.readers.tree import Sequence as Row
from loaderlint.vocabulary.jobs import SHARED_MEMORY

_VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?::?-(?P<default>[^}$]*))?[^}]*\}|\$\w+|\$\((?P<in_pod>\w+)\)")
_CPU = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<milli>m)?")
_PRIVATE = ("private", "none", "")


class Container(Struct, frozen=True, eq=False):
    """One service or container: the words it is started with, and what of the machine it is given."""

    words: tuple[Word, ...]
    span: Span
    runner: Runner
    name: str
    small_shm: bool
    cpus: Cpus | None = None
    folders: tuple[str, ...] = ()
    settings: Span | None = None
    settings_shared: bool = False


Beside: TypeAlias = Callable[[str], Iterable[ConfigurationFacts]]
"""Gives the other compose files that stand beside one, by its path: the command line may put them together."""


def containers(files: Iterable[ConfigurationFacts], beside: Beside) -> Iterator[Container]:
    """Yield the services and containers of configuration files that start with a command of their own."""
    for facts in files:
        for document in facts.documents:
            root = document.root
            if not isinstance(root, Mapping):
                continue
            if isinstance(_value(root, "services"), Mapping):
                yield from _services(root, facts.source.path, beside)
            elif root.get("kind") is not None and root.get("apiVersion") is not None:
                yield from _pods(document)


# --- compose ---


def _services(root: Mapping, path: str, beside: Beside) -> Iterator[Container]:
    services = _value(root, "services")
    assert isinstance(services, Mapping)
    for entry in services.entries:
        service = entry.value
        # A template is no service, and what another service gives by ``extends`` is not looked up.
        if entry.key.startswith("x-") or not isinstance(service, Mapping) or service.get("extends") is not None:
            continue
        words = (*_words(_value(service, "entrypoint")), *_words(_value(service, "command")))
        if not words:
            continue
        large = any(_has_large_shm(one) for one in (service, *_same_service(entry.key, beside(path))))
        working = _text(_value(service, "working_dir"))
        yield Container(
            words,
            entry.key_span,
            Runner.COMPOSE,
            entry.key,
            not large,
            _cpus_of_service(service),
            () if working is None else (working.strip("/"), posixpath.basename(working)),
            service.span if entry.alias is None else None,
            service.shared,
        )


def _same_service(name: str, others: Iterable[ConfigurationFacts]) -> Iterator[Mapping]:
    """Yield what other compose files say of a service."""
    for facts in others:
        for document in facts.documents:
            other = _value(_value(document.root, "services"), name)
            if isinstance(other, Mapping):
                yield other


def _has_large_shm(service: Mapping) -> bool:
    """Return whether a service asks for shared memory, uses that of the host or another, or says so unseen."""
    ipc = service.get("ipc")
    if service.get("shm_size") is not None or (ipc is not None and (_text(ipc.value) or "") not in _PRIVATE):
        return True
    return any(SHARED_MEMORY in text for key in ("tmpfs", "volumes") for text in _texts(_value(service, key)))


def _cpus_of_service(service: Mapping) -> Cpus | None:
    limits = _value(_value(_value(service, "deploy"), "resources"), "limits")
    return _cpus(_value(limits, "cpus")) or _cpus(_value(service, "cpus"))


# --- Kubernetes ---


def _pods(document: Document) -> Iterator[Container]:
    for _, pod in mappings(document):
        rows = _value(pod, "containers")
        for container in rows.items if isinstance(rows, Row) else ():
            if not isinstance(container, Mapping):
                continue
            words = (*_words(_value(container, "command")), *_words(_value(container, "args")))
            name = container.get("name")
            if not words or name is None:
                continue
            limits = _value(_value(container, "resources"), "limits")
            working = _text(_value(container, "workingDir"))
            yield Container(
                words,
                name.value.span,
                Runner.KUBERNETES,
                _text(name.value) or "",
                not _has_large_shm_in_pod(pod, container),
                _cpus(_value(limits, "cpu")),
                () if working is None else (working.strip("/"), posixpath.basename(working)),
            )


def _has_large_shm_in_pod(pod: Mapping, container: Mapping) -> bool:
    """Return whether something is mounted at ``/dev/shm``, or the pod shares that of its host."""
    if _text(_value(pod, "hostIPC")) == "true":
        return True
    return any(SHARED_MEMORY in text for text in _texts(_value(container, "volumeMounts")))


# --- values ---


def _value(node: Node | None, key: str) -> Node | None:
    entry = node.get(key) if isinstance(node, Mapping) else None
    return entry.value if entry is not None else None


def _text(node: Node | None) -> str | None:
    return node.text if isinstance(node, Scalar) else None


def _texts(node: Node | None) -> Iterator[str]:
    """Yield the scalars of a node and of all below it."""
    if isinstance(node, Scalar):
        yield node.text
    elif isinstance(node, Row):
        for item in node.items:
            yield from _texts(item)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            yield from _texts(entry.value)


def _words(node: Node | None) -> tuple[Word, ...]:
    """Return a command's words: the items of a list as they stand, the words of a text as a shell splits them."""
    if isinstance(node, Row):
        scalars = [item for item in node.items if isinstance(item, Scalar)]
        if len(scalars) != len(node.items):
            return ()
        return tuple(Word(_put_in(one.text), one.span) for one in scalars)
    if not isinstance(node, Scalar) or not node.text.strip():
        return ()
    commands = shell.commands_in(_put_in(node.text), node.span)
    return tuple(word for command in commands for word in command.words)


def _put_in(text: str) -> str:
    """Return a text with the defaults of its variables in their place; what only the environment tells is unread."""

    def put(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        return UNREAD if match["default"] is None else str(match["default"])

    return _VARIABLE.sub(put, text)


def _cpus(node: Node | None) -> Cpus | None:
    text = _text(node)
    match = _CPU.fullmatch(text) if text is not None else None
    if node is None or text is None or match is None:
        return None
    number = float(match["number"]) / (1000 if match["milli"] else 1)
    return Cpus(node.span, number, text) if number > 0 else None
