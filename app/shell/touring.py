"""The tour of a window: its steps, and when it begins by itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QWidget

from app.actions.program_menus import Guiding
from app.model.models import Models
from app.panels.help_topics import wanted_topic
from app.panels.tour import Step, Tour
from app.session.opener import Opener
from app.shell.menus import WindowMenus
from app.shell.study_page import OpenStudyPage


class Touring(QObject):
    """The tour through these parts of a window; `docks`: of the runs, of exploring, of the selection."""

    def __init__(
        self,
        window: QMainWindow,
        models: Models,
        page: OpenStudyPage,
        menus: WindowMenus,
        opener: Opener,
        docks: Sequence[QWidget],
    ) -> None:
        super().__init__(window)
        self._window, self._models, self._page = window, models, page
        self._menus, self._opener = menus, opener
        self._runs, _, self._selected = docks

    @property
    def guiding(self) -> Guiding:
        """The parts that the help menu needs."""
        return Guiding(lambda: wanted_topic(self._window, self._page.views.made), self.start)

    @property
    def steps(self) -> Sequence[Step]:
        """Six steps from the runs to the answer."""
        # Each step looks its widget up when it is shown: charts are made anew with other runs.
        return (
            Step(
                "Runs",
                "Each run is the log under one policy. A click on its name brings sliders for the policy.",
                lambda: self._runs,
            ),
            Step(
                "Charts",
                "All charts show the same time, from left to right. Turn the wheel to zoom, drag to move, "
                "click a job or a user to select it everywhere.",
                lambda: self._page.chart_set.first,
            ),
            Step(
                "The whole log",
                "The strip shows the whole log, and which part the charts show: drag its handles.",
                lambda: self._page.overview,
            ),
            Step(
                "Selected",
                "What is selected is described in a panel beside the charts or over them: why a job waited, "
                "or how long a user waits under each run. “Answer for the user” writes it as a text for an "
                "email.",
                self._where_selected,
            ),
            Step(
                "Pages",
                "Charts, the difference of two runs, searches for better policies, studies and sweeps. "
                "Esc leads back to the charts. Tables and further charts are the tabs below.",
                lambda: self._menus.switch.buttons["difference"],
            ),
            Step(
                "Find and help",
                "Ctrl+F finds a job, a user, a node or a time, Ctrl+Shift+P any command, and F1 explains "
                "what the mouse is over. Help > Tour shows this again.",
                self._window.menuBar,
            ),
        )

    def _where_selected(self) -> QWidget | None:
        """The panel of the selection; while nothing is selected it may be closed: then where jobs are."""
        return self._selected if self._selected.isVisible() else self._page.chart_set.first

    def start(self) -> Tour:
        """Begin the tour; once it has ended it begins no more by itself."""
        tour = Tour(self.steps, self._window)
        tour.ended.connect(lambda: setattr(self._models.settings, "toured", True))
        return tour

    def offer(self) -> None:
        """Begin the tour as soon as the first study is shown, unless it was seen or skipped before."""
        if not self._models.settings.toured:
            self._opener.shown.connect(self._begin)

    def _begin(self, _: object) -> None:
        self._opener.shown.disconnect(self._begin)
        self._models.context.idle_queue.add("tour", self.start)
