"""LightningCLI: the settings that a command line made from classes hands to their constructors.

``LightningCLI(Model, DataModule)`` takes each constructor's parameters from the groups ``model`` and ``data`` of a
configuration file (https://lightning.ai/docs/pytorch/stable/cli/lightning_cli.html). jsonargparse refuses a file with a
key that is no parameter, so the files of a project that a command line can be given are those with nothing else in
them. In subclass mode a file names the class itself (``class_path``), as any configuration can.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from loaderlint.linking.files.loader_names import names_of
from loaderlint.linking.following import functions
from loaderlint.linking.following.configurations.located import located
from loaderlint.linking.scopes.annotations import annotated
from loaderlint.linking.things.classes import constructors, lineage
from loaderlint.linking.things.kinds import (
    ABSENT,
    Absent,
    Class,
    External,
    Frame,
    Function,
    Items,
    Possibilities,
    Possibility,
    end_of,
)
from loaderlint.linking.things.made_calls import SettingsCaller
from loaderlint.linking.things.possibilities import choice, under, unseen
from loaderlint.linking.things.trees import from_entry
from loaderlint.model.source import Span
from loaderlint.readers.python import default_of, dotted, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.tree import Entry, Node, Scalar
from loaderlint.readers.tree import Mapping as TreeMapping

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAME = "LightningCLI"
_LIBRARIES = ("pytorch_lightning", "lightning")
_PARAMETERS = ("model_class", "datamodule_class")
"""The first parameters of ``LightningCLI.__init__`` (``lightning/pytorch/cli.py``, 2.6)."""
_GROUPS = {"model": ("model_class", "subclass_mode_model"), "data": ("datamodule_class", "subclass_mode_data")}
"""The groups of settings, the argument that names each group's class, and the one that leaves it to the file."""
_SUBCOMMANDS = ("fit", "validate", "test", "predict")
_DEEPEST_OBJECT = 8
"""Objects that files name inside each other; deeper ones may be anything."""
_OTHER_GROUPS = frozenset({"trainer", "seed_everything", "ckpt_path", "optimizer", "lr_scheduler", "config"})
"""Keys beside the groups that a configuration file can always have."""


class _Link(Struct, frozen=True, eq=False):
    """A setting that is worked out from others (``parser.link_arguments``)."""

    sources: tuple[str, ...]
    compute: ast.expr | None
    frame: Frame


class _Interface(Struct, frozen=True, eq=False):
    """One command line: the classes it makes, by group, and what it sets by itself.

    ``open_groups`` says that the files can have groups of other names; ``fixed`` that the program gives the arguments.
    """

    call: ast.Call
    frame: Frame
    made: Mapping[str, Class]
    defaults: Mapping[str, Possibilities]
    links: Mapping[str, _Link]
    base: TreeMapping | None
    open_groups: bool
    fixed: bool

    @property
    def span(self) -> Span:
        """Where the command line is made."""
        return self.frame.facts.span(self.call)


class _Parameter(Struct, frozen=True, eq=False):
    """The annotation of a constructor's parameter, and the frame it is read in."""

    annotation: ast.expr | None
    frame: Frame


class Interfaces:
    """The command lines of a project that are made from classes, and the settings they hand over."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    @cached_property
    def _all(self) -> tuple[_Interface, ...]:
        project = self._evaluator.project
        if not project.code_mentions((_NAME,)):
            return ()
        sites = [site for name in sorted(names_of(project, {_NAME})) for site in self._evaluator.callers.sites(name)]
        once = {id(site.node): (facts, site) for facts, site in sites}
        found = (self._interface(site.node, Frame(facts, site.place)) for facts, site in once.values())
        return tuple(one for one in found if one is not None)

    def makers(self, owner: Class) -> Iterator[SettingsCaller]:
        """Yield what each command line, under each configuration file of the project, gives a class it makes."""
        for interface in self._all:
            for group, made in interface.made.items():
                if made.node is owner.node:
                    for way in self._ways(interface):
                        yield SettingsCaller(self._settings(interface, group, way), interface.span)

    # --- what the program says ---

    def _interface(self, call: ast.Call, frame: Frame) -> _Interface | None:
        ancestors = self._ancestors(call, frame)
        if ancestors is None:
            return None
        arguments = arguments_of(call, _PARAMETERS)
        made = {
            group: thing
            for group, (named, by_file) in _GROUPS.items()
            if named in arguments and not self._is_true(arguments.get(by_file), frame)
            for thing in [one.thing for one in self._evaluator.evaluate(arguments[named], frame)][:1]
            if isinstance(thing, Class)
        }
        hooks = [
            (owner.facts, scope)
            for owner in reversed(ancestors)
            for scope in owner.scope.children
            if scope.name == "add_arguments_to_parser"
        ]
        defaults: dict[str, Possibilities] = {}
        links: dict[str, _Link] = {}
        for facts, hook in hooks:
            for site in hook.calls:
                self._declaration(site.node, Frame(facts, site.place), defaults, links)
        base = self._base(arguments.get("parser_kwargs"), frame)
        return _Interface(call, frame, made, defaults, links, base, bool(hooks), "args" in arguments)

    def _ancestors(self, call: ast.Call, frame: Frame) -> list[Class] | None:
        """Return the project's classes above a command line, None when the call makes none.

        One whose constructor is the project's own may hand anything on to the library's.
        """
        for one in self._evaluator.evaluate(call.func, frame):
            if isinstance(one.thing, External):
                return [] if _is_library(one.thing) else None
            if isinstance(one.thing, Class):
                found = lineage(self._evaluator, one.thing)
                bases = (
                    way.thing
                    for owner in found
                    for base in owner.node.bases
                    for way in self._evaluator.evaluate(base, Frame(owner.facts, owner.place))
                )
                of_library = any(isinstance(base, External) and _is_library(base) for base in bases)
                own = any("__init__" in owner.scope.bindings for owner in found)
                return found if of_library and not own else None
        return None

    def _is_true(self, node: ast.expr | None, frame: Frame) -> bool:
        return node is not None and any(one.thing is not False for one in self._evaluator.evaluate(node, frame))

    def _declaration(
        self, call: ast.Call, frame: Frame, defaults: dict[str, Possibilities], links: dict[str, _Link]
    ) -> None:
        """Take up one ``parser.set_defaults(...)`` or ``parser.link_arguments(...)``."""
        called = (dotted(call.func) or "").rpartition(".")[2]
        conditional = bool(frame.place.arms)
        span = frame.facts.span(call)
        if called == "set_defaults":
            given = self._evaluator.evaluate(call.args[0], frame) if len(call.args) == 1 else ()
            for one in given:
                entries = one.thing.entries if isinstance(one.thing, Items) else {}
                defaults.update({key: unseen(span) if conditional else values for key, values in entries.items()})
        elif called == "link_arguments":
            arguments = arguments_of(call, ("source", "target", "compute_fn", "apply_on"))
            target = arguments.get("target")
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                sources = _strings(arguments.get("source"))
                late = arguments.get("apply_on")
                parsed = not conditional and (late is None or _strings(late) == ("parse",))
                links[target.value] = _Link(sources if parsed else (), arguments.get("compute_fn"), frame)

    def _base(self, node: ast.expr | None, frame: Frame) -> TreeMapping | None:
        """Return the file that ``parser_kwargs={"default_config_files": [...]}`` names, read before all others."""
        for one in self._evaluator.evaluate(node, frame) if node is not None else ():
            entries = one.thing.entries if isinstance(one.thing, Items) else {}
            for way in entries.get("default_config_files", ()):
                for item in getattr(way.thing, "items", ()):
                    for path in item:
                        if isinstance(path.thing, str):
                            facts = self._evaluator.project.configuration(path.thing, frame.facts.source.path)
                            root = facts.documents[0].root if facts is not None and facts.documents else None
                            return root if isinstance(root, TreeMapping) else None
        return None

    # --- what the files say ---

    def _ways(self, interface: _Interface) -> list[tuple[TreeMapping, ...]]:
        """Return the files that the command line can be given, one way for each, over the one that is always read.

        The first way is to give none of them, or a file that leaves everything to the constructors.
        """
        below = (interface.base,) if interface.base is not None else ()
        found: list[tuple[TreeMapping, ...]] = [below]
        for facts in self._evaluator.project.configuration_files_with(tuple(_GROUPS)):
            for document in facts.documents[:1]:
                root = document.root
                if isinstance(root, TreeMapping) and root is not interface.base:
                    found.extend((*below, settings) for settings in self._fitting(interface, root))
        return found

    def _fitting(self, interface: _Interface, root: TreeMapping) -> Iterator[TreeMapping]:
        """Yield the settings of a file, or of its subcommands, that the command line takes without an error."""
        if any(group in root.merged for group in interface.made):
            candidates = [root]
        else:
            entries = (root.get(name) for name in _SUBCOMMANDS)
            candidates = [one.value for one in entries if one is not None and isinstance(one.value, TreeMapping)]
        for settings in candidates:
            keys = settings.merged.keys()
            known = interface.open_groups or keys <= _OTHER_GROUPS | _GROUPS.keys()
            if known and all(self._takes(made, settings.get(group)) for group, made in interface.made.items()):
                yield settings

    def _takes(self, made: Class, entry: Entry | None, depth: int = 0) -> bool:
        """Return whether a class's constructor takes what stands under a key: no other names, no objects of others."""
        if entry is None or depth > _DEEPEST_OBJECT:
            return True
        if not isinstance(entry.value, TreeMapping):
            return False
        declared, anything = self._parameters(made)
        return (anything or entry.value.merged.keys() <= declared.keys()) and all(
            self._is_one(declared[name], given.value, depth)
            for name, given in entry.value.merged.items()
            if name in declared
        )

    def _is_one(self, parameter: _Parameter, given: Node, depth: int) -> bool:
        """Return whether an object that a file names is one of those that a parameter is annotated with.

        What is not seen to be a class of the project, in the annotation or in the file, may be anything.
        """
        path = given.get("class_path") if isinstance(given, TreeMapping) else None
        if path is None or not isinstance(path.value, Scalar) or not isinstance(path.value.constant, str):
            return True
        assert isinstance(given, TreeMapping)
        named = located(self._evaluator, (from_entry(path, path.span, "class_path", removable=False),))
        if len(named) != 1 or not isinstance(named[0].thing, Class):
            return True
        family = {id(one.node) for one in lineage(self._evaluator, named[0].thing)}
        wanted = [] if parameter.annotation is None else [*annotated(parameter.annotation)]
        every = (one.thing for part in wanted for one in self._evaluator.evaluate(part, parameter.frame))
        taken = [one for one in every if one is not None]
        if not all(isinstance(one, Class) for one in taken):
            return True
        fits = not taken or any(id(one.node) in family for one in taken if isinstance(one, Class))
        return fits and self._takes(named[0].thing, given.get("init_args"), depth + 1)

    def _parameters(self, made: Class) -> tuple[Mapping[str, _Parameter], bool]:
        """Return what a class's constructor takes, by name, and whether it takes any other names besides."""
        for owner in lineage(self._evaluator, made):
            constructor = next(iter(constructors(owner)), None)
            where = Frame(owner.facts, end_of(owner.scope))
            if constructor is not None:
                named = {one.arg: _Parameter(one.annotation, where) for one in list(parameters(constructor.node))[1:]}
                return named, constructor.node.args.kwarg is not None
            fields = [one for one in owner.node.body if isinstance(one, ast.AnnAssign)]
            if owner.node.decorator_list and fields:
                names = ((one.target, one.annotation) for one in fields)
                return {one.id: _Parameter(kind, where) for one, kind in names if isinstance(one, ast.Name)}, False
        return {}, False

    # --- what arrives ---

    def _settings(self, interface: _Interface, group: str, way: tuple[TreeMapping, ...]) -> Items:
        made = interface.made[group]
        names, anything = self._parameters(made)
        groups = (entry.value for layer in way for entry in (layer.get(group),) if entry is not None)
        keys = {key for one in groups if isinstance(one, TreeMapping) for key in one.merged}
        which = choice(f"the configuration of {interface.span}", str(way[-1].span) if way else "none")
        entries: dict[str, Possibilities] = {}
        for name in sorted(names.keys() | keys):
            setting = f"{group}.{name}"
            values = under(self._setting(interface, setting, way, ()), which)
            if interface.fixed:
                entries[name] = unseen(interface.span)
            elif setting in interface.links:
                entries[name] = values
            else:
                subject = f"{interface.span} {setting}"
                given = unseen(interface.span, choice(subject, "given"))
                entries[name] = (*under(values, choice(subject, "default")), *given)
        return Items(entries, complete=not anything)

    def _setting(
        self, interface: _Interface, setting: str, way: tuple[TreeMapping, ...], waiting: tuple[str, ...]
    ) -> Possibilities:
        """Return what a setting is under a configuration file; `ABSENT` where it is left to the constructor."""
        link = interface.links.get(setting)
        if link is not None:
            return self._linked(interface, link, way, (*waiting, setting))
        group, _, name = setting.partition(".")
        for layer in reversed(way):
            entry = layer.get(group)
            inner = entry.value.get(name) if entry is not None and isinstance(entry.value, TreeMapping) else None
            if inner is not None:
                called = interface.frame.facts.text(interface.call.func)
                return (from_entry(inner, interface.span, f"{called}: {setting}", removable=True),)
        return interface.defaults.get(setting, (Possibility(ABSENT, interface.span),))

    def _linked(
        self, interface: _Interface, link: _Link, way: tuple[TreeMapping, ...], waiting: tuple[str, ...]
    ) -> Possibilities:
        if not link.sources or any(source in waiting for source in link.sources):
            return unseen(interface.span)
        values = [self._arriving(interface, source, way, waiting) for source in link.sources]
        if link.compute is None:
            return values[0] if len(values) == 1 else unseen(interface.span)
        found: list[Possibility] = []
        for one in self._evaluator.evaluate(link.compute, link.frame):
            if isinstance(one.thing, Function):
                names = [parameter.arg for parameter in parameters(one.thing.node)]
                arguments = dict(zip(names, values, strict=False))
                inner = Frame(one.thing.facts, end_of(one.thing.scope), arguments, depth=link.frame.depth + 1)
                found.extend(under(functions.returned_by(self._evaluator, one.thing, inner), one.assumptions))
            else:
                found.extend(unseen(interface.span, one.assumptions))
        return tuple(found)

    def _arriving(
        self, interface: _Interface, setting: str, way: tuple[TreeMapping, ...], waiting: tuple[str, ...]
    ) -> Possibilities:
        """Return what a setting is once the constructor's own default has taken the place of what is absent."""
        group, _, name = setting.partition(".")
        made = interface.made.get(group)
        subject = f"{interface.span} {setting}"
        found: list[Possibility] = [*unseen(interface.span, choice(subject, "given"))]
        for one in under(self._setting(interface, setting, way, waiting), choice(subject, "default")):
            if isinstance(one.thing, Absent):
                found.extend(under(self._default(made, name) or unseen(interface.span), one.assumptions))
            else:
                found.append(one)
        return tuple(found)

    def _default(self, made: Class | None, name: str) -> Possibilities:
        for owner in lineage(self._evaluator, made) if made is not None else ():
            constructor = next(iter(constructors(owner)), None)
            if constructor is not None:
                default = default_of(constructor.node, name)
                where = Frame(owner.facts, end_of(owner.scope))
                return self._evaluator.evaluate(default, where) if default is not None else ()
        return ()


def _is_library(thing: External) -> bool:
    library, _, rest = thing.name.partition(".")
    return library in _LIBRARIES and rest.rpartition(".")[2] == _NAME


def _strings(node: ast.expr | None) -> tuple[str, ...]:
    """Return the strings that a constant, or a tuple or list of constants, writes."""
    items = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
    return tuple(one.value for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str))
