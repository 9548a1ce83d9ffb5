"""The page of a site's twin: how near the simulation comes to what the log recorded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.claims.words import plain, render
from engine.metrics.twin_words import unlike_claims
from views.data.twin_look import TWIN_BY, TwinLook
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.tables.table import Table
from views.text.counts import plural
from views.text.tooltips import tip
from views.theme.theme import Theme
from views.twin.estimates import Estimates
from views.twin.plots import TITLE, twin_plot
from views.twin.tables import differing_content, groups_content
from views.widgets.choosers import Choosers
from views.widgets.simulated_page import SimulatedPage
from views.widgets.wrapped_row import WrappedRow

_LEAD = (
    "How closely does the simulation match the real site? Open the site's log (sacct), then choose its "
    "slurm.conf, or a slurm.conf in a folder that also contains the output of sacctmgr dump, sshare or "
    "sacctmgr show qos. Batchscope simulates the site's own Slurm with the jobs of the log, and compares "
    "each wait with the recorded one."
)
_SIMULATED = "the site is simulated with the ticked estimates"


class TwinPage(SimulatedPage):
    """Shows a twin. `site_wanted`: the reader wants to choose its files; `start_wanted`, `cancel_wanted`.

    `run_wanted`: the schedule is to be a run in the charts too. `fit_wanted`: the log is to say what files
    of the site do not, and `accepted` carries which of its estimates are ticked. `grouped` carries by what
    waits are told.
    """

    site_wanted, run_wanted = Signal(), Signal()
    fit_wanted = Signal()
    accepted = Signal(list)
    grouped = Signal(str)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(_LEAD, "Simulate", parent)
        self._selection = context.selection
        self.look: TwinLook | None = None
        # Which grouping is chosen, and which is shown: the second follows when its table is ready.
        self._by = self._shown_by = "queue"
        self._named = False
        self.site = QPushButton("&Site…", self)
        self.show_run = QPushButton("Show as a &run", self)
        self.fit = QPushButton("&Fit", self)
        self.fit.setToolTip(
            "Estimate launch delay, completion delay and nodes that were away from the log's first half, and "
            "simulate the site with the estimates that the log supports"
        )
        self.estimates = Estimates(self)
        self.verdict = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.verdict.setAccessibleName("Verdict")
        font = self.verdict.font()
        font.setBold(True)
        self.verdict.setFont(font)
        self.facts = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        for label in (self.verdict, self.facts):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.choosers = Choosers({"by": "Group waits by"}, self)
        self._offer(TWIN_BY)
        self.groups = Table("group", context.executor, theme, "", self)
        self.jobs = Table("job", context.executor, theme, "No job differs.", self)
        self.plot = PlotWidget(context, theme, TITLE, self, picks=True)
        self._themed = (self.groups, self.jobs, self.plot)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.clear()

    # Set by the owner.

    def show_results(self, look: TwinLook) -> None:
        """Show a twin."""
        self.look = look
        twin = look.twin
        verdict = twin.verdict
        if look.fit is not None:  # which is judged by what it did not see
            verdict = look.fit_verdict or _SIMULATED
            self.estimates.show_fit(look.fit)
        self.verdict.setText(f"{verdict[0].upper()}{verdict[1:]}.")
        self.estimates.setVisible(look.fit is not None)
        self.facts.setText(look.answer.nearness)
        unlike = [plain(render(claim)) for claim in unlike_claims(look.schedule, twin)]
        left, doubt = [*unlike, *look.answer.left_out], look.answer.doubt
        parts = [look.site, *([doubt] if doubt else [])]
        parts += [f"{plural(len(left), 'thing')} not modelled"] if left else []
        self.message.setText("; ".join(parts))
        self.message.setToolTip(tip("\n".join(["Not modelled:", *left[:30]])) if left else "")
        self._offer(look.groupings)
        self._show_groups()
        self.jobs.set_content(partial(differing_content, look) if twin.differing else None)
        self.plot.set_plot(partial(twin_plot, look))
        self._show_selection()
        self._show_answer()

    def name_site(self, site: str) -> None:
        """Name the files that the next simulation reads."""
        self._named = bool(site)
        self.site.setToolTip(f"slurm.conf, or one in a folder of the site's files: {site or 'none yet'}")
        self._update_text()

    def set_by(self, by: str) -> None:
        """Tell waits by queue, account, size class or week."""
        self._by = by if by in TWIN_BY else "queue"
        self._offer(TWIN_BY if self.look is None else self.look.groupings)
        self._show_groups()

    # Its parts.

    def _lay_out(self) -> None:
        head = WrappedRow(self)
        head.setContentsMargins(8, 4, 8, 0)
        head.add(self.site, self.go, self.fit, self.show_run)
        head.add(self.message, stretched=True)
        # Groups over the jobs that differ, and beside both the plot of all jobs.
        by_group = QWidget(self)
        rows = QVBoxLayout(by_group)
        rows.setContentsMargins(4, 0, 0, 0)
        rows.setSpacing(2)
        rows.addWidget(self.choosers)
        rows.addWidget(self.groups, 1)
        differing = QWidget(self)
        heading = QLabel("The jobs that differ most, and who is in front of them instead", differing)
        heading.setContentsMargins(6, 2, 6, 0)
        below = QVBoxLayout(differing)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        below.addWidget(heading)
        below.addWidget(self.jobs, 1)
        across = QSplitter(Qt.Orientation.Horizontal, self)
        down = QSplitter(Qt.Orientation.Vertical, self)
        halves: tuple[tuple[QSplitter, tuple[QWidget, QWidget], list[int]], ...] = (
            (down, (by_group, differing), [280, 380]),
            (across, (down, self.plot), [700, 460]),
        )
        for splitter, parts, sizes in halves:
            for half in parts:
                splitter.addWidget(half)
            splitter.setChildrenCollapsible(False)
            splitter.setSizes(sizes)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for label in (self.verdict, self.facts):
            label.setContentsMargins(8, 2, 8, 0)
            column.addWidget(label)
        column.addWidget(self.estimates)
        column.addWidget(across, 1)
        self._stack = self._stack_up(head, shown)

    def _connect(self) -> None:
        self.site.clicked.connect(self.site_wanted)
        self.show_run.clicked.connect(self.run_wanted)
        self.fit.clicked.connect(self.fit_wanted)
        self.estimates.accepted.connect(self.accepted)
        self.choosers.chosen.connect(self._choose)
        self.jobs.picked.connect(self._pick_rows)
        self.plot.picked.connect(self._pick_jobs)
        self._selection.changed.connect(self._show_selection)

    def _forget(self) -> None:
        self.look = None
        self.plot.set_plot(None)

    def _update_text(self) -> None:
        """Update which actions are possible."""
        self.go.setVisible(self._running or self._named)
        self.go.setText("Cancel" if self._running else "Simulate again" if self.look else "Simulate")
        self._show_running("Simulate the site's own Slurm on all jobs of the open log")
        self.show_run.setVisible(self.look is not None and not self._running)
        self.fit.setVisible(self.look is not None and not self._running)
        fit = self.look.fit if self.look is not None else None
        self.fit.setEnabled(self.look is not None and fit is None)
        fitted = fit is not None and any(estimate.accepted for estimate in fit.estimates)
        self.show_run.setText("Add the fitted site as a &run" if fitted else "Show as a &run")
        self.show_run.setToolTip(
            "Add the site with the ticked estimates to the runs, to try what-ifs on it in all charts"
            if fitted
            else "Add the site's simulated schedule, without a fit, to the runs, to see it in all charts"
        )

    def _choose(self, _: str, by: str) -> None:
        self.set_by(by)
        self.grouped.emit(by)

    def _offer(self, groupings: Mapping[str, str]) -> None:
        """Offer these groupings of waits; where the chosen is not among them, the first is shown."""
        self.choosers.set_entries("by", {by: f"By {title.lower()}" for by, title in groupings.items()})
        self._shown_by = self._by if self._by in groupings else next(iter(groupings))
        self.choosers.show_choice("by", self._shown_by)

    def _show_groups(self) -> None:
        look = self.look
        self.groups.set_content(None if look is None else partial(groups_content, look, self._shown_by))

    # The selection, which all charts share.

    def _pick_rows(self, items: NDArray[np.int64]) -> None:
        if self.look is not None:
            self._pick_jobs([self.look.twin.differing[item].job for item in items.tolist()], False)

    def _pick_jobs(self, jobs: list[int], more: bool) -> None:
        if self.look is not None:
            known = self._selection.value.jobs if more else frozenset[int]()
            self._selection.select_jobs(self.look.schedule.trace, known | frozenset(jobs))

    def _show_selection(self) -> None:
        look = self.look
        if look is None:
            return
        jobs = self._selection.value.known_jobs(len(look.schedule.trace))
        differing = np.array([job.job for job in look.twin.differing], np.int64)
        self.jobs.show_items(np.flatnonzero(np.isin(differing, jobs)).astype(np.int64))
        self.plot.mark(jobs.tolist())
