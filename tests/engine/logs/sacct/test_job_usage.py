"""What jobs of Slurm used: of their own lines, and folded from their steps."""

import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.logs.read import read_trace
from engine.logs.sacct.steps import SlurmSteps, step_owners
from engine.logs.sacct.usage import USAGE, bytes_of, of_tres, plain, read_usage, seconds
from engine.trace import Trace
from engine.trace.columns import USED
from tests.engine.logs.lines import counts, where
from tests.engine.logs.sacct.documents import document, step, tres
from tests.engine.logs.sacct.documents import job as json_job
from tests.engine.logs.sacct.dumps import HEADER, clock, job, read_jobs
from tests.paths import SHARED, needs

STEPS = SHARED / "other-formats" / "slurm-sacct-header-steps.csv"
WIDE = "|".join((HEADER, *USAGE))


def line(job_id: object, used: dict[str, Any] | None = None, **values: Any) -> str:
    """A line with what was used; of a step what its id says."""
    step = {"User": "", "Partition": "", "Timelimit": ""} if "." in str(job_id) else {}
    own = dict.fromkeys(USAGE, "") | (used or {})
    assert len(own) == len(USAGE), "no such field"
    return "|".join((job(JobID=job_id, **step | values), *map(str, own.values())))


def read(folder: Any, *lines: str) -> Trace:
    return read_jobs(folder, *lines, header=WIDE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("00:15.057", 15.057),
        ("00:00:00", 0),
        ("01:02:03", 3723),
        ("2-03:04:05", 183_845),
        ("12.5", 12.5),
        ("", None),
        ("INVALID", None),
        ("1-02", None),
    ],
)
def test_cpu_times(text, expected):
    for column in (pa.array([text]), pa.array([text.encode()], pa.binary())):
        (found,) = seconds(column).tolist()
        assert found == pytest.approx(expected) if expected is not None else np.isnan(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4408K", 4408 << 10), ("1.5G", 1.5 * (1 << 30)), ("320", 320), ("0", 0), ("", None), ("16?", None)],
)
def test_memory_counts_bytes(text, expected):
    (found,) = bytes_of(pa.array([text])).tolist()
    assert found == expected if expected is not None else np.isnan(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cpu=00:00:07,energy=0,fs/disk=40498,mem=320K,pages=0,vmem=248676K", 320 << 10),
        ("MEM=2M", 2 << 20),
        ("vmem=248676K", None),
        ("mem=18446744073709551614", None),
        ("cpu=1", None),
        ("", None),
    ],
)
def test_one_resource_of_several(text, expected):
    (found,) = of_tres("mem", 1024.0)(pa.array([text.encode()], pa.binary())).tolist()
    assert found == expected if expected is not None else np.isnan(found)


def test_columns_with_repeated_texts_and_energy_in_thousands():
    column = pa.array(["54.16K", "7", None, "54.16K"])
    assert plain(column).tolist()[:2] == [54_160, 7]
    again = read_usage("ConsumedEnergy", column.dictionary_encode())["rounded_energy"]
    assert np.array_equal(again, plain(column), equal_nan=True)


@needs(STEPS)
def test_real_steps():
    trace = read_trace(STEPS)
    assert trace.cpu_used.tolist() == [15.057, 0.804]
    assert trace.ram_used.tolist() == [226, 2]  # 231092K and 1156K of one task
    assert trace.ram_used_bound.tolist() == [True, True]
    assert trace.energy.tolist() == [54_156, 999]  # of the second its step's
    assert (trace.gpu_used, trace.gpu_ram_used) == (None, None)


def test_ram_is_the_most_of_any_step(tmp_path):
    trace = read(
        tmp_path,
        line(1),
        line("1.batch", {"MaxRSS": "10M", "NTasks": 1, "TRESUsageInTot": "cpu=00:00:01,mem=10M"}),
        line("1.0", {"MaxRSS": "300M", "NTasks": 4, "TRESUsageInTot": "mem=1000M"}),
        line("1.1", {"MaxRSS": "500M", "NTasks": 1, "TRESUsageInTot": "mem=500M"}),
        line(2),
        line("2.batch", {"MaxRSS": "10M", "NTasks": 1}),
        line("2.0", {"MaxRSS": "300M", "NTasks": 4, "AveRSS": "250M"}),
        line(3),
        line("3.0", {"MaxRSS": "100M", "NTasks": 4, "TRESUsageInTot": "mem=390M"}),
        line("3.1", {"MaxRSS": "100M", "NTasks": 4}),
        line(4),
        line("4.extern", {"MaxRSS": "0", "NTasks": 1, "TRESUsageInTot": "mem=0"}),
    )
    assert trace.ram_used.tolist() == [1000, 1200, 400, -1]
    assert trace.ram_used_bound.tolist() == [False, True, True, False]
    assert trace.task_ram.tolist() == [500, 300, 100, -1]
    assert trace.task_ram_mean.tolist() == [-1, 250, -1, -1]
    assert where(trace, "ram_used_bound") == (2, (6, 9))


def test_the_largest_task_alone_tells_nothing_of_several(tmp_path):
    header = "|".join((HEADER, "MaxRSS"))
    trace = read_jobs(
        tmp_path,
        f"{job(JobID=1)}|",
        f"{job(JobID='1.batch')}|10M",
        f"{job(JobID=2)}|",
        f"{job(JobID='2.batch')}|10M",
        f"{job(JobID='2.0', NCPUS=4)}|30M",
        f"{job(JobID='3')}|",
        f"{job(JobID='3.0', NCPUS=1)}|30M",
        header=header,
    )
    assert trace.ram_used.tolist() == [10, -1, 30]
    assert trace.ram_used_bound.tolist() == [True, False, True]
    assert where(trace, "ram_used_tasks") == (1, (4,))


def test_cpu_time_is_the_jobs_else_that_of_its_steps(tmp_path):
    trace = read(
        tmp_path,
        line(1, {"TotalCPU": "00:07.925"}),
        line("1.batch", {"TotalCPU": "00:00.462"}),
        line(2, {"TotalCPU": "00:00:00"}),
        line("2.batch", {"TotalCPU": "00:01.5"}),
        line("2.extern", {"TotalCPU": "00:00.25"}),
        line("2.0", {"TotalCPU": "01:00.25"}),
        line(3),
        line("3.0", {"UserCPU": "00:02.5", "SystemCPU": "00:00.5"}),
        line(4, {"TotalCPU": "00:00:00"}),
        line(5),
    )
    assert trace.cpu_used.tolist() == [7.925, 62, 3, 0, -1]


def test_cpu_times_that_are_0_of_all_jobs_were_not_gathered(tmp_path):
    trace = read(tmp_path, line(1, {"TotalCPU": "00:00:00"}), line("1.batch", {"TotalCPU": "00:00:00"}))
    assert trace.cpu_used is None
    assert counts(trace)["no_cpu_used"] == 1


def test_energy_is_the_jobs_else_that_of_its_steps_without_extern(tmp_path):
    trace = read(
        tmp_path,
        line(1, {"ConsumedEnergyRaw": 500, "ConsumedEnergy": "0.50K"}),
        line("1.0", {"ConsumedEnergyRaw": 300}),
        line(2, {"ConsumedEnergyRaw": 0}),
        line("2.batch", {"ConsumedEnergyRaw": 30}),
        line("2.extern", {"ConsumedEnergyRaw": 777}),
        line("2.0", {"ConsumedEnergy": "1.20K"}),
        line(3, {"ConsumedEnergy": "1.20M"}),
        line(4, {"ConsumedEnergyRaw": "18446744073709551614"}),
    )
    assert trace.energy.tolist() == [500, 1230, 1_200_000, -1]


def test_energy_that_was_allocated(tmp_path):
    trace = read_jobs(tmp_path, job(JobID=1, AllocTRES="billing=4,cpu=4,energy=54156,mem=1G"), job(JobID=2))
    assert trace.energy.tolist() == [54_156, -1]
    assert trace.cpu_used is None


def test_gpus_that_were_busy(tmp_path):
    trace = read(
        tmp_path,
        line(1, AllocTRES="cpu=4,gres/gpu=2"),
        line("1.0", {"NTasks": 2, "TRESUsageInTot": "gres/gpumem=17232M,gres/gpuutil=150,mem=1G"}),
        line("1.1", {"NTasks": 2, "TRESUsageInTot": "gres/gpumem=100M,gres/gpuutil=20,mem=1G"}),
        line(2, AllocTRES="cpu=4,gres/gpu=1"),
        line("2.0", {"NTasks": 1, "TRESUsageInTot": "gres/gpumem=0,gres/gpuutil=0,mem=1G"}),
        line(3, AllocTRES="cpu=4,gres/gpu=4"),
        line("3.0", {"NTasks": 4, "TRESUsageInAve": "gres/gpuutil=50", "TRESUsageInMax": "gres/gpuutil=99"}),
        line(4),
    )
    assert trace.gpu_used.tolist() == [1.5, 0, 2, -1]
    assert trace.gpu_ram_used.tolist() == [17_232, -1, -1, -1]


def test_steps_belong_to_the_run_before_them(tmp_path):
    trace = read(
        tmp_path,
        line(7, State="NODE_FAIL"),
        line("7.batch", {"TotalCPU": "00:40"}),
        line("7_1"),
        line("7_1.batch", {"TotalCPU": "00:02"}),
        line(7, Submit=clock(80), Start=clock(90), End=clock(99)),
        line("7.batch", {"TotalCPU": "00:05"}),
        line("8+0"),
        line("8+0.batch", {"TotalCPU": "00:03", "MaxRSS": "3M", "NTasks": 1}),
        line("8+1", NodeList="c2"),
        line("8+1.0", {"TotalCPU": "00:04", "TRESUsageInTot": "mem=4M"}),
    )
    assert trace.job_id.tolist() == ["7_1", "8", "7"]
    assert trace.cpu_used.tolist() == [2, 7, 5]
    assert trace.ram_used.tolist() == [-1, 7, -1]
    assert trace.ram_used_bound.tolist() == [False, True, False]


def steps_of(ids: list[bytes], lines: list[int]) -> SlurmSteps:
    return SlurmSteps(pa.array(ids, pa.binary()), np.array(lines, np.int64), {})


def naive_owners(ids: list[bytes], lines: list[int], steps: list[bytes], at: list[int]) -> list[int]:
    """By the definition: the last job of that id before the step, else the first one."""
    found = []
    for name, line in zip(steps, at, strict=True):
        runs = [(lines[k], k) for k in range(len(ids)) if ids[k] == name.split(b".")[0]]
        before = [run for run in runs if run[0] <= line]
        found.append(max(before)[1] if before else min(runs)[1] if runs else -1)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_owners_of_steps_in_any_order(seed):
    rng = np.random.default_rng(seed)
    jobs = [str(number).encode() for number in rng.integers(0, 6, 9)]
    lines = sorted(rng.choice(100, 9, replace=False).tolist())
    steps = [f"{number}.{k}".encode() for k, number in enumerate(rng.integers(0, 8, 30))]
    at = rng.choice(100, 30, replace=False).tolist()
    found = step_owners(pa.array(jobs, pa.binary()), np.array(lines, np.int64), steps_of(steps, at))
    assert found.tolist() == naive_owners(jobs, lines, steps, at)


def test_steps_without_jobs():
    none = pa.array([], pa.binary())
    assert step_owners(none, np.empty(0, np.int64), steps_of([b"1.0"], [3])).tolist() == [-1]
    assert step_owners(pa.array([b"1"], pa.binary()), np.array([1]), None).tolist() == []


@pytest.mark.parametrize("wrap", [False, True])
def test_json_has_the_same(tmp_path, wrap):
    def amount(value: int) -> Any:
        return {"set": True, "infinite": False, "number": value} if wrap else value

    used = tres(("mem", "", 1000 << 20), ("gres", "gpuutil", 150), ("gres", "gpumem", 3 << 30))
    first_job = json_job(
        steps=[
            # Two fractions of a second, of user and system, make more than a second in sacct's sum.
            step("1.batch" if wrap else "batch", seconds=0, micro=1_500_900, energy=amount(30)),
            step("1.extern" if wrap else "extern", energy=amount(777)),
            step("1.0" if wrap else "0", seconds=2, micro=1_200, energy=amount(70), total=used, tasks=4),
        ]
    )
    two = json_job(job_id=2, steps=[step("batch", most=tres(("mem", "", 30 << 20)), tasks=2)])
    three = json_job(job_id=3, steps=None)
    three["tres"]["allocated"] = [*three["tres"]["allocated"], *tres(("energy", "", 5000))]
    path = tmp_path / "log.json"
    path.write_text(document(first_job, two, three), "utf-8")
    trace = read_trace(path)
    assert trace.cpu_used.tolist() == [3.502, 0, -1]
    assert trace.ram_used.tolist() == [1000, 60, -1]
    assert trace.ram_used_bound.tolist() == [False, True, False]
    assert trace.gpu_used.tolist() == [1.5, -1, -1]
    assert trace.gpu_ram_used.tolist() == [3072, -1, -1]
    assert trace.energy.tolist() == [100, -1, 5000]


def test_the_same_run_from_text_and_json(tmp_path):
    text = read(
        tmp_path,
        line(1, {"TotalCPU": "00:03.502"}, ReqTRES="cpu=4,mem=2048M", AllocTRES="cpu=4,gres/gpu=1,mem=2048M"),
        line("1.batch", {"TotalCPU": "00:01.500", "ConsumedEnergyRaw": 30}),
        line("1.0", {"TotalCPU": "00:02.001", "TRESUsageInTot": "mem=1000M", "NTasks": 4}),
    )
    tree = json_job(
        steps=[
            step("batch", seconds=1, micro=500_900, energy=30),
            step("0", seconds=2, micro=1_200, total=tres(("mem", "", 1000 << 20)), tasks=4),
        ]
    )
    path = tmp_path / "log.json"
    path.write_text(document(tree), "utf-8")
    second = read_trace(path)
    for name in USED:
        first, two = getattr(text, name), getattr(second, name)
        assert (first is None) == (two is None), name
        assert first is None or first.tolist() == two.tolist(), name


@pytest.mark.parametrize(
    "odd",
    [
        {"steps": {"a": 1}},
        {"steps": [7, None, "x"]},
        {"steps": [{"tres": {"requested": {"total": 7, "max": [3, {"type": "mem"}]}}}]},
        {"steps": [{"time": {"total": {"seconds": "x"}}, "tasks": [], "step": {"id": 1e400}}]},
        {"steps": [{"statistics": {"energy": {"consumed": 10**30}}, "tasks": {"count": -5}}]},
    ],
)
def test_odd_steps_of_json_say_nothing(tmp_path, odd):
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"jobs": [json_job(**odd)]}), "utf-8")
    trace = read_trace(path)
    assert len(trace) == 1
    assert all(getattr(trace, name) is None for name in USED)


def naive_amount(text: str, base: float) -> float:
    """By a pattern, a text at a time."""
    match = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]{1,9})?)([KMGTPE]?)B?\s*", text, re.ASCII)
    value = np.nan if match is None else float(match[1]) * base ** (" KMGTPE".index(match[2] or " "))
    return value if value < 1e15 else np.nan


def naive_seconds(text: str) -> float:
    """By splitting it at its marks."""
    if not re.fullmatch(r"(((\d{1,7}-)?\d{1,9}:)?\d{1,9}:)?\d{1,12}(\.\d{1,9})?", text.strip(" "), re.ASCII):
        return np.nan
    days, _, clock_part = text.rpartition("-")
    parts = [float(part) for part in clock_part.split(":")]
    return float(days or 0) * 86_400 + sum(x * 60**k for k, x in enumerate(reversed(parts)))


@given(st.lists(st.text("0123456789.KMG,:-B x", max_size=22), max_size=30))
def test_numbers_are_read_at_once_as_one_by_one(texts):
    column = pa.array([text.encode() for text in texts], pa.binary())
    assert bytes_of(column) == pytest.approx([naive_amount(text, 1024.0) for text in texts], nan_ok=True)
    assert plain(column) == pytest.approx([naive_amount(text, 1000.0) for text in texts], nan_ok=True)
    expected = [naive_seconds(text) for text in texts]
    assert seconds(column) == pytest.approx([x if x < 1e15 else np.nan for x in expected], nan_ok=True)


@given(
    st.lists(st.sampled_from(["mem=", "vmem=", ",", "5", "12K", "0", "gres/gpumem=7M", "cpu=1"]), max_size=8)
)
def test_a_resource_is_found_wherever_it_stands(parts):
    text = "".join(parts)
    match = re.search(r"(?:^|,)\s*mem=([0-9]{1,18})([KM]?)", text)
    expected = float(match[1]) * 1024 ** " KM".index(match[2] or " ") if match else np.nan
    found = of_tres("mem", 1024.0)(pa.array([text.encode()], pa.binary()))
    assert found == pytest.approx([expected], nan_ok=True)
