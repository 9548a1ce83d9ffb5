"""Notes on a queue and its site: what of the site's files was not read, and jobs that they do not know."""

from __future__ import annotations

from collections.abc import Iterator

from engine.logs.queue.state import QueueState
from engine.slurm.site.site import Site
from engine.words import plural


def queue_doubts(site: Site, state: QueueState) -> Iterator[str]:
    """What of a site's files is not read, and how many jobs have no association or no partition in them."""
    yield from site.notes
    if site.conf.down:
        nodes = plural(len(site.conf.down), "node")
        yield f"{nodes} down or drained by the site's files: nothing starts there"
    if site.associations:
        known = {(own.account, own.user) for own in site.associations}
        users = {user for _, user in known}
        strange = sum(
            bool(job.user)
            and ((job.account, job.user) not in known if job.account else job.user not in users)
            for job in state.jobs
        )
        if strange:
            jobs = plural(strange, "job")
            yield f"{jobs} of users without an association in the site's files: without limits"
    if site.conf.partitions:
        names = [name for job in state.jobs for name in job.partition.split(",")[:1] if name]
        if elsewhere := sum(site.conf.partition(name) is None for name in names):
            yield f"{plural(elsewhere, 'job')} in partitions that the site's files do not have: on any nodes"
