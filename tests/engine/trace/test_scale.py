import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.machine.cluster import Cluster
from engine.trace import MISSING, Trace
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
        "rightsize=0.95;ram",
        "rightsize=0.5;walltime;procs",
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
    assert over.text.endswith("longer than 45: 2, 3")


def test_a_cap_counts_all_jobs_that_run_longer_than_it() -> None:
    """The first overran its walltime already: it runs longer than the cap all the same."""
    trace = make_trace([0] * 4, [90, 50, 45, 10], walltime=[80, 60, 70, 60])
    over = scaled(trace, Scaling(walltime_cap=45)).notes[-1]
    assert over.count == int((trace.runtime > 45).sum()) == 2
    assert over.text == "jobs that run longer than 45: 1, 2"


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
    assert [(note.rule, note.count) for note in changed.notes[-4:]] == [
        ("right_sized_unknown", 5),  # the processors
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
        least = next(value for k, value in enumerate(own, 1) if k >= quantile * len(own))
        assert changed.walltime[job] == min(int(trace.walltime[job]), max(least, 1))


def test_only_what_is_named_is_cut() -> None:
    trace = make_trace([0, 0], [10, 20], 4, walltime=[100, 100], ram=[80, 80])
    trace = replace(trace, ram_used=np.array([10, 20]), cpu_used=np.array([10.0, 40.0]))
    ram = scaled(trace, parse_scale("rightsize=1;ram"))
    assert (ram.ram.tolist(), ram.walltime.tolist(), ram.procs.tolist()) == ([20, 20], [100, 100], [4, 4])
    assert ram.name.endswith(", RAM right-sized at 1")
    both = scaled(trace, parse_scale("rightsize=1;procs;walltime"))
    assert (both.ram.tolist(), both.walltime.tolist(), both.procs.tolist()) == ([80, 80], [20, 20], [2, 2])
    assert both.name.endswith(", walltime and processors right-sized at 1")
    assert str(parse_scale("rightsize=0.9")) == "requests right-sized at 0.9"


def test_processors_are_cut_to_those_that_were_kept_busy_by_hand() -> None:
    """Ann's jobs kept 1, 2, 2 and 4 processors busy: the third is 2, so the last runs longer."""
    trace = make_trace(
        [0] * 6,
        [10, 10, 10, 10, 10, 10],
        [8, 8, 2, 8, 8, 8],
        user=["ann", "ann", "ann", "ann", "bob", "bob"],
        ram=[80] * 6,
        tasks=[
            [(8, 1, 10)],
            [(2, 4, 40)],
            [(2, 1, 40)],
            [(1, 8, 80)],
            [(8, 1, 10)],
            [(1, 4, 10), (4, 1, 10)],
        ],
    )
    trace = replace(trace, cpu_used=np.array([1.0, 20, 20, 40, MISSING, MISSING]))
    changed = scaled(trace, Scaling(rightsize=0.75, rightsized=("procs",)))
    assert changed.procs.tolist() == [2, 2, 2, 2, 8, 8]  # of 1, 2, 2 and 4; Bob's use is not known
    assert changed.tasks["count"].tolist() == [2, 2, 2, 1, 8, 1, 4]
    assert changed.tasks["cpus"].tolist() == [1, 1, 1, 2, 1, 4, 1]
    assert changed.tasks["ram"].tolist() == [40, 40, 40, 80, 10, 10, 10]
    assert changed.runtime.tolist() == [10, 10, 10, 20, 10, 10]
    assert changed.walltime.tolist() == [10] * 6
    assert [(note.rule, note.count) for note in changed.notes[-3:]] == [
        ("right_sized_procs", 3),
        ("right_sized_longer", 1),
        ("overruns", 1),
    ]
    assert changed.notes[-2].text.endswith("kept busy: 4")


@given(traces(), st.sampled_from((0.01, 0.5, 0.9, 1.0)), st.data())
def test_processors_of_users_by_the_definition(trace: Trace, quantile: float, data: st.DataObject) -> None:
    use = st.one_of(st.just(float(MISSING)), st.integers(0, 400).map(float))
    trace = replace(trace, cpu_used=np.array([data.draw(use) for _ in range(len(trace))]))
    changed = scaled(trace, Scaling(rightsize=quantile, rightsized=("procs",)))
    busy = {
        job: min(trace.cpu_used[job] / max(int(trace.recorded_runtime[job]), 1), int(trace.procs[job]))
        for job in range(len(trace))
        if trace.cpu_used is not None and trace.cpu_used[job] >= 0
    }
    for job in range(len(trace)):
        had, has = int(trace.procs[job]), int(changed.procs[job])
        own = sorted(math.ceil(busy[k]) for k in busy if trace.user.codes[k] == trace.user.codes[job])
        rows = slice(trace.tasks.offset[job], trace.tasks.offset[job + 1])
        sizes = list(
            zip(changed.tasks["count"][rows].tolist(), changed.tasks["cpus"][rows].tolist(), strict=True)
        )
        assert sum(count * cpus for count, cpus in sizes) == has
        assert all(count >= 1 and cpus >= 1 for count, cpus in sizes)
        if not own:
            assert has == had
            continue
        wanted = max(next(value for k, value in enumerate(own, 1) if k >= quantile * len(own)), 1)
        assert min(wanted, had) <= has <= had
        if len(sizes) == 1 and sizes[0][1] == 1 and trace.ram[job] <= 0 and trace.tasks["cpus"][rows][0] == 1:
            assert has == min(wanted, had)
        short = has < had and job in busy and busy[job] > has
        longest = math.ceil(int(trace.runtime[job]) * busy[job] / has) if short else int(trace.runtime[job])
        assert changed.runtime[job] == longest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("walltime_cap=12h;30m", "'30m' names no queue"),
        ("walltime_cap=a:1h;a:2h", "each queue is named once"),
        ("walltime_cap=:1h", "each queue is named once"),
        ("walltime_cap=0", "walltime_cap cannot be '0'"),
        ("walltime_cap=x", "cannot read the duration 'x'"),
        ("walltime_cap=1h,walltime_cap=2h", "walltime_cap is given twice"),
        ("rightsize=0.5;gpus", "walltime, ram, procs, each once, can follow, not 'gpus'"),
        ("rightsize=0.5;ram;ram", "each once"),
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
    seen = {note.rule: note for note in changed.notes}
    assert seen["walltime_cap"].count == 5
    assert seen["overruns"].count == 2  # the third and the last
    assert "gone" in seen["walltime_cap_queues"].text
    only = scaled(trace, Scaling(queue_caps=(("long", 30),)))
    assert only.walltime.tolist() == [100, 30, 100, 100, 30]
