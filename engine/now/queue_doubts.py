"""Notes on a queue and its site: what of the site's files was not read, and jobs that they do not know."""

from __future__ import annotations

from collections.abc import Iterator

from engine.logs.queue.state import QueueState
from engine.now.queue_reasons import with_users_who_run
from engine.slurm.scheduler.refusals import has_no_association
from engine.slurm.site.site import Site
from engine.words import plural


def queue_doubts(site: Site, state: QueueState) -> Iterator[str]:
    """What of a site's files is not read, and how many jobs have no association or no partition in them."""
    yield from site.notes
    if site.conf.down:
        nodes = plural(len(site.conf.down), "node")
        yield f"{nodes} down or drained by the site's files: nothing starts there"
    yield from _users_not_known(site, state)
    if site.conf.partitions:
        names = [name for job in state.jobs for name in job.partition.split(",")[:1] if name]
        if elsewhere := sum(site.conf.partition(name) is None for name in names):
            yield f"{plural(elsewhere, 'job')} in partitions that the site's files do not have: on any nodes"


def _users_not_known(site: Site, state: QueueState) -> Iterator[str]:
    """How many jobs are of users whose association the site's files do not list, and what becomes of them."""
    known = {(own.account, own.user) for own in site.associations}
    users = {user for _, user in known}
    strange = [
        job
        for job in state.jobs
        if job.user and ((job.account, job.user) not in known if job.account else job.user not in users)
    ]
    # slurmctld would start no jobs without an association there: whoever runs jobs has an association.
    current = with_users_who_run(site, state.jobs)
    shut_out = sum(has_no_association(current, job.user, job.account) for job in strange)
    text = "of users without an association in the site's files"
    if shut_out:
        yield f"{plural(shut_out, 'job')} {text}: Slurm starts none of them (AccountingStorageEnforce)"
    if site.associations and len(strange) > shut_out:
        yield f"{plural(len(strange) - shut_out, 'job')} {text}: without limits"
