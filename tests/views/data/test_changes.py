"""The colours of changes."""

from itertools import pairwise

import numpy as np
import pytest

from engine.machine.cluster import Cluster
from engine.quantities import Jobs
from tests.traces import make_schedule, make_trace
from views.data.changes import LONGEST, change_pixels, change_position, class_colours, format_change
from views.data.gantt.colours import COLOUR_NAMES, ColourMode, classify
from views.theme.palette import change_colours, contrast, lightness, rgb, same_colour
from views.theme.theme import DARK, LIGHT, Theme

THEMES = [LIGHT, DARK]


def spelled(value: int) -> str:
    return f"#{int(value) & 0xFFFFFF:06x}"


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_earlier_is_blue_later_orange_and_nothing_grey(theme: Theme) -> None:
    seconds = np.array([-10 * 86_400, -3600, -1, 0, 1, 3600, 10 * 86_400])
    colours = [rgb(spelled(value)) for value in change_pixels(seconds, theme.dark)]
    for red, _, blue in colours[:3]:
        assert blue > red + 30
    for red, _, blue in colours[4:]:
        assert red > blue + 30
    assert spelled(change_pixels(np.array([0]), theme.dark)[0]) == same_colour(theme.dark)


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_earlier_is_as_strong_as_later(theme: Theme) -> None:
    for earlier, later in zip(
        class_colours(theme.dark)[:4][::-1], class_colours(theme.dark)[5:], strict=True
    ):
        assert contrast(earlier, theme.chart) == pytest.approx(contrast(later, theme.chart), rel=0.02)


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_the_larger_the_change_the_further_from_the_background(theme: Theme) -> None:
    colours = change_colours(theme.dark)
    middle = len(colours) // 2
    for side in (colours[middle + 1 :], colours[:middle][::-1]):
        steps = [contrast(spelled(value), theme.chart) for value in side[::16]]
        assert all(first < second for first, second in pairwise(steps))
        assert steps[-1] > 4.5
    assert contrast(same_colour(theme.dark), theme.chart) > 1.6


def test_the_scale_is_symmetric_and_ends_at_a_week() -> None:
    seconds = np.array([1, 60, 3600, 86_400, 700_000])
    assert change_position(-seconds).tolist() == (-change_position(seconds)).tolist()
    assert (np.diff(change_position(seconds)) > 0).all()
    assert change_position(np.array([0, LONGEST, 9 * LONGEST])).tolist() == [0, 1, 1]


def test_a_change_in_words() -> None:
    assert format_change(-7500) == "2 h 5 min earlier"
    assert format_change(180) == "3 min later"
    assert format_change(0) == "at the same time"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("mode", sorted(mode for mode in COLOUR_NAMES if mode not in ("user", "queue")))
def test_classes_of_colours_stay_apart_in_grey(mode: ColourMode, dark: bool) -> None:
    trace = make_trace([0, 0], [3600, 60], [16, 64], cluster=Cluster.pool(64))
    schedule = make_schedule(trace, [0, 3600])
    jobs = Jobs(trace, schedule, np.array([0, 7200]), make_schedule(trace, [0, 0]), np.array([7200, 60]))
    classes = classify(jobs, mode, dark)
    if len(classes.colours) > 1 and classes.ordered:
        middle = len(classes.colours) // 2  # as many earlier as later ones: words tell which, see `decisions`
        sides = (classes.colours[: middle + 1], classes.colours[middle:])
        for side in sides if mode == "change" else (classes.colours,):
            light = sorted(map(lightness, side))
            assert min(np.diff(light)) > 3.5, list(zip(classes.names, classes.colours, strict=True))
