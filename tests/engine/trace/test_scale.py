from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.trace import MISSING, Trace
from engine.trace.read import read_trace
from engine.trace.scale import Scaling, parallelism, parse_scale, scaled
from tests.engine.simulation.workloads import traces
from tests.paths import SHARED, needs
from tests.traces import make_trace

FACTORS = st.sampled_from((0.1, 0.5, 0.7, 0.9, 1.0, 1.5, 2.0, 4.0))


def test_theta_by_hand() -> None:
    trace = scaled(make_trace([100, 103, 110, 111], [5] * 4), Scaling(theta=0.5))
    assert trace.submit.tolist() == [100, 102, 105, 106]  # 1.5, 5 and 5.5 later, halves up
    assert trace.runtime.tolist() == [5] * 4


def test_rho_by_hand() -> None:
    trace = make_trace(
        [0] * 4,
        [10, 9, 3, 7],
        [1, 2, 8, 10],
        walltime=[20, 9, 4, 7],
        ram=[8, MISSING, 20, 10],
        cluster=Cluster.pool(10),
    )
    wide = scaled(trace, Scaling(rho=4))
    assert wide.procs.tolist() == [4, 8, 10, 10]
    assert wide.runtime.tolist() == [3, 2, 2, 7]  # 2.5, 2.25, 2.4, and as it was
    assert wide.walltime.tolist() == [5, 2, 3, 7]
    assert wide.ram.tolist() == trace.ram.tolist()
    assert [wide.tasks[name].tolist() for name in ("count", "cpus", "ram")] == [
        [4, 8, 10, 10],
        [1, 1, 1, 1],
        [2, 0, 2, 1],
    ]


@given(traces(), FACTORS, FACTORS)
def test_all_jobs_by_the_definition(trace: Trace, theta: float, rho: float) -> None:
    found, most = scaled(trace, Scaling(theta, rho)), trace.cluster.cpus
    first = int(trace.submit[0])
    for j in range(len(trace)):
        p, d, wall = int(trace.procs[j]), int(trace.runtime[j]), int(trace.walltime[j])
        wide = max(1, min(most, math.floor(rho * p + 0.5)))
        assert found.submit[j] == first + math.floor(theta * (int(trace.submit[j]) - first) + 0.5)
        assert found.procs[j] == wide
        assert found.runtime[j] == (max(1, math.floor(d * p / wide + 0.5)))
        assert found.walltime[j] == (max(1, math.floor(wall * p / wide + 0.5)))
        rows = slice(found.tasks.offset[j], found.tasks.offset[j + 1])
        assert (found.tasks["count"][rows] * found.tasks["cpus"][rows]).sum() == wide
        if wide == p:  # a cap on the machine changes no job either
            own = slice(trace.tasks.offset[j], trace.tasks.offset[j + 1])
            assert found.tasks["ram"][rows].tolist() == trace.tasks["ram"][own].tolist()
    assert (np.diff(found.submit) >= 0).all()


def test_the_log_s_own_schedule_is_another_log_s() -> None:
    trace = make_trace([0, 10], [5, 5], wait=[0, 3])
    assert trace.has_recorded_schedule
    changed = scaled(trace, Scaling(theta=0.5))
    assert not changed.has_recorded_schedule
    assert changed.name == f"{trace.name}, theta 0.5"
    assert changed.notes[-1].count == 2
    assert scaled(trace, Scaling()) is trace


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("theta=0", "theta cannot be '0'"),
        ("rho=-2", "rho cannot be '-2': it is a number from 0.001 to 1000"),
        ("theta=nan", "theta cannot be"),
        ("rho=1e3", "rho cannot be"),
        ("rho", "rho cannot be ''"),
        ("0.7", "scaled by theta and rho, like theta=0.7,rho=4, not by '0.7'"),
        ("rho=1,rho=2", "rho is given twice"),
    ],
)
def test_what_is_no_scale(text: str, message: str) -> None:
    with pytest.raises(InputError, match=r"theta|rho") as caught:
        parse_scale(text)
    assert message in str(caught.value)


def test_scales_are_spelled() -> None:
    assert str(parse_scale("rho=4, theta=0.70")) == "theta 0.7, rho 4"
    for text in (
        "theta=0.7,rho=4",
        "rho=0.5",
        "theta=2,walltime_cap=12h",
        "walltime_cap=2d;debug:30m",
        "walltime_cap=debug:30m;long:3d",
        "rightsize=0.95",
        "",
    ):
        assert parse_scale(text).spelling == text
    assert parse_scale("") == Scaling()


def test_parallelism() -> None:
    assert parallelism(make_trace([0, 0], [1, 9], [1, 3], cluster=Cluster.pool(20))) == 0.1


HPC2N = SHARED / "traces" / "HPC2N-2002-2.2-cln.swf.gz"


@needs(HPC2N)
def test_parallelism_of_a_log_of_the_paper() -> None:
    log = read_trace(HPC2N)
    assert round(100 * parallelism(log), 2) == 2.64


def test_a_cap_by_hand() -> None:
    trace = make_trace([0] * 3, [10, 50, 70], walltime=[20, 60, 70], wait=[0, 1, 2])
    changed = scaled(trace, Scaling(walltime_cap=45))
    assert changed.walltime.tolist() == [20, 45, 45]
    assert changed.runtime.tolist() == [10, 50, 70]
    assert changed.wait.tolist() == [0, 1, 2], "the log's own schedule stays"
    assert changed.name == f"{trace.name}, walltime cap 45"
    cut, over = changed.notes[-2:]
    assert (cut.rule, cut.count) == ("walltime_cap", 2)
    assert (over.rule, over.count) == ("overruns", 2)
    assert over.text.endswith("left with: 2, 3")


def test_requests_are_cut_to_what_was_used_by_hand() -> None:
    trace = make_trace(
        [0] * 5,
        [10, 20, 30, 40, 7],
        user=["ann", "ann", "ann", "ann", "bob"],
        walltime=[100, 100, 25, 100, 9],
        ram=[80, 80, MISSING, 8, 80],
    )
    trace = replace(trace, ram_used=np.array([10, 20, MISSING, 30, MISSING]))
    changed = scaled(trace, Scaling(rightsize=0.75))
    assert changed.walltime.tolist() == [30, 30, 25, 30, 7]  # the third of four runtimes; bob's only one
    assert changed.ram.tolist() == [30, 30, MISSING, 8, 80]  # the third of three; bob's use is not known
    assert changed.tasks["ram"].tolist() == [30, 30, trace.tasks["ram"][2], 8, 80]
    assert [(note.rule, note.count) for note in changed.notes[-3:]] == [
        ("right_sized", 4),
        ("right_sized_ram", 2),
        ("overruns", 1),
    ]


@given(traces(), st.sampled_from((0.01, 0.5, 0.9, 1.0)))
def test_quantiles_of_users_by_the_definition(trace: Trace, quantile: float) -> None:
    changed = scaled(trace, Scaling(rightsize=quantile))
    for job in range(len(trace)):
        same = trace.user.codes == trace.user.codes[job]
        own = sorted(trace.runtime[same].tolist())
        least = next(one for k, one in enumerate(own, 1) if k >= quantile * len(own))
        assert changed.walltime[job] == min(int(trace.walltime[job]), max(least, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("walltime_cap=12h;30m", "'30m' names no queue"),
        ("walltime_cap=a:1h;a:2h", "each queue is named once"),
        ("walltime_cap=:1h", "each queue is named once"),
        ("walltime_cap=0", "walltime_cap cannot be '0'"),
        ("walltime_cap=x", "cannot read the duration 'x'"),
        ("walltime_cap=1h,walltime_cap=2h", "walltime_cap is given twice"),
        ("rightsize=1.5", "rightsize cannot be '1.5': it is a number from 0.01 to 1"),
    ],
)
def test_what_is_no_change_of_requests(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_scale(text)
    assert message in str(caught.value)


def test_queues_have_caps_of_their_own_like_partitions() -> None:
    trace = make_trace(
        submit=[0] * 5,
        runtime=[10, 50, 90, 20, 70],
        walltime=[100] * 5,
        queue=["short", "long", "short", "other", "long"],
    )
    changed = scaled(trace, parse_scale("walltime_cap=60;short:40;gone:1"))
    assert changed.walltime.tolist() == [40, 60, 40, 60, 60]
    assert changed.runtime.tolist() == trace.runtime.tolist()
    told = {note.rule: note for note in changed.notes}
    assert told["walltime_cap"].count == 5
    assert told["overruns"].count == 2  # the third and the last
    assert "gone" in told["walltime_cap_queues"].text
    only = scaled(trace, Scaling(queue_caps=(("long", 30),)))
    assert only.walltime.tolist() == [100, 30, 100, 100, 30]
