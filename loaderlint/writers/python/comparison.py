"""Comparing a file with what became of it, tree with tree: nothing differs but what the edits are about."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from loaderlint.model.edit import AddOption
from loaderlint.model.source import Source, Span
from loaderlint.model.value import Constant
from loaderlint.writers.base import CannotRewrite
from loaderlint.writers.python.expressions import HOLE
from loaderlint.writers.python.intentions import Extent, Intentions, Point, ValueIntention, extent, holds, start
from loaderlint.writers.python.places import ast_point
from loaderlint.writers.python.scopes import known_names
from loaderlint.writers.python.shapes import (
    Definition,
    Side,
    Use,
    assigned,
    belongs_to_imports,
    by_side,
    imports_of,
    names_of_partial,
    nested,
    repeated,
    use_of,
    without_annotations,
    without_leading,
)
from loaderlint.writers.python.situations import Situation, has_workers, literal, says, situations

_HOISTING = ("functools", "typing")
"""What a hoisted definition may need: `functools.partial` for what it captures, and `typing.Any`."""


class Differs(Exception):
    """Raised with the line of the old file at which the new one differs though no edit is about it."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} would change, which no edit is about")
        self.line = line


class Comparison:
    """One file before and after; ``same`` raises `Differs` at the first thing that no edit explains."""

    def __init__(self, source: Source, intended: Intentions, old: ast.Module, sys_names: frozenset[str]) -> None:
        self._source = source
        self._intended = intended
        self._sys_names = sys_names
        self._expressions: dict[Extent, ast.expr] = {}
        for node in ast.walk(old):
            if isinstance(node, ast.expr):
                self._expressions.setdefault(extent(node), node)
        self._met: set[Extent | Point] = set()
        self._definitions: dict[str, Definition] = {}
        self._claimed: dict[str, Point] = {}
        self._names: dict[str, str] = {}
        self._names_of_partial: frozenset[str] = frozenset()
        self._names_of_torch: frozenset[str] = frozenset()

    def modules(self, old: ast.Module, new: ast.Module) -> None:
        """Compare two modules.

        Raises `Differs`, or `CannotRewrite` when an edit was not made.
        """
        self._names_of_partial = names_of_partial(new)
        self._names_of_torch = known_names(new, "torch")
        statements = list(self._without_additions(old.body, new.body))
        if self._intended.guarded:
            self._guarded(old.body, statements)
        else:
            self._block(old.body, statements)
        intended = self._intended
        made = {*intended.values, *intended.dropped, *intended.added, *intended.turns, *intended.hoisted}
        missed = made - self._met
        if missed:
            raise CannotRewrite(f"the edit of line {min(missed)[0]} was not made")
        if set(self._definitions) != set(self._claimed):
            raise CannotRewrite("a definition would appear that no edit is about")

    def _without_additions(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
        """Yield the statements of the new module but the imports and definitions that came with the edits."""
        packages = [
            *(("sys",) if self._intended.narrows else ()),
            *(("torch",) if self._intended.asks_torch else ()),
            *(_HOISTING if self._intended.hoisted else ()),
        ]
        more = imports_of(new, packages) - imports_of(old, packages)
        # Of a script imports come first; in a notebook they may come in any cell before what is edited.
        free = self._before_edits(old) if self._source.cells is not None else 0
        only_imports = True
        for at, statement in enumerate(new):
            dumped = ast.dump(statement)
            if (only_imports or at <= free) and more[dumped] == 1:
                more[dumped] = 0
            elif isinstance(statement, Definition) and self._is_hoisted(statement, old):
                self._definitions[statement.name] = statement
            else:
                yield statement
            only_imports = only_imports and belongs_to_imports(statement)

    def _before_edits(self, old: Sequence[ast.stmt]) -> int:
        """Return how many statements of the old module come before all that is edited."""
        intended = self._intended
        places = {*intended.values, *intended.dropped, *intended.added, *intended.turns, *intended.hoisted}
        first = min((line for line, *_ in places), default=0)
        return sum((one.end_lineno or 0) < first for one in old)

    def _is_hoisted(self, statement: Definition, old: Sequence[ast.stmt]) -> bool:
        if len(self._definitions) == len(self._intended.hoisted):
            return False
        return all(not isinstance(one, Definition) or one.name != statement.name for one in old)

    def _kept(self, body: Sequence[ast.stmt], among: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return the statements of a block that stay in it; ``among`` is what the block has become."""
        kept = []
        for statement in body:
            place = start(statement)
            if self._is_moved(statement, among):
                self._moved(statement)
            elif place in self._intended.dropped and isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr):
                self._met.add(place)
            else:
                kept.append(statement)
        return kept

    def _block(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> None:
        kept = self._kept(old, new)
        if old and not kept and [type(one) for one in new] == [ast.Pass]:
            return
        self._pairwise(kept, new, old[0] if old else None)

    def _guarded(self, old: Sequence[ast.stmt], new: Sequence[ast.stmt]) -> None:
        """Compare statements some of which moved under the guard; those on either side of it keep their order."""
        left = {side: [statement for statement, stands in by_side(new) if stands is side] for side in Side}
        before = {side: [statement for statement, stands in by_side(old) if stands is side] for side in Side}
        kept = {statement for side in Side for statement in self._kept(before[side], left[side])}
        for statement, side in by_side(old):
            if statement not in kept:
                continue
            asked_for = any(holds(statement, place) for place in self._intended.guarded)
            choices = [Side.GUARDED] if asked_for else [side, Side.GUARDED]
            chosen = next((one for one in choices if left[one] and self._matches(statement, left[one][0])), None)
            if chosen is None or (side is Side.IMPORTED and chosen is not side):
                raise Differs(statement.lineno)
            left[chosen].pop(0)
        if any(left.values()):
            raise Differs(old[-1].lineno if old else 1)

    def _matches(self, old: ast.stmt, new: ast.stmt) -> bool:
        try:
            self.same(old, new)
        except Differs:
            return False
        return True

    def same(self, old: ast.AST, new: ast.AST) -> None:
        """Compare two nodes."""
        place = extent(old)
        value = self._intended.values.get(place)
        if value is not None and self._expressions.get(place) is old and isinstance(new, ast.expr):
            assert isinstance(old, ast.expr)
            self._met.add(place)
            self._value(old, new, value)
        elif isinstance(old, ast.Assign | ast.AnnAssign) and isinstance(new, ast.FunctionDef):
            self._method(old, new)
        elif isinstance(old, ast.Lambda) and place[:2] in self._intended.hoisted and not isinstance(new, ast.Lambda):
            self._hoisted(old, self._use(new))
        elif isinstance(old, Definition) and place[:2] in self._intended.hoisted and isinstance(new, ast.Assign):
            pair = assigned(new)
            self._check(pair is not None and pair[0] == old.name, old)
            self._hoisted(old, self._use(new.value))
        else:
            self._inside(old, new)

    def _inside(self, old: ast.AST, new: ast.AST) -> None:
        if isinstance(old, ast.List) and (choice := repeated(new, old.elts)) is not None:
            for one in old.elts:
                self.same(one, choice)
            return
        if isinstance(old, ast.IfExp) and isinstance(new, ast.IfExp):
            new = nested(new, old.test, self._sys_names)
        if type(old) is not type(new):
            raise Differs(_line(old))
        if isinstance(old, ast.Name) and isinstance(new, ast.Name) and self._names.get(old.id) == new.id:
            return
        if isinstance(old, ast.Call) and isinstance(new, ast.Call):
            self.same(old.func, new.func)
            arguments, keywords = self._by_position(old, new)
            self._pairwise(old.args, arguments, old)
            self._keywords(old, keywords)
        elif isinstance(old, ast.Dict) and isinstance(new, ast.Dict):
            self._items(old, new)
        else:
            for name in old._fields:
                theirs = getattr(new, name, None)
                if isinstance(old, ast.For | ast.AsyncFor) and isinstance(theirs, list) and name == "body":
                    theirs = self._after_the_beginning(old, theirs)
                self._field(getattr(old, name, None), theirs, old)

    def _after_the_beginning(self, old: ast.For | ast.AsyncFor, new: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
        """Return the body of a loop without the statements that each of its turns is to begin with."""
        place = extent(old.iter)
        begun = [ast.parse(one).body[0] for one in self._intended.turns.get(place, ())]
        for one, other in zip(begun, new, strict=False):
            self._check(ast.dump(one) == ast.dump(other), old)
            self._met.add(place)
        return new[len(begun) :]

    def _field(self, old: object, new: object, around: ast.AST) -> None:
        if isinstance(old, list) and isinstance(new, list):
            if old and all(isinstance(one, ast.stmt) for one in old):
                self._block(old, new)
            else:
                self._pairwise(old, new, around)
        elif isinstance(old, ast.AST) and isinstance(new, ast.AST):
            self.same(old, new)
        elif type(old) is not type(new) or repr(old) != repr(new):
            raise Differs(_line(around))

    def _pairwise(self, old: Sequence[object], new: Sequence[object], around: ast.AST | None) -> None:
        line = _line(around)
        for one, other in zip(old, new, strict=False):
            self._field(one, other, around or ast.Pass())
        if len(old) != len(new):
            raise Differs(line)

    def _by_position(self, old: ast.Call, new: ast.Call) -> tuple[list[ast.expr], list[ast.keyword]]:
        """Return a new call's arguments, the last one by position where it was and its edit says what it is called."""
        value = self._intended.values.get(extent(old.args[-1])) if old.args else None
        first = next(iter(new.keywords), None)
        starred = any(isinstance(one, ast.Starred) for one in old.args)
        if value is None or first is None or starred or first.arg != (value.keyword or None):
            return new.args, new.keywords
        return [*new.args, first.value], new.keywords[1:]

    def _keywords(self, old: ast.Call, new: Sequence[ast.keyword]) -> None:
        kept = [one for one in old.keywords if not self._is_dropped(one)]
        given = list(new)
        for edit in self._added(old):
            added = next((one for one in given if one.arg == edit.option), None)
            self._check_added(edit, added.value if added is not None else None)
            given.remove(added) if added is not None else None
        self._pairwise(kept, given, old)

    def _items(self, old: ast.Dict, new: ast.Dict) -> None:
        kept = [(k, v) for k, v in zip(old.keys, old.values, strict=True) if k is None or not self._is_dropped(k)]
        given = list(zip(new.keys, new.values, strict=True))
        for edit in self._added(old):
            added = next((pair for pair in given if pair[0] is not None and says(pair[0], edit.option)), None)
            self._check_added(edit, added[1] if added is not None else None)
            given.remove(added) if added is not None else None
        self._pairwise([one for pair in kept for one in pair], [one for pair in given for one in pair], old)

    def _is_dropped(self, node: ast.AST) -> bool:
        dropped = start(node) in self._intended.dropped
        if dropped:
            self._met.add(start(node))
        return dropped

    def _added(self, node: ast.expr) -> Sequence[AddOption]:
        place = extent(node)
        if self._expressions.get(place) is not node or place not in self._intended.added:
            return ()
        self._met.add(place)
        return self._intended.added[place]

    def _check_added(self, edit: AddOption, value: ast.expr | None) -> None:
        if value is None:
            raise CannotRewrite(f"{edit.option} was not added at {edit.span}")
        workers = self._expression(edit.workers) if edit.workers is not None else None
        for situation in situations(self._sys_names, workers):
            given = workers is None or self._has_workers(workers, situation)
            settled = situation.settled(value)
            if not (says(settled, edit.constant) if given else _is_neutral(settled)):
                raise Differs(edit.span.line)

    def _value(self, old: ast.expr, new: ast.expr, value: ValueIntention) -> None:
        """Check that the new expression comes to what was asked for, in every situation."""
        only_with = value.only_with
        workers = self._expression(only_with.workers) if only_with is not None else None
        for situation in situations(self._sys_names, workers):
            settled = situation.settled(new)
            asked = value.constant(situation.platform)
            if only_with is not None and workers is not None and situation.platform not in value.narrowed:
                asked = asked if self._has_workers(workers, situation) else (only_with.neutral,)
            if asked is not None:
                self._check(says(settled, asked[0]), old)
            elif value.integer:
                self._integer(old, settled)
            elif value.only_with_cuda:
                questions = [f"{name}.cuda.is_available()" for name in self._names_of_torch]
                self._check(says(settled, False) or ast.unparse(settled) in questions, old)
            elif value.form:
                self._formed(ast.parse(value.form.replace("{}", HOLE), mode="eval").body, settled, old)
            elif situation.settled(old) is old:
                self._inside(old, settled)
            else:
                self.same(situation.settled(old), settled)

    def _check(self, holds: bool, at: ast.AST) -> None:
        if not holds:
            raise Differs(_line(at))

    def _expression(self, span: Span) -> ast.expr:
        place = (*ast_point(self._source, span.start), *ast_point(self._source, span.end))
        node = self._expressions.get(place)
        if node is None:
            raise CannotRewrite(f"no expression stands at {span}")
        return node

    def _has_workers(self, worker_count: ast.expr, situation: Situation) -> bool:
        """Return whether there are workers, the count itself, or the arm of it that is taken, perhaps being edited."""
        arm = situation.taken(worker_count)
        for node in (worker_count, arm):
            value = self._intended.values.get(extent(node))
            asked = value.constant(situation.platform) if value is not None else None
            if asked is not None:
                return isinstance(asked[0], int | float) and asked[0] > 0
        return has_workers(arm, situation)

    def _integer(self, old: ast.expr, new: ast.expr) -> None:
        known = literal(old)
        if known is not None:
            self._check(any(says(new, number) for number in _as_integer(known[0])), old)
        elif isinstance(old, ast.BinOp) and isinstance(new, ast.BinOp):
            self._check(isinstance(old.op, ast.Div) and isinstance(new.op, ast.FloorDiv), old)
            self.same(old.left, new.left)
            self.same(old.right, new.right)
        elif isinstance(new, ast.Call) and isinstance(new.func, ast.Name) and new.func.id == "int":
            self._check(len(new.args) == 1 and not new.keywords, old)
            self._inside(old, new.args[0])
        elif isinstance(old, ast.Call) and isinstance(new, ast.Call):
            self.same(old.func, new.func)
            self._pairwise(old.args, new.args, old)
            types = [one.value for one in new.keywords if one.arg == "type"]
            self._check([ast.dump(one) for one in types] == [ast.dump(ast.Name("int", ast.Load()))], old)
            kept = [one for one in old.keywords if one.arg != "type" and not self._is_dropped(one)]
            self._pairwise(kept, [one for one in new.keywords if one.arg != "type"], old)
        else:
            raise Differs(_line(old))

    def _formed(self, form: object, new: object, old: ast.expr) -> None:
        """Check that an expression is what a form says, the old one standing in the place of its ``{}``."""
        if isinstance(form, ast.Name) and form.id == HOLE and isinstance(new, ast.expr):
            self._inside(old, new)
        elif isinstance(form, ast.AST):
            self._check(type(form) is type(new), old)
            for name in form._fields:
                self._formed(getattr(form, name, None), getattr(new, name, None), old)
        elif isinstance(form, list) and isinstance(new, list):
            self._check(len(form) == len(new), old)
            for one, other in zip(form, new, strict=True):
                self._formed(one, other, old)
        else:
            self._check(repr(form) == repr(new), old)

    def _is_moved(self, statement: ast.stmt, among: Sequence[ast.stmt]) -> bool:
        """Return whether a statement of a block went to the top of the module as a whole, leaving no name behind."""
        if isinstance(statement, Definition):
            left = [assigned(one) for one in among]
            aliases = [pair[1] for pair in left if pair is not None and pair[0] == statement.name]
            uses = [self._use(alias) for alias in aliases]
            return start(statement) in self._intended.hoisted and not any(
                use is not None and use.name in self._definitions for use in uses
            )
        pair = assigned(statement)
        return pair is not None and start(pair[1]) in self._intended.hoisted and pair[0] in self._definitions

    def _use(self, node: ast.AST) -> Use | None:
        return use_of(node, self._names_of_partial)

    def _moved(self, statement: ast.stmt) -> None:
        pair = assigned(statement)
        if pair is not None:
            self._hoisted(pair[1], Use(pair[0]))
            return
        assert isinstance(statement, Definition)
        for name in sorted(self._definitions, key=lambda name: name != statement.name):
            try:
                self._hoisted(statement, Use(name))
            except Differs:
                continue
            self._names[statement.name] = name
            return
        raise Differs(statement.lineno)

    def _hoisted(self, old: ast.AST, use: Use | None) -> None:
        """Check that a lambda or local definition is the one that now stands at the top of the module."""
        place = start(old)
        definition = self._definitions.get(use.name) if use is not None else None
        if use is None or definition is None or self._claimed.get(use.name, place) != place:
            raise Differs(_line(old))
        if isinstance(old, ast.Lambda):
            self._same_function(old, definition, use)
        elif isinstance(old, Definition) and type(old) is type(definition):
            self._same_definition(old, definition, use)
        else:
            raise Differs(_line(old))
        self._claimed[use.name] = place
        self._met.add(place)

    def _method(self, old: ast.Assign | ast.AnnAssign, new: ast.FunctionDef) -> None:
        """Check that a lambda of a class became a method of that."""
        pair = assigned(old)
        if pair is None or not isinstance(pair[1], ast.Lambda) or start(pair[1]) not in self._intended.hoisted:
            raise Differs(old.lineno)
        self._check(pair[0] == new.name, old)
        self._same_function(pair[1], new, Use(new.name))
        self._met.add(start(pair[1]))

    def _same_function(self, old: ast.Lambda, new: Definition, use: Use) -> None:
        body = new.body[0]
        self._check(isinstance(new, ast.FunctionDef) and not new.decorator_list and len(new.body) == 1, old)
        self._check(isinstance(body, ast.Return), old)
        assert isinstance(new, ast.FunctionDef)
        assert isinstance(body, ast.Return)
        arguments = without_leading(new.args, use.captured)
        self._field(old.args, arguments and without_annotations(arguments), old)
        self._field(old.body, body.value, old)

    def _same_definition(self, old: Definition, new: Definition, use: Use) -> None:
        before = self._names.get(old.name)
        self._names[old.name] = new.name
        try:
            for name in old._fields:
                theirs = getattr(new, name, None)
                if isinstance(theirs, ast.arguments):
                    theirs = without_leading(theirs, use.captured)
                if name != "name":
                    self._field(getattr(old, name, None), theirs, old)
        finally:
            del self._names[old.name]
            self._names.update({} if before is None else {old.name: before})


def _as_integer(constant: Constant) -> list[int]:
    """Return the integer that a constant says, alone in a list; nothing when it says none."""
    try:
        return [int(constant)] if constant is not None else []
    except (ValueError, OverflowError):
        return []


def _is_neutral(node: ast.expr) -> bool:
    """Return whether an expression is what torch takes for an option that is not given."""
    neutral: tuple[Constant, ...] = (None, False, 0)
    return any(says(node, one) for one in neutral)


def _line(node: ast.AST | None) -> int:
    return getattr(node, "lineno", 0)
