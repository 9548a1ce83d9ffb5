"""Limits on jobs that are submitted and have not ended: Slurm refuses further submissions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.slurm.scheduler.bounds import UNBOUNDED
from engine.slurm.scheduler.limits import JobKind, Known, Owner, count_of
from engine.slurm.scheduler.state import Ints
from engine.slurm.site.site import Site

_OF_GROUP = ("grpsubmit", "grpsubmitjobs")
_OF_USER = ("maxsubmit", "maxsubmitjobs")


def beyond_submitted(site: Site, kinds: Sequence[JobKind], submit: Ints, end: Ints) -> int:
    """How many jobs a limit of submitted jobs (MaxSubmitJobs, GrpSubmitJobs, MaxSubmitPU ...) would refuse.

    `submit` and `end`, (n,), s, are those of the schedule; a job that does not run ends after all others.
    Each limit is held against all jobs, also those that it or another one would have refused.
    """
    known, of_kind = Known(site), dict[JobKind, dict[Owner, int]]()
    members: dict[Owner, list[tuple[int, int]]] = {}
    for job, kind in enumerate(kinds):
        # Jobs of the same user, account, QOS and partition have the same limits.
        if kind not in of_kind:
            of_kind[kind] = submit_limits(site, known, kind)
        for owner, most in of_kind[kind].items():
            members.setdefault(owner, []).append((job, most))
    beyond = np.zeros(len(kinds), np.bool_)
    for jobs in members.values():
        jobs_of_owner, allowed = np.array(jobs, np.int64).T
        order = np.argsort(submit[jobs_of_owner], kind="stable")
        jobs_of_owner, allowed = jobs_of_owner[order], allowed[order]
        # When a job is submitted, as many are there as were submitted before it, less those that had ended
        # by then.
        there = np.arange(len(jobs_of_owner)) - np.searchsorted(
            np.sort(end[jobs_of_owner]), submit[jobs_of_owner], "right"
        )
        beyond[jobs_of_owner[there >= allowed]] = True
    return int(beyond.sum())


def submit_limits(site: Site, known: Known, kind: JobKind) -> dict[Owner, int]:
    """Whose submitted jobs a job counts among, and up to how many of them it may be: UNBOUNDED without limit.

    A limit goes before others as in `bounds_of`.
    """
    most, bounded = dict[Owner, int](), set[str]()
    for name in known.names(site, kind):
        # A limit of a quality of service may count its group, each user or each account.
        owners: dict[Owner, tuple[str, ...]] = {
            ("qos", name): _OF_GROUP,
            ("qos", name, "user", kind.user): ("maxsubmitpu",),
            ("qos", name, "account", kind.account): ("maxsubmitpa",),
        }
        of_level = {
            owner: min(count_of(known.qos[name].get(key)) for key in keys) for owner, keys in owners.items()
        }
        # A QOS that goes first hides the same limit of the next: a limit that is hidden has no bound, but
        # still counts.
        most |= {
            owner: UNBOUNDED if owners[owner][0] in bounded else count for owner, count in of_level.items()
        }
        bounded |= {owners[owner][0] for owner, count in of_level.items() if count < UNBOUNDED}
    chain = known.chain(kind)
    for group, limits in zip(known.owners(kind), chain, strict=True):
        count = min(count_of(limits.get(key)) for key in _OF_GROUP)
        most["group", *group] = UNBOUNDED if _OF_GROUP[0] in bounded else count
    # Limits of users are inherited: the lowest level of the chain that sets one counts.
    counts = (count_of(limits.get(key)) for limits in chain for key in _OF_USER)
    inherited = next((count for count in counts if count < UNBOUNDED), UNBOUNDED)
    # A limit for users of a QOS goes before that of associations.
    by_qos = not bounded.isdisjoint(("maxsubmitpu", "maxsubmitpa"))
    most["user", kind.account, kind.user] = UNBOUNDED if by_qos else inherited
    return most
