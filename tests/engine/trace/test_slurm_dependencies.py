"""Dependencies of Slurm's jobs, from the lines by which they were submitted."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.trace.dependencies import following, predecessors
from engine.trace.slurm_dependencies import dependency_of
from tests.engine.trace.sacct import HEADER, clock, job, read_jobs

WITH_LINES = f"{HEADER}|SubmitLine"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sbatch job.sh", None),
        ("sbatch -n 4 --debug run-d afterok", None),
        ("sbatch --dependency=afterok:12 job.sh", ((12,), False)),
        ("sbatch --dependency afterany:12:13 job.sh", ((12, 13), False)),
        ("sbatch -d afterok:12,afternotok:14 job.sh", ((12, 14), False)),
        ("sbatch -dafterany:12?afterany:14 job.sh", ((12, 14), True)),
        ('sbatch --dependency="aftercorr:9" job.sh', ((9,), False)),
        ("sbatch --dependency=after:12+5 job.sh", ((-1,), False)),
        ("sbatch --dependency=singleton job.sh", ((-1,), False)),
        ("sbatch --dependency=afterok:12_3,afterok:7 job.sh", ((-1, 7), False)),
    ],
)
def test_what_a_line_waits_for(text: str, found: object) -> None:
    assert dependency_of(text) == found


def read(folder: Path, *lines: tuple[dict[str, object], str]) -> Trace:
    return read_jobs(folder, *(f"{job(**fields)}|{line}" for fields, line in lines), header=WITH_LINES)


def test_a_job_follows_the_last_of_those_that_it_waits_for(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        ({"JobID": 1, "Submit": clock(0), "Start": clock(10), "End": clock(70)}, "sbatch a"),
        ({"JobID": 2, "Submit": clock(1), "Start": clock(10), "End": clock(40)}, "sbatch a"),
        (
            {"JobID": 3, "Submit": clock(2), "Start": clock(80), "End": clock(90)},
            "sbatch -d afterok:1:2 b",
        ),
        (
            {"JobID": 4, "Submit": clock(3), "Start": clock(80), "End": clock(90)},
            "sbatch -d afterany:1?afterany:2 b",
        ),
        (
            {"JobID": 5, "Submit": clock(95), "Start": clock(99), "End": clock(100)},
            "sbatch --dependency=afterok:3 c",
        ),
        ({"JobID": 6, "Submit": clock(96), "Start": clock(99), "End": clock(101)}, "sbatch -d afterok:77 d"),
    )
    assert trace.preceding.tolist()[2:5] == [1, 2, 3]
    assert predecessors(trace).tolist() == [-1, -1, 0, 1, 2, -1]
    assert trace.think_time.tolist()[2:5] == [0, 0, 5]  # after the end at 90 it was submitted at 95
    (note,) = (one for one in trace.notes if one.rule == "dependencies")
    assert note.count == 1


def test_jobs_come_when_those_have_ended_that_they_wait_for(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        ({"JobID": 1, "Submit": clock(0), "Start": clock(50), "End": clock(110)}, "sbatch a"),
        ({"JobID": 2, "Submit": clock(1), "Start": clock(120), "End": clock(180)}, "sbatch -d afterok:1 b"),
    )
    schedule = simulate(following(trace), Cluster.pool(8), parse_policy("easy"))
    assert (schedule.start - schedule.start[0]).tolist() == [0, 60]
    assert (simulate(trace, Cluster.pool(8), parse_policy("easy")).start - schedule.start[0]).tolist() == [
        0,
        1,
    ]


def test_a_log_without_these_lines_tells_of_no_dependencies(tmp_path: Path) -> None:
    trace = read_jobs(tmp_path, job())
    assert trace.preceding.tolist()[0] <= 0
    assert not [one for one in trace.notes if one.rule == "dependencies" and one.count]
