"""How often predicted starts held on logs: `python -m tests.engine.now.coverage [LOG ...] [OPTIONS]`.

Each log is calibrated as `now LOG` does it, and held against predictions at as many other instants as are
asked for, which a seed chooses, beside the planned starts, which go by requested walltimes. With --arrivals
further jobs come in the replays as in the log's last weeks. With --ahead the scores are also given by how far
ahead a start was expected. Without a LOG these are three archived logs.
"""

import argparse
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.logs.queue.state import new_job
from engine.logs.read import read_trace
from engine.machine.cluster import parse_cluster
from engine.now.calibration import AHEAD, Scored, calibrated_ends
from engine.now.log_instants import replay_log
from engine.now.log_spans import INSTANTS, LogSpans, learn_spans
from engine.now.prediction import Forecast, Prediction
from engine.now.spans import widened
from engine.slurm.site.site import Site, site_of_machine
from engine.trace import Trace
from engine.words import format_seconds
from tests.benchmarks.logs import CTC_SP2, HPC2N, KTH_SP2

Numbers = NDArray[np.number]


def wide_share(scored: Scored, cycle: int) -> float:
    """The share of real starts within spans that are not calibrated, but wider than those of replays."""
    job = new_job("", "", 600, parse_cluster("1c").groups[0])
    columns = (scored.planned, scored.expected, scored.early, scored.late)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    wide = widened(Forecast(tuple(Prediction(job, *row, "") for row in rows), 30), cycle, scored.cover)
    ends = np.array([[prediction.early, prediction.late] for prediction in wide.waiting], np.int64).T
    return float(((ends[0] <= scored.started) & (scored.started <= ends[1])).mean())


def losses(started: NDArray[np.int64], spans: Sequence[Numbers]) -> str:
    """The share that spans (begin, middle, end) hold, the mean error of the middle, and the pinball loss."""
    held = 100 * ((spans[0] <= started) & (started <= spans[2])).mean()
    error = float(np.abs(spans[1] - started).mean()) / 3600
    away = [started - end for end in spans]
    lost = [np.maximum(q * a, (q - 1) * a).mean() for q, a in zip((0.1, 0.5, 0.9), away, strict=True)]
    return f"held {held:4.1f} %, mean error {error:5.2f} h, pinball loss {float(np.mean(lost)) / 3600:5.2f} h"


def report(scored: Scored, learned: LogSpans, *, ahead: bool = False) -> list[str]:
    """Lines: the scores of what was learned elsewhere, beside those of replays alone and of plans."""
    if learned.by is None:
        return [f"nothing learned: {learned.words}"]
    by, started = learned.by, scored.started
    ways: dict[str, Sequence[Numbers]] = {
        "calibrated": calibrated_ends(by, scored),
        "replays": (scored.early, scored.expected, scored.late),
        "walltimes": (scored.planned,) * 3,
    }
    lines = [
        f"{len(started)} predictions, claimed {100 * learned.share:.1f} %; middle: {by.middle}, "
        f"ends of plans: {by.of_plan}, by waits: {by.by_wait}, level {by.level:.2f}"
    ]
    lines += [f"  {name:10}  {losses(started, spans)}" for name, spans in ways.items()]
    # Predictions near the start are easier: how far ahead they were made tells them apart.
    for low, high in pairwise((0, *AHEAD, 1 << 40)) if ahead else ():
        near = (scored.expected >= low) & (scored.expected < high)
        if near.any():
            lines.append(f"  {near.sum()} expected from {format_seconds(low)} ahead")
            for name, spans in ways.items():
                lines.append(f"    {name:10}  {losses(started[near], [end[near] for end in spans])}")
    return lines


def measure(site: Site, trace: Trace, options: argparse.Namespace, *, arrivals: bool) -> None:
    """Print the scores of a log."""
    seed = options.seed
    learned = learn_spans(site, trace, options.calibrate, seed=seed + 1, arrivals=arrivals)
    scored = replay_log(site, trace, options.instants, seed=seed, arrivals=arrivals)
    print(f"{trace.name}, {'further jobs come' if arrivals else 'no further job comes'}", flush=True)
    if not len(scored.started):
        print("  no job waited at any instant")
        return
    print(f"  not calibrated, wider: {100 * wide_share(scored, site.rules(1).bf_interval):.0f} %")
    print(f"  {learned.words}")
    print(*report(scored, learned, ahead=options.ahead), sep="\n    ", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.engine.now.coverage", description=__doc__)
    parser.add_argument("logs", type=Path, nargs="*", metavar="LOG", default=[KTH_SP2, CTC_SP2, HPC2N])
    parser.add_argument("--instants", type=int, default=100, help="at which starts are predicted")
    parser.add_argument(
        "--calibrate", type=int, default=INSTANTS, help="instants that spans are calibrated at"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the instants; it is learned at the next")
    parser.add_argument("--arrivals", action="store_true", help="with and without further jobs")
    parser.add_argument("--ahead", action="store_true", help="also by how far ahead")
    parser.add_argument("--jobs", type=int, help="the first jobs of the log alone")
    options = parser.parse_args()
    for path in options.logs:
        whole = read_trace(path)
        read = whole.take(np.arange(min(options.jobs or len(whole), len(whole))))
        for arrivals in (False, True) if options.arrivals else (False,):
            measure(site_of_machine("log", whole.cluster), read, options, arrivals=arrivals)
