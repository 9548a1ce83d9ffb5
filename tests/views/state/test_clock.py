import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from views.state.clock import GESTURE_MS, MARGIN, SHORTEST, Clock


@pytest.fixture
def clock(qtbot: QtBot) -> Clock:
    clock = Clock()
    clock.reset(0, 1000)
    return clock


def count(clock: Clock) -> list[tuple[float, float]]:
    seen: list[tuple[float, float]] = []
    clock.changed.connect(lambda: seen.append(clock.window))
    return seen


def test_a_new_trace_is_seen_as_a_whole(clock: Clock) -> None:
    assert clock.window == (0, 1000)
    clock.back()
    assert clock.window == (0, 1000)


def test_a_change_is_reported_once_and_no_change_never(clock: Clock) -> None:
    seen = count(clock)
    clock.set_window(100, 200)
    clock.set_window(100, 200)
    assert seen == [(100, 200)]


@pytest.mark.parametrize(
    ("wish", "window"),
    [
        ((100, 200), (100, 200)),
        ((200, 100), (100, 200)),
        ((-500, -400), (-50, 50)),
        ((1500, 1600), (950, 1050)),
        ((-1e9, 1e9), (-50, 1050)),
        ((10, 10), (9.5, 10.5)),
        ((10.2, 10.4), (9.8, 10.8)),
    ],
)
def test_windows_are_clamped(clock: Clock, wish: tuple, window: tuple) -> None:
    clock.set_window(*wish)
    assert clock.window == pytest.approx(window)


def test_zoom_keeps_the_time_under_the_mouse(clock: Clock) -> None:
    clock.set_window(0, 400)
    clock.zoom(0.5, 100)
    assert clock.window == (50, 250)
    clock.zoom(2, 100)
    assert clock.window == (0, 400)
    clock.zoom(0.5)
    assert clock.window == (100, 300)


def test_zoom_stops_at_one_second_and_at_all(clock: Clock) -> None:
    clock.zoom(1e-9, 300)
    assert clock.span == pytest.approx(SHORTEST)
    clock.zoom(1e9, 300)
    assert clock.span == pytest.approx(1000 * (1 + 2 * MARGIN))


def test_pan_stops_at_the_limits_and_keeps_the_span(clock: Clock) -> None:
    clock.set_window(400, 600)
    clock.pan(1e6)
    assert clock.window == (850, 1050)


def test_back_and_forward(clock: Clock) -> None:
    clock.set_window(100, 200)
    clock.fit_range(150, 160, margin=0.5)
    assert clock.window == (145, 165)
    clock.back()
    assert clock.window == (100, 200)
    clock.back()
    assert clock.window == (0, 1000)
    clock.back()
    assert clock.window == (0, 1000)
    clock.forward()
    clock.forward()
    assert clock.window == (145, 165)
    clock.forward()
    assert clock.window == (145, 165)
    clock.back()
    clock.set_window(0, 10)
    clock.forward()
    assert clock.window == (0, 10)


def test_wheel_steps_in_a_row_are_one_step_back(clock: Clock, qtbot: QtBot) -> None:
    for _ in range(5):
        clock.zoom(0.8, 500)
    qtbot.wait(GESTURE_MS + 200)
    clock.zoom(0.8, 500)
    clock.back()
    assert clock.span == pytest.approx(1000 * 0.8**5)
    clock.back()
    assert clock.window == (0, 1000)


def test_a_drag_is_one_step_however_slow(clock: Clock, qtbot: QtBot) -> None:
    clock.set_window(0, 100)
    clock.hold()
    clock.pan(50)
    qtbot.wait(GESTURE_MS + 200)
    clock.pan(50)
    clock.release()
    clock.pan(300)
    clock.back()
    assert clock.window == (100, 200)
    clock.back()
    assert clock.window == (0, 100)


def test_bounds_that_grow_take_a_window_of_all_along(clock: Clock) -> None:
    clock.set_bounds(0, 2000)
    assert clock.window == (0, 2000)
    clock.set_window(10, 20)
    clock.set_bounds(0, 3000)
    assert clock.window == (10, 20)
    clock.fit()
    assert clock.window == (0, 3000)


def test_bounds_that_shrink_clamp_the_window(clock: Clock) -> None:
    clock.set_window(900, 1000)
    clock.set_bounds(0, 100)
    assert clock.window == (5, 105)


def test_hover_is_reported_once(clock: Clock) -> None:
    seen: list[float | None] = []
    clock.hovered.connect(seen.append)
    clock.set_hover(3.0)
    clock.set_hover(3.0)
    clock.set_hover(None)
    assert seen == [3.0, None]
    assert clock.hover is None


numbers = st.floats(-1e7, 1e7)


@given(
    st.lists(
        st.tuples(st.sampled_from(["set", "zoom", "pan", "back", "forward"]), numbers, numbers), max_size=20
    )
)
def test_the_window_is_always_sound(moves: list) -> None:
    clock = Clock()
    clock.reset(0, 86_400)
    for kind, a, b in moves:
        if kind == "set":
            clock.set_window(a, b)
        elif kind == "zoom":
            clock.zoom(abs(a) + 1e-6, b)
        elif kind == "pan":
            clock.pan(a)
        else:
            getattr(clock, kind)()
        slack = 1e-6 * 86_400
        assert SHORTEST - slack <= clock.span <= 86_400 * (1 + 2 * MARGIN) + slack
        assert clock.start >= -MARGIN * 86_400 - slack
        assert clock.end <= 86_400 * (1 + MARGIN) + slack


def test_what_bounds_cut_from_a_window_comes_back_with_wider_ones(clock: Clock) -> None:
    clock.reset(0, 1000)
    clock.set_window(900, 1800)
    assert clock.window != (900, 1800)
    clock.set_bounds(0, 1200)
    clock.set_bounds(0, 2000)
    assert clock.window == (900, 1800)
    clock.set_bounds(0, 1000)
    clock.pan(-1)  # from what is seen
    clock.set_bounds(0, 2000)
    assert clock.end <= 1050
