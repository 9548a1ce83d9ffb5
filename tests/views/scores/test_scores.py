"""The radar of scores and the bars of relative gains, as they are seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from tests.traces import make_trace
from tests.views.context import colour_at
from tests.views.results import make_result
from views.data.results import Result
from views.data.scores import Scores
from views.figures import gains_figure, radar_figure
from views.scores.page import ScoresPage
from views.scores.radar import wrapped
from views.theme.palette import run_colour
from views.theme.theme import DARK, LIGHT, tick_font

TRACE = make_trace([0, 60], [3600, 3600], 60)
PAPER = {  # Tang et al. 2013, table 2: wait in minutes, unfair jobs, loss of capacity in %
    "easy": (245.2, 10, 15.7),
    "metric:bf=0.5,window=4": (70.4, 49, 13.9),
    "tuned-2d": (71.3, 19, 12.1),
}


def run(run_id: int, policy: str, **values: float | None) -> Result:
    result = make_result(TRACE, [0, 3600], run_id, policy)
    summary: Mapping[str, float | int | None] = {**result.summary, **values}
    return replace(result, measure=lambda: summary)


def paper(unfair: bool = True) -> list[Result]:
    return [
        run(
            number + 1,
            policy,
            wait_mean=60 * wait,
            unfair_jobs=jobs if unfair else None,
            loss_of_capacity_fit=loss / 100,
            bounded_slowdown_mean=10.0 * (number + 1),
        )
        for number, (policy, (wait, jobs, loss)) in enumerate(PAPER.items())
    ]


@pytest.fixture
def page(qtbot: QtBot) -> ScoresPage:
    page = ScoresPage(LIGHT)
    qtbot.addWidget(page)
    page.resize(1000, 400)
    page.set_results(paper())
    page.show()
    return page


def test_the_scores_of_the_paper() -> None:
    scores = Scores.of(paper())
    assert scores.axes[:3] == ("wait_mean", "unfair_jobs", "loss_of_capacity_fit")
    assert np.allclose(scores.scores[:, 0], [100, 28.7, 29.1], atol=0.05)
    assert np.allclose(scores.scores[0, :3], [100, 100 * 10 / 49, 100])
    gains = scores.gains(0, [100, 0, 0])
    assert list(gains) == ["EQUAL", "WAIT+", "UNFAIR+", "LOC+", "average", "yours"]
    assert np.allclose(gains["yours"], [0, 100 * (1 - 70.4 / 245.2), 100 * (1 - 71.3 / 245.2)])
    assert np.allclose(scores.gains(0, [0, 0, 0])["yours"], gains["EQUAL"])
    assert np.allclose(gains["average"], sum(list(gains.values())[:4]) / 4)


def test_bounded_slowdown_stands_in_where_fair_starts_are_not_known(page: ScoresPage, qtbot: QtBot) -> None:
    assert not page.work_out.isVisible()
    page.set_results(paper(unfair=False))
    assert page.names[1].text() == "bounded slowdown"
    assert page.work_out.isVisible()
    with qtbot.waitSignal(page.fair_starts_wanted):
        qtbot.mouseClick(page.work_out, Qt.MouseButton.LeftButton)
    assert not page.work_out.isEnabled()
    assert "SLOW+" in Scores.of(paper(unfair=False)).gains(0, [1, 1, 1])


def test_the_log_s_own_schedule_has_no_unfair_jobs_and_does_not_hide_those_of_others() -> None:
    scores = Scores.of([*paper(), run(4, "recorded", unfair_jobs=None)])
    assert scores.knows_unfair
    assert np.isnan(scores.scores[3, 1])
    assert np.isnan(scores.gains(0, [1, 1, 1])["EQUAL"][3])
    assert scores.spell(3, 1) == "Jobs treated unfairly: not known"


def test_a_corner_of_the_radar_has_the_run_s_colour_and_tells_its_scores(page: ScoresPage) -> None:
    corner = page.radar.place(0, 0)
    assert corner is not None
    image = page.radar.grab().toImage()
    assert colour_at(image, corner.x(), corner.y()) == run_colour(1)
    told = page.radar.tooltip_at(corner).split("\n")
    assert told[:2] == ["easy", "Mean wait: 4 h 5 min (score 100)"]
    assert page.radar.tooltip_at(QPointF(2, 2)) == ""
    far, near = page.radar.place(1, 1), page.radar.place(2, 1)
    assert far is not None
    assert near is not None
    assert near.x() < far.x()  # fewer unfair jobs, nearer to the centre


def test_bars_stand_for_gains_over_the_baseline(page: ScoresPage, qtbot: QtBot) -> None:
    bar = page.bars.bar("WAIT+", 1)
    image = page.bars.grab().toImage()
    assert colour_at(image, bar.center().x(), bar.center().y()) == run_colour(3)
    assert page.bars.tooltip_at(bar.center()).split("\n")[0] == "tuned-2d"
    assert page.bars.bar("UNFAIR+", 1).top() == pytest.approx(
        bar.bottom()
    )  # a loss hangs from 0, where gains stand
    page.baseline.setFocus()
    qtbot.keyClick(page.baseline, Qt.Key.Key_Down)
    assert page.place == 1
    assert page.bars.accessibleName() == "Relative gain over metric:bf=0.5,window=4"
    page.set_results(paper())
    assert page.place == 1
    page.set_results(paper()[2:])
    assert page.place == 0


def test_weights_of_the_reader_s_own(page: ScoresPage, qtbot: QtBot) -> None:
    before = page.bars.bar("yours", 1).height()
    page.sliders[1].setFocus()
    with qtbot.waitSignal(page.weights_changed) as told:
        qtbot.keyClick(page.sliders[1], Qt.Key.Key_Home)
    assert told.args == [[50, 0, 25]]
    assert [label.text() for label in page.shares] == ["67 %", "0 %", "33 %"]
    assert page.bars.bar("yours", 1).height() != before
    page.set_weights([0, 0, 0])
    assert [label.text() for label in page.shares] == ["33 %"] * 3


def test_one_run_alone_is_compared_with_nothing(page: ScoresPage) -> None:
    whole = page.radar.grab().toImage()
    page.set_results(paper()[:1])
    assert page.radar.grab().toImage() != whole
    assert page.bars.tooltip_at(QPointF(300, 100)) == ""
    page.set_results([])
    assert not page.work_out.isVisible()


def test_another_theme(page: ScoresPage) -> None:
    page.set_theme(DARK)
    image = page.bars.grab().toImage()
    assert colour_at(image, image.width() - 14, 32) == DARK.chart


def test_the_figures_name_what_they_show() -> None:
    from matplotlib.text import Text

    for figure in (radar_figure(paper()), gains_figure(paper(), 0, (1, 1, 2))):
        figure.draw_without_rendering()
        written = " ".join(text.get_text() for text in figure.findobj(Text))
        assert "tuned-2d" in written
        assert "Mean wait" in written or "WAIT+" in written
    assert "yours\n25/25/50" in [text.get_text() for text in figure.axes[0].get_xticklabels()]


def test_names_beside_the_radar_are_whole(qtbot: QtBot) -> None:
    page = ScoresPage(LIGHT)
    qtbot.addWidget(page)
    page.resize(720, 230)
    page.set_results(paper(unfair=False))
    page.show()
    metrics = QFontMetricsF(tick_font(page.radar.font()))
    assert wrapped("Mean bounded slowdown", metrics, 90) == ["Mean bounded", "slowdown"]
    assert wrapped("Mean bounded slowdown", metrics, 10) == ["Mean", "bounded", "slowdown"]
    assert wrapped("Mean wait", metrics, 300) == ["Mean wait"]
    image = page.radar.grab().toImage()
    ends = [page.radar.place(2, axis) for axis in range(len(page._scores.axes))]
    right = max((end for end in ends if end is not None), key=lambda end: end.x())
    beside = range(round(right.x()) + 12, page.radar.width() - 2)
    middle = round(right.y())
    rows = [y for y in range(middle - 30, middle + 30) if len({image.pixel(x, y) for x in beside}) > 1]
    assert max(rows) - min(rows) > 2 * metrics.height()  # three lines of text
