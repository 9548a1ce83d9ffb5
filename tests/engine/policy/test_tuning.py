"""Tunings: their spellings, and which are refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.policy.tuning import (
    INTERVAL,
    MONITORS,
    RANGES,
    Threshold,
    Tuning,
    parse_tunings,
)

HOUR = 3600


def test_the_papers_tunings() -> None:
    bf, window = parse_policy("tuned-2d:queue_depth=400").tunings
    assert (bf.tunable, bf.step, bf.low, bf.high, bf.condition) == ("bf", -0.5, 0.5, 1, "queue_depth>=400")
    assert (window.tunable, window.step, window.low, window.high) == ("window", 3, 1, 4)
    assert window.condition == "utilization_10h<=mean_1d"
    assert bf.interval == window.interval == INTERVAL == HOUR / 2
    assert parse_policy("tuned-bf").tunings == parse_tunings("bf").tunings(1000)
    assert parse_policy("tuned-window").tunings == (window,)
    assert parse_policy("metric").tunings == ()


def test_both_are_what_2d_is_short_for() -> None:
    assert parse_tunings("2d").tunings(7) == parse_tunings("bf;window").tunings(7)


@st.composite
def tunings(draw: st.DrawFn) -> Tuning:
    tunable = draw(st.sampled_from(("bf", "window")))
    least, most = (int(limit) for limit in RANGES[tunable])
    # Hundredths for `bf` and whole jobs for windows: all values are spelled exactly.
    scale = 1 if tunable == "window" else 100
    low = draw(st.integers(least * scale, most * scale - 1))
    high = draw(st.integers(low + 1, most * scale))
    step = draw(st.integers(-3 * scale, 3 * scale).filter(bool))
    monitor = draw(st.sampled_from(MONITORS))
    jobs = st.integers(1, 10**6)
    argument = {"utilization": st.integers(0, 10**6), "bounded_slowdown": jobs, "violated": jobs}
    # One sign, or a pair for both directions.
    signs = draw(
        st.sampled_from((("=",), (">=",), ("<",), (">=", "<"), (">", "<="), ("<", ">="), ("<=", ">")))
    )
    mean = draw(st.just(0) | st.integers(1, 10**6))
    limit = 0.0 if mean else draw(st.integers(0, 10**5)) / 4
    return Tuning(
        tunable=tunable,
        step=step / scale,
        low=low / scale,
        high=high / scale,
        monitor=monitor,
        argument=draw(argument.get(monitor, st.just(0))),
        threshold=Threshold(signs[0], limit, mean),
        back=Threshold(signs[1], limit, mean) if len(signs) > 1 else None,
        interval=draw(st.integers(1, 10**6)),
        # Only tunings by a difference have a controller.
        integral=draw(st.none() | st.integers(-300, 300).map(lambda gain: gain / 100))
        if signs == ("=",)
        else None,
    )


@given(tunings())
def test_each_is_read_back_from_its_spelling(tuning: Tuning) -> None:
    assert parse_tunings(tuning.spelling).parts == (tuning,)
    assert str(parse_tunings(tuning.spelling)) == tuning.spelling


_WINDOWS = tunings().filter(lambda tuning: tuning.tunable == "window")


@given(_WINDOWS.map(lambda tuning: replace(tuning, low=1.0)))
def test_a_policy_keeps_them_in_its_spelling(tuning: Tuning) -> None:
    policy = parse_policy(f"easy:tune={tuning.spelling}")
    assert parse_policy(policy.spelling) == policy
    assert policy.tunings == (tuning,)


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ("tuned-bf:tune=bf;bf:-0.5:0..1:queue_length>=3", "two tunings of bf"),
        ("tuned-bf:tune=2d;window", "two tunings of window"),
        ("metric:tune=bf:-0.5:0.9..0.5:queue_depth>=400", "not below the upper"),
        ("metric:tune=bf:-0.5:0.5..0.5:queue_depth>=400", "not below the upper"),
        ("metric:tune=bf:-0.5:0..2:queue_depth>=400", "bf is from 0 to 1"),
        ("metric:tune=window:1:1..21:queue_depth>=400", "window is from 1 to 20"),
        ("metric:tune=window:0.5:1..4:queue_depth>=400", "whole number"),
        ("metric:tune=bf:0:0..1:queue_depth>=400", "step of 0"),
        ("metric:tune=bf:0/0:0..1:wait=400", "step of 0"),
        ("metric:tune=bf:-0.5/0.1:0..1:queue_depth>=400", "two gains need a target"),
        ("metric:tune=bf:-0.5:0..1:queue_depth>=400:0", "interval"),
        ("metric:tune=bf:-0.5:0..1:queue_depth_3>=400", "takes no number"),
        ("metric:tune=bf:-0.5:0..1:queue_depth_3h>=400", "only a utilization"),
        ("metric:tune=bf:-0.5:0..1:bounded_slowdown>=400", "over how many jobs"),
        ("metric:tune=bf:-0.5:0..1:queue_dept>=400", "did you mean 'queue_depth'"),
        ("metric:tune=bff:-0.5:0..1:queue_depth>=400", "did you mean 'bf'"),
        ("metric:tune=windw", "did you mean 'window'"),
        ("metric:tune=bf:-0.5", "is spelled like"),
        ("metric:bf=0.2,tune=bf", "bf begins at 0.2"),
        ("metric:window=6,tune=window", "window begins at 6"),
        ("easy:tune=bf", "bf belongs to order=balanced"),
        ("fcfs:window=2", "windows need depth=1 or depth=all"),
        ("easy:depth=3,window=2", "windows need depth=1 or depth=all"),
        ("conservative:window=2", "windows need depth=1 or depth=all"),
        ("aggressive:tune=window", "windows need depth=1 or depth=all"),
        ("easy:window=2,max_user_jobs=3", "max_user_jobs"),
        ("easy:window=2,test_limit=3", "test_limit"),
        ("easy:window=2,relaxed=0.5", "relaxed"),
        ("metric:window=21", "from 1 to 20"),
        ("metric:bf=1.5", "from 0 to 1"),
    ],
)
def test_what_cannot_work_is_refused_when_the_policy_is_made(policy: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_policy(policy)
