"""Programs whose samples, or what is printed of them, are others without workers; beside each one where they stay."""

from __future__ import annotations

import pytest

from loaderlint.linking.following import running
from loaderlint.linking.programs import held_iterators, shared_objects
from tests.linking.judged import IMPORTS, ROWS, why, why_in_loop

SEEDED = "torch.manual_seed(0)"
OWN = "one = torch.Generator().manual_seed(0)\nother = torch.Generator().manual_seed(0)"
TENS = "class Tens:\n    def __init__(self, rng):\n        self.rng = rng\n    def __iter__(self):\n"
TENS += "        for _ in range(10):\n            yield int(self.rng.integers(8))\n"
ROW = ROWS.format(sample="self.rows[0] * index")


def in_main(body: str, top: str = "", rows: str = ROW) -> str:
    """Return why samples may be others in a program whose function ``main`` does something."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    end = "\nif __name__ == '__main__':\n    main()\n"
    return why(f"{IMPORTS}import sys\nfrom unittest import mock\n{top}\n{rows}def main():\n{lines}{end}")


GENERATORS = {
    "of the loader": ("generator=one, shuffle=True", "print(torch.rand(1, generator=one))", "generator=other"),
    "of its sampler": (
        "sampler=torch.utils.data.RandomSampler(Rows(), generator=one)",
        "one.manual_seed(1)",
        "other.manual_seed",
    ),
    "of its sampler, in a function": (
        "sampler=torch.utils.data.RandomSampler(Rows(), generator=one)",
        "noise(one)",
        "noise(other",
    ),
    "of a sampler of one's own": ("sampler=Tens(one)", "print(one.random())", "other.random"),
}


@pytest.mark.parametrize(("option", "draws", "instead"), GENERATORS.values(), ids=GENERATORS)
def test_a_generator_draws_an_order_and_in_the_loop_over_it(option: str, draws: str, instead: str) -> None:
    def judged(body: str) -> str:
        loop = f"for batch in DataLoader(Rows(), num_workers=1, {option}):\n    {body}"
        top = f"{TENS}def noise(drawn):\n    return torch.rand(1, generator=drawn)\n"
        return in_main(f"{OWN}\n{loop}", top, ROWS.format(sample="index"))

    assert "share then" in judged(draws)
    assert not judged(draws.replace(instead.replace("other", "one"), instead))
    assert not judged("print(batch)")


@pytest.mark.parametrize(
    ("made", "sample", "draws"),
    [
        ("np.random.default_rng(0)", "self.rows.random()", True),
        ("torch.Generator()", "torch.rand(1, generator=self.rows)", True),
        ("random.Random(index)", "self.rows.random()", True),
        ("np.random.default_rng()", "self.rows.random()", False),
        ("np.random.RandomState(0)", "self.rows.seed(index) or self.rows.rand()", False),
        ("np.random.default_rng(0)", "np.random.default_rng(index).random()", False),
    ],
)
def test_samples_draw_from_a_generator_that_they_keep(made: str, sample: str, draws: bool) -> None:
    top = "import random\nindex = 1\n"
    assert bool(why_in_loop("print(batch)", before="", top=top, rows=f"Rows({made})", sample=sample)) is draws


DRAWS = "class Rows(Dataset):\n    def __init__(self):\n        rng = self.rng = np.random.RandomState(0)\n"
DRAWS += (
    "        self.rngs, self.named = [rng], {'a': rng}\n        self.made = [np.random.RandomState(1) for _ in 'ab']\n"
)
DRAWS += "        self.table, self.start = np.zeros(8), engine.Board().seed(0)\n"
DRAWS += "        self.draw = rng.rand\n        self.size, self.sizes = 3, [4]\n"
DRAWS += "    def __len__(self):\n        return 8\n    def __getitem__(self, index):\n        "


@pytest.mark.parametrize(
    ("does", "draws"),
    [
        ("rng = self.rng\nreturn rng.rand()", True),
        ("rng = self.rng\nrng.seed(index)\nreturn rng.rand()", False),
        ("rng = self.rng\nself.rng.seed(index)\nreturn rng.rand()", False),
        ("return draw(self.rng)", True),
        ("return draw(drawn=self.rng)", True),
        ("self.rng.seed(index)\nreturn draw(self.rng)", False),
        ("isinstance(self.rng, int) or print(self.rng, self.size)\nreturn draw(self.size, self.sizes[0])", False),
        ("return self.rngs[0].rand()", True),
        ("return self.named['a'].rand()", True),
        ("return self.made[index].rand()", True),
        ("return self.draw()", True),
        ("if index == 0:\n    self.rng.seed(0)\nreturn self.rng.rand()", True),
        ("index or self.rng.seed(0)\nreturn self.rng.rand()", True),
        ("one = self.rng.rand()\nself.rng.seed(index)\nreturn one", True),
        ("self.rng.seed(int(self.rng.rand()))\nreturn index", True),
        ("self.rng.seed(index)\nif index:\n    return self.rng.rand()\nreturn index", False),
        ("if index:\n    self.rng.seed(index)\n    return self.rng.rand()\nreturn index", False),
        ("drawn = [self.rng.rand(),\n    self.rng.seed(index)]\nreturn drawn[0]", True),
        ("one = self.rng\nother = one\none = other\nreturn one.rand()", True),
        ("rng = np.random.RandomState(0)\nreturn rng.rand()", False),
        ("return self.table.sum()", False),
        ("return len(self.start)", False),
        ("return everywhere.rand()", True),
    ],
)
def test_a_generator_that_samples_keep_is_seeded_before_each_draw(does: str, draws: bool) -> None:
    rows = DRAWS + does.replace("\n", "\n        ") + "\n"
    top = "import engine\neverywhere = np.random.RandomState(0)\ndef draw(drawn, *others):\n    return drawn\n"
    assert bool(in_main(LOOP, top, rows)) is draws


@pytest.mark.parametrize(
    ("sample", "body", "before", "draws"),
    [
        ("torch.rand(1)", "print(torch.rand(1))", SEEDED, True),
        ("torch.rand(1)", "print(batch)", SEEDED, False),
        ("torch.rand(1)", "print(torch.rand(1))", "np.random.seed(0)", False),
        ("torch.rand(1, generator=one)", "print(torch.rand(1))", SEEDED, False),
        ("index", "print(torch.rand(1))", SEEDED, False),
    ],
)
def test_samples_draw_of_torch_what_their_program_draws(sample: str, body: str, before: str, draws: bool) -> None:
    assert bool(why_in_loop(body, before=before, rows="Rows()", sample=sample)) is draws


@pytest.mark.parametrize(("shuffled", "draws"), [(", shuffle=True", True), ("", False)])
def test_samples_draw_of_torch_what_their_order_draws(shuffled: str, draws: bool) -> None:
    loop = f"{SEEDED}\nfor batch in DataLoader(Rows(), num_workers=1{shuffled}):\n    print(batch)"
    assert bool(in_main(loop, rows=ROWS.format(sample="torch.rand(1)"))) is draws


LOOP = "for batch in DataLoader(Rows(), num_workers=1):\n    print(batch)"


@pytest.mark.parametrize(
    ("does", "changes"),
    [
        ("sys.modules['tables'] = print", True),
        ("sys.modules['tables'].SCALE = 2", True),
        ("setattr(sys.modules['tables'], 'SCALE', 2)", True),
        ("sys.modules.pop('tables')", True),
        ("del sys.modules['tables']", True),
        ("print(sys.modules['tables'].SCALE, sys.modules.get('tables'))", False),
        ("modules = {}\nmodules['tables'] = 2", False),
        ("names = globals()\nnames['SCALE'] = 2", True),
        ("every()['SCALE'] = 2", True),
        ("globals().setdefault('SCALE', 2)", True),
        ("globals().setdefault('OTHER', 2)", False),
        ("vars(sys.modules[__name__])['SCALE'] = 2", True),
        ("sys.modules[__name__].__dict__['SCALE'] = 2", True),
        ("setattr(sys.modules['__main__'], 'SCALE', 2)", True),
        ("sys.modules[__name__].SCALE = 2", True),
        ("fill(globals())", True),
        ("exec('SCALE = 2', globals())", True),
        ("exec('SCALE = 2', globals(), {})", True),
        ("names = globals()\nnames['OTHER'] = 2", False),
        ("print(globals()['SCALE'], globals().get('SCALE'), len(globals()))", False),
        ("print('SCALE' in globals().keys(), globals().copy())", False),
        ("exec('SCALE = 2', {}, {})", False),
        ("import __main__\n__main__.SCALE = 2", True),
        ("import __main__\nprint(__main__.SCALE)", False),
        ("mock.patch('__main__.SCALE', 2).start()", True),
        ("mock.patch('__main__.OTHER', 2).start()", False),
        ("mock.patch.dict('__main__.SCALE', x=2).start()", True),
        ("me = sys.modules[__name__]\nme.SCALE = 2", True),
        ("me = sys.modules[__name__]\nme.OTHER = 2", False),
        ("me = sys.modules[__name__]\nprint(me.SCALE, vars(me)['SCALE'])", False),
        ("me = sys.modules[__name__]\nvars(me)['SCALE'] = 2", True),
        ("me = sys.modules.get(__name__)\nsetattr(me, 'SCALE', 2)", True),
        ("me = sys.modules[__name__]\nme.__dict__.update(SCALE=2)", True),
        ("itself.SCALE = 2", True),
        ("importlib.import_module('__main__').SCALE = 2", True),
        ("importlib.import_module('__main__').OTHER = 2", False),
        ("__import__('__main__').SCALE = 2", True),
        ("mock.patch.object(sys.modules[__name__], 'SCALE', 2).start()", True),
        ("me = sys.modules[__name__]\nmock.patch.object(me, 'OTHER', 2).start()", False),
        ("mock.patch.multiple('__main__', SCALE=2).start()", True),
        ("mock.patch.multiple('__main__', OTHER=2).start()", False),
        ("mock.patch.multiple(sys.modules[__name__], SCALE=2).start()", True),
        ("mock.patch.dict(globals(), SCALE=2).start()", True),
        ("eval('fill()', globals())", True),
        ("eval('SCALE', globals())", False),
        ("mods = sys.modules\nmods['tables'] = print", True),
        ("mods = sys.modules\nprint(mods['tables'], len(mods), mods.get('tables'))", False),
        ("every_module['tables'] = print", True),
        ("sys.modules |= {'tables': print}", True),
        ("operator.setitem(sys.modules, 'tables', print)", True),
        ("fill(sys.modules)", True),
        ("print(list(sys.modules), 'tables' in sys.modules)", False),
        ("print(sys.modules)\nme = logging.root.manager.loggerDict.get(__name__)\nme.SCALE = 2", False),
        ("me = sys.modules[__name__]\nme.OPTIONS.update(SCALE=2)", False),
        ("me = sys.modules[__name__]\nprint(me)\nlogging.root.__dict__.update(SCALE=2)", False),
        ("me = sys.modules[__name__]\nprint(me)\nmock.patch.multiple(logging, SCALE=2).start()", False),
    ],
)
def test_what_changes_names_of_the_module_no_worker_has(does: str, changes: bool) -> None:
    top = "import importlib, logging, operator\nSCALE, OTHER, OPTIONS = 1, 1, {}\nevery = globals\n"
    top += f"itself = {'sys.modules[__name__]' if 'itself' in does else 'None'}\n"
    top += f"every_module = {'sys.modules' if 'every_module' in does else 'None'}\n"
    rows = ROWS.format(sample="index * SCALE")
    assert bool(in_main(f"{does}\n{LOOP}", top, rows)) is changes


def test_what_a_module_gives_its_own_names_as_it_is_imported_workers_have_as_well() -> None:
    rows = ROWS.format(sample="index * SCALE")
    assert not in_main(LOOP, "SCALE = 1\nsys.modules[__name__].SCALE = 2\n", rows)


@pytest.mark.parametrize(("attribute", "changes"), [("SCALE", True), ("OTHER", False)])
def test_a_patch_of_a_module_no_worker_has(attribute: str, changes: bool) -> None:
    program = (
        f"{IMPORTS}import tables\nfrom unittest import mock\n{ROWS.format(sample='index * tables.SCALE')}def main():\n"
        f"    with mock.patch.object(tables, '{attribute}', 2):\n"
        "        for batch in DataLoader(Rows(), num_workers=1):\n            print(batch)\n"
        "if __name__ == '__main__':\n    main()\n"
    )
    assert bool(why({"main.py": program, "tables.py": "SCALE = 1\nOTHER = 1\n"})) is changes


@pytest.mark.parametrize(
    "does",
    [
        "registry = print\nregistry.modules['tables'] = 2",
        "print(str(1).modules)\nfound = every().modules\nfound['tables'] = 2",
        "print(sys.modules)\ntables = {'one': print}\ntables['one'].scale = 2",
    ],
)
def test_other_tables_of_modules_are_none_of_the_interpreter(does: str) -> None:
    assert not in_main(f"{does}\n{LOOP}", "every = print\n")
    assert in_main(f"{does}\nsys.modules['tables'] = 2\n{LOOP}", "every = print\n")


def test_modules_that_are_replaced_wherever_samples_are_read_are_no_others() -> None:
    patched = "with mock.patch.dict(sys.modules, tables=None):\n            import json\n        return json.__name__"
    inside = ROWS.replace("return {sample}", patched)
    assert not in_main(LOOP, rows=inside)
    assert not in_main(LOOP, "sys.modules['tables'] = print\n", ROWS.format(sample="index"))
    around = LOOP.replace("\n", "\n    ")
    assert in_main(f"with mock.patch.dict(sys.modules, tables=None):\n    {around}", rows=ROWS.format(sample="index"))


WRITES = "class Rows(Dataset):\n    def __len__(self):\n        return 8\n    def __getitem__(self, index):\n"
WRITES += "        with open({path}, 'a') as log:\n            log.write('row')\n        return index\n"


@pytest.mark.parametrize(
    ("path", "reads", "differs"),
    [
        ("'log.txt'", "print(open('log.txt').read())", True),
        ("'./log.txt'", "print(open('log.txt').read())", True),
        ("f'{index}.txt'", "print(open('4.txt').read())", True),
        ("'log.txt'", "print(open('other.txt').read())", False),
        ("'log.txt'", "print(batch)", False),
        ("self.path", "print(open('other.txt').read())", False),
    ],
)
def test_a_program_reads_what_samples_write(path: str, reads: str, differs: bool) -> None:
    rows = WRITES.format(path=path)
    assert bool(in_main(f"{LOOP}\n    {reads}", rows=rows)) is differs
    assert bool(in_main(f"{LOOP}\n{reads}", rows=rows)) is differs
    assert not in_main(f"{reads}\n{LOOP}", rows=rows)


BEGUN = {
    "by its place": ("def begin(rows):\n    return DataLoader(Rows(rows), num_workers=1)\n", "begin(shared)"),
    "by a keyword": ("def begin(*, rows):\n    return DataLoader(Rows(rows), num_workers=1)\n", "begin(rows=shared)"),
    "by an object": (
        "class Data:\n    def __init__(self, rows):\n        self.rows = rows\n"
        "    def begin(self):\n        return DataLoader(Rows(self.rows), num_workers=1)\n",
        "Data(shared).begin()",
    ),
    "by several": (
        "def data(rows):\n    return Rows(rows)\ndef begin(rows):\n    return DataLoader(data(rows), num_workers=1)\n",
        "begin(shared)",
    ),
}


@pytest.mark.parametrize(("begin", "begun"), BEGUN.values(), ids=BEGUN)
def test_who_begins_a_loader_has_what_it_is_made_of(begin: str, begun: str) -> None:
    loop = f"shared, other = [1], [1]\nfor batch in {begun}:\n    "
    assert in_main(f"{loop}shared[0] += 1", rows=ROW + begin)
    assert not in_main(f"{loop}other[0] += 1\n    print(shared)", rows=ROW + begin)


@pytest.mark.parametrize(
    ("handed", "made", "changes"),
    [
        ("torch.from_numpy(shared)", "np.zeros(8)", "shared[0] = 2"),
        ("shared[1:]", "np.zeros(8)", "shared[0] = 2"),
        ("shared[1:]", "[[1], [2]]", "shared[0][0] = 2"),
        ("[shared]", "[1]", "shared[0] = 2"),
        ("*[shared]", "[1]", "shared[0] = 2"),
        ("**{'rows': shared}", "[1]", "shared[0] = 2"),
        ("rows=[shared]", "[1]", "shared[0] = 2"),
    ],
)
def test_who_begins_a_loader_hands_it_a_view_of_what_it_has(handed: str, made: str, changes: str) -> None:
    begin = "def begin(rows):\n    return DataLoader(Rows(rows), num_workers=1)\n"
    loop = f"shared, other = {made}, {made}\nfor batch in begin({handed}):\n    "
    assert in_main(loop + changes, rows=ROW + begin)
    assert not in_main(f"{loop}{changes.replace('shared', 'other')}\n    print(shared)", rows=ROW + begin)
    if made[0] == "[" and "[1:]" in handed:
        assert not in_main(f"{loop}shared.append(1)", rows=ROW + begin)


@pytest.mark.parametrize("copied", ["shared.copy()", "shared + []", "[] + shared", "shared * 2", "copy(shared)"])
def test_what_is_unseen_may_be_a_list_whose_copies_have_the_same_things(copied: str) -> None:
    unseen = {
        "top": "import tools\nfrom copy import copy",
        "before": "shared = tools.rows()",
        "rows": f"Rows({copied})",
    }
    assert why_in_loop("shared[0].append(1)", **unseen)
    assert why_in_loop("shared[0][0] = 2", **unseen)
    assert not why_in_loop("shared.append(1)", **unseen)
    for made in ("np.zeros((2, 2))", "pandas.read_csv('rows')"):
        assert not why_in_loop("shared[0][0] = 2", **{**unseen, "before": f"import pandas\nshared = {made}"})


GRAPH = "torch.ones(1, requires_grad=True) @ torch.ones(1)"
ABOVE = "@torch.no_grad()\ndef evaluate():\n    pass\n"


@pytest.mark.parametrize(
    ("top", "body", "sample", "told"),
    [
        (ABOVE, LOOP, GRAPH, True),
        ("torch.set_grad_enabled(False)\ndef evaluate():\n    pass\n", LOOP, GRAPH, False),
        ("", f"np.set_printoptions(precision=2)\n{LOOP}", "f'{np.zeros(2)}'", True),
        ("", f"np.set_printoptions(precision=2)\n{LOOP}", "f'{index:03}'", False),
        ("import os\n", f"{LOOP}\n    os.chdir('..')", "open('rows').read()", True),
        ("import os\n", f"{LOOP}\n    os.chdir('..')", "index * 2", False),
    ],
)
def test_samples_compute_by_a_mode_that_no_worker_has(top: str, body: str, sample: str, told: bool) -> None:
    assert bool(in_main(body, top, ROWS.format(sample=sample))) is told


SHARED = {
    "a list that is made of others": ("shared = list(open('rows'))", "Rows(shared)", "shared.append(1)"),
    "a table that is made of others": ("shared = dict(tools.rows())", "Rows(shared)", "shared.clear()"),
    "a table": ("shared = {0: 1}", "Rows(shared)", "shared.clear()"),
    "beside something": ("shared = [1]", "Rows((shared, 1))", "shared.append(1)"),
    "an array of it": ("shared = np.zeros(8)", "Rows(np.asarray(shared))", "shared.sort()"),
    "set by what is called later": (
        "shared = np.zeros(8)",
        "Rows(shared)",
        "later = partial(setattr, shared, 'shape', (4, 2))\nlater()",
    ),
}


@pytest.mark.parametrize(("made", "rows", "changes"), SHARED.values(), ids=SHARED)
def test_what_a_program_and_its_samples_have_changes_for_both(made: str, rows: str, changes: str) -> None:
    given = {"top": "import tools\nfrom functools import partial", "rows": rows}
    assert why_in_loop(changes, before=f"{made}\n{made.replace('shared', 'other')}", **given)
    apart = changes.replace("shared", "other")
    assert not why_in_loop(apart, before=f"{made}\n{made.replace('shared', 'other')}", **given)


AHEAD = {
    "an object": "class Ahead:\n    def __init__(self, taken):\n"
    "        self.taken = taken\n        self.first = next(taken)\n"
    "    def take(self):\n        one, self.first = self.first, next(self.taken)\n        return one\n",
    "an object by a keyword": "class Ahead:\n    def __init__(self, *, taken):\n        self.taken = taken\n"
    "    def take(self):\n        return next(self.taken)\n",
}


@pytest.mark.parametrize("ahead", AHEAD.values(), ids=AHEAD)
def test_what_takes_ahead_of_a_loop_goes_on_while_it_runs(ahead: str) -> None:
    handed = "taken=" if "*, " in ahead else ""
    made = f"shared, other = [1], [1]\nahead = Ahead({handed}iter(DataLoader(Rows(shared), num_workers=1)))\n"
    turns = "for _ in range(3):\n    print(ahead.take())\n    "
    assert in_main(f"{made}{turns}shared[0] += 1", ahead)
    assert not in_main(f"{made}{turns}other[0] += 1", ahead)
    assert not in_main(f"shared = [1]\nshared[0] += 1\n{made}{turns}print(other)", ahead)


FAILS = ROWS.format(sample="open('rows').read()")


@pytest.mark.parametrize(
    ("does", "told"),
    [
        ("print(sys.exc_info()[1].errno)", True),
        ("print(sys.exception().args)", True),
        ("_, error, _ = sys.exc_info(); print(error.errno)", True),
        ("error = sys.exc_info()[1]; print(error.errno)", True),
        ("print(sys.exc_info()[0], sys.exc_info())", False),
        ("_, error, _ = sys.exc_info(); print(error)", False),
        ("info = sys.exc_info(); print(info[1].errno)", True),
        ("info = sys.exc_info(); _, error, _ = info; print(error.errno)", True),
        ("info = sys.exc_info(); print(info[0].__name__, info[1])", False),
        ("print(sys.exc_info()[-2].errno)", True),
        ("from sys import exception; print(exception().errno)", True),
        ("from sys import exc_info as raised; print(raised()[1].errno)", True),
        ("exception = print; print(exception().errno)", False),
    ],
)
def test_an_error_without_a_name_is_told_by_its_attributes(does: str, told: bool) -> None:
    tried = f"try:\n    {LOOP.replace(chr(10), chr(10) + '    ')}\nexcept OSError:\n    {does}"
    assert bool(in_main(tried, rows=FAILS)) is told


@pytest.mark.parametrize(("does", "told"), [("print(error.errno)", True), ("print('lost')", False)])
def test_a_context_of_a_function_tells_errors_apart(does: str, told: bool) -> None:
    top = "from contextlib import contextmanager\n@contextmanager\ndef guard():\n    try:\n        yield\n"
    top += f"    except OSError as error:\n        {does}\n"
    within = "with {}():\n    " + LOOP.replace("\n", "\n    ")
    assert bool(in_main(within.format("guard"), top, FAILS)) is told
    assert not in_main(within.format("print"), top, FAILS)


GUARDS = "from contextlib import contextmanager, suppress\n"
GUARDS += "class Quiet:\n    def __exit__(self, *error):\n        print(error)\n"
GUARDS += "class Guard:\n    def __exit__(self, {takes}):\n        print({does})\n        return True\n"
GUARDS += "class Sub(Guard):\n    pass\nclass Around(Guard):\n    def __exit__(self, *error):\n"
GUARDS += "        return super().__exit__(*error)\ndef factory():\n    return Guard()\nOther = Guard\n"
GUARDS += "@contextmanager\ndef outer():\n    with Guard():\n        yield\n"
GUARDS += "@contextmanager\ndef quiet():\n    try:\n        yield\n    except OSError:\n        print('lost')\n"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        *((one, True) for one in ("Guard()", "Sub()", "Around()", "factory()", "Other()", "outer()", "kept")),
        *((one, False) for one in ("Quiet()", "quiet()", "open('rows')", "suppress(OSError)", "torch.no_grad()")),
    ],
)
def test_a_context_that_is_not_seen_to_be_another_tells_errors_apart(made: str, told: bool) -> None:
    within = f"kept = Guard()\nwith {made}:\n    " + LOOP.replace("\n", "\n    ")
    for takes, does in (("kind, error, trace", "error.errno"), ("*error", "error[1].errno")):
        assert bool(in_main(within, GUARDS.format(takes=takes, does=does), FAILS)) is told
    assert not in_main(within, GUARDS.format(takes="*error", does="error[0].__name__"), FAILS)


def test_what_tells_errors_apart_beside_the_place_of_a_context_is_none_of_it() -> None:
    top = "from contextlib import contextmanager\n@contextmanager\ndef guard():\n    try:\n        {}\n"
    top += "    except OSError as error:\n        print(error.errno)\n    {}\n"
    within = "with guard():\n    " + LOOP.replace("\n", "\n    ")
    assert not in_main(within, top.format("open('rows')", "yield"), FAILS)
    assert in_main(within, top.format("yield", "open('rows')"), FAILS)


def test_a_context_stands_in_the_innermost_function() -> None:
    top = "from contextlib import contextmanager\ndef around():\n    @contextmanager\n    def guard():\n        try:\n"
    top += "            yield\n        except OSError as error:\n            print(error.errno)\n    return guard\n"
    within = "guard = around()\nwith guard():\n    " + LOOP.replace("\n", "\n    ")
    assert in_main(within, top, FAILS)
    assert not in_main(within, top.replace("error.errno", "error"), FAILS)


def test_functions_that_hand_an_error_far_on_may_look_into_it() -> None:
    deep = "".join(f"def tell{number}(error):\n    tell{number + 1}(error)\n" for number in range(6))
    tried = "try:\n    " + LOOP.replace("\n", "\n    ") + "\nexcept OSError as error:\n    tell{}(error)"
    assert in_main(tried.format(0), deep + "def tell6(error):\n    print(error)\n", FAILS)
    assert not in_main(tried.format(5), deep + "def tell6(error):\n    print(error)\n", FAILS)


# --- where there is more than is looked at ---

KEEPS = (
    "class Keeps:\n    def __init__(self, rows):\n        self.taken = iter(DataLoader(Rows(rows), num_workers=1))\n"
)
KEEPS += "    def take(self):\n        return next(self.taken)\n"


@pytest.mark.parametrize("most", [0, 200])
def test_anything_may_run_where_too_many_places_take_from_an_iterator(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(held_iterators, "_MOST_PLACES", most)
    body = "shared = [1]\nkept = Keeps(shared)\nprint(kept.take())\nprint(kept.take())\nlater(shared)"
    top = f"{KEEPS}def later(rows):\n    rows[0] = 2\n"
    assert bool(in_main(body, top)) is (most == 0)


@pytest.mark.parametrize("most", [3, 600])
@pytest.mark.parametrize("table", ["_MOST_NAMES", "_MOST_LOOKED_AT"])
def test_what_has_more_names_than_are_looked_at_may_change(
    monkeypatch: pytest.MonkeyPatch, table: str, most: int
) -> None:
    monkeypatch.setattr(shared_objects, table, most)
    shows = "".join(f"def show{number}(rows):\n    return rows.sum()\n" for number in range(8))
    calls = "\n".join(f"    show{number}({{}})" for number in range(8))
    known = "shared = np.zeros(8)\nfor batch in DataLoader(Rows(shared), num_workers=1):\n"
    unseen = "for batch in DataLoader(Rows(shared), num_workers=1):\n"
    loop = known if table == "_MOST_NAMES" else unseen
    program = f"{IMPORTS}{shows}{ROW}def fit(shared):\n"
    lines = "".join(f"    {line}\n" for line in (loop + calls.replace("{}", "shared")).splitlines())
    assert bool(why(program + lines)) is (most == 3)


def test_names_that_stand_far_apart_may_be_a_part_of_anything() -> None:
    names = "".join(f"        part{number + 1} = part{number}.inner\n" for number in range(8))
    rows = ROW.replace("return self.rows[0] * index\n", f"part0 = self.rows\n{names}        return part8.scale\n")
    loop = "options = Options()\nfor batch in DataLoader(Rows(options), num_workers=1):\n    options.scale = 2"
    assert in_main(loop, "class Options:\n    pass\n", rows)


def test_what_no_sample_reads_of_them_is_settled() -> None:
    rows = ROW.replace("return self.rows[0] * index\n", "part0 = self.rows\n        return part0.inner\n")
    loop = "options = Options()\nfor batch in DataLoader(Rows(options), num_workers=1):\n    options.scale = 2"
    assert not in_main(loop, "class Options:\n    pass\n", rows)


@pytest.mark.parametrize("most", [3, 200])
def test_samples_may_hang_on_anything_where_workers_run_too_much_code(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(running, "MOST_FUNCTIONS", most)
    steps = "".join(f"def step{number}(row):\n    return step{number + 1}(row)\n" for number in range(6))
    rows = ROWS.format(sample="step0(index)") + steps + "def step6(row):\n    return row\n"
    assert bool(in_main(LOOP, rows=rows)) is (most == 3)


@pytest.mark.parametrize(("most", "cut"), [(4, True), (5, False)])
def test_samples_and_batches_run_code_of_their_own(monkeypatch: pytest.MonkeyPatch, most: int, cut: bool) -> None:
    monkeypatch.setattr(running, "MOST_FUNCTIONS", most)
    rows = ROWS.format(sample="rows0(index)") + "def rows3(row):\n    return row\ndef batch3(row):\n    return row\n"
    for kind in ("rows", "batch"):
        rows += "".join(f"def {kind}{one}(row):\n    return {kind}{one + 1}(row)\n" for one in range(3))
    loop = "for batch in DataLoader(Rows(), num_workers=1, collate_fn=batch0):\n    print(batch)"
    assert bool(in_main(loop, rows=rows)) is cut


@pytest.mark.parametrize("changed", [True, False])
def test_a_sampler_is_seen_inside_of_many_others(changed: bool) -> None:
    inside = "Picks()"
    for _ in range(30):
        inside = f"torch.utils.data.BatchSampler({inside}, 1, False)"
    top = "class Picks:\n    def __iter__(self):\n        for one in range(9):\n            yield one * self.scale\n"
    top += "    def grow(self):\n        self.scale = 2\n"
    made = inside.replace("Picks()", "picks")
    loop = f"picks = Picks()\nfor batch in DataLoader(Rows(), batch_sampler={made}, num_workers=1):\n    "
    body = "picks.grow()" if changed else "print(batch)"
    assert bool(in_main(loop + body, top, ROWS.format(sample="index"))) is changed
