"""Which tables are schedules of a trace, and which are logs of their own."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.audit.belonging import is_schedule_of, is_table_name
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster
from engine.schedule.write import write_swf
from tests.paths import SHARED, needs
from tests.traces import make_schedule, make_trace

BATSIM = SHARED / "other-formats/batsim-workload.json"
SUBMIT, RUNTIME = [0, 5, 9, 30], [10, 10, 4, 60]
BARE = make_trace(SUBMIT, RUNTIME, cluster=Cluster.pool(8), zero=1_000_000_000)
TRACE = replace(BARE, wait=np.array([0, 2, 0, 0]))
ENDED = "job_id,submit,start,end\n1,0,0,10\n2,5,10,20\n3,9,10,14\n4,30,30,90\n"


def belongs(folder: Path, text: str, name: str = "table.csv") -> bool:
    path = folder / name
    path.write_text(text, "utf-8")
    return is_schedule_of(path, TRACE)


@pytest.mark.parametrize(
    "text",
    [
        ENDED,
        "job_id,submit,start\n1,100,100\n2,105,110\n3,109,110\n4,130,130\n",  # on another clock
        "job_id,submit,start\n1,0.0,0.0\n2,5.7,10.2\n3,9.9,10.0\n4,30.1,30.1\n",  # finer times
        "job_id,submit,wait\n1,0,0\n2,5,5\n3,9,1\n4,30,0\n",
        "job_id,submit,start,end\n1,0,0,10\n2,5,10,99\n3,9,-1,-1\n4,30,30,90\n",  # runtimes are its affair
        "job_id,submit,start\n2,5,10\n4,30,30\n",  # of a part of the jobs
        "id;begin;runtime\n1;0;10\n2;10;10\n3;10;4\n4;30;60\n",  # no log has no submissions
        "job_id,start,end\n1,1000000000,1000000010\n2,1000000010,1000000020\n3,1000000010,1000000014\n",
    ],
)
def test_other_starts_of_the_same_jobs_are_a_schedule(tmp_path: Path, text: str) -> None:
    assert belongs(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "job_id,submit,start\n1,0,0\n2,5,7\n3,9,9\n4,30,30\n",  # the log itself
        "job_id,submit,start\n1,0,0\n2,50,50\n3,90,99\n4,300,300\n",  # jobs that are called so come otherwise
        "job_id,submit,start\n7,0,0\n8,5,10\n9,9,10\n4,30,30\n",  # most are called otherwise
        "job_id,submit,runtime\n1,0,10\n2,5,10\n3,9,4\n4,30,60\n",  # no starts
        "job_id,start\n1,0\n2,10\n3,10\n4,30\n",  # nothing says that the jobs are the same
        "job_id,start,end\n1,0,99\n2,10,99\n3,10,99\n4,30,99\n",
        "job_id,submit,start\n2,5,10\n",  # one job fits anywhere
        "job_id,submit,start\n1,2026-01-01 00:00,2026-01-01 00:00\n",
        "no table\n",
        "",
    ],
)
def test_other_tables_are_logs_if_anything(tmp_path: Path, text: str) -> None:
    assert not belongs(tmp_path, text)


def test_names_tell_first(tmp_path: Path) -> None:
    assert not belongs(tmp_path, ENDED, "table.txt")
    write_swf(make_schedule(TRACE, [0, 10, 10, 30]), tmp_path / "out.swf")
    assert not is_schedule_of(tmp_path / "out.swf", TRACE)
    assert not is_schedule_of(tmp_path / "missing.csv", TRACE)
    assert all(is_table_name(Path(name)) for name in ("a.csv", "a.CSV.gz", "a b.parquet", "/x/a.csv.zst"))
    assert not any(is_table_name(Path(name)) for name in ("a.swf", "csv", "a.csv.swf", "a.csv/b.json"))


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "schedule.parquet"
    pd.DataFrame({"job_id": [1, 2, 3], "submit": [0, 5, 9], "start": [0, 10, 10]}).to_parquet(path)
    assert is_schedule_of(path, TRACE)


def test_a_few_jobs_that_cleaning_left_out_do_no_harm(tmp_path: Path) -> None:
    submit = list(range(0, 300, 10))
    trace = make_trace(submit, [50] * 30)
    rows = [f"{job + 1},{time},{time + 3}\n" for job, time in enumerate(submit)]
    path = tmp_path / "schedule.csv"
    for strange, same in ((3, True), (4, False)):
        left_out = [f"{100 + job},0,3\n" for job in range(strange)]
        path.write_text("job_id,submit,start\n" + "".join(rows + left_out))
        assert is_schedule_of(path, trace) == same


def test_jobs_that_wait_for_others_come_when_the_schedule_lets_them(tmp_path: Path) -> None:
    follows = {"preceding": np.array([-1, -1, 1, 2]), "think_time": np.array([-1, -1, 5, 5])}
    path = tmp_path / "schedule.csv"
    path.write_text("job_id,submit,start\n1,0,0\n2,5,10\n3,15,15\n4,25,25\n")
    assert not is_schedule_of(path, replace(BARE, **follows))
    assert is_schedule_of(path, replace(BARE, **follows, dependencies=True))


@needs(BATSIM)
@pytest.mark.parametrize("policy", ["easy", "conservative"])
def test_schedules_of_batsim(policy: str) -> None:
    trace = read_trace(BATSIM)
    path = BATSIM.with_name(f"batsim-{policy}-out_jobs.csv")
    assert is_schedule_of(path, trace)
    assert not is_schedule_of(path, read_trace(path))  # it is what is open
    assert not is_schedule_of(path, TRACE)
