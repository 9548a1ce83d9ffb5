import numpy as np
import pytest

from views.theme.palette import (
    LATE,
    ON_TIME,
    OTHER_USERS,
    RUN_COLOURS,
    SIZE,
    SQUARES,
    USER_COLOURS,
    WAIT,
    change_colours,
    contrast,
    gradient,
    heat_colours,
    hex_colour,
    lightness,
    luminance,
    mix,
    pattern_of,
    pixel,
    rgb,
    run_colour,
    square_of,
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
    light = np.array([luminance(hex_colour(int(c))) for c in colours])
    steps = np.diff(light)
    assert (steps >= -1e-3).all() or (steps <= 1e-3).all()
    assert colours.dtype == np.uint32
    assert (colours >> 24 == 255).all()


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_the_highest_count_is_furthest_from_the_background(theme: Theme) -> None:
    colours = heat_colours(theme.dark)
    assert contrast(hex_colour(int(colours[-1])), theme.chart) > 10
    assert contrast(hex_colour(int(colours[0])), theme.chart) > 1.15


DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
"""What is seen of linear red, green and blue: Machado, Oliveira and Fernandes, 2009, severity 1.0."""


def lab(linear: np.ndarray) -> np.ndarray:
    """L*, a* and b* (CIE 1976, D65) of linear sRGB."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    ratio = to_xyz @ linear / np.array([0.9505, 1.0, 1.089])
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), ratio * 841 / 108 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def linear(colour: str) -> np.ndarray:
    parts = np.array(rgb(colour)) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def distance(first: str, second: str, seen: np.ndarray) -> float:
    """How far apart two colours are seen; 1 is just seen, 10 at a glance."""
    pair = [lab(np.clip(seen @ linear(colour), 0, 1)) for colour in (first, second)]
    return float(np.linalg.norm(pair[0] - pair[1]))


def test_no_two_runs_are_alike() -> None:
    assert [run_colour(k) for k in range(1, 8)] == list(RUN_COLOURS)
    assert len({run_colour(k) for k in range(1, 85)}) == 84
    assert {pattern_of(run_colour(k)) for k in range(1, 8)} == {0}
    assert 0 not in {pattern_of(run_colour(k)) for k in range(8, 22)}
    for theme in THEMES:
        assert min(contrast(run_colour(k), theme.chart) for k in range(1, 85)) >= 2


def test_the_simulation_confuses_what_deuteranopia_confuses() -> None:
    red, green = "#a01800", "#6e5a00"
    assert distance(red, green, DEUTERANOPIA) < distance(red, green, np.eye(3)) / 3
    assert distance("#808080", "#808080", DEUTERANOPIA) == 0


@pytest.mark.parametrize("number", range(1, 15))
def test_fourteen_runs_are_told_apart_in_deuteranopia_and_in_grey(number: int) -> None:
    for earlier in range(1, number):
        first, second = run_colour(number), run_colour(earlier)
        if pattern_of(first) == pattern_of(second):  # else dash, hatch or marker tell them apart
            assert distance(first, second, DEUTERANOPIA) > 9, (first, second)
            assert abs(lightness(first) - lightness(second)) > 3.5, (first, second)


def test_users_beyond_seven_have_a_pattern_that_runs_share() -> None:
    assert [pattern_of(colour) for colour in USER_COLOURS[:7]] == [0] * 7
    assert all(pattern_of(colour) for colour in USER_COLOURS[7:])
    assert pattern_of(OTHER_USERS) == 0
    assert {square_of(colour) for colour in USER_COLOURS} == set(SQUARES[:3])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_changes_to_less_are_as_strong_as_changes_to_more(dark: bool) -> None:
    light = np.array([lightness(hex_colour(int(colour))) for colour in change_colours(dark)])
    assert light == pytest.approx(light[::-1], abs=0.6)


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
    first = user_colours(["ann", "bob"], np.array([5.0, 1.0]))
    second = user_colours(["zoe", "bob", "ann"], np.array([0.5, 1.0, 5.0]))
    assert first[0] == second[2]
    assert first[1] == second[1]


def test_few_or_no_users() -> None:
    assert user_colours([], np.empty(0)) == []


def test_mixing_and_pixels() -> None:
    assert mix("#000000", "#ffffff", 0.5) == "#808080"
    assert mix("#102030", "#ffffff", 0) == "#102030"
    assert pixel("#0a0b0c") == 0xFF0A0B0C
