"""The twin of a site in the window: simulated, told, picked, cancelled, printed."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.model.settings import Settings
from app.shell.window import MainWindow
from tests.app.windows import click, settle, slow_simulations
from tests.engine.logs.sacct.dumps import HEADER, clock, job
from views.catalog import ALL, figure_spec
from views.data.own_data import OwnData
from views.data.twin_look import TwinLook
from views.figures.printing import PrintOptions, printed
from views.figures.save import rendered

CONF = "NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nSchedulerParameters=bf_interval=60\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three jobs of two accounts, one after the other, with waits of 9, 78 and 147 s, and their site."""
    rows = [
        job(
            JobID=k,
            Submit=clock(k),
            Start=clock(9 + 70 * k),
            End=clock(69 + 70 * k),
            Partition="batch",
            Account=("physics", "chemistry", "physics")[k],
            NodeList="a",
        )
        for k in (0, 1, 2)
    ]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "slurm.conf").write_text(CONF)
    path = tmp_path / "sacct.txt"
    path.write_text("\n".join((HEADER, *rows, "")))
    return path


@pytest.fixture
def window(make_window: Callable[..., MainWindow], log: Path, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window with the log on the page of the twin, whose site was chosen."""
    conf = str(log.parent / "site" / "slurm.conf")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (conf, ""))
    window = make_window(Settings(theme="light", policies=["recorded"]))
    window.open_path(log)
    settle(window)
    window.show_view("twin")
    settle(window)
    page_of(window).site.click()
    settle(window)
    return window


def page_of(window: MainWindow) -> Any:
    return window.page.views["twin"]


def heads(window: MainWindow) -> list[str]:
    return [line[0] for line in page_of(window).groups.lines()[1:]]


def test_recorded_stands_beside_simulated(qtbot: QtBot, window: MainWindow) -> None:
    page = page_of(window)
    assert page.error.text() == ""
    assert page.verdict.text().startswith("The model's mean wait is ")
    assert "the rank correlation of waits is 1.00; the makespan is" in page.facts.text()
    assert "utilization" in page.facts.text()
    titles, whole, *_ = page.groups.lines()
    values = dict(zip(titles, whole, strict=True))
    assert values["Jobs"] == "3"
    assert values["Mean wait, s"] == "78"
    assert heads(window) == ["all jobs", "batch"]
    box = page.choosers.boxes["by"]
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    settle(window)
    assert heads(window) == ["all jobs", "physics", "chemistry"]
    assert window.settings.twin_by == "account"
    assert window.settings.twin_site.endswith("slurm.conf")


def test_a_job_is_picked_in_the_table_and_in_the_plot(qtbot: QtBot, window: MainWindow) -> None:
    page = page_of(window)
    worst = page.look.twin.differing[0].job
    page.jobs.view.selectRow(0)
    assert window.selection.value.jobs == {worst}
    window.selection.clear()
    settle(window)
    plot = page.plot.plot
    spot = page.plot.area.point(float(plot.xs[0]), float(plot.ys[0]))
    assert "waited 9 s; in the simulation" in plot.read(page.plot.area, spot).text
    click(qtbot, page.plot, QPointF(spot.x, spot.y))
    assert window.selection.value.jobs == {0}
    assert [pick.text for pick in plot.marks([0, 99])] == [f"job {page.look.schedule.trace.job_id[0]}"]


def test_the_schedule_becomes_a_run_which_is_undone(qtbot: QtBot, window: MainWindow) -> None:
    page, before = page_of(window), len(window.workbench.study.runs)
    click(qtbot, page.show_run)
    settle(window)
    assert window.view.options.view == ALL
    run = window.workbench.study.runs[-1]
    assert run.policy.site is not None
    live = window.workbench.live_run(run.id)
    assert live is not None
    assert live.chart_data is not None
    assert live.chart_data.schedule.start.tolist() == page.look.schedule.start.tolist()
    page.run_wanted.emit()  # it is there already
    assert len(window.workbench.study.runs) == before + 1
    window.workbench.edits.undo()
    assert len(window.workbench.study.runs) == before


def test_a_site_is_fitted_to_the_first_half_of_its_log(qtbot: QtBot, window: MainWindow) -> None:
    """There are too few jobs to fit anything: each estimate says so, and the simulation is unchanged."""
    page = page_of(window)
    before = page.look.schedule.start.tolist()
    assert not page.estimates.isVisible()
    click(qtbot, page.fit)
    settle(window)
    assert page.error.text() == ""
    ticks = page.estimates.ticks
    assert [tick.text() for tick in ticks] == ["Launch delay 0 s", "Completion delay 0 s"]
    assert not any(tick.isChecked() or tick.isEnabled() for tick in ticks)
    assert page.estimates.evidence[0].text().startswith("Extra wait by the log of jobs submitted to an empty")
    assert page.verdict.text().startswith("No estimate was accepted, so the site stays as its files say")
    assert page.look.schedule.start.tolist() == before
    assert not page.fit.isEnabled()
    assert page.show_run.text() == "Show as a &run"
    click(qtbot, page.go)  # from the files alone again
    settle(window)
    assert not page.estimates.isVisible()
    assert page.fit.isEnabled()


def test_it_is_cancelled_and_a_broken_site_keeps_the_page(
    qtbot: QtBot, window: MainWindow, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, verdict = page_of(window), page_of(window).verdict.text()
    with slow_simulations(monkeypatch) as gate:
        click(qtbot, page.go)
        qtbot.waitUntil(gate.arrived.is_set)
        qtbot.waitUntil(lambda: page.progress.value() == 400)
        assert page.go.text() == "Cancel"
        click(qtbot, page.go)
    settle(window)
    assert page.error.text().startswith("Cancelled")
    assert page.verdict.text() == verdict
    (log.parent / "site" / "slurm.conf").write_text("NodeName=a CPUs=4\nPartitionName=batch Nodes=a\nx")
    window.settings.twin_site = str(log.parent / "none.conf")
    (log.parent / "none.conf").write_text("hello")
    click(qtbot, page.go)
    settle(window)
    assert "none.conf" in page.error.text()
    assert page.verdict.isVisible()


def test_the_plot_is_a_figure(window: MainWindow) -> None:
    request = window.page.figure_request()
    assert request is not None
    spec = figure_spec("twin")
    assert spec.lacks(request) == ""
    page = spec.page(request)
    assert page.plots[0].words.title == "Recorded and simulated waits"
    assert spec.lacks(replace(request, own=OwnData())) != ""
    note = window.menus.exporter._provenance(request).note_of_twin(request.own.get(TwinLook))
    assert "sacct beside" in note
    assert rendered(printed(spec.drawing(request), PrintOptions(), 1), ".png", note, 100).startswith(
        b"\x89PNG"
    )
