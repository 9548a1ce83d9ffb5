"""Pictures of every page and dialog in two themes, compared with those that are kept.

They have half the size, at which a sentence shows, and the fonts of the tests (`tests/fonts`), which are
drawn without hinting. Where a picture differs, both and their difference are written.
`BATCHSCOPE_PICTURES=write` writes them anew, in the change that changes them: look at them then.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QCursor, QFontDatabase, QImage
from PySide6.QtWidgets import QApplication, QStackedWidget, QTextBrowser, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from app.panels.guide import GuideDialog
from app.panels.tour import Tour
from app.shell.fault_notices import copy_answer
from app.shell.fault_words import fault_text
from app.shell.window import MainWindow
from tests.app.shell.dialogs import DIALOGS, WITH_SENTENCES, change_a_word, is_at_work
from tests.app.windows import open_dialog, settle
from tests.guide_pictures import with_few_colours
from views.catalog import ALL, NAMES
from views.tables.runs_table import RunsTable

FOLDER = Path(__file__).parent / "pictures"
SIZE, BLOCK = QSize(1280, 800), 8
"""Pixels of the window, and of a block of a picture that is kept, which is half as wide and high."""

COLOURS_MOST = 6.5
"""By how much, of 255, the pixels of a block may differ on average because a file has few colours."""

BLOCK_MOST = 8.5
"""By how much they may differ in all. What is unchanged differs by the few colours of its file alone.

Of 226 words of dialogs that were replaced by others as long, each in sight differed by more than 10.
"""

WAIT_MS = 120_000
"""For the preview of a figure, on a machine that does much else."""

THEMES = ("light", "dark")
WRITES = os.environ.get("BATCHSCOPE_PICTURES") == "write"
compares = pytest.mark.skipif(WRITES, reason="pictures are written")
Levels = NDArray[np.float64]


def small(widget: QWidget) -> QImage:
    """A widget as it is seen, at half its size."""
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    mode, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
    return picture.scaled(picture.size() / 2, mode, smooth)


def levels(image: QImage) -> Levels:
    """Red, green and blue, shape (height, width, 3)."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).astype(float)


def differences(first: Levels, second: Levels) -> Levels:
    """By how much the pixels of blocks differ on average, shape (rows, columns): of the rest of edges too."""
    changed = np.abs(first - second).max(axis=2)
    tall, wide = (-side % BLOCK for side in changed.shape)
    whole = np.pad(changed, ((0, tall), (0, wide)))
    rows, columns = (side // BLOCK for side in whole.shape)
    return np.asarray(whole.reshape(rows, BLOCK, columns, BLOCK).mean(axis=(1, 3)))


def write_difference(kept: Levels, found: Levels, path: Path) -> None:
    """What is kept, what was found, and the difference, side by side."""
    changed = np.abs(kept - found)
    whole = np.ascontiguousarray(np.concatenate((kept, found, changed), axis=1).astype(np.uint8))
    height, width = whole.shape[:2]
    image = QImage(whole.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    assert image.save(str(path))


def in_enough_colours(picture: QImage) -> QImage:
    """The picture in few colours, or itself where these are too few."""
    coarse = with_few_colours(picture)
    return picture if differences(levels(picture), levels(coarse)).max() > COLOURS_MOST else coarse


def compare(widget: QWidget, name: str, folder: Path) -> None:
    """Compare with the picture of this name, or write it if that is wanted."""
    if isinstance(widget, MainWindow):  # what the status line measures is never the same
        widget.status.memory.hide()
        widget.status.engine.hide()
        QApplication.sendPostedEvents()
    found, path = small(widget), FOLDER / f"{name}.png"
    if WRITES:
        assert in_enough_colours(found).save(str(path), "PNG", 0)
        return
    kept = QImage(str(path))
    assert not kept.isNull(), f"{path} is missing: write it with BATCHSCOPE_PICTURES=write"
    assert found.size() == kept.size(), f"{name} has another size"
    first, second = levels(kept), levels(found)
    block = float(differences(first, second).max())
    if block > BLOCK_MOST:
        difference = folder / f"{name}.png"
        write_difference(first, second, difference)
        pytest.fail(f"{name} looks otherwise (by {block:.0f} in a block): {difference}")


def still(window: MainWindow) -> None:
    """Nothing under the mouse, nothing blinks."""
    QCursor.setPos(window.mapToGlobal(QPoint(2, window.height() - 2)))
    QToolTip.hideText()
    window.setFocus()
    settle(window)


@pytest.fixture
def plain(module_window: MainWindow) -> MainWindow:
    """The window of the file at the size of the pictures, which it gets once."""
    window = module_window
    if window.size() != SIZE:
        window.resize(SIZE)
        runs = window.page.view("runs", RunsTable)
        runs.hide_columns({*runs.hidden, "seconds"})  # computing times
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


@compares
def test_another_picture_is_found_and_both_are_drawn(plain: MainWindow, tmp_path: Path) -> None:
    plain.set_theme("light")
    plain.show_view("table")
    still(plain)
    with pytest.raises(pytest.fail.Exception, match="looks otherwise"):
        compare(plain, "timeline-light", tmp_path)
    written = QImage(str(tmp_path / "timeline-light.png"))
    assert written.width() == 3 * SIZE.width() // 2


@compares
@pytest.mark.parametrize("theme", THEMES)
def test_another_word_of_the_guide_is_noticed(plain: MainWindow, tmp_path: Path, theme: str) -> None:
    dress(plain, theme)
    plain.show_view(ALL)
    settle(plain)
    DIALOGS["help"](plain)
    settle(plain)
    dialog = open_dialog(plain)
    assert isinstance(dialog, GuideDialog)
    word = dialog.page.document().find("minutes")
    assert not word.isNull()
    word.insertText("moments")
    QApplication.processEvents()
    with pytest.raises(pytest.fail.Exception, match="looks otherwise"):
        compare(dialog, f"dialog-help-{theme}", tmp_path)
    dialog.reject()
    settle(plain)


@compares
@pytest.mark.parametrize("name", WITH_SENTENCES)
@pytest.mark.parametrize("theme", THEMES)
def test_another_word_of_a_dialog_is_noticed(
    qtbot: QtBot, plain: MainWindow, tmp_path: Path, name: str, theme: str
) -> None:
    dress(plain, theme)
    plain.show_view(ALL)
    DIALOGS[name](plain)
    settle(plain)
    dialog = open_dialog(plain)
    qtbot.waitUntil(lambda: not is_at_work(dialog), timeout=WAIT_MS)
    change_a_word(dialog)
    with pytest.raises(pytest.fail.Exception, match="looks otherwise"):
        compare(dialog, f"dialog-{name}-{theme}", tmp_path)
    dialog.reject()
    settle(plain)


def test_texts_are_drawn_in_the_fonts_of_the_tests(qapp: QApplication) -> None:
    names_of_kinds = {"Monospace", "Sans Serif", "Serif"}
    assert set(QFontDatabase.families()) - names_of_kinds == {"DejaVu Sans", "DejaVu Sans Mono"}


def test_the_pictures_are_small() -> None:
    pictures = list(FOLDER.glob("*.png"))
    assert len(pictures) >= 2 * len(NAMES)
    assert sum(path.stat().st_size for path in pictures) < 2_300_000


@pytest.mark.parametrize("name", DIALOGS)
@pytest.mark.parametrize("theme", THEMES)
def test_a_dialog_looks_as_it_did(
    qtbot: QtBot, plain: MainWindow, tmp_path: Path, name: str, theme: str
) -> None:
    dress(plain, theme)
    plain.show_view(ALL)
    settle(plain)
    DIALOGS[name](plain)
    settle(plain)
    dialog = open_dialog(plain)
    qtbot.waitUntil(lambda: not is_at_work(dialog), timeout=WAIT_MS)
    for browser in dialog.findChildren(QTextBrowser):
        browser.document().size()  # Qt lays long texts out in pieces, by which scroll bars have their handles
    settle(plain)
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
