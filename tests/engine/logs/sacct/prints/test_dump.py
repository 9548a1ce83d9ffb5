import json
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.filter.expression import match_any
from engine.filter.parse import parse_filter
from engine.limits import MAX_CPUS
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster, parse_cluster
from engine.quantities.quantity import Jobs
from tests.engine.logs.lines import counts, text_of, where
from tests.engine.logs.sacct.dumps import HEADER, NOON, clock, job, read_jobs
from tests.paths import SHARED, needs

SAMPLES = SHARED / "other-formats"
EVERYTHING = {"drop_no_runtime": False, "drop_no_procs": False}


def spelled(names, position=0):
    return names.names[names.codes[position]]


@pytest.fixture(scope="module")
def warehouse():
    """The sample, with the jobs that never ran, and what a warehouse reads of it."""
    expected = json.loads((SAMPLES / "expected-slurm.json").read_text("utf-8"))
    trace = read_trace(SAMPLES / "slurm-sacct-xdmod-fields.log", clean=EVERYTHING)
    return trace, expected


@needs(SAMPLES / "expected-slurm.json")
@pytest.mark.parametrize("k", range(4))
@pytest.mark.parametrize(
    ("field", "ours"),
    [
        ("job_id", lambda t, k: str(t.job_id[k])),
        ("partition_name", lambda t, k: spelled(t.queue, k)),
        ("qos_name", lambda t, k: spelled(t.qos, k)),
        ("account_name", lambda t, k: spelled(t.group, k)),
        ("user_name", lambda t, k: spelled(t.user, k)),
        ("job_name", lambda t, k: spelled(t.executable, k)),
        ("submit_time", lambda t, k: int(t.submit[k])),
        ("ngpus", lambda t, k: int(t.gpus[k])),
    ],
)
def test_what_is_kept_of_every_job_is_the_warehouses(warehouse, k, field, ours):
    trace, expected = warehouse
    assert ours(trace, k) == expected[k][field]


@needs(SAMPLES / "expected-slurm.json")
@pytest.mark.parametrize("k", range(3))
@pytest.mark.parametrize(
    ("field", "ours"),
    [
        ("start_time", lambda t, k: int(t.submit[k] + t.wait[k])),
        ("end_time", lambda t, k: int(t.submit[k] + t.wait[k] + t.recorded_runtime[k])),
        ("elapsed", lambda t, k: int(t.recorded_runtime[k])),
        ("timelimit", lambda t, k: int(t.walltime[k])),
        ("ncpus", lambda t, k: str(t.recorded_procs[k])),
        ("req_cpus", lambda t, k: str(t.procs[k])),
        ("nnodes", lambda t, k: str(np.diff(t.recorded_nodes.offset)[k])),
    ],
)
def test_what_is_kept_of_jobs_that_ran_is_the_warehouses(warehouse, k, field, ours):
    trace, expected = warehouse
    assert ours(trace, k) == expected[k][field]


@needs(SAMPLES / "expected-slurm.json")
def test_states_and_memory_are_the_warehouses(warehouse):
    trace, expected = warehouse
    words = {"TIMEOUT": 0, "CANCELLED": 5, "COMPLETED": 1}
    assert trace.status.tolist() == [words[job["state"].split()[0]] for job in expected]
    # 3000Mc of 256 CPUs, 48000Mn of 3 nodes, 3000Mc of 48 CPUs, 0n
    assert trace.ram.tolist() == [768_000, 144_000, 144_000, -1]
    late = read_trace(SAMPLES / "slurm-sacct-xdmod-fields.log", clean={**EVERYTHING, "from_eligible": True})
    given = [job["eligible_time"] for job in expected]
    assert late.submit.tolist()[:3] == given[:3]


@needs(SAMPLES / "slurm-sacct-no-header.log.gz")
def test_the_log_without_a_header():
    trace = read_trace(SAMPLES / "slurm-sacct-no-header.log.gz")
    assert len(trace) == 4024
    assert counts(trace)["drop_no_runtime"] == 261
    assert text_of(trace, "fields_guessed").startswith("no line names the fields, taken for: JobID, JobIDRaw")
    assert (trace.ram[trace.procs == 8] == 24_000).mean() > 0.99  # 2147486648Mn: 3000 MiB of each CPU
    assert (trace.cluster.nodes, trace.cluster.cpus) == (46, 351)
    used = np.bincount(trace.recorded_nodes["node"], trace.recorded_nodes["cpus"])
    assert len(used) == 46


@needs(SAMPLES / "slurm-sacct-header-steps.csv")
def test_steps_are_part_of_their_jobs():
    trace = read_trace(SAMPLES / "slurm-sacct-header-steps.csv")
    assert trace.job_id.tolist() == [43_974_388, 43_977_780]
    assert counts(trace)["steps"] == 3
    assert trace.runtime.tolist() == [12_805, 17]  # the second has no end: what has elapsed
    assert trace.walltime.tolist() == [432_000, 60]
    assert trace.ram.tolist() == [2200, 500]


@needs(SAMPLES / "slurm-sacct-job-arrays.log")
def test_arrays():
    trace = read_trace(SAMPLES / "slurm-sacct-job-arrays.log")
    assert trace.job_id.tolist()[:3] == ["4103947_100", "4103947_[1-3]", "4103947_[1,5]"]
    assert where(trace, "array_tasks")[0] == 5


@needs(SAMPLES / "slurm-sacct-non-ended.log")
def test_jobs_that_run_or_wait_when_the_dump_is_made():
    with pytest.raises(InputError, match="no usable job among 2 records; dropped: no positive runtime"):
        read_trace(SAMPLES / "slurm-sacct-non-ended.log")
    trace = read_trace(SAMPLES / "slurm-sacct-non-ended.log", clean=EVERYTHING)
    assert where(trace, "unfinished") == (2, (1, 2))
    assert (trace.wait >= 0).tolist() == [True, False]


@needs(SAMPLES / "slurm-sacct-unknown-state.log")
def test_unknown_states_are_read_by_their_times():
    trace = read_trace(SAMPLES / "slurm-sacct-unknown-state.log")
    assert where(trace, "unknown_state") == (2, (1, 2))
    assert trace.runtime.tolist() == [81_142]
    assert trace.status.tolist() == [-1]


@needs(SAMPLES / "slurm-sacct-utf8.log")
def test_names_are_utf_8():
    assert spelled(read_trace(SAMPLES / "slurm-sacct-utf8.log").executable) == "aàb"


def test_a_job(tmp_path):
    trace = read_jobs(tmp_path, job(ReqMem="2Gn", ReqTRES="cpu=4,mem=2G,node=1"))
    assert trace.submit.tolist() == [NOON]
    assert (trace.wait[0], trace.runtime[0], trace.walltime[0], trace.procs[0]) == (10, 60, 600, 4)
    assert trace.ram.tolist() == [2048]
    assert {k: v.tolist() for k, v in trace.tasks.columns.items()} == {
        "count": [1],
        "cpus": [4],
        "ram": [2048],
    }
    assert trace.gpus.tolist() == [0]


@pytest.mark.parametrize(
    ("values", "ram"),
    [
        ({"ReqMem": "1000Mc"}, 5000),
        ({"ReqMem": "1000Mn"}, 2000),
        ({"ReqMem": "1000M"}, 1000),
        ({"ReqMem": "1.5G"}, 1536),
        ({"ReqMem": "1025K"}, 2),
        ({"ReqMem": f"{(1 << 31) + 700}Mn"}, 3500),
        ({"ReqMem": "0n", "ReqTRES": "cpu=5,mem=4G,node=2"}, 4096),
        ({"ReqMem": "", "AllocTRES": "cpu=5,mem=4096M"}, 4096),
        ({"ReqMem": "?"}, -1),
        ({"ReqMem": "9" * 15 + "T"}, 1 << 30),
    ],
)
def test_memory(tmp_path, values, ram):
    trace = read_jobs(tmp_path, job(ReqCPUS=5, NCPUS=6, NNodes=2, **values))
    assert trace.ram.tolist() == [ram]


@pytest.mark.parametrize(
    ("values", "gpus"),
    [
        ({"ReqTRES": "cpu=4,gres/gpu=2,gres/gpu:a100=2"}, 2),
        ({"ReqTRES": "cpu=4,gres/gpu:a100=2,gres/gpu:h100=1"}, 3),
        ({"ReqTRES": "cpu=4", "AllocTRES": "billing=4,gres/gpu=3,gres/gpu:a100=3"}, 3),
        ({"ReqTRES": "gres/gpumem=40G,gres/gpuutil=80"}, 0),
        ({}, 0),
    ],
)
def test_gpus_are_counted_once(tmp_path, values, gpus):
    trace = read_jobs(tmp_path, job(**values))
    assert trace.gpus.tolist() == [gpus]
    assert counts(trace).get("gpus", 0) == (gpus > 0)


def test_gres_of_older_versions_are_a_nodes(tmp_path):
    header = HEADER.replace("ReqTRES", "ReqGRES")
    trace = read_jobs(tmp_path, job(ReqTRES="gpu:tesla:2", NNodes=3), header=header)
    assert trace.gpus.tolist() == [6]


@pytest.mark.parametrize(
    ("text", "gpus"), [("gpu:2", 2), ("gpu:tesla:2,mic:1", 2), ("gres:gpu:a100:4(IDX:0-3)", 4)]
)
def test_allocated_gres_of_older_versions_are_all_of_a_job(tmp_path, text, gpus):
    header = HEADER.replace("AllocTRES", "AllocGRES").replace("ReqTRES", "ReqGRES")
    trace = read_jobs(tmp_path, job(AllocTRES=text, ReqTRES="gpu:1", NNodes=3), header=header)
    assert trace.gpus.tolist() == [gpus]


def test_processors_are_those_asked_for(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(ReqCPUS=3, NCPUS=8),
        job(JobID=2, ReqCPUS="", NCPUS=8),
        job(JobID=3, ReqCPUS=0, NCPUS="", ReqTRES="cpu=5", AllocTRES="cpu=6"),
    )
    assert trace.procs.tolist() == [3, 8, 5]
    assert trace.recorded_procs.tolist() == [8, 8, 6]


@pytest.mark.parametrize(
    ("limit", "walltime", "missing"),
    [("1-00:00:00", 86_400, 0), ("UNLIMITED", 60, 1), ("Partition_Limit", 60, 1), ("", 60, 1)],
)
def test_time_limits(tmp_path, limit, walltime, missing):
    trace = read_jobs(tmp_path, job(Timelimit=limit))
    assert trace.walltime.tolist() == [walltime]
    assert counts(trace).get("no_walltime", 0) == missing


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ("COMPLETED", 1),
        ("CANCELLED by 4711", 5),
        ("CANCELLED+", 5),
        ("NODE_FAIL", 0),
        ("OUT_OF_MEMORY", 0),
        ("timeout", 0),
        ("FOO", -1),
        ("", -1),
    ],
)
def test_states_with_words_behind_them(tmp_path, state, status):
    trace = read_jobs(tmp_path, job(State=state))
    assert trace.status.tolist() == [status]


def test_of_a_requeued_job_the_last_run_counts(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(JobID=7, Start=clock(300), End=clock(400)),
        job(JobID=7, State="NODE_FAIL"),
        job(JobID=7, User="bob"),  # another job: the numbers begin anew
        job(JobID=7, Cluster="l"),
    )
    assert where(trace, "requeued") == (1, (3,))
    assert sorted(trace.runtime.tolist()) == [60, 60, 100]
    assert counts(trace)["clusters"] == 1


def test_a_job_that_waits_again_has_no_run(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(JobID=7, State="PREEMPTED"),
        job(JobID=7, State="PENDING", Start="Unknown", End="Unknown"),
        job(JobID=8),
    )
    assert trace.job_id.tolist() == [8]
    assert counts(trace)["unfinished"] == 1


def test_the_first_part_of_a_heterogeneous_job_counts_wherever_it_stands(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(JobID="12+1", Partition="gpu", Submit=clock(3)),
        job(JobID="11+0", User="bob"),
        job(JobID="12+0", Timelimit="00:20:00"),
    )
    assert trace.job_id.tolist() == ["11", "12"]
    assert trace.submit.tolist() == [NOON, NOON]
    assert trace.walltime.tolist() == [600, 1200]
    assert trace.procs.tolist() == [4, 8]
    assert [trace.queue.names[code] for code in trace.queue.codes] == ["batch", "batch"]


def test_a_heterogeneous_job_is_one_job(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(JobID="12+0", NCPUS=1, ReqCPUS=1, ReqMem="1G", NodeList="c1"),
        job(JobID=13, NodeList="c9"),
        job(JobID="12+1", NCPUS=6, ReqCPUS=6, NNodes=2, ReqMem="4G", NodeList="c[2-3]", ReqTRES="gres/gpu=2"),
    )
    assert trace.job_id.tolist() == ["12", "13"]
    assert trace.procs.tolist() == [7, 4]
    assert trace.ram.tolist() == [5120, -1]
    assert trace.gpus.tolist() == [2, 0]
    own = slice(0, trace.tasks.offset[1])
    tasks: dict[tuple[int, int], int] = {}
    for count, *what in zip(
        *(trace.tasks[name][own].tolist() for name in ("count", "cpus", "ram")), strict=True
    ):
        tasks[tuple(what)] = tasks.get(tuple(what), 0) + count
    assert tasks == {(1, 1024): 1, (3, 2048): 2}
    assert (trace.tasks["count"][own] * trace.tasks["gpu"][own]).sum() == 2
    assert np.diff(trace.recorded_nodes.offset).tolist() == [3, 1]
    assert where(trace, "heterogeneous") == (2, (2, 4))


def test_parts_of_more_processors_than_any_machine_has_are_no_job(tmp_path):
    trace = read_jobs(
        tmp_path, job(JobID="12+0", ReqCPUS=2**27), job(JobID="12+1", ReqCPUS=4), job(JobID=13, ReqCPUS=4)
    )
    assert trace.job_id.tolist() == ["13"]
    assert where(trace, "drop_no_procs") == (1, (2,))


def test_waits_can_count_from_when_a_job_could_start(tmp_path):
    lines = (job(Eligible=clock(4)), job(JobID=2, Eligible="Unknown"), job(JobID=3, Eligible=clock(50)))
    trace = read_jobs(tmp_path, *lines)
    assert trace.wait.tolist() == [10, 10, 10]
    assert where(trace, "from_eligible") == (1, (2,))
    trace = read_jobs(tmp_path, *lines, clean={"from_eligible": True})
    assert sorted(zip(trace.job_id.tolist(), trace.submit.tolist(), trace.wait.tolist(), strict=True)) == [
        (1, NOON + 4, 6),
        (2, NOON, 10),
        (3, NOON, 10),
    ]


def test_tasks_are_the_nodes_shares(tmp_path):
    trace = read_jobs(tmp_path, job(NCPUS=7, ReqCPUS=7, NNodes=3, ReqMem="1000M", NodeList="c[1-3]"))
    rows = zip(*(trace.tasks[name].tolist() for name in ("count", "cpus", "ram")), strict=True)
    assert list(rows) == [(1, 3, 334), (2, 2, 334)]


def test_nodes_are_those_of_a_given_machine(tmp_path):
    jobs = (job(NodeList="c1"), job(JobID=2, NodeList="c[2-3]", NNodes=2), job(JobID=3, NodeList="c[a"))
    trace = read_jobs(tmp_path, *jobs, cluster=parse_cluster("2x2c+1x8c"))
    assert np.diff(trace.recorded_nodes.offset).tolist() == [1, 2, 0]
    assert trace.recorded_nodes["node"].tolist() == [2, 0, 1]
    assert where(trace, "unreadable_nodes") == (1, (4,))
    trace = read_jobs(tmp_path, *jobs, cluster=Cluster.pool(9))
    assert trace.recorded_nodes is None


def test_a_trailing_bar_and_odd_lines(tmp_path):
    lines = [job() + "|", job(JobID=2) + "|", "cut|off", "", job(JobID=4) + "|"]
    trace = read_jobs(tmp_path, *lines, header=HEADER + "|")
    assert trace.job_id.tolist() == [1, 2, 4]
    assert where(trace, "unreadable_line") == (1, (4,))


def test_a_name_with_bars_at_the_end(tmp_path):
    trace = read_jobs(tmp_path, job(), job(JobID=2, JobName="a|b||c"))
    assert [spelled(trace.executable, k) for k in (0, 1)] == ["run", "a|b||c"]


def test_unreadable_times_count_as_missing(tmp_path):
    trace = read_jobs(tmp_path, job(Submit="yesterday"), job(JobID=2, Start="later", Elapsed="01:00:00"))
    assert where(trace, "unreadable_time") == (2, (2, 3))
    assert (trace.job_id.tolist(), trace.runtime.tolist(), trace.wait.tolist()) == ([2], [600], [-1])


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("JobID|User", "these fields of sacct do not contain Submit, Start, End, NCPUS: 'JobID|User'"),
        ("JobID|Submit|Start|Elapsed", "do not contain NCPUS"),
        ("JobID|Submit|Start|End|NCPUS|Submit", "the field Submit stands twice"),
        ("JobID|Submit|Start|End|NCPUS|" + "|" * 2000, "2,006 fields in a line, of 1,000 at most"),
    ],
)
def test_fields_that_do_not_tell_of_jobs(tmp_path, header, says):
    with pytest.raises(InputError) as caught:
        read_jobs(tmp_path, "1|2", header=header)
    assert str(caught.value).startswith(f"{tmp_path / 'dump.txt'}:1: ")
    assert says in str(caught.value)


def test_a_header_alone_is_no_trace(tmp_path):
    with pytest.raises(InputError, match="no usable job among 0 records"):
        read_jobs(tmp_path)


def test_spellings_of_the_header(tmp_path):
    path = Path(tmp_path / "x.swf")
    path.write_text(f"\n\njobidraw|submit%30|START|end|Ncpus\n9|{clock(0)}|{clock(1)}|{clock(3)}|2\n")
    trace = read_trace(path)
    assert (trace.job_id.tolist(), trace.runtime.tolist(), trace.procs.tolist()) == ([9], [2], [2])
    assert trace.gpus is None
    assert trace.qos is None


def test_progress_and_cancel(tmp_path):
    seen: list[float] = []
    read_jobs(tmp_path, *(job(JobID=k) for k in range(1, 200)), progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert len(seen) >= 3


def test_reasons_priorities_and_reservations_are_kept(tmp_path):
    header = f"{HEADER}|Reason|Priority|Reservation"
    lines = (f"{job(JobID=1)}|None|4294901758|", f"{job(JobID=2)}|Resources|x|school")
    trace = read_jobs(tmp_path, *lines, header=header)
    assert spelled(trace.reason, 0) == "None"
    assert spelled(trace.reservation, 1) == "school"
    assert trace.priority.tolist() == [4294901758, -1]
    found = match_any(parse_filter("reservation = school and reason ~ Res*"), [Jobs(trace)])
    assert found.tolist() == [False, True]
    assert read_jobs(tmp_path, job()).reason is None


@pytest.mark.parametrize("name", ["NCPUS", "ReqCPUS", "NNodes", "ReqTRES"])
def test_counts_beyond_any_machine(tmp_path, name):
    value = "cpu=999999999999999G" if name == "ReqTRES" else "999999999999999G"
    trace = read_jobs(tmp_path, job(), job(JobID=2, ReqMem="900000Gn", **{name: value}))
    assert 0 < trace.procs.max() <= MAX_CPUS
    assert trace.ram.min() >= -1
