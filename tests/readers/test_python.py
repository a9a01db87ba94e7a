from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loaderlint.model.source import Language, Source
from loaderlint.readers import ReadError
from loaderlint.readers.python import Binding, PythonFacts, Scope, default_of, dotted, is_main_test, parameters, read


def facts_of(text: str | bytes, encoding: str = "utf-8") -> PythonFacts:
    content = text if isinstance(text, bytes) else text.encode(encoding)
    return read(Source("main.py", "/main.py", Language.PYTHON, content, encoding))


def every(scope: Scope) -> Iterator[Scope]:
    yield scope
    for child in scope.children:
        yield from every(child)


def bindings(text: str) -> dict[str, list[str]]:
    """The kinds of binding of each name, scopes inside others under their qualified names."""
    found: dict[str, list[str]] = {}
    for scope in every(facts_of(text).module):
        for name, ones in scope.bindings.items():
            found[".".join(filter(None, (scope.qualified(), name)))] = [one.kind for one in ones]
    return found


BINDINGS = {
    "a = 1": {"a": ["assign"]},
    "a: int = 1": {"a": ["assign"]},
    "a: int": {},
    "a += 1": {"a": ["augment"]},
    "a.b = 1": {"a.b": ["assign"]},
    "a.b.c += 1": {"a.b.c": ["augment"]},
    "a = b = 1": {"a": ["assign"], "b": ["assign"]},
    "a, b = c": {"a": ["unpack"], "b": ["unpack"]},
    "[a, (b, *c)] = d": {"a": ["unpack"], "b": ["unpack"], "c": ["unpack"]},
    "a, *b = c": {"a": ["unpack"], "b": ["unpack"]},
    "a['b'] = 1": {"a": ["item"]},
    "a['b']['c'] = 1": {"a": ["item"]},
    "a.b['c'] = 1": {"a.b": ["item"]},
    "a['b'] += 1": {"a": ["item"]},
    "a().b = 1": {},
    "del a['b']": {"a": ["pop"]},
    "a.update(b=1)": {"a": ["update"]},
    "a.setdefault('b', 1)": {"a": ["setdefault"]},
    "a.pop('b')": {"a": ["pop"]},
    "a.b.pop('c')": {"a.b": ["pop"]},
    "import a": {"a": ["import"]},
    "import a.b": {"a": ["import"]},
    "import a.b as c": {"c": ["import"]},
    "from a import b": {"b": ["import"]},
    "from a import b as c": {"c": ["import"]},
    "from a import *": {"*": ["import"]},
    "for a in b: pass": {"a": ["loop"]},
    "for a, b in c: pass": {"a": ["loop"], "b": ["loop"]},
    "for a, (b, c) in d: pass": {"a": ["loop"], "b": ["loop"], "c": ["loop"]},
    "for a.b in c: pass": {"a.b": ["loop"]},
    "for a['b'] in c: pass": {"a": ["item"]},
    "with a as b: pass": {"b": ["with"]},
    "with a as (b, c): pass": {"b": ["other"], "c": ["other"]},
    "with a as b, c as d: pass": {"b": ["with"], "d": ["with"]},
    "[a for a in b]": {"a": ["loop"]},
    "{a: b for a, b in c}": {"a": ["loop"], "b": ["loop"]},
    "if (a := 1): pass": {"a": ["assign"]},
    "def a(b, /, c, *d, e, **f): g = 1": {
        "a": ["function"],
        **{f"a.{name}": ["parameter"] for name in "bcdef"},
        "a.g": ["assign"],
    },
    "async def a(b): pass": {"a": ["function"], "a.b": ["parameter"]},
    "class A:\n    b = 1\n    c: int\n    def d(self): pass": {
        "A": ["class"],
        "A.b": ["assign"],
        "A.c": ["other"],
        "A.d": ["function"],
        "A.d.self": ["parameter"],
    },
    "a = lambda b: b": {"a": ["assign"], "<lambda>.b": ["parameter"]},
    "a = 1\ndef b():\n    global a\n    a = 2": {"a": ["assign", "assign"], "b": ["function"]},
    "def b():\n    a = 1\n    def c():\n        nonlocal a\n        a = 2": {
        "b": ["function"],
        "b.a": ["assign", "assign"],
        "b.c": ["function"],
    },
    "try:\n    a = 1\nexcept E:\n    a = 2\nelse:\n    b = 3\nfinally:\n    c = 4": {
        "a": ["assign", "assign"],
        "b": ["assign"],
        "c": ["assign"],
    },
    "try: pass\nexcept E as a: pass": {"a": ["other"]},
    "match a:\n    case 1:\n        b = 1": {"b": ["assign"]},
    "match a:\n    case [b, *c]: pass\n    case {'x': d, **e}: pass\n    case F(g=h) as i: pass": {
        **{name: ["other"] for name in "bcdeh"},
        "i": ["assign"],
    },
    "while a:\n    b = 1\nelse:\n    c = 1": {"b": ["assign"], "c": ["assign"]},
}


@pytest.mark.parametrize(("text", "expected"), BINDINGS.items(), ids=BINDINGS.keys())
def test_bindings(text: str, expected: dict[str, list[str]]) -> None:
    assert bindings(text) == expected


TARGETS = {
    "import a.b.c": ("a", "a"),
    "import a.b.c as d": ("d", "a.b.c"),
    "from a.b import c": ("c", "a.b.c"),
    "from a.b import c as d": ("d", "a.b.c"),
    "from . import a": ("a", ".a"),
    "from .. import a": ("a", "..a"),
    "from .a import b": ("b", ".a.b"),
    "from ..a.b import c": ("c", "..a.b.c"),
    "from a import *": ("*", "a.*"),
}


@pytest.mark.parametrize(("text", "expected"), TARGETS.items(), ids=TARGETS.keys())
def test_what_an_import_names(text: str, expected: tuple[str, str]) -> None:
    found = facts_of(text).module.bindings
    assert [(name, one.target) for name, ones in found.items() for one in ones] == [expected]


def only(facts: PythonFacts, name: str, index: int = -1) -> Binding:
    return facts.module.bindings[name][index]


def arms(text: str, name: str = "x") -> list[str]:
    """The branches around the last binding of a name, outermost first."""
    facts = facts_of(text)
    words = []
    for arm in only(facts, name).place.arms:
        test = ast.unparse(arm.test) if arm.test is not None else "?"
        words.append(("loop " if arm.loop else "") + (test if arm.truth else f"not {test}"))
    return words


ARMS = {
    "x = 1": [],
    "if a:\n    x = 1": ["a"],
    "if a:\n    pass\nelse:\n    x = 1": ["not a"],
    "if a:\n    pass\nelif b:\n    x = 1": ["not a", "b"],
    "if a:\n    if b:\n        x = 1": ["a", "b"],
    "for i in a:\n    x = 1": ["loop ?"],
    "while a:\n    x = 1": ["loop a"],
    "try:\n    x = 1\nexcept E:\n    pass": [],
    "try:\n    pass\nexcept E:\n    x = 1": ["not ?"],
    "with a:\n    x = 1": [],
    "match a:\n    case 1:\n        x = 1": ["a == 1"],
    "match a:\n    case 1:\n        pass\n    case _:\n        x = 1": ["not a == 1", "True"],
    "if a:\n    raise E\nx = 1": ["not a"],
    "if a:\n    pass\nelse:\n    raise E\nx = 1": ["a"],
    "if a:\n    exit()\nx = 1": ["not a"],
    "import sys\nif a:\n    sys.exit(1)\nx = 1": ["not a"],
    "if a:\n    leave()\nx = 1": [],
    "for i in b:\n    if a:\n        continue\n    x = 1": ["loop ?", "not a"],
    "if a:\n    if b:\n        raise E\n    else:\n        raise F\nx = 1": ["not a"],
    "if a:\n    if b:\n        raise E\nx = 1": [],
}


@pytest.mark.parametrize(("text", "expected"), ARMS.items(), ids=ARMS.keys())
def test_the_branches_around_a_place(text: str, expected: list[str]) -> None:
    assert arms(text) == expected


def test_the_arms_of_one_test_exclude_each_other() -> None:
    facts = facts_of("if a:\n    x = 1\nelse:\n    y = 1\nif a:\n    z = 1\n")
    (yes,), (no,), (again,) = (only(facts, name).place.arms for name in "xyz")
    assert yes.excludes(no) and no.excludes(yes)
    assert not yes.excludes(yes) and yes.same(yes)
    assert not yes.excludes(again) and not yes.same(again)
    assert yes.otherwise().same(no)


MAIN_TESTS = {
    "__name__ == '__main__'": True,
    "'__main__' == __name__": True,
    "__name__ is '__main__'": True,
    "__name__ in ('__main__',)": True,
    "__name__ in {'__main__'}": True,
    "__name__ == '__main__' and a": True,
    "a and __name__ == '__main__'": True,
    "(__name__) == ('__main__')": True,
    "__name__ != '__main__'": False,
    "not __name__ == '__main__'": False,
    "__name__ == '__main__' or a": False,
    "__name__ == 'main'": False,
    "name == '__main__'": False,
    "__name__ in ('__main__', '__mp_main__')": False,
    "__name__ not in ('__main__',)": False,
    "__name__ == main": False,
    "__main__": False,
    "a.__name__ == '__main__'": False,
    "'a' < __name__ == '__main__'": False,
}


@pytest.mark.parametrize(("text", "expected"), MAIN_TESTS.items(), ids=MAIN_TESTS.keys())
def test_the_test_of_a_guard(text: str, expected: bool) -> None:
    assert is_main_test(ast.parse(text, mode="eval").body) is expected


def test_the_guard_is_the_first_at_the_top() -> None:
    facts = facts_of("def a():\n    if __name__ == '__main__':\n        b()\nif __name__ == '__main__':\n    a()\n")
    assert facts.guard is not None and facts.guard.lineno == 4
    assert facts_of("a = 1\n").guard is None


def test_calls_are_kept_by_the_last_part_of_their_name() -> None:
    facts = facts_of("a()\nb.a()\nc().a()\nd[0]()\n")
    assert {name: len(sites) for name, sites in facts.calls.items()} == {"a": 3, "c": 1, "": 1}


@pytest.mark.parametrize(
    "text",
    [
        "f(a())",
        "@a()\ndef f(): pass",
        "@a()\nclass A: pass",
        "class A(a()): pass",
        "class A(metaclass=a()): pass",
        "def f(b=a()): pass",
        "def f(*, b=a()): pass",
        "x = [a() for b in c]",
        "x = lambda: a()",
        "x = lambda b=a(): b",
        "x = f'{a()}'",
        "x[a()] = 1",
        "assert a()",
        "raise a()",
        "x: int = a()",
        "x += a()",
        "with a(): pass",
        "while a(): pass",
        "if a(): pass",
        "for b in a(): pass",
        "try:\n    pass\nexcept E:\n    a()",
        "match a():\n    case 1: pass",
        "x = b if a() else c",
        "async def f():\n    await a()",
        "def f():\n    yield a()",
        "def f():\n    return a()",
        "a().b = 1",
        "a()[0] = 1",
        "del a()[0]",
        "match x:\n    case 1 if a(): pass",
        "for a().b in c: pass",
        "with b as a().c: pass",
    ],
)
def test_calls_are_found_wherever_they_stand(text: str) -> None:
    assert len(facts_of(text).calls["a"]) == 1


ITERATIONS = {
    "for a in b: pass": ["b"],
    "[a for a in b]": ["b"],
    "{a for a in b for c in d}": ["b", "d"],
    "list(a)": ["a"],
    "next(iter(a))": ["iter(a)", "a"],
    "tqdm(a)": ["a"],
    "a, b = c": [],
    "len(a)": [],
}


@pytest.mark.parametrize(("text", "expected"), ITERATIONS.items(), ids=ITERATIONS.keys())
def test_what_is_iterated(text: str, expected: list[str]) -> None:
    assert [ast.unparse(expression) for expression, _, _ in facts_of(text).module.iterations] == expected


RETURNS = {
    "def f():\n    return 1": ["1"],
    "def f():\n    if a:\n        return 1\n    return 2": ["1", "2"],
    "def f():\n    return": ["None"],
    "def f():\n    pass": [],
    "def f():\n    def g():\n        return 1": [],
    "f = lambda: 1": ["1"],
}


@pytest.mark.parametrize(("text", "expected"), RETURNS.items(), ids=RETURNS.keys())
def test_what_a_function_returns(text: str, expected: list[str]) -> None:
    (scope,) = facts_of(text).module.children
    assert [ast.unparse(value) if value is not None else "None" for value, _ in scope.returns] == expected


def test_a_generator_yields() -> None:
    facts = facts_of("def a():\n    yield 1\ndef b():\n    yield from a()\ndef c():\n    return 1\n")
    assert [scope.yields for scope in facts.module.children] == [True, True, False]


DEFAULTS = {"a": None, "b": "1", "c": "2", "d": None, "e": None, "f": "3", "g": None}


def test_defaults() -> None:
    node = ast.parse("def f(a, b=1, /, c=2, *d, e, f=3, **g): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    found = {one.arg: default_of(node, one.arg) for one in parameters(node)}
    assert {name: ast.unparse(value) if value is not None else None for name, value in found.items()} == DEFAULTS


@pytest.mark.parametrize(
    ("text", "expected"), [("a", "a"), ("a.b.c", "a.b.c"), ("a().b", None), ("a[0].b", None), ("1", None)]
)
def test_dotted_names(text: str, expected: str | None) -> None:
    assert dotted(ast.parse(text, mode="eval").body) == expected


# --- places ---

PLACES: dict[str, tuple[str | bytes, str, int, int]] = {
    "plain": ("a = 1\nx = 8\n", "utf-8", 2, 5),
    "after characters of several bytes": ("x = 8 if 'é日本' else 8\n", "utf-8", 1, 5),
    "behind characters of several bytes": ("'é日本'; x = 8\n", "utf-8", 1, 12),
    "behind characters outside the basic plane": ("'🙂'; x = 8\n", "utf-8", 1, 10),
    "after a tab": ("if 1:\n\tx = 8\n", "utf-8", 2, 6),
    "CRLF": ("a = 1\r\nx = 8\r\n", "utf-8", 2, 5),
    "a form feed": ("a = 1\n\x0c\nx = 8\n", "utf-8", 3, 5),
    "a line separator that ends no line": ("a = '\u2028'\nx = 8\n", "utf-8", 2, 5),
    "Latin-1": ("# coding: latin-1\n'é'; x = 8\n".encode("latin-1"), "latin-1", 2, 10),
    "no line end at the end": ("x = 8", "utf-8", 1, 5),
}


@pytest.mark.parametrize(("text", "encoding", "line", "column"), PLACES.values(), ids=PLACES.keys())
def test_places_count_characters(text: str | bytes, encoding: str, line: int, column: int) -> None:
    facts = facts_of(text, encoding)
    value = only(facts, "x").value
    assert isinstance(value, ast.Constant | ast.IfExp)
    span = facts.span(value)
    assert (span.line, span.column) == (line, column)
    assert facts.text(value).startswith("8")


def test_a_byte_order_mark_counts_as_a_character_of_the_first_line() -> None:
    facts = facts_of("\ufeffx = 8\ny = 'é'; z = 9\n")
    for name in "xz":
        value = only(facts, name).value
        assert value is not None
        assert facts.source.at(facts.span(value)) in ("8", "9")


def test_the_text_of_a_node_is_one_line() -> None:
    facts = facts_of("x = f(\n    1,\n    2,\n)\n")
    value = only(facts, "x").value
    assert value is not None and facts.text(value) == "f( 1, 2, )"


REFUSED = {
    "a bracket left open": ("x = (\n", 1),
    "a word too many": ("a = 1\nx = 1 2\n", 2),
    "Python 2": ("print 'a'\n", 1),
    "a template": ("{{ name }} = 1 {% if a %}\n", 1),
    "an indent too many": ("a = 1\n    b = 2\n", 2),
    "a null byte": ("a = 1\x00\n", 1),
    "a mark of another encoding than it names": ("\ufeff# coding: latin-1\na = 1\n", 1),
    "merge marks": ("<<<<<<< HEAD\na = 1\n=======\n", 1),
}


def test_what_is_no_python_is_refused_with_the_version_it_was_read_as() -> None:
    with pytest.raises(ReadError) as refused:
        facts_of("loader = DataLoader(\n")
    assert (
        f"(read as Python {sys.version_info[0]}.{sys.version_info[1]}, which loaderlint runs on;"
        in refused.value.message
    )


@pytest.mark.parametrize(("text", "line"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_python_is_refused_at_its_line(text: str, line: int) -> None:
    with pytest.raises(ReadError) as refused:
        facts_of(text)
    assert refused.value.message
    assert refused.value.line == line
    assert refused.value.column >= 1


@pytest.mark.parametrize(
    "text",
    ["x = " + "(" * 5000 + ")" * 5000, "x = " + "-" * 100_000 + "1", "x = " + "+".join(["a"] * 50_000)],
    ids=["brackets", "signs", "a long sum"],
)
def test_depth_ends_in_a_refusal_or_in_facts_and_never_in_a_traceback(text: str) -> None:
    limit = sys.getrecursionlimit()
    try:
        facts_of(text)
    except ReadError as refused:
        assert refused.message
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("n = 1" + " + 1" * 50_000, "a sum of thousands of terms"),
        ("if a:\n    pass\n" + "elif b:\n    pass\n" * 5000, "an `if` of hundreds of `elif`"),
    ],
)
def test_what_is_nested_too_deeply_is_named_as_it_is_written(text: str, named: str) -> None:
    with pytest.raises(ReadError, match="nested too deeply") as refused:
        facts_of(text)
    assert named in refused.value.message


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "'''only a docstring'''\n", "\ufeff"])
def test_files_with_nothing_to_say(text: str) -> None:
    facts = facts_of(text)
    assert not facts.module.bindings and not facts.calls


@given(st.text(max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        facts_of(text.encode("utf-8", "surrogatepass"))
    except ReadError as refused:
        assert refused.line >= 1 and refused.column >= 1


@pytest.mark.skipif(sys.version_info < (3, 11), reason="there are no groups of errors before Python 3.11")
def test_what_takes_errors_of_a_group_is_read_as_what_takes_errors() -> None:
    text = "try:\n    a = 1\nexcept{} ValueError:\n    a = 2\n"
    tried, groups = (read(Source("a.py", "/a.py", Language.PYTHON, text.format(one).encode())) for one in ("", "*"))
    assert [type(one) for one in groups.blocks] == [type(one) for one in tried.blocks] == [ast.Try]
