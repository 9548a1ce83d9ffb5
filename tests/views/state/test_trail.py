"""Back and forward through what was seen and selected."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from views.state.clock import Clock
from views.state.selection import SelectionModel
from views.state.trail import Trail


@pytest.fixture
def models(qtbot: QtBot) -> Iterator[tuple[Trail, Clock, SelectionModel]]:
    clock, selection = Clock(), SelectionModel()
    clock.reset(0, 1000)
    yield Trail(clock, selection), clock, selection
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
