from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.machine.power import NodePower, PowerModel, Rates, with_power
from engine.metrics.power import KWH, power_metrics, power_over_time
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.quantities import QUANTITIES, Jobs, Missing
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.recorded_run import recorded_schedule
from engine.simulation.run import simulate
from engine.trace import Pieces, Trace
from tests.engine.metrics import naive_power
from tests.engine.metrics.naive_power import Watts
from tests.traces import make_schedule, make_trace, with_stopped

NODES = PowerModel((NodePower(100, 10, 300, 20),))


def powered(cluster: Cluster, model: PowerModel = NODES) -> Cluster:
    return with_power(cluster, model)


def on_nodes(schedule: Schedule, *rows: tuple[int, int]) -> Schedule:
    """The schedule with each job on one node: node and cores."""
    node, cpus = (np.array(column) for column in zip(*rows, strict=True))
    places = {"node": node, "cpus": cpus, "ram": np.zeros(len(rows), np.int64)}
    return replace(schedule, pieces=Pieces(np.arange(len(rows) + 1), places))


def two_jobs(model: PowerModel = NODES) -> Schedule:
    """Two jobs on two nodes of 4 cores: 3 cores of node 0 from 0 to 100, 1 core of it from 50 to 150."""
    trace = make_trace([0, 10], [100, 100], [3, 1], cluster=powered(parse_cluster("2x4c"), model))
    return on_nodes(make_schedule(trace, [0, 50]), (0, 3), (0, 1))


def test_parts_by_hand() -> None:
    values = power_metrics(two_jobs(), 0, 150)
    # Node 0 always has a job; node 1 never: 100 W for 150 s.
    assert values["energy_idle"] == 15_000 / KWH
    # Above that: 3 cores for 100 s, 1 core for 100 s; and of 100 W of idle power 3 / 4, and 1 / 4.
    assert values["energy_jobs"] == (100 * (30 + 75) + 100 * (10 + 25)) / KWH
    assert values["energy_idle_cores"] == pytest.approx((50 * 25 + 50 * 75) / KWH)
    assert values["energy_off"] == 0
    assert values["energy"] == (2 * 100 * 150 + 100 * 30 + 100 * 10) / KWH
    assert values["power_peak"] == 0.240  # both run
    assert values["power_mean"] == pytest.approx(values["energy"] * KWH / 150 / 1000)
    assert values["energy_cost"] is None
    assert summary(two_jobs())["energy"] == values["energy"]


def test_power_over_time_of_the_machine_and_of_the_shares_of_some_jobs() -> None:
    series = power_over_time(two_jobs())
    assert series.time.tolist() == [0, 50, 100, 150]
    assert series.value.tolist() == [230_000, 240_000, 210_000, 0]
    own = power_over_time(two_jobs(), np.array([False, True]))
    assert (own.time.tolist(), own.value.tolist()) == ([50, 150], [35_000, 0])


def test_rates_at_a_time_and_over_a_span() -> None:
    rates = Rates(np.array([0, 50, 90]), np.array([1.0, 2.0, np.nan]))
    assert [rates.at(time) for time in (0, 49.5, 50)] == [1.0, 1.0, 2.0]
    assert np.isnan([rates.at(-1), rates.at(90)]).all()
    assert rates.rows_of(10, 50) == slice(0, 1), "what begins at the end does not hold before it"
    assert rates.rows_of(10, 51) == slice(0, 2)


def test_what_jobs_take() -> None:
    rates = Rates(np.array([0, 100]), np.array([0.25, -1.0]))
    schedule = two_jobs(replace(NODES, price=rates, carbon=rates))
    jobs = Jobs(schedule.trace, schedule)
    found = [QUANTITIES[name].values(jobs) for name in ("run_energy", "energy_cost", "carbon")]
    assert [np.asarray(values).tolist() for values in found] == [
        [10_500, 3_500],
        [pytest.approx(10_500 * 0.25 / KWH), pytest.approx(35 * (50 * 0.25 - 50) / KWH)],
        [pytest.approx(10_500 * 0.25 / KWH), pytest.approx(35 * (50 * 0.25 - 50) / KWH)],
    ]


def test_cost_and_carbon_by_hand_and_not_over_a_gap() -> None:
    price = Rates(np.array([-10, 50]), np.array([0.2, -0.1]))
    carbon = Rates(np.array([0, 100, 120]), np.array([400.0, np.nan, 400.0]))
    schedule = two_jobs(replace(NODES, price=price, carbon=carbon))
    values = power_metrics(schedule, 0, 150)
    assert values["energy_cost"] == pytest.approx((230 * 50 * 0.2 - (240 * 50 + 210 * 50) * 0.1) / KWH)
    assert values["energy_carbon"] is None, "from 100 to 120 nothing is known"
    assert power_metrics(schedule, 0, 100)["energy_carbon"] == pytest.approx(0.4 * 470 * 50 / KWH)
    assert power_metrics(schedule, -20, 100)["energy_cost"] is None, "the series begins at -10"
    energy = QUANTITIES["carbon"].values(Jobs(schedule.trace, schedule))
    assert np.isnan(np.asarray(energy)).tolist() == [False, True]


def test_nodes_that_are_down_take_their_power_when_off() -> None:
    trace = make_trace([0], [100], [2], cluster=powered(parse_cluster("2x4c")))
    schedule = with_stopped(make_schedule(trace, [60]), (0, 0, 50, 1))  # node 1 is down from 50 to 60
    values = power_metrics(schedule, 0, 160)
    assert values["energy_off"] == 10 * 20 / KWH
    assert values["energy_jobs"] == 150 * (2 * 10 + 50) / KWH
    # Node 0 is idle until 60; node 1 when it is up again.
    assert values["energy_idle"] == pytest.approx((60 * 100 + 100 * 100) / KWH)
    job = QUANTITIES["run_energy"].values(Jobs(trace, schedule))
    assert np.asarray(job).tolist() == [150 * 70], "the stopped run took energy, too"


def test_measured_energy_of_whole_nodes_and_above_idle() -> None:
    def watts(means: str) -> list[float]:
        schedule = two_jobs(replace(NODES, means=means))  # type: ignore[arg-type]
        trace = replace(schedule.trace, energy=np.array([20_000, -1]))  # 200 W for 100 s
        found = QUANTITIES["run_energy"].values(Jobs(trace, replace(schedule, trace=trace)))
        return [value / 100 for value in np.asarray(found).tolist()]

    # Of 200 W of a node 25 W are those of the core that the job did not have.
    assert watts("nodes") == [175, 35]
    assert watts("above-idle") == [275, 35]
    assert watts("ignored") == [105, 35]


def test_in_a_pool_each_processor_is_a_node() -> None:
    trace = make_trace([0, 10], [100, 100], [3, 1], cluster=powered(Cluster.pool(10)))
    values = power_metrics(make_schedule(trace, [0, 50]), 0, 150)
    assert values["energy"] == (10 * 100 * 150 + 400 * 10) / KWH
    assert values["energy_idle"] == (10 * 100 * 150 - 400 * 100) / KWH
    assert values["energy_idle_cores"] == 0


def test_what_is_not_known_is_not_computed() -> None:
    two_kinds = parse_cluster("1x4c+1x8c")
    trace = make_trace([0], [100], [3], cluster=two_kinds, wait=[0])
    nothing = make_schedule(trace, [0])
    assert {summary(nothing)[name] for name in ("energy", "power_peak")} == {None}
    assert str(QUANTITIES["run_energy"].values(Jobs(trace, nothing))) == (
        "not computed: the power of the machine is not known"
    )
    model = PowerModel((NodePower(1, group="4c"),))
    trace = replace(trace, cluster=powered(two_kinds, model))
    one = replace(nothing, trace=trace)
    assert summary(one)["energy"] is None, "of the other group nothing is told"
    assert not len(power_over_time(one).time)
    assert isinstance(QUANTITIES["run_energy"].values(Jobs(trace, one)), Missing)
    # A log that names no nodes: on nodes that are alike the total is known, not which of them are idle.
    alike = powered(parse_cluster("2x4c"))
    recorded = power_metrics(recorded_schedule(replace(trace, cluster=alike), alike), 0, 100)
    assert recorded["energy"] == (200 + 30) * 100 / KWH
    assert (recorded["energy_idle"], recorded["energy_idle_cores"]) == (None, None)
    differ = powered(two_kinds, PowerModel((NodePower(100, 10), NodePower(100, 5, group="8c"))))
    assert power_metrics(recorded_schedule(replace(trace, cluster=differ), differ), 0, 100)["energy"] is None
    assert power_metrics(make_schedule(trace, [NOT_RUN]), 0, 0)["energy"] is None


def test_power_is_no_part_of_what_a_machine_is() -> None:
    plain = parse_cluster("2x4c")
    assert powered(plain) == plain == powered(plain)
    assert powered(plain) != parse_cluster("3x4c")
    assert hash(powered(plain)) == hash(plain)
    # Runs on another machine have the power of its nodes, too.
    schedule = two_jobs()
    more = replace(schedule, cluster=parse_cluster("3x4c"))
    assert power_metrics(more, 0, 150)["energy_idle"] == 2 * 15_000 / KWH


MODEL = PowerModel((NodePower(120, 8, 90, 12, "4x4c2gpu"), NodePower(60, 15, 0, 4)))
WATTS = [Watts(120, 8, 90, 12)] * 4 + [Watts(60, 15, 0, 4)] * 2
CORES = [4] * 4 + [12] * 2

JOB = st.tuples(st.integers(0, 30), st.integers(1, 60), st.integers(1, 9), st.integers(-1, 40_000))
Rows = list[tuple[int, int, int, int]]
Down = list[tuple[int, int, int]]
DOWN = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 90), st.integers(1, 30)), max_size=4)


def random_trace(rows: Rows, gpus: bool, energy: bool, down: Down) -> Trace:
    node, start, lasts = np.array(down, np.int64).reshape(-1, 3).T
    outages = Outages.merged(node, start, start + lasts)
    come, runtime, procs, used = (list(column) for column in zip(*rows, strict=True))
    trace = make_trace(
        np.cumsum(come),
        runtime,
        procs,
        gpus=[k % 3 for k in procs] if gpus else None,
        tasks=None,
        cluster=powered(replace(parse_cluster("4x4c2gpu+2x12c"), failures=outages), MODEL),
    )
    return replace(trace, energy=np.array(used)) if energy else trace


@given(st.lists(JOB, min_size=1, max_size=8), st.booleans(), st.booleans(), DOWN, st.integers(0, 40))
@settings(max_examples=30, deadline=None)
def test_energy_adds_up_as_second_by_second(
    rows: Rows,
    gpus: bool,
    energy: bool,
    down: Down,
    cut: int,
) -> None:
    trace = random_trace(rows, gpus, energy, down)
    schedule = simulate(trace, trace.cluster, parse_policy("easy"))
    begin, end = int(trace.submit[0]), schedule.last_end
    if end <= begin:
        return
    values = power_metrics(schedule, begin, end)
    told = naive_power.energy(schedule, CORES, WATTS, begin, end)
    for name in naive_power.PARTS:
        assert values[f"energy_{name}"] * KWH == pytest.approx(float(told[name]), abs=0.01 * (end - begin))
    parts = [values[f"energy_{name}"] for name in naive_power.PARTS]
    assert values["energy"] == pytest.approx(sum(parts), rel=1e-12)
    assert values["power_peak"] == pytest.approx(float(told["peak"]) / 1e3, abs=1e-4)
    own = np.asarray(QUANTITIES["run_energy"].of_run(Jobs(trace, schedule)))
    assert own.tolist() == pytest.approx(
        [float(told[f"job {job}"]) for job in range(len(trace))], abs=0.01 * (end - begin)
    )
    # The integral of the step function, over a part of the span, too.
    middle = min(begin + cut, end)
    halves = [power_metrics(schedule, *span)["energy"] or 0 for span in ((begin, middle), (middle, end))]
    assert sum(halves) == pytest.approx(values["energy"], rel=1e-12)


def test_time_and_energy_above_a_cap() -> None:
    # Idle 200 W, a busy core 10 W more. The first job of 4 cores is believed to end at 50 and runs until 100,
    # beside the next ones from 50 on: 240 W are 280 W from 50 to 100, under a cap of 250 W.
    cluster = powered(parse_cluster("2x4c"))
    trace = make_trace([0, 50], [100, 100], [4, 4], walltime=[50, 100], cluster=cluster)
    policy = parse_policy("easy:power_cap=0.25")
    schedule = replace(make_schedule(trace, [0, 50]), policy=policy, cluster=trace.cluster)
    values = power_metrics(schedule, 0, 150)
    assert values["cap_passed"] == 50
    assert values["energy_over_cap"] == pytest.approx(30 * 50 / KWH)
    series = replace(NODES, cap=Rates(np.array([20, 60, 80]), np.array([0.23, np.nan, 0.275])))
    trace = replace(trace, cluster=powered(parse_cluster("2x4c"), series))
    schedule = replace(schedule, trace=trace, policy=parse_policy("easy:power_cap=series"))
    values = power_metrics(schedule, 0, 150)
    # 240 W above 230 W from 20 to 50, 280 W from 50 to 60, and above 275 W from 80 to 100.
    assert values["cap_passed"] == 60
    assert values["energy_over_cap"] == pytest.approx((10 * 30 + 50 * 10 + 5 * 20) / KWH)
    plain = replace(schedule, policy=parse_policy("easy"))
    assert power_metrics(plain, 0, 150)["cap_passed"] is None


def test_jobs_within_their_estimates_never_pass_a_cap() -> None:
    trace = make_trace([0, 1, 2, 3], [50, 60, 30, 20], [4, 4, 2, 6], cluster=powered(parse_cluster("4x4c")))
    schedule = simulate(trace, trace.cluster, parse_policy("easy:power_cap=0.47"))
    assert power_metrics(schedule, 0, schedule.last_end)["cap_passed"] == 0


@given(st.lists(JOB, min_size=1, max_size=8), st.integers(1, 40), st.integers(0, 30))
@settings(max_examples=40, deadline=None)
def test_energy_of_nodes_that_are_switched_off(rows: Rows, after: int, boot_s: int) -> None:
    entries = tuple(replace(entry, boot_s=boot_s, boot_w=70 + entry.idle_w) for entry in MODEL.groups)
    model = replace(MODEL, groups=entries)
    cluster = powered(parse_cluster("4x4c2gpu+2x12c"), model)
    trace = replace(random_trace(rows, False, False, []), cluster=cluster)
    schedule = simulate(trace, trace.cluster, parse_policy(f"easy:power_off={after}"))
    begin, end = int(trace.submit[0]), schedule.last_end
    values = power_metrics(schedule, begin, end)
    watts = [each._replace(boot=each.idle + 70) for each in WATTS]
    told = naive_power.energy(schedule, CORES, watts, begin, end, boot_s)
    for name in naive_power.PARTS:
        assert values[f"energy_{name}"] * KWH == pytest.approx(float(told[name]), abs=0.01 * (end - begin))
    parts = [values[f"energy_{name}"] for name in naive_power.PARTS]
    assert values["energy"] == pytest.approx(sum(parts), rel=1e-12)
    assert values["power_peak"] == pytest.approx(float(told["peak"]) / 1e3, abs=1e-4)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.one_of(st.none(), st.integers(-5, 5))), min_size=1, max_size=6),
    st.integers(-8, 40),
    st.integers(0, 40),
)
def test_rates_as_second_by_second(steps: list[tuple[int, int | None]], begin: int, lasts: int) -> None:
    time = np.cumsum([gap for gap, _ in steps])
    rates = Rates(time, np.array([np.nan if value is None else value for _, value in steps], np.float64))

    def at(second: int) -> float:
        known = [value for start, (_, value) in zip(time, steps, strict=True) if start <= second]
        return np.nan if not known or known[-1] is None else known[-1]

    total = sum((at(second) for second in range(begin, begin + lasts)), 0.0)
    found = float(rates.over(np.array([begin]), np.array([begin + lasts]))[0])
    assert found == pytest.approx(total, nan_ok=True)
