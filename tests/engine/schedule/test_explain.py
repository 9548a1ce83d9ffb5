"""Waits told as intervals: by hand, against a slow twin on random logs, and over whole logs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, NodeGroup
from engine.policy.policy import parse_policy
from engine.schedule.explain import Explanation, Promise, explain
from engine.schedule.schedule import NOT_RUN, Decision, DecisionLog, LimitKind, Schedule
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.paths import SHARED, needs
from tests.traces import make_schedule, make_trace

HOUR = 3600
KTH = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
POLICIES = ("easy", "just", "conservative", "fairshare-easy")

Row = tuple[int, int, int, int]


def log_of(*rows: Row) -> DecisionLog:
    table = np.array(rows, np.int64).reshape(-1, 4)
    return DecisionLog(*(np.ascontiguousarray(table[:, k]) for k in range(4)))


def waiting(*rows: Row, start: int = 10 * HOUR, policy: str = "easy") -> Schedule:
    """Job 2 (the log's id 3) comes at one hour; the first two start as late as it does."""
    trace = make_trace(
        [0, 0, HOUR, HOUR], [HOUR] * 4, [10, 20, 64, 1], user=["bob", "bob", "alice", "carol"], ram=[2048] * 4
    )
    return make_schedule(trace, [start, start, start, 2 * HOUR], policy=policy, log=log_of(*rows))


def text_of(schedule: Schedule, job: int = 2) -> list[tuple[int, str]]:
    return [(interval.seconds, interval.text) for interval in explain(schedule, job).intervals]


def summed(schedule: Schedule, job: int = 2) -> list[str]:
    return [str(cause) for cause in explain(schedule, job).summary]


def test_a_wait_is_reported_as_spans_that_follow_one_another() -> None:
    schedule = waiting(
        (HOUR, 2, Decision.BEHIND, 14),
        (HOUR, 3, Decision.CPUS, 1),
        (3 * HOUR, 2, Decision.CPUS, 6),
        (3 * HOUR, 2, Decision.RESERVED, 9 * HOUR),
        (4 * HOUR, 2, Decision.RESERVATION, 1),
        (6 * HOUR, 2, Decision.CPUS, 2),
        policy="fcfs",
    )
    intervals = explain(schedule, 2).intervals
    assert [(interval.begin, interval.end, interval.kind, interval.value) for interval in intervals] == [
        (HOUR, 3 * HOUR, Decision.BEHIND, 14),
        (3 * HOUR, 4 * HOUR, Decision.CPUS, 6),
        (4 * HOUR, 6 * HOUR, Decision.RESERVATION, 1),
        (6 * HOUR, 10 * HOUR, Decision.CPUS, 2),
    ]
    assert text_of(schedule) == [
        (2 * HOUR, "behind 2 jobs submitted earlier"),
        (HOUR, "short of processors (6 of its 64 missing at first)"),
        (2 * HOUR, "kept free for job 2 of bob"),
        (4 * HOUR, "short of processors (2 of its 64 missing at first)"),
    ]


def test_the_summary_joins_spans_of_one_kind_in_order_of_first_appearance() -> None:
    schedule = waiting(
        (HOUR, 2, Decision.CPUS, 6),
        (2 * HOUR, 2, Decision.RESERVATION, 1),
        (3 * HOUR, 2, Decision.RESERVATION, 0),
        (5 * HOUR, 2, Decision.CPUS, 2),
        (5 * HOUR + 600, 2, Decision.RAM, 1536),
        (6 * HOUR, 2, Decision.FRAGMENTED, 0),
    )
    assert summed(schedule) == [
        "1 h 10 min short of processors (6 of its 64 missing at first)",
        "3 h kept free for job 1 of bob and 1 other job",
        "50 min short of RAM (1.5 GiB missing at first)",
        "4 h while enough was free, but scattered over nodes where its tasks could not go",
    ]
    assert str(explain(schedule, 2)) == "; ".join(summed(schedule))


def test_neighbours_of_one_kind_are_one_span_unless_they_name_another() -> None:
    schedule = waiting(
        (HOUR, 2, Decision.CPUS, 6),
        (2 * HOUR, 2, Decision.CPUS, 9),
        (3 * HOUR, 2, Decision.RESERVATION, 1),
        (4 * HOUR, 2, Decision.RESERVATION, 0),
        (5 * HOUR, 2, Decision.RESERVATION, 0),
    )
    assert text_of(schedule) == [
        (2 * HOUR, "short of processors (6 of its 64 missing at first)"),
        (HOUR, "kept free for job 2 of bob"),
        (6 * HOUR, "kept free for job 1 of bob"),
    ]


def test_limits_are_named_with_their_amounts() -> None:
    schedule = waiting(
        (HOUR, 2, Decision.LIMIT, LimitKind.USER_JOBS),
        (2 * HOUR, 2, Decision.LIMIT, LimitKind.QUEUE_CPUS),
        policy="easy:max_user_jobs=20,max_user_cpus=64,max_queue_cpus=96",
    )
    assert text_of(schedule) == [
        (HOUR, "held by the limit of 20 jobs a user"),
        (8 * HOUR, "held by the limit of 96 processors a queue"),
    ]
    assert summed(schedule) == [
        "9 h held by the limit of 20 jobs a user and held by the limit of 96 processors a queue"
    ]
    schedule = waiting((HOUR, 2, Decision.LIMIT, LimitKind.USER_CPUS), policy="easy:max_user_cpus=64")
    assert summed(schedule) == ["9 h held by the limit of 64 processors a user"]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("fcfs", "behind 2 jobs submitted earlier"),
        ("fcfs:order=sjf", "at first behind 3 jobs ahead by estimate"),
        ("fcfs:order=saf", "at first behind 3 jobs ahead by area"),
        ("fcfs:order=widest", "at first behind 3 jobs ahead by width"),
        ("fairshare-fcfs", "at first behind 3 jobs ahead by fairshare"),
        ("fcfs:order=priority", "at first behind 3 jobs ahead by priority"),
        ("fcfs:order=saf,threshold=1d", "at first behind 3 jobs ahead in the queue"),
        ("easy-sjbf:test_limit=5", "at first behind 3 jobs ahead in the queue"),
    ],
)
def test_what_is_in_front_follows_the_order(policy: str, words: str) -> None:
    schedule = waiting((HOUR, 2, Decision.BEHIND, 3), (7200, 2, Decision.BEHIND, 5), policy=policy)
    assert text_of(schedule) == [(9 * HOUR, words)]


def test_a_job_that_a_pass_may_not_look_at_is_behind_nobody() -> None:
    schedule = waiting((HOUR, 2, Decision.UNTRIED, 0), policy="easy:test_limit=3")
    assert text_of(schedule) == [(9 * HOUR, "not tried, since a pass looks at 3 jobs only")]
    schedule = waiting((HOUR, 2, Decision.UNTRIED, 1), policy="easy:user_test_limit=1")
    assert text_of(schedule) == [(9 * HOUR, "not tried, since a pass looks at 1 job of a user only")]
    policy = "easy:test_limit=3,user_test_limit=2"
    schedule = waiting((HOUR, 2, Decision.UNTRIED, 1), (7200, 2, Decision.UNTRIED, 0), policy=policy)
    assert text_of(schedule) == [
        (
            9 * HOUR,
            "not tried, since a pass looks at 3 jobs only "
            "and not tried, since a pass looks at 2 jobs of a user only",
        )
    ]
    # A pass an hour looks at one job: the last waits for two hours, on an empty machine.
    trace = make_trace([0, 0, 0], [HOUR] * 3, 1)
    started = simulate(trace, Cluster.pool(9), parse_policy("easy:test_limit=1,pass_every=1h"), log=True)
    assert [interval.kind for interval in explain(started, 2).intervals] == [Decision.UNTRIED]


def test_the_time_before_the_first_pass() -> None:
    schedule = waiting((2 * HOUR, 2, Decision.CPUS, 6), policy="easy:pass_every=1h")
    assert text_of(schedule)[0] == (HOUR, "until the next scheduling pass")
    assert explain(schedule, 2).intervals[0].kind is None
    schedule = waiting((2 * HOUR, 3, Decision.CPUS, 6), policy="easy:pass_every=1h")
    assert text_of(schedule) == [(9 * HOUR, "until the next scheduling pass")]


def test_of_several_reasons_at_one_second_the_last_counts() -> None:
    schedule = waiting(
        (HOUR, 2, Decision.CPUS, 6),
        (HOUR, 2, Decision.BEHIND, 3),
        (2 * HOUR, 2, Decision.RAM, 100),
        (2 * HOUR, 2, Decision.LIMIT, LimitKind.USER_JOBS),
        policy="fcfs:max_user_jobs=2",
    )
    assert [interval.kind for interval in explain(schedule, 2).intervals] == [Decision.BEHIND, Decision.LIMIT]


def test_users_that_are_numbers_are_called_users() -> None:
    trace = make_trace([0, 0], [HOUR, HOUR], user=[7, "bob"])
    schedule = make_schedule(trace, [HOUR, HOUR], log=log_of((0, 1, Decision.RESERVATION, 0)))
    assert summed(schedule, 1) == ["1 h kept free for job 1 of user 7"]


def test_reservations_and_who_went_past() -> None:
    schedule = waiting(
        (HOUR, 2, Decision.CPUS, 6),
        (HOUR, 2, Decision.RESERVED, 12 * HOUR),
        (2 * HOUR, 3, Decision.BACKFILLED, 2),
        (3 * HOUR, 2, Decision.RESERVED, 10 * HOUR),
    )
    waited = explain(schedule, 2)
    assert waited.promises == (Promise(HOUR, 12 * HOUR), Promise(3 * HOUR, 10 * HOUR))
    assert (waited.overtaken, waited.overtook) == ((3,), ())
    passed = explain(schedule, 3)
    assert (passed.overtaken, passed.overtook) == ((), (2,))


def test_jobs_without_intervals_say_why() -> None:
    trace = make_trace([0, 0, 5], [10] * 3, wait=[0, 7, 1])
    refused = make_schedule(trace, [0, NOT_RUN, 5])
    assert explain(refused, 1) == Explanation(1, 0, NOT_RUN, note="Not run: too large for this machine.")
    assert explain(refused, 0).note == "It started at its submission."
    assert not explain(refused, 0).intervals
    recorded = make_schedule(trace, [0, 7, 6], policy="recorded")
    assert explain(recorded, 0).note == "It started at its submission."
    assert str(explain(recorded, 1)) == "This is the log's own schedule: it does not record why jobs waited."
    assert explain(make_schedule(trace, [0, 7, 6]), 1).note == "No decisions were kept for this run."


def twin(log: DecisionLog, job: int, submit: int, starts: list[int]) -> list[tuple[int, int]]:
    """Kind (-1: none yet) and named value of each second of the wait, found anew for each second.

    No job is named by a reservation from its start on.
    """
    seconds, start = [], starts[job]
    for now in range(submit, start):
        rows = [k for k in range(len(log)) if log.job[k] == job and log.kind[k] >= 2 and log.time[k] <= now]
        kind = int(log.kind[rows[-1]]) if rows else -1
        named = kind in (Decision.RESERVATION, Decision.LIMIT)
        value = int(log.value[rows[-1]]) if named else 0
        begun = kind == Decision.RESERVATION and value != job and starts[value] <= now
        seconds.append((kind, -1 if begun else value))
    return seconds


rows = st.lists(
    st.tuples(
        st.integers(0, 30),
        st.integers(0, 3),
        st.sampled_from(list(Decision)[: Decision.PRIORITY]),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=25,
).map(sorted)


@given(rows, st.lists(st.integers(0, 30), min_size=4, max_size=4))
def test_each_second_has_the_reason_that_was_last_reported(rows: list[Row], waits: list[int]) -> None:
    nodes = Cluster((NodeGroup(3, 100),))  # the log names nodes 0 to 2
    trace = make_trace([0, 3, 3, 8], [5] * 4, cluster=nodes)
    schedule = make_schedule(trace, trace.submit + np.array(waits), log=log_of(*rows))
    for job in range(4):
        found = explain(schedule, job)
        seconds = [
            (-1 if s.kind is None else int(s.kind), s.value if s.kind in (5, 6) else 0)
            for s in found.intervals
            for _ in range(s.seconds)
        ]
        assert seconds == twin(schedule.log, job, found.submit, schedule.start.tolist())
        assert_adds_up(schedule, found)
        others = [
            who
            for time, who, kind, first in rows
            if kind == Decision.BACKFILLED and time < found.start and (first == job or first < job < who)
        ]
        assert list(found.overtaken) == others


def assert_adds_up(schedule: Schedule, found: Explanation) -> None:
    """The intervals tile the wait, no two neighbours say the same, and the summary has all seconds."""
    # Without gaps and overlaps from the submission to the start.
    edge = int(schedule.trace.submit[found.job])
    for interval in found.intervals:
        assert interval.begin == edge
        assert interval.begin < interval.end
        edge = interval.end
    assert edge == schedule.start[found.job]
    wait = int(schedule.wait[found.job])
    assert sum(cause.seconds for cause in found.summary) == wait
    kinds = [cause.kind for cause in found.summary]
    assert len(set(kinds)) == len(kinds)
    # Neighbours that say the same would be one interval.
    for first, second in zip(found.intervals[:-1], found.intervals[1:], strict=True):
        assert first.kind != second.kind or first.value != second.value


@pytest.fixture(scope="module")
def kth() -> Trace:
    from engine.logs.read import read_trace

    return read_trace(KTH)


@needs(KTH)
@pytest.mark.parametrize("policy", POLICIES)
def test_each_wait_of_a_real_log_is_told_to_the_second(kth: Trace, policy: str) -> None:
    from engine.simulation.run import simulate

    schedule = simulate(kth, kth.cluster, parse_policy(policy), log=True)
    waits = np.flatnonzero(schedule.wait > 0)
    assert len(waits) > 5000
    for job in waits[::4]:
        found = explain(schedule, int(job))
        assert not found.note
        assert_adds_up(schedule, found)
        assert all(interval.kind is not None for interval in found.intervals), job
