"""The filter of a stretch of submissions."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from engine.filter import parse_filter
from engine.filter.submit_filter import submitted_in
from engine.quantities import Jobs
from tests.traces import make_trace

BERLIN = ZoneInfo("Europe/Berlin")
ZERO = int(datetime(2013, 10, 26, tzinfo=BERLIN).timestamp())


@pytest.mark.parametrize(
    ("ends", "spelled"),
    [
        ((0, 86_400), "submit >= 2013-10-26 and submit < 2013-10-27"),
        ((50_400, 50_460), "submit >= 2013-10-26T14:00 and submit < 2013-10-26T14:01"),
        ((1, 86_399), "submit >= 2013-10-26T00:00:01 and submit < 2013-10-26T23:59:59"),
        ((93_600, 97_200), "submit >= 2013-10-27T02:00 and submit < 27h"),  # summer time ends: 2:00 again
    ],
)
def test_it_is_spelled_with_dates_and_matches_what_came_then(ends: tuple[int, int], spelled: str) -> None:
    submit = np.unique(np.clip([end + off for end in (0, *ends) for off in (-1, 0, 1)], 0, None))
    trace = replace(make_trace(submit, np.full(len(submit), 5), zero=ZERO), timezone="Europe/Berlin")
    made = submitted_in(trace, *ends)
    assert str(made) == spelled
    for expression in (made, parse_filter(str(made))):
        found = submit[expression.mask(Jobs(trace))]
        assert found.tolist() == [time for time in submit.tolist() if ends[0] <= time < ends[1]]


def test_a_log_without_dates_has_its_own_seconds() -> None:
    assert str(submitted_in(make_trace([100, 200], [5, 5]), -7, 200)) == "submit >= 0 and submit < 200"
