from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import parse_cluster
from engine.quantities import QUANTITIES, Jobs, Missing, Need, Quantity, ShownIn, offered
from engine.quantities.node_sets import NodeSets
from engine.schedule.schedule import NOT_RUN, Decision, Schedule
from engine.trace import Names, Trace
from engine.trace.dependencies import NOBODY
from tests.engine.quantities.naive import said_of
from tests.traces import make_names, make_schedule, make_trace, with_stopped
from tests.views.results import decisions

ROW = st.tuples(
    st.integers(0, 100),  # wait; of every seventh the job is not run
    st.integers(1, 50),  # runtime
    st.integers(1, 9),  # processors
    st.integers(1, 60),  # estimate
    st.integers(-1, 90),  # RAM; fair start; start in the other run
    st.integers(0, 120),  # expected end
)
Row = tuple[int, int, int, int, int, int]


def jobs_of(rows: list[Row]) -> tuple[Jobs, Schedule, list[int]]:
    """Jobs of three users under a schedule, another one, and expected ends."""
    wait, runtime, procs, estimate, other, eet = (list(column) for column in zip(*rows, strict=True))
    users, cluster = [f"u{k % 3}" for k in range(len(rows))], parse_cluster("20x50c~30d/4h")
    trace = make_trace(list(range(len(rows))), runtime, procs, ram=other, user=users, cluster=cluster)
    trace = with_use(trace, wait, other)
    # Some jobs are not run; the others start as late as they wait.
    start = [NOT_RUN if w % 7 == 6 else k + w for k, w in enumerate(wait)]
    # Decisions of all kinds, at times before and after starts: what they mean must not depend on order.
    lines = [(5, k, Decision.BACKFILLED, 0) for k, w in enumerate(wait) if w % 2]
    lines += [
        (max(s, 0), k, Decision.BACKFILLED, w % len(rows))
        for k, (s, w) in enumerate(zip(start, eet, strict=True))
        if w % 3
    ]
    lines += [
        (k + e, k, Decision.RESERVED, k + o) for k, (e, o) in enumerate(zip(estimate, eet, strict=True))
    ]
    lines += [
        (k + o, k, Decision.RESERVED, k + e) for k, (e, o) in enumerate(zip(estimate, eet, strict=True))
    ]
    log = decisions(*sorted(lines, key=lambda row: row[0]))
    schedule = replace(
        make_schedule(trace, start, policy="queues:seed=1", estimate=estimate, log=log),
        fair_start=np.array(other, np.int64),
    )
    # Some jobs were stopped before, by a failure or by another job.
    stops = [(k, k, k + w, 0) for k, w in enumerate(wait) if w % 3 == 2]
    schedule = with_stopped(schedule, *stops) if stops else schedule
    by = np.array([k if k % 2 else -1 for k, *_ in stops], np.int64)
    cancelled_for = np.array([w % 5 - 1 if w % 4 == 1 else NOBODY for w in wait], np.int64)
    schedule = replace(schedule, stopped=replace(schedule.stopped, by=by), cancelled_for=cancelled_for)
    before = make_schedule(trace, other)
    late = np.where(schedule.ran, np.maximum(schedule.end - np.array(eet), 0), 0)
    return Jobs(trace, schedule, late, before, np.array(eet, np.int64)), before, eet


def with_use(trace: Trace, some: list[int], second: list[int]) -> Trace:
    """The trace with what its jobs used, a log that tells all of it."""
    first, two = np.array(some, np.int64), np.array(second, np.int64)
    return replace(
        trace,
        gpus=first % 5 - 1,
        cpu_used=np.where(two < 0, -1.0, first + 0.25),
        ram_used=np.where(first % 4 == 0, -1, two),
        ram_used_bound=first % 3 == 0,
        ram_of_use=first % 5 == 0,
        task_ram=two,
        task_ram_mean=first - 1,
        gpu_used=np.where(two % 2 == 0, -1.0, first / 8),
        gpu_ram_used=two,
        energy=np.where(first % 3 == 1, -1, 1000 * first),
        limited=two % 3 != 0,
    )


@given(st.lists(ROW, min_size=1, max_size=12))
def test_every_quantity_is_what_the_definition_says(rows: list[Row]) -> None:
    jobs, before, eet = jobs_of(rows)
    for job in range(len(jobs)):
        found = said_of(jobs.known_schedule, eet, before, job)
        assert list(found) != []
        assert set(found) == set(QUANTITIES)
        for name, quantity in QUANTITIES.items():
            values, wanted = quantity.values(jobs), found[name]
            if quantity.needs_log and isinstance(values, Missing):
                assert wanted is None, name
                continue
            assert not isinstance(values, Missing)
            if isinstance(values, NodeSets):
                assert values.lists[values.codes[job]] == wanted
            elif isinstance(values, Names):
                assert values.names[values.codes[job]] == wanted
            elif wanted is None:
                assert np.isnan(values[job]), name
            elif quantity.unit == "name":
                assert values[job] == wanted
            else:
                assert values[job] == pytest.approx(float(wanted)), name  # type: ignore[arg-type]


@given(st.lists(ROW, min_size=1, max_size=12))
def test_groups_have_means_sums_or_a_sum_over_a_sum(rows: list[Row]) -> None:
    jobs, before, eet = jobs_of(rows)
    chosen = jobs.known_schedule.ran & (np.arange(len(rows)) % 5 != 4)
    users = jobs.trace.user
    for name in ("wait", "work", "veet", "violated", "wt", "nuwt", "estimate_ratio", "prediction_error"):
        values = QUANTITIES[name].of_each(jobs, chosen, users)
        assert isinstance(values, np.ndarray)
        for code, value in enumerate(values.tolist()):
            own = np.flatnonzero(chosen & (users.codes == code)).tolist()
            facts = [said_of(jobs.known_schedule, eet, before, job) for job in own]
            facts = [fact for fact in facts if fact[name] is not None]
            total = sum(fact[name] for fact in facts)  # type: ignore[misc]
            if name in ("work", "violated", "wt"):
                assert value == total
            elif not facts:
                assert np.isnan(value)
            elif name == "nuwt":
                waits, used = (sum(fact[of] for fact in facts) for of in ("wait", "work"))  # type: ignore[misc]
                assert value == pytest.approx(waits / max(used, 1))
            else:
                assert value == pytest.approx(float(total) / len(facts))


@pytest.mark.parametrize("name", QUANTITIES)
def test_what_lacks_something_is_missing_for_that_reason_and_no_value(name: str) -> None:
    quantity = QUANTITIES[name]
    trace = replace(make_trace([0, 0], [10, 10]), limited=np.zeros(2, np.bool_))
    recorded = Jobs(trace, make_schedule(trace, [0, 5], policy="recorded"))
    every = np.ones(2, np.bool_)
    for jobs, lacking in (
        (Jobs(trace), set(Need)),
        (recorded, set(Need) - {Need.RUN}),
    ):
        reasons = [need.value for need in quantity.needs if need.of_log or need in lacking]
        if reasons:
            assert quantity.values(jobs) == Missing(reasons[0])
            assert quantity.of_run(jobs) == Missing(reasons[0])
            assert quantity.of_each(jobs, every, trace.user) == Missing(reasons[0])
        else:
            assert not isinstance(quantity.values(jobs), Missing)


def test_the_recorded_schedule_has_no_estimates() -> None:
    trace = make_trace([0], [10], walltime=[60])
    jobs = Jobs(trace, make_schedule(trace, [0], policy="recorded"))
    assert str(QUANTITIES["estimate_ratio"].values(jobs)) == "not computed: no estimates"


def test_where_nobody_waited_nobody_was_backfilled_log_or_not() -> None:
    trace = make_trace([0], [10])
    values = QUANTITIES["backfilled"].values(Jobs(trace, make_schedule(trace, [0])))
    assert isinstance(values, np.ndarray)
    assert values.tolist() == [0]


@pytest.mark.parametrize(
    ("place", "names"),
    [
        (
            "filter",
            "job user group queue status procs ram gpus walltime runtime area "
            "node qos reason reservation priority submit start end wait "
            "response slowdown bounded_slowdown late fair_slowdown worth value value_lost payment "
            "estimate prediction_error preempted backfilled passed past cpu_used cpu_efficiency ram_used "
            "ram_basis ram_efficiency task_ram task_ram_mean gpu_used gpu_efficiency gpu_ram_used "
            "walltime_used energy run_energy energy_cost carbon",
        ),
        (
            "colour",
            "user queue size wait slowdown late value_lost estimate prediction_error change passed "
            "cpu_efficiency ram_used ram_efficiency gpu_efficiency walltime_used energy "
            "run_energy",
        ),
        (
            "plot",
            "wait response bounded_slowdown tardiness veet wt fair_slowdown nuwt value_lost payment "
            "estimate_ratio prediction_error passed cpu_used cpu_efficiency ram_used ram_efficiency task_ram "
            "task_ram_mean gpu_used gpu_efficiency gpu_ram_used walltime_used energy "
            "run_energy energy_cost carbon",
        ),
        (
            "table",
            "wait_mean bounded_slowdown_mean veet wt fair_slowdown_mean nuwt value_lost revenue "
            "prediction_error_mean preempted backfilled cpu_used cpu_efficiency ram_efficiency "
            "gpu_efficiency walltime_used energy run_energy energy_cost carbon",
        ),
        (
            "groups",
            "wait_mean bounded_slowdown_mean area violated_jobs veet wt fair_slowdown_mean nuwt value "
            "value_lost revenue prediction_error_mean preempted backfilled cpu_used cpu_efficiency "
            "ram_efficiency gpu_efficiency walltime_used energy run_energy energy_cost carbon",
        ),
        (
            "schedule",
            "job_id user queue walltime submit start end wait procs runtime stopped preempted "
            "backfilled passed past cpu_used cpu_efficiency ram_used ram_basis ram_efficiency task_ram "
            "task_ram_mean gpu_used gpu_efficiency gpu_ram_used energy "
            "run_energy energy_cost carbon",
        ),
        ("spread", "wait response slowdown bounded_slowdown fair_slowdown"),
    ],
)
def test_names_that_files_sessions_and_filters_count_on(place: ShownIn, names: str) -> None:
    assert list(offered(place)) == names.split()


def test_each_says_what_it_is() -> None:
    for name, quantity in QUANTITIES.items():
        assert name == quantity.name
        assert quantity.text == quantity.text.strip().rstrip(".")
        assert quantity.title[0].isupper()
        assert len(quantity.needs) < 2 or quantity.needs[0] is Need.RUN
        # One that needs the log besides a run is of the run, and offered where the log has what it needs.
        assert not quantity.needs_log or quantity.of_log or Need.RUN in quantity.needs


def test_one_that_says_nothing_of_it_is_offered_everywhere_under_its_own_name() -> None:
    quantity = Quantity("age", "Age", "s", "how old it is", lambda jobs: jobs.trace.submit)
    assert quantity.shown == {"filter", "colour", "plot", "table", "groups", "schedule"}
    assert quantity.offer("filter") == quantity.offer("colour") == quantity.offer("plot") == ("age", "Age")
    assert quantity.offer("table") == quantity.offer("groups") == ("age_mean", "Mean age")


def test_what_only_some_logs_tell_is_missing_in_others() -> None:
    trace = make_trace([0, 1], [1, 1])
    jobs = Jobs(trace)
    assert np.isnan(QUANTITIES["gpus"].of(jobs)).all()
    assert QUANTITIES["qos"].of(jobs).names == ("",)
    found = Jobs(replace(trace, gpus=np.array([2, -1]), qos=make_names(["high", "low"])))
    assert QUANTITIES["gpus"].of(found)[0] == 2
    assert np.isnan(QUANTITIES["gpus"].of(found)[1])
    assert QUANTITIES["qos"].of(found).names == ("high", "low")
    assert QUANTITIES["reason"].of(jobs).names == QUANTITIES["reservation"].of(jobs).names == ("",)
    assert np.isnan(QUANTITIES["priority"].of(jobs)).all()
    names = {"reason": make_names(["None", "Priority"]), "reservation": make_names(["", "school"])}
    found = Jobs(replace(trace, priority=np.array([7, -1]), **names))
    assert QUANTITIES["reason"].of(found).names == ("None", "Priority")
    assert QUANTITIES["reservation"].of(found).names == ("", "school")
    assert QUANTITIES["priority"].of(found)[0] == 7


def test_what_jobs_used_by_hand() -> None:
    trace = make_trace([0, 1, 2], [100, 100, 50], [4, 1, 2], walltime=[200, 400, 50], ram=[1000, 10, 100])
    trace = replace(
        trace,
        gpus=np.array([2, 0, 1]),
        recorded_procs=np.array([8, 1, 2]),
        recorded_runtime=np.array([100, 100, 60]),
        cpu_used=np.array([200.0, -1.0, 30.0]),
        ram_used=np.array([500, 20, -1]),
        ram_used_bound=np.array([False, True, False]),
        gpu_used=np.array([1.5, 0.0, 1.0]),
        energy=np.array([3600, -1, 7200]),
        limited=np.array([True, False, True]),
    )
    jobs, every = Jobs(trace), np.ones(3, np.bool_)

    def values(name: str) -> list[float]:
        found = QUANTITIES[name].values(jobs)
        assert isinstance(found, np.ndarray)
        return found.tolist()

    def group(name: str) -> float:
        found = QUANTITIES[name].of_each(jobs, every, trace.user)
        assert isinstance(found, np.ndarray)
        return float(found[0])

    nan = pytest.approx(np.nan, nan_ok=True)
    assert values("cpu_efficiency") == [25, nan, 25]
    assert group("cpu_efficiency") == pytest.approx(100 * 230 / (800 + 120))
    assert group("cpu_used") == 230
    assert values("ram_efficiency") == [50, 200, nan]
    assert group("ram_efficiency") == pytest.approx(100 * (500 * 100 + 20 * 100) / (1000 * 100 + 10 * 100))
    assert values("gpu_efficiency") == [75, nan, 100]
    assert group("gpu_efficiency") == pytest.approx(100 * (1.5 * 100 + 60) / (2 * 100 + 60))
    assert values("walltime_used") == [50, nan, 120]
    assert group("walltime_used") == pytest.approx(100 * 160 / 250)
    assert group("energy") == 10_800
    alone = np.array([False, True, False])  # of whom nothing is known
    for name in ("energy", "cpu_used", "cpu_efficiency"):
        found = QUANTITIES[name].of_each(jobs, alone, trace.user)
        assert np.isnan(found).all()
    basis = QUANTITIES["ram_basis"].values(jobs)
    assert isinstance(basis, Names)
    assert [basis.names[code] for code in basis.codes] == ["measured", "bound", ""]


def test_only_what_a_log_tells_is_offered_of_it() -> None:
    trace = make_trace([0, 1], [1, 1])
    assert "cpu_efficiency" not in offered("colour", trace)
    assert {"user", "wait", "late"} < set(offered("colour", trace))
    found = replace(trace, cpu_used=np.array([1.0, 2.0]), ram_used=np.array([1, 2]))
    assert "cpu_efficiency" in offered("colour", found)
    assert "ram_used" in offered("filter", found)
    assert "ram_efficiency" not in offered("filter", found)  # nobody asked for RAM
    assert "energy" not in offered("filter", found)
    nobody = replace(trace, limited=np.zeros(2, np.bool_))
    assert ("walltime_used" in offered("groups", trace), "walltime_used" in offered("groups", nobody)) == (
        True,
        False,
    )
