"""Fair starts of a report: the jobs that start later than if no later job had come."""

from __future__ import annotations

import numpy as np

from engine.claims.claim import Claim, ClaimPlace, ClaimQuantity, Relation, Unit
from engine.metrics.evaluation import Evaluation
from engine.report.section import Compared, Section, Statement
from engine.schedule.predictions import first_starts
from engine.schedule.schedule import NOT_RUN
from engine.verdict.verdict import Teller

_MEANING = (
    "The fair start of a job is its start under the same policy, from the state at its submission, if no "
    "later job had come; runtimes are then "
)
_RUNTIMES = {"estimate": "as they were estimated.", "actual": "as they were."}


def fair_starts(compared: Compared) -> Section:
    """How many jobs of each run start after their fair start, and by how much (Tang et al. 2013, 4.2)."""
    statements = [
        Statement(_claims(name, place, run))
        for place, (name, run) in enumerate(zip(compared.names, compared.evaluations, strict=True))
        if run.schedule.fair_start is not None
    ]
    kinds = {run.schedule.fair_by for run in compared.evaluations if run.schedule.fair_start is not None}
    meaning = [Statement(words=_MEANING + _RUNTIMES[kind]) for kind in sorted(kinds)]
    return Section("Starts that later jobs put off", [*statements, *meaning])


def _claims(name: str, place: int, run: Evaluation) -> tuple[Claim, ...]:
    """Of a run: the jobs that start late, after what is said of the sample where not all were computed."""
    schedule, fair = run.schedule, run.schedule.fair_start
    assert fair is not None
    teller = Teller.over(name, place, schedule, run.jobs)
    if not run.jobs.any():
        return (teller.claim(Relation.NONE_MEASURED),)
    # Of a sample only its own jobs have a fair start.
    known = run.jobs & (fair != NOT_RUN)
    jobs = ClaimQuantity("known", int(known.sum()), Unit.JOBS)
    claims = []
    if schedule.fair_sample is not None:
        of_all = ClaimQuantity("jobs", int(run.jobs.sum()), Unit.JOBS, teller.place)
        claims.append(teller.claim(Relation.FAIR_STARTS_OF_SAMPLE, [jobs, of_all]))
    # A job that starts before its fair start is not put off: only late starts count.
    delay = np.where(known, first_starts(schedule) - fair, 0)
    (late,) = np.nonzero(delay > 0)
    if not len(late):
        return (*claims, teller.claim(Relation.NEVER_PUT_OFF, [jobs]))
    worst = int(np.argmax(delay))
    quantities = [
        ClaimQuantity("late", len(late), Unit.NUMBER),
        jobs,
        ClaimQuantity("share", 100 * len(late) / int(known.sum()), Unit.PERCENT),
        ClaimQuantity("mean", float(delay[late].mean()), Unit.SECONDS),
        ClaimQuantity("most", int(delay[worst]), Unit.SECONDS, ClaimPlace("jobs", worst)),
    ]
    return (*claims, teller.claim(Relation.PUT_OFF, quantities))
