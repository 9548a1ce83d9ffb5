"""Tables that grow while a simulation runs: each by itself, up to a limit."""

import numpy as np
import pytest

from engine.errors import InputError
from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Decision
from engine.simulation import log_buffer as parts
from engine.simulation import tables
from engine.simulation.log_buffer import (
    FEW_ROWS,
    MOST_ROWS,
    LogBuffer,
    decision_log,
    make_log_buffer,
)
from engine.simulation.make.scheduler import make_scheduler
from engine.simulation.run import simulate
from engine.simulation.scheduler import Scheduler
from engine.simulation.tables import TABLES, with_larger_tables
from tests.parts import from_python
from tests.traces import make_trace

note_reason = from_python(parts.note_reason)


def lengths(s: Scheduler) -> dict[str, int]:
    """Rows of all tables that grow."""
    return {
        "checks": len(s.tuner.check_values),
        "changes": len(s.tuner.busy),
        "decisions": s.log_buffer.rows.shape[1],
        "stops": len(s.outage_state.stopped),
        "starts": len(s.run.started),
        "pieces": len(s.machine.pieces),
        "reservations": len(s.reservations.rows),
        "steps": len(s.profile.time),
    }


@pytest.mark.parametrize("table", TABLES)
def test_only_a_table_that_is_short_grows(table: int) -> None:
    trace = make_trace([0] * 50, [10] * 50, [2] * 50)
    scheduler, _ = make_scheduler(trace, parse_cluster("3x4c~1d/1h"), parse_policy("tuned-2d"), log=True)
    before = lengths(scheduler)
    short = [*before][table]
    for rows in (before[short] + 1, 10_000):
        scheduler.rows_wanted[table] = rows
        scheduler = with_larger_tables(scheduler)
        after = lengths(scheduler)
        assert after[short] >= max(rows, 2 * before[short])
        assert {**after, short: 0} == {**before, short: 0}
        before = after
        assert not scheduler.rows_wanted.any()


def test_reservations_of_jobs_that_started_make_room() -> None:
    trace = make_trace([0] * 50, [10] * 50, [2] * 50)
    scheduler, _ = make_scheduler(trace, parse_cluster("3x4c"), parse_policy("conservative"), log=False)
    scheduler.rows_wanted[tables._RESERVATIONS] = 1000
    scheduler = with_larger_tables(scheduler)
    rows = len(scheduler.reservations.rows)
    scheduler.reservations.used[0] = rows  # of jobs that are gone
    scheduler.rows_wanted[tables._RESERVATIONS] = rows + 2
    scheduler = with_larger_tables(scheduler)
    assert len(scheduler.reservations.rows) == rows
    assert scheduler.reservations.used[0] == 0


def test_a_run_that_would_fill_the_memory_ends_in_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_TABLE_BYTES", 1 << 16)
    trace = make_trace([0], [10**9])
    with pytest.raises(InputError, match="more than 2,730 checks of what is tuned"):
        simulate(trace, Cluster.pool(10), parse_policy("tuned-bf"))


def test_a_full_log_goes_on_with_a_few_rows_a_job() -> None:
    log_buffer = make_log_buffer(True, 3, full=500)._replace(rows=np.zeros((4, 2000), np.int64))
    for value in range(2 * MOST_ROWS):
        note_reason(log_buffer, value, 0, int(Decision.CPUS), value, True)
        if value % 100 == 0:
            note_reason(log_buffer, value, 1, int(Decision.CPUS), value, True)
    for value in range(3):
        note_reason(log_buffer, value, 2, int(Decision.CPUS), value, True)
    assert rows_of(log_buffer, 0) == rows_of(log_buffer, 0)[:501]
    assert rows_of(log_buffer, 0)[-1] == Decision.UNTOLD
    assert rows_of(log_buffer, 1) == [Decision.CPUS] * (FEW_ROWS - 1) + [Decision.UNTOLD]
    assert rows_of(log_buffer, 2) == [Decision.CPUS] * 3


def rows_of(log_buffer: LogBuffer, job: int) -> list[int]:
    """The kinds of the rows of one job."""
    log = decision_log(log_buffer)
    return [int(kind) for kind in log.kind[log.job == job]]


@pytest.mark.parametrize("wide", ["", "time", "value", "both"])
def test_columns_of_a_log_are_half_as_wide_where_their_numbers_fit(wide: str) -> None:
    edge = 1 << 31
    time = [0, edge - 1, edge if wide in ("time", "both") else 5]
    value = [-edge, 7, -edge - 1 if wide in ("value", "both") else 1 - edge]
    rows = np.array([time, [0, 1, 2], [1, 1, 5], value])
    log_buffer = make_log_buffer(True, 3)._replace(rows=rows, used=np.array([3]))
    log = decision_log(log_buffer)
    assert (log.time.tolist(), log.value.tolist()) == (time, value)
    assert (log.job.tolist(), log.kind.tolist()) == ([0, 1, 2], [1, 1, 5])
    assert log.time.dtype == (np.int64 if wide in ("time", "both") else np.int32)
    assert log.value.dtype == (np.int64 if wide in ("value", "both") else np.int32)
