"""Why a job of the present queue waits, in words, by Slurm's reason and by the site's files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.claims.claim import Claim, ClaimPlace, NamedThing, Population
from engine.claims.holds import HoldRelation
from engine.claims.refusals import RefusalRelation
from engine.claims.words import plain, render
from engine.logs.queue.state import RUNNING, QueuedJob
from engine.shown_text import shown_name
from engine.slurm.scheduler.refusals import has_no_association, refusal_of, refused
from engine.slurm.site.associations import Association
from engine.slurm.site.site import Site

_WORDS = {
    "priority": "jobs of higher priority are in front of it",
    "resources": "it is its turn, and waits for nodes to come free",
    "dependency": "it waits for another job",
    "dependencyneversatisfied": "it waits for another job that did not end as it requires, and never starts",
    "begintime": "it is not to begin before its time",
    "jobheldadmin": "it is held by an administrator",
    "jobhelduser": "it is held by its user",
    "reqnodenotavail": "nodes that it needs are down or reserved",
    "reservation": "it waits for its reservation",
    "licenses": "it waits for licenses",
    "partitiondown": "its partition is down",
    "partitioninactive": "its partition is inactive",
    "jobarraytasklimit": "its array runs as many tasks as it may at once",
    "partitiontimelimit": "it asks for more time than its partition gives",
    "invalidaccount": "its user has no association with its account",
    "invalidqos": "its quality of service is not valid",
    "partitionnodelimit": "it asks for more nodes than its partition gives, or these are down",
}


NOT_KNOWN = "unknown"
"""What is said where Slurm gives no reason."""


def why_of(job: QueuedJob) -> str:
    """Slurm's reason as a sentence, or its own word, as shown, if there is no sentence for it."""
    word = reason_word(job)
    if word in _WORDS:
        return _WORDS[word]
    if word.startswith(("qos", "assoc")):
        owner = "quality of service" if word.startswith("qos") else "account or user"
        return f"a limit of its {owner} holds it ({shown_name(job.reason)})"
    return NOT_KNOWN if word in ("", "none") else shown_name(job.reason)


def slurm_claim(job: QueuedJob) -> Claim:
    """What Slurm says of a waiting job of a print of the queue, which alone is seen."""
    place, submit = ClaimPlace("jobs", 0), -(job.waited or 0)
    said = NamedThing("said", why_of(job), place)
    subject = NamedThing("subject", f"job {shown_name(job.job_id)}", place)
    return Claim(subject, HoldRelation.SLURM_SAYS, (), (said,), Population(1, submit, submit), (place,))


def reason_word(job: QueuedJob) -> str:
    """Slurm's reason without what follows it, in one spelling of several."""
    reason = job.reason.lower().replace("_", " ")
    if reason.startswith("nodes required for job are"):
        return "reqnodenotavail"
    return job.reason.partition(",")[0].partition(" ")[0].replace("_", "").lower()


_SHUT = (
    *("partitiontimelimit", "partitionnodelimit", "partitiondown", "partitioninactive"),
    *("invalidaccount", "invalidqos"),
)


def is_shut_out(site: Site, job: QueuedJob) -> bool:
    """Whether a job does not start unless its request, its partition or its association changes: by Slurm, or
    by the files.
    """
    if has_no_association(site, job.user, job.account):
        return True
    partition = site.conf.partition(job.partition) if job.partition else None
    return reason_word(job) in _SHUT or (partition is not None and not partition.starts_jobs)


def with_users_who_run(site: Site, jobs: Sequence[QueuedJob]) -> Site:
    """The site, where users whose jobs run have an association, though its files do not list it: slurmctld
    starts jobs of no others where it requires one, so that the files are older than the queue.
    """
    strange = {
        (job.account, job.user): Association(job.account, job.user, job.account, 1.0)
        for job in jobs
        if job.state == RUNNING and has_no_association(site, job.user, job.account)
    }
    if not strange:
        return site
    return replace(site, associations=(*site.associations, *strange.values()))


def never_claim(site: Site, job: QueuedJob, part: str = "") -> Claim | None:
    """Why a job never starts, by the site's files and the model; None where Slurm alone tells.

    `part` is the number of another part of the same job that never starts, where this one might.
    """
    # What the site's files forbid is certain, so it goes before what the model found.
    refusal = refusal_of(site, (), job)
    if refusal is not None or reason_word(job) in _SHUT:
        return None if refusal is None else refusal.claim
    if part:
        return refused(RefusalRelation.PART_NEVER_STARTS, (), job=shown_name(part)).claim
    # With nodes that are down now, the job may fit once they are back.
    now = bool(site.conf.down)
    if any(reservation.name == job.reservation for reservation in site.reservations):
        relation = (
            RefusalRelation.FITS_NOT_IN_RESERVATION_NOW if now else RefusalRelation.FITS_NOT_IN_RESERVATION
        )
        return refused(relation, (), reservation=shown_name(job.reservation)).claim
    return refused(RefusalRelation.FITS_NOWHERE_NOW if now else RefusalRelation.FITS_NOWHERE, ()).claim


def why_never(site: Site, job: QueuedJob, part: str = "") -> str:
    """Why a job never starts, as `never_claim` has it, and what Slurm says of it."""
    claim, said = never_claim(site, job, part), why_of(job)
    if claim is None:
        return said
    why = plain(render(claim))
    return why if said == NOT_KNOWN else f"{why}; {plain(render(slurm_claim(job)))}"
