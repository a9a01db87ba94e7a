"""Project classes whose objects are nothing but dictionaries read by attribute: ``AttrDict``, ``HParams`` and the like.

Three shapes are in use: a subclass of ``dict`` whose ``__dict__`` is itself or whose ``__getattr__`` looks up its keys;
a class whose constructor sets every key of what it is given as an attribute, nested dictionaries made objects of the
class; and one that keeps what it is given in a dictionary of its own, in which its ``__getattr__`` looks. That may have
methods that put a value into the dictionary by the name of its key: what a program so sets is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.files.words import as_bytes
from loaderlint.linking.things.classes import bases
from loaderlint.linking.things.dictionaries import items_of_call
from loaderlint.linking.things.kinds import Class, External, Frame, Function, Items, Possibilities, Possibility, end_of
from loaderlint.linking.things.possibilities import unseen
from loaderlint.model.setting_words import MUTATORS
from loaderlint.readers.python import dotted
from loaderlint.readers.python_calls import arguments as arguments_of

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_DICTIONARIES = frozenset({"builtins.dict", "collections.OrderedDict"})
_NAMESPACES = frozenset({"argparse.Namespace", "types.SimpleNamespace", "easydict.EasyDict"})
"""What makes an object that has no attributes where it is given nothing."""
_ITSELF = "self"
"""What methods call their object (PEP 8, "Function and Method Arguments")."""


_LIKE_A_DICTIONARY = frozenset(
    {"keys", "values", "items", "get", "update", "copy", "to_dict", "todict", "as_dict", "toDict", "dict", "pop"}
)
"""Methods that a record may have besides special ones without being more than its keys."""

_MISSING = "__missing__"
"""The method that gives something for a key which is not there (Python's docs, ``dict``)."""
_ATTRIBUTE_METHODS = ("__getattr__", "__getattribute__", "__getitem__")


def made(evaluator: Evaluator, owner: Class, node: ast.Call, frame: Frame) -> Possibilities | None:
    """Return the dictionary that a call of a class makes, None where its objects are more than that."""
    if not is_record(evaluator, owner):
        return None
    keys = _put_later(evaluator, owner)
    if keys is None:
        return None
    if keys:
        span = frame.facts.span(node)
        items = items_of_call(evaluator, node, frame)
        return (Possibility(replace(items, entries={**items.entries, **dict.fromkeys(keys, unseen(span))}), span),)
    names, kept = _parameter_kept(owner)
    if kept is not None:
        given = arguments_of(node, names).get(kept)
        whole = evaluator.evaluate(given, frame) if given is not None else ()
        seen = tuple(one for one in whole if one.thing is not None)
        return seen or (Possibility(Items({}), frame.facts.span(node)),)
    if len(node.args) == 1 and not node.keywords:
        return evaluator.evaluate(node.args[0], frame)
    if not node.args and [one.arg for one in node.keywords] == [None]:
        return evaluator.evaluate(node.keywords[0].value, frame)
    return (Possibility(items_of_call(evaluator, node, frame), frame.facts.span(node)),)


def _parameter_kept(owner: Class) -> tuple[list[str], str | None]:
    """Return the parameters of a constructor and the one that a dictionary is made of, None where it takes any keys.

    The others say how: what keys a user may add, or the path that led to a dictionary in the dictionary.
    """
    constructor = next((one for one in owner.node.body if _is_constructor(one)), None)
    if not isinstance(constructor, ast.FunctionDef) or constructor.args.vararg or constructor.args.kwarg:
        return [], None
    names = [one.arg for one in constructor.args.args[1:]]
    calls = (one.value for one in constructor.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call))
    handed = [one.id for call in calls for one in call.args if isinstance(one, ast.Name) and one.id in names]
    return names, handed[0] if len(handed) == 1 else None


def _is_constructor(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name == "__init__"


def converted(evaluator: Evaluator, function: Function, call: ast.Call, frame: Frame) -> Possibilities | None:
    """Return the dictionary of which a function makes a namespace, nested ones, too; None where it does anything else.

    ``dict2namespace(yaml.safe_load(file))``: what is in the dictionary is read as attributes then.
    """
    node = function.node
    if not isinstance(node, ast.FunctionDef) or len(call.args) != 1 or call.keywords:
        return None
    known = evaluator.once(("converts", id(node)), False, lambda: _converts(evaluator, function, node))
    return evaluator.evaluate(call.args[0], frame) if known else None


def _converts(evaluator: Evaluator, function: Function, node: ast.FunctionDef) -> bool:
    taken = [one.arg for one in node.args.args]
    match [one for one in node.body if not says_nothing(one)]:
        case [
            ast.Assign([ast.Name(made)], ast.Call(maker, [], [])),
            ast.For(ast.Tuple([ast.Name(key), ast.Name(value)]), source, body, []),
            ast.Return(ast.Name(returned)),
        ] if made == returned and len(taken) == 1 and not node.decorator_list:
            found = evaluator.evaluate(maker, Frame(function.facts, end_of(function.scope)))
            plain = all(isinstance(one.thing, External) and one.thing.name in _NAMESPACES for one in found)
            each = bool(found) and plain and ast.unparse(source) == f"{taken[0]}.items()"
            return each and _all_set(_under_one_name(body, value, node.name), (made, key, value), (node.name,))
    return False


def _under_one_name(body: list[ast.stmt], value: str, own: str) -> list[ast.stmt]:
    """Return the statements of a loop without another name for a value, or for the namespace made of it."""
    match body:
        case [ast.If(_, [ast.Assign([ast.Name(name)], made)], [ast.Assign([ast.Name(same)], kept)]), last] if (
            name == same and ast.unparse(made) == f"{own}({value})" and ast.unparse(kept) == value
        ):
            call = last.value if isinstance(last, ast.Expr) else None
            if isinstance(call, ast.Call) and len(call.args) == 3 and dotted(call.args[2]) == name:
                renamed = ast.Call(call.func, [*call.args[:2], ast.Name(value, ast.Load())], [])
                return [ast.copy_location(ast.Expr(ast.copy_location(renamed, call)), last)]
    return body


def is_record(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether an object of a class holds what its constructor is given, key by key, and nothing else."""
    methods = {one.name: one for one in owner.node.body if isinstance(one, ast.FunctionDef)}
    others = [one for one in owner.node.body if not isinstance(one, ast.FunctionDef) and not says_nothing(one)]
    special = {name for name in methods if name.startswith("__") and name.endswith("__")}
    holder = _own_dictionary(methods.get("__init__"))
    putting = {name for name, one in methods.items() if holder is not None and _puts(one, holder)}
    if bases(evaluator, owner) or methods.keys() - special - _LIKE_A_DICTIONARY - putting:
        return False
    if holder is not None:
        looked_up = methods.get("__getattr__")
        return (
            not others
            and special <= {"__init__", "__getattr__"}
            and looked_up is not None
            and _looks_up(looked_up, owner.node.name, holder)
        )
    if "__setitem__" in methods and not _stores(methods["__setitem__"]):
        return False
    if _MISSING in methods and not all(isinstance(one, ast.Raise) for one in methods[_MISSING].body):
        return False
    if not all(_looks_up(methods[name], owner.node.name) for name in _ATTRIBUTE_METHODS if name in methods):
        return False
    constructor = methods.get("__init__")
    if is_dictionary(evaluator, owner):
        attributes = all(is_attribute_access(one) for one in others)
        return attributes and (constructor is None or _keeps_keys(constructor, owner, dictionary=True))
    return not others and constructor is not None and _keeps_keys(constructor, owner, dictionary=False)


def is_dictionary(evaluator: Evaluator, owner: Class) -> bool:
    """Return whether a class is a dictionary of Python's."""
    frame = Frame(owner.facts, owner.place)
    found = [one.thing for base in owner.node.bases for one in evaluator.evaluate(base, frame)]
    return bool(found) and all(isinstance(one, External) and one.name in _DICTIONARIES for one in found)


def says_nothing(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring or ``pass``."""
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def is_attribute_access(statement: ast.stmt, dictionary: str = "dict") -> bool:
    """Return whether a statement of a class body is ``__getattr__ = dict.__getitem__`` or one like it."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Attribute(owner, method)) if dotted(owner) == dictionary:
            return method == name or method in _THE_SAME_BY_ATTRIBUTE.get(name, ())
    return False


_THE_SAME_BY_ATTRIBUTE = {
    "__getattr__": ("__getitem__", "get"),
    "__setattr__": ("__setitem__",),
    "__delattr__": ("__delitem__",),
    "__dir__": ("keys",),
}
"""The methods of a dictionary that do with a key it has what a special method does with an attribute of that name.

docs.python.org, "Data model", "Customizing attribute access".
"""


def _own_dictionary(constructor: ast.FunctionDef | None) -> str | None:
    """Return the attribute in which a constructor keeps its keyword arguments, all of them and nothing else."""
    if constructor is None or constructor.args.kwarg is None or len(constructor.args.args) != 1:
        return None
    receiver, given = constructor.args.args[0].arg, constructor.args.kwarg.arg
    first, *rest = [one for one in constructor.body if not says_nothing(one)] or [constructor]
    if not (isinstance(first, ast.Assign) and len(first.targets) == 1):
        return None
    owner, _, holder = (dotted(first.targets[0]) or "").partition(".")
    if owner != receiver or not holder or "." in holder:
        return None
    if not rest:
        return holder if ast.unparse(first.value) in (given, f"dict({given})", f"dict(**{given})") else None
    if ast.unparse(first.value) not in ("{}", "dict()") or len(rest) > 1:
        return None
    kept = f"{receiver}.{holder}"
    match rest[0]:
        case ast.For(ast.Tuple([ast.Name(key), ast.Name(value)]), source, [stored], []):
            each = ast.unparse(source) == f"{given}.items()" and ast.unparse(stored) == f"{kept}[{key}] = {value}"
            return holder if each else None
    return holder if ast.unparse(rest[0]) in (f"{kept}.update({given})", f"{kept}.update(**{given})") else None


def _puts(method: ast.FunctionDef, holder: str) -> bool:
    """Return whether a method does nothing but put what it is given into a dictionary of its object."""
    if len(method.args.args) != 3:
        return False
    receiver, key, value = (one.arg for one in method.args.args)
    body = [ast.unparse(one) for one in method.body if not says_nothing(one)]
    return body == [f"{receiver}.{holder}[{key}] = {value}"]


def _put_later(evaluator: Evaluator, owner: Class) -> list[str] | None:
    """Return the keys that code puts into objects of a class by such methods; None where not each of them is seen."""
    return evaluator.once(("put later", id(owner.node)), None, lambda: _keys_put(evaluator, owner))


def _keys_put(evaluator: Evaluator, owner: Class) -> list[str] | None:
    methods = [one for one in owner.node.body if isinstance(one, ast.FunctionDef)]
    holder = _own_dictionary(next((one for one in methods if one.name == "__init__"), None))
    if holder is None:
        return []
    keys: list[str] = []
    inside = {id(one) for one in ast.walk(owner.node)}
    for method in (one for one in methods if _puts(one, holder)):
        called = {id(site.node.func) for _, site in evaluator.callers.sites(method.name)}
        if any(id(node) not in called for node, _ in _attributes(evaluator, method.name)):
            return None
        for _, site in evaluator.callers.sites(method.name):
            match site.node:
                case ast.Call(args=[ast.Constant(str(key)), *_]):
                    keys.append(key)
                case _:
                    return None
    others = (one for one in _attributes(evaluator, holder) if id(one[0]) not in inside)
    return None if any(_changes(node, around) for node, around in others) else keys


def _attributes(evaluator: Evaluator, name: str) -> Iterator[tuple[ast.Attribute, ast.AST]]:
    """Yield where a project names an attribute, each with the node that it stands right inside."""
    for facts in evaluator.project.all_python():
        if as_bytes(f".{name}") in facts.source.content:
            yield from facts.attributes.get(name, ())


def _changes(node: ast.Attribute, around: ast.AST) -> bool:
    """Return whether a dictionary is changed there, but for one that an object keeps itself: ``self.data[0] = 1``."""
    if isinstance(node.value, ast.Name) and node.value.id == _ITSELF:
        return False
    if isinstance(around, ast.Subscript) and around.value is node:
        return not isinstance(around.ctx, ast.Load)
    return isinstance(around, ast.Attribute) and around.attr in MUTATORS


def _looks_up(method: ast.FunctionDef, own: str, holder: str | None = None) -> bool:
    """Return whether a method returns nothing but what its object has under the name it is given.

    ``own`` is the class: a dictionary that is found may be made an object of it, too. ``holder`` is the attribute that
    keeps the dictionary in which alone the method looks, where it is not the object itself.
    """
    if holder is not None and len(method.args.args) == 2:
        receiver, name = (one.arg for one in method.args.args)
        return _returns_alone(method, (f"{receiver}.{holder}[{name}]", f"{receiver}.{holder}.get({name})"), own)
    if method.args.vararg is not None and not method.args.args:
        forms: tuple[str, ...] = tuple(f"dict.{one}(*{method.args.vararg.arg})" for one in ("get", "__getitem__"))
    elif len(method.args.args) == 2:
        receiver, name = (one.arg for one in method.args.args)
        forms = (
            f"{receiver}[{name}]",
            f"{receiver}.get({name})",
            f"getattr({receiver}, {name})",
            f"{receiver}.__dict__[{name}]",
            f"super().__getitem__({name})",
            f"dict.__getitem__({receiver}, {name})",
        )
    else:
        return False
    return _returns_alone(method, forms, own)


def _returns_alone(method: ast.FunctionDef, forms: tuple[str, ...], own: str) -> bool:
    """Return whether a method returns nothing but expressions of some forms, or what a name has of them."""
    every = [*ast.walk(method)]
    kept = {
        target.id
        for one in every
        if isinstance(one, ast.Assign) and ast.unparse(one.value) in forms
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    returned = [one.value for one in every if isinstance(one, ast.Return)]
    stored = [one.id for one in every if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    once = {name for name in kept if stored.count(name) == 1}
    return bool(returned) and all(one is not None and _is_found(one, (*forms, *once), own) for one in returned)


def _stores(method: ast.FunctionDef) -> bool:
    """Return whether a method does nothing but put what it is given under the key that it is given."""
    if len(method.args.args) != 3:
        return False
    receiver, key, value = (one.arg for one in method.args.args)
    forms = (
        f"super().__setitem__({key}, {value})",
        f"dict.__setitem__({receiver}, {key}, {value})",
        f"{receiver}.__dict__[{key}] = {value}",
        f"setattr({receiver}, {key}, {value})",
        f"{receiver}.__setattr__({key}, {value})",
        f"super().__setattr__({key}, {value})",
        f"object.__setattr__({receiver}, {key}, {value})",
    )
    return all(says_nothing(one) or ast.unparse(one).removeprefix("return ") in forms for one in method.body)


def _is_found(node: ast.expr, forms: tuple[str, ...], own: str) -> bool:
    if isinstance(node, ast.IfExp):
        return _is_found(node.body, forms, own) and _is_found(node.orelse, forms, own)
    if isinstance(node, ast.Call) and dotted(node.func) == own and len(node.args) == 1 and not node.keywords:
        return _is_found(node.args[0], forms, own)
    return ast.unparse(node) in forms


def _keeps_keys(constructor: ast.FunctionDef, owner: Class, *, dictionary: bool) -> bool:
    """Return whether a constructor does nothing but keep what it is given, each key under its name."""
    arguments = constructor.args
    if arguments.kwonlyargs or not arguments.args:
        return False
    receiver, *names = [one.arg for one in arguments.args]
    given = {*names, *(one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None)}
    kept = False
    for statement in constructor.body:
        if says_nothing(statement) or ast.unparse(statement) == f"{receiver}.__dict__ = {receiver}":
            continue
        if dictionary and (_fills_in(statement, given) or _converts_in_place(statement, given, owner)):
            continue
        handed = _handed_to_dictionary(statement, receiver, owner) if dictionary else None
        if handed == []:
            continue
        if not (
            (handed is not None and all(dotted(one) in given for one in handed))
            or _updates_all(statement, receiver, given)
            or sets_each(statement, receiver, given, owner)
        ):
            return False
        kept = True
    return kept


_FORMS_WITH_A_DEFAULT = tuple(
    form.format(empty, "{0}")
    for empty in ("{{}}", "dict()", "[]")
    for form in ("{0} if {1} is None else {1}", "{0} if not {1} else {1}", "{1} or {0}")
)


def _fills_in(statement: ast.stmt, given: set[str]) -> bool:
    """Return whether a statement gives a parameter an empty default: ``keys = [] if keys is None else keys``."""
    match statement:
        case ast.Assign([ast.Name(name)], value) if name in given:
            return ast.unparse(value) in [form.format(name) for form in _FORMS_WITH_A_DEFAULT]
    return False


def _converts_in_place(statement: ast.stmt, given: set[str], owner: Class) -> bool:
    """Return whether a statement makes objects of the class of the dictionaries in the one that was given."""
    match statement:
        case ast.For(
            ast.Tuple([ast.Name(key), ast.Name(value)]),
            ast.Call(ast.Attribute(ast.Name(whole), "items"), [], []),
            [ast.If(test, [ast.Assign([place], ast.Call(ast.Name(made), [ast.Name(nested), *_], _))], [])],
            [],
        ) if whole in given:
            asked = ast.unparse(test) in (
                f"type({value}) is dict",
                f"type({value}) == dict",
                f"isinstance({value}, dict)",
            )
            return asked and ast.unparse(place) == f"{whole}[{key}]" and (made, nested) == (owner.node.name, value)
    return False


def _handed_to_dictionary(statement: ast.stmt, receiver: str, owner: Class) -> list[ast.expr] | None:
    """Return what a statement makes a dictionary of by the constructor above, None where it is no such call."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return None
    above = ("super().__init__", f"super({owner.node.name}, {receiver}).__init__")
    itself = [] if ast.unparse(call.func) in above else [receiver]
    if (itself and dotted(call.func) != "dict.__init__") or [dotted(one) for one in call.args[: len(itself)]] != itself:
        return None
    positional = (one.value if isinstance(one, ast.Starred) else one for one in call.args[len(itself) :])
    return [*positional, *(one.value for one in call.keywords)]


def _updates_all(statement: ast.stmt, receiver: str, given: set[str]) -> bool:
    """Return whether a statement is ``self.__dict__.update(given)`` or ``self.update(given)``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) + len(call.keywords) != 1:
        return False
    argument = call.args[0] if call.args else call.keywords[0].value
    return dotted(call.func) in (f"{receiver}.__dict__.update", f"{receiver}.update") and dotted(argument) in given


def sets_each(statement: ast.stmt, receiver: str, given: set[str], owner: Class) -> bool:
    """Return whether a statement sets every key of what was given on the object, as it is or made an object, too."""
    if not isinstance(statement, ast.For) or statement.orelse or not isinstance(statement.target, ast.Tuple):
        return False
    items = statement.iter
    if not isinstance(items, ast.Call) or (dotted(items.func) or "").removesuffix(".items") not in given:
        return False
    key, value = (dotted(one) for one in statement.target.elts) if len(statement.target.elts) == 2 else (None, None)
    if key is None or value is None:
        return False
    own = (owner.node.name, f"type({receiver})", f"{receiver}.__class__")
    return _all_set(statement.body, (receiver, key, value), own)


def _all_set(body: list[ast.stmt], names: tuple[str, str, str], own: tuple[str, ...]) -> bool:
    """Return whether statements set the key to the value, on every way through them."""
    receiver, key, value = names
    is_set = False
    for statement in body:
        if isinstance(statement, ast.If):
            if _all_set(statement.body, names, own) and _all_set(statement.orelse, names, own):
                is_set = True
                continue
            converted = [one for one in statement.body if _assigns(one, value) is not None]
            if statement.orelse or len(converted) != len(statement.body):
                return False
            if not all(_is_the_value(_assigns(one, value), value, own) for one in converted):
                return False
            continue
        target, given = _setting(statement, receiver)
        if target != key or not _is_the_value(given, value, own):
            return False
        is_set = True
    return is_set


def _assigns(statement: ast.stmt, name: str) -> ast.expr | None:
    if isinstance(statement, ast.Assign) and [dotted(one) for one in statement.targets] == [name]:
        return statement.value
    return None


def _setting(statement: ast.stmt, receiver: str) -> tuple[str | None, ast.expr | None]:
    """Return the key that a statement sets on the object, and what it sets it to."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Subscript) and dotted(target.value) in (receiver, f"{receiver}.__dict__"):
            return dotted(target.slice), statement.value
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or dotted(call.func) != "setattr" or len(call.args) != 3:
        return None, None
    target, key, value = call.args
    return (dotted(key), value) if dotted(target) == receiver else (None, None)


def _is_the_value(node: ast.expr | None, value: str, own: tuple[str, ...]) -> bool:
    """Return whether an expression is the value itself, or an object of the class that holds it; lists item by item."""
    if node is None:
        return False
    if isinstance(node, ast.IfExp):
        return _is_the_value(node.body, value, own) and _is_the_value(node.orelse, value, own)
    if isinstance(node, ast.ListComp) and len(node.generators) == 1 and not node.generators[0].ifs:
        item = dotted(node.generators[0].target)
        return dotted(node.generators[0].iter) == value and item is not None and _is_the_value(node.elt, item, own)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in own and len(node.args) + len(node.keywords) == 1:
        return dotted(node.args[0] if node.args else node.keywords[0].value) == value
    return dotted(node) == value
