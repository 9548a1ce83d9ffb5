"""Steps of time against a table of seconds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.simulation import profile as parts
from engine.simulation.profile import Profile, make_profile, with_room
from tests.parts import from_python

copy_profile = from_python(parts.copy_profile)
first_step = from_python(parts.first_step)
hold = from_python(parts.hold)
make_room = from_python(parts.make_room)
pass_time = from_python(parts.pass_time)
release = from_python(parts.release)
step_at = from_python(parts.step_at)

Ints = NDArray[np.int64]

HORIZON = 40
JOBS = 6
CAPACITY = 100


def free_by_second(profile: Profile, node: int) -> list[int]:
    """From now to the horizon."""
    now = int(profile.now[0])
    return [int(profile.free[step_at(profile, node, second), 0]) for second in range(now, HORIZON)]


def begins(profile: Profile, node: int) -> list[int]:
    """When the steps after the first one begin."""
    first, end = first_step(profile, node), int(profile.end[node])
    return profile.time[first + 1 : end].tolist()


@pytest.mark.parametrize("nodes", [1, 3])
@given(data=st.data())
def test_what_is_held_is_not_free_until_it_is_released(nodes: int, data: st.DataObject) -> None:
    need = np.array([[job + 1] for job in range(JOBS)], np.int64)
    pieces = np.array([[job % nodes, job + 1] for job in range(JOBS)], np.int64)
    empty = make_profile(np.full((nodes, 1), CAPACITY, np.int64), 0, 0)
    profile = with_room(empty, 0)
    used: Ints = np.zeros((nodes, HORIZON), np.int64)
    held: dict[int, tuple[int, int]] = {}
    now = 0

    def is_as_held(profile: Profile) -> None:
        for node in range(nodes):
            edges = {edge for j, span in held.items() if j % nodes == node for edge in span if edge > now}
            assert free_by_second(profile, node) == (CAPACITY - used[node, now:]).tolist()
            assert begins(profile, node) == sorted(edges)

    for _ in range(data.draw(st.integers(1, 50))):
        job = data.draw(st.integers(0, JOBS - 1))
        if data.draw(st.booleans()):
            now = data.draw(st.integers(now, HORIZON - 2))
            pass_time(profile, now)
        while not make_room(profile, 1):
            profile = with_room(profile, len(profile.time))
        if job in held:
            begin, end = held.pop(job)
            sign = -1
            release(profile, need, job, begin, end, pieces, job, 1)
        else:
            begin = data.draw(st.integers(now, HORIZON - 2))
            end = data.draw(st.integers(begin + 1, HORIZON - 1))
            held[job] = begin, end
            sign = 1
            hold(profile, need, job, begin, end, pieces, job, 1)
        used[job % nodes, begin:end] += sign * (job + 1)
        is_as_held(profile)
    copy = with_room(empty, len(profile.time) - len(empty.time))
    copy_profile(profile, copy)
    is_as_held(copy)
    is_as_held(with_room(profile, 5))


@pytest.mark.parametrize("nodes", [1, 6, 300])
def test_the_rows_of_a_new_profile_fit_into_either_half(nodes: int) -> None:
    profile = make_profile(np.full((nodes, 1), CAPACITY, np.int64), 0, 0)
    assert not make_room(profile, len(profile.time))
    assert profile.base[0] == len(profile.time) // 2
    assert profile.limit.max() <= len(profile.time)
    assert profile.used[0] <= len(profile.time)
