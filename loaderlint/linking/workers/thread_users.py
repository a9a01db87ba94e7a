"""Libraries that keep threads: what uses them in workers, and what in the main process before the workers start."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from loaderlint.linking.following.running import STEPS, shortened
from loaderlint.linking.scopes.in_workers import told_apart
from loaderlint.linking.things.kinds import External, Frame, Function, Instance, Made, Row
from loaderlint.linking.workers.remote_calls import channels_of
from loaderlint.linking.workers.top_level import full_name, meant_name
from loaderlint.model.assumptions import Assumptions
from loaderlint.model.payload import Touch
from loaderlint.model.source import Span
from loaderlint.model.uses import ThreadUse
from loaderlint.readers.python import FunctionNode, PythonFacts, Scope, ScopeNode, parameters
from loaderlint.readers.python_calls import called_name
from loaderlint.readers.python_calls import keywords as keywords_of
from loaderlint.vocabulary import forking
from loaderlint.vocabulary.forking import Threaded

if TYPE_CHECKING:
    from loaderlint.linking.following.evaluate import Evaluator

_NAMES = (
    forking.EXECUTOR_METHODS
    | forking.FILE_SYSTEM_METHODS
    | forking.POLARS_METHODS
    | {name.rpartition(".")[2] for name in forking.HANDS_TO_LOOP}
)
"""The last names of the calls that can use such a library."""
_LIBRARIES = (
    *("concurrent", "polars", "tokenizers", "transformers", "asyncio", "fsspec", "gcsfs", "s3fs", "adlfs"),
    "grpc",
)
"""Words that stand somewhere in the project where one of these libraries is imported."""


def used_in_workers(
    evaluator: Evaluator, running: Iterable[Function], collating: Iterable[Function] = ()
) -> tuple[ThreadUse, ...]:
    """Return where functions that run in workers use threads that were there before the workers started.

    What such a function makes itself is made anew in every worker. Those of ``collating`` are handed a batch.
    """
    handed = {one.scope for one in collating}
    functions = list(running)
    if not evaluator.once(("threads",), False, lambda: _any_imported(evaluator, _LIBRARIES)):
        return ()
    own = {function.scope for function in functions}
    if any(called_name(site.node) == "getpid" for one in functions for site in one.scope.calls):
        return ()
    found: dict[Span, ThreadUse] = {}
    for function in functions:
        for use in _uses(evaluator, function.facts, function.scope, function.receiver, own, handed):
            found.setdefault(use.span, use)
    return tuple(found.values())


def used_before(
    evaluator: Evaluator,
    in_workers: Collection[ThreadUse],
    files: Iterable[str],
    before: Callable[[Touch, ScopeNode], bool],
) -> Iterator[ThreadUse]:
    """Yield where the main process uses the same threads; ``before`` says whether that can be before the workers."""
    threads = {use.threads for use in in_workers}
    made = {use.made for use in in_workers}
    spans = {use.span for use in in_workers}
    for path in files if threads else ():
        facts = evaluator.project.python(path)
        for scope in facts.scopes.values() if facts is not None else ():
            assert facts is not None
            for use in (*_uses(evaluator, facts, scope, None, ()), *_loops_started(evaluator, facts, scope)):
                if use.threads in threads and use.made in made and use.span not in spans and before(use, scope.node):
                    yield use


def _any_imported(evaluator: Evaluator, libraries: Iterable[str]) -> bool:
    return any(
        any(f"import {word}" in facts.source.text or f"from {word}" in facts.source.text for word in libraries)
        for facts in evaluator.project.all_python()
    )


def _uses(
    evaluator: Evaluator,
    facts: PythonFacts,
    scope: Scope,
    receiver: Instance | None,
    own: Collection[Scope],
    handed: Collection[Scope] = (),
) -> Iterator[ThreadUse]:
    """Yield the calls of a scope that use threads which no scope of ``own`` makes; those of ``handed`` get a batch."""
    parallel = _tokenizers_in_parallel(evaluator)
    remote = evaluator.once(("threads", "grpc"), False, lambda: _any_imported(evaluator, ("grpc",)))
    for site in scope.calls:
        if told_apart(site.place):
            continue
        frame = Frame(facts, site.place, receiver=receiver)
        name = called_name(site.node)
        tokenizes = parallel and (
            name in forking.TOKENIZER_BATCHES
            or is_batch(site.node, scope)
            or (scope in handed and _is_handed(site.node, scope))
            or _is_list(evaluator, site.node, frame)
        )
        if name not in _NAMES and not tokenizes and not remote:
            continue
        with evaluator.steps(STEPS):
            found = list(_used_by(evaluator, site.node, frame, own, tokenizes))
            channels = channels_of(evaluator, site.node, frame) if remote else ()
            found.extend((forking.GRPC, one) for one in channels if one.frame.scope not in own)
            alternatives = evaluator.conditions(site.place.arms, frame) if found else []
        for threaded, made in found:
            for conditions in alternatives[:1]:
                yield use_of(facts, site.node, conditions, threaded, made)


def _used_by(
    evaluator: Evaluator, node: ast.Call, frame: Frame, own: Collection[Scope], tokenizes: bool
) -> Iterator[tuple[Threaded, Made | None]]:
    """Yield what a call uses, and the object that keeps it, None for what the process has one of."""
    name = called_name(node)
    function = node.func
    if tokenizes and name not in forking.EXECUTOR_METHODS:
        by_method = isinstance(function, ast.Attribute) and name in forking.TOKENIZER_BATCHES
        tokenizer = function.value if by_method and isinstance(function, ast.Attribute) else function
        made = (one.thing for one in evaluator.evaluate(tokenizer, frame))
        if any(isinstance(one, Made) and is_fast_tokenizer(one) for one in made):
            yield forking.TOKENIZERS, None
        return
    if any(name == one.rpartition(".")[2] for one in forking.HANDS_TO_LOOP):
        called = [one.thing for one in evaluator.evaluate(function, frame)]
        if any(isinstance(one, External) and one.name in forking.HANDS_TO_LOOP for one in called):
            for given in [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "loop")]:
                for loop in _loops(evaluator, given, frame, own):
                    yield forking.EVENT_LOOP, loop
        return
    if not isinstance(function, ast.Attribute):
        return
    things = [one.thing for one in evaluator.evaluate(function.value, frame)]
    made_here = any(isinstance(one, Made) and one.frame.scope in own for one in things)
    for thing in things:
        if name in forking.POLARS_METHODS and _is_polars(thing, name):
            yield forking.POLARS, None
            return
        if isinstance(thing, Made) and not made_here:
            threaded = _kept(evaluator, thing)
            methods = forking.FILE_SYSTEM_METHODS if threaded is forking.FILE_SYSTEM else ()
            methods = methods or forking.EXECUTOR_METHODS
            if threaded is not None and name in methods:
                yield threaded, thing


def _is_polars(thing: object, name: str) -> bool:
    if isinstance(thing, External):
        return thing.name == "polars" and name.startswith("read_")
    if not isinstance(thing, Made) or not thing.callee.startswith("polars.") or name.startswith("read_"):
        return False
    # A lazy frame works only when it is collected.
    return name == "collect" or not (thing.callee.startswith("polars.scan_") or ".lazy" in thing.callee)


def _kept(evaluator: Evaluator, made: Made) -> Threaded | None:
    if made.callee in forking.MAKES_FILE_SYSTEM and made.call.args:
        asked = [one.thing for one in evaluator.evaluate(made.call.args[0], made.frame)]
        remote = bool(asked) and all(one in forking.REMOTE_PROTOCOLS for one in asked if isinstance(one, str))
        return forking.KEPT["gcsfs.GCSFileSystem"] if remote and isinstance(asked[0], str) else None
    return forking.KEPT.get(made.callee)


def _loops(evaluator: Evaluator, node: ast.expr, frame: Frame, own: Collection[Scope]) -> Iterator[Made]:
    for one in evaluator.evaluate(node, frame):
        thing = one.thing
        if isinstance(thing, Made) and thing.callee in forking.EVENT_LOOPS and thing.frame.scope not in own:
            yield thing


def _loops_started(evaluator: Evaluator, facts: PythonFacts, scope: Scope) -> Iterator[ThreadUse]:
    """Yield where a thread is made that runs an event loop: ``Thread(target=loop.run_forever)``."""
    for site in scope.calls:
        target = keywords_of(site.node).get("target")
        if called_name(site.node) != "Thread" or not isinstance(target, ast.Attribute):
            continue
        frame = Frame(facts, site.place)
        with evaluator.steps(STEPS):
            loops = list(_loops(evaluator, target.value, frame, ())) if target.attr == forking.RUNS_LOOP else []
            alternatives = evaluator.conditions(site.place.arms, frame) if loops else []
        for made in loops:
            for conditions in alternatives[:1]:
                yield use_of(facts, site.node, conditions, forking.EVENT_LOOP, made)


def use_of(
    facts: PythonFacts, node: ast.Call, conditions: Assumptions, threaded: Threaded, made: Made | None
) -> ThreadUse:
    """Return a call as a use of threads, those of the object that was made, or of the process."""
    at_the_top = made is not None and made.frame.scope is made.frame.facts.module and not made.frame.place.arms
    return ThreadUse(
        facts.span(node),
        shortened(facts.text(node)),
        conditions,
        threads=threaded.words,
        made=made.frame.facts.span(made.call) if made is not None else None,
        hangs=threaded.hangs,
        spawns=at_the_top if made is not None else threaded is not forking.TOKENIZERS,
        help=threaded.help,
        known=threaded.known,
    )


# --- tokenizers ---


def is_fast_tokenizer(made: Made) -> bool:
    """Return whether this is a tokenizer with threads of its own, of ``tokenizers`` or wrapped by transformers."""
    keywords = keywords_of(made.call)
    slow = keywords.get("use_fast")
    if isinstance(slow, ast.Constant) and not slow.value:
        return False
    of = made.callee.removesuffix(".from_pretrained").removesuffix(".from_file")
    return of in ("transformers.AutoTokenizer", "tokenizers.Tokenizer") or (
        of.startswith("transformers.") and of.endswith("TokenizerFast")
    )


def is_batch(node: ast.Call, scope: Scope) -> bool:
    """Return whether the first argument of a call is a list somebody wrote."""
    given = node.args[0] if node.args else None
    if isinstance(given, ast.Name):
        bound = scope.bindings.get(given.id, ())
        given = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" else None
    return isinstance(given, ast.ListComp) or (isinstance(given, ast.List) and len(given.elts) > 1)


def _is_handed(node: ast.Call, scope: Scope) -> bool:
    """Return whether the first argument of a call is what a function is handed first, under its only name."""
    given = node.args[0] if node.args else None
    if not isinstance(given, ast.Name) or not isinstance(scope.node, FunctionNode | ast.Lambda):
        return False
    taken = [one.arg for one in parameters(scope.node) if one.arg != "self"][:1]
    return taken == [given.id] and len(scope.bindings[given.id]) == 1


def _is_list(evaluator: Evaluator, node: ast.Call, frame: Frame) -> bool:
    """Return whether the first argument of a call is a name of a list of several that was written elsewhere."""
    given = node.args[0] if node.args else None
    if not isinstance(given, ast.Name | ast.Attribute):
        return False
    with evaluator.steps(STEPS):
        things = [one.thing for one in evaluator.evaluate(given, frame)]
    return bool(things) and all(isinstance(one, Row) and len(one.items) > 1 for one in things)


def _tokenizers_in_parallel(evaluator: Evaluator) -> bool:
    """Return whether the project sets ``TOKENIZERS_PARALLELISM`` to true, and never to anything else."""
    return evaluator.once(("tokenizers",), False, lambda: set(parallelism(evaluator)) == {"true"})


def parallelism(evaluator: Evaluator) -> Iterator[str]:
    """Yield what the project sets ``TOKENIZERS_PARALLELISM`` to: ``true``, or something ``other``."""
    for facts in evaluator.project.all_python():
        if forking.TOKENIZERS_VARIABLE not in facts.source.text:
            continue
        for scope in facts.scopes.values():
            for name, bindings in scope.bindings.items():
                for one in bindings if full_name(scope, meant_name(scope, name)) == "os.environ" else ():
                    key, value = one.key, one.value
                    if isinstance(one.node, ast.Call) and len(one.node.args) == 2:
                        key, value = one.node.args
                    if isinstance(key, ast.Constant) and key.value == forking.TOKENIZERS_VARIABLE:
                        written = value.value if isinstance(value, ast.Constant) else ""
                        yield "true" if str(written).lower() in ("true", "1", "on", "yes") else "other"
