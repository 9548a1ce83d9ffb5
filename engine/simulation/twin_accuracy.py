"""The accuracy of the site that a what-if is tried on: of its own machine and of its log as it is."""

from __future__ import annotations

from engine.schedule.accuracy import Accuracy, accuracy_of
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.study import machine_of
from engine.trace import Trace


def twin_accuracy(
    schedule: Schedule, log: Trace | None = None, control: Control | None = None
) -> Accuracy | None:
    """The accuracy of the site of a schedule; None for other policies, and for logs without starts.

    The site is simulated once more where the schedule is of another machine than the site's, or of other jobs
    than those of the `log`, if that is given. Raises Cancelled, and InputError for wrong files.
    """
    site = schedule.policy.site
    trace = schedule.trace if log is None else log
    if site is None or not trace.has_recorded_schedule:
        return None
    machine = machine_of(schedule.policy, trace.cluster)
    if log is None and schedule.cluster == machine:
        return accuracy_of(schedule)
    from engine.simulation.run import simulate

    return accuracy_of(simulate(trace, machine, schedule.policy, control=control))
