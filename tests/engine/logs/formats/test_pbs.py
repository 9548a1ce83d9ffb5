import json

import numpy as np
import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from tests.engine.logs.formats.pbs import LIFE, NOON, ended, read_records, record
from tests.engine.logs.lines import counts, where
from tests.paths import SHARED, needs

SAMPLES = SHARED / "other-formats"
FEW = SAMPLES / "pbs-accounting-few-lines.log"


def spelled(names, position=0):
    return names.names[names.codes[position]]


@pytest.fixture(scope="module")
def warehouse():
    """The sample and what a warehouse reads of it, both by submission."""
    expected = list(json.loads((SAMPLES / "expected-pbs.json").read_text("utf-8")).values())
    trace = read_trace(FEW)
    return trace, sorted(expected, key=lambda job: int(job["ctime"]))


@needs(FEW)
@pytest.mark.parametrize("k", range(9))
@pytest.mark.parametrize(
    ("field", "ours"),
    [
        ("job_id", lambda t, k: str(t.job_id[k])),
        ("queue", lambda t, k: spelled(t.queue, k)),
        ("user", lambda t, k: spelled(t.user, k)),
        ("groupname", lambda t, k: spelled(t.group, k)),
        ("jobname", lambda t, k: spelled(t.executable, k)),
        ("ctime", lambda t, k: str(t.submit[k])),
        ("start", lambda t, k: str(t.submit[k] + t.wait[k])),
        ("end", lambda t, k: str(t.submit[k] + t.wait[k] + t.recorded_runtime[k])),
        ("resource_list_walltime", lambda t, k: int(t.walltime[k])),
        ("resource_list_mem", lambda t, k: int(t.ram[k]) << 20),
        ("resources_used_gpus", lambda t, k: int(t.gpus[k])),
        ("resources_used_cpus", lambda t, k: int(t.recorded_procs[k])),
    ],
)
def test_what_is_kept_of_every_job_is_the_warehouses(warehouse, k, field, ours):
    trace, expected = warehouse
    job = expected[k]
    if job["job_id"] == "3073070" and field == "resources_used_cpus":
        assert int(trace.recorded_procs[k]) == 48  # by exec_vnode: exec_host does not tell CPUs (`/0*0`)
        return
    found = ours(trace, k)
    assert field not in job or found == type(found)(job[field])


@needs(FEW)
def test_exit_statuses(warehouse):
    trace, expected = warehouse
    assert trace.status.tolist() == [1 if job["exit_status"] == "0" else 0 for job in expected]


@needs(SAMPLES / "openpbs-accounting.log.gz")
def test_a_log_of_openpbs():
    trace = read_trace(SAMPLES / "openpbs-accounting.log.gz")
    assert (len(trace), trace.cluster.spelling) == (200, "2x2c")
    assert set(np.diff(trace.tasks.offset).tolist()) == {1}
    assert set(trace.tasks["ram"].tolist()) == {300}
    assert (trace.recorded_nodes["cpus"] <= 2).all()


def test_the_life_of_a_job(tmp_path):
    trace = read_records(tmp_path, *LIFE, clean={"drop_no_runtime": False})
    assert trace.job_id.tolist() == [1, 21]  # the log has no submission of the deleted job
    assert (trace.wait[0], trace.recorded_runtime[0], trace.walltime[0]) == (10, 60, 600)
    assert where(trace, "requeued") == (1, (3,))
    assert where(trace, "unfinished") == (1, (8,))


def test_of_several_ends_the_last_counts(tmp_path):
    trace = read_records(tmp_path, ended(), record("S", 1), ended(start=100, end=300), record("D", 1))
    assert (trace.wait.tolist(), trace.runtime.tolist(), trace.status.tolist()) == ([100], [200], [1])
    assert where(trace, "requeued") == (1, (1,))


@pytest.mark.parametrize("gone", ["D", "A"])
def test_a_job_that_went_back_and_was_deleted_in_the_queue_keeps_its_run(tmp_path, gone):
    """Its start is told in seconds since 1970, its end by how much later it went back, by the clock."""
    began = record("S", user="ann", ctime=NOON, start=NOON + 2, exec_host="c1/0", Resource_List__ncpus=1)
    back = record("R").replace("12:00:00", "12:05:00")
    trace = read_records(tmp_path, began, back, record(gone), ended(2))
    assert trace.job_id.tolist() == [1, 2]
    assert (trace.wait[0], trace.runtime[0], trace.status[0]) == (2, 300, 5)
    again = record("S", user="ann", ctime=NOON, start=NOON + 600, exec_host="c1/0", Resource_List__ncpus=1)
    trace = read_records(tmp_path, began, back, again, record(gone), ended(2))
    assert trace.job_id.tolist() == [2], "it started again: how long it ran then is not told"


def test_a_job_that_was_killed_by_its_user(tmp_path):
    trace = read_records(tmp_path, record("D", 1), ended(Exit_status=271), ended(2, Exit_status=271))
    assert trace.status.tolist() == [5, 0]


@pytest.mark.parametrize(
    ("values", "procs", "tasks"),
    [
        ({"Resource_List__select": "2:ncpus=3:mem=1gb+1"}, 7, [(2, 3, 1024), (1, 1, 0)]),
        ({"Resource_List__select": "ncpus=2:ngpus=1"}, 2, [(1, 2, 0)]),
        ({"Resource_List__nodes": "2:ppn=8:big+host1:ppn=1"}, 17, [(2, 8, 0), (1, 1, 0)]),
        ({"Resource_List__nodes": "3"}, 3, [(3, 1, 0)]),
        ({"Resource_List__nodes": "2:ppn=2", "Resource_List__mem": "1000mb"}, 4, [(2, 2, 500)]),
        ({"Resource_List__ncpus": 6}, 6, [(1, 6, 0)]),
        ({"Resource_List__ncpus": 6, "exec_host": "c1/0-3+c2/0,2"}, 6, [(6, 1, 0)]),
        ({"Resource_List__ncpus": 6, "exec_host": "c1/0-2+c2/0-2"}, 6, [(2, 3, 0)]),
        ({}, 4, [(1, 4, 0)]),
    ],
)
def test_what_jobs_ask_for(tmp_path, values, procs, tasks):
    trace = read_records(tmp_path, ended(**{"Resource_List__select": None} | values))
    assert trace.procs.tolist() == [procs]
    assert list(zip(*(trace.tasks[k].tolist() for k in ("count", "cpus", "ram")), strict=True)) == tasks


@pytest.mark.parametrize(
    ("values", "ram"),
    [
        ({"Resource_List__mem": "2gb"}, 2048),
        ({"Resource_List__mem": "1025kb"}, 2),
        ({"Resource_List__mem": "128mw"}, 1024),
        ({"Resource_List__mem": "1.5G"}, 1536),
        ({"Resource_List__mem": "1073741824"}, 1024),
        ({"Resource_List__pmem": "1gb"}, 8192),
        ({"Resource_List__select": "2:ncpus=4:mem=3gb"}, 6144),
        ({"Resource_List__mem": "lots"}, -1),
    ],
)
def test_memory(tmp_path, values, ram):
    assert read_records(tmp_path, ended(nodes=2, **values)).ram.tolist() == [ram]


@pytest.mark.parametrize(
    ("values", "gpus"),
    [
        ({"Resource_List__ngpus": 4, "Resource_List__select": "2:ncpus=2:ngpus=2"}, 4),
        ({"Resource_List__select": "2:ncpus=2:ngpus=2+1:ngpus=1"}, 5),
        ({"Resource_List__nodes": "2:ppn=2:gpus=3"}, 6),
    ],
)
def test_gpus(tmp_path, values, gpus):
    assert read_records(tmp_path, ended(**values)).gpus.tolist() == [gpus]


@pytest.mark.parametrize(
    ("hosts", "cpus"),
    [
        ("c1/0+c1/1+c2/0", [2, 1]),
        ("c1/0*3+c2/0*5", [3, 5]),
        ("c1/0-3,8+c2/1", [5, 1]),
        ("c1+c2", [1, 1]),
        ("c1/0*0+c2/0*0", [2, 2]),
    ],
)
def test_nodes(tmp_path, hosts, cpus):
    trace = read_records(tmp_path, ended(exec_host=hosts))
    assert sorted(trace.recorded_nodes["cpus"].tolist()) == sorted(cpus)
    assert trace.cluster.cpus == sum(cpus)


def test_times_and_arrays(tmp_path):
    trace = read_records(
        tmp_path,
        ended("7[]"),
        ended("7[1]", end=None),
        ended("7[2]", ctime=None, qtime=NOON + 1, Resource_List__walltime="90"),
    )
    assert trace.job_id.tolist() == ["7[1]", "7[2]"]  # the array as a whole is no job
    assert trace.runtime.tolist() == [60, 60]
    assert trace.wait.tolist() == [10, 9]
    assert trace.walltime.tolist() == [600, 90]


def test_brackets_in_the_name_of_a_server_make_no_array(tmp_path):
    trace = read_records(tmp_path, ended(8).replace("server", "ser[]ver"))
    assert len(trace) == 1


def test_lines_that_are_no_records(tmp_path):
    trace = read_records(tmp_path, "; comment", "", ended(), "01/01/2020;E;2;user=x", "x" * 100)
    assert where(trace, "unreadable_line") == (2, (4, 5))


def test_what_no_log_can_hold_is_left_out(tmp_path):
    trace = read_records(tmp_path, ended(), ended(2, Resource_List__select="999999999:ncpus=999999999"))
    assert where(trace, "too_large") == (1, (2,))
    assert counts(trace)["too_large"] == 1


def test_a_log_without_ends_is_no_trace(tmp_path):
    with pytest.raises(InputError, match="no usable job among 1 records"):
        read_records(tmp_path, record("Q"))
