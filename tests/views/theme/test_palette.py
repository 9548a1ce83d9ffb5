from __future__ import annotations

import numpy as np
import pytest

from views.theme.palette import (
    LATE,
    ON_TIME,
    OTHER_USERS,
    RUN_COLOURS,
    SIZE,
    USER_COLOURS,
    WAIT,
    contrast,
    gradient,
    heat_colours,
    luminance,
    mix,
    pixel,
    run_colour,
    spelled,
    text_on,
    user_colours,
)
from views.theme.theme import DARK, LIGHT, Theme

THEMES = [LIGHT, DARK]


def test_contrast_is_that_of_the_w3c() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#123456", "#123456") == 1


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_all_text_is_readable(theme: Theme) -> None:
    for background in (theme.window, theme.chart, theme.alternate, theme.button):
        for text in (theme.text, theme.faint, theme.link, theme.good, theme.bad):
            assert contrast(text, background) >= 4.5, (text, background)
    assert contrast(theme.accent_text, theme.accent) >= 4.5


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_lines_and_areas_stand_out_from_the_chart(theme: Theme) -> None:
    for colour in (theme.accent, theme.cursor, theme.cpu, theme.ram):
        assert contrast(colour, theme.chart) >= 3
    for colour in (*RUN_COLOURS, *USER_COLOURS, OTHER_USERS, ON_TIME):
        assert contrast(colour, theme.chart) >= 2


@pytest.mark.parametrize("colour", [*RUN_COLOURS, *USER_COLOURS, OTHER_USERS, ON_TIME, "#777777"])
def test_labels_on_any_colour_are_readable(colour: str) -> None:
    assert contrast(text_on(colour), colour) >= 4.5


@pytest.mark.parametrize(
    "colours",
    [heat_colours(False), heat_colours(True), gradient(WAIT), gradient(LATE), gradient(SIZE)],
    ids=["heat light", "heat dark", "wait", "late", "size"],
)
def test_scales_go_one_way_in_lightness(colours: np.ndarray) -> None:
    light = np.array([luminance(spelled(int(c))) for c in colours])
    steps = np.diff(light)
    assert (steps >= -1e-3).all() or (steps <= 1e-3).all()
    assert colours.dtype == np.uint32
    assert (colours >> 24 == 255).all()


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_the_highest_count_is_furthest_from_the_background(theme: Theme) -> None:
    colours = heat_colours(theme.dark)
    assert contrast(spelled(int(colours[-1])), theme.chart) > 10
    assert contrast(spelled(int(colours[0])), theme.chart) > 1.15


def test_runs_keep_their_colour_and_differ() -> None:
    assert [run_colour(k) for k in range(1, 8)] == list(RUN_COLOURS)
    assert len({run_colour(k) for k in range(1, 15)}) == 14
    assert run_colour(15) == run_colour(1)


def test_the_largest_users_have_distinct_colours_and_the_rest_is_grey() -> None:
    names = [f"user{k}" for k in range(40)]
    area = np.arange(40, dtype=float)
    colours = user_colours(names, area)
    assert len(set(colours[26:])) == len(USER_COLOURS) == 14
    assert set(colours[:26]) == {OTHER_USERS}


def test_present_users_have_distinct_colours_and_keep_those_that_they_had() -> None:
    names, area = [f"user{k}" for k in range(40)], np.arange(40, dtype=float)
    whole, present = user_colours(names, area), np.arange(40) % 4 == 0
    colours = user_colours(names, area, present)
    own = [colours[k] for k in np.flatnonzero(present)]
    assert OTHER_USERS not in own
    assert len(set(own)) == 10
    assert all(colours[k] == whole[k] for k in range(28, 40, 4))
    kept = [k for k in range(26, 40) if not present[k] and colours[k] == whole[k]]
    assert kept == [35, 37, 38, 39]  # the largest of those that are away
    assert user_colours(names, area, np.arange(40) == 39) == whole


def test_a_user_has_the_colour_of_the_name_whatever_its_code() -> None:
    one = user_colours(["ann", "bob"], np.array([5.0, 1.0]))
    other = user_colours(["zoe", "bob", "ann"], np.array([0.5, 1.0, 5.0]))
    assert one[0] == other[2]
    assert one[1] == other[1]


def test_few_or_no_users() -> None:
    assert user_colours([], np.empty(0)) == []


def test_mixing_and_pixels() -> None:
    assert mix("#000000", "#ffffff", 0.5) == "#808080"
    assert mix("#102030", "#ffffff", 0) == "#102030"
    assert pixel("#0a0b0c") == 0xFF0A0B0C
