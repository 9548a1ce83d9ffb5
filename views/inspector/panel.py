"""The inspector: the details of the selection in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QUrl, Signal
from PySide6.QtGui import (
    QCursor,
    QFontMetrics,
    QResizeEvent,
    QShowEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QPushButton,
    QScrollArea,
    QStyle,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from engine.trace import Trace
from views.data.results import Result
from views.inspector.html import TERM, style_sheet
from views.inspector.lanes import JobLane
from views.inspector.outcome_chart import OutcomeChart
from views.inspector.outcomes import RunOutcome
from views.inspector.page import TIME_ANCHOR, InspectorPage, make_page
from views.inspector.subject import InspectorSubject
from views.inspector.waits import WaitChart
from views.state.context import ViewContext
from views.text.ticks import TimeAxis, axis_of
from views.theme.theme import Theme
from views.widgets.explanation import explain
from views.work.async_memo import AsyncMemo

_BETWEEN = "\t"
_UNSEEN = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u200b": None, "\ufffc": None, "\u2028": "\n"})
"""Signs that only keep words together or part them; other programs show some as boxes."""


class PageBrowser(QTextBrowser):
    """A text browser for a page; copying puts the cells of a table row into a single line."""

    def createMimeDataFromSelection(self) -> QMimeData:
        mime = super().createMimeDataFromSelection()  # made by Qt, so that the clipboard may outlive Python
        mime.text()  # Qt writes its own text when it is first asked for, and never again
        mime.setText(selected_text(self.textCursor()))
        return mime

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; with Control Qt would change the size of this text alone, which the settings say."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)


def selected_text(cursor: QTextCursor) -> str:
    """The selected text of a cursor: cells of a row separated by tabs, empty lines only between parts."""
    first, last = cursor.selectionStart(), cursor.selectionEnd()
    lines: list[str] = []
    row_before: tuple[int, int] | None = None
    block = cursor.document().findBlock(first)
    while block.isValid() and (block.position() < last or block.contains(first)):
        words, row = _within(block, first, last), _row(block)
        if row is not None and row == row_before:
            lines[-1] += _BETWEEN + words
        elif words or row is not None or (lines and lines[-1]):
            lines.append(words)
        row_before = row
        block = block.next()
    return "\n".join(line.rstrip() for line in lines).rstrip("\n")


def _within(block: QTextBlock, first: int, last: int) -> str:
    part = QTextCursor(block)
    part.setPosition(max(first, block.position()))
    part.setPosition(min(last, block.position() + block.length() - 1), QTextCursor.MoveMode.KeepAnchor)
    return part.selectedText().translate(_UNSEEN)


def _row(block: QTextBlock) -> tuple[int, int] | None:
    """The row and table of a paragraph; None outside of tables."""
    cursor = QTextCursor(block)
    table = cursor.currentTable()
    return None if table is None else (table.firstPosition(), table.cellAt(cursor).row())


Table = list[tuple[str, list[Any]]]
"""Titles and values of columns of equal length."""

_QUANTILES = ("minimum", "q1", "median", "q3", "maximum")


def wait_table(lanes: Sequence[JobLane]) -> Table:
    """A row for each interval of a job's wait under each run, and one for its run; times in s."""
    rows: list[tuple[Any, ...]] = []
    for lane in lanes:
        explanation = lane.explanation
        rows += [
            (lane.name, interval.begin, interval.end, interval.text) for interval in explanation.intervals
        ]
        if not explanation.intervals and explanation.start > explanation.submit:
            rows.append((lane.name, explanation.submit, explanation.start, explanation.note))
        rows.append((lane.name, explanation.start, lane.end, "runs"))
    return _columns(("run", "from, s", "until, s", "reason"), rows)


def box_table(outcomes: Sequence[RunOutcome]) -> Table:
    """A row for each run: quartiles of the waits of its jobs, s."""
    rows = [
        (outcome.name, *(float(getattr(outcome.waits, name)) for name in _QUANTILES))
        for outcome in outcomes
        if outcome.waits is not None
    ]
    titles = ("shortest wait, s", "lower quartile, s", "median, s", "upper quartile, s", "longest wait, s")
    return _columns(("run", *titles), rows)


def late_table(outcomes: Sequence[RunOutcome]) -> Table:
    """A row for each change of the number of jobs that are past their expected end, of each run."""
    rows = [
        (outcome.name, time, value)
        for outcome in outcomes
        if outcome.late is not None
        for time, value in zip(outcome.late.time.tolist(), outcome.late.value.tolist(), strict=True)
    ]
    return _columns(("run", "time, s", "jobs past their expected end"), rows)


def _columns(titles: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Table:
    return [(title, [row[k] for row in rows]) for k, title in enumerate(titles)]


def underline_terms(document: QTextDocument) -> None:
    """Underline with dots whatever links to a term."""
    dotted = QTextCharFormat()
    dotted.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    spans = []
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            if piece.charFormat().anchorHref().startswith(TERM):
                spans.append((piece.position(), piece.length()))
            pieces += 1
        block = block.next()
    for start, length in spans:
        cursor = QTextCursor(document)
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(dotted)


_LEAST = 40
"""Letters of a width in which the words of tables stay whole; the dock alone would give all to charts."""

_MOST = 0.55
"""Share of the window's width that it takes at least, at most: the rest is for the charts."""

_FOLLOWED = ("measured", "looked_at")
"""View options that pages depend on, fields of `InspectorSubject`."""

_DIFFERENCE = "difference"
"""The view beside which pages tell what moved between its two runs."""

_BELOW = QPoint(0, 12)
"""From the pointer to an explanation, in pixels."""

_CHART_SHARE = 0.45
"""Most of the height that the chart below takes; what is more is scrolled."""

_BETWEEN_COLUMNS = 12
"""Pixels between the page and the chart beside it."""

_LEAST_LINES = 2
"""Lines of the page that are seen in the lowest panel, which shows nothing else."""

_LINES = 3
"""Lines of the page beside which the button and the chart are shown."""


class Inspector(QWidget):
    """A page about the selected job, user, queue or time; its text can be selected and copied.

    A chart below the page of a job shows its waits under all runs; below the page of several jobs, their
    outcomes. In a low and wide panel, as below the charts, it is beside the page. Pages are made in a worker
    thread. Links to jobs, users, queues and nodes select them.
    `time_clicked` carries a time, in seconds, to show in the charts.
    """

    time_clicked = Signal(float)
    answer_wanted = Signal(int)  # for the user of this job

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection, self._filter, self._view = context.selection, context.filter, context.view
        self._subject: InspectorSubject | None = None
        self._shown_time: object = None
        self._written: tuple[str, str] | None = None  # page and theme
        self._stale = True
        self._theme = theme
        self._memo: AsyncMemo[InspectorPage] = AsyncMemo(context.executor, "The inspector", self)
        self._memo.ready.connect(self._show_page)
        self.browser = PageBrowser(self)
        self.browser.setOpenLinks(False)
        self.browser.setWordWrapMode(QTextOption.WrapMode.WordWrap)  # no word is broken
        self.browser.document().setIndentWidth(14)
        self.browser.anchorClicked.connect(self._follow)
        self.answer = QPushButton("Answer for the user…", self)
        self.answer.setToolTip("Why the job waited and what would have helped, as a text for an email")
        self.answer.clicked.connect(self._want_answer)
        self.answer.hide()
        self.waits = WaitChart(context, theme)
        self.waits.time_clicked.connect(self.time_clicked)
        self.outcomes = OutcomeChart(context, theme)
        self.outcomes.time_clicked.connect(self.time_clicked)
        self._below = [_scrolled(self.waits, self), _scrolled(self.outcomes, self)]
        self._wanted = dict.fromkeys((self.answer, *self._below), False)
        text = QVBoxLayout()
        text.addWidget(self.browser, 1)
        text.addWidget(self.answer)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._parts.setContentsMargins(0, 0, 0, 0)
        self._parts.addLayout(text, 1)
        for area in self._below:
            self._parts.addWidget(area)
        for layout in (text, self._parts):
            layout.setSpacing(0)
        self._bound()
        self._selection.changed.connect(self._refresh)
        self._filter.changed.connect(self._refresh)
        self._view.follow(self, " ".join((*_FOLLOWED, "view", "compared")), self._refresh)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._theme = theme
        self.waits.set_theme(theme)
        self.outcomes.set_theme(theme)
        self._show_page()

    def set_results(
        self, trace: Trace | None, results: Sequence[Result], axis: TimeAxis | None = None
    ) -> None:
        """Set the trace and its finished runs; `axis` formats times."""
        if self._subject is not None and self._subject.trace is not trace:
            self._leave_page()
        self._subject = (
            None if trace is None else InspectorSubject(trace, tuple(results), axis or axis_of(trace))
        )
        self._refresh()

    def _leave_page(self) -> None:
        """Show nothing until the next page is there: links of the page would mean jobs of another trace."""
        self._memo.forget()
        self._written = None
        self.browser.clear()
        self._wanted = dict.fromkeys(self._wanted, False)
        self._fit_below()

    def data_of(self, chart: QWidget | None) -> Table | None:
        """What a chart of this panel is drawn from; None where it is none of them."""
        page = self._memo.value
        if page is None:
            return None
        if chart is self.waits.plot:
            return wait_table(page.lanes)
        if chart is self.outcomes.violations:
            return late_table(page.outcomes)
        return box_table(page.outcomes) if chart is self.outcomes.waits else None

    def showEvent(self, event: QShowEvent) -> None:
        """Write the page, if that was postponed while it was hidden."""
        super().showEvent(event)
        self._bound()
        if self._stale:
            self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_below()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._bound()

    def _bound(self) -> None:
        least = _LEAST * QFontMetrics(self.font()).averageCharWidth() + self._bar_width()
        # Before it is shown the panel is in no window of which it could take a share.
        room = round(_MOST * self.window().width()) if self.isVisible() else least
        self.setMinimumWidth(min(least, room))
        # Else the layout asks for the button and the charts of the present height, and the panel, laid over
        # low charts, would reach over what is below these.
        self.browser.setMinimumHeight(_LEAST_LINES * self.fontMetrics().lineSpacing())
        self.setMinimumHeight(self.browser.minimumHeight())

    def _bar_width(self) -> int:
        """Pixels of a scroll bar."""
        return self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)

    def _refresh(self) -> None:
        self._stale = not self.isVisible()
        if not self._stale:
            # All that the page depends on is in the key: a thread writes it only if some of that has changed.
            filtered, value = self._filter.value.expression is not None, self._selection.value
            now = {name: getattr(self._view.options, name) for name in _FOLLOWED}
            compared = self._compared
            subject = self._subject and replace(self._subject, filtered=filtered, compared=compared, **now)
            key = self._subject, filtered, tuple(now.values()), compared, value
            self._memo.request(key, lambda: make_page(subject, value))

    @property
    def _compared(self) -> tuple[int, int] | None:
        """The ids of the runs whose difference is looked at, chosen or the last two; None: none is."""
        options, results = self._view.options, self._subject.results if self._subject is not None else ()
        if options.view != _DIFFERENCE or len(results) < 2:
            return None
        return options.compared or (results[-2].run_id, results[-1].run_id)

    def _show_page(self) -> None:
        """The page that was written last; it begins where the picked time is, if only that is new."""
        page, subject = self._memo.value, self._subject
        if page is None:
            return
        # The text is laid out only if it is another text; what stands below it may differ all the same.
        written = (page.html, self._theme.name)
        if written != self._written:  # laying a page out takes long, and most changes are elsewhere
            self._written = written
            self.browser.document().setDefaultStyleSheet(style_sheet(self._theme))
            self.browser.setHtml(f"<body>{page.html}</body>")
            underline_terms(self.browser.document())
        time = (self._selection.value.time_range, self._selection.value.instant)
        # Only a time that is new scrolls: a reader who has scrolled on stays where they are.
        if time != self._shown_time:
            self._shown_time = time
            self.browser.scrollToAnchor(TIME_ANCHOR)
        there = subject is not None and bool(subject.results)
        wanted = there and len(self._selection.value.jobs) == 1, bool(page.lanes), bool(page.outcomes)
        self._wanted = dict(zip(self._wanted, wanted, strict=True))
        if subject is not None and page.lanes:
            self.waits.show_lanes(page.lanes, subject.axis)
        elif subject is not None and page.outcomes:
            self.outcomes.show_outcomes(page.outcomes, subject.axis)
        self._fit_below()

    def _fit_below(self) -> None:
        """Show with the page what belongs to it and has room there: the button first, then a chart.

        The chart is below the page, or beside it in a panel that is lower than wide, with room for two pages.
        """
        beside = self.width() > max(2 * self.minimumWidth() + _BETWEEN_COLUMNS, self.height())
        way = QBoxLayout.Direction
        self._parts.setDirection(way.LeftToRight if beside else way.TopToBottom)
        self._parts.setSpacing(_BETWEEN_COLUMNS if beside else 0)
        lines = _LINES * self.fontMetrics().lineSpacing()
        # The page keeps its least lines; of the rest the button has the first part.
        room = self.height() - lines - self.answer.sizeHint().height()
        self.answer.setVisible(self._wanted[self.answer] and room >= 0)
        most = self.height() if beside else min(int(self.height() * _CHART_SHARE), room)
        for area, chart in zip(self._below, (self.waits, self.outcomes), strict=True):
            self._parts.setStretchFactor(area, int(beside))
            self._parts.setAlignment(area, Qt.AlignmentFlag.AlignTop if beside else Qt.AlignmentFlag(0))
            area.setFixedHeight(max(min(chart.sizeHint().height(), most), 1))
            area.setVisible(self._wanted[area] and (beside or room >= lines))

    def _want_answer(self) -> None:
        """The page may still be about a job that is no longer selected."""
        job = self._selection.value.single_job
        if job is not None:
            self.answer_wanted.emit(job)

    def _follow(self, url: QUrl) -> None:
        """Follow a link; the page may change below the mouse."""
        kind, _, rest = url.toString().partition(":")
        if f"{kind}:" == TERM:
            explain(rest, QCursor.pos() + _BELOW, self)
        if kind == "job" and self._subject is not None:
            self._selection.select_job(self._subject.trace, int(rest))
        elif kind == "user":
            self._selection.select_user(int(rest))
        elif kind == "queue":
            self._selection.select_queue(int(rest))
        elif kind == "node":
            self._select_node(*map(int, rest.split(",")))
        elif kind == "time":
            self.time_clicked.emit(float(rest))
        elif kind == "measure":
            # Without a range the link means all of the time again.
            first, _, last = rest.partition(",")
            self._view.choose(measured=(int(first), int(last)) if rest else None)

    def _select_node(self, run_id: int, node: int) -> None:
        """Select a node with the jobs that ran on it under a run."""
        subject = self._subject
        for result in subject.results if subject is not None else ():
            if subject is not None and result.run_id == run_id:
                jobs = frozenset(result.schedule.jobs_on(node).tolist())
                self._selection.select_nodes(frozenset({node}), subject.trace, jobs)


def _scrolled(chart: QWidget, parent: QWidget) -> QScrollArea:
    area = QScrollArea(parent, widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the charts in it take the keys
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(chart)
    area.hide()
    return area
