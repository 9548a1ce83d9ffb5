"""Step functions in pixel columns against slow twins: second by second, and in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.raster.columns import column_statistics, level_statistics, row_maxima, row_means


@st.composite
def steps(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Ascending times and a value from each on, the last one 0."""
    times = sorted(draw(st.sets(st.integers(0, 60), max_size=12)))
    values = [draw(st.integers(0, 9)) for _ in times]
    if values:
        values[-1] = 0
    return times, values


def value_at(times: list[int], values: list[int], second: int) -> int:
    """The value that holds during [second, second + 1)."""
    found = 0
    for time, value in zip(times, values, strict=True):
        if time <= second:
            found = value
    return found


@given(
    st.lists(steps(), min_size=1, max_size=5),
    st.integers(-10, 60),
    st.integers(1, 6),
    st.integers(1, 12),
    st.data(),
)
def test_the_greatest_value_of_each_line_and_column(
    rows: list, left: int, wide: int, width: int, data: st.DataObject
) -> None:
    lines = data.draw(st.integers(1, len(rows)))
    line = data.draw(st.lists(st.integers(-1, lines - 1), min_size=len(rows), max_size=len(rows)))
    found = row_maxima(
        np.concatenate(([0], np.cumsum([len(times) for times, _ in rows]))).astype(np.int64),
        np.array([time for times, _ in rows for time in times], np.int64),
        np.array([value for _, values in rows for value in values], np.int64),
        np.array(line, np.int64),
        lines,
        (float(left), float(left + wide * width)),
        width,
    )
    wanted = np.zeros((lines, width), int)
    for r, (times, values) in enumerate(rows):
        for column in range(width):
            for second in range(left + column * wide, left + (column + 1) * wide):
                if line[r] >= 0:
                    wanted[line[r], column] = max(wanted[line[r], column], value_at(times, values, second))
    assert (found == wanted).all()


@given(
    st.lists(steps(), min_size=1, max_size=5),
    st.integers(-100, 600),
    st.integers(1, 1000),
    st.integers(1, 49),
    st.integers(1, 60),
    st.data(),
)
def test_any_zoom_shows_exactly_what_each_pixel_covers(
    rows: list, left: int, span: int, parts: int, width: int, data: st.DataObject
) -> None:
    window = left / parts, left / parts + span / parts
    lines = data.draw(st.integers(1, len(rows)))
    line = data.draw(st.lists(st.integers(-1, lines - 1), min_size=len(rows), max_size=len(rows)))
    columns = (
        np.concatenate(([0], np.cumsum([len(times) for times, _ in rows]))).astype(np.int64),
        np.array([time for times, _ in rows for time in times], np.int64),
        np.array([value for _, values in rows for value in values], np.int64),
        np.array(line, np.int64),
    )
    greatest = row_maxima(*columns, lines, window, width)
    mean = row_means(*columns, lines, window, width)
    start, wide = Fraction(window[0]), (Fraction(window[1]) - Fraction(window[0])) / width
    for k in range(lines):
        own = [steps for steps, where in zip(rows, line, strict=True) if where == k]
        for column in range(width):
            covered = [
                part
                for times, values in own
                for part in parts_within(times, values, start + column * wide, start + (column + 1) * wide)
            ]
            assert greatest[k, column] == max((value for value, share in covered if share > 1e-6), default=0)
            total = sum((value * share for value, share in covered), Fraction(0))
            assert abs(mean[k, column] - float(total / max(len(own), 1))) < 1e-4


def parts_within(
    times: list[int], values: list[int], low: Fraction, high: Fraction
) -> list[tuple[int, Fraction]]:
    """Values with the shares of the time from low to high in which they hold."""
    return [
        (value, (min(Fraction(until), high) - max(Fraction(since), low)) / (high - low))
        for since, until, value in zip(times, times[1:], values, strict=False)
        if min(until, high) > max(since, low)
    ]


@given(steps(), st.integers(-10, 60), st.integers(1, 6), st.integers(1, 12))
def test_least_mean_and_greatest_value_of_each_column(made: tuple, left: int, wide: int, width: int) -> None:
    times, values = made
    found = column_statistics(
        np.array(times, np.int64), np.array(values, float), (float(left), float(left + wide * width)), width
    )
    for column in range(width):
        seconds = range(left + column * wide, left + (column + 1) * wide)
        seen = [value_at(times, values, second) for second in seconds]
        assert found[0, column] == min(seen)
        assert (
            found[1, column] == np.float64(sum(seen)) / wide or abs(found[1, column] - np.mean(seen)) < 1e-9
        )
        assert found[2, column] == max(seen)


def test_part_of_a_minute_shows_its_count() -> None:
    """Zoomed in below the width of a step, every column shows it."""
    found = row_maxima(
        np.array([0, 2]), np.array([10, 11]), np.array([7, 0]), np.array([0]), 1, (10.2, 10.4), 5
    )
    assert found.tolist() == [[7] * 5]


def test_a_last_value_holds_for_ever() -> None:
    found = column_statistics(np.array([5]), np.array([3.0]), (0.0, 10.0), 2)
    assert found.tolist() == [[0, 3], [0, 3], [0, 3]]


def test_no_steps_at_all() -> None:
    assert not column_statistics(np.empty(0, np.int64), np.empty(0), (0.0, 1.0), 3).any()


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=15, unique_by=lambda step: step[0]),
    st.integers(-5, 30),
    st.integers(1, 40),
    st.integers(1, 7),
)
def test_levels_part_by_part_are_those_of_the_whole(
    steps: list[tuple[int, int]], left: int, span: int, part: int
) -> None:
    time, value = (np.array([step[k] for step in sorted(steps)], np.int32) for k in (0, 1))
    window = (float(left), float(left + span))
    whole = column_statistics(time.astype(np.int64), value.astype(np.float64), window, 9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("views.raster.columns.PART", part)
        mean, peak = level_statistics(time, value, window, 9)
    assert mean.tolist() == whole[1].tolist()
    assert peak.tolist() == whole[2].tolist()
