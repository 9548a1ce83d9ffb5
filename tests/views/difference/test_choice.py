"""Which two runs are compared: the last two, until somebody chooses."""

from dataclasses import replace

import pytest

from tests.views.context import ViewContext
from tests.views.difference.pairs import moved
from views.data.comparison import compare
from views.difference.page import DifferencePage
from views.theme.theme import LIGHT


@pytest.fixture
def page(context: ViewContext) -> DifferencePage:
    page = DifferencePage(context, LIGHT)
    context.qtbot.addWidget(page)
    return page


def finish(page: DifferencePage, *runs: int) -> None:
    result = moved().first
    page.set_results([replace(result, run_id=run) for run in runs])


def test_the_last_two_in_whichever_order_they_finish(page: DifferencePage) -> None:
    finish(page, 4)
    finish(page, 2, 4)
    finish(page, 1, 2, 4)
    assert page.run_ids == (2, 4)
    finish(page, 1, 2, 3, 4)
    assert page.run_ids == (3, 4)


def test_a_choice_stays_until_another_trace_is_opened(page: DifferencePage) -> None:
    finish(page, 1, 2, 3)
    page.first.setCurrentIndex(0)
    finish(page, 1, 2, 3, 4)
    assert page.run_ids == (1, 3)
    finish(page)
    finish(page, 1)
    finish(page, 1, 2, 3)
    assert page.run_ids == (2, 3)


def test_runs_that_are_not_finished_yet_can_be_chosen(page: DifferencePage) -> None:
    page.choose(2, 1)
    finish(page)
    finish(page, 2, 3)
    finish(page, 1, 2, 3)
    finish(page, 1, 2, 3, 4)
    assert page.run_ids == (2, 1)


def test_what_is_worked_out_is_shown_though_the_runs_are_offered_again_meanwhile(
    page: DifferencePage, context: ViewContext
) -> None:
    pair = moved()
    with context.qtbot.waitExposed(page):
        page.show()
    for _ in range(2):  # the second time another run was removed
        page.set_results([pair.first, pair.second])
    context.settle(page)
    context.qtbot.waitUntil(lambda: context.idle_queue.empty)
    assert page.answer.text().startswith("Of 6 jobs 3 start earlier")


def test_a_chart_that_is_painted_anew_before_its_turn_shows_the_runs_all_the_same(
    page: DifferencePage, context: ViewContext
) -> None:
    pair = moved()
    with context.qtbot.waitExposed(page):
        page.show()
    page._memo.ready.connect(page.heatmap.refresh)  # as a change of theme or selection does
    page.set_results([pair.first, pair.second])
    context.qtbot.waitUntil(lambda: page.answer.text().startswith("Of 6 jobs"))
    context.qtbot.waitUntil(lambda: context.idle_queue.empty)
    context.settle(page)
    assert not page.heatmap.message


def test_what_is_of_other_runs_says_so_until_the_chosen_ones_are_compared(
    page: DifferencePage, context: ViewContext
) -> None:
    moved_job = moved()
    three = [moved_job.first, moved_job.second, replace(moved_job.first, run_id=3)]
    with context.qtbot.waitExposed(page):
        page.show()
    page.set_results(three)
    context.settle(page)
    context.qtbot.waitUntil(lambda: context.idle_queue.empty)
    context.settle(page)
    assert not page.heatmap.note
    page.choose(1, 2)
    assert page.answer.text() == "Computing the difference…"
    for chart in page.charts:
        assert chart.note.startswith("The last comparison")
    context.qtbot.waitUntil(lambda: page.answer.text().startswith("Of 6 jobs 3"))
    context.qtbot.waitUntil(lambda: context.idle_queue.empty)
    context.settle(page)
    assert not page.heatmap.note
    page.heatmap.set_comparison(compare(moved_job.first, moved_job.second))
    assert page.heatmap._memo.value is not None  # the picture of these runs before
    page.heatmap.set_comparison(compare(moved_job.second, moved_job.first))
    assert page.heatmap._memo.value is None  # but none of other runs
    page.choose(2, 1)
    page.choose(1, 2)  # before that was worked out
    context.settle(page)
    assert page.answer.text().startswith("Of 6 jobs 3")
    assert not page.gantt.note
    assert not page.heatmap.note
