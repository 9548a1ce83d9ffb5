"""Sessions of users, and schedules in which users react, against slow and obvious code."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace.sessions import SAME_SESSION, reactions
from engine.trace.trace import Trace
from engine.trace.variant import parse_variant, varied
from tests.traces import make_trace

POOL = Cluster.pool(4)
MINUTE = 60


def logged(jobs: list[tuple[int, int, int, int]]) -> Trace:
    """The log of jobs (submit, wait, runtime, user), which must ascend by their submissions."""
    submit, wait, runtime, user = (np.array(column, np.int64) for column in zip(*jobs, strict=True))
    trace = make_trace(submit.tolist(), runtime.tolist(), [1] * len(jobs), user=[f"u{k}" for k in user])
    return replace(trace, wait=wait, recorded_runtime=runtime)


def slow_reactions(trace: Trace) -> list[tuple[int, int]]:
    """The job that each follows, or -1, and the think time; job by job as SPEC 18 tells it."""
    ends = (trace.submit + trace.wait + trace.recorded_runtime).tolist()
    begun: dict[int, int] = {}
    earlier: dict[int, list[int]] = {}
    found = []
    for job, (user, now) in enumerate(zip(trace.user.codes.tolist(), trace.submit.tolist(), strict=True)):
        mine = earlier.setdefault(user, [])
        ended = [other for other in mine if ends[other] <= now]
        heard = [int(trace.submit[other]) for other in mine[-1:]] + [ends[other] for other in ended]
        if not heard or now - max(heard) > SAME_SESSION:
            begun[user] = now
            found.append((-1, 0))
        else:
            inside = [other for other in ended if ends[other] >= begun[user]]
            last = max(inside, key=lambda other: (ends[other], other), default=-1)
            found.append((last, now - ends[last] if last >= 0 else 0))
        mine.append(job)
    return found


@given(
    st.lists(
        st.tuples(st.integers(0, 900), st.integers(0, 1500), st.integers(0, 1500), st.integers(0, 2)),
        min_size=1,
        max_size=30,
    )
)
def test_reactions_are_those_of_a_walk_from_job_to_job(jobs):
    submit = np.cumsum([gap for gap, *_ in jobs]).tolist()
    trace = logged(
        [(at, wait, runtime, user) for at, (_, wait, runtime, user) in zip(submit, jobs, strict=True)]
    )
    follows, think = reactions(trace)
    assert list(zip(follows.tolist(), think.tolist(), strict=True)) == slow_reactions(trace)


def test_a_pause_of_more_than_twenty_minutes_begins_a_session():
    trace = logged(
        [
            (0, 0, 10 * MINUTE, 0),  # ends at 10
            (15 * MINUTE, 0, MINUTE, 0),  # five minutes after it
            (36 * MINUTE, 0, MINUTE, 0),  # twenty minutes after the end at 16: still the same session
            (57 * MINUTE + 1, 0, MINUTE, 0),  # a second too late after 37
            (58 * MINUTE, 0, MINUTE, 0),  # nothing has ended since this session began
        ]
    )
    follows, think = reactions(trace)
    assert follows.tolist() == [-1, 0, 1, -1, -1]
    assert think.tolist() == [0, 5 * MINUTE, 20 * MINUTE, 0, 0]


def test_submissions_follow_the_ends_of_the_schedule():
    # The log kept user 0 waiting; with an empty machine both jobs come, and end, sooner.
    trace = logged([(0, 600, 60, 0), (700, 0, 60, 0), (5000, 0, 60, 0)])
    schedule = simulate(trace, POOL, parse_policy("easy with react=on"))
    assert schedule.start.tolist() == [0, 100, 5000]
    assert schedule.submit.tolist() == [0, 100, 5000]
    assert [note.count for note in schedule.trace.changes] == [1]


@given(
    st.lists(
        st.tuples(st.integers(0, 900), st.integers(0, 900), st.integers(1, 900), st.integers(0, 2)),
        min_size=2,
        max_size=15,
    ),
    st.sampled_from(["easy", "conservative", "fcfs", "tuned-window", "saf-easy"]),
)
def test_each_submission_is_a_think_time_after_the_end_that_it_follows(jobs, policy):
    submit = np.cumsum([gap for gap, *_ in jobs]).tolist()
    trace = logged(
        [(at, wait, runtime, user) for at, (_, wait, runtime, user) in zip(submit, jobs, strict=True)]
    )
    schedule = simulate(trace, Cluster.pool(2), parse_policy(f"{policy} with react=on"))
    follows, think = reactions(trace)
    after = np.where(follows >= 0, schedule.end[follows] + think, trace.submit)
    assert schedule.submit.tolist() == after.tolist()
    assert (schedule.start >= schedule.submit).all()
    assert schedule.ran.all()


def test_a_part_of_a_trace_keeps_who_follows_whom():
    trace = varied(logged([(0, 0, 60, 0), (1, 0, 60, 1), (70, 0, 60, 0)]), parse_variant("react=on"))
    assert trace.follows is not None
    assert trace.follows.tolist() == [-1, -1, 0]
    part = trace.take(np.array([True, False, True]))
    assert part.follows is not None
    assert part.follows.tolist() == [-1, 0]
    without = trace.take(np.array([1, 2]))
    assert without.follows is not None
    assert without.follows.tolist() == [-1, -1]


def test_a_log_without_starts_and_added_jobs_are_refused():
    trace = make_trace([0, 5], [1, 1], [1, 1])
    with pytest.raises(InputError, match="it does not tell when jobs started"):
        simulate(replace(trace, wait=np.full(2, -1)), POOL, parse_policy("easy with react=on"))
    with pytest.raises(InputError, match="no user reacts to jobs that are added"):
        parse_variant("react=on,users=+u0")
    with pytest.raises(InputError, match="react is on or off"):
        parse_variant("react=yes")
