"""What linking says of a value is what the program does with it, for every program and every way it can run."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from tests.linking.traced import loaders_of
from tests.properties.followed_programs import arrivals, programs


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs())
def test_no_value_is_missed_and_none_invented(program: tuple[str, int]) -> None:
    text, flags = program
    arrive = arrivals(text, flags)
    loaders = {loader.span.line: loader for loader in loaders_of({"main.py": text})}
    for line, values in arrive.items():
        value = loaders[line].num_workers
        told = {one.constant if one.written else None for one in value.candidates}
        assert value.open or values <= told, f"line {line} misses {values - told}\n{text}"
        assert told <= values, f"line {line} invents {told - values}\n{text}"
