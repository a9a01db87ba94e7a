"""Objects of project classes that a library fills from the command line, one field for each flag.

tyro (``tyro.cli``): the fields of nested classes are flags of their own, a union of classes is a choice of commands, as
is one of objects to start from.
simple_parsing (``parse``, ``add_arguments``) and transformers (``HfArgumentParser``): one object for each class.
draccus and pyrallis (``parse``): one object, nested as its classes are.
A field that the user does not give keeps its default. jsonargparse (``jsonargparse/_cli.py``, ``_run_component``): a
class without public methods gives an object of it, any other what the method that the user chooses gives.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loaderlint.linking.following import functions
from loaderlint.linking.following.commandlines import defaults_chosen
from loaderlint.linking.following.commandlines.given import left_or_given
from loaderlint.linking.following.configurations import opened
from loaderlint.linking.scopes.annotations import annotated
from loaderlint.linking.things import classes, locations
from loaderlint.linking.things.kinds import (
    UNSEEN,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Made,
    Possibilities,
    Possibility,
    Row,
    Thing,
    Unseen,
    end_of,
)
from loaderlint.linking.things.locations import Form
from loaderlint.linking.things.possibilities import one_of, under, unseen
from loaderlint.linking.things.trees import child_of_tree
from loaderlint.model.source import Span
from loaderlint.nodes import last_name
from loaderlint.readers.python import FunctionNode, Scope, parameters
from loaderlint.readers.python_calls import arguments as arguments_of
from loaderlint.readers.python_calls import keywords as keywords_of
from loaderlint.readers.tree import Mapping as TreeMapping
from loaderlint.vocabulary.commandlines import (
    CHOOSES_AN_OBJECT,
    GIVE_OBJECTS,
    PARSERS_OF_CLASSES,
    READS_A_FILE_FIRST,
    RUNS_METHODS,
)

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

DEEPEST_FIELD = 6
"""Objects in the fields of each other; deeper ones are as their class makes them."""


def parsed(evaluator: Evaluator, name: str, call: ast.Call, frame: Frame, span: Span) -> Possibilities | None:
    """Return what ``tyro.cli(Config)`` and its like give; None for a class that is not one of the project's."""
    if name in CHOOSES_AN_OBJECT:
        chosen = defaults_chosen.described(evaluator, call, frame)
        commands = [(one, _each_opened(evaluator, given, f"{span} {one}", span)) for one, given in chosen.items()]
        return one_of(f"{span} command", commands) if commands else None
    keywords = keywords_of(call)
    what = call.args[0] if call.args else keywords.get("config_class")
    if what is None or (name in RUNS_METHODS and "set_defaults" in keywords):
        return None
    if name in READS_A_FILE_FIRST and _reads_a_file(evaluator, call, frame):
        return None
    made = filled(evaluator, what, keywords.get("default"), frame, span)
    if made is None or name not in RUNS_METHODS:
        return made
    whole = keywords.get("return_instance")
    if isinstance(whole, ast.Constant) and whole.value is True:
        return made
    return tuple(way for one in made for way in _by_method(evaluator, one, span))


def _reads_a_file(evaluator: Evaluator, call: ast.Call, frame: Frame) -> bool:
    """Return whether a program names a file whose values come before the defaults of a class."""
    path = arguments_of(call, ("config_class", "config_path")).get("config_path")
    return path is not None and any(isinstance(one.thing, str) for one in evaluator.evaluate(path, frame))


def _by_method(evaluator: Evaluator, one: Possibility, span: Span) -> Possibilities:
    """Return what the methods of an object give, of which the user chooses one; itself where it has none."""
    thing = one.thing
    if not isinstance(thing, Instance):
        return (one,)
    above = classes.lineage(evaluator, thing.of)
    if any(len(classes.bases(evaluator, owner)) < len(owner.node.bases) for owner in above):
        # What it inherits from a library may be methods, too.
        return unseen(span, one.assumptions)
    public = [scope.name for owner in above for scope in owner.scope.children if _is_method(scope)]
    if not public:
        return (one,)
    ways: list[tuple[str, Possibilities]] = []
    for name in dict.fromkeys(public):
        for member in evaluator.attribute_of(thing, name):
            method = member.thing
            if isinstance(method, Function):
                frame = Frame(method.facts, end_of(method.scope), receiver=thing)
                ways.append((name, functions.returned_by(evaluator, method, frame)))
            else:
                ways.append((name, (member,)))
    return under(one_of(f"{span} method", ways), one.assumptions)


def _is_method(scope: Scope) -> bool:
    return isinstance(scope.node, FunctionNode) and not scope.name.startswith("_")


def filled(
    evaluator: Evaluator, what: ast.expr, default: ast.expr | None, frame: Frame, span: Span
) -> Possibilities | None:
    """Return the objects that users can make of an annotation, starting from a default where there is one."""
    subject = str(span)
    if default is not None:
        return _each_opened(evaluator, evaluator.evaluate(default, frame), subject, span)
    ways: list[tuple[str, Possibilities]] = []
    for part in annotated(what):
        for one in evaluator.evaluate(part, frame):
            if isinstance(one.thing, Class):
                plain = _plain(evaluator, one.thing, subject, span)
                made = Possibility(_opened(evaluator, plain, subject, span), span)
                ways.append((one.thing.node.name, under((made,), one.assumptions)))
            elif isinstance(one.thing, Function):
                ways.append((one.thing.scope.name, _result(evaluator, one.thing)))
            for command, objects in defaults_chosen.commands_of(evaluator, one).items():
                ways.append((command, _each_opened(evaluator, objects, f"{subject} {command}", span)))
    return one_of(f"{subject} command", ways) if ways else None


def _each_opened(
    evaluator: Evaluator, objects: Possibilities, subject: str, span: Span, depth: int = 0
) -> Possibilities:
    return tuple(replace(one, thing=_opened(evaluator, one.thing, subject, span, depth)) for one in objects)


def _result(evaluator: Evaluator, function: Function) -> Possibilities:
    """Return what a function gives back to the library that calls it with what the user gives."""
    return functions.returned_by(evaluator, function, Frame(function.facts, end_of(function.scope)))


def _plain(evaluator: Evaluator, owner: Class, subject: str, span: Span) -> Instance:
    """Return the object that a class makes of what a user gives, the same one for each place that parses."""
    frame = Frame(owner.facts, owner.place)
    call = classes.plain_call(owner)

    def made() -> Instance:
        taken = [one.arg for made in classes.constructors(owner) for one in parameters(made.node)]
        given = {name: left_or_given(subject, name, span) for name in taken}
        return Instance(owner, call, frame, given=given)

    return evaluator.remembered(("parsed object", subject, owner.node), frame, made)


def _opened(evaluator: Evaluator, thing: Thing, subject: str, span: Span, depth: int = 0) -> Thing:
    """Return an object with every field as the user may give it, its own value left where the user does not."""
    if not isinstance(thing, Instance) or depth > DEEPEST_FIELD:
        return thing
    changed: dict[str, Possibilities] = {}
    for name, field, frame in _fields(evaluator, thing.of):
        path = f"{subject}.{name}"
        nested = _nested(evaluator, thing, name, field, frame, path, span, depth)
        declared = frame.facts.between(field.target, field.annotation)
        default = _default_written(field.value)
        changed[name] = nested or left_or_given(subject, name, declared, field.annotation, default=default)
    return replace(thing, changed=changed)


def _default_written(value: ast.expr | None) -> object:
    """Return the constant that is written as the default of a field, None where there is none."""
    if isinstance(value, ast.Call):
        value = keywords_of(value).get("default")
    return value.value if isinstance(value, ast.Constant) else None


def _fields(evaluator: Evaluator, owner: Class) -> Iterator[tuple[str, ast.AnnAssign, Frame]]:
    """Yield the fields of a class and of those it inherits from, with the statement that declares each."""
    for one in classes.lineage(evaluator, owner):
        frame = Frame(one.facts, end_of(one.scope))
        for statement in one.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield statement.target.id, statement, frame


def _nested(
    evaluator: Evaluator,
    thing: Instance,
    name: str,
    field: ast.AnnAssign,
    frame: Frame,
    path: str,
    span: Span,
    depth: int,
) -> Possibilities:
    """Return what a field that holds an object of a project class can be, none for any other field."""
    annotations = [one for part in annotated(field.annotation) for one in evaluator.evaluate(part, frame)]
    named = {one.thing.node: one.thing for one in annotations if isinstance(one.thing, Class)}
    if not named:
        return ()
    held = evaluator.attribute_of(thing, name)
    chosen = [(way, objects) for one in held for way, objects in defaults_chosen.of_field(evaluator, one).items()]
    if chosen:
        opened_each = ((way, _each_opened(evaluator, one, f"{path} {way}", span, depth + 1)) for way, one in chosen)
        return one_of(f"{path} command", [*opened_each])
    defaults = [one for one in held if isinstance(one.thing, Instance)]
    if (
        not defaults
        and _has_default(field.value)
        and any(isinstance(one.thing, External | Made | Unseen) for one in held)
    ):
        # It starts from what nobody follows, and not from what its class alone would be.
        return unseen(span)
    ways: list[tuple[str, Possibilities]] = []
    for one in defaults:
        assert isinstance(one.thing, Instance)
        opened = replace(one, thing=_opened(evaluator, one.thing, path, span, depth + 1))
        ways.append((f"default {one.thing.of.node.name}", (opened,)))
        named.pop(one.thing.of.node, None)
    if defaults and all(_is_base(evaluator, one, defaults) for one in named.values()):
        named = {}
    for owner in named.values():
        plain = _plain(evaluator, owner, path, span)
        ways.append((owner.node.name, (Possibility(_opened(evaluator, plain, path, span, depth + 1), span),)))
    return one_of(f"{path} command", ways)


def _has_default(written: ast.expr | None) -> bool:
    """Return whether a field says what it starts from, by what is written for its value."""
    if isinstance(written, ast.Call) and last_name(written.func).lower() == "field":
        return any(one.arg in ("default", "default_factory", "factory", None) for one in written.keywords)
    return written is not None


def _is_base(evaluator: Evaluator, owner: Class, objects: list[Possibility]) -> bool:
    """Return whether a class is only what the objects have in common, so that no object of its own is made."""
    return any(
        any(one.node is owner.node for one in classes.lineage(evaluator, made.thing.of))
        for made in objects
        if isinstance(made.thing, Instance)
    )


def method(
    evaluator: Evaluator, owner: Possibility, node: ast.Call, name: str, frame: Frame, span: Span
) -> Possibilities | None:
    """Return the objects that a method of transformers' ``HfArgumentParser`` gives, None for any other method.

    ``transformers/hf_argparser.py``: one object for each class, in the order the parser was given them.
    """
    parser = owner.thing
    if name not in GIVE_OBJECTS or not _asks(parser):
        return None
    assert isinstance(parser, Made)
    parts = _classes_asked(parser)
    if parts is None:
        return None
    if name == "parse_dict" and node.args:
        handed = ast.keyword(None, node.args[0])
        items = [_made_of(evaluator, part, handed, parser.frame, frame, span) for part in parts]
    elif name in _READ_A_FILE and (roots := _roots_of(evaluator, node, frame)):
        items = [_filled_from(evaluator, part, roots, parser.frame, span) for part in parts]
    else:
        items = [filled(evaluator, part, None, parser.frame, span) or unseen(span) for part in parts]
        rest = keywords_of(node).get("return_remaining_strings")
        if isinstance(rest, ast.Constant) and rest.value is True:
            items.append(unseen(span))
    return (Possibility(Row(tuple(items)), span),)


def kinds_asked(evaluator: Evaluator, node: ast.Call, frame: Frame) -> list[Possibilities]:
    """Return what the classes can be that a call such as ``parser.parse_args_into_dataclasses()`` gives objects of."""
    if not isinstance(node.func, ast.Attribute):
        return []
    for one in evaluator.evaluate(node.func.value, frame):
        parts = _classes_asked(one.thing) if isinstance(one.thing, Made) and _asks(one.thing) else None
        if parts is not None and isinstance(one.thing, Made):
            return [evaluator.evaluate(part, one.thing.frame) for part in parts]
    return []


def _asks(parser: Thing) -> bool:
    return isinstance(parser, Made) and parser.callee in PARSERS_OF_CLASSES


def _classes_asked(parser: Made) -> list[ast.expr] | None:
    """Return the classes that a parser is given, None where they were not seen."""
    what = arguments_of(parser.call, ("dataclass_types",)).get("dataclass_types")
    if what is None:
        return None
    return what.elts if isinstance(what, ast.Tuple | ast.List) else [what]


_READ_A_FILE = ("parse_json_file", "parse_yaml_file")
"""Those that read a file, whose values come before the defaults, and no command line."""


def _made_of(
    evaluator: Evaluator, what: ast.expr, handed: ast.keyword, types: Frame, frame: Frame, span: Span
) -> Possibilities:
    """Return the object that a class makes of a dictionary, taking what it has fields for."""
    found: list[Possibility] = []
    for one in evaluator.evaluate(what, types):
        if isinstance(one.thing, Class):
            call = ast.copy_location(ast.Call(what, [], [handed]), what)
            found.append(replace(one, thing=Instance(one.thing, call, frame), span=span))
        else:
            found.extend(unseen(span, one.assumptions))
    return tuple(found)


def _roots_of(evaluator: Evaluator, node: ast.Call, frame: Frame) -> Mapping[str, TreeMapping]:
    """Return what the files say that a call reads, by their paths; none where a user names one or it was not seen."""
    named = (one.value for one in node.keywords if one.arg in ("json_file", "yaml_file"))
    path = next(iter([*node.args, *named]), None)
    found: dict[str, TreeMapping] = {}
    for location, _ in locations.of(evaluator, path, frame) if path is not None else ():
        if location is None or location.given or location.form not in (Form.NAME, Form.PATH):
            return {}
        file = opened.at(evaluator, location, frame.facts.source.path)
        root = file.documents[0].root if file is not None and len(file.documents) == 1 else None
        if not isinstance(root, TreeMapping):
            return {}
        found[root.span.path] = root
    return found


def _filled_from(
    evaluator: Evaluator, what: ast.expr, roots: Mapping[str, TreeMapping], types: Frame, span: Span
) -> Possibilities:
    """Return the object that a class makes of one of some files, with its own defaults for what that does not say."""
    ways: list[tuple[str, Possibilities]] = []
    for path, root in roots.items():
        found: list[Possibility] = []
        for one in evaluator.evaluate(what, types):
            made = _said_by(evaluator, one.thing, root, span) if isinstance(one.thing, Class) else UNSEEN
            found.append(replace(one, thing=made, span=span))
        ways.append((path, tuple(found)))
    return one_of(f"the file read at {span}", ways)


def _said_by(evaluator: Evaluator, owner: Class, root: TreeMapping, span: Span) -> Instance:
    label = owner.node.name
    said = {
        name: child_of_tree(root, name, span, f"{label}({name}=…)")
        for name, _, _ in _fields(evaluator, owner)
        if root.get(name) is not None
    }
    return Instance(owner, classes.plain_call(owner), Frame(owner.facts, owner.place), said)
