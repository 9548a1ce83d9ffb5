from __future__ import annotations

import json

import pytest

from engine.logs.read import read_trace
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from tests.engine.logs.formats.flux import NOON, document, job, lines
from tests.engine.logs.lines import counts, where
from tests.paths import SHARED, needs

CASE = SHARED / "cases" / "files" / "j02-flux.json"


@pytest.fixture
def read(tmp_path):
    def read(text, **options):
        path = tmp_path / "flux.json"
        path.write_text(text, "utf-8")
        return read_trace(path, **options)

    return read


def names(column):
    return [column.names[code] for code in column.codes]


@needs(CASE)
def test_the_case_from_the_field():
    trace = read_trace(CASE)
    assert trace.job_id.tolist() == [123456789]
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (
        1704103200,
        300,
        3600,
        7200,
    )
    assert (trace.procs[0], trace.status[0]) == (4, 1)
    assert [names(column) for column in (trace.user, trace.queue, trace.executable)] == [
        ["u1"],
        ["batch"],
        ["a"],
    ]


@pytest.mark.parametrize("form", [document, lines, lambda *jobs: json.dumps(jobs)])
def test_a_job(read, form):
    trace = read(form(job(), job(2)))
    assert trace.job_id.tolist() == [1, 2]
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (NOON, 10, 60, 600)
    assert (trace.procs[0], trace.recorded_procs[0], trace.gpus[0], trace.status[0]) == (4, 4, 1, 1)
    assert (trace.ram[0], counts(trace)["fractional"]) == (-1, 2)


def test_one_job_that_was_asked_for(read):
    assert read(json.dumps(job(7))).job_id.tolist() == [7]


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ({"result": "FAILED", "success": False}, 0),
        ({"result": "TIMEOUT"}, 0),
        ({"result": "CANCELED"}, 5),
        ({"result": 1, "state": 64}, 1),
        ({"result": 2, "state": 64}, 0),
        ({"result": 4, "state": 64}, 5),
        ({"result": 8, "state": 64}, 0),
        ({"result": None, "success": False}, 0),
        ({"result": "", "success": True}, 1),
    ],
)
def test_results(read, values, status):
    assert read(document(job(**values))).status.tolist() == [status]


def test_jobs_that_never_ran_or_have_not_ended(read):
    never = {"t_run": 0.0, "result": "CANCELED", "nnodes": "", "nodelist": ""}
    running = {"t_cleanup": None, "t_inactive": None, "state": "RUN", "result": "", "success": ""}
    waiting = {**running, "t_run": None, "state": "SCHED", "annotations": {}}
    trace = read(document(job(), job(2, **never), job(3, **running), job(4, **waiting)))
    assert trace.job_id.tolist() == [1]
    assert counts(trace)["drop_no_runtime"] == 3


@pytest.mark.parametrize(
    ("values", "walltime"),
    [
        ({"duration": 0.0}, 60),
        ({"duration": 90.5}, 91),
        ({"duration": None, "expiration": NOON + 110.25}, 100),
        ({"duration": 0.0, "expiration": 0.0}, 60),
        ({"duration": 1e300}, 60),
    ],
)
def test_limits(read, values, walltime):
    assert read(document(job(**values))).walltime.tolist() == [walltime]


@pytest.mark.parametrize(
    ("values", "procs", "gpus"),
    [
        ({}, 4, 1),
        ({"ncores": None}, 4, 1),
        ({"ncores": None, "annotations": None}, 2, 0),
        ({"ncores": None, "ntasks": None, "annotations": None}, -1, 0),
        (
            {"annotations": {"sched": {"resource_summary": "rank[0-1,4]/core[0-3,7],gpu[0-1] rank9/core0"}}},
            4,
            6,
        ),
        ({"ncores": 0, "annotations": {"sched": {"resource_summary": "rank[0-1,4]/core[0-3,7]"}}}, 15, 0),
        ({"annotations": {"sched": {"resource_summary": ["?"]}}, "ncores": 9}, 9, 0),
    ],
)
def test_processors_and_gpus(read, values, procs, gpus):
    trace = read(document(job(**values), job(2)), clean={"drop_no_procs": False})
    assert trace.procs[0] == max(procs, 1)
    assert trace.gpus[0] == gpus


def test_tasks_stand_for_cores_where_nothing_else_does(read):
    trace = read(document(job(), job(2, ncores=None, annotations=None)))
    assert counts(trace)["tasks_alone"] == 1


def test_the_machine_is_derived_from_nodes(read):
    trace = read(
        document(job(nodelist="c[1-2]", nnodes=2), job(2, nodelist="c[2-3]", ncores=8, annotations=None))
    )
    assert trace.cluster.nodes == 3
    assert trace.cluster.cpus == 12  # the log does not say how the jobs were split


def test_a_job_that_comes_again(read):
    running = {"t_cleanup": None, "state": "RUN", "result": "", "success": ""}
    trace = read(document(job(**running), job()) + document(job(**running), job(2)))
    assert trace.job_id.tolist() == [1, 2]
    assert counts(trace)["repeated"] == 2


def test_ids_that_are_texts(read):
    assert read(document(job("ƒ3ETxsR9H"))).job_id.tolist() == ["ƒ3ETxsR9H"]


def test_times_are_seconds_of_no_zone(tmp_path):
    path = tmp_path / "flux.json"
    path.write_text(document(job()))
    trace = read_log_as(path, Reading(timezone="Europe/Prague")).trace
    assert (trace.submit[0], trace.timezone) == (NOON, "Europe/Prague")


def test_names(read):
    trace = read(document(job(bank="phys"), job(2, username=None, project="x", queue=None)))
    assert [names(column) for column in (trace.user, trace.group, trace.queue)] == [
        *(["ann", "1000"], ["phys", "x"], ["batch", ""])
    ]


def test_lists_of_nodes_that_cannot_be_read(read):
    trace = read(document(job(nodelist="c["), job(2, nodelist="c[1-1000000]")))
    assert trace.job_id.tolist() == [1, 2]
    assert where(trace, "machine_guessed")[0] == 1


def test_a_line_break_in_the_name_of_a_node(read):
    trace = read(document(job(nodelist="c\n1", nnodes=1), job(2, nodelist="c2", nnodes=1)))
    assert trace.job_id.tolist() == [1, 2]
    assert trace.cluster.nodes == 2
