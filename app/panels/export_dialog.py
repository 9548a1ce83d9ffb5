"""Export of figures: a live preview, on paper of a chosen size, several views at once."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.export.drawing import Sketch
from app.panels.dialogs import HighArea
from engine.atomic import write_atomically
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.simulation.control import Control
from engine.words import plural
from views.figures.printing import MM, PAPERS, PrintOptions
from views.figures.save import FORMATS
from views.spec import FigureSpec
from views.work.executor import Executor

_USUAL = "As wide as a page"
_OTHER = "Another size"
_SOON_MS = 200
_PREVIEW_DPI, _DPI = 110, 200
_SIDE, _SIDE_LEAST = 350, 240
"""Least pixels of the column of choices."""

_DRAWING = "Drawing…"

_SUFFIXES = (".pdf", ".svg", ".png")
"""What figures are written as, the first unless another is chosen."""

_OURS = "application/x-batchscope"
"""The format of copied data by which they are known again."""

_FONTS = ("DejaVu Sans", "DejaVu Serif")

Sketching = Callable[[str, PrintOptions], Sketch | None]


class ExportDialog(QDialog):
    """Dialog that prints figures; `sketch` returns the figure of a kind for print settings, None without a
    run.

    The preview is drawn in a thread, soon after a change. `say` gets messages on written files and errors.
    """

    def __init__(
        self,
        specs: Sequence[FigureSpec],
        sketch: Sketching,
        executor: Executor,
        say: Callable[[str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export figures")
        self._sketch, self._executor, self._say = sketch, executor, say
        self._picture, self._closed = QPixmap(), False
        self._soon = QTimer(self, interval=_SOON_MS, singleShot=True)
        self._soon.timeout.connect(self._draw)
        self._lay_out(specs)
        self._connect()
        self.kinds.setCurrentRow(0)
        self._choose_paper()

    @property
    def how(self) -> PrintOptions:
        """The chosen print settings."""
        tallest = self.height_mm.value()
        return PrintOptions(
            width=self.width_mm.value() * MM,
            height=tallest * MM if tallest else None,
            font=self.font_name.currentText(),
            size=self.points.value(),
            grey=self.grey.isChecked(),
            title=self.titled.isChecked(),
            captions=self.captions.isChecked(),
            provenance=self.provenance.isChecked(),
        )

    @property
    def _boxes(self) -> tuple[QCheckBox, ...]:
        around = self.titled, self.captions, self.provenance
        return self.grey, self.whole, self.shared_scale_box, *around

    @property
    def suffix(self) -> str:
        """The suffix of files of the chosen format."""
        return _SUFFIXES[self.format.currentIndex()]

    @property
    def chosen(self) -> list[str]:
        """The checked kinds, otherwise the previewed kind."""
        items = [self.kinds.item(row) for row in range(self.kinds.count())]
        checked = [item for item in items if item.checkState() == Qt.CheckState.Checked]
        return [item.data(Qt.ItemDataRole.UserRole) for item in checked or [self.kinds.currentItem()]]

    @property
    def kind(self) -> str:
        """The kind that is previewed."""
        kind: str = self.kinds.currentItem().data(Qt.ItemDataRole.UserRole)
        return kind

    def write(self, paths: dict[str, Path], own_names: bool = False) -> None:
        """Draw each kind into its file, in a thread; with `own_names` the program chose their names."""
        # What is drawn is fixed now: the window may show something else while the thread works.
        sketches = {path: sketch for kind, path in paths.items() if (sketch := self._sketched(kind))}

        def work(_: Control) -> list[Path]:
            written = []
            for path, sketch in sketches.items():
                refuse_inputs(path)
                # All bytes first, so that a file is written whole or not at all.
                data = sketch.render(path.suffix, _DPI)
                write_atomically(path, partial(_put, data), own_name=own_names)
                written.append(path)
            return written

        def done(written: list[Path]) -> None:
            self._show_message(f"Wrote {', '.join(map(str, written))}")

        self._executor.submit(("export figures", *paths.values()), work, done, self._failed)

    def copy(self, suffix: str) -> None:
        """Copy what is previewed: `.png` as a picture, `.svg` as SVG."""
        sketch = self._sketched(self.kind)
        if sketch is not None:
            self._executor.submit(
                "copy figure",
                lambda _: sketch.render(suffix, _DPI),
                lambda data: self._copied(suffix, data),
                self._failed,
            )

    def done(self, result: int) -> None:
        """Stop drawing previews; files that are still being written are reported in the window."""
        self._soon.stop()
        self._closed = True
        super().done(result)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_picture()

    def _lay_out(self, specs: Sequence[FigureSpec]) -> None:
        # Left: which figures. Several may be checked; the selected figure is seen.
        self.kinds = QListWidget(self)
        self.kinds.setAccessibleName("Figures")
        self.kinds.setToolTip("All checked figures are saved; the preview shows the selected figure")
        for spec in specs:
            item = QListWidgetItem(spec.label.replace("&", "").rstrip("…"), self.kinds)
            item.setData(Qt.ItemDataRole.UserRole, spec.kind)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self.kinds.setFixedWidth(self.kinds.sizeHintForColumn(0) + 40)
        # Middle: the page, from size to type.
        self.paper = QComboBox(self)
        self.paper.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.paper.setMinimumContentsLength(16)
        self.paper.addItem(_USUAL)
        for name, paper in PAPERS.items():
            self.paper.addItem(f"{name}: {paper.brief}", name)
            self.paper.setItemData(self.paper.count() - 1, paper.about, Qt.ItemDataRole.ToolTipRole)
        self.paper.addItem(_OTHER)
        self.width_mm, self.height_mm = _millimetres(20, 3000), _millimetres(0, 3000)
        self.height_mm.setSpecialValueText("as needed")
        self.points = QDoubleSpinBox(suffix=" pt", decimals=1, minimum=3, maximum=200)
        self.font_name = QComboBox(self)
        self.font_name.addItems(_FONTS)
        # What is drawn on it, and what stands around the figure.
        self.grey = QCheckBox("Greys instead of colours", self)
        self.whole = QCheckBox("The whole time, not the visible part", self)
        self.shared_scale_box = QCheckBox("All runs on the same scale", self)
        self.shared_scale_box.setToolTip(
            "For heatmaps and their strips, even if each run has its own scale in the window"
        )
        self.format = QComboBox(self)
        self.format.addItems([suffix.removeprefix(".").upper() for suffix in _SUFFIXES])
        self.titled, self.captions = QCheckBox("Title", self), QCheckBox("Notes", self)
        self.provenance = QCheckBox("Source lines below the figure", self)
        self.provenance.setToolTip("Below the figure; the file's metadata always contain them")
        for box in (self.titled, self.captions, self.provenance):
            box.setChecked(True)
        # The form scrolls where the screen is low, and is never wider than its longest field needs.
        side = QWidget(self)
        form = QFormLayout(side)
        form.setContentsMargins(0, 0, 0, 0)
        form.addRow("&Paper", self.paper)
        form.addRow("&Width", self.width_mm)
        form.addRow("Maximum &height", self.height_mm)
        form.addRow("&Font", self.font_name)
        form.addRow("Text &size", self.points)
        form.addRow("F&ormat", self.format)
        for box in self._boxes:
            form.addRow(box)
        self.message = QLabel(self, wordWrap=True)
        form.addRow(self.message)
        area = HighArea(self)
        area.setWidget(side)
        area.setMinimumWidth(_SIDE_LEAST)
        area.setMaximumWidth(max(_SIDE, area.sizeHint().width()))
        self.preview = QLabel(_DRAWING, self, alignment=Qt.AlignmentFlag.AlignCenter)
        self.preview.setMinimumSize(120, 120)
        self.preview.setAccessibleName("Preview")
        top = QHBoxLayout()
        top.addWidget(self.kinds)
        top.addWidget(area)
        top.addWidget(self.preview, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        action = QDialogButtonBox.ButtonRole.ActionRole
        self.copy_picture: QPushButton = buttons.addButton("Copy as &picture", action)
        self.copy_svg: QPushButton = buttons.addButton("Copy as S&VG", action)
        self.save: QPushButton = buttons.addButton("&Save…", action)
        self.save.setDefault(True)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(top, 1)
        layout.addWidget(buttons)
        self.resize(1000, 640)

    def _connect(self) -> None:
        self.paper.currentIndexChanged.connect(self._choose_paper)
        self.kinds.currentRowChanged.connect(self._later)
        self.kinds.itemChanged.connect(self._name_save)
        for number in (self.width_mm, self.height_mm, self.points):
            number.valueChanged.connect(self._later)
        for number in (self.width_mm, self.height_mm):
            number.valueChanged.connect(self._leave_paper)
        self.font_name.currentIndexChanged.connect(self._later)
        for box in self._boxes:
            box.toggled.connect(self._later)
        self.save.clicked.connect(self._ask)
        self.copy_picture.clicked.connect(lambda: self.copy(".png"))
        self.copy_svg.clicked.connect(lambda: self.copy(".svg"))

    def _choose_paper(self) -> None:
        if self.paper.currentText() == _OTHER:
            return
        usual = PrintOptions()
        paper = PAPERS.get(self.paper.currentData() or "")
        sides = (
            (usual.width / MM, 0.0, usual.size) if paper is None else (paper.width, paper.height, paper.size)
        )
        for number, value in zip((self.width_mm, self.height_mm, self.points), sides, strict=True):
            number.blockSignals(True)
            number.setValue(value)
            number.blockSignals(False)
        self._later()

    def _leave_paper(self) -> None:
        """Switch to custom paper when the user edits the size."""
        self.paper.blockSignals(True)
        self.paper.setCurrentIndex(self.paper.count() - 1)
        self.paper.blockSignals(False)

    def _name_save(self) -> None:
        count = len(self.chosen)
        self.save.setText("&Save…" if count < 2 else f"&Save {count} figures…")

    def _later(self) -> None:
        self._soon.start()

    def _sketched(self, kind: str) -> Sketch | None:
        """The figure of the chosen kind; if there is none, the reason is shown."""
        sketch = self._sketch(kind, self.how)
        why = "There is nothing to export before a run is done." if sketch is None else sketch.lacks
        if sketch is None or why:
            self.message.setText(why)
            return None
        if self.shared_scale_box.isChecked():
            sketch = sketch.with_shared_scale
        return sketch.of_all_time if self.whole.isChecked() else sketch

    def _draw(self) -> None:
        sketch = self._sketched(self.kind)
        if sketch is None:
            self._picture = QPixmap()
            self.preview.clear()
            return
        if self._picture.isNull():
            self.preview.setText(_DRAWING)
        dpi = max(round(_PREVIEW_DPI * PrintOptions().width / sketch.how.width), 8)
        self._executor.submit(
            "preview of a figure", lambda _: sketch.render(".png", dpi), self._drawn, self._undrawn
        )

    def _drawn(self, data: bytes) -> None:
        if self._closed:
            return
        self._picture = QPixmap.fromImage(QImage.fromData(data))
        self.message.setText("")
        self._show_picture()

    def _undrawn(self, error: Exception) -> None:
        if not self._closed and self._picture.isNull():
            self.preview.clear()
        self._failed(error)

    def _show_picture(self) -> None:
        if self._picture.isNull():
            return
        ratio = self.devicePixelRatioF()
        shown = self._picture.scaled(
            self.preview.size() * ratio,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
        shown.setDevicePixelRatio(ratio)
        self.preview.setPixmap(shown)

    def _copied(self, suffix: str, data: bytes) -> None:
        mime = QMimeData()
        if suffix == ".png":
            mime.setImageData(QImage.fromData(data))
            mime.setData("image/png", data)
        else:
            mime.setData("image/svg+xml", data)
            mime.setText(data.decode("utf-8"))
        mime.setData(_OURS, b"figure")
        QGuiApplication.clipboard().setMimeData(mime)
        atexit.unregister(_clear_clipboard)
        atexit.register(_clear_clipboard)
        self._show_message("Copied")

    def _ask(self) -> None:
        """Let the user name a file, or for several figures a folder; then write."""
        kinds = self.chosen
        sketch = self._sketch(kinds[0], self.how)
        name = "figures" if sketch is None else sketch.request.trace.name
        if len(kinds) == 1:
            first = self.suffix
            # The chosen format stands first in the list of the dialog, since systems preselect that.
            filters = ";;".join(
                f"{suffix[1:].upper()} (*{suffix})" for suffix in sorted(_SUFFIXES, key=first.__ne__)
            )
            text, _ = QFileDialog.getSaveFileName(self, "Save", f"{name}-{kinds[0]}{first}", filters)
            if text and Path(text).suffix.lower() not in FORMATS:
                self.message.setText(f"{text}: a figure is saved as one of {', '.join(FORMATS)}")
            elif text:
                self.write({kinds[0]: Path(text)})
            return
        text = QFileDialog.getExistingDirectory(self, f"A folder for {plural(len(kinds), 'figure')}")
        if not text:
            return
        # Names of several files are made here, so the system asks about none of them: nothing is overwritten.
        paths = {kind: Path(text) / f"{name}-{kind}{self.suffix}" for kind in kinds}
        there = [path.name for path in paths.values() if os.path.lexists(path)]
        if there:
            self.message.setText(
                f"{text} has {', '.join(there)}: nothing was written. Choose another folder."
            )
        else:
            self.write(paths, own_names=True)

    def _show_message(self, text: str) -> None:
        if not self._closed:
            self.message.setText(text)
        self._say(text)

    def _failed(self, error: Exception) -> None:
        known = isinstance(error, InputError | OSError)
        text = str(error) if known else f"The figure failed: {error}"
        if self._closed:
            self._say(text)
        else:
            self.message.setText(text)


def _clear_clipboard() -> None:
    """Take data that Python made out of the clipboard before Qt ends, which would crash on them."""
    if QGuiApplication.instance() is None:
        return
    clipboard = QGuiApplication.clipboard()
    if clipboard.mimeData().hasFormat(_OURS):  # and not what was copied since, here or elsewhere
        clipboard.clear()


def _put(data: bytes, path: Path) -> None:
    path.write_bytes(data)


def _millimetres(least: float, most: float) -> QDoubleSpinBox:
    return QDoubleSpinBox(suffix=" mm", decimals=1, minimum=least, maximum=most)
