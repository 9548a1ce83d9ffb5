"""How far runs are to be believed: the recorded one beside simulations, and simulated ones of sites."""

from __future__ import annotations

from engine.claims.words import TextSpan
from engine.policy.baseline import CALIBRATION
from engine.report.section import Compared, Section, Statement

PHASES = (
    "The phases of slurmctld's loops are the moments at which its passes, its backfilling and its priorities "
    "begin, which no log tells to the second: sites are simulated with several of them."
)
"""What the spreads of sites are over."""


def beliefs(compared: Compared) -> Section:
    """The verdict of the first site, the spread of each change, and the runs that are left out for it."""
    verdicts, jobs = compared.verdicts, compared.base.jobs
    told = [Statement(rendered=(*spans, TextSpan("."))) for spans in verdicts.told]
    spreads = [Statement((claim,)) for claim in verdicts.claims(jobs)]
    told += [*spreads, *([Statement(words=PHASES)] if spreads else [])]
    told += [Statement(words=f"{name}: not shown: {why}.") for name, why in compared.hidden.items()]
    return Section("How far the models of sites are to be believed", told)


def calibration(compared: Compared) -> Section:
    """What the recorded run beside simulations is, and is not."""
    return Section("What the recorded run tells", [Statement(words=CALIBRATION)])
