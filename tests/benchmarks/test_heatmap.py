"""A frame of the heatmap at 1600 x 900 on CEA-Curie, at several zooms: the goal is 16 ms."""

from functools import cache

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.fairness.violations import UserSteps, violation_steps
from engine.metrics.evaluation import evaluate
from engine.policy.share import parse_share
from engine.simulation.run import reference_schedule
from tests.benchmarks.logs import CEA_CURIE, cea_curie, easy_on_cea_curie
from tests.paths import needs
from views.data.user_order import rows_in_order
from views.data.user_rows import UserRows
from views.data.violation_counts import Aggregate, scale_of
from views.heatmap.chart import paint_counts
from views.raster.request import RenderRequest
from views.theme.theme import LIGHT


@cache
def rows_of_cea_curie() -> tuple[UserSteps, UserRows]:
    """Violations of all its users under `easy`."""
    schedule = easy_on_cea_curie()
    (evaluation,) = evaluate(
        [schedule], parse_share("fair"), reference_schedule(cea_curie(), schedule.cluster, [schedule])
    )
    steps = violation_steps(schedule, evaluation.violations)
    return steps, rows_in_order(cea_curie(), steps.totals, pinned=[1, 2])


@needs(CEA_CURIE)
@pytest.mark.parametrize("picked", [frozenset[int](), frozenset({3})], ids=["all", "picked"])
@pytest.mark.parametrize("aggregate", ["max", "mean"])
@pytest.mark.parametrize("shown", [1.0, 0.1, 0.001])
def test_a_frame(
    benchmark: BenchmarkFixture, shown: float, aggregate: Aggregate, picked: frozenset[int]
) -> None:
    steps, rows = rows_of_cea_curie()
    end = easy_on_cea_curie().last_end
    request = RenderRequest((0.5 * end * (1 - shown), 0.5 * end * (1 + shown)), 1600, 900, 1.0)
    scale = scale_of(aggregate, float(steps.count.max()))
    pixels = benchmark(paint_counts, request, steps, rows, aggregate, scale, picked, LIGHT)
    assert pixels.shape == (900, 1600)
