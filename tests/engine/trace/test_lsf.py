from __future__ import annotations

import json

import numpy as np
import pytest

from engine.trace.read import read_trace
from tests.engine.trace.logs import counts, where
from tests.engine.trace.lsf import NOON, read_records, record
from tests.paths import SHARED, needs

SAMPLES = SHARED / "other-formats"


def spelled(names, position=0):
    return names.names[names.codes[position]]


@pytest.fixture(scope="module")
def warehouse():
    """The sample and what a warehouse reads of it."""
    expected = json.loads((SAMPLES / "expected-lsf.json").read_text("utf-8"))
    return read_trace(SAMPLES / "lsf-acct.log"), expected


@needs(SAMPLES / "expected-lsf.json")
@pytest.mark.parametrize("k", range(2))
@pytest.mark.parametrize(
    ("field", "ours"),
    [
        ("job_id", lambda t, k: int(t.job_id[k])),
        ("user_name", lambda t, k: spelled(t.user, k)),
        ("queue", lambda t, k: spelled(t.queue, k)),
        ("project_name", lambda t, k: spelled(t.group, k)),
        ("job_name", lambda t, k: spelled(t.executable, k)),
        ("submit_time", lambda t, k: int(t.submit[k])),
        ("start_time", lambda t, k: int(t.submit[k] + t.wait[k])),
        ("event_time", lambda t, k: int(t.submit[k] + t.wait[k] + t.recorded_runtime[k])),
        ("num_processors", lambda t, k: int(t.procs[k])),
        ("num_ex_hosts", lambda t, k: int(t.recorded_nodes.offset[k + 1] - t.recorded_nodes.offset[k])),
        ("max_rmem", lambda t, k: int(t.ram[k])),
    ],
)
def test_what_is_kept_of_every_job_is_the_warehouses(warehouse, k, field, ours):
    trace, expected = warehouse
    text = expected[k][field]
    if field == "max_rmem":
        text = -(-int(text) // 1024)  # KB
    found = ours(trace, k)
    assert found == type(found)(text)


@needs(SAMPLES / "expected-lsf.json")
def test_walltimes_and_nodes(warehouse):
    trace, expected = warehouse
    assert trace.walltime.tolist() == [43_200, 43_200]  # -W 12:00
    assert trace.status.tolist() == [1, 1]
    assert trace.cluster.nodes == sum(len(job["exec_hosts"]) for job in expected)


@needs(SAMPLES / "lsf-acct-utf8.log")
def test_commands_of_any_letters():
    assert len(read_trace(SAMPLES / "lsf-acct-utf8.log")) == 1


def test_a_name_of_a_host_may_hold_any_character(tmp_path):
    trace = read_records(tmp_path, record(hosts=["2*c+1", "1*c", "+"]), record(job=2, hosts=["c+*2", "c*1+"]))
    assert np.diff(trace.recorded_nodes.offset).tolist() == [3, 2]


def test_a_job(tmp_path):
    trace = read_records(tmp_path, record(hosts=["3*c1", "c2", "c2"]))
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (NOON, 10, 60, 600)
    assert (trace.procs[0], trace.recorded_procs[0], trace.status[0]) == (4, 5, 1)
    assert trace.cluster.spelling == "3c+2c"
    assert list(zip(*(trace.tasks[k].tolist() for k in ("count", "cpus")), strict=True)) == [(2, 2)]


@pytest.mark.parametrize(
    ("values", "walltime"),
    [
        ({"limit": 0}, 60),
        ({"limit": None}, 60),
        ({"limit": None, "command": '#BSUB -R "span[hosts=1]";#BSUB -W 1:30;date'}, 5400),
        ({"limit": None, "command": "#BSUB -W 45"}, 2700),
        ({"limit": 900, "command": "#BSUB -W 45"}, 900),
    ],
)
def test_limits(tmp_path, values, walltime):
    assert read_records(tmp_path, record(**values)).walltime.tolist() == [walltime]


@pytest.mark.parametrize(
    ("values", "ram"),
    [
        ({"asked": "select[mem>1] rusage[ mem=2000 , lic=1] span[hosts=1]"}, 4000),
        ({"asked": "rusage[mem=2GB]", "used": 5}, 4096),
        ({"asked": "rusage[swp=1]", "used": 2049}, 3),
        ({}, -1),
    ],
)
def test_memory(tmp_path, values, ram):
    assert read_records(tmp_path, record(hosts=["2*c1", "2*c2"], **values)).ram.tolist() == [ram]


def test_gpus_are_those_of_each_host(tmp_path):
    trace = read_records(tmp_path, record(hosts=["2*c1", "2*c2"], asked="rusage[mem=1,ngpus_physical=2.00]"))
    assert trace.gpus.tolist() == [4]


def test_arrays_and_statuses(tmp_path):
    trace = read_records(
        tmp_path, record(index=3), record(index=4, status=32), record(index=5, status=32, cause=13)
    )
    assert trace.job_id.tolist() == ["1[3]", "1[4]", "1[5]"]
    assert trace.status.tolist() == [1, 0, 5]


def test_jobs_that_may_not_begin_before_a_time(tmp_path):
    trace = read_records(tmp_path, record(begin=NOON + 7), clean={"from_eligible": True})
    assert (trace.submit.tolist(), trace.wait.tolist()) == ([NOON + 7], [3])


def test_other_events_and_broken_lines(tmp_path):
    whole = record()
    lines = ('"JOB_RESIZE" "9.11" 1 2', whole, whole[:100], "", "nonsense", record(start=0))
    trace = read_records(tmp_path, *lines)
    assert where(trace, "unreadable_line") == (2, (3, 5))
    assert counts(trace)["drop_no_runtime"] == 1
