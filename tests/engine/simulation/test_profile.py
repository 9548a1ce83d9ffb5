"""Steps of time against a table of seconds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.simulation import holding
from engine.simulation import profile as parts
from engine.simulation.profile import Profile, make_profile, with_room, with_slots
from tests.parts import from_python

copy_profile = from_python(parts.copy_profile)
first_step = from_python(parts.first_step)
hold = from_python(holding.hold)
make_room = from_python(parts.make_room)
pass_time = from_python(parts.pass_time)
release = from_python(holding.release)
step_at = from_python(parts.step_at)
whole = from_python(parts.whole)

Ints = NDArray[np.int64]

HORIZON = 40
JOBS = 6
CAPACITY = 100


class Held:
    """What jobs hold on equal nodes, by second: the slow definition of a profile."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes
        self.now = 0
        self.spans: dict[int, tuple[int, int]] = {}
        self.pieces: dict[int, list[tuple[int, int]]] = {}

    def hold(self, job: int, begin: int, end: int, pieces: list[tuple[int, int]]) -> None:
        self.spans[job], self.pieces[job] = (begin, end), pieces

    def free(self, node: int, second: int) -> int:
        held = [
            sum(cpus for on, cpus in self.pieces[job] if on == node)
            for job, (begin, end) in self.spans.items()
            if begin <= second < end
        ]
        return CAPACITY - sum(held)

    def edges(self, node: int) -> list[int]:
        """When pieces begin or end on the node's own line, where pieces that take the entire node are not."""
        jobs = [job for job, pieces in self.pieces.items() if job in self.spans]
        on = [job for job in jobs for at, cpus in self.pieces[job] if at == node and self.has_line(cpus)]
        return sorted({edge for job in on for edge in self.spans[job] if edge > self.now})

    def has_line(self, cpus: int) -> bool:
        return self.nodes == 1 or cpus < CAPACITY


def begins(profile: Profile, line: int) -> list[int]:
    """When the steps after the first one begin."""
    first, end = first_step(profile, line), int(profile.end[line])
    times: list[int] = profile.time[first + 1 : end].tolist()
    return times


def assert_is_as_held(profile: Profile, held: Held) -> None:
    seconds = range(held.now, HORIZON)
    for node in range(held.nodes):
        assert begins(profile, node) == held.edges(node)
        for second in seconds:
            if held.free(node, second) > 0:
                assert profile.free[step_at(profile, node, second), 0] == held.free(node, second)
    if held.nodes == 1:
        return
    line = whole(profile)
    edges = {edge for span in held.spans.values() for edge in span if edge > held.now}
    assert begins(profile, line) == sorted(edges)
    for second in (held.now, *sorted(edges)):
        free = [held.free(node, second) for node in range(held.nodes)]
        step = step_at(profile, line, second)
        assert profile.free[step, 0] == sum(free)
        for level, least in enumerate([*profile.level[:-1].tolist(), CAPACITY]):
            words = profile.sets[profile.slot[step], level]
            there = [node for node in range(held.nodes) if words[node >> 6] & profile.bit[node & 63]]
            assert there == [node for node in range(held.nodes) if free[node] >= least]


@pytest.mark.parametrize("nodes", [1, 3, 70])
@given(data=st.data())
def test_what_is_held_is_not_free_until_it_is_released(nodes: int, data: st.DataObject) -> None:
    empty = make_profile(np.full((nodes, 1), CAPACITY, np.int64), 0, 0)
    profile = with_slots(with_room(empty, 0), 2 * JOBS + 1)
    need, pieces = np.zeros((JOBS, 1), np.int64), np.zeros((2 * JOBS, 2), np.int64)
    held = Held(nodes)
    for _ in range(data.draw(st.integers(1, 50))):
        job = data.draw(st.integers(0, JOBS - 1))
        if data.draw(st.booleans()):
            held.now = data.draw(st.integers(held.now, HORIZON - 2))
            pass_time(profile, held.now)
        while not make_room(profile, 2):
            profile = with_room(profile, len(profile.time))
        if job in held.spans:
            release(profile, need, job, *held.spans.pop(job), pieces, 2 * job, 1 + (nodes > 1))
        else:
            begin = data.draw(st.integers(held.now, HORIZON - 2))
            end = data.draw(st.integers(begin + 1, HORIZON - 1))
            cpus = data.draw(st.sampled_from((1, 7, 16, CAPACITY)))
            first = data.draw(st.integers(0, nodes - 1))
            on = [(first, cpus)] if nodes == 1 else [(first, cpus), ((first + 1) % nodes, cpus)]
            if any(held.free(node, second) < cpus for node, _ in on for second in range(begin, end)):
                continue
            need[job], pieces[2 * job : 2 * job + len(on)] = cpus, on
            held.hold(job, begin, end, on)
            hold(profile, need, job, begin, end, pieces, 2 * job, len(on))
        assert_is_as_held(profile, held)
    copy = with_slots(with_room(empty, len(profile.time) - len(empty.time)), 2 * JOBS + 1)
    copy_profile(profile, copy)
    assert_is_as_held(copy, held)
    assert_is_as_held(with_slots(with_room(profile, 5), 40), held)


@pytest.mark.parametrize("nodes", [1, 6, 300])
def test_the_rows_of_a_new_profile_fit_into_either_half(nodes: int) -> None:
    profile = make_profile(np.full((nodes, 1), CAPACITY, np.int64), 0, 0)
    assert not make_room(profile, len(profile.time))
    assert profile.base[0] == len(profile.time) // 2
    assert profile.limit.max() <= len(profile.time)
    assert profile.used[0] <= len(profile.time)
