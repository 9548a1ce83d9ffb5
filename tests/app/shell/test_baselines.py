"""Pictures of every page and dialog in two themes, compared with those that are kept.

They are small, and compared in blocks, so that another font changes little. Where one differs, a picture of
both and of their difference is written. `BATCHSCOPE_PICTURES=write` writes them anew: look at them then.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QCursor, QImage
from PySide6.QtWidgets import QApplication, QStackedWidget, QToolTip, QWidget

from app.panels.tour import Tour
from app.shell.fault_notices import copy_answer
from app.shell.fault_words import fault_text
from app.shell.window import MainWindow
from tests.app.shell.dialogs import DIALOGS
from tests.app.windows import open_dialog, settle
from views.catalog import ALL, NAMES

FOLDER = Path(__file__).parent / "pictures"
SIZE, SMALL, BLOCK = QSize(1280, 800), QSize(160, 100), 10
"""Pixels of the window, of a picture that is kept, and of a block of that."""

BLOCK_MOST, WHOLE_MOST = 26.0, 6.0
"""By how much, of 255, a block and blocks on average may differ. Letters with serifs differ by 19."""

THEMES = ("light", "dark")
Levels = NDArray[np.float64]


def small(widget: QWidget) -> QImage:
    """A widget as it is seen, on a ground as large as the window, made small."""
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    mode, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    return picture.scaled(SMALL, mode, smooth)


def levels(image: QImage) -> Levels:
    """Red, green and blue, shape (height, width, 3)."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).astype(float)


def differences(first: Levels, second: Levels) -> Levels:
    """By how much the means of blocks differ, shape (rows, columns)."""
    tall, wide = first.shape[0] // BLOCK, first.shape[1] // BLOCK

    def blocks(picture: Levels) -> Levels:
        cut = picture[: tall * BLOCK, : wide * BLOCK]
        return np.asarray(cut.reshape(tall, BLOCK, wide, BLOCK, 3).mean(axis=(1, 3)))

    return np.asarray(np.abs(blocks(first) - blocks(second)).max(axis=2))


def write_difference(kept: Levels, found: Levels, path: Path) -> None:
    """What is kept, what was found, and the difference, side by side."""
    changed = np.abs(kept - found)
    whole = np.ascontiguousarray(np.concatenate((kept, found, changed), axis=1).astype(np.uint8))
    height, width = whole.shape[:2]
    image = QImage(whole.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    assert image.scaled(3 * width, 3 * height).save(str(path))


def compare(widget: QWidget, name: str, folder: Path) -> None:
    """Compare with the picture of this name, or write it if that is wanted."""
    found, path = small(widget), FOLDER / f"{name}.png"
    if os.environ.get("BATCHSCOPE_PICTURES") == "write":
        assert found.save(str(path))
        return
    kept = QImage(str(path))
    assert not kept.isNull(), f"{path} is missing: write it with BATCHSCOPE_PICTURES=write"
    first, second = levels(kept), levels(found)
    blocks = differences(first, second)
    block, whole = float(blocks.max()), float(blocks.mean())
    if block > BLOCK_MOST or whole > WHOLE_MOST:
        difference = folder / f"{name}.png"
        write_difference(first, second, difference)
        pytest.fail(f"{name} looks otherwise ({block:.0f} in a block, {whole:.1f} on average): {difference}")


def still(window: MainWindow) -> None:
    """Nothing under the mouse, nothing blinks."""
    QCursor.setPos(window.mapToGlobal(QPoint(2, window.height() - 2)))
    QToolTip.hideText()
    window.setFocus()
    settle(window)


@pytest.fixture(scope="module")
def plain(module_window: MainWindow) -> MainWindow:
    """The window of the file at the size of the pictures."""
    window = module_window
    window.status.memory.hide()
    window.resize(SIZE)
    window.view.choose(view=ALL, tabs_open=False)
    still(window)
    return window


def dress(window: MainWindow, theme: str) -> None:
    """Another theme takes a while: it is set only where it is another."""
    if window.theme_name != theme:
        window.set_theme("dark" if theme == "dark" else "light")


@pytest.mark.parametrize("view", NAMES)
@pytest.mark.parametrize("theme", THEMES)
def test_a_page_looks_as_it_did(plain: MainWindow, tmp_path: Path, view: str, theme: str) -> None:
    dress(plain, theme)
    plain.show_view(view)
    still(plain)
    compare(plain, f"{view}-{theme}", tmp_path)


@pytest.mark.parametrize("theme", THEMES)
def test_the_start_page_looks_as_it_did(plain: MainWindow, tmp_path: Path, theme: str) -> None:
    dress(plain, theme)
    stack = plain.start_page.parentWidget()
    assert isinstance(stack, QStackedWidget)
    before = stack.currentWidget()
    stack.setCurrentWidget(plain.start_page)
    plain.start_page.last.hide()
    settle(plain)
    compare(plain.start_page, f"start-{theme}", tmp_path)
    stack.setCurrentWidget(before)


def test_another_picture_is_found_and_both_are_drawn(plain: MainWindow, tmp_path: Path) -> None:
    if os.environ.get("BATCHSCOPE_PICTURES") == "write":
        pytest.skip("pictures are written")
    plain.set_theme("light")
    plain.show_view("table")
    still(plain)
    with pytest.raises(pytest.fail.Exception, match="looks otherwise"):
        compare(plain, "timeline-light", tmp_path)
    written = QImage(str(tmp_path / "timeline-light.png"))
    assert written.width() == 9 * SMALL.width()


def test_the_pictures_are_small() -> None:
    pictures = list(FOLDER.glob("*.png"))
    assert len(pictures) >= 2 * len(NAMES)
    assert sum(path.stat().st_size for path in pictures) < 2_000_000


@pytest.mark.parametrize("name", DIALOGS)
@pytest.mark.parametrize("theme", THEMES)
def test_a_dialog_looks_as_it_did(plain: MainWindow, tmp_path: Path, name: str, theme: str) -> None:
    dress(plain, theme)
    plain.show_view(ALL)
    settle(plain)
    DIALOGS[name](plain)
    settle(plain)
    dialog = open_dialog(plain)
    QApplication.processEvents()
    compare(dialog, f"dialog-{name}-{theme}", tmp_path)
    dialog.reject()
    settle(plain)


@pytest.mark.parametrize("theme", THEMES)
def test_the_tour_looks_as_it_did(plain: MainWindow, tmp_path: Path, theme: str) -> None:
    dress(plain, theme)
    plain.show_view(ALL)
    still(plain)
    tour = plain.touring.start()
    for step in (0, len(tour.steps) - 1):
        tour.show_step(step)
        settle(plain)
        compare(plain, f"tour-{step + 1}-{theme}", tmp_path)
    tour.close()
    assert not any(each_tour.isVisible() for each_tour in plain.findChildren(Tour))


@pytest.mark.parametrize("theme", THEMES)
def test_the_report_of_a_fault_looks_as_it_did(plain: MainWindow, tmp_path: Path, theme: str) -> None:
    dress(plain, theme)
    plain.show_view(ALL)
    text = fault_text(ZeroDivisionError("division by zero"), saved=True)
    report = "Traceback (most recent call last):\n  File nowhere, line 1\nZeroDivisionError: division by zero"
    plain.messages.show_message(text, report, copy_answer(report), stays=True)
    plain.messages.newest.more.click()
    still(plain)
    compare(plain, f"fault-{theme}", tmp_path)
    plain.messages.clear()
    settle(plain)
