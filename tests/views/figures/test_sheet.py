"""The time axis of figures."""

from types import SimpleNamespace

from matplotlib.figure import Figure

from views.figures.sheet import label_time


def test_a_window_without_the_begin_of_a_day_has_a_time_axis_all_the_same() -> None:
    axes = Figure().add_subplot()
    marks = SimpleNamespace(ticks=[], stretches=[])
    axis = SimpleNamespace(name="UTC", axis=lambda *_: marks)
    label_time([axes], axis, (0.0, 1.0))  # type: ignore[arg-type]
    assert axes.get_xlim() == (0.0, 1.0)
