"""Metrics of published schedules: KTH-SP2 on 100 processors (Goponenko et al. 2022, tables II and III)."""

import functools

import pytest

from engine.machine.cluster import Cluster
from engine.metrics.compare import change
from engine.metrics.summary import Value, summary
from tests.paths import needs
from tests.published import CHANGES, METRICS, STARTS, printed_change, starts
from tests.traces import make_schedule, make_trace


@functools.cache
def values_of(column: str) -> dict[str, Value]:
    submit, runtime, procs = (starts()[name] for name in ("submit", "runtime", "procs"))
    trace = make_trace(submit, runtime, procs, cluster=Cluster.pool(100))
    return summary(make_schedule(trace, starts()[column]))


@needs(STARTS)
@pytest.mark.parametrize("column", METRICS)
def test_metrics_of_published_schedules(column: str) -> None:
    values = values_of(column)
    assert values["jobs"] == 28_481
    printed = (
        f"{values['bounded_slowdown_mean']:.3f} {values['response_mean']:.1f} "
        f"{values['awf']:.1f} {values['psf2']:.1f}"
    )
    assert printed == METRICS[column]


@needs(STARTS)
@pytest.mark.parametrize(("metric", "policy"), CHANGES)
def test_changes_that_predictions_make(metric: str, policy: str) -> None:
    requested = values_of(f"{policy}:requested")[metric]
    changes = {
        estimate: printed_change(change(values_of(f"{policy}:{estimate}")[metric], requested))
        for estimate in CHANGES[metric, policy]
    }
    assert changes == CHANGES[metric, policy]
