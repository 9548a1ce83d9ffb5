"""A window that is told to end leaves nothing to be recovered."""

import os
import signal

import pytest
from pytestqt.qtbot import QtBot

from app.work.end_signals import EndSignals


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_in_the_gui_thread_and_handlers_come_back(qtbot: QtBot, number: int) -> None:
    found = signal.signal(number, signal.SIG_DFL)  # a shell's background ignores SIGINT, and so would this
    before, ended = signal.getsignal(number), list[bool]()
    ends = EndSignals(lambda: ended.append(True))
    try:
        os.kill(os.getpid(), number)
        qtbot.waitUntil(lambda: ended == [True])
        assert signal.getsignal(number) == signal.SIG_DFL  # the second one ends at once
    finally:
        ends.close()
    try:
        assert signal.getsignal(number) == before
    finally:
        signal.signal(number, found)
