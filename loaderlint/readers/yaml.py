"""Reads YAML: the parser's events become the tree of `loaderlint.readers.tree`, every node with its exact place.

Events are used rather than ruamel.yaml's own nodes because only they say where an alias stands, and because they come
without recursion however deeply a file is nested.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from loaderlint.model.source import Source
from loaderlint.readers.tree import MERGE, ConfigurationFacts, Document, Entry, Mapping, Node, Scalar, Sequence
from loaderlint.readers.yaml_events import Script, Stretch
from loaderlint.readers.yaml_scalars import resolve

if TYPE_CHECKING:
    from ruamel.yaml.events import AliasEvent, Event, NodeEvent, ScalarEvent


def read(source: Source, *, pure: bool = False) -> ConfigurationFacts:
    """Return what the file says; ``pure`` forces the Python parser, which is slower but needs no C extension.

    Raises `ReadError` for what no YAML loader can read (templates, undefined aliases, control characters, a mapping as
    key) and for what is nested too deeply.
    """
    script = Script.of(source)
    events = script.events(pure)
    composer = _Composer(script, _aliased(events))
    for index, event in enumerate(events):
        composer.take(index, event)
    return ConfigurationFacts(source, tuple(composer.documents), script.comments(composer.scalars))


def _aliased(events: Iterable[Event]) -> frozenset[int]:
    """Return the indices of the events whose anchor an alias repeats; an anchor may be given again to a later node."""
    from ruamel.yaml.events import AliasEvent, DocumentStartEvent, NodeEvent

    anchors: dict[str, int] = {}
    aliased: set[int] = set()
    for index, event in enumerate(events):
        if isinstance(event, DocumentStartEvent):
            anchors.clear()
        elif isinstance(event, AliasEvent):
            aliased.update({anchors[event.anchor]} if event.anchor in anchors else ())
        elif isinstance(event, NodeEvent) and event.anchor is not None:
            anchors[event.anchor] = index
    return frozenset(aliased)


class _Placed(Struct, frozen=True):
    """A node, or an alias of it, where it is written, anchor and tag included; ``height`` counts the levels below."""

    node: Node
    start: int
    end: int
    height: int = 0
    alias: bool = False


class _Open(Struct):
    """A mapping or sequence whose end has not come yet; keys and values of a mapping alternate in ``parts``."""

    event: Any
    shared: bool
    mapping: bool
    parts: list[_Placed] = field(default_factory=list)

    @property
    def expects_key(self) -> bool:
        return self.mapping and len(self.parts) % 2 == 0

    @property
    def sign(self) -> str:
        """What announces the next part, if anything does."""
        if not self.mapping:
            return "-"
        return "?" if self.expects_key else ":"


class _Composer(Struct):
    """Builds each node when its last event has come. ``written_to`` is the offset up to which all is read."""

    script: Script
    aliased: frozenset[int]
    documents: list[Document] = field(default_factory=list)
    scalars: list[Stretch] = field(default_factory=list)
    written_to: int = 0
    above: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Placed | None] = field(default_factory=dict)

    def take(self, index: int, event: Event) -> None:
        """Take the next event, the ``index``-th of the file."""
        from ruamel.yaml import events as kinds

        if isinstance(event, kinds.DocumentStartEvent):
            self.anchors.clear()
            self.written_to = event.end_mark.index
            self.documents.append(Document(self.script.source.path, None))
        elif isinstance(event, kinds.AliasEvent):
            self._place(self._repeated(event))
        elif isinstance(event, kinds.ScalarEvent):
            self._anchor(event, self._scalar(event, self._shared(index)))
        elif isinstance(event, kinds.CollectionStartEvent):
            if event.anchor is not None:
                self.anchors[event.anchor] = None
            self.above.append(_Open(event, self._shared(index), isinstance(event, kinds.MappingStartEvent)))
            self.written_to = max(self.written_to, event.end_mark.index if event.flow_style else event.start_mark.index)
        elif isinstance(event, kinds.CollectionEndEvent):
            done = self.above.pop()
            self._anchor(done.event, self._collection(done, event))

    def _shared(self, index: int) -> bool:
        return index in self.aliased or (bool(self.above) and self.above[-1].shared)

    def _anchor(self, event: NodeEvent, placed: _Placed) -> None:
        if event.anchor is not None:
            self.anchors[event.anchor] = placed
        self._place(placed)

    def _place(self, placed: _Placed) -> None:
        self.written_to = max(self.written_to, placed.end)
        if not self.above:
            if placed.start < placed.end:
                self.documents[-1] = Document(self.script.source.path, placed.node)
            return
        self.script.check_depth(len(self.above) + placed.height, placed.start)
        if self.above[-1].expects_key and not isinstance(placed.node, Scalar):
            kind = "mapping" if isinstance(placed.node, Mapping) else "sequence"
            raise self.script.error(f"a {kind} as a key, which no program can look up (a template?)", placed.start)
        self.above[-1].parts.append(placed)

    def _repeated(self, event: AliasEvent) -> _Placed:
        start, end = event.start_mark.index, event.end_mark.index
        if event.anchor not in self.anchors:
            raise self.script.error(f"the alias *{event.anchor} has no anchor before it", start)
        placed = self.anchors[event.anchor]
        if placed is None:
            text = f"*{event.anchor}"
            return _Placed(Scalar(text, self.script.span(start, end), text, opaque=True), start, end)
        return _Placed(placed.node, start, end, placed.height, alias=True)

    def _scalar(self, event: ScalarEvent, shared: bool) -> _Placed:
        place = self.script.scalar(event, self.above[-1].sign if self.above else "", self.written_to)
        self.scalars.append(place)
        tag = None if event.tag is None else str(event.tag)
        resolved = resolve(event.value, not event.style, tag)
        node = Scalar(
            constant=resolved.constant,
            span=self.script.span(place.start, place.end),
            text=event.value,
            quoted=bool(event.style),
            tag=tag,
            anchor=event.anchor,
            opaque=resolved.opaque,
            shared=shared,
        )
        return _Placed(node, min(place.start, event.start_mark.index), place.end)

    def _collection(self, done: _Open, event: Event) -> _Placed:
        start = self.script.content(done.event)
        end = event.end_mark.index if done.event.flow_style else done.parts[-1].end
        span = self.script.span(start, end)
        tag = None if done.event.tag is None else str(done.event.tag)
        anchor, flow = done.event.anchor, bool(done.event.flow_style)
        node: Node
        if done.mapping:
            entries = tuple(map(self._entry, done.parts[::2], done.parts[1::2]))
            node = Mapping(entries, span, tag, anchor, flow, done.shared)
        else:
            node = Sequence(tuple(part.node for part in done.parts), span, tag, anchor, flow, done.shared)
        height = 1 + max((part.height for part in done.parts), default=0)
        return _Placed(node, done.event.start_mark.index, end, height)

    def _entry(self, key: _Placed, value: _Placed) -> Entry:
        assert isinstance(key.node, Scalar)
        return Entry(
            key=key.node.text,
            key_span=self.script.span(key.start, key.end) if key.alias else key.node.span,
            value=value.node,
            span=self.script.span(key.start, value.end),
            alias=self.script.span(value.start, value.end) if value.alias else None,
            merge=key.node.text == MERGE and not key.node.quoted and key.node.tag is None,
        )
