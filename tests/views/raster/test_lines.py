"""Lines in pixel columns against slow twins that look at every second."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.views.raster.test_columns import steps, value_at
from views.raster.lines import SummedSteps, average_at, average_statistics, line_statistics, summed_steps

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


Made = tuple[list[int], list[int]]


def used_of_up(used: Made, up: Made, over: int, moment: int) -> Fraction | None:
    """Use over what was up in the seconds before, as far as there were any; None where nothing was up."""
    seconds = range(max(moment - over, up[0][0]), moment)
    there = sum(value_at(*up, second) for second in seconds)
    return Fraction(sum(value_at(*used, second) for second in seconds), there) if there else None


def at_ends_of_second(used: Made, up: Made, over: int, second: int) -> tuple[float, float]:
    """The average where a second begins, and just before it is over."""
    if second < up[0][0]:
        return 0.0, 0.0
    found = []
    for moment, inner in ((second, second), (second + 1, second - over)):
        average = used_of_up(used, up, over, moment)
        if average is None:  # what it is a moment further into the second, within which no value changes
            there = value_at(*up, inner) if inner >= up[0][0] else 0
            average = Fraction(value_at(*used, inner), there) if there else Fraction(0)
        found.append(float(average))
    return found[0], found[1]


def summed(made: Made) -> SummedSteps:
    times, values = made
    return summed_steps(np.array(times, np.int64), np.array(values, np.int64))


@st.composite
def uses(draw: st.DrawFn) -> tuple[Made, Made]:
    """What is used, and what is up, of which there is never less, from no later on."""
    used = draw(steps())
    first = draw(st.integers(0, used[0][0] if used[0] else 20))
    later = sorted(draw(st.sets(st.integers(first + 1, 60), max_size=6)))
    amount = st.integers(0, 3) if draw(st.booleans()) else st.just(9)
    up = [first, *later], [draw(amount) for _ in range(1 + len(later))]
    times = sorted({*used[0], *(time for time in later if used[0] and time > used[0][0])})
    return (times, [min(value_at(*used, time), value_at(*up, time)) for time in times]), up


@given(uses(), st.integers(1, 30), st.integers(-10, 80), st.integers(1, 6), st.integers(1, 12))
def test_moving_averages(both: tuple[Made, Made], over: int, left: int, wide: int, width: int) -> None:
    used, up = both
    window = (float(left), float(left + wide * width))
    found = average_statistics(summed(used), summed(up), float(over), window, width)
    seconds = range(left, left + wide * width)
    ends = [at_ends_of_second(used, up, over, second) for second in seconds]
    for second in seconds:
        last = used_of_up(used, up, over, second + 1) if second >= up[0][0] else None
        shown = average_at(summed(used), summed(up), float(over), second + 1.0)
        assert np.isclose(shown, float(last or 0))
    check(found, ends, wide, means=set(up[1]) == {9} and left >= up[0][0] + over)


def test_an_average_that_nobody_uses() -> None:
    found = average_statistics(summed(([], [])), summed(([5], [3])), 10.0, (0.0, 20.0), 4)
    assert not found.any()
    assert average_at(summed(([], [])), summed(([5], [3])), 10.0, 8.0) == 0
