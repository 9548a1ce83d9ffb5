"""How often predicted starts held on archived logs: run as `python -m tests.engine.coverage [INSTANTS]`.

Each log is calibrated as `now LOG` does it, for 2 s, and held against as many other instants.
"""

from __future__ import annotations

import sys

import numpy as np

from engine.answer.calibration import Scored, calibrated_ends, replay_log, score
from engine.answer.log_spans import learn_spans
from engine.answer.spans import widened
from engine.machine.cluster import parse_cluster
from engine.simulation.now import Forecast, Prediction, within
from engine.site.site import site_of_machine
from engine.trace.queue_state import new_job
from engine.trace.read import read_trace
from tests.benchmarks.logs import CTC_SP2, HPC2N, KTH_SP2


def wide_share(scored: Scored, cycle: int) -> float:
    """The share of real starts within spans that are not calibrated, but wider than those of replays."""
    job = new_job("", "", 600, parse_cluster("1c").groups[0])
    columns = (scored.planned, scored.expected, scored.early, scored.late)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    wide = widened(Forecast(tuple(Prediction(job, *row, "") for row in rows), 30), cycle, scored.cover)
    ends = np.array([[prediction.early, prediction.late] for prediction in wide.waiting], np.int64).T
    return float(((ends[0] <= scored.started) & (scored.started <= ends[1])).mean())


if __name__ == "__main__":
    for path in (KTH_SP2, CTC_SP2, HPC2N):
        trace = read_trace(path)
        instants = int(sys.argv[1]) if len(sys.argv) > 1 else 100
        site = site_of_machine("log", trace.cluster)
        learned = learn_spans(site, trace, seed=1, enough=within(2))
        scored = replay_log(site, trace, instants)
        print(f"{trace.name}, {instants} instants: {score(scored)}")
        print(f"not calibrated, wider: {100 * wide_share(scored, site.rules(1).bf_interval):.0f} %")
        print(f"in 2 s: {learned.words}")
        if learned.by is not None:
            ends = calibrated_ends(learned.by, scored.planned, scored.expected, scored.early, scored.late)
            held = (ends[0] <= scored.started) & (scored.started <= ends[2])
            print(f"  at the {instants} instants: {100 * held.mean():.0f} %")
