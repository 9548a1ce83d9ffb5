import json
import math

import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from tests.engine.logs.lines import counts, where
from tests.engine.logs.sacct.documents import NOON, document, job, number
from tests.paths import SHARED, needs

BATSIM = SHARED / "other-formats" / "batsim-workload.json"


def spelled(names, position=0):
    return names.names[names.codes[position]]


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "log.json"
        path.write_text(text, "utf-8")
        return read_trace(path, **options)

    return read


def test_a_job_of_sacct(read):
    trace = read(document(job()))
    assert trace.job_id.tolist() == [1]
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (NOON, 10, 60, 600)
    assert (trace.procs[0], trace.ram[0], trace.gpus[0], trace.status[0]) == (4, 2048, 1, 1)
    names = (trace.user, trace.group, trace.queue, trace.executable, trace.qos)
    assert [spelled(column) for column in names] == ["ann", "phys", "batch", "run", "normal"]
    assert (spelled(trace.reason), spelled(trace.reservation), trace.priority[0]) == ("None", "", -1)
    assert counts(trace)["steps"] == 1


def test_versions_write_numbers_and_states_in_other_ways(read):
    old = job(
        required={"CPUs": 4, "memory": (1 << 63) + 1000},
        state={"current": "TIMEOUT"},
        tres={},
        partition=None,
        association={"partition": "long", "user": "bob"},
    )
    old["time"]["limit"] = 10
    trace = read(document(old))
    assert (trace.walltime[0], trace.ram[0], trace.status[0], trace.gpus[0]) == (600, 4000, 0, 0)
    assert (spelled(trace.queue), spelled(trace.user)) == ("long", "bob")


@pytest.mark.parametrize(
    ("limit", "walltime"),
    [(number(None), 60), ({"set": True, "infinite": True, "number": 0}, 60), (number(2), 120), (None, 60)],
)
def test_limits(read, limit, walltime):
    record = job()
    record["time"]["limit"] = limit
    assert read(document(record)).walltime.tolist() == [walltime]


def test_arrays_parts_and_requeues_follow_the_rules_of_lines(read):
    trace = read(
        document(
            job(job_id=6, array={"job_id": 5, "task_id": number(2), "task": ""}),
            job(job_id=5, array={"job_id": 5, "task_id": number(None), "task": "[3-9]"}),
            job(job_id=4, array={"job_id": 4, "task_id": number(None), "task": "0x1A"}),
            job(job_id=7, het={"job_id": 7, "job_offset": number(0)}),
            job(job_id=8, het={"job_id": 7, "job_offset": number(1)}, nodes="c2"),
            job(job_id=9, state={"current": ["NODE_FAIL"]}),
            job(job_id=9),
        )
    )
    assert trace.job_id.tolist() == ["5_2", "5_[3-9]", "4_[1,3-4]", "7", "9"]
    assert trace.procs.tolist() == [4, 4, 4, 8, 4]
    assert counts(trace)["requeued"] == 1
    assert counts(trace)["heterogeneous"] == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"jobs": []}', ": there is no job in this file"),
        ('{"errors": []}', ":1: this is not a job: it has errors"),
        (
            '{"jobs": [{"job_id": 1, "job_state": ["RUNNING"]}]}',
            ":1: this is what squeue --json and",
        ),
        (
            '{"timestamp": 1.5, "name": "submit", "context": {}}',
            ":1: this is the log of the events of",
        ),
        ('{"jobs": [{"a": 1}]}', ":1: this is not a job: it has a"),
        ('{"jobs": [\n{},\n7]}', ":2: this is not a job: it has nothing"),
        ('{"jobs": [\n7]}', ":2: this is not a job: '7'"),
        ('{"jobs": [\n\n{"job_id": 1,\n "time": x}]}', ":4: this JSON is broken: Expecting value"),
        ('{"jobs": [{"job_id": 1', ":1: this JSON is broken"),
        ('{"jobs": [{"a": ' + "[" * 100_000, ":1: this JSON is nested too deeply"),
        ('{"jobs": [{"a": ' + "9" * 5000 + "}]}", ":1: this JSON has a number that is too long"),
    ],
)
def test_what_is_no_list_of_jobs(read, tmp_path, text, says):
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).removeprefix(str(tmp_path / "log.json")).startswith(says)


@pytest.mark.parametrize("number", [1, 2])
def test_what_a_search_in_elasticsearch_returns(read, number):
    job = {"@submit": "2024-01-01T10:00:00", "@start": "2024-01-01T10:05:00", "@end": "2024-01-01T11:05:00"}
    job |= {"total_cpus": 4, "total_nodes": 1, "nodes": "n1", "state": "COMPLETED", "username": "ann"}
    hits = [{"_id": "x", "_source": {"jobid": k, **job}} for k in range(number)]
    page = json.dumps(
        {"took": 3, "hits": {"total": {"value": 7, "hits": {}}, "hits": hits, "max_score": None}}
    )
    trace = read(f"{page}\n{page}")
    assert sorted(set(trace.job_id.tolist())) == list(range(number))
    assert set(trace.wait.tolist()) == {300}
    assert spelled(trace.user) == "ann"


def test_lines_are_those_of_the_document(read):
    record, two = job(), job(job_id=2, state={"current": ["FOO"]})
    trace = read(document(record, two))
    (line,) = where(trace, "unknown_state")[1]
    assert '"job_id": 2' in document(record, two).split("\n")[line]


@needs(BATSIM)
def test_a_workload_of_batsim():
    trace = read_trace(BATSIM)
    given = json.loads(BATSIM.read_text("utf-8"))
    jobs = sorted(given["jobs"], key=lambda job: math.floor(job["subtime"]))
    assert trace.job_id.tolist() == [job["id"] for job in jobs]
    assert trace.submit.tolist() == [math.floor(job["subtime"]) for job in jobs]
    assert trace.procs.tolist() == [job["res"] for job in jobs]
    delays = [math.ceil(given["profiles"][job["profile"]]["delay"]) for job in jobs]
    assert trace.recorded_runtime.tolist() == delays
    assert not trace.has_recorded_schedule


def test_what_a_workload_may_say(read):
    trace = read(
        '{"nb_res": 8, "profiles":'
        '{"a": {"delay": 60.25}, "b": {"cpu": 1e9}, "c": {"runtime": 5, "ret": 1}},\n'
        '"jobs": [{"id": "w!1", "subtime": 0.5, "res": 2, "walltime": 99.5, "profile": "a"},\n'
        '{"id": "w!2", "subtime": 1, "res": 2, "walltime": 9, "profile": "b"},\n'
        '{"id": 3, "subtime": 2, "res": 8, "profile": "c"}]}'
    )
    assert trace.job_id.tolist() == ["w!1", "3"]
    assert trace.cluster.spelling == "8c"
    assert (trace.submit.tolist(), trace.runtime.tolist()) == ([0, 2], [61, 5])
    assert (trace.walltime.tolist(), trace.status.tolist()) == ([100, 5], [1, 0])
    assert where(trace, "unknown_profile") == (1, (3,))
    assert where(trace, "fractional") == (1, (2,))


def test_the_limit_of_an_array_is_read(read):
    """Of tasks that may run at a time; it goes before the one in the command line, which may have changed."""
    limits = {"max": {"running": {"tasks": 2}}}
    none, line = {"max": {"running": {"tasks": 0}}}, "sbatch -a 1-9%4"
    trace = read(
        document(
            job(job_id=6, array={"job_id": 5, "task_id": number(2), "task": "", "limits": limits}),
            job(job_id=8, array={"job_id": 8, "task_id": number(1), "limits": none}, submit_line=line),
            job(job_id=9, array={"job_id": 9, "task_id": number(1), "limits": limits}, submit_line=line),
            job(job_id=10),
        )
    )
    assert trace.at_once.tolist() == [2, 4, 2, 0]
    assert read(document(job(job_id=7))).at_once is None
