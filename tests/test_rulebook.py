from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from loaderlint.model.rule import Rule
from loaderlint.rulebook import RuleBookError, UnknownRule, all_rules, find

RULES = all_rules()
HEADINGS = ["What it does", "Why it breaks", "Example", "Safe equivalent", "Fix safety", "Evidence"]


def by_name(rule: type[Rule]) -> str:
    return rule.name()


def test_rules_are_sorted_by_code_and_each_has_its_own() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert {"LL101", "LL301", "LL901"} <= set(codes)


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_a_rule_is_named_as_its_module(rule: type[Rule]) -> None:
    assert rule.__module__.rpartition(".")[2] == rule.name().replace("-", "_")


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_a_page_has_a_one_sentence_summary_and_the_fixed_headings(rule: type[Rule]) -> None:
    assert rule.summary().endswith(".")
    assert re.findall(r"^## (.*)$", rule.page(), re.MULTILINE) == HEADINGS


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_the_python_examples_of_a_page_parse(rule: type[Rule]) -> None:
    examples = re.findall(r"^```python\n(.*?)^```$", rule.page(), re.MULTILINE | re.DOTALL)
    assert len(examples) >= 2
    for example in examples:
        compile(example, rule.name(), "exec")


@pytest.mark.parametrize("asked", ["LL201", "ll201", "prefetch-without-workers", "Prefetch-Without-Workers"])
def test_a_rule_is_found_by_code_or_name_in_any_case(asked: str) -> None:
    assert find(asked).code == "LL201"


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("prefetch-without-worker", "prefetch-without-workers"),
        ("prefetch_without_workers", "prefetch-without-workers"),
        ("LL2O5", "LL205"),
        ("ll2o1", "LL201"),
        ("entirely unlike any rule", None),
    ],
)
def test_an_unknown_rule_is_an_error_that_names_the_nearest(asked: str, nearest: str | None) -> None:
    with pytest.raises(UnknownRule, match=re.escape(repr(asked))) as raised:
        find(asked)
    assert raised.value.nearest == nearest
    assert (f"did you mean {nearest}?" in str(raised.value)) == (nearest is not None)


PLUGIN = '''
from loaderlint.model.finding import Confidence, Severity
from loaderlint.model.rule import Rule

class TooManyShards(Rule):
    """There are more shards than anybody needs."""
    code = "{code}"
    severity = Severity.INFO
    confidence = Confidence.LIKELY

    def check(self, loader, target):
        yield from ()
'''


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_plugin_module_adds_its_rules(plugins: Path) -> None:
    (plugins / "acme_rules_one.py").write_text(PLUGIN.format(code="ACME1"))
    rules = all_rules(["acme_rules_one"])
    assert {rule.code for rule in rules} == {rule.code for rule in RULES} | {"ACME1"}
    assert find("too-many-shards", ["acme_rules_one"]).code == "ACME1"


def test_a_plugin_package_adds_the_rules_of_its_modules(plugins: Path) -> None:
    (plugins / "acme_rules_two").mkdir()
    (plugins / "acme_rules_two" / "__init__.py").write_text("")
    (plugins / "acme_rules_two" / "too_many_shards.py").write_text(PLUGIN.format(code="ACME2"))
    assert find("ACME2", ["acme_rules_two"]).name() == "too-many-shards"


def test_a_plugin_does_not_stay_when_it_is_not_asked_for(plugins: Path) -> None:
    (plugins / "acme_rules_three.py").write_text(PLUGIN.format(code="ACME3"))
    all_rules(["acme_rules_three"])
    assert all_rules() == RULES


@pytest.mark.parametrize("content", ["import no_such_module_anywhere", "def (", "raise SystemError('no')"])
def test_a_plugin_that_cannot_be_imported_is_an_error_that_names_it(plugins: Path, content: str) -> None:
    name = f"acme_broken_{abs(hash(content))}"
    (plugins / f"{name}.py").write_text(content)
    with pytest.raises(RuleBookError, match=f"plugin {name} cannot be imported"):
        all_rules([name])


def test_a_plugin_that_takes_a_code_of_the_rule_book_is_an_error(plugins: Path) -> None:
    (plugins / "acme_thief.py").write_text(PLUGIN.format(code="LL101"))
    with pytest.raises(RuleBookError, match=r"LL101 is the rule of both .*workers_on_windows and acme_thief"):
        all_rules(["acme_thief"])


def test_a_rule_without_a_code_is_an_error(plugins: Path) -> None:
    (plugins / "acme_nameless.py").write_text(PLUGIN.replace('    code = "{code}"\n', ""))
    with pytest.raises(RuleBookError, match="the rule TooManyShards of acme_nameless has no code"):
        all_rules(["acme_nameless"])


def test_the_rule_book_reads_no_parser_and_no_torch() -> None:
    script = "import sys, loaderlint.rulebook as book; book.all_rules(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "loaderlint.rules.workers_on_windows" in loaded
    assert not {"libcst", "ruamel", "rich", "pydantic", "torch"} & set(loaded)
