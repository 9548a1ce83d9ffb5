"""Dependencies of Slurm's jobs, from the lines by which they were submitted."""

from pathlib import Path

import pytest

from engine.logs.read import read_trace
from engine.logs.sacct.dependencies import dependency_of
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.trace.convert import write_swf
from engine.trace.dependencies import following, predecessors
from tests.engine.logs.sacct.dumps import HEADER, clock, job, read_jobs

WITH_LINES = f"{HEADER}|SubmitLine"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sbatch job.sh", ()),
        ("sbatch -n 4 --debug run-d afterok", ()),
        ("sbatch --dependency=afterok:12 job.sh", (("end", ("12",)),)),
        ("sbatch --dependency afterany:12:13 job.sh", (("end", ("12", "13")),)),
        ("sbatch -d afterok:12,afternotok:14 job.sh", (("end", ("12",)), ("end", ("14",)))),
        ('sbatch --dependency="aftercorr:9" job.sh', (("same", ("9",)),)),
        ("sbatch --dependency=after:12+5 job.sh", (("after", ()),)),
        ("sbatch --dependency=singleton job.sh", (("singleton", ()),)),
        ("sbatch -d singleton,afterok:7_3 job.sh", (("singleton", ()), ("end", ("7_3",)))),
        ("sbatch -d afterburstbuffer:12 job.sh", (("other", ()),)),
        ("sbatch -d expand:12 job.sh", (("other", ()),)),
        ("sbatch -d afterok:x job.sh", (("other", ()),)),
        ("sbatch -d afterok job.sh", (("other", ()),)),
    ],
)
def test_what_a_line_waits_for(text: str, found: object) -> None:
    assert dependency_of(text) == (found, False)


def test_any_of_them_may_be_enough() -> None:
    waits = (("end", ("12",)), ("end", ("14", "15")))
    assert dependency_of("sbatch -dafterany:12?afterany:14:15 job.sh") == (waits, True)


Job = tuple[dict[str, object], str]


def read(folder: Path, *lines: Job) -> Trace:
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
    assert lost(trace) == {_UNKNOWN: 1, _SEVERAL: 2}


_STARTS = "jobs that wait for others to start (after), which is not kept: jobs follow ends alone"
_UNKNOWN = "jobs that wait for jobs that the log does not have, or not the end of, which is not kept"
_OTHER = "jobs that have dependencies of another kind than ends, starts and singleton, which are not kept"
_SEVERAL = "jobs that wait for several jobs: they follow only the one of them whose end let them go"


def lost(trace: Trace) -> dict[str, int]:
    """How many jobs each note tells of what is not kept."""
    return {note.text: note.count for note in trace.notes if note.rule == "dependencies"}


def run(job_id: object, submit: int, start: int, end: int, line: str = "sbatch a", **more: object) -> Job:
    """A job of that many seconds past noon, and the line by which it was submitted."""
    times = {"Submit": clock(submit), "Start": clock(start), "End": clock(end)}
    return {"JobID": job_id, **times, **more}, line


def test_a_job_follows_the_last_task_of_an_array(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        *(run(f"8_{task}", 0, 5, end) for task, end in ((1, 30), (2, 90), (3, 60))),
        run("8_[4-9]", 0, 0, 0, State="CANCELLED by 7", Start="Unknown", End="Unknown"),
        run(20, 1, 95, 99, "sbatch -d afterok:8 b"),
        run(21, 2, 95, 99, "sbatch -d afterok:8_3 b"),
        run(22, 70, 95, 99, "sbatch -d afterok:8_3 b"),
    )
    assert predecessors(trace).tolist() == [-1, -1, -1, 1, 2, 2]
    assert trace.think_time.tolist()[3:] == [0, 0, 10]
    assert lost(trace) == {_SEVERAL: 1}


def test_each_task_follows_the_same_task_of_another_array(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        *(run(f"8_{task}", 0, 5, 30 + task) for task in (1, 2)),
        *(run(f"9_{task}", 1, 50, 99, "sbatch -a 1-3 -d aftercorr:8 b") for task in (1, 2, 3)),
        run(10, 2, 50, 99, "sbatch -d aftercorr:8 b"),
    )
    assert predecessors(trace).tolist() == [-1, -1, 0, 1, -1, 1]
    assert lost(trace) == {_UNKNOWN: 1, _SEVERAL: 1}


def test_parts_of_a_heterogeneous_job_end_together(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        run("8+0", 0, 5, 30),
        run("8+1", 0, 5, 40),
        run(9, 50, 60, 99, "sbatch -d afterany:8 b"),
    )
    assert predecessors(trace).tolist() == [-1, 0]
    assert trace.think_time.tolist() == [-1, 10]


def test_a_singleton_follows_the_last_job_of_its_name_and_user(tmp_path: Path) -> None:
    alone = "sbatch -d singleton a"
    trace = read(
        tmp_path,
        run(1, 0, 5, 30, alone),
        run(2, 1, 5, 90, User="bob"),
        run(3, 2, 5, 90, JobName="other"),
        run(4, 3, 31, 60, alone),
        run(5, 4, 5, 80),
        run(6, 5, 81, 99, alone),
        run(7, 109, 110, 120, alone),
    )
    assert predecessors(trace).tolist() == [-1, -1, -1, 0, -1, 4, 5]
    assert trace.think_time.tolist()[-1] == 10
    assert lost(trace) == {_SEVERAL: 1}  # job 6 waited for jobs 4 and 5


def test_what_is_not_kept_is_counted(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        run(1, 0, 5, 30),
        run(2, 0, 5, 30, "sbatch -d after:1+5 a"),
        run(3, 0, 5, 30, "sbatch -d after:1,afterok:1 a"),
        run(4, 0, 5, 30, "sbatch -d expand:1 a"),
        run(5, 0, 5, 30, "sbatch -d afterok:77 a"),
    )
    assert predecessors(trace).tolist() == [-1, -1, 0, -1, -1]
    assert lost(trace) == {_STARTS: 2, _OTHER: 1, _UNKNOWN: 1}


def test_without_names_singletons_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    fields = "JobID|Submit|Start|End|State|NCPUS|SubmitLine"
    row = f"{clock(0)}|{clock(5)}|{clock(9)}|COMPLETED|1|sbatch -d singleton a"
    path.write_text(f"{fields}\n1|{row}\n2|{row}\n", "utf-8")
    assert lost(read_trace(path)) == {_OTHER: 2}


def test_written_as_swf_jobs_follow_those_that_they_followed(tmp_path: Path) -> None:
    trace = read(
        tmp_path,
        run("8_1", 0, 5, 30),
        run("8_2", 0, 5, 40),
        run(9, 50, 60, 99, "sbatch -d afterany:8_2 b"),
        run(10, 51, 60, 99, "sbatch -d afterok:9 b"),
    )
    write_swf(trace, tmp_path / "out.swf")
    again = read_trace(tmp_path / "out.swf")
    assert predecessors(again).tolist() == predecessors(trace).tolist() == [-1, -1, 1, 2]
    assert again.think_time.tolist() == trace.think_time.tolist() == [-1, -1, 10, 0]


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
    assert not [note for note in trace.notes if note.rule == "dependencies" and note.count]
