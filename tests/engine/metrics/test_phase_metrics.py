"""Metrics over phases of a site's run: their ranges, and the changes that these explain."""

from dataclasses import replace

import numpy as np
import pytest

from engine.metrics.evaluation import evaluate
from engine.metrics.phase_metrics import PhaseRange, is_explained, ranges_of
from engine.policy.share import Share
from engine.slurm.scheduler.phases import PhaseSpread
from tests.traces import make_schedule, make_trace


def test_a_metric_has_a_range_where_all_phases_have_it() -> None:
    summaries = [
        {"wait_mean": 3.0, "backfilled": 4, "passes": 5},
        {"wait_mean": 1.0, "backfilled": None, "passes": 5},
    ]
    assert ranges_of(summaries) == {"wait_mean": (1.0, 3.0), "passes": (5, 5)}


@pytest.mark.parametrize(
    ("values", "own", "base", "explained"),
    [
        ((10.0, 12.0), PhaseRange(9.0, 11.0), PhaseRange(11.0, 13.0), True),
        ((10.0, 12.0), PhaseRange(9.0, 11.0), PhaseRange(11.5, 13.0), False),
        ((12.0, 10.0), None, PhaseRange(9.0, 12.0), True),  # a run of another policy is its value alone
        ((12.0, 10.0), PhaseRange(11.0, 12.0), None, False),
        ((12.0, 10.0), None, None, False),
        ((10.0, 10.0), PhaseRange(9.0, 11.0), None, False),  # nothing differs
        ((None, 10.0), None, PhaseRange(9.0, 11.0), False),
    ],
)
def test_ranges_that_overlap_explain_a_change(
    values: tuple[float | None, float], own: PhaseRange | None, base: PhaseRange | None, explained: bool
) -> None:
    assert is_explained(*values, own, base) is explained


def test_phases_are_measured_on_the_jobs_that_all_of_them_ran() -> None:
    trace = make_trace([0, 5, 10, 20], [50, 40, 30, 20], [60, 50, 100, 10], user=["a", "b", "a", "c"])
    first = make_schedule(trace, [0, 60, 100, 200])
    later = make_schedule(trace, [0, 90, 160, 230])
    (evaluation,) = evaluate([first], Share(), first)
    ranges = evaluation.over_phases(PhaseSpread(np.stack([first.wait, later.wait]), (later,)))
    (other,) = evaluate([later], Share(), first)
    for name in (
        "wait_mean",
        "bounded_slowdown_p95",
        "tardiness_mean",
        "utilization",
        "jain_wait",
        "makespan",
    ):
        assert sorted(ranges[name]) == sorted((evaluation.summary[name], other.summary[name])), name
    assert ranges["wait_mean"] == (81.25, 111.25)
    lost = make_schedule(trace, [0, 60, -1, 200])
    ranges = evaluation.over_phases(PhaseSpread(np.stack([first.wait, lost.wait]), (lost,)))
    assert ranges["jobs"] == (3, 3)
    assert ranges["wait_mean"] == (pytest.approx(235 / 3), pytest.approx(235 / 3))
    assert evaluation.over_phases(None) == evaluation.over_phases(PhaseSpread(first.wait[None])) == {}
    assert replace(evaluation).over_phases(None) == {}
