"""Code of a user's own in the window: the question whether it may run, with its text, and the runs of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.model.models import Models
from app.model.own_files import CodeQuestion
from app.panels.dialogs import show_dialog
from app.session.opener import Opener
from engine.own.file import OwnFile
from engine.policy.policy import Policy, parse_policy
from engine.shown_text import escaped, printable
from engine.simulation.control import Control
from engine.words import listed
from views.state.selection import Selection
from views.text.ticks import axis_of
from views.work.widget_handlers import while_alive

_NOTHING_HOLDS_IT = (
    "It is a program: once it runs, it may do whatever you may do on this machine, and nothing keeps it from "
    "that. Read it before you let it run."
)


class CodeDialog(QDialog):
    """Shows the texts that would run, and asks whether they may; `boxes` choose the functions of new runs."""

    def __init__(self, question: CodeQuestion, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        file = question.file
        self.setWindowTitle(f"May {file.path.name} run?")
        plain = Qt.TextFormat.PlainText
        self.about = QLabel(f"{escaped(file.path)}\n{question.why}", self, wordWrap=True, textFormat=plain)
        warning = QLabel(_NOTHING_HOLDS_IT, self, wordWrap=True, textFormat=plain)
        self.texts = self._make_texts(file)
        digest = QLabel(f"Digest: {file.digest}", self, textFormat=plain)
        digest.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.boxes = {each.name: QCheckBox(f"{each.name} ({each.kind})", self) for each in question.choices}
        self.buttons = QDialogButtonBox(self)
        role = QDialogButtonBox.ButtonRole
        self.run = self.buttons.addButton("&Let it run", role.AcceptRole)
        self.leave = self.buttons.addButton("&Do not run it", role.RejectRole)
        # Return must not let code run by accident: the refusal is the default.
        self.leave.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        for part in (self.about, self.texts, digest, warning, *self.boxes.values(), self.buttons):
            column.addWidget(part, 1 if part is self.texts else 0)
        # With a single policy in the file there is nothing to choose.
        for box in self.boxes.values():
            box.setChecked(True)
            box.setToolTip("Add a run of it")
            box.setVisible(len(self.boxes) > 1)
        letter = self.fontMetrics()
        self.resize(100 * letter.averageCharWidth(), 36 * letter.lineSpacing())

    @property
    def ticked(self) -> tuple[str, ...]:
        """The names of the functions that are to be runs."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def _make_texts(self, file: OwnFile) -> QTabWidget:
        """A tab for the file and for each module beside it that it imports: the digest covers all."""
        tabs = QTabWidget(self)
        modules = [module for module in file.modules if module.path.suffix == ".py"]
        texts = [(file.path, file.text), *((module.path, module.text) for module in modules)]
        for path, text in texts:
            # Signs that are not seen could make the text read as what it is not.
            shown = QPlainTextEdit(printable(text, "\n\t"), tabs, readOnly=True)
            shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            shown.setAccessibleName(f"Text of {escaped(path.name)}")
            beside = path.relative_to(file.path.parent) if path.is_relative_to(file.path.parent) else path
            tabs.addTab(shown, escaped(beside).replace("&", "&&"))
        tabs.tabBar().setVisible(tabs.count() > 1)
        return tabs


def connect_code(models: Models, opener: Opener, asks: Callable[[], bool], window: QWidget) -> None:
    """Ask about code over a window, and say what it did wrong; where `asks` is false, it is refused."""
    opener.code_chosen.connect(partial(_add_code, models))

    def ask(question: CodeQuestion) -> None:
        # A window that asks nothing, as in tests, refuses the code.
        if not asks():
            question.leave()
            return
        dialog = CodeDialog(question, window)
        dialog.accepted.connect(lambda: question.take(dialog.ticked))
        dialog.rejected.connect(question.leave)
        show_dialog(dialog)

    models.code.asked.connect(while_alive(window, ask))
    models.workbench.faulted.connect(while_alive(window, partial(_tell_fault, models)))
    models.workbench.code_failed.connect(while_alive(window, models.messages.show_message))


def _add_code(models: Models, path: Path) -> None:
    """Add the runs of a file of code, once its user has allowed it."""
    if not models.workbench.is_open:
        models.messages.show_message(f"{path.name}: code of your own; open a log first, then add it.")
        return
    models.code.open(path, partial(_add_runs, models))


def _add_runs(models: Models, file: OwnFile, names: tuple[str, ...]) -> None:
    workbench, study = models.workbench, models.workbench.study
    columns = [each.name for each in file.declared if each.kind in ("metric", "quantity")]
    # Metrics and quantities need no run: they are columns of the runs that are there.
    if columns and not names:
        models.messages.show_message(
            f"{file.path.name} offers {listed(columns)}: tables, charts, filters and searches have them now."
        )

    def parse(_: Control) -> list[Policy]:
        return [parse_policy(f"{file.path}:{name}") for name in names]

    def add(policies: list[Policy]) -> None:
        # Parsing loads the code in a thread. By then another trace may be open, which was not meant.
        if workbench.study.trace is study.trace:
            for policy in policies:
                workbench.add_run(policy)

    def failed(error: Exception) -> None:
        models.messages.show_message(str(error))

    workbench.files.submit(("code", str(file.path)), parse, add, failed)


def go_to_fault(models: Models, run_id: int) -> None:
    """Show the instant at which a run's own code was at fault, and select the job."""
    live = models.workbench.live_run(run_id)
    if live is None or live.fault is None or live.fault.time is None:
        return
    jobs = frozenset[int]() if live.fault.job is None else frozenset({live.fault.job})
    models.code.fault_wanted.emit(run_id)
    models.clock.show_day(float(live.fault.time))
    models.selection.select(Selection(jobs=jobs, instant=float(live.fault.time)))


def _tell_fault(models: Models, run_id: int) -> None:
    """Say what was wrong, and offer to show the job and the instant."""
    live = models.workbench.live_run(run_id)
    if live is None or live.fault is None:
        return
    trace, job = models.workbench.study.trace, live.fault.job
    when = axis_of(trace).format(float(live.fault.time or 0))
    what = when if job is None else f"job {trace.shown_id(job)}, {when}"
    answers = {f"Show {what}": partial(go_to_fault, models, run_id)}
    models.messages.show_message(str(live.fault), answers=answers)
