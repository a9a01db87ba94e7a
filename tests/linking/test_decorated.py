"""What decorators of a project put into dictionaries, and what is found there again."""

from __future__ import annotations

import pytest

from loaderlint.linking.files.project import Project
from loaderlint.linking.link import link
from loaderlint.model.source import Language, Source
from tests.linking.traced import IMPORT, Cases, traced

MADE = "class Made:\n    def __init__(self, n):\n        DataLoader(data, num_workers=n)\n"
OTHER = "class Other:\n    def __init__(self, n):\n        print(n)\n"
KINDS = """
KINDS = {}
def register(name=None):
    def note(kind):
        KINDS[name] = kind
        return kind
    return note
"""
MAPPING = """
class Registry:
    mapping = {'kinds': {}, 'others': {}}
    @classmethod
    def register_kind(cls, name):
        def note(kind):
            cls.mapping['kinds'][name] = kind
            return kind
        return note
    @classmethod
    def register_other(cls, name):
        def note(kind):
            cls.mapping['others'][name] = kind
            return kind
        return note
    @classmethod
    def get_kind(cls, name):
        return cls.mapping['kinds'].get(name, None)
    @classmethod
    def get_other(cls, name):
        return cls.mapping['others'].get(name, None)
registry = Registry()
"""
OF_MAPPING = f"{IMPORT}from registry import registry\n@registry.register_kind('made')\n{MADE}"

CASES: Cases = {
    "in a dictionary of the module, by a name that is written": (
        f"{KINDS}@register('made')\n{MADE}KINDS['made'](⟦8⟧)\n",
        {"8"},
    ),
    "in a dictionary of the module, by a name that the user gives": (
        f"import sys\n{KINDS}@register('made')\n{MADE}KINDS[sys.argv[1]](⟦8⟧)\n",
        {"8"},
    ),
    "under a name that a file may put there which was not read": (
        f"{KINDS}@register('made')\n{MADE}n = ⟦2⟧ if KINDS.get('other') is None else ⟦3⟧\nKINDS['made'](n)\n",
        {"2", "3"},
    ),
    "in a dictionary of another module": (
        {
            "kinds.py": KINDS,
            "made.py": f"{IMPORT}from kinds import register\n@register('made')\n{MADE}",
            "main.py": "import made\nfrom kinds import KINDS\nKINDS['made'](⟦8⟧)\n",
        },
        {"8"},
    ),
    "without a name of its own": (
        f"{KINDS.replace('[name]', '[name or kind.__name__]')}@register()\n{MADE}KINDS['Made'](⟦8⟧)\n",
        {"8"},
    ),
    "by the name that it has": (
        f"KINDS = {{}}\ndef register(kind):\n    KINDS[kind.__name__] = kind\n    return kind\n"
        f"@register\n{MADE}KINDS['Made'](⟦8⟧)\n",
        {"8"},
    ),
    "beside another one": (
        f"{KINDS}@register('made')\n{MADE}@register('other')\n{OTHER}KINDS['made'](⟦8⟧)\nKINDS['other'](4)\n",
        {"8"},
    ),
    "in a dictionary that a class has, through its methods": (
        {
            "registry.py": MAPPING,
            "made.py": OF_MAPPING,
            "main.py": "from registry import registry\nregistry.get_kind('made')(⟦8⟧)\n",
        },
        {"8"},
    ),
    "in another dictionary that the class has": (
        {
            "registry.py": MAPPING,
            "made.py": OF_MAPPING,
            "main.py": "from registry import registry\nregistry.get_other('made')(8)\nregistry.get_kind('made')(⟦4⟧)\n",
        },
        {"4"},
    ),
    "under another name": (
        {
            "registry.py": MAPPING,
            "made.py": OF_MAPPING,
            "main.py": "from registry import registry\nregistry.get_kind('else')(8)\n",
        },
        {"open"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_decorator_has_put_away_is_found_by_its_name(case: str) -> None:
    files, expected = CASES[case]
    assert traced(files) == expected


def test_who_fetches_something_need_not_name_it_to_be_read() -> None:
    texts = {
        "made.py": OF_MAPPING,
        "registry.py": MAPPING,
        "main.py": "import made\nfrom registry import registry\nregistry.get_kind('made')(8)\n",
        "other.py": "from registry import registry\nregistry.get_other('made')\n",
    }
    sources = {path: Source(path, f"/{path}", Language.PYTHON, text.encode()) for path, text in texts.items()}

    class Others:
        def paths(self) -> tuple[str, ...]:
            return tuple(sources)

        def content(self, path: str) -> bytes | None:
            return sources[path].content

        def read(self, path: str) -> Source | None:
            return sources[path]

        def exists(self, path: str) -> bool:
            return path in sources

    project = Project({"made.py": sources["made.py"]}, Others())
    (loader,) = link(project)
    assert [one.constant for one in loader.options["num_workers"].candidates] == [8]
    assert "other.py" not in project.sources
