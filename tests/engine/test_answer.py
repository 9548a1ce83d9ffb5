"""What a user is told of a job: measured by simulating again, or inferred."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import answer, infer_wait
from engine.answer.wait_claims import inferred_lines
from engine.api import Log, read
from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.run_source import schedule_of
from engine.schedule.schedule import Schedule
from engine.trace.names import Names
from tests.engine.logs.lines import line, write_log

JOBS = [(1, 0, 100, 100, 3), (2, 10, 100, 1000, 4), (3, 20, 50, 900, 1), (4, 400, 10, 10, 1)]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Log:
    """Job 3 could run beside job 1, but its walltime reaches past the start that job 2 is promised."""
    rows = [
        line(
            job=job,
            submit=submit,
            wait=0,
            runtime=runtime,
            walltime=walltime,
            procs=procs,
            user=job % 2,
            queue=1,
        )
        for job, submit, runtime, walltime, procs in JOBS
    ]
    return read(write_log(tmp_path_factory.mktemp("log") / "four.swf", "; MaxProcs: 4", *rows))


def run(log: Log, policy: str) -> Schedule:
    return schedule_of(log.trace, log.cluster, parse_policy(policy), log=True)


def test_a_shorter_walltime_would_have_helped_as_simulated_by_hand(tmp_path: Path) -> None:
    """Walltimes in multiples of 300 s, so that what is proposed can be counted by hand."""
    rows = [(1, 0, 1000, 1000, 3), (2, 10, 1000, 1000, 4), (3, 20, 500, 2000, 1)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=1)
        for job, submit, runtime, walltime, procs in rows
    ]
    log = read(write_log(tmp_path / "three.swf", "; MaxProcs: 4", *jobs))
    result = answer(run(log, "easy"), 2)
    assert result.of.explanation.start == 2000  # behind job 2
    found = {outcome.text: outcome for outcome in result.outcomes}
    # It ran 500 s: a tenth to spare is 550, rounded up 600. Then it ends before 1000 and starts at once.
    shorter = found["a walltime of 10 min instead of 33 min 20 s"]
    assert (shorter.start, shorter.end, shorter.sooner, shorter.done_sooner) == (20, 520, 1980, 1980)
    half = found["a walltime of 20 min instead of 33 min 20 s"]
    assert half.sooner == 0  # 20 + 1200 is past 1000
    assert "it would have waited 0 s, 33 min less" in result.text
    assert result.text.index("10 min instead") < result.text.index("20 min instead")  # the best first


def test_half_the_processors_take_twice_as_long(tmp_path: Path) -> None:
    rows = [(1, 0, 1000, 1000, 2), (2, 0, 100, 100, 4)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=1)
        for job, submit, runtime, walltime, procs in rows
    ]
    log = read(write_log(tmp_path / "two.swf", "; MaxProcs: 4", *jobs))
    result = answer(run(log, "easy"), 1)
    (narrower,) = [outcome for outcome in result.outcomes if "processors" in outcome.text]
    assert narrower.text == "2 processors instead of 4, running longer in proportion"
    assert (narrower.start, narrower.end) == (0, 200)
    assert "ended 15 min earlier" in result.text


def test_other_queues_are_tried_where_the_policy_looks_at_them(tmp_path: Path) -> None:
    rows = [(1, 0, 100, 100, 2, 1), (2, 0, 100, 100, 2, 1), (3, 500, 10, 10, 1, 2)]
    jobs = [
        line(job=job, submit=submit, runtime=runtime, walltime=walltime, procs=procs, user=1, queue=queue)
        for job, submit, runtime, walltime, procs, queue in rows
    ]
    log = read(write_log(tmp_path / "queues.swf", "; MaxProcs: 4", *jobs))
    result = answer(run(log, "easy:max_queue_cpus=2"), 1)
    (other,) = [outcome for outcome in result.outcomes if outcome.text.startswith("queue ")]
    assert (other.text, other.start) == ("queue 2 instead of 1", 0)
    assert not [
        outcome for outcome in answer(run(log, "fcfs"), 1).outcomes if outcome.text.startswith("queue ")
    ]


def test_a_job_that_did_not_wait_needs_no_help(log: Log) -> None:
    result = answer(run(log, "easy"), 3)
    assert result.outcomes == ()
    assert result.text.endswith("started at once.")


def test_what_is_changed_is_this_job_alone(log: Log) -> None:
    schedule = run(log, "easy")
    before = log.trace.walltime.copy()
    answer(schedule, 2)
    np.testing.assert_array_equal(log.trace.walltime, before)


@given(
    jobs=st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 15), st.integers(1, 12), st.integers(1, 4)),
        min_size=2,
        max_size=8,
    ),
    asked=st.integers(0, 7),
)
def test_what_is_inferred_is_what_a_count_second_by_second_finds(
    log: Log, jobs: list[tuple[int, int, int, int]], asked: int
) -> None:
    jobs = sorted(jobs)
    job = asked % len(jobs)
    base = run(log, "recorded")
    submit, wait, runtime, procs = (np.array(column, np.int64) for column in zip(*jobs, strict=True))
    trace = replace(log.trace.take(np.zeros(len(jobs), np.int64)), submit=submit, wait=wait, procs=procs)
    schedule = replace(
        base,
        trace=trace,
        start=submit + wait,
        end=submit + wait + runtime,
        procs=procs,
        pieces=base.pieces.take(np.zeros(len(jobs), np.int64)),
    )
    found = infer_wait(schedule, job)
    begin, end = int(submit[job]), int(submit[job] + wait[job])
    if begin == end:
        assert found is None
        return
    assert found is not None
    enough = 0
    for second in range(begin, end):
        used = sum(p for k, (s, w, r, p) in enumerate(jobs) if k != job and s + w <= second < s + w + r)
        enough += 4 - used >= procs[job]
    assert (found.short, found.idle) == (end - begin - enough, enough)
    passed = [k for k, (s, w, _, _) in enumerate(jobs) if k > job and s + w < end]
    assert found.passed == len(passed)
    assert found.first_passed == tuple(sorted(passed, key=lambda k: (int(submit[k] + wait[k]), k))[:5])


def test_what_is_inferred_says_so(tmp_path: Path) -> None:
    rows = [(1, 0, 0, 100, 4), (2, 10, 190, 10, 4), (3, 20, 130, 10, 1)]
    jobs = [
        line(job=job, submit=submit, wait=wait, runtime=runtime, procs=procs, allocated=procs, user=1)
        for job, submit, wait, runtime, procs in rows
    ]
    log = read(write_log(tmp_path / "own.swf", "; MaxProcs: 4", *jobs))
    result = answer(run(log, "recorded"), 1)
    assert result.of.inferred is not None
    assert (result.of.inferred.short, result.of.inferred.idle, result.of.inferred.passed) == (100, 90, 1)
    lines = result.of.inferences
    assert all(each_line.startswith("Inferred") for each_line in lines)
    assert "for 1 min 40 s too few processors seem to have been idle" in lines[0]
    assert lines[-1] == "Inferred: 1 job that came later started before it: 3."
    assert result.outcomes == ()
    assert lines[0] in result.text


def test_too_little_ram_and_the_reason_of_the_log_are_reported(log: Log) -> None:
    """Job 2 asks for 1 of 4 processors and 30 of 40 MiB, while job 1 holds 1 and 20 until 100 s."""
    base = run(log, "recorded")
    two = np.zeros(2, np.int64)
    trace = replace(
        log.trace.take(two),
        submit=np.array([0, 10]),
        wait=np.array([0, 120]),
        procs=np.array([1, 1]),
        ram=np.array([20, 30]),
        reason=Names(np.array([0, 1], np.int32), ("", "QOSMaxCpuPerUserLimit")),
    )
    schedule = replace(
        base,
        trace=trace,
        cluster=parse_cluster("1x4c40m"),
        start=np.array([0, 130]),
        end=np.array([100, 200]),
        procs=trace.procs,
        pieces=base.pieces.take(two),
    )
    found = infer_wait(schedule, 1)
    assert found is not None
    assert (found.short, found.ram_short, found.idle) == (0, 90, 30)
    lines = inferred_lines(schedule, 1, found)
    assert lines[0] == "The log names a reason: QOSMaxCpuPerUserLimit."
    assert lines[1].startswith(
        "Inferred: for 1 min 30 s too little RAM seems to have been free; for 30 s enough"
    )
