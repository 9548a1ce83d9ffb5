"""Values that fade: points, constant before them, constant or falling on behind them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.value.fade import Fade, parse_fade


def shares(text: str, *waits: float) -> list[float]:
    found: list[float] = parse_fade(text).share(np.array(waits, np.float64)).tolist()
    return found


def test_by_hand() -> None:
    assert shares("none", 0, 10**6) == [1, 1]
    assert shares("10@1;20@0.5;40@-0.5", 0, 10, 15, 20, 30, 40, 1000) == [1, 1, 0.75, 0.5, 0, -0.5, -0.5]
    assert shares("10@1;20@0.5;40@-0.5;fall", 30, 40, 60) == [0, -0.5, -1.5]
    assert shares("1h@0.25", 0, 3600, 7200) == [0.25] * 3


points = st.dictionaries(st.integers(0, 10**6), st.integers(-2000, 2000), min_size=1, max_size=6).map(
    lambda of: tuple((wait, of[wait] / 1000) for wait in sorted(of))
)


@given(points, st.lists(st.integers(0, 2 * 10**6), min_size=1, max_size=20))
def test_it_is_linear_between_its_points(points: tuple[tuple[int, float], ...], waits: list[int]) -> None:
    fade, at = Fade(points), np.array(waits, np.float64)
    found = fade.share(at)
    at_points, left = np.array(points).T
    assert np.allclose(found, np.interp(at, at_points, left))
    if len(points) > 1 and points[-1][1] < points[-2][1]:
        (begin, before), (end, after) = points[-2:]
        later = before + (at - begin) * (after - before) / (end - begin)
        falls = Fade(points, falls=True)
        assert np.allclose(falls.share(at), np.where(at > end, later, found))
        assert parse_fade(str(falls)) == falls
    assert parse_fade(str(fade)) == fade


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1h", "spell it WAIT@SHARE"),
        ("fall", "can go on falling"),
        ("1h@1;fall", "can go on falling"),
        ("1h@0;2h@1;fall", "can go on falling"),
        ("1h@1;1h@0", "waits must increase"),
        ("2h@1;1h@0", "waits must increase"),
        ("999999999d@1", "longer than any log"),
    ],
)
def test_what_is_no_fade(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_fade(text)
