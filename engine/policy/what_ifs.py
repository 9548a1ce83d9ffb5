"""The usual what-ifs of a run: other limits, machines, users, shares and partitions, each as another run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.errors import InputError
from engine.machine.cluster import Cluster, NodeGroup, named_like, with_groups
from engine.machine.power import node_watts, power_of, unknown_of_switching
from engine.policy.policy import Policy, parse_policy
from engine.policy.switching_off import cannot_switch
from engine.slurm.site.power_saving import power_saving
from engine.spelling import DAY, HOUR, format_duration
from engine.trace import Names, Trace

_CAPS = (HOUR, 4 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY)
_SHORT_CAPS = (60, 120, 300, 600, 1800)
"""Caps, in s, where none of the usual ones is between the limits of the jobs, as on a test machine."""

_LEAST_CUT, _MOST_CUT = 0.02, 0.6
"""Caps are offered that cut the limits of at least and at most these shares of the jobs."""

_MOST_CAPS, _MOST_NAMES, _MOST_GROUPS = 3, 3, 3
_MORE_NODES = 2
_LATER = (8 * HOUR, 2 * HOUR, HOUR // 2, 600, 120)
"""How much later jobs come, s: the first that is at most half of what the log takes, or the last.

Jobs that came long after all others would wait for nobody.
"""


@dataclass(frozen=True)
class WhatIf:
    """A question, and the run that answers it: its policy with its workload, and its machine."""

    group: str  # the heading of questions of this kind
    question: str  # to follow "What if "
    policy: Policy
    cluster: Cluster


def what_ifs(trace: Trace, policy: Policy, cluster: Cluster) -> tuple[WhatIf, ...]:
    """The usual what-ifs of a run of the log, which keep what else it has; none of a schedule that is read.

    They change one thing each. Those of users, accounts and queues are about the ones with the most work.
    """
    if not policy.simulated or not len(trace):
        return ()
    trace = trace.as_logged
    return (
        *_of_jobs(trace, policy, cluster),
        *_of_machine(policy, cluster),
        *_of_names(trace, policy, cluster),
        *_of_site(trace, policy, cluster),
        *_of_power(trace, policy, cluster),
    )


def _of_jobs(trace: Trace, policy: Policy, cluster: Cluster) -> Iterator[WhatIf]:
    """Other limits, requests and loads."""
    variant = policy.variant
    # Only caps that some jobs would feel are asked about.
    for cap, share in _cutting(trace, _CAPS) or _cutting(trace, _SHORT_CAPS):
        question = (
            f"time limits were capped at {format_duration(cap)} ({100 * share:.0f} % of jobs ask for more)"
        )
        capped = replace(variant, scaling=replace(variant.scaling, walltime_cap=cap))
        yield WhatIf("Limits and load", question, replace(policy, variant=capped), cluster)
    sized = replace(variant, scaling=replace(variant.scaling, rightsize=0.95))
    question = "requests were near what users' jobs used (95 % quantile)"
    yield WhatIf("Limits and load", question, replace(policy, variant=sized), cluster)
    dense = replace(variant, scaling=replace(variant.scaling, theta=round(0.9 * variant.scaling.theta, 3)))
    question = "jobs came faster by a tenth"
    yield WhatIf("Limits and load", question, replace(policy, variant=dense), cluster)
    if trace.has_recorded_schedule and not variant.adds:
        question = "users submitted sooner where their jobs end sooner, as they react in the log"
        yield WhatIf(
            "Limits and load", question, replace(policy, variant=replace(variant, react=True)), cluster
        )


def _cutting(trace: Trace, caps: Sequence[int]) -> list[tuple[int, float]]:
    """The first caps that cut the limits of some jobs and not of most, each with the share of these jobs."""
    shares = [(cap, float((trace.walltime > cap).mean())) for cap in caps]
    return [each for each in shares if _LEAST_CUT <= each[1] <= _MOST_CUT][:_MOST_CAPS]


def _of_machine(policy: Policy, cluster: Cluster) -> Iterator[WhatIf]:
    """Nodes more and fewer, of the groups with the most processors; of a pool a tenth of its processors."""
    # Only the groups with the most processors are asked about.
    order = sorted(
        range(len(cluster.groups)), key=lambda k: -cluster.groups[k].count * cluster.groups[k].cpus
    )
    for k in order[:_MOST_GROUPS]:
        group = cluster.groups[k]
        pool = group.count == 1
        step = max(1, group.cpus // 10) if pool else _MORE_NODES
        size, noun = (group.cpus, "processor") if pool else (group.count, "node")
        name = f" of {group.name or group.spelling}" if len(cluster.groups) > 1 else ""
        for word, by in (("more", step), ("fewer", -step)):
            if size + by < 1:
                continue
            try:
                other = _resized(cluster, k, by, pool)
            except InputError:  # larger than any machine may be
                continue
            question = f"there were {step} {noun}{'' if step == 1 else 's'} {word}{name}"
            yield WhatIf("Machine", question, policy, other)


def _resized(cluster: Cluster, place: int, by: int, pool: bool) -> Cluster:
    group = cluster.groups[place]
    changed: NodeGroup
    # A pool changes its processors; of nodes the number changes, and names beyond it are dropped.
    if pool:
        changed = replace(group, cpus=group.cpus + by)
    else:
        changed = replace(group, count=group.count + by, names=group.names[: group.count + by])
    groups = (*cluster.groups[:place], changed, *cluster.groups[place + 1 :])
    return named_like(with_groups(cluster, groups), cluster)


def _of_names(trace: Trace, policy: Policy, cluster: Cluster) -> Iterator[WhatIf]:
    """Without the jobs of a user or queue, with more of them, at another time, or in another queue."""
    variant, group = policy.variant, "Users and queues"
    users = _largest(trace, trace.user)
    for name, share, shown in users:
        other = replace(variant, users=_without(variant.users, name))
        question = f"the jobs of user {shown} went elsewhere ({100 * share:.0f} % of the work)"
        yield WhatIf(group, question, replace(policy, variant=other), cluster)
    for name, share, shown in users:
        other = replace(variant, users=_twice(variant.users, name))
        question = f"the jobs of user {shown} came twice ({100 * share:.0f} % more work)"
        yield WhatIf(group, question, replace(policy, variant=other), cluster)
    for name, _, shown in users[:1]:
        takes = int((trace.submit + trace.runtime).max() - trace.submit.min())
        shift = next((each for each in _LATER if 2 * each <= takes), _LATER[-1])
        later = replace(variant, shift=shift, shifted=(name,))
        question = f"the jobs of user {shown} came {format_duration(shift)} later"
        yield WhatIf(group, question, replace(policy, variant=later), cluster)
    queues = _largest(trace, trace.queue)
    # Without another queue there is none that could be left out or merged.
    if len(queues) < 2:
        return
    for name, share, shown in queues:
        other = replace(variant, queues=_without(variant.queues, name))
        question = f"the jobs of queue {shown} went elsewhere ({100 * share:.0f} % of the work)"
        yield WhatIf(group, question, replace(policy, variant=other), cluster)
    for name, share, shown in queues[:1]:
        other = replace(variant, queues=_twice(variant.queues, name))
        question = f"the jobs of queue {shown} came twice ({100 * share:.0f} % more work)"
        yield WhatIf(group, question, replace(policy, variant=other), cluster)
    into, _, into_shown = queues[0]
    for name, _, shown in queues[1:]:
        merged = replace(variant, merge=(name, into))
        question = f"queue {shown} were merged into {into_shown}"
        yield WhatIf(group, question, replace(policy, variant=merged), cluster)


def _of_site(trace: Trace, policy: Policy, cluster: Cluster) -> Iterator[WhatIf]:
    """Twice the shares of an account, by the files of a site that go by shares."""
    if policy.site is None or not policy.site.multifactor:
        return
    shares = {each.account: each.shares for each in policy.site.associations if not each.user and each.shares}
    for name, share, shown in _largest(trace, trace.group):
        # A name of the log that is no account of this site has no shares to double.
        if name not in shares:
            continue
        twice = f"{2 * shares[name]:g}"
        try:
            changed = policy.with_keys(**{f"Fairshare.{name}": twice})
        except InputError:  # it has no whole number of shares
            continue
        question = f"the shares of account {shown} were doubled ({100 * share:.0f} % of the work)"
        yield WhatIf("Shares", question, changed, cluster)


def _of_power(trace: Trace, policy: Policy, cluster: Cluster) -> Iterator[WhatIf]:
    """Idle nodes switched off; of a site, whose own Slurm keeps all on here, as its SuspendTime says."""
    model = power_of(trace.cluster)
    known = model is not None and node_watts(model, cluster) is not None
    if model is None or not known or unknown_of_switching(model, cluster):
        return
    group = "Power"
    if policy.site is None:
        if policy.power_off is not None or cannot_switch(cluster, policy):
            return
        question = f"nodes that are idle for {format_duration(HOUR)} were switched off"
        yield WhatIf(group, question, policy.with_keys(power_off=f"{HOUR}s"), cluster)
        return
    saving = power_saving(policy.site.conf)
    plain = replace(parse_policy("easy"), variant=policy.variant)
    if saving is None or cannot_switch(cluster, plain):
        return
    # The site's own scheduler knows of no boots: two runs that differ in them alone tell what they cost.
    yield WhatIf(
        group, "EASY backfilling took the place of the site's Slurm, with all nodes on", plain, cluster
    )
    after = max(saving.after, 1)
    question = (
        f"EASY backfilling did, and nodes idle for {format_duration(after)} were switched off (SuspendTime)"
    )
    yield WhatIf(group, question, plain.with_keys(power_off=f"{after}s"), cluster)


def _largest(trace: Trace, column: Names) -> list[tuple[str, float, str]]:
    """The names with the most work: each as the log has it, its share of the work, and as people read it."""
    work = (trace.procs * trace.runtime).astype(np.float64)
    area = np.bincount(column.codes, work, len(column.names)).astype(np.float64)
    order = np.argsort(-area, kind="stable")[:_MOST_NAMES]
    whole = max(float(area.sum()), 1.0)
    return [
        (column.names[code], float(area[code]) / whole, column.shown[code])
        for code in order.tolist()
        # A name with all of the work, or none at all, leaves nothing to compare.
        if 0 < area[code] < whole and column.names[code] not in ("", "-1")
    ]


def _twice(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The choice of names with a job like each of that name once more; it is no longer left out."""
    return (*(other for other in names if other != f"-{name}"), f"+{name}")


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return (*(other for other in names if other not in (f"-{name}", f"+{name}")), f"-{name}")
