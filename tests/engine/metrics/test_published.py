"""Metrics of published schedules: KTH-SP2 on 100 processors (Goponenko et al. 2022, Table II)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import pytest

from engine.cluster import Cluster
from engine.metrics.summary import summary
from tests.paths import SHARED, needs
from tests.traces import make_schedule, make_trace

if TYPE_CHECKING:
    import pandas as pd

    from engine.trace import Trace

STARTS = SHARED / "reference/kth-sp2-starts.csv.gz"

# Bounded slowdown, response (means, the latter in s), AWF and P2SF in s.
PUBLISHED = {
    "laf-just:actual": (145.631, 19953.8, 69220.5, 211559.4),
    "laf-just:requested": (137.034, 20084.4, 70119.1, 167883.0),
    "laf-aggressive:actual": (141.621, 17488.9, 78295.9, 665863.8),
    "laf-aggressive:requested": (125.394, 16854.8, 78537.4, 384276.8),
    "just:actual": (67.122, 15887.1, 73511.5, 131484.6),
    "just:requested": (101.827, 16796.1, 74724.2, 132225.4),
    "easy:actual": (71.722, 15187.6, 74030.7, 136735.3),
    "easy:requested": (92.688, 15694.5, 75574.0, 140658.6),
    "easy-sjbf:actual": (49.847, 14295.7, 74462.7, 138628.3),
    "easy-sjbf:requested": (69.394, 14763.6, 75570.0, 145626.1),
    "sjf-aggressive:actual": (44.131, 13746.3, 91798.9, 1241311.1),
    "sjf-aggressive:requested": (53.240, 14105.3, 90126.4, 1053925.6),
    "saf-aggressive:actual": (46.364, 13860.0, 92181.7, 1307572.8),
    "saf-aggressive:requested": (59.662, 14504.3, 93717.0, 1292825.5),
    "sjf-just:actual": (22.039, 13002.8, 82216.9, 265910.7),
    "sjf-just:requested": (44.332, 13649.6, 87203.7, 434606.9),
    "saf-just:actual": (20.984, 13143.4, 123766.6, 885937.8),
    "saf-just:requested": (45.113, 15743.1, 219598.2, 4027438.0),
    "saf-easy:actual": (25.544, 13357.6, 116851.9, 763590.8),
    "saf-easy:requested": (39.145, 14511.0, 152781.5, 2480504.6),
    "conservative:actual": (67.122, 15887.1, 73511.5, 131484.6),
    "conservative:requested": (88.997, 16170.5, 75409.6, 135340.5),
    "fcfs:actual": (6814.973, 362636.3, 407311.9, 686308.8),
    "fcfs-aggressive:actual": (71.453, 14579.3, 80688.8, 616731.7),
}


@functools.cache
def starts() -> tuple[pd.DataFrame, Trace]:
    import pandas as pd

    table = pd.read_csv(STARTS)
    submit, runtime, procs = (table[name].to_numpy() for name in ("submit", "runtime", "procs"))
    return table, make_trace(submit, runtime, procs, cluster=Cluster.pool(100))


@needs(STARTS)
@pytest.mark.parametrize("column", PUBLISHED)
def test_metrics_of_published_schedules(column: str) -> None:
    table, trace = starts()
    values = summary(make_schedule(trace, table[column].to_numpy()))
    assert values["jobs"] == 28_481
    names = ("bounded_slowdown_mean", "response_mean", "awf", "psf2")
    measured = [values[name] for name in names]
    assert all(isinstance(value, float) for value in measured)
    printed = tuple(f"{value:.{digits}f}" for value, digits in zip(measured, (3, 1, 1, 1), strict=True))
    assert printed == tuple(f"{v:.{d}f}" for v, d in zip(PUBLISHED[column], (3, 1, 1, 1), strict=True))
