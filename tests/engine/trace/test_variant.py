from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.difference import difference
from engine.metrics.series import usage
from engine.metrics.summary import summary
from engine.policy.policy import Policy, parse_policy
from engine.schedule.explain import explain
from engine.schedule.free_steps import free_steps
from engine.schedule.instant import at_instant
from engine.schedule.schedule import NOT_RUN, Decision, Schedule
from engine.simulation.run import simulate
from engine.trace.dependencies import as_submitted
from engine.trace.scale import Scaling
from engine.trace.variant import KEYS, Variant, parse_variant, varied
from tests.traces import make_names, make_trace

POOL = Cluster.pool(10)
TRACE = make_trace(
    [0, 0, 5, 10, 10, 30, 40],
    [100, 50, 20, 80, 10, 60, 5],
    [6, 6, 8, 3, 10, 2, 1],
    user=["anna", "ben", "anna", "carl", "ben", "anna", "carl"],
    queue=["short", "long", "long", "short", "short", "long", "short"],
)

NAMES = st.lists(st.text('ab-+,;"= é', min_size=1).filter(lambda name: name == name.strip()), max_size=3)


def run(policy: str) -> Schedule:
    return simulate(TRACE, POOL, parse_policy(policy), log=True)


@given(
    st.builds(
        Variant,
        scaling=st.sampled_from([Scaling(), Scaling(theta=0.5), Scaling(walltime_cap=14400, rightsize=0.9)]),
        users=NAMES.map(tuple),
        accounts=NAMES.map(tuple),
        merge=st.sampled_from([(), ("a", "b;c")]),
        shift=st.integers(1, 10**6) | st.integers(-(10**6), -1),
        shifted=NAMES.map(tuple),
    )
)
def test_a_spelling_is_read_back_also_behind_a_policy(variant):
    policy = replace(parse_policy("easy:depth=3"), variant=variant)
    assert parse_variant(variant.spelling) == variant
    assert parse_policy(policy.spelling) == policy


def test_every_example_is_read_and_changes_something():
    assert all(parse_variant(example) for example, _ in KEYS.values())
    assert not parse_variant("")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("walltime=4h", "did you mean 'walltime_cap'"),
        ("cap=4h", "there are theta, rho, walltime_cap"),
        ("walltime_cap=", "needs a value, like walltime_cap=4h"),
        ("walltime_cap=4x", "cannot read the duration '4x'"),
        ("theta=1,theta=2", "theta is given twice"),
        ("merge=short", "merge names two queues or more, like merge=debug;batch"),
        ("shift=later", "or -2h for earlier; users may follow, as in shift=8h;alice"),
        ("shift=0", "from 1 s to ten years"),
        ('users=-"anna', "a quote that does not end"),
    ],
)
def test_errors_say_what_to_do(text, says):
    with pytest.raises(InputError) as error:
        parse_policy(f"easy with {text}")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_names_that_the_log_lacks_and_schedules_that_are_read_are_refused():
    with pytest.raises(InputError, match="there is no user 'ann'; did you mean 'anna'"):
        run("easy with users=-ann")
    with pytest.raises(InputError, match="no job is left with users=-anna;-ben;-carl"):
        run("easy with users=-anna;-ben;-carl")
    with pytest.raises(
        InputError, match=r"recorded with theta=2: a schedule that is read .* easy with theta=2"
    ):
        parse_policy("recorded with theta=2")


def test_a_file_called_like_a_variant_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "out with theta=2.csv"
    path.touch()
    assert parse_policy(f"recorded:{path}").file == str(path)


@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_a_cap_is_that_of_a_trace_with_smaller_requests(policy):
    capped = replace(TRACE, walltime=np.minimum(TRACE.walltime, 60))
    assert run(f"{policy} with walltime_cap=1m").start.tolist() == (
        simulate(capped, POOL, parse_policy(policy)).start.tolist()
    )


@pytest.mark.parametrize("policy", ["easy", "conservative", "fairshare-easy"])
def test_jobs_left_out_leave_the_schedule_of_the_others(policy):
    left = np.array([name != "ben" for name in np.array(TRACE.user.names)[TRACE.user.codes]])
    schedule = run(f"{policy} with users=-ben")
    without = simulate(TRACE.take(left), POOL, parse_policy(policy))
    assert schedule.start[left].tolist() == without.start.tolist()
    assert schedule.start[~left].tolist() == [NOT_RUN, NOT_RUN]
    assert not schedule.refused.any()
    assert run(f"{policy} with users=anna;carl").start.tolist() == schedule.start.tolist()


@pytest.mark.parametrize(
    ("policy", "fair"), [("easy", False), ("conservative", False), ("fairshare-easy", False), ("easy", True)]
)
def test_added_jobs_make_the_schedule_of_a_trace_that_has_them(policy, fair):
    text = "users=+anna;+anna,queues=+long"
    schedule = simulate(TRACE, POOL, parse_policy(f"{policy} with {text}"), log=True, fair_starts=fair)
    assert schedule.trace.as_logged is TRACE
    many = np.array([3, 2, 4, 1, 1, 4, 1])  # anna's jobs come three times, those of queue long once more
    rows = np.repeat(np.arange(7), many)
    own = np.cumsum(many) - many
    whole = simulate(TRACE.take(rows), POOL, parse_policy(policy), fair_starts=fair)
    assert schedule.start.tolist() == whole.start[own].tolist()
    assert schedule.end.tolist() == whole.end[own].tolist()
    others = np.setdiff1d(np.arange(len(rows)), own)
    assert sorted(zip(schedule.added.job.tolist(), schedule.added.start.tolist(), strict=True)) == (
        sorted(zip(rows[others].tolist(), whole.start[others].tolist(), strict=True))
    )
    if fair:
        assert schedule.fair_start.tolist() == whole.fair_start[own].tolist()
    assert [(note.rule, note.count) for note in schedule.trace.changes] == [("added", 9)]


def test_what_the_machine_is_used_for_counts_added_jobs_and_metrics_do_not():
    schedule, plain = run("easy with users=+anna"), run("easy")
    whole = simulate(TRACE.take(np.array([0, 0, 1, 2, 2, 3, 4, 5, 5, 6])), POOL, parse_policy("easy"))
    used, wanted = usage(schedule), usage(whole)
    assert used.processors.value.tolist() == wanted.processors.value.tolist()
    assert used.waiting.value.tolist() == wanted.waiting.value.tolist()
    steps, expected = free_steps(schedule), free_steps(whole)
    assert (steps.time.tolist(), steps.free.tolist()) == (expected.time.tolist(), expected.free.tolist())
    assert summary(schedule)["ran"] == summary(plain)["ran"] == 7
    assert summary(schedule)["wait_mean"] == schedule.wait.mean() > plain.wait.mean()
    for time in range(0, 300, 7):
        found, there = at_instant(schedule, time), at_instant(whole, time)
        assert (found.used, found.free) == (there.used, there.free)
        assert set(found.running) == set(np.flatnonzero((schedule.start <= time) & (time < schedule.end)))


def test_decisions_name_the_jobs_that_added_ones_are_like():
    schedule = run("easy with users=+ben")
    rows = np.isin(schedule.log.kind, [Decision.BACKFILLED, Decision.RESERVATION])
    assert (schedule.log.job < len(TRACE)).all()
    assert (schedule.log.value[rows] < len(TRACE)).all()
    for job in range(len(TRACE)):
        explanation = explain(schedule, job)
        assert sum(cause.seconds for cause in explanation.summary) == schedule.wait[job]
        assert all(0 <= other < len(TRACE) for other in explanation.overtaken + explanation.overtook)


def test_added_jobs_follow_whom_their_job_follows_and_nobody_follows_them():
    follows = replace(
        TRACE,
        preceding=np.array([-1, -1, 1, -1, -1, -1, 2]),
        think_time=np.array([-1, -1, 5, -1, -1, -1, 3]),
        job_id=np.arange(1, 8),
        dependencies=True,
    )
    schedule = simulate(follows, Cluster.pool(1000), parse_policy("easy with users=+anna;+ben"))
    plain = simulate(follows, Cluster.pool(1000), parse_policy("easy"))
    assert schedule.start.tolist() == plain.start.tolist()
    assert schedule.submit.tolist() == plain.submit.tolist()


def test_jobs_that_are_left_out_bring_no_others():
    schedule = run("easy with users=+anna;-ben,queues=-short")
    assert set(schedule.added.job.tolist()) == {2, 5}  # anna's in the queue long
    with pytest.raises(InputError, match="expected ends are not known ahead where jobs are added"):
        run("easy:order=slack with users=+anna")
    with pytest.raises(InputError, match="there is no user 'ann'; did you mean 'anna'"):
        run("easy with users=+ann")


@pytest.mark.parametrize("policy", ["easy", "conservative", "fairshare-easy"])
def test_moved_jobs_are_as_in_a_trace_that_was_submitted_so(policy):
    moved = np.array([name == "anna" for name in np.array(TRACE.user.names)[TRACE.user.codes]])
    came = np.where(moved, TRACE.submit + 60, TRACE.submit)
    schedule = run(f"{policy} with shift=1m;anna")
    sorted_trace = as_submitted(TRACE, came)
    again = simulate(sorted_trace.trace, POOL, parse_policy(policy))
    assert schedule.submit.tolist() == came.tolist()
    assert schedule.start.tolist() == sorted_trace.back(again.start).tolist()
    assert (schedule.wait >= 0).all()


def test_nothing_comes_before_the_log_begins():
    assert run("easy with shift=-15").submit.tolist() == [0, 0, 0, 0, 0, 15, 25]


def test_equal_variants_share_their_trace_and_start_from_the_log():
    capped, both = parse_variant("walltime_cap=1m"), parse_variant("theta=0.5,walltime_cap=1m")
    trace = varied(TRACE, capped)
    assert varied(TRACE, parse_variant("walltime_cap=60")) is trace
    assert varied(trace, capped) is trace
    assert varied(varied(TRACE, both), Variant()) is TRACE
    assert varied(varied(TRACE, both), capped) is trace
    # A part of a varied trace is of the same variant, and of a part of the log.
    part = varied(TRACE, both).take(np.arange(3))
    assert varied(part, both) is part
    assert len(varied(part, capped)) == 3
    assert [note.count for note in trace.notes if note.rule == "walltime_cap"] == [2]


def test_waits_are_compared_where_jobs_come_at_other_times():
    plain, later = run("easy"), run("easy with shift=1m;anna")
    moved = difference(plain, later)
    expected = np.where(plain.submit == later.submit, later.start - plain.start, later.wait - plain.wait)
    assert moved.change.tolist() == expected.tolist()
    assert moved.jobs.all()
    left = difference(plain, run("easy with users=-ben"))
    assert left.jobs.tolist() == (np.array(TRACE.user.names)[TRACE.user.codes] != "ben").tolist()


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("walltime_cap=4h", "walltime cap 4h"),
        ("users=-ben", "without user ben"),
        ("users=+ben;+ben,queues=+long", "each job of user ben 3 times, each job of queue long twice"),
        ("users=anna;carl,queues=-long", "only users anna and carl, without queue long"),
        ("merge=long;short", "queues long merged into short"),
        ("shift=-8h;ben", "jobs of ben 8h earlier"),
    ],
)
def test_words_for_people(variant, words):
    assert str(parse_variant(variant)) == words


def test_merged_queues_share_a_limit():
    one = replace(TRACE, queue=make_names(["short"] * 7))
    plain, merged, alone = (
        simulate(trace, Cluster.pool(20), parse_policy(f"easy:max_queue_cpus=10{variant}"))
        for trace, variant in ((TRACE, ""), (TRACE, " with merge=long;short"), (one, ""))
    )
    assert merged.start.tolist() == alone.start.tolist() != plain.start.tolist()


def test_policies_that_look_ahead_say_why_moved_jobs_are_not_theirs():
    with pytest.raises(InputError, match=r"jobs are moved \(shift\)"):
        run("easy:order=slack with shift=1m;anna")
    assert isinstance(parse_policy("easy with shift=1m"), Policy)
