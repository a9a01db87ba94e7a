"""Expressions as a careful hand would write them: constants, choices by platform, choices by worker count."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

import libcst as cst
from msgspec import Struct

from loaderlint.model.target import Platform
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.counts import above_zero, answer_with_workers
from loaderlint.writers.python.places import Places, nodes
from loaderlint.writers.python.platforms import EVERYWHERE, platforms_where

_KEEPS_PARENTHESES = (cst.Tuple, cst.GeneratorExp, cst.Yield, cst.NamedExpr)
_LOOSE = (cst.IfExp, cst.Lambda, cst.NamedExpr, cst.Yield)
_ATOMS = (cst.Name, cst.Integer, cst.Float, cst.SimpleString)
_TIGHT = (*_ATOMS, cst.Call, cst.Attribute, cst.Subscript)
"""What binds more tightly than any operator around it."""
_OF_NUMBERS = frozenset({"abs", "float", "int", "len", "max", "min", "round"})
"""Builtins that make a number of what they are given, the same however often they are asked."""
_ASKING = frozenset({"os.cpu_count", "os.environ.get", "os.getenv", "torch.cuda.is_available"})
"""Functions that change nothing and give the same answer whenever they are asked."""
HOLE = "_"
"""The name that stands for the old expression where a form is read."""
_WHOLE_VALUE = (
    cst.DictElement,
    cst.Element,
    cst.Assign,
    cst.AnnAssign,
    cst.AugAssign,
    cst.Return,
    cst.Param,
    cst.Lambda,
    cst.NamedExpr,
    cst.Index,
    cst.Expr,
    cst.BaseSimpleComp,
)
"""What takes any expression as a whole, so that a choice needs no parentheses in it."""


def constant(value: Constant, quote: str) -> cst.BaseExpression:
    """Return the literal for a constant, a string in the given quotation marks.

    Raises `CannotRewrite` for a float that has no literal.
    """
    text = repr(value)
    if isinstance(value, str) and quote not in value and "\\" not in text:
        text = f"{quote}{value}{quote}"
    if text in ("inf", "-inf", "nan"):
        raise CannotRewrite(f"{text} has no literal")
    return cst.parse_expression(text)


def literal(node: cst.BaseExpression) -> tuple[Constant] | None:
    """Return the constant a literal says, in a tuple of its own, or None when the node is no literal."""
    try:
        value = ast.literal_eval(tree(node))
    except (ValueError, TypeError, SyntaxError):
        return None
    return (value,) if value is None or isinstance(value, bool | int | float | str) else None


def says(node: cst.BaseExpression, value: Constant) -> bool:
    """Return whether a node is a literal for just this constant (True is not 1)."""
    found = literal(node)
    return found is not None and type(found[0]) is type(value) and found[0] == value


def code(node: cst.CSTNode) -> str:
    """Return a node's source text."""
    return cst.Module([]).code_for_node(node)


def tree(node: cst.BaseExpression) -> ast.expr:
    """Return a node as `ast` sees it."""
    return ast.parse(f"({code(node)}\n)", mode="eval").body


def placed(
    node: cst.BaseExpression, old: cst.BaseExpression, places: Places, at: cst.BaseExpression
) -> cst.BaseExpression:
    """Return the node as it has to be written in the place of ``old``, which stood where ``at`` does in the old file.

    It takes over redundant parentheses, and gets some where it would bind less tightly than what is around it.
    """
    if old.lpar and not isinstance(old, _KEEPS_PARENTHESES):
        return node if node.lpar else node.with_changes(lpar=old.lpar, rpar=old.rpar)
    return node if node.lpar or _stands_alone(node, places.parents[at]) else parenthesized(node)


def _stands_alone(node: cst.BaseExpression, around: cst.CSTNode) -> bool:
    """Return whether a node needs no parentheses within what is around it."""
    if isinstance(around, cst.Arg):
        return not around.star or isinstance(node, _ATOMS)
    if isinstance(around, cst.Attribute):
        return isinstance(node, _ATOMS) and not isinstance(node, cst.Integer)
    return isinstance(node, _TIGHT) or isinstance(around, _WHOLE_VALUE)


def bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return a node without parentheses that it can do without inside others."""
    return node if isinstance(node, _KEEPS_PARENTHESES) else node.with_changes(lpar=[], rpar=[])


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return a node with parentheses around it, if it has none."""
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def formed(form: str, old: cst.BaseExpression) -> cst.BaseExpression:
    """Return the expression that a form says, with ``old`` in the place of its ``{}``."""
    new = cst.parse_expression(form.replace("{}", HOLE))
    handed_over = isinstance(new, cst.Call) and any(code(one.value) == HOLE for one in new.args)
    inner = bare(old) if handed_over else old if isinstance(old, _TIGHT) else parenthesized(old)
    for node in [one for one in nodes(new) if isinstance(one, cst.Name) and one.value == HOLE]:
        replaced = new.deep_replace(node, inner)
        assert isinstance(replaced, cst.BaseExpression)
        new = replaced
    return new


def builtins_called(form: str) -> Iterator[str]:
    """Yield the names that a form calls by themselves: ``min`` of ``min({}, 4)``."""
    for node in ast.walk(ast.parse(form.replace("{}", HOLE), mode="eval")):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def choice(test: cst.BaseExpression, body: cst.BaseExpression, orelse: cst.BaseExpression) -> cst.BaseExpression:
    """Return ``body if test else orelse``; just the test, or its opposite, where the two are True and False."""
    if _is_boolean(test):
        # An ``orelse`` that asks again is known: there the test has failed.
        known = {code(test): "False", code(_opposite(test)): "True"}.get(code(bare(orelse)))
        answer = orelse if known is None else cst.Name(known)
        if says(body, True) and says(answer, False):
            return test
        if says(body, False) and says(answer, True):
            return _opposite(test)
        if says(body, False) and says(answer, False):
            return body
    return cst.IfExp(test=_operand(test), body=_operand(body), orelse=_operand(orelse, choices_only=True))


def flat(node: cst.IfExp) -> cst.IfExp:
    """Return a choice whose arm is a choice of the same by another test, as the one choice by both tests.

    ``0 if a else (0 if b else 4)`` is ``0 if a or b else 4``, and ``(0 if b else 4) if a else 0`` is
    ``4 if a and not b else 0``. What is asked first stays so. A choice of several lines keeps its brackets.
    """
    body, orelse = node.body, node.orelse
    if "\n" in code(node):
        return node
    if isinstance(orelse, cst.IfExp) and code(bare(orelse.body)) == code(bare(body)):
        test = bare(node.test) if isinstance(node.test, cst.BooleanOperation) else _operand(node.test)
        either = cst.BooleanOperation(test, cst.Or(), _operand(orelse.test))
        return node.with_changes(test=either, orelse=orelse.orelse)
    if isinstance(body, cst.IfExp) and code(bare(body.body)) == code(bare(orelse)):
        both = cst.BooleanOperation(_part_of_all(node.test), cst.And(), _part_of_all(_opposite(body.test)))
        return node.with_changes(test=both, body=body.orelse)
    return node


def repeated(row: cst.List, module: cst.Module) -> cst.BaseExpression:
    """Return a list that says one choice several times as the list that repeats it: ``[0 if here else 4] * 3``.

    Whether there is space around the operator goes by the products of the module.
    """
    first, *others = row.elements
    alike = all(code(one.value) == code(first.value) for one in others)
    if not others or not alike or not isinstance(first.value, cst.IfExp):
        return row
    once = row.with_changes(elements=[first.with_changes(comma=cst.MaybeSentinel.DEFAULT)], lpar=[], rpar=[])
    products = [one for one in nodes(module) if isinstance(one, cst.Multiply)]
    tight = 2 * sum(code(one) == "*" for one in products) > len(products)
    space = cst.SimpleWhitespace("" if tight else " ")
    return cst.BinaryOperation(once, cst.Multiply(space, space), cst.Integer(str(len(row.elements))))


def _is_boolean(test: cst.BaseExpression) -> bool:
    negated = isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)
    return negated or (isinstance(test, cst.Comparison) and len(test.comparisons) == 1)


_OPPOSITES: dict[type[cst.BaseCompOp], Callable[[], cst.BaseCompOp]] = {
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
}


def _opposite(test: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(test, cst.Comparison):
        target = test.comparisons[0]
        opposite = _OPPOSITES.get(type(target.operator))
        if opposite is not None:
            return test.with_changes(comparisons=[target.with_changes(operator=opposite())])
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression
    return cst.UnaryOperation(
        cst.Not(), _operand(parenthesized(test) if isinstance(test, cst.BooleanOperation) else test)
    )


def _operand(node: cst.BaseExpression, choices_only: bool = False) -> cst.BaseExpression:
    """Return a node as a part of a choice; nested choices are told apart by parentheses."""
    loose = isinstance(node, cst.IfExp if choices_only else _LOOSE)
    return parenthesized(node) if loose else node


class PlatformTest(Struct, frozen=True):
    """How this file asks for the platform: the name of its module ``sys``, and its quotation mark."""

    sys_name: str
    sys_names: Collection[str]
    quote: str

    def on(self, platforms: frozenset[Platform]) -> cst.BaseExpression:
        """Return the test that is true on these platforms alone: ``sys.platform == "win32"``."""
        names = [f"{self.quote}{one.sys_platform}{self.quote}" for one in Platform if one in platforms]
        compared = f"== {names[0]}" if len(names) == 1 else f"in ({', '.join(names)})"
        return cst.parse_expression(f"{self.sys_name}.platform {compared}")

    def where(self, test: cst.BaseExpression) -> frozenset[Platform] | None:
        """Return the platforms on which a test somebody wrote is true, None when it does not ask for the platform."""
        return platforms_where(tree(test), self.sys_names)


def on_platforms(
    old: cst.BaseExpression,
    new: cst.BaseExpression,
    platforms: frozenset[Platform],
    tests: PlatformTest,
    reached: frozenset[Platform] = EVERYWHERE,
) -> cst.BaseExpression:
    """Return the expression that is ``new`` on these platforms and ``old`` elsewhere.

    An arm of a choice by platform that stands in ``old`` already is replaced; ``reached`` are the platforms on which
    ``old`` is evaluated.
    """
    known = literal(new)
    if not platforms & reached or (known is not None and says(old, known[0])):
        return old
    if platforms >= reached:
        return new
    where = tests.where(old.test) if isinstance(old, cst.IfExp) else None
    if isinstance(old, cst.IfExp) and where is not None:
        return old.with_changes(
            body=_operand(on_platforms(old.body, new, platforms, tests, reached & where)),
            orelse=_operand(on_platforms(old.orelse, new, platforms, tests, reached - where), choices_only=True),
        )
    return choice(tests.on(platforms), new, bare(old))


def with_workers(
    option: cst.BaseExpression, neutral: cst.BaseExpression, workers: cst.BaseExpression
) -> cst.BaseExpression:
    """Return the expression that is ``option`` when the worker count is above 0 and ``neutral`` otherwise.

    A choice in ``workers`` is repeated (``None if sys.platform == "win32" else 4``), anything else is compared with 0.
    Raises `CannotRewrite` when the worker count would have to be worked out twice.
    """
    counted = literal(workers)
    if counted is not None:
        return option if isinstance(counted[0], int | float) and counted[0] > 0 else neutral
    if isinstance(workers, cst.IfExp) and (count := _count_or_none(workers)) is not None:
        is_compared = any(isinstance(one, cst.Comparison) for one in nodes(workers.test))
        if is_compared or _depends_on(tree(option), tree(count), tree(neutral)):
            return with_workers(option, neutral, count)
        return choice(bare(count), bare(option), neutral)
    if isinstance(workers, cst.IfExp) and _is_settled(workers.test):
        if isinstance(option, cst.IfExp) and code(option.test) == code(workers.test):
            return option.with_changes(
                body=_operand(with_workers(option.body, neutral, workers.body)),
                orelse=_operand(with_workers(option.orelse, neutral, workers.orelse), choices_only=True),
            )
        body = with_workers(_where(option, workers.test, holds=True), neutral, workers.body)
        orelse = with_workers(_where(option, workers.test, holds=False), neutral, workers.orelse)
        if code(body) == code(orelse):
            return body
        ours = orelse if isinstance(orelse, cst.IfExp) and orelse is not option else None
        if ours is not None and code(body) == code(ours.orelse) == code(neutral):
            # One choice by both tests says the same.
            tests = cst.BooleanOperation(_operand(_opposite(bare(workers.test))), cst.And(), _part_of_all(ours.test))
            return ours.with_changes(test=tests, lpar=[], rpar=[])
        conjunction = isinstance(orelse, cst.BooleanOperation) and isinstance(orelse.operator, cst.And)
        if says(body, False) and conjunction and orelse is not option:
            return cst.BooleanOperation(_operand(_opposite(bare(workers.test))), cst.And(), bare(orelse))
        return choice(bare(workers.test), bare(body), bare(orelse))
    if _depends_on(tree(option), tree(workers), tree(neutral)):
        return option
    if not _may_be_repeated(workers):
        raise CannotRewrite("the worker count is worked out by an expression that may not be repeated")
    above_zero = cst.ComparisonTarget(cst.GreaterThan(), cst.Integer("0"))
    either = isinstance(workers, cst.BooleanOperation)
    compared = cst.Comparison(parenthesized(workers) if either else bare(workers), [above_zero])
    return _given(option, neutral, compared)


def _count_or_none(workers: cst.IfExp) -> cst.BaseExpression | None:
    """Return the count of a choice that asks whether there are workers, and is none where there are not.

    That is ``n`` of ``n if n else 0``, which may be None where it is not compared with a number.
    """
    count, above = above_zero(tree(workers.test))
    there, elsewhere = (workers.body, workers.orelse) if above else (workers.orelse, workers.body)
    same = says(elsewhere, 0) and ast.dump(count) == ast.dump(tree(there))
    return there if same else None


def _where(option: cst.BaseExpression, test: cst.BaseExpression, *, holds: bool) -> cst.BaseExpression:
    """Return the arm that a choice comes to where a test holds, or does not; the choice itself where it may be both."""
    if isinstance(option, cst.IfExp) and code(bare(option.test)) in _parts(test, cst.And if holds else cst.Or):
        return bare(option.body if holds else option.orelse)
    return option


def _parts(test: cst.BaseExpression, kind: type[cst.BaseBooleanOp]) -> Iterator[str]:
    """Yield the tests that a test says all of, or one of, and those that several of them make together."""
    yield code(bare(test))
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, kind):
        yield from _parts(test.left, kind)
        yield from _parts(test.right, kind)


def _part_of_all(test: cst.BaseExpression) -> cst.BaseExpression:
    """Return a test as one of several that all have to hold."""
    loose = isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or)
    return parenthesized(test) if loose or isinstance(test, _LOOSE) else test


def _given(option: cst.BaseExpression, neutral: cst.BaseExpression, test: cst.Comparison) -> cst.BaseExpression:
    if says(neutral, False) and literal(option) is None:
        loose = isinstance(option, _LOOSE) or (
            isinstance(option, cst.BooleanOperation) and isinstance(option.operator, cst.Or)
        )
        return cst.BooleanOperation(parenthesized(option) if loose else bare(option), cst.And(), test)
    return choice(test, bare(option), neutral)


def _depends_on(option: ast.expr, workers: ast.expr, neutral: ast.expr) -> bool:
    """Return whether an option is neutral already wherever the worker count is not above 0."""
    if isinstance(option, ast.IfExp):
        answer = answer_with_workers(option.test, workers)
        without = {True: option.orelse, False: option.body}.get(answer) if answer is not None else None
        return without is not None and ast.dump(without) == ast.dump(neutral)
    if ast.dump(neutral) != ast.dump(ast.Constant(False)):
        return False
    match option:
        case ast.BoolOp(op=ast.And(), values=values):
            return any(_depends_on(one, workers, neutral) for one in values)
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Call(func=ast.Name("bool")):
            return answer_with_workers(option, workers) is True
    return False


def _is_chain(node: cst.BaseExpression) -> bool:
    """Return whether an expression only looks something up: names, attributes, constant subscripts."""
    if isinstance(node, cst.Attribute):
        return _is_chain(node.value)
    if isinstance(node, cst.Subscript):
        indexes = [one.slice.value for one in node.slice if isinstance(one.slice, cst.Index)]
        constant_indexes = [index for index in indexes if literal(index) is not None]
        return len(constant_indexes) == len(node.slice) and _is_chain(node.value)
    return isinstance(node, cst.Name)


def _may_be_repeated(node: cst.BaseExpression) -> bool:
    """Return whether an expression only looks something up or asks for it, or makes a number of that."""
    if isinstance(node, cst.BinaryOperation | cst.BooleanOperation):
        return _may_be_repeated(node.left) and _may_be_repeated(node.right)
    if isinstance(node, cst.Call):
        given = all(not one.star and one.keyword is None and _may_be_repeated(one.value) for one in node.args)
        return given and (code(node.func) in _OF_NUMBERS | _ASKING or _looks_up(node))
    return _is_chain(node) or literal(node) is not None


def _looks_up(call: cst.Call) -> bool:
    """Return whether a call looks something up by a written name: ``options.get("workers", 0)``, ``getattr``."""
    texts = [isinstance(one.value, cst.SimpleString) for one in call.args]
    if isinstance(call.func, cst.Attribute):
        return call.func.attr.value == "get" and _is_chain(call.func.value) and texts[:1] == [True]
    return code(call.func) == "getattr" and texts[1:2] == [True]


def _is_settled(test: cst.BaseExpression) -> bool:
    """Return whether a test can be repeated: it asks for the platform, or for what does not change."""
    if platforms_where(tree(test), ("sys", "_sys")) is not None:
        return True
    if isinstance(test, cst.UnaryOperation):
        return _is_settled(test.expression)
    if isinstance(test, cst.BooleanOperation):
        return _is_settled(test.left) and _is_settled(test.right)
    if isinstance(test, cst.Comparison):
        return _is_settled(test.left) and all(_is_settled(one.comparator) for one in test.comparisons)
    return literal(test) is not None or _is_chain(test) or (isinstance(test, cst.Call) and _may_be_repeated(test))
