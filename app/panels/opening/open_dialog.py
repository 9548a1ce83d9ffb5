"""Opening a log with options: how it is read, which of its jobs, and how many each option leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.model.log_preview import LogPreview
from app.model.settings import Settings
from app.panels.dialogs import HighArea
from app.panels.opening.columns_form import ColumnsForm
from app.panels.opening.fields_form import FieldsForm
from app.panels.opening.reading_form import ReadingForm
from engine.logs.tables.columns import ColumnsError, format_mapping, parse_mapping
from engine.logs.tables.unit_doubts import UnitsError
from engine.reading.options import OptionError, Reading, further_names
from views.text.counts import format_count, plural
from views.text.tooltips import as_tip
from views.widgets.elided_label import ElidedLabel

if TYPE_CHECKING:
    from engine.logs.sacct.prints.fields import FieldsSample
    from engine.logs.sample import TableSample
    from engine.reading.read import ReadLog

_TYPED_MS, _TICK_MS = 200, 100

Open = Callable[[Path, Reading, "ReadLog | None"], bool]
"""Opens a log that may be read already; False where the reader stays with what is open."""


class OpenDialog(QDialog):
    """Dialog of a log that is read while its options are chosen.

    A table has an additional page of its columns, and a dump of sacct without field names has a page to
    confirm them.

    The choices are remembered for this file, and the meanings of columns for all tables that have them.
    """

    def __init__(
        self,
        path: Path,
        settings: Settings,
        open_log: Open,
        parent: QWidget | None = None,
        real: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Open with options")
        self._path, self._settings, self._open = path, settings, open_log
        self._real = real or path.absolute()  # without links, by which the choices are remembered
        self._further: tuple[str, ...] = ()
        self._sample: TableSample | None = None
        self._fields: FieldsSample | None = None
        self._read: tuple[Reading, ReadLog] | None = None
        self.preview = LogPreview(path, self)
        self.form, self.columns, self.fields = ReadingForm(self), ColumnsForm(self), FieldsForm(self)
        for page in (self.columns, self.fields):
            page.hide()  # until the log is known to need it
        self.pages = QTabWidget(self)
        self.pages.setTabBarAutoHide(True)
        options = HighArea(self)
        options.setWidget(self.form)
        self.pages.addTab(options, "&Options")
        self._lay_out()
        self._waiting = QTimer(self, singleShot=True, interval=_TYPED_MS)
        self._waiting.timeout.connect(self._look)
        self._ticking = QTimer(self, interval=_TICK_MS)
        self._ticking.timeout.connect(self._tick)
        self._connect()
        self._begin()

    @property
    def reading(self) -> Reading:
        """The chosen options."""
        columns = format_mapping(self.columns.mapping) if self._sample is not None else ""
        fields = self.fields.text if self._fields is not None else ""
        return replace(self.form.reading, further=self._further, columns=columns, fields=fields)

    def done(self, result: int) -> None:
        """Stop reading too."""
        self._waiting.stop()
        self._ticking.stop()
        self.preview.close()
        super().done(result)

    def accept(self) -> None:
        """Open the log; the open study is not lost if the user rather keeps it."""
        reading = self.reading
        ready = self._read[1] if self._read is not None and self._read[0] == reading else None
        if not self._open(self._path, reading, ready):
            return
        self._settings.remember_reading(self._real, reading)
        if self._sample is not None:
            self._settings.remember_columns(self._sample.key, reading.columns)
        super().accept()

    def _lay_out(self) -> None:
        self.files = ElidedLabel("", self)
        self.add = QPushButton("Add &files…", self)
        self.add.setAutoDefault(False)
        self.add.setToolTip(
            "Further files of the same log, such as rotated files: all are read as a single log"
        )
        head = QHBoxLayout()
        head.addWidget(self.files, 1)
        head.addWidget(self.add)
        self.message = QLabel("", self, wordWrap=True)
        self.message.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + 2)  # longer texts are whole, too
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        buttons = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(buttons.Open | buttons.Cancel, self)
        self.defaults = self.buttons.addButton("&Defaults", QDialogButtonBox.ButtonRole.ResetRole)
        self.defaults.setToolTip("All of the log, read as the command line reads it without options")
        self.defaults.setAutoDefault(False)
        column = QVBoxLayout(self)
        column.addLayout(head)
        column.addWidget(self.pages, 1)
        for part in (self.message, self.progress, self.buttons):
            column.addWidget(part)
        self.resize(max(900, self.sizeHint().width()), self.sizeHint().height())

    def _connect(self) -> None:
        self.form.edited.connect(self._waiting.start)
        self.columns.edited.connect(self._waiting.start)
        self.fields.edited.connect(self._waiting.start)
        self.add.clicked.connect(self._add_files)
        self.defaults.clicked.connect(self._reset)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.preview.sampled.connect(self._show_sample)
        self.preview.read.connect(self._show_read)
        self.preview.wrong.connect(self._show_wrong)

    def _begin(self) -> None:
        """Show what was chosen for this file last, else how logs were cleaned last, and read it."""
        known = self._settings.readings.get(str(self._real))
        last = next(reversed(self._settings.readings.values()), None)
        reading = known or Reading(clean=last.clean if last is not None else ())
        self._further, self._remembered_fields = reading.further, reading.fields
        self.form.show_reading(reading)
        self._name_files()
        self._update_text("Reading…")
        self.preview.sample()

    def _show_sample(self, sample: TableSample | FieldsSample | None) -> None:
        """A table is read by its columns, a dump by its fields, as chosen before or else as guessed."""
        from engine.logs.sample import TableSample

        if isinstance(sample, TableSample):
            self._sample = sample
            known = self._settings.columns.get(sample.key)
            self.columns.show_sample(sample, parse_mapping(known, "columns") if known else None)
            self._show_page(self.columns, "&Columns", self.columns.fields["submit"])
        elif sample is not None:
            self._fields = sample
            self.fields.show_sample(sample, self._remembered_fields)
            self._show_page(self.fields, "&Fields", self.fields.names)
        self._look()

    def _show_page(self, page: QWidget, title: str, first: QWidget) -> None:
        self.pages.insertTab(0, page, title)
        self.pages.setCurrentIndex(0)
        first.setFocus()

    _remembered_fields = ""

    def _look(self) -> None:
        self.preview.look(self.reading)
        self._ticking.start()

    def _tick(self) -> None:
        """Show how far reading is."""
        done = self.preview.progress
        self.progress.setVisible(done is not None)
        if done is not None:
            self.progress.setValue(round(1000 * done))
        elif not self.preview.executor.busy:
            self._ticking.stop()

    def _show_read(self, reading: Reading, read: ReadLog) -> None:
        self._read = reading, read
        self.form.show_left(reading, read)
        trace, left = read.trace, {setting.option: setting.jobs for setting in read.left}
        measured = f", of which {format_count(left['measure'])} are measured" if "measure" in left else ""
        fits = left["machine"]
        large = f"; {plural(len(trace) - fits, 'job')} of them too large for it" if fits < len(trace) else ""
        share = f"{format_count(len(trace))} of {plural(left['log'], 'record')} will be opened"
        self._update_text(f"{share}{measured}, on {read.cluster}{large}.", True)

    def _show_wrong(self, error: Exception) -> None:
        self._read = None
        self.form.show_wrong(error)
        of_columns = isinstance(error, ColumnsError)
        if of_columns and self._sample is not None:
            self.pages.setCurrentWidget(self.columns)
        elif of_columns and self._fields is not None:
            self.pages.setCurrentWidget(self.fields)
        elif isinstance(error, UnitsError):
            self.form.ask_units(error.example)
        self._update_text(self._in_the_dialog(error))

    def _in_the_dialog(self, error: Exception) -> str:
        """An error in the words of this dialog, which names the file above and has fields for options."""
        if isinstance(error, OptionError) and error.choices:
            return (
                f"{self._path.name} has jobs of several clusters, each of which is a machine of its own: "
                f"enter one of {error.choices} in Clusters, or several with commas to take them for one "
                "machine."
            )
        text = f"{error}"
        # Messages are made for the command line: what they say of options is said here of fields.
        if isinstance(error, UnitsError):
            where = "choose the unit beside its column" if self._sample is not None else "enter it in Units"
            asked, _, said = text.partition("; say ")
            text = f"{asked}; {where}, as {said.partition('--units ')[2]}"
        elif isinstance(error, ColumnsError) and (self._sample is not None or self._fields is not None):
            text = text.partition(": ")[2].partition("; name columns")[0].partition("; if sacct printed")[0]
        return text.replace(str(self._path), self._path.name)

    def _update_text(self, text: str, may_open: bool = False) -> None:
        self.message.setText(as_tip(text))
        self.buttons.button(QDialogButtonBox.StandardButton.Open).setEnabled(may_open)

    def _add_files(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Further files of this log", str(self._path.parent))
        further = further_names(self._path, [Path(name) for name in names])
        if further:
            self._further = tuple(dict.fromkeys((*self._further, *further)))
            self._name_files()
            self._look()

    def _name_files(self) -> None:
        more = f" and {plural(len(self._further), 'further file')}" if self._further else ""
        self.files.setText(f"{self._path.name}{more}")
        names = [str(self._path), *self._further]
        self.files.setToolTip(as_tip("\n".join(names)))

    def _reset(self) -> None:
        """Read all of the log as it is read without options."""
        self._further = ()
        self._name_files()
        self.form.show_reading(Reading())
        if self._sample is not None:
            self.columns.show_sample(self._sample, None)
        if self._fields is not None:
            self.fields.show_sample(self._fields)
        self._look()
