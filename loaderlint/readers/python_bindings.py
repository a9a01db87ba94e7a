"""What the statements and calls of a Python module bind: names, parts of what they stand for, and attributes."""

from __future__ import annotations

import ast

from loaderlint.readers.python_attributes import AttributeChange, NamedAttribute, dictionary_of, fills
from loaderlint.readers.python_branches import positions
from loaderlint.readers.python_parts import ELEMENT, part_of
from loaderlint.readers.python_scopes import ANY_GLOBAL, Binding, Place, Scope, dotted

_MUTATES = {"update", "setdefault", "pop"}
_CHANGES_LISTS = {"append", "extend", "insert", "remove", "sort", "reverse"}


class Bound:
    """What was bound so far in a walk over a module, by scope."""

    def __init__(self) -> None:
        self.attribute_changes: list[AttributeChange] = []
        self._dictionaries: list[tuple[Scope, str, ast.expr]] = []

    def bind(self, name: str, kind: str, node: ast.AST, place: Place, **more: object) -> None:
        """Bind a name, in the scope that a ``global`` or ``nonlocal`` says it belongs to."""
        scope = place.scope
        if name in scope.outer_names and scope.parent is not None:
            outer = scope.parent
            while outer.parent is not None and name not in outer.bindings:
                outer = outer.parent
            more["inner"] = place
            place = Place(outer, place.order, place.arms)
            scope = outer
        binding = Binding(name, kind, node, place, **more)  # type: ignore[arg-type]
        scope.bindings.setdefault(name, []).append(binding)
        owner, _, attribute = name.rpartition(".")
        if owner and attribute:
            scope.set_on.setdefault(owner, []).append(binding)

    def item(self, target: ast.Subscript, value: ast.expr | None, node: ast.AST, place: Place) -> None:
        """Bind what setting an item changes (None: to something that is not followed)."""
        if (owner := dictionary_of(target.value)) is not None:
            self.attribute(NamedAttribute(owner, target.slice, value), node, place)
        elif is_globals(target.value):
            self.named_global(target.slice, value, node, place)
        else:
            self.changed(target.value, "item", node, place, value=value, key=target.slice)

    def changed(self, container: ast.expr, kind: str, node: ast.AST, place: Place, **more: object) -> None:
        """Bind a change of what an expression gives to the name it is a part of."""
        while not isinstance(container, ast.Name):
            part = part_of(container)
            if part is None:
                return
            if ELEMENT not in part.keys:
                self.bind(part.name, kind, node, place, keys=part.keys, **more)
                return
            if not isinstance(container, ast.Subscript | ast.Attribute | ast.Call):
                return
            # Which item it is changed in is worked out: that item is unknown from then on.
            kind = "item"
            if isinstance(container, ast.Subscript):
                more = {"value": None, "key": container.slice}
                container = container.value
            elif isinstance(container, ast.Call):
                assert isinstance(container.func, ast.Attribute)
                more = {"value": None, "key": container.args[0]}
                container = container.func.value
            else:
                container = container.value
        self.bind(container.id, kind, node, place, **more)

    def attribute(self, change: NamedAttribute, node: ast.AST, place: Place) -> None:
        """Note an attribute that is set by its name: bound where that and the value are written."""
        if change.binds is not None:
            self.bind(change.binds, "assign", node, place, value=change.value)
            return
        self.attribute_changes.append(AttributeChange(change.owner, change.name, place, fills(change)))
        base = dotted(change.owner)
        if base is not None and change.value is not None:
            # A dictionary whose keys are read as attributes gets an item.
            self.bind(base, "item", node, place, value=change.value, key=change.name)

    def stands_for(self, scope: Scope, name: str, owner: ast.expr) -> None:
        """Note that a name stands for the dictionary of an object's attributes."""
        self._dictionaries.append((scope, name, owner))

    def through_dictionaries(self) -> None:
        """Note what is set in a dictionary of attributes by a name that stands for it: ``held = vars(x)``."""
        for scope, name, owner in self._dictionaries:
            for one in scope.bindings[name]:
                if one.kind in ("item", *_MUTATES):
                    self.attribute_changes.append(AttributeChange(owner, one.key, one.place))

    def named_global(self, key: ast.expr, value: ast.expr | None, node: ast.AST, place: Place) -> None:
        """Bind what ``globals()[key]`` sets, or a module on itself; a key that is not written out may be any name."""
        name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ANY_GLOBAL
        inside = place.scope
        while inside.parent is not None:
            inside = inside.parent
        inner = None if inside is place.scope else place
        kind = "other" if name == ANY_GLOBAL or value is None else "assign"
        where = Place(inside, place.order, place.arms)
        inside.bindings.setdefault(name, []).append(Binding(name, kind, node, where, value=value, inner=inner))

    def unpack(
        self,
        target: ast.Tuple | ast.List,
        kind: str,
        value: ast.expr,
        node: ast.AST,
        place: Place,
        above: tuple[int | slice, ...] = (),
    ) -> None:
        """Bind the names of an unpacking, each with the positions it takes, one for each level."""
        for position, item in positions(target):
            index = (*above, position)
            name = dotted(item)
            if name is not None:
                self.bind(name, kind, node, place, value=value, index=index)
            elif isinstance(item, ast.Tuple | ast.List):
                self.unpack(item, kind, value, node, place, index)
            else:
                self.unknown(item, node, place)

    def unknown(self, target: ast.expr, node: ast.AST, place: Place) -> None:
        """Bind whatever a target holds to something that is not followed."""
        if isinstance(target, ast.Tuple | ast.List):
            for item in target.elts:
                self.unknown(item, node, place)
        elif isinstance(target, ast.Starred):
            self.unknown(target.value, node, place)
        elif isinstance(target, ast.Subscript):
            self.item(target, None, node, place)
        elif (name := dotted(target)) is not None:
            self.bind(name, "other", node, place)

    def method(self, node: ast.Call, function: ast.Attribute, place: Place) -> None:
        """Bind what a method of dictionaries or lists changes."""
        # An object that is nothing but a dictionary read by attribute is changed through that of its attributes, too.
        name, held, arguments = function.attr, dictionary_of(function.value) or function.value, node.args
        if dotted(function) in ("operator.setitem", "dict.__setitem__") and len(arguments) == 3:
            self.changed(arguments[0], "item", node, place, value=arguments[2], key=arguments[1])
        elif dotted(function) == "dict.update" and arguments:
            self.changed(arguments[0], "item", node, place)
        elif name == "__setitem__" and len(arguments) == 2:
            self.changed(held, "item", node, place, value=arguments[1], key=arguments[0])
        elif name in ("popitem", "__ior__"):
            self.changed(held, "item", node, place)
        elif name in ("pop", "__delitem__", "setdefault"):
            kind = "setdefault" if name == "setdefault" else "pop"
            self.changed(held, kind, node, place, value=node, key=arguments[0] if arguments else None)
        elif name in ("update", "clear"):
            self.changed(held, name, node, place, value=node)
        elif name in _CHANGES_LISTS:
            self.changed(held, "list", node, place, value=node)


def is_globals(node: ast.expr) -> bool:
    """Return whether an expression is ``globals()``."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "globals"


def is_own_module(node: ast.expr) -> bool:
    """Return whether an expression is the module that it stands in: ``sys.modules[__name__]``."""
    match node:
        case ast.Subscript(modules, ast.Name("__name__")):
            return dotted(modules) == "sys.modules"
    return False


def changes_globals(node: ast.Call, place: Place) -> bool:
    """Return whether a call may give any name of the module another value."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr == "update" and is_globals(function.value)
    if not (isinstance(function, ast.Name) and function.id == "exec"):
        return False
    return (place.scope.parent is None and len(node.args) == 1) or any(is_globals(one) for one in node.args[1:])
