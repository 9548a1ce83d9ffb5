"""How often starts predicted at instants of a schedule held: `python -m tests.engine.now.instant_coverage`.

The first jobs of a log are simulated under a policy. Spans are held against the starts at instants behind
65 % of the jobs, which a seed chooses: with replays in which no further job comes, and with those in which
jobs come as before. As `queue` does it, spans are calibrated on what came before, but not anew at each
instant: `--anew N` times in all. `--thin N` takes every N-th job.
"""

import argparse
from pathlib import Path

import numpy as np

from engine.logs.read import read_trace
from engine.now.queue_forecast import Replaying
from engine.now.schedule_spans import calibrated_spreads, learn_schedule_spans, planned_instant
from engine.now.start_spread import Draws, start_spreads
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from tests.benchmarks.logs import KTH_SP2
from tests.engine.now.coverage import losses

_LEARNED = 0.65
"""The part of the jobs after which instants are scored."""


def measure(schedule: Schedule, options: argparse.Namespace, *, arrivals: bool) -> str:
    """The share that is claimed, and the scores of spans and of plans."""
    draws = Draws(options.replays, 0.8, options.seed, arrivals)
    begin, end = np.quantile(schedule.trace.submit, (_LEARNED, 1.0)).astype(int).tolist()
    random, rows, away = np.random.default_rng(options.seed), list[tuple[int, ...]](), list[int]()
    # Instants are sorted, so that what was learned only ever comes from before.
    times, shares = np.sort(random.integers(begin, end, options.instants)), list[float]()
    for number, time in enumerate(times.tolist()):
        # Learning takes long, and is repeated only so many times over all instants.
        if number * options.anew // len(times) > (number - 1) * options.anew // len(times):
            learned = learn_schedule_spans(schedule, time, draws, Replaying().calibrating)
        instant = planned_instant(schedule, time)
        plans = dict(zip(instant.planned.tolist(), instant.promised.tolist(), strict=True))
        spreads = start_spreads(schedule, instant, draws._replace(seed=number))
        if learned.by is not None:
            spreads = calibrated_spreads(spreads, schedule, instant, learned.by)
        # A job that never started has no error to be measured.
        for job, spread in spreads.items():
            if schedule.ran[job]:
                start = int(schedule.start[job])
                rows.append((*(each - time for each in spread), start - time))
                shares.append(learned.share if learned.by is not None else np.nan)
                away += [abs(plans[job] - start)] if job in plans else []
    if not rows:
        return "no job waited at any instant"
    *spans, started = np.array(rows, np.int64).T
    # Where nothing was learned nothing is claimed: shares are NaN there.
    told, claim = ~np.isnan(shares), "nothing claimed"
    if told.any():
        held = ((spans[0] <= started) & (started <= spans[2]))[told].mean()
        claim = (
            f"claimed {100 * np.mean(np.array(shares)[told]):.1f} % of {told.sum()}, "
            f"of which {100 * held:.1f} % held"
        )
    plans_err = f"; {len(away)} plans err by {np.mean(away) / 3600:.2f} h" if away else ""
    return f"{len(rows)} predictions, {claim}; all: {losses(started, spans)}{plans_err}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.engine.now.instant_coverage", description=__doc__)
    parser.add_argument("log", type=Path, nargs="?", default=KTH_SP2)
    parser.add_argument("-p", "--policy", default="fairshare-easy")
    parser.add_argument("--jobs", type=int, default=6_000)
    parser.add_argument("--thin", type=int, default=1, metavar="N")
    parser.add_argument("--instants", type=int, default=25)
    parser.add_argument("--anew", type=int, default=1, metavar="N")
    parser.add_argument("--replays", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    read = read_trace(options.log)
    own = read.take(np.arange(0, min(options.jobs * options.thin, len(read)), options.thin))
    made = simulate(own, read.cluster, parse_policy(options.policy))
    for arrivals in (False, True):
        coming = "further jobs come" if arrivals else "no further job comes"
        print(
            f"{own.name}, {options.policy}, {coming}: {measure(made, options, arrivals=arrivals)}", flush=True
        )
