"""Fields that say with a library's own declaration what they start from, and objects among which a user chooses."""

from __future__ import annotations

import pytest

from tests.linking.traced import Cases, traced

START = """
    from dataclasses import dataclass, field
    from functools import partial
    import tyro
    from simple_parsing import parse, subgroups, mutable_field
    from elsewhere import made, others
    @dataclass
    class Data:
        num_workers: int = ⟦0⟧
"""
PLAIN = START.replace("⟦", "").replace("⟧", "")
ASKED = "    DataLoader(1, num_workers=parse(Config).data.num_workers)\n"


def _config(field: str) -> str:
    return f"    @dataclass\n    class Config:\n        data: Data{field}\n{ASKED}"


FIELDS: Cases = {
    "no default": (START + _config(""), {"0", "open"}),
    "a declaration that says nothing of a default": (START + _config(" = field(metadata={'help': ''})"), {"0", "open"}),
    "an object made with other values": (PLAIN + _config(" = mutable_field(Data, num_workers=⟦3⟧)"), {"3", "open"}),
    "a factory with values": (
        PLAIN + _config(" = field(default_factory=partial(Data, num_workers=⟦4⟧))"),
        {"4", "open"},
    ),
    "what another library makes": (PLAIN + _config(" = made()"), {"open"}),
    "a factory of another library": (PLAIN + _config(" = field(default_factory=made)"), {"open"}),
    "one of several": (
        START + _config(" = subgroups({'a': Data, 'b': partial(Data, num_workers=⟦2⟧)}, default='b')"),
        {"0", "2", "open"},
    ),
    "one of several that are not all seen": (
        PLAIN + _config(" = subgroups({'a': Data, 'b': made}, default='b')"),
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FIELDS.values(), ids=FIELDS.keys())
def test_a_field_starts_from_what_its_declaration_makes(files: str, expected: set[str]) -> None:
    assert traced(files) == expected


TABLES: Cases = {
    "objects with descriptions": (
        PLAIN
        + """
    table = {'a': ('small', Data(num_workers=⟦1⟧)), 'b': ('big', Data(num_workers=⟦5⟧))}
    DataLoader(1, num_workers=tyro.extras.overridable_config_cli(table).num_workers)
""",
        {"1", "5", "open"},
    ),
    "objects that are not all seen": (
        PLAIN
        + """
    table = {'a': ('small', Data(num_workers=1)), **others()}
    DataLoader(1, num_workers=tyro.extras.overridable_config_cli(table).num_workers)
""",
        {"open"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), TABLES.values(), ids=TABLES.keys())
def test_a_user_chooses_one_of_some_objects(files: str, expected: set[str]) -> None:
    assert traced(files) == expected
