"""Adaptive tuning, with every measurement made from the definition at each check."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

from engine.policy.tuning import Threshold, Tuning

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


class NaiveTuner:
    """The tunables; `rows` are the checks: time, and of each tuning monitor, threshold and new value."""

    def __init__(self, sim: NaiveSimulation) -> None:
        self.sim = sim
        self.value: dict[str, float] = {"bf": sim.policy.bf, "window": sim.policy.window}
        self.initial = dict(self.value)
        self.sums: dict[Tuning, float] = {}
        self.due = {tuning: sim.first + tuning.interval for tuning in sim.policy.tunings}
        self.rows: list[tuple[int, list[tuple[float, float, float]]]] = []

    @property
    def bf(self) -> float:
        return self.value["bf"]

    @property
    def window(self) -> int:
        return int(self.value["window"])

    def next_checks(self) -> list[int]:
        return list(self.due.values())

    def check(self, now: int) -> None:
        row: list[tuple[float, float, float]] = []
        self.rows.append((now, row))
        for index, tuning in enumerate(self.sim.policy.tunings):
            measured = self.measured(tuning, now)
            # The row is there before the threshold is asked for: means include the present value.
            row.append((measured, 0.0, 0.0))
            # Thresholds of all tunings are noted at each check, also of those that are not due.
            threshold = self.threshold(tuning, tuning.threshold, index, now)
            if self.due[tuning] == now:
                self.due[tuning] += tuning.interval
                if tuning.integral is None:
                    moved = self.value[tuning.tunable] + self.step(tuning, index, measured, now)
                else:
                    moved = self.controlled(tuning, measured - threshold)
                # A window is a number of jobs.
                if tuning.tunable == "window":
                    moved = math.floor(moved + 0.5)
                self.value[tuning.tunable] = min(max(moved, tuning.low), tuning.high)
            # Whatever a tuning before this one set in the same check is the value now.
            row[-1] = (measured, threshold, self.value[tuning.tunable])

    def threshold(self, tuning: Tuning, threshold: Threshold, index: int, now: int) -> float:
        return self.mean(tuning, threshold.mean, index, now) if threshold.mean else threshold.number

    def step(self, tuning: Tuning, index: int, measured: float, now: int) -> float:
        """By how much the tunable is to move."""
        first = self.threshold(tuning, tuning.threshold, index, now)
        if tuning.threshold.operator == "=":
            return tuning.step * (measured - first)
        if is_so(measured, tuning.threshold.operator, first):
            return tuning.step
        if tuning.back is None:
            return -tuning.step
        second = self.threshold(tuning, tuning.back, index, now)
        return -tuning.step if is_so(measured, tuning.back.operator, second) else 0.0

    def controlled(self, tuning: Tuning, error: float) -> float:
        """What a PI controller sets the tunable to, before its bounds."""
        assert tuning.integral is not None
        present = self.value[tuning.tunable]
        # At its bound a controller does not sum up what pushes it further, or it would hang there.
        beyond = (present == tuning.high and tuning.integral * error > 0) or (
            present == tuning.low and tuning.integral * error < 0
        )
        summed = self.sums.get(tuning, 0.0)
        self.sums[tuning] = summed if beyond else summed + error
        return self.initial[tuning.tunable] + tuning.step * error + tuning.integral * self.sums[tuning]

    def measured(self, tuning: Tuning, now: int) -> float:
        if tuning.monitor == "queue_depth":
            return sum(now - job.waits_since for job in self.sim.queue) / 60
        if tuning.monitor == "wait":
            waits = [now - job.waits_since for job in self.sim.queue]
            return sum(waits) / len(waits) if waits else 0.0
        if tuning.monitor == "queue_length":
            return len(self.sim.queue)
        if tuning.monitor == "utilization":
            return self.utilization(tuning.argument, now)
        last = sorted(self.sim.ended, key=lambda job: job.end)[-tuning.argument :]  # ended in this order
        if tuning.monitor == "violated":
            late = [job.end > self.sim.eet[job.number] for job in last]
            return sum(late) / len(late) if late else 0.0
        slowdowns = [max(1.0, (job.end - job.submit) / max(job.done + job.runtime, 10)) for job in last]
        return sum(slowdowns) / len(slowdowns) if slowdowns else 0.0

    def utilization(self, over: int, now: int) -> float:
        """Second by second: a job that runs from s to e is in use in s <= second < e; so are nodes down."""
        # Before a whole span has passed the mean is over what has.
        over = min(over, now - self.sim.first)
        begin, end = (now - over, now) if over else (now, now + 1)
        jobs = self.sim.running + self.sim.ended + self.sim.stopped
        used = sum(job.total(0) * max(0, min(job.end, end) - max(job.start, begin)) for job in jobs)
        up = sum(node[0] for node in self.sim.machine) * (end - begin)
        for hold in self.sim.outages:
            up -= hold.job.procs * max(0, min(hold.end, end) - max(hold.begin, begin))
        return used / up if up else 0.0

    def mean(self, tuning: Tuning, over: int, index: int, now: int) -> float:
        if tuning.monitor == "utilization":
            return self.utilization(over, now)
        values = [row[index][0] for time, row in self.rows if time > now - over]
        # Written around the first value, so that equal values have exactly that mean.
        return values[0] + sum(value - values[0] for value in values) / len(values)


def is_so(value: float, sign: str, threshold: float) -> bool:
    """Whether the comparison holds."""
    compare = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}[sign]
    return bool(compare(value, threshold))
