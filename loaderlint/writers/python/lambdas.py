"""Writing a lambda as a function: its name, its parameters, its body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst
from msgspec import Struct

from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.captures import Scopes
from loaderlint.writers.python.places import nodes

_TRANSFORMS = frozenset({"Lambda", "set_transform", "with_transform"})
"""What takes a function that makes something else of a sample (torchvision, datasets)."""
_LOADER = re.compile(
    r"(?:^|_)(train(?:ing)?|val(?:id(?:ation)?)?|eval(?:uation)?|test(?:ing)?|dev|predict)_?(?:data)?_?(?:loader|dl)"
)
_MAKES = re.compile(r"^(?:get|make|build|create)_")
"""What the names of functions begin with that say what they return."""
_TYPE = re.compile(r"#\s*type:(?!\s*ignore\b)")


def described(scopes: Scopes, node: cst.Lambda) -> tuple[str, ...]:
    """Return names for a lambda, the best first.

    It has that of the keyword, item, name or parameter it is given to, with the purpose of its loader if that is taken,
    or else is named after what it does, what it is handed to or what returns it.
    """
    for outer in scopes.ancestors(node):
        if isinstance(outer, cst.Arg) and outer.keyword is None:
            callee = _last_name(scopes.parents[outer])
            if callee == "staticmethod":
                # It gives what it is handed.
                continue
            if callee in _TRANSFORMS:
                return (_transform_name(scopes, outer, node),)
            made = _made_by(scopes, scopes.parents[outer])
            if callee == "defaultdict" and made is not None:
                return (f"default_of_{made}",)
            return (f"{_snake_case(callee)}_function" if callee else "function",)
        name = _given_to(outer)
        if name is not None:
            purpose = _purpose(scopes, outer)
            return (name, f"{purpose}_{name}") if purpose and isinstance(outer, cst.Arg) else (name,)
        if isinstance(outer, cst.Return):
            return (_returned_by(scopes, outer),)
        if isinstance(outer, cst.BaseStatement):
            break
    return ("function",)


def _made_by(scopes: Scopes, call: cst.CSTNode) -> str | None:
    """Return what the result of a call is given to, by itself or at its place among others: ``a, b = f(), g()``."""
    around = scopes.parents[call]
    several = scopes.parents[around]
    if not (isinstance(around, cst.Element) and isinstance(several, cst.Tuple)):
        return _given_to(around)
    statement = scopes.parents[several]
    names = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    if not isinstance(names, cst.Tuple) or len(names.elements) != len(several.elements):
        return None
    if any(isinstance(one, cst.StarredElement) for one in (*names.elements, *several.elements)):
        return None
    at = next(place for place, one in enumerate(several.elements) if one is around)
    return _last_name(names.elements[at].value) or None


def _returned_by(scopes: Scopes, statement: cst.Return) -> str:
    """Return a name for a lambda that a function returns: what the function says that it makes, or whose it is."""
    maker = next((one.name.value for one in scopes.ancestors(statement) if isinstance(one, cst.FunctionDef)), "")
    made = _MAKES.sub("", maker.strip("_"))
    if not made:
        return "function"
    return _telling(made) if made != maker.strip("_") else f"{made}_function"


def _given_to(node: cst.CSTNode) -> str | None:
    """Return the keyword, item, name or parameter that what stands inside this node is given to."""
    if isinstance(node, cst.Arg) and node.keyword is not None:
        return node.keyword.value
    if isinstance(node, cst.Param):
        return _telling(node.name.value)
    if isinstance(node, cst.DictElement) and isinstance(node.key, cst.SimpleString):
        key = node.key.evaluated_value
        if isinstance(key, str) and key.isidentifier():
            return _telling(key)
    if isinstance(node, cst.Assign | cst.AnnAssign):
        return _last_name(node.targets[0].target if isinstance(node, cst.Assign) else node.target) or None
    return None


def _telling(name: str) -> str:
    """Return a name for a function of a module: one that only says something where it stands says what it is."""
    return name if len(name) > 2 else f"{name}_function"


def _last_name(node: cst.CSTNode) -> str:
    """Return the last part of a dotted name, or of that of what is called; empty where there is none."""
    node = node.func if isinstance(node, cst.Call) else node
    last = node.attr if isinstance(node, cst.Attribute) else node
    return last.value if isinstance(last, cst.Name) else ""


def _purpose(scopes: Scopes, node: cst.CSTNode) -> str:
    """Return what the loader is for that is made around a node: ``train`` in ``train_loader = …``, empty if unsaid."""
    for outer in scopes.ancestors(node):
        name = ""
        if isinstance(outer, cst.Assign):
            name = _last_name(outer.targets[0].target)
        elif isinstance(outer, cst.FunctionDef):
            name = outer.name.value
        if found := _LOADER.search(name):
            return found[1]
    return ""


def _transform_name(scopes: Scopes, argument: cst.Arg, node: cst.Lambda) -> str:
    """Return a name for a function that makes something else of a sample: what it does, or which transform it is of.

    One that is a transform all by itself has the name that this is given to.
    """
    call, *around = scopes.ancestors(argument)
    alone = _given_to(around[0]) or ""
    if "transform" not in alone and (done := _done_by(node)):
        return done
    outer = next((one for one in around if _given_to(one) is not None), call)
    name = _given_to(outer) or ""
    if "transform" in name:
        return name
    return f"{name}_transform" if isinstance(outer, cst.DictElement) else "transform"


def _done_by(node: cst.Lambda) -> str:
    """Return what a lambda's call does with what it is handed, in words of the program; empty where it says little."""
    # What it does to some of what it is handed says it best: ``image.convert("RGB") if colored else image``.
    arms = (node.body.body, node.body.orelse) if isinstance(node.body, cst.IfExp) else (node.body,)
    call = next((one for one in arms if isinstance(one, cst.Call)), None)
    done = _last_name(call).strip("_") if call is not None else ""
    if len(done) < 3 or not done.islower():
        return ""
    handed = [one.name.value.strip("_") for one in node.params.params if one.default is None]
    return f"{done}_{handed[0]}" if len(handed) == 1 and len(handed[0]) > 2 else done


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Types(Struct, frozen=True):
    """What a function is annotated with: its parameters, one after the other, and its result."""

    parameters: Iterable[cst.BaseExpression]
    result: cst.BaseExpression


def types_said(annotation: cst.BaseExpression, node: cst.Lambda) -> Types | None:
    """Return the types that ``Callable[[…], …]`` says of a lambda, None when an annotation does not say them."""
    match annotation:
        case cst.Subscript(
            value=cst.Name("Callable") | cst.Attribute(attr=cst.Name("Callable")),
            slice=[
                cst.SubscriptElement(cst.Index(cst.List(elements))),
                cst.SubscriptElement(cst.Index(result)),
            ],
        ) if len(elements) == len(node.params.params) and _is_plain(node.params):
            return Types([one.value for one in elements], result)
    return None


def _is_plain(parameters: cst.Parameters) -> bool:
    """Return whether there are only parameters that can be given by position."""
    return parameters.with_changes(params=()).deep_equals(cst.Parameters())


def function_of(node: cst.Lambda, name: str, captured: Iterable[str], types: Types | None) -> cst.FunctionDef:
    """Return a lambda as a function with the captured names as leading parameters, annotated if there are types."""
    parameters = with_leading(node.params, captured)
    if types is not None:
        parameters = _annotated(parameters, iter(types.parameters))
    returned = cst.SimpleStatementLine([cst.Return(_on_its_own(node.body))])
    return cst.FunctionDef(
        cst.Name(name),
        parameters,
        cst.IndentedBlock([returned]),
        returns=cst.Annotation(types.result.deep_clone()) if types is not None else None,
    )


def with_behind(function: cst.FunctionDef, behind: cst.TrailingWhitespace) -> cst.FunctionDef:
    """Return a function of one line with what stood behind the statement it was, a comment among it, behind that line.

    Raises `CannotRewrite` for a comment that says the type of what the statement assigned (PEP 484).
    """
    if behind.comment is not None and _TYPE.match(behind.comment.value):
        raise CannotRewrite(f"the comment {behind.comment.value!r} is about what it is assigned to")
    returned = function.body.body[0].with_changes(trailing_whitespace=behind)
    return function.with_changes(body=function.body.with_changes(body=[returned]))


def _on_its_own(body: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression as it can stand outside brackets: in parentheses when it goes over several lines."""
    breaks = any(isinstance(one, cst.ParenthesizedWhitespace) for one in nodes(body))
    if not breaks or body.lpar or isinstance(body, cst.Call | cst.List | cst.Dict | cst.Set | cst.Subscript):
        return body
    return body.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def with_leading(parameters: cst.Parameters, captured: Iterable[str]) -> cst.Parameters:
    """Return the parameters with others in front."""
    leading = [cst.Param(cst.Name(name)) for name in captured]
    if parameters.posonly_params:
        return parameters.with_changes(posonly_params=[*leading, *parameters.posonly_params])
    return parameters.with_changes(params=[*leading, *parameters.params])


def is_typed(module: cst.Module) -> bool:
    """Return whether every function of the module says what it returns."""
    functions = [one for one in nodes(module) if isinstance(one, cst.FunctionDef)]
    return bool(functions) and all(one.returns is not None for one in functions)


def _annotated(parameters: cst.Parameters, types: Iterator[cst.BaseExpression]) -> cst.Parameters:
    def typed(one: cst.Param) -> cst.Param:
        return one.with_changes(annotation=cst.Annotation(next(types).deep_clone()))

    stars = {
        name: typed(one)
        for name, one in (("star_arg", parameters.star_arg), ("star_kwarg", parameters.star_kwarg))
        if isinstance(one, cst.Param)
    }
    return parameters.with_changes(
        posonly_params=[typed(one) for one in parameters.posonly_params],
        params=[typed(one) for one in parameters.params],
        kwonly_params=[typed(one) for one in parameters.kwonly_params],
        **stars,
    )
