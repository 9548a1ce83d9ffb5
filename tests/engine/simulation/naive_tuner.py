"""Adaptive tuning, with every measurement made from the definition at each check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.policy.tuning import Tuning

if TYPE_CHECKING:
    from tests.engine.simulation.naive import NaiveSimulation


class NaiveTuner:
    """The tunables; `rows` are the checks: time, and of each tuning monitor, threshold and new value."""

    def __init__(self, sim: NaiveSimulation) -> None:
        self.sim = sim
        self.value: dict[str, float] = {"bf": sim.policy.bf, "window": sim.policy.window}
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
            row.append((measured, 0.0, 0.0))
            threshold = self.mean(tuning, index, now) if tuning.mean else tuning.number
            if self.due[tuning] == now:
                self.due[tuning] += tuning.interval
                true = {
                    ">=": measured >= threshold,
                    ">": measured > threshold,
                    "<=": measured <= threshold,
                    "<": measured < threshold,
                }[tuning.operator]
                moved = self.value[tuning.tunable] + (tuning.step if true else -tuning.step)
                self.value[tuning.tunable] = min(max(moved, tuning.low), tuning.high)
            row[-1] = (measured, threshold, self.value[tuning.tunable])

    def measured(self, tuning: Tuning, now: int) -> float:
        if tuning.monitor == "queue_depth":
            return sum(now - job.waits_since for job in self.sim.queue) / 60
        if tuning.monitor == "queue_length":
            return len(self.sim.queue)
        if tuning.monitor == "utilization":
            return self.utilization(tuning.argument, now)
        last = sorted(self.sim.ended, key=lambda job: job.end)[-tuning.argument :]  # ended in this order
        slowdowns = [max(1.0, (job.end - job.submit) / max(job.runtime, 10)) for job in last]
        return sum(slowdowns) / len(slowdowns) if slowdowns else 0.0

    def utilization(self, over: int, now: int) -> float:
        """Second by second: a job that runs from s to e is in use in s <= second < e; so are nodes down."""
        over = min(over, now - self.sim.first)
        begin, end = (now - over, now) if over else (now, now + 1)
        jobs = self.sim.running + self.sim.ended + self.sim.stopped
        used = sum(job.total(0) * max(0, min(job.end, end) - max(job.start, begin)) for job in jobs)
        up = sum(node[0] for node in self.sim.machine) * (end - begin)
        for hold in self.sim.outages:
            up -= hold.job.procs * max(0, min(hold.end, end) - max(hold.begin, begin))
        return used / up if up else 0.0

    def mean(self, tuning: Tuning, index: int, now: int) -> float:
        if tuning.monitor == "utilization":
            return self.utilization(tuning.mean, now)
        values = [row[index][0] for time, row in self.rows if time > now - tuning.mean]
        return values[0] + sum(value - values[0] for value in values) / len(values)
