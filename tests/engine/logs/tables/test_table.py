import csv
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.logs.tables.columns import NAMES, UNITS, ColumnMap, format_mapping, read_mapping
from engine.machine.cluster import Cluster
from tests.engine.logs.lines import counts, text_of, where
from tests.paths import SHARED, needs

BATSIM = SHARED / "other-formats" / "batsim-easy-out_jobs.csv"


def spelled(names, position=0):
    return names.names[names.codes[position]]


@pytest.fixture
def read(tmp_path):
    def read(text: str, **options):
        path = tmp_path / "jobs.csv"
        path.write_text(text, "utf-8", newline="")
        return read_trace(path, **options)

    return read


@needs(BATSIM)
def test_jobs_that_batsim_ran():
    trace = read_trace(BATSIM, cluster=Cluster.pool(32))
    with BATSIM.open(newline="") as file:
        jobs = sorted(csv.DictReader(file), key=lambda job: math.floor(float(job["submission_time"])))
    assert trace.job_id.tolist() == [int(job["job_id"]) for job in jobs]
    assert trace.recorded_runtime.tolist() == [math.ceil(float(job["execution_time"])) for job in jobs]
    assert (trace.submit + trace.wait).tolist() == [math.floor(float(job["starting_time"])) for job in jobs]
    assert trace.walltime.tolist() == [math.ceil(float(job["requested_time"])) for job in jobs]
    assert trace.procs.tolist() == [int(job["requested_number_of_resources"]) for job in jobs]
    assert trace.status.tolist() == [int(job["success"]) for job in jobs]


BARS = (
    "job_id|submit_time|start_time|end_time|num_cpus|user\n1|100|110|170|4|ann\n2|100|120|180|8|bob\n",
    " job_id | submit_time | start_time | end_time | num_cpus | user\n"
    "--------+-------------+------------+----------+----------+------\n"
    "      1 |         100 |        110 |      170 |        4 | ann\n"
    "      2 |         100 |        120 |      180 |        8 | bob\n(2 rows)\n",  # psql
    "+--------+-------------+------------+----------+----------+------+\n"
    "| job_id | submit_time | start_time | end_time | num_cpus | user |\n"
    "+--------+-------------+------------+----------+----------+------+\n"
    "|      1 |         100 |        110 |      170 |        4 | ann  |\n"
    "|      2 |         100 |        120 |      180 |        8 | bob  |\n"
    "+--------+-------------+------------+----------+----------+------+\n",  # mysql
)


@pytest.mark.parametrize("text", BARS)
def test_bars_part_columns(read, text):
    trace = read(text)
    assert trace.job_id.tolist() == [1, 2]
    assert trace.wait.tolist() == [10, 20]
    assert trace.recorded_runtime.tolist() == [60, 60]
    assert trace.procs.tolist() == [4, 8]
    assert [spelled(trace.user, k) for k in (0, 1)] == ["ann", "bob"]
    assert "delimiter |" in trace.read_as


def test_unknown_columns_between_bars_are_named(read):
    with pytest.raises(
        InputError, match=r"no column holds submit, procs, runtime of jobs; there are: alpha, "
    ):
        read("alpha|beta|gamma|delta\n1|2024-01-01T10:00:00|2024-01-01T10:05:00|4\n")


def test_columns_by_their_usual_names(read):
    trace = read(
        "# made by hand\n\n"
        "Job ID;User;Submit-Time;Wait;Run Time;Timelimit;Cores;Memory;GPUs;Partition;status;Nodes\n"
        'x1;"a;b";100;5;60;1-00:00:00;4;2000;1;batch;1;2\n'
    )
    assert trace.job_id.tolist() == ["x1"]
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (100, 5, 60, 86_400)
    assert (trace.procs[0], trace.ram[0], trace.gpus[0], trace.status[0]) == (4, 2000, 1, 1)
    assert (spelled(trace.user), spelled(trace.queue)) == ("a;b", "batch")
    columns = (trace.tasks[name].tolist() for name in ("count", "cpus", "ram", "gpu"))
    assert list(zip(*columns, strict=True)) == [(1, 2, 1000, 1), (1, 2, 1000, 0)]
    assert text_of(trace, "columns").startswith(
        "the columns were taken for job_id: Job ID, submit: Submit-Time, "
    )


@pytest.mark.parametrize(
    ("text", "wait", "runtime"),
    [
        ("submit,start,end,procs\n0,5,25,1\n", 5, 20),
        ("submit,wait,end,procs\n0,5,25,1\n", 5, 20),
        ("submit,start,runtime,allocated\n0,5,20,1\n", 5, 20),
        ("submit,runtime,procs\n0,20,1\n", -1, 20),
        (
            "submit\tstart\tend\tprocs\n2020-01-01 00:00:00\t2020-01-01T00:00:05\t2020-01-01T00:00:25\t1\n",
            5,
            20,
        ),
    ],
)
def test_missing_times_follow_from_the_others(read, text, wait, runtime):
    trace = read(text)
    assert (trace.wait.tolist(), trace.recorded_runtime.tolist()) == ([wait], [runtime])
    assert ("time_zone" in counts(trace)) == ("2020" in text)


def test_odd_cells_and_rows(read):
    trace = read(
        "job_id,submit,runtime,procs,walltime\n1,0,10,1,NA\n2,soon,10,1,\n3,0.5,9.5,1,8.25\n4,1\n\n5,1,1e400,1,2\n"
    )
    assert trace.job_id.tolist() == [1, 3]
    assert where(trace, "unreadable_line") == (1, (5,))
    odd = [(note.text, note.count, note.lines) for note in trace.notes if note.rule == "unreadable_cell"]
    assert odd == [
        ("cells of 'submit' that cannot be read, as 'soon': each counts as missing", 1, (3,)),
        ("cells of 'runtime' that cannot be read, as '1e400': each counts as missing", 1, (7,)),
    ]
    assert where(trace, "fractional") == (1, (4,))
    assert trace.recorded_runtime.tolist() == [10, 10]
    assert trace.walltime.tolist() == [10, 9]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "job_id,submit,runtime\n1,2,3\n",
            ":1: no column holds procs of jobs; there are: job_id, submit, runtime;",
        ),
        ("submit,cores,start\n", ":1: no column holds runtime of jobs"),
        ('submit,runtime,procs\n1,"' + "9" * 200_000 + ",1\n", ":2: this is not a table: field larger"),
        ("submit,runtime,procs," + "x," * 1000 + "\n", ":1: 1,004 columns, of 1,000 at most"),
        ("submit,runtime,procs\n", ": no usable job among 0 records"),
    ],
)
def test_what_is_no_table_of_jobs(read, tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).removeprefix(str(tmp_path / "jobs.csv")).startswith(says)


def test_a_mapping(read, tmp_path):
    path = tmp_path / "columns.toml"
    path.write_text(
        'submit = "Eingang"\nruntime = "Dauer"\nprocs = "Kerne"\nram = "Speicher"\n'
        '[units]\nruntime = "min"\nram = "GB"\nsubmit = "ms"\n'.replace('"GB"', '"gb"')
    )
    columns = read_mapping(path)
    trace = read("Kerne,Dauer,Eingang,Speicher\n4,1.5,90000,2\n", columns=columns)
    assert (trace.submit[0], trace.runtime[0], trace.procs[0], trace.ram[0]) == (90, 90, 4, 2048)
    with pytest.raises(InputError, match="there is no column 'Eingang' for submit; there are: a, b"):
        read("a,b\n1,2\n", columns=columns)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("submit = ", ": this is no TOML: "),
        ('submitted = "x"', ": jobs have no 'submitted'; did you mean 'submit'?"),
        ("submit = 3", ": submit is the name of a column, in quotes"),
        ('units = "s"', ": units is a table"),
        ('[units]\nuser = "s"', ": 'user' has no unit"),
        ('[units]\nram = "s"', ": the unit of ram is one of b, kb, mb, gb, tb"),
        ("x = " + "[" * 5000, ": this is no TOML: "),
    ],
)
def test_mappings_that_cannot_be_read(tmp_path, text, says):
    path = tmp_path / "columns.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_mapping(path)
    assert str(caught.value).removeprefix(str(path)).startswith(says)


@given(
    st.dictionaries(
        st.sampled_from(list(NAMES)), st.text(st.characters(codec="utf-8"), min_size=1, max_size=9)
    ),
    st.fixed_dictionaries({}, optional={role: st.sampled_from(list(units)) for role, units in UNITS.items()}),
)
def test_a_mapping_that_is_spelled_is_read_again(tmp_path_factory, columns, units):
    path = tmp_path_factory.getbasetemp() / "columns.toml"
    mapping = ColumnMap(columns, units)
    path.write_text(format_mapping(mapping), "utf-8", newline="\n")
    assert read_mapping(path) == mapping


def test_parquet(tmp_path):
    path = tmp_path / "jobs"
    moments = pa.array([1_577_880_000, None], pa.timestamp("s"))
    table = {"id": ["a", "b"], "submit": moments, "runtime": [7.5, 3.0], "procs": [2, 1], "deep": [[1], [2]]}
    pq.write_table(pa.table(table), path)
    trace = read_trace(path)
    assert (trace.job_id.tolist(), trace.submit.tolist()) == (["a"], [1_577_880_000])
    assert trace.runtime.tolist() == [8]
    mapped = read_trace(
        path, columns=ColumnMap({"submit": "runtime", "runtime": "runtime", "procs": "procs"})
    )
    assert mapped.submit.tolist() == [3, 7]
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"jobs: cannot read this Parquet file"):
        read_trace(path)


def test_a_table_on_the_command_line(tmp_path, capsys):
    from app.cli.main import main

    log, mapping = tmp_path / "jobs.csv", tmp_path / "columns.toml"
    log.write_text("a,b,c\n0,60,4\n5,30,2\n")
    mapping.write_text('submit = "a"\nruntime = "b"\nprocs = "c"\n')
    assert main(["info", str(log), "--columns", str(mapping)]) == 0
    assert "2 jobs" in capsys.readouterr().out.replace("\u202f", "")
