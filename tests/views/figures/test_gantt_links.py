"""Lines from the selected job in Gantt figures, as the chart in the window draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.machine.cluster import Cluster
from engine.schedule.schedule import Decision
from tests.traces import make_trace
from tests.views.figures.samples import HOUR, texts, with_image
from tests.views.results import decisions, make_result
from views.data.gantt.look import GanttLook
from views.data.gantt.shown_layers import GanttLayers
from views.data.results import Result
from views.figures.gantt import gantt_figure
from views.figures.page_settings import Sheet, drawn_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOTHING = GanttLayers(shift=False)


@pytest.fixture(scope="module")
def two_runs() -> list[Result]:
    """On eight processors: job 3 goes past job 2 in the first run, and waits for it in the second."""
    trace = make_trace([0, HOUR, HOUR], [4 * HOUR, 3 * HOUR, 2 * HOUR], [6, 8, 2], cluster=Cluster.pool(8))
    found = decisions((HOUR, 1, Decision.RESERVED, 4 * HOUR), (HOUR, 2, Decision.BACKFILLED, 1))
    return [
        make_result(trace, [0, 4 * HOUR, HOUR], 1, "easy", log=found),
        make_result(trace, [0, 4 * HOUR, 7 * HOUR], 2, "fcfs"),
    ]


def picked(runs: list[Result], job: int, layers: GanttLayers) -> Figure:
    return gantt_figure(runs, look=GanttLook(job=job, layers=layers))


def arrows(axes: Axes) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Where arrows begin and end, without their borders."""
    from matplotlib.patches import FancyArrowPatch

    found = [tuple(patch._posA_posB) for patch in axes.findobj(FancyArrowPatch)]
    assert found[::2] == found[1::2]
    return found[1::2]


def ghosts(axes: Axes) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of what is drawn in dashes."""
    from matplotlib.patches import Rectangle

    dashed = [patch for patch in axes.findobj(Rectangle) if patch.get_linestyle() == "--"]
    return [(*patch.get_bbox().intervalx, *patch.get_bbox().intervaly) for patch in dashed]


def test_the_selected_job_has_its_places_in_other_runs(two_runs: list[Result]) -> None:
    figure = picked(two_runs, 2, GanttLayers())
    first, second = with_image(figure)
    assert ghosts(first) == [(7 * HOUR, 9 * HOUR, 6, 8)]
    assert arrows(first) == [((7 * HOUR, 7), (HOUR, 7))]
    assert arrows(second) == [((HOUR, 1), (7 * HOUR, 1))]
    written = texts(figure)
    assert "Job 3: 6 h earlier than fcfs" in written
    assert "Job 3: 6 h later than easy" in written
    assert not arrows(with_image(picked(two_runs, 0, GanttLayers()))[0])  # its start is the same in both


@pytest.mark.parametrize("job", [1, 2])
def test_arrows_lead_to_the_job_that_was_overtaken(two_runs: list[Result], job: int) -> None:
    figure = picked(two_runs, job, GanttLayers(shift=False, backfilled=True))
    first, second = with_image(figure)
    assert arrows(first) == [((HOUR, 7), (4 * HOUR, 4))]
    assert not arrows(second)
    assert f"Job {job + 1}: {'went past job 2' if job == 2 else '1 job went past it'}" in texts(figure)


def test_layers_that_are_off_are_not_drawn_and_captions_can_be_left_out(two_runs: list[Result]) -> None:
    figure = picked(two_runs, 2, NOTHING)
    assert not any(arrows(axes) or ghosts(axes) for axes in with_image(figure))
    assert not any(text.startswith("Job 3") for text in texts(figure))
    with drawn_on(Sheet(captioned=False)):
        figure = picked(two_runs, 2, GanttLayers())
    assert arrows(with_image(figure)[0])
    assert not any(text.startswith("Job 3") for text in texts(figure))


def test_a_narrow_plot_has_a_wording_that_fits(two_runs: list[Result]) -> None:
    with drawn_on(Sheet(width=1.5)):
        written = texts(picked(two_runs, 2, GanttLayers()))
    assert "Earlier than 1 run" in written


def test_a_job_of_another_trace_is_not_drawn(two_runs: list[Result]) -> None:
    assert not arrows(with_image(picked(two_runs, 99, GanttLayers()))[0])
