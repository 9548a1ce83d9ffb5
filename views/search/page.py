"""The page of the search for a better policy: what is asked, what was tried, the verdict, the front."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.policy.phrases import policy_sentence
from engine.policy.policy import Policy
from engine.search.verdict import verdict
from engine.slurm.export.conf_lines import text_to_paste
from views.data.search_results import SearchResults, format_metric, table_heading
from views.plotting.widget import PlotWidget
from views.search.form import SearchForm
from views.search.plots import front_plot, parallel_plot
from views.state.context import ViewContext
from views.text.counts import format_seconds, plural
from views.text.tooltips import as_tip
from views.theme.theme import Theme
from views.widgets.page_stack import PageStack
from views.widgets.table_copies import CopyRows
from views.widgets.wrapped_row import WrappedRow
from views.widgets.wrapped_text import WrappedText
from views.work.widget_handlers import EventWatch

_EMPTY = (
    "A search tries policies on the first two thirds of the trace,\n"
    "and judges the best of them on the last third, which it never saw.\n"
    "Choose at the left what to improve, and press Find a better policy."
)
_FORM = 45  # letters of its width
_WIDE = 120  # letters of a page that has room for the plot beside the verdict
_THIN = 4  # pixels of the bar of progress
_ANY = 16_777_215  # pixels: as wide as there is room
_SPANS = "Searched on the first two thirds of the time, judged on the last third."


class SearchPage(QWidget):
    """`search_wanted` carries a TypedQuestion, `run_wanted` the Policy of the clicked trial."""

    search_wanted = Signal(object)
    cancel_wanted = Signal()
    run_wanted = Signal(object)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.results: SearchResults | None = None
        self._running, self._left = False, ""
        self.form = SearchForm(self, context.files)
        self.form.wanted.connect(self._go)
        self.go = QPushButton("Find a better policy", self)
        self.go.clicked.connect(self._go)
        self.progress = QProgressBar(self, textVisible=False, maximum=1000)
        self.progress.setFixedHeight(_THIN)
        self.message = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        # The answer: verdict, table of the front, the chosen policy in words, and what can be done with it.
        self.verdict = WrappedText(self)
        self.verdict.setAccessibleName("Verdict")
        # Both plots and the table show the same policies: a click in any of them opens a policy.
        self.front = PlotWidget(context, theme, "Front of the search", self)
        self.parallel = PlotWidget(context, theme, "All configurations tried, in parallel coordinates", self)
        for chart in (self.front, self.parallel):
            chart.picked.connect(lambda found, _: self._open_trial(found[0]))
        self.table = FrontTable(self)
        self.table.itemDoubleClicked.connect(lambda _: self._open())
        self.table.currentCellChanged.connect(lambda *_: self._mark())
        EventWatch(self.table, self, self._open_by_key)
        self.words = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.words.setAccessibleName("The chosen policy in words")
        self.add = self._button("Open as a run", "Add the chosen policy to the runs (Enter)", self._open)
        self.copy = self._button("Copy policy", "The chosen policy, as the command line takes it", self._copy)
        about = "The chosen policy as lines of a slurm.conf, with comments on what they leave out"
        self.copy_slurm = self._button("Copy as slurm.conf", about, self._copy_slurm)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._lay_out()
        # `clear` comes last: it shows the empty page and disables what needs a result.
        self.set_theme(theme)
        self.clear()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in (self.front, self.parallel):
            chart.set_theme(theme)

    def show_results(self, results: SearchResults) -> None:
        """Show what was tried, and the answer when it is there."""
        self.results = results
        self._stack.setCurrentIndex(1)
        self.front.set_plot(lambda: front_plot(results))
        self.parallel.set_plot(lambda: parallel_plot(results))
        if results.answer is not None:
            self.table.show_results(results)
        self._judged.setVisible(results.answer is not None)
        if results.answer is not None:
            self.verdict.setText(verdict(results.question, results.answer))
        self._update_text()

    def show_progress(self, share: float, remaining: float | None) -> None:
        """Show how much is done, 0 to 1, and how many seconds are left."""
        self._running = True
        self.progress.setValue(round(1000 * share))
        self._left = "" if remaining is None else f", {format_seconds(remaining)} left"
        self._update_text()

    def end(self, why: str = "") -> None:
        """The search is over; `why` it did not get to its end."""
        self._running, self._left = False, ""
        self._update_text()
        if why:
            self.say(why)

    def say(self, text: str) -> None:
        """Show an error message."""
        self.message.setText(text)

    def clear(self) -> None:
        """Nothing is known of another trace."""
        self.results, self._running, self._left = None, False, ""
        self._stack.setCurrentIndex(0)
        self._update_text()

    @property
    def running(self) -> bool:
        """True if a search is running."""
        return self._running

    @property
    def chosen(self) -> Policy | None:
        """The policy that is chosen in the table."""
        row = self.table.currentRow()
        judged = self.results.judged if self.results is not None else ()
        return judged[row].trial.policy if 0 <= row < len(judged) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the form is narrower, and the verdict is below its plot."""
        super().resizeEvent(event)
        self._fit()

    def _follow_form(self, _: QObject, event: QEvent) -> bool:
        """The form needs another width, for instance as its text is larger."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return False

    def _fit(self) -> None:
        """Put the answer beside the form, or below it where both are not whole side by side."""
        letter = self.fontMetrics().averageCharWidth()
        bar = self._side.verticalScrollBar().sizeHint().width()
        least = self._fields.minimumSizeHint().width() + bar
        wide = max(least, min(_FORM * letter, 2 * self.width() // 5))
        way = QBoxLayout.Direction
        # The width that the answer needs depends on how plot and verdict stand, which is set first.
        self._upper.setDirection(way.LeftToRight if self.width() > _WIDE * letter else way.BottomToTop)
        self._plots.invalidate()  # Qt keeps the size that a page which is not shown had before
        beside = self.width() >= wide + self._row.spacing() + self._stack.minimumSize().width()
        self._row.setDirection(way.LeftToRight if beside else way.TopToBottom)
        self._side.setMinimumWidth(wide if beside else least)
        self._side.setMaximumWidth(wide if beside else _ANY)
        # Above the answer the form is whole: the page scrolls.
        self._side.setMinimumHeight(0 if beside else self._form_height())

    def _form_height(self) -> int:
        """Pixels that the form needs as wide as the page is."""
        layout = self._fields.layout()
        return layout.totalMinimumHeightForWidth(self.width()) if layout is not None else 0

    def _open_by_key(self, _: QObject, event: QEvent) -> bool:
        """Enter in the table opens what is chosen."""
        enter = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in enter:
            self._open()
            return True
        return False

    def _go(self) -> None:
        if self._running:
            self.cancel_wanted.emit()
        else:
            self.search_wanted.emit(self.form.asked)

    def _update_text(self) -> None:
        self.go.setText("Cancel" if self._running else "Find a better policy")
        self.go.setToolTip(
            "Stop; the policies tried so far stay shown"
            if self._running
            else "Search on all cores of this machine"
        )
        self.progress.setVisible(self._running)
        tried = plural(len(self.results.trials), "trial") if self.results is not None else ""
        self.message.setText(f"{tried}{self._left}")

    def _open_trial(self, index: int) -> None:
        if self.results is not None:
            self.run_wanted.emit(self.results.trials[index].policy)

    def _open(self) -> None:
        if self.chosen is not None:
            self.run_wanted.emit(self.chosen)

    def _copy(self) -> None:
        if self.chosen is not None:
            QApplication.clipboard().setText(self.chosen.spelling)

    def _copy_slurm(self) -> None:
        if self.chosen is not None:
            QApplication.clipboard().setText(text_to_paste(self.chosen))

    def _mark(self) -> None:
        """Mark in the plots what is chosen in the table, and say what it does."""
        self.words.setText(policy_sentence(self.chosen) if self.chosen is not None else "")
        trials = self.results.trials if self.results is not None else ()
        units = [k for k, trial in enumerate(trials) if trial.policy == self.chosen]
        for chart in (self.front, self.parallel):
            chart.mark(units)

    def _button(self, text: str, about: str, run: object) -> QPushButton:
        button = QPushButton(text, self)
        button.setToolTip(about)
        button.clicked.connect(run)
        return button

    def _lay_out(self) -> None:
        # Left: the question, in a column that scrolls where the window is low.
        side = self._fields = QWidget(self)
        fields = QVBoxLayout(side)
        fields.setContentsMargins(8, 6, 8, 6)
        for part in (self.form, self.go, self.progress, self.message):
            fields.addWidget(part)
        fields.addStretch(1)
        scroll = QScrollArea(self, widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._side = scroll
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(side)
        # Right: the answer beside the front, over the parallel coordinates.
        self._judged = QWidget(self)
        judged = QVBoxLayout(self._judged)
        judged.setContentsMargins(0, 0, 0, 0)
        judged.setSpacing(4)
        buttons = WrappedRow(self._judged)
        buttons.add(self.add, self.copy, self.copy_slurm)
        font = self.verdict.font()
        font.setBold(True)
        self.verdict.setFont(font)
        self.spans = QLabel(_SPANS, self, wordWrap=True)
        judged.addWidget(self.verdict)
        judged.addWidget(self.spans)
        judged.addWidget(self.table, 1)
        judged.addWidget(self.words)
        judged.addWidget(buttons)
        upper = self._upper = QHBoxLayout()
        upper.addWidget(self.front, 1)
        upper.addWidget(self._judged, 1)
        shown = QWidget(self)
        plots = self._plots = QVBoxLayout(shown)
        plots.setContentsMargins(0, 4, 8, 4)
        plots.addLayout(upper, 1)
        plots.addWidget(self.parallel, 1)
        self._stack = QStackedLayout()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)
        whole = QWidget(self)
        row = self._row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(scroll)
        row.addLayout(self._stack, 1)
        EventWatch(side, self, self._follow_form)
        # The bar keeps its place while hidden, so that the fields do not jump when a search begins.
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keeps)
        PageStack(self, whole)


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

_WIDEST = 230  # pixels of a policy at first


class FrontTable(QTableWidget):
    """One row per policy that was judged, the baseline last."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Policies that were judged")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.copying = CopyRows(self)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def show_results(self, results: SearchResults) -> None:
        """Show the policies that were judged, and choose the best."""
        metrics = results.question.metrics
        heads = [f"{table_heading(name)}\n{span}" for name in metrics for span in ("searched", "judged")]
        # Clearing the table also removes its headers, so these are set after it.
        self.clear()
        self.setColumnCount(len(heads) + 2)
        self.setHorizontalHeaderLabels(["Policy", *heads, ""])
        self.setRowCount(len(results.judged))
        # The baseline is judged with the policies and stands in the last row.
        last = len(results.judged) - 1
        for row, checked in enumerate(results.judged):
            cells = [
                format_metric(name, values[name])
                for name in metrics
                for values in (checked.trial.values, checked.values)
            ]
            note = "baseline" if row == last else "" if checked.kept else "violates a bound when judged"
            for column, text in enumerate([checked.trial.policy.label, *cells, note]):
                item = QTableWidgetItem(text)
                policy = checked.trial.policy
                item.setToolTip(as_tip(text if column else f"{policy.spelling}\n{policy_sentence(policy)}"))
                if 0 < column <= len(cells):
                    item.setTextAlignment(_RIGHT)
                self.setItem(row, column, item)
        # The first column may be dragged wider, but begins no wider than leaves room for the values.
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.setColumnWidth(0, min(self.sizeHintForColumn(0), _WIDEST))
        if results.judged:
            self.setCurrentCell(0, 0)
