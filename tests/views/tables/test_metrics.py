"""The table of metrics: values, changes, baseline, copying."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.metrics.catalog import METRICS
from engine.metrics.phase_metrics import PhaseRange
from engine.shown_text import html_text
from engine.slurm.scheduler.phases import PhaseSpread
from engine.slurm.scheduler.verdicts import RunVerdict
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.results import make_result
from views.data.results import Result
from views.tables.header import run_header
from views.tables.metrics_model import BEST_ROLE, CHANGE_ROLE, TITLE_ROLE, MetricChange
from views.tables.metrics_table import MetricsTable
from views.text.metrics import format_exactly, format_value, grouped_metrics
from views.theme.theme import DARK, LIGHT

LONG = "fairshare-easy:penalty=cpu,half_life=2h"


def some_trace() -> Trace:
    return make_trace([0, 0, 0, 100], [1000] * 4, [10, 20, 30, 40], user=["a", "a", "b", "c"])


def some_results() -> list[Result]:
    """Mean waits of 1000, 500 and 2000 s."""
    trace = some_trace()
    return [
        make_result(trace, [1000, 1000, 1000, 1100], 1, "easy"),
        make_result(trace, [500, 500, 500, 600], 2, "fcfs"),
        make_result(trace, [2000, 2000, 2000, 2100], 3, LONG),
    ]


@pytest.fixture
def table(qtbot: QtBot) -> MetricsTable:
    widget = MetricsTable(LIGHT)
    qtbot.addWidget(widget)
    widget.resize(1000, 600)
    widget.show()
    widget.set_results(some_results())
    return widget


def row_of(table: MetricsTable, name: str) -> int:
    rows = (row for row in range(table.model.rowCount()) if (m := table.model.metric(row)) and m.name == name)
    return next(rows)


def texts(table: MetricsTable, name: str) -> list[tuple[str, str]]:
    """Value and change of each run, as they are shown."""
    row = row_of(table, name)
    cells = [table.model.index(row, column) for column in range(table.model.columnCount())]
    return [(cell.data(), change.text if (change := cell.data(CHANGE_ROLE)) else "") for cell in cells]


def click_header(qtbot: QtBot, table: MetricsTable, column: int) -> None:
    header = table.view.horizontalHeader()
    middle = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) // 2, 8)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=middle)


def test_every_metric_has_a_row_below_the_title_of_its_group(table: MetricsTable) -> None:
    rows = [table.model.metric(row) for row in range(table.model.rowCount())]
    assert sorted(m.name for m in rows if m) == sorted(METRICS)
    assert rows[0] is None
    assert table.model.index(0, 0).data(TITLE_ROLE) == "Wait"
    groups = {title: [m.name for m in metrics] for title, metrics in grouped_metrics()}
    assert {"makespan", "utilization"} <= set(groups["Jobs and machine"])
    assert groups["Wait"] == ["wait_mean", "wait_median", "wait_p95", "wait_max"]
    assert {"psf2", "loss_of_capacity_demand", "loss_of_capacity_fit"} <= set(groups["Packing"])
    assert {"veet_mean", "violated_jobs", "wt_total", "tardiness_mean"} <= set(groups["Expected end times"])
    fairness = {"jain_wait", "nuwt_mean", "nuwt_std", "unfair_jobs", "fair_slowdown_mean"}
    assert fairness <= set(groups["Fairness"])
    assert groups["Estimates"] == ["estimate_r2", "underestimated"]
    assert all(name.startswith("recorded_") for name in groups["Recorded schedule"])
    depths = ["queue_depth_mean", "queue_depth_max"]
    assert groups["Scheduler"] == [*depths, "backfilled", "passes"]


def test_changes_are_against_the_first_run_until_another_is_chosen(qtbot: QtBot, table: MetricsTable) -> None:
    assert table.baseline == 1
    assert texts(table, "wait_mean") == [
        ("16 min 40 s", ""),
        ("8 min 20 s", "▲ −50.0 %"),
        ("33 min 20 s", "▼ +100 %"),
    ]
    click_header(qtbot, table, 1)
    assert table.baseline == 2
    assert table.baseline_box.currentText() == "fcfs"
    assert [change for _, change in texts(table, "wait_mean")] == ["▼ +100 %", "", "▼ +300 %"]
    assert "(baseline)" in table.model.headerData(1, Qt.Orientation.Horizontal)
    assert "than fcfs" in table.key.text()


def test_the_box_above_chooses_too_and_none_ends_the_comparison(qtbot: QtBot, table: MetricsTable) -> None:
    table.baseline_box.setFocus()
    qtbot.keyClick(table.baseline_box, Qt.Key.Key_Down)
    assert table.baseline == 2
    qtbot.keyClick(table.baseline_box, Qt.Key.Key_Home)
    assert table.baseline is None
    assert [change for _, change in texts(table, "wait_mean")] == ["", "", ""]
    assert "than" not in table.key.text()
    table.set_results(some_results())
    assert table.baseline is None


def test_a_higher_utilization_is_better(table: MetricsTable) -> None:
    changes = [change for _, change in texts(table, "utilization")]
    assert changes[1].startswith("▲ +")
    assert changes[2].startswith("▼ −")


@pytest.mark.parametrize(
    ("name", "value", "shown", "exact"),
    [
        ("utilization", 0.70512, "70.51 %", "70.512 %"),
        ("loss_of_capacity_fit", 0.0, "0 %", "0 %"),
        ("underestimated", 1.0, "100 %", "100 %"),
        ("recorded_utilization_difference", 0.0123, "+1.23 %", "1.23 %"),
        ("recorded_utilization_difference", -0.0123, "−1.23 %", "−1.23 %"),
        ("jain_wait", 0.5, "0.500", "0.5"),
        ("veet_mean", 33.333, "33.3 %", "33.333 %"),
    ],
)
def test_parts_of_a_whole_are_reported_in_percent(name: str, value: float, shown: str, exact: str) -> None:
    assert format_value(METRICS[name], value) == shown
    assert format_exactly(METRICS[name], value) == exact


def test_better_or_worse_is_reported_where_the_baseline_is_zero(qtbot: QtBot, table: MetricsTable) -> None:
    trace = some_trace()
    table.set_results([make_result(trace, [0, 0, 0, 100], 1), make_result(trace, [5, 0, 0, 100], 2, "fcfs")])
    assert texts(table, "wait_max") == [("0 s", ""), ("5 s", "▼ from 0")]
    assert texts(table, "wait_median") == [("0 s", ""), ("0 s", "0 %")]
    assert texts(table, "jobs") == [("4", ""), ("4", "")]


def test_a_change_inside_the_spread_of_phases_is_neither_better_nor_worse(table: MetricsTable) -> None:
    first, second, third = some_results()
    waits = np.array([[1000] * 4, [400] * 4])
    site = replace(
        first,
        verdict=RunVerdict("site", None, True, PhaseSpread(waits)),
        over_phases=lambda _: {"wait_mean": PhaseRange(400.0, 1000.0)},
    )
    assert "≈" not in table.key.text()
    table.set_results([site, second, third])
    assert texts(table, "wait_mean") == [
        ("16 min 40 s", ""),
        ("8 min 20 s", "≈ −50.0 %"),
        ("33 min 20 s", "▼ +100 %"),
    ]
    assert "≈ inside what phases of slurmctld's loops change" in table.key.text()
    row = row_of(table, "wait_mean")
    own, other = (table.model.index(row, column).data(Qt.ItemDataRole.ToolTipRole) for column in (0, 1))
    assert html_text("6 min 40 s to 16 min 40 s over 2 phases of slurmctld's loops") in own
    assert html_text("against easy, inside what the phases of slurmctld's loops change") in other


def test_the_best_value_of_a_row_is_bold(qtbot: QtBot, table: MetricsTable) -> None:
    best = lambda name: [  # noqa: E731
        table.model.index(row_of(table, name), c).data(BEST_ROLE) for c in range(3)
    ]
    assert best("wait_mean") == [False, True, False]
    assert best("utilization") == [False, True, False]
    assert best("jobs") == [False, False, False]  # describes, does not rate
    assert best("refused") == [False, False, False]  # all alike


def test_missing_values_are_dashes(table: MetricsTable) -> None:
    trace = some_trace()
    table.set_results([make_result(trace, [0, 0, 0, 100], 1, grace=None), *some_results()[1:]])
    assert texts(table, "veet_mean")[0] == ("–", "")
    assert texts(table, "veet_mean")[1][1] == ""
    assert "no value" in table.model.index(row_of(table, "veet_mean"), 0).data(Qt.ItemDataRole.ToolTipRole)


def test_tooltips_tell_exact_value_change_and_formula(table: MetricsTable) -> None:
    tip = table.model.index(row_of(table, "wait_mean"), 2).data(Qt.ItemDataRole.ToolTipRole)
    assert LONG in tip
    assert "Mean wait: 2\u202f000 s" in tip
    assert "+100 % against easy, worse" in tip
    assert "Q = b - s" in tip
    label = table.model.headerData(
        row_of(table, "wait_mean"), Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole
    )
    assert "wait_mean" in label
    assert "Lower is better" in label


def test_the_baseline_stays_while_its_run_is_there(qtbot: QtBot, table: MetricsTable) -> None:
    click_header(qtbot, table, 2)
    first, second, third = some_results()
    table.set_results([first, third])
    assert table.baseline == 3
    table.set_results([first, second])
    assert table.baseline == 1
    table.set_results([first, second, third])
    assert table.baseline == 3


def test_empty_until_a_run_is_done(table: MetricsTable) -> None:
    assert not table.empty.isVisible()
    table.set_results([])
    assert table.empty.isVisible()
    assert table.baseline is None
    table.copy()
    assert QGuiApplication.clipboard().text() == "metric\tunit"


def test_ctrl_c_copies_what_is_selected(qtbot: QtBot, table: MetricsTable) -> None:
    row = row_of(table, "wait_mean")
    for column in (1, 2):
        cell = table.view.visualRect(table.model.index(row, column)).center()
        modifier = Qt.KeyboardModifier.ControlModifier if column == 2 else Qt.KeyboardModifier.NoModifier
        qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, modifier, cell)
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(table.view, Qt.Key.Key_C, control | shift)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert lines == [
        ["Metric", "fcfs", LONG],
        ["Mean wait, d h min s", "8 min 20 s ▲ −50.0 %", "33 min 20 s ▼ +100 %"],
    ]
    qtbot.keyClick(table.view, Qt.Key.Key_C, control)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert lines == [
        ["metric", "unit", "fcfs", LONG, "fcfs against easy in %", f"{LONG} against easy in %"],
        ["wait_mean", "s", "500.0", "2000.0", "-50.0", "100.0"],
    ]


def test_ctrl_c_copies_all_where_nothing_is_selected(qtbot: QtBot, table: MetricsTable) -> None:
    table.view.clearSelection()
    qtbot.keyClick(table.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert len(lines) == 1 + len(METRICS)


def test_better_is_never_reported_by_colour_alone(table: MetricsTable) -> None:
    assert MetricChange(-3.0, True).text == "▲ −3.0 %"
    assert MetricChange(-3.0, False).text == "▼ −3.0 %"
    assert MetricChange(-3.0, None).text == "−3.0 %"
    assert "▲ better, ▼ worse" in table.key.text()


def test_cells_are_painted_in_the_colours_of_the_theme(qtbot: QtBot, table: MetricsTable) -> None:
    row = row_of(table, "wait_mean")
    for theme in (LIGHT, DARK):
        table.set_theme(theme)
        for column, colour in ((1, theme.good), (2, theme.bad)):
            assert holds_colour(table.view.viewport(), table, row, column, colour)


def holds_colour(port: QWidget, table: MetricsTable, row: int, column: int, colour: str) -> bool:
    image = port.grab(table.view.visualRect(table.model.index(row, column))).toImage()
    wanted = QColor(colour).rgb()
    return any(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


def test_headings_break_where_policies_do() -> None:
    assert run_header("easy") == "easy"
    assert run_header(LONG) == "fairshare-easy:\npenalty=cpu,half_life=2h"
    assert run_header(LONG, 16) == "fairshare-easy:\npenalty=cpu,\nhalf_life=2h"
    many = "easy:" + ",".join(f"key{n}=value" for n in range(9))
    assert run_header(many, 12).count("\n") == 3
    assert run_header(many, 12).endswith("…")


def test_values_are_written_for_people_and_exactly() -> None:
    assert format_value(METRICS["wait_mean"], 353_776.25) == "4 d 2 h"
    assert format_exactly(METRICS["wait_mean"], 353_776.25) == "353\u202f776 s"
    assert format_value(METRICS["veet_mean"], 12.34) == "12.3 %"
    assert format_value(METRICS["jobs"], 28_481) == "28\u202f481"
    assert (
        format_exactly(METRICS["wt_total"], 10**15)
        == "1\u202f000\u202f000\u202f000\u202f000\u202f000 processor-s"
    )
    assert format_value(METRICS["bounded_slowdown_mean"], 1.234) == "1.23"
