"""The Gantt chart of the queue as it is: what runs, and what is planned to run."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from views.data.now_look import NowLook
from views.gantt.chart import GanttChart
from views.now.words import hover_words


class QueueChart(GanttChart):
    """Running jobs from their starts up to their limits, and waiting jobs from their planned starts."""

    look: NowLook | None = None

    def show_look(self, look: NowLook | None) -> None:
        """Show a queue, or nothing."""
        self.look = look
        self.set_title("Running jobs and planned starts")
        self.set_data(look.laid.schedule if look else None, look.boxes if look else None)
        if look is None:
            self.set_message("No queue is open")

    def tooltip_at(self, position: QPointF) -> str:
        """The job there, what it asks for, and when it starts; else as in other charts."""
        job = self._job_at(position)
        if self.look is None or job is None:
            return super().tooltip_at(position)
        return hover_words(self.look, self.look.laid.jobs[job])
