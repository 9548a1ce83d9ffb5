"""What the priorities of a site's jobs are made of: weights, the tree of associations, fixed factors."""

from __future__ import annotations

import numpy as np

from engine.slurm.scheduler.state import Floats, Ints, SiteMachine, SiteWeights
from engine.slurm.site.associations import Association, of_log
from engine.slurm.site.site import Site
from engine.trace import Trace


def number_of(keys: object, *names: str) -> int:
    """The first of these keys that is given, a number to 65535; 1 where none is."""
    assert hasattr(keys, "get")
    text = next((keys.get(name) for name in names if keys.get(name) is not None), "1")
    return min(int(text), 65_535) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def site_weights(site: Site, trace: Trace) -> tuple[SiteWeights, Ints]:
    """What priorities are made of, and the leaf of the tree that each job's usage counts to, shape (n,)."""
    pairs = [
        (trace.group.names[group], trace.user.names[user])
        for group, user in zip(trace.group.codes.tolist(), trace.user.codes.tolist(), strict=True)
    ]
    tree = list(site.associations or of_log(pairs))
    accounts = [association for association in tree if not association.user]
    users = [association for association in tree if association.user]
    # What the site does not know of is a leaf of its own too, also a user without a name.
    known = {account.account for account in accounts} | {"root"}
    named = dict.fromkeys(account for account, _ in pairs)
    accounts += [Association(name, "", "root", 1.0) for name in named if name not in known]
    known_users = {(user.account, user.user) for user in users}
    users += [Association(*pair, pair[0], 1.0) for pair in dict.fromkeys(pairs) if pair not in known_users]
    # A parent must have a smaller number than its children, so that sums go up in one loop.
    accounts = _from_the_root(accounts)
    number = {account.account: k for k, account in enumerate(accounts, 1)} | {"root": 0}
    first = len(accounts) + 1
    # Users are the leaves: an account's own usage is that of its users.
    leaf_of = {(user.account, user.user): first + k for k, user in enumerate(users)}
    parent = [
        0,
        *(number.get(account.parent, 0) for account in accounts),
        *(number.get(user.account, 0) for user in users),
    ]
    shares = [1.0, *(1.0 if each.shares is None else each.shares for each in (*accounts, *users))]
    leaf = np.arange(len(parent)) >= first
    weights = SiteWeights(
        age=float(site.value("PriorityWeightAge")),
        max_age=float(site.value("PriorityMaxAge")),
        fairshare=float(site.value("PriorityWeightFairshare")),
        half_life=float(site.value("PriorityDecayHalfLife")),
        dampening=float(site.value("FairShareDampeningFactor")),
        parent=np.array(parent, np.int64),
        shares=np.array(shares, np.float64),
        leaf=leaf,
        usage=np.zeros(len(parent)),
    )
    return weights, np.array([leaf_of[pair] for pair in pairs], np.int64)


def _from_the_root(accounts: list[Association]) -> list[Association]:
    """Accounts in an order in which each comes after its parent; those without one hang on the root."""
    waiting = {account.account: account for account in accounts if account.account != "root"}
    placed: dict[str, Association] = {}
    while waiting:
        ready = [a for a in waiting.values() if a.parent in placed or a.parent not in waiting]
        for account in ready or list(waiting.values())[:1]:  # a circle is cut at its first account
            placed[account.account] = waiting.pop(account.account)
    return list(placed.values())


FACTORS = ("age", "fairshare", "job size", "partition", "QOS")
"""What priorities are made of, in the order of `sprio`."""


def size_of(machine: SiteMachine) -> tuple[int, int]:
    """The nodes and the processors of a machine."""
    return len(machine.capacity), int(machine.capacity[:, 0].sum())


def base_priorities(site: Site, trace: Trace, nodes: Ints, machine: tuple[int, int]) -> Floats:
    """The part of priorities that never changes, shape (n,): size, partition and quality of service.

    `nodes` are how many each job asks for, 1 for CPUs alone, of the `machine` (nodes, processors).
    """
    size, partition, quality = base_factors(site, trace, nodes, machine)
    return size + partition + quality


def base_factors(
    site: Site, trace: Trace, nodes: Ints, machine: tuple[int, int]
) -> tuple[Floats, Floats, Floats]:
    """The same apart: by size, partition and quality of service, each shape (n,)."""
    # As slurmctld 22.05 was seen to: the mean of the parts of nodes and of CPUs.
    size = (nodes / machine[0] + trace.procs / machine[1]) / 2
    if site.conf.word("PriorityFavorSmall") == "yes":
        size = 1.0 - size
    # Factors count relative to the largest of all partitions, as slurmctld normalizes them.
    keys = {p.name: number_of(p.keys, "priority", "priorityjobfactor") for p in site.conf.partitions}
    most = max(keys.values(), default=1) or 1
    factor = np.array([keys.get(name.split(",")[0], 0) / most for name in trace.queue.names])
    quality = np.zeros(len(trace))
    # The same holds for qualities of service, whose priorities are in the accounting's files.
    if trace.qos is not None and site.qos:
        priority = dict(site.qos)
        top = max(max(priority.values()), 1.0)
        by_name = np.array([priority.get(name, 0.0) / top for name in trace.qos.names])
        quality = site.value("PriorityWeightQOS") * by_name[trace.qos.codes]
    return (
        np.asarray(site.value("PriorityWeightJobSize") * size, np.float64),
        np.asarray(site.value("PriorityWeightPartition") * factor[trace.queue.codes], np.float64),
        np.asarray(quality, np.float64),
    )
