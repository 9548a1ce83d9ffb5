"""What a change of rules is asked by: the site's files before and after it, and its date."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QDate, QDateTime, QSignalBlocker, QTime, QTimeZone, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDateTimeEdit, QPushButton, QWidget

from views.text.tooltips import as_tip

_FORMAT = "yyyy-MM-dd HH:mm:ss"
_LONGEST = 28
"""Letters of a path that are seen on a button."""


class SiteButton(QPushButton):
    """A button that names the files of a site and asks for others; files can be dropped on it.

    `chosen` carries the path that was dropped.
    """

    chosen = Signal(object)

    def __init__(self, title: str, about: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._about = title, about
        self.path = ""
        self.setAcceptDrops(True)
        self.show_path("")

    def show_path(self, path: str) -> None:
        """Name the files; empty: none are chosen yet."""
        self.path = path
        parts = Path(path).parts
        short = "/".join(parts[-2:]) if len(parts) > 1 else path
        short = f"…{short[-_LONGEST:]}" if len(short) > _LONGEST else short
        self.setText(f"{self._title}: {short.replace('&', '&&')}" if path else f"{self._title}…")
        known = f"now {path}" if path else "none are chosen yet"
        self.setToolTip(as_tip(f"{self._about}: {known}. A folder or a slurm.conf can be dropped here"))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = _dropped(event)
        if path is not None:
            event.acceptProposedAction()
            self.chosen.emit(path)


def _dropped(event: QDropEvent) -> Path | None:
    """The first file or folder of this computer that is dropped."""
    return next((Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()), None)


class DateEdit(QDateTimeEdit):
    """The date of a change, in the log's own time zone, whatever that of this computer is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTimeZone(QTimeZone.utc())  # which moves no date that is typed
        self.setDisplayFormat(_FORMAT)
        self.setCalendarPopup(True)
        self.setAccessibleName("Date of the change")

    @property
    def text_of_date(self) -> str:
        """The date as ISO text."""
        return self.dateTime().toString("yyyy-MM-ddTHH:mm:ss")

    def show_span(self, first: datetime, last: datetime, zone: str) -> None:
        """Allow the dates of a log, and show that in its middle."""
        with QSignalBlocker(self):
            self.setDateTimeRange(_qt(first), _qt(last))
            self.setDateTime(_qt(first + (last - first) / 2))
        span = f"{first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M}"
        self.setToolTip(as_tip(f"When the rules changed, by the log's time zone ({zone}): {span}"))

    def show_date(self, text: str) -> None:
        """Show a date given as ISO text, unless it cannot be read or lies outside of the log."""
        try:
            date = _qt(datetime.fromisoformat(text))
        except ValueError:
            return
        if self.minimumDateTime() <= date <= self.maximumDateTime():
            with QSignalBlocker(self):
                self.setDateTime(date)


def _qt(date: datetime) -> QDateTime:
    """The date without its zone, as Qt has it."""
    return QDateTime(
        QDate(date.year, date.month, date.day),
        QTime(date.hour, date.minute, date.second),
        QTimeZone.utc(),
    )
