import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.audit.audit import audit
from engine.audit.table import ScheduleTable, read_table, table_of
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.schedule.write import write_swf
from tests.engine.audit.tables import found, make_table
from tests.traces import make_schedule, make_trace

TRACE = make_trace([0, 5, 9], [10, 10, 4], [6, 6, 2], cluster=Cluster.pool(8), zero=1_000_000_000)
START = [0, 10, 10]
CSV = "job_id,start,end\n1,0,10\n2,10,20\n3,10,14\n"


def write(folder: Path, text: str, name: str = "schedule.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def read(folder: Path, text: str, name: str = "schedule.csv") -> ScheduleTable:
    return read_table(write(folder, text, name), TRACE)


@pytest.mark.parametrize(
    "text",
    [
        CSV,
        "JobID,Submission_Time,Starting_Time,Finish_Time\n3,9,10,14\n1,0,0,10\n2,5,10,20\n",
        "id;begin;completion time;note\n1;0;10;x\n2;10;20;\n3;10;14;z\n",
        "job_id|wait\n1|0\n2|5\n3|1\n",
        "job_number\tsubmit\twait\truntime\n1\t0\t0\t10\n2\t5\t5\t10\n\n3\t9\t1\t4\n",
        "end,start,job_id,allocated\n10,0,1,6\n20,10,2,6\n14,10,3,2\n",
        "job_id,wait\n1,0\n2,5\n3,1\n",
        "job_id,start_time,execution_time\n1,0.0,1e1\n2,10.0,10\n3,10,4.0\n",
        "\ufeffjob_id,start\r\n1,0\r\n2,10\r\n3,10\r\n",
        "job_id,start\n1.0,0\n2.0,10\n3.0,10\n",
        "\n\n# by some program\n \n#\njob_id;start\n1;0\n2;10\n3;10\n",
        "# a, comment\r\njob_id\tstart\r\n1\t0\r\n2\t10\r\n3\t10\r\n",
    ],
)
@pytest.mark.parametrize("name", ["schedule.csv", "schedule.csv.gz"])
def test_tables_of_other_programs(tmp_path: Path, text: str, name: str) -> None:
    table = read(tmp_path, text, name)
    assert table.start[table.first_row].tolist() == START
    assert table.offset == 0
    assert audit(table, TRACE.cluster).clean


@pytest.mark.parametrize("name", ["ncpus", "NCPUS", "cores", "AllocCPUS", "nprocs", "cpus", "procs"])
def test_names_of_sizes(tmp_path: Path, name: str) -> None:
    table = read(tmp_path, f"job_id,start,{name}\n1,0,6\n2,10,5\n3,10,2\n")
    assert found(audit(table, TRACE.cluster)) == {"processors": 1}


def test_an_id_is_taken_as_it_is_spelled_where_the_trace_spells_it_so(tmp_path: Path) -> None:
    trace = replace(TRACE, job_id=np.array(["1", "1.0", "2"]))
    path = write(tmp_path, "job_id,start\n1,0\n1.0,10\n2.0,10\n")
    assert read_table(path, trace).job.tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["int64", "float64", "str"])
def test_parquet(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "schedule.parquet"
    frame = pd.DataFrame({"job_id": [1, 2, 3], "start": START, "end": [10, 20, 14]})
    frame.astype(dtype).to_parquet(path)
    assert audit(read_table(path, TRACE), TRACE.cluster).clean


def test_a_log_of_a_schedule(tmp_path: Path) -> None:
    schedule = make_schedule(TRACE, START)
    write_swf(schedule, tmp_path / "out.swf")
    table = read_table(tmp_path / "out.swf", TRACE)
    assert table.start.tolist() == START
    assert table.end.tolist() == [10, 20, 14]
    assert table.procs.tolist() == [6, 6, 2]
    own = table_of(schedule)
    assert (own.start.tolist(), own.end.tolist()) == (table.start.tolist(), table.end.tolist())


@pytest.mark.parametrize("offset", [-7.0, 17.0, 0.25, 1_000_000_000.0])
@pytest.mark.parametrize("with_submit", [False, True])
def test_a_constant_offset_is_found(offset: float, with_submit: bool) -> None:
    trace = make_trace([0, 5, 9, 30, 40], [10, 10, 4, 5, 5], [6, 6, 2, 1, 1], zero=1_000_000_000)
    start = np.array([0, 10, 10, 30, 40]) + offset
    submit = (trace.submit + offset).tolist() if with_submit else None
    table = make_table(trace, start.tolist(), submit=submit)
    assert table.offset == offset
    assert ("submissions" in table.offset_from) is with_submit
    assert table.start.tolist() == [0, 10, 10, 30, 40]
    assert audit(table, Cluster.pool(8)).clean


def test_parts_of_a_second_that_differ_from_job_to_job_are_no_offset() -> None:
    trace = make_trace([0, 4, 16, 38], [10] * 4, [1] * 4)
    own = np.array([0.0, 4.709, 16.004, 38.836])
    for offset in (0.0, 7.0):
        start = own + offset
        assert make_table(trace, start.tolist(), submit=start.tolist()).offset == offset


def test_a_late_schedule_is_not_an_offset_one() -> None:
    assert make_table(TRACE, [100, 210, 310]).offset == 0
    assert make_table(TRACE, [3, 10, 10], submit=[0, 5, 9]).offset == 0


def test_one_early_job_does_not_move_the_clock() -> None:
    trace = make_trace([0, 50, 60, 70], [10] * 4, cluster=Cluster.pool(8))
    table = make_table(trace, [0, 50, 60, 20])
    assert table.offset == 0
    assert found(audit(table, trace.cluster)) == {"early": 1}


def test_fractional_times_are_kept() -> None:
    trace = make_trace([0, 5], [10, 10], [6, 6], cluster=Cluster.pool(8))
    table = make_table(trace, [0.5, 10.5], submit=[0, 5])
    assert table.start.tolist() == [0.5, 10.5]
    assert audit(table, trace.cluster).clean
    short = make_table(trace, [0.5, 10.25], submit=[0, 5])
    assert found(audit(short, trace.cluster)) == {"over_cpus": 1}
    assert audit(short, trace.cluster, tolerance=0.25).clean


def test_rows_that_ran_nothing(tmp_path: Path) -> None:
    table = read(tmp_path, "job_id,start,end\n1,0,10\n2,,\n3,-1,-1\n")
    assert found(audit(table, TRACE.cluster)) == {"missing": 2}
    table = read(tmp_path, "job_id,start,end\n1,0,10\n2,10,nan\n3,0,-1\n")
    assert found(audit(table, TRACE.cluster)) == {"missing": 1}
    assert table.has_end.tolist() == [True, False]
    assert table.end.tolist() == [10, 20]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name,start\nx,1\n", r"no column of job ids \(job_id, .*\); found: name, start"),
        ("job_id,when\n1,1\n", r"no column of starts or waits \(start, .*wait.*\); found: job_id, when"),
        ("job_id,start\n1,soon\n", r":2: start 'soon' is not a number"),
        ("job_id,start\n1,5\n2,1_000\n", r":3: start '1_000' is not a number"),
        ("job_id,start\n1,1e30\n", r":2: start '1e30' is not a number that a log can hold"),
        ("job_id,start\n1,inf\n", r":2: start 'inf' is not a number"),
        ("job_id,start\n,5\n", r":2: this row names no job"),
        ("# a\n\njob_id,start\n1,5\n,5\n", r":5: this row names no job"),
        ("# a\n\njob_id,start\n1,5\n2,soon\n", r":5: start 'soon' is not a number"),
        ("# nothing but a comment\n", r"no column of job ids \(job_id, .*\); found: none"),
        ("job_id,start\nx,5\n", r"no job of this schedule is in the trace test"),
        ("job_id,start\n", r"no job of this schedule is in the trace test"),
        ("", r"this file is empty"),
        (f'job_id,start\n1,"{"x" * 200_000}"\n', r"this is not a table|is not a number"),
    ],
)
def test_unusable_tables(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(str(tmp_path))
    assert "\n" not in str(error.value)


def test_names_of_columns_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "schedule.parquet"
    pd.DataFrame({"job_id": [1, 2, 3], "start": START, "comment": 0}).to_parquet(path)
    path.write_bytes(path.read_bytes().replace(b"comment", b"\xe2omment"))
    with pytest.raises(InputError, match="cannot read this Parquet file") as error:
        read_table(path, TRACE)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize("name", ["schedule.parquet", "schedule.swf"])
def test_files_that_are_not_what_they_are_called(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=str(tmp_path)) as error:
        read_table(write(tmp_path, "no schedule at all\n", name), TRACE)
    assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / f"absent-{name}", TRACE)
