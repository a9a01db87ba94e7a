"""Classes of a project: which class a scope belongs to, and where a class stands among its relatives."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.project import Project
from loaderlint.linking.things.kinds import Class, External, Frame, Function, Instance
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, dotted, parameters
from loaderlint.readers.python_calls import is_super, without_arguments

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator


def owner_of(facts: PythonFacts, scope: Scope) -> Class | None:
    """Return the class whose method a function's scope is, None for a plain function."""
    return None if scope.parent is None else class_of(facts, scope.parent)


def class_of(facts: PythonFacts, scope: Scope) -> Class | None:
    """Return the class whose body a scope is, None for any other scope."""
    if scope.parent is None or not isinstance(scope.node, ast.ClassDef):
        return None
    for binding in scope.parent.bindings.get(scope.name, ()):
        if binding.node is scope.node:
            return Class(facts, scope.node, scope, binding.place)
    return None


def subject(owner: Class) -> str:
    """Return how the assumptions about a class and its objects name it."""
    return f"{owner.facts.source.path}:{owner.scope.qualified()}"


def is_receiver(function: FunctionNode, node: ast.arg) -> bool:
    """Return whether a parameter of a method is the object (or class) it is called on."""
    return node is next(parameters(function), None) and not has_decorator(function, "staticmethod")


def has_decorator(function: FunctionNode | ast.Lambda, name: str) -> bool:
    """Return whether a function stands under a decorator written as this name."""
    decorators = function.decorator_list if isinstance(function, FunctionNode) else ()
    return any(isinstance(one, ast.Name) and one.id == name for one in decorators)


def is_class_method(function: FunctionNode | ast.Lambda) -> bool:
    """Return whether a method is handed the class: by its decorator, or as Python does for hooks of classes.

    The reference, "Customizing class creation" and "Emulating generic types".
    """
    named = isinstance(function, FunctionNode) and function.name in ("__init_subclass__", "__class_getitem__")
    return named or has_decorator(function, "classmethod")


def class_around(frame: Frame, name: str) -> Class | None:
    """Return the class in whose method a name is what that is called on, None for any other name."""
    function, owner = frame.scope.node, owner_of(frame.facts, frame.scope)
    first = next(parameters(function), None) if isinstance(function, FunctionNode) else None
    if owner is None or first is None or first.arg != name or not isinstance(function, FunctionNode):
        return None
    return owner if is_receiver(function, first) else None


def class_of_receiver(frame: Frame, name: str) -> Class | None:
    """Return the class that a name is in a class method of its body, None for any other name."""
    function = frame.scope.node
    called_on_class = isinstance(function, FunctionNode) and is_class_method(function)
    return class_around(frame, name) if called_on_class else None


def setters(project: Project) -> Mapping[str, Set[int]]:
    """Return the properties that can be assigned to, by name: the identities of the classes that define them."""
    found: dict[str, set[int]] = {}
    for facts in project.all_python():
        for scope in facts.scopes.values():
            if scope.parent is None or not scope.parent.is_class or not isinstance(scope.node, FunctionNode):
                continue
            if any(dotted(one) == f"{scope.name}.setter" for one in scope.node.decorator_list):
                found.setdefault(scope.name, set()).add(id(scope.parent.node))
        for site in facts.calls.get("property", ()):
            inside, call = site.place.scope, site.node
            if inside.is_class and (len(call.args) > 1 or any(one.arg == "fset" for one in call.keywords)):
                for name, bindings in inside.bindings.items():
                    if any(one.value is call for one in bindings):
                        found.setdefault(name, set()).add(id(inside.node))
    return found


def is_made_over(evaluator: Evaluator, owner: Class, name: str) -> bool:
    """Return whether what a class body gives a name need not hold.

    A metaclass of the project may make something else of the class, its own or one that it inherits; a class above may
    set the name on its heirs, and so may a decorator, or put another class in the place of this one.
    """
    above = lineage(evaluator, owner)
    hooks = (scope for one in above[1:] for scope in one.scope.children if scope.name == "__init_subclass__")
    return (
        any(_has_metaclass(evaluator, one) for one in above)
        or any(_sets(scope, name) for scope in hooks)
        or any(_makes_over(evaluator, one, owner, name) for one in owner.node.decorator_list)
    )


def _has_metaclass(evaluator: Evaluator, owner: Class) -> bool:
    frame = Frame(owner.facts, owner.place)
    given = (one.value for one in owner.node.keywords if one.arg == "metaclass")
    return any(isinstance(one.thing, Class) for value in given for one in evaluator.evaluate(value, frame))


def is_generic(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether ``owner[int]`` is the class, of a type: it, or one that it inherits from, has type parameters.

    Where the project says itself what a class gives for a key, or its metaclass does, it may be anything
    (https://docs.python.org/3/reference/datamodel.html, "Emulating generic types").
    """
    above = lineage(evaluator, owner)
    own = any("__class_getitem__" in one.scope.bindings or _has_metaclass(evaluator, one) for one in above)
    return not own and any(_takes_types(one.node) for one in above)


def _takes_types(node: ast.ClassDef) -> bool:
    """Return whether a class is written with type parameters: its own, or those of what it inherits from."""
    return bool(getattr(node, "type_params", ())) or any(isinstance(base, ast.Subscript) for base in node.bases)


def keeps_its_objects(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether calls of a class may give one object again: its ``__new__`` keeps something on the class."""
    made = (scope for one in lineage(evaluator, owner) for scope in one.scope.children if scope.name == "__new__")
    firsts = ((scope, next(parameters(scope.node), None)) for scope in made if isinstance(scope.node, FunctionNode))
    return any(
        first is not None and any(name.startswith(f"{first.arg}.") for name in scope.bindings)
        for scope, first in firsts
    )


def _makes_over(evaluator: Evaluator, decorator: ast.expr, owner: Class, name: str) -> bool:
    """Return whether a decorator of the project sets a name on a class, or gives another class for it."""
    called = without_arguments(decorator)
    for one in evaluator.evaluate(called, Frame(owner.facts, owner.place)):
        if not isinstance(one.thing, Function):
            continue
        module = one.thing.facts.module.bindings
        for scope in (one.thing.scope, *one.thing.scope.children):
            given = {
                node.value.id
                for node in ast.walk(scope.node)
                if isinstance(node, ast.Return) and isinstance(node.value, ast.Name)
            }
            bound = (binding for name in given for binding in scope.bindings.get(name, module.get(name, ())))
            if _sets(scope, name) or any(one.kind == "class" for one in bound):
                return True
    return False


def _sets(scope: Scope, name: str) -> bool:
    """Return whether a function sets an attribute of a name on its first parameter, or one whose name is worked out."""
    first = next(parameters(scope.node), None) if isinstance(scope.node, FunctionNode) else None
    if first is None:
        return False
    set_by_name = (site.node.args for site in scope.calls if dotted(site.node.func) == "setattr")
    return f"{first.arg}.{name}" in scope.bindings or any(
        len(given) == 3
        and dotted(given[0]) == first.arg
        and (not isinstance(given[1], ast.Constant) or given[1].value == name)
        for given in set_by_name
    )


def bases(evaluator: Evaluator, owner: Class) -> tuple[Class, ...]:
    """Return the direct base classes that the project defines."""
    known = evaluator.relatives.bases
    if owner.node in known:
        return known[owner.node]
    frame = Frame(owner.facts, owner.place)
    every = (one.thing for base in owner.node.bases for one in evaluator.evaluate(base, frame))
    found = tuple(one for one in every if isinstance(one, Class))
    if all(map(evaluator.is_known, owner.node.bases)):
        known[owner.node] = found
    return found


def foreign_bases(evaluator: Evaluator, owner: Class) -> Iterator[str]:
    """Yield the dotted names of the direct base classes from outside the project."""
    frame = Frame(owner.facts, owner.place)
    for base in owner.node.bases:
        for one in evaluator.evaluate(base, frame):
            if isinstance(one.thing, External):
                yield one.thing.name


def inherits(evaluator: Evaluator, owner: Class, names: Set[str]) -> bool:
    """Return whether a class, or one it inherits from, has a base outside the project by one of some last names."""
    every = (name for one in lineage(evaluator, owner) for name in foreign_bases(evaluator, one))
    return any(name.rpartition(".")[2] in names for name in every)


def lineage(evaluator: Evaluator, owner: Class) -> list[Class]:
    """Return a class and the base classes that the project defines, in the order they are searched for an attribute.

    What stands above two of them comes after both (https://docs.python.org/3/howto/mro.html).
    """
    known = evaluator.relatives
    if owner.node in known.above:
        return [owner, *known.above[owner.node]]
    found: list[Class] = []
    waiting = [owner]
    while waiting and len(found) < _MOST_ANCESTORS:
        one = waiting.pop(0)
        found.append(one)
        waiting[:0] = bases(evaluator, one)
    last = {one.node: place for place, one in enumerate(found)}
    every = [one for place, one in enumerate(found) if last[one.node] == place]
    if every[0] is owner and all(one.node in known.bases for one in found):
        known.above[owner.node] = tuple(every[1:])
    return every


_MOST_ANCESTORS = 40
"""A class that inherits itself would have no end of them."""


def nearest(lineage: Iterable[Class], name: str) -> tuple[Class, Scope] | None:
    """Return the method of this name that the first of the classes to have one defines, and that class."""
    return next(((owner, scope) for owner in lineage if (scope := own_method(owner, name)) is not None), None)


def own_method(owner: Class, name: str) -> Scope | None:
    """Return the method of this name that a class defines itself, or takes from a function: ``__iter__ = numbers``."""
    for scope in owner.scope.children:
        if scope.name == name and isinstance(scope.node, FunctionNode):
            return scope
    given = owner.scope.bindings.get(name, ())
    value = given[0].value if len(given) == 1 and given[0].kind == "assign" else None
    around = owner.scope if isinstance(value, ast.Name) and value.id in owner.scope.bindings else owner.facts.module
    bound = around.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
    if len(bound) != 1 or bound[0].kind != "function":
        return None
    return next((one for one in around.children if one.node is bound[0].node), None)


def method(evaluator: Evaluator, instance: Instance, name: str) -> Function | None:
    """Return the method of this name that the project gives an object, None where it gives none."""
    owner, scope = nearest(lineage(evaluator, instance.of), name) or (None, None)
    if owner is None or scope is None or not isinstance(scope.node, FunctionNode):
        return None
    return Function(owner.facts, scope.node, scope, instance, owner)


def called_as(evaluator: Evaluator, instance: Instance, name: str) -> Function | None:
    """Return the function that a call of a method of an object runs: also one given the name, ``go = Base.run``."""
    for owner in lineage(evaluator, instance.of):
        given = owner.scope.bindings.get(name, ())
        if not given:
            continue
        if any(one.kind != "assign" for one in given):
            break
        value = given[0].value
        found = evaluator.evaluate(value, Frame(owner.facts, given[0].place)) if value is not None else ()
        function = found[0].thing if len(found) == len(given) == 1 else None
        return replace(function, receiver=instance, owner=owner) if isinstance(function, Function) else None
    return method(evaluator, instance, name)


def constructors(owner: Class) -> list[Function]:
    """Return every ``__init__`` that stands in the body of a class itself."""
    return [
        Function(owner.facts, one.node, one, owner=owner)
        for one in owner.scope.children
        if one.name == "__init__" and isinstance(one.node, FunctionNode)
    ]


def constructor(evaluator: Evaluator, owner: Class) -> Function | None:
    """Return the constructor that the project gives a class or the nearest of its bases; None where none does."""
    return next((own for one in lineage(evaluator, owner) for own in constructors(one)), None)


def plain_call(owner: Class) -> ast.Call:
    """Return the call of a class without arguments, as if it stood where the class does."""
    return ast.copy_location(ast.Call(ast.Name(owner.node.name, ast.Load()), [], []), owner.node)


def fields(owner: Class) -> Iterator[tuple[str, ast.expr]]:
    """Yield the fields that a class itself declares, each with its annotation."""
    for statement in owner.node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id, statement.annotation


def is_super_init(call: ast.Call) -> bool:
    """Return whether a call is ``super().__init__(...)``."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr == "__init__" and is_super(function.value)


def names_receiver(frame: Frame, name: str) -> bool:
    """Return whether a name is a method's own object, whose attributes are looked for in all methods anyway."""
    return class_around(frame, name) is not None
