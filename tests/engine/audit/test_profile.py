from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.audit.profile import Profile

CAPACITY = (6, 5)
SPAN = 40

needs = st.tuples(st.integers(0, 6), st.integers(0, 5))
slots = st.tuples(st.integers(0, 20), st.integers(1, 10), needs)


def fits(held: list[list[int]], begin: int, length: int, need: tuple[int, ...]) -> bool:
    return all(
        held[second][k] + need[k] <= CAPACITY[k]
        for second in range(begin, min(begin + length, SPAN))
        for k in range(2)
    )


@given(st.lists(slots, max_size=12), st.integers(0, 25), st.integers(1, 10), needs, st.integers(0, 6))
def test_the_earliest_gap_second_by_second(
    asked: list[tuple[int, int, tuple[int, int]]],
    since: int,
    length: int,
    need: tuple[int, int],
    given_back: int,
) -> None:
    profile = Profile(CAPACITY)
    held = [[0, 0] for _ in range(SPAN + 20)]
    taken = []
    for begin, lasts, amount in asked:
        if fits(held, begin, lasts, amount):
            taken.append((begin, lasts, amount, 1))
    # Each is tried beside those before it, so that the profile never goes below zero.
    kept = []
    for begin, lasts, amount, _ in taken:
        if fits(held, begin, lasts, amount):
            kept.append((begin, lasts, amount))
            profile.take(begin, begin + lasts, amount)
            for second in range(begin, begin + lasts):
                held[second] = [a + b for a, b in zip(held[second], amount, strict=True)]
    for begin, lasts, amount in kept[:given_back]:
        profile.give(begin, begin + lasts, amount)
        for second in range(begin, begin + lasts):
            held[second] = [a - b for a, b in zip(held[second], amount, strict=True)]
    expected = next(t for t in range(since, SPAN) if fits(held, t, length, need))
    assert profile.earliest(since, length, need) == expected
    profile.forget(since)
    assert profile.earliest(since, length, need) == expected
    assert all(a != b for a, b in zip(profile.free, profile.free[1:], strict=False)), "steps that are none"
    assert profile.free[-1] == CAPACITY
