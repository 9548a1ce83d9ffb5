"""How often predicted starts held on archived logs: run as `python -m tests.engine.coverage [INSTANTS]`.

Each log is calibrated as `now LOG` does it, for 2 s, and at as many instants as are asked for, and held
against as many others, beside the planned starts, which go by requested walltimes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.answer.calibration import Scored, calibrated_ends
from engine.answer.log_instants import replay_log
from engine.answer.log_spans import LogSpans, learn_spans
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


def report(scored: Scored, learned: LogSpans) -> str:
    """Share held, mean error and pinball loss of what was learned elsewhere, beside those of plans."""
    if learned.by is None:
        return f"nothing learned: {learned.words}"
    ends, started = calibrated_ends(learned.by, scored), scored.started
    plan = (scored.planned,) * 3

    def pinball(predicted: Sequence[NDArray[np.number]]) -> float:
        away = [started - end for end in predicted]
        losses = [np.maximum(q * a, (q - 1) * a).mean() for q, a in zip((0.1, 0.5, 0.9), away, strict=True)]
        return float(np.mean(losses)) / 3600

    def error(predicted: NDArray[np.number]) -> float:
        return float(np.abs(predicted - started).mean()) / 3600

    held = 100 * ((ends[0] <= started) & (started <= ends[2])).mean()
    by = learned.by
    return (
        f"{len(started)} predictions, held {held:.1f} % (claimed {100 * learned.share:.1f} %); mean error "
        f"{error(ends[1]):.1f} h, of plans {error(scored.planned):.1f} h; pinball loss "
        f"{pinball(ends):.1f} h, of plans {pinball(plan):.1f} h; middle: {by.middle}, "
        f"ends of plans: {by.of_plan}, level {by.level:.2f}"
    )


if __name__ == "__main__":
    for path in (KTH_SP2, CTC_SP2, HPC2N):
        trace = read_trace(path)
        instants = int(sys.argv[1]) if len(sys.argv) > 1 else 100
        site = site_of_machine("log", trace.cluster)
        learned = learn_spans(site, trace, seed=1, enough=within(2))
        longer = learn_spans(site, trace, instants, seed=1)
        scored = replay_log(site, trace, instants)
        print(f"{trace.name}, learned in 2 s: {learned.words}")
        print(f"  at {instants} other instants: {report(scored, learned)}")
        print(f"  learned at {instants}: {report(scored, longer)}")
        print(f"  not calibrated, wider: {100 * wide_share(scored, site.rules(1).bf_interval):.0f} %")
