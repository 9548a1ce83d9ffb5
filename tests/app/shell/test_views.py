"""What of a study is shown and how, and that the window remembers it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.model.settings import Settings, load_settings, save_settings, settings_path
from app.shell import study_page
from app.shell.window import MainWindow
from tests.app.windows import (
    EASY,
    FAIR_EASY,
    FAIR_FCFS,
    FCFS,
    LEFT,
    panel,
    plot_of,
    seen,
    settle,
    show_tab,
    site_log,
)
from tests.views.context import drag
from views.catalog import NAMES
from views.data.view_options import ViewOptions
from views.theme.theme import DARK, LIGHT

MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def window(restored_window: MainWindow) -> MainWindow:
    """The window of the file, for tests that change only what is shown."""
    return restored_window


def entry(window: MainWindow, *path: str) -> QAction:
    """The entry of the menu bar that is reached by these words."""
    actions = window.menuBar().actions()
    for depth, word in enumerate(path):
        (found,) = (action for action in actions if action.text().replace("&", "") == word)
        if depth < len(path) - 1:
            menu = found.menu()
            assert isinstance(menu, QMenu)
            menu.aboutToShow.emit()
            actions = menu.actions()
    return found


def pick(window: MainWindow, *path: str) -> None:
    """Choose it, and wait until that is seen."""
    assert entry(window, *path).isEnabled()
    entry(window, *path).trigger()
    settle(window)


def visible(window: MainWindow) -> set[str]:
    page, run = window.page, panel(window, EASY)
    parts: dict[str, QWidget] = {
        "gantt": run.gantt,
        "heatmap": run.heatmap,
        "cpu": run.cpu,
        "ram": run.ram,
        "queue": run.queue,
        "overview": page.overview,
        "inspector": window.inspector,
        **page.views,
    }
    shown = {name for name, part in parts.items() if part.isVisible()}
    assert "overview" in shown or shown == {"now"}  # whose clock is not that of the log
    return shown - {"overview"}


def test_of_very_many_jobs_only_views_that_are_seen_are_filled(
    qtbot: QtBot, make_window: MakeWindow, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_page, "MANY_JOBS", 1)
    window = make_window()
    window.open_path(site)
    settle(window)
    assert window.page.views["fairshare"].result is None
    assert not window.page.busy
    show_tab(qtbot, window, "Fairshare")
    settle(window)
    assert window.page.views["fairshare"].result is not None


def test_what_distributions_show_is_kept(window: MainWindow) -> None:
    panel = window.page.views["boxplots"]
    before = panel.choices
    box = panel.choosers.boxes["kind"]
    box.setCurrentIndex(2)
    box.activated.emit(2)
    assert window.settings.view.distributions == panel.choices.spelling != before.spelling
    panel.set_choices(before)


ALONE = {  # and the overview with each
    "gantt": {"gantt"},
    "heatmap": {"heatmap", "cpu", "ram", "queue"},
    "boxplots": {"boxplots"},
    "scatter": {"scatter"},
    "sizes": {"sizes"},
    "table": {"table"},
    "runs": {"runs"},
    "users": {"users"},
    "accounts": {"accounts"},
    "queues": {"queues"},
    "hours": {"hours"},
    "waits": {"waits"},
    "jobs": {"jobs"},
    "nodes": {"nodes"},
    "timeline": {"timeline"},
    "scores": {"scores"},
    "penalties": {"penalties"},
    "fairshare": {"fairshare"},
    "planning": {"planning"},
    "predictions": {"predictions"},
    "value": {"value"},
    "sweep": {"sweep"},
    "marks": {"marks"},
    "difference": {"difference"},
    "study": {"study"},
    "search": {"search"},
    "now": {"now"},
    "twin": {"twin"},
    "change": {"change"},
    "all": {"gantt", "heatmap", "cpu"},
}


def test_one_kind_of_view_can_be_shown_alone(window: MainWindow) -> None:
    assert set(ALONE) == set(NAMES)
    whole = seen(window)
    for name, parts in ALONE.items():
        window.show_view(name)
        settle(window)
        assert visible(window) == parts, name
        assert (seen(window) != whole).mean() > 0.1 or name == "all"
    assert seen(window).shape == whole.shape


def test_a_view_chosen_before_a_trace_is_opened_holds_and_names_the_runs(
    make_window: MakeWindow, site: Path
) -> None:
    window = make_window()
    window.show_view("heatmap")
    window.open_path(site)
    settle(window)
    assert visible(window) == ALONE["heatmap"]
    assert [run.heatmap.title.split(":")[0] for run in window.page.runs.panels.values()] == [
        "fcfs",
        "fairshare-fcfs",
        "easy",
        "fairshare-easy",
    ]


def test_the_overview_shows_the_run_that_is_chosen_at_its_name(
    qtbot: QtBot, fresh_window: MainWindow
) -> None:
    window = fresh_window
    bar = window.page.overview
    before = seen(bar)
    assert bar.result is not None
    assert bar.result.run_id == FCFS
    qtbot.mouseClick(bar, LEFT, pos=QPoint(30, 12))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    runs = ["fcfs", "fairshare-fcfs", "easy", "fairshare-easy"]
    assert [action.text() for action in menu.actions()] == runs
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["fcfs"]
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(menu.actions()[2]).center())
    settle(window)
    assert bar.tooltip_at(QPointF(30, 12)).startswith("easy\n")
    assert (seen(bar) != before).any()
    assert window.clock.window == window.clock.bounds
    action = entry(window, "View", "Show", "Overview of")  # which keeps its menu alive
    offered = action.menu()
    assert isinstance(offered, QMenu)
    offered.aboutToShow.emit()
    next(each_action for each_action in offered.actions() if each_action.text() == "fairshare-easy").trigger()
    assert bar.result.run_id == FAIR_EASY
    window.workbench.remove_run(FAIR_EASY)
    settle(window)
    assert bar.result.run_id == FCFS


def test_the_overview_of_another_trace_shows_its_first_run(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    action = entry(window, "View", "Show", "Overview of")  # which keeps its menu alive
    offered = action.menu()
    assert isinstance(offered, QMenu)
    offered.aboutToShow.emit()
    next(each_action for each_action in offered.actions() if each_action.text() == "easy").trigger()
    window.open_path(site_log(tmp_path))
    settle(window)
    assert window.page.overview.result is not None
    assert window.page.overview.result.run_id == FCFS


def test_the_overview_drives_the_clock_of_all_charts(fresh_window: MainWindow) -> None:
    window = fresh_window
    bar, chart = window.page.overview, panel(window, EASY).gantt
    before = seen(chart)
    scale = bar.frame().scale
    third, half = (scale.left + scale.width * share for share in (1 / 3, 1 / 2))
    drag(bar, QPointF(third, 10), QPointF(half, 10))
    settle(window)
    assert window.clock.start == pytest.approx(scale.time(third), abs=2 * scale.seconds_per_pixel)
    assert window.clock.end == pytest.approx(scale.time(half), abs=2 * scale.seconds_per_pixel)
    assert (seen(chart) != before).mean() > 0.1
    assert "fcfs" in bar.tooltip_at(QPointF(half, 10))
    window.workbench.remove_run(FCFS)
    settle(window)
    assert "fairshare-fcfs" in bar.tooltip_at(QPointF(half, 10))


def test_charts_are_hidden_and_shown_by_the_menu(window: MainWindow) -> None:
    pick(window, "View", "Show", "Heatmaps")
    assert visible(window) == ALONE["all"] - {"heatmap"}  # strips stay, which have switches of their own
    height = panel(window, EASY).gantt.height()
    pick(window, "View", "Show", "Heatmaps")
    assert panel(window, EASY).gantt.height() < height
    pick(window, "View", "Show", "CPU strips")
    assert visible(window) == ALONE["all"] - {"cpu"} | {"ram"}  # which finds room now
    assert not window.settings.view.charts.cpu
    window.selection.select_instant(0.0)
    assert "inspector" in visible(window)
    pick(window, "View", "Show", "Selected")
    assert "inspector" not in visible(window)
    window.workbench.remove_run(FCFS)
    settle(window)
    assert "inspector" not in visible(window)  # and stays so
    window.show_view("heatmap")
    assert not entry(window, "View", "Show", "Gantt charts").isChecked()


def test_panels_stand_in_columns(fresh_window: MainWindow) -> None:
    window = fresh_window
    runs = [panel(window, run) for run in (FCFS, FAIR_FCFS, EASY, FAIR_EASY)]
    for arrangement, columns in {"Stacked": 1, "In one row": 4, "Side by side": 2}.items():
        pick(window, "View", "Arrange runs", arrangement)
        corners = [(run.y(), run.x()) for run in runs]
        assert corners == sorted(corners)
        assert len({x for _, x in corners}) == columns
        assert len({y for y, _ in corners}) == 4 // columns
        widths = [run.width() for run in runs]
        assert max(widths) - min(widths) <= 1
        assert window.settings.view.columns == columns


def test_rows_are_of_the_machine_or_of_what_jobs_share(window: MainWindow) -> None:
    gantt = panel(window, EASY).gantt
    before = seen(gantt)
    pictures = [before]
    for kind in ("Nodes", "Users", "Queues", "Jobs, packed"):
        pick(window, "View", "Gantt rows", kind)
        pictures.append(seen(gantt))
        for other in pictures[:-1]:
            assert (pictures[-1] != other).mean() > 0.02, kind
    window.clock.set_window(*window.clock.window, (0.2, 0.4))
    settle(window)
    pick(window, "View", "Gantt rows", "Processors")  # and all of them again
    assert np.array_equal(seen(gantt), before)


def test_colours_say_what_was_chosen(fresh_window: MainWindow) -> None:
    window = fresh_window
    gantt, heatmap = panel(window, FCFS).gantt, panel(window, FCFS).heatmap
    pictures = {}
    of_heatmap = seen(heatmap)
    for name in ("Queue", "Size", "Wait", "Bounded slowdown", "Violated EET", "Estimate accuracy", "User"):
        pick(window, "View", "Gantt colours", name)
        pictures[name] = seen(gantt, plot_of(gantt))
        for other in pictures.keys() - {name}:
            assert (pictures[name] != pictures[other]).mean() > 0.1, (name, other)
    assert np.array_equal(seen(heatmap), of_heatmap)
    assert len(np.unique(pictures["Queue"])) < len(np.unique(pictures["User"]))


def _differs(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two pictures differ by more than the smoothing of edges that lie a part of a pixel apart."""
    if first.shape != second.shape:
        return True
    channels = [picture.reshape(-1, 1) >> np.array([0, 8, 16]) & 255 for picture in (first, second)]
    return bool((abs(channels[0].astype(int) - channels[1].astype(int)) > 40).any())


def test_another_theme_is_seen_everywhere(qtbot: QtBot, fresh_window: MainWindow) -> None:
    window = fresh_window
    run = panel(window, EASY)
    parts = [
        run.gantt,
        run.heatmap,
        window.run_list,
        window.inspector.browser.viewport(),
        window.menuBar(),
        window.status.trace,  # the rest of the status line changes with the memory that is held
    ]

    window.selection.select_instant(0.0)
    window.view.choose(tabs_open=True)

    def look() -> list[np.ndarray]:
        settle(window)
        tabs = []
        for tab in range(window.page.tabs.count()):
            window.page.tabs.setCurrentIndex(tab)
            settle(window)
            tabs.append(seen(window.page.tabs))
        window.inspector.browser.verticalScrollBar().setValue(0)
        return [*map(seen, parts), *tabs]

    light = look()
    pick(window, "View", "Theme", "Dark")
    dark = look()
    for old, new in zip(light, dark, strict=True):
        assert (old != new).mean() > 0.3
        assert new.astype(np.uint8).mean() < 150  # the blue channel; jobs look alike under both
        assert old.astype(np.uint8).mean() > max(110, 1.2 * new.astype(np.uint8).mean())
    whole = seen(window)
    for colour in (LIGHT.window, LIGHT.button):  # nothing of the old theme is left
        assert (whole == (int(colour[1:], 16) | 0xFF000000)).mean() < 0.01
    assert (whole == (int(DARK.window[1:], 16) | 0xFF000000)).mean() > 0.1
    pick(window, "View", "Theme", "Light")
    again = look()
    assert [k for k, (old, new) in enumerate(zip(light, again, strict=True)) if _differs(old, new)] == []


def test_what_was_chosen_is_there_in_the_next_window(
    make_window: MakeWindow, fresh_window: MainWindow, site: Path
) -> None:
    window = fresh_window
    window.selection.select_instant(0.0)
    for path in (
        ("Arrange runs", "Stacked"),
        ("Gantt rows", "Nodes"),
        ("Gantt colours", "Wait"),
        ("Theme", "Dark"),
        ("Show", "Selected"),
    ):
        pick(window, "View", *path)
    expected = seen(panel(window, FCFS).gantt)
    window.close()
    saved = load_settings()
    assert (saved.view.columns, saved.view.rows, saved.view.colours, saved.theme) == (
        1,
        "nodes",
        "wait",
        "dark",
    )
    assert saved.recent == [str(site)]

    empty = make_window(load_settings())  # one that never had a study does not forget the docks
    empty.close()
    window = make_window(load_settings())
    window.open_path(site)
    settle(window)
    window.selection.select_instant(0.0)
    settle(window)
    assert not window.inspector_dock.isVisible()
    assert window.runs_dock.isVisible()
    assert entry(window, "View", "Arrange runs", "Stacked").isChecked()
    assert entry(window, "View", "Gantt colours", "Wait").isChecked()
    assert entry(window, "View", "Theme", "Dark").isChecked()
    assert np.array_equal(seen(panel(window, FCFS).gantt), expected)


def test_a_picture_s_window_keeps_no_settings(make_window: MakeWindow) -> None:
    save_settings(Settings(view=ViewOptions(columns=4)))
    window = make_window(Settings(theme="dark"), keep_settings=False)
    pick(window, "View", "Theme", "Light")
    window.close()
    assert load_settings() == Settings(view=ViewOptions(columns=4))


@pytest.mark.parametrize(
    "text",
    ["{", json.dumps({"geometry": "not base64 !", "state": "AAAA", "columns": 7, "theme": "pink"})],
    ids=["broken", "nonsense"],
)
def test_a_window_opens_whatever_the_settings_file_says(
    make_window: MakeWindow, site: Path, text: str
) -> None:
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text(text, "utf-8")
    window = make_window(load_settings())
    window.open_path(site)
    settle(window)
    assert panel(window, FAIR_EASY).gantt.isVisible()
    assert window.runs_dock.isVisible()
    window.close()
    assert load_settings().recent == [str(site)]


def test_an_inspector_that_was_closed_stays_closed(make_window: MakeWindow, window: MainWindow) -> None:
    window.selection.select_instant(0.0)
    window.inspector_dock.close()
    for view in ("timeline", "all", "gantt", "difference"):
        window.show_view(view)
        settle(window)
        assert not window.inspector_dock.isVisible()
    pick(window, "View", "Show", "Selected")
    for view, shown in (("timeline", False), ("all", True)):
        window.show_view(view)
        settle(window)
        assert window.inspector_dock.isVisible() is shown


def test_a_session_of_a_view_without_the_inspector_brings_it_back_beside_the_others(
    window: MainWindow,
) -> None:
    window.selection.select_instant(0.0)
    window.show_view("gantt")
    layout = window.layouts.layout()
    window.show_view("all")
    window.inspector_dock.close()
    window.layouts.apply(layout)
    settle(window)
    assert not window.inspector_dock.isVisible()
    window.show_view("all")
    settle(window)
    assert window.inspector_dock.isVisible()


def test_a_chart_that_comes_into_sight_is_waited_for(window: MainWindow) -> None:
    gantt = next(iter(window.page.runs.panels.values())).gantt
    assert not window.page.busy
    window._stack.setCurrentWidget(window.start_page)
    gantt.set_rows("nodes")  # nothing is painted, nor laid out, while nobody sees it
    settle(window)
    assert gantt._content.laid_out is None
    window._stack.setCurrentWidget(window.page)
    assert not window.executor.busy
    assert window.page.busy
    settle(window)
    assert gantt._content.laid_out is not None
    assert not window.page.busy
    gantt.set_rows("processors")
    settle(window)
