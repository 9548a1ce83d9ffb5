"""Submissions with dependencies: jobs that are submitted after the ends of others.

The same dependencies as under the policies of papers (`engine.trace.dependencies`): a job comes its think
time after the end of the job that it follows.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.state import Ints, SiteFollowers, SiteRun
from engine.trace.dependencies import NOBODY

_NONE = np.zeros(0, np.int64)


def make_followers(follows: Ints, think: Ints) -> SiteFollowers:
    """The followers, where job j is submitted `think[j]` ticks after the end of `follows[j]`, or NOBODY."""
    if (follows == NOBODY).all():
        return SiteFollowers(_NONE, _NONE, _NONE)
    first, further = np.full((2, len(follows)), NOBODY, np.int64)
    for job in np.flatnonzero(follows != NOBODY)[::-1].tolist():
        further[job] = first[follows[job]]
        first[follows[job]] = job
    return SiteFollowers(first, further, np.array(think, np.int64))


def known_at_first(followers: SiteFollowers, jobs: int) -> Ints:
    """The jobs that follow no other job, in order of submission."""
    follow = np.zeros(jobs, np.bool_)
    for links in (followers.first, followers.further):
        follow[links[links != NOBODY]] = True
    return np.flatnonzero(~follow)


@inner_kernel
def expect_followers(s: SiteRun, job: int, now: int, arrived: int) -> None:
    """Insert the followers of a job that ends now into `coming`, after the first `arrived` jobs."""
    if len(s.followers.first) == 0:
        return
    submit, coming = s.jobs.submit, s.state.coming
    other = s.followers.first[job]
    # A follower's time of submission was unknown until now: its user thinks from this end on.
    while other != NOBODY:
        submit[other] = s.jobs.begin[other] = now + s.followers.think[other]
        # Insertion from the end: the jobs still to come stay in order of submission, then of number.
        at = s.state.known[0]
        while at > arrived and (
            submit[coming[at - 1]] > submit[other]
            or (submit[coming[at - 1]] == submit[other] and coming[at - 1] > other)
        ):
            coming[at] = coming[at - 1]
            at -= 1
        coming[at] = other
        s.state.known[0] += 1
        other = s.followers.further[other]
