"""How far a search on a site is to be believed: the verdict of its model, and the spread of its finalists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.claims.claim import Claim
from engine.claims.words import TextSpan
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, site_policy
from engine.run_source import schedule_of
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.slurm.scheduler.verdicts import SiteVerdicts, phase_spreads, site_verdicts
from engine.trace import Trace


@dataclass(frozen=True)
class Beliefs:
    """What is known of a site's model whose options were varied.

    `verdict` says how near the site as its files say comes to the whole log, after its name; `changes` has
    for each finalist the change of the mean wait on the judged span with what chance explains of it, None
    where nothing is known. `misleading` says why changes of this site cannot be believed; None if they can.
    """

    verdict: tuple[TextSpan, ...]
    changes: tuple[Claim | None, ...]
    misleading: Claim | None


def model_verdict(
    log: Trace,
    machine_of: Callable[[Policy], Cluster],
    policies: Sequence[Policy],
    control: Control | None = None,
) -> SiteVerdicts | None:
    """How near the first site among the policies, as its files say, comes to the whole log.

    The whole log tells most of the model. None for policies without a site. Raises Cancelled, InputError.
    """
    site = next((policy.site for policy in policies if policy.site is not None), None)
    if site is None:
        return None
    unchanged = site_policy(site.unchanged)
    whole = schedule_of(log, machine_of(unchanged), unchanged, control=control)
    return site_verdicts([unchanged.spelling], [whole], {})


def beliefs_of(
    model: SiteVerdicts,
    schedules: Sequence[Schedule],
    jobs: NDArray[np.bool_],
    control: Control | None = None,
) -> Beliefs:
    """The beliefs about a search on a site with this verdict on its `model`.

    `schedules` are those of the baseline and of each finalist on the span that no trial saw, and `jobs`,
    shape (n,), those of its jobs that are measured. Raises Cancelled.
    """
    spreads = phase_spreads(schedules, control)
    names = [schedule.policy.spelling for schedule in schedules]
    compared = site_verdicts(names, schedules, spreads, lambda *_: None)
    changes = tuple(compared.change_claim(0, place, jobs) for place in range(1, len(schedules)))
    return Beliefs(model.told[0] if model.told else (), changes, model.doubted)
