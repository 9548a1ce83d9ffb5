"""The plot of what waits are made of: bars of shares by group, or columns of whole waits by week."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.metrics.waits import BY, KINDS, MEANINGS, GroupWaits
from engine.metrics.waits_words import waits_sentence
from views.data.results import NO_JOBS, has_jobs
from views.data.scales import Categories, LaneScale, LinearScale, NamedSteps
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea, Point
from views.plot.lane_plot import LanePlot
from views.plot.layers import LaneBars, LaneColumns, LaneHeads, Layer, ReferenceLine
from views.plot.page import PlotPage
from views.plot.plot import Category, EmptyPlot, HoverText, Plot, PlotWords
from views.text.counts import plural
from views.text.values import duration
from views.theme.theme import Theme
from views.waits.groups import (
    REASON_COLOURS,
    RunWaits,
    by_known,
    codes_in_order,
    group_words,
    kinds_shown,
    run_waits,
)

_MOST_LANES, _LEAST_GROUPS = 12, 3
"""Bars at most; but so many groups at least, where many runs are shown."""

_BAR, _MIDDLE = 12.0, 0.5
"""Height of a bar in pixels, and the part of its lane below its middle: in high lanes, too, it is nearer
to its own name than to the next."""

_LINES = 3.4
"""Lines of text of the lowest lane: its bar, around its middle, is below its name."""

_TALL, _WIDE = 0.62, 0.8
"""The parts of a lane and of a step that columns may take."""

_NOBODY = "No job waited."
_FROM = (
    "parted by reason. Simulated runs log their reasons; those of recorded schedules are inferred from what "
    "seems to have been free."
)
_BARS_TEXT = f"Each bar is the wait of all jobs of a group together, {_FROM}"
_COLUMNS_TEXT = f"Each column is the wait of all jobs that were submitted in a week, {_FROM}"


@dataclass(frozen=True, eq=False)
class WaitLane:
    """A lane: a group's bar under a run, at the index `group` of its waits; or all weeks of a run."""

    name: str
    run: RunWaits
    group: int = 0

    @property
    def waits(self) -> GroupWaits:
        """The waits of the run."""
        return self.run.waits


@dataclass(frozen=True, eq=False, kw_only=True)
class ShareBars(LanePlot):
    """A bar for each group and run: the shares of the kinds of reasons, from left to right."""

    lanes: Sequence[WaitLane]

    @property
    def least_lines(self) -> float:
        """A line for each name, and the bar below it, which does not touch it."""
        return _LINES * self.lane_count

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Names with the waits, and the bars."""
        notes = [_wait_words(lane.waits, lane.group) for lane in self.lanes]
        bars = [self._bar(place, lane) for place, lane in enumerate(self.lanes)]
        return [*bars, _heads(self, self.lanes, notes)]

    def _bar(self, place: int, lane: WaitLane) -> LaneBars:
        edges = self._edges(lane)
        # A bar is at least a pixel wide: kinds without a part are left out.
        there = np.flatnonzero(np.diff(edges) > 0)
        colours = [REASON_COLOURS[lane.waits.kinds[kind]] for kind in there.tolist()]
        y = np.full(len(there), self.bottom(place) + _MIDDLE)
        result = lane.run.result
        return LaneBars(edges[there], edges[there + 1], y, colours, _BAR, run=result.run_id)

    @staticmethod
    def _edges(lane: WaitLane) -> NDArray[np.float64]:
        """Where the kinds begin and end, in %, (kinds + 1,)."""
        return 100.0 * np.concatenate(([0.0], np.cumsum(lane.waits.shares[lane.group])))

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The kind of reason under the mouse, its share, and what it means; a click picks the group."""
        if not area.box.contains(position) or not self.lanes:
            return None
        lane = self.lanes[self.lane_at(area, position.y)]
        # The last kind with a part that begins left of the mouse: kinds without a part are passed over.
        there = np.flatnonzero(lane.waits.parts[lane.group])
        begins = self._edges(lane)[there]
        kind = int(there[max(int(np.searchsorted(begins, area.x_at(position.x), "right")) - 1, 0)])
        text = f"{lane.name}\n{_part_words(lane.waits, lane.group, kind)}"
        return HoverText(text, lambda: [int(lane.run.codes[lane.group])])


@dataclass(frozen=True, eq=False, kw_only=True)
class WeekColumns(LanePlot):
    """A lane for each run, with the waits of each week as a column of kinds of reasons.

    `steps` names the weeks in order of time, and `codes`, in the same order, are their groups.
    """

    lanes: Sequence[WaitLane]
    steps: tuple[str, ...]
    codes: Sequence[int]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Names with the longest week, and the columns: from the whole down to their lowest parts."""
        notes = [f"up to {duration(_longest(lane.run))}" for lane in self.lanes]
        feet = [ReferenceLine(self.bottom(k), theme.border, dashed=False) for k in range(len(self.lanes))]
        most = max([_longest(lane.run) for lane in self.lanes] + [1.0])
        columns: list[Layer] = []
        for place, lane in enumerate(self.lanes):
            x = np.array([self.codes.index(code) for code in lane.run.codes.tolist()], np.float64)
            tall = np.cumsum(lane.waits.parts, axis=1).astype(np.float64) * (_TALL / most)
            # Each kind is drawn from the foot of the lane: the last comes first, behind those below it.
            columns += [
                LaneColumns(
                    x, tall[:, kind], self.bottom(place), _WIDE, REASON_COLOURS[lane.waits.kinds[kind]]
                )
                for kind in reversed(lane.waits.shown)
            ]
        return [*feet, *columns, _heads(self, self.lanes, notes)]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The parts of a week's waits, the largest first; a click picks the jobs of the week."""
        if not area.box.contains(position) or not self.steps:
            return None
        lane = self.lanes[self.lane_at(area, position.y)]
        step = min(max(round(area.x_at(position.x)), 0), len(self.steps) - 1)
        head = f"{lane.name}\n{group_words('week', self.steps[step])}"
        # In a week in which nobody waited under this run it has no group.
        week = np.flatnonzero(lane.run.codes == self.codes[step])
        if not len(week):
            return HoverText(f"{head}: nobody waited")
        group = int(week[0])
        parts = lane.waits.parts[group]
        largest = [kind for kind in np.argsort(-parts, kind="stable").tolist() if parts[kind]]
        lines = [_part_words(lane.waits, group, kind) for kind in largest]
        text = "\n".join([f"{head}: {_wait_words(lane.waits, group)}", *lines])
        return HoverText(text, lambda: [self.codes[step]])


def _heads(plot: LanePlot, lanes: Sequence[WaitLane], notes: Sequence[str]) -> LaneHeads:
    tops = np.array([plot.bottom(k) + 1 for k in range(len(lanes))])
    colours = [lane.run.result.colour for lane in lanes]
    return LaneHeads(tops, [lane.name for lane in lanes], colours, notes)


def _longest(run: RunWaits) -> float:
    return float(run.waits.seconds.max(initial=0))


def _wait_words(waits: GroupWaits, group: int) -> str:
    return f"{duration(float(waits.seconds[group]))} of {plural(int(waits.jobs[group]), 'job')}"


def _part_words(waits: GroupWaits, group: int, kind: int) -> str:
    name = list(KINDS)[kind]
    return f"{100 * waits.shares[group, kind]:.0f} % {name}: {MEANINGS[name]}"


def waits_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """The plot of the runs, at least one, with the kinds of reasons as its legend."""
    by = by_known(shown.results[0].schedule.trace, options.waits_by)
    runs = run_waits(shown.results, by)
    legend = tuple(Category(kind, REASON_COLOURS[kind]) for kind in kinds_shown(runs))
    return PlotPage([waits_plot(runs, by)], legend, "reasons", notes=sentences(runs))


def sentences(runs: Sequence[RunWaits]) -> list[str]:
    """Whose waiting is most of all made of what, of each run in which anybody waits."""
    told = [(run.result, waits_sentence(run.result.schedule, run.waits)) for run in runs]
    return [f"{result.name}: {sentence}" for result, sentence in told if sentence]


def waits_plot(runs: Sequence[RunWaits], by: str) -> Plot:
    """Columns by week, else bars by group."""
    if not has_jobs([run.result for run in runs]):
        return EmptyPlot(words=PlotWords(f"What waits are made of, by {by}", message=NO_JOBS))
    return _columns(runs) if by == "week" else _bars(runs, by)


def _bars(runs: Sequence[RunWaits], by: str) -> ShareBars:
    codes = codes_in_order(runs, by)
    top = codes[: max(_MOST_LANES // len(runs), _LEAST_GROUPS)]
    names = BY[by](runs[0].result.schedule.trace).names
    lanes = []
    # The bars of a group under all runs are below each other, so that runs are compared at a glance.
    for code in top:
        for run in runs:
            name = group_words(by, names[code])
            label = f"{name}, {run.result.name}" if len(runs) > 1 else name
            lanes += [WaitLane(label, run, group) for group in np.flatnonzero(run.codes == code).tolist()]
    title = f"What waits are made of, by {by}"
    if len(top) < len(codes):
        title += f": the {len(top)} that waited longest"
    words = PlotWords(title, _BARS_TEXT, "% of the wait", terms=("wait",), message="" if lanes else _NOBODY)
    return ShareBars(words=words, x=LinearScale(), y=Categories(max(len(lanes), 1)), lanes=lanes)


def _columns(runs: Sequence[RunWaits]) -> WeekColumns:
    codes = codes_in_order(runs, "week")
    names = BY["week"](runs[0].result.schedule.trace).names
    steps = tuple(names[code] for code in codes)
    lanes = [WaitLane(run.result.name, run) for run in runs]
    most = max(_longest(run) for run in runs)
    words = PlotWords(
        "What waits are made of, by week of submission",
        _COLUMNS_TEXT,
        "week from",
        terms=("wait",),
        message="" if steps else _NOBODY,
    )
    y = LaneScale(len(lanes), max(most, 1.0), _TALL)
    return WeekColumns(words=words, x=NamedSteps(steps or ("",)), y=y, lanes=lanes, steps=steps, codes=codes)
