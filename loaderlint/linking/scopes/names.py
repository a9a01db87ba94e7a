"""Which bindings of a name can be current at a place, and under which conditions.

The bindings are carried through the statements of their scope in the order they run: a branch adds its arm to what
comes through it, a loop brings back what its last turn left, a handler may see any binding of the body it guards.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from loaderlint.readers.python import Arm, Binding, Fork, Place, Scope, Suite, dotted, is_main_test

MUTATIONS = frozenset({"item", "update", "setdefault", "pop", "clear", "list"})
"""Kinds of binding that change a dictionary or list in place instead of giving the name a new value."""
MOST_WAYS_TO_A_PLACE = 64
"""More ways than this and what a name stands for is unseen: each would be followed, and each loop doubles them."""


class Reaching(Struct, frozen=True, eq=False):
    """A binding that can be current, and the arms that must (or, inverted, must not) have been taken for that.

    ``earlier_turn`` says that an earlier turn of a loop made the binding: the arms are no conditions of this turn.
    """

    binding: Binding
    arms: tuple[Arm, ...] = ()
    earlier_turn: bool = False

    @property
    def conditions(self) -> tuple[Arm, ...]:
        """The arms that are conditions: of what an earlier turn left, those that say how the loop was left."""
        return tuple(arm for arm in self.arms if arm.ended and not arm.loop) if self.earlier_turn else self.arms


def reaching(bindings: Sequence[Binding], place: Place | None) -> tuple[Reaching, ...]:
    """Return the bindings that can be current at a place, in source order; at the end of the scope when it is None."""
    if place is not None:
        inside = [one for one in bindings if _is_of_comprehension(one) and one.place.arms[-1] in place.arms]
        if inside:
            return (Reaching(inside[-1], ()),)
    found = [Reaching(one.binding, one.arms, one.earlier_turn) for one in _ways(tuple(bindings), place) if one.binding]
    return tuple(sorted(found, key=lambda one: one.binding.place.order))


def unbound(bindings: Sequence[Binding], place: Place | None) -> tuple[tuple[Arm, ...], ...]:
    """Return the ways, by their arms, on which none of the bindings is current at a place."""
    return tuple(one.arms for one in _ways(tuple(bindings), place) if one.binding is None)


def starts_a_sum(way: Reaching, ways: Iterable[Reaching]) -> bool:
    """Return whether a value is left only where a loop that adds to it never turned: nobody writes it for that."""
    summed = {arm.owner for one in ways if one.binding.kind == "augment" for arm in one.binding.place.arms if arm.loop}
    return any(arm.loop and arm.ended and not arm.truth and arm.owner in summed for arm in way.arms)


_Choice: TypeAlias = tuple[ast.AST, bool, bool]
"""What an arm says apart from where it was met: two arms of the same choice are one."""


class _Way(Struct, frozen=True, eq=False):
    """What a name stands for on one way to a place; None where it is not bound, or was deleted.

    ``choices`` are those of the arms, which ways are compared by again and again.
    """

    binding: Binding | None
    arms: tuple[Arm, ...] = ()
    earlier_turn: bool = False
    choices: tuple[_Choice, ...] = ()

    def through(self, *arms: Arm) -> _Way:
        """Return the way on through arms of branching statements."""
        choices = tuple(map(_choice, arms))
        return _Way(self.binding, (*self.arms, *arms), self.earlier_turn, (*self.choices, *choices)) if arms else self


_Ways = tuple[_Way, ...]


@lru_cache(maxsize=1 << 14)
def _ways(bindings: tuple[Binding, ...], place: Place | None) -> _Ways:
    own = sorted((one for one in bindings if not _is_of_comprehension(one)), key=lambda one: one.place.order)
    if not own:
        return (_Way(None),)
    walk = _Walk(own, place)
    flow = own[0].place.scope.flow
    # Parameters are bound before the first statement.
    left = walk.block(Suite(0, max(flow.last, own[-1].place.order), flow.forks, flow.raising), (_Way(None),)) or ()
    found = (*left, *walk.returned) if place is None else (left if walk.seen is None else walk.seen)
    if len({(one.binding, one.earlier_turn) for one in found}) == 1:
        # Whichever way was taken, it is the same.
        return (_Way(found[0].binding, earlier_turn=found[0].earlier_turn),)
    here = {_choice(arm) for arm in place.arms} if place is not None else set()
    return _merged(
        _Way(one.binding, earlier_turn=one.earlier_turn).through(
            *(arm for arm, choice in zip(one.arms, one.choices, strict=True) if choice not in here)
        )
        for one in found
    )


def _choice(arm: Arm) -> _Choice:
    return arm.owner, arm.truth, arm.ended


def varies(binding: Binding) -> bool:
    """Return whether a binding inside a loop may be worked out of what an earlier turn of the loop left."""
    if binding.value is None or binding.kind not in {"assign", *MUTATIONS}:
        return True
    loops_around = {arm.owner for arm in binding.place.arms if arm.loop}
    bound = binding.place.scope.bindings
    return any(
        (isinstance(node, ast.Call | ast.Attribute | ast.Subscript) and node is not binding.value)
        or (
            isinstance(node, ast.Name)
            and any(arm.owner in loops_around for one in bound.get(node.id, ()) for arm in one.place.arms)
        )
        for node in ast.walk(binding.value)
    )


def _is_of_comprehension(binding: Binding) -> bool:
    """Return whether a comprehension binds a name for itself alone."""
    return isinstance(binding.node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp)


def may_be_rewritten(change: Binding, place: Place | None, since: int) -> bool:
    """Return whether a change to names nobody can tell comes between a name's own value and a place."""
    return change.place.order > since and (place is None or change.place.order < place.order)


def owners(scope: Scope, name: str) -> Iterator[Binding]:
    """Yield the bindings of what a dotted name is an attribute of."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield from scope.bindings.get(name, ())


def walrus_before(bindings: list[Binding], node: ast.Name, place: Place) -> ast.expr | None:
    """Return the value that an assignment expression earlier in the same statement gave a name, None without one."""
    start = (node.lineno, node.col_offset)
    given = [
        one.node.value
        for one in bindings
        if isinstance(one.node, ast.NamedExpr)
        and one.place.order == place.order
        and (one.node.end_lineno or 0, one.node.end_col_offset or 0) <= start
    ]
    return given[-1] if given else None


class _Walk:
    """One way through the statements of a scope with the bindings of one name."""

    def __init__(self, bindings: Sequence[Binding], place: Place | None) -> None:
        self.bindings = bindings
        self.orders = [one.place.order for one in bindings]
        self.place = place
        self.seen: _Ways | None = None
        self.returned: list[_Way] = []
        self.broke: list[list[_Way]] = []
        self.continued: list[list[_Way]] = []
        self.guarded: list[list[_Way]] = []
        """What is current at each statement of a guarded body that may raise."""
        self.passing = 0
        """Loops around that bind nothing: however they are left, it is as it was before."""

    def block(self, block: Suite, ways: _Ways) -> _Ways | None:
        """Return what is current after a block, None when nothing runs on from its end."""
        forks = block.forks
        position = bisect_left(self.orders, block.first)
        turn = 0
        since = block.first - 1
        while True:
            following = self.orders[position] if position < len(self.orders) else None
            if following is not None and following > block.last:
                following = None
            turn = self._next_fork(forks, turn, following)
            fork = forks[turn] if turn < len(forks) else None
            if fork is not None and (following is None or fork.order < following):
                self._look(fork.order, ways)
                self._raised(block, since, fork.order, ways)
                since = fork.last
                after = self._fork(fork, ways)
                if after is None:
                    return None
                ways = _merged(after)
                position = bisect_right(self.orders, fork.last)
                turn += 1
            elif following is not None:
                self._look(following, ways)
                self._raised(block, since, following, ways)
                since = following
                ways = self._bound(self.bindings[position], ways)
                position += 1
            else:
                break
        if self.place is not None and block.first <= self.place.order <= block.last:
            self._look(block.last, ways, last=True)
        self._raised(block, since, block.last, ways)
        return ways

    def _raised(self, block: Suite, since: int, until: int, ways: _Ways) -> None:
        """Note what is current where a statement after ``since`` may raise."""
        if self.guarded and bisect_right(block.raising, since) < bisect_right(block.raising, until):
            for current in self.guarded:
                current.extend(ways)

    def _next_fork(self, forks: Sequence[Fork], turn: int, following: int | None) -> int:
        """Return the next fork that matters: it binds the name, holds the place, or leaves."""
        leaving = (self.place is None or bool(self.broke)) and not self.passing
        while turn < len(forks):
            fork = forks[turn]
            if not fork.branches or (leaving and fork.leaves):
                return turn
            if following is not None and fork.last >= following:
                return turn
            if self.place is not None and fork.order < self.place.order <= fork.last:
                return turn
            turn += 1
        return turn

    def _look(self, order: int, ways: _Ways, *, last: bool = False) -> None:
        """Note what is current when the walk first comes to or past the place."""
        if self.place is not None and self.seen is None and (last or order >= self.place.order):
            self.seen = ways

    def _bound(self, binding: Binding, ways: _Ways) -> _Ways:
        sometimes = tuple(arm for arm in binding.place.arms if isinstance(arm.owner, ast.expr | ast.comprehension))
        inside = binding.inner.arms if binding.inner is not None else ()
        given = _Way(None if binding.kind == "delete" else binding).through(*binding.place.arms, *inside)
        if binding.inner is not None and not binding.called:
            kept = ways
        elif len(inside) == 1 and not inside[0].loop:
            kept = tuple(one.through(inside[0].otherwise()) for one in ways)
        elif inside:
            kept = ways
        elif sometimes:
            kept = tuple(one.through(sometimes[0].otherwise()) for one in ways) if len(sometimes) == 1 else ways
        else:
            kept = ()
        return (*kept, given)

    # --- statements ---

    def _fork(self, fork: Fork, ways: _Ways) -> _Ways | None:
        node = fork.node
        if isinstance(node, ast.Break | ast.Continue):
            for waiting in (self.broke if isinstance(node, ast.Break) else self.continued)[-1:]:
                waiting.extend(ways)
            return None
        if isinstance(node, ast.Return | ast.Expr):
            # What a call such as sys.exit() ends has run to its end, too.
            self.returned.extend(ways)
            return None
        if not fork.branches:
            return None
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            return self._loop(fork, ways)
        if isinstance(node, ast.Try):
            return self._try(fork, ways)
        if isinstance(node, ast.With | ast.AsyncWith):
            return self._with(fork, node, ways)
        if isinstance(node, ast.If) and is_main_test(node.test):
            return self._guard(fork, ways)
        left = [self._branch(arms, block, ways) for arms, block in fork.branches]
        return _joined(*left)

    def _branch(self, arms: tuple[Arm, ...], block: Suite, ways: _Ways) -> _Ways | None:
        return self.block(block, tuple(one.through(*arms) for one in ways))

    def _guard(self, fork: Fork, ways: _Ways) -> _Ways | None:
        """Follow the guard of the main module as if it were not there, unless the place is in its other arm."""
        (_, body), (_, orelse) = fork.branches
        if self.place is not None and orelse.first <= self.place.order <= orelse.last:
            return self.block(orelse, ways)
        return self.block(body, ways)

    def _loop(self, fork: Fork, ways: _Ways) -> _Ways | None:
        (arms, body), (_, orelse) = fork.branches
        (turn,) = arms
        if bisect_right(self.orders, fork.order) == bisect_right(self.orders, fork.last):
            self._pass_through(fork, body, orelse, ways)
            return ways
        test = fork.node.test if isinstance(fork.node, ast.While) else None
        entered = tuple(one.through(turn) for one in ways)
        seen = self.seen
        self.broke.append([])
        self.continued.append([])
        first = self.block(body, entered)
        again = _merged(replace(one, earlier_turn=True) for one in (*(first or ()), *self.continued[-1]))
        self.broke[-1], self.continued[-1] = [], []
        if seen is None:
            # The place may see what an earlier turn left.
            self.seen = None
        brought = (one for one in again if one.binding and fork.order < one.binding.place.order <= fork.last)
        left = self.block(body, (*entered, *brought))
        ended = Arm(fork.node, None, True, loop=True, place=turn.place, ended=True)
        never = Arm(fork.node, test, False, loop=test is None, place=turn.place, ended=test is None)
        through = [one.through(ended) for one in (*(left or ()), *self.continued.pop())]
        broke = tuple(self.broke.pop())
        if isinstance(test, ast.Constant) and test.value:
            return _merged(broke) or None
        entering = (*(one.through(never) for one in ways), *through)
        if not broke or orelse.last < orelse.first:
            return _joined(self.block(orelse, _merged(entering)), broke or None)
        # What comes to the other block, wherever it leads, is what there is where no break left the loop.
        own_end = Arm(fork.node, None, True, place=turn.place, ended=True)
        after = self.block(orelse, _merged(one.through(own_end) for one in entering))
        # What the block binds itself has not come to it.
        own = tuple(one if _choice(own_end) in one.choices else one.through(own_end) for one in after or ())
        return _joined(own or None, tuple(one.through(own_end.otherwise()) for one in broke))

    def _pass_through(self, fork: Fork, body: Suite, orelse: Suite, ways: _Ways) -> None:
        if self.place is None and fork.leaves:
            self.returned.extend(ways)
        self.passing += 1
        self.broke.append([])
        self.continued.append([])
        self.block(body, ways)
        self.broke.pop()
        self.continued.pop()
        self.passing -= 1
        self.block(orelse, ways)

    def _try(self, fork: Fork, ways: _Ways) -> _Ways | None:
        (_, body), *handlers, (orelse_arms, orelse), (_, final) = fork.branches
        lists = [self.returned, *self.broke[-1:], *self.continued[-1:]]
        leaving = [(one, len(one)) for one in lists]
        self.guarded.append([])
        left = self.block(body, ways)
        # Where nothing is known to raise, anything may.
        caught = _merged(self.guarded.pop()) or _merged((*ways, *(left or ())))
        if left is not None:
            left = self._branch(orelse_arms, orelse, left)
        joined = _joined(left, *(self._branch(arms, block, caught) for arms, block in handlers))
        return self._finally(final, joined, caught, leaving)

    def _finally(
        self, final: Suite, joined: _Ways | None, caught: _Ways, leaving: list[tuple[list[_Way], int]]
    ) -> _Ways | None:
        """Follow what runs in any case, on the way out as well."""
        if final.last < final.first:
            return joined
        left = [(ways, tuple(ways[before:])) for ways, before in leaving]
        every = _joined(joined, *(out for _, out in left if out)) or caught
        through = self.block(final, every)
        for (ways, before), (_, out) in zip(leaving, left, strict=True):
            ways[before:] = (self.block(final, out) if out else None) or ()
        return None if joined is None or through is None else self.block(final, joined)

    def _with(self, fork: Fork, node: ast.With | ast.AsyncWith, ways: _Ways) -> _Ways | None:
        ((arms, body),) = fork.branches
        if not any(_suppresses(item.context_expr) for item in node.items):
            return self._branch(arms, body, ways)
        self.guarded.append([])
        left = self._branch(arms, body, ways)
        caught = tuple(one.through(Arm(node, None, False)) for one in _merged(self.guarded.pop()))
        return _joined(tuple(one.through(Arm(node, None, True)) for one in left) if left else None, caught or None)


def _suppresses(manager: ast.expr) -> bool:
    name = (dotted(manager.func) or "") if isinstance(manager, ast.Call) else ""
    return name.rpartition(".")[2] in ("suppress", "raises", "assertRaises")


def _joined(*branches: _Ways | None) -> _Ways | None:
    left = [ways for ways in branches if ways is not None]
    return _merged(one for ways in left for one in ways) if left else None


def _merged(ways: Iterable[_Way]) -> _Ways:
    """Return the ways without repetitions; one that comes through both arms of a statement needs neither."""
    every = tuple(ways)
    if len(every) < 2:
        return every
    kept: dict[tuple[object, ...], _Way] = {}
    for one in every:
        while one.arms:
            last = one.arms[-1]
            partner = (one.binding, one.earlier_turn, one.choices[:-1], ((last.owner, not last.truth, False),))
            if last.ended or last.loop or partner not in kept:
                break
            del kept[partner]
            one = _Way(one.binding, one.arms[:-1], one.earlier_turn, one.choices[:-1])
        kept[one.binding, one.earlier_turn, one.choices[:-1], one.choices[-1:]] = one
    return _lost(kept.values()) if len(kept) > MOST_WAYS_TO_A_PLACE else tuple(kept.values())


def _lost(ways: Iterable[_Way]) -> _Ways:
    """Return the one way that stands for too many: of what the name is bound to nothing is known."""
    binding = next((one.binding for one in ways if one.binding is not None), None)
    if binding is None:
        return (_Way(None),)
    return (_Way(Binding(binding.name, "other", binding.node, binding.place)),)
