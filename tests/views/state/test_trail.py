"""Back and forward through what was seen and selected."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from views.data.view_options import ViewOptions
from views.state.clock import Clock
from views.state.places import OpenedViews
from views.state.selection import SelectionModel
from views.state.trail import Trail
from views.state.view_state import ViewState


@pytest.fixture
def models(qtbot: QtBot) -> Iterator[tuple[Trail, Clock, SelectionModel]]:
    clock, selection = Clock(), SelectionModel()
    clock.reset(0, 1000)
    yield Trail(clock, selection, OpenedViews(ViewState())), clock, selection
    QApplication.processEvents()


def test_steps_of_both_are_taken_back_in_their_order(models: tuple[Trail, Clock, SelectionModel]) -> None:
    trail, clock, selection = models
    seen = []
    for change in (
        lambda: clock.set_window(100, 200),
        lambda: selection.select_user(1),
        lambda: selection.select_user(2),
        lambda: clock.set_window(150, 160),
    ):
        seen.append((clock.window, selection.value))
        change()
        QApplication.processEvents()
    last = clock.window, selection.value
    for before in reversed(seen):
        trail.back()
        assert (clock.window, selection.value) == before
    trail.back()
    for after in [*seen[1:], last]:
        trail.forward()
        assert (clock.window, selection.value) == after
    trail.forward()
    assert (clock.window, selection.value) == last


def test_what_is_selected_and_zoomed_to_at_once_is_one_step(
    models: tuple[Trail, Clock, SelectionModel],
) -> None:
    trail, clock, selection = models
    selection.select_user(1)
    clock.set_window(100, 200)
    trail.back()
    assert (clock.window, selection.value.empty) == ((0, 1000), True)
    trail.forward()
    assert (clock.window, selection.value.users) == ((100, 200), {1})


def test_another_step_forgets_what_lay_ahead(models: tuple[Trail, Clock, SelectionModel]) -> None:
    trail, clock, selection = models
    clock.set_window(100, 200)
    QApplication.processEvents()
    trail.back()
    selection.select_user(1)
    trail.forward()
    assert clock.window == (0, 1000)


def test_it_goes_on_behind_what_backspace_took_back(models: tuple[Trail, Clock, SelectionModel]) -> None:
    trail, clock, selection = models
    selection.select_user(1)
    QApplication.processEvents()
    clock.set_window(100, 200)
    QApplication.processEvents()
    clock.back()
    trail.back()
    assert selection.value.empty
    trail.forward()
    assert selection.value.users == {1}


def test_forward_undoes_backspace(models: tuple[Trail, Clock, SelectionModel]) -> None:
    trail, clock, selection = models
    clock.set_window(100, 200)
    QApplication.processEvents()
    clock.back()
    trail.forward()
    assert clock.window == (100, 200)
    clock.back()
    selection.select_user(1)
    trail.forward()
    assert clock.window == (0, 1000)


def test_another_trace_leaves_nothing_to_go_back_to(models: tuple[Trail, Clock, SelectionModel]) -> None:
    trail, clock, selection = models
    selection.select_user(1)
    clock.set_window(100, 200)
    clock.reset(0, 50)
    selection.reset()
    trail.back()
    trail.forward()
    assert (clock.window, selection.value.empty) == ((0, 50), True)


def test_pages_are_left_by_back_and_entered_again_by_forward(qtbot: QtBot) -> None:
    clock, selection, view = Clock(), SelectionModel(), ViewState()
    clock.reset(0, 1000)
    trail = Trail(clock, selection, OpenedViews(view))
    view.choose(view="difference")
    QApplication.processEvents()
    selection.select_user(1)
    QApplication.processEvents()
    view.choose(view="search")
    QApplication.processEvents()
    seen = []
    for _ in range(3):
        trail.back()
        seen.append((view.options.view, selection.value.empty))
    assert seen == [("difference", False), ("difference", True), ("all", True)]
    for _ in range(3):
        trail.forward()
    assert (view.options.view, selection.value.empty) == ("search", False)


def test_what_a_session_brings_is_no_step(qtbot: QtBot) -> None:
    clock, selection, view = Clock(), SelectionModel(), ViewState()
    trail = Trail(clock, selection, OpenedViews(view))
    view.restore(ViewOptions(view="study"))
    QApplication.processEvents()
    trail.back()
    assert view.options.view == "study"
    view.choose(view="all")
    QApplication.processEvents()
    trail.back()
    assert view.options.view == "study"
