"""Selections in the names of the log, as sessions keep them."""

import json

from app.model.picked_objects import MOST_PICKED, name_picked, selection_of
from app.session.archive import MAX_ENTRY
from tests.traces import make_trace
from views.state.selection import Selection


def test_more_jobs_than_a_session_can_hold_are_not_kept() -> None:
    jobs = MOST_PICKED + 1
    trace = make_trace([0] * jobs, [1] * jobs)
    few, many = (
        Selection(jobs=frozenset(range(number)), users=frozenset([0])) for number in (MOST_PICKED, jobs)
    )
    assert selection_of(name_picked(few, trace), trace) == few
    assert selection_of(name_picked(many, trace), trace) == Selection(users=frozenset([0]))
    longest = [f"{job}.a-server-with-a-long-name.cluster.example.org" for job in range(1_000_000, 1_050_000)]
    assert len(json.dumps(longest, indent=1)) < MAX_ENTRY / 2
