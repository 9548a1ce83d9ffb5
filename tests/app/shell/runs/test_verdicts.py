"""The strip above the charts: a line for each finished run, with links, and the key that hides it."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from engine.claims.claim import ClaimQuantity, NamedThing
from tests.app.windows import EASY, FCFS, settle
from views.distribution.spec import DISTRIBUTIONS
from views.verdict.strip import VerdictLine


def line_of(window: MainWindow, run_id: int) -> VerdictLine:
    return next(line for line in window.page.verdicts.lines if line.run_id == run_id)


def follow(window: MainWindow, run_id: int, name: str) -> None:
    """Click the part of a run's line that says this quantity or names this thing."""
    spans = line_of(window, run_id).spans
    parts = (span for span in spans if isinstance(span.says, ClaimQuantity | NamedThing))
    span = next(span for span in parts if name in (getattr(span.says, "role", ""), span.says.name))
    window.page.verdicts.place_chosen.emit(run_id, span.place)
    settle(window)


def test_each_run_has_a_line_in_the_order_of_the_study(same_window: MainWindow) -> None:
    strip, study = same_window.page.verdicts, same_window.workbench.study
    assert strip.isVisible()
    assert [line.run_id for line in strip.lines] == [run.id for run in study.runs]
    for run, text in zip(study.runs, strip.text.splitlines(), strict=True):
        assert text.startswith(f"{study.name(run)}: ")
    assert "behind a job that no other may pass" in strip.text.splitlines()[0]


def test_links_lead_to_users_jobs_boxes_and_runs(same_window: MainWindow) -> None:
    window, selection = same_window, same_window.selection
    follow(window, FCFS, "user")
    assert len(selection.value.users) == 1
    assert window.view.options.looked_at == FCFS
    follow(window, FCFS, "share")
    assert selection.value.single_job is not None
    assert window.clock.window != window.clock.bounds
    follow(window, EASY, "late users")
    assert window.view.options.tab == DISTRIBUTIONS.title
    assert window.view.options.tabs_open
    assert window.view.options.looked_at == EASY
    helped = next(
        span.says for span in line_of(window, FCFS).spans if getattr(span.says, "role", "") == "run"
    )
    follow(window, FCFS, "run")
    study = window.workbench.study
    assert study.name(study.run(window.view.options.looked_at)) == helped.name  # type: ignore[arg-type, union-attr]


def test_a_key_hides_it_and_other_pages_do(qtbot: QtBot, same_window: MainWindow) -> None:
    window, strip = same_window, same_window.page.verdicts
    qtbot.keyClick(window.page.chart_set.first, Qt.Key.Key_V)
    assert not strip.isVisible()
    assert not window.view.options.verdicts
    qtbot.keyClick(window.page.chart_set.first, Qt.Key.Key_V)
    assert strip.isVisible()
    window.view.choose(view="difference")
    assert not strip.isVisible()
    window.view.choose(view="gantt")
    assert strip.isVisible()
    window.view.choose(view="all", alone=True)
    assert not strip.isVisible()
    window.view.choose(alone=False)


def test_lines_follow_the_runs(window: MainWindow) -> None:
    before = window.page.verdicts.text.splitlines()
    window.workbench.remove_run(EASY)
    settle(window)
    assert len(window.page.verdicts.lines) == len(before) - 1
    window.workbench.edits.undo()
    settle(window)
    assert window.page.verdicts.text.splitlines() == before


def test_one_more_run_is_named_and_added_by_a_click(window: MainWindow) -> None:
    for run in window.workbench.study.runs:
        if run.id != FCFS:
            window.workbench.remove_run(run.id)
    settle(window)
    assert len(window.page.verdicts.lines) == 1
    assert "under easy" in window.page.verdicts.text
    follow(window, FCFS, "run")
    assert [run.policy.spelling for run in window.workbench.study.runs] == ["fcfs", "easy"]
    assert len(window.page.verdicts.lines) == 2
