"""Threads beside the GUI's: how far they give way to it, and what they may not be first to need."""

from __future__ import annotations

from PySide6 import QtCore, QtGui

from engine.system import set_thread_niceness

NICE_RENDERING = 5
NICE_BACKGROUND = 10
"""Niceness of threads that make pictures, and of those that simulate or write files; the GUI's has 0."""

_PAINTERS_CLASSES = (
    QtCore.QByteArray,
    QtCore.QLine,
    QtGui.QFontInfo,
    QtGui.QFontMetrics,
    QtGui.QGlyphRun,
    QtGui.QGradient,
    QtGui.QPainterPath,
    QtGui.QPicture,
    QtGui.QPolygon,
    QtGui.QRegion,
    QtGui.QRgba64,
    QtGui.QStaticText,
    QtGui.QTextItem,
    QtGui.QTextOption,
)
"""Classes of Qt that a QPainter needs beside those that charts import: naming them here makes them.

PySide creates a class on first use, and if two threads use it at once one may find it half made.
Pictures of Gantt charts, with their labels, are painted in several threads."""


def set_nice(nice: int) -> None:
    """Set the niceness of the calling thread, like `nice` for processes; only Linux has it for threads."""
    set_thread_niceness(nice)
