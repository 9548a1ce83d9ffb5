import json

import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from tests.engine.logs.formats.sge import NOON, read_records, record
from tests.engine.logs.lines import counts, where
from tests.paths import SHARED, needs

SAMPLES = SHARED / "other-formats"
APEL = SHARED / "cases" / "files" / "apel-sge.log"


def spelled(names, position=0):
    return names.names[names.codes[position]]


@pytest.fixture(scope="module", params=["sge", "uge"])
def warehouse(request):
    """A sample and what a warehouse reads of it."""
    expected = json.loads((SAMPLES / f"expected-{request.param}.json").read_text("utf-8"))
    return read_trace(SAMPLES / f"{request.param}-accounting.log"), expected


@needs(SAMPLES / "expected-uge.json")
@pytest.mark.parametrize("k", range(2))
@pytest.mark.parametrize(
    ("field", "ours"),
    [
        ("job_number", lambda t, k: int(t.job_id[k])),
        ("qname", lambda t, k: spelled(t.queue, k)),
        ("owner", lambda t, k: spelled(t.user, k)),
        ("groupname", lambda t, k: spelled(t.group, k)),
        ("job_name", lambda t, k: spelled(t.executable, k)),
        ("submission_time", lambda t, k: int(t.submit[k])),
        ("start_time", lambda t, k: int(t.submit[k] + t.wait[k])),
        ("end_time", lambda t, k: int(t.submit[k] + t.wait[k] + t.recorded_runtime[k])),
        ("slots", lambda t, k: int(t.procs[k])),
        ("resource_list_h_rt", lambda t, k: int(t.walltime[k])),
        ("resource_list_gpu", lambda t, k: int(t.gpus[k] // t.procs[k])),  # a slot
        ("resource_list_mem_free", lambda t, k: int(t.ram[k]) << 10),
    ],
)
def test_what_is_kept_of_every_job_is_the_warehouses(warehouse, k, field, ours):
    trace, expected = warehouse
    job = expected[k]
    assert field not in job or ours(trace, k) == type(ours(trace, k))(job[field])


@needs(SAMPLES / "expected-uge.json")
def test_statuses(warehouse):
    trace, expected = warehouse
    assert all(job["failed"] == job["exit_status"] == "0" for job in expected)
    assert trace.status.tolist() == [1, 1]


def test_a_job_that_was_rescheduled_is_its_last_run(tmp_path):
    trace = read_records(
        tmp_path,
        record(failed="25", status=99),
        record(2),
        record(failed="24", start=100, end=130),
        record(start=200, end=500),
        record(task=3, failed="25"),
        record(task=3, start=80, end=90),
    )
    runs = zip(trace.job_id.tolist(), trace.wait.tolist(), trace.runtime.tolist(), strict=True)
    assert sorted(runs) == [("1", 200, 300), ("1.3", 80, 10), ("2", 10, 60)]
    assert trace.status.tolist() == [1, 1, 1]
    assert where(trace, "requeued") == (3, (1, 3, 5))


def test_a_job_that_was_rescheduled_and_deleted_in_the_queue_keeps_its_run(tmp_path):
    trace = read_records(tmp_path, record(failed="25"), record(start=0, failed="100"))
    assert (trace.job_id.tolist(), trace.wait.tolist(), trace.runtime.tolist()) == ([1], [10], [60])
    assert where(trace, "requeued") == (1, (2,))


def test_a_number_that_is_given_anew_is_another_job(tmp_path):
    later = (
        record()
        .replace(f":{NOON}:", f":{NOON + 9_000_000}:")
        .replace(f":{NOON + 10}:", f":{NOON + 9_000_005}:")
    )
    later = later.replace(f":{NOON + 70}:", f":{NOON + 9_000_009}:")
    trace = read_records(tmp_path, record(), record().replace(":ann:", ":bob:"), later)
    assert trace.job_id.tolist() == [1, 1, 1]
    assert trace.runtime.tolist() == [60, 60, 4]


def test_a_record_that_stands_there_twice_is_counted_and_noted(tmp_path):
    trace = read_records(tmp_path, record(), record(2), record())
    assert trace.job_id.tolist() == [1, 2, 1]
    assert where(trace, "repeated") == (1, (3,))


@needs(APEL)
def test_records_of_two_grid_engines_in_a_file():
    trace = read_trace(APEL)
    assert len(trace) == 6
    assert sorted(map(str, trace.job_id)) == ["1630912", "3294013", "3872561", "43", "6972834", "6972834"]
    by_id = dict(zip(map(str, trace.job_id.tolist()), range(6), strict=True))
    assert (trace.submit[by_id["3872561"]], trace.recorded_runtime[by_id["3872561"]]) == (1412932860, 220)
    assert (trace.walltime[by_id["6972834"]], trace.procs[by_id["6972834"]]) == (180300, 9)


def test_a_job(tmp_path):
    trace = read_records(tmp_path, "# a comment", record())
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.walltime[0]) == (NOON, 10, 60, 600)
    assert (trace.procs[0], trace.ram[0], trace.status[0]) == (4, -1, 1)
    assert trace.gpus is None
    assert counts(trace)["machine_guessed"] == 1


def test_milliseconds(tmp_path):
    trace = read_records(tmp_path, record(unit=1000, more=":NONE:NONE:1:2:3"))
    assert (trace.submit[0], trace.wait[0], trace.runtime[0]) == (NOON, 10, 60)


@pytest.mark.parametrize(
    ("category", "walltime", "ram"),
    [
        ("-l h_rt=300,s_rt=200", 300, -1),
        ("-l s_rt=0:05:00", 300, -1),
        ("-l h_rt=1:00:00 -pe mpi 4", 3600, -1),
        ("-u ann -l h_vmem=2G -pe mpi 4", 60, 8192),
        ("-l h_vmem=2G,mem_free=1G -l m_mem_free=512M", 60, 2048),
        ("-l s_vmem=2000k", 60, 8),
        ("-l mem_free=lots,h_rt=INFINITY", 60, -1),
        ("-q long -soft -l mem_free=9G -hard -l h_rt=300,mem_free=1G -soft -l h_rt=9", 300, 4096),
        ("NONE", 60, -1),
        ("-l", 60, -1),
    ],
)
def test_what_jobs_ask_for(tmp_path, category, walltime, ram):
    trace = read_records(tmp_path, record(category=category))
    assert (trace.walltime.tolist(), trace.ram.tolist()) == ([walltime], [ram])


@pytest.mark.parametrize(
    ("ask", "slots", "gpus", "noted"),
    [("gpu=1", 4, 4, 1), ("ngpus=2", 1, 2, 0), ("gpus=0.25", 4, 1, 1), ("gpu=0.333", 3, 1, 1)],
)
def test_gpus_are_those_of_a_slot_as_memory_is(tmp_path, ask, slots, gpus, noted):
    trace = read_records(tmp_path, record(slots=slots, category=f"-l {ask},h_vmem=2G -pe mpi {slots}"))
    assert (trace.gpus.tolist(), trace.ram.tolist()) == ([gpus], [2048 * slots])
    assert counts(trace).get("gpus_per_slot", 0) == noted


def test_tasks_of_arrays_and_of_parallel_jobs(tmp_path):
    trace = read_records(tmp_path, record(task=2), record(task=3), record(task=3, part="1.c2"))
    assert trace.job_id.tolist() == ["1.2", "1.3"]
    assert counts(trace)["steps"] == 1


def test_jobs_that_failed_or_never_ran(tmp_path):
    trace = read_records(
        tmp_path, record(1, failed="100 : assumedly after job"), record(2, status=137), record(3, start=0)
    )
    assert trace.job_id.tolist() == [2]  # the colon within the first makes it no record
    assert trace.status.tolist() == [0]
    assert where(trace, "unreadable_line") == (1, (1,))
    assert counts(trace)["drop_no_runtime"] == 1


def test_a_file_without_a_usable_job(tmp_path):
    with pytest.raises(InputError, match="no usable job among 1 records; dropped: no positive runtime"):
        read_records(tmp_path, record(start=0))
