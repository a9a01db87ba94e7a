"""Imports: what a name brought in from another module is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaderlint.linking import calls
from loaderlint.linking.things import External, Frame, Module, Possibilities, Possibility, unseen
from loaderlint.model.source import Span
from loaderlint.readers.python import Binding, Place, PythonFacts

if TYPE_CHECKING:
    from loaderlint.linking.evaluate import Evaluator


def imported(evaluator: Evaluator, binding: Binding, frame: Frame) -> Possibilities:
    """Return what an import gives its name: a module or member of the project, or something external."""
    span = frame.facts.span(binding.node)
    name = binding.target
    importer = frame.facts.source.path
    project = evaluator.project
    path = project.module(name, importer)
    if path is not None:
        facts = project.python(path)
        return unseen(span) if facts is None else (Possibility(Module(facts), span),)
    base, _, last = name.rpartition(".")
    if base.strip("."):
        path = project.module(base, importer)
    elif name.startswith("."):
        path = project.module(base or ".", importer)
    if path is not None and path != importer:
        facts = project.python(path)
        if facts is None:
            return unseen(span)
        return member(evaluator, Module(facts), last, span)
    if name.startswith("."):
        return unseen(span)
    return calls.platform_fact(name, span) or (Possibility(External(name), span),)


def member(evaluator: Evaluator, module: Module, name: str, span: Span) -> Possibilities:
    """Return what ``module.name`` can be: bound at its top level, a submodule, or brought in by a star import."""
    facts = module.facts
    frame = Frame(facts, Place(facts.module, 0))
    if name in facts.module.bindings:
        return evaluator.bound(name, frame, None, span)
    if facts.source.path.endswith("__init__.py"):
        path = evaluator.project.module(f".{name}", facts.source.path)
        inner = evaluator.project.python(path) if path is not None else None
        if inner is not None:
            return (Possibility(Module(inner), span),)
    return star_import(evaluator, name, frame) or unseen(span)


def star_import(evaluator: Evaluator, name: str, frame: Frame) -> Possibilities | None:
    """Return what a name can be that only a star import at the top of the module can have brought in."""
    facts: PythonFacts = frame.facts
    for binding in facts.module.bindings.get("*", ()):
        base = binding.target.removesuffix("*").rstrip(".") or "."
        span = facts.span(binding.node)
        path = evaluator.project.module(base, facts.source.path)
        source = evaluator.project.python(path) if path is not None else None
        if source is not None and source is not facts:
            if name in source.module.bindings or "*" in source.module.bindings:
                found = member(evaluator, Module(source), name, span)
                if any(one.thing is not None for one in found):
                    return found
        elif path is None and name in _STAR_EXPORTS.get(base, ()):
            return (Possibility(External(f"{base}.{name}"), span),)
    return None


_STAR_EXPORTS = {"torch.utils.data": ("DataLoader", "Dataset", "IterableDataset", "TensorDataset")}
"""Names known to come out of a star import of a module outside the project."""
