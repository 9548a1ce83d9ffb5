"""Runtimes of replays, drawn of what jobs of the same user used of their limits."""

import numpy as np

from engine.now.used_parts import used_parts
from engine.now.usual_shares import usual_parts

FEW, MANY = [0.9] * 9, [0.1, 0.2] * 5
"""Jobs of bob, who has too few of them, and of ann."""


def test_a_user_with_ten_jobs_is_drawn_of_these() -> None:
    parts = used_parts(np.array(FEW + MANY), np.array([1] * 9 + [0] * 10), ["ann", "bob", "carl"])
    assert parts.of_user.keys() == {"ann"}
    users = ["ann", "bob", "carl"] * 200
    drawn = parts.drawn(np.random.default_rng(1), users, np.zeros(600))
    assert set(drawn[::3]) == {0.1, 0.2}
    assert set(drawn[1::3]) == set(drawn[2::3]) == {0.1, 0.2, 0.9}


def test_what_runs_is_drawn_of_what_is_longer_and_of_everybody_where_its_user_has_none() -> None:
    parts = used_parts(np.array(FEW + MANY), np.array([1] * 9 + [0] * 10), ["ann", "bob"])
    done = np.array([0.15, 0.5, 0.95])
    drawn = parts.drawn(np.random.default_rng(1), ["ann"] * 3, done)
    assert drawn.tolist() == [0.2, 0.9, 0.97]


def test_the_last_hundred_jobs_of_a_user_count() -> None:
    parts = used_parts(np.linspace(0.0, 1.0, 300), np.zeros(300, np.int64), ["ann"])
    assert len(parts.of_user["ann"]) == 100
    assert parts.of_user["ann"][0] > 0.6
    none = used_parts(np.zeros(0), np.zeros(0, np.int64), ["ann"])
    assert none.every.tolist() == usual_parts().tolist()
