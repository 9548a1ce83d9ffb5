"""Work in a thread that code of the window needs the result of before it can go on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QProgressDialog, QWidget

from engine.errors import InputError
from engine.policy.policy import PRESETS
from engine.simulation.control import Cancelled
from engine.words import clip
from views.text.tooltips import as_tip
from views.work.executor import Executor

T = TypeVar("T")

_FILE_ENDINGS = (".csv", ".users", ".groups", ".queues")
"""The endings by which values of a policy's keys are files."""

_SHOWN_MS = 400
"""After so long a dialog says what is waited for, and offers to cancel."""


def waited(executor: Executor, work: Callable[[], T], words: str, parent: QWidget | None = None) -> T:
    """The result of `work`, which a thread does while the window paints; `words` say what is waited for.

    Raises what the work raises, and Cancelled where the user cancels or the executor is shut down: a thread
    that waits for storage cannot be stopped, and is left to itself.
    """
    key, loop = ("waited", object()), QEventLoop()
    values: list[T] = []
    errors: list[Exception] = []
    executor.submit(key, lambda _: work(), values.append, errors.append, before_painting=True)

    def end() -> None:
        if executor.task(key) is None:
            loop.quit()

    executor.changed.connect(end)
    try:
        if executor.task(key) is not None:
            slow = QTimer(singleShot=True, interval=_SHOWN_MS)
            slow.timeout.connect(loop.quit)
            slow.start()
            # What is typed and clicked meanwhile is kept: it may be meant for what comes after this.
            loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
            slow.stop()
        if executor.task(key) is not None:
            dialog = QProgressDialog(as_tip(words), "Cancel", 0, 0, parent)
            dialog.setWindowModality(Qt.WindowModality.WindowModal)
            dialog.setMinimumDuration(0)
            dialog.canceled.connect(lambda: executor.cancel(key))
            dialog.show()
            loop.exec()
            dialog.close()
            dialog.deleteLater()
    finally:
        executor.changed.disconnect(end)
    for error in errors:
        raise error
    for value in values:
        return value
    raise Cancelled


def read_spelled(
    files: Executor | None, text: str, read: Callable[[str], T], parent: QWidget | None = None
) -> T:
    """What `read` makes of a text that a user spelled, read by a thread of `files` where it may name a file.

    Raises what `read` raises, and InputError where the user does not wait for storage.
    """
    if files is None or not may_name_file(text):
        return read(text)
    try:
        return waited(files, partial(read, text), f"Reading {clip(text)}…", parent)
    except Cancelled as error:
        raise InputError(f"{clip(text)} was not read: it was not waited for") from error


def ends_as_file(text: str) -> bool:
    """Whether the value of a key of policies, or one of several, is a file by its ending."""
    return any(ending in text.lower() for ending in _FILE_ENDINGS)


def may_name_file(text: str) -> bool:
    """Whether to read this policy or share may look at files: only then a thread is worth its delay."""
    name, _, rest = text.partition(":")
    return (
        name.strip() not in PRESETS  # perhaps the path of a site, of code or of shares
        or (bool(rest) and PRESETS[name.strip()][0].recorded)  # the log's own schedule, or that of a file
        or ends_as_file(rest)
    )
