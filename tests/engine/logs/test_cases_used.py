"""Accounting of real clusters: what jobs had of RAM and GPUs, and that text and JSON give the same trace."""

import gzip
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.logs.read import read_trace
from engine.logs.text.slurm_gpus import gpu_kinds, gpus_of, is_slice
from engine.trace import Trace
from engine.trace.names import Names
from engine.trace.trace import Pieces
from tests.engine.logs.lines import counts, text_of, where
from tests.engine.logs.sacct.documents import document, number
from tests.engine.logs.sacct.documents import job as json_job
from tests.engine.logs.sacct.dumps import HEADER, clock, job, read_jobs
from tests.paths import SHARED

CASES = SHARED / "cases"
REFERENCE = SHARED / "reference" / "slurm"


def there(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return path


def read(path: Path) -> Trace:
    return read_trace(there(path))


def values(column: Any) -> Any:
    """A column of a trace as lists."""
    if isinstance(column, Names):
        return [column.names[code] for code in column.codes]
    if isinstance(column, Pieces):
        return {
            name: values.tolist() for name, values in (("offset", column.offset), *column.columns.items())
        }
    return column.tolist() if isinstance(column, np.ndarray) else column


COLUMNS = [field.name for field in fields(Trace) if field.name not in ("name", "header", "notes", "read_as")]
"""The fields of a trace that its jobs decide, whatever the kind of its file."""


@pytest.mark.parametrize("run", ["", ".run2"])
@pytest.mark.parametrize("cluster", ["fifo", "micro"])
def test_text_and_json_of_real_slurm_give_one_trace(cluster, run, tmp_path):
    with gzip.open(there(REFERENCE / cluster / f"sacct{run}.txt.gz"), "rt", encoding="utf-8") as file:
        (tmp_path / "text.txt").write_text(file.read().replace("|SubmitLine|", "|CommandLine|", 1), "utf-8")
    text = read(tmp_path / "text.txt")  # of this version JSON holds no command lines
    tree = read(REFERENCE / cluster / f"sacct{run}.json.gz")
    assert len(text) > 300
    for name in COLUMNS:
        assert values(getattr(text, name)) == values(getattr(tree, name)), name
    lines = [{note.rule: note.count for note in trace.notes} for trace in (text, tree)]
    lines[0].pop("time_zone", None)  # times of JSON are absolute
    assert lines[0] == lines[1]


@pytest.mark.parametrize(
    ("case", "path", "column", "expected"),
    [
        ("B033", "files/s12-gpu-names.txt", "gpus", [2, 2, 1, 2, 2, 1, 4, 1, 0, 2, 2]),
        ("B111", "files/x04-sacct-v0040.json", "gpus", [2, 0]),
        ("B111", "files/x04-sacct-v0040.json", "ram", [8000, -1]),
        ("RS08", "real-slurm/slurm2205.json", "ram", [4000, 1000, 1000, 1000, 6000]),
        ("RS09", "real-slurm/exclusive.txt", "ram", [8000, 4000, 6000, 12000, 8000]),
        ("B030", "files/s14-arrays.txt", "ram", [8192] * 3 + [16384] * 2),
    ],
)
def test_what_jobs_had(case, path, column, expected):
    assert getattr(read(CASES / path), column).tolist() == expected, case


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        ("gres/gpu=2", 2),
        ("GRES/gpu=2", 2),
        ("gres/GPU:A100=2", 2),
        ("cpu=4,gres/gpu:nvidia:a100=2", 2),
        ("gres/gpu:nvidia:a100=2,gres/gpu=2", 2),
        ("gres/gpu:nvidia:a100:2", 2),
        ("gres/gpu:amd:mi250x=8,gres/gpu:nvidia:h100-sxm5-80gb=1", 9),
        ("gres/gpu:nvidia_geforce_rtx_2080_ti=1", 1),
        ("gres/gpu:1g.10gb=3,gres/gpu:a100=1", 4),
        ("gres/gpu=4,gres/gpu:1g.10gb=3,gres/gpu:a100=1", 4),
        ("gpu:tesla:2(IDX:0,2),mps:100", 2),
        ("gpu:2(S:0-1)", 2),
        ("gpu:(null):2", 2),
        ("gres:gpu:a100:2", 2),
        ("gres/gpu:a100", 1),
        ("gpu", 1),
        ("gres/gpu=0", 0),
        ("gres/gpumem=20G,gres/gpuutil=5,gres/shard=3,gres/mps=50", 0),
    ],
)
def test_names_of_gpus(text, gpus):
    assert gpus_of(text) == gpus


def test_kinds_of_gpus():
    assert gpu_kinds("gres/gpu:Nvidia:A100=2,gres/gpu=2") == {"nvidia:a100": 2, "": 2}
    slices = ("1g.10gb", "a100_3g.20gb", "nvidia_a100_80gb_pcie_1g.10gb", "mig-2g.10gb", "1g.5gb.me")
    assert all(map(is_slice, slices))
    assert not any(map(is_slice, ("a100", "a100_80gb", "h100-sxm5-80gb", "rtx_2080_ti", "")))


def test_slices_of_gpus_are_counted_by_their_kinds(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(JobID=1, AllocTRES="cpu=4,gres/gpu:1g.10gb=2,gres/gpu:3g.40gb=1"),
        job(JobID=2, AllocTRES="cpu=4,gres/gpu=1,gres/gpu:1g.10gb=1"),
        job(JobID=3, AllocTRES="cpu=4,gres/gpu:a100=1"),
        job(JobID=4, ReqTRES="cpu=4,gres/gpu:1g.10gb=4", AllocTRES="cpu=4"),
    )
    assert trace.gpus.tolist() == [3, 1, 1, 4]
    assert where(trace, "gpu_slices") == (3, (2, 3, 5))
    assert text_of(trace, "gpu_slices").endswith(": 7 1g.10gb, 1 3g.40gb")


@pytest.mark.parametrize(
    ("record", "ram"),
    [
        ({"ReqMem": "3000M", "ReqTRES": "mem=3000M,node=1", "AllocTRES": "cpu=6,mem=6000M,node=2"}, 6000),
        ({"ReqMem": "1000Mc", "AllocTRES": "CPU=6,MEM=6000M,node=2"}, 6000),
        ({"ReqMem": "1000Mc", "ReqTRES": "cpu=5,mem=5000M"}, 5000),
        ({"ReqMem": "1000Mc"}, 5000),
        ({"ReqMem": "2Gn"}, 4096),
        ({"ReqMem": "2Gn", "AllocTRES": "cpu=6,mem=2G,node=2"}, 4096),  # old: the amount of a node
        ({"ReqMem": "2Gn", "AllocTRES": "cpu=6,mem=4G,node=2"}, 4096),
        ({"ReqMem": "2G", "AllocTRES": "cpu=6,mem=2G,node=2"}, 2048),
        ({"ReqMem": "2G", "AllocTRES": ""}, 2048),
        ({"ReqMem": "", "AllocTRES": "cpu=6,mem=0"}, -1),
    ],
)
def test_ram_is_what_a_job_was_allocated(tmp_path, record, ram):
    trace = read_jobs(tmp_path, job(**{"ReqCPUS": 5, "NCPUS": 6, "NNodes": 2} | record))
    assert trace.ram.tolist() == [ram]


@pytest.mark.parametrize(
    ("required", "requested", "allocated", "ram"),
    [
        ({"memory": 1000}, 4000, 4000, 4000),  # 22.05: whether it is of a CPU is lost
        ({"memory": 1000}, 4000, None, 4000),
        ({"memory_per_cpu": number(1000)}, None, None, 4000),
        ({"memory_per_cpu": 1000}, None, None, 4000),
        ({"memory_per_node": number(1000)}, 1000, 2000, 2000),
        ({"memory_per_node": number(1000)}, None, None, 1000),
    ],
)
def test_ram_in_json(tmp_path, required, requested, allocated, ram):
    def tres(amount: int | None) -> list[dict[str, Any]]:
        cpus = [{"type": "cpu", "name": "", "id": 1, "count": 4}]
        return cpus if amount is None else [*cpus, {"type": "mem", "name": None, "id": 2, "count": amount}]

    written = json_job(
        required={"CPUs": 4, **required}, tres={"requested": tres(requested), "allocated": tres(allocated)}
    )
    path = tmp_path / "log.json"
    path.write_text(document(written), "utf-8")
    assert read_trace(path).ram.tolist() == [ram]


QUEUED = {"Submit": clock(80), "NodeList": "None assigned", "NCPUS": 0, "NNodes": 0, "Elapsed": "00:00:00"}


@pytest.mark.parametrize(
    "last",
    [
        {"State": "CANCELLED by 1001", "Start": "Unknown", "End": clock(90)},
        {"State": "CANCELLED", "Start": "None", "End": clock(90)},
        {"State": "CANCELLED by 1001", "Start": clock(90), "End": clock(90)},  # as many versions write it
        {"State": "DEADLINE", "Start": clock(90), "End": clock(90)},
    ],
)
@pytest.mark.parametrize(
    ("state", "status"), [("NODE_FAIL", 0), ("PREEMPTED", 0), ("REQUEUED", 5), ("CANCELLED", 5)]
)
def test_a_job_that_was_cancelled_in_the_queue_again_keeps_its_run(tmp_path, state, status, last):
    runs = [job(JobID=7, State=state), job(**{"JobID": 7} | QUEUED | last)]
    for lines in (runs, runs[::-1]):
        trace = read_jobs(tmp_path, *lines, job(JobID=8))
        assert trace.job_id.tolist() == [7, 8]
        assert (trace.wait[0], trace.runtime[0], trace.procs[0], trace.status[0]) == (10, 60, 4, status)
        assert where(trace, "requeued") == (1, (3 if lines is runs else 2,))


def test_the_last_of_several_runs_is_kept(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(JobID=7, State="NODE_FAIL"),
        job(JobID=7, State="REQUEUED", Submit=clock(70), Start=clock(80), End=clock(100)),
        job(**{"JobID": 7, "State": "CANCELLED", "Start": "Unknown", "End": clock(200)} | QUEUED),
    )
    assert (trace.runtime.tolist(), trace.wait.tolist()) == ([20], [10])


def test_a_run_that_took_no_time_is_still_the_last(tmp_path):
    trace = read_jobs(
        tmp_path,
        job(JobID=7, State="NODE_FAIL"),
        job(JobID=7, State="FAILED", Start=clock(80), End=clock(80), Elapsed="00:00:00"),
        job(JobID=8),
    )
    assert trace.job_id.tolist() == [8]
    assert counts(trace)["drop_no_runtime"] == 1


def test_a_job_cancelled_in_the_queue_has_no_run(tmp_path):
    line = job(**{"JobID": 7, "State": "CANCELLED", "Start": clock(90), "End": clock(90)} | QUEUED)
    trace = read_jobs(tmp_path, line, job(JobID=8), header=HEADER)
    assert trace.job_id.tolist() == [8]
