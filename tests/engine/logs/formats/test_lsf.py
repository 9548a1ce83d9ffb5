import json

import numpy as np
import pytest

from engine.logs.read import read_trace
from tests.engine.logs.formats.lsf import NOON, read_records, record
from tests.engine.logs.lines import counts, where
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


def test_a_number_of_other_letters_than_digits_makes_no_record(tmp_path):
    trace = read_records(tmp_path, record(), record(2).replace(" 1000 ", " 1_000 "))
    assert where(trace, "unreadable_line") == (1, (2,))


USAGE = "277.210000 17.280000 0 0 -1 0 0 927804 87722 0 0 0 -1 0 0 0 0 0 -1"
V5 = (  # ends behind the memory that was used, and three texts
    '"JOB_FINISH" "5.1" 1089407406 699195 283 33554482 2 1089290023 0 0 1089406862 "ann" "8nm" "" "" "" "lx" '
    '"prog" "" "/a/b.txt" "/a/e.txt" "1089290023.699195" 0 1 "tbed0079" 64 3.3 "" "/a/start.pl 362 7 8" '
    f'{USAGE} "" "phys" 0 1 "" "" 0 310424 339112 "" "" ""'
)
V6 = (  # adds why a job ended, and ends behind who is charged
    '"JOB_FINISH" "6.0" 1140193736 55455 774 40370307 1 1140190000 0 0 1140190136 "ann" "long" '
    '"rusage[mem=500]" "" "" "lx1" "/home" "" "" "" "1140190000.55455" 0 1 "node7" 32 1.0 "run" "a.out" '
    f'{USAGE} "" "phys" 130 1 "" "" 4 2048 0 "" "" "" "" 0 "" 14 "" -1 "/phys"'
)
V7 = (  # up to the description of the job
    '"JOB_FINISH" "7.06" 1300003700 9 774 33816578 16 1300000000 0 0 1300000100 "ann" "par" "span[ptile=8]" '
    '"" "" "lx1" "/home" "" "" "" "1300000000.9" 0 2 "8*n1" "8*n2" 64 1.0 "run" "#BSUB -W 2:00;a.out" '
    f'{USAGE} "" "phys" 0 16 "" "" 0 4096 0 "" "" "" "" 0 "" 0 "" -1 "/phys" "" "" "" -1 "" "" 1040 '
    '"" 1300000100 "" ""'
)
V10 = (
    '"JOB_FINISH" "10.108" 1644826549 386 1501 33554434 1 1644826545 0 0 1644826546 "sim" "sender" "" "" "" '
    '"ip-225" "/root" "" "" "" "1644826545.386" 0 1 "ip-253" 64 100.0 "" "/bin/sleep 3" '
    f'{USAGE} "" "default" 0 1 "" "" 0 2048 0 "" "" "" "" 0 "" 0 "" -1 "" "" "" "" -1 "" "" 5136 "" '
    '1644826546 "" "" 5 1110 "default" 1041 "jfincache" 1086 "-1 -1 -1 " 1032 "0" 1033 "0" 0 -1 4194304 '
    '1024 "select[type == any] rusage[mem=3000.00,ngpus_physical=2.00] " "" -1 "" -1 0 "" 0 0 "" 3 "/root" '
    '0 "" 0.000000 0.00 0.00 0.00 0.00 1 "ip-253" -1 0 0 0 0 1 "schedulingOverhead" "0.00"'
)
V10_LIMIT = V10.replace(" -1 4194304", " 120 4194304")


@pytest.mark.parametrize(
    ("text", "job", "times", "limit", "procs", "ram", "gpus", "status", "group"),
    [
        (V5, "699195", (1089290023, 116839, 544), 544, 2, 304, -1, 1, "phys"),
        (V6, "55455[4]", (1140190000, 136, 3600), 3600, 1, 500, -1, 5, "phys"),
        (V7, "9", (1300000000, 100, 3600), 7200, 16, 4, -1, 1, "phys"),
        (V10, "386", (1644826545, 1, 3), 3, 1, 3000, 2, 1, "default"),
        (
            V10.replace(" -1 4194304", " 120 4194304"),
            "386",
            (1644826545, 1, 3),
            120,
            1,
            3000,
            2,
            1,
            "default",
        ),
    ],
    ids=["5.1", "6.0", "7.06", "10.108", "10.108 with a limit"],
)
def test_records_of_all_versions(tmp_path, text, job, times, limit, procs, ram, gpus, status, group):
    trace = read_records(tmp_path, text)
    assert [str(trace.job_id[0])] == [job]
    assert (trace.submit[0], trace.wait[0], trace.recorded_runtime[0]) == times
    assert (trace.walltime[0], trace.procs[0], trace.ram[0], trace.status[0]) == (limit, procs, ram, status)
    assert (trace.gpus[0] if trace.gpus is not None else -1, spelled(trace.group)) == (gpus, group)


def test_a_file_of_a_site_that_was_upgraded(tmp_path):
    trace = read_records(tmp_path, V5, V6, V7, V10)
    assert trace.job_id.tolist() == ["699195", "55455[4]", "9", "386"]
    assert counts(trace).get("unreadable_line", 0) == 0


@pytest.mark.parametrize("text", [V5, V6, V7, V10])
def test_records_that_are_cut_before_they_tell_what_their_version_tells(tmp_path, text):
    cut = text[: text.index(USAGE)]
    assert where(read_records(tmp_path, V10, cut), "unreadable_line") == (1, (2,))
    no_cause = V6.partition(' "" 14')[0]
    assert where(read_records(tmp_path, V10, no_cause), "unreadable_line") == (1, (2,))
