"""The plots of predicted starts: shares early, on time and late, and errors by how long jobs waited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.schedule.predictions import TOLERANCE
from views.data.prediction_errors import (
    PUBLISHED,
    SHARES,
    WAITS,
    PredictionErrors,
    prediction_errors_of,
    scale_of,
)
from views.data.results import Result
from views.data.scales import Categories, LinearScale
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea, Point
from views.plot.layers import Bars, BoxOutline, Curve, Labels, Layer, ReferenceLine
from views.plot.page import PlotPage, runs_legend, with_jobs
from views.plot.plot import Category, EmptyPlot, HoverText, Plot, PlotWords, PrintRoom
from views.text.counts import plural
from views.text.values import duration, percent
from views.theme.theme import Theme

_GROUP = 0.75
"""Share of a group that its bars or boxes take."""

_BOX = 0.7
"""Share of its room that a box takes."""

_TEXT = 0.11
"""Share of the height of a plot that a value above a bar takes."""

_NONE = "No shown run predicts starts: add a policy with reservations, such as plan, conservative or easy."
_SHARES_TEXT = (
    f"How many jobs started earlier than first predicted, within {TOLERANCE} s, and later. Dashed: the "
    "result of the planning scheduler of Klusacek, Chlumsky & Rudova 2014, on another machine."
)
_ERRORS_TEXT = "How much later than first predicted jobs started (below 0: earlier), by how long they waited."


_ELSEWHERE = "dashed: Klusacek, Chlumsky & Rudova 2014, on another machine"


def prediction_page(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """Both plots, of the runs that predict starts (Klusacek et al. 2014, 4)."""
    plots = prediction_plots(shown.results)
    runs = [run.result for run in plots[0].runs] if isinstance(plots[0], SharesPlot) else []
    page = PlotPage(plots, runs_legend(runs), "runs", "predicted starts", (_ELSEWHERE,))
    return with_jobs(page, shown.results)


def prediction_plots(results: Sequence[Result]) -> tuple[Plot, ...]:
    """Both plots of at least one run; they take time in the number of jobs."""
    runs = prediction_errors_of(results)
    titles = ("Predicted starts", "Errors by wait")
    if not runs:
        return tuple(EmptyPlot(words=PlotWords(title, message=_NONE)) for title in titles)
    # The published shares are drawn as well and must fit the scale.
    most = max(max(PUBLISHED), *(max(run.shares) for run in runs))
    shares = SharesPlot(
        words=PlotWords(titles[0], _SHARES_TEXT, y_name="% of predicted jobs; dashed: Klusacek et al. 2014"),
        x=Categories(len(SHARES)),
        y=LinearScale(0.0, 1.1 * most),
        slots=[Category(name) for name in SHARES],
        runs=runs,
    )
    errors = ErrorsPlot(
        words=PlotWords(titles[1], _ERRORS_TEXT, y_name="start minus first prediction, by wait of the job"),
        x=Categories(len(WAITS)),
        y=scale_of(runs),
        slots=[Category(name) for _, name in WAITS],
        runs=runs,
    )
    return shares, errors


@dataclass(frozen=True, eq=False, kw_only=True)
class _Grouped(Plot):
    """A group for each slot, with an item for each run side by side."""

    runs: Sequence[PredictionErrors]

    def place(self, group: int, run: int) -> float:
        """The middle of a run's room in a group, on the scale across."""
        return group - _GROUP / 2 + (run + 0.5) * self.room

    @property
    def room(self) -> float:
        """The room of a run within a group."""
        return _GROUP / len(self.runs)

    def at(self, area: PlotArea, position: Point) -> tuple[int, int] | None:
        """The group and the run there."""
        if not area.box.contains(position):
            return None
        x = area.x_at(position.x)
        group = round(x)
        run = int((x - group + _GROUP / 2) // self.room)
        return (group, run) if 0 <= run < len(self.runs) and 0 <= group < len(self.slots) else None


@dataclass(frozen=True, eq=False, kw_only=True)
class SharesPlot(_Grouped):
    """The shares of jobs that started early, on time and late: a bar for each run in each group."""

    @property
    def paper(self) -> PrintRoom:
        """As high as errors are."""
        return PrintRoom(2.3, 2.0)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Bars with their values, and what was published as dashed lines."""
        layers: list[Layer] = []
        labels: list[Layer] = []
        for index, run in enumerate(self.runs):
            middle = np.array([self.place(group, index) for group in range(len(SHARES))])
            top, half = np.array(run.shares), self.room / 2
            result = run.result
            layers.append(
                Bars(middle - half, middle + half, top, [result.colour] * len(top), run=result.run_id)
            )
            texts = [f"{share:.0f}" if share >= 10 else f"{share:.1f}" for share in run.shares]
            line = np.array(PUBLISHED)  # a value that it would run through stands on it
            top = np.where((top <= line) & (top > line - _TEXT * self.y.full_range[1]), line, top)
            labels.append(Labels(middle, top, texts, self.room, (0.5, 1.0), run=result.run_id))
        for group, share in enumerate(PUBLISHED):
            ends = np.array([group - 0.45, group + 0.45])
            layers.append(Curve(ends, np.full(2, share), theme.text, 1.2, dashed=True))
        return [*layers, *labels]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The shares of the run there."""
        spot = self.at(area, position)
        if spot is None:
            return None
        errors = self.runs[spot[1]]
        lines = [f"{name}: {percent(share)}" for name, share in zip(SHARES, errors.shares, strict=True)]
        return HoverText("\n".join([errors.result.name, *lines]))


@dataclass(frozen=True, eq=False, kw_only=True)
class ErrorsPlot(_Grouped):
    """Errors of predictions: a box a run for each class of wait."""

    @property
    def paper(self) -> PrintRoom:
        """More room across than shares have: there are five classes."""
        return PrintRoom(2.3, 2.0, 1.7)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The line of what was predicted, and boxes."""
        layers: list[Layer] = [ReferenceLine(0.0, theme.faint, dashed=False)]
        for index, errors in enumerate(self.runs):
            for group, box in enumerate(errors.boxes):
                if box is not None:
                    ends = (box.low, box.q1, box.median, box.q3, box.high)
                    colour, run = errors.result.colour, errors.result.run_id
                    place, width = self.place(group, index), _BOX * self.room
                    layers.append(BoxOutline(place, *ends, colour, width, run=run))
        return layers

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The five numbers of the box there."""
        spot = self.at(area, position)
        if spot is None:
            return None
        group, errors = spot[0], self.runs[spot[1]]
        box = errors.boxes[group]
        name = f"{errors.result.name}, waited {WAITS[group][1]}"
        if box is None:
            return HoverText(f"{name}\nno job with a prediction")
        numbers = (
            ("maximum", box.maximum),
            ("upper quartile", box.q3),
            ("median", box.median),
            ("lower quartile", box.q1),
            ("minimum", box.minimum),
        )
        lines = [f"{label}: {duration(value)}" for label, value in numbers]
        return HoverText("\n".join([name, *lines, plural(box.count, "job")]))
