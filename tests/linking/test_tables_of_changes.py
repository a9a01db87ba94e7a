"""Every entry of the tables by which a judge knows what changes an object, views it, holds it, or looks at it alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import pytest

from loaderlint.linking.programs import (
    draws_beside,
    errors_told,
    modes,
    object_names,
    object_uses,
    shared_objects,
    unsettled,
    while_iterated,
)
from loaderlint.linking.workers import names_read
from loaderlint.model import setting_words
from loaderlint.vocabulary import lifetimes
from tests.linking.entries import ENTRIES
from tests.linking.judged import ROWS, why, why_in_loop
from tests.linking.test_tables_that_look import TABLES as THAT_LOOK

LISTS = "shared = [[1], [2], [3]]"
HAVING = (draws_beside, errors_told, modes, object_names, object_uses, shared_objects, unsettled, while_iterated)
TABLES: Mapping[str, Collection[str]] = {
    # One that is not found under its name ends this here.
    name: next(
        getattr(module, spelled)
        for module in (*HAVING, names_read, setting_words, lifetimes)
        for spelled in (f"_{name}", name)
        if hasattr(module, spelled)
    )
    for name in ENTRIES
    if name not in THAT_LOOK
}


def every(table: str, *, but: Iterable[str] = ()) -> pytest.MarkDecorator:
    """Return what runs a test with each entry of a table."""
    return pytest.mark.parametrize("name", sorted(set(ENTRIES[table].split()) - set(but)))


@pytest.mark.parametrize("table", TABLES)
def test_each_entry_of_a_table_has_its_program(table: str) -> None:
    assert set(TABLES[table]) == set(ENTRIES[table].split())


# --- what changes an object ---


@every("METHODS")
def test_a_method_changes_its_object_whoever_takes_what_it_gives(name: str) -> None:
    assert "shared" in why_in_loop(f"done = [shared.{name}(batch)]", before=LISTS)


@pytest.mark.parametrize("name", ["copy", "count", "index", "partition", "resize", "rotate", "setfield"])
def test_another_method_changes_nothing(name: str) -> None:
    assert not why_in_loop(f"done = [shared.{name}(batch)]", before=LISTS)


@every("OF_ARRAYS")
def test_a_method_changes_an_array(name: str) -> None:
    assert "shared" in why_in_loop(f"done = [shared.{name}(2)]")
    assert "shared" in why_in_loop(f"done = [shared.{name}(2)]", before="shared = np.arange(8.)[::-1].copy() * 2")


@every("CHANGES_ITS_ARGUMENT", but=("builtins.delattr", "builtins.setattr"))
def test_a_function_changes_what_it_is_handed_first(name: str) -> None:
    module, _, last = name.rpartition(".")
    assert "shared" in why_in_loop(f"done = {last}(shared, batch)", top=f"from {module} import {last}")
    assert not why_in_loop(f"done = {last}(batch, shared)", top=f"from {module} import {last}")


@every("REORDERS")
def test_a_method_reorders_what_it_is_handed(name: str) -> None:
    assert "shared" in why_in_loop(f"done = rng.{name}(shared)", before=f"rng = print()\n{LISTS}")
    assert not why_in_loop("done = rng.permutation(shared)", before=f"rng = print()\n{LISTS}")


def fills(name: str, place: int) -> None:
    inputs = ", ".join(["batch"] * place)
    assert "shared" in why_in_loop(f"done = np.{name}({inputs}, shared)")
    assert not why_in_loop(f"done = np.{name}({inputs.replace('batch', 'shared')})")


@every("UNARY")
def test_a_function_of_one_array_fills_the_second(name: str) -> None:
    fills(name, 1)


@pytest.mark.parametrize("name", [*ENTRIES["BINARY"].split(), "dot", "matmul"])
def test_a_function_of_two_arrays_fills_the_third(name: str) -> None:
    fills(name, 2)


def test_what_clips_fills_the_fourth() -> None:
    fills("clip", 3)


@every("CHANGES_ITS_OBJECT")
def test_a_method_changes_what_an_attribute_has(name: str) -> None:
    options = "options = type('Options', (), {})()"
    body = f"done = [options.scales.{name}(batch)]"
    assert why_in_loop(body, before=options, rows="Rows(options)", sample="self.rows.scales")
    assert not why_in_loop(body, before=options, rows="Rows(options)", sample="self.rows.others")


@every("CHANGES_FIRST")
def test_a_function_by_its_name_alone_changes_what_an_attribute_has(name: str) -> None:
    options = "options = type('Options', (), {})()"
    one = {"before": options, "rows": "Rows(options)", "sample": "self.rows.scales"}
    assert why_in_loop(f"done = {name}(options.scales)", **one)
    assert not why_in_loop(f"done = {name}(options.others)", **one)


@every("CHANGES_NO_VALUE")
def test_a_method_of_tensors_changes_no_value(name: str) -> None:
    options = "options = type('Options', (), {})()"
    rows = {"before": options, "rows": "Rows(options)", "sample": "self.rows.scales"}
    assert not why_in_loop(f"done = options.scales.{name}()", **rows)
    assert why_in_loop("done = options.scales.mul_(2)", **rows)


# --- what views it, and what holds it ---


@every("VIEWS")
def test_a_view_is_changed_as_what_it_views(name: str) -> None:
    assert why_in_loop(f"other = shared.{name}(0)\nother += 1")
    assert why_in_loop(f"other = np.{name}(shared)\nother += 1")
    assert why_in_loop("shared += 1", rows=f"Rows(np.{name}(shared))")
    assert why_in_loop("shared += 1", rows=f"Rows(shared.{name}(0))")


@every("SHOWS")
def test_an_attribute_shows_the_same_numbers(name: str) -> None:
    assert why_in_loop(f"shared.{name}[0] = 1")
    assert not why_in_loop(f"print(shared.{name}[0])")


@every("SPLITS")
def test_what_splits_gives_views(name: str) -> None:
    assert why_in_loop(f"first, second = shared.{name}(2)\nsecond += 1")
    assert why_in_loop(f"first, second = np.{name}(shared, 2)\nfirst += 1")


@every("TAKEN")
def test_what_is_taken_out_of_a_container_is_what_was_put_there(name: str) -> None:
    key = "" if name == "popitem" else "'rows'"
    assert why_in_loop(f"state.{name}({key}).append(1)", before=f"{LISTS}\nstate = {{'rows': shared}}")


@every("HOLDS")
def test_a_container_holds_what_it_is_made_of(name: str) -> None:
    assert why_in_loop("for row in shared:\n    row.append(1)", before=LISTS, rows=f"Rows(tools.{name}(shared))")
    assert why_in_loop(f"for row in {name}(shared):\n    row.append(1)", before=LISTS)


@every("COPIES")
def test_what_is_put_into_a_list_that_was_copied_is_in_no_copy(name: str) -> None:
    assert not why_in_loop("shared.append(1)", before=LISTS, rows=f"Rows({name}(shared))")
    assert why_in_loop("shared[0].append(1)", before=LISTS, rows=f"Rows({name}(shared))")


@pytest.mark.parametrize(
    "made", ["dict(base, rows=shared)", "dict([('a', 1)], rows=shared)", "OrderedDict(base, a=shared)"]
)
def test_what_is_named_beside_what_is_copied_is_held(made: str) -> None:
    lists = {"before": f"{LISTS}\nbase = {{}}", "rows": f"Rows({made})"}
    assert why_in_loop("shared[0] = 2", **lists)
    assert not why_in_loop("base['other'] = shared[0]", **lists)


COMPREHENSIONS = ("[one for one in shared]", "{one for one in shared}")


@pytest.mark.parametrize(
    "copied",
    [
        "[*shared]",
        "(*shared,)",
        "shared[:]",
        "shared + more",
        "more + shared",
        "shared * 2",
        "shared.copy()",
        *COMPREHENSIONS,
    ],
)
def test_a_copy_of_a_list_has_the_same_things_in_it(copied: str) -> None:
    lists = {"before": f"{LISTS}\nmore = [[4]]", "rows": f"Rows({copied})"}
    assert not why_in_loop("shared.append(1)", **lists)
    assert why_in_loop("shared[0].append(1)", **lists)
    assert why_in_loop("for row in shared:\n    row[0] += 1", **lists)


def test_what_is_worked_out_of_an_array_is_new() -> None:
    assert not why_in_loop("shared += 1", rows="Rows(shared + 1)")
    assert not why_in_loop("shared += 1", rows="Rows(shared.copy())")
    assert why_in_loop("shared += 1", rows="Rows(shared[:4])")


@every("PUTS")
def test_a_container_is_put_something_into(name: str) -> None:
    before = f"{LISTS}\nkept = []\nkept.{name}(shared)"
    assert why_in_loop("kept[0].append(1)", before=before)
    assert not why_in_loop("print(kept[0])", before=before)


@every("SETTERS")
def test_what_sets_parts_changes_its_object(name: str) -> None:
    assert "__" in name or why_in_loop(f"done = run({name}, shared)", before=LISTS)
    assert why_in_loop(f"done = run(shared.{name})", before=LISTS)


@every("MAKES_ARRAYS")
def test_an_array_is_added_to_in_place(name: str) -> None:
    assert why_in_loop("shared += 1", before=f"shared = np.{name}(8) * 2")
    assert why_in_loop("shared += 1", before=f"shared = -torch.{name}(8)[1:]")


@every("NO_ARRAYS")
def test_a_number_or_a_list_of_an_array_is_none(name: str) -> None:
    assert not why_in_loop("shared += 1", before=f"shared = np.ones(8).{name}() + 1")
    assert why_in_loop("shared += 1", before="shared = np.ones(8).cumsum() + 1")


@every("GOES")
def test_what_goes_through_a_list_gives_its_things(name: str) -> None:
    of = f"shared.{name}()" if name in ("items", "values") else f"tools.{name}(shared)"
    assert why_in_loop(
        f"for row in {of}:\n    row.append(1)".replace("row in", "_, row in" if name in PAIRS else "row in"),
        before=LISTS,
    )


PAIRS = ("enumerate", "items", "zip", "zip_longest", "product")


@every("CONTAINERS")
def test_a_container_keeps_what_it_is_handed_as_it_is(name: str) -> None:
    module, _, last = name.rpartition(".")
    one = {"before": f"{LISTS}\nkept = {last}()", "top": "" if module == "builtins" else f"from {module} import {last}"}
    assert not why_in_loop("kept.put(shared)", **one)
    assert why_in_loop("kept.put(shared)\nkept.get(0).append(1)", **one)


@every("BUILT_IN")
def test_a_method_of_a_built_in_class_changes_what_it_is_handed(name: str) -> None:
    last = name.rpartition(".")[2]
    assert why_in_loop(f"done = {last}.pop(shared)", before=LISTS)
    assert not why_in_loop(f"done = {last}.copy(shared)", before=LISTS)


def test_what_is_no_container_may_change_what_it_is_handed() -> None:
    assert why_in_loop("kept.put(shared)", before=f"{LISTS}\nkept = Other()", top="from tools import Other")


# --- what looks at it alone ---


@every("HARMLESS_REPORTS")
def test_what_reports_changes_nothing(name: str) -> None:
    assert not why_in_loop(f"shared.{name}_all()", before=LISTS)
    assert not why_in_loop(f"tools.{name}_all(shared)", before=LISTS)


def test_what_nobody_knows_may_change_what_it_is_handed() -> None:
    assert why_in_loop("shared.freshen_all()", before=LISTS)
    assert why_in_loop("tools.freshen_all(shared)", before=LISTS)


@every("REPORTING_LIBRARIES")
def test_a_library_that_reports_changes_nothing(name: str) -> None:
    assert not why_in_loop(f"{name}.freshen(shared)", top=f"import {name}", before=LISTS)


# --- what runs without its name ---


@every("UNNAMED")
def test_a_method_runs_without_its_name(name: str) -> None:
    top = f"shared = [1]\nclass Thing:\n    def {name}(self, *others):\n        shared[0] = 2\n"
    assert why_in_loop("print(batch)", before="", top=top)


@pytest.mark.parametrize("name", ["__add__", "__sub__", "__matmul__", "other"])
def test_another_method_runs_by_its_name(name: str) -> None:
    top = f"shared = [1]\nclass Thing:\n    def {name}(self, *others):\n        shared[0] = 2\n"
    assert not why_in_loop("print(batch)", before="", top=top)


@every("HOOKS")
def test_a_library_calls_methods_by_how_their_names_begin(name: str) -> None:
    top = f"shared = [1]\nclass Thing:\n    def {name}_all(self, *others):\n        shared[0] = 2\n"
    assert why_in_loop("print(batch)", before="", top=top)


@every("WRAPS")
def test_a_decorator_calls_nothing_later(name: str) -> None:
    top = "shared = [1]\n@{}\ndef change():\n    shared[0] = 2\n"
    assert not why_in_loop("print(batch)", before="", top=top.format(f"tools.{name}"))
    assert why_in_loop("print(batch)", before="", top=top.format("tools.registered"))


@every("RUN_BESIDE")
def test_a_thread_runs_beside(name: str) -> None:
    top = "shared = [1]\nclass Thing({}):\n    def run(self):\n        shared[0] = 2\n"
    assert why_in_loop("print(batch)", before="", top=top.format(f"threading.{name}"))
    assert not why_in_loop("print(batch)", before="", top=top.format("threading.Other"))


# --- modes ---


MODES = {
    ("Decimal decimal", ""): "decimal.getcontext decimal.localcontext decimal.setcontext",
    ("np numpy", "raise"): "numpy.errstate numpy.seterr",
    (
        "@ addmm baddbmm bmm conv1d conv2d conv3d einsum functional linear matmul mm mv",
        "",
    ): "torch.autocast torch.amp.autocast torch.cpu.amp.autocast",
    (
        "Parameter autograd backward is_grad_enabled requires_grad requires_grad_",
        "",
    ): "torch.inference_mode torch.no_grad torch.set_grad_enabled",
    ("", "error"): "warnings.filterwarnings warnings.simplefilter",
    (
        "array2string array_repr array_str f' format repr savetxt str",
        "",
    ): "numpy.printoptions numpy.set_printoptions torch.set_printoptions",
    ("atof locale strcoll strftime strptime strxfrm", ""): "locale.setlocale",
    ("get_option", ""): "pandas.set_option",
    ("RecursionError getrecursionlimit", ""): "sys.setrecursionlimit",
}
"""Calls that set modes, by the words of what computes by them and what sets them."""


def test_each_mode_has_its_program() -> None:
    assert {name: (" ".join(sorted(one.used_by)), one.handed) for name, one in modes._MODES.items()} == {
        name: of for of, names in MODES.items() for name in names.split()
    }


@pytest.mark.parametrize(
    ("name", "word", "needs", "told"),
    [
        (name, word, words, told)
        for (words, told), names in MODES.items()
        for name in names.split()
        for word in words.split() or ["any"]
    ],
)
def test_a_mode_is_set_for_what_computes_by_it(name: str, word: str, needs: str, told: str) -> None:
    module = name.rpartition(".")[0]
    sample = {"@": "self.rows @ self.rows", "f'": "f'{self.rows}'"}.get(word, f"tools.{word}(self.rows)")
    handed = repr(told) if told else ""
    one = {"before": f"{name}({handed})\nshared = np.zeros(8)", "top": f"import {module}"}
    assert why_in_loop("print(batch)", sample=sample, **one)
    assert not (needs and why_in_loop("print(batch)", sample="self.rows.sum()", **one))


@every("OPENS")
def test_samples_open_files_where_the_process_stands(name: str) -> None:
    assert why_in_loop("os.chdir('..')", top="import os", before="", rows="Rows()", sample=f"tools.{name}('rows')")
    assert not why_in_loop("os.chdir('..')", top="import os", before="", rows="Rows()", sample="index + 1")


# --- what draws ---

SEEDED = "torch.manual_seed(0)\n"


@every("IN_PLACE")
def test_samples_draw_in_place_what_their_program_draws(name: str) -> None:
    drawn = {"before": SEEDED, "rows": "Rows()", "sample": f"torch.zeros(2).{name}()"}
    assert why_in_loop("print(torch.rand(1))", **drawn)
    assert not why_in_loop("print(batch)", **drawn)


@every("IN_LAYERS")
def test_functions_of_layers_draw_what_samples_draw(name: str) -> None:
    drawn = {"before": SEEDED, "rows": "Rows()"}
    assert why_in_loop(f"print(torch.nn.functional.{name}(batch))", sample="torch.rand(2)", **drawn)
    assert not why_in_loop(f"print(torch.nn.functional.{name}(batch))", sample="index", **drawn)


@every("DRAWING_LAYERS")
def test_layers_draw_what_samples_draw(name: str) -> None:
    drawn = {"before": f"{SEEDED}layer = torch.nn.{name}()", "rows": "Rows()"}
    assert why_in_loop("print(layer(batch))", sample="torch.rand(2)", **drawn)
    assert not why_in_loop("print(layer(batch))", sample="index", **drawn)


def begun(between: str) -> str:
    main = f"    torch.manual_seed(0)\n    loader = DataLoader(Rows(), shuffle=True, num_workers=1)\n{between}"
    made = ROWS.format(sample="index")
    imports = "import torch\nfrom itertools import *\nfrom torch.utils.data import DataLoader, Dataset\n"
    return why(f"{imports}{made}def main():\n{main}\nif __name__ == '__main__':\n    main()\n")


@every("SIDE_BY_SIDE")
def test_loaders_that_begin_side_by_side_draw_beside_each_other(name: str) -> None:
    assert begun(f"    for one, two in {name}(loader, DataLoader(Rows(), shuffle=True)):\n        print(one)\n")
    assert not begun("    for one in loader:\n        print(one)\n")


@every("BEGINS")
def test_what_is_begun_draws_before_its_first_batch(name: str) -> None:
    taken = f"    taken = loader.{name}()\n" if name.startswith("__") else f"    taken = {name}(loader)\n"
    drawn, read = "    print(torch.rand(1))\n", "    for one in taken:\n        print(one)\n"
    assert begun(f"{taken}{drawn}{read}")
    assert not begun(f"{drawn}{taken}{read}")


# --- errors ---


def handled(caught: str, does: str) -> str:
    main = (
        f"    try:\n        for one in loader:\n            print(one)\n    except {caught} as error:\n        {does}\n"
    )
    made = ROWS.format(sample="open('rows').read()")
    imports = "import sys, tools\nfrom torch.utils.data import DataLoader, Dataset\n"
    loader = "    loader = DataLoader(Rows(), num_workers=1)\n"
    return why(f"{imports}{made}def main():\n{loader}{main}\nif __name__ == '__main__':\n    main()\n")


@every("OF_NO_SAMPLE")
def test_no_sample_raises_it(name: str) -> None:
    assert not handled(name, "print(error.code)")
    assert handled(f"({name}, OSError)", "print(error.code)")


@every("OF_ALL")
def test_all_errors_have_it(name: str) -> None:
    assert not handled("OSError", f"print(error.{name})")


@every("LOOKS_INTO")
def test_what_looks_into_a_text_tells_errors_apart(name: str) -> None:
    assert handled("OSError", f"print(tools.{name}(str(error)))")
    assert not handled("OSError", "print(tools.write(str(error)))")


@every("ASKS")
def test_what_asks_for_attributes_tells_errors_apart(name: str) -> None:
    assert handled("OSError", f"print({name}(error, 'errno'))")
    assert not handled("OSError", "print(isinstance(error, KeyError))")


LEFT = """
from torch.utils.data import DataLoader, Dataset
class Guard:
    def __enter__(self):
        return self
    def {name}(self, kind, error, trace):
        print({told})
        return True
"""


@every("LEAVES")
def test_what_leaves_a_context_is_handed_its_error(name: str) -> None:
    made = ROWS.format(sample="open('rows').read()")
    main = "with Guard():\n        for one in DataLoader(Rows(), num_workers=1):\n            print(one)\n"
    program = f"{LEFT}{made}def main():\n    {main}\nif __name__ == '__main__':\n    main()\n"
    assert why(program.replace("{name}", name).replace("{told}", "error.errno"))
    assert not why(program.replace("{name}", name).replace("{told}", "error"))


# --- what samples read ---

SETS = "class Options:\n    pass\n"


@every("SAYS_ALL")
def test_a_text_may_be_of_all_that_something_has(name: str) -> None:
    one = {"before": "options = Options()", "rows": "Rows(options)", "top": SETS}
    assert why_in_loop("options.step = 2", sample=f"{name}(self.rows)", **one)
    assert not why_in_loop("options.step = 2", sample="len(self.rows)", **one)


@every("CONSTRUCTORS")
def test_what_makes_an_object_runs_where_its_class_is_named(name: str) -> None:
    top = f"shared = [1]\nclass Other:\n    def {name}(self, *others):\n        shared[0] = 2\n"
    assert why_in_loop("Other()", before="", top=top)
    assert not why_in_loop("print(batch)", before="", top=top)


@every("PROPERTIES")
def test_what_gives_an_attribute_runs_with_samples(name: str) -> None:
    top = "class Rows(Dataset):\n    def __getitem__(self, index):\n        return self.scaled\n"
    top += f"    @{name}\n    def scaled(self):\n        return OPTIONS.scale\nOPTIONS = Options()\n"
    made = f"from torch.utils.data import DataLoader, Dataset\n{SETS}{top}"
    main = "    for batch in DataLoader(Rows(), num_workers=1):\n        OPTIONS.scale = 2\n"
    assert why(f"{made}def main():\n{main}\nif __name__ == '__main__':\n    main()\n")


@every("NAMELESS")
def test_nobody_sets_an_attribute_of_it(name: str) -> None:
    made = f"{name}thing" if name.endswith(".") else name
    one = {"before": f"shared = {made.removeprefix('builtins.')}()", "top": f"import {made.partition('.')[0]}, tools"}
    assert not why_in_loop("shared.step = 2", sample="f'{self.rows}'", **one)


def test_somebody_may_set_an_attribute_of_what_a_library_made() -> None:
    one = {"before": "shared = tools.Options()", "top": "import tools"}
    assert why_in_loop("shared.step = 2", sample="f'{self.rows}'", **one)
