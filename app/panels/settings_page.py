"""The settings page: options for all windows and later traces. Changes apply at once."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt, QUrl, SignalInstance
from PySide6.QtGui import QDesktopServices, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.model.models import Models
from app.model.settings import TEXT_SIZES, Settings, settings_path
from app.panels.dialogs import HighArea
from app.panels.policies.share_choice import use_share
from app.session.autosave import autosave_folder
from engine.errors import InputError
from engine.policy.policy import parse_policy
from views.text.tooltips import as_tip, tip
from views.theme.apply import apply_text_size
from views.theme.theme import ThemeName
from views.widgets.awaited_work import read_spelled
from views.widgets.elided_label import ElidedLabel

THEMES: dict[ThemeName, str] = {"system": "As the system", "light": "Light", "dark": "Dark"}
MOST_POLICIES = 16


class Themes(Protocol):
    """The part of the program that knows and changes the theme."""

    @property
    def theme_name(self) -> ThemeName:
        """The name of the present theme."""

    @property
    def theme_changed(self) -> SignalInstance:
        """Signal of another theme."""

    def set_theme(self, name: ThemeName) -> None:
        """Use this theme, and remember it."""


def use_text_size(settings: Settings, points: int) -> None:
    """Write all text in this size, one of TEXT_SIZES, or as the desktop has it (0); the settings keep it."""
    app = QApplication.instance()
    if isinstance(app, QApplication):
        apply_text_size(app, points)
    if settings.text_size != points:
        settings.text_size = points


def step_text_size(settings: Settings, step: int) -> None:
    """Write all text by a step larger (1) or smaller (-1), as far as it can be chosen."""
    present = settings.text_size or QApplication.font().pointSize()
    wanted = min(max(present + step, TEXT_SIZES[0]), TEXT_SIZES[-1])
    use_text_size(settings, wanted)


class SettingsPage(QDialog):
    """Dialog of settings: look, policies of a new trace, and where files lie."""

    def __init__(self, models: Models, themes: Themes, window: QWidget) -> None:
        super().__init__(window)
        self.setWindowTitle("Settings")
        self._models, self._themes = models, themes
        inside = QWidget(self)
        boxes = QVBoxLayout(inside)
        boxes.setContentsMargins(0, 0, 0, 0)
        for box in (self._make_look(), self._make_runs(), self._make_files()):
            boxes.addWidget(box)
        self.area = HighArea(self)
        self.area.setWidget(inside)
        column = QVBoxLayout(self)
        column.addWidget(self.area, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.defaults = buttons.addButton("Defaults", QDialogButtonBox.ButtonRole.ResetRole)
        self.defaults.setToolTip("Reset this page to the defaults; recent files and layouts stay")
        # Otherwise Return in a field would press this button and reset the page.
        self.defaults.setAutoDefault(False)
        self.defaults.clicked.connect(self._reset)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        # The fields are filled before the size is asked for, which depends on their texts.
        self._show()
        hint = self.sizeHint()
        self.resize(max(560, hint.width()), hint.height())

    def _make_look(self) -> QGroupBox:
        box = QGroupBox("Look", self)
        self.theme = QComboBox(box)
        for label in THEMES.values():
            self.theme.addItem(label)
        self.theme.activated.connect(lambda index: self._themes.set_theme(list(THEMES)[index]))
        self.text_size = QComboBox(box)
        self.text_size.addItem("As the system", 0)
        for points in TEXT_SIZES:
            self.text_size.addItem(f"{points} points", points)
        self.text_size.setToolTip("Of all text, also in charts (Ctrl++, Ctrl+-, Ctrl+0)")
        self.text_size.activated.connect(
            lambda _: use_text_size(self._models.settings, self.text_size.currentData())
        )
        form = QFormLayout(box)
        form.addRow("&Theme", self.theme)
        form.addRow("Te&xt size", self.text_size)
        return box

    def _make_runs(self) -> QGroupBox:
        box = QGroupBox("Runs", self)
        self.policies = QPlainTextEdit(box)
        self.policies.setTabChangesFocus(True)
        self.policies.setFixedHeight(6 * self.fontMetrics().lineSpacing() + 12)
        self.policies.setToolTip(
            "The policies under which each newly opened trace is simulated, one per line"
        )
        self.policies.textChanged.connect(self._take_policies)
        self.share = QLineEdit(box)
        self.share.setToolTip("fair, a fraction like 1/10, an amount like 64c or 64c256g8gpu, or a CSV file")
        self.share.textEdited.connect(self._take_share)
        self.fair_starts = QCheckBox("Compute &fair start times", box)
        self.fair_starts.setToolTip(
            "When each job would have started if no later job had been submitted; simulations take longer"
        )
        self.fair_starts.clicked.connect(self._take_fair_starts)
        self.scheduler = QLineEdit(box, placeholderText="this machine's cores")
        self.scheduler.setToolTip(
            tip(
                "Where the runs of studies and searches are simulated: the address of a Dask scheduler, like "
                "tcp://127.0.0.1:8786 or tls://host:8786; empty: on this machine. Over tcp nobody is "
                "asked for a password: whoever reaches scheduler or workers can run programs as you"
            )
        )
        self.scheduler.textEdited.connect(self._take_scheduler)
        self.problem = QLabel("", box, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        # Room for two lines of errors is kept, so that the page does not jump while typing.
        self.problem.setFixedHeight(2 * self.fontMetrics().lineSpacing())
        form = QFormLayout(box)
        form.addRow("Policies for &new traces", self.policies)
        form.addRow("&Expected share", self.share)
        form.addRow("", self.fair_starts)
        form.addRow("Studies run &on", self.scheduler)
        form.addRow(self.problem)
        return box

    def _make_files(self) -> QGroupBox:
        box = QGroupBox("Files", self)
        form = QFormLayout(box)
        folders = {
            "Settings": settings_path().parent,
            "Autosaved sessions": autosave_folder(),
        }
        for name, folder in folders.items():
            form.addRow(name, _folder_row(folder, self))
        return box

    def _show(self) -> None:
        """Bring the fields in line with the settings."""
        settings = self._models.settings
        self.theme.setCurrentIndex(list(THEMES).index(self._themes.theme_name))
        self.text_size.setCurrentIndex(self.text_size.findData(settings.text_size))
        self.policies.setPlainText("\n".join(settings.policies))
        self.share.setText(settings.share)
        self.fair_starts.setChecked(settings.fair_starts)
        self.scheduler.setText(settings.scheduler)
        self.problem.setText("")

    def _take_policies(self) -> None:
        lines = [line.strip() for line in self.policies.toPlainText().splitlines() if line.strip()]
        try:
            files = self._models.workbench.files
            canonical = [read_spelled(files, line, parse_policy, self).absolute.spelling for line in lines]
            if not 1 <= len(canonical) <= MOST_POLICIES:
                raise InputError(f"a new trace is run under 1 to {MOST_POLICIES} policies")
        except InputError as error:
            self.problem.setText(str(error))
            return
        self.problem.setText("")
        self._models.settings.policies = canonical

    def _take_share(self, text: str) -> None:
        try:
            use_share(self._models, text)
        except InputError as error:
            self.problem.setText(str(error))
            return
        self.problem.setText("")

    def _take_fair_starts(self, wanted: bool) -> None:
        self._models.settings.fair_starts = wanted
        self._models.workbench.set_fair_starts(wanted)

    def _take_scheduler(self, text: str) -> None:
        self._models.settings.scheduler = text.strip()

    def _reset(self) -> None:
        first, settings = Settings(), self._models.settings
        settings.policies = first.policies
        self._themes.set_theme(first.theme)
        use_text_size(settings, first.text_size)
        self._take_share(first.share)
        self._take_fair_starts(first.fair_starts)
        self._take_scheduler(first.scheduler)
        self._show()


def _folder_row(folder: Path, page: SettingsPage) -> QHBoxLayout:
    path = ElidedLabel(str(folder), page)
    path.setToolTip(as_tip(str(folder)))
    show = QPushButton("Show", page)
    show.setAutoDefault(False)
    show.setToolTip(as_tip(f"Open {folder}"))
    show.setEnabled(folder.is_dir())
    show.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))))
    row = QHBoxLayout()
    row.addWidget(path, 1)
    row.addWidget(show)
    return row
