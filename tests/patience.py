"""A `qtbot` that waits for events however busy the machine is."""

from functools import partialmethod

from pytestqt.qtbot import QtBot

PATIENCE_MS = 60_000
"""When a wait for an event gives up: by default 5 s, which work in threads may take beside other work."""


class PatientBot(QtBot):  # type: ignore[misc]
    """The robot of pytest-qt, whose waits give up late where they name no time themselves."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=PATIENCE_MS)  # noqa: N815 - named by pytest-qt
    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)  # noqa: N815 - named by pytest-qt
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)  # noqa: N815 - named by pytest-qt
