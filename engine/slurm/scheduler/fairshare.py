"""Fairshare factors of a site's users: fair tree, or the classic formula."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import kernel
from engine.slurm.scheduler.state import Floats, Ints, Mask

_NO_USAGE = 1e-9  # CPU s, below which level fairshare is as good as infinite


class Tree(NamedTuple):
    """The associations of a site, a parent before its children; 0 is the root."""

    parent: Ints  # (associations,)
    shares: Floats  # (associations,)
    leaf: Mask  # (associations,) whether it is of a user


@kernel
def total_usage(tree: Tree, own: Floats) -> Floats:
    """Usage of each association with its descendants, CPU s, shape (associations,), given the usage of the
    leaves.
    """
    total = own.copy()
    for k in range(len(total) - 1, 0, -1):  # children come after their parents
        total[tree.parent[k]] += total[k]
    return total


@kernel
def fair_tree(tree: Tree, own: Floats) -> Floats:
    """The factor of each leaf, shape (associations,): its rank from the end, as a part of all leaves.

    Siblings are ordered by level fairshare S / U, S and U being shares of those of all siblings; the children
    of tied accounts are ranked together, tied users have the same rank (Slurm's documentation of Fair Tree).
    """
    count = len(own)
    total = total_usage(tree, own)
    level = _level_fairshare(tree, total)
    row, group = np.zeros(1, np.int64), np.zeros(1, np.int64)
    while True:
        # Replace each account in the row by its children, the best first; a tie keeps one group.
        members = np.zeros(count, np.int64)
        of_group, next_group = np.zeros(count, np.int64), 0
        filled, k, opened = 0, 0, False
        while k < len(row):
            # Accounts that were tied are opened together: their children compete as siblings.
            last = k
            while last < len(row) and group[last] == group[k]:
                last += 1
            ranks = np.zeros(count, np.int64)
            many = 0
            for index in range(k, last):
                # Leaves keep their place in the row.
                if tree.leaf[row[index]]:
                    members[filled], of_group[filled] = row[index], next_group
                    filled += 1
                else:
                    for child in range(1, count):
                        if tree.parent[child] == row[index]:
                            ranks[many] = child
                            many += 1
            # Leaves of the tie stand before the children of its accounts.
            if filled and of_group[filled - 1] == next_group:
                next_group += 1
            if many:
                opened = True
                # Stable, so that children of equal level stay in the order of the tree.
                order = np.argsort(-level[ranks[:many]], kind="mergesort")
                for place in range(many):
                    child = ranks[order[place]]
                    if place and level[child] != level[ranks[order[place - 1]]]:
                        next_group += 1
                    members[filled], of_group[filled] = child, next_group
                    filled += 1
                next_group += 1
            k = last
        row, group = members[:filled], of_group[:filled]
        if not opened:
            break
    return _ranked(tree, row, group)


@kernel
def _ranked(tree: Tree, row: Ints, group: Ints) -> Floats:
    """Factors of leaves in order, where those of a group are tied."""
    factor = np.zeros(len(tree.leaf))
    leaves = len(row)
    first = 0
    # Fair Tree: the best leaf has factor 1, each further one 1 / leaves less. Tied leaves all have the
    # factor of the first of them.
    for k in range(leaves):
        if group[k] != group[first]:
            first = k
        factor[row[k]] = (leaves - first) / leaves
    return factor


@kernel
def _level_fairshare(tree: Tree, total: Floats) -> Floats:
    """S / U of each association among its siblings, shape (associations,)."""
    count = len(total)
    shares, usage = np.zeros(count), np.zeros(count)
    # First the sums over siblings, as shares and usage count only relative to the siblings'.
    for k in range(1, count):
        shares[tree.parent[k]] += tree.shares[k]
        usage[tree.parent[k]] += total[k]
    level = np.zeros(count)
    for k in range(1, count):
        above = tree.parent[k]
        share = tree.shares[k] / shares[above] if shares[above] > 0 else 0.0
        used = total[k] / usage[above] if usage[above] > _NO_USAGE else 0.0
        # An association with shares that has used nothing goes before all others; one without shares behind
        # all.
        level[k] = np.inf if used <= _NO_USAGE and share > 0 else share / max(used, _NO_USAGE)
    return level


@kernel
def classic(tree: Tree, own: Floats, dampening: float) -> Floats:
    """2^(-(U / S) / d) of each leaf, shape (associations,), with Slurm's effective usage U of its level."""
    count = len(own)
    total = total_usage(tree, own)
    shares = np.zeros(count)
    for k in range(1, count):
        shares[tree.parent[k]] += tree.shares[k]
    # Parents stand before their children: what a child's share and usage follow from is known.
    norm, used, factor = np.ones(count), np.ones(count), np.zeros(count)
    for k in range(1, count):
        above = tree.parent[k]
        share = tree.shares[k] / shares[above] if shares[above] > 0 else 0.0
        norm[k] = norm[above] * share
        actual = total[k] / total[0] if total[0] > 0 else 0.0
        # An association answers in part for what its siblings used: by its share of what its parent did.
        used[k] = actual if above == 0 else actual + (used[above] - actual) * share
        if tree.leaf[k] and norm[k] > 0:
            factor[k] = 2.0 ** (-(used[k] / norm[k]) / dampening)
    return factor
