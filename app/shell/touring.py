"""The steps of the tour of a window, and when it begins by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.actions.program_menus import Guiding
from app.panels.help_topics import wanted_topic
from app.panels.tour import Step, Tour

if TYPE_CHECKING:
    from app.shell.window import MainWindow


def tour_steps(window: MainWindow) -> Sequence[Step]:
    """Six steps from the runs to the answer."""

    def first_chart() -> QWidget | None:
        return window.page.chart_set.first

    return (
        Step(
            "Runs",
            "Each run is the log under one policy. A click on its name brings sliders for the policy.",
            lambda: window.runs_dock,
        ),
        Step(
            "Charts",
            "Time runs to the right, in all charts alike. Turn the wheel to zoom, drag to move, "
            "click a job or a user to select it everywhere.",
            first_chart,
        ),
        Step(
            "The whole log",
            "The strip shows the whole log, and which part the charts show: drag its handles.",
            lambda: window.page.overview,
        ),
        Step(
            "Selected",
            "What is selected is told here: why a job waited, how a user fares under each run. "
            "“Answer for the user” writes it as a text for a mail.",
            lambda: window.inspector_dock,
        ),
        Step(
            "Pages",
            "Charts, the difference of two runs, searches for better policies, studies and sweeps. "
            "Esc leads back to the charts. Tables and further charts are the tabs below.",
            lambda: window.menus.switch.buttons["difference"],
        ),
        Step(
            "Find and help",
            "Ctrl+F finds a job, a user, a node or a time, Ctrl+Shift+P any command, and F1 explains "
            "what the mouse is over. Help > Tour shows this again.",
            lambda: window.menuBar(),
        ),
    )


def start_tour(window: MainWindow) -> Tour:
    """Begin the tour; once it has ended it begins no more by itself."""
    tour = Tour(tour_steps(window), window)
    tour.ended.connect(lambda: setattr(window.settings, "toured", True))
    return tour


def guiding(window: MainWindow) -> Guiding:
    """What the help menu of a window needs."""
    return Guiding(lambda: wanted_topic(window, window.page.views), lambda: start_tour(window))


def offer_tour(window: MainWindow) -> None:
    """Begin the tour as soon as the first study is shown, unless it was seen or skipped before."""
    if window.settings.toured:
        return

    def begin(_: object) -> None:
        window.opener.shown.disconnect(begin)
        window.idle_queue.add("tour", lambda: start_tour(window))

    window.opener.shown.connect(begin)
