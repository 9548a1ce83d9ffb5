"""The page of studies: the choice of a study, its progress, its figure, which lists compose, and its
findings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from engine.errors import InputError
from engine.metrics.metric_names import parse_metric
from engine.shown_text import html_text
from engine.sweep.findings import FindingResult, answers
from engine.sweep.paper_claim import ClaimResult
from engine.sweep.row_cache import WITHHELD
from engine.sweep.study_results import StudyResults
from views.grammar.choices import PLACES, chosen, offered_choices, usual_encoding, with_choice
from views.grammar.encoding import Encoding
from views.grammar.spelling import encoding_of
from views.grammar.study_figure import StudyFigure
from views.plot.page import PlotPage
from views.plotting.run_legend import RunLegend
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.study.ready_studies import ready_made, ready_made_sources
from views.text.counts import format_count, format_seconds
from views.theme.theme import Theme
from views.widgets.choosers import Choosers
from views.widgets.page_stack import PageStack
from views.widgets.wrapped_row import WrappedRow
from views.work.async_memo import AsyncMemo

MOST_PLOTS = 12
"""Maximum number of plots side by side; more would be too small to read."""

_LEAD = (
    "A study answers a question about the open trace: it runs many policies and checks whether the "
    "findings of a paper hold here. Choose a study to run it, or a file of your own."
)
_TIPS = {
    "figure": "The figures that the study's file names, or one of your own choice",
    "kind": "What a value is drawn as",
    "measure": "The metric that is shown",
    "x": "Horizontal axis",
    "colour": "The parameter that colours distinguish, or rows of cells in a heatmap",
    "style": "The parameter that markers and hatches distinguish in print",
    "down": "The parameter that has a row of plots for each value",
    "across": "The parameter that has plots side by side, one for each value",
    "spread": "What the whiskers of a mean are",
    "axes": "Scales of the axes",
    "free": "Whether plots of a metric share the vertical axis",
}
_JOINER = "\u2060"
"""Keeps what is around it in one line; it has no width."""

_FINDINGS = 50  # letters of the width of the findings
_NARROW = 240  # pixels of the findings at least
_THIN = 4  # pixels of the bar of progress


@dataclass(frozen=True)
class _Entry:
    """A colour, or a colour with a style, for the legend."""

    run_id: int
    name: str
    colour: str


class StudyPage(QWidget):
    """`study_wanted` carries the path of a study, `run_wanted` the index of the run that was clicked.

    `file_wanted`: the reader wants to choose a file. `start_wanted`, `cancel_wanted`: of the study shown;
    `doubtful_wanted`: also those of its runs that would mislead.
    """

    study_wanted = Signal(object)
    file_wanted = Signal()
    start_wanted = Signal()
    cancel_wanted = Signal()
    doubtful_wanted = Signal()
    run_wanted = Signal(int)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._theme = context, theme
        self.results: StudyResults | None = None
        # What runs, or why nothing does: the button and the message follow these.
        self._encoding: Encoding | None = None
        self._running, self._left, self._why = False, "", ""
        # Above: which study, and its progress.
        self.study = QComboBox(self)
        self.study.setToolTip("The study; choosing a study runs it on the open trace")
        self.study.setAccessibleName("Study")
        self.study.activated.connect(lambda index: self.study_wanted.emit(self.study.itemData(index)))
        self.open = QPushButton("Study file…", self)
        self.open.setToolTip("Run a study of your own, a TOML file; it can be dropped here too")
        self.open.clicked.connect(self.file_wanted)
        self.go = QPushButton("Continue", self)
        self.go.clicked.connect(self._go)
        self.doubtful = QPushButton("Run what &misleads", self)
        self.doubtful.setToolTip("Run what-ifs of a site also where its model misleads")
        self.doubtful.clicked.connect(self.doubtful_wanted)
        self.message = QLabel("", self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.progress = QProgressBar(self, textVisible=False, maximum=1000)
        self.progress.setFixedHeight(_THIN)
        # In the middle: how the table of its runs becomes a figure, with a single legend for all plots.
        self.choosers = Choosers(_TIPS, self)
        self.choosers.chosen.connect(self._choose)
        self.legend = RunLegend(self, clickable=True)
        self.legend.changed.connect(self._pick)
        self.charts: list[PlotWidget] = []
        # Below: what the study claims, and before a study is chosen the list of ready-made studies.
        self.findings = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.findings.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.findings.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.findings.setAccessibleName("Findings")
        self.list = QListWidget(self)
        self.list.setAccessibleName("Ready-made studies")
        self.list.setSpacing(4)
        self.list.itemClicked.connect(self._take)
        self.list.itemActivated.connect(self._take)
        # Findings and figure are computed in threads: a study may have thousands of rows.
        self._answers: AsyncMemo[Any] = AsyncMemo(context.executor, "Findings", self)
        self._answers.ready.connect(self._show_findings)
        self._figure: AsyncMemo[PlotPage] = AsyncMemo(context.executor, "Study", self)
        self._figure.ready.connect(self._show_figure)
        self.notes = QLabel("", self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.notes.setAccessibleName("What a mark is")
        self._grid = QGridLayout()
        self._lay_out()
        self._fill()
        self.set_theme(theme)
        self.clear()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        for label in (self.lead, self.notes):
            label.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)
        self._show_findings()

    def show_results(self, results: StudyResults) -> None:
        """Show a study that was chosen, or more of its runs."""
        if self.results is None or self.results.study is not results.study:
            figures = named_figures(results)
            self._encoding = next(iter(figures.values()), None) or usual_encoding(results.table)
        self.results = results
        self._answers.request(results, lambda: describe_answers(results))
        self._stack.setCurrentIndex(1)
        self._show()
        self._update_text()

    def show_name(self, path: Path, title: str) -> None:
        """Say which study is shown."""
        index = self.study.findData(path)
        if index < 0:
            self.study.addItem(title or path.stem, path)
            index = self.study.count() - 1
        self.study.setCurrentIndex(index)

    def show_progress(self, share: float, remaining: float | None) -> None:
        """Show how much of what is to be run is done, 0 to 1, and how many seconds are left."""
        self._running, self._why = True, ""
        self.progress.setValue(round(1000 * share))
        self._left = "" if remaining is None else f", {format_seconds(remaining)} left"
        self._update_text()

    def end(self, why: str = "") -> None:
        """No run is under way any more; `why` they did not get to the end."""
        self._running, self._left, self._why = False, "", why
        self._update_text()

    def clear(self) -> None:
        """Offer the ready-made studies."""
        self.results = None
        self._running, self._left, self._why = False, "", ""
        self.study.setCurrentIndex(-1)
        self._stack.setCurrentIndex(0)
        self._update_text()

    @property
    def running(self) -> bool:
        """True if runs are in progress."""
        return self._running

    @property
    def shown(self) -> StudyFigure | None:
        """The shown results with their encoding; None before a study was chosen."""
        if self.results is None or self._encoding is None:
            return None
        return StudyFigure(self.results, self._encoding)

    def _go(self) -> None:
        if self._running:
            self.cancel_wanted.emit()
        else:
            self.start_wanted.emit()

    def _take(self, item: QListWidgetItem) -> None:
        self.study_wanted.emit(item.data(Qt.ItemDataRole.UserRole))

    def _update_text(self) -> None:
        """Show the progress of the study, and enable its actions."""
        results = self.results
        there = results is not None
        rows = len(results.rows) if results is not None else 0
        lacks = results is not None and (results.done < rows or bool(results.errors))
        self.go.setVisible(there and (self._running or lacks))
        self.go.setText("Cancel" if self._running else "Continue")
        self.go.setToolTip(
            "Stop; the runs that are done stay" if self._running else "Run what is not done yet, or failed"
        )
        withheld = results is not None and any(text.startswith(WITHHELD) for text in results.errors)
        self.doubtful.setVisible(withheld and not self._running)
        self.progress.setVisible(self._running)
        done = f"{format_count(results.done)} of {format_count(rows)} runs" if results is not None else ""
        count = len(self._figure.value.plots) if there and self._figure.value is not None else 0
        plots = f", {MOST_PLOTS} of {count} plots are shown" if count > MOST_PLOTS else ""
        # The figure comes later than the runs, and this line is written again then: with why they ended.
        self.message.setText(". ".join(filter(None, (done + self._left + plots, self._why))))

    def _show_findings(self) -> None:
        message = self._answers.value
        if self.results is not None and message is not None:
            self.findings.setText(findings_html(self.results, message, self._theme))

    def _choose(self, name: str, value: Any) -> None:
        if self.results is not None and name == "figure":
            self._encoding = named_figures(self.results).get(value) or usual_encoding(self.results.table)
            self._show()
        elif self.results is not None and self._encoding is not None:
            self._encoding = with_choice(self.results.table, self._encoding, name, value)
            self._show()

    def _show(self) -> None:
        """Show what is chosen; the plots follow when a thread has composed them."""
        figure = self.shown
        if figure is None:
            return
        table, encoding = figure.results.table, figure.encoding
        for name, entries in offered_choices(table, encoding).items():
            self.choosers.set_entries(name, entries)
            self.choosers.show_choice(name, chosen(encoding, name))
            # A list without a choice is not shown: a study may have fewer parameters than there are places.
            self.choosers.boxes[name].setVisible(name not in PLACES[1:] or len(entries) > 1)
        figures = named_figures(figure.results)
        self.choosers.set_entries("figure", {name: name for name in figures} | {"": "a figure of your own"})
        self.choosers.show_choice("figure", next((k for k, own in figures.items() if own == encoding), ""))
        self.choosers.boxes["figure"].setVisible(bool(figures))
        self.choosers.boxes["free"].setVisible(bool(encoding.down or encoding.across))
        self.choosers.boxes["spread"].setVisible(encoding.kind in ("lines", "bars"))
        self._figure.request(figure, lambda: figure.page)

    def _show_figure(self) -> None:
        """Show the plots that were composed, which colour is what, and what a mark is."""
        page = self._figure.value
        if page is None or self.results is None:
            return
        named = [_Entry(place, entry.name, entry.colour) for place, entry in enumerate(page.legend)]
        self.legend.set_results(named)
        self.legend.setVisible(bool(named))
        self.notes.setText("\n".join(page.notes))
        self.notes.setVisible(bool(page.notes))
        # Charts are made when they are first needed and kept: to make a chart takes longer than to show
        # another plot in it.
        count = min(len(page.plots), MOST_PLOTS)
        while len(self.charts) < count:
            chart = PlotWidget(self._context, self._theme, f"Plot {len(self.charts) + 1} of the study", self)
            chart.picked.connect(lambda runs, _: self.run_wanted.emit(runs[0]))
            self.charts.append(chart)
        # Charts beyond the count keep no plot, which would hold the old table in memory.
        for number, chart in enumerate(self.charts):
            chart.setVisible(number < count)
            chart.set_plot(partial(page.plots.__getitem__, number) if number < count else None)
        self._pick()
        self._arrange()
        self._update_text()

    def _pick(self) -> None:
        for chart in self.charts:
            chart.pick_runs(self.legend.picked)

    def _arrange(self) -> None:
        """Plots in the columns of their grid, or else in as many as make them about as wide as high."""
        page = self._figure.value
        count = min(len(page.plots), MOST_PLOTS) if page is not None else 0
        room = max(self.width() - self._beside, 1) / max(self.height() - 120, 1)
        columns = min(max(round(math.sqrt(count * room / 1.4)), 1), max(count, 1))
        if page is not None and 0 < page.columns <= MOST_PLOTS:
            columns = page.columns
        for number, chart in enumerate(self.charts[:count]):
            self._grid.addWidget(chart, number // columns, number % columns)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._side.setFixedWidth(self._beside)
        if self.results is not None:
            self._arrange()

    def _fill(self) -> None:
        """The ready-made studies, in the box and in the list."""
        sources = ready_made_sources()
        for title, path in ready_made().items():
            self.study.addItem(title, path)
            item = QListWidgetItem(f"{title}\n{sources[path]}", self.list)
            item.setData(Qt.ItemDataRole.UserRole, path)
        self.study.setPlaceholderText("Choose a study…")

    @property
    def _beside(self) -> int:
        """The width of the findings, in pixels: in a narrow window no more than leaves the plots half."""
        return min(_FINDINGS * self.fontMetrics().averageCharWidth(), max(self.width(), 2 * _NARROW) // 2)

    def _lay_out(self) -> None:
        head = WrappedRow(self)
        head.setContentsMargins(8, 4, 8, 0)
        head.add(self.study, self.open, self.go, self.doubtful)
        head.add(self.message, stretched=True)
        self.lead = QLabel(_LEAD, self, wordWrap=True)
        offer, shown = QWidget(self), QWidget(self)
        start = QVBoxLayout(offer)
        start.setContentsMargins(40, 20, 40, 20)
        start.addWidget(self.lead)
        start.addWidget(self.list, 1)
        plots = QVBoxLayout()
        plots.setSpacing(2)
        plots.addWidget(self.choosers)
        plots.addWidget(self.legend)
        plots.addLayout(self._grid, 1)
        plots.addWidget(self.notes)
        side = self._side = QScrollArea(shown, widgetResizable=True)
        side.setFrameShape(QFrame.Shape.NoFrame)
        side.setFixedWidth(self._beside)
        side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        side.setWidget(self.findings)
        self.findings.setContentsMargins(8, 4, 8, 4)
        row = QHBoxLayout(shown)
        row.setContentsMargins(8, 2, 0, 2)
        row.addLayout(plots, 1)
        row.addWidget(side)
        self._stack = QStackedLayout()
        self._stack.addWidget(offer)
        self._stack.addWidget(shown)
        whole = QWidget(self)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(head)
        column.addWidget(self.progress)
        column.addLayout(self._stack, 1)
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)  # what is below stays in place
        self.progress.setSizePolicy(keeps)
        PageStack(self, whole)


def named_figures(results: StudyResults) -> dict[str, Encoding]:
    """The figures that the file of a study names, as far as its results have what they show."""
    encodings = {}
    for figure in results.study.figures:
        try:
            encoding = encoding_of(figure)
            encoding.check(results.table)
        except InputError:
            continue  # `sweep` says what is wrong with it
        encodings[figure.name] = encoding
    return encodings


def describe_answers(results: StudyResults) -> list[FindingResult]:
    """The result of each finding, as far as runs are finished. Takes time in the number of runs."""
    return answers(results.study, results.rows)


def findings_html(results: StudyResults, message: list[FindingResult], theme: Theme) -> str:
    """The source, what traces the study wants, and each finding with its number."""
    study = results.study
    parts = [f"<b>{html_text(study.title)}</b>"]
    faint = (study.source, f"Needs {_lower_first(study.wants)}" if study.wants else "")
    parts += [
        f'<span style="color: {theme.faint}">{_unbroken(html_text(note))}</span>' for note in faint if note
    ]
    whole = results.done == len(results.rows)
    parts += [_line(answer, whole, theme) for answer in message]
    for text, count in results.errors.items():
        runs = "1 run" if count == 1 else f"{count:,} runs"
        said = text if text.startswith(WITHHELD) else f"failed: {text}"
        parts.append(f'<span style="color: {theme.bad}">{runs} {html_text(said)}</span>')
    return "".join(f'<p style="margin: 0 0 8px 0">{part}</p>' for part in parts)


def _unbroken(text: str) -> str:
    """The text with names of options, such as `--jobs`, in one line: no break after their hyphens."""
    return text.replace("--", f"--{_JOINER}")


def _lower_first(words: str) -> str:
    return words[:1].lower() + words[1:]


def _line(answer: FindingResult, whole: bool, theme: Theme) -> str:
    if answer.verdict is None:
        word = "Cannot be decided" if whole else "Not known yet"
        return f'<span style="color: {theme.faint}">{word}</span>: {html_text(answer.finding.text)}'
    colour, word = {
        ClaimResult.REPRODUCED: (theme.good, "✓ Reproduced"),
        ClaimResult.OTHER_SIZE: (theme.text, "≈ Same direction, another size"),
        ClaimResult.NOT: (theme.bad, "✗ Not reproduced"),
    }[answer.verdict]
    text = f"({answer.numbers(parse_metric(answer.metric).label)}): {answer.finding.text}"
    return f'<span style="color: {colour}"><b>{word}</b></span> {html_text(text)}'
