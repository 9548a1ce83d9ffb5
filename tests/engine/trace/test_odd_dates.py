"""Dates that cannot be, that come after the log, or that stretch it: noted before all else."""

import os
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from tests.engine.logs.lines import counts, line, read_lines, text_of, where, write_log
from tests.paths import SHARED, needs

DATES = SHARED / "cases" / "broken" / "dates"
BEGIN, LATE, DAY, YEAR = 1_000_000_000, 2**32 - 2, 86_400, 365 * 86_400
START = f"; UnixStartTime: {BEGIN}"


@pytest.mark.parametrize(
    "values",
    [
        {"submit": LATE - BEGIN},
        {"submit": 4_294_967_295},
        {"submit": LATE - BEGIN - 10, "wait": 3, "runtime": 7, "walltime": 7},
    ],
)
def test_a_job_in_2106_is_noted_first_and_dropped_unless_the_rule_is_off(
    tmp_path: Path, values: dict[str, object]
) -> None:
    lines = (START, "; MaxProcs: 4", line(), line(runtime=-1), line(job=3, **values), line(job=4, submit=5))
    trace = read_lines(tmp_path, *lines)
    assert trace.job_id.tolist() == [1, 4]
    assert trace.notes[0].rule == "drop_late_times"
    assert where(trace, "drop_late_times") == (1, (5,))
    assert text_of(trace, "drop_late_times").endswith("dropped")
    whole = read_lines(tmp_path, *lines, clean={"drop_late_times": False})
    assert whole.job_id.tolist() == [1, 4, 3]
    assert "kept" in text_of(whole, "drop_late_times")
    assert [note.rule for note in whole.notes][:3] == ["drop_late_times", "ahead_of_file", "stretches_log"]


def test_the_last_second_before_is_no_such_time(tmp_path: Path) -> None:
    values = {"submit": LATE - BEGIN - 11, "wait": 3, "runtime": 7, "walltime": 7}
    trace = read_lines(tmp_path, START, line(), line(job=3, **values))
    assert trace.job_id.tolist() == [1, 3]
    assert "drop_late_times" not in counts(trace)


def test_a_log_with_no_other_jobs_says_why_none_is_left(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no usable job among 1 records; a time in 2106 or later .*dropped"):
        read_lines(tmp_path, line(submit=4_294_967_295))


def test_submissions_after_the_file_was_written_are_noted_and_kept(tmp_path: Path) -> None:
    jobs = (line(), line(job=2, submit=DAY), line(job=3, submit=DAY + 1))
    path = write_log(tmp_path / "log.swf", START, *jobs)
    os.utime(path, (BEGIN, BEGIN))
    trace = read_trace(path)
    assert trace.job_id.tolist() == [1, 2, 3]
    assert where(trace, "ahead_of_file") == (1, (4,))
    assert "(2001-09-09): kept" in text_of(trace, "ahead_of_file")
    further = write_log(tmp_path / "more.swf", line(job=4, submit=5))
    assert "ahead_of_file" not in counts(read_trace(path, further=[further]))  # by the newest file


@pytest.mark.parametrize(
    ("jobs", "said"),
    [
        ((0, 2 * YEAR, 2 * YEAR + 5), (2, "2.0 years before all others")),
        ((0, 5, 3 * YEAR), (4, "3.0 years after all others")),
    ],
)
def test_a_job_that_stretches_the_log_by_years_is_noted_first(
    tmp_path: Path, jobs: tuple[int, ...], said: tuple[int, str]
) -> None:
    lines = [line(job=number, submit=submit) for number, submit in enumerate(jobs, 1)]
    trace = read_lines(tmp_path, START, *lines)
    assert len(trace) == 3
    assert trace.notes[0].rule == "stretches_log"
    assert where(trace, "stretches_log") == (1, (said[0],))
    assert text_of(trace, "stretches_log").endswith(said[1])
    short = [line(job=number, submit=submit // 9) for number, submit in enumerate(jobs, 1)]
    assert "stretches_log" not in counts(read_lines(tmp_path, START, *short))


def test_a_job_that_runs_for_years_after_all_others_stretches_the_log(tmp_path: Path) -> None:
    trace = read_lines(tmp_path, START, line(), line(job=2, runtime=2 * YEAR), line(job=3, submit=9))
    assert where(trace, "stretches_log") == (1, (3,))


def test_a_start_time_in_milliseconds_is_read_and_noted(tmp_path: Path) -> None:
    trace = read_lines(tmp_path, f"; UnixStartTime: {1000 * BEGIN + 999}", line())
    assert trace.zero == BEGIN
    assert text_of(trace, "start_in_ms") == "UnixStartTime 1000000000999 is read as milliseconds"
    for start in (LATE, 10**11, 10**14):  # no time of a log in seconds, and none in milliseconds
        trace = read_lines(tmp_path, f"; UnixStartTime: {start}", line())
        assert (trace.zero, counts(trace)["no_start_time"]) == (0, 1)
        assert "start_in_ms" not in counts(trace)
    assert read_lines(tmp_path, f"; UnixStartTime: {LATE - 99}", line()).zero == LATE - 99


@needs(DATES)
def test_absurd_dates_of_real_logs_are_noted_first() -> None:
    trace = read_trace(DATES / "submit-unsigned.swf")
    assert trace.notes[0].rule == "drop_late_times"
    assert where(trace, "drop_late_times") == (1, (54,))
    assert np.ptp(trace.submit) < DAY
    assert read_trace(DATES / "start-in-ms.swf").zero == BEGIN
    with pytest.raises(InputError, match="no usable job among 3 records"):
        read_trace(DATES / "no-val.json")
