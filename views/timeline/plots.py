"""The plots of runs over time: queue depth, utilization, and tuning (Tang et al. 2013, figures 5 to 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from engine.policy.tuning import RANGES, TUNABLES
from engine.spelling import format_number
from views.data.run_series import AVERAGES, RunSeries
from views.data.scales import ClockScale
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea
from views.plot.layers import Band, Bands, Computed, HangingMarks, Layer, ReferenceLine
from views.plot.page import PlotPage
from views.plot.plot import Category, PlotWords, PrintRoom
from views.plot.time_plot import TimePlot
from views.text.ticks import Hours, axis_of
from views.text.values import compact
from views.theme.palette import mix
from views.theme.theme import Theme
from views.timeline.heights import EqualLanes, Heights, Subplot
from views.timeline.triggers import Triggers

THICK = {"now": 1.0, "1 h": 1.2, "10 h": 1.7, "24 h": 3.0}
_TINT = {"now": 0.15, "1 h": 0.2, "10 h": 0.3, "24 h": 0.3}
PALE = {"now": 0.45, "1 h": 0.3, "10 h": 0.0, "24 h": 0.0}
"""Share of the background in the colour of a line; averages are stronger than the values."""

_THICK, _THICKER, _THICKEST = 1.6, 2.4, 9.0
"""Pixels of the first run's line, how much thicker each line below it is, and the most.

So lines with the same value are all visible, and each is at its value.
"""

_TOLD_APART, _MOST_FACETS = 2, 8
"""Lines that greys tell apart although they cross all the time, and plots of runs above each other."""

_DAY = 1440.0  # minutes
_MOST_MINUTES = 100_000
"""A queue deeper than that is told in days: `10 M min` is hard to read."""

_NAMES = {"bf": "balance factor (bf)", "window": "window (jobs)"}


def timeline_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """The plots of the runs that are not hidden, all or those that are asked for; none of tunables where
    nothing is tuned.

    Facets have a plot for each run, with the same heights in all of them.
    """
    runs = [series for series in shown.series if series.run_id not in options.timeline_hidden]
    made: dict[str, _Lines] = {
        "depth": depth_lines(runs, options.timeline_log),
        "utilization": utilization_lines(runs, options.timeline_averages),
        "tuning": tunable_lines(runs),
    }
    tuned = any(run.tuned for run in runs)
    wanted = [name for name in made if name in (options.timeline_plots or made)]
    plots = [made[name] for name in wanted if tuned or name != "tuning"] or [made["depth"]]
    legend = [Category(run.name, run.colour, run.run_id) for run in runs]
    if not options.timeline_facets or len(runs) < 2:
        return PlotPage(plots, legend, "runs")
    facets = [facet for plot in plots for run in runs if (facet := _of_run(plot, run)) is not None]
    return PlotPage(facets, legend, "runs")


def _of_run(plot: _Lines, run: RunSeries) -> TimePlot | None:
    """The lines of a run alone, as high as beside those of others; None where it has none."""
    words = replace(plot.words, title=plot.words.title + _of(run))
    if not isinstance(plot, TunableLines):
        return replace(plot, words=words, runs=[run])
    if not run.tuned:
        return None
    triggers = [trigger for trigger in plot.triggers if trigger.series is run]
    return replace(plot, words=words, runs=[run], triggers=triggers)


def _of(run: RunSeries) -> str:
    """The end of the title of a plot of a run alone."""
    return f": {run.name}"


def _apart(plot: DepthLines | UtilizationLines) -> Sequence[TimePlot]:
    """A plot for each of some runs; of two runs in greys, or of more than a page holds, the plot itself."""
    if not _TOLD_APART < len(plot.runs) <= _MOST_FACETS:
        return [plot]
    return [facet for run in plot.runs if (facet := _of_run(plot, run)) is not None]


def _in_ink(plot: DepthLines | UtilizationLines) -> TimePlot | None:
    """The plot of a run that its title names, in the colour of the first run; None of several runs."""
    (run, *others) = plot.runs or (None,)
    if run is None or others or not plot.words.title.endswith(_of(run)):
        return None
    return replace(plot, runs=[replace(run, run_id=1)])


@dataclass(frozen=True, eq=False, kw_only=True)
class DepthLines(TimePlot):
    """Queue depth: the minutes that all waiting jobs have waited so far.

    The line is the mean of each pixel's time, the tint reaches from the least to the most; a dashed line is
    the threshold of a run that tunes by the depth.
    """

    runs: Sequence[RunSeries]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The lines, and thresholds."""
        rules = [
            ReferenceLine(float(self.y.coordinates_of(np.array(threshold))), run.colour, run=run.run_id)
            for run in self.runs
            for threshold in run.thresholds
        ]
        return [Computed(self._bands), *rules]

    def apart(self) -> Sequence[TimePlot]:
        """A plot for each of several runs."""
        return _apart(self)

    def in_ink(self) -> TimePlot | None:
        """The plot of a run that its title names, in the first colour."""
        return _in_ink(self)

    def _bands(self, area: PlotArea) -> Bands:
        width = columns_of(area)
        return Bands(
            [
                Band(self.y.coordinates_of(run.depth_statistics(area.x, width)), run.colour, name=run.name)
                for run in self.runs
            ]
        )


def _minutes(value: float) -> str:
    return f"{compact(value)} min" if value else "0"


def _days(value: float) -> str:
    return f"{compact(value / _DAY)} d" if value else "0"


def depth_lines(runs: Sequence[RunSeries], log: bool, brief: bool = False) -> DepthLines:
    """The queue depth of some runs, with `log` on a logarithmic scale; `brief` numbers where it is low."""
    most = max(1.0, *(run.deepest for run in runs)) if runs else 1.0
    if most >= _MOST_MINUTES:
        scale = Heights(most, log, _days, _DAY)
    else:
        scale = Heights(most, log, _brief if brief else _minutes)
    return DepthLines(words=PlotWords("Queue depth"), x=_span(runs), y=scale, runs=runs)


@dataclass(frozen=True, eq=False, kw_only=True)
class UtilizationLines(TimePlot):
    """The share of the processors in use, now and on average over the hours before; by name of AVERAGES."""

    runs: Sequence[RunSeries]
    averages: Sequence[str]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The lines, the longest averages on top."""
        return [Computed(partial(self._bands, theme))]

    def apart(self) -> Sequence[TimePlot]:
        """A plot for each of several runs."""
        return _apart(self)

    def in_ink(self) -> TimePlot | None:
        """The plot of a run that its title names, in the first colour."""
        return _in_ink(self)

    def _bands(self, theme: Theme, area: PlotArea) -> Bands:
        width = columns_of(area)
        bands = [
            Band(
                self.y.coordinates_of(run.use_statistics(AVERAGES[name], area.x, width)),
                mix(run.colour, theme.chart, PALE[name]),
                THICK[name],
                _TINT[name],
                f"{run.name}, {name}",
            )
            for name in reversed(self.averages)
            for run in self.runs
        ]
        return Bands(bands)


def utilization_lines(runs: Sequence[RunSeries], averages: Sequence[str]) -> UtilizationLines:
    """The utilization of some runs."""
    names = [name for name in AVERAGES if name in averages]
    text = f"Utilization, %: {', '.join(names)}" if names else "Utilization, %"
    words = PlotWords(text + (" (thin to thick)" if len(names) > 1 else ""))
    scale = Heights(1.0, format=_share)
    return UtilizationLines(words=words, x=_span(runs), y=scale, runs=runs, averages=names)


@dataclass(frozen=True, eq=False, kw_only=True)
class TunableLines(TimePlot):
    """One lane per tunable, one line per run; a mark over the lane at each check that changed it."""

    y: EqualLanes
    runs: Sequence[RunSeries]
    triggers: Sequence[Triggers]

    @property
    def lanes(self) -> tuple[str, ...]:
        """The tunables that any run tunes, from top to bottom."""
        return tuple(lane.name for lane in self.y.lanes)

    @property
    def paper(self) -> PrintRoom:
        """Each lane needs its room."""
        return PrintRoom(0.65 * max(len(self.lanes), 1))

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The lines, and what parts the lanes."""
        count = len(self.lanes)
        rules = [ReferenceLine(index / count, theme.border, dashed=False) for index in range(1, count)]
        return [Computed(self._bands), *rules]

    def pictured(self) -> Sequence[Mapping[str, float | str]]:
        """The value of each tunable from each time on at which it changed."""
        rows: list[Mapping[str, float | str]] = []
        for lane in self.y.lanes:
            for run in self.runs:
                if lane.name in run.tunables:
                    pairs = zip(*(values.tolist() for values in run.steps(lane.name)), strict=True)
                    about = {"is": "step", "series": run.name, "group": lane.name}
                    rows += [{**about, "x": float(time), "y": float(value)} for time, value in pairs]
        return rows

    def _bands(self, area: PlotArea) -> Bands:
        """The lines of all lanes, each within its own."""
        from views.raster.columns import column_statistics

        width, count, bands = columns_of(area), len(self.lanes), list[Band]()
        for place, lane in enumerate(self.y.lanes):
            # Lanes go from top to bottom, heights from bottom to top.
            bottom = 1 - (place + 1) / count
            # Runs that lack this tunable take no thickness in its lane.
            shown = [run for run in self.runs if lane.name in run.tunables]
            for index, series in enumerate(shown):
                time, value = series.steps(lane.name)
                statistics = column_statistics(np.require(time, np.int64, ["C", "W"]), value, area.x, width)
                # The lane's scale begins at its least value; what is below, such as columns without data,
                # lies on its floor.
                share = (np.maximum(statistics, lane.low) - lane.low) / (lane.high - lane.low)
                heights = self.y.BELOW + (1 - self.y.ABOVE - self.y.BELOW) * share
                # Later runs are drawn thicker and behind: where lines are equal, each is still seen at the
                # edge of the next.
                thick = min(_THICK + index * _THICKER, _THICKEST)
                bands.append(Band(bottom + heights / count, series.colour, thick))
        marks = [
            HangingMarks(
                trigger.time.astype(np.float64),
                1 - self.lanes.index(trigger.tunable) / count,
                trigger.series.colour,
            )
            for trigger in self.triggers
        ]
        return Bands(bands, marks)


_Lines = DepthLines | UtilizationLines | TunableLines


def tunable_lines(runs: Sequence[RunSeries]) -> TunableLines:
    """The tuned values of some runs."""
    triggers = [Triggers.of(run, name) for run in runs for name in run.tuned]
    names = [name for name in TUNABLES if any(name == trigger.tunable for trigger in triggers)]
    text = ", ".join(_NAMES[name] for name in names)
    return TunableLines(
        words=PlotWords(f"Tuning: {text}" if names else "Tuning"),
        x=_span(runs),
        y=EqualLanes(tuple(_lane(runs, name) for name in names), format_number),
        runs=runs,
        triggers=triggers,
    )


def columns_of(area: PlotArea) -> int:
    """The columns of device pixels of an area."""
    return max(round(area.width * area.ratio), 1)


def _span(runs: Sequence[RunSeries]) -> ClockScale:
    """The time from the first submission to the last end."""
    if not runs:
        return ClockScale(0.0, 1.0, Hours(0))
    first = runs[0].schedule
    end = max(run.schedule.last_end for run in runs)
    return ClockScale(float(first.first_submit), float(end), axis_of(first.trace))


def _lane(runs: Sequence[RunSeries], name: str) -> Subplot:
    """Least and greatest value that a lane shows: of a window, up to what any run ever had."""
    if name == "bf":
        return Subplot(name, *RANGES[name])
    most = max(2.0, *(float(run.steps(name)[1].max()) for run in runs if name in run.tunables))
    return Subplot(name, 1.0, most)


def _brief(value: float) -> str:
    """A depth that finds room beside a name."""
    return f"{value / 1000:.0f} k" if 10_000 <= value < 100_000 else compact(value)


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"
