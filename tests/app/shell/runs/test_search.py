"""The search for a better policy in the window: asked, cancelled, judged, clicked, copied, exported."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.policy.phrases import policy_sentence
from engine.policy.policy import parse_policy
from engine.search.search import search
from engine.search.typed_question import TypedQuestion
from engine.search.verdict import verdict
from tests.app.windows import click, settle
from views.catalog import ALL


def ask(qtbot: QtBot, window: MainWindow, goals: int = 2, trials: int = 20) -> Any:
    """Ask for short waits, with the keys of a reader; the page."""
    click(qtbot, window.run_list.search)
    page = window.page.views["search"]
    form = page.form
    if goals > 1:
        form.metrics[1].setFocus()
        # The list is walked through by keys, as without a mouse.
        far = form.metrics[1].findData("veet_q3")
        for _ in range(far):
            qtbot.keyClick(form.metrics[1], Qt.Key.Key_Down)
    form.trials.setFocus()
    form.trials.selectAll()
    qtbot.keyClicks(form.trials, str(trials))
    click(qtbot, page.go)
    return page


def test_the_empty_page_breaks_its_lines_between_clauses(window: MainWindow) -> None:
    window.show_view("search")
    settle(window)
    empty = window.page.views["search"].empty
    assert empty.isVisible()
    lines = empty.text().split("\n")
    letters = empty.fontMetrics()
    # All lines have room, so that Qt wraps none of them in the middle of a clause.
    assert max(map(letters.horizontalAdvance, lines)) < empty.width()
    assert min(map(letters.horizontalAdvance, lines)) > empty.width() / 4


def finish(qtbot: QtBot, window: MainWindow) -> None:
    page = window.page.views["search"]
    qtbot.waitUntil(lambda: not page.running, timeout=60_000)
    settle(window)


def last_policy(window: MainWindow) -> str:
    study = window.workbench.study
    return study.runs[-1].policy.spelling


def test_a_search_says_what_the_command_says(qtbot: QtBot, window: MainWindow) -> None:
    page = ask(qtbot, window)
    assert page.isVisible()
    assert page.go.text() == "Cancel"
    finish(qtbot, window)
    asked = page.form.asked
    assert (asked.minimize, asked.trials) == (("wait_mean", "veet_q3"), 20)
    study = window.workbench.study
    answer = search(study.trace, study.cluster, asked.question(), trials=20)
    assert page.results.answer == answer
    assert page.verdict.text() == verdict(page.results.question, answer)
    assert page.table.rowCount() == len(answer.front) + 1
    assert page.table.item(len(answer.front), page.table.columnCount() - 1).text() == "baseline"
    heads = [page.table.horizontalHeaderItem(k).text() for k in range(1, 5)]
    assert heads == [
        "Mean wait, d h min s\nsearched", "Mean wait, d h min s\njudged",
        "Upper quartile of VEET, %\nsearched", "Upper quartile of VEET, %\njudged",
    ]  # fmt: skip
    assert [answer.trials[k] for k in page.results.front] == [solution.trial for solution in answer.front]
    front, parallel = page.front.plot, page.parallel.plot
    assert front.words.x_name == "Mean wait"
    assert len(front.xs) == len(answer.trials)
    names = [slot.name for slot in parallel.slots]
    assert names == [d.key.name for d in page.results.question.space] + [
        "Mean wait", "Upper quartile of VEET"
    ]  # fmt: skip
    assert np.nanmin(parallel.heights) >= 0
    assert np.nanmax(parallel.heights) <= 1


def test_points_lines_and_rows_open_as_runs(qtbot: QtBot, window: MainWindow) -> None:
    page = ask(qtbot, window)
    finish(qtbot, window)
    plot, trials = page.front.plot, page.results.trials
    first = page.results.front[0]
    spot = page.front.area.spot(plot.xs[first], plot.ys[first])
    reading = page.front.read(spot)
    assert reading is not None
    opened = trials[reading.units()[0]].policy
    assert opened.spelling in reading.text
    # A point of the front, a line of the parallel coordinates and a row of the table each open their policy.
    click(qtbot, page.front, spot)
    settle(window)
    assert window.view.options.view == ALL
    study = window.workbench.study
    assert opened in [run.policy for run in study.runs]
    window.show_view("search")
    settle(window)
    worst = int(np.nanargmax(plot.xs))
    line = page.parallel.plot
    click(qtbot, page.parallel, page.parallel.area.spot(len(line.parallel_axes) - 2, line.heights[worst, -2]))
    settle(window)
    assert last_policy(window) == trials[worst].policy.spelling
    window.show_view("search")
    settle(window)
    page.table.setFocus()
    qtbot.keyClick(page.table, Qt.Key.Key_Down)
    chosen = page.chosen
    assert page.words.text() == policy_sentence(chosen)
    click(qtbot, page.copy)
    assert QApplication.clipboard().text() == chosen.spelling
    click(qtbot, page.copy_slurm)
    assert "SchedulerType=" in QApplication.clipboard().text()
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    settle(window)
    study = window.workbench.study
    assert chosen in [run.policy for run in study.runs]


def test_a_search_is_cancelled_and_does_not_outlive_its_trace(
    qtbot: QtBot, window: MainWindow, site: Path
) -> None:
    page = ask(qtbot, window, goals=1, trials=5000)
    qtbot.waitUntil(lambda: len(page.results.trials) > 20, timeout=60_000)
    window.status.show_engine()
    status = window.status.engine.text()
    assert status == "Searching…" or int(status.removeprefix("Searching, ").removesuffix(" %")) <= 5
    click(qtbot, page.go)
    assert "Cancelled" in page.message.text()
    assert page.results.answer is None
    assert not page.table.isVisible()
    settle(window)
    assert page.front.plot.words.title == "Found so far"
    window.open_path(site)
    settle(window)
    assert page.results is None
    window.show_view("search")
    assert page.empty.isVisible()


def test_what_cannot_be_read_is_reported(qtbot: QtBot, window: MainWindow) -> None:
    window.searches.ask()
    page = window.page.views["search"]
    for line, text, expected in (
        (page.form.bounds, "veet_q3 < 20", "is not a bound"),
        (page.form.bounds, "wait_men <= 20", "did you mean 'wait_mean'"),
        (page.form.keys, "oder", "did you mean 'order'"),
    ):
        line.setFocus()
        line.selectAll()
        qtbot.keyClicks(line, text)
        qtbot.keyClick(line, Qt.Key.Key_Return)
        assert expected in page.message.text()
        assert not page.running
        line.clear()
    page.form.metrics[1].setCurrentIndex(page.form.metrics[1].findData("wait_mean"))
    click(qtbot, page.go)
    assert "twice" in page.message.text()


def pick(menu: QMenu, begins: str) -> None:
    """Choose the entry of a submenu that begins with these words."""
    inner = [action for submenu in menu.findChildren(QMenu) for action in submenu.actions()]
    (found,) = (action for action in inner if action.text().startswith(begins))
    found.trigger()


def test_bounds_and_keys_are_picked_from_lists_and_said_in_words(window: MainWindow) -> None:
    window.searches.ask()
    form = window.page.views["search"].form
    bounds, keys = form.picked_bounds, form.picked_keys
    assert keys.words.text().startswith("Order of the queue (order); Reserved blocked jobs (depth); ")
    assert "mean wait at most 2 h (wait_mean <= 2h)" in bounds.words.text()
    bounds.menu.aboutToShow.emit()
    pick(bounds.menu, "Mean wait at most")
    assert bounds.line.text() == "wait_mean <= 1h"
    assert bounds.line.selectedText() == "1h"
    bounds.line.insert("2h")
    assert bounds.words.text() == "Mean wait at most 2 h"
    bounds.line.setText("wait_mean <=")  # unfinished: neither words nor an error
    assert bounds.words.isHidden()
    keys.menu.aboutToShow.emit()
    pick(keys.menu, "Reserved blocked jobs (depth)")
    keys.add("backfill=queue|sjf")
    assert keys.line.text() == "depth, backfill=queue|sjf"
    assert keys.words.text() == (
        "Reserved blocked jobs: 9 values; Order of backfilling: backfilled in the order of the queue or "
        "backfilled shortest estimate first"
    )


def test_baselines_are_offered_and_nothing_better_is_reported(qtbot: QtBot, window: MainWindow) -> None:
    window.searches.ask()
    page = window.page.views["search"]
    box = page.form.baseline
    assert [box.itemText(k) for k in range(box.count())] == [
        "fcfs", "fairshare-fcfs", "easy", "fairshare-easy"
    ]  # fmt: skip
    page.form.keys.setFocus()
    qtbot.keyClicks(page.form.keys, "order=fcfs|widest")
    click(qtbot, page.go)
    finish(qtbot, window)
    assert {trial.policy for trial in page.results.trials} == {
        parse_policy("easy"), parse_policy("easy:order=widest")
    }  # fmt: skip
    found = page.verdict.text()
    assert "easy:order=widest against easy" in found or found == "Nothing that was tried beats easy."


def test_a_search_is_exported(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.menus.exporter.export_chart("search")
    assert "There is no search to export" in window.messages.shown[0].text.text()
    window.messages.clear()
    page = ask(qtbot, window)
    finish(qtbot, window)
    window.menus.exporter.write_chart("search", tmp_path / "search.svg")
    for name in ("search.csv", "search.parquet"):
        window.menus.exporter.write_table("search", tmp_path / name)
    settle(window)
    assert not window.messages.shown
    assert "Upper quartile of VEET" in (tmp_path / "search.svg").read_text("utf-8")
    for table in (pd.read_csv(tmp_path / "search.csv"), pd.read_parquet(tmp_path / "search.parquet")):
        assert list(table["policy"]) == [trial.policy.spelling for trial in page.results.trials]
        assert table["wait_mean_judged"].notna().sum() >= len(page.results.answer.front)


def test_a_session_keeps_what_was_asked(
    qtbot: QtBot, window: MainWindow, make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('policies = ["easy", "fcfs"]\nmetrics = ["wait_mean"]', "utf-8")
    window.studies.run(own)
    qtbot.waitUntil(lambda: window.studying.results is not None and not window.studying.running)
    page = ask(qtbot, window, goals=1, trials=20)
    finish(qtbot, window)
    path = tmp_path / "kept.batchscope"
    window.keeper.save(path)
    settle(window)
    again = make_window()
    again.open_path(path)
    settle(again)
    other = again.page.views
    assert other["search"].form.asked == page.form.asked
    assert other["study"].message.text() == "2 of 2 runs"  # which were kept
    assert not other["study"].running


def test_numbers_of_a_session_that_no_field_can_show_do_no_harm(window: MainWindow) -> None:
    form = window.page.views["search"].form
    form.show_question(TypedQuestion(("no_metric",), ("wait_max",) * 9, trials=2**50, seed=-(2**50)))
    assert (form.asked.trials, form.asked.seed) == (100_000, 0)
