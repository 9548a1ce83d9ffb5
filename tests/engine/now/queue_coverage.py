"""How well predicted starts hold on logs, as a table: `python -m tests.engine.now.queue_coverage [LOG ...]`.

For each log a row for `now`, calibrated as `now LOG` does it, and for `queue` under each policy: at every
instant that is scored spans are calibrated anew on the instants before it, by what was known then. Instants
are random, chosen by the seed. A row has the predictions, those for which a share is claimed, the share that
is claimed of these, the share that held with its standard error (jobs that wait at one instant start
together, so that instants are counted), and of all predictions the pinball loss and the mean error.
Without a LOG these are all of the shared traces.

`--ways` adds a row for each other way to calibrate that was tried, on the same replays, and `--weeks N` has
further jobs drawn from N weeks at most.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import engine.now.log_arrivals
from engine.arrays import Ints
from engine.logs.read import read_trace
from engine.now.calibration import Scored, calibrated_ends
from engine.now.log_instants import replay_log, scored_of
from engine.now.log_spans import INSTANTS, LogSpans, learn_spans, spans_of
from engine.now.schedule_spans import planned_instant
from engine.now.start_spread import Draws, start_spreads
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from engine.slurm.site.site import site_of_machine
from tests.engine.now.coverage import losses
from tests.paths import SHARED

_SCORED = 0.6  # the part of the instants, in order of time, after which they are scored
_TRIES = 10  # draws for each instant
_STARTED = 0.95  # of the jobs of an earlier instant, whose starts have to be known, as `queue` wants it
_FEWEST_AS_LONG = 3  # instants at which as many jobs waited, as `queue` wants for a claim


class Row(NamedTuple):
    """Predictions: begin, middle and end of their spans and the real starts, s from the instants, (n,) each;
    the share that is claimed of each, nan where none is; and the numbers of their instants.
    """

    spans: tuple[Ints, Ints, Ints]
    started: Ints
    claimed: NDArray[np.float64]
    instant: Ints

    def text(self) -> str:
        """The columns of the table."""
        if not len(self.started):
            return "0 | – | – | – | – | –"
        told, (early, _, late) = ~np.isnan(self.claimed), self.spans
        held = (early <= self.started) & (self.started <= late)
        share = "nothing | –"
        if told.any():
            claimed, share_held = self.claimed[told].mean(), held[told].mean()
            of_instants = np.bincount(self.instant[told], held[told] - share_held)
            error = np.sqrt((of_instants**2).sum()) / told.sum()
            share = f"{100 * claimed:.1f} % | {100 * share_held:.1f} ± {100 * error:.1f} %"
        _, error, pinball = losses(self.started, self.spans).split(", ")
        numbers = " | ".join(part.split()[-2] + " h" for part in (pinball, error))
        return f"{len(told)} | {told.sum()} | {share} | {numbers}"


class Past(NamedTuple):
    """Predictions at earlier instants, of jobs that have started since, and how many jobs waited at each."""

    scored: Scored
    waiting: Ints  # by the number of the instant

    def thrice(self, instants: Ints) -> Scored:
        """All predictions, those at some of the instants counted three times."""
        times = np.where(np.isin(self.scored.instant, instants), 3, 1)
        chosen = np.repeat(np.arange(len(times)), times)
        own = self.scored
        columns = own.instant, own.planned, own.expected, own.early, own.late, own.started
        more = own.job[chosen], own.waited[chosen]
        instant, planned, expected, early, late, started = (column[chosen] for column in columns)
        return Scored(instant, planned, expected, early, late, started, own.cover, *more)


def _late_half(past: Past, waiting: int) -> Scored:
    """With more weight on the later half of the instants."""
    instants = np.unique(past.scored.instant)
    return past.thrice(instants[len(instants) // 2 :])


def _alike(past: Past, waiting: int) -> Scored:
    """With more weight on the half of the instants at which most nearly as many jobs waited."""
    instants = np.unique(past.scored.instant)
    apart = np.abs(np.log1p(past.waiting[instants]) - np.log1p(waiting))
    return past.thrice(instants[np.argsort(apart, kind="stable")[: -(-len(instants) // 2)]])


def _wider(past: Past, waiting: int) -> Scored:
    """For spans that are to miss half as many starts: what is claimed stays what is measured."""
    return replace(past.scored, cover=(1 + past.scored.cover) / 2)


WAYS: dict[str, Callable[[Past, int], Scored]] = {
    "as it is": lambda past, waiting: past.scored,
    "later instants thrice": _late_half,
    "instants with as many jobs thrice": _alike,
    "wider": _wider,
}
"""What spans are calibrated on: the predictions at earlier instants, or some of them with more weight."""


def of_queue(schedule: Schedule, instants: int, draws: Draws, ways: Sequence[str]) -> dict[str, Row]:
    """The scored predictions of `queue` at instants of a schedule, by each way to calibrate."""
    random, submit = np.random.default_rng(draws.seed), schedule.trace.submit
    first, last = np.quantile(submit, (0.1, 0.98)).astype(int).tolist()
    # Instants at which nobody waits say nothing.
    drawn = random.integers(first, last, instants * _TRIES)
    waits = [int(((submit <= time) & (schedule.start > time)).sum()) for time in drawn.tolist()]
    times = np.sort(drawn[np.array(waits) > 0][:instants])
    rows = list[tuple[int, ...]]()
    for number, time in enumerate(times.tolist()):
        instant = planned_instant(schedule, time)
        plans = dict(zip(instant.planned.tolist(), instant.promised.tolist(), strict=True))
        for job, spread in start_spreads(schedule, instant, draws._replace(seed=number)).items():
            if schedule.ran[job]:
                ends = plans.get(job, spread.middle), spread.middle, spread.early, spread.late
                moments = (*ends, int(schedule.start[job]))
                rows.append((number, *(each - time for each in moments), job, time - int(submit[job])))
    numbers = np.array(sorted(row[0] for row in rows), np.int64)
    every = scored_of(rows, draws.cover)
    waiting = np.array([((submit <= time) & (schedule.start > time)).sum() for time in times], np.int64)
    found: dict[str, list[Row]] = {way: [] for way in ways}
    for k in np.unique(numbers[numbers >= _SCORED * len(times)]).tolist():
        own = every.take(numbers == k)
        # Of earlier instants those predictions count whose jobs have started by now.
        started = times[numbers] + every.started <= times[k]
        counts = np.bincount(numbers, minlength=len(times))
        settled = np.bincount(numbers[started], minlength=len(times)) >= _STARTED * np.maximum(counts, 1)
        # Where many still wait, the late ones would be missed.
        before = np.flatnonzero(settled[:k])[-INSTANTS:]
        known = started & np.isin(numbers, before)
        past = Past(_numbered(every.take(known), numbers[known]), waiting)
        short = (waiting[before] >= waiting[k]).sum() < _FEWEST_AS_LONG
        for way in ways:
            learned = spans_of(WAYS[way](past, int(waiting[k])), "", ahead=True)
            found[way].append(_row(own, learned, claims=not short))
    return {way: _joined(rows) for way, rows in found.items() if rows}


def _row(scored: Scored, learned: LogSpans, *, claims: bool = True) -> Row:
    """Predictions by what was learned of spans: as replays give them where that is nothing."""
    count = len(scored.started)
    if learned.by is None:
        spans = scored.early, scored.expected, scored.late
        return Row(spans, scored.started, np.full(count, np.nan), scored.instant)
    early, middle, late = (np.rint(end).astype(np.int64) for end in calibrated_ends(learned.by, scored))
    share = learned.share if claims else np.nan
    return Row((early, middle, late), scored.started, np.full(count, share), scored.instant)


def _joined(rows: Sequence[Row]) -> Row:
    """All predictions of several rows."""
    early, middle, late = (np.concatenate([row.spans[k] for row in rows]) for k in range(3))
    started = np.concatenate([row.started for row in rows])
    claimed = np.concatenate([row.claimed for row in rows])
    return Row((early, middle, late), started, claimed, np.concatenate([row.instant for row in rows]))


def _numbered(scored: Scored, number: Ints) -> Scored:
    """Predictions with the numbers of instants among all of them."""
    return replace(scored, instant=number)


def of_now(path: Path, options: argparse.Namespace) -> Row:
    """The scored predictions of `now` at instants of a log, calibrated at others."""
    trace = read_trace(path)
    site = site_of_machine("log", trace.cluster)
    learned = learn_spans(site, trace, INSTANTS, seed=options.seed + 1)
    scored = replay_log(site, trace, options.instants, seed=options.seed)
    return _row(scored, learned)


def main(options: argparse.Namespace) -> None:
    """Print the table."""
    engine.now.log_arrivals.WEEKS = options.weeks
    draws = Draws(options.replays, 0.8, options.seed, arrivals=True)
    ways = [*WAYS] if options.ways else ["as it is"]
    print("| log | answer | predictions | with a claim | claimed | held | pinball loss | mean error |")
    print(f"|{' --- |' * 8}", flush=True)
    for path in options.logs:
        name = path.name.partition(".")[0]
        if options.now:
            print(f"| {name} | `now` | {of_now(path, options).text()} |", flush=True)
        read = read_trace(path)
        read = read.take(np.arange(min(options.jobs or len(read), len(read))))
        for policy in options.policy or ["easy", "fairshare-easy"]:
            schedule = simulate(read, read.cluster, parse_policy(policy))
            for way, row in of_queue(schedule, options.instants, draws, ways).items():
                label = f"`queue`, `{policy}`" + (f", {way}" if options.ways else "")
                print(f"| {name} | {label} | {row.text()} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.engine.now.queue_coverage", description=__doc__)
    every = sorted((SHARED / "traces").glob("*.swf.gz"))
    parser.add_argument("logs", type=Path, nargs="*", metavar="LOG", default=every)
    parser.add_argument("-p", "--policy", action="append", help="of `queue`; may be repeated")
    parser.add_argument("--instants", type=int, default=100, help="of which the last 40 %% are scored")
    parser.add_argument("--jobs", type=int, help="the first jobs of the log alone, for `queue`")
    parser.add_argument("--replays", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--weeks", type=int, default=engine.now.log_arrivals.WEEKS)
    parser.add_argument("--ways", action="store_true", help="also by other ways to calibrate")
    parser.add_argument("--no-now", dest="now", action="store_false", help="`queue` alone")
    main(parser.parse_args())
