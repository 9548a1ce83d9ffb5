import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from tests.engine.logs.lines import counts, where
from tests.engine.logs.sacct.prints.jobcomps import NOON, clock, read_records, record
from tests.paths import SHARED, needs

CASE = SHARED / "cases" / "files" / "s23-jobcomp.log"


def spelled(names, position=0):
    return names.names[names.codes[position]]


@needs(CASE)
def test_the_case_from_the_field():
    trace = read_trace(CASE)
    assert trace.job_id.tolist() == [31117, 31118]
    assert (trace.submit.tolist(), trace.wait.tolist()) == ([1704103200, 1704103260], [300, 240])
    assert (trace.runtime.tolist(), trace.walltime.tolist()) == ([3600, 3600], [7200, 3600])
    assert (trace.procs.tolist(), trace.status.tolist()) == ([4, 4], [1, 0])
    assert [spelled(trace.user, k) for k in (0, 1)] == ["u1", "u2"]
    assert trace.cluster.spelling == "2x4c"


def test_a_record(tmp_path):
    trace = read_records(tmp_path, record())
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (NOON, 10, 60, 600)
    assert (trace.procs[0], trace.ram[0], trace.gpus[0], trace.status[0]) == (4, 2048, 1, 1)
    names = (trace.user, trace.group, trace.queue, trace.executable, trace.qos)
    assert [spelled(column) for column in names] == ["ann", "phys", "batch", "run", "normal"]


def test_a_group_where_there_is_no_account(tmp_path):
    assert spelled(read_records(tmp_path, record(Account="")).group) == "users"


@pytest.mark.parametrize(
    ("values", "job_id"),
    [
        ({"ArrayJobId": 7, "ArrayTaskId": 3}, "7_3"),
        ({"HetJobId": 7, "HetJobOffset": 1}, "7"),
        ({"PackJobId": 7, "PackJobOffset": 0}, "7"),
        ({"ArrayJobId": "", "ArrayTaskId": 4294967294}, 1),
        ({"ArrayJobId": 7, "ArrayTaskId": ""}, 1),
        ({}, 1),
    ],
)
def test_ids(tmp_path, values, job_id):
    assert read_records(tmp_path, record(**values)).job_id.tolist() == [job_id]


def test_parts_of_a_heterogeneous_job_are_one(tmp_path):
    parts = (record(k, HetJobId=7, HetJobOffset=k - 7, NodeList=f"c{k}") for k in (7, 8))
    trace = read_records(tmp_path, *parts)
    assert (trace.job_id.tolist(), trace.procs.tolist()) == (["7"], [8])


@pytest.mark.parametrize(
    ("limit", "walltime"), [("UNLIMITED", 60), (4294967294, 60), (2, 120), ("Partition_Limit", 60)]
)
def test_limits(tmp_path, limit, walltime):
    assert read_records(tmp_path, record(TimeLimit=limit)).walltime.tolist() == [walltime]


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("COMPLETED", 1),
        ("FAILED", 0),
        ("TIMEOUT", 0),
        ("CANCELLED", 5),
        ("NODE_FAIL", 0),
        ("OUT_OF_MEMORY", 0),
    ],
)
def test_states(tmp_path, state, status):
    assert read_records(tmp_path, record(JobState=state)).status.tolist() == [status]


def test_jobs_that_never_started(tmp_path):
    never = record(2, JobState="CANCELLED", StartTime="Unknown", NodeList="(null)", NodeCnt=0)
    at_end = record(3, JobState="CANCELLED", StartTime=clock(70), NodeList="", NodeCnt=0)
    trace = read_records(tmp_path, record(), never, at_end)
    assert trace.job_id.tolist() == [1]
    assert where(trace, "drop_no_runtime") == (2, (2, 3))


def test_a_requeued_job_is_its_last_run(tmp_path):
    trace = read_records(
        tmp_path,
        record(JobState="NODE_FAIL"),
        record(2),
        record(StartTime=clock(100), EndTime=clock(400)),
    )
    assert sorted(zip(trace.job_id.tolist(), trace.wait.tolist(), trace.runtime.tolist(), strict=True)) == [
        (1, 100, 300),
        (2, 10, 60),
    ]
    assert where(trace, "requeued") == (1, (1,))


def test_a_job_that_changed_its_size_is_one_from_its_first_start(tmp_path):
    trace = read_records(
        tmp_path,
        record(JobState="RESIZING", EndTime=clock(30), ProcCnt=8, NodeList="c[1-2]", NodeCnt=2),
        record(JobState="COMPLETED", StartTime=clock(30)),
        record(2, JobState="RESIZING"),
    )
    assert (trace.job_id.tolist(), trace.wait.tolist(), trace.runtime.tolist()) == ([1], [10], [60])
    assert trace.recorded_procs.tolist() == [4]
    assert where(trace, "resized") == (2, (1, 3))


@pytest.mark.parametrize(
    "name",
    [
        "two words",
        "a=b",
        "JobState=DONE",
        "x Partition=fake TimeLimit=1 StartTime=2020",
        "(1) GroupId=a(2) Name=b",
        "",
    ],
)
def test_a_name_may_hold_anything(tmp_path, name):
    trace = read_records(tmp_path, record(Name=name), record(2))
    assert (spelled(trace.executable), trace.walltime[0], trace.runtime[0]) == (name, 600, 60)
    assert spelled(trace.user) == "ann"


@pytest.mark.parametrize(
    "folder", ["/a b", "/a SubmitTime=2000-01-01T00:00:00 b", "/x Account=none y", "/a=b c"]
)
def test_a_folder_may_hold_anything(tmp_path, folder):
    trace = read_records(tmp_path, record(WorkDir=folder))
    assert (trace.submit[0], spelled(trace.group)) == (NOON, "phys")


def test_a_line_that_can_be_read_in_two_ways_is_left_out(tmp_path):
    fake = record(9, Name="x", NodeList="c9").partition(" WorkDir")[0].partition(" Name=x")[2]
    trace = read_records(tmp_path, record(Name=f"a{fake}"), record(2), record(3, WorkDir=f"/{fake}"), "junk")
    assert trace.job_id.tolist() == [2]
    assert where(trace, "unreadable_line") == (3, (1, 3, 4))


def test_older_records_tell_less(tmp_path):
    trace = read_records(tmp_path, record(Tres=None, Gres="gpu:2", GroupId=None, Account=None))
    assert (trace.procs[0], trace.gpus[0], trace.ram[0]) == (4, 2, -1)
    with pytest.raises(
        InputError, match=r"jobcomp\.log:1: these records of jobcomp do not say when jobs were sub"
    ):
        read_records(tmp_path, record(SubmitTime=None, EligibleTime=None))


def test_times_are_those_of_clocks(tmp_path):
    path = tmp_path / "jobcomp.log"
    path.write_text(record() + "\n")
    assert counts(read_trace(path))["time_zone"] == 1
    trace = read_log_as(path, Reading(timezone="Europe/Prague")).trace
    assert (trace.submit[0], trace.wait[0]) == (NOON - 3600, 10)
