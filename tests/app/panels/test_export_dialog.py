"""The dialog that prints figures: what is previewed is what is written."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.panels.export_dialog import ExportDialog
from app.shell.window import MainWindow
from tests.app.windows import open_dialog, settle


@pytest.fixture
def dialog(same_window: MainWindow, qtbot: QtBot) -> Iterator[ExportDialog]:
    same_window.menus.exporter.ask()
    dialog = open_dialog(same_window)
    assert isinstance(dialog, ExportDialog)
    row = next(k for k in range(dialog.kinds.count()) if dialog.kinds.item(k).text() == "Hours")
    dialog.kinds.setCurrentRow(row)
    wait(qtbot, dialog)
    yield dialog
    dialog.reject()
    settle(same_window)


def wait(qtbot: QtBot, dialog: ExportDialog) -> None:
    """Until the preview is drawn anew."""
    shown = dialog.preview.pixmap().cacheKey()
    dialog._soon.start()
    qtbot.waitUntil(lambda: dialog.preview.pixmap().cacheKey() != shown, timeout=60_000)


def shape(dialog: ExportDialog) -> float:
    """Height of the preview, in widths of it."""
    picture = dialog.preview.pixmap()
    return picture.height() / picture.width()


def test_the_preview_has_the_shape_of_the_file(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.paper.setCurrentIndex(1)
    assert (dialog.width_mm.value(), dialog.points.value()) == (85.0, 7.0)
    wait(qtbot, dialog)
    path = tmp_path / "hours.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(path.is_file, timeout=60_000)
    picture = QImage(str(path))
    assert picture.width() == pytest.approx(85 / 25.4 * 200, abs=2)
    assert picture.height() / picture.width() == pytest.approx(shape(dialog), rel=0.02)


def test_without_a_title_it_is_lower_and_a_size_of_ones_own_is_no_paper(
    dialog: ExportDialog, qtbot: QtBot
) -> None:
    before = shape(dialog)
    dialog.titled.setChecked(False)
    dialog.provenance.setChecked(False)
    wait(qtbot, dialog)
    assert shape(dialog) < before
    dialog.width_mm.setValue(100)
    assert dialog.paper.currentText() == "Another size"
    assert dialog.how.width == pytest.approx(100 / 25.4)


def formats() -> list[str]:
    """What the clipboard holds; nothing where it holds nothing."""
    data = QGuiApplication.clipboard().mimeData()
    return [] if data is None else data.formats()


def test_it_is_copied_as_a_picture_and_as_svg(dialog: ExportDialog, qtbot: QtBot) -> None:
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    qtbot.mouseClick(dialog.copy_picture, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "image/png" in formats(), timeout=60_000)
    qtbot.mouseClick(dialog.copy_svg, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "image/svg+xml" in formats(), timeout=60_000)
    assert clipboard.text().startswith("<?xml")


def test_several_views_go_into_a_folder_that_has_none_of_them(
    dialog: ExportDialog, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    for row in range(dialog.kinds.count()):
        if dialog.kinds.item(row).text() in ("Hours", "Job sizes"):
            dialog.kinds.item(row).setCheckState(Qt.CheckState.Checked)
    assert dialog.save.text() == "&Save 2 figures…"
    dialog.format.setCurrentText("SVG")
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.message.text().startswith("Wrote "), timeout=60_000)
    files = sorted(path.name.rpartition("-")[2] for path in tmp_path.iterdir())
    assert files == ["hours.svg", "sizes.svg"]
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert "nothing was written" in dialog.message.text()


def test_all_runs_on_one_scale_whatever_is_seen(same_window: MainWindow, dialog: ExportDialog) -> None:
    view = same_window.view
    before = view.options.heatmaps
    view.choose(heatmaps=replace(before, shared_scale=False))
    received = []
    for state in (False, True):
        dialog.shared_scale_box.setChecked(state)
        sketch = dialog._sketched("heatmap")
        assert sketch is not None
        received.append(sketch.request.options.heatmaps.shared_scale)
    view.choose(heatmaps=before)
    assert received == [False, True]


def test_what_cannot_be_drawn_is_reported(dialog: ExportDialog, qtbot: QtBot) -> None:
    dialog.height_mm.setValue(5)
    qtbot.waitUntil(lambda: "it is 20 to 3000 mm" in dialog.message.text(), timeout=60_000)


def test_drawing_is_reported_until_there_is_a_picture(same_window: MainWindow, qtbot: QtBot) -> None:
    same_window.menus.exporter.ask()
    dialog = open_dialog(same_window)
    assert isinstance(dialog, ExportDialog)
    assert dialog.preview.text() == "Drawing…"
    qtbot.waitUntil(lambda: not dialog.preview.pixmap().isNull(), timeout=60_000)
    assert dialog.preview.text() == ""
    dialog.reject()
    settle(same_window)
