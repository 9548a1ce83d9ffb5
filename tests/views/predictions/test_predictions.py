"""How predicted starts came true: shares and boxes by hand, what the panel and the figure show of them."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from engine.errors import InputError
from engine.schedule.schedule import Decision
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.figures.samples import drawn
from tests.views.results import decisions, make_result
from views.data.prediction_errors import PUBLISHED, WAITS, prediction_errors_of
from views.data.results import Result
from views.data.shown_runs import ShownRuns
from views.plot.layers import Labels
from views.plot.plot import EmptyPlot
from views.plotting.run_plots_panel import RunPlotsPanel
from views.predictions.plots import ErrorsPlot, SharesPlot, prediction_plots
from views.predictions.spec import PREDICTIONS
from views.theme.theme import LIGHT

HOUR = 3600
STARTS = (0, 300, 300, 2 * HOUR, 2 * HOUR, 30 * HOUR)
TOLD = (None, 1300, 300, 3 * HOUR, HOUR, 20 * HOUR)


def result(policy: str = "plan") -> Result:
    """All come at 0: one starts at once, two wait 5 min, two 2 h, and one 30 h."""
    trace = make_trace([0] * 6, [10] * 6)
    log = decisions(
        *((0, job, Decision.RESERVED, expected) for job, expected in enumerate(TOLD) if expected is not None)
    )
    return make_result(trace, list(STARTS), policy=policy, log=log)


def shown(context: ViewContext, results: list[Result]) -> RunPlotsPanel:
    assert PREDICTIONS.make is not None
    panel = PREDICTIONS.make(context, LIGHT, None)  # type: ignore[arg-type]
    assert isinstance(panel, RunPlotsPanel)
    context.qtbot.addWidget(panel)
    panel.resize(900, 400)
    panel.show()
    panel.set_results(results)
    context.settle(panel)
    return panel


def test_shares_and_boxes_by_hand() -> None:
    (errors,) = prediction_errors_of([result(), result("fcfs")])
    assert errors.shares == pytest.approx((100 / 3, 100 / 3, 100 / 3))
    medians = [None if box is None else box.median for box in errors.boxes]
    assert medians == [-500.0, None, 0.0, None, 10.0 * HOUR]
    counts = [0 if box is None else box.count for box in errors.boxes]
    assert counts == [2, 0, 2, 0, 1]  # who did not wait is in none
    measured = replace(result(), jobs=np.arange(6) >= 3)
    (errors,) = prediction_errors_of([measured])
    assert errors.shares == pytest.approx((100 / 3, 0.0, 200 / 3))
    assert errors.boxes[0] is None
    assert sum(PUBLISHED) == pytest.approx(100.0)


def test_a_class_of_waits_begins_at_the_end_of_the_one_before() -> None:
    trace = make_trace([0] * 2, [10] * 2)
    log = decisions((0, 0, Decision.RESERVED, 5), (0, 1, Decision.RESERVED, 5))
    (errors,) = prediction_errors_of([make_result(trace, [599, 600], policy="plan", log=log)])
    assert [box is not None for box in errors.boxes] == [True, True, False, False, False]
    assert [name for _, name in WAITS][:2] == ["under 10 min", "10 min to 1 h"]


def test_the_panel_tells_what_is_under_the_mouse(context: ViewContext) -> None:
    other = replace(result(), run_id=7)
    panel = shown(context, [result(), other])
    shares, errors = panel.charts
    assert isinstance(shares.plot, SharesPlot)
    area = shares.area
    x, y = area.xs(np.array([shares.plot.place(1, 0)]))[0], area.ys(np.array([10.0]))[0]
    reading = shares.read(QPointF(x, y))
    assert reading is not None
    assert reading.text.split("\n") == ["plan", "early: 33.3 %", "on time: 33.3 %", "late: 33.3 %"]
    assert isinstance(errors.plot, ErrorsPlot)
    area = errors.area
    middle = errors.plot.place(4, 1)
    reading = errors.read(QPointF(area.xs(np.array([middle]))[0], area.rect.center().y()))
    assert reading is not None
    assert reading.text.split("\n") == [
        "plan, waited 1 d or longer",
        *(f"{name}: 10 h" for name in ("maximum", "upper quartile", "median", "lower quartile", "minimum")),
        "1 job",
    ]
    empty = errors.read(QPointF(area.xs(np.array([errors.plot.place(1, 0)]))[0], area.rect.center().y()))
    assert empty is not None
    assert empty.text.endswith("no job with a prediction")
    assert errors.read(QPointF(area.rect.left() + 1, area.rect.center().y())) is None


def test_without_predictions_it_is_reported_how_to_get_some(context: ViewContext) -> None:
    plots = prediction_plots([result("fcfs")])
    assert all(isinstance(plot, EmptyPlot) and "add a policy" in plot.words.message for plot in plots)
    panel = shown(context, [])
    assert panel.empty.isVisible()
    assert PREDICTIONS.show is not None
    PREDICTIONS.show(panel, ShownRuns())
    with pytest.raises(InputError, match="No shown run predicts starts"):
        drawn("predictions", [result("fcfs")])


@pytest.mark.parametrize("below", [0.0, 1.0, 5.0, 20.0])
def test_the_published_line_runs_through_no_number(below: float) -> None:
    plot, _ = prediction_plots([result()])
    assert isinstance(plot, SharesPlot)
    shares = tuple(share - below for share in PUBLISHED)
    plot = replace(plot, runs=[replace(plot.runs[0], shares=shares)])
    (labels,) = [layer for layer in plot.layers(LIGHT) if isinstance(layer, Labels)]
    high = 0.1 * plot.y.full_range[1]
    assert not any(y < line < y + high for y, line in zip(labels.y, PUBLISHED, strict=True))
    assert [float(text) for text in labels.texts] == pytest.approx(shares, abs=0.5)
    assert all(("." in text) == (share < 10) for text, share in zip(labels.texts, shares, strict=True))


def test_the_figure_has_the_runs_that_predict_starts() -> None:
    figure = drawn("predictions", [result("fcfs"), result(), replace(result("easy"), run_id=7)])
    shares, errors = figure.axes
    heights = [bar.get_height() for bar in shares.patches]  # type: ignore[attr-defined]
    assert heights == pytest.approx([100 / 3] * 6)
    assert len(errors.patches) == 12  # three boxes a run, each on a ground
    assert [tick.get_text() for tick in shares.get_xticklabels()] == ["early", "on time", "late"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["plan", "easy"]
