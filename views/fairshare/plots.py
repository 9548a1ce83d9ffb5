"""The plots of fairshare: usage factors, parts of all use, and the filling of a user's share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.shown_text import shown_name
from views.data.fairshare import TINTS, UserFilling, UserUse, filling_of, use_by, users_within, uses_of
from views.data.results import Result
from views.data.scales import ClockScale, LinearScale
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea
from views.plot.layers import Computed, Labels, Layer, Raster, ReferenceLine
from views.plot.page import PlotPage
from views.plot.plot import Category, Plot, PlotWords
from views.plot.time_plot import TimeFunction, TimeLines, TimePlot, time_lines
from views.text.counts import plural
from views.text.ticks import axis_of
from views.theme.palette import mix, rgb, text_on
from views.theme.theme import Theme

_MOST_ROWS = 24
"""Processors of a share between which there are lines."""

_MOST_NUMBERED = 40
"""Jobs of a user whose numbers are written into their blocks."""

_NARROW = 0.04
"""The part of the time that a block with a number takes at least."""


def fairshare_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """The plots of the chosen run, of the selected users, else of those who used most; or of accounts.

    The share, by which ends are expected, is filled as in Toth & Klusacek 2014, figures 2 to 4; it is left
    out where no ends are expected. Of accounts the users of the first stand in its place.
    """
    result = shown.results[shown.place(options.fairshare_run)]
    by = use_by(result.schedule.trace, options.fairshare_by)
    uses = uses_of(result.schedule, shown.users, by)
    filling = filling_of(result, uses[0].user) if uses and by == "user" else None
    plots: list[Plot] = list(use_plots(result, uses))
    if filling is not None:
        plots.append(share_filling(result, filling))
    elif uses and by == "account":
        plots.append(within_plot(result, uses[0], users_within(result.schedule, uses[0].user)))
    legend = [Category(use.name, use.colour) for use in uses]
    return PlotPage(plots, legend, f"{by}s", f"Fairshare under {result.name}")


def use_plots(result: Result, uses: Sequence[UserUse]) -> tuple[TimeLines, TimeLines]:
    """Usage factors, and parts of all use."""
    schedule = result.schedule
    span = float(schedule.first_submit), float(schedule.last_end)
    axis = axis_of(schedule.trace)
    factors = [TimeFunction(use.name, use.colour, use.factor) for use in uses]
    parts = [TimeFunction(use.name, use.colour, use.part, marked=use.share) for use in uses]
    most = max((use.most for use in uses), default=1.0)
    return (
        time_lines(PlotWords("Usage factor, hours of the machine"), factors, most, span, axis),
        time_lines(PlotWords("Part of all use, % (dashed: the share)"), parts, 100.0, span, axis),
    )


def within_plot(result: Result, account: UserUse, users: Sequence[UserUse]) -> TimeLines:
    """Parts of an account's use that its users have."""
    schedule = result.schedule
    parts = [TimeFunction(user.name, user.colour, user.part, marked=user.share) for user in users]
    words = PlotWords(f"Users of account {account.name}: part of its use, % (dashed: the share)")
    span = float(schedule.first_submit), float(schedule.last_end)
    return time_lines(words, parts, 100.0, span, axis_of(schedule.trace))


@dataclass(frozen=True, eq=False, kw_only=True)
class ShareFilling(TimePlot):
    """The blocks of a user's share, a tint for each job; jobs that end late in red."""

    filling: UserFilling
    job_ids: Sequence[int | str]  # in the log, of `filling.jobs`

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The blocks, and the whole share."""
        capacity = self.filling.capacity
        rows = range(1, capacity) if capacity <= _MOST_ROWS else ()
        return [
            Computed(partial(_paint, self.filling, theme)),
            *(ReferenceLine(float(row), theme.grid, dashed=False) for row in rows),
            ReferenceLine(float(capacity), theme.faint),
            *self._numbers(theme),
        ]

    def _numbers(self, theme: Theme) -> Sequence[Layer]:
        """The number of each job in its largest block, if the user has few; none in narrow blocks."""
        blocks, (begin, end) = self.filling.blocks, self.x.full_range
        if len(self.job_ids) > _MOST_NUMBERED:
            return []
        size = (blocks.end - blocks.start) * blocks.amount
        wide = np.flatnonzero(blocks.end - blocks.start >= _NARROW * (end - begin))
        # The last of a job in ascending order of size is its largest.
        largest = {int(blocks.job[k]): int(k) for k in wide[np.argsort(size[wide], kind="stable")]}
        if not largest:
            return []
        at = np.array(sorted(largest.values()), np.int64)
        middle = (blocks.start[at] + blocks.end[at]) / 2, blocks.base[at] + blocks.amount[at] / 2
        names = [shown_name(self.job_ids[int(blocks.job[k])]) for k in at]
        width = float((blocks.end[at] - blocks.start[at]).min())
        colours = [
            text_on(mix(theme.bad if late else self.filling.colour, theme.chart, TINTS[job % len(TINTS)]))
            for job, late in ((int(job), self.filling.late[job]) for job in blocks.job[at])
        ]
        return [Labels(*middle, names, width, colours=colours, clear=False)]

    def pictured(self) -> Sequence[Mapping[str, float | str]]:
        """The blocks: when, from which to which processor of the share, and of which job."""
        blocks, filling = self.filling.blocks, self.filling
        columns = (blocks.start, blocks.end, blocks.base, blocks.base + blocks.amount, blocks.job)
        rows: list[Mapping[str, float | str]] = []
        for left, right, low, top, job in zip(*(values.tolist() for values in columns), strict=True):
            late = "late" if filling.late[job] else "in time"
            place = {"left": float(left), "right": float(right), "low": float(low), "top": float(top)}
            rows.append(
                {"is": "block", "series": filling.name, "group": late, **place, "job": float(job + 1)}
            )
        return rows


def share_filling(result: Result, filling: UserFilling) -> ShareFilling:
    """The filling of a user's share, second by second."""
    schedule = result.schedule
    name = f"Share of user {filling.name}: {plural(filling.capacity, 'processor')}"
    return ShareFilling(
        words=PlotWords(f"{name} (red: ends late)"),
        x=ClockScale(float(schedule.first_submit), float(schedule.last_end), axis_of(schedule.trace)),
        y=LinearScale(0.0, float(filling.capacity)),
        filling=filling,
        job_ids=np.asarray(schedule.trace.job_id)[filling.jobs].tolist(),
    )


def _paint(filling: UserFilling, theme: Theme, area: PlotArea) -> Raster:
    """The blocks that are seen: each at least a pixel wide."""
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    pixels = np.zeros((height, width, 4), np.uint8)
    blocks, ratio = filling.blocks, area.ratio
    # Only the blocks in view: a busy user has tens of thousands of them.
    seen = np.flatnonzero((blocks.end > area.x[0]) & (blocks.start < area.x[1]))
    # Left edges down and right edges up: a block of less than a pixel is still seen.
    left = np.floor((area.xs(blocks.start[seen].astype(np.float64)) - area.left) * ratio).astype(int).clip(0)
    right = np.ceil((area.xs(blocks.end[seen].astype(np.float64)) - area.left) * ratio).astype(int)
    top = np.round((area.ys((blocks.base + blocks.amount)[seen].astype(np.float64)) - area.top) * ratio)
    low = np.round((area.ys(blocks.base[seen].astype(np.float64)) - area.top) * ratio)
    tops, lows = top.astype(int).clip(0), low.astype(int)
    job = blocks.job[seen]
    # Blocks of a job have the same tint, and neighbours in time mostly different tints, so that jobs can be
    # told apart; blocks of late jobs are tinted in another colour.
    colours = np.array(
        [
            [(*rgb(mix(colour, theme.chart, tint)), 255) for tint in TINTS]
            for colour in (filling.colour, theme.bad)
        ],
        np.uint8,
    )
    chosen = colours[filling.late[job].astype(int), job % len(TINTS)]
    rows = zip(left.tolist(), right.tolist(), tops.tolist(), lows.tolist(), chosen, strict=True)
    for begin, end, high, deep, colour in rows:
        pixels[high : max(deep, high + 1), begin : max(end, begin + 1)] = colour
    return Raster(pixels, area.x, area.y)
