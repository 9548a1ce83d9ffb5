from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from engine.metrics.groups import GROUPINGS
from tests.traces import make_trace


@pytest.mark.parametrize("zone", ["UTC", "Europe/Prague", "Asia/Kathmandu", "America/New_York", "nowhere"])
def test_hours_and_days_are_those_of_a_clock_at_the_machine(zone: str) -> None:
    zero = int(datetime(2013, 1, 1, tzinfo=UTC).timestamp())
    submit = np.sort(np.random.default_rng(5).integers(0, 400 * 86_400, 3000))
    spring = int(datetime(2013, 3, 31, tzinfo=UTC).timestamp()) - zero  # clocks are changed in Europe
    submit = np.sort(np.concatenate((submit, spring + np.arange(0, 86_400, 900))))
    trace = replace(make_trace(submit.tolist(), [1] * len(submit), zero=zero), timezone=zone)
    hours, days = GROUPINGS["hour"](trace), GROUPINGS["weekday"](trace)
    clock = ZoneInfo("UTC" if zone == "nowhere" else zone)
    for job in range(len(submit)):
        moment = datetime.fromtimestamp(zero + int(submit[job]), clock)
        assert hours.names[hours.codes[job]] == f"{moment:%H}:00"
        assert days.names[days.codes[job]] == f"{moment:%A}"


def test_of_no_jobs_there_are_no_hours() -> None:
    trace = make_trace([], [])
    assert len(GROUPINGS["hour"](trace).codes) == len(GROUPINGS["weekday"](trace).codes) == 0
