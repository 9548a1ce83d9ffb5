"""The run that the overview bar shows, and the menu to choose another."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QIcon

from app.model.open_study import OpenStudy
from app.model.workbench import Workbench
from views.overview import OverviewBar
from views.text.ticks import axis_of
from views.theme.swatch import swatch
from views.widgets.menu_entries import MenuEntry, literal, note, open_menu


class OverviewRuns(QObject):
    """The first finished run is shown until another is chosen, and again when the chosen run is removed."""

    def __init__(self, workbench: Workbench, overview: OverviewBar) -> None:
        super().__init__(overview)
        self._workbench, self._overview = workbench, overview
        self._chosen: tuple[OpenStudy, int] | None = None
        overview.runs_requested.connect(self._open_menu)

    def show(self) -> None:
        """Show the run over the whole trace; where none is finished, the time of the trace alone."""
        judged, trace = self._workbench.finished(), self._workbench.study.trace
        if judged:
            current = self._workbench.open_study
            run = next((run for run in judged if (current, run.result.run_id) == self._chosen), judged[0])
            self._overview.set_run(run.result, run.chart_data.usage.processors, run.steps)
        else:
            self._overview.clear(axis_of(trace))

    def choose(self, run_id: int) -> None:
        """Show this run."""
        self._chosen = self._workbench.open_study, run_id
        self.show()

    def entries(self) -> list[MenuEntry]:
        """The finished runs, of which the user chooses one."""
        return [
            MenuEntry(
                literal(result.name),
                partial(self.choose, result.run_id),
                on=result is self._overview.result,
                radio=True,
                icon=QIcon(swatch(result.colour)),
            )
            for result in (run.result for run in self._workbench.finished())
        ] or [note("No finished run")]

    def _open_menu(self, position: QPoint) -> None:
        open_menu("Overview", self.entries(), position, self._overview)
