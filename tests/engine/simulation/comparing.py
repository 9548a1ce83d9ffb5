"""A schedule of the engine beside its slow twin's, and its decision log in a form that can be compared."""

from __future__ import annotations

from itertools import groupby, pairwise

import numpy as np

from engine.schedule.schedule import Decision, Schedule
from engine.simulation.run import simulate
from tests.engine.simulation.naive import STOPPED, NaiveSimulation
from tests.engine.simulation.workloads import Case

Piece = tuple[int, int]  # node, CPUs
Change = tuple[int, int, int]  # time, job, what is said of it from then on

REASONS = [kind for kind in Decision if kind >= Decision.CPUS]


def assert_equal_to_twin(case: Case) -> tuple[Schedule, NaiveSimulation]:
    """The same schedule as the slow twin's, without and with a log, and the same log.

    Returns the schedule without a log, and the twin.
    """
    naive = NaiveSimulation(*case)
    naive.simulate()
    schedule = simulate(*case)
    assert_equal_schedules(schedule, naive)
    logged = simulate(*case, log=True)
    assert_equal_schedules(logged, naive)
    assert_equal_logs(logged, naive)
    return schedule, naive


def assert_equal_schedules(schedule: Schedule, naive: NaiveSimulation) -> None:
    """The same starts, and the same nodes where there are several."""
    assert schedule.start.tolist() == [job.start for job in naive.jobs]
    assert schedule.end.tolist() == [job.end if job.start >= 0 else -1 for job in naive.jobs]
    if len(naive.machine) > 1:
        assert pieces(schedule) == [[(node, amount[0]) for node, amount in job.pieces] for job in naive.jobs]
    pooled = len(naive.machine) == 1  # where a run has a single piece, whatever its tasks
    assert stopped_runs(schedule) == [
        (
            *(job.number, job.start, job.end),
            [(0, job.total(0))] if pooled else [(node, amount[0]) for node, amount in job.pieces],
        )
        for job in naive.stopped
    ]
    assert_equal_checks(schedule, naive)


def assert_equal_logs(schedule: Schedule, naive: NaiveSimulation) -> None:
    """The same reservations, jobs that went past others, and reasons in a schedule with a log."""
    rows = rows_of(schedule, Decision.RESERVED)
    reserved = with_stops(schedule, [(time, job, value) for time, job, _, value in rows])
    assert changes(last_of_each_second(reserved)) == changes(last_of_each_second(naive.reserved))
    if naive.policy.depth != "kept":
        passed = rows_of(schedule, Decision.BACKFILLED)
        assert [(time, job, value) for time, job, _, value in passed] == naive.passed
    rows = rows_of(schedule, *REASONS)
    reasons = changes(with_stops(schedule, [(time, job, kind) for time, job, kind, _ in rows]))
    assert reasons == changes([(time, job, kind) for time, job, kind, _ in naive.reasons])
    # The value of a reason is that of the pass at which it was written.
    amounts = {(time, job, kind): value for time, job, kind, value in naive.reasons}
    gone = {run.number: run.end for run in naive.stopped}  # some of them for good
    for time, job, kind, value in rows:
        if kind == Decision.RESERVATION:
            assert naive.jobs[value].submit <= time <= max(naive.jobs[value].start, gone.get(value, 0))
        elif kind != Decision.BEHIND or naive.policy.backfill == "queue":
            assert value == amounts[time, job, kind]


def assert_equal_checks(schedule: Schedule, naive: NaiveSimulation) -> None:
    """The same checks, but for some at which no job ran or waited, which said what the one before said."""
    made = dict(checks(schedule))
    jobs = [job for job in naive.jobs + naive.stopped if job.start >= 0]
    before = None
    for time, expected in naive.tuner.rows:
        if time not in made:
            assert not any(job.submit <= time < job.end for job in jobs)
            assert expected == before
        before = expected
    rows = [row for row in naive.tuner.rows if row[0] in made]
    assert checks(schedule) == rows


def checks(schedule: Schedule) -> list[tuple[int, list[tuple[float, float, float]]]]:
    """Of each check the time, and of each tuning monitor, threshold and new value."""
    log = schedule.checks
    if log is None:
        return []
    found = np.stack((log.monitor, log.threshold, log.tunable), axis=2)
    return [(int(log.time[row]), [tuple(match) for match in found[row].tolist()]) for row in range(len(log))]


def pieces(schedule: Schedule) -> list[list[Piece]]:
    """Of each job, in the order in which its tasks were placed."""
    rows = list(zip(schedule.pieces["node"].tolist(), schedule.pieces["cpus"].tolist(), strict=True))
    offset = schedule.pieces.offset.tolist()
    return [rows[offset[j] : offset[j + 1]] for j in range(len(schedule.start))]


def stopped_runs(schedule: Schedule) -> list[tuple[int, int, int, list[Piece]]]:
    """Of each run that a failure cut short its job, start, end and pieces."""
    stopped, offset = schedule.stopped, schedule.stopped.pieces.offset
    columns = (stopped.pieces["node"].tolist(), stopped.pieces["cpus"].tolist())
    rows = list(zip(*columns, strict=True))
    own = [rows[begin:end] for begin, end in pairwise(offset)]
    return list(zip(stopped.job.tolist(), stopped.start.tolist(), stopped.end.tolist(), own, strict=True))


def rows_of(schedule: Schedule, *kinds: Decision) -> list[tuple[int, int, int, int]]:
    """Time, job, kind and value of the log's rows of these kinds, as they were written."""
    log = schedule.log
    columns = (column.tolist() for column in (log.time, log.job, log.kind, log.value))
    return [row for row in zip(*columns, strict=True) if row[2] in kinds]


def with_stops(schedule: Schedule, rows: list[Change]) -> list[Change]:
    """The same in order of time, with the stops of jobs: what was said before was said of another wait."""
    stops = [(end, job, STOPPED) for job, _, end, _ in stopped_runs(schedule)]
    return sorted(stops + rows, key=lambda row: row[0])


def changes(rows: list[Change]) -> list[Change]:
    """Of what is said of each job again and again, in order of time: the first time of all in a row."""
    found = []
    for job, own in groupby(sorted(rows, key=lambda row: row[1]), key=lambda row: row[1]):
        for what, same in groupby(own, key=lambda row: row[2]):
            found.append((next(same)[0], job, what))
    return found


def last_of_each_second(rows: list[Change]) -> list[Change]:
    """Only the last word on a job at any second."""
    return [(time, job, what) for (time, job), what in {(t, j): w for t, j, w in rows}.items()]
