"""What jobs used, by the accounting of PBS, Grid Engine and LSF."""

import numpy as np
import pytest

from engine.logs.read import read_trace
from engine.quantities import QUANTITIES, Jobs
from engine.trace import Trace
from engine.trace.columns import USED
from tests.engine.logs.formats import lsf, pbs, sge
from tests.engine.logs.lines import counts
from tests.paths import SHARED, needs

SAMPLES = SHARED / "other-formats"


def efficiency(trace: Trace, what: str) -> list[float]:
    found = QUANTITIES[f"{what}_efficiency"].values(Jobs(trace))
    assert isinstance(found, np.ndarray)
    return found.tolist()


def test_pbs(tmp_path):
    used = {"resources_used__cput": "00:02:00", "resources_used__mem": "512000kb"}
    trace = pbs.read_records(
        tmp_path,
        pbs.ended(1, Resource_List__mem="1000mb", **used, resources_used__vmem="9gb"),
        pbs.ended(2),
        pbs.ended(3, resources_used__cput="x", resources_used__mem="0kb"),
    )
    assert trace.cpu_used.tolist() == [120, -1, -1]
    assert trace.ram_used.tolist() == [500, -1, -1]
    assert trace.ram_used_bound is None
    assert efficiency(trace, "cpu")[0] == 50  # of 4 CPUs for a minute
    assert efficiency(trace, "ram")[0] == 50


def test_lsf(tmp_path):
    record = lsf.record(1, used=512_000, asked="rusage[mem=1000]")
    spent = record.replace(" 0" * 19, " 100.5 19.5" + " 0" * 17, 1)
    none = lsf.record(3).replace(" 0" * 19, " -1 -1" + " 0" * 17, 1)
    trace = lsf.read_records(tmp_path, spent, lsf.record(2, used=2048), none)
    assert trace.cpu_used.tolist() == [120, 0, -1]
    assert trace.ram_used.tolist() == [500, 2, -1]
    assert trace.ram.tolist() == [1000, 2, -1]
    assert efficiency(trace, "cpu")[0] == 50
    nothing = pytest.approx(np.nan, nan_ok=True)  # of what was asked for
    assert efficiency(trace, "ram") == [50, nothing, nothing]


def test_grid_engine(tmp_path):
    megabyte = 1 << 20
    own = sge.record(1).replace(":1000:0:0", f":{200 * megabyte}:0:0")
    part = sge.record(2, part="1.c2").replace(":1000:0:0", f":{30 * megabyte}:0:0")
    last = sge.record(2).replace(":1000:0:0", f":{20 * megabyte}:0:0")
    more = f":NONE:NONE:{7 * megabyte}:{6 * megabyte}:host"
    trace = sge.read_records(tmp_path, own, part, part, last, sge.record(3, more=more))
    assert trace.job_id.tolist() == [1, 2, 3]
    assert trace.cpu_used.tolist() == [1.5, 4.5, 1.5]
    assert trace.ram_used.tolist() == [200, 80, 7]
    assert trace.ram_used_bound.tolist() == [True, True, False]
    assert counts(trace)["ram_used_bound"] == 2
    assert counts(trace)["steps"] == 2


def test_records_of_grid_engine_that_end_before_what_was_used(tmp_path):
    short = ":".join(sge.record(1).split(":")[:42])
    trace = sge.read_records(tmp_path, short)
    assert trace.cpu_used.tolist() == [1.5]
    assert trace.ram_used is None


@needs(SAMPLES / "uge-accounting.log")
def test_real_records():
    trace = read_trace(SAMPLES / "uge-accounting.log")
    assert trace.cpu_used.tolist() == [60.13, 198_790.352]
    assert trace.ram_used.tolist() == [181, 638]  # 189153280 virtual, 668106752 resident bytes
    assert trace.ram_used_bound.tolist() == [True, False]
    trace = read_trace(SAMPLES / "lsf-acct.log")
    assert trace.cpu_used.tolist() == [5_793_844.23 + 679.06] * 2
    assert trace.ram_used.tolist() == [10_474] * 2  # 10725376 KB
    assert trace.ram_of_use.all()


def test_logs_that_tell_nothing(tmp_path):
    trace = pbs.read_records(tmp_path, pbs.ended(1))
    assert [name for name in USED if getattr(trace, name) is not None] == []
