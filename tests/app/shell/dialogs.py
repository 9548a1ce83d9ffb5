"""Every dialog of the window, opened as its command does or with values that are always the same."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMessageBox, QProgressBar

from app.actions.answer_action import answer_for
from app.actions.open_options import open_with_options
from app.panels.administrators_dialog import AdministratorsDialog
from app.panels.data_dialog import DataDialog
from app.panels.dialogs import show_dialog
from app.panels.export_dialog import ExportDialog
from app.panels.guide import GuideDialog
from app.panels.notes_dialog import NotesDialog
from app.panels.opening.fetch_dialog import FetchDialog
from app.panels.policies.scale_choice import ScaleDialog
from app.panels.settings_page import SettingsPage
from app.panels.sources.queue_command import QueueCommandDialog
from app.shell.window import MainWindow
from engine.trace.trace import Note
from resources import example_path
from tests.app.windows import FCFS, open_dialog, schedule_of, settle
from views.widgets.elided_label import ElidedLabel

_SENTENCE = 5
"""Words of a sentence at least."""


def longest_wait(window: MainWindow) -> int:
    schedule = schedule_of(window, FCFS)
    return int(np.argmax(schedule.start - schedule.submit))


def notes() -> list[Note]:
    texts = (
        "jobs without a user",
        "jobs with a negative runtime; they are left out",
        "lines that are not jobs",
    )
    return [Note(f"note{k}", text, 10 + k, (4, 17, 120)) for k, text in enumerate(texts)]


def show_settings(window: MainWindow) -> None:
    """The settings, with folders that are the same for all."""
    page = SettingsPage(window.models, window, window)
    for label in page.findChildren(ElidedLabel):
        if Path(label.text()).is_absolute():
            label.setText("/home/user/folder")
    show_dialog(page)


def show_about(window: MainWindow) -> None:
    """What the program is, without the versions of its libraries, which differ between machines."""
    window.menus.offered.actions["about"].trigger()
    box = open_dialog(window)
    assert isinstance(box, QMessageBox)
    text = re.sub(r"<h3>.*</h3>|<p>Python .*</p>", "", box.text())
    assert text != box.text()
    box.setText(text)


def show_export(window: MainWindow) -> None:
    """The export of figures, with a preview that is soon drawn."""
    window.menus.exporter.ask()
    dialog = open_dialog(window)
    assert isinstance(dialog, ExportDialog)
    kinds = [dialog.kinds.item(row).data(Qt.ItemDataRole.UserRole) for row in range(dialog.kinds.count())]
    dialog.kinds.setCurrentRow(kinds.index("sizes"))


def is_at_work(dialog: QDialog) -> bool:
    """Whether it shows that, by its progress or such as `Drawing…` in the place of a preview."""
    labels = (label for label in dialog.findChildren(QLabel) if label.isVisible())
    progress = any(bar.isVisible() for bar in dialog.findChildren(QProgressBar))
    return progress or any(label.text().endswith("…") for label in labels)


def change_a_word(dialog: QDialog) -> None:
    """Turn the letters of a word round in a sentence that is in sight as a whole."""
    for label in dialog.findChildren(QLabel):
        word = re.search(r"\b[a-z]{5,7}\b", label.text())
        in_sight = label.visibleRegion().boundingRect().contains(label.contentsRect())
        if in_sight and word is not None and len(label.text().split()) >= _SENTENCE:
            label.setText(label.text().replace(word[0], word[0][::-1], 1))
            QApplication.processEvents()
            return
    pytest.fail("no sentence is in sight")


WITH_SENTENCES = ("what-if", "queue-command", "edit", "administrators")
"""Some dialogs that have sentences."""


def show_options(window: MainWindow) -> None:
    """Open the dialog of a log's options, which waits until its file was looked at."""
    open_with_options(window.models, window.opener, example_path(), window)
    settle(window)


DIALOGS: dict[str, Callable[[MainWindow], object]] = {
    "add": lambda window: window.editor.add(),
    "edit": lambda window: window.editor.edit(FCFS),
    "export": show_export,
    "settings": show_settings,
    "queue-command": lambda window: show_dialog(
        QueueCommandDialog("ssh login squeue --json", lambda _: None, window)
    ),
    "what-if": lambda window: show_dialog(ScaleDialog(window.workbench, None, window)),
    "help": lambda window: show_dialog(GuideDialog(window)),
    "keys": lambda window: window.menus.offered.actions["keys"].trigger(),
    "options": show_options,
    "fetch": lambda window: show_dialog(
        FetchDialog(Path("/logs"), window.open_path, window.workbench.executor, window)
    ),
    "notes": lambda window: show_dialog(NotesDialog("site.swf", notes(), window)),
    "administrators": lambda window: show_dialog(
        AdministratorsDialog([f"user{k}" for k in range(12)], ["user3", "user7"], lambda _: None, window)
    ),
    "answer": lambda window: answer_for(window.models, longest_wait(window), window),
    "data": lambda window: show_dialog(
        DataDialog("Jobs", "Twelve jobs.", [("job", range(12)), ("wait, s", range(0, 1200, 100))], window)
    ),
    "find": lambda window: window.menus.offered.actions["find"].trigger(),
    "palette": lambda window: window.menus.offered.actions["palette"].trigger(),
    "about": show_about,
}
