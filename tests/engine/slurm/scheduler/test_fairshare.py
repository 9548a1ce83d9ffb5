"""Fair tree and the classic formula against slow definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.slurm.scheduler.fairshare import Tree, classic, fair_tree, total_usage
from engine.slurm.scheduler.state import Floats


def _tree(parents: list[int], shares: list[float], leaves: list[bool]) -> Tree:
    return Tree(np.array(parents, np.int64), np.array(shares, np.float64), np.array(leaves, np.bool_))


def _slow_fair_tree(tree: Tree, own: Floats) -> dict[int, float]:
    """Ranks by recursion: best siblings first, the children of tied accounts pooled."""

    def used(account: int) -> float:
        return float(own[account]) + sum(used(k) for k in children(account))

    def children(account: int) -> list[int]:
        return [k for k in range(1, len(own)) if tree.parent[k] == account]

    # The level of an account among its siblings: its share over its part of their use.
    def level(account: int) -> float:
        siblings = children(int(tree.parent[account]))
        share = tree.shares[account] / sum(float(tree.shares[k]) for k in siblings)
        all_used = sum(used(k) for k in siblings)
        part = used(account) / all_used if all_used else 0.0
        return float("inf") if not part else float(share / part)

    def walk(pool: list[int]) -> list[list[int]]:
        ranked = []
        # Tied accounts are one pool: their children compete with each other.
        for value in sorted({level(k) for k in pool}, reverse=True):
            tied = [k for k in pool if level(k) == value]
            users = [k for k in tied if tree.leaf[k]]
            below = [child for k in tied if not tree.leaf[k] for child in children(k)]
            ranked += [users] if users else []
            ranked += walk(below)
        return ranked

    groups = walk(children(0))
    # Users of a group share one factor, evenly spaced by place.
    total, place, factor = sum(map(len, groups)), 0, {}
    for group in groups:
        factor |= dict.fromkeys(group, (total - place) / total)
        place += len(group)
    return factor


@st.composite
def _trees(draw: st.DrawFn) -> tuple[Tree, Floats]:
    accounts = draw(st.integers(1, 4))
    parents, leaves = [0], [False]
    for k in range(1, accounts + 1):
        parents.append(draw(st.integers(0, k - 1)))
        leaves.append(False)
    for account in range(1, accounts + 1):  # each account has users
        for _ in range(draw(st.integers(1, 3))):
            parents.append(account)
            leaves.append(True)
    shares = [float(draw(st.integers(1, 4))) for _ in parents]
    usage = np.array([float(draw(st.integers(0, 3)) * 64) if leaf else 0.0 for leaf in leaves])
    return _tree(parents, shares, leaves), usage


@given(_trees())
def test_fair_tree_ranks_users_by_a_walk_down_the_accounts(given_tree: tuple[Tree, Floats]) -> None:
    tree, usage = given_tree
    found = fair_tree(tree, usage)
    assert {k: pytest.approx(found[k]) for k in np.flatnonzero(tree.leaf).tolist()} == _slow_fair_tree(
        tree, usage
    )


def test_who_used_less_of_an_equal_share_goes_first_whatever_the_users_did() -> None:
    # Two accounts with users (3) and (4, 5): the first account used more than its share.
    tree = _tree([0, 0, 0, 1, 2, 2], [1, 1, 1, 1, 1, 1], [False, False, False, True, True, True])
    found = fair_tree(tree, np.array([0, 0, 0, 60.0, 10.0, 30.0]))
    assert found[3:].tolist() == pytest.approx([1 / 3, 1.0, 2 / 3])
    assert total_usage(tree, np.array([0, 0, 0, 60.0, 10.0, 30.0]))[:3].tolist() == [100.0, 60.0, 40.0]


def test_the_classic_formula_halves_at_the_share_and_is_dampened() -> None:
    tree = _tree([0, 0, 0], [1, 1, 1], [False, True, True])
    usage = np.array([0.0, 50.0, 50.0])
    assert classic(tree, usage, 1.0)[1:].tolist() == pytest.approx([0.5, 0.5])
    assert classic(tree, usage, 5.0)[1:].tolist() == pytest.approx([2**-0.2] * 2)
    assert classic(tree, np.array([0.0, 100.0, 0.0]), 1.0)[1:].tolist() == pytest.approx([0.25, 1.0])
