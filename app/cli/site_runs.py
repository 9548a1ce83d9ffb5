"""Runs of sites in a command: how far they are to be believed, and which of them are shown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from weakref import WeakKeyDictionary

from app.cli.loading import as_logged
from app.cli.terminal import watched
from engine.errors import InputError
from engine.metrics.evaluation import Evaluation
from engine.metrics.phase_metrics import Ranges
from engine.schedule.accuracy import TwinAccuracy
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.slurm.scheduler.phases import PhaseSpread, phases_of
from engine.slurm.scheduler.verdicts import (
    SiteVerdicts,
    Spreads,
    phase_spreads,
    site_accuracy,
    site_verdicts,
)
from engine.trace.scale import is_what_if


def verdicts_of(
    names: Sequence[str], schedules: Sequence[Schedule], options: argparse.Namespace
) -> SiteVerdicts:
    """The verdicts of runs, of which those of sites are repeated in further phases of slurmctld's loops.

    Raises InputError.
    """
    spreads = spreads_of(schedules, options)
    return site_verdicts(names, schedules, spreads, partial(accuracy_of_site, options))


def spreads_of(schedules: Sequence[Schedule], options: argparse.Namespace) -> Spreads:
    """The waits of the runs of sites in further phases of slurmctld's loops, by their places."""
    control = Control()
    sites = sum(schedule.policy.site is not None for schedule in schedules)
    # Kernels count ended jobs of all these runs in the same place.
    control.jobs = sites * sum(len(schedule.trace) for schedule in schedules[:1])
    control.jobs *= max(phases_of(len(schedules[0].trace)) - 1, 1)
    repeat = partial(phase_spreads, schedules, control)
    return watched(control, "phases", options, repeat) if sites else {}


def ranges_over_phases(verdicts: SiteVerdicts, evaluations: Sequence[Evaluation]) -> list[Ranges]:
    """The range of each metric of each run over its phases, by name; empty for runs that are not repeated."""
    spreads = [None if run is None else run.spread for run in verdicts.runs]
    return [each.over_phases(spread) for each, spread in zip(evaluations, spreads, strict=True)]


def say_verdict(verdicts: SiteVerdicts, options: argparse.Namespace) -> None:
    """Print how near the first site comes to the log, to standard error."""
    if verdicts.verdict and not options.quiet:
        print(verdicts.verdict, file=sys.stderr)


def accuracy_of_site(
    options: argparse.Namespace, schedule: Schedule, spread: PhaseSpread | None = None
) -> TwinAccuracy | None:
    """The accuracy of the site that a schedule is of, or a change of; None for other policies.

    Where the options change the jobs, the log is read once more as it is. Raises InputError.
    """
    if schedule.policy.site is None:
        return None
    if schedule not in _ACCURACIES:
        log = as_logged(options, schedule.policy) if is_what_if(schedule.trace.as_logged) else None
        _ACCURACIES[schedule] = site_accuracy(schedule, spread, log)
    return _ACCURACIES[schedule]


_ACCURACIES: WeakKeyDictionary[Schedule, TwinAccuracy | None] = WeakKeyDictionary()


def shown_places(verdicts: SiteVerdicts, baseline: int | None, options: argparse.Namespace) -> list[int]:
    """The places of the runs that are shown: all, but for what-ifs of a site whose model misleads.

    These are named on standard error; `--doubtful` shows them. Raises InputError where the baseline is one,
    or where nothing is left.
    """
    hidden = {} if options.doubtful else verdicts.hidden
    names = verdicts.names
    if baseline is None and len(hidden) == len(names):
        baseline = 0
    if baseline is not None and baseline in hidden:
        what = "a what-if that cannot be the baseline" if len(hidden) < len(names) else "not shown"
        raise InputError(f"{names[baseline]}: {what}: {hidden[baseline]}; --doubtful shows it")
    for place, why in hidden.items():
        print(f"{names[place]}: not shown: {why}; --doubtful shows it", file=sys.stderr)
    return [place for place in range(len(names)) if place not in hidden]
