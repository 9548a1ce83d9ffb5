"""Studies in the window: chosen, run, cancelled, gone on with, clicked, exported."""

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.export.provenance import Provenance
from app.panels.settings_page import SettingsPage
from app.shell.window import MainWindow
from engine.sweep.beliefs import site_beliefs
from engine.sweep.row_cache import WITHHELD
from engine.sweep.study_results import StudyResults
from resources import studies
from tests.app.windows import click, open_dialog, settle, trace_of
from views.catalog import ALL
from views.theme.theme import LIGHT

STUDY = """
title = "Do <queues> do?"
policies = ["queues:n=1", "queues:n=3", "auction"]
metrics = ["value:delta=5", "value:delta=20", "wait_mean"]
against = "auction"
keys = { seed = [0, 1, 2] }
findings = [
    { text = "three queues do", policy = "queues:n=3", metrics = ["value:delta=20"], least = 1 },
    { text = "one queue does more", policy = "queues:n=1", metrics = ["value:delta=5"], least = 200 },
]
"""


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(STUDY, "utf-8")
    return path


def drop(window: MainWindow, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    left = Qt.MouseButton.LeftButton
    place = QPointF(window.rect().center())
    window.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, data, left, Qt.KeyboardModifier.NoModifier))


def finish(qtbot: QtBot, window: MainWindow) -> Any:
    """Wait for the study; the page that shows it."""
    page = window.page.views["study"]
    qtbot.waitUntil(lambda: page.results is not None and not window.studying.running, timeout=60_000)
    settle(window)
    return page


def test_a_study_that_is_dropped_is_run_and_says_what_holds(
    qtbot: QtBot, window: MainWindow, own: Path
) -> None:
    drop(window, own)
    page = finish(qtbot, window)
    assert page.isVisible()
    assert page.message.text() == "9 of 9 runs"
    assert page.study.currentText() == "Do <queues> do?"
    found = page.findings.text()
    assert "Do &lt;queues&gt; do?" in found
    assert "Reproduced</b></span> (queues:n=3, Value, delta = 20: " in found
    assert "Not reproduced</b></span> (queues:n=1, Value, delta = 5: " in found
    assert not page.go.isVisible()
    (plot,) = [chart.plot for chart in page.charts if chart.isVisible()]
    assert [entry.name for entry in page.shown.page.legend] == ["queues:n=1", "queues:n=3", "auction"]
    rows = [row for row in page.results.rows if row["policy"] == "queues:n=3"]
    base = [row for row in page.results.rows if row["policy"] == "auction"]
    shares = [100 * a["value:delta=20"] / b["value:delta=20"] for a, b in zip(rows, base, strict=True)]
    layer = plot.layers(LIGHT)[1]
    assert layer.y[1] == pytest.approx(np.mean(shares))
    assert layer.high[1] - layer.y[1] == pytest.approx(4.3027 * np.std(shares, ddof=1) / 3**0.5, rel=1e-4)
    assert plot.words.title == "Value, % of auction"
    assert page.notes.text().startswith("Means of 3 runs over random seed (3 values); whiskers: 95 %")


def test_a_click_on_a_point_opens_its_run(qtbot: QtBot, window: MainWindow, own: Path) -> None:
    window.studies.run(own)
    page = finish(qtbot, window)
    chart = page.charts[0]
    there = chart.plot.spots[2]  # two of each colour
    run = there.row
    assert page.results.study.runs[run].base == "queues:n=3"
    spot = chart.area.spot(there.x, there.y)
    reading = chart.read(spot)
    assert reading is not None
    policy = page.results.study.runs[run].policy
    assert f"Click: open {policy.spelling}" in reading.text
    assert "mean of 3 runs, 95 % CI" in reading.text
    click(qtbot, chart, spot)
    settle(window)
    assert window.view.options.view == ALL
    study = window.workbench.study
    assert study.runs[-1].policy == policy
    many = len(study.runs)
    window.show_view("study")
    settle(window)
    click(qtbot, chart, spot)
    settle(window)
    assert len(window.workbench.study.runs) == many  # it is there already


def test_what_is_shown_is_chosen(qtbot: QtBot, window: MainWindow, own: Path) -> None:
    window.studies.run(own)
    page = finish(qtbot, window)
    boxes = page.choosers.boxes

    def choose(name: str, text: str) -> list[Any]:
        box = boxes[name]
        box.setFocus()
        far = box.findText(text) - box.currentIndex()
        for _ in range(abs(far)):
            qtbot.keyClick(box, Qt.Key.Key_Down if far > 0 else Qt.Key.Key_Up)
        settle(window)
        return [chart.plot for chart in page.charts if chart.isVisible()]

    plots = choose("measure", "Mean wait")
    assert [plot.words.title for plot in plots] == ["Mean wait, % of auction"]
    assert page.shown.encoding.x == "policy"  # a wait has no delta
    choose("measure", "Value")
    choose("x", "over tolerated delay (δ), runtimes")
    plots = choose("across", "columns by policy")
    assert [plot.words.title for plot in plots] == [
        f"Policy: {name}" for name in page.results.table.parameters["policy"]
    ]
    assert page.shown.encoding.colour == ""  # the policy stands in the columns now
    (plot,) = choose("colour", "colours by policy")
    assert page.shown.encoding.across == ""
    (plot,) = choose("kind", "Heatmap")
    assert plot.fills
    assert len(plot.spots) == 6
    assert plot.y.names == ("auction", "queues:n=3", "queues:n=1")  # the first policy on top
    chart = page.charts[0]
    click(qtbot, chart, chart.area.spot(1.0, 1.0))
    settle(window)
    assert window.workbench.study.runs[-1].policy == page.results.study.runs[plot.spots[3].row].policy
    window.show_view("study")
    settle(window)
    choose("kind", "Lines")
    (plot,) = choose("axes", "logarithmic x")
    assert plot.x.full_range[0] == pytest.approx(np.log10(5), abs=0.1)
    (plot,) = choose("spread", "no whiskers")
    (layer,) = plot.layers(LIGHT)[1:2]
    assert (layer.high == layer.y).all()


FIGURES = """
[[figures]]
name = "value by queues"
kind = "bars"
x = "policy"
y = "value:delta=5"
where = ["policy=queues:n=1|queues:n=3"]
[[figures]]
name = "waits"
kind = "points"
x = "policy"
y = "wait_mean"
[[figures]]
name = "of what is not there"
kind = "lines"
x = "no key of any policy"
"""


def test_the_figures_that_a_study_names_are_offered_the_first_shown(
    qtbot: QtBot, window: MainWindow, own: Path
) -> None:
    own.write_text(STUDY + FIGURES, "utf-8")
    drop(window, own)
    page = finish(qtbot, window)
    box = page.choosers.boxes["figure"]
    assert [box.itemText(k) for k in range(box.count())] == [
        *("value by queues", "waits", "a figure of your own"),
    ]
    assert (box.isHidden(), box.currentText()) == (False, "value by queues")
    assert (page.shown.encoding.kind, page.shown.encoding.y) == ("bars", ("value",))
    assert [condition.values for condition in page.shown.encoding.conditions] == [
        *(("queues:n=1", "queues:n=3"), ("5",)),
    ]
    choose(page, "figure", "waits")
    assert (page.shown.encoding.kind, page.shown.encoding.y) == ("points", ("wait_mean",))
    choose(page, "kind", "Bars")
    assert box.currentText() == "a figure of your own"
    choose(page, "kind", "Points")
    assert box.currentText() == "waits"
    choose(page, "figure", "a figure of your own")
    assert page.shown.encoding.kind == "lines"


def choose(page: Any, name: str, label: str) -> None:
    """Choose an entry of a list on the page of a study, as a click does."""
    box = page.choosers.boxes[name]
    box.setCurrentText(label)
    box.activated.emit(box.currentIndex())


def test_what_nothing_tells_apart_has_plots_of_its_own(qtbot: QtBot, window: MainWindow, own: Path) -> None:
    keys = 'keys = { seed = [0, 1, 2], threshold = ["30m", "2h"], valuation = ["normal:5:1", "normal:5:2"] }'
    own.write_text(STUDY.replace("keys = { seed = [0, 1, 2] }", keys), "utf-8")
    window.studies.run(own)
    page = finish(qtbot, window)
    plots = [chart.plot for chart in page.charts if chart.isVisible()]
    texts = [spot.text for plot in plots for spot in plot.spots]
    assert all("mean of 3 runs" in text for text in texts), "means are over seeds alone"
    titles = [plot.words.title for plot in plots]
    assert len(set(titles)) == len(titles) == len(page.shown.page.plots) == 4
    many = ", ".join(f'"{hours}h"' for hours in range(1, 9))
    once = keys.replace("[0, 1, 2]", "[0]").replace('"30m", "2h"', many)
    own.write_text(STUDY.replace("keys = { seed = [0, 1, 2] }", once), "utf-8")
    window.studies.run(own)
    page = finish(qtbot, window)
    boxes = page.choosers.boxes
    for name, value in (("x", "delta"), ("down", "threshold")):
        boxes[name].setCurrentIndex(boxes[name].findData(value))
        boxes[name].activated.emit(boxes[name].currentIndex())
        settle(window)
    assert len(page.shown.page.plots) == 16
    assert sum(chart.isVisible() for chart in page.charts) == 12
    assert page.message.text() == "48 of 48 runs, 12 of 16 plots are shown"


def test_a_study_is_cancelled_and_goes_on(qtbot: QtBot, fresh_window: MainWindow, tmp_path: Path) -> None:
    window = fresh_window
    path = tmp_path / "long.toml"
    seeds = ", ".join(map(str, range(200)))
    path.write_text(
        f'policies = ["auction"]\nmetrics = ["value:delta=5"]\nkeys = {{ seed = [{seeds}] }}', "utf-8"
    )
    window.studies.run(path)
    page = window.page.views["study"]
    qtbot.waitUntil(lambda: page.results is not None and 0 < page.results.done < 200, timeout=60_000)
    assert page.go.text() == "Cancel"
    click(qtbot, page.go)
    assert "Cancelled" in page.message.text()
    done = page.results.done
    assert 0 < done < 200
    assert page.go.text() == "Continue"
    settle(window)
    page.go.setFocus()
    qtbot.keyClick(page.go, Qt.Key.Key_Space)
    finish(qtbot, window)
    assert page.results.done == 200
    assert not page.go.isVisible()


def test_a_study_does_not_outlive_its_trace(qtbot: QtBot, window: MainWindow, own: Path, site: Path) -> None:
    window.studies.run(own)
    page = finish(qtbot, window)
    window.open_path(site)
    settle(window)
    assert page.results is None
    window.show_view("study")
    assert page.list.isVisible()
    assert page.list.count() == len(studies())


def test_a_wrong_study_says_what_is_wrong(qtbot: QtBot, window: MainWindow, own: Path) -> None:
    own.write_text(STUDY.replace("queues:n=3", "ques:n=3"), "utf-8")
    window.studies.run(own)
    page = window.page.views["study"]
    qtbot.waitUntil(lambda: "own.toml" in page.message.text())
    assert "ques" in page.message.text()
    assert not page.go.isVisible()


def test_a_ready_made_study_is_one_click_from_the_list_and_the_menu(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, own: Path
) -> None:
    window.show_view("study")
    page = window.page.views["study"]
    row = next(k for k in range(page.list.count()) if "Do formulas" in page.list.item(k).text())
    click(qtbot, page.list.viewport(), QPointF(page.list.visualItemRect(page.list.item(row)).center()))
    finish(qtbot, window)
    assert page.results.study.title == "Do formulas of the literature order the queue better than its age?"
    titles = [chart.plot.words.title for chart in page.charts if chart.isVisible()]
    assert titles == [f"{name}, % of easy" for name in ("Mean bounded slowdown", "Mean wait", "Longest wait")]
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(own), ""))
    click(qtbot, page.open)
    finish(qtbot, window)
    assert page.results.study.title == "Do <queues> do?"
    actions = {action.text() for action in window.findChildren(type(window.menuBar().actions()[0]))}
    assert "Runtime predictors" in actions


def test_the_start_page_leads_to_studies_on_the_example(
    qtbot: QtBot, make_window: Callable[..., MainWindow]
) -> None:
    window = make_window()
    click(qtbot, window.start_page.studies)
    settle(window)
    QApplication.processEvents()
    assert window.page.views["study"].list.isVisible()
    assert window.workbench.study.trace.name == "example"


def test_a_run_of_a_scaled_trace_opens_with_its_workload(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "scaled.toml"
    path.write_text('policies = ["easy:order=sjf"]\nmetrics = ["wait_mean"]\ntheta = [0.5]', "utf-8")
    window.studies.run(path)
    page = finish(qtbot, window)
    chart = page.charts[0]
    click(qtbot, chart, chart.area.spot(chart.plot.spots[0].x, chart.plot.spots[0].y))
    settle(window)
    finished = window.workbench.finished()[-1].result
    assert finished.schedule.policy.spelling == "easy:order=sjf with theta=0.5"
    schedule = finished.schedule
    assert float(schedule.wait[schedule.ran].mean()) == pytest.approx(chart.plot.spots[0].y)


def test_a_study_is_exported_as_figures_and_tables(
    qtbot: QtBot, window: MainWindow, own: Path, tmp_path: Path
) -> None:
    window.menus.exporter.export_table("study")
    assert "There is no study to export" in window.messages.shown[0].text.text()
    window.messages.clear()
    window.studies.run(own)
    page = finish(qtbot, window)
    window.menus.exporter.write_chart("study", tmp_path / "study.svg")
    for name in ("study.csv", "study.parquet"):
        window.menus.exporter.write_table("study", tmp_path / name)
    settle(window)
    kinds = page.choosers.boxes["kind"]
    kinds.setCurrentIndex(kinds.findText("Heatmap"))
    kinds.activated.emit(kinds.currentIndex())
    window.menus.exporter.write_chart("study", tmp_path / "heat.svg")
    settle(window)
    assert not window.messages.shown
    printed = (tmp_path / "study.svg").read_text("utf-8")
    assert "queues:n=3" in printed
    study = page.results.study
    results = [run.result for run in window.workbench.finished()]
    note = Provenance(results, None, None, (0.0, 1.0), "fair").note_of_study
    jobs = f"all {len(trace_of(window))} jobs"
    assert note(replace(study, title="Is it so?", source="")).endswith(f"{jobs}: Is it so?")
    assert note(replace(study, title="", source="")).endswith(f"{jobs}.")
    assert "100 %" in (tmp_path / "heat.svg").read_text("utf-8")
    for table in (pd.read_csv(tmp_path / "study.csv"), pd.read_parquet(tmp_path / "study.parquet")):
        assert list(table["policy"]) == [run.base for run in page.results.study.runs]
        assert list(table["wait_mean"]) == [row["wait_mean"] for row in page.results.rows]


def test_runs_are_made_where_the_settings_say(qtbot: QtBot, fresh_window: MainWindow, own: Path) -> None:
    window = fresh_window
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
        dialog = open_dialog(window)
        assert isinstance(dialog, SettingsPage)
        address = f"tcp://127.0.0.1:{nobody.getsockname()[1]}"
        qtbot.keyClicks(dialog.scheduler, f" {address} ")
        assert window.settings.scheduler == address
        drop(window, own)
        page = finish(qtbot, window)
        assert f"no Dask scheduler answers at {address}" in page.message.text()
        page._update_text()  # as when the figure comes after the runs
        assert f"no Dask scheduler answers at {address}" in page.message.text()
    click(qtbot, dialog.defaults)
    assert (dialog.scheduler.text(), window.settings.scheduler) == ("", "")
    click(qtbot, page.go)
    page = finish(qtbot, window)
    assert page.results.done == 9


def test_a_button_runs_what_misleads_where_runs_were_withheld_for_it(
    qtbot: QtBot, window: MainWindow, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop(window, own)
    page = finish(qtbot, window)
    assert page.doubtful.isHidden()
    asked: list[bool] = []

    def beliefs(*args: Any, doubtful: bool, **options: Any) -> Any:
        asked.append(doubtful)
        return site_beliefs(*args, doubtful=doubtful, **options)

    monkeypatch.setattr("engine.sweep.beliefs.site_beliefs", beliefs)
    first, *others = page.results.rows
    withheld = {**first, "error": f"{WITHHELD}its model misleads"}
    page.show_results(StudyResults(page.results.study, (withheld, *others)))
    assert page.doubtful.isVisible()
    click(qtbot, page.doubtful)
    finish(qtbot, window)
    assert asked == [True]
