import gzip
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.export.output import write_table
from engine.logs.read import read_trace
from engine.logs.tables.columns import ColumnMap
from engine.machine.cluster import Cluster
from engine.trace import Trace
from engine.trace.convert import BATSIM, SWF, TABLE, left_out, trace_table, write_batsim, write_swf
from engine.trace.gpu_tasks import tasks_with_gpus
from engine.trace.status import COMPLETED, FAILED
from tests.engine.logs.lines import counts
from tests.engine.logs.sacct.dumps import job, read_jobs
from tests.traces import make_trace

WHOLE = {"clamp_procs": False, "clamp_runtime": False}
KEPT = ("submit", "wait", "recorded_runtime", "walltime", "procs", "recorded_procs", "status")
NAMES = ("user", "group", "queue", "executable")


def spelled(column):
    return [column.names[code] for code in column.codes]


def written(trace: Trace, path):
    if path.suffix in (".swf", ".gz"):
        write_swf(trace, path)
    elif path.suffix == ".json":
        write_batsim(trace, path)
    else:
        write_table(trace_table(trace), path)
    return read_trace(path, clean=WHOLE, cluster=trace.cluster)


@st.composite
def traces(draw) -> Trace:
    n = draw(st.integers(1, 12))

    def ints(low, high):
        return draw(st.lists(st.integers(low, high), min_size=n, max_size=n))

    procs, runtime = ints(1, 9), ints(1, 99)
    # RAM in multiples of the processors, as SWF has it for each processor: it has to come back exactly.
    trace = make_trace(
        sorted(ints(0, 999)),
        runtime,
        procs,
        walltime=[d + extra for d, extra in zip(runtime, ints(0, 9), strict=True)],
        user=draw(st.lists(st.sampled_from(["ann", "7", "b,c", 'd "e"']), min_size=n, max_size=n)),
        queue=draw(st.lists(st.sampled_from(["1", "2"]), min_size=n, max_size=n)),
        ram=[share * r if share > 0 else -1 for share, r in zip(ints(-1, 5), procs, strict=True)],
        wait=ints(-1, 9),
        recorded_procs=ints(1, 20),
    )
    return replace(trace, status=np.array(ints(-1, 5)), gpus=np.array(ints(0, 2)))


@pytest.mark.parametrize("name", ["t.swf", "t.swf.gz", "t.csv", "t.parquet"])
@given(trace=traces())
def test_what_a_format_can_hold_comes_back(name, trace, tmp_path_factory):
    again = written(trace, tmp_path_factory.getbasetemp() / name)
    for column in (*KEPT, "ram"):
        assert getattr(again, column).tolist() == getattr(trace, column).tolist(), column
    assert again.job_id.tolist() == trace.job_id.tolist()
    lost = "swf" in name or not trace.gpus.any()  # a column without any GPU says nothing
    tasks = trace.tasks if lost else tasks_with_gpus(trace.tasks, trace.gpus)
    assert ("gpu" in again.tasks.columns) == (not lost)
    for column in ("count", "cpus") if lost else ("count", "cpus", "gpu"):
        assert again.tasks[column].tolist() == tasks[column].tolist()
    if "swf" not in name:
        for column in NAMES:
            assert spelled(getattr(again, column)) == spelled(getattr(trace, column))
        assert again.gpus is None or again.gpus.tolist() == trace.gpus.tolist()


@given(trace=traces())
def test_a_workload_of_batsim_comes_back(trace, tmp_path_factory):
    again = written(trace, tmp_path_factory.getbasetemp() / "t.json")
    assert again.submit.tolist() == (trace.submit - trace.submit[0]).tolist()
    for column in ("recorded_runtime", "walltime", "procs", "job_id"):
        assert getattr(again, column).tolist() == getattr(trace, column).tolist()
    assert again.status.tolist() == np.where(trace.status == FAILED, FAILED, COMPLETED).tolist()
    neither = np.count_nonzero((trace.status != FAILED) & (trace.status != COMPLETED))
    said = [text for text in left_out(trace, BATSIM) if text.startswith("the status of ")]
    assert [int(text.split()[3]) for text in said] == ([neither] if neither else [])


def test_a_packed_workload_is_json(tmp_path):
    path = tmp_path / "w.json.gz"
    write_batsim(make_trace([5, 7], [60, 61], 2, cluster=Cluster.pool(8)), path)
    document = json.loads(gzip.decompress(path.read_bytes()))
    assert document["nb_res"] == 8
    assert [entry["subtime"] for entry in document["jobs"]] == [0, 2]
    assert document["profiles"] == {
        "60": {"type": "delay", "delay": 60},
        "61": {"type": "delay", "delay": 61},
    }
    assert read_trace(path).cluster == Cluster.pool(8)


def test_tables_keep_how_jobs_are_split(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(
            JobID="1_2",
            NCPUS=7,
            ReqCPUS=7,
            NNodes=3,
            ReqMem="1000M",
            ReqTRES="cpu=7,node=3",
            NodeList="c[1-3]",
            QOS="high",
        ),
        job(JobID="1_3", NCPUS=8, ReqCPUS=8, NNodes=2, ReqTRES="gres/gpu=2", NodeList="c[2-3]"),
    )
    again = written(trace, tmp_path / "t.csv")
    assert again.job_id.tolist() == ["1_2", "1_3"]
    for column in ("count", "cpus", "ram"):
        assert again.tasks[column].tolist() == trace.tasks[column].tolist()
    assert left_out(trace, TABLE) == (
        "on which nodes jobs ran",
        "qualities of service",
        f"the nodes of its machine, {trace.cluster}",
    )
    assert left_out(trace, SWF) == (
        "job ids that are not numbers: jobs are numbered from 1",
        "names, other than in the header: records have their numbers",
        "RAM to the MiB: that of a processor is rounded up",
        "task groups: what has to fit inside one node",
        "on which nodes jobs ran",
        "GPUs",
        "qualities of service",
        f"the nodes of its machine, {trace.cluster}",
    )
    assert "GPUs" in left_out(trace, BATSIM)


def test_tables_keep_tasks_that_lie_anywhere(tmp_path):
    """And on how many nodes the job ran, which is another number."""
    trace = read_jobs(
        tmp_path,
        job(NCPUS=14, ReqCPUS=14, NNodes=2, ReqMem="1000M", ReqTRES="cpu=14,node=1", NodeList="c[1-2]"),
        job(JobID=2, NCPUS=9, ReqCPUS=9, NNodes=1, NodeList="c1"),
    )
    columns = dict(trace_table(trace))
    assert columns["nodes"].tolist() == [2, 1]
    assert columns["tasks"].tolist() == [14, 1]
    again = written(trace, tmp_path / "t.csv")
    assert again.tasks["count"].tolist() == [14, 1]
    assert again.tasks["cpus"].tolist() == [1, 9]
    assert "task groups of 1 job" not in left_out(trace, TABLE)


def test_a_log_without_nodes_tells_tasks_alone(tmp_path):
    trace = make_trace([0, 0], [1, 1], [3, 1])
    columns = dict(trace_table(trace))
    assert columns["nodes"].tolist() == [None, 1]
    assert columns["tasks"].tolist() == [3, 1]


def test_uneven_task_groups_are_counted():
    trace = make_trace([0, 0], [1, 1], [4, 2], tasks=[[(1, 1, 5), (1, 3, 5)], [(1, 2, 0)]])
    assert "task groups of 1 job" in left_out(trace, TABLE)


def test_dates_are_kept_or_reported(tmp_path):
    trace = make_trace([0], [10], zero=1_600_000_000, cluster=Cluster.pool(100))
    assert written(trace, tmp_path / "t.swf").zero == 1_600_000_000
    assert written(trace, tmp_path / "t.csv").submit.tolist() == [1_600_000_000]
    assert "when the first job was submitted: that is second 0" in left_out(trace, BATSIM)
    assert left_out(trace, SWF) == ("names, other than in the header: records have their numbers",)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_what_jobs_used_is_kept_in_tables(tmp_path, suffix):
    used = {
        "cpu_used": np.array([7200.25, -1.0, 0.5]),
        "ram_used": np.array([4096, 12, -1]),
        "ram_used_bound": np.array([False, True, False]),
        "ram_of_use": np.array([False, False, True]),
        "task_ram": np.array([100, -1, 7]),
        "task_ram_mean": np.array([50, -1, 7]),
        "gpu_used": np.array([1.5, 0.0, -1.0]),
        "gpu_ram_used": np.array([9, -1, -1]),
        "energy": np.array([3600, 1, -1]),
    }
    trace = replace(make_trace([0, 1, 2], [9, 9, 9], wait=[0, 0, 0]), **used)
    again = written(trace, tmp_path / f"log{suffix}")
    for name, column in used.items():
        assert getattr(again, name).tolist() == column.tolist(), name
    said = (
        "what jobs used: CPU time used, RAM used, RAM of its largest task, RAM of its mean task, GPUs busy, "
        "RAM of GPUs used, energy"
    )
    assert said not in left_out(trace, TABLE)
    assert said in left_out(trace, SWF)
    assert said in left_out(trace, BATSIM)
    plain = written(make_trace([0], [9]), tmp_path / f"plain{suffix}")
    assert all(getattr(plain, name) is None for name in used)


def test_units_of_what_jobs_used(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("submit,runtime,procs,cpu,mem peak,kWh\n0,60,2,1.5,2048,0.5\n5,60,2,,x,\n", "utf-8")
    roles = {"submit": "submit", "runtime": "runtime", "procs": "procs"}
    used = {"cpu_used": "cpu", "ram_used": "mem peak", "energy": "kWh"}
    columns = ColumnMap(roles | used, {"cpu_used": "min", "ram_used": "kb", "energy": "kwh"})
    trace = read_trace(path, columns=columns)
    assert trace.cpu_used.tolist() == [90, -1]
    assert trace.ram_used.tolist() == [2, -1]
    assert trace.energy.tolist() == [1_800_000, -1]
    assert counts(trace)["unreadable_cell"] == 1
