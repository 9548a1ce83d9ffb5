#!/usr/bin/env python3
"""Draws the PNGs of the icon from its SVG: `.venv/bin/python packaging/icons.py`, after a change of that."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "desktop"
SIZES = (16, 32, 48, 64, 128, 256)


def draw(folder: Path) -> None:
    """Write `batchscope-SIZE.png` for each size."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    application = QGuiApplication.instance() or QGuiApplication([])
    renderer = QSvgRenderer(str(FOLDER / "batchscope.svg"))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        image.save(str(folder / f"batchscope-{size}.png"))
    del application


if __name__ == "__main__":
    draw(FOLDER)
