"""Messages of the window that can be answered: find, undo, restore."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from app.actions.open_options import open_with_options
from app.model.messages import Answers
from app.model.models import Models
from app.model.reading import Opened, TraceMissingError
from app.panels.message_bar import Message, MessageBar
from app.panels.policies.share_choice import use_share
from app.session.keeper import SessionKeeper
from app.session.opener import Opener
from app.shell.fault_words import full_text
from engine.errors import InputError
from engine.reading.options import OptionError
from views.text.counts import plural
from views.work.widget_handlers import while_alive

if TYPE_CHECKING:
    from app.session.autosave import AutosaveSlot
    from engine.study import Run

_GLANCE_S, _UNDO_S = 4, 10


def connect_notices(
    models: Models,
    messages: MessageBar,
    keeper: SessionKeeper,
    opener: Opener,
    show_failed: Callable[[str, str, Answers], object],
    window: QWidget,
    asks: Callable[[], bool],
) -> None:
    """Connect messages to the events of sessions and runs; with `asks` dialogs may be shown too."""
    workbench = models.workbench
    removals: list[Message] = []  # the last edit alone: it is what Undo undoes

    def forget_removals() -> None:
        for message in removals:
            messages.drop(message)
        removals.clear()

    def removed(run: Run) -> None:
        forget_removals()
        name = workbench.study.name(run)
        undo = {"Undo": workbench.edits.undo}
        messages.show_message(f"{name} was removed.", answers=undo, seconds=_UNDO_S)
        removals.append(messages.newest)

    def saved(file: Path) -> None:
        opener.remember(file)
        messages.show_message(f"Saved in {file}.", seconds=_GLANCE_S)

    def not_saved(file: Path, why: str) -> None:
        messages.show_message(f"{file}: cannot save the session here: {why}")

    def unjudgeable(why: str, details: str) -> None:
        # Another share may be judged where the chosen share cannot; if not, the reason alone is said.
        answers = {"Use fair": lambda: use_share(models, "fair")} if workbench.share != "fair" else {}
        say = f"{why}. Without an expected share there are no expected end times and metrics."
        show_failed(say if answers else why, details, answers)

    def missing(error: TraceMissingError) -> None:
        """Ask for the path of a session's missing trace; the session is then opened."""
        show_failed(f"{error}.", "", {"Find it…": lambda: opener.find_trace(error)})

    def choice_wanted(path: Path, why: InputError) -> None:
        """Ask for the columns of a log, or for its clusters; the log is then opened."""

        def ask() -> None:
            open_with_options(models, opener, path, window)

        # Both cases are answered by the same dialog; the message stays for those who close it.
        if isinstance(why, OptionError):
            say = f"{path.name} has jobs of several clusters: {why.choices}"
            show_failed(say, "", {"Choose its clusters…": ask})
        else:
            show_failed(re.split("; name columns|; if sacct", str(why))[0], "", {"Name its columns…": ask})
        if asks():
            ask()

    def opened(study: Opened) -> None:
        """Fields that were guessed want someone to look at them."""
        trace = study.study.trace
        if any(note.rule == "fields_guessed" for note in trace.notes):
            look = {"Check the fields…": lambda: open_with_options(models, opener, study.path, window)}
            say = f"No line of {study.path.name} names its fields: they were guessed."
            messages.show_message(say, answers=look)

    # Models may outlive the window: none of these is called once its destruction has begun.
    heard: list[tuple[SignalInstance, Callable[..., object]]] = [
        (workbench.opened, opened),
        (workbench.unjudgeable, unjudgeable),
        (workbench.log_opening.missing, missing),
        (workbench.log_opening.choice_wanted, choice_wanted),
        (workbench.removed, removed),
        (workbench.edits.indexChanged, lambda _: forget_removals()),  # sent when the edits are destroyed, too
        (keeper.saved, saved),
        (keeper.failed, not_saved),
        (keeper.disk_full, lambda kept: messages.show_message(full_text(kept), stays=True)),
    ]
    for signal, hear in heard:
        signal.connect(while_alive(window, hear))


def offer_recovery(messages: MessageBar, left: Sequence[AutosaveSlot], restore: Callable[[], object]) -> None:
    """Say that the program did not end as it should; closing the message leaves all for next time."""

    def discard() -> None:
        for slot in left:
            slot.remove()

    messages.show_message(
        f"The last session ended unexpectedly: {plural(len(left), 'window')} can be brought back.",
        answers={"Restore": restore, "Discard": discard},
        stays=True,
    )
