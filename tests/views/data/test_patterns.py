"""Stripes over jobs of users whose colours alone do not tell them apart."""

import numpy as np

from views.data.gantt.patterns import stripe_patterned
from views.theme.palette import OTHER_USERS, USER_COLOURS, pixel


def picture(*colours: str, size: int = 40) -> np.ndarray:
    """A band of rows of each colour."""
    return np.repeat(np.array([pixel(colour) for colour in colours], np.uint32), size)[:, None].repeat(60, 1)


def test_stripes_lie_on_patterned_colours_alone() -> None:
    plain, striped, other = USER_COLOURS[0], USER_COLOURS[8], OTHER_USERS
    before = picture(plain, striped, other)
    pixels = np.ascontiguousarray(before.copy())
    stripe_patterned(pixels, [plain, striped, other], 1.0)
    changed = pixels != before
    assert not changed[:40].any()
    assert not changed[80:].any()
    assert abs(changed[40:80].mean() - 1 / 7) < 0.01
    row, column = np.nonzero(changed)
    assert len({int(value) for value in (row + column) % 7}) == 1


def test_stripes_are_as_wide_on_a_finer_screen() -> None:
    pixels = np.ascontiguousarray(picture(USER_COLOURS[9]))
    before = pixels.copy()
    stripe_patterned(pixels, [USER_COLOURS[9]], 2.0)
    assert abs((pixels != before).mean() - 2 / 14) < 0.02


def test_seven_users_are_plain() -> None:
    pixels = np.ascontiguousarray(picture(*USER_COLOURS[:7]))
    before = pixels.copy()
    stripe_patterned(pixels, USER_COLOURS[:7], 1.0)
    assert (pixels == before).all()
