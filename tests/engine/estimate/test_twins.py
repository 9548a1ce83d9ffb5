"""Every predictor against its twin, whatever happens."""

import pytest
from hypothesis import given

from engine.trace import Trace
from tests.engine.estimate.events import predictions, schedules, twin_predictions


@pytest.mark.parametrize("name", ["last2", "hierarchy", "survival2", "survival4", "survival30", "linear"])
@given(schedule=schedules())
def test_predictions_equal_those_of_the_definition(name: str, schedule: tuple[Trace, list[int]]) -> None:
    trace, start = schedule
    assert predictions(trace, start, name) == list(twin_predictions(trace, start, name))
