"""What is selected, told in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QTextBrowser, QVBoxLayout, QWidget

from engine.trace import Trace
from views.inspector.hints import hints_page
from views.inspector.html import Html, join, style_sheet
from views.inspector.job import job_page
from views.inspector.jobs import group_page, user_page
from views.inspector.lanes import lanes_of
from views.inspector.span import span_page
from views.inspector.subject import Subject
from views.inspector.waits import WaitChart
from views.results import Result
from views.selection import Selection, SelectionModel
from views.style import LIGHT, Theme
from views.ticks import TimeAxis, axis_of

_CHART_SHARE = 0.45
"""Most of the height that the chart of waits takes; what is more is scrolled."""


class Inspector(QWidget):
    """A page about the selected job, user, queue or time range; its text can be selected and copied.

    Below the page of a job its waits under all runs are drawn. Links to jobs, users and
    queues select them. `time_clicked` carries a time, in seconds, that the person wants to see.
    """

    time_clicked = Signal(float)

    def __init__(
        self, selection: SelectionModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._selection = selection
        self._subject: Subject | None = None
        self._stale = True
        self._theme = theme
        self.browser = QTextBrowser(self)
        self.browser.setOpenLinks(False)
        self.browser.document().setIndentWidth(14)
        self.browser.anchorClicked.connect(self._follow)
        self.waits = WaitChart(theme)
        self.waits.time_clicked.connect(self.time_clicked)
        self._below = QScrollArea(self, widgetResizable=True)
        self._below.setFrameShape(QFrame.Shape.NoFrame)
        self._below.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._below.setWidget(self.waits)
        self._below.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.browser, 1)
        layout.addWidget(self._below)
        selection.changed.connect(self._refresh)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.waits.set_theme(theme)
        self._refresh()

    def set_results(
        self, trace: Trace | None, results: Sequence[Result], axis: TimeAxis | None = None
    ) -> None:
        """Tell of this trace and these finished runs; `axis` says how times are told."""
        self._subject = None if trace is None else Subject(trace, tuple(results), axis or axis_of(trace))
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Write the page that was put off while nobody saw it."""
        super().showEvent(event)
        if self._stale:
            self._refresh()

    def _refresh(self) -> None:
        self._stale = not self.isVisible()
        if not self._stale:
            self.browser.document().setDefaultStyleSheet(style_sheet(self._theme))
            self.browser.setHtml(f"<body>{self._page()}</body>")
            self._draw_waits()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The chart of waits may take another height."""
        super().resizeEvent(event)
        self._fit_waits()

    def _draw_waits(self) -> None:
        """Of one selected job."""
        subject = self._subject
        jobs = subject.known(self._selection.value).jobs if subject is not None else frozenset()
        lanes = lanes_of(subject.results, *jobs) if subject is not None and len(jobs) == 1 else ()
        self._below.setVisible(bool(lanes))
        if subject is not None and lanes:
            self.waits.show_lanes(lanes, subject.axis)
            self._fit_waits()

    def _fit_waits(self) -> None:
        self._below.setFixedHeight(min(self.waits.sizeHint().height(), int(self.height() * _CHART_SHARE)))

    def _page(self) -> Html:
        subject = self._subject
        value = subject.known(self._selection.value) if subject is not None else Selection()
        picked = value.mask(subject.trace) if subject is not None else None
        if subject is None or picked is None:
            return hints_page(subject is not None)
        parts = []
        if len(value.jobs) == 1:
            parts.append(job_page(subject, *value.jobs))
        elif not value.jobs and len(value.users) == 1 and not value.queues:
            (user,) = value.users
            parts.append(user_page(subject, user, picked))
        elif value.jobs or value.users or value.queues:
            parts.append(group_page(subject, value, picked))
        if value.span is not None:
            parts.append(span_page(subject, *value.span))
        return join(parts)

    def _follow(self, url: QUrl) -> None:
        """Do what a link says; the page may change under it."""
        kind, _, rest = url.toString().partition(":")
        if kind == "job" and self._subject is not None:
            self._selection.select_job(self._subject.trace, int(rest))
        elif kind == "user":
            self._selection.select_user(int(rest))
        elif kind == "queue":
            self._selection.select_queue(int(rest))
        elif kind == "time":
            self.time_clicked.emit(float(rest))
