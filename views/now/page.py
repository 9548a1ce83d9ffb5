"""The page of the queue as it is: past, now and future on one chart, and the waiting jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTabWidget,
    QWidget,
)

from engine.filter.expression import Compare, join
from engine.logs.queue.state import QueuedJob
from engine.shown_text import shown_name
from views.data.marks import TimeMark
from views.data.now_look import FIELDS, NowLook, matches
from views.data.view_options import ViewOptions
from views.now.ask import AskPanel
from views.now.chart import QueueChart
from views.now.job_panel import JobPanel
from views.now.map_panel import MapPanel
from views.now.menu import queue_entries
from views.now.waiting import waiting_content
from views.now.words import queue_words
from views.state.clock import Clock
from views.state.context import ViewContext
from views.state.filter import Filter, FilterModel
from views.state.selection import SelectionModel
from views.state.spot import Spot
from views.state.view_state import ViewState
from views.tables.table import Table
from views.text.tooltips import tip
from views.theme.theme import Theme
from views.widgets.choosers import Choosers
from views.widgets.elided_label import ElidedLabel
from views.widgets.menu_entries import open_menu
from views.widgets.site_page import SitePage
from views.widgets.wrapped_row import WrappedRow

_LEAD = (
    "When do waiting jobs start, why do they wait, and what would help? Save the queue with "
    "`squeue --json > queue.json` (scontrol show job -o, squeue with a header, sacct -a -P with the jobs "
    "that wait and run, and qstat -f do as well), and open that file together with the site's slurm.conf; or "
    "let a command of your own print the queue. The site's own Slurm is then simulated from this moment on."
)
_ROWS = {"processors": "Rows: processors", "users": "Rows: users", "queues": "Rows: partitions"}
_COLOURS = {"user": "Colours: users", "queue": "Colours: partitions", "size": "Colours: sizes"}
_LOWEST = 150
"""Pixels of the chart and of the table at least: a page that has less scrolls."""

_HOUR = 3600.0
_TIME_WIDTH = 210  # pixels, for an ISO date


class NowPage(SitePage):
    """Shows a queue and its forecast; it has a clock, a selection and a filter of its own.

    `queue_wanted`, `site_wanted`: the reader wants to choose a file, `command_wanted` a command.
    `refresh_wanted`, `cancel_wanted`, `save_wanted`; `minutely` (on): every minute anew; `arrivals_wanted`
    (on): further jobs are to come in replays; `cluster_wanted` (name) is one of several, `time_wanted`
    (text) when a file was printed that does not say so.
    `looked` (rows, colours): what of the chart was chosen; `method_wanted` (on): answers are to be with
    their method.
    """

    queue_wanted, command_wanted, site_wanted = Signal(), Signal(), Signal()
    refresh_wanted, cancel_wanted, save_wanted = Signal(), Signal(), Signal()
    minutely, arrivals_wanted = Signal(bool), Signal(bool)
    cluster_wanted, time_wanted = Signal(str), Signal(str)
    looked = Signal(str, str)
    method_wanted = Signal(bool)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(_LEAD, parent)
        self._can_refresh = False
        # The queue has a clock, a selection and a filter of its own: its jobs are not those of the open
        # study, and selecting a job here must not mark another job there.
        self._own = ViewContext(
            Clock(self),
            SelectionModel(self),
            FilterModel(self),
            context.executor,
            context.idle_queue,
            view=ViewState(ViewOptions(), self),
        )
        self.look: NowLook | None = None
        self._make_head()
        self.chart = QueueChart(self._own, theme, self)
        self.table = Table("job", context.executor, theme, "No job waits.", self)
        self.table.setAccessibleName("Waiting jobs")
        self.ask = AskPanel(self)
        self.map = MapPanel(self._own, theme, self)
        self.job_panel = JobPanel(self)
        self._themed = (self.chart, self.table, self.map)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.show_progress(None)
        self.show_error("")
        self.cluster.hide()
        self.ask_time(False)
        self._show_state()

    # Set by the owner.

    def show_look(self, look: NowLook) -> None:
        """Show a queue, or the same queue later: what is chosen, selected and zoomed to stays."""
        before, self.look = self.look, look
        trace = look.laid.schedule.trace
        if before is None or before.laid.schedule.trace.zero != trace.zero:
            self._own.selection.reset()
            self.job_panel.show_job(None, None)
        self._own.view.restore(
            replace(self._own.view.options, marks=(TimeMark("now", start=look.laid.now, end=look.laid.now),))
        )
        self._offer_clusters(look)
        self.chart.show_look(look)
        self._frame_time(before, look)
        self._offer_fields(look)
        self.ask.offer(look)
        self._stack.setCurrentIndex(1)
        self._find_again(before)
        self._filter()
        self.show_error("")

    def ask_time(self, wanted: bool) -> None:
        """Ask when the file was printed, or no longer."""
        self.printed.setVisible(wanted)
        if wanted:
            self.printed.setFocus()
        else:
            self.printed.clear()

    def show_method(self, on: bool) -> None:
        """Show the method of answers, or the answers alone."""
        for part in (self.job_panel, self.ask):
            with QSignalBlocker(part):
                part.method.setChecked(on)

    def show_progress(self, share: float | None) -> None:
        """Show the progress of reading and replaying, 0 to 1; None if neither runs."""
        self.progress.setVisible(share is not None)
        self.progress.setValue(round(1000 * (share or 0.0)))
        self.cancel.setVisible(share is not None)
        if share is None:
            self.job_panel.end_help()
        self.refresh.setVisible(share is None and self._can_refresh)

    def show_files(self, queue: str, site: str) -> None:
        """Name the files that are shown, or to be shown."""
        self.queue.setToolTip(f"The queue as it is printed: {queue or 'none yet'}")
        self.site.setToolTip(f"slurm.conf, or a folder of the site's files: {site or 'none yet'}")
        self._can_refresh = bool(queue and site)
        self._show_state()

    def show_text(self, text: str) -> None:
        """Say what is shown: which file, of when, how many replays, and how predictions came true."""
        self.message.setText(text)
        self.message.setToolTip(tip(text))

    @property
    def chosen(self) -> dict[str, str]:
        """The user, account and partition that are looked into, as far as they are chosen."""
        choices = {field: self.fields[field].currentData() for field in FIELDS}
        return {field: name for field, name in choices.items() if name is not None}

    # Its parts.

    def _make_head(self) -> None:
        # Where the queue comes from, and of which machine.
        self.queue, self.site = QPushButton("&Queue…", self), QPushButton("Site…", self)
        self.command = QPushButton("Co&mmand…", self)
        self.command.setToolTip(
            "A command of your own that prints the queue, such as ssh login squeue --json"
        )
        self.cluster = QComboBox(self)
        self.cluster.setToolTip("The cluster whose queue is shown: the print has several")
        self.cluster.setAccessibleName("Cluster")
        self.printed = QLineEdit(self, placeholderText="Printed at, e.g. 2026-11-29 10:00")
        self.printed.setMinimumWidth(_TIME_WIDTH)
        self.printed.setAccessibleName("Printed at")
        self.printed.setToolTip(
            "When this file was printed, by the clock of this computer: it does not say so itself, and may "
            "be a copy of any age"
        )
        # How often it is read, and what replays assume.
        self.refresh = QPushButton("&Refresh", self)
        self.refresh.setToolTip("Read the queue again (Ctrl+R)")
        self.refresh.setShortcut(QKeySequence("Ctrl+R"))
        self.minute = QCheckBox("E&very minute", self)
        self.minute.setToolTip("Read the queue again every minute, as long as this page is shown")
        self.arrivals = QCheckBox("Fu&ture arrivals", self)
        self.arrivals.setToolTip(
            "Let further jobs come in replays as in the last weeks of the open log of the site, at the same "
            "hours; otherwise none comes"
        )
        self.save = QPushButton("Save page for users…", self)
        self.save.setToolTip("One HTML file: the waiting jobs with planned starts, sortable, with a search")
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setToolTip("Stop; what is shown stays")
        self.fields = {field: QComboBox(self) for field in FIELDS}
        for field, box in self.fields.items():
            box.setToolTip(
                f"Show one {field}: its jobs are highlighted in the chart, and the table lists only them"
            )
            box.setAccessibleName(field.capitalize())
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.all = QPushButton("All jobs", self)
        self.all.setToolTip("Show all users, accounts and partitions again")
        self.count = ElidedLabel("", self)
        self.looks = Choosers(
            {"rows": "What the rows of the chart are", "colours": "What the colours mean"}, self
        )
        self.looks.set_entries("rows", _ROWS)
        self.looks.set_entries("colours", _COLOURS)

    def _lay_out(self) -> None:
        head, second = WrappedRow(self), WrappedRow(self)
        head.add(self.queue, self.command, self.site, self.cluster, self.printed)
        head.add(self.refresh, self.cancel, self.minute, self.arrivals)
        head.add(self.message, stretched=True)
        head.add(self.save)
        second.add(*self.fields.values(), self.all)
        second.add(self.count, stretched=True)
        second.add(self.looks)
        for row in (head, second):
            row.setContentsMargins(8, 4, 8, 0)
        self._second = second
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.job_panel, "Selected job")
        self.tabs.addTab(self.ask, "If I submitted a job now")
        self.tabs.addTab(self.map, "Map of starts")
        # Halves share the height as the user likes, but neither can be dragged away: nothing would tell how
        # to get it back.
        across = QSplitter(Qt.Orientation.Horizontal, self)
        down = QSplitter(Qt.Orientation.Vertical, self)
        self.chart.setMinimumHeight(_LOWEST)
        self.table.setMinimumHeight(_LOWEST)
        halves: tuple[tuple[QSplitter, tuple[QWidget, QWidget], list[int]], ...] = (
            (across, (self.table, self.tabs), [600, 500]),
            (down, (self.chart, across), [330, 400]),
        )
        for splitter, parts, sizes in halves:
            for half in parts:
                splitter.addWidget(half)
            splitter.setChildrenCollapsible(False)
            splitter.setSizes(sizes)
        self.open = QPushButton("Open the queue as it is now…", self._start)
        self.open.clicked.connect(self.queue_wanted)
        self._stack = self._stack_up(head, down, open_=self.open, rows=(self._second,))

    def _connect(self) -> None:
        for button, wanted in (
            (self.queue, self.queue_wanted),
            (self.command, self.command_wanted),
            (self.site, self.site_wanted),
            (self.refresh, self.refresh_wanted),
            (self.cancel, self.cancel_wanted),
            (self.save, self.save_wanted),
        ):
            button.clicked.connect(wanted)
        self.cluster.activated.connect(lambda _: self.cluster_wanted.emit(self.cluster.currentData()))
        self.printed.returnPressed.connect(lambda: self.time_wanted.emit(self.printed.text().strip()))
        self.minute.toggled.connect(self.minutely)
        self.arrivals.toggled.connect(self.arrivals_wanted)
        # `activated` is sent for a user's choice alone, so filling the lists anew has no effect.
        for box in self.fields.values():
            box.activated.connect(lambda _: self._look_into())
        self.all.clicked.connect(self.look_at_all)
        self.looks.chosen.connect(self._choose_look)
        self.table.picked.connect(self._take_rows)
        self._own.selection.changed.connect(self._follow_selection)
        self.chart.context_requested.connect(self._offer_at_spot)
        self.table.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.view.customContextMenuRequested.connect(self._offer_at_row)
        for part in (self.job_panel, self.ask):
            part.method_wanted.connect(self.show_method)
            part.method_wanted.connect(self.method_wanted)
        self.ask.map_wanted.connect(lambda _: self.tabs.setCurrentWidget(self.map))
        self.map.map_wanted.connect(lambda: self.ask.map_wanted.emit(self.ask.asked))
        self.map.cell_picked.connect(self._ask_cell)
        view = self._own.view
        view.follow(self, "rows", lambda: self.chart.set_rows(view.options.rows))
        view.follow(self, "colours", lambda: self.chart.set_colours(view.options.colours))

    # What is shown.

    def choose_look(self, rows: str, colours: str) -> None:
        """Show these rows and colours of the chart, as the reader had them last."""
        known: dict[str, Any] = {"rows": rows if rows in _ROWS else "processors"}
        known["colours"] = colours if colours in _COLOURS else "user"
        self._own.view.restore(replace(self._own.view.options, **known))
        for name, value in known.items():
            self.looks.show_choice(name, value)

    def _choose_look(self, name: str, value: str) -> None:
        self._own.view.choose(**{name: value})
        self.looked.emit(self._own.view.options.rows, self._own.view.options.colours)

    def _frame_time(self, before: NowLook | None, look: NowLook) -> None:
        """Bounds from the first start to the last planned end; what is seen moves on with now."""
        schedule, now, clock = look.laid.schedule, float(look.laid.now), self._own.clock
        ran = schedule.ran
        first = float(schedule.start[ran].min(initial=look.laid.now))
        planned = [prediction.planned for prediction in look.found.waiting if prediction.planned is not None]
        last = max(float(schedule.end[ran].max(initial=look.laid.now)), now + _HOUR)
        if before is None or before.laid.schedule.trace.zero != schedule.trace.zero:
            clock.reset(min(first, now - _HOUR), last)
            ahead = max(1.2 * max(planned, default=4 * _HOUR), _HOUR / 2)
            clock.set_window(max(now - ahead / 4, clock.bounds[0]), min(now + ahead, last))
        else:
            later, (start, end) = now - before.laid.now, clock.window
            clock.set_bounds(min(first, now - _HOUR), last)
            if later:
                clock.set_window(start + later, end + later)

    def _offer_clusters(self, look: NowLook) -> None:
        """Offer the clusters of a print that has several."""
        with QSignalBlocker(self.cluster):
            self.cluster.clear()
            for name in look.clusters:
                self.cluster.addItem(shown_name(name), name)
            self.cluster.setCurrentIndex(self.cluster.findData(look.state.cluster))
        self.cluster.setVisible(len(look.clusters) > 1)

    def _offer_fields(self, look: NowLook) -> None:
        for field, box in self.fields.items():
            chosen = box.currentData()
            with QSignalBlocker(box):
                box.clear()
                box.addItem(f"All {field}s", None)
                for name in look.names(field):
                    box.addItem(name, name)
                box.setCurrentIndex(max(box.findData(chosen), 0) if chosen is not None else 0)

    def look_into(self, field: str, name: str) -> None:
        """Look into the jobs of a user, account or partition."""
        self.fields[field].setCurrentIndex(self.fields[field].findData(name))
        self._look_into()

    def data(self) -> list[tuple[str, list[Any]]]:
        """The jobs of the chart: columns of equal length, times in s; none before a queue was read."""
        from engine.quantities.job_table import schedule_table

        if self.look is None:
            return [("job_id", [])]
        wanted = ("job_id", "user", "submit", "start", "end", "procs")
        table = schedule_table(self.look.laid.schedule)
        return [(name, list(values)) for name, values in table if name in wanted]

    def fit(self) -> None:
        """Show all the time that there is."""
        self._own.clock.fit()

    def look_at_all(self) -> None:
        """Look at all users, accounts and partitions."""
        for box in self.fields.values():
            box.setCurrentIndex(0)
        self._look_into()

    def _look_into(self) -> None:
        """Show the jobs that were chosen; one that is selected and not among them is so no longer."""
        if self.job_panel.job is not None and not matches(self.job_panel.job, self.chosen):
            self._own.selection.clear()
        self._filter()

    def _filter(self) -> None:
        """Show the jobs of the chosen user, account and partition."""
        look, chosen = self.look, self.chosen
        self._show_state()
        if look is None:
            return
        words = {"account": "group", "partition": "queue"}
        parts = [Compare(words.get(field, field), "=", (name,)) for field, name in chosen.items()]
        self._own.filter.set(Filter(join("and", *parts) if parts else None))
        waiting = bool(look.found.waiting)
        self.table.set_content((lambda: waiting_content(look, chosen)) if waiting else None)
        counts = queue_words(look, chosen)
        self.count.setText(counts)
        self.count.setToolTip(tip(counts))

    def _show_state(self) -> None:
        there = self.look is not None
        for part in (self._second, self.save, self.minute, self.arrivals):
            part.setVisible(there)
        self.all.setEnabled(bool(self.chosen))
        self.refresh.setVisible(self._can_refresh and self.cancel.isHidden())

    def _ask_cell(self, job: QueuedJob, limit: int) -> None:
        self.tabs.setCurrentWidget(self.ask)
        self.ask.take(job, limit)

    # The selected job.

    def _offer_at_spot(self, point: QPoint, spot: Spot) -> None:
        """A menu for what lies under the mouse in the chart."""
        if self.look is not None and spot.job is not None:
            self._own.selection.select_job(self.look.laid.schedule.trace, spot.job)
        self._offer(point)

    def _offer_at_row(self, position: QPoint) -> None:
        """A menu for a row of the table, which a right click selects."""
        self._offer(self.table.view.viewport().mapToGlobal(position))

    def _offer(self, point: QPoint) -> None:
        open_menu("Queue", queue_entries(self.job_panel.job, self), point, self)

    def _take_rows(self, items: np.ndarray) -> None:
        if self.look is not None:
            entries = frozenset(self.look.entries[items].tolist())
            self._own.selection.select_jobs(self.look.laid.schedule.trace, entries)

    def _follow_selection(self) -> None:
        """Tell of the one job that is selected, in the chart or in the table."""
        look, jobs = self.look, self._own.selection.value.jobs
        if look is None:
            return
        self.table.show_items(np.flatnonzero(np.isin(look.entries, list(jobs))).astype(np.int64))
        job = look.laid.jobs[next(iter(jobs))] if len(jobs) == 1 else None
        self.job_panel.show_job(look, job)

    def _find_again(self, before: NowLook | None) -> None:
        """The selected job of the queue before, where it is still there."""
        look, job = self.look, self.job_panel.job
        if before is None or look is None or before is look:
            return
        same = [
            k
            for k, queued_job in enumerate(look.laid.jobs)
            if job is not None and queued_job.job_id == job.job_id
        ]
        self.job_panel.show_job(None, None)
        self._own.selection.reset()
        if same:
            self._own.selection.select_jobs(look.laid.schedule.trace, frozenset(same[:1]))

    def want_help(self) -> None:
        """Ask what would help the described job."""
        self.tabs.setCurrentWidget(self.job_panel)
        self.job_panel.want_help()
