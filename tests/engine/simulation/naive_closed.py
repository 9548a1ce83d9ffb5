"""Jobs that follow others, slowly: a trace is submitted until its times are those that it implies."""

from dataclasses import replace

import numpy as np

from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case


class NaiveClosed:
    """When the jobs of a case came, started and ended in the end, lists by the trace's own order."""

    def __init__(self, case: Case) -> None:
        trace, cluster, policy = case
        jobs = range(len(trace))
        self.follows = followed(trace)
        refused = [NaiveSimulation(*case).never_starts(job) for job in NaiveSimulation(*case).jobs]
        self.submit = trace.submit.tolist()
        for _ in range(2 * len(trace) + 2):  # each time at least the next of the wrong times comes right
            order = sorted(jobs, key=lambda job: (self.submit[job], job))
            open_loop = replace(
                trace.take(np.array(order)),
                submit=np.array([self.submit[job] for job in order]),
                dependencies=False,
            )
            simulation = NaiveSimulation(open_loop, cluster, policy)
            simulation.simulate()
            self.start, self.end, over = ([-1] * len(trace) for _ in range(3))
            for place, job in enumerate(order):
                done = simulation.jobs[place]
                self.start[job] = done.start
                self.end[job] = over[job] = done.end if done.start >= 0 else -1
            for stopped in simulation.stopped:
                job = order[stopped.number]
                if self.start[job] < 0:  # given up, when it was stopped for the last time
                    over[job] = max(over[job], stopped.end)
            implied = trace.submit.tolist()
            for job in jobs:
                ahead = self.follows[job]
                if ahead is None or refused[ahead] or refused[job]:
                    continue
                implied[job] = over[ahead] + max(int(trace.think_time[job]), 0)
                if self.start[ahead] < 0:
                    implied[job] = max(implied[job], over[ahead] + 1)
            if implied == self.submit:
                return
            self.submit = implied
        raise AssertionError("the times never came right")


def followed(trace: Trace) -> list[int | None]:
    """The nearest job in front of each with the number that the log says it follows."""
    numbers = trace.job_id.tolist()
    found: list[int | None] = []
    for job, asked in enumerate(trace.preceding.tolist()):
        places = [place for place in range(job) if numbers[place] == asked]
        found.append(places[-1] if places and asked > 0 else None)
    return found
