"""How far the sites of a study are to be believed on a log."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from engine.errors import InputError
from engine.given import schedule_of
from engine.machine.cluster import Cluster
from engine.simulation.control import Control
from engine.slurm.scheduler.verdicts import phase_spreads, site_verdicts
from engine.study import machine_of
from engine.sweep.study_file import StudyFile
from engine.trace import Trace


def site_beliefs(
    study: StudyFile, trace: Trace, cluster: Cluster, *, asked: bool = False, control: Control | None = None
) -> list[str]:
    """Sentences on the sites of a study: the verdict of the first, the spread of each, and which mislead.

    A site runs on the machine of its files, unless `cluster` was `asked` for, and on the log as it is,
    whatever else the study varies. Empty for studies without sites. Raises Cancelled.
    """
    schedules = []
    for policy in dict.fromkeys(run.policy for run in study.runs):
        if policy.site is not None:
            machine = cluster if asked else machine_of(policy, cluster)
            with suppress(InputError):  # which the run itself tells
                schedules.append(schedule_of(trace, machine, policy, control=control))
    if not schedules:
        return []
    names = [schedule.policy.spelling for schedule in schedules]
    verdicts = site_verdicts(names, schedules, phase_spreads(schedules, control))
    everywhere = np.logical_and.reduce([schedule.ran for schedule in schedules])
    hidden = [f"{names[place]}: cannot be believed: {why}" for place, why in verdicts.hidden.items()]
    return [*verdicts.sentences, *verdicts.lines(everywhere), *hidden]
