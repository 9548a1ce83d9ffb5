from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.trace.trace import Trace
from tests.engine.logs.lines import counts
from tests.paths import SHARED, needs

FILES = SHARED / "cases" / "files"
HEAD = "JobID|User|State|NCPUS|Submit|Start|End|Elapsed"


def seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).astimezone(UTC).timestamp())


def submits(trace: Trace) -> list[int]:
    return (trace.submit + trace.zero).tolist()


def read(path: Path, text: str, timezone: str = "") -> Trace:
    path.write_text(text, "utf-8")
    return read_log_as(path, Reading(timezone=timezone)).trace


@needs(FILES / "s08-epoch.txt")
@pytest.mark.parametrize(
    ("file", "zone", "first", "waits", "runtimes"),
    [
        ("s08-epoch.txt", "", 1_704_103_200, [300, 300], [3600, 3600]),
        ("s08-epoch.txt", "Europe/Paris", 1_704_103_200, [300, 300], [3600, 3600]),
        ("s09-offset.txt", "", 1_704_103_200, [300, 300], [3600, 3600]),
        ("s09-offset.txt", "America/Denver", 1_704_103_200, [300, 300], [3600, 3600]),
        ("x01-epoch-dst.txt", "Europe/Berlin", 1_729_981_800, [600, 60], [10_800, 3600]),
    ],
    ids=["B009", "B009-zone", "B012", "B012-zone", "B013"],
)
def test_absolute_times_are_not_shifted(file, zone, first, waits, runtimes):
    trace = read_log_as(FILES / file, Reading(timezone=zone)).trace
    assert submits(trace)[0] == first
    assert (trace.wait.tolist(), trace.recorded_runtime.tolist()) == (waits, runtimes)
    assert "time_zone" not in counts(trace)


@needs(FILES / "s18-dst.txt")
@pytest.mark.parametrize("zone", ["", "Europe/Berlin"], ids=["B014", "B015"])
def test_what_elapsed_wins_over_a_difference_of_clock_times(zone):
    trace = read_log_as(FILES / "s18-dst.txt", Reading(timezone=zone)).trace
    found = dict(zip(trace.job_id.tolist(), trace.recorded_runtime.tolist(), strict=True))
    assert found == {1: 2700, 2: 9000, 3: 1800, 4: 7200}
    waits = dict(zip(trace.job_id.tolist(), trace.wait.tolist(), strict=True))
    if zone:  # clocks went from 3:00 to 2:00: job 4 started in the second pass of 2:10
        assert waits == {1: 3600, 2: 900, 3: 900, 4: 1200}


@pytest.mark.parametrize(
    ("submit", "start", "end", "elapsed", "expected"),
    [
        # each value alone: epoch seconds, a distance to UTC, a clock in Prague (two hours ahead in July)
        ("1625133600", "2021-07-01T12:10:00", "2021-07-01T13:00:00", "", (600, 3000)),
        ("2021-07-01T12:00:00", "1625134200", "2021-07-01T11:00:00Z", "", (600, 3000)),
        ("2021-07-01T10:00:00+00:00", "2021-07-01T12:10:00", "1625137200", "", (600, 3000)),
        ("2021-07-01T12:00:00", "2021-07-01T12:10:00+02:00", "2021-07-01T13:00:00", "00:40:00", (600, 2400)),
    ],
)
def test_a_log_may_mix_absolute_times_and_those_of_clocks(tmp_path, submit, start, end, elapsed, expected):
    text = f"{HEAD}\n1|a|COMPLETED|1|{submit}|{start}|{end}|{elapsed}\n"
    trace = read(tmp_path / "log.txt", text, "Europe/Prague")
    assert submits(trace) == [1_625_133_600]
    assert (trace.wait[0], trace.recorded_runtime[0]) == expected


@pytest.mark.parametrize(
    ("submit", "start", "end", "elapsed", "expected"),
    [
        # clocks in Berlin went from 3:00 to 2:00 on 2024-10-27
        ("02:50:00", "02:10:00", "04:00:00", "", (1200, 6600)),  # the start was in the second pass
        ("01:00:00", "02:30:00", "02:15:00", "", (5400, 2700)),  # the end was in the second pass
        ("01:00:00", "02:10:00", "02:20:00", "", (4200, 600)),  # nothing tells: the first pass
        ("01:00:00", "02:10:00", "03:10:00", "01:00:00", (7800, 3600)),  # the elapsed time tells
        ("02:55:00", "03:05:00", "03:10:00", "", (4200, 300)),
    ],
)
def test_an_hour_that_clocks_showed_twice(tmp_path, submit, start, end, elapsed, expected):
    day = "2024-10-27T"
    text = f"{HEAD}\n1|a|COMPLETED|1|{day}{submit}|{day}{start}|{day}{end}|{elapsed}\n"
    trace = read(tmp_path / "log.txt", text, "Europe/Berlin")
    assert (trace.wait[0], trace.recorded_runtime[0]) == expected


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("submit,wait,runtime,procs", "2024-10-27 01:30:00,7200,3600,1", (7200, 3600)),
        ("submit,start,runtime,procs", "2024-10-27 01:30:00,2024-10-27 03:30:00,3600,1", (10_800, 3600)),
        ("submit,wait,end,procs", "2024-10-27 01:30:00,7200,2024-10-27 03:30:00,1", (7200, 3600)),
        ("submit,start,end,procs", "1729985400,1729989000,2024-10-27 03:30:00,1", (3600, 7200)),
    ],
)
def test_tables_of_jobs_alike(tmp_path, header, row, expected):
    trace = read(tmp_path / "jobs.csv", f"{header}\n{row}\n", "Europe/Berlin")
    assert submits(trace) == [
        1_729_985_400 if row.startswith("1729") else seconds("2024-10-27T01:30:00+02:00")
    ]
    assert (trace.wait[0], trace.recorded_runtime[0]) == expected
