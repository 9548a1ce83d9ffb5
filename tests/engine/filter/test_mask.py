"""Which jobs meet a filter: against a twin that looks at one job at a time, and on a log by hand."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given

from engine.filter import parse_filter
from engine.filter.complete import complete, unknown_names
from engine.machine.cluster import Cluster, NodeGroup
from engine.quantities import Jobs
from engine.quantities.node_sets import NodeSets
from engine.schedule.schedule import NOT_RUN
from engine.trace import Pieces, Trace
from tests.engine.filter.naive import meets
from tests.engine.filter.sentences import sentences
from tests.traces import make_schedule, make_trace
from tests.views.results import judge_by_grace


def some_jobs() -> Jobs:
    """Eight jobs; one is not run, one has no RAM, one is late."""
    trace = make_trace(
        submit=[0, 60, 60, 100, 120, 90_000, 90_000, 180_000],
        runtime=[60, 90, 60, 60, 1, 5, 3600, 60],
        procs=[1, 2, 3, 1, 2, 4, 1, 64],
        walltime=[60, 120, 60, 3600, 60, 60, 3600, 60],
        user=["a", "b", "ab", "B2", "a*", "and", "-1", "a"],
        queue=["q", "q", "b", "b", "a", "q", "q", "B2"],
        ram=[1, 2, -1, 4, 0, 1024, 2, 3],
    )
    start = [0, 100, 100, NOT_RUN, 121, 90_060, 90_000, 180_040]
    schedule = make_schedule(trace, start, estimate=trace.walltime)
    return Jobs(trace, schedule, judge_by_grace(schedule, 20).tardiness)


def chosen(text: str, jobs: Jobs | None = None) -> list[int]:
    return [int(j) for j in np.flatnonzero(parse_filter(text).mask(jobs or some_jobs()))]


@given(sentences())
def test_the_twin_agrees(text: str) -> None:
    jobs = some_jobs()
    assert chosen(text, jobs) == [j for j in range(len(jobs)) if meets(text, jobs, j)]


@pytest.mark.parametrize(
    ("text", "jobs"),
    [
        ("user = a", [0, 7]),
        ("user != a and queue = q", [1, 5, 6]),
        ("user in (a, b)", [0, 1, 7]),
        ("user not in (a, b) and procs <= 2", [3, 4, 6]),
        ("user ~ A", [0, 2, 4, 5, 7]),
        ("user ~ b?", [3]),
        ("user ~ 'a*'", [0, 2, 4, 5, 7]),
        ("user = 'a*'", [4]),
        ("job in (1, 8) or job ~ 3", [0, 2, 7]),
        ("job != 1 and job != x and procs = 1", [3, 6]),
        ("status = completed and procs = 3", [2]),
        ("ram >= 3m", [3, 5, 7]),
        ("ram < 2m", [0, 4]),
        ("not ram < 2m", [1, 2, 3, 5, 6, 7]),  # the third does not say
        ("area > 1h", [7]),
        ("wait > 30", [1, 2, 5, 7]),
        ("wait >= 0", [0, 1, 2, 4, 5, 6, 7]),  # the fourth is not run
        ("late > 0", [1, 2, 5, 7]),
        ("slowdown = 1", [0, 6]),
        ("bounded_slowdown > 5", [5]),
        ("estimate > 1.5", [4, 5]),  # the fourth is not run
        ("submit < 100", [0, 1, 2]),
        ("submit = 1970-01-02", [5, 6]),
        ("submit <= 1970-01-02 and submit >= 1970-01-02", [5, 6]),
        ("submit > 1970-01-02", [7]),
        ("submit != 1970-01-01", [5, 6, 7]),
        ("submit = 1970-01-01T00:01", [1, 2, 3]),
        ("submit = 1970-01-01T00:01:40", [3]),
        ("end >= 1970-01-03", [7]),
    ],
)
def test_jobs_of_a_log(text: str, jobs: list[int]) -> None:
    assert chosen(text) == jobs


def test_without_a_run_no_job_has_a_value_of_it() -> None:
    trace = some_jobs().trace
    for field in ("start", "end", "wait", "response", "slowdown", "bounded_slowdown", "estimate", "late"):
        expression = parse_filter(f"{field} >= 0 or {field} < 0")
        assert expression.of_run
        assert not expression.mask(Jobs(trace)).any()
    assert not parse_filter("procs > 3 or user = b").of_run
    assert parse_filter("procs > 3 or not wait < 1h").of_run


def test_where_nothing_was_estimated_no_estimate_is_right_or_wrong() -> None:
    """The log does not say what its own scheduler believed; the requested walltime is another field."""
    jobs = some_jobs()
    recorded = Jobs(
        jobs.trace, make_schedule(jobs.trace, jobs.known_schedule.start, policy="recorded"), jobs.tardiness
    )
    assert not chosen("estimate >= 0 or estimate < 0", recorded)
    assert chosen("walltime >= 0", recorded)


def test_a_date_is_one_of_the_log_s_own_time_zone() -> None:
    noon = int(datetime(2013, 2, 1, 12, tzinfo=UTC).timestamp())
    trace = make_trace(submit=[0, 39_600, 43_200], runtime=[1, 1, 1], zero=noon)
    own = Trace(**{**vars(trace), "timezone": "Europe/Prague"})
    assert chosen("submit = 2013-02-01", Jobs(trace)) == [0, 1]
    assert chosen("submit = 2013-02-01", Jobs(own)) == [0]


def test_job_numbers_may_be_words() -> None:
    trace = make_trace([0, 1, 2], [1, 1, 1])
    own = Trace(**{**vars(trace), "job_id": np.array(["1.server", "2.server", "3"])})
    assert chosen("job = 1.server or job = 3", Jobs(own)) == [0, 2]
    assert chosen("job ~ server", Jobs(own)) == [0, 1]


def on_nodes() -> Trace:
    """Jobs on c001 and c017, on c017, on fat01, and on no node that is known."""
    cluster = Cluster((NodeGroup(2, 8, names=("c001", "c017")), NodeGroup(1, 16, names=("fat01",))))
    trace = make_trace([0, 1, 2, 3], [1] * 4, cluster=cluster)
    nodes = Pieces(np.array([0, 2, 3, 4, 4]), {"node": np.array([0, 1, 1, 2]), "cpus": np.ones(4, np.int64)})
    return replace(trace, recorded_nodes=nodes)


@pytest.mark.parametrize(
    ("text", "jobs"),
    [
        ("node = c017", [0, 1]),
        ("node = c01", []),
        ("node != c017", [2]),
        ("not node = c017", [2, 3]),
        ("node ~ C0*", [0, 1]),
        ("node ~ 01", [0, 1, 2]),
        ("node in (c001, fat01)", [0, 2]),
    ],
)
def test_jobs_by_the_nodes_on_which_they_ran(text: str, jobs: list[int]) -> None:
    trace = on_nodes()
    assert chosen(text, Jobs(trace)) == jobs
    assert chosen(text, Jobs(replace(trace, recorded_nodes=None))) == ([0, 1, 2, 3] if "not " in text else [])


def test_nodes_are_offered_and_strangers_named() -> None:
    trace = on_nodes()
    assert [offer.word for offer in complete("node = c0", trace).offers] == ["c001", "c017"]
    assert unknown_names(parse_filter("node = c07"), trace) == ["no node 'c07'; did you mean 'c017'?"]
    sets = NodeSets.of_log(trace)
    assert [sets.lists[k] for k in sets.codes] == ["c[001,017]", "c017", "fat01", ""]
