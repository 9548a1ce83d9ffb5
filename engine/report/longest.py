"""The reasons of the longest waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from engine.answer.inferred_reasons import infer_wait, why_untold
from engine.arrays import Ints
from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, NamedThing, Relation, Unit
from engine.claims.words import reason
from engine.metrics.evaluation import Evaluation
from engine.report.section import Compared, Section, Statement, TextTable
from engine.schedule.own_reasons import most_said
from engine.schedule.wait_pieces import keeps_reasons, wait_pieces
from engine.shown_text import shown_name
from engine.verdict.verdict import Teller, cause_of

_LONGEST, _FEWEST, _MOST = 0.01, 10, 200
"""The longest waits: this share of the jobs, but at least _FEWEST and at most _MOST."""

_MOST_SAID = 10
"""The most reasons of a scheduler's own words in a table."""

_TOLD, _LEAST_SHARE = 3, 0.5
"""The most reasons in a sentence, and the least share of one in it, in %."""


def longest_waits(compared: Compared) -> Section:
    """The reasons of the longest waits under each run."""
    statements = []
    rows = [["Run", "Waited for", "Share of these waits, %"]]
    for place, (name, run) in enumerate(zip(compared.names, compared.evaluations, strict=True)):
        jobs = longest(run)
        if not len(jobs):
            statements.append(Statement((_nobody(name, place, run),), "scatter"))
            continue
        shares = _shares(run, jobs)
        hedge = f"Inferred from starts and ends, since {why}." if (why := why_untold(run.schedule)) else ""
        statements.append(Statement(_claims(name, place, run, jobs, shares), "scatter", words=hedge))
        rows += [[name, reason(relation), f"{share:.1f}"] for relation, share in shares]
    tables = [TextTable("longest-waits", "Reasons of the longest waits", rows)] if len(rows) > 1 else []
    return Section("What explains the longest waits", statements, [*tables, *_said(compared)])


def _said(compared: Compared) -> list[TextTable]:
    """What schedulers of a user's own said of the longest waits, in their words."""
    rows = [["Run", "Its scheduler says", "Jobs"]]
    for name, run in zip(compared.names, compared.evaluations, strict=True):
        if run.schedule.said is not None:
            said = most_said(run.schedule.said, longest(run), _MOST_SAID)
            rows += [[name, f"{run.schedule.said.by}: {shown_name(text)}", str(jobs)] for text, jobs in said]
    caption = "What schedulers say of the longest waits"
    return [TextTable("said-of-longest-waits", caption, rows)] if len(rows) > 1 else []


def longest(run: Evaluation) -> Ints:
    """The jobs that waited longest, longest first."""
    jobs = np.flatnonzero(run.jobs & (run.schedule.wait > 0))
    count = min(max(round(_LONGEST * int(run.jobs.sum())), _FEWEST), _MOST)
    return jobs[np.argsort(-run.schedule.wait[jobs], kind="stable")][:count]


def _nobody(name: str, place: int, run: Evaluation) -> Claim:
    teller = Teller.over(name, place, run.schedule, run.jobs)
    jobs = ClaimQuantity("jobs", teller.population.jobs, Unit.JOBS, teller.place)
    return teller.claim(Relation.NOBODY_WAITS, [jobs]) if jobs.value else teller.claim(Relation.NONE_MEASURED)


def _claims(
    name: str, place: int, run: Evaluation, jobs: Ints, shares: Sequence[tuple[Relation, float]]
) -> tuple[Claim, ...]:
    """How long and how wide these jobs are, and what most of their waiting is for; they are the evidence."""
    schedule = run.schedule
    chosen = np.zeros(len(run.jobs), np.bool_)
    chosen[jobs] = True
    teller = Teller.over(name, place, schedule, chosen)
    evidence = [ClaimPlace("jobs", int(job)) for job in jobs]
    head = [
        ClaimQuantity("longest", len(jobs), Unit.JOBS),
        ClaimQuantity("mean", float(schedule.wait[jobs].mean()), Unit.SECONDS, evidence[0]),
    ]
    theirs = NamedThing("waiting", "their waiting", teller.place)
    # Small shares would make a list without an end.
    told = [(relation, share) for relation, share in shares[:_TOLD] if share >= _LEAST_SHARE]
    return (
        teller.claim(Relation.LONGEST_WAITS, head, evidence=evidence),
        *_width(teller, schedule.procs[jobs], schedule.procs[run.jobs], evidence),
        *(
            teller.claim(relation, [ClaimQuantity("share", share, Unit.TENTHS)], [theirs], evidence)
            for relation, share in told
        ),
    )


def _width(teller: Teller, own: Ints, every: Ints, evidence: Sequence[ClaimPlace]) -> Iterator[Claim]:
    """How many processors the middle one of these jobs asks for, and of all; nothing where a bound that all
    jobs keep would be all that is to be said.
    """
    (low, high), (usual_low, usual_high) = _middle(own), _middle(every)
    # Twice the medians are compared, so that no halves occur.
    if low + high > usual_low + usual_high:
        relation, width, usual = Relation.LONGEST_ARE_WIDE, high, usual_low
    elif low + high < usual_low + usual_high:
        relation, width, usual = Relation.LONGEST_ARE_NARROW, low, usual_high
    else:
        relation, width, usual = Relation.LONGEST_ARE_USUAL, max(low, usual_low), None
        if width == int(every.max()):
            return
    quantities = [ClaimQuantity("width", width, Unit.PROCESSORS)]
    quantities += [] if usual is None else [ClaimQuantity("usual", usual, Unit.NUMBER)]
    yield teller.claim(relation, quantities, evidence=evidence)


def _middle(values: Ints) -> tuple[int, int]:
    """The two middle values, which are one in an odd number of them: half are at most the first, and half at
    least the second.
    """
    ordered = np.sort(values)
    return int(ordered[(len(ordered) - 1) // 2]), int(ordered[len(ordered) // 2])


def _shares(run: Evaluation, jobs: Ints) -> list[tuple[Relation, float]]:
    """What the waiting of jobs is for, with its share of all of it in %, the largest first."""
    seconds = _from_log(run, jobs) if keeps_reasons(run.schedule) else _inferred(run, jobs)
    total = sum(seconds.values())
    ordered = sorted(seconds.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(relation, 100 * much / total) for relation, much in ordered if much]


def _from_log(run: Evaluation, jobs: Ints) -> Counter[Relation]:
    """Seconds of waiting by reason, of the decision log."""
    pieces, seconds = wait_pieces(run.schedule), Counter[Relation]()
    of_jobs = np.isin(pieces.job, jobs)
    for kind, much in zip(pieces.kind[of_jobs].tolist(), pieces.seconds[of_jobs].tolist(), strict=True):
        seconds[cause_of(run.schedule, kind)] += much
    return seconds


def _inferred(run: Evaluation, jobs: Ints) -> Counter[Relation]:
    """Seconds of waiting by what seems to have been free."""
    seconds = Counter[Relation]()
    for job in jobs.tolist():
        parts = infer_wait(run.schedule, job)
        if parts is not None:
            seconds[Relation.LOG_BARS] += parts.barred
            seconds[Relation.SEEMS_SHORT] += parts.short
            seconds[Relation.SEEMS_SHORT_OF_RAM] += parts.ram_short
            seconds[Relation.SEEMS_FREE] += parts.idle
    return seconds
