"""Steps of time against a table of seconds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.compiler import bits
from engine.simulation.placement import nodes_of
from engine.simulation.profile import lines, steps
from engine.simulation.profile.lines import with_room
from engine.simulation.profile.state import Profile, make_profile
from tests.parts import from_python

copy_profile = from_python(lines.copy_profile)
first_step = from_python(steps.first_step)
hold = from_python(lines.hold)
make_room = from_python(lines.make_room)
pass_time = from_python(lines.pass_time)
release = from_python(lines.release)
step_at = from_python(steps.step_at)
bit_of = from_python(bits.bit_of)

Ints = NDArray[np.int64]

HORIZON = 40
JOBS = 6
CAPACITY = 100
MOST = 3
"""Pieces of each job."""


def of_one_node(node: int, amount: int) -> list[int]:
    """A row of pieces."""
    return [node, int(bit_of(node)), amount]


def free_by_second(profile: Profile, node: int) -> list[int]:
    """From now to the horizon."""
    now, line = int(profile.now[0]), int(profile.line[node])
    return [int(profile.free[step_at(profile, line, second), 0]) for second in range(now, HORIZON)]


def begins(profile: Profile, node: int) -> list[int]:
    """When the steps after the first one begin."""
    line = int(profile.line[node])
    first, end = first_step(profile, line), int(profile.end[line])
    return profile.time[first + 1 : end].tolist()


def lines_are_sound(profile: Profile) -> None:
    """Each node is on a line that is in use, and the sizes of the lines count their nodes."""
    used = profile.order[: profile.lines[0]]
    assert sorted(profile.order.tolist()) == list(range(len(profile.order)))
    assert [int(profile.turn[line]) for line in profile.order] == list(range(len(profile.order)))
    assert set(profile.line.tolist()) == set(used.tolist())
    assert [int((profile.line == line).sum()) for line in used] == profile.size[used].tolist()


@pytest.mark.parametrize("nodes", [1, 3, 7])
@given(data=st.data())
def test_what_is_held_is_not_free_until_it_is_released(nodes: int, data: st.DataObject) -> None:
    need = np.array([[job + 1] for job in range(JOBS)], np.int64)
    # Pieces side by side take as much as each other, but for the last of each other job; those of the
    # last job lie on the same node.
    pieces = np.array(
        [
            of_one_node((2 * job + piece * (job < JOBS - 1)) % nodes, job + 1 + (piece == MOST - 1) * job % 2)
            for job in range(JOBS)
            for piece in range(MOST)
        ],
        np.int64,
    )
    count = MOST if nodes > 1 else 1
    empty = make_profile(np.full((nodes, 1), CAPACITY, np.int64), 0, 0)
    profile = with_room(empty, 0)
    used: Ints = np.zeros((nodes, HORIZON), np.int64)
    held: dict[int, tuple[int, int]] = {}
    now = 0

    def on(job: int) -> list[int]:
        return pieces[MOST * job : MOST * job + count, 0].tolist() if nodes > 1 else [0]

    def is_as_held(profile: Profile) -> None:
        for node in range(nodes):
            edges = {edge for j, span in held.items() if node in on(j) for edge in span if edge > now}
            assert free_by_second(profile, node) == (CAPACITY - used[node, now:]).tolist()
            assert begins(profile, node) == sorted(edges)
        lines_are_sound(profile)

    for _ in range(data.draw(st.integers(1, 50))):
        job = data.draw(st.integers(0, JOBS - 1))
        if data.draw(st.booleans()):
            now = data.draw(st.integers(now, HORIZON - 2))
            pass_time(profile, now)
        while not make_room(profile, count):
            profile = with_room(profile, len(profile.time))
        if job in held:
            begin, end = held.pop(job)
            sign = -1
            release(profile, need, job, begin, end, pieces, MOST * job, count)
        else:
            begin = data.draw(st.integers(now, HORIZON - 2))
            end = data.draw(st.integers(begin + 1, HORIZON - 1))
            held[job] = begin, end
            sign = 1
            hold(profile, need, job, begin, end, pieces, MOST * job, count)
        if nodes == 1:
            used[0, begin:end] += sign * (job + 1)
        for node, _, amount in pieces[MOST * job : MOST * job + count] if nodes > 1 else []:
            used[node, begin:end] += sign * amount
        is_as_held(profile)
    copy = with_room(empty, len(profile.time) - len(empty.time))
    copy_profile(profile, copy)
    is_as_held(copy)
    is_as_held(with_room(profile, 5))


@given(st.lists(st.sets(st.integers(0, 99), min_size=1), min_size=1, max_size=4))
def test_a_row_of_many_nodes_is_as_rows_of_one_node_each(jobs: list[set[int]]) -> None:
    need = np.zeros((1, 1), np.int64)
    empty = make_profile(np.full((100, 1), CAPACITY, np.int64), 0, 0)
    joined, apart = with_room(empty, 5_000), with_room(empty, 5_000)
    for job, nodes in enumerate(jobs):
        single = np.array([of_one_node(node, 3) for node in sorted(nodes)], np.int64)
        words = single[:, 0] // 64
        rows = np.array(
            [
                [single[words == word, 0].min(), np.bitwise_or.reduce(single[words == word, 1]), 3]
                for word in np.unique(words)
            ],
            np.int64,
        )
        row, node = nodes_of(rows)
        assert node.tolist() == sorted(nodes)
        assert (node // 64 == rows[row, 0] // 64).all()
        hold(joined, need, 0, 5 + job, 9, rows, 0, len(rows))
        hold(apart, need, 0, 5 + job, 9, single, 0, len(single))
    for node in range(100):
        assert free_by_second(joined, node) == free_by_second(apart, node)
    lines_are_sound(joined)


def test_nodes_with_the_same_future_share_its_steps() -> None:
    empty = make_profile(np.full((100, 1), CAPACITY, np.int64), 0, 0)
    profile = with_room(empty, 5_000)
    need = np.zeros((1, 1), np.int64)
    whole = np.array([of_one_node(node, CAPACITY) for node in range(100)], np.int64)
    assert profile.lines[0] == 1
    hold(profile, need, 0, 5, 9, whole, 10, 40)
    assert profile.lines[0] == 2
    # Each node gets a line of its own, until it is as the others again.
    for node in range(100):
        hold(profile, need, 0, 20, 21 + node, whole, node, 1)
    assert profile.lines[0] == 100
    for node in range(100):
        release(profile, need, 0, 20, 21 + node, whole, node, 1)
    for second in range(8):
        for _ in range(4):
            pass_time(profile, second)
    assert profile.lines[0] == 2
    lines_are_sound(profile)
    for _ in range(32):
        pass_time(profile, 9)
    assert profile.lines[0] == 1


def test_lines_are_told_apart_by_capacity_and_zones() -> None:
    capacity = np.array([[1], [1], [2], [2]], np.int64)
    zones = np.array([[True, True, True, True], [False, True, True, True]])
    assert make_profile(capacity, 0, 1).lines[0] == 2
    assert make_profile(capacity, 0, 1, zones).size.tolist() == [1, 1, 2, 0]


@pytest.mark.parametrize("nodes", [1, 6, 300])
def test_the_rows_of_a_new_profile_fit_into_either_half(nodes: int) -> None:
    profile = make_profile(np.full((nodes, 1), CAPACITY, np.int64), 0, 0)
    assert not make_room(profile, len(profile.time))
    assert nodes > 1 or profile.base[0] == len(profile.time) // 2
    assert profile.limit.max() <= len(profile.time)
    assert profile.used[0] <= len(profile.time)
