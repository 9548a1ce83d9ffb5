"""A frame of the Gantt chart at 1600 x 900, for each kind of rows, at several zooms of time and rows."""

from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from engine.schedule.processors import assign_processors
from tests.benchmarks.logs import CEA_CURIE, easy_on_cea_curie
from tests.paths import needs
from views.data.gantt.data import GanttData, gantt_data
from views.data.gantt.rows import ROW_NAMES, RowKind
from views.raster.request import ALL_ROWS, RenderRequest
from views.theme.palette import Pixels

pytestmark = needs(CEA_CURIE)

PART = (0.3, 0.7)


@cache
def laid_out(kind: RowKind) -> GanttData:
    schedule = easy_on_cea_curie()
    return gantt_data(schedule, assign_processors(schedule), kind)


def frame(data: GanttData, share: float, rows: tuple[float, float]) -> Pixels:
    """The middle `share` of all time, with every job in a colour of its own."""
    schedule = data.schedule
    middle = (schedule.first_submit + schedule.last_end) / 2
    half = (schedule.last_end - schedule.first_submit) * share / 2
    colours = np.arange(len(data.job), dtype=np.uint32) | np.uint32(0xFF000000)
    return data.paint(RenderRequest((middle - half, middle + half), 1600, 900, 1.0, rows), colours, "#ffffff")


@pytest.mark.parametrize("rows", [ALL_ROWS, PART], ids=["all rows", "a part"])
@pytest.mark.parametrize("share", [1.0, 0.1, 0.001])
@pytest.mark.parametrize("kind", ROW_NAMES)
def test_a_frame_cea_curie(
    benchmark: BenchmarkFixture, kind: RowKind, share: float, rows: tuple[float, float]
) -> None:
    data = laid_out(kind)
    pixels = benchmark.pedantic(frame, (data, share, rows), rounds=15, warmup_rounds=2)
    assert pixels.shape == (900, 1600)


@pytest.mark.parametrize("share", [1.0, 0.1])
def test_a_frame_of_another_part_of_the_rows_cea_curie(benchmark: BenchmarkFixture, share: float) -> None:
    """What jobs cover of the pixel rows has to be worked out anew."""
    data = laid_out("processors")
    step = iter(range(10_000))
    benchmark.pedantic(
        lambda part: frame(data, share, part),
        setup=lambda: (((0.3, 0.7 + next(step) * 1e-6),), {}),
        rounds=15,
        warmup_rounds=2,
    )


@pytest.mark.parametrize("kind", ROW_NAMES)
def test_rows_are_laid_out_cea_curie(benchmark: BenchmarkFixture, kind: RowKind) -> None:
    schedule = easy_on_cea_curie()
    boxes = assign_processors(schedule)
    benchmark.pedantic(gantt_data, (schedule, boxes, kind), rounds=3, warmup_rounds=1)
