from pytest_benchmark.fixture import BenchmarkFixture

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.fairness.eet import schedule_eet
from engine.fairness.violations import judge, violation_steps
from engine.logs.read import read_trace
from engine.metrics.loss import loss_of_capacity
from engine.metrics.summary import summary
from engine.policy.share import parse_share
from engine.schedule.processors import assign_processors
from engine.simulation.quality_notes import quality_notes
from tests.benchmarks.logs import CEA_CURIE, as_new, cea_curie, easy_on_cea_curie
from tests.paths import needs

pytestmark = needs(CEA_CURIE)


def test_open_cea_curie(benchmark: BenchmarkFixture) -> None:
    trace = benchmark.pedantic(read_trace, (CEA_CURIE,), rounds=5, warmup_rounds=1)
    assert len(trace) > 290_000


def test_eet_of_all_jobs_cea_curie(benchmark: BenchmarkFixture) -> None:
    schedule = easy_on_cea_curie()
    capacity = parse_share("fair").capacity(schedule.trace, schedule.cluster, schedule)
    eet = benchmark.pedantic(
        schedule_eet,
        setup=lambda: ((as_new(schedule), capacity), {}),
        rounds=10,
        warmup_rounds=1,
    )
    assert (eet >= schedule.trace.submit).all()


def test_all_metrics_cea_curie(benchmark: BenchmarkFixture) -> None:
    schedule = easy_on_cea_curie()
    capacity = parse_share("fair").capacity(schedule.trace, schedule.cluster, schedule)
    violations = judge(schedule, capacity)
    values = benchmark.pedantic(
        summary, setup=lambda: ((as_new(schedule), violations), {}), rounds=10, warmup_rounds=1
    )
    assert values["jobs"] == len(schedule.trace)


def test_loss_of_capacity_cea_curie(benchmark: BenchmarkFixture) -> None:
    schedule = easy_on_cea_curie()
    loss = benchmark.pedantic(
        loss_of_capacity, setup=lambda: ((as_new(schedule), schedule.ran), {}), rounds=10, warmup_rounds=1
    )
    assert loss.demand is not None
    assert 0 < loss.demand < 1


def test_violation_steps_cea_curie(benchmark: BenchmarkFixture) -> None:
    schedule = easy_on_cea_curie()
    violations = judge(schedule, parse_share("1/20").capacity(schedule.trace, schedule.cluster, schedule))
    steps = benchmark.pedantic(
        violation_steps, setup=lambda: ((as_new(schedule), violations), {}), rounds=10, warmup_rounds=1
    )
    assert len(steps.minute)


def test_processors_cea_curie(benchmark: BenchmarkFixture) -> None:
    schedule = easy_on_cea_curie()
    boxes = benchmark.pedantic(
        assign_processors, setup=lambda: ((as_new(schedule),), {}), rounds=5, warmup_rounds=1
    )
    assert boxes.count.sum() == schedule.procs.sum()


def test_quality_notes_cea_curie(benchmark: BenchmarkFixture) -> None:
    trace = cea_curie()
    assert benchmark.pedantic(quality_notes, (trace,), rounds=10, warmup_rounds=1)


def test_audit_cea_curie(benchmark: BenchmarkFixture) -> None:
    """With all that easy promises: two microseconds a job."""
    schedule = easy_on_cea_curie()
    report = benchmark.pedantic(
        audit,
        setup=lambda: ((table_of(schedule), schedule.cluster, schedule.policy), {}),
        rounds=10,
        warmup_rounds=1,
    )
    assert report.clean
    assert report.guarantees is not None
    assert report.guarantees.kept > 1000
