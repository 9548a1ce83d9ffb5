"""How far the sites of a study are to be believed on a log."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np

from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.run_source import schedule_of
from engine.simulation.control import Control
from engine.slurm.scheduler.verdicts import RunVerdict, phase_spreads, site_verdicts
from engine.study import machine_of
from engine.sweep.conditions import OWN
from engine.sweep.row_cache import WITHHELD
from engine.sweep.study_file import PlannedRun, StudyFile
from engine.trace import Trace


@dataclass(frozen=True)
class SiteBeliefs:
    """Sentences on the sites of a study, and why some of its runs would mislead, by their places."""

    sentences: tuple[str, ...] = ()
    withheld: Mapping[int, str] = field(default_factory=dict)


def site_beliefs(
    study: StudyFile,
    trace: Trace,
    cluster: Cluster,
    *,
    asked: bool = False,
    doubtful: bool = False,
    control: Control | None = None,
) -> SiteBeliefs:
    """The verdict of the first site of a study, the spread of each, and which of its what-ifs mislead.

    A site runs on the machine of its files, unless `cluster` was `asked` for, and on the log as it is,
    whatever else the study varies. What-ifs of a site that misleads are withheld unless they are asked for
    (`doubtful`). Raises Cancelled.
    """
    schedules = []
    for policy in dict.fromkeys(run.policy for run in study.runs):
        if policy.site is not None:
            machine = cluster if asked else machine_of(policy, cluster)
            with suppress(InputError):  # which the run itself tells
                schedules.append(schedule_of(trace, machine, policy, control=control))
    if not schedules:
        return SiteBeliefs()
    names = [schedule.policy.spelling for schedule in schedules]
    verdicts = site_verdicts(names, schedules, phase_spreads(schedules, control))
    by_policy = {schedule.policy: run for schedule, run in zip(schedules, verdicts.runs, strict=True)}
    reasons = {index: _doubt(run, by_policy) for index, run in enumerate(study.runs)}
    everywhere = np.logical_and.reduce([schedule.ran for schedule in schedules])
    return SiteBeliefs(
        (*verdicts.sentences, *verdicts.lines(everywhere)),
        {index: f"{WITHHELD}{why}" for index, why in reasons.items() if why and not doubtful},
    )


def _doubt(run: PlannedRun, verdicts: Mapping[Policy, RunVerdict | None]) -> str:
    """Why a run cannot be believed; empty if it can. The site itself on a changed log is a what-if, too."""
    verdict = verdicts.get(run.policy)
    if verdict is None:
        return ""
    as_logged = not run.conditions.scaling and run.conditions.machine == OWN
    return verdict.hidden if as_logged else verdict.doubt
