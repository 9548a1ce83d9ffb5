"""The guide is shown beside the window, and says what the window says."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.model.settings import Settings
from app.panels.guide import GuideDialog, place_beside
from app.panels.policies.policy_field import NUMBER
from app.shell.window import MainWindow
from engine.metrics.catalog import METRICS
from resources import example_path, guide_path
from tests.app.windows import click, inspected, settle, trace_of
from tests.paths import SHARED, needs
from views.text.counts import format_count

WAGAP = SHARED / "traces" / "alea-wagap-2013.swf.gz"
LOG, EXAMPLE = guide_path().read_text(encoding="utf-8").split("## The same on the bundled example")
LAST_WORDS = " where its tasks could not go"
RUNS = "easy", "fairshare-easy"


def words(text: str) -> str:
    """Text without line breaks, marks and kinds of spaces."""
    return " ".join(re.sub(r"[*`>■]", "", text).replace("\u202f", " ").split())


def lines_of(window: MainWindow) -> list[str]:
    """What the inspector says, without the squares of runs."""
    return [words(line) for line in inspected(window).splitlines()]


def test_a_key_shows_the_guide_and_the_window_can_be_used_meanwhile(
    qtbot: QtBot, make_window: Callable[..., MainWindow]
) -> None:
    window = make_window()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    (guide,) = window.findChildren(GuideDialog)
    assert guide.isVisible()
    assert not guide.isModal()
    assert guide.page.toPlainText().startswith("Who is worst served, and why did they wait?")
    assert guide.page.horizontalScrollBar().maximum() == 0  # the pictures fit in
    click(qtbot, guide.page)
    qtbot.keyClick(guide, Qt.Key.Key_Escape)
    assert not guide.isVisible()


@pytest.mark.parametrize(
    ("spot", "size", "corner"),
    [
        ((200, 500), (1260, 720), (660, 180)),
        ((1800, 500), (1260, 720), (0, 180)),
        ((1800, 500), (1920, 1080), (0, 0)),
        ((200, 500), (2000, 1200), (0, 0)),
    ],
)
def test_the_help_lies_beside_what_it_was_asked_about(
    spot: tuple[int, int], size: tuple[int, int], corner: tuple[int, int]
) -> None:
    place = place_beside(QPoint(*spot), QSize(*size), QRect(0, 0, 1920, 1080))
    assert (place.x(), place.y()) == pytest.approx(corner, abs=1)


def test_pictures_are_there_and_small() -> None:
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", LOG + EXAMPLE)
    assert 1 <= len(pictures) <= 7
    for name in pictures:
        picture = guide_path().parent / name
        assert picture.stat().st_size < 200_000
        assert QImage(str(picture)).width() in (1280, 1600)


@pytest.mark.parametrize(
    ("path", "text", "user", "job"),
    [
        (example_path(), EXAMPLE, "8", 5567),
        pytest.param(WAGAP, LOG, "503", 14348, marks=needs(WAGAP)),
    ],
    ids=["example", "wagap"],
)
def test_the_numbers_are_those_of_the_window(
    make_window: Callable[..., MainWindow], path: Path, text: str, user: str, job: int
) -> None:
    window = make_window()
    window.open_path(path)
    settle(window)
    for run in window.workbench.study.runs[:-2]:
        window.workbench.remove_run(run.id)
    window.show_view("difference")
    settle(window)
    difference, trace, shown = window.page.views["difference"], trace_of(window), words(text)
    assert difference.second.currentText() == "fairshare-easy"
    answer = words(difference.answer.text())
    won = re.search(rf"user {user} alone ([\d ]+ h)", answer)
    assert won is not None, answer
    assert won[1] in shown
    if path == WAGAP:
        assert answer in shown  # it is quoted
    window.selection.select_user(trace.user.names.index(user))
    page = lines_of(window)
    for run in RUNS:
        assert page[page.index(run) + 1] in shown  # the share of late jobs
    assert page[page.index("Late by") + 1] == str(job)  # the most delayed one
    window.selection.select_job(trace, [str(name) for name in trace.job_id].index(str(job)))
    page = lines_of(window)
    waits = [page[number + 1].split(" (")[0] for number, line in enumerate(page) if line == "Waited"]
    assert len(waits) == len(RUNS)
    assert all(wait in shown for wait in waits)
    assert next(line for line in page if "scattered" in line).removesuffix(LAST_WORDS) in shown
    if path == WAGAP:
        assert "206 jobs for 6 592 processors" in shown
        assert any(line.startswith("206 jobs for 6 592 processors") for line in page)


@needs(WAGAP)
def test_a_longer_half_life_does_what_the_guide_says(make_window: Callable[..., MainWindow]) -> None:
    window = make_window(Settings(theme="light", policies=list(RUNS)))
    window.open_path(WAGAP)
    settle(window)
    before = window.workbench.open_study.live[2].compared.result.summary
    window.explore.choose(2)
    field = window.explore.fields["half_life"].numbers[NUMBER].box
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "10d")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(window)
    after, summary_words = window.workbench.open_study.live[2].compared.result.summary, words(LOG)
    slowdowns = (f"{summary['bounded_slowdown_mean']:.2f}" for summary in (before, after))
    assert "the mean bounded slowdown falls from {} to {}".format(*slowdowns) in summary_words
    missed = [format_count(summary["violated_jobs"]).replace("\u202f", " ") for summary in (after, before)]
    assert "{} jobs miss their expected end times, where {} did".format(*missed) in summary_words


def test_help_has_contents_and_a_search_over_keys_metrics_and_commands(qtbot: QtBot) -> None:
    help_ = GuideDialog()
    qtbot.addWidget(help_)
    help_.show()
    titles = [help_.contents.item(row).text().strip() for row in range(help_.contents.count())]
    assert titles[0] == help_.page.toPlainText().splitlines()[0]
    for title in ("Policies", "Commands", "Formats", "Metrics and other words"):
        assert any(each_title.startswith(title) for each_title in titles), title
    for typed, expected in (
        ("Mean bounded slowdown", METRICS["bounded_slowdown_mean"].text.split(".")[0]),
        ("half_life", "past usage counts half"),
        ("generate", "synthetic"),
    ):
        help_.search.clear()
        qtbot.keyClicks(help_.search, typed)
        qtbot.keyClick(help_.search, Qt.Key.Key_Return)
        page = help_.page
        assert expected.casefold() in page.toPlainText().casefold()
        block = page.textCursor().block()
        assert typed.casefold() in block.text().casefold()
        top = page.document().documentLayout().blockBoundingRect(block).top()
        seen = page.verticalScrollBar().value()
        at_end = seen == page.verticalScrollBar().maximum()
        assert abs(top - seen) <= 2 or at_end, "the page begins there"
    help_.search.setText("no such thing anywhere")
    assert all(help_.contents.item(row).isHidden() for row in range(help_.contents.count()))
