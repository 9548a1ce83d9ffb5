"""Lines in pixel columns against slow twins that look at every second."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.views.raster.test_columns import steps, value_at
from views.raster.lines import average_at, average_statistics, line_statistics, sums_until

Line = tuple[list[int], list[int], list[int]]


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Ascending times, and a value and a slope from each on."""
    times, values = draw(steps())
    return times, values, [draw(st.integers(-3, 3)) for _ in times]


def check(found: np.ndarray, ends: list[tuple[float, float]], wide: int, means: bool) -> None:
    """`ends` are the values where each second begins and just before it is over."""
    for column in range(found.shape[1]):
        mine = ends[column * wide : (column + 1) * wide]
        assert np.isclose(found[0, column], min(map(min, mine)))
        assert np.isclose(found[2, column], max(map(max, mine)))
        if means:
            assert np.isclose(found[1, column], np.mean(mine))


@given(lines(), st.integers(-10, 60), st.integers(1, 6), st.integers(1, 12))
def test_lines_of_straight_pieces(line: Line, left: int, wide: int, width: int) -> None:
    times, values, slopes = line
    window = (float(left), float(left + wide * width))
    found = line_statistics(
        np.array(times, np.int64), np.array(values, float), np.array(slopes, float), window, width
    )
    ends = []
    for second in range(left, left + wide * width):
        piece = sum(time <= second for time in times) - 1
        if piece < 0:
            ends.append((0.0, 0.0))
        else:
            first = values[piece] + slopes[piece] * (second - times[piece])
            ends.append((first, first + slopes[piece]))
    check(found, ends, wide, means=True)


def mean_before(times: list[int], values: list[int], over: int, moment: int) -> float:
    """The average over the seconds before, as far as there were any."""
    elapsed = min(over, moment - times[0])
    if elapsed <= 0:
        return 0.0
    return float(np.mean([value_at(times, values, second) for second in range(moment - elapsed, moment)]))


@given(steps(), st.integers(1, 30), st.integers(-10, 80), st.integers(1, 6), st.integers(1, 12))
def test_moving_averages(
    given_steps: tuple[list[int], list[int]], over: int, left: int, wide: int, width: int
) -> None:
    times, values = given_steps
    time, value = np.array(times, np.int64), np.array(values, float)
    window = (float(left), float(left + wide * width))
    until = sums_until(time, value)
    found = average_statistics(time, value, until, float(over), window, width)
    if not times:
        assert not found.any()
        return
    ends = []
    for second in range(left, left + wide * width):
        first, last = (mean_before(times, values, over, moment) for moment in (second, second + 1))
        if second == times[0]:
            first = float(values[0])  # an average over no time is what is
        ends.append((first, last))
        assert np.isclose(average_at(time, value, until, float(over), second + 1.0), last)
    check(found, ends, wide, means=left >= times[0] + over)
