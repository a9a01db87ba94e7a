from __future__ import annotations

from loaderlint.linking.files.known import Files, Readings
from loaderlint.model.source import Language, Source


def source(text: str) -> Source:
    return Source("a.py", "/project/a.py", Language.PYTHON, text.encode())


def test_what_did_not_change_is_read_once() -> None:
    readings = Readings()
    first = Files({"a.py": source("x = 1")}, readings=readings).python("a.py")
    assert first is not None
    assert Files({"a.py": source("x = 1")}, readings=readings).python("a.py") is first


def test_what_changed_is_read_anew() -> None:
    readings = Readings()
    before = Files({"a.py": source("x = 1")}, readings=readings).python("a.py")
    after = Files({"a.py": source("y = 1")}, readings=readings).python("a.py")
    assert before is not None
    assert after is not None
    assert set(before.module.bindings) == {"x"}
    assert set(after.module.bindings) == {"y"}


def test_a_file_that_cannot_be_parsed_is_a_failure_every_time() -> None:
    readings = Readings()
    for _ in range(2):
        files = Files({"a.py": source("x = (")}, readings=readings)
        assert files.python("a.py") is None
        assert set(files.failures) == {"a.py"}
