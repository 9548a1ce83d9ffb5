"""How often the interval of a search excludes 0 where there is nothing to find, and finds what is there.

`python -m tests.engine.search.calibration [SERIES] [FIGURE.png]` prints a row for each dependence and number
of weeks, and draws them. Series are autoregressions of order 1 with mean 0, in stationary state, whose
innovations are normal, or skewed as waits are (exponential, lognormal). "ratios" are changes from a baseline
that varies by a factor of e itself: each week's value is the baseline's times a lognormal factor with mean 1.

`placebo` swaps both runs in blocks of weeks of a pair by a coin, so that nothing is left to find, and plants
an effect on every week where that is asked for; `power` does so on drawn weeks.

`python -m tests.engine.search.calibration --real FIGURE.png LOG LOG ...` does both on pairs of runs of logs.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.api import read
from engine.arrays import Floats
from engine.policy.policy import parse_policy
from engine.search.weeks import weekly_change
from engine.simulation.run import simulate

LAG_1 = (0.0, 0.3, 0.5, 0.8)
WEEKS = (12, 15, 20, 26, 40, 60)
MOST_ALARMS = {0.0: 6.0, 0.5: 10.0, 0.8: 15.0}
LEAST_INTERVALS = 80.0
SHAPES = ("normal", "exponential", "lognormal", "ratios")


@dataclass(frozen=True)
class Rate:
    """In % of all series: those with an interval, and those whose interval excludes 0, which is the truth."""

    shape: str
    lag_1: float
    weeks: int
    with_interval: float
    alarms: float


def series(
    shape: str, lag_1: float, weeks: int, count: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Values of a metric and of the baseline, each of shape (count, weeks), whose means are the same."""
    if shape == "ratios":
        deviation = np.sqrt(1 - lag_1**2)
        baseline, factor = (_process("normal", lag_1, weeks, count, rng) * deviation for _ in range(2))
        return np.exp(baseline + 0.3 * factor - 0.3**2 / 2), np.exp(baseline)
    drawn = _process(shape, lag_1, weeks, count, rng)
    return 100 + drawn, np.full(drawn.shape, 100.0)


def _process(shape: str, lag_1: float, weeks: int, count: int, rng: np.random.Generator) -> Floats:
    """Shape (count, weeks): mean 0."""
    before = 60  # steps until the beginning is forgotten
    size = (count, weeks + before)
    drawn = {
        "normal": lambda: rng.standard_normal(size),
        "exponential": lambda: rng.exponential(size=size) - 1,
        "lognormal": lambda: rng.lognormal(size=size) - np.exp(0.5),
    }[shape]()
    for week in range(1, weeks + before):
        drawn[:, week] += lag_1 * drawn[:, week - 1]
    return drawn[:, before:]


def rate(shape: str, lag_1: float, weeks: int, count: int, seed: int = 1) -> Rate:
    """Of so many series."""
    rng = np.random.default_rng([seed, weeks, round(100 * lag_1), SHAPES.index(shape)])
    found = [weekly_change(*result) for result in zip(*series(shape, lag_1, weeks, count, rng), strict=True)]
    shown = sum(match is not None and match.low is not None for match in found)
    alarms = sum(match is not None and match.side != 0 for match in found)
    return Rate(shape, lag_1, weeks, 100 * shown / count, 100 * alarms / count)


def placebo(
    values: Floats, baseline: Floats, count: int = 400, block: int = 4, effect: float = 0.0, seed: int = 1
) -> float:
    """How often, in %, a change is told where blocks of weeks of a pair of runs are swapped by a coin.

    Both have shape (weeks,). Without an `effect` these are false alarms; with one, of which each week of the
    first is made larger (0.2: +20 %), those on its side alone are counted.
    """
    rng = np.random.default_rng(seed)
    told = 0
    for _ in range(count):
        first = int(rng.integers(block))  # so that blocks begin anywhere
        coin = rng.integers(0, 2, len(values) // block + 2).astype(bool)
        swapped = coin[(np.arange(len(values)) + first) // block]
        one, other = np.where(swapped, baseline, values), np.where(swapped, values, baseline)
        found = weekly_change(one * (1 + effect), other)
        told += found is not None and found.side != 0 and (not effect or found.side == np.sign(effect))
    return 100 * told / count


def power(effect: float, lag_1: float, weeks: int, count: int, varies: float = 0.0, seed: int = 1) -> float:
    """How often, in %, a change of every week by `effect` (0.2: +20 %) is found on its side.

    Weekly log ratios have a standard deviation of 0.2, and the logarithm of the baseline one of `varies`.
    """
    rng = np.random.default_rng([seed, weeks, round(100 * lag_1)])
    deviation = np.sqrt(1 - lag_1**2)
    base, factor = (_process("normal", lag_1, weeks, count, rng) * deviation for _ in range(2))
    baselines = np.exp(varies * base)
    values = baselines * (1 + effect) * np.exp(0.2 * factor - 0.2**2 / 2)
    sides = [weekly_change(*pair) for pair in zip(values, baselines, strict=True)]
    return 100 * sum(found is not None and found.side == np.sign(effect) for found in sides) / count


def draw(rates: list[Rate], path: Path) -> None:
    """Draw the false alarms over the number of weeks, a panel a shape of innovations."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 6.4), layout="constrained")
    panels = figure.subplots(2, len(SHAPES), sharex=True, sharey="row")
    colours = dict(zip(LAG_1, ("#0072b2", "#56b4e9", "#e69f00", "#d55e00"), strict=True))
    # A column for each shape: false alarms above, below them how many series have an interval at all.
    for column, shape in enumerate(SHAPES):
        alarms, intervals = panels[0][column], panels[1][column]
        for lag_1 in LAG_1:
            own = [line for line in rates if (line.shape, line.lag_1) == (shape, lag_1)]
            at, colour = [result.weeks for result in own], colours[lag_1]
            alarms.plot(at, [result.alarms for result in own], "o-", color=colour, label=f"{lag_1:g}")
            intervals.plot(at, [result.with_interval for result in own], "o-", color=colour)
            # Bounds that the tests hold are dotted, in the colour of what they bound.
            if lag_1 in MOST_ALARMS:
                alarms.axhline(MOST_ALARMS[lag_1], color=colour, linestyle=":", linewidth=1)
        intervals.axhline(LEAST_INTERVALS, color=colours[0.0], linestyle=":", linewidth=1)
        alarms.set_title(shape)
        intervals.set_xlabel("weeks")
    panels[0][0].set_ylabel("false alarms, % of all series")
    panels[0][0].set_ylim(0, 16)
    panels[0][0].legend(title="lag-1 correlation", loc="upper right")
    panels[1][0].set_ylabel("series with an interval, %")
    panels[1][0].set_ylim(0, 103)
    figure.suptitle("Intervals of `search` where there is nothing to find; dotted: the bounds")
    figure.savefig(path, dpi=110)


EFFECTS = (-0.7, -0.5, -0.35, -0.2, -0.1, 0.1, 0.2, 0.5, 1.0, 2.0)
PAIR = ("easy", "saf-easy")


def weekly_waits(path: str) -> tuple[Floats, Floats]:
    """The mean waits of each week with jobs of a log under both policies of PAIR, shape (weeks,)."""
    log = read(path)
    trace = log.trace
    week = (trace.submit - int(trace.submit[0])) // (7 * 86_400)
    jobs = np.bincount(week)
    waits = (simulate(trace, log.cluster, parse_policy(policy)).wait for policy in PAIR)
    base, other = (np.bincount(week, wait)[jobs > 0] / jobs[jobs > 0] for wait in waits)
    return other, base


def draw_real(paths: Sequence[str], path: Path) -> None:
    """Print and draw how often an effect is told on pairs of runs of logs, and false alarms at no effect."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5.6), layout="constrained")
    panel = figure.subplots()
    for colour, name in zip(("#0072b2", "#e69f00", "#009e73", "#d55e00"), paths, strict=False):
        pair = weekly_waits(name)
        told = {effect: float(placebo(*pair, effect=effect)) for effect in (*EFFECTS, 0.0)}
        label = f"{Path(name).name.partition('.swf')[0]}: {len(pair[0])} weeks"
        print(f"{label}, false alarms {told[0.0]:.1f} %: {told}")
        # An effect of +100 % is as far from none as -50 %: on a ratio's own scale.
        shown = sorted(told)
        panel.plot([np.log2(1 + each) for each in shown], [told[each] for each in shown], "o-", color=colour,
                   label=f"{label}, {told[0.0]:.1f} % of false alarms")  # fmt: skip
    most = MOST_ALARMS[0.5]
    panel.axhline(most, color="0.5", linestyle=":", linewidth=1)
    panel.annotate(f"at most {most:.0f} % of false alarms are allowed", (1, most), (-4, 3), color="0.35",
                   xycoords=("axes fraction", "data"), textcoords="offset points", ha="right")  # fmt: skip
    ticks = (-0.7, -0.5, -0.2, 0.0, 0.2, 0.5, 1.0, 2.0)
    words = [f"{100 * each:+.0f} %".replace("-", "−") if each else "none" for each in ticks]
    panel.set_xticks([np.log2(1 + each) for each in ticks], words)
    panel.set_xlabel("planted change of the mean wait of every week")
    panel.set_ylabel("told by its interval, % of 400 swaps")
    panel.set_ylim(0, 103)
    figure.legend(loc="outside lower center")  # curves reach every corner of the axes
    panel.set_title(f"{PAIR[1]} and {PAIR[0]}, swapped in blocks of four weeks by a coin")
    figure.savefig(path, dpi=110)


def main(count: int = 5000, path: Path | None = None) -> None:
    """Print the rates, and draw them where a path is given."""
    rates = [rate(s, lag_1, weeks, count) for s in SHAPES for lag_1 in LAG_1 for weeks in WEEKS]
    print(f"{'series':12} {'lag-1':>5} {'weeks':>5} {'interval %':>7} {'false alarms %':>15}")
    for line in rates:
        print(f"{line.shape:12} {line.lag_1:5g} {line.weeks:5} {line.with_interval:7.1f} {line.alarms:15.1f}")
    print(f"\n{'effect':>7} {'lag-1':>5} {'weeks':>5} {'baseline varies':>15} {'found %':>8}")
    for effect in (-0.2, 0.2):
        for lag_1 in (0.0, 0.5, 0.7):
            for weeks in (12, 15, 30):
                for varies in (0.0, 0.5):
                    told = power(effect, lag_1, weeks, count, varies)
                    print(f"{effect:7} {lag_1:5g} {weeks:5} {varies:15} {told:8.1f}")
    if path is not None:
        draw(rates, path)


if __name__ == "__main__" and sys.argv[1:2] == ["--real"]:
    draw_real(sys.argv[3:], Path(sys.argv[2]))
elif __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *map(Path, sys.argv[2:3]))
