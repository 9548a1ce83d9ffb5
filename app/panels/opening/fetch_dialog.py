"""The download of a log of the Parallel Workloads Archive: its name, the target folder, and the
acknowledgement.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.model.fetching import Fetching, LogFolder
from engine.fetch import logs
from engine.fetch.download import MAX_BYTES
from engine.fetch.logs import BASE, ArchiveLog
from engine.input import user_path
from views.text.tooltips import as_tip
from views.work.executor import Executor

_MIB = 1 << 20
_TICK_MS = 100
_THERE, _PART = "here", "partly"


class FetchDialog(QDialog):
    """Dialog with the list of logs; a log is downloaded into a folder, and opened from there by `open_path`.

    An interrupted or cancelled download is kept in part, and continues the next time.
    """

    def __init__(
        self,
        folder: Path,
        open_path: Callable[[Path], object],
        executor: Executor,
        parent: QWidget | None = None,
        base: str = BASE,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Fetch a log of the Parallel Workloads Archive")
        self._open_path = open_path
        self._ready: Path | None = None  # what was fetched last, or was there
        self._seen: LogFolder | None = None  # the folder as it was looked at; None until that is known
        self._told = False  # the message tells how the last download ended
        self.fetching = Fetching(executor, self, base)
        self._lay_out(folder)
        self._ticking = QTimer(self, interval=_TICK_MS)
        self._ticking.timeout.connect(self._tick)
        self._connect()
        self._mark()
        self.list.setCurrentItem(self._items[0])

    @property
    def log(self) -> ArchiveLog:
        """The log that is chosen."""
        return logs.LOGS[max(self.list.indexOfTopLevelItem(self.list.currentItem()), 0)]

    @property
    def target(self) -> Path:
        """The folder that logs are fetched into."""
        return user_path(self.folder.text())

    def done(self, result: int) -> None:
        """Also stop the download; the downloaded part is kept."""
        self._ticking.stop()
        self.fetching.cancel()
        super().done(result)

    def _lay_out(self, folder: Path) -> None:
        # The logs of the archive, with what is in the folder already.
        self.list = QTreeWidget(self)
        self.list.setHeaderLabels(["Log", "Machine", "In the folder"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setAccessibleName("Logs of the archive")
        self._items = [QTreeWidgetItem([log.name, log.about, ""]) for log in logs.LOGS]
        self.list.addTopLevelItems(self._items)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        # Where to, and how much at most.
        self.folder = QLineEdit(str(folder), self)
        self.folder.setToolTip(
            "Where the log is stored; it is downloaded once, and opened from there afterwards"
        )
        self.browse = QToolButton(self)
        self.browse.setText("…")
        self.browse.setToolTip("Choose a folder")
        self.browse.setAccessibleName("Choose a folder")
        self.limit = QSpinBox(self)
        self.limit.setRange(1, 64 * 1024)
        self.limit.setSuffix(" MiB")
        self.limit.setValue(MAX_BYTES // _MIB)
        self.limit.setToolTip("Larger compressed files are refused")
        line = QHBoxLayout()
        line.setSpacing(2)
        line.addWidget(self.folder, 1)
        line.addWidget(self.browse)
        form = QFormLayout()
        where = QLabel("F&older", self)
        where.setBuddy(self.folder)
        form.addRow(where, line)
        form.addRow("&Maximum size", self.limit)
        self.message = QLabel("", self, wordWrap=True)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.message.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        # The bar keeps its line while hidden, so that the dialog does not jump when a download begins.
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 1000)
        self.progress.setAccessibleName("Progress of fetching")
        self.progress.hide()
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(policy)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.act = QPushButton("&Fetch", self)
        self.act.setDefault(True)
        self.stop = QPushButton("&Stop", self)
        self.stop.setToolTip("The downloaded part is kept, and the next download continues from there")
        self.buttons.addButton(self.act, QDialogButtonBox.ButtonRole.ActionRole)
        self.buttons.addButton(self.stop, QDialogButtonBox.ButtonRole.ActionRole)
        column = QVBoxLayout(self)
        column.addWidget(self.list, 1)
        column.addLayout(form)
        for part in (self.message, self.progress, self.buttons):
            column.addWidget(part)
        # As wide as the longest entries need without scrolling.
        wide = sum(map(self.list.sizeHintForColumn, range(2))) + self.list.header().sectionSizeHint(2)
        margins = column.contentsMargins()
        bar = self.list.verticalScrollBar().sizeHint().width()
        around = margins.left() + margins.right() + 2 * self.list.frameWidth() + bar
        self.resize(max(640, wide + around), 560)

    def _connect(self) -> None:
        self.list.currentItemChanged.connect(self._choose_other)
        self.list.itemActivated.connect(self._act)
        self.folder.textChanged.connect(self._mark_other)
        self.browse.clicked.connect(self._ask_folder)
        self.act.clicked.connect(self._act)
        self.stop.clicked.connect(self._stop)
        self.buttons.rejected.connect(self.reject)
        self.fetching.fetched.connect(self._show_fetched)
        self.fetching.failed.connect(self._show_failed)
        self.fetching.looked.connect(self._show_folder)

    def _mark(self) -> None:
        """Have the folder looked at; what is known of it stays meanwhile."""
        self.fetching.look(self.target)
        self._choose()

    def _mark_other(self) -> None:
        """Have another folder looked at; until then nothing is known of it, and nothing can be done."""
        self._told, self._seen = False, None
        self._mark()

    def _choose_other(self) -> None:
        self._told = False
        self._choose()

    def _show_folder(self, seen: LogFolder) -> None:
        """Show for each log whether it is in the folder, and enable the actions for the chosen log."""
        if seen.path != self.target:
            return  # of a folder whose name was typed further
        self._seen = seen
        for item, log in zip(self._items, logs.LOGS, strict=True):
            item.setText(2, _THERE if log.name in seen.whole else _PART if log.name in seen.begun else "")
        self._choose()
        if self._told:
            self.act.setFocus()  # it opens what was fetched, or goes on with it

    def _choose(self) -> None:
        seen = self._seen if self._seen is not None else LogFolder(self.target)
        is_whole, is_begun = self.log.name in seen.whole, self.log.name in seen.begun
        self._ready = self.target / self.log.file if is_whole else None
        self.act.setText("&Open" if is_whole else "&Continue" if is_begun else "&Fetch")
        if not self._told:
            self.message.setText(as_tip(f"{self.log.url(self.fetching.base)}"))
        self._show_state()

    def _show_state(self) -> None:
        busy = self.fetching.busy
        self.act.setEnabled(not busy and self._seen is not None and not self.fetching.looking)
        self.stop.setEnabled(busy)
        for part in (self.list, self.folder, self.browse, self.limit):
            part.setEnabled(not busy)
        self.progress.setVisible(busy)

    def _act(self) -> None:
        """Fetch the chosen log, or open it where it is there."""
        if self.fetching.busy or self._seen is None:
            return
        if self._ready is not None:
            path = self._ready
            self.accept()
            self._open_path(path)
            return
        self.message.setText(as_tip(f"Fetching {self.log.url(self.fetching.base)}…"))
        self.progress.setValue(0)
        self.fetching.fetch(self.log, self.target, self.limit.value() * _MIB)
        self._ticking.start()
        self._show_state()

    def _stop(self) -> None:
        self.fetching.cancel()
        self._tell("Stopped; the next download continues from here.")

    def _tick(self) -> None:
        done = self.fetching.progress
        if done is not None:
            self.progress.setValue(round(1000 * done))

    def _show_fetched(self, path: Path, thanks: str) -> None:
        whom = f"Acknowledge: {thanks}; the Parallel Workloads Archive." if thanks else ""
        self._tell(f"{path.name} is downloaded completely. {whom}")

    def _show_failed(self, error: Exception) -> None:
        self._tell(str(error))

    def _tell(self, words: str) -> None:
        """Say how a download ended; the words stay until another log or folder is chosen."""
        self._ticking.stop()
        self._told = True
        self.message.setText(as_tip(words))
        self._mark()

    def _ask_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of logs", self.folder.text())
        if name:
            self.folder.setText(name)
