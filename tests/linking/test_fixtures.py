"""What pytest's fixtures give tests and each other."""

from __future__ import annotations

import pytest

from tests.linking.traced import IMPORT, Cases, loader_of, traced

START = f"import pytest\n{IMPORT}"
LOAD = "    DataLoader(1, num_workers={})\n"
TEST = f"def test_load(count):\n{LOAD.format('count')}"
CONFIG = "@pytest.fixture\ndef config():\n    return {'num_workers': ⟦2⟧}\n"
ITEM = "config['num_workers']"


def beside(fixtures: str, test: str = TEST) -> dict[str, str]:
    """A file of tests with fixtures of its own."""
    return {"test_load.py": f"{START}{fixtures}{test}"}


def below(fixtures: str, test: str = TEST) -> dict[str, str]:
    """A file of tests in a folder below that of the fixtures."""
    return {"tests/conftest.py": f"import pytest\n{fixtures}", "tests/unit/test_load.py": f"{START}{test}"}


TAKES_CONFIG = f"def test_load(config):\n{LOAD.format(ITEM)}"
COUNT = "@pytest.fixture\ndef count():\n    return ⟦4⟧\n"

SHARED = "import copy\nimport pytest\n@pytest.fixture(scope='package')\ndef config():\n"
DICTIONARY = "    return {{'num_workers': {}}}\n"
OF_OMEGACONF = "    from omegaconf import OmegaConf\n    return OmegaConf.create({{'num_workers': {}}})\n"
OWN = "@pytest.fixture\ndef own(config):\n    {}\n    yield {}\n"
TAKES_OWN = START + "def test_load(own):\n" + LOAD.format("own['num_workers']")


def copied(makes: str, copy: str, count: str = "⟦2⟧", *, before: str = "pass", other: str = "") -> dict[str, str]:
    """Tests that each get a copy of an object that is made once for all of them."""
    return {
        "tests/conftest.py": f"{SHARED}{makes.format(count)}{OWN.format(before, copy)}",
        "tests/unit/test_load.py": TAKES_OWN,
        "tests/unit/test_other.py": other,
    }


FOUND: Cases = {
    "a copy of what other tests get a copy of": (copied(OF_OMEGACONF, "config.copy()"), {"2"}),
    "a copy of all that is in what other tests get a copy of": (copied(DICTIONARY, "copy.deepcopy(config)"), {"2"}),
    "a scope that is the usual one": (
        beside(CONFIG.replace("fixture", "fixture(scope='function')"), TAKES_CONFIG),
        {"2"},
    ),
    "in the same file": (beside(COUNT), {"4"}),
    "in a conftest.py above": (below(COUNT), {"4"}),
    "a dictionary": (below(CONFIG, f"def test_load(config):\n{LOAD.format(ITEM)}"), {"2"}),
    "the file's own before that of a conftest.py": (
        {**below(COUNT.replace("⟦4⟧", "4")), "tests/unit/test_load.py": f"{START}{COUNT}{TEST}"},
        {"4"},
    ),
    "the nearest conftest.py": (
        {**below(COUNT.replace("⟦4⟧", "8")), "tests/unit/conftest.py": f"import pytest\n{COUNT}"},
        {"4"},
    ),
    "with options": (beside(COUNT.replace("fixture", "fixture(scope='session')")), {"4"}),
    "under another name": (beside("@pytest.fixture(name='count')\ndef give():\n    return ⟦4⟧\n"), {"4"}),
    "imported by itself": (
        beside("from pytest import fixture\n@fixture\ndef count():\n    return ⟦4⟧\n"),
        {"4"},
    ),
    "defined in a module that is imported": (
        {"tests/given.py": f"import pytest\n{COUNT}", **below("from tests.given import count\n")},
        {"4"},
    ),
    "one for each parameter": (
        beside(
            "@pytest.fixture(params=[⟦1⟧, pytest.param(⟦2⟧, id='two')])\n"
            "def count(request):\n    return request.param\n"
        ),
        {"1", "2"},
    ),
    "one that asks for another": (
        below("@pytest.fixture\ndef few():\n    return ⟦1⟧\n@pytest.fixture\ndef count(few):\n    return few\n"),
        {"1"},
    ),
    "one that asks for another, which the test's file replaces": (
        {
            **below("@pytest.fixture\ndef few():\n    return 1\n@pytest.fixture\ndef count(few):\n    return few\n"),
            "tests/unit/test_load.py": f"{START}@pytest.fixture\ndef few():\n    return ⟦3⟧\n{TEST}",
        },
        {"3"},
    ),
    "one that asks for another, which the test gives itself": (
        below(
            "@pytest.fixture\ndef few():\n    return 1\n@pytest.fixture\ndef count(few):\n    return few\n",
            f"@pytest.mark.parametrize('few', [⟦5⟧])\ndef test_load(count, few):\n{LOAD.format('count')}",
        ),
        {"5"},
    ),
    "one that replaces the one it asks for": (
        {
            **below(COUNT),
            "tests/unit/test_load.py": f"{START}@pytest.fixture\ndef count(count):\n    return count\n{TEST}",
        },
        {"4"},
    ),
    "what one yields": (beside("@pytest.fixture\ndef count():\n    yield ⟦4⟧\n    print('done')\n"), {"4"}),
    "of the test's class": (
        {
            "test_load.py": f"{START}{COUNT.replace('⟦4⟧', '8')}class TestLoad:\n    @pytest.fixture\n"
            f"    def count(self):\n        return ⟦4⟧\n    def test_load(self, count):\n    {LOAD.format('count')}"
        },
        {"4"},
    ),
    "of a base of the test's class": (
        {
            "test_load.py": f"{START}{COUNT.replace('⟦4⟧', '8')}class Base:\n    @pytest.fixture\n"
            "    def count(self):\n        return ⟦4⟧\nclass TestLoad(Base):\n"
            f"    def test_load(self, count):\n    {LOAD.format('count')}"
        },
        {"4"},
    ),
    "of a test that another class inherits": (
        {
            "test_load.py": f"{START}{COUNT}class TestLoad:\n"
            f"    def test_load(self, count):\n    {LOAD.format('count')}class TestMore(TestLoad):\n    pass\n"
        },
        {"4"},
    ),
    "a dictionary that a fixture takes which no test asks for": (
        beside(f"{CONFIG}@pytest.fixture\ndef more(config):\n    config['num_workers'] = 1\n", TAKES_CONFIG),
        {"2"},
    ),
    "for a loader that a fixture makes, where a test gives another name by a constant": (
        {
            "tests/conftest.py": f"{START}{CONFIG}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": "import pytest\nNAMES = ['more']  # parametrize(config\n"
            "@pytest.mark.parametrize(NAMES, [1])\ndef test(loader, more): pass\n",
        },
        {"2"},
    ),
    "for a loader that a fixture makes": (
        {"tests/conftest.py": f"{START}{CONFIG}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}"},
        {"2"},
    ),
    "a parameter with a default is none": (
        beside(COUNT.replace("⟦4⟧", "4"), TEST.replace("(count)", "(count=⟦7⟧)")),
        {"7", "open"},
    ),
}
CHANGES = "def more(config):\n    config['num_workers'] = 1\n"
PLAIN = CONFIG.replace("⟦2⟧", "2")
FOUR = COUNT.replace("⟦4⟧", "4")
REPLACES = "import pytest\n@pytest.fixture\ndef config():\n    return {'num_workers': 3}\n"
OPEN: Cases = {
    "one of two that stand under a condition": (
        beside(
            "import sys\nif sys.platform == 'linux':\n    @pytest.fixture\n    def count(): return 4\nelse:\n"
            "    @pytest.fixture\n    def count(): return 0\n"
        ),
        {"open"},
    ),
    "one of two that stand in a try": (
        beside(
            "try:\n    import numpy\n    @pytest.fixture\n    def count(): return 4\nexcept ImportError:\n"
            "    @pytest.fixture\n    def count(): return 0\n"
        ),
        {"open"},
    ),
    "one that stands under a condition": (
        beside("import sys\nif sys.argv:\n    @pytest.fixture\n    def count(): return 4\n"),
        {"open"},
    ),
    "of a test that another class inherits, with a fixture of its own": (
        {
            "test_load.py": f"{START}{FOUR}class TestLoad:\n    def test_load(self, count):\n    {LOAD.format('count')}"
            "class TestMore(TestLoad):\n    @pytest.fixture\n    def count(self):\n        return 1\n"
        },
        {"open"},
    ),
    "an object that another fixture of the test changes": (
        beside(f"{PLAIN}@pytest.fixture\n{CHANGES}", TAKES_CONFIG.replace("(config)", "(config, more)")),
        {"open"},
    ),
    "an object that a fixture changes which each test uses": (
        beside(f"@pytest.fixture(autouse=True)\n{CHANGES}{PLAIN}", TAKES_CONFIG),
        {"open"},
    ),
    "an object that a fixture changes which the test names in a mark": (
        beside(f"@pytest.fixture\n{CHANGES}{PLAIN}", f"@pytest.mark.usefixtures('more')\n{TAKES_CONFIG}"),
        {"open"},
    ),
    "an object that a fixture changes which asks for it by its name": (
        beside(
            f"@pytest.fixture(autouse=True)\ndef more(request):\n"
            f"    request.getfixturevalue('config')['num_workers'] = 1\n{PLAIN}",
            TAKES_CONFIG,
        ),
        {"open"},
    ),
    "an object that the test itself asks for by its name": (
        beside(
            PLAIN, TAKES_CONFIG.replace("(config)", "(config, request)") + "    request.getfixturevalue('config')\n"
        ),
        {"open"},
    ),
    "a fixture's loader, where a test gives what a constant says": (
        {
            "tests/conftest.py": f"{START}{PLAIN}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": "import pytest\nNAMES = 'config, more'\n"
            "@pytest.mark.parametrize(NAMES, [({}, 1)])\ndef test(loader, more): pass\n",
        },
        {"open"},
    ),
    "a fixture's loader, where a test gives names that nobody sees": (
        {
            "tests/conftest.py": f"{START}{PLAIN}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": "import pytest\n"
            "@pytest.mark.parametrize(names(), [({}, 1)])\ndef test(loader): pass\n",
        },
        {"open"},
    ),
    "a copy of an object that another test may have changed": (
        copied(OF_OMEGACONF, "config.copy()", "2", other="def test_other(config):\n    config['num_workers'] = 3\n"),
        {"open"},
    ),
    "a copy of an object that the fixture that copies it changes": (
        copied(OF_OMEGACONF, "config.copy()", "2", before="config['num_workers'] = 3"),
        {"open"},
    ),
    "what may share things with an object that other tests get, too": (
        copied(DICTIONARY, "config.copy()", "2"),
        {"open"},
    ),
    "a copy of an object in a file that others may import it from": (
        {
            "tests/test_load.py": f"{SHARED}{OF_OMEGACONF.format('2')}{OWN.format('pass', 'config.copy()')}"
            f"{TAKES_OWN.replace('import pytest', '')}",
        },
        {"open"},
    ),
    "an object that other tests may have changed": (
        beside(PLAIN.replace("fixture", "fixture(scope='module')"), TAKES_CONFIG),
        {"open"},
    ),
    "no fixture of the name": (beside(COUNT.replace("⟦4⟧", "4").replace("count", "other")), {"open"}),
    "a fixture in a folder beside": (
        {"tests/other/conftest.py": f"import pytest\n{COUNT.replace('⟦4⟧', '4')}", **below("", TEST)},
        {"open"},
    ),
    "a fixture known by another name": (
        beside(COUNT.replace("⟦4⟧", "4").replace("fixture", "fixture(name='other')")),
        {"open"},
    ),
    "a fixture of another library": (
        beside(f"from elsewhere import fixture\n{COUNT.replace('⟦4⟧', '4').replace('pytest.', '')}"),
        {"open"},
    ),
    "a fixture that something else decorates, too": (
        beside(COUNT.replace("⟦4⟧", "4").replace("def", "@given\ndef")),
        {"open"},
    ),
    "a plain function": (beside(COUNT.replace("⟦4⟧", "4").replace("@pytest.fixture\n", "")), {"open"}),
    "parameters of which nobody sees the values": (
        beside("@pytest.fixture(params=given())\ndef count(request):\n    return request.param\n"),
        {"open"},
    ),
    "a fixture that is handed its values": (
        beside(
            "@pytest.fixture\ndef count(request):\n    return request.param\n",
            f"@pytest.mark.parametrize('count', [1], indirect=True)\n{TEST}",
        ),
        {"open"},
    ),
    "a fixture that may be handed its values by a mark of the file": (
        beside(f"pytestmark = pytest.mark.parametrize('count', [1])\n{COUNT.replace('⟦4⟧', '4')}"),
        {"open"},
    ),
    "a fixture beside a hook that gives tests their values": (
        beside(f"def pytest_generate_tests(metafunc):\n    pass\n{COUNT.replace('⟦4⟧', '4')}"),
        {"open"},
    ),
    "a fixture that asks for what nobody sees": (
        beside("@pytest.fixture\ndef count(tmp_path):\n    return len(str(tmp_path))\n"),
        {"open"},
    ),
    "a function that is no test": (
        beside(COUNT.replace("⟦4⟧", "4"), TEST.replace("test_load", "load")),
        {"open"},
    ),
    "a file that is no test": (
        {"load.py": f"{START}{COUNT.replace('⟦4⟧', '4')}{TEST}"},
        {"open"},
    ),
    "a fixture's loader, where a file of tests replaces what it asks for": (
        {
            "tests/conftest.py": f"{START}{CONFIG}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": "import pytest\n@pytest.fixture\ndef config():\n    return {}\n",
        },
        {"2", "open"},
    ),
    "a fixture's loader, where a test gives what it asks for": (
        {
            "tests/conftest.py": f"{START}{PLAIN}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": "import pytest\n@pytest.mark.parametrize('config', [{}])\ndef test(loader): pass\n",
        },
        {"open"},
    ),
    "a fixture's loader, where all tests replace what it asks for": (
        {
            "tests/conftest.py": f"{START}{PLAIN}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": f"{REPLACES}def test(loader): pass\n",
        },
        {"open"},
    ),
    "a fixture's loader, where some tests replace what it asks for": (
        {
            "tests/conftest.py": f"{START}{CONFIG}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": f"{REPLACES}def test(loader): pass\n",
            "tests/test_more.py": "def test(loader): pass\n",
        },
        {"2", "open"},
    ),
    "a fixture's loader, where a test asks for it by its name": (
        {
            "tests/conftest.py": f"{START}{CONFIG}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": f"{REPLACES}def test(loader): pass\n",
            "tests/test_more.py": "def test(request): request.getfixturevalue('loader')\n",
        },
        {"2", "open"},
    ),
    "a fixture's loader, where a fixture of a test asks for it": (
        {
            "tests/conftest.py": f"{START}{CONFIG}@pytest.fixture\ndef loader(config):\n{LOAD.format(ITEM)}",
            "tests/test_other.py": f"{REPLACES}def test(loader): pass\n",
            "tests/test_more.py": "import pytest\n@pytest.fixture\ndef more(loader): pass\ndef test(more): pass\n",
        },
        {"2", "open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FOUND.values(), ids=FOUND.keys())
def test_what_fixtures_give(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


@pytest.mark.parametrize(("files", "expected"), OPEN.values(), ids=OPEN.keys())
def test_what_nobody_sees_a_fixture_give(files: dict[str, str], expected: set[str]) -> None:
    assert traced(files) == expected


def test_the_trail_leads_from_the_fixture_to_the_parameter() -> None:
    (candidate,) = loader_of(below(COUNT.replace("⟦4⟧", "4"))).num_workers.candidates
    assert [(str(step.span), step.note) for step in candidate.trail] == [
        ("tests/unit/test_load.py:3:15", "test_load(count=…)"),
    ]
    assert str(candidate.span) == "tests/conftest.py:4:12"
