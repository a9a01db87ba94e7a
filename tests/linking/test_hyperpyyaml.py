from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loaders_of, met, traced

READ = f"""{IMPORT}from hyperpyyaml import load_hyperpyyaml
with open('c.yaml') as file:
    hparams = load_hyperpyyaml(file)
"""
USE = f"{READ}DataLoader(1, **hparams['opts'])\n"
OVERRIDDEN = USE.replace("(file)", "(file, OVERRIDES)")


def opts(workers: str, above: str = "", below: str = "") -> dict[str, str]:
    return {"main.py": USE, "c.yaml": f"{above}opts:\n  num_workers: {workers}\n{below}"}


CASES: Cases = {
    "a value": (opts("⟦4⟧"), {"4"}),
    "a reference": (opts("!ref <n>", "n: ⟦4⟧\n"), {"4"}),
    "a reference to what comes later": (opts("!ref <n>", "", "n: ⟦4⟧\n"), {"4"}),
    "a reference into a mapping": (opts("!ref <a[b]>", "a:\n  b: ⟦4⟧\n"), {"4"}),
    "a reference to a mapping": (
        {"main.py": USE, "c.yaml": "a:\n  num_workers: ⟦4⟧\nopts: !ref <a>\n"},
        {"4"},
    ),
    "a copy": ({"main.py": USE, "c.yaml": "a:\n  num_workers: ⟦4⟧\nopts: !copy <a>\n"}, {"4"}),
    "a reference to a reference": (opts("!ref <m>", "n: ⟦4⟧\nm: !ref <n>\n"), {"4"}),
    "a value under keys of two names": (
        {"main.py": USE, "c.yaml": "n: ⟦4⟧\nopts:\n  num_workers: !ref <n>\nthreads: !ref <n>\n"},
        {"4 shared"},
    ),
    "arithmetic": (opts("!ref ⟦<n> // 2⟧", "n: 5\n"), {"2"}),
    "arithmetic with two references": (opts("!ref ⟦<a> * <b>⟧", "a: 3\nb: 2\n"), {"6"}),
    "division is no integer": (opts("!ref ⟦<n> / 2⟧", "n: 5\n"), {"2.5"}),
    "a sign is no arithmetic": (opts("!ref ⟦-<n>⟧", "n: 5\n"), {"'-5'"}),
    "a call is no arithmetic": (opts("!ref ⟦max(<n>, 2)⟧", "n: 5\n"), {"'max(5, 2)'"}),
    "a merged mapping": (
        {"main.py": USE, "c.yaml": "a: &a\n  num_workers: ⟦4⟧\nopts:\n  <<: *a\n"},
        {"4"},
    ),
    "an included file": (
        {"conf/inc.yaml": "n: ⟦4⟧\n", "conf/c.yaml": "a: !include:inc.yaml\nopts:\n  num_workers: !ref <a[n]>\n"}
        | {"main.py": USE.replace("c.yaml", "conf/c.yaml")},
        {"4"},
    ),
    "an included file whose value is replaced": (
        {
            "main.py": USE,
            "inc.yaml": "n: 4\nnum_workers: !ref <n>\n",
            "c.yaml": "opts: !include:inc.yaml\n  n: ⟦2⟧\n",
        },
        {"2"},
    ),
    "a word for a boolean is a string": (
        {"main.py": USE, "c.yaml": "opts:\n  num_workers: ⟦yes⟧\n"},
        {"'yes'"},
    ),
    "overrides of the program's own": (
        {"main.py": OVERRIDDEN.replace("OVERRIDES", "{'n': ⟦2⟧}")} | {"c.yaml": opts("!ref <n>", "n: 4\n")["c.yaml"]},
        {"2"},
    ),
    "overrides of the user's": (
        {"main.py": OVERRIDDEN.replace("OVERRIDES", "text()")} | {"c.yaml": opts("!ref <n>", "n: ⟦4⟧\n")["c.yaml"]},
        {"4", "open"},
    ),
    # And what is not followed.
    "a placeholder": (opts("!PLACEHOLDER"), {"open"}),
    "a reference to a placeholder": (opts("!ref <n>", "n: !PLACEHOLDER\n"), {"open"}),
    "a reference to what is not there": (opts("!ref <m>", "n: 4\n"), {"open"}),
    "a reference to a later reference": (opts("!ref <m>", "", "m: !ref <n>\nn: 4\n"), {"open"}),
    "a reference to an attribute": (opts("!ref <a.b>", "a: !new:lib.A\n"), {"open"}),
    "a reference to itself": (opts("!ref <opts[num_workers]>"), {"open"}),
    "a power": (opts("!ref ⟦<n> ** 2⟧", "n: 2\n"), {"4"}),
    "division by nothing": (opts("!ref <n> // 0", "n: 2\n"), {"open"}),
    "what a call gives": (opts("!apply:os.cpu_count"), {"open"}),
    "a file that is not there": ({"main.py": USE, "c.yaml": "opts: !include:inc.yaml\n"}, {"open"}),
    "a file that includes itself": ({"main.py": USE, "c.yaml": "opts: !include:c.yaml\n"}, {"0 unwritten"}),
    "a key that stands twice": (
        {"main.py": USE, "c.yaml": "n: 4\nn: 2\nopts: {num_workers: !ref <n>}\n"},
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_hyperpyyaml_makes_of_a_file(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


GIVEN = f"""{IMPORT}import sys
import speechbrain as sb
from hyperpyyaml import load_hyperpyyaml
class Recognizer(sb.Brain):
    pass
if __name__ == '__main__':
    hparams_file, run_opts, overrides = sb.parse_arguments(sys.argv[1:])
    with open(hparams_file) as file:
        hparams = load_hyperpyyaml(file, overrides)
    brain = Recognizer(hparams=hparams)
    brain.fit(range(4), data(), train_loader_kwargs=hparams['train'], valid_loader_kwargs=hparams['valid'])
    brain.evaluate(data(), test_loader_kwargs=hparams['valid'])
"""
TRAIN = "train:\n  num_workers: 4\nvalid:\n  num_workers: 2\n"


def test_speechbrains_methods_make_a_loader_of_each_dictionary_of_options() -> None:
    files = {"recipe/train.py": GIVEN, "recipe/hparams/a.yaml": TRAIN}
    found = [(one.callee, [way.constant for way in one.num_workers.candidates]) for one in loaders_of(files)]
    assert found == [
        ("speechbrain.Brain.fit", [4]),
        ("speechbrain.Brain.fit", [2]),
        ("speechbrain.Brain.evaluate", [2]),
    ]


def test_the_files_of_a_recipe_that_hold_what_it_reads_are_those_it_can_be_given() -> None:
    files = {
        "recipe/train.py": GIVEN,
        "recipe/hparams/a.yaml": TRAIN,
        "recipe/hparams/b.yaml": TRAIN.replace("4", "8"),
        "recipe/hparams/augment.yaml": "train:\n  num_workers: 16\n",
        "other/hparams/a.yaml": TRAIN.replace("4", "32"),
    }
    workers = next(one for one in loaders_of(files) if one.callee == "speechbrain.Brain.fit").num_workers
    assert {one.constant for one in workers.candidates} == {4, 8}
    assert workers.open


def test_a_method_of_that_name_of_another_class_makes_no_loader() -> None:
    files = {"train.py": GIVEN.replace("sb.Brain", "Trainer"), "a.yaml": TRAIN}
    assert [one for one in loaders_of(files) if one.span.path == "train.py"] == []


def test_a_reference_to_a_key_that_is_not_there_is_unseen_where_the_user_may_replace_what_is() -> None:
    files = {"main.py": OVERRIDDEN.replace("OVERRIDES", "text()")}
    files["c.yaml"] = "a:\n  n: 4\nopts:\n  num_workers: !ref <a[m]>\n"
    assert traced(files) == {"open"}


def test_the_values_of_two_files_never_meet() -> None:
    files = {
        "main.py": READ.replace("'c.yaml'", "sys.argv[1]").replace("from hyper", "import sys\nfrom hyper")
        + "DataLoader(1, num_workers=hparams['n'], prefetch_factor=hparams['p'])\n",
        "a.yaml": "n: 4\np: 8\n",
        "b.yaml": "n: 2\np: 1\n",
    }
    assert met(files) == {("4", "8"), ("2", "1")}
