"""Jobs whose size changes while they run: each is one run, with its largest size and its true times."""

from pathlib import Path

import numpy as np
import pytest

from engine.simulation.quality_notes import quality_notes
from tests.engine.logs.formats.pbs import NOON, ended, read_records, record
from tests.engine.logs.lines import counts, text_of
from tests.engine.logs.sacct.dumps import read_jobs

FIELDS = "JobID|User|State|Submit|Start|End|Elapsed|Timelimit|NNodes|NCPUS|TotalCPU|MaxRSS|NTasks|NodeList"


def size(
    state: str, start: str, end: str, elapsed: str, nodes: int, job: str = "88", submit: str = "10:00:00"
) -> str:
    """A line of a job at one of its sizes, of 4 CPUs on each node."""
    times = f"2024-01-01T{submit}|2024-01-01T{start}|2024-01-01T{end}|{elapsed}|02:00:00"
    return f"{job}|ann|{state}|{times}|{nodes}|{4 * nodes}|00:10:00|{nodes}G|1|n[1-{nodes}]"


@pytest.mark.parametrize("later", [("10:00:00", "10:00:00"), ("10:35:00", "11:35:00")])
def test_sizes_of_slurm_are_one_run(tmp_path: Path, later: tuple[str, str]) -> None:
    """Slurm's database has the moment of a change as the submission of what follows."""
    trace = read_jobs(
        tmp_path,
        size("RESIZING", "10:05:00", "10:35:00", "00:30:00", 2),
        size("RESIZING", "10:35:00", "11:35:00", "01:00:00", 4, submit=later[0]),
        size("COMPLETED", "11:35:00", "12:05:00", "00:30:00", 3, submit=later[1]),
        size("COMPLETED", "10:35:00", "11:35:00", "01:00:00", 1, job="89"),
        header=FIELDS,
    )
    assert trace.job_id.tolist() == [88, 89]
    assert (trace.wait[0], trace.runtime[0], trace.procs[0]) == (300, 7200, 16)
    assert trace.status[0] == 1
    assert trace.recorded_nodes is not None
    assert np.diff(trace.recorded_nodes.offset).tolist() == [4, 1]
    assert trace.cpu_used is not None
    assert trace.ram_used is not None
    assert (trace.cpu_used[0], trace.ram_used[0]) == (1800, 4096)  # of all sizes
    assert (counts(trace)["resized"], "requeued" in counts(trace)) == (2, False)


def test_a_run_that_was_submitted_again_is_no_further_size(tmp_path: Path) -> None:
    trace = read_jobs(
        tmp_path,
        size("RESIZING", "10:05:00", "10:35:00", "00:30:00", 2),
        size("COMPLETED", "10:36:00", "11:36:00", "01:00:00", 3, submit="10:36:00"),
        header=FIELDS,
    )
    assert (len(trace), trace.procs[0], trace.wait[0], trace.runtime[0]) == (1, 12, 0, 3600)
    assert "resized" not in counts(trace)


def test_a_requeued_job_keeps_its_runs(tmp_path: Path) -> None:
    trace = read_jobs(
        tmp_path,
        size("RESIZING", "10:05:00", "10:35:00", "00:30:00", 2),
        size("NODE_FAIL", "10:35:00", "10:45:00", "00:10:00", 1),
        size("COMPLETED", "11:35:00", "12:05:00", "00:30:00", 3),
        header=FIELDS,
    )
    assert (len(trace), trace.procs[0], trace.runtime[0]) == (1, 12, 1800)
    assert (counts(trace)["resized"], counts(trace)["requeued"]) == (1, 1)


def test_a_job_that_is_still_changing_has_not_ended(tmp_path: Path) -> None:
    trace = read_jobs(
        tmp_path,
        size("RESIZING", "10:05:00", "10:35:00", "00:30:00", 2),
        size("RUNNING", "10:35:00", "Unknown", "00:10:00", 1),
        size("COMPLETED", "10:35:00", "11:35:00", "01:00:00", 1, job="89"),
        header=FIELDS,
    )
    assert trace.job_id.tolist() == [89]
    assert counts(trace)["unfinished"] == 1


@pytest.mark.parametrize("largest_first", [True, False])
def test_nodes_that_pbs_takes_back_are_one_run(tmp_path: Path, largest_first: bool) -> None:
    sizes = (2, 1) if largest_first else (1, 2)
    parts = [
        {"exec_host": "+".join(f"c{k}/0*4" for k in range(1, many + 1)), "select": f"{many}:ncpus=4"}
        for many in sizes
    ]
    first, last = ({"exec_host": p["exec_host"], "Resource_List__select": p["select"]} for p in parts)
    trace = read_records(
        tmp_path,
        record("S", ctime=NOON, start=NOON + 10, **first),
        record("u", ctime=NOON, start=NOON + 10, end=NOON + 40, **first),
        record("c", ctime=NOON, start=NOON + 40, **last),
        record("e", ctime=NOON, start=NOON + 40, end=NOON + 70, **last),
        ended(1, **last),
        ended(2),
    )
    assert len(trace) == 2
    assert (trace.wait[0], trace.runtime[0], trace.procs[0], trace.recorded_procs[0]) == (10, 60, 8, 8)
    assert (counts(trace)["resized"], "requeued" in counts(trace)) == (1, False)


def test_nodes_are_as_large_as_what_ran_there_at_once(tmp_path: Path) -> None:
    """When the job gave nodes back another ran there: the nodes did not have the CPUs of both."""
    trace = read_jobs(
        tmp_path,
        size("RESIZING", "10:05:00", "10:35:00", "00:30:00", 4),
        size("COMPLETED", "10:35:00", "11:35:00", "01:00:00", 1),
        size("COMPLETED", "10:36:00", "11:36:00", "01:00:00", 3, job="89").replace("n[1-3]", "n[2-4]"),
        header=FIELDS,
    )
    assert str(trace.cluster) == "4x4c"
    assert trace.procs.tolist() == [16, 12]
    assert text_of(trace, "peak").endswith(
        "28 processors of 16; jobs of several sizes count with their largest"
    )
    (over,) = (note for note in quality_notes(trace) if note.rule == "over_cpus")
    assert over.text.endswith("(peak 8 of 4 CPUs); jobs of several sizes count with their largest")


def test_a_log_of_pbs_may_begin_within_a_job(tmp_path: Path) -> None:
    wide = {"exec_host": "c1/0*4+c2/0*4", "Resource_List__select": "2:ncpus=4"}
    narrow = {"exec_host": "c1/0*4", "Resource_List__select": "1:ncpus=4"}
    trace = read_records(
        tmp_path,
        record("u", ctime=NOON, start=NOON + 10, end=NOON + 40, **wide),
        ended(1, **narrow),
        record("u", job="7.server", ctime=NOON, start=NOON + 10, end=NOON + 40, **wide),
        ended(2),
    )
    assert (trace.procs[0], len(trace)) == (8, 2)
    assert counts(trace)["resized"] == 1
    assert counts(trace)["unfinished"] == 1  # 7


def test_nodes_that_pbs_took_back_hold_the_next_job(tmp_path: Path) -> None:
    wide = {"exec_host": "c1/0*4+c2/0*4", "Resource_List__select": "2:ncpus=4"}
    narrow = {"exec_host": "c1/0*4", "Resource_List__select": "1:ncpus=4"}
    trace = read_records(
        tmp_path,
        record("u", ctime=NOON, start=NOON + 10, end=NOON + 40, **wide),
        record("e", ctime=NOON, start=NOON + 40, end=NOON + 70, **narrow),
        ended(1, **narrow),
        ended(2, start=45, exec_host="c2/0*4"),
    )
    assert str(trace.cluster) == "2x4c"
    assert trace.procs.tolist() == [8, 4]
    assert trace.runtime.tolist() == [60, 25]
